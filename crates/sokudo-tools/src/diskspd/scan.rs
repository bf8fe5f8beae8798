//! A command line as options with their values, and targets.
//!
//! Windows' diskspd has one argument per option (`-b4K`), all before the targets; that of
//! Linux also takes values that stand apart (`-b 4K`), flags in one word (`-Ln`), long names
//! (`--block-size=4K`) and options behind targets. Both are read.

use crate::language::host::Host;
use crate::language::nearest::likely;

use super::error::{DiskspdError, DiskspdProblem};
use super::options::{DiskspdOption, OPTIONS};

/// Options that always have a value, so that it may be the next argument.
const WITH_VALUE: &str = "bBcCdfFgioOjtTWX";
/// Options that never have one, so that another option may follow in the same word.
const FLAGS: &str = "hlLnpv";

/// The arguments that are still to be read.
type Rest<'a> = std::iter::Peekable<std::slice::Iter<'a, String>>;

/// A command line in its parts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DiskspdCommandLine {
    /// Options in the order of the command line.
    pub(super) options: Vec<WrittenOption>,
    /// Files and devices in order.
    pub(super) targets: Vec<String>,
    /// Whether an option stands behind a slash.
    pub(super) windows: bool,
    /// Whether help is asked for.
    pub(super) help: bool,
}

/// An option as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenOption {
    /// All of it, for messages.
    pub(super) text: String,
    pub(super) letter: char,
    /// What follows the letter.
    pub(super) value: String,
}

/// Takes a command line apart, without the program's name.
pub(super) fn scan(
    arguments: &[String],
    host: &dyn Host,
) -> Result<DiskspdCommandLine, DiskspdError> {
    let mut line = DiskspdCommandLine::default();
    // Windows takes a slash for a dash; here it is one only where nothing has that path.
    let slashed =
        |word: &&str| DiskspdOption::is_spelled(word) && host.found(&format!("/{word}")).is_none();
    let mut rest = arguments.iter().peekable();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            line.targets.extend(rest.by_ref().cloned());
        } else if let Some(long) = argument.strip_prefix("--") {
            long_option(&mut line, argument, long, &mut rest)?;
        } else if let Some(word) = argument.strip_prefix('-').filter(|word| !word.is_empty()) {
            short_options(&mut line, argument, word, &mut rest)?;
        } else if let Some(word) = argument.strip_prefix('/').filter(slashed) {
            line.windows = true;
            short_options(&mut line, argument, word, &mut rest)?;
        } else {
            line.targets.push(argument.clone());
        }
    }
    Ok(line)
}

fn short_options<'a>(
    line: &mut DiskspdCommandLine,
    argument: &str,
    word: &str,
    rest: &mut Rest<'a>,
) -> Result<(), DiskspdError> {
    let mut letters = word.chars();
    while let Some(letter) = letters.next() {
        let value = letters.as_str();
        if letter == '?' {
            line.help = true;
            return Ok(());
        }
        if FLAGS.contains(letter) && value != "s" {
            line.options.push(WrittenOption {
                text: format!("-{letter}"),
                letter,
                value: String::new(),
            });
            continue;
        }
        let (text, value) = match value {
            "" if WITH_VALUE.contains(letter) => apart(argument, rest)?,
            // Optional on Windows, always there on Linux.
            "" if letter == 'a' && rest.peek().is_some_and(|next| is_processor_list(next)) => {
                apart(argument, rest)?
            }
            _ => (argument.to_owned(), value.to_owned()),
        };
        line.options.push(WrittenOption {
            text,
            letter,
            value,
        });
        return Ok(());
    }
    Ok(())
}

/// Whether it can hardly be anything but `0,1,4-7`.
fn is_processor_list(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && text
            .chars()
            .all(|c| c.is_ascii_digit() || c == ',' || c == '-')
}

/// A value that is the next argument.
fn apart<'a>(argument: &str, rest: &mut Rest<'a>) -> Result<(String, String), DiskspdError> {
    let value = rest.next().ok_or_else(|| {
        let expected = "a value";
        DiskspdError::new(argument, DiskspdProblem::Missing { expected })
    })?;
    Ok((format!("{argument} {value}"), value.clone()))
}

fn long_option<'a>(
    line: &mut DiskspdCommandLine,
    argument: &str,
    long: &str,
    rest: &mut Rest<'a>,
) -> Result<(), DiskspdError> {
    let (name, value) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (long, None),
    };
    let letter = match name {
        "help" | "usage" => {
            line.help = true;
            return Ok(());
        }
        "caching-options" => 'S',
        "io-engine" => 'x',
        _ => OPTIONS
            .iter()
            .find(|option| option.long == Some(name))
            .and_then(|option| option.key.chars().next())
            .ok_or_else(|| {
                let others = ["help", "usage", "caching-options", "io-engine"].into_iter();
                let names = OPTIONS.iter().filter_map(|option| option.long);
                let nearest = likely(name, names.chain(others));
                let problem = nearest.map_or(DiskspdProblem::Unknown, |nearest| {
                    DiskspdProblem::UnknownName { nearest }
                });
                DiskspdError::new(argument, problem)
            })?,
    };
    let takes_value = WITH_VALUE.contains(letter) || "aSxZ".contains(letter);
    let (text, value) = match value {
        Some(value) => (argument.to_owned(), value),
        None if takes_value => apart(argument, rest)?,
        None => (argument.to_owned(), String::new()),
    };
    line.options.push(WrittenOption {
        text,
        letter,
        value,
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::host::NoHost;

    fn parts(words: &[&str]) -> (Vec<(char, String)>, Vec<String>) {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let line = scan(&words, &NoHost).unwrap();
        let options = line.options.into_iter().map(|o| (o.letter, o.value));
        (options.collect(), line.targets)
    }

    #[test]
    fn values_stand_behind_apart_or_after_a_long_name() {
        let expected = (vec![('b', "4K".to_owned())], vec!["file".to_owned()]);
        assert_eq!(parts(&["-b4K", "file"]), expected);
        assert_eq!(parts(&["-b", "4K", "file"]), expected);
        assert_eq!(parts(&["--block-size=4K", "file"]), expected);
        assert_eq!(parts(&["--block-size", "4K", "file"]), expected);
        assert_eq!(parts(&["file", "-b4K"]), expected);
    }

    #[test]
    fn flags_may_share_a_word_with_another_option() {
        let (options, _) = parts(&["-Lnr4K", "-vs"]);
        let options: Vec<_> = options.iter().map(|(o, v)| (*o, v.as_str())).collect();
        assert_eq!(options, [('L', ""), ('n', ""), ('r', "4K"), ('v', "s")]);
    }

    #[test]
    fn what_is_optional_never_takes_the_next_argument() {
        for option in ["-r", "-D", "-z", "-w", "-S", "-s", "-Z", "-x", "-P"] {
            assert_eq!(parts(&[option, "4"]).1, ["4"], "{option}");
        }
        assert_eq!(parts(&["-a", "0-3,7", "file"]).1, ["file"]);
        assert_eq!(parts(&["-a", "file"]).1, ["file"]);
    }

    #[test]
    fn a_long_name_with_a_typo_comes_with_the_right_one() {
        let error = scan(&["--blok-size=4K".to_owned()], &NoHost).unwrap_err();
        let nearest = "block-size";
        assert_eq!(error.problem, DiskspdProblem::UnknownName { nearest });
    }

    #[test]
    fn everything_behind_two_dashes_is_a_target() {
        assert_eq!(parts(&["--", "-b4K", "--"]).1, ["-b4K", "--"]);
        assert_eq!(parts(&["-"]).1, ["-"]);
    }
}
