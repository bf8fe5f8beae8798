//! A comparison as Markdown, ready to be pasted into an article.

use sokudo_words::Language;

use super::{ComparisonDocument, OtherDocument, RowDocument, RowSideDocument, table, words};
use crate::date;
use crate::markdown::{Words, escaped, repeat};
use crate::number::{MISSING, rate};
use crate::pivot;
use crate::style::BandwidthUnit;

/// The whole text, in English.
pub fn render(document: &ComparisonDocument) -> String {
    render_in(document, Language::English)
}

/// The whole text.
pub fn render_in(document: &ComparisonDocument, language: Language) -> String {
    let said = Words(language);
    let unit = words::unit(document, BandwidthUnit::MegabytesPerSecond);
    let mut blocks = vec![
        format!(
            "## sokudo {}, {}",
            escaped(&document.sokudo_version),
            said.text("compare")
        ),
        sides(document, said),
    ];
    if let Some(matrix) = &document.matrix {
        blocks.extend(pivot::markdown::blocks(matrix, said));
    }
    for other in &document.others {
        if document.matrix.is_none() {
            blocks.push(table(document, other, unit, said));
        }
        blocks.push(list(notes(document, other), said));
        let title = format!("What differs (A | {}):", other.side.letter);
        let differing = list(words::differing(other), said);
        blocks.push(if differing.is_empty() {
            differing
        } else {
            format!("{}\n\n{differing}", language.say(&title))
        });
    }
    if document.matrix.is_none() {
        blocks.push(said.text(&words::legend(document, unit)));
    }
    blocks.push(repeat(&document.command, said));
    let blocks = blocks.into_iter().filter(|block| !block.is_empty());
    blocks.collect::<Vec<_>>().join("\n\n") + "\n"
}

fn sides(document: &ComparisonDocument, said: Words) -> String {
    let sides =
        std::iter::once(&document.reference).chain(document.others.iter().map(|it| &it.side));
    let lines = sides.map(|side| {
        format!(
            "- **{}**: {} ({}, {})",
            side.letter,
            said.text(&side.source),
            escaped(&side.method),
            escaped(&date::for_people(&side.started_at))
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn table(
    document: &ComparisonDocument,
    other: &OtherDocument,
    unit: BandwidthUnit,
    said: Words,
) -> String {
    if other.rows.is_empty() {
        return said.text(&format!(
            "{} has no row in common with A.",
            other.side.letter
        ));
    }
    let letter = &other.side.letter;
    let heading = format!(
        "| Row | A {0} | ± | {letter} {0} | ± | Change | 95 % interval | Effect | Conclusion |",
        unit.name()
    );
    let mut lines = vec![
        said.0.say(&heading).into_owned(),
        "| :-- | --: | --: | --: | --: | --: | --: | :-- | :-- |".to_owned(),
    ];
    lines.extend(other.rows.iter().map(|row| line(document, row, unit, said)));
    lines.join("\n")
}

fn line(
    document: &ComparisonDocument,
    row: &RowDocument,
    unit: BandwidthUnit,
    said: Words,
) -> String {
    let missing = || MISSING.to_owned();
    let median = |side: &RowSideDocument| {
        let rates = side.per_second.as_ref();
        rates.map_or_else(missing, |rates| rate(rates.median / unit.bytes()))
    };
    let change = row.compared.change.as_ref();
    let name = match &row.other_row {
        Some(other) => format!("{} / {}", said.text(&row.row), said.text(other)),
        None => said.text(&row.row),
    };
    let cells = [
        name,
        median(&row.reference),
        table::spread(&row.reference, unit),
        median(&row.other),
        table::spread(&row.other, unit),
        change.map_or_else(missing, |change| words::change_text(change.ratio)),
        said.text(&words::interval(change)),
        change
            .map_or(MISSING, |change| said.0.word(change.effect.name()))
            .to_owned(),
        said.text(&words::conclusion(document, &row.compared)),
    ];
    format!("| {} |", cells.join(" | "))
}

fn notes(document: &ComparisonDocument, other: &OtherDocument) -> Vec<String> {
    let mut notes: Vec<String> = words::notes(document, other)
        .iter()
        .map(|note| format!("{}: {}", note.rows.join(", "), note.text))
        .collect();
    notes.extend(words::alone(other));
    notes
}

fn list(lines: Vec<String>, said: Words) -> String {
    let lines = lines.iter().map(|line| format!("- {}", said.text(line)));
    lines.collect::<Vec<_>>().join("\n")
}
