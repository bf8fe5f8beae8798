//! Rates by two of block size, depth and threads, as a table of colours.

use std::collections::{BTreeMap, BTreeSet};

use sokudo_model::Bytes;
use sokudo_words::{Text, spoken, text};

use super::figure::{Body, HeatMap, HeatMapAxis, HeatMaps, PlotFigure};
use super::heading;
use super::scale::PlotAxis;
use crate::document::{Direction, ResultDocument, RunDocument};
use crate::number::BYTES_PER_MB;
use crate::wording::phrase;

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
            Self::Threads => result.workload.threads.into(),
        }
    }

    fn name(self, value: u64) -> String {
        match self {
            Self::Block => Bytes(value).to_string(),
            Self::Depth | Self::Threads => value.to_string(),
        }
    }

    /// English name, which is translated where it is shown.
    const fn label(self) -> &'static str {
        match self {
            Self::Block => "Block size",
            Self::Depth => "Depth",
            Self::Threads => "Threads",
        }
    }
}

/// `None` when the rows make no table.
pub fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let shown: Vec<&ResultDocument> = document
        .results_by_direction()
        .into_iter()
        .filter(|result| result.workload.survey().is_none())
        .collect();
    let (across, down) = dimensions(&shown)?;
    let mut by_kind: BTreeMap<(Direction, String), Vec<&ResultDocument>> = BTreeMap::new();
    for result in &shown {
        by_kind.entry(kind(result)).or_default().push(result);
    }
    let matrices: Vec<HeatMap> = by_kind
        .iter()
        .map(|((_, name), results)| matrix(name, results, across, down))
        .collect();
    let [down, across] = [down, across].map(|it| phrase(&it.label().to_lowercase()));
    let what = text!("rate by {down} and {across}");
    let body = body(text!("MB/s"), matrices)?;
    Some(heading::picture(document, &what, &shown, body))
}

/// Heat maps with one axis of colours; `None` where no cell has a value.
pub fn body(unit: Text, matrices: Vec<HeatMap>) -> Option<Body> {
    Some(Body::HeatMaps(HeatMaps {
        axis: colour_axis(&unit, &matrices)?,
        label: unit.into(),
        matrices,
    }))
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
    let cell = |result: &&ResultDocument| (kind(result), down.of(result), across.of(result));
    let cells: BTreeSet<_> = shown.iter().map(cell).collect();
    let kinds: BTreeSet<_> = shown.iter().map(|result| kind(result)).collect();
    let room = values(across).len() * values(down).len() * kinds.len();
    let mut orders = shown.windows(2);
    let is_alike = orders.all(|pair| pair[0].workload.order == pair[1].workload.order);
    let is_filled = cells.len() * 100 >= room * FILLED_MIN_PERCENT;
    let is_table = is_alike && is_filled && cells.len() == shown.len();
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

fn matrix(name: &str, results: &[&ResultDocument], across: Dimension, down: Dimension) -> HeatMap {
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
        label: spoken().word(dimension.label()).to_owned(),
        names: values.iter().map(|value| dimension.name(*value)).collect(),
    };
    HeatMap {
        name: phrase(name).into(),
        cells: rows
            .iter()
            .map(|row| columns.iter().map(|column| cell(*row, *column)).collect())
            .collect(),
        columns: names(across, &columns),
        rows: names(down, &rows),
        ..HeatMap::default()
    }
}

/// From the lowest to the highest rate; by ratios where these are far apart.
pub(crate) fn colour_axis(unit: &Text, matrices: &[HeatMap]) -> Option<PlotAxis> {
    let cells = || matrices.iter().flat_map(|matrix| &matrix.cells);
    let values = || cells().flatten().flatten().copied();
    let (low, high) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    let mut axis = PlotAxis::of_rates(unit, low, high, 6);
    if axis.scale.is_logarithmic {
        (axis.scale.low, axis.scale.high) = (low, high);
        axis.ticks.retain(|tick| (low..=high).contains(&tick.at));
    }
    Some(axis)
}
