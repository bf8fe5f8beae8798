//! A matrix for spreadsheets and scripts: one line per cell that holds something.

use super::{PivotCell, PivotDocument, PivotRow};
use crate::forms::CsvForm;
use crate::record::Columns;

struct CellRecord<'a> {
    row: &'a PivotRow,
    column: &'a str,
    cell: &'a PivotCell,
}

impl CsvForm for PivotDocument {
    /// A line of names, then one line per cell.
    fn to_csv(&self) -> String {
        let lines = self.rows.iter().flat_map(|row| {
            let cells = self.columns.iter().zip(&row.cells);
            cells.filter_map(move |(column, cell)| {
                let cell = cell.as_ref()?;
                Some(CellRecord { row, column, cell })
            })
        });
        columns(self).csv(lines)
    }
}

fn columns<'a>(document: &PivotDocument) -> Columns<'a, CellRecord<'a>> {
    Columns::<CellRecord<'_>>::none()
        .column(document.rows_by.clone(), |it| it.row.name.clone())
        .column(document.columns_by.clone(), |it| it.column.to_owned())
        .column("unit", |it| it.row.unit.clone())
        .column("median", |it| it.cell.median)
        .column("interval_95_low", |it| Some(it.cell.interval_95?[0]))
        .column("interval_95_high", |it| Some(it.cell.interval_95?[1]))
        .column("range", |it| it.cell.range)
        .column("results", |it| it.cell.results as u64)
        .column("kind", |it| it.cell.kind.english())
        .column("verdict", |it| it.cell.verdict)
        .column("ratio", |it| it.cell.ratio)
        .column("is_best", |it| it.cell.is_best)
}
