//! Plans of a live comparison: arguments of a command that measures, in one word.

use std::path::Path;

use clap::ArgMatches;
use clap::parser::ValueSource;
use sokudo_methods::arguments::Ability;
use sokudo_methods::commands;
use sokudo_methods::measuring::{Measuring, Planned};
use sokudo_methods::several;
use sokudo_terminal::command_line;
use sokudo_terminal::definition;
use sokudo_terminal::exit::Exit;
use sokudo_words::{Text, text};

/// Options that a plan cannot have, because the comparison says how often it is measured
/// and what is printed.
const OF_THE_COMPARISON: [&str; 18] = [
    "runs",
    "quick",
    "dry-run",
    "schedule",
    "pause",
    "precision",
    "max-time",
    "format",
    "output",
    "unit",
    "plot",
    "plot-kind",
    "theme",
    "print-job",
    "as",
    "require",
    "stop-when",
    "resume",
];

/// A plan, as it was given.
pub(super) struct ComparedPlan {
    command: Box<dyn Measuring>,
    /// Whether it is about a simulated device.
    pub(super) is_simulated: bool,
}

impl ComparedPlan {
    /// Reads the arguments of a command.
    pub(super) fn parse(text: &str) -> Result<Self, Exit> {
        let words = command_line::words(text).ok_or_else(|| {
            Exit::usage(text!("the plan {text:?} has a quote that is not closed"))
        })?;
        let words = command_line::without_program(words);
        let is_target = |word: &String| {
            let is_there = word.starts_with("sim:") || Path::new(word).exists();
            is_there && !definition::is_command(word)
        };
        if words.first().is_some_and(is_target) {
            return Err(Exit::usage(text!(
                "the plan {text:?} names no command; to measure this one, write 'mark {}'",
                Text::name(text)
            )));
        }
        let refused =
            |reason| Exit::usage(text!("the plan {text:?} cannot be carried out: {reason}"));
        let given = definition::read_later(&words).map_err(refused)?;
        let command = commands::given(&given).map_err(refused)?;
        if let Some(option) = of_the_comparison(&given) {
            return Err(Exit::usage(text!(
                "the plan {text:?} has --{option}; leave it out, because --live makes trials in pairs (--pairs) and prints the comparison only"
            )));
        }
        let command = command.map(commands::of);
        let command = command.filter(|it| it.can(Ability::Alternate)).ok_or_else(|| {
            Exit::usage(text!(
                "the plan {text:?} cannot be measured alternately; begin it with {}, such as 'mark /mnt/a'",
                commands::names(Ability::Alternate)
            ))
        })?;
        several::check_one(&definition::values_of(&given, "others"), "a plan")?;
        let mut targets = definition::values_of(&given, "target").into_iter();
        Ok(Self {
            is_simulated: targets.any(|target| target.starts_with("sim:")),
            command,
        })
    }

    /// What its run is to be called.
    pub(super) fn label(&self) -> Option<&String> {
        self.command.shared().printing.label.as_ref()
    }

    /// Gives it a seed, unless it has one.
    pub(super) fn seed(&mut self, seed: u64) {
        self.command.shared_mut().seed.get_or_insert(seed);
    }

    pub(super) fn planned(&self) -> Result<Planned<'_>, Exit> {
        self.command.planned()
    }
}

/// The first option of the comparison that was given, however it was written: clap has
/// taken short options apart and knows words that are values.
fn of_the_comparison(given: &ArgMatches) -> Option<&'static str> {
    let (name, given) = given.subcommand()?;
    let command = definition::made();
    let arguments = command.find_subcommand(name)?.get_arguments();
    let was_given = |argument: &&clap::Arg| {
        given.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let options: Vec<&str> = arguments
        .filter(was_given)
        .filter_map(clap::Arg::get_long)
        .collect();
    let mut own = OF_THE_COMPARISON.into_iter();
    own.find(|option| options.contains(option))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parsed(text: &str) -> Result<ComparedPlan, Exit> {
        definition::hand_over(crate::cli::Cli::command);
        ComparedPlan::parse(text)
    }

    fn refusal(text: &str) -> String {
        match parsed(text) {
            Err(Exit::Usage(error)) => error.to_string(),
            _ => panic!("{text} is taken"),
        }
    }

    #[test]
    fn a_plan_is_the_arguments_of_a_command_that_measures() {
        for text in [
            "mark . --row RND4K,Q32",
            "sokudo mark 'a b'",
            "scan sim:hdd",
            "run a.fio",
            // The names of files, not options.
            "mark -- -n",
            "run -- --output",
        ] {
            assert!(parsed(text).is_ok(), "{text}");
        }
        assert!(parsed("mark sim:hdd").is_ok_and(|plan| plan.is_simulated));
    }

    #[test]
    fn what_is_no_plan_is_refused_with_the_way_out() {
        for (text, words) in [
            ("", "begin it with mark"),
            ("info", "begin it with mark"),
            ("sim:hdd", "write 'mark sim:hdd'"),
            ("/tmp -n 3", "write 'mark /tmp -n 3'"),
            ("mark 'x", "not closed"),
            ("mark . -n 6", "--pairs"),
            ("mark . --runs=6", "--pairs"),
            ("mark . -n6", "--pairs"),
            ("mark . --format json", "leave it out"),
            // Short options may hang together.
            ("mark . -qn6", "--runs"),
            ("mark . -qo x", "--output"),
            ("mark . --max-time 5s", "--max-time"),
            ("mark . --unit iops", "--unit"),
            ("scan . --plot-kind bars", "--plot-kind"),
            ("run a.fio -f json", "--format"),
            ("mark . --nonsense", "--nonsense"),
            ("mark --help", "measures nothing"),
        ] {
            let message = refusal(text);
            assert!(message.contains(words), "{text}: {message}");
            assert_eq!(message.lines().count(), 1, "{message}");
        }
    }

    #[test]
    fn a_plan_keeps_the_seed_that_it_has() {
        for (text, seed) in [("mark . --seed 7", 7), ("mark .", 9)] {
            let mut plan = parsed(text).unwrap();
            plan.seed(9);
            assert_eq!(plan.command.shared().seed, Some(seed), "{text}");
        }
    }
}
