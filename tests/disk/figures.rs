//! What is said about figures that counters alone do not put in doubt, and the figure
//! beside them.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::faulty_file::{Faults, FaultyFile};
use crate::sokudo::{WAIT_MAX, directory_on_disk, measured, program, results, split, start, wait};

const WRITES: &str = "--row SEQ1M,Q1,T1 --write-only";

#[test]
fn writes_into_memory_show_how_fast_they_became_durable() {
    let directory = directory_on_disk();
    let run = measured(directory.path(), &format!("{WRITES} --direct off"));
    let row = &results(&run)[0];
    let durable = row["durable_bytes_per_s"].as_f64().unwrap();
    let taken = row["bandwidth_bytes_per_s"]["median"].as_f64().unwrap();
    assert!(durable > 0.0 && durable <= taken, "{durable} {taken}");
    let trial = &row["trials"][0];
    assert!(trial["durable_after_ns"].as_u64() >= trial["elapsed_ns"].as_u64());
    let findings = row["findings"].as_array().unwrap();
    if let Some(finding) = findings.iter().find(|it| it["code"] == "buffered-writes") {
        let symptom = finding["symptom"].as_str().unwrap();
        assert!(symptom.contains("MB/s into memory, durable: "), "{symptom}");
    }
}

#[test]
fn reads_and_simulated_writes_have_no_durable_figure() {
    let directory = directory_on_disk();
    let reads = "--row SEQ1M,Q1,T1 --read-only --direct off";
    for run in [
        measured(directory.path(), reads),
        measured("sim:ssd", WRITES),
    ] {
        let row = &results(&run)[0];
        assert!(row["durable_bytes_per_s"].is_null(), "{row}");
        assert!(row["trials"][0]["durable_after_ns"].is_null(), "{row}");
    }
}

fn has_thread(directory: &str, name: &str) -> bool {
    let threads = fs::read_dir(Path::new(directory)).into_iter().flatten();
    let names = threads
        .flatten()
        .map(|it| fs::read_to_string(it.path().join("comm")));
    names.flatten().any(|found| found.trim() == name)
}

fn wait_until(wanted: impl Fn() -> bool) {
    let deadline = Instant::now() + WAIT_MAX;
    while !wanted() {
        assert!(Instant::now() < deadline, "it does not come");
        thread::park_timeout(Duration::from_millis(2));
    }
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn ctrl_c_does_not_wait_for_a_disk_to_make_durable_what_it_does_not_write() {
        let Some(file) = FaultyFile::new(16 << 20, Faults::default()) else {
            return;
        };
        let Some(disk) = file.as_disk() else { return };
        let directory = tempfile::tempdir().unwrap();
        let result = directory.path().join("result.json");
        let (path, output) = (disk.path().display(), result.display());
        let child = start(program().args(split(&format!(
            "mark {path} --destroy {path} {WRITES} --direct off --runs 2 --time 1s --format json \
             --quiet --output {output}"
        ))));
        let threads = format!("/proc/{}/task", child.id());
        wait_until(|| has_thread(&threads, "sokudo-0"));
        // Were it to take no writes either, the kernel might hold up who writes into memory.
        file.change(|faults| faults.flushes_hang = true);
        wait_until(|| has_thread(&threads, "sokudo-flush"));
        assert!(file.wait_until_it_hangs(WAIT_MAX));
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        // The result is there while the disk is still silent; the kernel keeps the process
        // until it answers.
        wait_until(|| fs::metadata(&result).is_ok_and(|metadata| metadata.len() > 0));
        file.change(|faults| faults.flushes_hang = false);
        wait(child).ends(130);
        let run: Value = serde_json::from_str(&fs::read_to_string(&result).unwrap()).unwrap();
        // The one that was ended.
        let trial = results(&run)[0]["trials"].as_array().unwrap().last();
        let trial = trial.unwrap();
        assert!(trial["bytes"].as_u64().unwrap() > 0, "{trial}");
        assert!(trial["durable_after_ns"].is_null(), "{trial}");
    }
}
