//! Stopped in the middle: everything is cleaned up, and what was measured is
//! printed.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};

use crate::loop_device::FileSystem;
use crate::signals::{interrupt, pid, wait_for_io};
use crate::sokudo::fio;
use crate::sokudo::{WAIT_MAX, directory_on_disk, mark, program, sokudo, split, start, wait};

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
        let read = &run["figures"][0];
        assert!(read["latency_ns"]["count"].as_u64().unwrap() > 0, "{read}");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
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

fn wait_for_space(system: &FileSystem, bytes: u64) {
    let deadline = Instant::now() + WAIT_MAX;
    while system.free_bytes() < bytes {
        assert!(Instant::now() < deadline, "the space does not come back");
        thread::park_timeout(Duration::from_millis(5));
    }
}

/// What needs root.
mod root {
    use super::*;

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
        let result = &run["figures"][0];
        let failed = !result["failures"].as_array().unwrap().is_empty();
        assert_eq!(ended.code(), Some(i32::from(failed)), "{ended:?}");
        assert_eq!(system.files(), ["filler"]);
    }
}
