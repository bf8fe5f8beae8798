//! What the figures of a run say about its device: small pure functions, each of which
//! sees the whole run and concludes nothing or one thing. They find the rows they need by
//! what their workloads do, never by name, so that they work on any run that holds such
//! rows; `sokudo explain` only makes sure that it does.
//!
//! No figure is changed, no verdict depends on any of this.

mod capacity;
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

use sokudo_model::{Inference, MethodTrait, Run};

use crate::code::Code;
use crate::rule::{InferenceRule, of_methods};

/// The rules, a list per theme, in the order in which conclusions are shown.
const RULES: [&[InferenceRule]; 10] = [
    zones::RULES,
    rotation::RULES,
    seek::RULES,
    drive_cache::RULES,
    shingles::RULES,
    map::RULES,
    fast_cells::RULES,
    parity::RULES,
    capacity::RULES,
    untold::RULES,
];

/// Whether a finding of this run is what was looked for: a probe reads a small part again
/// and again to meet a cache, and writes until the speed falls. What that shows is a
/// conclusion; as doubt about a figure that nobody asked for it would only be noise. A fill
/// tells levels of the rate itself, and reads beside its writes.
pub(crate) fn is_looked_for(run: &Run, code: Code) -> bool {
    let meets_caches = matches!(
        code,
        Code::DatasetInCache
            | Code::SmallCoverage
            | Code::FlushTooFast
            | Code::TesterLimited
            | Code::DepthNotReached
    );
    let is_shown_as_levels = code == Code::DepthNotReached || code.is_about_steadiness();
    let method = &run.plan.method;
    method.is(MethodTrait::Probes) && (meets_caches || code.is_about_steadiness())
        || method.is(MethodTrait::WritesThrough) && is_shown_as_levels
}

/// Whether the rows are probes, whose figures nobody asked for.
pub(crate) fn is_of_probes(run: &Run) -> bool {
    run.plan.method.is(MethodTrait::Probes)
}

/// What the run's figures are consistent with.
pub fn explain(run: &Run) -> Vec<Inference> {
    let rules = RULES.iter().copied().flatten();
    let rules = rules.chain(of_methods().flat_map(|rules| rules.inferences));
    rules.filter_map(|rule| rule(run)).collect()
}
