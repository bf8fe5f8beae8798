//! Rates by two of block size, depth and threads, as a table of colours.

use std::collections::{BTreeMap, BTreeSet};

use sokudo_model::{Bytes, RoundFigure};

use super::figure::{Body, HeatMapAxis, Matrices, Matrix, PlotFigure};
use super::heading;
use super::scale::{Axis, Scale, Tick};
use crate::document::{Direction, ResultDocument, RunDocument, SteadyDocument};
use crate::number::rate;
use crate::steady::{self, MatrixCell};

const BYTES_PER_MB: f64 = 1e6;
/// Rates that differ by more than this are told apart by their ratios.
const RATIO_OF_LOGARITHMS: f64 = 20.0;
/// A table of which less is filled is none, but rows that happen to differ.
const FILLED_MIN_PERCENT: usize = 80;

/// What rows may differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dimension {
    Block,
    Depth,
    Threads,
}

impl Dimension {
    fn of(self, result: &ResultDocument) -> u64 {
        match self {
            Self::Block => result.workload.blocks.smallest().0,
            Self::Depth => result.workload.depth.into(),
            Self::Threads => result.workload.clones.into(),
        }
    }

    fn name(self, value: u64) -> String {
        match self {
            Self::Block => Bytes(value).to_string(),
            Self::Depth | Self::Threads => value.to_string(),
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Block => "Block size",
            Self::Depth => "Depth",
            Self::Threads => "Threads",
        }
    }
}

/// `None` when the rows make no table.
pub(super) fn figure(document: &RunDocument) -> Option<PlotFigure> {
    if let Some(steady) = &document.steady {
        return of_mixes(document, steady);
    }
    let shown: Vec<&ResultDocument> = document
        .results_by_direction()
        .into_iter()
        .filter(|result| result.workload.survey.is_none())
        .collect();
    let (across, down) = dimensions(&shown)?;
    let mut by_kind: BTreeMap<(Direction, String), Vec<&ResultDocument>> = BTreeMap::new();
    for result in &shown {
        by_kind.entry(kind(result)).or_default().push(result);
    }
    let matrices: Vec<Matrix> = by_kind
        .iter()
        .map(|((_, name), results)| matrix(name, results, across, down))
        .collect();
    let values = matrices.iter().flat_map(|matrix| &matrix.cells).flatten();
    let values: Vec<f64> = values.flatten().copied().collect();
    let what = format!(
        "rate by {} and {}",
        down.label().to_lowercase(),
        across.label().to_lowercase()
    );
    Some(PlotFigure {
        title: heading::title(document, &what),
        subtitle: heading::subtitle(document, &shown),
        footer: heading::footer(document, &shown),
        body: Body::Matrices(Matrices {
            label: "MB/s".to_owned(),
            axis: colour_axis("MB/s", &values)?,
            matrices,
        }),
    })
}

/// Of a steady procedure: block sizes down, mixes across, each cell the mean of its window.
fn of_mixes(document: &RunDocument, steady: &SteadyDocument) -> Option<PlotFigure> {
    let cells: Vec<MatrixCell<'_>> = steady::cells(document, steady).collect();
    let sizes: BTreeSet<Bytes> = cells.iter().map(|cell| cell.block).collect();
    // Reads first, as the PTS has it.
    let writes: BTreeSet<u32> = cells.iter().map(|cell| 100 - cell.reads).collect();
    if sizes.len() * writes.len() < 2 {
        return None;
    }
    let (unit, divisor) = match cells.first()?.figure {
        RoundFigure::Iops => ("IOPS", 1.0),
        RoundFigure::BytesPerSecond => ("MB/s", BYTES_PER_MB),
        RoundFigure::LatencyMeanNs => ("Mean latency, µs", 1e3),
    };
    let value = |size: Bytes, writes: u32| {
        let mut here = cells.iter();
        let cell = here.find(|cell| cell.block == size && cell.reads == 100 - writes)?;
        Some(cell.figures.get(cell.figure)? / divisor)
    };
    let of_size = |size: &Bytes| writes.iter().map(|writes| value(*size, *writes)).collect();
    let matrix = Matrix {
        name: steady.label.clone(),
        columns: HeatMapAxis {
            label: "Reads/writes, %",
            names: writes
                .iter()
                .map(|writes| format!("{}/{writes}", 100 - writes))
                .collect(),
        },
        rows: HeatMapAxis {
            label: "Block size",
            names: sizes.iter().map(Bytes::to_string).collect(),
        },
        cells: sizes.iter().map(of_size).collect(),
    };
    let values: Vec<f64> = matrix.cells.iter().flatten().flatten().copied().collect();
    let shown: Vec<&ResultDocument> = cells.iter().map(|cell| cell.result).collect();
    Some(PlotFigure {
        title: heading::title(document, "block size and mix, means of the window"),
        subtitle: heading::subtitle(document, &shown),
        footer: heading::footer(document, &shown),
        body: Body::Matrices(Matrices {
            label: unit.to_owned(),
            axis: colour_axis(unit, &values)?,
            matrices: vec![matrix],
        }),
    })
}

/// The two dimensions in which rows differ, if they differ in nothing else, each row is
/// the only one at its place, and most places are taken.
fn dimensions(shown: &[&ResultDocument]) -> Option<(Dimension, Dimension)> {
    let values = |dimension: Dimension| -> BTreeSet<u64> {
        shown.iter().map(|result| dimension.of(result)).collect()
    };
    let all = [Dimension::Depth, Dimension::Threads, Dimension::Block];
    let varied: Vec<Dimension> = all
        .into_iter()
        .filter(|dimension| values(*dimension).len() > 1)
        .collect();
    let [across, down] = varied[..] else {
        return None;
    };
    let place = |result: &&ResultDocument| (kind(result), down.of(result), across.of(result));
    let places: BTreeSet<_> = shown.iter().map(place).collect();
    let kinds: BTreeSet<_> = shown.iter().map(|result| kind(result)).collect();
    let room = values(across).len() * values(down).len() * kinds.len();
    let mut orders = shown.windows(2);
    let is_alike = orders.all(|pair| pair[0].workload.order == pair[1].workload.order);
    let is_filled = places.len() * 100 >= room * FILLED_MIN_PERCENT;
    let is_table = is_alike && is_filled && places.len() == shown.len();
    is_table.then_some((across, down))
}

/// Rows of one kind make one table.
fn kind(result: &ResultDocument) -> (Direction, String) {
    let name = match result.direction {
        Direction::Read => "Read".to_owned(),
        Direction::Write => "Write".to_owned(),
        Direction::Trim => "Trim".to_owned(),
        Direction::Flush => "Flush".to_owned(),
        _ => result.direction_label(),
    };
    (result.direction, name)
}

fn matrix(name: &str, results: &[&ResultDocument], across: Dimension, down: Dimension) -> Matrix {
    let values = |dimension: Dimension| -> Vec<u64> {
        let values: BTreeSet<u64> = results.iter().map(|result| dimension.of(result)).collect();
        values.into_iter().collect()
    };
    let (columns, rows) = (values(across), values(down));
    let cell = |row: u64, column: u64| {
        let mut there = results
            .iter()
            .filter(|result| down.of(result) == row && across.of(result) == column);
        let figures = there.next()?.bandwidth_bytes_per_s.as_ref()?;
        Some(figures.bytes_per_s.median / BYTES_PER_MB)
    };
    let names = |dimension: Dimension, values: &[u64]| HeatMapAxis {
        label: dimension.label(),
        names: values.iter().map(|value| dimension.name(*value)).collect(),
    };
    Matrix {
        name: name.to_owned(),
        cells: rows
            .iter()
            .map(|row| columns.iter().map(|column| cell(*row, *column)).collect())
            .collect(),
        columns: names(across, &columns),
        rows: names(down, &rows),
    }
}

/// From the lowest to the highest rate; by ratios where these are far apart.
fn colour_axis(label: &str, values: &[f64]) -> Option<Axis> {
    let low = values.iter().copied().reduce(f64::min)?;
    let high = values.iter().copied().reduce(f64::max)?;
    let is_wide = low > 0.0 && high / low > RATIO_OF_LOGARITHMS;
    if is_wide {
        let axis = Axis::decades(format!("{label}, logarithmic"), low, high, rate);
        let ends = Scale {
            low,
            high,
            is_logarithmic: true,
        };
        let is_inside = |tick: &Tick| (low..=high).contains(&tick.at);
        let ticks = axis.ticks.into_iter().filter(is_inside).map(|tick| Tick {
            name: whole_rate(tick.at),
            ..tick
        });
        Some(Axis {
            label: axis.label,
            scale: ends,
            ticks: ticks.collect(),
        })
    } else {
        Some(Axis::from_zero(label, high, 6))
    }
}

/// A round rate without decimals that say nothing.
pub(super) fn whole_rate(value: f64) -> String {
    if value >= 1.0 {
        crate::number::grouped(&format!("{value:.0}"))
    } else {
        format!("{value}")
    }
}
