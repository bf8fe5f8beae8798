//! Pure numbers: latency histograms, summaries of repeated trials with
//! intervals, streams of random numbers, random permutations and skewed choices.
//!
//! Nothing here knows what a disk is, reads a clock or does I/O.

#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, reason = "test values are small")
)]

mod distributions;
mod histogram;
mod permutation;
mod random;
mod round_window;
mod summary;

pub use distributions::{Normal, Pareto, Zipf};
pub use histogram::{Bucket, Histogram, RELATIVE_ERROR_MAX, samples_needed};
pub use permutation::Permutation;
pub use random::{Random, mix64};
pub use round_window::RoundWindow;
pub use summary::{
    Interval, Summary, first_deviation, median_interval, median_reach, trimmed_mean,
};
