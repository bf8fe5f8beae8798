//! A matrix of figures as groups of bars: a group for each row, a bar for each column.

use super::figure::{Bar, Bars, Body, Group, Ink, PlotFigure};
use super::scale::Axis;
use crate::pivot::{PivotCell, PivotDocument, PivotRow};

/// Steps of the axis.
const STEPS: usize = 8;

/// `None` where there is nothing to draw. Only figures of one unit share an axis: rows of
/// another than the first's are left out, and the footer says so.
pub fn pivot(document: &PivotDocument) -> Option<PlotFigure> {
    let unit = &document.rows.first()?.unit;
    let shown: Vec<&PivotRow> = document
        .rows
        .iter()
        .filter(|row| row.unit == *unit)
        .collect();
    let cells = || shown.iter().flat_map(|row| row.cells.iter().flatten());
    let highest = cells().map(end).fold(0.0, f64::max);
    let inks: Vec<(String, Ink)> = document
        .columns
        .iter()
        .enumerate()
        .map(|(number, column)| (column.clone(), Ink::of_number(number)))
        .filter(|(column, _)| {
            let index = document.columns.iter().position(|it| it == column);
            index.is_some_and(|index| {
                shown
                    .iter()
                    .any(|row| matches!(row.cells.get(index), Some(Some(_))))
            })
        })
        .collect();
    let groups = shown.iter().map(|row| group(row, document));
    let bars = Bars {
        axis: Axis::from_zero(unit.as_str(), highest, STEPS),
        groups_label: "",
        groups: groups.collect(),
        legend: inks,
        has_intervals: cells().any(|cell| cell.interval_95.is_some()),
    };
    Some(PlotFigure {
        title: document.title().english(),
        subtitle: subtitle(document),
        footer: footer(document, shown.len()),
        body: Body::Bars(bars),
    })
}

/// As far as a bar or its whisker reaches.
fn end(cell: &PivotCell) -> f64 {
    cell.interval_95
        .map_or(cell.median, |[_, high]| high.max(cell.median))
}

/// Columns that have nothing here get no bar, so that many that exclude each other stay
/// readable.
fn group(row: &PivotRow, document: &PivotDocument) -> Group {
    let columns = 0..document.columns.len();
    let bars = columns.filter_map(|index| {
        let cell = row.cells.get(index)?.as_ref()?;
        Some(Bar {
            ink: Ink::of_number(index),
            value: Some(cell.median),
            interval: cell.interval_95,
            label: match cell.is_best {
                true => format!("{} *", cell.text()),
                false => cell.text(),
            },
            // Where nothing is verified, a sign on every bar would tell nothing.
            verdict: None,
        })
    });
    Group {
        name: row.name.clone(),
        bars: bars.collect(),
    }
}

fn subtitle(document: &PivotDocument) -> String {
    let warnings = document
        .warnings
        .iter()
        .map(|warning| warning.symptom.english());
    let runs = match document.runs {
        1 => "1 run".to_owned(),
        runs => format!("{runs} runs"),
    };
    let parts: Vec<String> = std::iter::once(runs).chain(warnings).collect();
    parts.join(" · ")
}

fn footer(document: &PivotDocument, shown: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    let left_out = document.rows.len() - shown;
    if left_out > 0 {
        parts.push(match left_out {
            1 => "1 row of another unit is not shown".to_owned(),
            _ => format!("{left_out} rows of other units are not shown"),
        });
    }
    let cells = || {
        document
            .rows
            .iter()
            .flat_map(|row| row.cells.iter().flatten())
    };
    if cells().any(|cell| cell.is_best) {
        parts.push("* better than every other of its row".to_owned());
    }
    if cells().any(|cell| cell.range.is_some() && cell.interval_95.is_none()) {
        parts.push("R: largest less smallest trial".to_owned());
    }
    if document.rows.iter().any(|row| row.unit == "MB/s") {
        parts.push("1 MB is 1,000,000 bytes".to_owned());
    }
    parts.join(" · ")
}
