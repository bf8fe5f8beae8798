//! Fixed rates, and latency against load.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::faulty_file::{Faults, FaultyFile};
use crate::run_json::view;
use crate::signals::{interrupt, wait_until};
use crate::sokudo::{Ended, directory_on_disk, program, results, sokudo_on, start};

fn iops(result: &Value) -> f64 {
    result["iops"]["median"].as_f64().unwrap()
}

/// `sokudo load TARGET ARGUMENTS`.
fn load(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("load --quiet", target, arguments)
}

#[test]
fn a_load_that_is_interrupted_keeps_what_it_has() {
    let (directory, folder) = (directory_on_disk(), tempfile::tempdir().unwrap());
    let events = folder.path().join("events");
    fs::write(&events, "").unwrap();
    let mut command = program();
    command.arg("load").arg(directory.path());
    command.args(["--size", "16MiB", "--time", "200ms", "--format", "json"]);
    let child = start(command.arg("--events").arg(&events));
    // It offers parts of the maximum once that is known.
    wait_until(&events, |line| line.contains(r#""event":"trial","row":1,"#));
    let ended = interrupt(child, Signal::INT);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    assert_eq!(run["interrupted"], true);
    assert!(view(&run, "load")["maximum_ios_per_s"].as_f64() > Some(0.0));
}

/// What needs root.
mod root {
    use super::*;

    /// A disk in real time with a clock of its own. How long reads wait there depends on the machine, too;
    /// but both together never have more than the clock lets through, and each has a part.
    #[test]
    fn both_share_what_the_clock_of_a_disk_lets_through() {
        let limit = 1_000;
        let faults = Faults {
            transfers_per_s: Some(limit),
            ..Faults::default()
        };
        let Some(file) = FaultyFile::answering_later(16 << 20, faults) else {
            return;
        };
        let arguments = "--overwrite --row RND4K,Q4 --beside RND4K,Q3,write --runs 1 --time 500ms --format json";
        let run = load(file.path(), arguments).json();
        let [closed, _, neighbour, row_beside, neighbour_beside] =
            <[f64; 5]>::try_from(results(&run).iter().map(iops).collect::<Vec<_>>()).unwrap();
        let most = limit as f64 * 1.05;
        assert!(closed <= most && neighbour <= most, "{closed} {neighbour}");
        let both = row_beside + neighbour_beside;
        assert!(both <= most, "{row_beside} {neighbour_beside}");
        assert!(row_beside > 0.0 && neighbour_beside > 0.0);
        assert_eq!(results(&run)[4]["direction"], "write");
    }
}
