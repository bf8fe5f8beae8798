//! `sokudo bonnie`: Bonnie++'s phases, with evidence and verdicts.
//!
//! Everything happens in a file and a directory of our own. Nothing of the user's is
//! opened for writing.

mod watching;

use std::path::Path;

use anyhow::{Context, anyhow};
use sokudo_device::{CounterSource, Inspected, Neighbours, System, Watch};
use sokudo_dialect::bonnie::Phases;
use sokudo_engine::{
    Control, OwnDirectory, StageOptions, TestFile, TreeError, TreeRun, run_stage, run_tree,
};
use sokudo_model::{
    Bytes, Environment, Event, FileTree, Nanos, Outcome, Plan, Row, Run, Schedule, StopReason,
    TargetInfo, TargetKind, Trial, TrialEvidence, Workload,
};
use sokudo_report::{RunDocument, bonnie};

use crate::cli::BonnieArguments;
use crate::exit::Exit;
use crate::interrupt;
use crate::jobs::carry_out::since_epoch;
use crate::measurement::{self, Finished};
use crate::output;
use crate::subject::{Named, describe_file, from_stage, from_test_file};
use crate::words::{self, Reader};
use watching::Watching;

/// Bonnie++ wants a file so many times as large as the memory.
const MEMORY_MULTIPLE: u64 = 2;

/// Measures and prints.
pub(crate) fn run(arguments: &BonnieArguments) -> Result<(), Exit> {
    output::check(&arguments.printing)?;
    let control = Control::new();
    interrupt::watch(&control)?;
    let finished = measured(arguments, &control)?;
    finished.conclude_by(&arguments.printing, |it| print(arguments, it))
}

/// What was measured as the arguments ask.
pub(crate) fn measured(arguments: &BonnieArguments, control: &Control) -> Result<Finished, Exit> {
    let named = Named::recognise(&arguments.directory)?;
    let seed = arguments.seed.unwrap_or_else(|| named.default_seed());
    let inspected = directory(arguments, named)?;
    let environment = sokudo_device::environment(&System::host());
    let plan = phases(arguments, &environment, seed)?.plan();
    if plan.stages.is_empty() {
        return Err(Exit::usage(anyhow!(
            "there is nothing to measure: --size 0 and --files 0 leave all phases out; leave out one of them"
        )));
    }
    let run = measure(arguments, inspected, environment, plan, control)?;
    Ok(Finished {
        document: RunDocument::from_run(&run),
        ended_by: measurement::verdict(&run).err(),
        run,
    })
}

fn directory(arguments: &BonnieArguments, named: Named) -> Result<Inspected, Exit> {
    match named {
        Named::Path(inspected) if inspected.info.kind == TargetKind::Directory => Ok(inspected),
        _ => Err(Exit::usage(anyhow!(
            "{} is no directory, and Bonnie++'s phases make files; name a directory on the disk to be measured",
            arguments.directory
        ))),
    }
}

fn phases(
    arguments: &BonnieArguments,
    environment: &Environment,
    seed: u64,
) -> Result<Phases, Exit> {
    let file = arguments.size.unwrap_or_default();
    let size = match (file.size, environment.memory_bytes) {
        (Some(size), _) => size,
        (None, Some(memory)) => twice(memory, file.chunk),
        (None, None) => {
            return Err(Exit::usage(anyhow!(
                "how much memory there is cannot be seen, and the file should be twice as large; name its --size"
            )));
        }
    };
    Ok(Phases {
        size: (size.0 > 0).then_some(size),
        file,
        characters: (arguments.characters.0 > 0).then_some(arguments.characters),
        files: arguments.files,
        sync_each: arguments.sync_each,
        direct: arguments.direct == "on",
        seed,
    })
}

/// Twice the memory, in whole chunks.
fn twice(memory: Bytes, chunk: Bytes) -> Bytes {
    let wanted = memory.0.saturating_mul(MEMORY_MULTIPLE);
    Bytes((wanted / chunk.0).max(1) * chunk.0)
}

fn measure(
    arguments: &BonnieArguments,
    inspected: Inspected,
    environment: Environment,
    plan: Plan,
    control: &Control,
) -> Result<Run, Exit> {
    let started_at = since_epoch();
    let mut place = Place::prepare(inspected, &plan, arguments.cold)?;
    let mut watching = Watching::new(plan.stages.len(), arguments.printing.quiet);
    let watch = Watch::begin(&System::host(), &place.info);
    let rows = run_all(&plan, arguments.runs, &mut place, control, &mut watching);
    watching.finish();
    let circumstances = watch.end(&place.info);
    let schedule = Schedule::in_turn(arguments.runs, Nanos(0));
    let mut run = Run {
        sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at,
        environment,
        rows: rows?,
        circumstances,
        command: measurement::command(arguments.seed, plan.seed),
        interrupted: control.is_cancelled(),
        ..Run::new(plan, schedule, place.info.clone())
    };
    sokudo_analysis::judge(&mut run);
    words::put_into(&mut run, Reader::Command("bonnie"));
    Ok(run)
}

/// All phases, as often as asked. A phase that fails takes those on the same files with
/// it; an interruption ends everything and keeps what was measured.
fn run_all(
    plan: &Plan,
    runs: u32,
    place: &mut Place,
    control: &Control,
    watching: &mut Watching,
) -> Result<Vec<Row>, Exit> {
    let workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
    let mut rows: Vec<Row> = workloads
        .map(|workload| Row {
            workload: workload.clone(),
            trials: Vec::new(),
            assessment: None,
        })
        .collect();
    // Of one file, and of many.
    let mut failed = [false; 2];
    for trial in 0..runs {
        for (phase, row) in rows.iter_mut().enumerate() {
            let group = usize::from(row.workload.tree.is_some());
            if control.is_cancelled() {
                return Ok(rows);
            }
            if failed[group] {
                continue;
            }
            watching.begin(phase, &row.workload);
            let seed = sokudo_stats::mix64(plan.seed ^ sokudo_stats::mix64(trial.into()));
            let mut listener = |event: Event| watching.show(&event);
            let trial = place.measure(&row.workload, seed, control, &mut listener)?;
            failed[group] = trial.outcome.stopped == StopReason::Failed;
            let measured_something = trial.outcome.ios() > 0 || !trial.outcome.failures.is_empty();
            if measured_something {
                row.trials.push(trial);
            }
        }
    }
    Ok(rows)
}

/// Where the phases work: a file and a directory of our own.
struct Place {
    info: TargetInfo,
    counters: CounterSource,
    /// Where the phases on one file are asked for.
    file: Option<TestFile>,
    /// Where those on many files are.
    directory: Option<OwnDirectory>,
    cold: bool,
}

impl Place {
    /// Refuses what has no room, before anything is made; then makes both, empty.
    fn prepare(inspected: Inspected, plan: &Plan, cold: bool) -> Result<Self, Exit> {
        let Inspected { mut info, counters } = inspected;
        let path = info.path.clone().unwrap_or_else(|| info.name.clone());
        let path = Path::new(&path);
        let workloads = || plan.stages.iter().flat_map(|stage| &stage.workloads);
        let trees: Vec<FileTree> = workloads().filter_map(|workload| workload.tree).collect();
        let size = workloads()
            .filter(|workload| workload.tree.is_none())
            .filter_map(|workload| workload.limits.bytes)
            .max();
        let directory = (!trees.is_empty())
            .then(|| OwnDirectory::create(path, &trees))
            .transpose()
            .map_err(from_tree)?;
        let file = size
            .map(|size| TestFile::create(path, size))
            .transpose()
            .map_err(from_test_file)?;
        info.size_bytes = size;
        Ok(Self {
            info,
            counters,
            file,
            directory,
            cold,
        })
    }

    /// Runs one phase with its evidence.
    fn measure(
        &mut self,
        workload: &Workload,
        seed: u64,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Trial, Exit> {
        self.settle(workload)?;
        let cached_before = self.cached(workload);
        let others = Neighbours::look(&System::host());
        let before = self.counters.read();
        let outcome = match (workload.tree, &self.directory) {
            (Some(tree), Some(directory)) => {
                let run = TreeRun {
                    directory,
                    // Both kinds of names have files of their own.
                    seed: sokudo_stats::mix64(seed ^ tree.names as u64),
                    control,
                };
                run_tree(workload, run, listener).map_err(from_tree)?
            }
            _ => self.on_file(workload, seed, control, listener)?,
        };
        let after = self.counters.read();
        let foreign = others.since_then();
        if workload.from_empty
            && let Some(file) = &self.file
        {
            describe_file(&mut self.info, file.handle());
        }
        Ok(Trial {
            outcome,
            evidence: TrialEvidence {
                device: after
                    .zip(before)
                    .map(|(after, before)| after.since(&before)),
                cached_before,
                foreign: Some(foreign),
            },
        })
    }

    fn on_file(
        &self,
        workload: &Workload,
        seed: u64,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Outcome, Exit> {
        let none = || Exit::Failed(anyhow!("{}: there is no file for it", workload.name));
        let file = self.file.as_ref().ok_or_else(none)?;
        let target = file
            .target()
            .context("no file descriptor is left")
            .map_err(Exit::Failed)?;
        let stage = sokudo_model::Stage {
            workloads: vec![workload.clone()],
        };
        let options = StageOptions {
            seed,
            ..StageOptions::default()
        };
        let outcomes = run_stage(&stage, options, &mut [target], control, listener);
        let outcome = outcomes.map_err(from_stage)?.pop();
        outcome.ok_or_else(|| {
            let name = &workload.name;
            Exit::Failed(anyhow!("{name}: the engine returned no outcome"))
        })
    }

    /// Brings the file into the state that a phase starts from.
    fn settle(&self, workload: &Workload) -> Result<(), Exit> {
        let Some(file) = &self.file else {
            return Ok(());
        };
        // The many files get the room of the one.
        if workload.from_empty || workload.tree.is_some() {
            return file
                .empty()
                .with_context(|| format!("the test file in {} cannot be emptied", self.info.name))
                .map_err(Exit::Failed);
        }
        if self.cold {
            // What fails here fails again in the phase, where it is reported.
            let _ = file.handle().sync_all();
            let _ = sokudo_device::drop_cached(file.handle());
        }
        Ok(())
    }

    /// How much of the file is in the page cache.
    fn cached(&self, workload: &Workload) -> Option<Bytes> {
        if workload.tree.is_some() {
            return None;
        }
        let file = self.file.as_ref()?;
        sokudo_device::cached_bytes(file.handle(), self.info.size_bytes?)
    }
}

fn from_tree(error: TreeError) -> Exit {
    match error {
        TreeError::NoTree { .. } => Exit::usage(error),
        _ => Exit::failed(error),
    }
}

fn print(arguments: &BonnieArguments, finished: &Finished) -> Result<(), Exit> {
    let printing = &arguments.printing;
    if !arguments.bonnie_csv {
        return output::write(&finished.document, printing);
    }
    let path = printing.rendering.output.as_deref();
    output::put(path, &bonnie::render(&finished.run), false)
}
