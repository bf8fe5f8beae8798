//! What disks lose when they are used at the same time: each test of each of them alone, and
//! together with the others.
//!
//! What rules and documents say of it is answered here once. It judges nothing.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use sokudo_stats::{Summary, shift};

use crate::plan::{Stage, Workload};
use crate::run::Run;
use crate::trial::Row;
use crate::units::Nanos;

/// Confidence of the interval of what is left of a rate.
const CONFIDENCE: f64 = 0.95;

/// A disk loses something where it keeps no more than this of its rate, and its interval is below
/// all of it: less is what a run differs from another by.
pub const KEPT_MAX: f64 = 0.95;

/// What stands between the name of a test and that of a disk.
const ON: &str = " @";

/// What a test is called on one disk of several, alone (0 others) or together with so many.
pub fn row_name(test: &str, disk: &str, others: usize) -> String {
    match others {
        0 => format!("{test}{ON}{disk}"),
        _ => format!("{test}{ON}{disk}+{others}"),
    }
}

/// What the disk of a row is called, where it has one of several.
pub fn disk_of(name: &str) -> Option<&str> {
    let (_, disk) = name.rsplit_once(ON)?;
    Some(disk.rsplit_once('+').map_or(disk, |(disk, _)| disk))
}

/// The test and the disk of a row that is made alone.
fn parts_of(name: &str) -> (&str, &str) {
    name.rsplit_once(ON).unwrap_or((name, name))
}

/// Tests that disks have made alone and together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Contention {
    /// In the plan's order.
    pub tests: Vec<SharingTest>,
}

/// A test that disks have made alone and together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SharingTest {
    /// What people call it, such as `SEQ1M Q8T1`.
    pub name: String,
    /// Each disk that it was made on, in the order of the targets; at least two.
    pub disks: Vec<SharingDisk>,
    /// All disks added; `null` until all were measured.
    pub sum: Option<SharedRates>,
}

/// One disk in a test.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SharingDisk {
    /// What it is called in the names of rows.
    #[serde(rename = "disk")]
    pub label: String,
    /// Its place among the targets of the run, from 0.
    pub target: usize,
    /// The place of its row alone, from 0.
    pub alone: usize,
    /// The same of its row together with the others.
    pub together: usize,
    /// Both rates; `null` until both were measured.
    pub rates: Option<SharedRates>,
}

/// What is left of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SharedRates {
    /// Bytes per second alone, the median of the trials; of all disks the sum.
    #[serde(rename = "alone_bytes_per_s")]
    pub alone: f64,
    /// The same together with others.
    #[serde(rename = "together_bytes_per_s")]
    pub together: f64,
    /// Share of the rate that is left: together ÷ alone.
    pub kept: f64,
    /// Its 95 % interval by the trials of both; `null` with too few of them, and of a sum.
    #[serde(rename = "kept_interval_95")]
    pub kept_95: Option<[f64; 2]>,
    /// Whether sharing costs something: it keeps 95 % at most, and its interval is below 100 %.
    pub loses: bool,
}

impl SharedRates {
    /// Of a survey only the places count that were visited while all disks were measured, `overlap`:
    /// the last disk has everything for itself, and rates differ from place to place.
    fn of(alone: &Row, together: &Row, overlap: Option<Nanos>) -> Option<Self> {
        let sample_count = overlap.map_or(usize::MAX, |overlap| samples_within(together, overlap));
        let [before, after] = [alone, together].map(|row| rates_of(row, sample_count));
        let [alone, together] = [&before, &after].map(|rates| Summary::of(rates));
        let (alone, together) = (alone?.median, together?.median);
        let logarithms = |rates: Vec<f64>| rates.iter().map(|rate| rate.ln()).collect::<Vec<_>>();
        let shift = shift(&logarithms(before), &logarithms(after), CONFIDENCE);
        let interval = shift.and_then(|shift| shift.interval);
        let interval = interval.map(|it| [it.low.exp(), it.high.exp()]);
        Some(Self::new(alone, together, interval))
    }

    fn new(alone: f64, together: f64, kept_95: Option<[f64; 2]>) -> Self {
        let kept = together / alone;
        Self {
            alone,
            together,
            kept,
            kept_95,
            loses: kept <= KEPT_MAX && kept_95.is_none_or(|[_, high]| high < 1.0),
        }
    }

    /// The rates of disks, added; `None` unless all are known.
    pub fn sum<'a>(disks: impl IntoIterator<Item = &'a SharingDisk>) -> Option<Self> {
        let all: Option<Vec<Self>> = disks.into_iter().map(|disk| disk.rates).collect();
        let all = all?;
        let alone: f64 = all.iter().map(|rates| rates.alone).sum();
        let together: f64 = all.iter().map(|rates| rates.together).sum();
        Some(Self::new(alone, together, None))
    }
}

impl Contention {
    /// What a run has measured alone and together; `None` of one that has not done both.
    pub fn of(run: &Run) -> Option<Self> {
        let stages = numbered(&run.plan.stages);
        let tests = stages.iter().filter_map(|(first, stage)| {
            let is_several = stage.workloads.len() > 1;
            is_several.then(|| test(run, &stages, *first, stage))?
        });
        let tests: Vec<SharingTest> = tests.collect();
        (!tests.is_empty()).then_some(Self { tests })
    }
}

/// Stages with the number of their first row.
fn numbered(stages: &[Stage]) -> Vec<(usize, &Stage)> {
    let mut first = 0;
    let mut numbered = Vec::new();
    for stage in stages {
        numbered.push((first, stage));
        first += stage.workloads.len();
    }
    numbered
}

/// The test of a stage whose workloads each have a disk of their own, and were made alone, too.
fn test(run: &Run, stages: &[(usize, &Stage)], first: usize, stage: &Stage) -> Option<SharingTest> {
    let target = |workload: &Workload| match workload.targets()[..] {
        [target] => Some(target),
        _ => None,
    };
    let targets: Option<BTreeSet<usize>> = stage.workloads.iter().map(target).collect();
    if targets?.len() < stage.workloads.len() {
        return None;
    }
    let overlap = overlap(run.rows.get(first..)?.get(..stage.workloads.len())?);
    let disks = (first..).zip(&stage.workloads).map(|(together, workload)| {
        let is_alone = |stage: &Stage| match &stage.workloads[..] {
            [alone] => is_same_work(alone, workload),
            _ => false,
        };
        let (alone, stage) = stages.iter().find(|(_, stage)| is_alone(stage))?;
        let (_, label) = parts_of(&stage.workloads[0].name);
        let rows = run.rows.get(*alone).zip(run.rows.get(together));
        Some(SharingDisk {
            label: label.to_owned(),
            target: target(workload)?,
            alone: *alone,
            together,
            rates: rows.and_then(|(alone, together)| SharedRates::of(alone, together, overlap)),
        })
    });
    let disks: Vec<SharingDisk> = disks.collect::<Option<_>>()?;
    let first = run.rows.get(disks.first()?.alone)?;
    Some(SharingTest {
        name: parts_of(&first.workload.name).0.to_owned(),
        sum: SharedRates::sum(&disks),
        disks,
    })
}

/// Whether two workloads do the same, whatever they are called.
fn is_same_work(one: &Workload, other: &Workload) -> bool {
    let unnamed = |workload: &Workload| Workload {
        name: String::new(),
        ..workload.clone()
    };
    unnamed(one) == unnamed(other)
}

/// How long all surveys of a stage went on, by the shortest trial; `None` of anything else.
fn overlap(rows: &[Row]) -> Option<Nanos> {
    let trials = rows.iter().flat_map(|row| &row.trials);
    let are_surveys = rows.iter().all(|row| row.workload.survey().is_some());
    let shortest = trials.map(|trial| trial.outcome.elapsed).min();
    shortest.filter(|_| are_surveys)
}

/// How many places every trial of a row had visited by then; at least one.
fn samples_within(row: &Row, time: Nanos) -> usize {
    let within = row.trials.iter().map(|trial| {
        let mut elapsed = 0_u64;
        let samples = trial.outcome.samples.iter().take_while(|sample| {
            elapsed = elapsed.saturating_add(sample.elapsed.0);
            elapsed <= time.0
        });
        samples.count().max(1)
    });
    within.min().unwrap_or(1)
}

/// Bytes per second of each trial; of a survey over its first places.
fn rates_of(row: &Row, sample_count: usize) -> Vec<f64> {
    let rates = row.trials.iter().filter_map(|trial| {
        let all = &trial.outcome.samples;
        match all.get(..sample_count.min(all.len())) {
            Some(first @ [_, ..]) => {
                let bytes: u64 = first.iter().map(|sample| sample.bytes.0).sum();
                let elapsed: u64 = first.iter().map(|sample| sample.elapsed.0).sum();
                Some(bytes as f64 / Nanos(elapsed).as_secs_f64())
            }
            _ => trial.outcome.bytes_per_second(),
        }
    });
    rates
        .filter(|rate| rate.is_finite() && *rate > 0.0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Method;
    use crate::plan::{BackendKind, FileUse, Operation, Plan};
    use crate::run::Schedule;
    use crate::target::{TargetInfo, TargetKind};
    use crate::trial::{OperationTally, Outcome, StopReason, Trial};
    use crate::units::Bytes;

    fn workload(name: &str, target: u32) -> Workload {
        let mut workload = Workload::new(name, Bytes(4096));
        workload.files.uses = vec![FileUse { target, span: None }];
        workload
    }

    fn trial(bytes_per_s: u64) -> Trial {
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Time);
        outcome.elapsed = Nanos::from_secs(1);
        outcome.operations.push(OperationTally {
            bytes: Bytes(bytes_per_s),
            ios: 1,
            ..OperationTally::new(Operation::Read)
        });
        Trial {
            outcome,
            evidence: Default::default(),
            together: None,
        }
    }

    /// Two disks alone and together, at these rates, give or take a little.
    fn run(rates: [u64; 4]) -> Run {
        let alone = [workload("a", 0), workload("b", 1)];
        let together = [workload("a+1", 0), workload("b+1", 1)];
        let mut plan = Plan::in_turn(Method::from("test"), 0, alone.to_vec());
        plan.stages.push(Stage {
            workloads: together.to_vec(),
        });
        let target = TargetInfo::new("", TargetKind::Null);
        let mut run = Run::new(plan, Schedule::in_turn(6, Nanos(0)), target);
        run.rows = alone.into_iter().chain(together).map(Row::new).collect();
        for (row, rate) in run.rows.iter_mut().zip(rates) {
            row.trials = (0..6).map(|number| trial(rate + number)).collect();
        }
        run
    }

    #[test]
    fn each_disk_is_compared_with_itself_alone() {
        let sharing = Contention::of(&run([4_000_000, 1_000_000, 3_000_000, 1_000_000])).unwrap();
        let [test] = &sharing.tests[..] else {
            panic!("one test")
        };
        let [first, second] = &test.disks[..] else {
            panic!("two disks")
        };
        assert_eq!((first.alone, first.together), (0, 2));
        let kept = |disk: &SharingDisk| disk.rates.unwrap().kept;
        assert!((kept(first) - 0.75).abs() < 1e-3 && (kept(second) - 1.0).abs() < 1e-3);
        let [low, high] = first.rates.unwrap().kept_95.unwrap();
        assert!(low <= 0.7500003 && high >= 0.75 - 1e-6);
        assert!((test.sum.unwrap().kept - 0.8).abs() < 1e-3);
    }

    #[test]
    fn what_was_not_made_alone_tells_nothing_of_sharing() {
        let mut run = run([1, 1, 1, 1]);
        run.plan.stages[0].workloads[0].depth = 9;
        assert_eq!(Contention::of(&run), None);
    }

    #[test]
    fn a_disk_that_was_not_reached_has_no_rates() {
        let mut run = run([1, 1, 1, 1]);
        run.rows[3].trials.clear();
        let sharing = Contention::of(&run).unwrap();
        assert_eq!(sharing.tests[0].disks[1].rates, None);
        assert_eq!(sharing.tests[0].sum, None);
    }
}
