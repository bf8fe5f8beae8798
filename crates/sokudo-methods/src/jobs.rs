//! Jobs in other tools' languages: read on this machine, carried out, and what came of them. How
//! these tools print it is the front ends' concern.

pub mod file;
pub mod fio;
pub mod this_host;

use sokudo_measure::FinishedRun;
use sokudo_model::Run;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::remedies;

use crate::measurement;

/// What came of jobs.
pub struct FinishedJobs {
    pub run: Run,
    /// Why stages could not start.
    pub errors: Vec<Exit>,
}

impl FinishedJobs {
    /// An error that left nothing to report is the result.
    pub fn of(FinishedRun { run, errors }: FinishedRun) -> Result<Self, Exit> {
        let mut errors: Vec<Exit> = errors.into_iter().map(Exit::from).collect();
        let is_empty = run.rows.iter().all(|row| row.trials.is_empty());
        if is_empty && !errors.is_empty() {
            return Err(errors.swap_remove(0));
        }
        let run = remedies::worded(run);
        Ok(Self { run, errors })
    }

    /// Tells why stages could not start, and what it all means for the exit code, where
    /// `interrupted` says how an interruption ends.
    pub fn end(&self, interrupted: Exit) -> Result<(), Exit> {
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
