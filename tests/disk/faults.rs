//! Disks that are slow, damaged or silent: sokudo tells what is wrong, ends, and keeps
//! what it has measured.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::Value;

use crate::faulty_file::{Faults, FaultyFile};
use crate::signals::{interrupt, wait_until};
use crate::sokudo::{codes, mark, measured, program, results, start, wait};

const MIB: usize = 1 << 20;

/// A start of sokudo reads so much of a device beside its trials at most: it looks for
/// partition tables and file systems.
const LOOK_BYTES_MAX: u64 = 16 << 20;

/// Far more than a started process needs to come to its first I/O.
const HANG_MAX: Duration = Duration::from_secs(300);

/// The first result's median of a figure.
fn median(run: &Value, figure: &str) -> f64 {
    results(run)[0][figure]["median"].as_f64().unwrap()
}

/// One trial of a row on a throttled disk. How fast it was depends on the machine; what cannot
/// be missed is that no more passed than the limit allows, that the figure is what was counted
/// over the time it took, that the kernel counted as much, and that it took no longer than the
/// test saw.
fn is_never_above(limit: u64, faults: Faults, row: &str, [count, figure]: [&str; 2], more: u64) {
    let Some(file) = FaultyFile::new(256 * MIB, faults) else {
        return;
    };
    let Some(disk) = file.as_disk() else { return };
    let (read_before, began) = (disk.bytes_read(), Instant::now());
    let run = measured(disk.path(), &format!("--row {row} --read-only --time 2s"));
    let (read, passed) = (disk.bytes_read() - read_before, began.elapsed());
    let [trial] = &results(&run)[0]["trials"].as_array().unwrap()[..] else {
        panic!("one trial: {run}");
    };
    let number = |key: &str| trial[key].as_u64().unwrap();
    let (bytes, counted) = (number("bytes"), number(count) as f64);
    let seconds = number("elapsed_ns") as f64 / 1e9;
    let told = median(&run, figure) * seconds;
    assert!((told / counted - 1.0).abs() < 1e-6, "{told} {counted}");
    let moved = bytes + number("unmeasured_bytes");
    // Trials that came to their speed too late are made again, and are not in the figures.
    let is_made_again = results(&run)[0]["unsettled_trials"].as_u64() > Some(0);
    let of_one = bytes as f64 / counted;
    let most_before = limit as f64 * passed.as_secs_f64() * of_one;
    let before = if is_made_again { most_before } else { 0.0 };
    let beside = 0.0..=LOOK_BYTES_MAX as f64 + before;
    assert!(
        moved <= read && beside.contains(&((read - moved) as f64)),
        "{read} for {moved}"
    );
    assert!(seconds <= passed.as_secs_f64(), "{passed:?}");
    let most = limit as f64 * seconds + more as f64;
    assert!(counted > 0.0 && counted <= most, "{counted} > {most}");
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_disk_limited_in_bytes_is_never_read_above_its_limit() {
        let faults = Faults {
            bytes_per_s: Some(40_000_000),
            ..Faults::default()
        };
        let figures = ["bytes", "bandwidth_bytes_per_s"];
        is_never_above(40_000_000, faults, "SEQ1M,Q8,T1", figures, 8 * MIB as u64);
    }

    #[test]
    fn a_disk_limited_in_operations_is_never_read_above_its_limit() {
        let faults = Faults {
            transfers_per_s: Some(500),
            ..Faults::default()
        };
        is_never_above(500, faults, "RND4K,Q8,T1", ["ios", "iops"], 8);
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
        // It is to fail in the row, not while backends are tried.
        let row = "--overwrite --row SEQ64K,Q4,T1 --engine io_uring";
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

    /// It answers nothing any more once it has answered for a while.
    fn silent() -> Option<FaultyFile> {
        let faults = Faults {
            good_transfers: 1000,
            hangs: true,
            ..Faults::default()
        };
        FaultyFile::new(16 * MIB, faults)
    }

    /// Reads of a row, as they are measured once. Of a disk, for a file's I/O may keep the thread
    /// that issues it; and not by libaio: the kernel lets no process go whose I/O by it is in flight.
    fn reads(disk: &Path, row: &str) -> Command {
        let mut command = program();
        command.arg("mark").arg(disk).args(["--row", row]);
        command.args(["--read-only", "--runs", "1", "--format", "json"]);
        command
    }

    #[test]
    fn hung_io_is_named() {
        let Some(file) = silent() else { return };
        let Some(disk) = file.as_disk() else { return };
        let mut command = reads(disk.path(), "RND4K,Q4,T1");
        command.args(["--engine", "io_uring", "--time", "600s", "--timeout", "2s"]);
        let ended = wait(start(&mut command)).ends(1);
        assert!(ended.told.contains("a read of 4 KiB at byte "), "{ended:?}");
        let run: Value = serde_json::from_str(&ended.printed).unwrap();
        let read = &results(&run)[0];
        assert!(codes(read).contains(&"io-errors"), "{read}");
        assert!(median(&run, "iops") > 0.0, "{run}");
    }

    #[test]
    fn a_blocked_thread_is_named() {
        let Some(file) = silent() else { return };
        let Some(disk) = file.as_disk() else { return };
        let folder = tempfile::tempdir().unwrap();
        let events = folder.path().join("events");
        let mut command = reads(disk.path(), "RND4K,Q1,T1");
        command.args(["--engine", "psync", "--time", "2s", "--timeout", "1s"]);
        let child = start(command.arg("--events").arg(&events));
        assert!(file.wait_until_it_hangs(HANG_MAX));
        wait_until(&events, |line| line.contains("\"stuck\""));
        file.change(|faults| faults.hangs = false);
        let ended = wait(child).ok();
        let words = ["a read of 4 KiB at byte ", "cannot give it up"];
        assert!(words.iter().all(|it| ended.told.contains(it)), "{ended:?}");
    }

    #[test]
    fn ctrl_c_ends_a_run_while_the_disk_is_silent() {
        let Some(file) = silent() else { return };
        let Some(disk) = file.as_disk() else { return };
        let mut command = reads(disk.path(), "RND4K,Q4,T1");
        let child = start(command.args(["--engine", "io_uring", "--time", "600s"]));
        assert!(file.wait_until_it_hangs(HANG_MAX));
        let ended = interrupt(child, Signal::INT);
        let run: Value = serde_json::from_str(&ended.printed).unwrap();
        assert_eq!(run["interrupted"], true);
        assert!(median(&run, "iops") > 0.0, "{run}");
    }
}
