//! A matrix as Markdown, ready to be pasted into an article.

use sokudo_words::Language;

use super::{PivotDocument, PivotRow, keys_text, table};
use crate::markdown::{Words, repeat};
use crate::number::MISSING;
use sokudo_model::Finding;

/// The whole text.
pub fn render(document: &PivotDocument, language: Language) -> String {
    let said = Words(language);
    let title = said.text(&document.title());
    let blocks = std::iter::once(format!("## {title}"))
        .chain(blocks(document, said))
        .chain([repeat(&document.command, said)]);
    let blocks: Vec<String> = blocks.filter(|block| !block.is_empty()).collect();
    blocks.join("\n\n") + "\n"
}

/// Warnings, the matrix, and what is to be read with it.
pub(crate) fn blocks(document: &PivotDocument, said: Words) -> Vec<String> {
    let warnings = document.warnings.iter();
    let mut blocks: Vec<String> = warnings.map(|it| warning(it, said)).collect();
    blocks.push(matrix(document, said));
    let notes = table::notes(document);
    let notes: Vec<String> = notes
        .iter()
        .map(|note| format!("- {}", said.text(note)))
        .collect();
    blocks.push(notes.join("\n"));
    blocks
}

fn warning(warning: &Finding, said: Words) -> String {
    format!(
        "> **{}**: {} *{}* {} *{}* {}",
        said.text("warning"),
        said.text(&warning.symptom),
        said.text("Cause:"),
        said.text(&warning.cause),
        said.text("Remedy:"),
        said.text(&warning.remedy)
    )
}

fn matrix(document: &PivotDocument, said: Words) -> String {
    let units = document.unit().is_none();
    let mut head = vec![said.text(&keys_text(&document.rows_by))];
    let mut rule = vec![":--"];
    if units {
        head.push(said.text("unit"));
        rule.push(":--");
    }
    head.extend(document.columns.iter().map(|column| said.text(column)));
    rule.extend(document.columns.iter().map(|_| "--:"));
    let mut lines = vec![
        format!("| {} |", head.join(" | ")),
        format!("| {} |", rule.join(" | ")),
    ];
    lines.extend(document.rows.iter().map(|row| line(row, units, said)));
    lines.join("\n")
}

fn line(row: &PivotRow, units: bool, said: Words) -> String {
    let mut cells = vec![said.text(&row.name)];
    cells.extend(units.then(|| said.text(&row.unit)));
    cells.extend(row.cells.iter().map(|cell| match cell {
        Some(cell) if cell.is_best => format!("**{}**", said.text(&table::cell_text(cell))),
        Some(cell) => said.text(&table::cell_text(cell)),
        None => MISSING.to_owned(),
    }));
    format!("| {} |", cells.join(" | "))
}
