//! A matrix for spreadsheets and scripts: one line per cell and row that was measured.

use super::{MatrixDocument, MatrixFigure, MatrixRowDocument};
use crate::record::{self, Field, word};

/// A line of names, the axes' first, then one line per figure.
pub fn render(document: &MatrixDocument) -> String {
    let lines = document.rows.iter().flat_map(|row| {
        let cells = row.cells.iter().enumerate();
        cells.filter_map(move |(cell, figure)| {
            let figure = figure.as_ref()?;
            Some(line(document, cell, row, figure))
        })
    });
    record::csv_of(names(document), lines)
}

const FIGURES: [&str; 10] = [
    "row",
    "counted",
    "per_second",
    "interval_95_low",
    "interval_95_high",
    "blocks",
    "verdict",
    "is_best",
    "bytes_at_disks_per_byte",
    "findings",
];

fn names(document: &MatrixDocument) -> Vec<String> {
    let axes = document.axes.iter().map(|axis| axis.name.clone());
    axes.chain(FIGURES.map(str::to_owned)).collect()
}

fn line(
    document: &MatrixDocument,
    cell: usize,
    row: &MatrixRowDocument,
    figure: &MatrixFigure,
) -> Vec<Field> {
    let real = |value: Option<f64>| value.map_or(Field::Missing, Field::Real);
    let values = document.cells[cell].values.iter().enumerate();
    let values =
        values.map(|(axis, value)| Field::Text(document.axes[axis].values[*value].clone()));
    let figures = [
        Field::Text(row.name.clone()),
        Field::Text(word(&row.counted)),
        real(figure.per_second),
        real(figure.interval_95.map(|it| it[0])),
        real(figure.interval_95.map(|it| it[1])),
        Field::Whole(figure.counted_blocks() as u64),
        Field::Text(record::or_missing(figure.verdict.map(|it| it.name()))),
        Field::Truth(figure.is_best),
        real(figure.bytes_at_disks_per_byte),
        Field::Text(figure.findings.join(" ")),
    ];
    values.chain(figures).collect()
}
