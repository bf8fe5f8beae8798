//! Disks that are slow, damaged or silent: sokudo tells what is wrong, ends, and keeps
//! what it has measured.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::faulty_disk::{Damage, FaultyDisk};
use crate::faulty_file::{Faults, FaultyFile};
use crate::sokudo::{codes, mark, measured, program, results, start, wait};

const MIB: usize = 1 << 20;

/// A throttled disk lets this much through at most.
const BYTES_PER_S: u64 = 40_000_000;
const IOS_PER_S: u64 = 500;

/// The daemon lets a tenth of a second's worth through at once before it throttles.
const BURST_S: f64 = 0.1;

/// A start of sokudo reads so much of a device beside its trials at most: it looks for
/// partition tables and file systems.
const LOOK_BYTES_MAX: u64 = 16 << 20;

/// Far more than a started process needs to come to its first I/O.
const HANG_MAX: Duration = Duration::from_secs(300);

/// The first result's median of a figure.
fn median(run: &Value, figure: &str) -> f64 {
    results(run)[0][figure]["median"].as_f64().unwrap()
}

/// What one trial of a row counted, and how long it was.
struct Counted {
    bytes: u64,
    ios: u64,
    seconds: f64,
}

/// Measures one trial of a row on a throttled disk. How fast it was depends on the
/// machine; what cannot be missed is that the figure is what was counted over the time
/// it took, that the kernel counted as much, and that it took no longer than the test saw.
fn measured_on(damage: &Damage, row: &str, figure: &str) -> Option<Counted> {
    let disk = FaultyDisk::new(1 << 30, damage)?;
    let arguments = format!("--row {row} --read-only --time 2s");
    let (read_before, began) = (disk.bytes_read(), Instant::now());
    let run = measured(&disk.path, &arguments);
    let (read, passed) = (disk.bytes_read() - read_before, began.elapsed());

    let trials = results(&run)[0]["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 1);
    let number = |key: &str| trials[0][key].as_u64().unwrap();
    let counted = Counted {
        bytes: number("bytes"),
        ios: number("ios"),
        seconds: number("elapsed_ns") as f64 / 1e9,
    };
    let per_second = match figure {
        "iops" => counted.ios as f64,
        _ => counted.bytes as f64,
    } / counted.seconds;
    let told = median(&run, figure);
    assert!(
        (told / per_second - 1.0).abs() < 1e-6,
        "{told} {per_second}"
    );
    assert!(
        (counted.bytes..=counted.bytes + LOOK_BYTES_MAX).contains(&read),
        "{} were counted, and the kernel counted {read}",
        counted.bytes
    );
    assert!(counted.seconds <= passed.as_secs_f64(), "{passed:?}");
    Some(counted)
}

#[test]
fn a_disk_limited_in_bytes_is_never_read_above_its_limit() {
    let damage = Damage {
        bytes_per_s: Some(BYTES_PER_S),
        ..Damage::default()
    };
    let Some(counted) = measured_on(&damage, "SEQ1M,Q8,T1", "bandwidth_bytes_per_s") else {
        return;
    };
    let most = BYTES_PER_S as f64 * (counted.seconds + BURST_S) + (8 * MIB) as f64;
    assert!(counted.bytes as f64 <= most, "{} > {most}", counted.bytes);
}

#[test]
fn a_disk_limited_in_operations_is_never_read_above_its_limit() {
    let damage = Damage {
        ios_per_s: Some(IOS_PER_S),
        ..Damage::default()
    };
    let Some(counted) = measured_on(&damage, "RND4K,Q8,T1", "iops") else {
        return;
    };
    let most = IOS_PER_S as f64 * (counted.seconds + BURST_S) + 8.0;
    assert!(counted.ios as f64 <= most, "{} > {most}", counted.ios);
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
    let row = "--overwrite --row SEQ64K,Q4,T1";
    let how = "--format json --time 60s";
    let ended = mark(file.path(), &format!("{row} {how}")).ends(1);
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
    let run = measured(file.path(), "--read-only --row SEQ64K,Q4,T1");
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
    let ended = wait(child).ends(130);
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    assert_eq!(run["interrupted"], true);
    assert!(median(&run, "iops") > 0.0, "{run}");
}
