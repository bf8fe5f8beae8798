//! Rates as bars: rows beside each other, or block sizes from small to large as ATTO
//! shows them.

use std::collections::BTreeSet;

use sokudo_model::{Bytes, Steadiness, Verdict};
use sokudo_words::{spoken, text};

use super::curve::ink_of;
use super::figure::{Bar, Bars, Body, Group, Ink, PlotFigure};
use super::heading;
use crate::document::{ResultDocument, RunDocument, Status};
use crate::number::BYTES_PER_MB;
use crate::wording;

/// Fewer block sizes are rows like any others.
const SIZES_MIN: usize = 3;

/// `None` when no row has a bandwidth.
pub fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let mut shown = document.results_by_direction();
    shown.retain(|result| result.status != Status::NotReached);
    let inks = inks(&shown);
    let by_size = is_by_size(&shown);
    let (groups_label, what) = match by_size {
        true => ("Block size", text!("rate by block size")),
        false => ("Row", text!("rate by row")),
    };
    if by_size {
        shown.sort_by_key(|result| result.workload.blocks.smallest());
    }
    let mut groups: Vec<Group> = Vec::new();
    for result in &shown {
        let name = match by_size {
            true => result.workload.blocks.smallest().to_string(),
            false => wording::row_alone(&result.name).to_string(),
        };
        let label = result.direction_label();
        let ink = inks.iter().find(|(other, _)| *other == label);
        let ink = ink.map_or(Ink::MIX, |(_, ink)| *ink);
        Group::put(&mut groups, name, bar(result, ink));
    }
    let inks = inks.into_iter();
    let legend = inks.map(|(name, ink)| (wording::phrase(&name).to_string(), ink));
    let groups_label = spoken().word(groups_label);
    let bars = Bars::new("MB/s", groups_label, groups, legend.collect())?;
    // Sizes from small to large are looked at as a shape.
    let bars = match by_size {
        true => bars,
        false => bars.by_ratios(),
    };
    Some(heading::picture(document, &what, &shown, Body::Bars(bars)))
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
        if inks.iter().all(|(other, _)| *other != label) {
            let used: Vec<Ink> = inks.iter().map(|(_, ink)| *ink).collect();
            inks.push((label, ink_of(result.direction).unless_used(&used, 4)));
        }
    }
    inks
}

/// The median of a row with its interval, in MB/s.
pub fn bar(result: &ResultDocument, ink: Ink) -> Bar {
    let figures = result.bandwidth_bytes_per_s.as_ref();
    let figures = figures.map(|bandwidth| &bandwidth.bytes_per_s);
    let interval = figures.and_then(|figures| figures.interval_in(BYTES_PER_MB));
    let value = figures.map(|figures| figures.median / BYTES_PER_MB);
    let label = match figures {
        Some(figures) => figures.with_spread(BYTES_PER_MB),
        None if result.status == Status::Failed => text!("failed").into(),
        None => text!("not measured").into(),
    };
    let unsteady = result.steadiness == Some(Steadiness::Unsteady);
    let word = unsteady.then(|| spoken().word(Steadiness::Unsteady.name()));
    Bar {
        ink,
        value,
        interval,
        label: word.map_or(label.clone(), |word| format!("{label} {word}")),
        // The sign of what is proven would say that the figure stands.
        verdict: result
            .verdict
            .filter(|it| !unsteady || *it != Verdict::Verified),
    }
}
