//! A matrix as a picture: of two axes or more a heat map for each row of the method, of one axis
//! bars.

use sokudo_words::{Language, Text, speaking, spoken, text};

use super::figure::{Bar, Bars, Body, Group, HeatMap, HeatMapAxis, HeatMaps, Ink, PlotFigure};
use super::scale::PlotAxis;
use crate::matrix::{MatrixDocument, MatrixFigure, MatrixRowDocument, axis_name, unit_of};
use crate::number::rate_with;
use crate::style::BandwidthUnit;
use crate::unique::unique;
use crate::wording;

/// More maps in one picture are too small to be read.
const MAPS_MAX: usize = 8;

/// `None` where nothing was measured, or nothing is varied.
pub fn matrix(
    document: &MatrixDocument,
    unit: BandwidthUnit,
    language: Language,
) -> Option<PlotFigure> {
    speaking(language, || drawn(document, unit))
}

fn drawn(document: &MatrixDocument, unit: BandwidthUnit) -> Option<PlotFigure> {
    let axes = document.axes.iter().enumerate();
    let varied = axes.filter(|(_, axis)| axis.values.len() > 1);
    let varied: Vec<usize> = varied.map(|(number, _)| number).collect();
    let rows: Vec<&MatrixRowDocument> = (document.rows.iter())
        .filter(|row| is_measured(row))
        .collect();
    let (shown, body) = match varied[..] {
        [] => return None,
        [_] => bars(document, &rows, unit)?,
        [ref down @ .., ref across] => maps(document, &rows, (down, *across), unit)?,
    };
    let names = varied.iter().map(|axis| axis_name(document, *axis));
    let mut footer: Vec<Text> = vec![match document.blocks {
        1 => text!("1 block"),
        blocks => text!("{blocks} blocks"),
    }];
    if let Body::HeatMaps(maps) = &body {
        let has =
            |of: fn(&HeatMap) -> &[[usize; 2]]| maps.matrices.iter().any(|it| !of(it).is_empty());
        footer.extend(has(|it| &it.unproven).then(|| "hatched: not VERIFIED".into()));
        footer.extend(has(|it| &it.faults).then(|| "cross: INVALID".into()));
    }
    footer.extend(document.is_of_files.then(|| "disks of files".into()));
    footer.extend(match rows.len() - shown {
        0 => None,
        1 => Some(text!("1 row is not shown")),
        more => Some(text!("{more} rows are not shown")),
    });
    Some(PlotFigure {
        language: spoken(),
        title: text!("rate by {}", Text::list(names, ", ")).into(),
        subtitle: document
            .sentences
            .first()
            .cloned()
            .unwrap_or_default()
            .into(),
        footer: Text::list(footer, " · ").into(),
        body,
    })
}

fn is_measured(row: &MatrixRowDocument) -> bool {
    row.cells.iter().flatten().any(|it| it.per_second.is_some())
}

/// The figures of the table on colours in percent of the row's fastest, since rows lie far apart. Also
/// returns how many rows are shown.
fn maps(
    document: &MatrixDocument,
    rows: &[&MatrixRowDocument],
    (down, across): (&[usize], usize),
    unit: BandwidthUnit,
) -> Option<(usize, Body)> {
    let lines = document.cells.iter();
    let lines: Vec<Vec<usize>> =
        unique(lines.map(|cell| down.iter().map(|axis| cell.values[*axis]).collect()));
    let names = |axes: &[usize], line: &[usize]| -> String {
        let values = axes.iter().zip(line);
        // Which axis it is of is written beside the axis.
        let values = values.map(|(axis, value)| document.axes[*axis].values[*value].as_str());
        values.collect::<Vec<_>>().join(" · ")
    };
    let columns = 0..document.axes[across].values.len();
    let cell_of = |line: &[usize], column: usize| {
        let mut cells = document.cells.iter();
        cells.position(|cell| {
            let mut down = down.iter().zip(line);
            cell.values[across] == column && down.all(|(axis, it)| cell.values[*axis] == *it)
        })
    };
    let line_of = |line: &Vec<usize>| columns.clone().map(|it| cell_of(line, it)).collect();
    let grid: Vec<Vec<Option<usize>>> = lines.iter().map(line_of).collect();
    let map = |row: &&MatrixRowDocument| {
        let (divisor, unit_name) = unit_of(row, unit);
        let figures = grid.iter().map(|line| {
            let figures = line.iter().map(|cell| row.cells[(*cell)?].as_ref());
            figures.collect()
        });
        let figures: Vec<Vec<Option<&MatrixFigure>>> = figures.collect();
        let value = |it: &MatrixFigure| Some(it.per_second? / divisor);
        let cells = figures.iter().map(|line| {
            let values = line.iter().map(|it| it.and_then(value));
            values.collect()
        });
        let cells: Vec<Vec<Option<f64>>> = cells.collect();
        let those = |holds: fn(&MatrixFigure) -> bool| {
            let numbers =
                (0..figures.len()).flat_map(|line| columns.clone().map(move |it| [line, it]));
            let figure = |[line, column]: &[usize; 2]| figures[*line][*column];
            numbers.filter(|it| figure(it).is_some_and(holds)).collect()
        };
        Some(HeatMap {
            name: Text::list([wording::row(&row.name), Text::name(unit_name)], ", ").into(),
            whole: Some(cells.iter().flatten().flatten().copied().reduce(f64::max)?),
            unproven: those(|it| it.per_second.is_some() && it.is_unproven()),
            faults: those(|it| it.per_second.is_none()),
            columns: HeatMapAxis {
                label: axis_name(document, across).into(),
                names: columns.clone().map(|it| names(&[across], &[it])).collect(),
            },
            rows: HeatMapAxis {
                label: Text::list(down.iter().map(|axis| axis_name(document, *axis)), ", ").into(),
                names: lines.iter().map(|line| names(down, line)).collect(),
            },
            cells,
        })
    };
    let matrices: Vec<HeatMap> = rows.iter().take(MAPS_MAX).filter_map(map).collect();
    let label: String = text!("colour: % of the row's fastest").into();
    let body = HeatMaps {
        axis: PlotAxis::from_zero(label.clone(), 100.0, 5),
        label,
        matrices,
    };
    let shown = body.matrices.len();
    (shown > 0).then_some((shown, Body::HeatMaps(body)))
}

/// A group for each row that has the first one's unit, a bar for each value.
fn bars(
    document: &MatrixDocument,
    rows: &[&MatrixRowDocument],
    unit: BandwidthUnit,
) -> Option<(usize, Body)> {
    let unit_name = unit_of(rows.first()?, unit).1;
    let shown = rows.iter().filter(|row| unit_of(row, unit).1 == unit_name);
    let groups: Vec<Group> = shown.map(|row| group(row, unit)).collect();
    let cells = 0..document.cells.len();
    let legend = cells.map(|cell| {
        let name = crate::matrix::cell_name(document, cell);
        (name.into(), Ink::of_number(cell))
    });
    let count = groups.len();
    let mut bars = Bars::new(unit_name, "", groups, legend.collect())?.by_ratios();
    // The legend would say that they are of one run.
    bars.has_intervals = false;
    Some((count, Body::Bars(bars)))
}

fn group(row: &MatrixRowDocument, unit: BandwidthUnit) -> Group {
    let divisor = unit_of(row, unit).0;
    let bars = row.cells.iter().enumerate().filter_map(|(cell, figure)| {
        let figure = figure.as_ref()?;
        let value = figure.per_second.map(|it| it / divisor);
        let interval = figure.interval_95.map(|ends| ends.map(|it| it / divisor));
        // The sign of an INVALID one says why there is no figure.
        let label = value.map_or_else(String::new, |value| rate_with(value, interval));
        Some(Bar {
            ink: Ink::of_number(cell),
            value,
            interval,
            label: match figure.is_best {
                true => format!("{label} *"),
                false => label,
            },
            verdict: figure.verdict,
        })
    });
    Group {
        name: wording::row(&row.name).into(),
        bars: bars.collect(),
    }
}
