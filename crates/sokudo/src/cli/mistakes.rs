//! What is wrong with arguments, said of the whole command line.

use clap::CommandFactory;
use sokudo_terminal::arguments::mistake::mistake;
use sokudo_words::{Language, Text};

use super::Cli;

fn message_of(arguments: &str) -> Text {
    let words = arguments.split(' ').filter(|word| !word.is_empty());
    let words = std::iter::once("sokudo").chain(words);
    mistake(&Cli::command().try_get_matches_from(words).unwrap_err())
}

#[test]
fn every_kind_of_mistake_is_said_in_every_language() {
    for (arguments, english) in [
        (
            "mark --destry",
            "unexpected argument '--destry' found; a similar argument exists: --destroy",
        ),
        (
            "mark . --trim 1",
            "unexpected argument '--trim' found; use sokudo quick --trim",
        ),
        (
            "mark --bs 4k",
            "unexpected argument '--bs' found; use sokudo mark --row RND4K",
        ),
        (
            "baseline m1",
            "there is no command 'm1'; to compare with a run: sokudo baseline set m1",
        ),
        (
            "list --xyz",
            "unexpected argument '--xyz' found; to pass '--xyz' as a value, use '-- --xyz'",
        ),
        (
            "prepar",
            "there is no command 'prepar'; a similar command exists: peak, prepare",
        ),
        (
            "--row x mark",
            "unexpected argument '--row' found; 'mark --row' exists",
        ),
        (
            "mark --unit x",
            "invalid value 'x' for '--unit <NAME>': use one of mb, mib, gb, kb, iops",
        ),
        (
            "mark --unit",
            "a value is required for '--unit <NAME>' but none was supplied",
        ),
        (
            "mark --runs 1e3",
            "invalid value '1e3' for '--runs <N>': use a whole number from 1 to 10000",
        ),
        (
            "mark --seed 1e3",
            "invalid value '1e3' for '--seed <N>': use a whole number, such as 1000",
        ),
        (
            "mark --seed 18446744073709551616",
            "invalid value '18446744073709551616' for '--seed <N>': the number is too large",
        ),
        (
            "mark --data one",
            "invalid value 'one' for '--data <WHAT>': use one of random, zero",
        ),
        (
            "mark --read-only --write-only",
            "the argument '--read-only' cannot be used with '--write-only'",
        ),
        (
            "mark --time 1s --time 1s",
            "the argument '--time <TIME>' cannot be used multiple times",
        ),
        ("explain", "required arguments are missing: <TARGET>"),
        ("explain a b", "unexpected argument 'b' found"),
    ] {
        let message = message_of(arguments);
        assert_eq!(message.english(), english, "{arguments}");
        let japanese = message.in_language(Language::Japanese);
        assert!(!japanese.is_ascii(), "{arguments}: {japanese}");
    }
}
