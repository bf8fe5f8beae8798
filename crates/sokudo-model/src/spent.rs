//! What the time of a run went to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::trial::Outcome;
use crate::units::Nanos;

/// What the time of a run went to: its parts and what lay between them are the whole. Of a
/// simulated device it is the device's own time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spent {
    /// From the beginning of the test file to the end of the last trial.
    #[serde(rename = "whole_ns")]
    pub whole: Nanos,
    /// Writing the test file.
    #[serde(rename = "layout_ns")]
    pub layout: Nanos,
    /// The measured parts of the trials that count.
    #[serde(rename = "measured_ns")]
    pub measured: Nanos,
    /// Before and behind them, while their queues filled, settled and drained.
    #[serde(rename = "settling_ns")]
    pub settling: Nanos,
    /// Trials that do not count: warm-ups, and those that show how a row is to be measured.
    #[serde(rename = "calibration_ns")]
    pub calibration: Nanos,
    /// Choosing a backend, comparing pages, reading slow positions again.
    #[serde(rename = "checks_ns")]
    pub checks: Nanos,
}

impl Spent {
    /// A trial was made, which counts or does not.
    pub fn add(&mut self, outcome: &Outcome, counts: bool) {
        if !counts {
            let calibration = self.calibration.0.saturating_add(outcome.time().0);
            self.calibration = Nanos(calibration);
            return;
        }
        let around = outcome.time().0.saturating_sub(outcome.elapsed.0);
        self.measured.0 = self.measured.0.saturating_add(outcome.elapsed.0);
        self.settling.0 = self.settling.0.saturating_add(around);
    }

    /// What lay between trials: evidence, flushes, starts of threads.
    pub fn between(&self) -> Nanos {
        let parts = [
            self.layout,
            self.measured,
            self.settling,
            self.calibration,
            self.checks,
        ];
        let parts = parts.iter().map(|part| part.0);
        Nanos(parts.fold(self.whole.0, u64::saturating_sub))
    }
}

impl Outcome {
    /// From its first I/O to its last one, with what was not measured of it.
    pub fn time(&self) -> Nanos {
        let around = self.window.map_or(self.started_after.0, |window| {
            window.settled.0.saturating_add(window.drained.0)
        });
        Nanos(self.elapsed.0.saturating_add(around))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::BackendKind;
    use crate::trial::{StopReason, Window};

    #[test]
    fn the_parts_and_what_lies_between_them_are_the_whole() {
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Time);
        outcome.elapsed = Nanos(100);
        outcome.window = Some(Window {
            settled: Nanos(20),
            drained: Nanos(3),
            ..Window::default()
        });
        assert_eq!(outcome.time(), Nanos(123));
        let mut spent = Spent {
            whole: Nanos(1_000),
            layout: Nanos(300),
            checks: Nanos(50),
            ..Spent::default()
        };
        spent.add(&outcome, true);
        spent.add(&outcome, false);
        assert_eq!((spent.measured, spent.settling), (Nanos(100), Nanos(23)));
        assert_eq!(spent.calibration, Nanos(123));
        assert_eq!(spent.between(), Nanos(404));
        spent.whole = Nanos(1);
        assert_eq!(spent.between(), Nanos(0));
    }
}
