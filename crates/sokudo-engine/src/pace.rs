//! When the next I/O may start: at once, at a fixed rate, or after a pause.

use sokudo_model::{Rate, Think, Workload};

/// Whether an I/O may start now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// It may; it was meant to start at this instant.
    Open { intended_at: u64 },
    /// Not before this instant.
    Until(u64),
    /// Not before everything in flight has completed.
    Idle,
}

/// The schedule of one clone's I/Os.
pub(crate) struct Pace {
    rate: Option<(u64, RateUnit)>,
    think: Option<Think>,
    started_at: u64,
    units_issued: u64,
    ios_since_thought: u32,
    thinking_until: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RateUnit {
    Bytes,
    Ios,
}

impl Pace {
    pub(crate) fn new(workload: &Workload) -> Self {
        let rate = workload.rate.map(|rate| match rate {
            Rate::BytesPerSecond(rate) => (rate, RateUnit::Bytes),
            Rate::Iops(rate) => (rate, RateUnit::Ios),
        });
        Self {
            rate,
            think: workload.think,
            started_at: 0,
            units_issued: 0,
            ios_since_thought: 0,
            thinking_until: None,
        }
    }

    /// Starts the schedule.
    pub(crate) fn start(&mut self, now: u64) {
        self.started_at = now;
        self.units_issued = 0;
    }

    /// Whether I/Os are free to start whenever there is room for them.
    #[inline]
    pub(crate) fn is_free(&self) -> bool {
        self.rate.is_none() && self.think.is_none()
    }

    /// Whether an I/O may start at `now`, with `in_flight` not yet completed.
    pub(crate) fn gate(&mut self, now: u64, in_flight: u32) -> Gate {
        if let Some(think) = self.think
            && self.ios_since_thought >= think.after_ios
        {
            if in_flight > 0 {
                return Gate::Idle;
            }
            let until = *self.thinking_until.get_or_insert(now + think.time.0);
            if now < until {
                return Gate::Until(until);
            }
            self.thinking_until = None;
            self.ios_since_thought = 0;
        }
        let intended_at = self.intended_at(now);
        if intended_at > now {
            Gate::Until(intended_at)
        } else {
            Gate::Open { intended_at }
        }
    }

    /// Counts an I/O that has been started.
    pub(crate) fn issued(&mut self, bytes: u32) {
        self.ios_since_thought = self.ios_since_thought.saturating_add(1);
        self.units_issued += match self.rate {
            Some((_, RateUnit::Bytes)) => u64::from(bytes),
            _ => 1,
        };
    }

    /// The instant at which the schedule means the next I/O to start; without a
    /// rate that is now.
    fn intended_at(&self, now: u64) -> u64 {
        let Some((rate, _)) = self.rate else {
            return now;
        };
        let nanos = u128::from(self.units_issued) * 1_000_000_000 / u128::from(rate);
        self.started_at
            .saturating_add(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Bytes, Nanos};

    fn pace(rate: Option<Rate>, think: Option<Think>) -> Pace {
        let mut workload = Workload::new("w", Bytes(4096));
        (workload.rate, workload.think) = (rate, think);
        let mut pace = Pace::new(&workload);
        pace.start(1_000);
        pace
    }

    #[test]
    fn a_rate_keeps_its_schedule_when_i_os_are_late() {
        let mut pace = pace(Some(Rate::Iops(1_000)), None);
        assert_eq!(pace.gate(1_000, 0), Gate::Open { intended_at: 1_000 });
        pace.issued(4096);
        assert_eq!(pace.gate(1_001, 1), Gate::Until(1_001_000));
        // Late by four periods: the next ones are still meant for their instants.
        assert_eq!(
            pace.gate(5_001_000, 1),
            Gate::Open {
                intended_at: 1_001_000
            }
        );
        pace.issued(4096);
        assert_eq!(
            pace.gate(5_001_000, 1),
            Gate::Open {
                intended_at: 2_001_000
            }
        );
    }

    #[test]
    fn a_byte_rate_counts_bytes() {
        let mut pace = pace(Some(Rate::BytesPerSecond(4_096_000)), None);
        pace.issued(8192);
        assert_eq!(pace.gate(1_000, 0), Gate::Until(2_001_000));
    }

    #[test]
    fn thinking_starts_when_all_is_done() {
        let think = Think::new(Nanos(500), 2);
        let mut pace = pace(None, Some(think));
        assert_eq!(pace.gate(1_000, 0), Gate::Open { intended_at: 1_000 });
        pace.issued(1);
        pace.issued(1);
        assert_eq!(pace.gate(1_100, 2), Gate::Idle);
        assert_eq!(pace.gate(1_200, 0), Gate::Until(1_700));
        assert_eq!(pace.gate(1_300, 0), Gate::Until(1_700));
        assert_eq!(pace.gate(1_700, 0), Gate::Open { intended_at: 1_700 });
    }
}
