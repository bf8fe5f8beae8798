//! Remedies in the words of whoever reads them: what `mark` calls `--direct on` is `direct=1`
//! to who writes for fio and `-Sd` to who writes for diskspd, and a command that has no such
//! option names one that has. Nothing but what stands in brackets changes.

use clap::CommandFactory;
use sokudo_model::{Finding, Run, ScheduleName};

use crate::cli::Cli;

/// Where an option of `mark` begins in a remedy.
const OPENING: &str = "(--";

/// What `mark`'s options are called in fio's job files.
const FIO: &[(&str, &str)] = &[
    ("--data random", "refill_buffers"),
    ("--depth", "iodepth"),
    ("--direct off", "direct=0"),
    ("--direct on", "direct=1"),
    ("--engine io_uring", "ioengine=io_uring"),
    ("--engine libaio", "ioengine=libaio"),
    ("--rate", "rate_iops"),
    ("--runs", "sokudo run --runs"),
    ("--runs 6", "sokudo run --runs 6"),
    ("--size", "size"),
    ("--threads", "numjobs"),
    ("--time", "runtime"),
];

/// What they are called in diskspd's command lines, which know no repetitions.
const DISKSPD: &[(&str, &str)] = &[
    ("--data random", "-Zr"),
    ("--depth", "-o"),
    ("--direct off", "-Sb"),
    ("--direct on", "-Sd"),
    ("--engine io_uring", "without -xk"),
    ("--engine libaio", "-xk"),
    ("--rate", "-g"),
    ("--runs", "the line more often"),
    ("--runs 6", "the line six times"),
    ("--size", "-c"),
    ("--threads", "-t"),
    ("--time", "-d"),
];

/// Who reads the remedies of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Somebody who has written for fio.
    Fio,
    /// Somebody who has written for diskspd.
    Diskspd,
    /// Somebody who has typed this command of sokudo's.
    Command(&'static str),
}

impl Reader {
    /// Of jobs in a language, or of one of sokudo's own methods.
    pub(crate) fn of(run: &Run) -> Self {
        match run.schedule.name {
            ScheduleName::Fio => Self::Fio,
            ScheduleName::Diskspd => Self::Diskspd,
            _ => Self::Command(run.plan.method.command().unwrap_or_default()),
        }
    }

    /// What an option of `mark` is called here; `None` where there is none.
    fn name(self, option: &str) -> Option<String> {
        let listed = |words: &[(&str, &str)]| {
            let mut words = words.iter().filter(|(ours, _)| *ours == option);
            words.next().map(|(_, theirs)| (*theirs).to_owned())
        };
        match self {
            Self::Fio => listed(FIO),
            Self::Diskspd => listed(DISKSPD),
            Self::Command(command) => of_command(command, option),
        }
    }
}

/// An option, if a command has it: options of one name mean the same in all of them.
fn of_command(command: &str, option: &str) -> Option<String> {
    let (name, value) = match option.split_once(' ') {
        None => (option, None),
        Some((name, value)) => (name, Some(value)),
    };
    let cli = Cli::command();
    let mut arguments = cli.find_subcommand(command)?.get_arguments();
    let argument = arguments.find(|argument| argument.get_long() == name.strip_prefix("--"))?;
    match value {
        // hdparm's --direct, for one, is no choice between on and off.
        Some(value) if !argument.get_action().takes_values() => {
            (value == "on").then(|| name.to_owned())
        }
        _ => Some(option.to_owned()),
    }
}

/// Puts all remedies of a run into the words of its reader.
pub(crate) fn put_into(run: &mut Run, reader: Reader) {
    let assessments = run
        .rows
        .iter_mut()
        .filter_map(|row| row.assessment.as_mut());
    let of_rows = assessments.flat_map(|assessment| &mut assessment.findings);
    for finding in of_rows.chain(&mut run.findings) {
        translate(finding, reader);
    }
}

fn translate(finding: &mut Finding, reader: Reader) {
    finding.remedy = in_words_of(reader, &finding.remedy);
}

/// The remedy with what stands in its brackets in other words.
fn in_words_of(reader: Reader, remedy: &str) -> String {
    let mut said = String::new();
    let mut rest = remedy;
    while let Some((before, after)) = rest.split_once(OPENING) {
        let Some((options, after)) = after.split_once(')') else {
            break;
        };
        let options = format!("--{options}");
        let options: Vec<&str> = options.split(", ").collect();
        let names: Vec<String> = options
            .iter()
            .filter_map(|option| reader.name(option))
            .collect();
        let names = match names.is_empty() {
            true => format!("sokudo mark {}", options.join(" ")),
            false => names.join(", "),
        };
        said.push_str(&format!("{before}({names})"));
        rest = after;
    }
    said + rest
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use sokudo_analysis::REMEDIES_WITH_OPTIONS;

    use sokudo_model::Method;

    use super::*;

    /// Every command that prints remedies, with what it must be given.
    const COMMANDS: [(&str, &[&str]); 8] = [
        ("mark", &["."]),
        ("scan", &["."]),
        ("sweep", &["."]),
        ("quick", &["."]),
        ("explain", &["."]),
        ("load", &["."]),
        ("steady", &["."]),
        ("bonnie", &["."]),
    ];

    /// What stands in the brackets of a remedy, as it is printed.
    fn hints(remedy: &str) -> Vec<String> {
        let openings = remedy.split('(').skip(1);
        let inside = openings.filter_map(|text| text.split_once(')'));
        inside
            .map(|(inside, _)| inside.to_owned())
            .filter(|inside| inside.contains("--") || inside.starts_with("sokudo "))
            .collect()
    }

    /// A value for an option that a remedy names without one.
    fn value(option: &str) -> Option<&'static str> {
        match option {
            "--size" => Some("64MiB"),
            "--time" | "--max-time" => Some("1s"),
            "--runs" => Some("12"),
            "--precision" => Some("5%"),
            "--rate" => Some("100iops"),
            "--depth" | "--threads" => Some("2"),
            _ => None,
        }
    }

    /// Asks clap whether a command takes these options.
    fn assert_parses(command: &str, given: &[&str], options: &str) {
        for option in options.split(", ") {
            let mut words = vec!["sokudo", command];
            words.extend(given);
            // Options that clap would take for one are told apart by their hyphens.
            for word in option.split(' ') {
                words.push(word);
            }
            let last = words[words.len() - 1];
            if last.starts_with("--") {
                words.extend(value(last));
            }
            let parsed = Cli::command().try_get_matches_from(&words);
            let is_understood = match &parsed {
                Ok(_) => true,
                Err(error) => error.kind() == ErrorKind::DisplayHelp,
            };
            assert!(is_understood, "{words:?}: {parsed:?}");
        }
    }

    #[test]
    fn every_option_and_command_of_a_remedy_is_understood_by_who_printed_it() {
        let mut walked = 0;
        for remedy in REMEDIES_WITH_OPTIONS {
            for (command, given) in COMMANDS {
                let said = in_words_of(Reader::Command(command), remedy);
                let hints = hints(&said);
                assert!(!hints.is_empty(), "{remedy}");
                for hint in hints {
                    match hint.strip_prefix("sokudo ") {
                        None => assert_parses(command, given, &hint),
                        Some(line) => assert_line_parses(line),
                    }
                    walked += 1;
                }
            }
        }
        assert!(walked > 8 * REMEDIES_WITH_OPTIONS.len(), "{walked}");
    }

    /// `info`, or `mark --direct on`: all of its options at once.
    fn assert_line_parses(line: &str) {
        let mut words = line.split(' ');
        let command = words.next().unwrap();
        let given: &[&str] = match command {
            "info" => &[],
            "run" => &["a.fio"],
            _ => &["."],
        };
        let rest = words.collect::<Vec<_>>().join(" ");
        for option in rest.split(" --").filter(|option| !option.is_empty()) {
            let option = format!("--{}", option.trim_start_matches("--"));
            assert_parses(command, given, &option);
        }
        if rest.is_empty() {
            let words = [&["sokudo", command][..], given].concat();
            let parsed = Cli::command().try_get_matches_from(&words);
            assert!(parsed.is_ok(), "{words:?}: {parsed:?}");
        }
    }

    #[test]
    fn an_option_that_a_command_has_not_is_one_of_a_command_that_has() {
        let direct = "measure with direct I/O (--direct on), on a disk";
        for (reader, said) in [
            (
                Reader::Command("mark"),
                "measure with direct I/O (--direct on), on a disk",
            ),
            (
                Reader::Command("quick"),
                "measure with direct I/O (sokudo mark --direct on), on a disk",
            ),
            (
                Reader::Command("hdparm"),
                "measure with direct I/O (--direct), on a disk",
            ),
            (Reader::Fio, "measure with direct I/O (direct=1), on a disk"),
            (Reader::Diskspd, "measure with direct I/O (-Sd), on a disk"),
        ] {
            assert_eq!(in_words_of(reader, direct), said);
        }
        let some = in_words_of(Reader::Command("scan"), "more trials (--runs, --time)");
        assert_eq!(some, "more trials (--runs)");
        assert_eq!(
            in_words_of(Reader::Command("quick"), "as it is (dmesg)"),
            "as it is (dmesg)"
        );
    }

    #[test]
    fn each_method_is_read_by_who_has_typed_its_command() {
        for (command, _) in COMMANDS {
            let methods = [command.to_owned(), format!("{command}/default")];
            let mut methods = methods.into_iter().map(Method::from);
            assert!(methods.any(|method| method.command() == Some(command)));
            assert!(
                Cli::command().find_subcommand(command).is_some(),
                "{command}"
            );
        }
    }

    #[test]
    fn no_option_of_mark_is_named_to_users_of_other_tools() {
        for remedy in REMEDIES_WITH_OPTIONS {
            for reader in [Reader::Fio, Reader::Diskspd] {
                for hint in hints(&in_words_of(reader, remedy)) {
                    let line = hint.strip_prefix("sokudo ");
                    let line = line.unwrap_or_else(|| panic!("{reader:?}: {hint}"));
                    assert_line_parses(line.split(", ").next().unwrap());
                }
            }
        }
    }

    fn is_option_of_fio(name: &str) -> bool {
        let mut options = sokudo_dialect::fio::options().iter();
        options.any(|option| option.name == name || option.aliases.contains(&name))
    }

    #[test]
    fn what_other_tools_are_told_is_in_their_languages() {
        for (_, word) in FIO.iter().filter(|(_, word)| !word.starts_with("sokudo ")) {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let known = is_option_of_fio(name);
            assert!(known, "{name} {value}");
        }
        for (_, word) in DISKSPD {
            let word = word.trim_start_matches("without ");
            let is_switch = word.starts_with('-') || word.starts_with("the line ");
            assert!(is_switch, "{word}");
        }
    }
}
