//! From a plan with its places to a judged run.

use std::time::{Duration, Instant, SystemTime};

use anyhow::anyhow;
use sokudo_device::{System, Watch};
use sokudo_engine::{Consent, Control};
use sokudo_model::{Bytes, Nanos, Plan, Run, Schedule, StopReason, TargetInfo, TargetKind};
use sokudo_report::fio::DiskUse;

use super::disks::Disks;
use super::place::Place;
use super::stages::{self, Listener, Repeat};
use super::storage::{Layouts, Storage};
use super::verdicts;
use crate::exit::Exit;
use crate::memory;
use crate::words::{self, Reader};

/// What is to be done.
pub(crate) struct Work<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) places: &'a [Place],
    pub(crate) consent: &'a Consent,
    /// How often the whole plan is run.
    pub(crate) trials: u32,
    /// The name of the rule by which trials follow one another.
    pub(crate) schedule: &'a str,
    /// The command line that repeats it.
    pub(crate) command: String,
    /// Nothing is written.
    pub(crate) read_only: bool,
    /// How often results so far are told; `None` is never.
    pub(crate) snapshot_every: Option<Duration>,
    /// Options that were left out although they change what is measured.
    pub(crate) left_out: &'a [String],
}

/// Who is told what happens.
pub(crate) trait Viewer: Layouts + Listener {
    /// Files are ready, and the first stage begins.
    fn starts(&mut self, run: &Run);
}

/// What came of it.
pub(crate) struct Finished {
    pub(crate) run: Run,
    /// What is known about every place, in their order.
    pub(crate) targets: Vec<TargetInfo>,
    pub(crate) disks: Vec<DiskUse>,
    /// From the first stage's start to the last one's end.
    pub(crate) elapsed: Nanos,
    /// Why stages could not start.
    pub(crate) errors: Vec<Exit>,
}

impl Finished {
    /// Tells why stages could not start, and what it all means for the exit code, where
    /// `interrupted` says how an interruption ends.
    pub(crate) fn end(&self, interrupted: Exit) -> Result<(), Exit> {
        for error in &self.errors {
            error.tell();
        }
        if self.run.interrupted {
            Err(interrupted)
        } else if self.has_failed() {
            Err(Exit::FailedAsReported)
        } else {
            Ok(())
        }
    }

    /// Whether something failed: an I/O, a check, or a job that could not start.
    fn has_failed(&self) -> bool {
        if !self.errors.is_empty() {
            return true;
        }
        let trials = self.run.rows.iter().flat_map(|row| &row.trials);
        let mut outcomes = trials.map(|trial| &trial.outcome);
        outcomes.any(|outcome| {
            outcome.stopped == StopReason::Failed
                || outcome
                    .verified
                    .as_ref()
                    .is_some_and(|verified| verified.wrong > 0)
        })
    }
}

/// Makes the places ready, runs all stages as often as asked, takes the evidence and
/// judges.
pub(crate) fn carry_out(
    work: &Work<'_>,
    control: &Control,
    viewer: &mut dyn Viewer,
) -> Result<Finished, Exit> {
    carry_out_by(work, control, viewer, |once| {
        (0..work.trials)
            .take_while(|_| !control.is_cancelled())
            .for_each(once);
        Ok(())
    })
}

/// The same for who keeps a schedule of their own: `schedule` runs the plan once by calling
/// what it gets with the number of the trial.
pub(crate) fn carry_out_by(
    work: &Work<'_>,
    control: &Control,
    viewer: &mut dyn Viewer,
    schedule: impl FnOnce(&mut dyn FnMut(u32)) -> Result<(), Exit>,
) -> Result<Finished, Exit> {
    if work.read_only {
        refuse_writes(work.places)?;
    }
    memory::check(work.plan)?;
    let mut run = empty_run(work);
    let mut storage = Storage::prepare(
        work.places,
        work.consent,
        work.plan.seed,
        control,
        &mut Told(viewer),
    )?;
    if let Some(target) = verdicts::whole(&storage) {
        run.target = target;
    }
    let disks = Disks::watch(&storage);
    let watch = Watch::begin(&System::host(), &run.target);
    run.started_at = since_epoch();
    viewer.starts(&run);
    let started_at = Instant::now();
    let mut errors = Vec::new();
    let rows = &mut run.rows;
    schedule(&mut |trial| {
        let repeat = Repeat {
            trial,
            snapshot_every: work.snapshot_every,
        };
        let more = stages::run(
            work.plan,
            repeat,
            &mut storage,
            rows,
            control,
            &mut Told(viewer),
        );
        errors.extend(more);
    })?;
    nothing_measured(&run, &mut errors)?;
    let elapsed = u64::try_from(started_at.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let disks = disks.counted();
    run.circumstances = watch.end(&run.target);
    storage.look_again();
    run.interrupted = control.is_cancelled();
    verdicts::judge(&mut run, &storage);
    sokudo_analysis::tell_left_out(&mut run, work.left_out);
    words::put_into(&mut run, Reader::of_jobs(work.schedule));
    Ok(Finished {
        run,
        targets: storage
            .pieces
            .iter()
            .map(|piece| piece.info.clone())
            .collect(),
        disks,
        elapsed: Nanos(elapsed),
        errors,
    })
}

/// A viewer as the two things that it is.
struct Told<'a>(&'a mut dyn Viewer);

impl Layouts for Told<'_> {
    fn begins(&mut self, place: &Place) {
        self.0.begins(place);
    }

    fn event(&mut self, event: &sokudo_model::Event) {
        Layouts::event(self.0, event);
    }
}

impl Listener for Told<'_> {
    fn stage_begins(&mut self, stage: usize, first: usize) {
        self.0.stage_begins(stage, first);
    }

    fn stage_ends(&mut self) {
        self.0.stage_ends();
    }

    fn event(&mut self, first: usize, event: &sokudo_model::Event) {
        Listener::event(self.0, first, event);
    }
}

/// An error that left nothing to report is the result.
fn nothing_measured(run: &Run, errors: &mut Vec<Exit>) -> Result<(), Exit> {
    let is_empty = run.rows.iter().all(|row| row.trials.is_empty());
    if is_empty && !errors.is_empty() {
        return Err(errors.swap_remove(0));
    }
    Ok(())
}

/// Also a file that is only read must be written if it is too small.
fn refuse_writes(places: &[Place]) -> Result<(), Exit> {
    for place in places {
        let is_missing = place.kind == super::place::PlaceKind::File
            && place
                .path
                .metadata()
                .map_or(true, |metadata| metadata.len() < place.bytes.0);
        if place.written || is_missing {
            return Err(Exit::Failed(anyhow!(
                "{} would be written, and --readonly forbids that; leave --readonly out, or only read what exists",
                place.path.display()
            )));
        }
    }
    Ok(())
}

/// The run of a plan of which nothing has been done.
pub(crate) fn empty_run(work: &Work<'_>) -> Run {
    let schedule = Schedule {
        name: work.schedule.to_owned(),
        ..Schedule::in_turn(work.trials, Nanos(0))
    };
    let target = TargetInfo {
        size_bytes: Some(Bytes(0)),
        ..TargetInfo::new("null:", TargetKind::Null)
    };
    Run {
        sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: since_epoch(),
        environment: sokudo_device::environment(&System::host()),
        rows: stages::empty_rows(work.plan),
        command: work.command.clone(),
        ..Run::new(work.plan.clone(), schedule, target)
    }
}

pub(crate) fn since_epoch() -> Nanos {
    let elapsed = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    Nanos(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX))
}
