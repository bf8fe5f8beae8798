//! What the figures of a run say about its device: small pure functions, each of which
//! sees the whole run and concludes nothing or one thing. They find the rows they need by
//! what their workloads do, never by name, so that they work on any run that holds such
//! rows; `sokudo explain` only makes sure that it does.
//!
//! No figure is changed, no verdict depends on any of this.

pub(crate) mod capacity;
mod drive_cache;
pub mod evidence;
pub mod fast_cells;
mod map;
mod parity;
mod rotation;
mod seek;
mod shingles;
mod threshold;
mod untold;
mod zones;

pub(crate) use rotation::grouped;
#[cfg(any(test, feature = "testing"))]
pub use threshold::stated as stated_thresholds;
pub use untold::untold;

use sokudo_model::{Inference, Run};

use crate::rule::{InferenceRule, of_methods};

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
pub fn explain(run: &Run) -> Vec<Inference> {
    let rules = RULES.iter().copied().flatten();
    let rules = rules.chain(of_methods().flat_map(|rules| rules.inferences));
    rules.filter_map(|rule| rule(run)).collect()
}
