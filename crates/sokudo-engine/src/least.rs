//! Whether a workload is as fast as it has to be (fio: `rate_min`, `rate_iops_min`).

use sokudo_model::{LeastRates, Nanos, Phase};

use crate::progress::ProgressSnapshot;

/// A workload comes to its speed first; fio looks at nothing before this.
const GRACE: Nanos = Nanos::from_secs(2);

/// Looks at the rates of one workload, cycle by cycle.
pub(crate) struct LeastWatch {
    least: LeastRates,
    /// What was moved where the cycle in progress began.
    began: Option<ProgressSnapshot>,
    has_failed: bool,
}

impl LeastWatch {
    /// `None` where any rate will do.
    pub(crate) fn new(least: LeastRates) -> Option<Self> {
        (!least.is_empty()).then_some(Self {
            least,
            began: None,
            has_failed: false,
        })
    }

    /// Whether it was slower than it has to be.
    pub(crate) const fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// Looks at what all threads together have moved. True when that is too little, once.
    pub(crate) fn look(&mut self, now: Option<ProgressSnapshot>) -> bool {
        let Some(now) = now.filter(|glance| glance.phase == Phase::Running && !self.has_failed)
        else {
            return false;
        };
        if now.at < GRACE.0 {
            return false;
        }
        let Some(began) = &self.began else {
            self.began = Some(now);
            return false;
        };
        let passed = now.at.saturating_sub(began.at);
        if passed < self.least.cycle.0.max(1) {
            return false;
        }
        let is_below = |least: Option<u64>, moved: u64| {
            let rate = u128::from(moved) * 1_000_000_000 / u128::from(passed);
            least.is_some_and(|least| rate < u128::from(least))
        };
        let mut operations = now.each.iter().zip(&began.each).enumerate();
        self.has_failed = operations.any(|(index, (now, before))| {
            is_below(self.least.bytes[index], now.bytes.0 - before.bytes.0)
                || is_below(self.least.ios[index], now.ios - before.ios)
        });
        self.began = Some(now);
        self.has_failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Bytes, Moved};

    /// Whether a job fails that reads so many bytes in each second.
    fn fails(least: u64, seconds: &[u64]) -> Option<usize> {
        let mut watch = LeastWatch::new(LeastRates {
            bytes: [Some(least), None, None],
            ios: [None; 3],
            cycle: Nanos::from_secs(1),
        })
        .unwrap();
        let mut all = 0;
        for (second, bytes) in seconds.iter().enumerate() {
            all += bytes;
            let mut each = [Moved::default(); 3];
            each[0].bytes = Bytes(all);
            let glance = ProgressSnapshot {
                at: Nanos::from_secs(second as u64 + 1).0,
                each,
                phase: Phase::Running,
            };
            if watch.look(Some(glance)) {
                assert!(watch.has_failed());
                return Some(second + 1);
            }
        }
        None
    }

    #[test]
    fn a_cycle_below_the_least_rate_fails_the_job_but_not_at_its_start() {
        assert_eq!(fails(100, &[0, 0, 100, 100, 100]), None);
        assert_eq!(fails(100, &[100, 100, 100, 99, 100]), Some(4));
        assert_eq!(fails(100, &[500, 500, 0, 500]), Some(3));
    }

    #[test]
    fn nothing_is_watched_where_any_rate_will_do() {
        assert!(LeastWatch::new(LeastRates::default()).is_none());
    }
}
