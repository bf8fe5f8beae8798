//! Whatever sokudo shows to somebody who asked for Japanese has no English left in it, but
//! for names, units, and what is typed; and in every language a table that is piped is as wide
//! as mail, issues and printed pages are.

use unicode_width::UnicodeWidthStr;

use crate::sokudo::{Ended, end, has, measured, skip, split};
use crate::store_file::Store;

/// Words that are the same in all languages, each with its kind.
const SAME: [&str; 6] = [
    // Units, and names of figures and of their makers' methods.
    "kHz rpm sec tsc med std",
    // sokudo, its commands, methods, themes, presets and the simulated devices, which are typed.
    "sokudo mark fill checkup fit etcd scan sweep steady load peak explain quick trend compare check \
     report show list info rows default surface iops latency hdd ssd smr const sim run import capacity",
    // Engines, and parts of Linux.
    "psync mmap null virtio udev ext overlay tmpfs bookworm error kyber bfq deadline \
     discard root fdatasync",
    // Other tools, and formats.
    "fio hdparm diskspd dd console text https",
    // Codes: labels of what a drive was made ready with, and names of rows that are measured
    // once it is steady.
    "device preconditioned histogram uncorrected file log prefilled purged",
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
    let run = measured("sim:const", "--row SEQ1M,read");
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
const MEASURED: [&str; 15] = [
    "mark sim:hdd --row SEQ1M,Q8 --row RND4K --runs 6",
    "mark sim:hdd --row SEQ1M,Q8 --row RND4K --runs 6 --seed 2",
    "mark sim:ssd --row SEQ1M,Q8 --runs 2",
    "mark sim:ssd --row RND4K,Q8 --rate 1000iops --runs 2",
    "scan sim:hdd",
    "sweep sim:ssd --sizes 4K,1M --runs 1",
    "load sim:hdd --time 100ms --runs 2",
    "load sim:hdd --beside RND4K,Q4,write --time 100ms --runs 2",
    "peak sim:ssd --max-depth 4 --max-threads 2 --time 20ms --runs 2",
    "peak null: --max-depth 1 --max-threads 2 --time 20ms --runs 2",
    "explain sim:hdd",
    "quick sim:hdd",
    "steady sim:hdd --size 1GiB --round-time 1s",
    "checkup sim:hdd",
    "fit etcd sim:ssd --time 200ms",
];

/// Of these `tests/disk` has directories and jobs, or only small devices will do, whose names have no
/// room in the table of all runs: what they print in Japanese is among the golden files. What diskspd
/// and hdparm print programs read, in English.
const LEFT_OUT: [&str; 6] = ["bonnie", "fio", "fill", "burn-in", "diskspd", "hdparm"];

#[test]
fn every_method_measures_what_is_shown() {
    for kind in sokudo_methods::commands::kinds() {
        let is_of = |words: &str| words.split(' ').next() == Some(kind.command);
        let is_there = MEASURED.iter().any(|words| is_of(words));
        assert!(
            is_there || LEFT_OUT.contains(&kind.command),
            "{}",
            kind.command
        );
    }
}

/// Ways to look at it.
const TABLES: [&str; 9] = [
    "list",
    "show 1",
    "show 5",
    "trend sim:hdd",
    "trend sim:hdd --row RND4K",
    "compare 1 2",
    "compare 1 2 3",
    "compare 1 2 3 --pivot row:target",
    "check 1 --quiet",
];

/// Tables with much in them, in words of those who made the runs.
const WIDE: [&str; 6] = [
    "scan sim:hdd --extra --random --quiet",
    "sweep sim:ssd --sizes 4K,1M --depths 1..32 --runs 1 --quiet",
    "compare 1 2 3 4 5 6 7",
    "compare all --pivot row:target",
    "compare all --pivot tool+method+row:target+device",
    "compare all --pivot run:row",
];

/// What nothing but its reader limits.
const ARTICLES: [&str; 15] = [
    "import ../sokudo-tools/corpus/fio/json.json --no-store",
    "show 1 --format markdown",
    "show 5 --format markdown",
    "show 7 --format markdown",
    "show 8 --format markdown",
    "trend sim:hdd --format markdown",
    "compare 1 3 --format markdown",
    "compare 1 2 3 --format markdown",
    "compare 1 2 3 --pivot document:direction --value latency",
    "compare 1 2 3 --pivot row:target --format markdown",
    "compare 1 2 3 --plot -",
    "report 1",
    "report 1 2 3",
    "show 1 --judge-again",
    "baseline show",
];

fn said(store: &Store, language: &str, arguments: &str) -> Ended {
    let mut command = store.program();
    end(command.env("SOKUDO_LANG", language).args(split(arguments)))
}

/// A store in which all of it is; what measures it prints a table, too.
fn with_all(language: &str, shown: impl Fn(&Store, &str)) -> Store {
    let store = Store::new();
    for command in MEASURED {
        shown(&store, &format!("{command} --quiet"));
    }
    said(&store, language, "baseline set 1");
    TABLES.iter().for_each(|command| shown(&store, command));
    store
}

/// A table fits into eighty columns. What is typed is not broken, for it would be something
/// else.
fn assert_fits(command: &str, ended: &Ended) {
    const COLUMNS_MAX: usize = 80;
    assert!(matches!(ended.code(), Some(0 | 1 | 4)), "{ended:?}");
    assert!(ended.printed.lines().count() > 5, "{command}: {ended:?}");
    for line in ended.printed.lines() {
        let is_typed = ["Repeat: ", "再現: ", "fio --"]
            .iter()
            .any(|it| line.starts_with(it));
        // A link is not broken either; what stands beside it fits by itself.
        let is_broken = |word: &&str| !word.starts_with("https://");
        let breakable: Vec<&str> = line.split(' ').filter(is_broken).collect();
        let width = breakable.join(" ").width();
        assert!(is_typed || width <= COLUMNS_MAX, "{command}: {line}");
    }
}

#[test]
fn no_table_is_wider_than_eighty_columns() {
    let shown = |store: &Store, command: &str| assert_fits(command, &said(store, "en", command));
    let store = with_all("en", shown);
    WIDE.iter().for_each(|command| shown(&store, command));
}

#[test]
fn no_document_has_english_left_and_no_japanese_table_is_too_wide() {
    let machine = words_of_this_machine();
    let store = with_all("ja", |store, command| {
        let ended = said(store, "ja", command);
        assert_japanese(&machine, command, &ended.printed);
        assert_fits(command, &ended);
    });
    for command in ARTICLES {
        let ended = said(&store, "ja", command).ok();
        assert_japanese(&machine, command, &ended.printed);
    }
    for name in ["html", "svg"] {
        let file = store.beside(name);
        said(
            &store,
            "ja",
            &format!("report 1 3 5 8 -o {}", file.display()),
        )
        .ok();
        let shown = texts(&std::fs::read_to_string(file).unwrap());
        assert_japanese(&machine, name, &shown);
    }
    for command in WIDE {
        assert_fits(command, &said(&store, "ja", command));
    }
}

#[test]
fn disks_are_described_in_japanese() {
    if !has("lsblk") {
        return skip("no tool tells whether there is a disk");
    }
    let ended = said(&Store::new(), "ja", "info");
    for english in ["(whole)", " free)", "scheduler", "write cache", " on /"] {
        assert!(!ended.printed.contains(english), "{ended:?}");
    }
}

#[test]
fn names_are_no_words_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new();
    let said = |arguments: &str| said(&store, "ja", arguments);
    let jobs = folder.path().join("read.fio");
    let data = folder.path().join("data");
    let job = "[read]\nrw=read\n[Windows]\nrw=randread\n";
    let job = format!("[global]\nsize=1m\nfilename={}\n{job}", data.display());
    std::fs::write(&jobs, job).unwrap();
    said("mark sim:const --row SEQ1M,read --runs 1 --quiet");
    said("edit 1 --note Windows");
    said("edit 1 --tag read");
    said("show 1").prints(&["注記  Windows", "タグ  read"]);
    let ended = said(&format!("run {} --quiet", jobs.display()));
    for name in ["read ", "Windows "] {
        let mut rows = ended.printed.lines();
        assert!(rows.any(|row| row.starts_with(name)), "{ended:?}");
    }
    // A path may end as a row does.
    let file = folder.path().join("to read");
    said(&format!("plot '{}'", file.display())).tells(&["/to read"]);
}
