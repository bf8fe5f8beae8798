//! How commands that measure are carried out, all alike: printed, measured again, or as one of
//! several processes. Each only makes a [`Planned`] of its arguments.

use sokudo_engine::{Control, TEST_FILE_SIZE_MIN, TestFileError, free_space_needed};
use sokudo_measure::{MeasureError, Measurement, Prepared};
use sokudo_terminal::arguments::printing::Asking;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{output, remedies};
use sokudo_words::{Text, text};

use crate::arguments::{Ability, MeasuringArguments, OwnArguments, SharedArguments, SharedGroup};
use crate::consent;
use crate::jobs::file::{JobFilePlan, JobRun};
use crate::measurement::{self, Conduct, FinishedMeasurement};
use crate::peer_group::PeerGroup;

/// What the arguments of a command ask for.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, or two")]
pub enum Planned<'a> {
    /// Rows, in turn unless what is measured next depends on what was measured.
    Rows(Measurement<'a>, Option<Box<dyn Conduct + 'a>>),
    /// fio's jobs, which name their targets themselves.
    Jobs(JobFilePlan, JobRun<'a>),
}

impl Planned<'_> {
    /// What would be done, and what that takes, in lines of the command's `own` where it has some;
    /// what the run refuses is refused.
    pub(crate) fn lines(&self, own: Option<Vec<Text>>) -> Result<Vec<Text>, Exit> {
        Ok(match self {
            Self::Rows(measurement, _) => {
                measurement.check_devices()?;
                measurement.check_directory()?;
                let mut lines = vec![consent::what(&measurement.plan)];
                lines.extend(measurement.notes.iter().cloned());
                lines.extend(own.unwrap_or_else(|| vec![consent::cost_of(measurement)]));
                lines
            }
            Self::Jobs(jobs, run) => {
                let jobs = jobs.jobs_of(*run);
                let cost = consent::cost_of_jobs(&jobs);
                vec![consent::what(jobs.plan), cost]
            }
        })
    }
}

/// An error; of a test file that is too large with the option of the command that makes it smaller.
fn with_size_option(error: anyhow::Error, command: Option<&str>) -> anyhow::Error {
    let free = match error.downcast_ref() {
        Some(MeasureError::TestFile(TestFileError::NoSpace { free, .. })) => *free,
        _ => return error,
    };
    let mut options = ["--size", "--length"].into_iter();
    match options.find_map(|it| remedies::of_command(command?, it)) {
        Some(option) if free >= free_space_needed(TEST_FILE_SIZE_MIN) => {
            text!("{error} ({option})").into()
        }
        _ if command == Some("checkup") => text!(
            "{error}, or check the device below, which needs no test file (sokudo info lists it)"
        )
        .into(),
        _ => error,
    }
}

/// Refuses what is to measure, and is told to do nothing.
fn check_not_dry(shared: &SharedArguments) -> Result<(), Exit> {
    match shared.printing.dry_run {
        true => Err(Exit::usage(text!(
            "--dry-run measures nothing; leave it out here"
        ))),
        false => Ok(()),
    }
}

/// What of a command gives leave to destroy.
pub struct Leaves<'a> {
    pub overwrite: &'a mut bool,
    pub destroy: &'a mut Vec<String>,
    pub destroy_contents: Option<&'a mut bool>,
}

/// What all commands that measure share.
pub trait Shares {
    fn can(&self, ability: Ability) -> bool;
    fn has(&self, group: SharedGroup) -> bool;
    fn shared(&self) -> &SharedArguments;
    fn shared_mut(&mut self) -> &mut SharedArguments;
}

impl<Own: OwnArguments> Shares for MeasuringArguments<Own> {
    fn can(&self, ability: Ability) -> bool {
        Own::CAN.contains(&ability)
    }

    fn has(&self, group: SharedGroup) -> bool {
        Own::SHARED.contains(&group)
    }

    fn shared(&self) -> &SharedArguments {
        &self.shared
    }

    fn shared_mut(&mut self) -> &mut SharedArguments {
        &mut self.shared
    }
}

/// The arguments of a command that measures.
pub trait Measuring: Shares {
    fn planned(&self) -> Result<Planned<'_>, Exit>;

    /// Does what the command is called for.
    fn run(&self) -> Result<(), Exit> {
        self.print(self.shared().notified(self.planned())?, None)
    }

    /// Asks, in lines of its own where it has some, measures and prints.
    fn print(&self, planned: Planned<'_>, lines: Option<Vec<Text>>) -> Result<(), Exit> {
        match planned {
            _ if self.shared().printing.dry_run => output::print_lines(&planned.lines(lines)?),
            Planned::Rows(measurement, conduct) => {
                let conduct = conduct.unwrap_or_else(|| Box::new(Prepared::measure));
                let shared = self.shared();
                shared.notifying.check()?;
                let command = measurement.plan.method.command();
                let measured = measurement::measured(measurement, lines, shared, conduct);
                let measured =
                    measured.map_err(|exit| exit.map(|it| with_size_option(it, command)));
                self.conclude(shared.notified(measured)?)
            }
            Planned::Jobs(jobs, run) => jobs.run(run),
        }
    }

    /// Prints, and says by the exit code what came of it.
    fn conclude(&self, finished: FinishedMeasurement) -> Result<(), Exit> {
        finished.conclude(&self.shared().printing)
    }

    /// What the arguments ask for, with what a kept run has chosen put into rows that are measured
    /// in turn.
    fn planned_again(
        &self,
        choose_again: &dyn Fn(&mut Measurement<'_>),
    ) -> Result<Planned<'_>, Exit> {
        let mut planned = self.planned()?;
        if let Planned::Rows(measurement, None) = &mut planned {
            choose_again(measurement);
        }
        Ok(planned)
    }

    /// Asks and measures, and prints nothing but its progress.
    fn measure(
        &self,
        choose_again: &dyn Fn(&mut Measurement<'_>),
        control: &Control,
        asking: Asking,
    ) -> Result<FinishedMeasurement, Exit> {
        check_not_dry(self.shared())?;
        self.shared().set_timeout(control);
        match self.planned_again(choose_again)? {
            Planned::Rows(measurement, conduct) => {
                let conduct = conduct.unwrap_or_else(|| Box::new(Prepared::measure));
                measurement::ask_and_measure(measurement, control, asking, conduct)
            }
            Planned::Jobs(jobs, run) => jobs.finish(run, asking, control),
        }
    }

    /// Carries it out as one of several processes.
    fn measure_in(
        &self,
        peers: &mut PeerGroup,
        control: &Control,
    ) -> Result<FinishedMeasurement, Exit> {
        self.shared().set_timeout(control);
        match check_not_dry(self.shared()).and_then(|()| self.planned()) {
            Ok(Planned::Rows(measurement, conduct)) => {
                let quiet = self.shared().printing.asking.quiet;
                let conduct = conduct.unwrap_or_else(|| Box::new(Prepared::measure));
                peers.measure(measurement, control, quiet, conduct)
            }
            Ok(Planned::Jobs(jobs, run)) => jobs.finish_in(peers, run, control),
            Err(exit) => Err(peers.cannot(exit)),
        }
    }

    /// Where its leave to destroy stands.
    fn leaves(&mut self) -> Leaves<'_> {
        let shared = self.shared_mut();
        Leaves {
            overwrite: &mut shared.overwrite,
            destroy: &mut shared.destroying.destroy,
            destroy_contents: Some(&mut shared.destroying.destroy_contents),
        }
    }
}
