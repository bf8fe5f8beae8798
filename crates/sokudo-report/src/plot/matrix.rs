//! A matrix as a picture: of two axes or more a heat map for each row of the method, of one axis
//! bars.

use sokudo_stats::Summary;
use sokudo_words::{Language, Text, speaking, spoken, text};

use super::figure::{Bar, Bars, Body, Group, HeatMap, HeatMapAxis, HeatMaps, Ink, PlotFigure};
use super::scale::PlotAxis;
use crate::matrix::{MatrixDocument, MatrixFigure, MatrixRowDocument, axis_name, unit_of};
use crate::number::{rate, rate_with};
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
    let of_maps = matches!(body, Body::HeatMaps(_));
    footer.extend(of_maps.then(|| "one colour: no difference shown".into()));
    let has_unproven = |it: &HeatMaps| it.matrices.iter().any(|it| !it.unproven.is_empty());
    let hatched = matches!(&body, Body::HeatMaps(maps) if has_unproven(maps));
    footer.extend(hatched.then(|| "hatched: not VERIFIED".into()));
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

/// What each cell comes to, as far as differences are shown: the geometric mean of the cells that
/// have its values of all axes that are shown to do something; its own where it is the best.
fn levels_shown(document: &MatrixDocument, row: &MatrixRowDocument) -> Vec<Option<f64>> {
    let mut effects = document.effects.rows.iter();
    let effects = effects.find(|it| it.row == row.name);
    let does_something = |axis: usize| {
        effects.is_some_and(|it| {
            let mut pairs = it.pairs.iter().filter(|it| it.axis == axis);
            let mut both = it.combinations.iter().filter(|it| it.axes.contains(&axis));
            pairs.any(|it| it.ratio.is_shown()) || both.any(|it| it.ratio.is_shown())
        })
    };
    let axes: Vec<usize> = (0..document.axes.len())
        .filter(|it| does_something(*it))
        .collect();
    let best = effects.and_then(|it| it.best);
    let level = |cell: usize| row.cells[cell].as_ref()?.per_second;
    let values = |cell: usize| {
        axes.iter()
            .map(move |axis| document.cells[cell].values[*axis])
    };
    let cells = || 0..document.cells.len().min(row.cells.len());
    let shown = |cell: usize| {
        let own = level(cell)?;
        let is_alike = |other: &usize| match best {
            Some(best) if best == cell || best == *other => *other == cell,
            _ => values(*other).eq(values(cell)),
        };
        let alike = cells().filter(is_alike).filter_map(level).map(f64::ln);
        let logarithms: Vec<f64> = alike.collect();
        let summary = Summary::of(&logarithms);
        Some(summary.map_or(own, |it| it.mean.exp()))
    };
    cells().map(shown).collect()
}

/// Every row in percent of its fastest cell, since rows lie far apart. Cells between which no
/// difference is shown are of one colour: noise is no pattern. Also returns how many rows are shown.
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
    let map = |row: &&MatrixRowDocument| {
        let levels = levels_shown(document, row);
        let highest = levels.iter().flatten().copied().reduce(f64::max)?;
        let cell_of = |line: &[usize], column: usize| {
            let mut cells = document.cells.iter();
            cells.position(|cell| {
                cell.values[across] == column
                    && down
                        .iter()
                        .zip(line)
                        .all(|(axis, it)| cell.values[*axis] == *it)
            })
        };
        let is_unproven = |[line, column]: &[usize; 2]| {
            let figure = cell_of(&lines[*line], *column).and_then(|it| row.cells[it].as_ref());
            figure.is_some_and(MatrixFigure::is_unproven)
        };
        let share =
            |line: &[usize], column: usize| Some(100.0 * levels[cell_of(line, column)?]? / highest);
        let cells = lines.iter().map(|line| {
            let cells = columns.clone().map(|column| share(line, column));
            cells.collect()
        });
        let numbers = (0..lines.len()).flat_map(|line| columns.clone().map(move |it| [line, it]));
        let (divisor, unit_name) = unit_of(row, unit);
        let fastest = format!("{} {unit_name}", rate(highest / divisor));
        Some(HeatMap {
            name: text!("{}, 100 % is {fastest}", wording::row(&row.name)).into(),
            unproven: numbers.filter(is_unproven).collect(),
            columns: HeatMapAxis {
                label: axis_name(document, across).into(),
                names: columns.clone().map(|it| names(&[across], &[it])).collect(),
            },
            rows: HeatMapAxis {
                label: Text::list(down.iter().map(|axis| axis_name(document, *axis)), ", ").into(),
                names: lines.iter().map(|line| names(down, line)).collect(),
            },
            cells: cells.collect(),
            faults: Vec::new(),
        })
    };
    let matrices: Vec<HeatMap> = rows.iter().take(MAPS_MAX).filter_map(map).collect();
    let label: String = text!("% of the row's fastest").into();
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
    let mut bars = Bars::new(unit_name, "", groups, legend.collect())?;
    // The legend would say that they are of one run.
    bars.has_intervals = false;
    Some((count, Body::Bars(bars)))
}

fn group(row: &MatrixRowDocument, unit: BandwidthUnit) -> Group {
    let divisor = unit_of(row, unit).0;
    let bars = row.cells.iter().enumerate().filter_map(|(cell, figure)| {
        let figure = figure.as_ref()?;
        let value = figure.per_second? / divisor;
        let interval = figure.interval_95.map(|ends| ends.map(|it| it / divisor));
        let label = rate_with(value, interval);
        Some(Bar {
            ink: Ink::of_number(cell),
            value: Some(value),
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
