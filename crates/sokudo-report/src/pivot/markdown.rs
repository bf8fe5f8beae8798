//! A matrix as Markdown, ready to be pasted into an article.

use super::{PivotDocument, PivotRow, table};
use crate::markdown::{code_block, escaped};
use crate::number::MISSING;

/// The whole text.
pub fn render(document: &PivotDocument) -> String {
    let mut blocks = vec![format!(
        "## {} by {}",
        escaped(&document.rows_by),
        escaped(&document.columns_by)
    )];
    blocks.extend(document.warnings.iter().map(|warning| {
        format!(
            "> **warning**: {} *Cause:* {} *Remedy:* {}",
            escaped(&warning.symptom),
            escaped(&warning.cause),
            escaped(&warning.remedy)
        )
    }));
    blocks.push(matrix(document));
    let notes = table::notes(document);
    let notes: Vec<String> = notes
        .iter()
        .map(|note| format!("- {}", escaped(note)))
        .collect();
    blocks.push(notes.join("\n"));
    blocks.push(format!("Repeat:\n\n{}", code_block(&document.command)));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
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
