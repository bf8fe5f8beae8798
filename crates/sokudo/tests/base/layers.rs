//! Holds the layers of `docs/ARCHITECTURE.md`: what its table does not allow, does
//! not build for long.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read the sources fails"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "layers/circles.rs"]
mod circles;
#[path = "layers/slices.rs"]
mod slices;

/// A file that is longer, without its tests, has more than one purpose.
const FILE_LINES_MAX: usize = 800;

/// The only crate that may hold unsafe code.
const UNSAFE_CRATE: &str = "sokudo-sys";

/// Names that say nothing about what is inside.
const EMPTY_NAMES: [&str; 6] = ["util", "utils", "common", "helpers", "imp", "mod"];

/// A line of the table of crates.
#[derive(Debug, PartialEq, Eq)]
struct Layer {
    number: u32,
    uses: BTreeSet<String>,
}

#[test]
fn every_crate_has_a_line_in_the_table() {
    let in_table: Vec<String> = table().into_keys().collect();
    assert_eq!(in_table, crates());
}

#[test]
fn crates_use_exactly_what_the_table_says() {
    for (name, layer) in table() {
        assert_eq!(
            dependencies(&name, &["dependencies", "build-dependencies"]),
            layer.uses,
            "what {name} uses; docs/ARCHITECTURE.md and its Cargo.toml disagree"
        );
    }
}

#[test]
fn arrows_point_only_downward_also_in_tests() {
    let table = table();
    for (name, layer) in &table {
        let sections = ["dependencies", "build-dependencies", "dev-dependencies"];
        for used in dependencies(name, &sections) {
            let below = table[&used].number;
            assert!(
                below < layer.number,
                "{name} (layer {}) must not use {used} (layer {below})",
                layer.number
            );
        }
    }
}

#[test]
fn every_crate_follows_the_lints_of_the_workspace() {
    for name in crates() {
        let manifest = read(&root().join("crates").join(&name).join("Cargo.toml"));
        assert!(
            manifest.contains("[lints]\nworkspace = true\n"),
            "{name} has lints of its own"
        );
    }
}

#[test]
fn only_one_crate_holds_unsafe_code() {
    for file in source_files() {
        if file.starts_with(root().join("crates").join(UNSAFE_CRATE)) {
            continue;
        }
        for line in code_lines(&read(&file)) {
            let words: Vec<&str> = line
                .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
                .collect();
            assert!(
                !words.contains(&"unsafe") && !words.contains(&"unsafe_code"),
                "{}: {line}",
                file.display()
            );
        }
    }
}

#[test]
fn no_file_is_too_long_or_named_after_nothing() {
    for file in source_files() {
        let lines = without_tests(&read(&file)).lines().count();
        assert!(
            lines <= FILE_LINES_MAX,
            "{} has {lines} lines; split it",
            file.display()
        );
        let name = file.file_stem().unwrap().to_str().unwrap();
        assert!(
            !EMPTY_NAMES.contains(&name),
            "{} says nothing",
            file.display()
        );
    }
}

#[test]
fn the_table_of_measures_is_that_of_this_tree() {
    let mut command = Command::new("python3");
    let checked = command.current_dir(root()).args(["bench/size", "--check"]);
    match checked.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("SKIPPED: python3 is not installed, so that nothing counts this tree");
        }
        output => {
            let output = output.unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}");
        }
    }
}

#[test]
fn unsafe_code_would_be_found() {
    let source = "fn f() {\n    // unsafe is only a word here\n    g(); // unsafe\n    \
                  unsafe { g() }\n}\n#[cfg(test)]\nmod tests {\n    unsafe fn h() {}\n}\n";
    let found: Vec<String> = code_lines(source)
        .filter(|line| line.contains("unsafe"))
        .collect();
    assert_eq!(found, ["unsafe { g() }"]);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate lies two levels below the root")
        .to_owned()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Names of all crates, in order.
fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The table of crates: `| layer | crate | … | uses |`.
fn table() -> BTreeMap<String, Layer> {
    let page = read(&root().join("docs/ARCHITECTURE.md"));
    let mut table = BTreeMap::new();
    for (name, layer) in page.lines().filter_map(table_line) {
        let is_new = !table.contains_key(&name);
        assert!(is_new, "{name} has two lines in docs/ARCHITECTURE.md");
        table.insert(name, layer);
    }
    table
}

/// A crate and its layer, if the line is one of the table of crates.
fn table_line(line: &str) -> Option<(String, Layer)> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let number = cells.first()?.parse().ok()?;
    let name = plain(cells.get(1)?);
    let uses = cells.last()?.split(',').map(plain);
    let uses = uses.filter(|used| used != "—").collect();
    Some((name, Layer { number, uses }))
}

/// A name without its marks, and with the prefix that all crates share.
fn plain(cell: &str) -> String {
    let name = cell.trim().trim_matches('`');
    match name {
        "—" | "sokudo" => name.to_owned(),
        _ if name.starts_with("sokudo-") => name.to_owned(),
        _ => format!("sokudo-{name}"),
    }
}

/// Crates of ours that a crate names in these sections of its manifest.
fn dependencies(name: &str, sections: &[&str]) -> BTreeSet<String> {
    let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
    let mut section = "";
    let mut found = BTreeSet::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
            // `[dependencies.NAME]` is another way to write the same.
            if let Some((kind, dependency)) = section.split_once('.')
                && sections.contains(&kind)
            {
                found.insert(dependency.to_owned());
            }
        } else if sections.contains(&section) {
            let key = line.split(['.', '=', ' ']).next().unwrap_or_default();
            found.insert(key.to_owned());
        }
    }
    let ours = crates();
    found.retain(|dependency| ours.contains(dependency));
    found
}

/// Every source file of every crate.
fn source_files() -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> = crates()
        .iter()
        .map(|name| root().join("crates").join(name).join("src"))
        .collect();
    let mut files = Vec::new();
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && path.file_name().is_none_or(|name| name != "tests.rs")
            {
                files.push(path);
            }
        }
    }
    assert!(files.len() > 50, "the sources are not where they should be");
    files
}

/// What comes before the tests, which stand at the end of a file.
fn without_tests(source: &str) -> &str {
    source
        .split_once("#[cfg(test)]\nmod tests {")
        .map_or(source, |(code, _)| code)
}

/// Lines of code without comments and tests.
fn code_lines(source: &str) -> impl Iterator<Item = String> {
    without_tests(source)
        .lines()
        .map(|line| {
            line.split_once("//")
                .map_or(line, |(code, _)| code)
                .trim()
                .to_owned()
        })
        .filter(|line| !line.is_empty())
}
