//! Whatever sokudo shows to somebody who asked for Japanese has no English left in it, but
//! for names, units, and what is typed.

use std::path::Path;

use crate::sokudo::{Ended, end, has, program, skip, split};

/// Words that are the same in all languages, each with its kind.
const SAME: [&str; 6] = [
    // Units, and names of figures and of their makers' methods.
    "kHz rpm sec tsc med std",
    // sokudo, its commands, methods, presets and the simulated devices, which are typed.
    "sokudo mark scan sweep steady load explain quick trend compare check report show list \
     info rows default surface iops latency hdd ssd smr const sim run import",
    // Engines, and parts of Linux.
    "psync mmap null virtio udev ext overlay tmpfs bookworm error kyber bfq deadline \
     discard root",
    // Other tools, and formats.
    "fio hdparm diskspd dd console text",
    // Codes: labels of what a drive was made ready with, and names of rows that are measured
    // once it is steady.
    "device preconditioned histogram uncorrected file prefilled purged",
    // Jobs of the file of fio's that is imported.
    "seq mix",
];

/// Short words without which hardly an English sentence is; `at` is in names of rows
/// (`RND4K Q32T1 at 10 %`).
const SHORT_WORDS: [&str; 11] = [
    "of", "to", "in", "by", "is", "on", "or", "no", "as", "if", "it",
];

/// The words of a line that are English; a line that is typed, or says where something is,
/// has none.
fn english(line: &str) -> Vec<&str> {
    let is_typed = ["再現", "$ ", "両方の実行", "マシン", "- **マシン**"]
        .iter()
        .any(|begin| line.trim_start().starts_with(begin));
    if is_typed {
        return Vec::new();
    }
    let parts = line.split(|sign: char| {
        sign.is_whitespace() || !sign.is_ascii() || "()[]|,;:*\"".contains(sign)
    });
    parts
        .filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
        .filter(|word| match word.len() {
            1 => false,
            2 => SHORT_WORDS.contains(word),
            _ => {
                let (first, rest) = word.split_at(1);
                let is_word = rest.bytes().all(|byte| byte.is_ascii_lowercase());
                let lower = format!("{}{rest}", first.to_ascii_lowercase());
                let mut same = SAME.iter().flat_map(|words| words.split(' '));
                is_word && !same.any(|word| word == lower)
            }
        })
        .collect()
}

/// Words by which the machine calls itself, its processor and its system.
fn words_of_this_machine() -> Vec<String> {
    let measure = "mark sim:const --row SEQ1M,read --runs 1 --quiet --format json";
    let run = said(Path::new("none"), measure).json();
    let machine = run["environment"].as_object().unwrap().values();
    let names = machine.filter_map(|value| value.as_str());
    let words = names.flat_map(|name| name.split(|sign: char| !sign.is_ascii_alphabetic()));
    words.map(str::to_owned).collect()
}

fn assert_japanese(machine: &[String], what: &str, text: &str) {
    assert!(!text.trim().is_empty(), "{what} shows nothing");
    let is_kana = |sign: char| matches!(sign, '\u{3040}'..='\u{30ff}');
    assert!(text.chars().any(is_kana), "{what}: {text}");
    for line in text.lines() {
        let mut left = english(line);
        left.retain(|word| !machine.iter().any(|name| name == word));
        assert!(left.is_empty(), "{what}: {left:?} in {line:?}\n\n{text}");
    }
}

/// sokudo in Japanese, with a store.
fn said(store: &Path, arguments: &str) -> Ended {
    let mut command = program();
    command.env("SOKUDO_STORE", store).env("SOKUDO_LANG", "ja");
    end(command.args(split(arguments)))
}

/// What stands in a page or picture, a line for each text.
fn texts(markup: &str) -> String {
    let mut text = String::new();
    let body = markup.split("</style>").last().unwrap_or_default();
    for part in body.split('<').skip(1) {
        let (tag, after) = part.split_once('>').unwrap_or((part, ""));
        let is_code = tag.starts_with("code") || tag.starts_with("pre");
        if !is_code {
            text += &format!("{after}\n");
        }
    }
    text
}

/// What is measured, so that it can be shown.
const MEASURED: [&str; 9] = [
    "mark sim:hdd --row SEQ1M,Q8 --row RND4K --runs 6",
    "mark sim:hdd --row SEQ1M,Q8 --row RND4K --runs 6 --seed 2",
    "mark sim:ssd --row SEQ1M,Q8 --runs 6",
    "mark sim:ssd --row RND4K,Q8 --rate 1000iops --runs 2",
    "scan sim:hdd",
    "sweep sim:ssd --sizes 4K,1M --runs 1",
    "load sim:hdd --time 100ms --runs 2",
    "explain sim:hdd",
    "quick sim:hdd",
];

/// Ways to look at it.
const SHOWN: [&str; 22] = [
    "steady sim:ssd --quiet",
    "import ../sokudo-import/corpus/fio/json.json --no-store",
    "list",
    "show 1",
    "show 1 --format markdown",
    "show 5 --format markdown",
    "show 7 --format markdown",
    "show 8 --format markdown",
    "trend sim:hdd",
    "trend sim:hdd --row RND4K",
    "trend sim:hdd --format markdown",
    "compare 1 2",
    "compare 1 2 3",
    "compare 1 3 --format markdown",
    "compare 1 2 3 --format markdown",
    "compare 1 2 3 --pivot row:target",
    "compare 1 2 3 --pivot document:direction --value latency",
    "compare 1 2 3 --pivot row:target --format markdown",
    "compare 1 2 3 --plot -",
    "report 1",
    "report 1 2 3",
    "show 1 --judge-again",
];

#[test]
fn no_document_has_english_left() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let machine = words_of_this_machine();
    let shown = |command: &str| {
        let ended = said(&store, command).ok();
        assert_japanese(&machine, command, &ended.printed);
    };
    for command in MEASURED {
        shown(&format!("{command} --quiet"));
    }
    for command in SHOWN {
        shown(command);
    }
    said(&store, "baseline set 1");
    for arguments in ["baseline show", "check 1 --quiet"] {
        let ended = said(&store, arguments);
        assert_japanese(&machine, arguments, &ended.printed);
    }
    for name in ["page.html", "picture.svg"] {
        let file = folder.path().join(name);
        said(&store, &format!("report 1 3 5 8 -o {}", file.display())).ok();
        let shown = texts(&std::fs::read_to_string(file).unwrap());
        assert_japanese(&machine, name, &shown);
    }
}

#[test]
fn disks_are_described_in_japanese() {
    if !has("lsblk") {
        return skip("no tool tells whether there is a disk");
    }
    let ended = said(Path::new("none"), "info");
    for english in ["(whole)", " free)", "scheduler", "write cache", " on /"] {
        assert!(!ended.printed.contains(english), "{ended:?}");
    }
}

#[test]
fn names_are_no_words_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let jobs = folder.path().join("read.fio");
    let job = format!(
        "[global]\nsize=1m\nfilename={}\n[read]\nrw=read\n[Windows]\nrw=randread\n",
        folder.path().join("data").display()
    );
    std::fs::write(&jobs, job).unwrap();
    said(&store, "mark sim:const --row SEQ1M,read --runs 1 --quiet");
    said(&store, "note 1 Windows");
    said(&store, "tag 1 read");
    let shown = said(&store, "show 1").printed;
    assert!(
        shown.contains("注記  Windows") && shown.contains("タグ  read"),
        "{shown}"
    );
    let ended = said(&store, &format!("run {} --quiet", jobs.display()));
    let rows: Vec<&str> = ended.printed.lines().collect();
    assert!(rows.iter().any(|row| row.starts_with("read ")), "{ended:?}");
    assert!(
        rows.iter().any(|row| row.starts_with("Windows ")),
        "{ended:?}"
    );
    // A path may end as a row does.
    let file = folder.path().join("to read");
    said(&store, &format!("plot '{}'", file.display())).tells(&["/to read"]);
}
