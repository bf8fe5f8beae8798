//! Runs of a day, and runs that are killed on the way.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::faulty_file::{Faults, FaultyFile};
use crate::sokudo::{WAIT_MAX, end, program, split, start, wait};

/// What is begun anew every day has so many seconds.
const DAY: u64 = 86_400;

/// The most memory that a run has held, KiB, and its result. The kernel tells the first while the
/// process lives; what is between the last look and its end is missed.
fn measured(seconds: u64) -> (u64, Value) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("run.json");
    let mut command = program();
    command.args(split(&format!(
        "mark sim:const?latency=20ms --row RND4K,Q1,read --runs 1 --time {seconds}s --quiet --format json -o {}",
        file.display()
    )));
    let mut child = start(&mut command);
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let told = fs::read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        most = most.max(number.unwrap_or(0));
        thread::sleep(Duration::from_millis(2));
    }
    wait(child).ok();
    (
        most,
        serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap(),
    )
}

#[test]
fn a_day_takes_no_more_memory_than_an_hour_and_all_of_it_is_in_the_result() {
    // So short a run may be over before its memory is looked at.
    let of_hour = (0..3).map(|_| measured(3_600).0).max().unwrap();
    let (of_day, run) = measured(DAY);
    assert!(
        of_hour > 0 && of_day < of_hour + (8 << 10),
        "{of_day} KiB, {of_hour} KiB of an hour"
    );
    let trial = &run["results"][0]["trials"][0];
    assert_eq!(trial["elapsed_ns"], DAY * 1_000_000_000);
    assert_eq!(trial["ios"], DAY * 50);
    let series = run["results"][0]["series"].as_array().unwrap();
    assert!(series.len() <= 4_096, "{}", series.len());
    let sum = |name: &str| {
        series
            .iter()
            .map(|it| it[name].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!(sum("ios"), DAY * 50);
    assert_eq!(sum("bytes"), DAY * 50 * 4_096);
}

/// A run that is killed so long after it has begun, in a process of its own.
fn killed(mut child: Child, after: Duration) {
    thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn what_was_measured_before_a_kill_is_kept() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = u64::from(now.subsec_micros());
    let one = move |number: u64| {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("data"), vec![7; 4 << 20]).unwrap();
        let sokudo = |arguments: &str| {
            let mut command = program();
            command
                .env("SOKUDO_STORE", at("store"))
                .current_dir(&directory);
            command.args(split(arguments));
            command
        };
        let child = start(&mut sokudo(
            "mark data --row RND4K,Q1,read --runs 999 --time 250ms --quiet",
        ));
        // Kept for the first time after ten seconds; a busy machine makes ready for some more.
        killed(
            child,
            Duration::from_secs(25) + Duration::from_millis(now * number % 5_000),
        );
        let run = end(&mut sokudo("show last --format json")).json();
        assert_eq!(run["interrupted"], true);
        let result = &run["results"][0];
        let trials = result["trials"].as_array().unwrap();
        assert!(trials.len() > 3, "{run}");
        for trial in trials {
            let [bytes, ios] = ["bytes", "ios"].map(|name| trial[name].as_u64().unwrap());
            assert!(ios > 0 && bytes == ios * 4_096, "{trial}");
        }
    };
    let runs: Vec<_> = (1..=3)
        .map(|number| thread::spawn(move || one(number)))
        .collect();
    for run in runs {
        run.join().unwrap();
    }
}

/// A disk of so many MiB that is read at so many MiB/s.
fn slow_disk(mib: usize, mib_per_s: u64) -> Option<FaultyFile> {
    let faults = Faults {
        bytes_per_s: Some(mib_per_s << 20),
        ..Faults::default()
    };
    FaultyFile::new(mib << 20, faults)
}

fn scan_of(store: &Path, targets: &[&Path], arguments: &str) -> Command {
    let mut command = program();
    command.arg("scan").args(targets).args(split(arguments));
    command.env("SOKUDO_STORE", store);
    command
}

/// That a row has read every byte of a disk once.
fn assert_read_once(result: &Value, bytes: u64) {
    let trials = result["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 1, "{result}");
    assert_eq!(trials[0]["bytes"].as_u64(), Some(bytes));
    let mut at = 0;
    for place in result["places"].as_array().unwrap() {
        assert_eq!(place["offset"].as_u64(), Some(at));
        at += place["bytes"].as_u64().unwrap();
    }
    assert_eq!(at, bytes);
}

/// Long enough that a run has been kept within its trial, and a moment of chance more.
fn after_it_was_kept(number: u64) -> Duration {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let chance = u64::from(now.subsec_micros()) * number % 5_000;
    Duration::from_secs(75) + Duration::from_millis(chance)
}

const WHOLE: &str = "--full --points 6 --access-count 0 --quiet";
const RESUMED: &str = "--resume --format json --quiet";

#[test]
fn a_scan_that_is_killed_twice_goes_on_where_it_was_kept() {
    let Some(file) = slow_disk(512, 3) else {
        return;
    };
    let Some(disk) = file.as_disk() else { return };
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let disks = [disk.path()];
    killed(
        start(&mut scan_of(&store, &disks, &format!("{WHOLE} --depth 1"))),
        after_it_was_kept(1),
    );
    killed(
        start(&mut scan_of(&store, &disks, "--resume --quiet")),
        after_it_was_kept(7),
    );
    file.change(|faults| faults.bytes_per_s = None);
    let before = disk.bytes_read();
    let run = end(&mut scan_of(&store, &disks, RESUMED)).ok().json();
    // Both parts have read for a minute, at the least, what is not read again; a busy machine is slow.
    let slow_places = 3 * (10 + 6) * 3;
    let read = disk.bytes_read() - before;
    assert!(read < (512 - 2 * 60 * 2 + slow_places) << 20, "{read}");
    assert_read_once(&run["results"][0], 512 << 20);
    let parts = run["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 3, "{parts:?}");
    for part in &parts[..2] {
        let [from, to] = ["started_at_ns", "ended_at_ns"].map(|at| part[at].as_u64().unwrap());
        assert!(to - from > 55_000_000_000, "{parts:?}");
    }
}

#[test]
fn a_scan_of_two_disks_that_is_killed_goes_on_with_each_where_it_was() {
    let (Some(first), Some(second)) = (slow_disk(64, 64), slow_disk(128, 64)) else {
        return;
    };
    let (Some(one), Some(other)) = (first.as_disk(), second.as_disk()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let begun = [one.bytes_read(), other.bytes_read()];
    let child = start(&mut scan_of(&store, &[one.path(), other.path()], WHOLE));
    // Each alone; then both, of which the first is soon done.
    let deadline = Instant::now() + WAIT_MAX;
    while other.bytes_read() - begun[1] < 128 << 20 {
        assert!(Instant::now() < deadline);
        thread::sleep(Duration::from_millis(5));
    }
    second.change(|faults| faults.bytes_per_s = Some(1 << 20));
    killed(child, after_it_was_kept(3));
    second.change(|faults| faults.bytes_per_s = None);
    let missing = end(&mut scan_of(&store, &[one.path()], "--resume=1"));
    missing.refused(2, &["which is not named"]);
    let before = [one.bytes_read(), other.bytes_read()];
    let named = [other.path(), one.path()];
    let run = end(&mut scan_of(&store, &named, RESUMED)).ok().json();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4, "{results:?}");
    for (result, mib) in results.iter().zip([64, 128, 64, 128]) {
        assert_read_once(result, mib << 20);
    }
    let read = [one.bytes_read() - before[0], other.bytes_read() - before[1]];
    assert!(read[0] < 32 << 20, "{read:?}");
    assert!(read[1] < (128 - 24) << 20, "{read:?}");
    assert_eq!(run["parts"].as_array().unwrap().len(), 2);
    let again = end(&mut scan_of(&store, &named, "--resume"));
    again.refused(2, &["no scan of", "that was interrupted"]);
}
