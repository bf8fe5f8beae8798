//! `sokudo bonnie`, as people use it: figures, Bonnie++'s own line, and nothing left
//! behind.

use std::fs;
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::loop_device::FileSystem;
use crate::nobody::Nobody;
use crate::signals::{interrupt, wait_for_io};
use crate::sokudo::{
    Ended, WAIT_MAX, directory_on_disk, end, holds, program, results, shell, sokudo, sokudo_on,
    split, start, wait,
};

/// Fields of Bonnie++'s format 1.98, by its manual.
const FIELDS: usize = 50;

fn bonnie(directory: &Path, arguments: &str) -> Ended {
    sokudo_on("bonnie --quiet --seed 7", directory, arguments)
}

/// Small sizes for every phase.
const SMALL: &str = "--size 8:8k:200:3 --characters 64KiB --files 1:300:100:2";

fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).unwrap().next().is_none()
}

fn of_phase<'a>(run: &'a Value, name: &str) -> &'a Value {
    results(run)
        .iter()
        .find(|result| result["name"] == name)
        .unwrap()
}

#[test]
fn every_phase_does_what_it_says_and_nothing_is_left() {
    let directory = directory_on_disk();
    let run = bonnie(directory.path(), &format!("{SMALL} --format json")).json();
    assert!(is_empty(directory.path()));
    assert_eq!(run["plan"]["method"], "bonnie");
    assert_eq!(results(&run).len(), 12);
    let trial = |name: &str, figure: &str| of_phase(&run, name)["trials"][0][figure].as_u64();
    assert_eq!(trial("Per-char write", "ios"), Some(64 << 10));
    assert_eq!(trial("Per-char read", "bytes"), Some(64 << 10));
    assert_eq!(trial("Block write", "bytes"), Some(8 << 20));
    assert_eq!(trial("Block read", "ios"), Some(1024));
    // Every block is read and written.
    assert_eq!(trial("Rewrite", "bytes"), Some(16 << 20));
    let seeks = &of_phase(&run, "Seeks")["shares"]["read"];
    assert!(seeks["iops"]["median"].as_f64().unwrap() > 0.0, "{seeks}");
    for phase in ["create", "stat", "delete"] {
        for kind in ["Sequential", "Random"] {
            let result = of_phase(&run, &format!("{kind} {phase}"));
            assert_eq!(result["direction"], phase);
            assert_eq!(result["trials"][0]["ios"], 1024);
            assert_eq!(result["latency_ns"]["count"], 1024);
            assert!(result["files_per_s"]["median"].as_f64().unwrap() > 0.0);
            assert!(result["cpu"]["system_ns"].is_u64(), "{result}");
        }
    }
    assert!(of_phase(&run, "Block write")["files_per_s"].is_null());
}

#[test]
fn a_table_and_a_page_show_every_phase() {
    let directory = directory_on_disk();
    for format in ["table", "markdown", "csv"] {
        let ended = bonnie(directory.path(), &format!("{SMALL} --format {format}")).ok();
        holds(
            &ended.printed,
            &["Per-char write", "Rewrite", "Seeks", "Random delete"],
        );
        if format == "table" {
            ended.prints(&[" files", " seeks"]);
        }
    }
}

#[test]
fn the_line_is_bonnies_and_there_is_one_per_run() {
    let directory = directory_on_disk();
    let ended = bonnie(directory.path(), &format!("{SMALL} --bonnie-csv --runs 2")).ok();
    let lines: Vec<Vec<&str>> = ended
        .printed
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(lines.len(), 2);
    for fields in &lines {
        assert_eq!(fields.len(), FIELDS, "{fields:?}");
        assert_eq!(fields[0], "1.98");
        // 200 seeks by 3 seekers are 67 each.
        assert_eq!(fields[4..9], ["7", "8M", "", "201", "3"]);
        assert_eq!(fields[21..26], ["1", "300", "100", "2", ""]);
        for (index, field) in fields.iter().enumerate().skip(38) {
            assert!(field.ends_with('s'), "latency in field {index}: {field}");
        }
    }
    let without = bonnie(directory.path(), "--size 0 --files 1 --bonnie-csv");
    let fields: Vec<&str> = without.printed.trim_end().split(',').collect();
    assert_eq!(fields.len(), FIELDS);
    assert_eq!(fields[5..21], [""; 16]);
}

#[test]
fn interrupted_in_any_phase_nothing_is_left_and_what_was_measured_is_printed() {
    // Long enough that no machine is through with it before the signal comes: in the first
    // phase, in the rewrite, and among the first files.
    for (arguments, counter, calls) in [
        ("--characters 1GiB --size 1GiB --files 0", "syscw", 500),
        (
            "--characters 0 --size 16MiB:256:4000000000 --files 0 --yes",
            "syscr",
            5_000,
        ),
        ("--size 0 --files 100:10:10:4", "syscw", 500),
    ] {
        let directory = directory_on_disk();
        let child = start_in(directory.path(), &format!("{arguments} --format json"));
        wait_for_io(&child, counter, calls);
        let ended = interrupt(child, Signal::INT);
        let run: Value = serde_json::from_str(&ended.printed).unwrap();
        assert_eq!(run["interrupted"], true);
        assert!(is_empty(directory.path()), "{arguments:?}");
    }
}

fn start_in(directory: &Path, arguments: &str) -> Child {
    let mut command = program();
    command.arg("bonnie").arg(directory).arg("--quiet");
    start(command.args(split(arguments)))
}

/// Stops a run among its many files.
fn stopped(directory: &Path, signal: Signal, meanwhile: impl FnOnce()) -> Ended {
    let child = start_in(directory, "--size 0 --files 100:10:10:4");
    let deadline = Instant::now() + WAIT_MAX;
    // Its own directory is there a moment before it is known to whoever tells of it.
    let has_files = || {
        let made = fs::read_dir(directory).unwrap().flatten();
        let mut below = made.filter_map(|own| fs::read_dir(own.path()).ok());
        below.any(|mut files| files.next().is_some())
    };
    while !has_files() && Instant::now() < deadline {
        thread::park_timeout(Duration::from_millis(1));
    }
    meanwhile();
    kill_process(Pid::from_child(&child), signal).unwrap();
    wait(child)
}

#[test]
fn what_a_killed_run_leaves_is_found_and_cleaned() {
    let directory = directory_on_disk();
    let clean = || sokudo(&format!("clean {}", directory.path().display()));
    stopped(directory.path(), Signal::KILL, || {
        clean().prints(&["nothing was left behind"]);
    });
    assert!(!is_empty(directory.path()));
    clean().ok().prints(&["sokudo-files-"]);
    assert!(is_empty(directory.path()));
}

#[test]
fn who_quits_at_once_is_told_what_is_left_and_how_it_is_removed() {
    let directory = directory_on_disk();
    let ended = stopped(directory.path(), Signal::QUIT, || ());
    let is_emptied = is_empty(directory.path());
    assert!(!is_emptied, "it is emptied in its time, not at once");
    let way = format!("sokudo clean {}", directory.path().display());
    ended.tells(&[&way, "sokudo-files-"]);
    let cleaned = sokudo(&format!("clean {}", directory.path().display()));
    assert!(is_empty(directory.path()), "{cleaned:?}");
}

#[test]
fn a_write_that_fails_is_in_the_result_and_the_files_are_still_measured() {
    let directory = directory_on_disk();
    let script = "ulimit -f 4096; \"$SOKUDO\" bonnie . --size 16 --characters 0 --files 1 --format json --quiet";
    let ended = end(shell(script).current_dir(directory.path())).ends(1);
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    let write = of_phase(&run, "Block write");
    assert_eq!(write["status"], "failed");
    let failure = write["failures"][0]["message"].as_str().unwrap();
    assert!(failure.contains("File too large"), "{failure}");
    assert_eq!(of_phase(&run, "Block read")["status"], "not_reached");
    assert_eq!(of_phase(&run, "Random delete")["status"], "complete");
    assert!(is_empty(directory.path()));
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn where_nothing_may_be_made_that_is_told() {
        let Some(nobody) = Nobody::new() else { return };
        let script = "\"$SOKUDO\" bonnie / --size 0 --files 1 --quiet";
        end(&mut nobody.shell(script)).refused(1, &["Permission denied", "you may write to"]);
        let script =
            "\"$SOKUDO\" bonnie . --size 2 --files 1 --characters 1k --format json --quiet";
        let run = end(&mut nobody.shell(script)).json();
        assert_eq!(results(&run).len(), 12);
    }

    #[test]
    fn a_file_system_that_fills_up_or_is_read_only_is_told_and_left_clean() {
        let Some(system) = FileSystem::new("ext4", 64 << 20, true) else {
            return;
        };
        let before = system.files();
        let too_large = bonnie(system.path(), "--size 1GiB --files 0");
        too_large.refused(1, &["free", "use a smaller test file"]);
        let too_many = bonnie(system.path(), "--size 0 --files 64");
        too_many.refused(1, &["use fewer"]);
        assert_eq!(system.files(), before);
        system.make_read_only();
        let read_only = bonnie(system.path(), "--size 0 --files 1");
        read_only.refused(1, &["Read-only file system", "remount it"]);
    }
}
