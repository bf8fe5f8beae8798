//! Runs the stages of a plan one after the other on its storage, with the evidence of
//! each.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::anyhow;
use sokudo_device::{CounterSource, Neighbours, System};
use sokudo_engine::{Control, StageOptions, Target, ends_plan, run_stage};
use sokudo_model::{
    DeviceCounters, Event, Moved, Operation, Outcome, Plan, Row, Stage, Trial, TrialEvidence,
    Workload,
};

use super::storage::Storage;
use crate::exit::Exit;
use crate::subject::from_stage;

/// What is told while a plan runs: events whose workloads count through the whole
/// plan.
pub(crate) trait Listener {
    /// The stage of this number begins, whose first workload has the index `first`.
    fn stage_begins(&mut self, stage: usize, first: usize);
    /// It ended.
    fn stage_ends(&mut self);
    /// Something happened in it.
    fn event(&mut self, first: usize, event: &Event);
}

/// Which time a plan is run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Repeat {
    /// 0 for the first time.
    pub(crate) trial: u32,
    /// How often every workload tells what it did so far; `None` is never.
    pub(crate) snapshot_every: Option<Duration>,
}

/// Rows without trials, one per workload of the plan.
pub(crate) fn empty_rows(plan: &Plan) -> Vec<Row> {
    plan.stages
        .iter()
        .flat_map(|stage| &stage.workloads)
        .map(|workload| Row {
            workload: workload.clone(),
            trials: Vec::new(),
            assessment: None,
        })
        .collect()
}

/// Runs every stage once and adds a trial to every row that was reached.
///
/// A failed workload ends nothing but itself, unless the plan says so, and a stage that
/// cannot start leaves its rows without a trial and its error in what is returned. An
/// interruption ends everything and keeps what was measured.
pub(crate) fn run(
    plan: &Plan,
    repeat: Repeat,
    storage: &mut Storage,
    rows: &mut [Row],
    control: &Control,
    listener: &mut dyn Listener,
) -> Vec<Exit> {
    let mut errors = Vec::new();
    let (mut first, mut clones_before) = (0, 0);
    for (number, stage) in plan.stages.iter().enumerate() {
        if control.is_cancelled() {
            break;
        }
        // A stage that a job has ended early ends no other.
        control.rearm();
        listener.stage_begins(number, first);
        let seed =
            sokudo_stats::mix64(plan.seed ^ ((number as u64) << 32 | u64::from(repeat.trial)));
        let options = StageOptions {
            seed,
            snapshot_every: repeat.snapshot_every,
            clones_before,
            ..StageOptions::default()
        };
        let trials = run_one(stage, options, storage, control, &mut |event| {
            listener.event(first, event);
        });
        listener.stage_ends();
        let mut ends_here = false;
        match trials {
            Ok(trials) => {
                ends_here = (stage.workloads.iter().zip(&trials))
                    .any(|(workload, trial)| ends_plan(workload, trial.outcome.stopped));
                for (row, trial) in rows[first..].iter_mut().zip(trials) {
                    row.trials.push(trial);
                }
            }
            Err(error) => errors.push(error),
        }
        if ends_here {
            break;
        }
        first += stage.workloads.len();
        clones_before += stage
            .workloads
            .iter()
            .map(|workload| workload.clones)
            .sum::<u32>();
    }
    errors
}

fn run_one(
    stage: &Stage,
    options: StageOptions,
    storage: &mut Storage,
    control: &Control,
    tell: &mut dyn FnMut(&Event),
) -> Result<Vec<Trial>, Exit> {
    let used: Vec<Vec<usize>> = stage.workloads.iter().map(targets_of).collect();
    let all: BTreeSet<usize> = used.iter().flatten().copied().collect();
    let all: Vec<usize> = all.into_iter().collect();
    storage.settle(&all);
    let cached: Vec<_> = used.iter().map(|targets| storage.cached(targets)).collect();
    let sources = sources(storage, &used);
    let is_real = |target: &Target| !matches!(target, Target::Simulated(_) | Target::Null(_));
    let others = storage.targets.iter().any(is_real);
    let others = others.then(|| Neighbours::look(&System::host()));
    let read = || -> Vec<_> { sources.iter().map(CounterSource::read).collect() };
    let before = read();
    let simulated_before = simulated_counters(storage);
    let mut listen = |event: Event| tell(&event);
    let outcomes = run_stage(stage, options, &mut storage.targets, control, &mut listen)
        .map_err(from_stage)?;
    if outcomes.len() != stage.workloads.len() {
        return Err(Exit::Failed(anyhow!(
            "{} jobs ran and {} results came back; this is a fault of sokudo",
            stage.workloads.len(),
            outcomes.len()
        )));
    }
    let after = read();
    let foreign = others.map(Neighbours::since_then);
    let counted: Vec<Option<DeviceCounters>> = after
        .iter()
        .zip(&before)
        .map(|(after, before)| Some(after.as_ref()?.since(before.as_ref()?)))
        .collect();
    let counted = match simulated_counters(storage).zip(simulated_before) {
        Some((after, before)) => vec![Some(after.since(&before)); outcomes.len()],
        None => counted,
    };
    let devices = shares(&sources, &counted, &outcomes);
    Ok(outcomes
        .into_iter()
        .zip(devices)
        .zip(cached)
        .map(|((outcome, device), cached_before)| Trial {
            outcome,
            evidence: TrialEvidence {
                device,
                cached_before,
                foreign: foreign.clone(),
            },
        })
        .collect())
}

/// What the simulated device has counted; `None` if there is none.
fn simulated_counters(storage: &Storage) -> Option<DeviceCounters> {
    storage.targets.iter().find_map(|target| match target {
        Target::Simulated(simulated) => Some(simulated.device.counters()),
        _ => None,
    })
}

/// The targets that a workload uses, as indices into the plan's.
pub(crate) fn targets_of(workload: &Workload) -> Vec<usize> {
    if workload.files.uses.is_empty() {
        return vec![0];
    }
    workload
        .files
        .uses
        .iter()
        .filter_map(|part| usize::try_from(part.target).ok())
        .collect()
}

/// Where each workload's devices count. Files of one storage have equal sources; a
/// workload on several has none that could be attributed.
fn sources(storage: &Storage, used: &[Vec<usize>]) -> Vec<CounterSource> {
    used.iter()
        .map(|targets| {
            let mut sources = targets
                .iter()
                .filter_map(|index| storage.pieces.get(*index))
                .map(|piece| &piece.counters);
            let Some(first) = sources.next() else {
                return CounterSource::default();
            };
            if sources.all(|source| source == first) {
                first.clone()
            } else {
                CounterSource::default()
            }
        })
        .collect()
}

/// What the devices counted for each workload. Workloads that run together on one
/// storage share its counters: each gets the part that fits the bytes it moved, its ramp
/// included, for no counter says who caused what.
fn shares(
    sources: &[CounterSource],
    counted: &[Option<DeviceCounters>],
    outcomes: &[Outcome],
) -> Vec<Option<DeviceCounters>> {
    (0..outcomes.len())
        .map(|index| {
            let together: Vec<&Outcome> = outcomes
                .iter()
                .zip(sources)
                .filter(|(_, source)| **source == sources[index])
                .map(|(outcome, _)| outcome)
                .collect();
            Some(share(&counted[index]?, &outcomes[index], &together))
        })
        .collect()
}

fn share(counted: &DeviceCounters, own: &Outcome, together: &[&Outcome]) -> DeviceCounters {
    let part = |count: u64, operation: Operation, of: fn(Moved) -> u64| {
        let moved = |outcome: &Outcome| {
            let mut moved = outcome.in_ramp[operation.index()];
            if let Some(tally) = outcome.operation(operation) {
                moved.add(Moved {
                    bytes: tally.bytes,
                    ios: tally.ios,
                });
            }
            of(moved)
        };
        match together.iter().map(|outcome| moved(outcome)).sum() {
            // What nobody here asked for is seen by all alike.
            0 => count,
            all => scaled(count, moved(own), all),
        }
    };
    let bytes = |moved: Moved| moved.bytes.0;
    let ios = |moved: Moved| moved.ios;
    DeviceCounters {
        read_ios: part(counted.read_ios, Operation::Read, ios),
        read_bytes: part(counted.read_bytes, Operation::Read, bytes),
        written_ios: part(counted.written_ios, Operation::Write, ios),
        written_bytes: part(counted.written_bytes, Operation::Write, bytes),
        flushes: part(counted.flushes, Operation::Flush, ios),
    }
}

/// `count × own / all`, rounded to the nearest.
fn scaled(count: u64, own: u64, all: u64) -> u64 {
    let product = u128::from(count) * u128::from(own) + u128::from(all / 2);
    u64::try_from(product / u128::from(all.max(1))).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{BackendKind, BackendUse, Bytes, FileUse, OperationTally, StopReason};

    fn outcome(read: u64, written: u64) -> Outcome {
        let backend = BackendUse {
            kind: BackendKind::Psync,
            features: Vec::new(),
            notes: Vec::new(),
        };
        let mut outcome = Outcome::new(backend, StopReason::Time);
        for (operation, bytes) in [(Operation::Read, read), (Operation::Write, written)] {
            if bytes > 0 {
                outcome.operations.push(OperationTally {
                    bytes: Bytes(bytes),
                    ios: bytes / 4096,
                    ..OperationTally::new(operation)
                });
            }
        }
        outcome
    }

    fn counters(read_bytes: u64, written_bytes: u64) -> DeviceCounters {
        DeviceCounters {
            read_bytes,
            written_bytes,
            ..DeviceCounters::default()
        }
    }

    #[test]
    fn jobs_that_run_together_share_what_their_device_counted() {
        let outcomes = [outcome(3 << 20, 0), outcome(1 << 20, 1 << 20)];
        let sources = [CounterSource::default(), CounterSource::default()];
        let counted = [Some(counters(4 << 20, 1 << 20)); 2];
        let shares = shares(&sources, &counted, &outcomes);
        assert_eq!(shares[0].unwrap().read_bytes, 3 << 20);
        assert_eq!(shares[0].unwrap().written_bytes, 0);
        assert_eq!(shares[1].unwrap().read_bytes, 1 << 20);
        assert_eq!(shares[1].unwrap().written_bytes, 1 << 20);
    }

    #[test]
    fn what_nobody_asked_for_is_seen_by_all() {
        let outcomes = [outcome(1 << 20, 0), outcome(1 << 20, 0)];
        let counted = counters(2 << 20, 7);
        let together: Vec<_> = outcomes.iter().collect();
        assert_eq!(share(&counted, &outcomes[0], &together).written_bytes, 7);
    }

    #[test]
    fn what_a_ramp_moved_is_part_of_a_jobs_share() {
        let mut ramped = outcome(1 << 20, 0);
        ramped.in_ramp[Operation::Read.index()].bytes = Bytes(2 << 20);
        let other = outcome(1 << 20, 0);
        let counted = counters(4 << 20, 0);
        let share = |own| share(&counted, own, &[&ramped, &other]).read_bytes;
        assert_eq!((share(&ramped), share(&other)), (3 << 20, 1 << 20));
    }

    #[test]
    fn a_workload_without_files_uses_the_first_target() {
        let mut workload = Workload::new("x", Bytes(4096));
        assert_eq!(targets_of(&workload), [0]);
        workload.files.uses = vec![
            FileUse {
                target: 2,
                span: None,
            },
            FileUse {
                target: 1,
                span: None,
            },
        ];
        assert_eq!(targets_of(&workload), [2, 1]);
    }
}
