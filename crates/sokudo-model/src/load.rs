//! Load at a fixed rate: whether it was kept, and which latency it had.
//!
//! What the campaign asks while it looks for a rate, and documents print afterwards, is
//! answered here once. It judges no row.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_stats::{Histogram, Summary, median_interval};

use crate::plan::{Operation, RateProcess, Workload};
use crate::trial::{Outcome, StopReason, Trial};
use crate::units::{Nanos, ParseSizeError};

/// Of the I/Os that a fixed rate meant to start, so many that were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateKept {
    /// I/Os that should have been started in all trials.
    pub due: f64,
    /// I/Os that were started and completed in those trials.
    pub started: f64,
    /// How far the number of arrivals may differ from the mean one by chance.
    slack: f64,
}

impl RateKept {
    /// The share of the due I/Os below which a rate was not kept.
    pub const SHARE_MIN: f64 = 0.99;
    /// Standard deviations that arrivals by chance may be short of their mean.
    pub const DEVIATIONS_MAX: f64 = 3.0;

    /// Of trials that ended by their time; `None` without a rate of all operations, or
    /// where no trial did.
    pub fn of(workload: &Workload, trials: &[Trial]) -> Option<Self> {
        // Only of blocks of one size a rate of bytes is one of I/Os.
        let block = workload.blocks.single()?;
        let of_thread = workload.pacing.rate?.ios_per_second(block);
        let time = workload.limits.time?.as_secs_f64();
        let full = |trial: &&Trial| trial.outcome.stopped == StopReason::Time;
        let trials: Vec<&Trial> = trials.iter().filter(full).collect();
        if trials.is_empty() {
            return None;
        }
        let due = of_thread * f64::from(workload.threads) * time * trials.len() as f64;
        let by_chance = workload.pacing.rates.process == RateProcess::Poisson;
        Some(Self {
            due,
            started: trials.iter().map(|trial| trial.outcome.ios() as f64).sum(),
            slack: if by_chance {
                Self::DEVIATIONS_MAX * due.sqrt()
            } else {
                // Each thread may still hold the one that falls due at the end.
                f64::from(workload.threads) * trials.len() as f64
            },
        })
    }

    /// What was started ÷ what was due.
    pub fn share(self) -> f64 {
        self.started / self.due
    }

    /// Whether the rate was kept, as far as chance lets that be seen.
    pub fn is_kept(self) -> bool {
        self.started + self.slack >= Self::SHARE_MIN * self.due
    }
}

impl Outcome {
    /// Latencies of reads and writes from their intended start; `None` unless at a fixed
    /// rate, or where none was completed.
    pub fn from_intended(&self) -> Option<Histogram> {
        let tallies = self.operations.iter();
        let data = tallies.filter(|tally| tally.operation != Operation::Flush);
        Histogram::of_all(data.filter_map(|tally| tally.latency_from_intended.as_ref()))
    }
}

named! {
    /// A share of I/Os that are done within a latency.
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
    )]
    pub enum Percentile {
        /// Half of the I/Os are done within it.
        P50 = "p50",
        /// 90 of 100 I/Os are done within it.
        P90 = "p90",
        /// 95 of 100 I/Os are done within it.
        P95 = "p95",
        /// 99 of 100 I/Os are done within it.
        P99 = "p99",
        /// 999 of 1,000 I/Os are done within it.
        P99_9 = "p99.9",
        /// 9,999 of 10,000 I/Os are done within it.
        P99_99 = "p99.99",
    }
}

impl Percentile {
    /// Every one, from low to high.
    pub const ALL: [Self; 6] = [
        Self::P50,
        Self::P90,
        Self::P95,
        Self::P99,
        Self::P99_9,
        Self::P99_99,
    ];

    /// As a share of 1.
    pub const fn fraction(self) -> f64 {
        match self {
            Self::P50 => 0.5,
            Self::P90 => 0.9,
            Self::P95 => 0.95,
            Self::P99 => 0.99,
            Self::P99_9 => 0.999,
            Self::P99_99 => 0.9999,
        }
    }
}

/// A latency from the intended start that a percentile of the I/Os must not exceed, such
/// as `p99=5ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyLimit {
    /// Of which I/Os, such as `p99`.
    pub percentile: Percentile,
    /// The longest latency from the intended start that is allowed.
    #[serde(rename = "latency_ns")]
    pub latency: Nanos,
}

/// How a row stands to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// All of the interval of its trials' median is within.
    Within,
    /// The median is within, the interval is not, or there are too few trials for one.
    LikelyWithin,
    /// The median is beyond, the interval not all.
    LikelyBeyond,
    /// All of the interval is beyond, or the rate was not kept.
    Beyond,
}

impl Standing {
    /// Whether the median is within the limit.
    pub const fn is_within(self) -> bool {
        matches!(self, Self::Within | Self::LikelyWithin)
    }
}

impl LatencyLimit {
    /// Confidence of the interval that is looked at.
    const CONFIDENCE: f64 = 0.95;

    /// How a row with these trials stands to it: by the median of the trials' percentiles
    /// and its 95 % interval. `None` where a trial has too few I/Os for the percentile.
    pub fn standing(self, workload: &Workload, trials: &[Trial]) -> Option<Standing> {
        if RateKept::of(workload, trials).is_some_and(|rate| !rate.is_kept()) {
            return Some(Standing::Beyond);
        }
        let percentiles: Option<Vec<f64>> = trials
            .iter()
            .map(|trial| self.percentile_of(&trial.outcome))
            .collect();
        let percentiles = percentiles.filter(|percentiles| !percentiles.is_empty())?;
        let limit = self.latency.0 as f64;
        let median = Summary::of(&percentiles)?.median;
        let interval = median_interval(&percentiles, Self::CONFIDENCE);
        Some(match (median <= limit, interval) {
            (true, Some(interval)) if interval.high <= limit => Standing::Within,
            (true, _) => Standing::LikelyWithin,
            (false, Some(interval)) if interval.low > limit => Standing::Beyond,
            (false, _) => Standing::LikelyBeyond,
        })
    }

    fn percentile_of(self, outcome: &Outcome) -> Option<f64> {
        let histogram = outcome.from_intended()?;
        let value = histogram.trusted_quantile(self.percentile.fraction())?;
        Some(value as f64)
    }
}

/// Parses a limit such as `p99=5ms` or `p99<5ms`.
impl FromStr for LatencyLimit {
    type Err = ParseSizeError;

    fn from_str(text: &str) -> Result<Self, ParseSizeError> {
        let wrong = || ParseSizeError::new(text, "a limit such as p99=5ms or p99.9=20ms");
        let (name, latency) = text.split_once(['=', '<']).ok_or_else(wrong)?;
        let name = name.trim().to_ascii_lowercase();
        let percentile = Percentile::ALL
            .into_iter()
            .find(|percentile| percentile.name() == name);
        let latency: Nanos = latency.trim().parse().map_err(|_| wrong())?;
        let has_unit = text.trim_end().ends_with(|sign: char| sign.is_alphabetic());
        Ok(Self {
            percentile: percentile.ok_or_else(wrong)?,
            latency: Some(latency)
                .filter(|latency| has_unit && latency.0 > 0)
                .ok_or_else(wrong)?,
        })
    }
}

impl fmt::Display for LatencyLimit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ≤ {}", self.percentile.name(), self.latency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{BackendKind, Rate};
    use crate::trial::OperationTally;
    use crate::units::Bytes;

    /// A row at 1,000 I/Os per second with a trial of one second per latency.
    fn row(latencies_us: &[u64], ios: u64) -> (Workload, Vec<Trial>) {
        let mut workload = Workload::new("w", Bytes::kib(4));
        workload.pacing.rate = Some(Rate::Iops(1_000));
        workload.limits.time = Some(Nanos::from_secs(1));
        let trial = |latency: &u64| {
            let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Time);
            let mut tally = OperationTally::new(Operation::Read);
            let mut histogram = Histogram::new();
            (0..ios).for_each(|_| histogram.record(latency * 1_000));
            (tally.ios, tally.latency_from_intended) = (ios, Some(histogram));
            outcome.operations.push(tally);
            Trial::new(outcome)
        };
        (workload, latencies_us.iter().map(trial).collect())
    }

    #[test]
    fn a_rate_is_kept_when_the_due_ios_were_started() {
        let kept = |ios| {
            let (workload, trials) = row(&[100; 6], ios);
            RateKept::of(&workload, &trials).unwrap()
        };
        assert!(kept(1_000).is_kept());
        assert!(kept(990).is_kept());
        assert!(!kept(980).is_kept());
        assert!((kept(500).share() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn arrivals_by_chance_may_be_short_by_chance() {
        let (mut workload, trials) = row(&[100; 6], 970);
        assert!(!RateKept::of(&workload, &trials).unwrap().is_kept());
        // 6,000 arrivals deviate by 77; three times that is 232.
        workload.pacing.rates.process = RateProcess::Poisson;
        assert!(RateKept::of(&workload, &trials).unwrap().is_kept());
        let (mut workload, trials) = row(&[100; 6], 940);
        workload.pacing.rates.process = RateProcess::Poisson;
        assert!(!RateKept::of(&workload, &trials).unwrap().is_kept());
    }

    #[test]
    fn without_a_rate_or_a_full_trial_nothing_is_said() {
        let (mut workload, mut trials) = row(&[100; 2], 1_000);
        for trial in &mut trials {
            trial.outcome.stopped = StopReason::Cancelled;
        }
        assert_eq!(RateKept::of(&workload, &trials), None);
        workload.pacing.rate = None;
        assert_eq!(RateKept::of(&workload, &row(&[1], 1_000).1), None);
    }

    #[test]
    fn a_row_is_within_a_limit_as_surely_as_its_trials_are() {
        let limit: LatencyLimit = "p99=5ms".parse().unwrap();
        let standing = |latencies: &[u64]| {
            let (workload, trials) = row(latencies, 1_000);
            limit.standing(&workload, &trials)
        };
        assert_eq!(standing(&[4_000; 6]), Some(Standing::Within));
        assert_eq!(standing(&[4_000; 5]), Some(Standing::LikelyWithin));
        let mixed = [4_000, 4_000, 4_000, 4_000, 6_000, 6_000];
        assert_eq!(standing(&mixed), Some(Standing::LikelyWithin));
        let mixed = [4_000, 4_000, 6_000, 6_000, 6_000, 6_000];
        assert_eq!(standing(&mixed), Some(Standing::LikelyBeyond));
        assert_eq!(standing(&[6_000; 6]), Some(Standing::Beyond));
        let (workload, trials) = row(&[100; 6], 500);
        assert_eq!(limit.standing(&workload, &trials), Some(Standing::Beyond));
        let (mut workload, trials) = row(&[100; 6], 200);
        workload.pacing.rate = Some(Rate::Iops(200));
        assert_eq!(limit.standing(&workload, &trials), None, "too few for p99");
    }

    #[test]
    fn limits_are_read_and_told() {
        let limit: LatencyLimit = "P99.9 = 20ms".parse().unwrap();
        assert_eq!(limit.to_string(), "p99.9 ≤ 20.0 ms");
        for text in ["", "p99", "p98=1ms", "p99=0ms", "p99=5", "5ms", "p99=x"] {
            assert!(text.parse::<LatencyLimit>().is_err(), "{text}");
        }
    }
}
