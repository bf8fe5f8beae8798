//! What the code gives docs/METHOD.md and docs/FINDINGS.md: tests write the tables of
//! thresholds and findings there (`SOKUDO_BLESS=1 cargo test -p sokudo-analysis method`), and
//! read other figures back.

use std::fs;
use std::path::PathBuf;

use sokudo_model::{Bytes, Nanos};

use crate::{Code, disk};

pub(crate) const METHOD: &str = include_str!("../../../docs/METHOD.md");

/// The cells of every row of the document whose first cell is `key` as code.
pub(crate) fn cells(key: &str) -> Vec<Vec<&'static str>> {
    let start = format!("| `{key}` |");
    METHOD
        .lines()
        .filter(|line| line.starts_with(&start))
        .map(|line| line.split('|').skip(2).map(str::trim).collect())
        .collect()
}

/// A threshold as the document states it.
pub(crate) struct Stated {
    pub(crate) name: &'static str,
    pub(crate) value: String,
    /// Its documentation.
    pub(crate) lines: &'static [&'static str],
}

impl Stated {
    fn row(&self) -> String {
        let of: Vec<&str> = (self.lines.iter())
            .map(|line| line.trim())
            .take_while(|line| !line.is_empty())
            .collect();
        format!(
            "| `{}` | {} | {} |\n",
            self.name,
            self.value,
            cell(&of.join(" "))
        )
    }
}

/// A sentence in a table.
fn cell(sentence: &str) -> &str {
    sentence.trim_end_matches('.')
}

/// A number whose decimals are those that it has, in groups of three digits.
pub(crate) fn plain(value: impl Figure) -> String {
    let value = value.figure();
    let text = format!("{}", (value * 1e6).round() / 1e6);
    match text.strip_suffix("000") {
        Some(thousands) if value >= 1_000.0 => format!("{thousands},000"),
        _ => text,
    }
}

pub(crate) fn percent(share: impl Figure) -> String {
    format!("{} %", plain(share.figure() * 100.0))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of bytes is whole"
)]
pub(crate) fn bytes(count: impl Figure) -> String {
    Bytes(count.figure() as u64).to_string()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "nanoseconds are whole"
)]
pub(crate) fn time(nanos: impl Figure) -> String {
    Nanos(nanos.figure() as u64).to_string()
}

/// What a threshold may be.
pub(crate) trait Figure {
    fn figure(self) -> f64;
}

impl Figure for f64 {
    fn figure(self) -> f64 {
        self
    }
}

impl Figure for u32 {
    fn figure(self) -> f64 {
        self.into()
    }
}

impl Figure for u64 {
    #[expect(clippy::cast_precision_loss, reason = "thresholds are small")]
    fn figure(self) -> f64 {
        self as f64
    }
}

impl Figure for usize {
    fn figure(self) -> f64 {
        (self as u64).figure()
    }
}

impl Figure for Nanos {
    fn figure(self) -> f64 {
        self.0.figure()
    }
}

/// The document in docs/ with what its tables state today. `table` gives the lines between
/// `<!-- NAME -->` and `<!-- end -->`.
fn with_tables(document: &str, table: impl Fn(&str) -> String) -> String {
    let mut parts = document.split("<!-- ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |written, part| {
        let (name, rest) = part.split_once(" -->").unwrap();
        match name {
            "end" => format!("{written}<!-- end -->{rest}"),
            name => format!("{written}<!-- {name} -->\n{}", table(name)),
        }
    })
}

/// Holds a document against what it must be, or writes it anew.
fn assert_is(name: &str, document: impl Fn(&str) -> String) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name);
    let found = fs::read_to_string(&path).unwrap();
    let wanted = document(&found);
    if std::env::var_os("SOKUDO_BLESS").is_some() {
        fs::write(&path, wanted).unwrap();
    } else {
        assert!(
            found == wanted,
            "docs/{name} is not what the code says; run SOKUDO_BLESS=1 cargo test -p sokudo-analysis method"
        );
    }
}

#[test]
fn the_method_states_every_threshold_as_it_is() {
    assert_is("METHOD.md", |found| {
        with_tables(found, |name| {
            let stated = match name {
                "thresholds of verdicts" => crate::threshold::stated(),
                "thresholds of explain" => crate::explain::stated_thresholds(),
                name => panic!("{name} is no table"),
            };
            let rows: String = stated.iter().map(Stated::row).collect();
            format!("| name | value | of what |\n|---|---|---|\n{rows}")
        })
    });
}

fn severity_of(code: Code) -> String {
    format!("{:?}", code.severity()).to_lowercase()
}

fn index_of_findings() -> String {
    let rows: String = (Code::ALL.iter())
        .map(|code| {
            let (name, severity) = (code.name(), severity_of(*code));
            let verdict = code.verdict().name();
            let meaning = code.meaning();
            let meaning = cell(&meaning);
            format!("| [`{name}`](#{name}) | {severity} | {verdict} | {meaning} |\n")
        })
        .collect();
    format!("| finding | severity | at best | when |\n|---|---|---|---|\n{rows}")
}

/// The line below a section's heading.
fn effect(name: &str) -> Option<String> {
    let code = *Code::ALL.iter().find(|code| code.name() == name)?;
    let verdict = code.verdict().name();
    Some(format!("{}, at best {verdict}", severity_of(code)))
}

fn heading(line: &str) -> Option<&str> {
    line.strip_prefix("### `")?.strip_suffix('`')
}

#[test]
fn the_findings_are_those_of_the_code_and_have_their_effect() {
    assert_is("FINDINGS.md", |found| {
        let written = with_tables(found, |_| index_of_findings());
        let mut lines = Vec::new();
        let mut below = None;
        for line in written.lines() {
            lines.push(below.take().unwrap_or_else(|| line.to_owned()));
            below = heading(line).and_then(effect);
        }
        lines.join("\n") + "\n"
    });
}

const FINDINGS: &str = include_str!("../../../docs/FINDINGS.md");

#[test]
fn every_finding_has_its_section_and_every_section_a_finding() {
    let of_runs = Code::ALL.into_iter().map(Code::name);
    let known: Vec<&str> = of_runs.chain(disk::codes()).collect();
    let sections: Vec<&str> = FINDINGS.lines().filter_map(heading).collect();
    assert_eq!(sections, known);
}

#[test]
fn every_section_says_what_how_and_what_to_do() {
    for text in FINDINGS.split("\n### ").skip(1) {
        for part in ["Symptom", "Cause", "How sokudo knows", "Remedy"] {
            let part = format!("**{part}**");
            assert_eq!(text.matches(&part).count(), 1, "{part} in {}", &text[..20]);
        }
    }
}

#[test]
fn thresholds_that_sections_name_exist() {
    let words = FINDINGS.split(|sign: char| !sign.is_ascii_uppercase() && sign != '_');
    let names: Vec<&str> = words
        .filter(|word| word.contains('_') && word.len() > 5 && !word.starts_with('_'))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names.iter().filter(|name| !name.ends_with("_DIRECT")) {
        assert_eq!(cells(name).len(), 1, "{name}");
    }
}
