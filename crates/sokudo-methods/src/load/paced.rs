//! A row at a fixed rate that is a part of the most, and how long its trials are.

use sokudo_model::{Nanos, Percentile, Rate, RateProcess, Workload};
use sokudo_stats::samples_needed;

/// No trial is made longer than this for the sake of its percentile.
pub(super) const TRIAL_TIME_MAX: Nanos = Nanos::from_secs(20);

/// I/Os more than a percentile needs, since arrivals by chance may be fewer.
const SAMPLES_RESERVE: f64 = 1.2;

/// What a row at a part of the most is called.
pub(super) fn at_share(row: &Workload, share: f64) -> String {
    format!("{} at {:.4} %", row.name, share * 100.0).replace(".0000 %", " %")
}

/// A row at a part of the most, which it does in a closed loop.
#[expect(clippy::cast_possible_truncation, reason = "whole bytes per second")]
pub(super) fn paced(row: &Workload, most: f64, share: f64, linear: bool) -> Workload {
    let mut step = row.clone();
    step.name = at_share(row, share);
    // In bytes a slow disk's rate is exact, where whole I/Os would be off by some percent.
    let bytes = most * share * step.blocks.largest().0 as f64 / f64::from(step.threads);
    step.pacing.rate = Some(Rate::BytesPerSecond((bytes.round() as u64).max(1)));
    if !linear {
        step.pacing.rates.process = RateProcess::Poisson;
    }
    step
}

/// I/Os of a trial that tell a percentile.
pub(super) fn samples_for(percentile: Percentile) -> f64 {
    samples_needed(percentile.fraction()) as f64 * SAMPLES_RESERVE
}

/// How long so many I/Os take at a rate per second.
#[expect(clippy::cast_possible_truncation, reason = "nanoseconds that saturate")]
pub(super) fn time_of(ios: f64, rate: f64) -> Nanos {
    Nanos((ios / rate * 1e9) as u64)
}
