//! When the next I/O may start: at once, at fixed rates, or after a pause.

use sokudo_model::{Operation, Rate, RateProcess, Think, Workload};
use sokudo_stats::{Random, mix64};

use crate::clock::NEVER;

/// Whether an I/O may start now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// It may; it was meant to start at this instant.
    Open { intended_at: u64 },
    /// Not before this instant.
    Until(u64),
    /// Not before this instant, and the processor is kept busy until then.
    Busy(u64),
    /// Not before everything in flight has completed.
    Idle,
}

/// Which operation may start now, where each has a rate of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationTurn {
    /// This one; it was meant to start at this instant.
    Of {
        operation: Operation,
        intended_at: u64,
    },
    /// None before this instant.
    Until(u64),
}

/// The schedule of one thread's I/Os.
pub(crate) struct Pace {
    total: Option<RateSchedule>,
    /// Of reads, writes and trims.
    each: [Option<RateSchedule>; 3],
    /// Which of these occur by themselves, and do not follow from another one.
    occurs: [bool; 3],
    think: Option<Think>,
    random: Random,
    ios_since_thought: u32,
    thinking_since: Option<u64>,
}

impl Pace {
    /// The workload's schedule; `None` where I/Os are free to start whenever there is
    /// room for them. `random` spaces them, if that is by chance.
    pub(crate) fn new(workload: &Workload, random: Random) -> Option<Self> {
        let process = workload.pacing.rates.process;
        let schedule = |rate: Rate| RateSchedule::new(rate, process);
        let each = workload.pacing.rates.each.map(|rate| rate.map(schedule));
        let is_paced = workload.pacing.rate.is_some()
            || workload.pacing.think.is_some()
            || each.iter().any(Option::is_some);
        is_paced.then(|| Self {
            total: workload.pacing.rate.map(schedule),
            each,
            occurs: [Operation::Read, Operation::Write, Operation::Trim].map(|operation| {
                let follows = workload.rewritten_percent() > 0 && operation != Operation::Read;
                workload.operations.percent(operation) > 0 && !follows
            }),
            think: workload.pacing.think,
            random,
            ios_since_thought: 0,
            thinking_since: None,
        })
    }

    /// Starts every schedule of I/Os at this instant, in nanoseconds of the clock.
    pub(crate) fn start(&mut self, now: u64) {
        for schedule in self.total.iter_mut().chain(self.each.iter_mut().flatten()) {
            schedule.start(now);
        }
    }

    /// So much time has passed that is nobody's: the schedule goes on where it was.
    pub(crate) fn skip(&mut self, nanos: u64) {
        for schedule in self.total.iter_mut().chain(self.each.iter_mut().flatten()) {
            schedule.started_at += nanos;
            schedule.arrives_at = schedule.arrives_at.saturating_add(nanos);
        }
        self.thinking_since = self.thinking_since.map(|since| since + nanos);
    }

    /// Whether operations have rates of their own, so that [`Self::turn`] is to be
    /// asked.
    pub(crate) fn is_by_operation(&self) -> bool {
        self.each.iter().any(Option::is_some)
    }

    /// Whether an I/O may start at `now`, with `in_flight` not yet completed.
    pub(crate) fn gate(&mut self, now: u64, in_flight: u32) -> Gate {
        if let Some(think) = self.think
            && self.ios_since_thought >= think.after_ios
        {
            if think.waits_for_completion && in_flight > 0 {
                return Gate::Idle;
            }
            let since = *self.thinking_since.get_or_insert(now);
            let busy_until = since.saturating_add(think.spin.0.min(think.time.0));
            if now < busy_until {
                return Gate::Busy(busy_until);
            }
            let until = since.saturating_add(think.time.0);
            if now < until {
                return Gate::Until(until);
            }
            self.thinking_since = None;
            self.ios_since_thought = 0;
        }
        match self.total.as_ref().map(RateSchedule::next_at) {
            Some(at) if at > now => Gate::Until(at),
            Some(intended_at) => Gate::Open { intended_at },
            None => Gate::Open { intended_at: now },
        }
    }

    /// Which operation may start at `now`, when `drawn` was drawn. One that is ahead
    /// of its rate lets one go first that is not; where all are ahead, the first one
    /// due is next (as fio does).
    pub(crate) fn turn(&self, drawn: Operation, now: u64) -> OperationTurn {
        let due_at = |operation: Operation| {
            let schedule = self.each.get(operation.index()).and_then(Option::as_ref);
            schedule.map_or(now, RateSchedule::next_at)
        };
        let of = |operation: Operation| OperationTurn::Of {
            operation,
            intended_at: due_at(operation),
        };
        let drawn_at = due_at(drawn);
        if drawn_at <= now {
            return of(drawn);
        }
        let others = [Operation::Read, Operation::Write, Operation::Trim]
            .into_iter()
            .filter(|other| *other != drawn && self.occurs[other.index()]);
        match others.min_by_key(|other| due_at(*other)) {
            Some(other) if due_at(other) <= now => of(other),
            Some(other) => OperationTurn::Until(drawn_at.min(due_at(other))),
            None => OperationTurn::Until(drawn_at),
        }
    }

    /// Counts an I/O that has been issued.
    pub(crate) fn issued(&mut self, operation: Operation, length: u32) {
        if let Some(schedule) = &mut self.total {
            schedule.issued(length, &mut self.random);
        }
        if let Some(Some(schedule)) = self.each.get_mut(operation.index()) {
            schedule.issued(length, &mut self.random);
        }
        self.ios_since_thought = self.ios_since_thought.saturating_add(1);
    }
}

/// A rate and how far it has come.
struct RateSchedule {
    per_second: u64,
    unit: RateUnit,
    process: RateProcess,
    started_at: u64,
    units_issued: u64,
    /// When the next request arrives, where that is by chance.
    arrives_at: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RateUnit {
    Bytes,
    Ios,
}

impl RateSchedule {
    fn new(rate: Rate, process: RateProcess) -> Self {
        let (per_second, unit) = match rate {
            Rate::BytesPerSecond(rate) => (rate, RateUnit::Bytes),
            Rate::Iops(rate) => (rate, RateUnit::Ios),
        };
        Self {
            per_second,
            unit,
            process,
            started_at: 0,
            units_issued: 0,
            arrives_at: 0,
        }
    }

    fn start(&mut self, now: u64) {
        self.started_at = now;
        self.units_issued = 0;
        self.arrives_at = now;
    }

    /// When the schedule means the next I/O to start.
    fn next_at(&self) -> u64 {
        match self.process {
            RateProcess::Linear => {
                let time = u128::from(self.units_issued) * 1_000_000_000
                    / u128::from(self.per_second.max(1));
                // A rate of a byte per second makes the next large block due in centuries.
                self.started_at
                    .saturating_add(u64::try_from(time).unwrap_or(NEVER))
            }
            RateProcess::Poisson => self.arrives_at,
        }
    }

    fn issued(&mut self, length: u32, random: &mut Random) {
        let units = match self.unit {
            RateUnit::Bytes => u64::from(length),
            RateUnit::Ios => 1,
        };
        self.units_issued += units;
        if self.process == RateProcess::Poisson {
            let gap = exponential(random) * mean_gap_ns(units, self.per_second);
            #[expect(clippy::cast_possible_truncation, reason = "it saturates at 584 years")]
            let gap = gap as u64;
            self.arrives_at = self.arrives_at.saturating_add(gap);
        }
    }
}

fn mean_gap_ns(units: u64, per_second: u64) -> f64 {
    units as f64 * 1e9 / per_second.max(1) as f64
}

/// A gap between independent arrivals whose mean is 1: minus the logarithm of a
/// number that is uniform above 0 and up to 1.
fn exponential(random: &mut Random) -> f64 {
    let uniform = ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
    -uniform.ln()
}

/// The chance by which a thread spaces its I/Os is apart from that by which it draws
/// them: one seed, the same I/Os at every pace.
pub(crate) fn pace_stream(seed: u64, number: u64) -> Random {
    Random::stream(mix64(seed), number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Bytes, Nanos, OperationMix, Rates};

    fn pace(rate: Option<Rate>, think: Option<Think>) -> Pace {
        let mut workload = Workload::new("w", Bytes(4096));
        (workload.pacing.rate, workload.pacing.think) = (rate, think);
        started(&workload)
    }

    fn started(workload: &Workload) -> Pace {
        let mut pace = Pace::new(workload, Random::new(3)).unwrap();
        pace.start(1_000);
        pace
    }

    fn open(intended_at: u64) -> Gate {
        Gate::Open { intended_at }
    }

    fn of(operation: Operation, intended_at: u64) -> OperationTurn {
        OperationTurn::Of {
            operation,
            intended_at,
        }
    }

    #[test]
    fn without_rates_and_thought_there_is_no_pace() {
        assert!(Pace::new(&Workload::new("w", Bytes(4096)), Random::new(1)).is_none());
    }

    #[test]
    fn a_rate_keeps_its_schedule_when_i_os_are_late() {
        let mut pace = pace(Some(Rate::Iops(1_000)), None);
        assert_eq!(pace.gate(1_000, 0), open(1_000));
        pace.issued(Operation::Read, 4096);
        assert_eq!(pace.gate(1_001, 1), Gate::Until(1_001_000));
        // Late by four periods: the next ones are still meant for their instants.
        assert_eq!(pace.gate(5_001_000, 1), open(1_001_000));
        pace.issued(Operation::Read, 4096);
        assert_eq!(pace.gate(5_001_000, 1), open(2_001_000));
    }

    #[test]
    fn a_byte_rate_counts_bytes() {
        let mut pace = pace(Some(Rate::BytesPerSecond(4_096_000)), None);
        pace.issued(Operation::Read, 8192);
        assert_eq!(pace.gate(1_000, 0), Gate::Until(2_001_000));
    }

    #[test]
    fn thinking_starts_when_all_is_done() {
        let think = Think::new(Nanos(500), 2);
        let mut pace = pace(None, Some(think));
        assert_eq!(pace.gate(1_000, 0), open(1_000));
        pace.issued(Operation::Read, 1);
        pace.issued(Operation::Read, 1);
        assert_eq!(pace.gate(1_100, 2), Gate::Idle);
        assert_eq!(pace.gate(1_200, 0), Gate::Until(1_700));
        assert_eq!(pace.gate(1_300, 0), Gate::Until(1_700));
        assert_eq!(pace.gate(1_700, 0), open(1_700));
    }

    #[test]
    fn thinking_on_issue_does_not_wait_and_may_spin_at_first() {
        let think = Think {
            waits_for_completion: false,
            spin: Nanos(200),
            ..Think::new(Nanos(500), 1)
        };
        let mut pace = pace(None, Some(think));
        pace.issued(Operation::Read, 1);
        assert_eq!(pace.gate(1_100, 7), Gate::Busy(1_300));
        assert_eq!(pace.gate(1_300, 7), Gate::Until(1_600));
        assert_eq!(pace.gate(1_600, 7), open(1_600));
    }

    fn mixed(read: Option<Rate>, write: Option<Rate>) -> Pace {
        let mut workload = Workload::new("w", Bytes(4096));
        workload.operations = OperationMix::read_write(50).unwrap();
        workload.pacing.rates.each = [read, write, None];
        started(&workload)
    }

    #[test]
    fn an_operation_that_is_ahead_lets_the_other_go_first() {
        let mut pace = mixed(Some(Rate::Iops(1_000)), Some(Rate::Iops(10_000)));
        let now = of(Operation::Read, 1_000);
        assert_eq!(pace.turn(Operation::Read, 1_000), now);
        pace.issued(Operation::Read, 4096);
        let other = of(Operation::Write, 1_000);
        assert_eq!(pace.turn(Operation::Read, 1_000), other);
        pace.issued(Operation::Write, 4096);
        // Both are ahead: the first that is due.
        let until = OperationTurn::Until(101_000);
        assert_eq!(pace.turn(Operation::Read, 1_000), until);
    }

    #[test]
    fn an_operation_without_a_rate_is_always_due() {
        let mut pace = mixed(Some(Rate::Iops(1)), None);
        pace.issued(Operation::Read, 4096);
        let write = of(Operation::Write, 5_000);
        assert_eq!(pace.turn(Operation::Read, 5_000), write);
        assert_eq!(pace.turn(Operation::Write, 5_000), write);
    }

    /// The gaps of a Poisson process are exponential: for rate 1, the share above x is
    /// e^-x. Kolmogorov and Smirnov bound the largest deviation of n draws below
    /// 1.95 / sqrt(n) in 999 of 1,000 samples.
    #[test]
    fn the_gaps_of_a_poisson_process_are_exponential() {
        let mut workload = Workload::new("w", Bytes(4096));
        workload.pacing.rates = Rates {
            each: [Some(Rate::Iops(1_000)), None, None],
            process: RateProcess::Poisson,
        };
        let mut pace = started(&workload);
        let count = 20_000;
        let (mut last, mut gaps) = (1_000, Vec::new());
        for _ in 0..count {
            pace.issued(Operation::Read, 4096);
            let at = pace.each[0].as_ref().unwrap().next_at();
            gaps.push((at - last) as f64 / 1e6);
            last = at;
        }
        gaps.sort_by(f64::total_cmp);
        let n = f64::from(count);
        let furthest = gaps.iter().enumerate().map(|(index, gap)| {
            let expected = 1.0 - (-gap).exp();
            (expected - (index as f64 + 0.5) / n).abs()
        });
        let furthest = furthest.fold(0.0, f64::max);
        assert!(furthest < 1.95 / n.sqrt(), "{furthest}");
    }
}
