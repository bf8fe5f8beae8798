//! Jobs of other tools' languages, from their plan to a judged run. What they are called on
//! the command line and how they are printed is the doors' concern.

pub(crate) mod consent;
pub(crate) mod this_host;

use std::time::Instant;

use sokudo_engine::Control;
use sokudo_measure::{Jobs, Prepared};
use sokudo_model::{Event, Nanos, Run, StopReason, TargetInfo, narrow};

use crate::exit::Exit;
use crate::words::{self, Reader};

/// What came of jobs.
pub(crate) struct Finished {
    pub(crate) run: Run,
    /// What is known about every place, in their order.
    pub(crate) targets: Vec<TargetInfo>,
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

/// Makes the places ready, runs all stages as often as asked, and judges.
pub(crate) fn carry_out(
    jobs: &Jobs<'_>,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Finished, Exit> {
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
) -> Result<Finished, Exit> {
    let is_empty = prepared.run.rows.iter().all(|row| row.trials.is_empty());
    if is_empty && !errors.is_empty() {
        return Err(errors.swap_remove(0));
    }
    let targets = prepared.targets().cloned().collect();
    let mut run = prepared.finish(control);
    let reader = Reader::of(&run);
    words::put_into(&mut run, reader);
    Ok(Finished {
        run,
        targets,
        errors,
    })
}
