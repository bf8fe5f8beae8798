//! What the inside of a trial tells about its figures: where it became what it stayed, how
//! far its neighbouring intervals resemble each other, and so how much its I/Os are worth.

use crate::number::float;
use sokudo_model::{IntervalRates, Nanos, Outcome};
use sokudo_stats::{
    Autocorrelation, Histogram, Interval, RELATIVE_ERROR_MAX, Summary, WarmUp, batch_means_interval,
};

const CONFIDENCE: f64 = 0.95;

/// Fewer intervals tell nothing about how much I/Os resemble each other.
const INTERVALS_MIN: usize = 20;

/// Statistics of the intervals of one trial; what cannot be told from so few is `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Inside {
    pub(super) warm_up: Option<Nanos>,
    pub(super) autocorrelation: Option<Autocorrelation>,
    /// Of the rate, by batch means.
    pub(super) interval: Option<Interval>,
    /// How many of the trial's I/Os are worth an independent one, for their latencies.
    pub(super) design_effect: Option<f64>,
}

impl Inside {
    /// Of a trial whose last I/O was to be issued at `time`.
    pub(super) fn of(outcome: &Outcome, time: Option<Nanos>) -> Self {
        let intervals = IntervalRates::of(outcome, time).joined(outcome.ios());
        let rates = &intervals.per_second;
        let autocorrelation = Autocorrelation::of(rates);
        Self {
            warm_up: WarmUp::of(rates)
                .map(|warm_up| Nanos(warm_up.values as u64 * intervals.length.0)),
            interval: batch_means_interval(rates, CONFIDENCE),
            design_effect: design_effect(&intervals, autocorrelation, outcome),
            autocorrelation,
        }
    }
}

/// How many I/Os are worth an independent one (Kish's design effect).
///
/// With a queue that is kept full, completions are renewals: were latencies independent with
/// mean μ and deviation σ, the number of completions in a time would vary by (σ ÷ μ)² times
/// that number (Cox 1962). What it varies more, in the long run, is their resemblance. Where
/// latencies are alike to the width of a bucket, there is none to be seen.
fn design_effect(
    intervals: &IntervalRates,
    autocorrelation: Option<Autocorrelation>,
    outcome: &Outcome,
) -> Option<f64> {
    let rates = &intervals.per_second;
    if rates.len() < INTERVALS_MIN {
        return None;
    }
    let mut latency = Histogram::new();
    for tally in &outcome.operations {
        latency.merge(&tally.latency);
    }
    let variation = latency.stdev()? / latency.mean()?;
    if variation < RELATIVE_ERROR_MAX {
        return Some(1.0);
    }
    let summary = Summary::of(rates)?;
    let spread = summary.stdev? / summary.mean;
    let share = float(intervals.length.0) / float(outcome.elapsed.0);
    let ios_per_interval = float(outcome.ios()) * share;
    let time = autocorrelation.map_or(1.0, |found| found.time);
    let effect = (spread / variation).powi(2) * time * ios_per_interval;
    effect.is_finite().then_some(effect.max(1.0))
}
