//! The language in which sokudo speaks to people, and what has none.

use std::process::Command;

use unicode_width::UnicodeWidthStr;

use crate::sokudo::{Ended, end, has, holds, program, shell, skip, split};

/// What short help is held to.
const HELP_COLUMNS: usize = 100;

/// sokudo in a locale of its own, whatever that of the test is.
fn in_locale(variables: &[(&str, &str)]) -> Command {
    let mut command = program();
    for name in ["LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LANG", "SOKUDO_LANG"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    command
}

fn japanese(arguments: &str) -> Ended {
    end(in_locale(&[("LANG", "ja_JP.UTF-8")]).args(split(arguments)))
}

fn english(arguments: &str) -> Ended {
    end(in_locale(&[("LANG", "C.UTF-8")]).args(split(arguments)))
}

fn is_japanese(text: &str) -> bool {
    text.chars()
        .any(|sign| matches!(sign, '\u{3040}'..='\u{30ff}'))
}

#[test]
fn the_locale_decides_the_language_of_a_table() {
    let arguments = "mark sim:hdd --row RND4K --runs 6 --quiet";
    let ended = japanese(arguments).ok().prints(&["検証済み"]);
    assert!(!ended.printed.contains("VERIFIED"), "{ended:?}");
    for variables in [&[("LANG", "C.UTF-8")][..], &[]] {
        let ended = end(in_locale(variables).args(split(arguments))).prints(&["VERIFIED"]);
        assert!(!is_japanese(&ended.printed), "{ended:?}");
    }
}

#[test]
fn the_option_comes_before_everything_that_the_locale_says() {
    for arguments in ["--lang ja --help", "mark -h --lang=ja"] {
        end(in_locale(&[("LC_ALL", "C")]).args(split(arguments))).prints(&["使い方:"]);
    }
    let ended = japanese("--lang en --help");
    assert!(!is_japanese(&ended.printed), "{ended:?}");
}

#[test]
fn a_terminal_that_cannot_show_japanese_gets_english() {
    end(in_locale(&[("LANG", "ja_JP.eucJP")]).arg("--help")).prints(&["Usage:"]);
}

#[test]
fn an_unknown_language_is_refused_in_one_line() {
    end(in_locale(&[]).args(["--lang", "jp", "info"])).refused(2, &["use en or ja"]);
}

#[test]
fn errors_name_thing_cause_and_way_out_in_japanese() {
    for (arguments, code, words) in [
        (
            "mark /nix",
            2,
            &["/nix は存在しない", "最も近いディレクトリは /"][..],
        ),
        ("mark --size", 2, &["値が必要"]),
        ("mark --unknown", 2, &["予期しない引数 '--unknown'"]),
        ("mark . --size 1MiB", 2, &["16 MiB 以上"]),
        ("mark . --data one", 2, &["random, zero のいずれか"]),
        ("mark sim:hdd?rpm=x", 2, &["rpm=x"]),
        ("plot /nix.json", 2, &["を読めない", "ファイル"]),
        ("man nix", 2, &["nix というコマンドはない"]),
    ] {
        let ended = japanese(arguments);
        ended.refused(code, words);
        assert!(is_japanese(&ended.told), "{ended:?}");
    }
}

/// Short help of every command, as it speaks of its parts: of examples and of options.
fn assert_one_line_per_option(help: impl Fn(&str) -> Ended, examples: &str, options: &str) {
    let printed = help("help --all").printed;
    let commands = printed.lines().filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        name.starts_with(|sign: char| sign.is_ascii_lowercase())
            .then_some(name)
    });
    let mut seen = 0;
    for name in commands.filter(|name| !["sokudo", "fio", "diskspd", "help"].contains(name)) {
        let printed = help(&format!("{name} -h")).printed;
        let before = printed.split(examples).next().unwrap();
        for line in before.lines().filter(|line| line.starts_with("  ")) {
            // Options of bonnie are so long that their texts stand below them.
            let begins = name == "bonnie" || line.trim_start().starts_with(['-', '[', '<']);
            let of_commands = line.starts_with("  ") && !line.starts_with("   ");
            let of_usage = line.trim_start().starts_with("sokudo ");
            assert!(
                begins || of_commands || of_usage,
                "{name}: it runs on: {line:?}"
            );
            assert!(line.width() <= HELP_COLUMNS, "{name}: {line}");
        }
        let headings = ["Options:", "オプション:"].map(|it| printed.contains(it));
        assert_eq!(
            headings,
            [options == "Options:", options != "Options:"],
            "{name}: {printed}"
        );
        seen += 1;
    }
    assert!(seen > 10, "commands are listed: {printed}");
}

#[test]
fn short_help_has_one_line_per_option() {
    assert_one_line_per_option(english, "Examples:", "Options:");
}

#[test]
fn short_help_has_one_line_per_option_in_japanese_too() {
    assert_one_line_per_option(japanese, "使用例:", "オプション:");
}

#[test]
fn what_programs_read_has_no_language() {
    let measured = "mark sim:hdd --row RND4K --runs 6 --seed 1";
    for format in ["json", "csv"] {
        let run = |variables: &[(&str, &str)]| {
            let mut command = in_locale(variables);
            end(command
                .args(split(measured))
                .args(["--quiet", "--format", format]))
        };
        let printed = run(&[("LANG", "ja_JP.UTF-8")]).printed;
        assert!(!printed.is_empty() && !is_japanese(&printed), "{printed}");
    }
}

#[test]
fn the_doors_of_other_tools_speak_as_these_tools_do() {
    let diskspd = "diskspd -c64M -b4K -d1 -L sim:hdd";
    for arguments in [diskspd, "fio --help", "diskspd -?"] {
        let ended = japanese(arguments);
        assert!(!is_japanese(&ended.printed), "{ended:?}");
        let english = end(in_locale(&[("LANG", "C.UTF-8")]).args(split(arguments)));
        assert_eq!(
            ended.printed.lines().count(),
            english.printed.lines().count()
        );
    }
}

#[test]
fn manual_pages_are_japanese_and_render_without_warnings() {
    let page = japanese("man mark").printed;
    holds(
        &page,
        &[".SH 名前", ".SH 書式", ".SH 説明", ".SH 測定の対象"],
    );
    if !has("man") {
        return skip("man is not installed");
    }
    let script = "\"$SOKUDO\" --lang ja man mark | man --warnings -l - | cat";
    let ended = end(shell(script).env("LC_ALL", "C.UTF-8"));
    assert_eq!(ended.told, "", "{ended:?}");
    assert!(ended.printed.contains("測定の方法"), "{ended:?}");
}
