//! What the code gives docs/METHOD.md, docs/EXPLAIN.md and docs/FINDINGS.md: tests write the tables
//! of thresholds and findings there (`SOKUDO_BLESS=1 cargo test -p sokudo-methods documents`), and
//! read other figures back.

#![allow(
    clippy::unwrap_used,
    reason = "it is for tests, which fail where something is not as they need it"
)]

use std::fs;
use std::path::PathBuf;

use sokudo_model::{Bytes, Nanos};

pub const METHOD: &str = include_str!("../../../docs/METHOD.md");

/// The cells of every row of the document whose first cell is `key` as code.
pub fn cells(key: &str) -> Vec<Vec<&'static str>> {
    let start = format!("| `{key}` |");
    METHOD
        .lines()
        .filter(|line| line.starts_with(&start))
        .map(|line| line.split('|').skip(2).map(str::trim).collect())
        .collect()
}

/// A threshold as the document states it.
pub struct Stated {
    pub name: &'static str,
    pub value: String,
    /// Lines of the constant's doc comment; the first paragraph is the document's row.
    pub lines: &'static [&'static str],
}

impl Stated {
    pub fn row(&self) -> String {
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
pub fn cell(sentence: &str) -> &str {
    sentence.trim_end_matches('.')
}

/// A number whose decimals are those that it has, in groups of three digits.
pub fn plain(value: impl Figure) -> String {
    let value = value.figure();
    let text = format!("{}", (value * 1e6).round() / 1e6);
    match text.strip_suffix("000") {
        Some(thousands) if value >= 1_000.0 => format!("{thousands},000"),
        _ => text,
    }
}

pub fn percent(share: impl Figure) -> String {
    format!("{} %", plain(share.figure() * 100.0))
}

#[expect(clippy::cast_possible_truncation, reason = "bytes are whole")]
pub fn bytes(count: impl Figure) -> String {
    Bytes(count.figure() as u64).to_string()
}

#[expect(clippy::cast_possible_truncation, reason = "nanoseconds are whole")]
pub fn time(nanos: impl Figure) -> String {
    Nanos(nanos.figure() as u64).to_string()
}

/// What a threshold may be.
pub trait Figure {
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
pub fn with_tables(document: &str, table: impl Fn(&str) -> String) -> String {
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
pub fn assert_is(name: &str, document: impl Fn(&str) -> String) {
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
            "docs/{name} is not what the code says; run SOKUDO_BLESS=1 cargo test -p sokudo-methods documents"
        );
    }
}
