//! `sokudo scan`: curves, access times and what cannot be read.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::run_json::places;
use crate::sokudo::{Ended, end, holds, program, results, sokudo_on, split};

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

/// A simulated disk of 6 TB.
const DISK: &str = "sim:hdd?size=6TB";

#[test]
fn a_short_stroke_stays_in_its_part() {
    let run = scanned(DISK, "--short-stroke 100GB --random");
    for result in results(&run) {
        for place in places(&run, result) {
            let end = place["offset"].as_u64().unwrap() + place["bytes"].as_u64().unwrap();
            assert!(end <= 100_000_000_000, "{}: {place}", result["name"]);
        }
    }
    scan(DISK, "--short-stroke 7TB").refused(2, &["--short-stroke", "5.5 TiB"]);
}

#[test]
fn a_range_is_measured_alone_and_tells_places_of_the_whole_disk() {
    let run = scanned(DISK, "--from 40% --to 3TB --random");
    let (low, high) = (2_399_000_000_000, 3_000_000_000_000);
    for result in results(&run) {
        for place in places(&run, result) {
            let offset = place["offset"].as_u64().unwrap();
            let end = offset + place["bytes"].as_u64().unwrap();
            assert!(low <= offset && end <= high, "{}: {place}", result["name"]);
        }
    }
    let curve = places(&run, row(&run, "TRANSFER", "read"));
    assert_eq!(curve.len(), 200);
    let all = scanned(DISK, "--points 200 --access-count 0");
    let of_all = |place: &&Value| place["offset"].as_u64().unwrap() >= low;
    let rate =
        |place: &Value| place["bytes"].as_f64().unwrap() / place["elapsed_ns"].as_f64().unwrap();
    let there = places(&all, row(&all, "TRANSFER", "read"));
    let there = there.iter().find(of_all);
    let ratio = rate(&curve[0]) / rate(there.unwrap());
    assert!(
        (0.7..1.4).contains(&ratio),
        "the same place at another speed: {ratio}"
    );
    scan(DISK, "--from 60% --to 40%").refused(2, &["--from", "60%", "40%"]);
    scan(DISK, "--from 7TB").refused(2, &["--from", "5.5 TiB"]);
}

#[test]
fn nonsense_is_told_in_one_line() {
    for (arguments, words) in [
        ("--block 1000", &["--block", "multiple"][..]),
        ("--block 0", &["--block"]),
        ("--sample 4K", &["--sample", "at least"]),
        ("--size 1GiB", &["--size", "--from"]),
        ("--hdtune 9", &["1 to 5"]),
        ("--points 0 --access-count 0", &["nothing is left"]),
        ("--gnome --full", &["--gnome", "--full"]),
    ] {
        scan(DISK, arguments).refused(2, words);
    }
    scan("/dev/null", "").refused(2, &["/dev/null", "character device"]);
    scan("/no/such/disk", "").refused(2, &["/no/such/disk", "does not exist"]);
}

/// The document of a scan that did not end with 0.
fn printed(ended: &Ended) -> Value {
    serde_json::from_str(&ended.printed).unwrap()
}

/// What the engine says of slow places and hung ones, on a disk of known truth.
#[test]
fn places_that_are_slow_again_are_told_from_those_that_were_slow_once() {
    let disk = "sim:hdd?size=64GB&slow_at=20GB+512:3s&slow_once_at=40GB+512:2s";
    let run = scanned(disk, "--full --depth 1 --access-count 0");
    let curve = row(&run, "TRANSFER", "read");
    let slow = curve["slow_places"]["places"].as_array().unwrap();
    let limit = curve["slow_places"]["limit_ns"].as_u64().unwrap();
    let told: Vec<(u64, bool)> = slow
        .iter()
        .map(|place| {
            let offset = place["offset"].as_u64().unwrap();
            (
                offset >> 20 << 20,
                place["again_ns"].as_u64().unwrap() > limit,
            )
        })
        .collect();
    let of = |bytes: u64| bytes >> 20 << 20;
    assert_eq!(
        told,
        [(of(20_000_000_000), true), (of(40_000_000_000), false)]
    );
    // With a queue, of which each slow place holds up all, and lets this drive answer late for
    // seconds.
    let two = "sim:hdd?size=64GB&slow_at=20GB+512:900ms&slow_at=40GB+512:900ms";
    let queued = scanned(two, "--full --access-count 0");
    let slow = &row(&queued, "TRANSFER", "read")["slow_places"];
    let limit = slow["limit_ns"].as_u64().unwrap();
    let places = slow["places"].as_array().unwrap().iter();
    let again = places.filter(|place| place["again_ns"].as_u64().unwrap() > limit);
    let mut again: Vec<u64> = again
        .map(|place| of(place["offset"].as_u64().unwrap()))
        .collect();
    again.sort_unstable();
    assert_eq!(again, [of(20_000_000_000), of(40_000_000_000)], "{slow}");
    let healthy = scanned("sim:hdd?size=64GB", "--full --depth 1 --access-count 0");
    let places = &row(&healthy, "TRANSFER", "read")["slow_places"]["places"];
    assert_eq!(places.as_array().unwrap().len(), 0, "{places}");
}

#[test]
fn a_read_that_hangs_is_told_with_its_place_and_the_scan_goes_on() {
    let disk = "sim:hdd?size=64GB&hang_at=20GB+512&slow_at=40GB+512:50s";
    for arguments in ["--full --access-count 0", "--points 2000 --access-count 0"] {
        let ended = scan(
            disk,
            &format!("{arguments} --timeout 30s --format json --quiet"),
        );
        let run = printed(&ended.ends(1));
        let curve = row(&run, "TRANSFER", "read");
        let defects = curve["defects"].as_array().unwrap();
        assert_eq!(defects.len(), 1, "{defects:?}");
        let (offset, length) = (&defects[0]["offset"], &defects[0]["length"]);
        let (offset, length) = (offset.as_u64().unwrap(), length.as_u64().unwrap());
        assert!(offset <= 20_000_000_000 && 20_000_000_000 < offset + length);
        assert_eq!(length, 1 << 20);
        let all = places(&run, curve);
        let last = all.last().unwrap();
        assert!(
            last["offset"].as_u64().unwrap() > 63_000_000_000,
            "it went on to the end"
        );
        let codes: Vec<&str> = curve["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| finding["code"].as_str().unwrap())
            .collect();
        assert!(
            codes.contains(&"hung") && !codes.contains(&"io-errors"),
            "{codes:?}"
        );
    }
}

#[test]
fn a_disk_of_which_too_much_hangs_ends_the_scan_cleanly() {
    let disk = "sim:hdd?size=64GB&hang_at=20GB+30GB";
    let ended = scan(
        disk,
        "--full --access-count 0 --timeout 10s --format json --quiet",
    );
    let run = printed(&ended.ends(1));
    let curve = row(&run, "TRANSFER", "read");
    let read = curve["trials"][0]["bytes"].as_u64().unwrap();
    assert!((19_900_000_000..20_100_000_000).contains(&read), "{read}");
    assert_eq!(curve["status"], "failed", "{}", curve["status"]);
    scan(disk, "--full --timeout 10s --engine psync").refused(2, &["io_uring"]);
}

#[test]
fn two_scans_are_laid_over_each_other_and_what_became_slower_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let kept = |name: &str, disk: &str| {
        let run = scanned(
            disk,
            "--points 200 --access-count 0 --block 64KiB --depth 1",
        );
        fs::write(at(name), run.to_string()).unwrap();
    };
    kept("before.json", "sim:hdd?size=6TB");
    // Every request there takes 5 ms.
    kept("after.json", "sim:hdd?size=6TB&slow_at=3TB+500GB:5ms");
    let compared = |other: &str, more: &str| {
        let mut command = program();
        command
            .current_dir(folder.path())
            .args(["compare", "before.json", other]);
        end(command.args(split(more))).ok()
    };
    let document = compared("after.json", "--format json").json();
    let slower = document["others"][0]["rows"][0]["slower_places"]
        .as_array()
        .unwrap();
    assert_eq!(slower.len(), 1, "{slower:?}");
    let [from, to] = ["from", "to"].map(|end| slower[0][end].as_u64().unwrap());
    assert!(from.abs_diff(3_000_000_000_000) < 60_000_000_000, "{from}");
    assert!(to.abs_diff(3_500_000_000_000) < 60_000_000_000, "{to}");
    let table = compared("after.json", "--plot curves.svg").printed;
    holds(
        &table,
        &[
            "B is slower than A at these places",
            "B is slower than A in one part of the disk.",
        ],
    );
    let picture = fs::read_to_string(at("curves.svg")).unwrap();
    holds(&picture, &["2 scans", "slower"]);
    kept("same.json", "sim:hdd?size=6TB");
    let same = compared("same.json", "--format json").json();
    assert_eq!(same["others"][0]["rows"][0].get("slower_places"), None);
}
