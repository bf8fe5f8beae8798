//! Pure numbers: latency histograms, summaries of repeated trials with
//! intervals, comparisons of two samples, streams of random numbers, random permutations and
//! skewed choices.
//!
//! Nothing here knows what a disk is, reads a clock or does I/O.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::cast_possible_truncation))]

mod autocorrelation;
mod batch_means;
mod blocks;
mod change_points;
mod comparison;
mod distributions;
mod drift;
mod histogram;
mod levels;
mod looks;
mod moments;
#[cfg(test)]
mod noise;
mod permutation;
mod quantile_interval;
mod random;
mod robust;
mod round_window;
mod slower;
mod student;
mod summary;
mod warm_up;

pub use autocorrelation::Autocorrelation;
pub use batch_means::batch_means_interval;
pub use blocks::{BlockFit, BlockValue, Contrast};
pub use change_points::{SEGMENT_MIN, change_points};
pub use comparison::{
    CORRELATION_ASSUMED, CORRELATION_TRIALS, PAST_RUNS_MIN, PastRuns, PastTest, RankTest, Shift,
    cliffs_delta, holm, mann_whitney, mann_whitney_p_min, paired_shift, shift, signed_rank,
    signed_rank_p_min, widening,
};
pub use distributions::{Normal, Pareto, Zipf};
pub use drift::{Groups, LevelShift, Trend, groups, step, trend};
pub use histogram::{Bucket, Histogram, HistogramWriter, RELATIVE_ERROR_MAX, samples_needed};
pub use levels::{LevelRule, levels_of_variance};
pub use looks::{INTERVAL_TRIALS_MIN, is_futile, is_look};
pub use permutation::Permutation;
pub use quantile_interval::{quantile_design_effects, quantile_interval, quantile_low};
pub use random::{Random, mix64};
pub use robust::{median, quantile, without_outliers};
pub use round_window::RoundWindow;
pub use slower::slower_stretches;
pub use student::{student_t, student_tail};
pub use summary::{
    Interval, Summary, WeightedTrials, first_deviation, median_interval, only_between, trimmed_mean,
};
pub use warm_up::WarmUp;
