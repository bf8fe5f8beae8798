//! A matrix for spreadsheets and scripts: one line per cell and row that was measured.

use super::{MatrixDocument, MatrixFigure, MatrixRowDocument};
use crate::forms::CsvForm;
use crate::record::{Columns, word};

struct FigureRecord<'a> {
    /// Which value of each axis.
    values: &'a [usize],
    row: &'a MatrixRowDocument,
    figure: &'a MatrixFigure,
}

impl CsvForm for MatrixDocument {
    /// A line of names, the axes' first, then one line per figure.
    fn to_csv(&self) -> String {
        let lines = self.rows.iter().flat_map(|row| {
            let cells = self.cells.iter().zip(&row.cells);
            cells.filter_map(move |(cell, figure)| {
                Some(FigureRecord {
                    values: &cell.values,
                    row,
                    figure: figure.as_ref()?,
                })
            })
        });
        columns(self).csv(lines)
    }
}

fn columns(document: &MatrixDocument) -> Columns<'_, FigureRecord<'_>> {
    let axes = document.axes.iter().enumerate();
    let axes = axes.fold(Columns::none(), |columns, (number, axis)| {
        columns.column(axis.name.clone(), move |it: &FigureRecord<'_>| {
            axis.values[it.values[number]].clone()
        })
    });
    axes.column("row", |it| it.row.name.clone())
        .column("counted", |it| word(&it.row.counted))
        .column("per_second", |it| it.figure.per_second)
        .column("interval_95_low", |it| Some(it.figure.interval_95?[0]))
        .column("interval_95_high", |it| Some(it.figure.interval_95?[1]))
        .column("blocks", |it| it.figure.counted_blocks() as u64)
        .column("verdict", |it| it.figure.verdict)
        .column("is_best", |it| it.figure.is_best)
        .column("bytes_at_disks_per_byte", |it| {
            it.figure.bytes_at_disks_per_byte
        })
        .column("findings", |it| it.figure.findings.join(" "))
}
