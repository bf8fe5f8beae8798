//! Runs that last, and are killed on the way.

use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::faulty_file::{Faults, FaultyFile};
use crate::run_json::places;
use crate::sokudo::{WAIT_MAX, end, program, results, split, start};

/// A command that is kept in this store, several times a second.
fn keeping(store: &Path, targets: &[&Path], command: &str, arguments: &str) -> Command {
    let mut program = program();
    program.arg(command).args(targets).args(split(arguments));
    program.env("SOKUDO_STORE", store);
    program.env("SOKUDO_KEEP_HASTE", "200");
    program
}

/// Kills a run as soon as what is kept of the last one is so: what was kept by then.
fn killed_once(mut child: Child, store: &Path, is_so: impl Fn(&Value) -> bool) -> Value {
    let show = "show last --format json";
    let deadline = Instant::now() + WAIT_MAX;
    let kept = loop {
        let shown = end(program().args(split(show)).env("SOKUDO_STORE", store));
        if shown.code() == Some(0) && is_so(&shown.json()) {
            break shown.json();
        }
        let ended = child.try_wait().unwrap();
        assert_eq!(ended, None, "it has ended: {shown:?}");
        assert!(Instant::now() < deadline, "{shown:?}");
        thread::park_timeout(Duration::from_millis(20));
    };
    child.kill().unwrap();
    child.wait().unwrap();
    kept
}

#[test]
fn what_was_measured_before_a_kill_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("data"), vec![7; 4 << 20]).unwrap();
    for number in 0..3 {
        let store = at(&format!("store-{number}"));
        let arguments = "--row RND4K,Q1,read --runs 9999 --time 20ms --quiet";
        let child = start(&mut keeping(&store, &[&at("data")], "mark", arguments));
        let trials = |run: &Value| results(run)[0]["trials"].as_array().map(Vec::len);
        killed_once(child, &store, |run| trials(run) > Some(3));
        let show = "show last --format json";
        let run = end(program().args(split(show)).env("SOKUDO_STORE", &store)).json();
        assert_eq!(run["interrupted"], true);
        for trial in results(&run)[0]["trials"].as_array().unwrap() {
            let [bytes, ios] = ["bytes", "ios"].map(|name| trial[name].as_u64().unwrap());
            assert!(ios > 0 && bytes == ios * 4_096, "{trial}");
        }
    }
}

/// That a row has read every byte of a disk once, and none again of what was kept of it.
fn assert_goes_on(run: &Value, kept: &Value, row: usize, bytes: u64) {
    let result = &results(run)[row];
    let [read, kept] = [run, kept].map(|run| places(run, &results(run)[row]));
    let trials = result["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 1, "{result}");
    assert_eq!(trials[0]["bytes"].as_u64(), Some(bytes));
    let mut at = 0;
    for place in &read {
        assert_eq!(place["offset"].as_u64(), Some(at));
        at += place["bytes"].as_u64().unwrap();
    }
    assert_eq!(at, bytes);
    // The last of them may have been under way.
    let [before @ .., _] = &kept[..] else { return };
    assert_eq!(&read[..before.len()], before);
}

/// What a row has read so far.
fn bytes_read(result: Option<&Value>) -> u64 {
    let bytes = |it: &Value| it["trials"][0]["bytes"].as_u64();
    result.and_then(bytes).unwrap_or(0)
}

const MIB: u64 = 1 << 20;
const WHOLE: &str = "--full --points 96 --access-count 0 --quiet";
const RESUMED: &str = "--resume --format json --quiet";

/// What needs root.
mod root {
    use super::*;

    /// A disk of so many MiB that is read at so many MiB/s.
    fn slow_disk(mib: usize, mib_per_s: u64) -> Option<FaultyFile> {
        let faults = Faults {
            bytes_per_s: Some(mib_per_s << 20),
            ..Faults::default()
        };
        FaultyFile::new(mib << 20, faults)
    }

    #[test]
    fn a_scan_that_is_killed_twice_goes_on_where_it_was_kept() {
        // Two minutes of reading, of which some seconds come to pass.
        let Some(file) = slow_disk(256, 2) else {
            return;
        };
        let Some(disk) = file.as_disk() else { return };
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("runs.db");
        let scan = |arguments: &str| keeping(&store, &[disk.path()], "scan", arguments);
        let child = start(&mut scan(&format!("{WHOLE} --depth 1")));
        let first = killed_once(child, &store, |run| {
            bytes_read(results(run).first()) > 4 * MIB
        });
        let child = start(&mut scan("--resume --quiet"));
        let before = bytes_read(results(&first).first());
        let second = killed_once(child, &store, |run| {
            bytes_read(results(run).first()) > before + 4 * MIB
        });
        assert_goes_on_so_far(&second, &first);
        file.change(|faults| faults.bytes_per_s = None);
        let run = end(&mut scan(RESUMED)).ok().json();
        assert_goes_on(&run, &second, 0, 256 * MIB);
        assert_eq!(run["parts"].as_array().unwrap().len(), 3, "{run}");
    }

    fn assert_goes_on_so_far(later: &Value, earlier: &Value) {
        let [later, earlier] = [later, earlier].map(|run| places(run, &results(run)[0]));
        let before = &earlier[..earlier.len().saturating_sub(1)];
        assert_eq!(&later[..before.len()], before);
    }

    #[test]
    fn a_scan_of_two_disks_that_is_killed_goes_on_with_each_where_it_was() {
        let (Some(first), Some(second)) = (slow_disk(16, 64), slow_disk(96, 8)) else {
            return;
        };
        let (Some(one), Some(other)) = (first.as_disk(), second.as_disk()) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("runs.db");
        let scan = |targets: &[&Path], arguments: &str| keeping(&store, targets, "scan", arguments);
        let begun = other.bytes_read();
        let child = start(&mut scan(&[one.path(), other.path()], WHOLE));
        // Each alone; then both, of which the first is soon done.
        let deadline = Instant::now() + WAIT_MAX;
        while other.bytes_read() - begun < 96 * MIB {
            assert!(Instant::now() < deadline);
            thread::park_timeout(Duration::from_millis(5));
        }
        second.change(|faults| faults.bytes_per_s = Some(MIB));
        let kept = killed_once(child, &store, |run| {
            bytes_read(results(run).get(3)) > 4 * MIB && bytes_read(results(run).get(2)) == 16 * MIB
        });
        second.change(|faults| faults.bytes_per_s = None);
        let missing = end(&mut scan(&[one.path()], "--resume=1"));
        missing.refused(2, &["which is not named"]);
        let named = [other.path(), one.path()];
        let run = end(&mut scan(&named, RESUMED)).ok().json();
        assert_eq!(results(&run).len(), 4, "{run}");
        for (number, mib) in [16, 96, 16, 96].into_iter().enumerate() {
            assert_goes_on(&run, &kept, number, mib * MIB);
        }
        assert_eq!(run["parts"].as_array().unwrap().len(), 2);
        let again = end(&mut scan(&named, "--resume"));
        again.refused(2, &["no scan of", "that was interrupted"]);
    }
}
