//! Disks that are slow, damaged or silent: sokudo tells what is wrong, ends, and keeps
//! what it has measured.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::faulty_disk::{Damage, FaultyDisk};
use crate::faulty_file::{Faults, FaultyFile};
use crate::sokudo::{codes, mark, measured, program, results, start, wait};

const MIB: usize = 1 << 20;

/// A throttled disk lets this much through at most.
const BYTES_PER_S: f64 = 40e6;
const IOS_PER_S: f64 = 500.0;

/// Far more than a started process needs to come to its first I/O.
const HANG_MAX: Duration = Duration::from_secs(60);

/// The first result's median of a figure.
fn median(run: &Value, figure: &str) -> f64 {
    results(run)[0][figure]["median"].as_f64().unwrap()
}

fn assert_near(measured: f64, limit: f64) {
    let ratio = measured / limit;
    assert!(
        (0.95..=1.05).contains(&ratio),
        "{measured} is {ratio} of the limit of {limit}"
    );
}

#[test]
fn a_disk_limited_in_bytes_reads_at_its_limit() {
    let damage = Damage {
        bytes_per_s: Some(40_000_000),
        ..Damage::default()
    };
    let Some(disk) = FaultyDisk::new(1 << 30, &damage) else {
        return;
    };
    let arguments = ["--row", "SEQ1M,Q8,T1", "--read-only", "--time", "4s"];
    let run = measured(&disk.path, &arguments);
    assert_near(median(&run, "bandwidth_bytes_per_s"), BYTES_PER_S);
}

#[test]
fn a_disk_limited_in_operations_reads_at_its_limit() {
    let damage = Damage {
        ios_per_s: Some(500),
        ..Damage::default()
    };
    let Some(disk) = FaultyDisk::new(1 << 30, &damage) else {
        return;
    };
    let arguments = ["--row", "RND4K,Q8,T1", "--read-only", "--time", "4s"];
    let run = measured(&disk.path, &arguments);
    assert_near(median(&run, "iops"), IOS_PER_S);
}

#[test]
fn a_run_keeps_what_it_measured_before_the_disk_failed() {
    let faults = Faults {
        good_transfers: 3000,
        unwritable: 0..u64::MAX,
        unreadable: 0..u64::MAX,
        ..Faults::default()
    };
    let Some(file) = FaultyFile::new(16 * MIB, faults) else {
        return;
    };
    let row = ["--overwrite", "--row", "SEQ64K,Q4,T1"];
    let how = ["--format", "json", "--time", "60s"];
    let ended = mark(file.path(), &[&row[..], &how].concat());
    assert_eq!(ended.code(), Some(1), "{ended:?}");
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    let read = &results(&run)[0];
    assert!(median(&run, "bandwidth_bytes_per_s") > 0.0, "{read}");
    let failure = &read["failures"][0];
    assert_eq!(failure["errno"], rustix::io::Errno::IO.raw_os_error());
    assert!(codes(read).contains(&"io-errors"), "{read}");
}

#[test]
fn short_transfers_are_carried_on_with() {
    let faults = Faults {
        transfer_bytes_max: Some(4096),
        ..Faults::default()
    };
    let Some(file) = FaultyFile::new(16 * MIB, faults) else {
        return;
    };
    let run = measured(file.path(), &["--read-only", "--row", "SEQ64K,Q4,T1"]);
    let trial = &results(&run)[0]["trials"][0];
    let [bytes, ios] = ["bytes", "ios"].map(|figure| trial[figure].as_u64().unwrap());
    assert!(ios > 0, "{trial}");
    assert_eq!(bytes, ios * 65_536, "{trial}");
    // What is counted has really been moved, in small pieces.
    assert!(file.transfers() >= ios * 16, "{trial}");
}

#[test]
fn ctrl_c_ends_a_run_while_the_disk_is_silent() {
    let faults = Faults {
        good_transfers: 1000,
        hangs: true,
        ..Faults::default()
    };
    let Some(file) = FaultyFile::new(16 * MIB, faults) else {
        return;
    };
    // As a disk: a file's I/O may keep the thread that issues it.
    let Some(disk) = file.as_disk() else { return };
    let mut command = program();
    command.arg("mark").arg(disk.path());
    command.args(["--read-only", "--row", "RND4K,Q4,T1", "--runs", "1"]);
    let child = start(command.args(["--time", "600s", "--format", "json"]));
    assert!(file.wait_until_it_hangs(HANG_MAX));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ended = wait(child);
    assert_eq!(ended.code(), Some(130), "{ended:?}");
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    assert_eq!(run["interrupted"], true);
    assert!(median(&run, "iops") > 0.0, "{run}");
}
