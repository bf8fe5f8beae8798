//! A matrix as Markdown, ready to be pasted into an article.

use super::{PivotDocument, PivotRow, table};
use crate::markdown::{code_block, escaped};
use crate::number::MISSING;
use sokudo_model::Finding;

/// The whole text.
pub fn render(document: &PivotDocument) -> String {
    let title = format!(
        "## {} by {}",
        escaped(&document.rows_by),
        escaped(&document.columns_by)
    );
    let repeat = format!("Repeat:\n\n{}", code_block(&document.command));
    let blocks = std::iter::once(title)
        .chain(blocks(document))
        .chain([repeat]);
    let blocks: Vec<String> = blocks.filter(|block| !block.is_empty()).collect();
    blocks.join("\n\n") + "\n"
}

/// Warnings, the matrix, and what is to be read with it.
pub(crate) fn blocks(document: &PivotDocument) -> Vec<String> {
    let mut blocks: Vec<String> = document.warnings.iter().map(warning).collect();
    blocks.push(matrix(document));
    let notes = table::notes(document);
    let notes: Vec<String> = notes
        .iter()
        .map(|note| format!("- {}", escaped(note)))
        .collect();
    blocks.push(notes.join("\n"));
    blocks
}

fn warning(warning: &Finding) -> String {
    format!(
        "> **warning**: {} *Cause:* {} *Remedy:* {}",
        escaped(&warning.symptom),
        escaped(&warning.cause),
        escaped(&warning.remedy)
    )
}

fn matrix(document: &PivotDocument) -> String {
    let units = document.unit().is_none();
    let mut head = vec![escaped(&document.rows_by)];
    let mut rule = vec![":--"];
    if units {
        head.push("unit".to_owned());
        rule.push(":--");
    }
    head.extend(document.columns.iter().map(|column| escaped(column)));
    rule.extend(document.columns.iter().map(|_| "--:"));
    let mut lines = vec![
        format!("| {} |", head.join(" | ")),
        format!("| {} |", rule.join(" | ")),
    ];
    lines.extend(document.rows.iter().map(|row| line(row, units)));
    lines.join("\n")
}

fn line(row: &PivotRow, units: bool) -> String {
    let mut cells = vec![escaped(&row.name)];
    cells.extend(units.then(|| escaped(&row.unit)));
    cells.extend(row.cells.iter().map(|cell| match cell {
        Some(cell) if cell.is_best => format!("**{}**", escaped(&table::cell_text(cell))),
        Some(cell) => escaped(&table::cell_text(cell)),
        None => MISSING.to_owned(),
    }));
    format!("| {} |", cells.join(" | "))
}
