//! Help, manual pages and completions, all from one definition.

use crate::sokudo::{end, has, holds, shell, skip, sokudo};

#[test]
fn bare_sokudo_starts_with_the_main_job() {
    let printed = ok("");
    let first_command = printed.lines().find(|line| line.starts_with("  sokudo"));
    assert!(
        first_command.unwrap().starts_with("  sokudo checkup ."),
        "{printed}"
    );
    assert!(printed.contains("sokudo help mark"));
    let (_, listed) = printed.split_once("sokudo mark NAME\n").unwrap();
    assert!(listed.starts_with("   1  ."), "{listed}");
}

#[test]
fn version_and_help_are_printed_by_every_usual_word() {
    let version = concat!("sokudo ", env!("CARGO_PKG_VERSION"), "\n");
    for arguments in ["--version", "-V", "--version x --y", "--lang ja -V"] {
        assert_eq!(ok(arguments), version, "{arguments}");
    }
    for arguments in ["--help", "-h", "help"] {
        assert!(ok(arguments).contains("mark"));
    }
    assert_eq!(ok("help mark"), ok("mark --help"));
}

#[test]
fn help_takes_the_language_wherever_it_stands() {
    let japanese = ok("mark --help --lang ja");
    assert!(japanese.contains("使い方"), "{japanese}");
    for arguments in [
        "help mark --lang ja",
        "help --lang=ja mark",
        "--lang ja help mark",
    ] {
        assert_eq!(ok(arguments), japanese, "{arguments:?}");
    }
    let set = ok("baseline help set --lang ja");
    assert_eq!(set, ok("baseline set --help --lang ja"));
}

#[test]
fn short_help_of_mark_has_one_line_per_option() {
    let printed = ok("mark -h");
    let options = printed.split("Examples:").next().unwrap();
    for line in options.lines().filter(|line| line.starts_with("   ")) {
        assert!(line.trim_start().starts_with('-'), "it runs on: {line:?}");
    }
}

#[test]
fn long_help_of_mark_has_examples_and_exit_codes() {
    let printed = ok("help mark");
    holds(
        &printed,
        &[
            "Examples:",
            "Exit codes:",
            "[default: random]",
            "--overwrite",
        ],
    );
}

#[test]
fn manual_pages_render_without_warnings() {
    if !has("man") {
        return skip("man is not installed");
    }
    for page in ["", "mark", "clean", "completions", "man"] {
        let script = format!("\"$SOKUDO\" man {page} | man --warnings -l - | cat");
        let ended = end(shell(&script).env("LC_ALL", "C.UTF-8"));
        assert_eq!(ended.told, "", "{page}");
        assert!(ended.printed.contains("SYNOPSIS"), "{page}: {ended:?}");
    }
}

#[test]
fn completions_load_into_their_shells() {
    let ended = end(&mut shell(
        "source <(\"$SOKUDO\" completions bash) && complete -p sokudo",
    ))
    .ok();
    assert!(ended.told.is_empty(), "{ended:?}");
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        assert!(ok(&format!("completions {shell}")).contains("sokudo"));
    }
}

fn ok(arguments: &str) -> String {
    let ended = sokudo(arguments).ok();
    assert_eq!(ended.told, "", "{ended:?}");
    ended.printed
}
