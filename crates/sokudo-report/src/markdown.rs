//! Markdown, ready to be pasted into an article: what was measured, the table,
//! the findings, and the command that repeats it.

use sokudo_words::Language;

use crate::document::{LatencyFigures, RateFigures, ResultDocument, RunDocument};
use crate::facts::facts;
use crate::grouping::{FindingGroup, grouped_findings, row_name, rows_text, said_name};
use crate::shortfall::{shortfalls, verdict_cell};
use crate::{TableStyle, date, explain, load_table, number, steady, surface};

mod places;
mod words;

use words::one_line;

pub(crate) use words::{Words, escaped};

const BYTES_PER_MB: f64 = 1e6;

/// A column: its heading, how it is aligned, and its cell in a line.
type Column = (&'static str, &'static str, fn(&ResultDocument) -> String);

/// Every column but the verdict, which comes last.
const COLUMNS: [Column; 9] = [
    ("Row", ":--", |result| result.name.clone()),
    ("Direction", ":--", ResultDocument::direction_label),
    ("MB/s", "--:", |result| {
        bandwidth(result, |b| Some(number::rate(b.median / BYTES_PER_MB)))
    }),
    ("95 % interval", "--:", |result| {
        bandwidth(result, |b| {
            Some(range(b.interval_95?.low, b.interval_95?.high))
        })
    }),
    ("range", "--:", |result| {
        bandwidth(result, |b| {
            (b.trials.len() > 1).then(|| range(b.min, b.max))
        })
    }),
    ("IOPS", "--:", |result| {
        shown(result.iops.as_ref().map(|iops| number::rate(iops.median)))
    }),
    ("p50", "--:", |result| latency(result, |l| l.p50)),
    ("p99", "--:", |result| latency(result, |l| l.p99)),
    ("p99.9", "--:", |result| latency(result, |l| l.p99_9)),
];

/// Shown beside the median when a trimmed mean was asked for.
const TRIMMED: [Column; 4] = [
    ("trimmed mean", "--:", |result| {
        bandwidth(result, |b| {
            Some(number::rate(b.trimmed_mean? / BYTES_PER_MB))
        })
    }),
    ("mean", "--:", |result| {
        bandwidth(result, |b| Some(number::rate(b.mean / BYTES_PER_MB)))
    }),
    ("stdev", "--:", |result| {
        bandwidth(result, |b| Some(number::rate(b.stdev? / BYTES_PER_MB)))
    }),
    ("R", "--:", |result| {
        bandwidth(result, |b| Some(number::rate(b.range / BYTES_PER_MB)))
    }),
];

/// Shown beside the median when trials were repeated as `CrystalDiskMark` does.
const BEST: Column = ("best MB/s", "--:", |result| {
    bandwidth(result, |b| Some(number::rate(b.max / BYTES_PER_MB)))
});

/// Shown beside the latencies of service at a fixed rate.
const FROM_INTENDED: [Column; 3] = [
    ("p50 from intended", "--:", |result| {
        from_intended(result, |l| l.p50)
    }),
    ("p99 from intended", "--:", |result| {
        from_intended(result, |l| l.p99)
    }),
    ("p99.9 from intended", "--:", |result| {
        from_intended(result, |l| l.p99_9)
    }),
];

/// The whole text, in English.
pub fn render(document: &RunDocument) -> String {
    render_in(document, Language::English)
}

/// The whole text.
pub fn render_in(document: &RunDocument, language: Language) -> String {
    let words = Words(language);
    let blocks = [
        title(document),
        facts_list(document, words),
        figures(document, words),
        explain::markdown(document, words),
        shortfall_list(document, words),
        findings_list(document, words),
        repeat(&document.command, words),
    ];
    let blocks = blocks.into_iter().filter(|block| !block.is_empty());
    blocks.collect::<Vec<_>>().join("\n\n") + "\n"
}

fn title(document: &RunDocument) -> String {
    format!(
        "## {}, {}, {}",
        escaped(&document.measurer()),
        escaped(&document.method),
        escaped(&date::for_people(&document.started_at))
    )
}

/// How to measure again, where that is known.
pub(crate) fn repeat(command: &str, words: Words) -> String {
    match command {
        "" => String::new(),
        command => format!("{}\n\n{}", words.text("Repeat:"), code_block(command)),
    }
}

fn facts_list(document: &RunDocument, words: Words) -> String {
    let line =
        |label: &str, value: &str| format!("- **{}**: {}", words.text(label), words.text(value));
    let lines = facts(document)
        .into_iter()
        .map(|fact| line(fact.label, &fact.value));
    lines.collect::<Vec<_>>().join("\n")
}

/// The tables with what must be known to read them.
fn figures(document: &RunDocument, words: Words) -> String {
    if document.is_explanation() {
        return String::new();
    }
    if surface::is_scan(document) {
        return places::render(document, words);
    }
    if let Some(steady) = &document.steady {
        let style = TableStyle {
            language: words.0,
            ..TableStyle::default()
        };
        let lines = steady::lines(document, steady, &style);
        return format!("```text\n{}\n```", lines.join("\n"));
    }
    let load = document.load.as_ref().map_or_else(String::new, |load| {
        let sentences = load_table::sentences(load).into_iter();
        let lines = sentences.map(|(label, sentence)| {
            format!("- **{}**: {}", words.text(label), words.text(&sentence))
        });
        format!("{}\n\n", lines.collect::<Vec<_>>().join("\n"))
    });
    let what = match document.origin {
        Some(_) => "MB/s is as the tool told it",
        None => "MB/s is the median of the trials",
    };
    let legend = format!(
        "{what}; 1 MB is 1,000,000 bytes. A percentile without enough samples is missing (—)."
    );
    format!(
        "{load}{}\n\n{}",
        table(document, words),
        words.0.say(&legend)
    )
}

/// The figures of all results as cells, not yet escaped.
pub(crate) struct Cells {
    /// Titles of the columns.
    pub(crate) headings: Vec<&'static str>,
    /// `:--` or `--:`, as Markdown has it.
    pub(crate) alignment: Vec<&'static str>,
    /// One line per result; its last cell is the verdict.
    pub(crate) lines: Vec<Vec<String>>,
}

/// The figures of all results, in the order in which people look for them.
pub(crate) fn cells(document: &RunDocument) -> Cells {
    let mut columns = COLUMNS.to_vec();
    let mut results = document.results.iter();
    if results.any(|result| result.latency_from_intended_ns.is_some()) {
        columns.extend(FROM_INTENDED);
    }
    if document.schedule.name == "crystal" {
        columns.insert(3, BEST);
    }
    if document.schedule.trim > 0 {
        columns.splice(3..3, TRIMMED);
    }
    let headings = columns.iter().map(|(heading, _, _)| *heading);
    let alignment = columns.iter().map(|(_, align, _)| *align);
    let line = |result: &ResultDocument| {
        let verdict = verdict_cell(result, document.schedule.trials);
        let figures = columns.iter().map(|(_, _, cell)| cell(result));
        figures.chain([verdict]).collect()
    };
    Cells {
        headings: headings.chain(["Verdict"]).collect(),
        alignment: alignment.chain([":--"]).collect(),
        lines: document
            .results_by_direction()
            .into_iter()
            .map(line)
            .collect(),
    }
}

fn table(document: &RunDocument, words: Words) -> String {
    let cells = cells(document);
    let headings: Vec<&str> = cells
        .headings
        .iter()
        .map(|word| words.0.word(word))
        .collect();
    let mut lines = vec![line(&headings), line(&cells.alignment)];
    for cells in cells.lines {
        // The first one is the row's name.
        let name = cells.first().map(|name| said_name(name, words.0));
        let others = cells.iter().skip(1).map(|cell| words.text(cell));
        let cells: Vec<String> = name.map(escaped).into_iter().chain(others).collect();
        lines.push(line(&cells));
    }
    lines.join("\n")
}

/// A line of a table.
pub(crate) fn line(cells: &[impl AsRef<str>]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |", cells.join(" | "))
}

fn shortfall_list(document: &RunDocument, words: Words) -> String {
    let mut lines = Vec::new();
    for result in document.results_by_direction() {
        for why in shortfalls(result, &document.schedule) {
            lines.push(format!(
                "- {}: {}",
                words.text(&row_name(result)),
                words.text(&why)
            ));
        }
    }
    lines.join("\n")
}

fn findings_list(document: &RunDocument, words: Words) -> String {
    let groups = grouped_findings(document);
    let groups: Vec<String> = groups.iter().map(|group| finding(group, words)).collect();
    groups.join("\n")
}

fn finding(group: &FindingGroup<'_>, words: Words) -> String {
    let symptoms = group
        .symptoms
        .iter()
        .map(|(symptom, rows)| match rows.len() {
            0 => words.prose(symptom),
            _ => {
                let rows = words.text(&rows_text(rows));
                format!("{} ({rows})", words.prose(symptom))
            }
        });
    let mut text = format!(
        "- **{}**: {}",
        words.text(group.label()),
        symptoms.collect::<Vec<_>>().join(" ")
    );
    for (name, part) in [("Cause", group.cause), ("Remedy", group.remedy)] {
        if !part.is_empty() {
            text += &format!("\n  - *{}:* {}", words.text(name), words.prose(part));
        }
    }
    text
}

fn range(low: f64, high: f64) -> String {
    number::rate_range(low / BYTES_PER_MB, high / BYTES_PER_MB)
}

fn shown(text: Option<String>) -> String {
    text.unwrap_or_else(|| number::MISSING.to_owned())
}

fn bandwidth(result: &ResultDocument, show: impl Fn(&RateFigures) -> Option<String>) -> String {
    let figures = result.bandwidth_bytes_per_s.as_ref();
    shown(figures.and_then(|bandwidth| show(&bandwidth.bytes_per_s)))
}

fn latency(result: &ResultDocument, pick: impl Fn(&LatencyFigures) -> Option<u64>) -> String {
    number::latency(result.latency_ns.as_ref().and_then(pick))
}

fn from_intended(result: &ResultDocument, pick: impl Fn(&LatencyFigures) -> Option<u64>) -> String {
    number::latency(result.latency_from_intended_ns.as_ref().and_then(pick))
}

/// A block with a fence longer than any row of backticks in the text.
pub(crate) fn code_block(text: &str) -> String {
    let text = one_line(text);
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}console\n$ {text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn an_article_gets_everything() {
        insta::assert_snapshot!(render(&RunDocument::from_run(&sample::run())));
    }

    #[test]
    fn a_troubled_crystal_run_shows_best_beside_median_and_what_is_missing() {
        insta::assert_snapshot!(render(&RunDocument::from_run(&sample::troubled_run())));
    }

    #[test]
    fn names_cannot_break_the_table() {
        let mut run = sample::bare_run();
        run.rows[0].workload.name = "a|b`*c*\n| d |".into();
        let text = render(&RunDocument::from_run(&run));
        let line = text.lines().find(|line| line.contains("a\\|b")).unwrap();
        let separators = line.replace("\\|", "").matches('|').count();
        let heading = text.lines().find(|line| line.starts_with("| Row")).unwrap();
        assert_eq!(separators, heading.matches('|').count(), "{line}");
    }

    #[test]
    fn code_in_findings_stays_code_and_a_lone_backtick_does_not() {
        assert_eq!(
            Words(Language::English).prose("see `io_uring` in a_b"),
            "see `io_uring` in a\\_b"
        );
        assert_eq!(Words(Language::English).prose("a ` b"), "a \\` b");
    }

    #[test]
    fn a_command_with_backticks_stays_in_its_block() {
        assert_eq!(code_block("a ``` b"), "````console\n$ a ``` b\n````");
    }
}
