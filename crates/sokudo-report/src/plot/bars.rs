//! Rates as bars: rows beside each other, or block sizes from small to large as ATTO
//! shows them.

use std::collections::BTreeSet;

use sokudo_model::Bytes;

use super::curve::ink_of;
use super::figure::{Bar, Bars, Body, Group, Ink, PlotFigure};
use super::heading;
use super::scale::Axis;
use crate::document::{ResultDocument, RunDocument, Status};
use crate::number::rate_with;

const BYTES_PER_MB: f64 = 1e6;
/// Fewer block sizes are rows like any others.
const SIZES_MIN: usize = 3;

/// `None` when no row has a bandwidth.
pub(super) fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let shown: Vec<&ResultDocument> = document
        .results_by_direction()
        .into_iter()
        .filter(|result| result.status != Status::NotReached)
        .collect();
    let highest = shown.iter().filter_map(|result| highest(result));
    let highest = highest.reduce(f64::max)?;
    let by_size = is_by_size(&shown);
    let inks = inks(&shown);
    let mut groups: Vec<Keyed> = Vec::new();
    for result in &shown {
        let name = if by_size {
            result.workload.blocks.smallest().to_string()
        } else {
            result.name.clone()
        };
        let ink = inks
            .iter()
            .find(|(label, _)| *label == result.direction_label())
            .map_or(Ink::MIX, |(_, ink)| *ink);
        put(&mut groups, name, bar(result, ink), result);
    }
    if by_size {
        groups.sort_by_key(|keyed| keyed.block);
    }
    let groups: Vec<Group> = groups.into_iter().map(|keyed| keyed.group).collect();
    let mut bars = groups.iter().flat_map(|group| &group.bars);
    let bars = Bars {
        axis: Axis::from_zero("MB/s", highest, 8),
        groups_label: if by_size { "Block size" } else { "Row" },
        has_intervals: bars.any(|bar| bar.interval.is_some()),
        groups,
        legend: inks,
    };
    let what = if by_size {
        "rate by block size"
    } else {
        "rate by row"
    };
    Some(PlotFigure {
        title: heading::title(document, what),
        subtitle: heading::subtitle(document, &shown),
        footer: heading::footer(document, &shown),
        body: Body::Bars(bars),
    })
}

/// A group with what it is sorted by.
struct Keyed {
    block: Bytes,
    group: Group,
}

/// Puts a bar beside those of the same name, unless one of the same ink is there: rows
/// of one name are still several.
fn put(groups: &mut Vec<Keyed>, name: String, bar: Bar, result: &ResultDocument) {
    let fits = |keyed: &&mut Keyed| {
        keyed.group.name == name && keyed.group.bars.iter().all(|other| other.ink != bar.ink)
    };
    match groups.iter_mut().find(fits) {
        Some(keyed) => keyed.group.bars.push(bar),
        None => groups.push(Keyed {
            block: result.workload.blocks.smallest(),
            group: Group {
                name,
                bars: vec![bar],
            },
        }),
    }
}

/// Whether rows differ in their block size and in nothing else but the direction.
fn is_by_size(shown: &[&ResultDocument]) -> bool {
    let key = |result: &&ResultDocument| {
        let workload = &result.workload;
        (workload.blocks.smallest(), result.direction_label())
    };
    let unique: BTreeSet<_> = shown.iter().map(key).collect();
    let sizes: BTreeSet<Bytes> = unique.iter().map(|(size, _)| *size).collect();
    unique.len() == shown.len() && sizes.len() >= SIZES_MIN
}

/// What each kind of row is drawn in, in order of appearance.
fn inks(shown: &[&ResultDocument]) -> Vec<(String, Ink)> {
    let mut inks: Vec<(String, Ink)> = Vec::new();
    for result in shown {
        let label = result.direction_label();
        if inks.iter().any(|(other, _)| *other == label) {
            continue;
        }
        let usual = ink_of(result.direction);
        let further = (4..Ink::COUNT).map(Ink::of_number);
        let mut candidates = std::iter::once(usual).chain(further);
        let is_unused = |ink: &Ink| inks.iter().all(|(_, other)| other != ink);
        let ink = candidates.find(is_unused).unwrap_or(usual);
        inks.push((label, ink));
    }
    inks
}

/// As far as a bar or its whisker reaches.
fn highest(result: &ResultDocument) -> Option<f64> {
    let figures = &result.bandwidth_bytes_per_s.as_ref()?.bytes_per_s;
    let end = figures
        .interval_95
        .map_or(figures.median, |interval| interval.high.max(figures.median));
    Some(end / BYTES_PER_MB)
}

fn bar(result: &ResultDocument, ink: Ink) -> Bar {
    let figures = result.bandwidth_bytes_per_s.as_ref();
    let figures = figures.map(|bandwidth| &bandwidth.bytes_per_s);
    let interval = figures.and_then(|figures| figures.interval_in(BYTES_PER_MB));
    let value = figures.map(|figures| figures.median / BYTES_PER_MB);
    let label = match value {
        Some(value) => rate_with(value, interval),
        None if result.status == Status::Failed => "failed".to_owned(),
        None => "not measured".to_owned(),
    };
    Bar {
        ink,
        value,
        interval,
        label,
        verdict: result.verdict,
    }
}
