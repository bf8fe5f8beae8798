//! `sokudo scan`: curves, access times and what cannot be read.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::sokudo::{Ended, directory_on_disk, holds, results, sokudo_on};

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

fn places(result: &Value) -> &[Value] {
    result["places"].as_array().unwrap()
}

/// A simulated disk of 6 TB.
const DISK: &str = "sim:hdd?size=6TB";

#[test]
fn a_table_shows_what_people_look_for_in_80_columns() {
    let ended = scan(DISK, "--random --extra").ok();
    holds(
        &ended.printed,
        &[
            "TRANSFER",
            "outer:inner",
            "over position",
            "5.97 TB",
            "ACCESS 4K",
            "access time",
            "RANDOM mixed",
            "SEQ inner",
            "BUTTERFLY",
            "BURST",
            "CACHE 64M",
            "seek distance",
        ],
    );
}

#[test]
fn a_short_stroke_stays_in_its_part() {
    let run = scanned(DISK, "--short-stroke 100GB --random");
    for result in results(&run) {
        for place in places(result) {
            let end = place["offset"].as_u64().unwrap() + place["bytes"].as_u64().unwrap();
            assert!(end <= 100_000_000_000, "{}: {place}", result["name"]);
        }
    }
    scan(DISK, "--short-stroke 7TB").refused(2, &["--short-stroke", "5.5 TiB"]);
}

#[test]
fn a_full_scan_reads_every_byte_of_a_device_and_changes_none() {
    let Some(device) = LoopDevice::new(24 << 20, true) else {
        return;
    };
    fs::write(device.image(), vec![0x5a; 24 << 20]).unwrap();
    let run = scanned(&device.path, "--full --access-count 10");
    let curve = row(&run, "TRANSFER", "read");
    let mut at = 0;
    for place in places(curve) {
        assert_eq!(place["offset"], at);
        at += place["bytes"].as_u64().unwrap();
    }
    assert_eq!(at, 24 << 20);
    assert_eq!(curve["surface"]["defect_ranges"], 0);
    assert!(fs::read(device.image()).unwrap() == vec![0x5a; 24 << 20]);
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
                !places(row(&run, name, direction)).is_empty(),
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
    fs::write(&file, &before).unwrap();
    scan(&file, "--write").refused(3, &["precious", "--write-back", "--overwrite"]);
    let read = scanned(&file, "--access-count 10");
    assert_eq!(results(&read).len(), 2);
    let back = scanned(&file, "--write --write-back --access-count 10");
    assert_eq!(places(row(&back, "TRANSFER", "write")).len(), 8);
    assert!(fs::read(&file).unwrap() == before, "it was changed");
    let over = scanned(&file, "--write --overwrite --access-count 10");
    assert!(!places(row(&over, "TRANSFER", "write")).is_empty());
    assert!(fs::read(&file).unwrap() != before);
}

#[test]
fn nonsense_is_told_in_one_line() {
    for (arguments, words) in [
        ("--block 1000", &["--block", "multiple"][..]),
        ("--block 0", &["--block"]),
        ("--sample 4K", &["--sample", "at least"]),
        ("--size 1GiB", &["--size", "--short-stroke"]),
        ("--hdtune 9", &["1 to 5"]),
        ("--points 0 --access-count 0", &["nothing is left"]),
        ("--gnome --full", &["--gnome", "--full"]),
    ] {
        scan(DISK, arguments).refused(2, words);
    }
    scan("/dev/null", "").refused(2, &["/dev/null", "character device"]);
    scan("/no/such/disk", "").refused(2, &["/no/such/disk", "does not exist"]);
}
