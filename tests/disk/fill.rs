//! A drive written from one end to the other: simulated, in a directory, and on devices only
//! with consent.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::run_json::view;
use crate::signals::{interrupt, wait_for_io};
use crate::sokudo::{Ended, directory_on_disk, program, sokudo_on, split, start};

/// `sokudo fill TARGET ARGUMENTS`.
fn fill(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("fill --quiet", target, arguments)
}

fn measured(target: impl AsRef<Path>, arguments: &str) -> Value {
    fill(target, &format!("{arguments} --format json")).json()
}

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).unwrap().next().is_none()
}

#[test]
fn a_directory_is_written_in_a_file_that_is_gone_afterwards() {
    let directory = directory_on_disk();
    let run = measured(directory.path(), "--yes --size 64MiB --recovery 100ms");
    assert_eq!(view(&run, "fill")["whole"]["to_bytes"], 64 << 20);
    assert_eq!(run["layout"], Value::Null);
    assert!(is_empty(directory.path()));
}

#[test]
fn it_is_asked_for_and_told_before_anything_is_written() {
    let directory = directory_on_disk();
    fill(directory.path(), "--size 64MiB").refused(2, &["will be written", "--yes"]);
    fill(directory.path(), "--size 64MiB --dry-run")
        .ok()
        .prints(&["will be written", "expected:", "flash wears"]);
    let full = fill(directory.path(), "--yes --size 4000TiB");
    full.refused(1, &["free"]);
    assert!(is_empty(directory.path()));
}

#[test]
fn what_was_written_before_an_interruption_is_kept_and_no_file_is_left() {
    let directory = directory_on_disk();
    let child = start(program().args(split(&format!(
        "fill {} --quiet --yes --size 64MiB --recovery 100s --engine psync --format json",
        directory.path().display()
    ))));
    // All of it, so that it rests.
    wait_for_io(&child, "wchar", 64 << 20);
    let ended = interrupt(child, Signal::INT);
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    assert_eq!(run["interrupted"], true);
    assert!(
        view(&run, "fill")["whole"]["to_bytes"].as_u64() > Some(0),
        "{run}"
    );
    assert!(is_empty(directory.path()));
}
