//! What the figures of a run say about its device: small pure functions, each of which
//! sees the whole run and concludes nothing or one thing. They find the rows they need by
//! what their workloads do, never by name, so that they work on any run that holds such
//! rows; `sokudo explain` only makes sure that it does.
//!
//! No figure is changed, no verdict depends on any of this.

mod capacity;
mod drive_cache;
mod evidence;
mod fast_cells;
mod levels;
mod map;
mod parity;
mod rotation;
mod seek;
mod shingles;
mod threshold;
mod zones;

use sokudo_model::{Inference, Run};

/// A rule that may conclude one thing.
type InferenceRule = fn(&Run) -> Option<Inference>;

/// The rules, a list per theme, in the order in which conclusions are shown.
const RULES: [&[InferenceRule]; 9] = [
    zones::RULES,
    rotation::RULES,
    seek::RULES,
    drive_cache::RULES,
    shingles::RULES,
    map::RULES,
    fast_cells::RULES,
    parity::RULES,
    capacity::RULES,
];

/// What the run's figures are consistent with.
pub(crate) fn explain(run: &Run) -> Vec<Inference> {
    let rules = RULES.iter().copied().flatten();
    rules.filter_map(|rule| rule(run)).collect()
}
