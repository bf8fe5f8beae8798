//! The rate of a trial, interval by interval.
//!
//! It says what was moved when, and nothing about what that means.

use crate::narrow::narrow;
use crate::trial::{Outcome, SeriesPoint};
use crate::units::{Bytes, Nanos};

/// Rates left by [`IntervalRates::joined`] at most: some of what is found out about them
/// takes time that grows with the square of their number.
const RATES_MAX: usize = 200;

/// The rates of a trial's intervals, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntervalRates {
    /// Length of each interval.
    pub length: Nanos,
    /// Bytes per second, or I/Os where no bytes are moved.
    pub per_second: Vec<f64>,
}

impl IntervalRates {
    /// Of an outcome whose last I/O was to be issued at `time`. Intervals that end later are
    /// left out, and so is the last one if it was cut short: while a queue drains, a disk is
    /// not what it was. None for surveys and for what is read back afterwards, which have no
    /// one rate.
    pub fn of(outcome: &Outcome, time: Option<Nanos>) -> Self {
        if !outcome.samples.is_empty() || outcome.verified.is_some() {
            return Self::default();
        }
        Self::of_series(&outcome.series, time, outcome.bytes_moved() > Bytes(0))
    }

    /// The same of a series alone, which moves bytes or I/Os.
    pub fn of_series(series: &[SeriesPoint], time: Option<Nanos>, moves_bytes: bool) -> Self {
        let length = series.first().map_or(Nanos(0), |point| point.at);
        let is_whole = |(number, point): &(u64, &SeriesPoint)| {
            point.at.0 == number.saturating_mul(length.0)
                && time.is_none_or(|time| point.at <= time)
        };
        let rate = |(_, point): (u64, &SeriesPoint)| {
            let amount = if moves_bytes {
                point.bytes.0
            } else {
                point.ios
            };
            amount as f64 / length.as_secs_f64()
        };
        let whole = (1..).zip(series).take_while(is_whole);
        Self {
            per_second: whole.map(rate).collect(),
            length,
        }
    }

    /// At most 200 of them, and no more than there were I/Os, for where most intervals are
    /// empty the first I/O alone makes a slow beginning. Above, neighbours are joined, and
    /// what is left over at the end is left out.
    #[must_use]
    pub fn joined(self, ios: u64) -> Self {
        let most = RATES_MAX
            .min(usize::try_from(ios).unwrap_or(RATES_MAX))
            .max(1);
        let count = self.per_second.len().div_ceil(most);
        self.joined_by(count)
    }

    /// Neighbours are joined as far as they are together no longer than `length`.
    #[must_use]
    pub fn joined_to(self, length: Nanos) -> Self {
        let count = length.0.checked_div(self.length.0).unwrap_or(1);
        self.joined_by(narrow(count))
    }

    fn joined_by(self, count: usize) -> Self {
        let count = count.max(1);
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / count as f64;
        Self {
            length: Nanos(self.length.0.saturating_mul(count as u64)),
            per_second: self.per_second.chunks_exact(count).map(mean).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{BackendKind, Operation};
    use crate::trial::{OperationTally, StopReason};

    fn outcome(ends: &[u64], bytes: u64) -> Outcome {
        let mut outcome = Outcome::new(BackendKind::Psync, StopReason::Time);
        outcome.operations.push(OperationTally {
            bytes: Bytes(bytes * ends.len() as u64),
            ..OperationTally::new(Operation::Read)
        });
        let point = |at: &u64| SeriesPoint {
            at: Nanos::from_millis(*at),
            bytes: Bytes(bytes),
            ios: 3,
        };
        outcome.series = ends.iter().map(point).collect();
        outcome
    }

    #[test]
    fn only_whole_intervals_within_the_time_have_a_rate() {
        let rates = |time| IntervalRates::of(&outcome(&[10, 20, 30, 37], 1_000), time);
        assert_eq!(rates(None).per_second, [1e5; 3]);
        assert_eq!(rates(None).length, Nanos::from_millis(10));
        assert_eq!(rates(Some(Nanos::from_millis(25))).per_second, [1e5; 2]);
    }

    #[test]
    fn many_intervals_are_joined_and_keep_their_rate() {
        let ends: Vec<u64> = (1..=1_000).map(|number| number * 10).collect();
        let rates = IntervalRates::of(&outcome(&ends, 1_000), None);
        assert_eq!(rates.per_second, [1e5; 1_000]);
        let joined = rates.clone().joined(3_000);
        assert_eq!(joined.per_second, [1e5; 200]);
        assert_eq!(joined.length, Nanos::from_millis(50));
        let joined = rates.joined(40);
        assert_eq!(joined.per_second, [1e5; 40]);
        assert_eq!(joined.length, Nanos::from_millis(250));
    }

    #[test]
    fn what_moves_no_bytes_counts_its_operations() {
        let rates = IntervalRates::of(&outcome(&[100, 200], 0), None);
        assert_eq!(rates.per_second, [30.0; 2]);
        let none = IntervalRates::of(&outcome(&[], 0), None);
        assert!(none.per_second.is_empty());
    }
}
