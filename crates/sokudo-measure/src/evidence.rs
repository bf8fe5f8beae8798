//! A trial with its evidence: what the system says before it and after it.
//!
//! Every trial of every command is made here, so that none is judged by less than another.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use sokudo_device::{
    CounterSource, DriveMonitor, GroupCounters, Neighbours, ProcessorWatch, System,
};
use sokudo_engine::{Control, StageOptions, Target, TreeError, TreeRun, run_stage, run_tree};
use sokudo_model::{
    BackendKind, Bytes, DeviceCounters, Event, Moved, Nanos, Operation, Outcome, ProcessorEvidence,
    Stage, TargetKind, Trial, TrialEvidence, Workload, narrow,
};
use sokudo_stats::mix64;

use crate::error::MeasureError;
use crate::subject::PreparedTargets;
use crate::together::Together;

/// The state that a trial finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoundState {
    Settled,
    /// As the trial before has left it.
    AsLeft,
}

impl PreparedTargets {
    /// Makes one trial of a stage, one for each of its workloads. Where this process is one of
    /// several, it makes its part, and the trial is that of all.
    pub(crate) fn trial(
        &mut self,
        stage: &Stage,
        start: FoundState,
        options: StageOptions,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Vec<Trial>, MeasureError> {
        let Some(mut together) = self.together.take() else {
            return self.own_trial(stage, start, options, None, control, listener);
        };
        let part = together.share(stage, self.info().size_bytes);
        let options = StageOptions {
            seed: together.seed(options.seed),
            ..options
        };
        let others = Some(&mut together);
        let trials = self.own_trial(&part, start, options, others, control, listener);
        let is_simulated = self.info().kind == TargetKind::Simulated;
        let joined = trials.and_then(|trials| together.joined(trials, is_simulated));
        if let Err(error) = &joined {
            together.end_by(error);
        }
        self.together = Some(together);
        joined
    }

    fn own_trial(
        &mut self,
        stage: &Stage,
        start: FoundState,
        options: StageOptions,
        mut others: Option<&mut Together>,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Vec<Trial>, MeasureError> {
        self.switch_caches(&stage.workloads[0])?;
        if start == FoundState::Settled {
            self.settle(&all_targets_of(stage), stage)?;
        }
        let measuring = Measuring(self.drive_monitor.clone());
        let mut before = EvidenceBefore::look(self, stage);
        let mut listen = |event: Event| {
            before.hear(&event);
            let is_ready = event == Event::StageReady;
            if is_ready {
                before.began = measuring.begin();
            }
            listener(event);
            if let Some(others) = others.as_mut().filter(|_| is_ready) {
                others.start(control);
            }
        };
        let outcomes = self.run(stage, options, control, &mut listen);
        self.note_written(&all_targets_of(stage), stage);
        let outcomes = outcomes?;
        outcomes
            .first()
            .iter()
            .for_each(|first| self.clock.add(first));
        if let Some(others) = others {
            others.end()?;
        }
        assert_eq!(
            outcomes.len(),
            stage.workloads.len(),
            "the engine returns an outcome per workload"
        );
        drop(measuring);
        let trials = before.after(self, outcomes);
        if stage.workloads[0].files.from_empty {
            self.look_at(0);
        }
        Ok(trials)
    }

    /// What is between the two looks.
    fn run(
        &mut self,
        stage: &Stage,
        options: StageOptions,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Vec<Outcome>, MeasureError> {
        let workload = &stage.workloads[0];
        let Some(tree) = workload.tree() else {
            return Ok(run_stage(
                stage,
                options,
                &mut self.targets,
                control,
                listener,
            )?);
        };
        let directory = self.directory().ok_or_else(|| TreeError::NoTree {
            name: workload.name.clone(),
            operation: workload.operations.direction(),
        })?;
        let run = TreeRun {
            directory,
            // Both kinds of names have files of their own.
            seed: mix64(options.seed ^ tree.names as u64),
            control,
        };
        Ok(vec![run_tree(workload, run, listener)?])
    }
}

/// A look at other processes behind a trial serves the next one that begins so soon.
const LOOK_AGE_MAX: Duration = Duration::from_millis(200);

impl PreparedTargets {
    /// What other processes have moved so far.
    fn neighbours(&mut self) -> Neighbours {
        let seen = self.seen_neighbours.take();
        let young = seen.filter(|(at, _)| at.elapsed() <= LOOK_AGE_MAX);
        young.map_or_else(|| Neighbours::look(&System::host()), |(_, seen)| seen)
    }
}

/// While it is there, I/O may be measured: what is seen beside the run leaves drives alone that it
/// would disturb.
struct Measuring(Option<DriveMonitor>);

impl Measuring {
    /// Has the monitor leave drives alone from now on; `None` without a monitor.
    fn begin(&self) -> Option<Nanos> {
        let monitor = self.0.as_ref()?;
        monitor.set_measuring(true);
        Some(monitor.now())
    }
}

impl Drop for Measuring {
    fn drop(&mut self) {
        self.0
            .iter()
            .for_each(|monitor| monitor.set_measuring(false));
    }
}

/// What the system said before a trial.
struct EvidenceBefore {
    /// When the trial began, on the clock of what is seen beside the run.
    began: Option<Nanos>,
    /// The targets of each workload.
    used: Vec<Vec<usize>>,
    /// What of each workload's targets was in the page cache.
    cached: Vec<Option<Bytes>>,
    others: Option<Neighbours>,
    /// Where each workload's devices count.
    sources: Vec<CounterSource>,
    counted: Vec<Option<DeviceCounters>>,
    /// What they had counted when the measured part was over, where something follows it.
    counted_after: Option<Vec<Option<DeviceCounters>>>,
    /// What our control group had counted, where one workload runs whose devices are not seen.
    group: Option<GroupCounters>,
    group_after: Option<GroupCounters>,
    simulated: Vec<Option<DeviceCounters>>,
    /// The last thing that is looked at, because other looks take processor time.
    processors: Option<ProcessorWatch>,
    /// What they did until the measured part was over, where something follows it.
    processors_after: Option<ProcessorEvidence>,
}

impl EvidenceBefore {
    fn look(subject: &mut PreparedTargets, stage: &Stage) -> Self {
        let used: Vec<Vec<usize>> = stage.workloads.iter().map(Workload::targets).collect();
        let cached = |(workload, used): (&Workload, &Vec<usize>)| match workload.tree() {
            Some(_) => None,
            None => subject.cached(used),
        };
        let cached = stage.workloads.iter().zip(&used).map(cached).collect();
        let is_imaginary = |it: &Target| matches!(it, Target::Simulated(_) | Target::Null(_));
        let is_real = subject.directory().is_some() || !subject.targets.iter().all(is_imaginary);
        let others = is_real.then(|| subject.neighbours());
        let sources = sources(subject, stage, &used);
        let counted = read(&sources);
        // A group does not say who caused what.
        let is_unseen = is_real && counted[..] == [None];
        Self {
            began: None,
            cached,
            others,
            counted,
            sources,
            counted_after: None,
            group: group(is_unseen),
            group_after: None,
            simulated: simulated_counters(subject, &used),
            used,
            processors: is_real.then(|| ProcessorWatch::look(&System::host())),
            processors_after: None,
        }
    }

    /// Looks at counters and processors again where the measured part ends.
    fn hear(&mut self, event: &Event) {
        // What is flushed behind the measured part did not arrive in it.
        if matches!(event, Event::MakingDurable { .. }) && self.counted_after.is_none() {
            self.counted_after = Some(read(&self.sources));
            self.group_after = group(self.group.is_some());
            self.processors_after = self.processors.as_ref().map(ProcessorWatch::since_then);
        }
    }

    /// Looks again, and puts to each outcome what was seen of it.
    fn after(self, subject: &mut PreparedTargets, outcomes: Vec<Outcome>) -> Vec<Trial> {
        let after = self.counted_after.unwrap_or_else(|| read(&self.sources));
        let group_after = self.group_after.or_else(|| group(self.group.is_some()));
        let group = self.group.zip(group_after);
        let group = group.and_then(|(before, after)| after.since(&before));
        let until_now = || self.processors.as_ref().map(ProcessorWatch::since_then);
        let processors = self.processors_after.or_else(until_now);
        let simulated_after = simulated_counters(subject, &self.used);
        let foreign = self.others.map(|before| {
            let now = Neighbours::look(&System::host());
            let foreign = now.since(&before);
            subject.seen_neighbours = Some((Instant::now(), now));
            foreign
        });
        let after = after.iter().zip(&simulated_after);
        let before = self.counted.iter().zip(&self.simulated);
        let counted: Vec<_> = after
            .map(|(real, simulated)| real.as_ref().or(simulated.as_ref()))
            .zip(before.map(|(real, simulated)| real.as_ref().or(simulated.as_ref())))
            .map(|(after, before)| Some(after?.since(before?)))
            .collect();
        // Simulated devices count apart, and nowhere else.
        let simulated = self.simulated.iter().zip(&self.used);
        let simulated = simulated.map(|(counts, used)| counts.and(used.first()));
        let sources: Vec<_> = self.sources.iter().zip(simulated).collect();
        let devices = shares(&sources, &counted, &outcomes);
        outcomes
            .into_iter()
            .zip(devices)
            .zip(self.cached)
            .map(|((outcome, device), cached_before)| Trial {
                outcome: outcome.compact(),
                evidence: TrialEvidence {
                    device,
                    group: group.clone(),
                    cached_before,
                    began: self.began,
                    foreign: foreign.clone(),
                    processors: processors.clone(),
                },
                together: None,
            })
            .collect()
    }
}

/// What our control group has counted, where that is asked for.
fn group(is_wanted: bool) -> Option<GroupCounters> {
    is_wanted
        .then(|| GroupCounters::look(&System::host()))
        .flatten()
}

fn read(sources: &[CounterSource]) -> Vec<Option<DeviceCounters>> {
    sources.iter().map(CounterSource::read).collect()
}

/// What the simulated device of each workload has counted, where it uses one: the engine lets a
/// workload use no other beside it.
fn simulated_counters(
    subject: &PreparedTargets,
    used: &[Vec<usize>],
) -> Vec<Option<DeviceCounters>> {
    let of_workload = |used: &Vec<usize>| match subject.targets.get(*used.first()?)? {
        Target::Simulated(simulated) => Some(simulated.device.counters()),
        _ => None,
    };
    used.iter().map(of_workload).collect()
}

/// All targets that a stage uses, each once.
fn all_targets_of(stage: &Stage) -> Vec<usize> {
    let used: BTreeSet<usize> = stage.workloads.iter().flat_map(Workload::targets).collect();
    used.into_iter().collect()
}

/// Where each workload's devices count. Files of one storage have equal sources; a
/// workload on several has none that could be attributed.
fn sources(subject: &PreparedTargets, stage: &Stage, used: &[Vec<usize>]) -> Vec<CounterSource> {
    let of_workload = |(workload, targets): (&Workload, &Vec<usize>)| {
        let mut sources = targets
            .iter()
            .filter_map(|index| subject.opened.get(*index))
            .map(|opened| match workload.backend {
                // The kernel counts nothing of it.
                BackendKind::IoUringCmd => opened
                    .info
                    .path
                    .as_deref()
                    .map(|node| CounterSource::of_drive(Path::new(node))),
                _ => Some(opened.counters.clone()),
            });
        let first = sources.next()?;
        first.filter(|first| sources.all(|source| source.as_ref() == Some(first)))
    };
    let sources = stage.workloads.iter().zip(used).map(of_workload);
    sources.map(Option::unwrap_or_default).collect()
}

/// What the devices counted for each workload. Workloads that run together on one
/// storage share its counters: each gets the part that fits the bytes it moved, its ramp
/// included, for no counter says who caused what.
fn shares<S: PartialEq>(
    sources: &[S],
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
        merged_reads: part(counted.merged_reads, Operation::Read, ios),
        merged_writes: part(counted.merged_writes, Operation::Write, ios),
        // It is not told apart by operation.
        request_time: counted.request_time.filter(|_| together.len() == 1),
        uncertain_bytes: counted.uncertain_bytes,
    }
}

/// `count × own / all`, rounded to the nearest, of a share that is no more than all.
fn scaled(count: u64, own: u64, all: u64) -> u64 {
    let product = u128::from(count) * u128::from(own) + u128::from(all / 2);
    narrow(product / u128::from(all.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{BackendKind, Bytes, OperationTally, StopReason};

    fn outcome(read: u64, written: u64) -> Outcome {
        let mut outcome = Outcome::new(BackendKind::Psync, StopReason::Time);
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
}
