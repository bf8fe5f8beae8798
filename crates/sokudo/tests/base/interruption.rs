//! Stopped in the middle: everything is cleaned up, and what was measured is
//! printed.

use std::fs;
use std::path::Path;
use std::process::Child;

use rustix::process::{Signal, kill_process};

use crate::signals::{interrupt, pid, wait_for_io, wait_for_threads};
use crate::sokudo::{program, sokudo, split, start};

/// `sokudo mark`, reading by psync, whose reading can be counted.
fn start_mark(directory: &Path, arguments: &str) -> Child {
    let mut command = program();
    command.arg("mark").arg(directory);
    command.args(["--engine", "psync", "--quiet"]);
    start(command.args(split(arguments)))
}

#[test]
fn a_row_that_was_not_reached_is_no_error() {
    let start_interrupted = |format: &str| {
        let directory = tempfile::tempdir().unwrap();
        let rows = "--row RND4K,Q1,T1,read --row SEQ1M,Q1,T1,read";
        let arguments = format!("--size 16MiB --time 10min --yes {rows} --format {format}");
        let child = start_mark(directory.path(), &arguments);
        wait_for_io(&child, "rchar", 4 << 20);
        interrupt(child, Signal::INT)
    };
    let run: serde_json::Value = serde_json::from_str(&start_interrupted("json").printed).unwrap();
    let [reached, other] = [0, 1].map(|row| &run["figures"][row]);
    assert!(reached["verdict"].is_string(), "{reached}");
    assert_eq!(other["status"], "not_reached");
    assert!(other["verdict"].is_null(), "{other}");
    assert_eq!(other["findings"], serde_json::json!([]));
    let table = start_interrupted("table").printed;
    assert!(table.contains("not reached"), "{table}");
    assert!(!table.contains("no I/O completed"), "{table}");
}

#[test]
fn who_asks_as_fio_is_asked_ends_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let child = start_mark(
        directory.path(),
        "--size 16MiB --time 10min --yes --row RND4K,Q1,T1,read",
    );
    wait_for_io(&child, "rchar", 4 << 20);
    for signal in [Signal::USR1, Signal::USR2] {
        kill_process(pid(&child), signal).unwrap();
    }
    interrupt(child, Signal::INT).prints(&["RND4K"]);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_run_in_a_pause_ends_at_once() {
    let mut command = program();
    command.args([
        "mark", "null:", "-t", "20ms", "-n", "2", "--pause", "1h", "-q",
    ]);
    let child = start(&mut command);
    wait_for_threads(&child);
    // The pause is longer than any start may last.
    interrupt(child, Signal::INT);
}

#[test]
fn a_killed_run_leaves_nothing_or_what_clean_finds() {
    let directory = tempfile::tempdir().unwrap();
    let mut child = start_mark(directory.path(), "--size 16MiB --time 10s --row RND4K");
    wait_for_io(&child, "rchar", 4 << 20);
    child.kill().unwrap();
    child.wait().unwrap();
    let left = fs::read_dir(directory.path()).unwrap().count();
    let cleaned = sokudo(&format!("clean {}", directory.path().display())).ok();
    assert_eq!(cleaned.printed.contains("removed"), left > 0, "{cleaned:?}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}
