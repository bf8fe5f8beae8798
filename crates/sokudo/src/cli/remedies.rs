//! Remedies name what the command line has.

use std::collections::BTreeSet;

use clap::CommandFactory;
use clap::error::ErrorKind;
use sokudo_analysis::{Means, remedies_with_options};
use sokudo_model::Method;
use sokudo_terminal::definition;
use sokudo_terminal::remedies::{self, Audience, in_other_tools};
use sokudo_words::{Argument, Text, text};

use super::Cli;

/// Every command whose runs may have remedies.
fn commands() -> BTreeSet<&'static str> {
    sokudo_methods::commands::kinds()
        .map(|kind| kind.command)
        .collect()
}

/// What a command must be given.
fn given(command: &str) -> &'static [&'static str] {
    match command {
        "info" => &[],
        "run" => &["a.fio"],
        "fit" => &["etcd", "."],
        _ => &["."],
    }
}

fn in_words_of(reader: Audience, remedy: &Text) -> Text {
    definition::hand_over(Cli::command);
    remedies::in_words_of(reader, remedy)
}

/// What a remedy points at, as it is printed.
fn hints(remedy: &Text) -> Vec<String> {
    let pointing = remedy
        .arguments()
        .filter(|(_, it)| !Means::of(it).is_empty());
    let written = |argument: &Argument| match argument {
        Argument::Figure(figure) => figure.text.clone(),
        other => panic!("{other:?}"),
    };
    pointing
        .map(|(_, it)| written(it))
        .filter(|name| name.contains("--") || name.starts_with("sokudo "))
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
fn assert_parses(command: &str, options: &str) {
    for option in options.split(", ") {
        let mut words = vec!["sokudo", command];
        words.extend(given(command));
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
    for remedy in remedies_with_options() {
        for command in commands() {
            let wording = in_words_of(Audience::Command(command), &remedy);
            let hints = hints(&wording);
            assert!(!hints.is_empty(), "{remedy}");
            for hint in hints {
                match hint.strip_prefix("sokudo ") {
                    None => assert_parses(command, &hint),
                    Some(line) => assert_line_parses(line),
                }
                walked += 1;
            }
        }
    }
    assert!(walked > 8 * remedies_with_options().len(), "{walked}");
}

/// `info`, or `mark --direct on`: all of its options at once.
fn assert_line_parses(line: &str) {
    let mut words = line.split(' ');
    let command = words.next().unwrap();
    let rest = words.collect::<Vec<_>>().join(" ");
    for option in rest.split(" --").filter(|option| !option.is_empty()) {
        let option = format!("--{}", option.trim_start_matches("--"));
        assert_parses(command, &option);
    }
    if rest.is_empty() {
        let words = [&["sokudo", command][..], given(command)].concat();
        let parsed = Cli::command().try_get_matches_from(&words);
        assert!(parsed.is_ok(), "{words:?}: {parsed:?}");
    }
}

#[test]
fn an_option_that_a_command_has_not_is_one_of_a_command_that_has() {
    let pointing_at = |means: &[Means]| Means::called(means, String::new());
    let direct = text!(
        "measure with direct I/O ({options}), on a disk",
        options = pointing_at(&[Means::Direct])
    );
    for (reader, expected) in [
        (
            Audience::Command("mark"),
            "measure with direct I/O (--direct on), on a disk",
        ),
        (
            Audience::Command("quick"),
            "measure with direct I/O (sokudo mark --direct on), on a disk",
        ),
        (
            Audience::Command("hdparm"),
            "measure with direct I/O (--direct), on a disk",
        ),
        (
            Audience::Fio,
            "measure with direct I/O (direct=1), on a disk",
        ),
        (
            Audience::Diskspd,
            "measure with direct I/O (-Sd), on a disk",
        ),
    ] {
        assert_eq!(in_words_of(reader, &direct), expected);
    }
    let more = text!(
        "more trials ({options})",
        options = pointing_at(&[Means::Runs, Means::Time])
    );
    let some = in_words_of(Audience::Command("scan"), &more);
    assert_eq!(some, "more trials (--runs)");
    let plain = Text::from("as it is (dmesg)");
    assert_eq!(in_words_of(Audience::Command("quick"), &plain), plain);
}

#[test]
fn each_method_is_read_by_who_has_typed_its_command() {
    sokudo_methods::commands::hand_over();
    for kind in sokudo_methods::commands::kinds() {
        let name = match kind.is_named {
            true => format!("{}/default", kind.name),
            false => kind.name.to_owned(),
        };
        assert_eq!(Method::from(name).command(), Some(kind.command));
        let found = Cli::command().find_subcommand(kind.command).is_some();
        assert!(found, "{}", kind.command);
    }
}

#[test]
fn no_option_of_mark_is_named_to_users_of_other_tools() {
    for remedy in remedies_with_options() {
        for reader in [Audience::Fio, Audience::Diskspd] {
            for hint in hints(&in_words_of(reader, &remedy)) {
                let line = hint.strip_prefix("sokudo ");
                let line = line.unwrap_or_else(|| panic!("{reader:?}: {hint}"));
                assert_line_parses(line.split(", ").next().unwrap());
            }
        }
    }
}

fn is_option_of_fio(name: &str) -> bool {
    let mut options = sokudo_tools::fio::options().iter();
    options.any(|option| option.name == name || option.aliases.contains(&name))
}

#[test]
fn what_other_tools_are_told_is_in_their_languages() {
    let words = || Means::ALL.into_iter().filter_map(in_other_tools);
    let of_fio = words().map(|[fio, _]| fio);
    for word in of_fio.filter(|word| !word.starts_with("sokudo ")) {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let known = is_option_of_fio(name);
        assert!(known, "{name} {value}");
    }
    for [_, word] in words() {
        let word = word.trim_start_matches("without ");
        let is_switch = word.starts_with('-') || word.starts_with("the line ");
        assert!(is_switch, "{word}");
    }
}
