//! A matrix for spreadsheets and scripts: one line per cell that holds something.

use super::{PivotCell, PivotDocument, PivotRow};
use crate::record::{self, RecordColumn, or_missing};

struct CellRecord<'a> {
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
            Some(CellRecord { row, column, cell })
        })
    });
    record::csv(&columns(document), lines)
}

fn columns<'a>(document: &PivotDocument) -> Vec<RecordColumn<CellRecord<'a>>> {
    vec![
        RecordColumn::text(document.rows_by.clone(), |it| it.row.name.clone()),
        RecordColumn::text(document.columns_by.clone(), |it| it.column.to_owned()),
        RecordColumn::text("unit", |it| it.row.unit.clone()),
        RecordColumn::real("median", |it| Some(it.cell.median)),
        RecordColumn::real("interval_95_low", |it| Some(it.cell.interval_95?[0])),
        RecordColumn::real("interval_95_high", |it| Some(it.cell.interval_95?[1])),
        RecordColumn::real("range", |it| it.cell.range),
        RecordColumn::whole("results", |it| Some(it.cell.results as u64)),
        RecordColumn::text("kind", |it| it.cell.kind.english()),
        RecordColumn::text("verdict", |it| {
            or_missing(it.cell.verdict.map(|verdict| verdict.name()))
        }),
        RecordColumn::real("ratio", |it| it.cell.ratio),
        RecordColumn::truth("is_best", |it| Some(it.cell.is_best)),
    ]
}
