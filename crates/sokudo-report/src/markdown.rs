//! Articles as Markdown, ready to be pasted.

use sokudo_words::{Language, Text};

use crate::article::{Article, Element};
use crate::document::RunDocument;
use crate::explain;
use crate::grouping::FindingGroup;
use crate::run;
use crate::style::BandwidthUnit;
use crate::table::{Cell, Column, Skin, Table};

mod words;

pub(crate) use words::{MarkdownWords, escaped};

use words::one_line;

/// A whole run in English: what was measured, the table, the findings, and the command that
/// repeats it.
pub fn render(document: &RunDocument) -> String {
    render_in(
        document,
        BandwidthUnit::MegabytesPerSecond,
        Language::English,
    )
}

/// The same in a unit and a language.
pub fn render_in(document: &RunDocument, unit: BandwidthUnit, language: Language) -> String {
    let article = run::article(document, unit);
    write(&article, language)
}

/// An article as text that ends with a line feed.
pub(crate) fn write(article: &Article<'_>, language: Language) -> String {
    let blocks = article
        .on(Skin::Paper)
        .map(|it| block(it, MarkdownWords(language)));
    let blocks: Vec<String> = blocks.filter(|block| !block.is_empty()).collect();
    blocks.join("\n\n") + "\n"
}

fn block(element: &Element<'_>, words: MarkdownWords) -> String {
    match element {
        Element::Title(title) => format!("## {}", cell_text(title, words)),
        Element::Heading(text) => format!("### {}", words.text(text)),
        Element::Facts(facts) => {
            let fact = |(label, value): &(Text, Cell)| {
                format!("- **{}**: {}", words.text(label), cell_text(value, words))
            };
            lines(facts.iter().map(fact))
        }
        Element::Paragraph(text) | Element::Answer(_, text) => words.text(text),
        Element::Notes { title, items, .. } => {
            let items = lines(items.iter().map(|item| format!("- {}", words.text(item))));
            match title.is_empty() || items.is_empty() {
                true => items,
                false => format!("{}\n\n{items}", words.text(title)),
            }
        }
        Element::OfRows(rows) => lines(rows.iter().map(|(row, text)| {
            let (row, text) = (words.text(row), words.text(text));
            match row.is_empty() {
                true => format!("- {text}"),
                false => format!("- {row}: {text}"),
            }
        })),
        Element::Table(table) => self::table(table, words),
        Element::Curve(_) => String::new(),
        Element::Conclusions([]) => words.word(explain::NOTHING),
        Element::Conclusions(inferences) => self::table(&explain::table(inferences), words),
        Element::Findings(groups) => lines(groups.iter().map(|group| finding(group, words))),
        Element::Commands(_, []) => String::new(),
        Element::Commands(title, commands) => {
            let blocks = commands.iter().map(|command| code_block(command));
            format!(
                "{}\n\n{}",
                words.word(title),
                blocks.collect::<Vec<_>>().join("\n\n")
            )
        }
        Element::StoredCommand("") => String::new(),
        Element::StoredCommand(command) => {
            format!("{}\n\n{}", words.word("Repeat:"), code_block(command))
        }
    }
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

/// A table with what stands above it and what must be known to read it.
pub(crate) fn table(table: &Table, words: MarkdownWords) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let heading = |column: &Column| {
        let head = &column.head;
        let (group, title) = (words.word(head.group), words.text(&head.title));
        format!("{group} {title}").trim().to_owned()
    };
    let side = |column: &Column| match column.head.is_number() {
        false => ":--".to_owned(),
        true => "--:".to_owned(),
    };
    let row = |row: usize| {
        let cells = table
            .on_paper()
            .map(|column| cell_text(&column.cells[row], words).trim_end().to_owned());
        line(cells.collect())
    };
    let heads = [
        line(table.on_paper().map(heading).collect()),
        line(table.on_paper().map(side).collect()),
    ];
    let rows = match table.columns.is_empty() {
        true => String::new(),
        false => lines(heads.into_iter().chain((0..table.row_count()).map(row))),
    };
    let of_columns = table.column_notes_on_paper().map(|note| words.word(note));
    let notes = [words.text(&table.note), words.word(table.note_on_paper)];
    let notes: Vec<_> = notes.into_iter().chain(of_columns).collect();
    let notes = notes.join(" ").trim().to_owned();
    let blocks = [words.text(&table.title), rows, notes].into_iter();
    let blocks = blocks.filter(|block| !block.is_empty());
    blocks.collect::<Vec<_>>().join("\n\n")
}

fn cell_text(cell: &Cell, words: MarkdownWords) -> String {
    escaped(&cell.in_language(words.0, false))
}

fn finding(group: &FindingGroup<'_>, words: MarkdownWords) -> String {
    let symptoms = group
        .symptoms
        .iter()
        .map(|(symptom, rows)| match rows.is_empty() {
            true => words.prose(symptom),
            false => format!("{} ({})", words.prose(symptom), words.text(rows)),
        });
    let mut text = format!(
        "- **{}**: {}",
        words.word(group.label()),
        symptoms.collect::<Vec<_>>().join("; ")
    );
    let causes = group.causes.iter().map(|cause| ("Cause", *cause));
    for (name, part) in causes.chain([("Remedy", &group.remedy)]) {
        if !part.is_empty() {
            text += &format!("\n  - *{}:* {}", words.word(name), words.prose(part));
        }
    }
    text
}

/// A block with a fence longer than any row of backticks in the text.
fn code_block(text: &str) -> String {
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
    fn names_cannot_break_the_table() {
        let mut run = sample::bare_run();
        run.rows[0].workload.name = "a|b`*c*\n| d |".into();
        let text = render(&RunDocument::from_run(&run));
        let line = text.lines().find(|line| line.contains("a\\|b")).unwrap();
        let separators = line.replace("\\|", "").matches('|').count();
        let heading = text.lines().find(|line| line.starts_with("| Row")).unwrap();
        assert_eq!(separators, heading.matches('|').count(), "{line}");
    }

    /// On a terminal a space keeps figures without a sign under those with one.
    #[test]
    fn no_cell_ends_in_a_space_of_its_own() {
        let rows = Table::of(&["4.2 ", "17?"]);
        let rows = rows.column(crate::table::right("Q1T1 "), |text| {
            Some((*text).to_owned())
        });
        let text = table(&rows.table(), MarkdownWords(Language::English));
        assert_eq!(text, "| Q1T1 |\n| --: |\n| 4.2 |\n| 17? |");
    }

    #[test]
    fn code_in_findings_stays_code_and_a_lone_backtick_does_not() {
        assert_eq!(
            MarkdownWords(Language::English).prose(&"see `io_uring` in a_b".into()),
            "see `io_uring` in a\\_b"
        );
        assert_eq!(
            MarkdownWords(Language::English).prose(&"a ` b".into()),
            "a \\` b"
        );
    }

    #[test]
    fn a_command_with_backticks_stays_in_its_block() {
        assert_eq!(code_block("a ``` b"), "````console\n$ a ``` b\n````");
    }
}
