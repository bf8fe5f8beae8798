//! A matrix of figures as groups of bars: a group for each row, a bar for each column.

use sokudo_words::{Language, Text, speaking, spoken, text};

use super::figure::{Bar, Bars, Body, Group, Ink, PlotFigure};
use crate::pivot::{PivotDocument, PivotRow};
use crate::wording;

/// `None` where there is nothing to draw. Only figures of one unit share an axis: rows of
/// another than the first's are left out, and the footer says so.
pub fn pivot(document: &PivotDocument, language: Language) -> Option<PlotFigure> {
    speaking(language, || drawn(document))
}

fn drawn(document: &PivotDocument) -> Option<PlotFigure> {
    let unit = &document.rows.first()?.unit;
    let rows = document.rows.iter();
    let shown: Vec<&PivotRow> = rows.filter(|row| row.unit == *unit).collect();
    let has_bars = |number: usize| {
        let mut rows = shown.iter();
        rows.any(|row| matches!(row.cells.get(number), Some(Some(_))))
    };
    let columns = document.columns.iter().enumerate();
    let columns = columns.filter(|(number, _)| has_bars(*number));
    let legend =
        columns.map(|(number, name)| (wording::source(name).into(), Ink::of_number(number)));
    let groups = shown.iter().map(|row| group(row, document));
    let bars = Bars::new(unit, "", groups.collect(), legend.collect())?.by_ratios();
    Some(PlotFigure {
        language: spoken(),
        title: document.title().into(),
        subtitle: subtitle(document),
        footer: footer(document, shown.len()),
        body: Body::Bars(bars),
    })
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
            verdict: cell.verdict,
        })
    });
    Group {
        name: wording::row(&row.name).into(),
        bars: bars.collect(),
    }
}

fn subtitle(document: &PivotDocument) -> String {
    let warnings = document
        .warnings
        .iter()
        .map(|warning| warning.symptom.clone());
    let runs = match document.runs {
        1 => text!("1 run"),
        runs => text!("{runs} runs"),
    };
    Text::list(std::iter::once(runs).chain(warnings), " · ").into()
}

fn footer(document: &PivotDocument, shown: usize) -> String {
    let mut parts: Vec<Text> = Vec::new();
    let left_out = document.rows.len() - shown;
    if left_out > 0 {
        parts.push(match left_out {
            1 => text!("1 row of another unit is not shown"),
            _ => text!("{left_out} rows of other units are not shown"),
        });
    }
    if document.cells().any(|cell| cell.is_best) {
        parts.push("* better than every other of its row".into());
    }
    if document
        .cells()
        .any(|cell| cell.range.is_some() && cell.interval_95.is_none())
    {
        parts.push("R: largest minus smallest trial".into());
    }
    if document.rows.iter().any(|row| row.unit == "MB/s") {
        parts.push("1 MB is 1,000,000 bytes".into());
    }
    Text::list(parts, " · ").into()
}
