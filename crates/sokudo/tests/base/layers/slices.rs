//! Holds that a method is one folder: none names another, nothing below names one, and they are
//! listed once.

use std::collections::BTreeSet;
use std::path::Path;

use super::{code_lines, read, root, source_files};

/// A file that holds the names of more methods is a list of them.
const NAMES_MAX: usize = 5;

/// Where methods are listed.
const LIST: &str = "crates/sokudo-methods/src/commands.rs";

/// The folders of methods: those that the list registers, and what it adds to them.
fn slices() -> BTreeSet<String> {
    let list = read(&root().join(LIST));
    let (_, registered) = list.split_once("\nregistered! {").unwrap();
    let (registered, _) = registered.split_once("\n}").unwrap();
    let named = registered.lines().filter_map(|line| {
        let (_, module) = line.trim().strip_suffix(");")?.split_once('(')?;
        Some(module.to_owned())
    });
    let added = ["several", "matrix"].map(str::to_owned);
    named.chain(added).collect()
}

/// Files of `crates/NAME/src/`, each with its path in it.
fn files_of(name: &str) -> impl Iterator<Item = (String, String)> {
    let source = root().join("crates").join(name).join("src");
    source_files().into_iter().filter_map(move |file| {
        let inside = file.strip_prefix(&source).ok()?;
        let inside = inside.with_extension("").to_str().unwrap().to_owned();
        Some((inside, read(&file)))
    })
}

/// Which slice a file belongs to.
fn slice_of<'a>(file: &str, slices: &'a BTreeSet<String>) -> Option<&'a String> {
    let first = Path::new(file).iter().next().unwrap().to_str().unwrap();
    slices.get(first)
}

#[test]
fn no_method_knows_another_one() {
    let slices = slices();
    assert!(slices.len() > 12, "{slices:?}");
    for (file, source) in files_of("sokudo-methods") {
        let own = slice_of(&file, &slices);
        if own.is_none() && file == "commands" {
            continue;
        }
        for line in code_lines(&source) {
            let others = slices.iter().filter(|slice| Some(*slice) != own);
            let mut named = others.filter(|slice| {
                let path = format!("crate::{slice}");
                let ends = |rest: &str| {
                    !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '_')
                };
                line.match_indices(&path)
                    .any(|(at, _)| ends(&line[at + path.len()..]))
            });
            assert_eq!(named.next(), None, "{file}: {line}");
        }
    }
}

#[test]
fn what_lies_below_methods_asks_none_for_its_name() {
    for file in source_files() {
        let crates = root().join("crates");
        let inside = file.strip_prefix(&crates).unwrap();
        let its = inside.iter().next().unwrap().to_str().unwrap();
        let is_above = ["sokudo", "sokudo-methods", "sokudo-tools"].contains(&its);
        let of_tests = inside.file_stem().is_some_and(|name| name == "sample");
        if is_above || of_tests || inside == Path::new("sokudo-model/src/method.rs") {
            continue;
        }
        for line in code_lines(&read(&file)) {
            for asked in ["MethodKind {", ".is_of(&", "Method::from(\""] {
                assert!(!line.contains(asked), "{}: {line}", inside.display());
            }
        }
    }
}

#[test]
fn methods_are_listed_once() {
    let slices = slices();
    let words: BTreeSet<String> = slices.iter().map(|it| it.replace('_', "-")).collect();
    for file in source_files() {
        // `cli.rs` has it for tests alone, and help has all commands in its order, which a test of
        // `cli.rs` holds against those there are.
        let of_tests = file.ends_with("cli/remedies.rs") || file.ends_with("definition/groups.rs");
        if of_tests || file == root().join(LIST) {
            continue;
        }
        let source = read(&file);
        let lines: Vec<String> = code_lines(&source).collect();
        let is_named = |word: &&String| {
            let literal = format!("\"{word}\"");
            lines.iter().any(|line| line.contains(&literal))
        };
        let named: Vec<&String> = words.iter().filter(is_named).collect();
        assert!(named.len() <= NAMES_MAX, "{}: {named:?}", file.display());
    }
}
