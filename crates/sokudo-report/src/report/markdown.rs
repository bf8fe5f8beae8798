//! Markdown of several runs: a table of all of them, then each by itself. One run is as
//! `--format markdown` prints it, with who measured and what somebody wrote about it.

use std::borrow::Cow;

use super::overview::{Cell, Overview, alone_text, verdict_name, verdicts};
use super::{Report, ReportStyle, ReportedRun};
use crate::date;
use crate::markdown::{escaped, line, render_in};
use crate::number::MISSING;

pub(super) fn render(report: &Report, style: ReportStyle) -> String {
    let mut blocks = Vec::new();
    if report.title.is_some() || report.runs.len() > 1 {
        let heading = report.heading(style.language);
        blocks.push(format!("# {}", escaped(&heading)));
    }
    if report.runs.len() > 1 {
        blocks.push(runs_table(report, style));
        let (overviews, alone) = Overview::of(report);
        blocks.extend(overviews.iter().map(|it| overview(it, style)));
        blocks.extend(alone_text(&alone).map(|text| say(style, &text).into_owned()));
    }
    for reported in &report.runs {
        let run = render_in(&reported.run, style.language);
        blocks.push(run.trim_end().to_owned());
        blocks.extend(about(reported, style));
    }
    blocks.join("\n\n") + "\n"
}

fn say(style: ReportStyle, text: &str) -> Cow<'_, str> {
    style.language.say(text)
}

/// Number, device, method, date and verdicts of each run.
fn runs_table(report: &Report, style: ReportStyle) -> String {
    let headings = ["#", "Device", "Method", "Started", "Verdicts", "Run"];
    let headings: Vec<Cow<'_, str>> = headings.iter().map(|it| say(style, it)).collect();
    let mut lines = vec![
        line(&headings),
        line(&["--:", ":--", ":--", ":--", ":--", ":--"]),
    ];
    for (number, reported) in (1..).zip(&report.runs) {
        let run = &reported.run;
        let verdicts: Vec<String> = verdicts(run)
            .iter()
            .map(|(verdict, count)| format!("{count} {}", say(style, verdict_name(*verdict))))
            .collect();
        lines.push(line(&[
            number.to_string(),
            escaped(&run.device(style.language)),
            escaped(&run.method_of_tool()),
            escaped(&date::for_people(&run.started_at)),
            verdicts.join(", "),
            escaped(&say(style, &reported.source)),
        ]));
    }
    lines.join("\n")
}

/// The rows of runs beside each other.
fn overview(overview: &Overview, style: ReportStyle) -> String {
    let cell = |cell: &Option<Cell>| match cell {
        Some(cell) => format!("{} {}", cell.figure(), cell.signs())
            .trim_end()
            .to_owned(),
        None => MISSING.to_owned(),
    };
    let names: Vec<String> = overview
        .rows
        .iter()
        .map(|row| escaped(&say(style, &format!("{} {}", row.name, row.direction))))
        .collect();
    let runs: Vec<String> = overview.numbers().map(|it| it.to_string()).collect();
    let (headings, firsts) = match overview.is_wide() {
        true => (&runs, &names),
        false => (&names, &runs),
    };
    let mut lines = vec![
        line(&[&["MB/s".to_owned()], &headings[..]].concat()),
        line(&[vec![":--"], vec!["--:"; headings.len()]].concat()),
    ];
    for (number, first) in firsts.iter().enumerate() {
        let cells: Vec<String> = match overview.is_wide() {
            true => overview.rows[number].cells.iter().map(cell).collect(),
            false => overview
                .rows
                .iter()
                .map(|row| cell(&row.cells[number]))
                .collect(),
        };
        lines.push(line(&[std::slice::from_ref(first), &cells[..]].concat()));
    }
    format!("{}\n\n{}", lines.join("\n"), legend(overview, style))
}

fn legend(overview: &Overview, style: ReportStyle) -> String {
    let mut parts = vec![say(
        style,
        "MB/s: median of the trials, ± how far its 95 % interval reaches; 1 MB is 1,000,000 bytes.",
    )];
    parts.push(say(style, "✓ VERIFIED, ? UNVERIFIED, ✗ INVALID."));
    if overview.has(|cell| cell.is_incomplete) {
        parts.push(say(style, "…: not all trials were made."));
    }
    if overview.has(|cell| cell.differs) {
        parts.push(say(
            style,
            "≠: measured in another way than the first of its row, so the two say nothing about each other.",
        ));
    }
    let more = format!(
        "{} more rows are told by each run below.",
        overview.left_out
    );
    if overview.left_out > 0 {
        parts.push(say(style, &more));
    }
    parts.join(" ")
}

/// What somebody wrote about it.
fn about(reported: &ReportedRun, style: ReportStyle) -> Option<String> {
    let mut lines = Vec::new();
    if !reported.tags.is_empty() {
        let tags = escaped(&reported.tags.join(", "));
        lines.push(format!("- **{}**: {tags}", say(style, "Tags")));
    }
    if !reported.note.is_empty() {
        let note = escaped(&reported.note);
        lines.push(format!("- **{}**: {note}", say(style, "Note")));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::super::{Report, ReportStyle, sample};

    #[test]
    fn several_runs_begin_with_a_table_of_all() {
        let text = sample::report().markdown(ReportStyle::default());
        insta::assert_snapshot!(text.split("\n## ").next().unwrap());
        assert_eq!(text.matches("\n## ").count(), 2);
        assert!(text.contains("- **Note**: after the firmware update"));
    }

    #[test]
    fn every_run_is_told_in_the_language_of_the_report() {
        let style = ReportStyle {
            language: sokudo_words::Language::Japanese,
            ..ReportStyle::default()
        };
        let text = sample::report().markdown(style);
        let one = crate::markdown::render_in(&sample::report().runs[0].run, style.language);
        assert!(text.contains(one.trim_end()), "{text}");
        assert!(!text.contains("*Cause:*"), "{text}");
    }

    #[test]
    fn many_runs_stand_below_each_other() {
        let one = sample::report().runs.remove(0);
        let report = Report::new(Some("a|b".into()), vec![one; 9]);
        let text = report.markdown(ReportStyle::default());
        assert!(text.starts_with("# a\\|b\n"), "{text}");
        let line = text
            .lines()
            .find(|line| line.starts_with("| 9 | 3,5"))
            .unwrap();
        assert_eq!(
            line.matches('|').count(),
            report.runs[0].run.results.len() + 2
        );
    }
}
