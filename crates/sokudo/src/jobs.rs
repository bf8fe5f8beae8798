//! What came of jobs of other tools' languages. What they are called on the command line and how
//! they are printed is the doors' concern.

pub(crate) mod consent;
pub(crate) mod fio;
pub(crate) mod this_host;

use sokudo_measure::FinishedRun;
use sokudo_model::Run;

use crate::exit::Exit;
use crate::{measurement, words};

/// What came of jobs.
pub(crate) struct FinishedJobs {
    pub(crate) run: Run,
    /// Why stages could not start.
    pub(crate) errors: Vec<Exit>,
}

impl FinishedJobs {
    /// An error that left nothing to report is the result.
    pub(crate) fn of(FinishedRun { run, errors }: FinishedRun) -> Result<Self, Exit> {
        let mut errors: Vec<Exit> = errors.into_iter().map(Exit::from).collect();
        let is_empty = run.rows.iter().all(|row| row.trials.is_empty());
        if is_empty && !errors.is_empty() {
            return Err(errors.swap_remove(0));
        }
        let run = words::worded(run);
        Ok(Self { run, errors })
    }

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
