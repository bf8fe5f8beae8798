//! A matrix for spreadsheets and scripts: one line per cell that holds something.

use super::{PivotCell, PivotDocument, PivotRow};
use crate::record::{self, Column, or_missing};

struct Line<'a> {
    row: &'a PivotRow,
    column: &'a str,
    cell: &'a PivotCell,
}

/// A line of names, then one line per cell.
pub fn render(document: &PivotDocument) -> String {
    let lines = document.rows.iter().flat_map(|row| {
        let cells = document.columns.iter().zip(&row.cells);
        cells.filter_map(move |(column, cell)| {
            let cell = cell.as_ref()?;
            Some(Line { row, column, cell })
        })
    });
    record::csv(&columns(document), lines)
}

fn columns<'a>(document: &PivotDocument) -> Vec<Column<Line<'a>>> {
    vec![
        Column::text(document.rows_by.clone(), |it| it.row.name.clone()),
        Column::text(document.columns_by.clone(), |it| it.column.to_owned()),
        Column::text("unit", |it| it.row.unit.clone()),
        Column::real("median", |it| Some(it.cell.median)),
        Column::real("interval_95_low", |it| Some(it.cell.interval_95?[0])),
        Column::real("interval_95_high", |it| Some(it.cell.interval_95?[1])),
        Column::real("range", |it| it.cell.range),
        Column::whole("results", |it| Some(it.cell.results as u64)),
        Column::text("kind", |it| it.cell.kind.clone()),
        Column::text("verdict", |it| {
            or_missing(it.cell.verdict.map(|verdict| verdict.name()))
        }),
        Column::real("ratio", |it| it.cell.ratio),
        Column::truth("is_best", |it| Some(it.cell.is_best)),
    ]
}
