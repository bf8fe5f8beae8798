//! Signals to a sokudo that a test has started, at the moment when it does something.

#![allow(dead_code, reason = "each program of tests uses its part")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::sokudo::{Ended, WAIT_MAX, wait};

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

pub(crate) fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

pub(crate) fn wait_until(file: &Path, wanted: impl Fn(&str) -> bool) {
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
