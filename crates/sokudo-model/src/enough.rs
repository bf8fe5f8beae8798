//! When a row has been measured precisely enough, or for long enough.
//!
//! One rule for whoever repeats trials, judges them or tells of them. It does not measure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_stats::{INTERVAL_TRIALS_MIN, is_futile, is_look};

use crate::json::is_default;
use crate::trial::{Outcome, Trial, weighed};
use crate::units::Nanos;

/// When a row needs no more trials. Its names in JSON are those of a schedule, which it is
/// a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Enough {
    /// How far the 95 % interval of the bandwidths' median may reach from it, at its
    /// wider side, in thousandths of the median.
    #[serde(rename = "enough_half_width_permille")]
    pub half_width_permille: u32,
    /// Trials that are made in any case.
    #[serde(rename = "enough_trials_min", default)]
    pub trials_min: u32,
    /// Measured time of all trials together that a row has in any case.
    #[serde(
        rename = "enough_time_min_ns",
        default,
        skip_serializing_if = "is_default"
    )]
    pub time_min: Nanos,
    /// Measured time from which on no trial is begun, however far the interval reaches,
    /// once there are the fewest trials; missing without a limit.
    #[serde(
        rename = "enough_time_max_ns",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub time_max: Option<Nanos>,
}

impl Enough {
    /// Confidence of the interval that is looked at.
    pub const CONFIDENCE: f64 = 0.95;
    /// The fewest trials with which there is an interval.
    #[expect(clippy::cast_possible_truncation, reason = "it is 6")]
    pub const TRIALS_MIN: u32 = INTERVAL_TRIALS_MIN as u32;

    /// Until the interval reaches no further than so many thousandths of the median, in
    /// any time.
    pub const fn within(half_width_permille: u32) -> Self {
        Self {
            trials_min: Self::TRIALS_MIN,
            time_min: Nanos(0),
            time_max: None,
            half_width_permille,
        }
    }

    /// Whether no more trials are to be made after these.
    pub fn ends(self, trials: &[Trial]) -> bool {
        self.is_reached(trials) || self.is_spent(trials) || self.is_futile(trials)
    }

    /// Whether these trials are precise enough, at a moment at which that is looked at
    /// ([`is_look`]).
    pub fn is_reached(self, trials: &[Trial]) -> bool {
        self.has_trials(trials)
            && is_look(trials.len())
            && measured(trials) >= self.time_min
            && self.is_precise(trials)
    }

    /// Whether the time for these trials is over.
    pub fn is_spent(self, trials: &[Trial]) -> bool {
        self.has_trials(trials) && self.time_max.is_some_and(|max| measured(trials) >= max)
    }

    /// Whether all the time that is left would not bring it near what it may reach, at a moment
    /// at which that is looked at; no limit of time, no such moment.
    pub fn is_futile(self, trials: &[Trial]) -> bool {
        let part = |max: Nanos| measured(trials).as_secs_f64() / max.as_secs_f64().max(1e-9);
        let limits = self.time_max.map(part).zip(Self::reach(trials));
        let is_futile = |(part, reach)| is_futile(reach, self.half_width(), part);
        self.has_trials(trials) && is_look(trials.len()) && limits.is_some_and(is_futile)
    }

    /// Whether their interval reaches no further than it may.
    pub fn is_precise(self, trials: &[Trial]) -> bool {
        Self::reach(trials).is_some_and(|reach| reach <= self.half_width())
    }

    /// How far an interval may reach, as a share.
    pub fn half_width(self) -> f64 {
        f64::from(self.half_width_permille) / 1e3
    }

    /// How far the 95 % interval reaches from the median of these trials' bandwidths,
    /// as a share of it; `None` where there are too few of them.
    pub fn reach(trials: &[Trial]) -> Option<f64> {
        weighed(trials, Outcome::bytes_per_second).reach(Self::CONFIDENCE)
    }

    fn has_trials(self, trials: &[Trial]) -> bool {
        u32::try_from(trials.len()).is_ok_and(|made| made >= self.trials_min)
    }
}

/// Measured time of all trials together.
fn measured(trials: &[Trial]) -> Nanos {
    let times = trials.iter().map(|trial| trial.outcome.elapsed.0);
    Nanos(times.fold(0, u64::saturating_add))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{BackendKind, Operation};
    use crate::trial::{OperationTally, StopReason, TrialEvidence};
    use crate::units::Bytes;

    /// Trials of one second that move so many bytes.
    fn trials(bytes: &[u64]) -> Vec<Trial> {
        let trial = |bytes: &u64| {
            let mut outcome = Outcome::new(BackendKind::Psync, StopReason::Time);
            outcome.elapsed = Nanos::from_secs(1);
            outcome.operations.push(OperationTally {
                bytes: Bytes(*bytes),
                ios: 1,
                ..OperationTally::new(Operation::Read)
            });
            let evidence = TrialEvidence::default();
            Trial {
                outcome,
                evidence,
                together: None,
            }
        };
        bytes.iter().map(trial).collect()
    }

    #[test]
    fn six_trials_that_agree_are_enough_and_five_are_not() {
        let enough = Enough::within(20);
        assert!(!enough.ends(&trials(&[1_000; 5])));
        assert!(enough.ends(&trials(&[1_000; 6])));
        assert!(!enough.ends(&trials(&[1_000, 900, 1_000, 1_100, 1_000, 1_000])));
    }

    #[test]
    fn between_two_looks_nothing_ends_but_what_is_there_is_precise_all_the_same() {
        let enough = Enough::within(20);
        let seven = trials(&[1_000; 7]);
        assert!(!enough.ends(&seven) && enough.is_precise(&seven));
        assert!(enough.ends(&trials(&[1_000; 9])));
    }

    #[test]
    fn a_time_that_must_be_measured_is_measured_however_well_trials_agree() {
        let enough = Enough {
            time_min: Nanos::from_secs(8),
            ..Enough::within(20)
        };
        assert!(!enough.ends(&trials(&[1_000; 6])));
        assert!(enough.ends(&trials(&[1_000; 9])));
    }

    #[test]
    fn time_that_is_spent_ends_a_row_but_not_before_its_fewest_trials() {
        let enough = Enough {
            time_max: Some(Nanos::from_secs(3)),
            ..Enough::within(20)
        };
        let noisy = trials(&[1_000, 500, 2_000, 700, 1_500, 900, 1_100]);
        assert!(!enough.ends(&noisy[..5]));
        assert!(enough.ends(&noisy[..6]) && !enough.is_reached(&noisy[..6]));
    }

    #[test]
    fn a_row_that_its_time_would_not_bring_near_ends_at_a_look() {
        let within = |seconds| Enough {
            time_max: Some(Nanos::from_secs(seconds)),
            ..Enough::within(20)
        };
        // ± 10 % after 6 s: ± 4 % after 37.5 s.
        let wide = trials(&[1_000, 900, 1_000, 1_100, 1_000, 1_000, 1_000]);
        assert!(within(37).ends(&wide[..6]) && within(37).is_futile(&wide[..6]));
        assert!(!within(38).ends(&wide[..6]) && !within(38).is_futile(&wide[..6]));
        assert!(!within(20).ends(&wide), "no look");
        assert!(!Enough::within(20).is_futile(&wide[..6]));
    }
}
