//! The command line, defined once: parsing, help, man page and completions all
//! come from here. Commands that measure are `sokudo-methods`', those about kept runs
//! `sokudo-history`'s.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use sokudo_history::import::arguments::{self as import, ImportArguments};
use sokudo_history::runs::arguments::{
    self as history, DeleteArguments, EditArguments, ListArguments,
};
use sokudo_history::trend::arguments::{self as trend, TrendArguments};
use sokudo_methods::commands::MeasuringCommand;
use sokudo_methods::matrix::arguments::{self as matrix, MatrixArguments};
use sokudo_methods::peer_group::arguments::{self as together, TogetherArguments};
use sokudo_terminal::definition::spoken::HelpDestination;
use sokudo_terminal::definition::{help_width, made, with_command};
use sokudo_terminal::language;
use sokudo_words::{Language, Text, text};

use crate::commands::baseline::arguments::{self as baseline, BaselineArguments, CheckArguments};
use crate::commands::compare::arguments::{self as compare, CompareArguments};
use crate::commands::info::arguments::InfoArguments;
use crate::commands::prepare::arguments::{self as prepare, PrepareArguments};
use crate::commands::show::OLDER_NAMES;
use crate::commands::show::arguments::{self as show, ShowArguments};
use crate::commands::slow;
use crate::frontends::hdparm::arguments::{self as hdparm, HdparmArguments};
use crate::frontends::page::arguments::{self as page, PageArguments};

const FIO_NOTE: &str = "\
Examples:
  sokudo fio job.fio
  sokudo fio --name=test --rw=randread --bs=4k --size=1g --runtime=10 --output-format=json

A link to sokudo named fio does the same. sokudo writes to a block device only if
SOKUDO_DESTROY=<serial or path> or --destroy names it; a device that is in use or holds
anything also needs --allow_mounted_write=1. It writes to an existing file only if jobs
made it and nobody has changed it since, or with overwrite=1. Scripts can set
SOKUDO_OVERWRITE=files instead.

Exit codes: fio's (0 done, 1 an error or a refusal because it would endanger data, 128
interrupted). SIGUSR1 prints results so far. SOKUDO_NOTES=off leaves sokudo's notes out,
but not that a figure is INVALID.";

const DISKSPD_NOTE: &str = "\
Examples:
  sokudo diskspd -c1G -b4K -r -o32 -t4 -w30 -d10 -Sh -L FILE
  sokudo diskspd -b1M -o8 -d5 -Sd /dev/sdb

A link to sokudo named diskspd does the same. sokudo writes only to files that -c has
made; with --overwrite or SOKUDO_OVERWRITE=files to any file. It writes to a block device
only if SOKUDO_DESTROY=<serial or path> or --destroy names it; a device that is in use or
holds anything also needs --allow_mounted_write=1.

SOKUDO_NOTES=off leaves sokudo's notes out.";

/// Measures how fast a disk really is, and says how far each number can be
/// trusted.
#[derive(Debug, Parser)]
#[command(name = "sokudo", version, about, long_about = None, disable_help_subcommand = false)]
pub(crate) struct Cli {
    /// Language of output for people: en or ja [default: the locale's]
    ///
    /// Without it, SOKUDO_LANG decides, then LC_ALL, LC_MESSAGES and LANG. Output for programs
    /// (JSON, CSV, fio's and diskspd's formats) is always English.
    #[arg(long, global = true, value_name = "CODE", value_parser = language)]
    lang: Option<Language>,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Cli {
    /// Reads the arguments; what is wrong with them is said in the current language.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        if (arguments.get(1)).is_some_and(|word| word == "--version" || word == "-V") {
            // To put all commands together takes milliseconds, and the version needs none.
            let version = clap::Command::new("sokudo").version(env!("CARGO_PKG_VERSION"));
            version.try_get_matches_from(&arguments[..2])?;
        }
        let mut command = made();
        let mut arguments = language::before_help(arguments, &command);
        let is_all = arguments.ends_with(&["help".into(), "--all".into()]);
        arguments.truncate(arguments.len() - usize::from(is_all));
        let page = HelpDestination::Terminal {
            width: help_width(),
            is_all,
        };
        let matches = command.try_get_matches_from_mut(&arguments);
        match matches.and_then(|it| Self::from_arg_matches(&it)) {
            Err(error) if error.kind() != ErrorKind::DisplayVersion => {}
            read => return read,
        }
        // Help, and what is wrong, in the reader's words: to translate all of it takes longer than
        // to read words by it.
        with_command(page, |command| {
            let matches = command.try_get_matches_from_mut(arguments)?;
            Self::from_arg_matches(&matches).map_err(|error| error.format(command))
        })
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Measuring(MeasuringCommand),
    /// Show disks: what they are, their health, link, and what is on them
    #[command(aliases = ["disks", "health", "smart"])]
    Info(InfoArguments),
    /// My disk is slow: what now?
    #[command(after_help = slow::PAGE)]
    Slow,
    /// Compare results, or measure two plans alternately: which is faster?
    #[command(after_help = compare::EXAMPLES)]
    Compare(CompareArguments),
    /// Compare file systems, RAID levels, mount options in all combinations
    #[command(after_help = matrix::EXAMPLES)]
    Matrix(Box<MatrixArguments>),
    /// Measure on many hosts at the same time, started by MPI
    #[command(after_help = together::EXAMPLES)]
    Together(TogetherArguments),
    /// Repeat a baseline's measurement: has the disk become slower?
    #[command(after_help = baseline::CHECK_EXAMPLES)]
    Check(Box<CheckArguments>),
    /// Choose the runs with which later runs are compared
    #[command(after_help = baseline::BASELINE_EXAMPLES)]
    Baseline(BaselineArguments),
    /// List kept runs
    #[command(after_help = history::LIST_EXAMPLES, alias = "history")]
    List(ListArguments),
    /// Show kept runs, in any format, on the terminal or in files
    #[command(after_help = show::EXAMPLES, aliases = OLDER_NAMES)]
    Show(Box<ShowArguments>),
    /// Add notes, tags and a name to kept runs
    #[command(after_help = history::EDIT_EXAMPLES)]
    Edit(EditArguments),
    /// Delete kept runs permanently
    Delete(DeleteArguments),
    /// Show a device's rows over time, and where they have changed
    #[command(after_help = trend::EXAMPLES)]
    Trend(TrendArguments),
    /// Measure and look in a browser, with all kept runs
    #[command(after_help = page::EXAMPLES, aliases = ["gui", "ui", "web"])]
    Page(Box<PageArguments>),
    /// Read results of other tools, show them and keep them
    #[command(after_help = import::EXAMPLES)]
    Import(ImportArguments),
    /// Drop-in for fio: takes its arguments, prints its output
    #[command(after_help = FIO_NOTE, disable_help_flag = true)]
    Fio {
        /// fio's own options and job files; --help explains them
        #[arg(
            value_name = "ARGUMENTS",
            trailing_var_arg = true,
            allow_hyphen_values = true
        )]
        arguments: Vec<String>,
    },
    /// Drop-in for diskspd: takes its arguments, prints its output
    #[command(after_help = DISKSPD_NOTE, disable_help_flag = true)]
    Diskspd {
        /// diskspd's own options and targets; -? explains them
        #[arg(
            value_name = "ARGUMENTS",
            trailing_var_arg = true,
            allow_hyphen_values = true
        )]
        arguments: Vec<String>,
    },
    /// Time and identify disks as hdparm does (-t, -T, -I, -i, -W)
    #[command(after_help = hdparm::NOTE)]
    Hdparm(HdparmArguments),
    /// Partition, format and mount one disk, or undo that
    #[command(after_help = prepare::EXAMPLES)]
    Prepare(PrepareArguments),
    /// Remove what a killed sokudo has left: test files in a directory, and, as root, arrays and pools
    Clean {
        /// Directory to search
        #[arg(default_value = ".")]
        directory: PathBuf,

        /// Also remove, without asking, files that only have the name of a test file
        #[arg(short, long)]
        yes: bool,
    },
    /// Print a completion script for a shell
    Completions {
        /// Shell to complete for
        shell: Shell,
    },
    /// Print the manual page, for example: sokudo man mark | man -l -
    Man {
        /// Command to describe, such as mark; without it, sokudo itself
        page: Option<String>,
    },
}

fn language(text: &str) -> Result<Language, Text> {
    language::of_code(text).ok_or_else(|| text!("use en or ja"))
}

#[cfg(test)]
mod mistakes;
pub(crate) mod paths;
#[cfg(test)]
mod remedies;

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use sokudo_terminal::definition::man::man_page;
    use sokudo_terminal::definition::{self, groups, spoken};

    use super::*;
    use crate::commands::choose;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_is_in_one_group_of_help() {
        let groups = groups::GROUPS.iter();
        let mut listed: Vec<&str> = groups.flat_map(|(_, names)| *names).copied().collect();
        let cli = Cli::command();
        let mut names: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
        listed.sort_unstable();
        names.sort_unstable();
        assert_eq!(listed, names);
    }

    #[test]
    fn the_groups_of_help_fit_on_a_terminal() {
        for is_all in [false, true] {
            let mut grouped = groups::grouped(Cli::command(), 80, is_all, &mut str::to_owned);
            let help = grouped.render_long_help().to_string();
            let mut lines = help.lines().zip(help.lines().skip(1));
            assert!(!lines.any(|both| both == ("", "")), "{help}");
            let mut commands = help.split("Options:").next().unwrap().lines();
            assert!(commands.all(|line| line.chars().count() <= 80), "{help}");
            assert!(is_all || help.lines().count() < 24, "{help}");
        }
    }

    #[test]
    fn commands_are_found_by_what_people_type() {
        for (typed, meant) in [
            ("health", "info"),
            ("smart", "info"),
            ("disks", "info"),
            ("bench", "mark"),
            ("test", "mark"),
            ("speed", "mark"),
            ("gui", "page"),
            ("ui", "page"),
            ("web", "page"),
            ("history", "list"),
            ("assess", "checkup"),
            ("report", "show"),
            ("plot", "show"),
        ] {
            let cli = Cli::command();
            let found = cli.find_subcommand(typed).map(clap::Command::get_name);
            assert_eq!(found, Some(meant), "{typed}");
        }
    }

    /// By itself this test shows that no definition is needed: none was handed over.
    #[test]
    fn the_version_is_what_clap_says_whatever_stands_behind_it() {
        for words in [
            &["sokudo", "--version"][..],
            &["sokudo", "-V"],
            &["sokudo", "--version", "no-command", "--no-option"],
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let of_clap = Cli::command().try_get_matches_from(&words).unwrap_err();
            let read = Cli::read(words).unwrap_err();
            assert_eq!(read.kind(), ErrorKind::DisplayVersion);
            assert_eq!(read.to_string(), of_clap.to_string());
        }
    }

    /// Says nothing in other words, but remembers what was to be said.
    fn recorder(texts: &mut Vec<String>) -> impl FnMut(&str) -> String {
        |text| {
            texts.push(text.to_owned());
            text.to_owned()
        }
    }

    #[test]
    fn every_text_of_the_command_line_is_in_the_catalogue() {
        let japanese = spoken::exactly(Language::Japanese);
        let mut texts = Vec::new();
        let mut speaker = recorder(&mut texts);
        spoken::spoken(Cli::command(), HelpDestination::Manual, &mut speaker);
        spoken::prose(choose::SHORT_HELP, None, &mut speaker);
        for is_all in [false, true] {
            groups::grouped(Cli::command(), 80, is_all, &mut speaker);
        }
        drop(speaker);
        texts.sort();
        texts.dedup();
        let missing: Vec<&String> = texts
            .iter()
            .filter(|text| !text.is_empty() && japanese(text) == **text)
            .collect();
        assert!(
            missing.is_empty(),
            "not in crates/sokudo-words/ja/help.po: {missing:#?}"
        );
    }

    #[test]
    fn the_spoken_definition_is_consistent() {
        let mut say = spoken::exactly(Language::Japanese);
        let command = spoken::spoken(
            Cli::command(),
            HelpDestination::Terminal {
                width: 100,
                is_all: true,
            },
            &mut say,
        );
        command.debug_assert();
    }

    #[test]
    fn help_is_asked_for_with_the_language_in_any_place() {
        let command = Cli::command();
        let sorted = |words: &[&str]| {
            let words = words.iter().map(OsString::from).collect();
            language::before_help(words, &command).join(" ".as_ref())
        };
        for (words, expected) in [
            (
                &["sokudo", "help", "mark", "--lang", "ja"][..],
                "sokudo --lang ja help mark",
            ),
            (
                &["sokudo", "help", "--lang=ja", "mark"],
                "sokudo --lang=ja help mark",
            ),
            (
                &["sokudo", "baseline", "help", "set", "--lang", "ja"],
                "sokudo --lang ja baseline help set",
            ),
            (&["sokudo", "help", "--lang"], "sokudo --lang help"),
            // A directory may be called so.
            (
                &["sokudo", "mark", "help", "--lang", "ja"],
                "sokudo mark help --lang ja",
            ),
        ] {
            assert_eq!(sorted(words), expected);
        }
    }

    #[test]
    fn every_command_has_a_manual_page() {
        definition::hand_over(Cli::command);
        for command in Cli::command().get_subcommands() {
            let page = man_page(Some(command.get_name())).unwrap();
            assert!(page.contains("SYNOPSIS"), "{page}");
        }
    }
}
