//! How long a load that lasts runs before it is measured: as long as its device takes to come
//! to its speed, which the first trials show.

use sokudo_model::{IntervalRates, Nanos, StopReason, Trial, Workload};
use sokudo_stats::WarmUp;

/// Part of a trial's time that the load runs at least before it is measured. A drive takes the
/// first writes into its memory at once, however few they are.
const SHARE_OF_TIME: u64 = 20;

/// And however long a trial is, no longer than this unless it is seen to take longer.
const LEAST_TIME_MAX: Nanos = Nanos::from_secs(5);

/// Trials that may show that it takes longer. A device that has not come to its speed by then
/// is measured as it is, and the finding `warm-up` says so.
const SCOUTS_MAX: u32 = 3;

/// Times the length of a warm-up that was seen: what is left of it at its end is not nothing.
const MARGIN: u64 = 2;

/// How much a trial's rate would change without its beginning, from which that does not count.
const SHIFT_MIN: f64 = 0.01;

/// How long one row settles, as far as its trials have shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SettleTime {
    time: Nanos,
    scouts_left: u32,
}

impl SettleTime {
    /// Of a row without trials. A schedule that imitates another tool does not `learn`.
    pub(crate) fn of(workload: &Workload, learns: bool) -> Self {
        let scouts = workload.is_sustained() && learns;
        Self {
            time: least(workload),
            scouts_left: if scouts { SCOUTS_MAX } else { 0 },
        }
    }

    /// Once the trials of the row have another length, which the workload tells.
    pub(crate) fn lengthen(&mut self, workload: &Workload) {
        self.time = self.time.max(least(workload));
    }

    /// What others are known to need, where that is longer.
    pub(crate) fn at_least(&mut self, time: Nanos) {
        self.time = self.time.max(time);
    }

    /// How long the load runs before it is measured.
    pub(crate) fn time(&self) -> Nanos {
        self.time
    }

    /// Whether a trial came to its speed only after it was measured. Then it does not count,
    /// and the next one settles longer.
    pub(crate) fn is_longer_than_in(&mut self, trial: &Trial, workload: &Workload) -> bool {
        let outcome = &trial.outcome;
        let is_whole = outcome.stopped == StopReason::Time && outcome.failures.is_empty();
        if self.scouts_left == 0 || outcome.window.is_none() || !is_whole {
            return false;
        }
        let intervals = IntervalRates::of(outcome, workload.limits.time).joined(outcome.ios());
        let Some(length) = warm_up(&intervals) else {
            self.scouts_left = 0;
            return false;
        };
        self.scouts_left -= 1;
        self.time.0 = self.time.0.saturating_add(length.0.saturating_mul(MARGIN));
        true
    }
}

/// How long a row settles at least.
fn least(workload: &Workload) -> Nanos {
    let time = workload.limits.time.filter(|_| workload.is_sustained());
    Nanos(time.unwrap_or_default().0 / SHARE_OF_TIME).min(LEAST_TIME_MAX)
}

/// How long the rates were others at the start, where that matters.
fn warm_up(intervals: &IntervalRates) -> Option<Nanos> {
    let rates = &intervals.per_second;
    let found = WarmUp::of(rates)?;
    let whole = rates.iter().sum::<f64>() / rates.len() as f64;
    let shift = (found.mean_after / whole - 1.0).abs();
    let length = Nanos((found.values as u64).saturating_mul(intervals.length.0));
    (shift >= SHIFT_MIN).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{
        BackendKind, Bytes, Estimand, Operation, OperationTally, Outcome, SeriesPoint, Window,
    };

    fn workload() -> Workload {
        let mut workload = Workload::new("w", Bytes(4096));
        workload.limits.time = Some(Nanos::from_secs(1));
        workload.measures.estimand = Estimand::Sustained;
        workload
    }

    /// A hundred intervals, `fast` of which moved three times as much.
    fn trial(fast: u64) -> Trial {
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Time);
        let bytes = |number: u64| {
            let noise = number * 7919 % 13;
            Bytes((if number <= fast { 300 } else { 100 }) * 4096 + noise)
        };
        let point = |number| SeriesPoint {
            at: Nanos::from_millis(number * 10),
            bytes: bytes(number),
            ios: bytes(number).0 / 4096,
        };
        outcome.series = (1..=100).map(point).collect();
        outcome.elapsed = Nanos::from_secs(1);
        outcome.window = Some(Window::default());
        outcome.operations.push(OperationTally {
            bytes: Bytes(outcome.series.iter().map(|point| point.bytes.0).sum()),
            ios: outcome.series.iter().map(|point| point.ios).sum(),
            ..OperationTally::new(Operation::Write)
        });
        Trial {
            outcome,
            evidence: Default::default(),
            together: None,
        }
    }

    #[test]
    fn a_row_settles_until_its_trials_keep_their_speed() {
        let workload = workload();
        let mut settling = SettleTime::of(&workload, true);
        assert_eq!(settling.time(), Nanos::from_millis(50));
        assert!(settling.is_longer_than_in(&trial(15), &workload));
        assert_eq!(settling.time(), Nanos::from_millis(50 + 2 * 150));
        assert!(!settling.is_longer_than_in(&trial(0), &workload));
        assert!(
            !settling.is_longer_than_in(&trial(15), &workload),
            "it has been found out"
        );
    }

    #[test]
    fn it_does_not_go_on_for_ever_nor_where_another_tool_is_imitated() {
        let workload = workload();
        let mut settling = SettleTime::of(&workload, true);
        let longer = (0..10).filter(|_| settling.is_longer_than_in(&trial(15), &workload));
        assert_eq!(longer.count(), SCOUTS_MAX as usize);
        assert!(!SettleTime::of(&workload, false).is_longer_than_in(&trial(15), &workload));
        let mut work = workload;
        work.measures.estimand = Estimand::Work;
        assert_eq!(SettleTime::of(&work, true).time(), Nanos(0));
    }
}
