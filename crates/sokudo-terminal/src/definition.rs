//! The command line: the program hands over what it takes, and here it is shown in the language that
//! is spoken, and words are read by it.

pub mod groups;
pub mod man;
pub mod spoken;

use std::sync::{Mutex, OnceLock, PoisonError};

use clap::{ArgMatches, Command};
use sokudo_words::{Language, Text, text};

use crate::arguments::mistake::mistake;
use crate::{invocation, language};
use spoken::HelpDestination;

static MAKE: OnceLock<fn() -> Command> = OnceLock::new();

/// From now on this is what the program takes, which has one command line.
pub fn hand_over(make: fn() -> Command) {
    MAKE.get_or_init(|| make);
}

/// What the program takes, in English.
///
/// # Panics
/// Where none was handed over.
pub fn made() -> Command {
    MAKE.get().expect("the program has handed it over")()
}

/// Lends the command line as it is shown in the current language. To put its hundreds of options
/// together takes longer than to read words by it, so that it is done once per process, and what
/// was made is never taken apart.
pub fn with_command<T>(page: HelpDestination, read: impl FnOnce(&mut Command) -> T) -> T {
    static MADE: Mutex<Vec<((Language, HelpDestination), Command)>> = Mutex::new(Vec::new());
    let key = (language::current(), page);
    // A panic while words were read harms no definition.
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let index = made.iter().position(|(known, _)| *known == key);
    let index = index.unwrap_or_else(|| {
        made.push((key, command(page)));
        made.len() - 1
    });
    read(&mut made[index].1)
}

/// Reads the words of a command that is carried out later. What is wrong with them is said without
/// the words.
pub fn read_later(words: &[String]) -> Result<ArgMatches, Text> {
    let text_of = |error: clap::Error| match error.use_stderr() {
        true => mistake(&error),
        false => text!("it measures nothing"),
    };
    let all = std::iter::once("sokudo").chain(words.iter().map(String::as_str));
    let read = |command: &mut Command| command.try_get_matches_from_mut(all);
    with_command(HelpDestination::Manual, read).map_err(text_of)
}

/// The values that were given, or hold unasked, for an argument of the command; none where it has
/// no such argument.
pub fn values_of(given: &ArgMatches, argument: &str) -> Vec<String> {
    let given = given.subcommand().map_or(given, |(_, given)| given);
    let values = given.try_get_many::<String>(argument).ok().flatten();
    values.into_iter().flatten().cloned().collect()
}

/// The command line as it is shown in the current language.
pub fn command(page: HelpDestination) -> Command {
    let command = in_current_language(page);
    match page {
        HelpDestination::Terminal { width, is_all } => {
            let width = width.min(help_width());
            match language::current() {
                Language::English => groups::grouped(command, width, is_all, &mut str::to_owned),
                // Its commands have been said already.
                other => groups::grouped(command, width, is_all, &mut spoken::exactly(other)),
            }
        }
        HelpDestination::Manual => groups::ordered(command),
    }
}

fn in_current_language(page: HelpDestination) -> Command {
    match language::current() {
        Language::English => match page {
            // clap looks at the process's terminal, which is not that of kept streams.
            HelpDestination::Terminal { width, .. } if !invocation::current().is_of_process() => {
                made().term_width(width)
            }
            _ => made(),
        },
        other => spoken::spoken(made(), page, &mut spoken::exactly(other)),
    }
}

/// A text of the command line by itself, in the current language.
pub fn page(text: &str) -> String {
    match language::current() {
        Language::English => text.to_owned(),
        other => {
            let page = spoken::prose(text, Some(help_width()), &mut spoken::exactly(other));
            format!("{}\n", page.trim_end())
        }
    }
}

/// Whether a word is what a command is called in help, and no other name of it: what exists under
/// such a name is rather meant.
pub fn is_command_name(word: &str) -> bool {
    let is_it = |command: &Command| command.get_name() == word;
    word == "help" || made().get_subcommands().any(is_it)
}

/// Whether a word is the name of a command, or another name of it.
pub fn is_command(word: &str) -> bool {
    word == "help" || made().find_subcommand(word).is_some()
}

/// How wide help may be: as clap has it.
pub fn help_width() -> usize {
    /// Where there is no terminal.
    const WIDTH: usize = 100;
    invocation::terminal_size().map_or(WIDTH, |(width, _)| width)
}
