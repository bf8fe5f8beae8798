//! The figures of a result: rates over trials, latencies over I/Os.

use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Bytes, Nanos, Percentile, Steadiness};
use sokudo_stats::{
    Histogram, INTERVAL_TRIALS_MIN, Interval, Summary, WeightedTrials, only_between,
    quantile_design_effects, quantile_interval, samples_needed, trimmed_mean,
};

use crate::number::{self, BYTES_PER_MB, float};

/// The confidence that every interval is asked for.
const CONFIDENCE: f64 = 0.95;
const BYTES_PER_MIB: f64 = 1_048_576.0;

/// A rate, summarised over the trials in which I/O completed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RateFigures {
    /// Middle value; the mean of the two middle ones for an even count. Trials of a sustained
    /// rate count as often as their length holds the median of the lengths.
    pub median: f64,
    /// Arithmetic mean of the trials' rates.
    pub mean: f64,
    /// Rate of the slowest trial.
    pub min: f64,
    /// Rate of the fastest trial.
    pub max: f64,
    /// Largest minus smallest value.
    pub range: f64,
    /// Sample standard deviation; null below two trials.
    pub stdev: Option<f64>,
    /// Interval of the median by order statistics; null below six trials, with
    /// which no 95 % can be reached. It is of this run: what changes between runs is in it
    /// only where the trials were spread over a time (`spread_over_ns` of the schedule).
    pub interval_95: Option<Interval>,
    /// Mean of the trials without as many of the smallest and of the largest as the
    /// schedule's `trim`; missing unless that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trimmed_mean: Option<f64>,
    /// The rate of each trial, in order of time.
    pub trials: Vec<f64>,
}

impl RateFigures {
    /// The figures of the given trials; `None` when there are none.
    pub fn of(trials: impl Into<WeightedTrials>) -> Option<Self> {
        let trials = trials.into();
        let summary = Summary::of(trials.values())?;
        Some(Self {
            median: trials.median()?,
            mean: summary.mean,
            min: summary.min,
            max: summary.max,
            range: summary.range,
            stdev: summary.stdev,
            interval_95: trials.interval(CONFIDENCE),
            trimmed_mean: None,
            trials: trials.values().to_vec(),
        })
    }

    /// The same with the mean of the trials without `trim` at each end; 0 asks for none.
    #[must_use]
    pub fn trimmed(mut self, trim: u32) -> Self {
        let trim = usize::try_from(trim).ok().filter(|trim| *trim > 0);
        self.trimmed_mean = trim.and_then(|trim| trimmed_mean(&self.trials, trim));
        self
    }

    /// How far the interval reaches from the median, in words; of two to five trials, which have
    /// none, the lowest to the highest. `None` of one trial or a median of 0. The figures are shown
    /// in this unit.
    pub fn spread(&self, unit: f64) -> Option<String> {
        if let Some(interval) = self.interval_in(unit) {
            return number::spread(self.median / unit, interval);
        }
        let are_few = self.trials.len() < INTERVAL_TRIALS_MIN && self.range > 0.0;
        are_few.then(|| number::rate_range(self.min / unit, self.max / unit))
    }

    /// The median in this unit with its spread.
    pub(crate) fn with_spread(&self, unit: f64) -> String {
        number::with_spread(self.median / unit, self.spread(unit))
    }

    /// How far the interval reaches from the median at its wider side, as a share of it; `None`
    /// without an interval or with a median of 0.
    pub fn reach(&self) -> Option<f64> {
        let interval = self.interval_95.filter(|_| self.median > 0.0)?;
        let reach = (self.median - interval.low).max(interval.high - self.median);
        Some(reach / self.median)
    }

    /// Between which rates it lies, where no more is known of it.
    pub fn only_between(&self) -> Option<[f64; 2]> {
        only_between(self.median, self.interval_95, &self.trials)
    }

    /// Low and high end of the interval in this unit.
    pub fn interval_in(&self, unit: f64) -> Option<[f64; 2]> {
        let interval = self.interval_95?;
        Some([interval.low / unit, interval.high / unit])
    }
}

/// Bytes per second; the median also in both units that people confuse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BandwidthFigures {
    /// Bytes per second, summarised over the trials.
    #[serde(flatten)]
    pub bytes_per_s: RateFigures,
    /// The median in MB/s: 1 MB is 1,000,000 bytes.
    pub median_mb_per_s: f64,
    /// The median in MiB/s: 1 MiB is 1,048,576 bytes.
    pub median_mib_per_s: f64,
}

impl BandwidthFigures {
    /// The figures of the given trials in bytes per second; `None` when there
    /// are none.
    pub fn of(trials: impl Into<WeightedTrials>) -> Option<Self> {
        RateFigures::of(trials).map(Self::of_rate)
    }

    /// The same figures with the median in both units.
    pub fn of_rate(bytes_per_s: RateFigures) -> Self {
        Self {
            median_mb_per_s: bytes_per_s.median / BYTES_PER_MB,
            median_mib_per_s: bytes_per_s.median / BYTES_PER_MIB,
            bytes_per_s,
        }
    }

    /// Whether it comes out the same again; `None` without an interval.
    pub fn steadiness(&self) -> Option<Steadiness> {
        self.bytes_per_s.reach().map(Steadiness::of_reach)
    }

    #[must_use]
    pub fn trimmed(mut self, trim: u32) -> Self {
        self.bytes_per_s = self.bytes_per_s.trimmed(trim);
        self
    }
}

/// Latencies of all trials together, nanoseconds. A percentile is null when
/// there are too few I/Os for it to mean something: below 5 for p50, 29 for p90, 59 for p95,
/// 299 for p99, 2,995 for p99.9, 29,956 for p99.99.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct LatencyFigures {
    /// Exact smallest value; null where another tool did not tell, as below.
    pub min: Option<u64>,
    /// Exact mean of the latencies.
    pub mean: f64,
    /// Sample standard deviation; null below two I/Os.
    pub stdev: Option<f64>,
    /// Percentiles of the latencies, within 0.8 %.
    #[serde(flatten)]
    pub percentiles: Percentiles<Option<u64>>,
    /// Exact largest value; null where another tool did not tell.
    pub max: Option<u64>,
    /// I/Os that were timed.
    pub count: Option<u64>,
    /// How many independent I/Os those are worth that were timed, because the latencies of
    /// neighbours resemble each other; null where that is not known.
    pub effective_count: Option<f64>,
    /// 95 % intervals of the percentiles by order statistics, `[low, high]`, from
    /// `effective_count`. One is null where the percentile is, and where too few I/Os lie above it
    /// for an upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intervals_95: Option<Percentiles<Option<[u64; 2]>>>,
}

/// What there is of each percentile, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PercentileIntervals")]
pub struct Percentiles<T> {
    /// Median, within 0.8 %, as the other percentiles.
    pub p50: T,
    /// 90th percentile: 90 % of the I/Os took no longer.
    pub p90: T,
    /// 95th percentile: 95 % of the I/Os took no longer.
    pub p95: T,
    /// 99th percentile: 99 % of the I/Os took no longer.
    pub p99: T,
    /// 99.9th percentile: 99.9 % of the I/Os took no longer.
    pub p99_9: T,
    /// 99.99th percentile: 99.99 % of the I/Os took no longer.
    pub p99_99: T,
}

impl<T: Copy> Percentiles<T> {
    pub fn of(value: impl FnMut(Percentile) -> T) -> Self {
        let [p50, p90, p95, p99, p99_9, p99_99] = Percentile::ALL.map(value);
        Self {
            p50,
            p90,
            p95,
            p99,
            p99_9,
            p99_99,
        }
    }

    pub const fn get(&self, percentile: Percentile) -> T {
        match percentile {
            Percentile::P50 => self.p50,
            Percentile::P90 => self.p90,
            Percentile::P95 => self.p95,
            Percentile::P99 => self.p99,
            Percentile::P99_9 => self.p99_9,
            Percentile::P99_99 => self.p99_99,
        }
    }
}

impl Deref for LatencyFigures {
    type Target = Percentiles<Option<u64>>;

    fn deref(&self) -> &Self::Target {
        &self.percentiles
    }
}

impl LatencyFigures {
    /// Only the mean is known.
    pub(crate) fn of_mean(mean: f64) -> Self {
        Self {
            mean,
            ..Self::default()
        }
    }

    /// The figures of a histogram; `None` when it is empty.
    pub fn of(histogram: &Histogram) -> Option<Self> {
        Some(Self {
            min: Some(histogram.min()?),
            mean: histogram.mean()?,
            stdev: histogram.stdev(),
            percentiles: Percentiles::of(|it| histogram.trusted_quantile(it.fraction())),
            max: Some(histogram.max()?),
            count: Some(histogram.count()),
            ..Self::default()
        })
    }

    /// The same with intervals of the percentiles. So many I/Os of the histogram are worth
    /// one independent of the others (the design effect, 1 or more) by their rates; by how the
    /// trials differ it may be more at a percentile. One that stands on fewer independent I/Os
    /// than it needs is not shown.
    pub(crate) fn with_intervals(
        mut self,
        histogram: &Histogram,
        design_effect: f64,
        trials: &[&Histogram],
    ) -> Self {
        let count = float(histogram.count());
        let fractions = Percentile::ALL.map(Percentile::fraction);
        let mut of_trials = quantile_design_effects(trials, fractions).into_iter();
        let effective = Percentiles::of(|_| {
            let of_trials = of_trials.next().flatten().unwrap_or(1.0);
            count / design_effect.max(of_trials).max(1.0)
        });
        let all = self.percentiles;
        self.percentiles = Percentiles::of(|it| {
            let needed = float(samples_needed(it.fraction()));
            all.get(it).filter(|_| effective.get(it) >= needed)
        });
        self.intervals_95 = Some(Percentiles::of(|it| {
            let _ = self.percentiles.get(it)?;
            quantile_interval(histogram, it.fraction(), effective.get(it))
        }));
        self.effective_count = Some(count / design_effect.max(1.0));
        self
    }
}

/// What was moved in a trial, by all operations of interest together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrialTotals {
    pub bytes: Bytes,
    pub ios: u64,
    pub elapsed: Nanos,
}

impl TrialTotals {
    /// Bytes per second; `None` when no I/O completed, because the elapsed time
    /// then has no end.
    pub(crate) fn bandwidth(self) -> Option<f64> {
        self.per_second(self.bytes.0)
    }

    /// I/Os per second; `None` as for the bandwidth.
    pub(crate) fn iops(self) -> Option<f64> {
        self.per_second(self.ios)
    }

    fn per_second(self, amount: u64) -> Option<f64> {
        (self.ios > 0)
            .then(|| per_second(amount, self.elapsed.0))
            .flatten()
    }
}

/// What was moved in a time, per second; `None` for no time.
fn per_second(amount: u64, elapsed_ns: u64) -> Option<f64> {
    (elapsed_ns > 0).then(|| float(amount) / Nanos(elapsed_ns).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mb_and_mib_are_told_apart() {
        let figures = BandwidthFigures::of(vec![104_857_600.0]).unwrap();
        assert_eq!(figures.median_mb_per_s, 104.8576);
        assert_eq!(figures.median_mib_per_s, 100.0);
    }

    #[test]
    fn below_six_trials_there_is_no_interval_and_the_spread_is_from_the_lowest_to_the_highest() {
        let five = RateFigures::of(vec![1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!(five.interval_95, None);
        assert_eq!(five.spread(1.0).as_deref(), Some("1.00–5.00"));
        assert_eq!(five.with_spread(1.0), "3.00 (1.00–5.00)");
        assert_eq!(RateFigures::of(vec![3.0; 5]).unwrap().spread(1.0), None);
        assert_eq!(RateFigures::of(vec![3.0]).unwrap().spread(1.0), None);
        let six = RateFigures::of(vec![90.0, 98.0, 100.0, 100.0, 101.0, 105.0]).unwrap();
        assert_eq!(six.spread(1.0).as_deref(), Some("± 10 %"));
        assert_eq!(RateFigures::of(vec![]), None);
        assert_eq!(RateFigures::of(vec![0.0; 6]).unwrap().spread(1.0), None);
    }

    #[test]
    fn a_trimmed_mean_is_there_only_when_asked_for_and_possible() {
        let of = |trim| {
            let trials = vec![1.0, 9.0, 2.0, 3.0];
            RateFigures::of(trials).unwrap().trimmed(trim).trimmed_mean
        };
        assert_eq!([of(0), of(1), of(2)], [None, Some(2.5), None]);
    }

    #[test]
    fn percentiles_appear_one_after_the_other_as_samples_grow() {
        let of = |count| {
            let mut histogram = Histogram::new();
            (0..count).for_each(|_| histogram.record(1_000));
            LatencyFigures::of(&histogram)
        };
        assert_eq!(of(0), None);
        let few = of(28).unwrap();
        assert_eq!((few.p50, few.p90, few.p99), (Some(1_000), None, None));
        let more = of(2_994).unwrap();
        assert_eq!(
            (more.p99, more.p99_9, more.p99_99),
            (Some(1_000), None, None)
        );
        assert_eq!(of(2_995).unwrap().p99_9, Some(1_000));
    }

    #[test]
    fn a_trial_without_a_completed_io_has_no_rate() {
        let moved = |ios, elapsed| TrialTotals {
            bytes: Bytes(ios * 4_096),
            ios,
            elapsed: Nanos(elapsed),
        };
        assert_eq!(moved(0, 1_000).bandwidth(), None);
        assert_eq!(moved(1, 0).iops(), None);
        assert_eq!(moved(2, 1_000_000_000).bandwidth(), Some(8_192.0));
    }
}
