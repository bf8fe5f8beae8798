//! A matrix for spreadsheets and scripts: one line per cell that holds something.

use super::{PivotCell, PivotDocument, PivotRow};
use crate::csv::{field, written};

/// A line of names, then one line per cell.
pub fn render(document: &PivotDocument) -> String {
    let names = [
        &*document.rows_by,
        &*document.columns_by,
        "unit",
        "median",
        "interval_95_low",
        "interval_95_high",
        "range",
        "results",
        "kind",
        "verdict",
        "ratio",
        "is_best",
    ]
    .map(str::to_owned);
    let lines = document.rows.iter().flat_map(|row| {
        let cells = document.columns.iter().zip(&row.cells);
        cells.filter_map(move |(column, cell)| Some(line(row, column, cell.as_ref()?)))
    });
    written(std::iter::once(names).chain(lines))
}

fn line(row: &PivotRow, column: &str, cell: &PivotCell) -> [String; 12] {
    let interval = cell.interval_95;
    [
        row.name.clone(),
        column.to_owned(),
        row.unit.clone(),
        cell.median.to_string(),
        field(interval.map(|[low, _]| low)),
        field(interval.map(|[_, high]| high)),
        field(cell.range),
        cell.results.to_string(),
        cell.kind.clone(),
        field(cell.verdict.map(|it| it.name())),
        field(cell.ratio),
        cell.is_best.to_string(),
    ]
}
