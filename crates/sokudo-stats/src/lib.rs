//! Pure numbers: latency histograms, summaries of repeated trials with
//! intervals, comparisons of two samples, streams of random numbers, random permutations and
//! skewed choices.
//!
//! Nothing here knows what a disk is, reads a clock or does I/O.

#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, reason = "test values are small")
)]

mod comparison;
mod distributions;
mod drift;
mod histogram;
mod permutation;
mod random;
mod summary;

pub use comparison::{
    CORRELATION_ASSUMED, CORRELATION_TRIALS, RankTest, Shift, cliffs_delta, holm, mann_whitney,
    mann_whitney_p_min, paired_shift, shift, signed_rank, signed_rank_p_min, widening,
};
pub use distributions::{Normal, Pareto, Zipf};
pub use drift::{Groups, Step, Trend, groups, step, trend};
pub use histogram::{Bucket, Histogram, RELATIVE_ERROR_MAX, samples_needed};
pub use permutation::Permutation;
pub use random::{Random, mix64};
pub use summary::{
    Interval, Summary, first_deviation, median_interval, median_reach, trimmed_mean,
};
