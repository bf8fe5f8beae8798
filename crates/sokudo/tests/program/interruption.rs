//! Stopped in the middle: everything is cleaned up, and what was measured is
//! printed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::fio_door::fio;
use crate::loop_device::FileSystem;
use crate::sokudo::{
    Ended, WAIT_MAX, directory_on_disk, mark, program, sokudo, split, start, wait,
};

/// `sokudo mark`, reading by psync, whose reading can be counted.
fn start_mark(directory: &Path, arguments: &str) -> Child {
    let mut command = program();
    command.arg("mark").arg(directory);
    command.args(["--engine", "psync", "--quiet"]);
    start(command.args(split(arguments)))
}

#[test]
fn in_the_middle_of_the_trials_what_was_measured_is_printed() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let directory = tempfile::tempdir().unwrap();
        let child = start_mark(
            directory.path(),
            "--size 16MiB --time 100ms --runs 9999 --row RND4K,Q1,T1 --format json",
        );
        wait_for_io(&child, "rchar", 4 << 20);
        let ended = interrupt(child, signal);
        let run: serde_json::Value = serde_json::from_str(&ended.printed).unwrap();
        assert_eq!(run["interrupted"], true);
        let read = &run["results"][0];
        assert!(read["latency_ns"]["count"].as_u64().unwrap() > 0, "{read}");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_row_that_was_not_reached_is_no_error() {
    let start_interrupted = |format: &str| {
        let directory = tempfile::tempdir().unwrap();
        let rows = "--row RND4K,Q1,T1,read --row SEQ1M,Q1,T1,read";
        let arguments = format!("--size 16MiB --time 10min {rows} --format {format}");
        let child = start_mark(directory.path(), &arguments);
        wait_for_io(&child, "rchar", 4 << 20);
        interrupt(child, Signal::INT)
    };
    let run: serde_json::Value = serde_json::from_str(&start_interrupted("json").printed).unwrap();
    let [reached, other] = [0, 1].map(|row| &run["results"][row]);
    assert!(reached["verdict"].is_string(), "{reached}");
    assert_eq!(other["status"], "not_reached");
    assert!(other["verdict"].is_null(), "{other}");
    assert_eq!(other["findings"], serde_json::json!([]));
    let table = start_interrupted("table").printed;
    assert!(table.contains("not reached"), "{table}");
    assert!(!table.contains("no I/O completed"), "{table}");
}

#[test]
fn while_the_test_file_is_written_nothing_remains_of_it() {
    let Some(system) = FileSystem::new("ext4", 3 << 30, true) else {
        return;
    };
    let free = system.free_bytes();
    let child = start_mark(system.path(), "--size 2GiB");
    wait_for_io(&child, "write_bytes", 1 << 20);
    let ended =
        interrupt(child, Signal::INT).tells(&["interrupted while the test file was written"]);
    assert_eq!(ended.printed, "");
    assert_eq!(system.files(), [""; 0]);
    // The kernel takes an io_uring down, and what it holds, after the process.
    wait_for_space(&system, free);
}

#[test]
fn a_run_in_a_pause_ends_at_once() {
    let mut command = program();
    command.args(["mark", "null:", "-t", "20ms", "-n", "2", "-i", "1h", "-q"]);
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

#[test]
fn a_file_that_a_killed_run_has_left_is_noted_and_cleaned() {
    let directory = tempfile::tempdir().unwrap();
    let left = directory.path().join("sokudo-test-file-1-0.safe-to-delete");
    fs::write(&left, "x").unwrap();
    mark(directory.path(), "")
        .ok()
        .tells(&["sokudo clean --yes"]);
    assert!(left.exists(), "only clean removes it");
    // Nothing but its name says that it is ours, and there is nobody to ask.
    sokudo(&format!("clean {}", directory.path().display()))
        .ok()
        .prints(&["sokudo clean --yes"]);
    assert!(left.exists());
    sokudo(&format!("clean --yes {}", directory.path().display())).prints(&["removed"]);
    assert!(!left.exists());
}

/// A job whose file is to be removed at the end.
fn start_job(directory: &Path) -> Child {
    let mut command = program();
    command.current_dir(directory).args(split(
        "fio --name=job --filename=data --size=4m --rw=read --bs=4k --ioengine=psync \
         --time_based --runtime=60 --unlink=1",
    ));
    let child = start(&mut command);
    wait_for_io(&child, "rchar", 4 << 20);
    child
}

#[test]
fn a_file_that_a_killed_job_would_have_removed_is_found_and_one_that_stays_is_not() {
    let directory = directory_on_disk();
    let at = |name: &str| directory.path().join(name);
    fio(directory.path(), "--name=kept --size=1m --rw=write").ok();
    fs::write(at("mine"), "mine").unwrap();
    let mut child = start_job(directory.path());
    let clean = || sokudo(&format!("clean {}", directory.path().display()));
    clean().prints(&["nothing was left behind"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(at("data").exists());
    clean().prints(&["removed"]);
    assert!(!at("data").exists());
    assert!(at("kept.0.0").exists() && at("mine").exists());
}

#[test]
fn who_quits_at_once_leaves_no_test_file() {
    for signals in [&[Signal::QUIT][..], &[Signal::INT, Signal::INT]] {
        let directory = directory_on_disk();
        let child = start_job(directory.path());
        for signal in signals {
            // A process that has ended by the first one takes no second.
            let _ = kill_process(pid(&child), *signal);
        }
        let ended = wait(child);
        assert_ne!(ended.code(), Some(0), "{ended:?}");
        let left = fs::read_dir(directory.path()).unwrap().count();
        assert_eq!(left, 0, "{ended:?}");
    }
}

#[test]
fn a_disk_that_is_filled_up_by_somebody_else_is_told() {
    let Some(system) = FileSystem::new("btrfs", 256 << 20, true) else {
        return;
    };
    let mut command = program();
    command.arg("mark").arg(system.path()).args(split(
        "--size 64MiB -t 3s -n 1 --row SEQ1M,Q8,write --format json --quiet",
    ));
    let child = start(&mut command);
    wait_for_io(&child, "write_bytes", 72 << 20);
    let filled = Command::new("dd")
        .args(["if=/dev/zero", "bs=1M", "status=none"])
        .arg(format!("of={}", system.path().join("filler").display()))
        .output()
        .unwrap();
    assert!(!filled.status.success(), "dd fills the disk");
    let ended = wait(child);
    // Either there was room enough for its copies, or it met the end and says so.
    let run: serde_json::Value = serde_json::from_str(&ended.printed).unwrap();
    let result = &run["results"][0];
    let failed = !result["failures"].as_array().unwrap().is_empty();
    assert_eq!(ended.code(), Some(i32::from(failed)), "{ended:?}");
    assert_eq!(system.files(), ["filler"]);
}

/// Sends `signal` and waits for exit code 130.
pub(crate) fn interrupt(child: Child, signal: Signal) -> Ended {
    kill_process(pid(&child), signal).unwrap();
    wait(child).ends(130)
}

/// Waits until the kernel has counted so many bytes, so that the process is where
/// it is meant to be interrupted. `rchar` counts what is read by system calls, and
/// so what psync reads; `write_bytes` what is written to any storage.
pub(crate) fn wait_for_io(child: &Child, counter: &str, bytes: u64) {
    let path = format!("/proc/{}/io", child.id());
    wait_until(Path::new(&path), |line| {
        let (name, moved) = line.split_once(": ").unwrap();
        name == counter && moved.parse::<u64>().unwrap() >= bytes
    });
}

/// Waits until the process has a thread beside the main one, and so its signal
/// handler.
pub(crate) fn wait_for_threads(child: &Child) {
    let path = format!("/proc/{}/status", child.id());
    wait_until(Path::new(&path), |line| {
        let threads = line.strip_prefix("Threads:");
        threads.is_some_and(|threads| threads.trim() != "1")
    });
}

fn wait_for_space(system: &FileSystem, bytes: u64) {
    let deadline = Instant::now() + WAIT_MAX;
    while system.free_bytes() < bytes {
        assert!(Instant::now() < deadline, "the space does not come back");
        thread::park_timeout(Duration::from_millis(5));
    }
}

fn wait_until(file: &Path, wanted: impl Fn(&str) -> bool) {
    let deadline = Instant::now() + WAIT_MAX;
    loop {
        let lines = BufReader::new(fs::File::open(file).unwrap()).lines();
        if lines.map(Result::unwrap).any(|line| wanted(&line)) {
            return;
        }
        assert!(Instant::now() < deadline, "{} stays", file.display());
        thread::park_timeout(Duration::from_millis(5));
    }
}

pub(crate) fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}
