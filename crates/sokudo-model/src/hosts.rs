//! What several processes, often on several machines, measured together.
//!
//! The figures of such a run are those of all of them in the time in which all of them ran. What
//! each host did stands beside them, whole, so that it can be judged and told by itself.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sokudo_stats::median;

use crate::merge::{in_window, total_moved};
use crate::narrow::narrow;
use crate::plan::Workload;
use crate::run::Run;
use crate::trial::{HostTrial, Outcome, Row, Trial, TrialEvidence, TrialTogether};
use crate::units::Nanos;

/// One trial of one process, on its way to the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankTrial {
    /// How long after the agreed instant it started, by its own clock.
    pub late: Nanos,
    /// By how much its clock may be wrong against the first one's.
    pub clock_uncertainty: Nanos,
    /// No other process uses its device: then what several of a host have counted adds up, while
    /// processes with one device all see what all of them do.
    pub has_own_device: bool,
    /// What each workload of the stage did.
    pub trials: Vec<Trial>,
}

impl Run {
    /// How many processes measured together; 1 where there was one alone.
    pub fn ranks(&self) -> u32 {
        self.hosts.iter().map(|host| host.ranks).sum::<u32>().max(1)
    }

    /// What one of several hosts has measured, as a run of its own, which can be judged.
    pub fn of_host(&self, host: usize) -> Self {
        let of = &self.hosts[host];
        let all = self.ranks();
        let share = |workload: &Workload| workload.share(of.ranks, all);
        let mut plan = self.plan.clone();
        for workload in plan.stages.iter_mut().flat_map(|it| &mut it.workloads) {
            *workload = share(workload);
        }
        let trial = |trial: &Trial| trial.of_host(host);
        let row = |(index, row): (usize, &Row)| Row {
            workload: share(&row.workload),
            trials: row.trials.iter().filter_map(trial).collect(),
            assessment: of.assessments.get(index).cloned().flatten(),
            ..row.clone()
        };
        Self {
            plan,
            target: of.target.clone(),
            targets: Vec::new(),
            environment: of.environment.clone(),
            conditions: of.conditions.clone(),
            layout: of.layout,
            rows: self.rows.iter().enumerate().map(row).collect(),
            hosts: Vec::new(),
            spent: None,
            findings: Vec::new(),
            inferences: Vec::new(),
            disk_assessment: None,
            assessed_disks: Vec::new(),
            ..self.clone()
        }
    }
}

/// What a host did of a row while all hosts ran, the medians of the trials in which they did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HostRates {
    /// Bytes moved per second; `None` without a trial in which all ran.
    pub bytes_per_s: Option<f64>,
    /// Reads and writes per second.
    pub ios_per_s: Option<f64>,
    /// Its rate ÷ the median of all hosts': of bytes, or of I/Os where no host moves any.
    pub share_of_median: Option<f64>,
}

impl Row {
    /// The rates of each of so many hosts.
    pub fn rates_of_hosts(&self, hosts: usize) -> Vec<HostRates> {
        let mut seen = vec![<[Vec<f64>; 2]>::default(); hosts];
        for together in self.trials.iter().filter_map(|it| it.together.as_ref()) {
            let Some(window) = together.window() else {
                continue;
            };
            for of in &together.hosts {
                if let Some([bytes, ios]) = seen.get_mut(of.host as usize) {
                    bytes.push(of.in_window.bytes.0 as f64 / window.as_secs_f64());
                    ios.push(of.in_window.ios as f64 / window.as_secs_f64());
                }
            }
        }
        let rates = seen.iter().map(|[bytes, ios]| HostRates {
            bytes_per_s: median(bytes),
            ios_per_s: median(ios),
            share_of_median: None,
        });
        let mut rates: Vec<HostRates> = rates.collect();
        let moves_bytes = |it: &HostRates| it.bytes_per_s.is_some_and(|rate| rate > 0.0);
        let by_bytes = rates.iter().any(moves_bytes);
        let rate = |it: &HostRates| {
            if by_bytes {
                it.bytes_per_s
            } else {
                it.ios_per_s
            }
        };
        let all: Vec<f64> = rates.iter().filter_map(rate).collect();
        let of_all = median(&all).filter(|it| *it > 0.0);
        for of in &mut rates {
            of.share_of_median = rate(of).zip(of_all).map(|(rate, all)| rate / all);
        }
        rates
    }
}

impl Workload {
    /// What `ranks` of `all` processes do of a workload that all do together.
    #[must_use]
    pub fn share(&self, ranks: u32, all: u32) -> Self {
        let threads = u64::from(self.threads) * u64::from(ranks) / u64::from(all.max(1));
        Self {
            threads: narrow(threads.max(1)),
            ..self.clone()
        }
    }
}

impl Trial {
    /// What one of several hosts did in it; `None` where that host was lost before.
    pub fn of_host(&self, host: usize) -> Option<Self> {
        let together = self.together.as_ref()?;
        let of = together.hosts.iter().find(|it| it.host as usize == host)?;
        Some(Self {
            outcome: of.outcome.clone(),
            evidence: of.evidence.clone(),
            together: None,
        })
    }

    /// The trials of all processes as one, whose figures are those of the time in which all ran.
    /// `hosts` says on which host each process was; `None` for one that was lost. Nothing, where
    /// none is left.
    pub fn together(ranks: Vec<Option<(u32, RankTrial)>>) -> Vec<Self> {
        let (clocks, mut trials): (Vec<RankClock>, Vec<_>) = ranks
            .into_iter()
            .flatten()
            .map(|(host, rank)| {
                let clock = RankClock {
                    host,
                    late: rank.late,
                    uncertainty: rank.clock_uncertainty,
                    has_own_device: rank.has_own_device,
                };
                (clock, rank.trials.into_iter())
            })
            .unzip();
        let workloads = trials.iter().map(ExactSizeIterator::len).min();
        (0..workloads.unwrap_or(0))
            .map(|_| joined(&clocks, trials.iter_mut().filter_map(Iterator::next)))
            .collect()
    }
}

/// Where a process is, and how its clock stands to the first one's.
#[derive(Clone, Copy)]
struct RankClock {
    host: u32,
    late: Nanos,
    uncertainty: Nanos,
    has_own_device: bool,
}

/// One workload's trials of all processes, in the order of their clocks.
fn joined(clocks: &[RankClock], trials: impl Iterator<Item = Trial>) -> Trial {
    let shifted: Vec<Trial> = clocks
        .iter()
        .zip(trials)
        .map(|(clock, mut trial)| {
            trial.outcome.started_after.0 += clock.late.0;
            trial
        })
        .collect();
    let outcomes = || shifted.iter().map(|trial| &trial.outcome);
    let began = |outcome: &Outcome| outcome.started_after;
    let ended = |outcome: &Outcome| Nanos(outcome.started_after.0 + outcome.elapsed.0);
    let late = || clocks.iter().map(|clock| clock.late);
    let earliest = late().min().unwrap_or_default();
    let uncertainties = clocks.iter().map(|clock| clock.uncertainty);
    let mut together = TrialTogether {
        from: outcomes().map(began).max().unwrap_or_default(),
        to: outcomes().map(ended).min().unwrap_or_default(),
        first_began: outcomes().map(began).min().unwrap_or_default(),
        last_ended: outcomes().map(ended).max().unwrap_or_default(),
        skew: Nanos(late().max().unwrap_or_default().0 - earliest.0),
        clock_uncertainty: uncertainties.max().unwrap_or_default(),
        hosts: Vec::new(),
    };
    let mut whole: Option<Outcome> = None;
    let own_device = clocks.iter().all(|clock| clock.has_own_device);
    let mut indices = HashMap::new();
    for (clock, trial) in clocks.iter().zip(shifted) {
        let part = in_window(&trial.outcome, together.from, together.to);
        let moved = total_moved(&part);
        match &mut whole {
            Some(whole) => whole.merge(&part),
            None => whole = Some(part),
        }
        // Thousands of hosts are not looked for one by one.
        let index = *indices.entry(clock.host).or_insert(together.hosts.len());
        let host = HostTrial {
            host: clock.host,
            in_window: moved,
            slowest: moved.bytes,
            outcome: trial.outcome,
            evidence: trial.evidence,
        };
        put(&mut together.hosts, index, host, own_device);
    }
    let outcome = whole.expect("there is a process, or there would be no workload");
    Trial {
        // What each host has seen stands with it.
        evidence: TrialEvidence::default(),
        outcome,
        together: Some(Box::new(together)),
    }
}

/// Puts a process's trial to those of its host. Where they have one device, they saw the same
/// counters, the first of them the longest.
fn put(hosts: &mut Vec<HostTrial>, index: usize, one: HostTrial, own_device: bool) {
    match hosts.get_mut(index) {
        Some(of) => {
            of.outcome.merge(&one.outcome);
            of.in_window.add(one.in_window);
            of.slowest = of.slowest.min(one.slowest);
            let seen = &mut of.evidence;
            // Each has its own file, or all have the same.
            seen.cached_before = seen.cached_before.max(one.evidence.cached_before);
            if own_device {
                let counted = seen.device.zip(one.evidence.device);
                seen.device = counted.map(|(one, other)| one.plus(&other));
            }
        }
        None => hosts.push(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{BackendKind, Operation};
    use crate::trial::{OperationTally, SeriesPoint, StopReason};
    use crate::units::Bytes;

    const BLOCK: u64 = 4096;
    const SECOND: u64 = 1_000_000_000;

    /// A process that starts so late, works for so many whole seconds, and does as many I/Os in
    /// each of them.
    fn rank(late: u64, seconds: u64, ios: u64) -> RankTrial {
        let mut outcome = Outcome::new(BackendKind::Psync, StopReason::Time);
        outcome.elapsed = Nanos(seconds * SECOND);
        let mut tally = OperationTally::new(Operation::Read);
        (tally.ios, tally.bytes) = (seconds * ios, Bytes(seconds * ios * BLOCK));
        outcome.operations.push(tally);
        outcome.series = (1..=seconds)
            .map(|second| SeriesPoint {
                at: Nanos(second * SECOND),
                bytes: Bytes(ios * BLOCK),
                ios,
            })
            .collect();
        RankTrial {
            late: Nanos(late),
            clock_uncertainty: Nanos(30_000),
            has_own_device: false,
            trials: vec![Trial::new(outcome)],
        }
    }

    fn trial(ranks: &[(u32, RankTrial)]) -> Trial {
        let ranks = ranks.iter().cloned().map(Some);
        Trial::together(ranks.collect()).remove(0)
    }

    #[test]
    fn the_figure_is_that_of_the_time_in_which_all_ran() {
        let whole = trial(&[(0, rank(0, 10, 100)), (1, rank(SECOND / 2, 8, 40))]);
        let together = whole.together.as_ref().unwrap();
        assert_eq!(
            (together.from.0, together.to.0),
            (SECOND / 2, 8 * SECOND + SECOND / 2)
        );
        assert_eq!(together.window(), Some(Nanos(8 * SECOND)));
        assert_eq!(
            (together.first_began.0, together.last_ended.0),
            (0, 10 * SECOND)
        );
        assert_eq!(together.skew.0, SECOND / 2);
        assert_eq!(together.hosts[0].in_window.ios, 800);
        assert_eq!(together.hosts[1].in_window.ios, 320);
        assert_eq!(whole.outcome.ios(), 1_120);
        assert_eq!(whole.outcome.elapsed, Nanos(8 * SECOND));
        // What lies outside is not lost: the devices have counted it.
        assert_eq!(whole.outcome.in_ramp[Operation::Read.index()].ios, 200);
        let rate = 1_120.0 * BLOCK as f64 / 8.0;
        assert!((whole.outcome.bytes_per_second().unwrap() - rate).abs() < 1.0);
    }

    #[test]
    fn processes_of_a_host_are_its_threads() {
        let of_host = [rank(0, 4, 10), rank(0, 4, 30)];
        let [one, other] = of_host;
        let whole = trial(&[(0, one), (0, other), (1, rank(0, 4, 20))]);
        let together = whole.together.as_ref().unwrap();
        assert_eq!(together.hosts.len(), 2);
        assert_eq!(together.hosts[0].in_window.ios, 160);
        assert_eq!(together.hosts[0].slowest, Bytes(40 * BLOCK));
        assert_eq!(together.hosts[0].outcome.ios(), 160);
    }

    #[test]
    fn hosts_that_never_ran_together_have_no_window() {
        let whole = trial(&[(0, rank(0, 1, 10)), (1, rank(3 * SECOND, 1, 10))]);
        let together = whole.together.as_ref().unwrap();
        assert_eq!(together.window(), None);
        assert_eq!(whole.outcome.ios(), 0);
        assert_eq!(whole.outcome.bytes_per_second(), None);
        // The devices have counted it.
        assert_eq!(whole.outcome.in_ramp[Operation::Read.index()].ios, 20);
        assert_eq!(together.hosts[0].outcome.ios(), 10);
    }

    #[test]
    fn nothing_is_left_where_all_are_lost() {
        assert_eq!(Trial::together(vec![None, None]), []);
        let left = Trial::together(vec![None, Some((1, rank(0, 2, 5)))]);
        assert_eq!(left[0].outcome.ios(), 10);
    }
}
