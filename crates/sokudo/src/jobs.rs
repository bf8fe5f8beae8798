//! Jobs of other tools' languages, from their plan to a judged run. What they are called on
//! the command line and how they are printed is the doors' concern.

pub(crate) mod consent;
pub(crate) mod fio;
pub(crate) mod this_host;

use std::time::Instant;

use sokudo_engine::Control;
use sokudo_measure::{Jobs, Prepared};
use sokudo_model::{Event, Nanos, Run, TargetInfo, narrow};

use crate::exit::Exit;
use crate::measurement;

/// What came of jobs.
pub(crate) struct FinishedJobs {
    pub(crate) run: Run,
    /// What is known about every place, in their order.
    pub(crate) targets: Vec<TargetInfo>,
    /// Why stages could not start.
    pub(crate) errors: Vec<Exit>,
}

impl FinishedJobs {
    /// Tells why stages could not start, and what it all means for the exit code, where
    /// `interrupted` says how an interruption ends.
    pub(crate) fn end(&self, interrupted: Exit) -> Result<(), Exit> {
        for error in &self.errors {
            error.tell();
        }
        if self.run.interrupted {
            Err(interrupted)
        } else if self.errors.is_empty() {
            measurement::verdict(&self.run)
        } else {
            Err(Exit::FailedAsReported)
        }
    }
}

/// Makes the places ready, runs all stages as often as asked, and judges.
pub(crate) fn carry_out(
    jobs: &Jobs<'_>,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<FinishedJobs, Exit> {
    let mut prepared = jobs.prepare(control, listener)?;
    let (errors, _) = repeat(&mut prepared, jobs, control, listener);
    finish(prepared, errors, control)
}

/// Runs all stages as often as asked: why some could not start, and how long it took.
pub(crate) fn repeat(
    prepared: &mut Prepared,
    jobs: &Jobs<'_>,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> (Vec<Exit>, Nanos) {
    let started_at = Instant::now();
    let mut errors = Vec::new();
    for trial in 0..jobs.trials {
        if control.is_cancelled() {
            break;
        }
        let more = prepared.repeat(trial, jobs.snapshot_every, control, listener);
        errors.extend(more.into_iter().map(Exit::from));
    }
    (errors, Nanos(narrow(started_at.elapsed().as_nanos())))
}

/// Judges what was measured. An error that left nothing to report is the result.
pub(crate) fn finish(
    prepared: Prepared,
    mut errors: Vec<Exit>,
    control: &Control,
) -> Result<FinishedJobs, Exit> {
    let is_empty = prepared.run.rows.iter().all(|row| row.trials.is_empty());
    if is_empty && !errors.is_empty() {
        return Err(errors.swap_remove(0));
    }
    let targets = prepared.targets().cloned().collect();
    Ok(FinishedJobs {
        run: measurement::judged(prepared, control),
        targets,
        errors,
    })
}
