//! `sokudo scan`: curves, access times and what cannot be read.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};
use serde_json::Value;

use crate::faulty_file::{Faults, FaultyFile};
use crate::loop_device::LoopDevice;
use crate::run_json::places;
use crate::signals::{interrupt, pid};
use crate::sokudo::{
    Ended, WAIT_MAX, codes, directory_on_disk, end, program, results, sokudo_on, split, start, wait,
};
use crate::written::write;

fn scan(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("scan", target, arguments)
}

fn scanned(target: impl AsRef<Path>, arguments: &str) -> Value {
    scan(target, &format!("{arguments} --format json --quiet")).json()
}

fn row<'a>(run: &'a Value, name: &str, direction: &str) -> &'a Value {
    results(run)
        .iter()
        .find(|result| result["name"] == name && result["direction"] == direction)
        .unwrap_or_else(|| panic!("{name} {direction} is missing: {run}"))
}

#[test]
fn in_a_directory_everything_is_measured_on_a_file_that_is_gone_afterwards() {
    let directory = directory_on_disk();
    let run = scanned(
        directory.path(),
        "--write --size 32MiB --access-count 20 --random",
    );
    for direction in ["read", "write"] {
        for name in ["TRANSFER", "ACCESS 4K", "RANDOM 64K", "RANDOM mixed"] {
            assert!(
                !places(&run, row(&run, name, direction)).is_empty(),
                "{name} {direction}"
            );
        }
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn an_existing_file_is_read_or_written_back_and_stays_as_it_is() {
    let directory = directory_on_disk();
    let file = directory.path().join("precious");
    let before = b"precious words\n\n".repeat(1 << 19);
    write(&file, &before);
    scan(&file, "--write").refused(3, &["precious", "--write-back", "--overwrite"]);
    let read = scanned(&file, "--access-count 10");
    assert_eq!(results(&read).len(), 2);
    let back = scanned(&file, "--write --write-back --access-count 10");
    assert_eq!(places(&back, row(&back, "TRANSFER", "write")).len(), 8);
    assert!(fs::read(&file).unwrap() == before, "it was changed");
    let over = scanned(&file, "--write --overwrite --access-count 10");
    assert!(!places(&over, row(&over, "TRANSFER", "write")).is_empty());
    assert!(fs::read(&file).unwrap() != before);
}

/// The document of a scan that did not end with 0.
fn printed(ended: &Ended) -> Value {
    serde_json::from_str(&ended.printed).unwrap()
}

const MIB: u64 = 1 << 20;

/// `sokudo scan` with a store of the test's own.
fn scan_with(store: &Path, target: &Path, arguments: &str) -> Command {
    let mut command = program();
    command.arg("scan").arg(target).args(split(arguments));
    command.env("SOKUDO_STORE", store);
    command
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + WAIT_MAX;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_full_scan_reads_every_byte_of_a_device_and_changes_none() {
        let Some(device) = LoopDevice::new(24 << 20, true) else {
            return;
        };
        fs::write(device.image(), vec![0x5a; 24 << 20]).unwrap();
        let run = scanned(&device.path, "--full --access-count 10");
        let curve = row(&run, "TRANSFER", "read");
        let mut at = 0;
        for place in places(&run, curve) {
            assert_eq!(place["offset"], at);
            at += place["bytes"].as_u64().unwrap();
        }
        assert_eq!(at, 24 << 20);
        assert_eq!(curve["surface"]["defect_ranges"], 0);
        assert!(fs::read(device.image()).unwrap() == vec![0x5a; 24 << 20]);
    }

    #[test]
    fn an_interrupted_scan_goes_on_where_it_was_and_reads_only_what_is_missing() {
        let faults = Faults {
            bytes_per_s: Some(4 * MIB),
            ..Faults::default()
        };
        let Some(file) = FaultyFile::new(48 << 20, faults) else {
            return;
        };
        let Some(disk) = file.as_disk() else { return };
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("runs.db");
        let arguments = "--full --points 6 --access-count 20 --format json --quiet";
        let child = start(&mut scan_with(&store, disk.path(), arguments));
        let before = disk.bytes_read();
        wait_until("it reads", || disk.bytes_read() - before > 14 * MIB);
        let first = printed(&interrupt(child, Signal::INT));
        assert_eq!(first["interrupted"], true);
        let curve = row(&first, "TRANSFER", "read");
        let read = curve["trials"][0]["bytes"].as_u64().unwrap();
        assert!((1..48 * MIB).contains(&read), "{read}");
        assert!(
            first
                .get("parts")
                .is_some_and(|parts| parts.as_array().unwrap().len() == 1)
        );
        file.change(|faults| faults.bytes_per_s = None);
        let other = end(&mut scan_with(&store, disk.path(), "--resume=7 --quiet"));
        other.refused(2, &["7"]);
        let resumed = "--resume --format json --quiet";
        let whole = end(&mut scan_with(&store, disk.path(), resumed))
            .ok()
            .json();
        assert_eq!(whole["interrupted"], false);
        assert_eq!(whole["parts"].as_array().unwrap().len(), 2);
        assert_eq!(whole["parts"][0]["kept_as"], 1);
        assert!(
            codes(&whole).contains(&"measured-in-parts"),
            "{}",
            whole["findings"]
        );
        let curve = row(&whole, "TRANSFER", "read");
        let interrupted = row(&first, "TRANSFER", "read");
        assert_eq!(curve["fingerprint"], interrupted["fingerprint"]);
        assert_eq!(curve["trials"].as_array().unwrap().len(), 1);
        assert_eq!(curve["trials"][0]["bytes"].as_u64(), Some(48 * MIB));
        let mut at = 0;
        for place in places(&whole, curve) {
            assert_eq!(place["offset"].as_u64(), Some(at));
            at += place["bytes"].as_u64().unwrap();
        }
        assert_eq!(at, 48 * MIB);
        // What was read before is not read again.
        let before = places(&first, interrupted);
        let before = &before[..before.len() - 1];
        assert_eq!(&places(&whole, curve)[..before.len()], before);
        // What the disk has counted is known of both parts, and beside what was read is only what others
        // read who look for signatures on all disks.
        let ratio = |curve: &Value| curve["device_ratio"].as_f64();
        assert_eq!(ratio(curve).is_some(), ratio(interrupted).is_some());
        if let Some(ratio) = ratio(curve) {
            assert!((0.98..1.34).contains(&ratio), "{ratio}");
        }
        let times = |curve: &Value| curve["trials"][0]["elapsed_ns"].as_u64().unwrap();
        let from_samples = places(&whole, curve);
        let from_samples = from_samples.iter();
        let from_samples: u64 = from_samples
            .map(|it| it["elapsed_ns"].as_u64().unwrap())
            .sum();
        assert!(times(curve) > times(interrupted));
        assert!(times(curve).abs_diff(from_samples) * 100 < times(curve));
        assert_eq!(places(&whole, row(&whole, "ACCESS 4K", "read")).len(), 20);
        end(&mut scan_with(&store, disk.path(), "--resume")).refused(2, &["no scan of"]);
        end(&mut scan_with(&store, disk.path(), "--resume=2")).refused(2, &["is complete"]);
    }

    /// A file whose only fault is a read that does not come back.
    fn with_hanging_read(size: u64) -> Option<FaultyFile> {
        let faults = Faults {
            hangs: true,
            hangs_at: 5 * MIB..5 * MIB + 4096,
            ..Faults::default()
        };
        FaultyFile::answering_later(usize::try_from(size).unwrap(), faults)
    }

    /// The document of a scan that has ended once its result is kept: the kernel holds the process
    /// until the read is over.
    fn kept_while_it_hangs(file: &FaultyFile, child: Child, store: &Path, code: i32) -> Value {
        let is_kept = || {
            let list = end(program()
                .args(["list", "--format", "json"])
                .env("SOKUDO_STORE", store));
            list.printed.contains("scan/full")
        };
        wait_until("the result is kept while the read hangs", is_kept);
        file.change(|faults| faults.hangs = false);
        printed(&wait(child).ends(code))
    }

    #[test]
    fn a_read_that_hangs_in_the_kernel_is_left_behind() {
        let Some(file) = with_hanging_read(16 * MIB) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("runs.db");
        // On a busy machine another may take seconds.
        let arguments = "--full --points 4 --access-count 0 --timeout 10s --engine io_uring \
                         --format json --quiet";
        let child = start(&mut scan_with(&store, &file.path(), arguments));
        let run = kept_while_it_hangs(&file, child, &store, 1);
        let curve = row(&run, "TRANSFER", "read");
        let defects = curve["defects"].as_array().unwrap();
        assert_eq!(defects.len(), 1, "{defects:?}");
        assert_eq!(defects[0]["offset"].as_u64(), Some(5 * MIB));
        assert_eq!(curve["trials"][0]["bytes"].as_u64(), Some(15 * MIB));
        assert!(codes(curve).contains(&"hung"), "{}", curve["findings"]);
    }

    /// What came back behind the read that hangs is read once, before or after.
    #[test]
    fn a_scan_that_is_interrupted_while_a_read_hangs_counts_nothing_twice() {
        let Some(file) = with_hanging_read(64 * MIB) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("runs.db");
        let arguments =
            "--full --points 4 --access-count 0 --engine io_uring --format json --quiet";
        let child = start(&mut scan_with(&store, &file.path(), arguments));
        assert!(file.wait_until_it_hangs(WAIT_MAX));
        kill_process(pid(&child), Signal::INT).unwrap();
        let first = kept_while_it_hangs(&file, child, &store, 130);
        assert_eq!(first["interrupted"], true);
        let arguments = "--resume --format json --quiet";
        let whole = end(&mut scan_with(&store, &file.path(), arguments))
            .ok()
            .json();
        let curve = row(&whole, "TRANSFER", "read");
        assert_eq!(curve["trials"][0]["bytes"].as_u64(), Some(64 * MIB));
        let mut at = 0;
        for place in places(&whole, curve) {
            assert_eq!(place["offset"].as_u64(), Some(at));
            at += place["bytes"].as_u64().unwrap();
        }
        assert_eq!(at, 64 * MIB);
    }
}
