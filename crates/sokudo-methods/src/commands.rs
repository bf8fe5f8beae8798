//! All commands that measure, one a line; what is done with each follows from it.

use clap::{ArgMatches, FromArgMatches, Subcommand};
#[cfg(test)]
use sokudo_analysis::method::Stated;
use sokudo_model::{Method, MethodKind};
use sokudo_report::{document, plot, view};
use sokudo_terminal::arguments::mistake::mistake;
use sokudo_words::{Text, text};

use crate::arguments::Ability;
use crate::declared::{Declared, PageForm};
use crate::measuring::Measuring;

/// What help says of each, and its module.
macro_rules! registered {
    ($($(#[$of_help:meta])* $name:ident($module:ident);)*) => {
        /// A command that measures, as it was given.
        #[derive(Debug, Subcommand)]
        pub enum MeasuringCommand {
            $(
                $(#[$of_help])*
                #[command(after_help = crate::$module::arguments::EXAMPLES)]
                $name(Box<crate::$module::arguments::Arguments>),
            )*
        }

        /// What each module's command can.
        const ABILITIES: &[(&str, &[Ability])] = &[
            $((stringify!($module), crate::$module::arguments::Arguments::CAN),)*
        ];

        /// What each module declares, and what runs of several disks are.
        const DECLARED: &[(&str, &Declared)] = &[
            $((stringify!($module), &crate::$module::DECLARED),)*
            ("several", &crate::several::DECLARED),
        ];

        /// The command, as all of them are.
        pub fn of(command: MeasuringCommand) -> Box<dyn Measuring> {
            match command {
                $(MeasuringCommand::$name(it) => it,)*
            }
        }
    };
}

registered! {
    /// Measure a disk: sequential and random reads and writes, as a table
    #[command(aliases = ["bench", "benchmark", "speed", "test"])]
    Mark(mark);
    /// A quick look: cached, buffered and direct reads, about 3 s each
    Quick(quick);
    /// Sample the surface, or read all of it: rate and access time
    Scan(scan);
    /// Find out what a device is from how it behaves, with evidence
    Explain(explain);
    /// Write a drive from start to end: where does its fast part end?
    Fill(fill);
    /// Test new disks: write every block and read it back; erases them
    BurnIn(burn_in);
    /// Is a disk OK? Health, speed, surface: OK, OK BUT, NOT OK
    #[command(aliases = ["assess"])]
    Checkup(checkup);
    /// Is it fast enough for etcd, PostgreSQL and others?
    Fit(fit);
    /// Measure a range of block sizes, queue depths or threads
    Sweep(sweep);
    /// Measure latency against load: the knee, and the most within a limit
    Load(load);
    /// Find the threads and depth that give the most, and what limits it
    Peak(peak);
    /// Write to a drive until it is steady, then measure it, as SNIA PTS
    Steady(steady);
    /// Measure a file system with Bonnie++'s phases
    Bonnie(bonnie);
    /// Run fio job files, with sokudo's own results and verdicts
    Run(run);
}

/// From now on all crates below know what methods declare. Who carries out a command, or reads a run,
/// does so first; twice is as good as once.
pub fn hand_over() {
    let all = || DECLARED.iter().map(|(_, it)| it);
    Method::hand_over(kinds());
    document::hand_over(all().flat_map(|it| it.views).copied());
    view::hand_over(all().flat_map(|it| it.showings).copied());
    plot::hand_over(all().flat_map(|it| it.pictures).copied());
    sokudo_analysis::hand_over(all().flat_map(|it| it.rules).copied());
}

/// What plans of all methods are called, in the order of help, and then those that only programs
/// in the place of other tools make.
pub fn kinds() -> impl Iterator<Item = &'static MethodKind> {
    let of_methods = DECLARED.iter().flat_map(|(_, it)| it.kinds);
    let of_tools = [
        &sokudo_tools::diskspd::METHOD,
        &sokudo_tools::hdparm::METHOD,
    ];
    of_methods.copied().chain(of_tools)
}

/// The commands that the page has forms for, each with its own.
pub fn forms() -> impl Iterator<Item = (String, PageForm)> {
    let forms = DECLARED
        .iter()
        .filter_map(|(module, it)| Some((module, it.form?)));
    forms.map(|(module, form)| (name_of(module), form))
}

/// What a module's command is called.
fn name_of(module: &str) -> String {
    module.replace('_', "-")
}

/// The command that measures, of all that can be given; `None` of any other.
pub fn given(matches: &ArgMatches) -> Result<Option<MeasuringCommand>, Text> {
    let name = matches.subcommand_name();
    match name.is_some_and(MeasuringCommand::has_subcommand) {
        true => match MeasuringCommand::from_arg_matches(matches) {
            Ok(command) => Ok(Some(command)),
            Err(error) => Err(mistake(&error)),
        },
        false => Ok(None),
    }
}

/// A command as a document describes it.
#[cfg(test)]
pub(crate) struct Description {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) can: &'static [Ability],
    pub(crate) has_form: bool,
}

/// All that measure, in the order of help.
#[cfg(test)]
pub(crate) fn descriptions() -> impl Iterator<Item = Description> {
    let all = MeasuringCommand::augment_subcommands(clap::Command::new("sokudo"));
    ABILITIES.iter().map(move |(module, can)| {
        let name = name_of(module);
        let about = all
            .find_subcommand(&name)
            .and_then(clap::Command::get_about);
        Description {
            about: about.map(ToString::to_string).unwrap_or_default(),
            can,
            has_form: forms().any(|(form, _)| form == name),
            name,
        }
    })
}

/// Thresholds of the rules of all methods.
#[cfg(test)]
pub(crate) fn stated_thresholds() -> impl Iterator<Item = Stated> {
    DECLARED.iter().flat_map(|(_, it)| (it.thresholds)())
}

/// The commands that can do something, as a sentence lists them.
pub fn names(ability: Ability) -> Text {
    let can = ABILITIES.iter().filter(|(_, can)| can.contains(&ability));
    let mut names: Vec<String> = can.map(|(module, _)| name_of(module)).collect();
    let last = names.pop().expect("some command can");
    text!("{} or {}", names.join(", "), last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_is_called_as_its_command() {
        let all = MeasuringCommand::augment_subcommands(clap::Command::new("sokudo"));
        for (module, _) in ABILITIES {
            assert!(all.find_subcommand(name_of(module)).is_some(), "{module}");
        }
    }

    /// The page looks for the command of each form.
    #[test]
    fn every_form_is_of_a_command() {
        let all = MeasuringCommand::augment_subcommands(clap::Command::new("sokudo"));
        for (command, _) in forms() {
            assert!(all.find_subcommand(&command).is_some(), "{command}");
        }
    }
}
