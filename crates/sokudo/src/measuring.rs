//! Commands that measure: what can be done with each, and how all of them are carried out.
//!
//! Each says so of itself, in the file that makes a measurement of its arguments.

use sokudo_engine::Control;
use sokudo_measure::{Measurement, Prepared};
use sokudo_words::{Text, text};

use crate::cli::{
    self, Ability, Asking, MeasuringArguments, MeasuringCommand, OwnArguments, RunArguments,
    SharedArguments, SharedGroup,
};
use crate::company::Company;
use crate::exit::Exit;
use crate::measurement::{self, Conduct, FinishedMeasurement};
use crate::run_door::{self, JobFilePlan};

/// What the arguments of a command ask for.
#[expect(clippy::large_enum_variant, reason = "there is one at a time, or two")]
pub(crate) enum Planned<'a> {
    /// Rows, in turn unless what is measured next depends on what was measured.
    Rows(Measurement<'a>, Option<Box<dyn Conduct + 'a>>),
    /// fio's jobs, which name their targets themselves.
    Jobs(JobFilePlan, &'a RunArguments),
}

/// What of a command gives leave to destroy.
pub(crate) struct Leaves<'a> {
    pub(crate) overwrite: &'a mut bool,
    pub(crate) destroy: &'a mut Vec<String>,
    pub(crate) destroy_contents: Option<&'a mut bool>,
}

/// What all commands that measure share.
pub(crate) trait Shares {
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
pub(crate) trait Measuring: Shares {
    fn planned(&self) -> Result<Planned<'_>, Exit>;

    /// Does what the command is called for.
    fn run(&self) -> Result<(), Exit> {
        self.print(self.planned()?, None)
    }

    /// Asks, in lines of its own where it has some, measures and prints.
    fn print(&self, planned: Planned<'_>, lines: Option<Vec<Text>>) -> Result<(), Exit> {
        match planned {
            Planned::Rows(measurement, conduct) => {
                let conduct = conduct.unwrap_or_else(|| Box::new(Prepared::measure));
                let printing = &self.shared().printing;
                self.conclude(measurement::measured(
                    measurement,
                    lines,
                    printing,
                    conduct,
                )?)
            }
            Planned::Jobs(jobs, arguments) => run_door::run(&jobs, arguments),
        }
    }

    /// Prints, and says by the exit code what came of it.
    fn conclude(&self, finished: FinishedMeasurement) -> Result<(), Exit> {
        finished.conclude(&self.shared().printing)
    }

    /// Asks and measures, and prints nothing but its progress. What a kept run has chosen is put
    /// into rows that are measured in turn.
    fn measure(
        &self,
        choose_again: &dyn Fn(&mut Measurement<'_>),
        control: &Control,
        asking: Asking,
    ) -> Result<FinishedMeasurement, Exit> {
        match self.planned()? {
            Planned::Rows(mut measurement, None) => {
                choose_again(&mut measurement);
                measurement::asked(measurement, control, asking, Prepared::measure)
            }
            Planned::Rows(measurement, Some(conduct)) => {
                measurement::asked(measurement, control, asking, conduct)
            }
            Planned::Jobs(jobs, arguments) => jobs.finish(arguments, asking, control),
        }
    }

    /// Carries it out as one of several processes.
    fn measure_in(
        &self,
        company: &mut Company,
        control: &Control,
    ) -> Result<FinishedMeasurement, Exit> {
        match self.planned() {
            Ok(Planned::Rows(measurement, conduct)) => {
                let quiet = self.shared().printing.asking.quiet;
                let conduct = conduct.unwrap_or_else(|| Box::new(Prepared::measure));
                company.measure(measurement, control, quiet, conduct)
            }
            Ok(Planned::Jobs(jobs, arguments)) => jobs.finish_in(company, arguments, control),
            Err(exit) => Err(company.cannot(exit)),
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

impl Measuring for RunArguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        Ok(Planned::Jobs(JobFilePlan::read(self)?, self))
    }

    fn leaves(&mut self) -> Leaves<'_> {
        Leaves {
            overwrite: &mut self.own.overwrite,
            destroy: &mut self.own.destroy,
            destroy_contents: None,
        }
    }
}

/// The command, as all of them are.
pub(crate) fn of(command: MeasuringCommand) -> Box<dyn Measuring> {
    match command {
        MeasuringCommand::Mark(it) => it,
        MeasuringCommand::Scan(it) => it,
        MeasuringCommand::Sweep(it) => it,
        MeasuringCommand::Quick(it) => it,
        MeasuringCommand::Load(it) => it,
        MeasuringCommand::Peak(it) => it,
        MeasuringCommand::Steady(it) => it,
        MeasuringCommand::Explain(it) => it,
        MeasuringCommand::Fill(it) => it,
        MeasuringCommand::BurnIn(it) => it,
        MeasuringCommand::Assess(it) => it,
        MeasuringCommand::Fit(it) => it,
        MeasuringCommand::Bonnie(it) => it,
        MeasuringCommand::Run(it) => it,
    }
}

/// The commands that can do something, as a sentence lists them.
pub(crate) fn names(ability: Ability) -> Text {
    let can = cli::MEASURING
        .iter()
        .filter(|(_, can)| can.contains(&ability));
    let mut names: Vec<&str> = can.map(|(name, _)| *name).collect();
    let last = names.pop().expect("some command can");
    text!("{} or {}", names.join(", "), last.to_owned())
}
