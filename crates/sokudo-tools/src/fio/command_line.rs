//! The command line, as getopt_long_only(3) gives it to fio: one dash or two,
//! abbreviations, `--option value` and `--option=value`, job files anywhere between.

use crate::language::host::Host;

use super::failure::{ErrorLocation, FioError, FioProblem};
use super::invocation::{Assignment, FioAction, FioInvocation, Section};
use super::job_file::read_sections;
use super::option::{FioOption, OptionEffect};
use super::switches::{Switch, Takes, switches};
use super::table::{options, position, unknown};

/// More arguments than any command line; each may open a job.
const ARGUMENTS_MAX: usize = 1 << 14;
/// Linux' limit on one argument.
const ARGUMENT_BYTES_MAX: usize = 1 << 17;

/// Reads a command line, without the program's name, and the job files that it names.
///
/// # Errors
/// [`FioError`] with everything that is wrong with options, or the first other thing.
pub fn invocation(arguments: &[String], host: &dyn Host) -> Result<FioInvocation, FioError> {
    let mut reader = CommandLineReader::default();
    let too_long = |argument: &String| argument.len() > ARGUMENT_BYTES_MAX;
    if arguments.len() > ARGUMENTS_MAX || arguments.iter().any(too_long) {
        return Err(FioError::of_command_line(
            "it is longer than any that a system takes; put the jobs in a job file",
        ));
    }
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if reader.is_finished() {
            break;
        }
        if argument == "--" {
            reader.invocation.files.extend(rest.by_ref().cloned());
        } else if argument == "-" || !argument.starts_with('-') {
            reader.invocation.files.push(argument.clone());
        } else {
            reader.option(argument, &mut rest)?;
        }
    }
    reader.files(host)
}

#[derive(Default)]
struct CommandLineReader {
    invocation: FioInvocation,
    /// Names of sections given with `--section`; empty is all.
    wanted: Vec<String>,
    /// Options that nobody knows.
    unknown: Vec<FioError>,
    /// Whether the last `--name` is none of those.
    is_skipped: bool,
}

/// What a word of the command line stands for.
#[derive(Clone, Copy)]
enum CommandLineWord {
    Switch(&'static Switch),
    Option(usize),
}

impl CommandLineReader {
    /// Whether fio would end here, whatever follows.
    const fn is_finished(&self) -> bool {
        matches!(
            self.invocation.action,
            FioAction::Help | FioAction::Version | FioAction::CommandHelp(_)
        )
    }

    fn option<'a>(
        &mut self,
        argument: &'a str,
        rest: &mut impl Iterator<Item = &'a String>,
    ) -> Result<(), FioError> {
        let at = |problem| FioError::new(ErrorLocation::CommandLine, problem);
        let body = argument.trim_start_matches('-');
        let (name, value) = match body.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (body, None),
        };
        let is_letter = !argument.starts_with("--") && argument.chars().count() == 2;
        let known = match by_letter(name).filter(|_| is_letter) {
            Some(switch) => CommandLineWord::Switch(switch),
            None => match by_name(name) {
                Ok(known) => known,
                Err(problem) => {
                    self.unknown.push(at(problem));
                    return Ok(());
                }
            },
        };
        let (takes, full_name) = match known {
            CommandLineWord::Switch(switch) => (switch.takes, switch.name),
            CommandLineWord::Option(index) => (takes(&options()[index]), options()[index].name),
        };
        let value = match (takes, value) {
            (Takes::Nothing, Some(value)) => {
                let (option, value) = (full_name.to_owned(), value.to_owned());
                return Err(at(FioProblem::UnwantedValue { option, value }));
            }
            (Takes::Value, None) => {
                let missing = || {
                    let expected = match known {
                        CommandLineWord::Switch(switch) => switch.meaning.to_owned(),
                        CommandLineWord::Option(index) => options()[index].form(),
                    };
                    let option = format!("--{full_name}");
                    at(FioProblem::MissingValue { option, expected })
                };
                Some(rest.next().ok_or_else(missing)?.as_str())
            }
            (_, value) => value,
        };
        match known {
            CommandLineWord::Switch(switch) => {
                if switch.name == "section" {
                    self.wanted.extend(value.map(str::to_owned));
                }
                switch.apply(&mut self.invocation, value).map_err(at)
            }
            CommandLineWord::Option(index) => {
                self.assign(index, value);
                Ok(())
            }
        }
    }

    fn assign(&mut self, option: usize, value: Option<&str>) {
        let is_name = options()[option].name == "name";
        let sections = &mut self.invocation.sections;
        if is_name || sections.is_empty() {
            let name = value.filter(|_| is_name).unwrap_or("global");
            let section = Section::begun(name, None, ErrorLocation::CommandLine, &self.wanted);
            self.is_skipped = section.is_none();
            sections.extend(section);
        }
        // fio does not echo the name of what is global.
        let is_global_name = is_name && sections.last().is_some_and(|section| section.is_global);
        if let Some(section) = sections.last_mut()
            && !self.is_skipped
            && !is_global_name
        {
            section.options.push(Assignment {
                option,
                value: value.map(str::to_owned),
                value_column: 0,
                source: ErrorLocation::CommandLine,
            });
        }
    }

    fn files(mut self, host: &dyn Host) -> Result<FioInvocation, FioError> {
        if self.is_finished() {
            return Ok(self.invocation);
        }
        for (index, path) in self.invocation.files.iter().enumerate() {
            let unknown = &mut self.unknown;
            match read_sections(path, index, &self.wanted, host, unknown) {
                Ok(sections) => self.invocation.sections.extend(sections),
                // What is no file may be the value of an option that nobody knows.
                Err(_) if !unknown.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        if self.unknown.is_empty() {
            return Ok(self.invocation);
        }
        let faults = self.invocation.faults(host);
        FioError::of_all(self.unknown.into_iter().chain(faults)).map_or(Ok(self.invocation), Err)
    }
}

/// What an option takes on the command line. A flag's value stands behind `=`; a log's
/// name, which a job file may leave out, must be there.
const fn takes(option: &FioOption) -> Takes {
    match option.effect {
        OptionEffect::Flag(_) => Takes::MayBe,
        _ => Takes::Value,
    }
}

fn by_letter(name: &str) -> Option<&'static Switch> {
    let mut letters = name.chars();
    let letter = letters.next()?;
    switches()
        .iter()
        .find(|switch| switch.letter == Some(letter) && letters.as_str().is_empty())
}

/// The one that is called so, or the only one whose name begins so.
fn by_name(name: &str) -> Result<CommandLineWord, FioProblem> {
    let of_switches = || {
        switches()
            .iter()
            .map(|switch| (switch.name, CommandLineWord::Switch(switch)))
    };
    let names = |(index, option): (usize, &'static FioOption)| {
        option
            .names()
            .map(move |name| (name, CommandLineWord::Option(index)))
    };
    let all = || of_switches().chain(options().iter().enumerate().flat_map(names));
    if let Some(switch) = switches().iter().find(|switch| switch.name == name) {
        return Ok(CommandLineWord::Switch(switch));
    }
    if let Some(index) = position(name) {
        return Ok(CommandLineWord::Option(index));
    }
    let candidates: Vec<_> = all()
        .filter(|(full, _)| !name.is_empty() && full.starts_with(name))
        .collect();
    match candidates[..] {
        [(_, known)] => Ok(known),
        [] => Err(unknown("--", name, all().map(|(full, _)| full))),
        _ => {
            const SHOWN_MAX: usize = 8;
            let names = candidates.iter().map(|(full, _)| format!("--{full}"));
            Err(FioProblem::Ambiguous {
                option: name.to_owned(),
                candidates: names.take(SHOWN_MAX).collect::<Vec<_>>().join(" or "),
            })
        }
    }
}
