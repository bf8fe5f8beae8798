//! Rounds until a drive is steady: on simulated devices, on files, and on devices only
//! with consent.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::loop_device::LoopDevice;
use crate::run_json::view;
use crate::signals::{interrupt, wait_for_io};
use crate::sokudo::{Ended, directory_on_disk, program, results, sokudo_on, split, start};
use crate::written::write;

/// A part of the matrix, in short rounds.
const SHORT: &str = "--sizes 4K,64K --mixes 65/35,0/100 --round-time 50ms";

/// `sokudo steady TARGET ARGUMENTS`.
fn steady(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("steady --quiet", target, arguments)
}

/// Its result.
fn measured(target: impl AsRef<Path>, arguments: &str) -> Value {
    steady(target, &format!("{arguments} --format json")).json()
}

fn label(run: &Value) -> &str {
    view(run, "steady")["label"].as_str().unwrap()
}

/// The rounds of the phase that is the test.
fn test_phase(run: &Value) -> &Value {
    let phases = view(run, "steady")["phases"].as_array().unwrap();
    phases
        .iter()
        .find(|phase| phase["kind"] == "rounds")
        .unwrap()
}

#[test]
fn a_test_file_is_written_through_measured_and_removed() {
    let directory = directory_on_disk();
    let run = measured(directory.path(), &format!("{SHORT} --size 16MiB"));
    assert!(
        label(&run).starts_with("file-prefilled ("),
        "{}",
        label(&run)
    );
    assert_eq!(results(&run)[0]["trials"][0]["bytes"], 24 << 20);
    assert!(test_phase(&run)["rounds"].as_u64().unwrap() >= 6);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn an_existing_file_is_overwritten_only_if_that_is_said() {
    let directory = directory_on_disk();
    let file = directory.path().join("data");
    write(&file, vec![7; 4 << 20]);
    for arguments in [SHORT, "--dry-run"] {
        steady(&file, arguments).refused(3, &["--overwrite"]);
    }
    let dry = steady(&file, "--overwrite --dry-run");
    dry.ok().prints(&["expected: "]);
    assert!(fs::read(&file).unwrap().iter().all(|byte| *byte == 7));
    let arguments = format!("{SHORT} --overwrite --purge");
    let run = measured(&file, &arguments);
    assert_eq!(results(&run)[0]["name"], "PURGE");
    let held = fs::read(&file).unwrap();
    assert_eq!(held.len(), 4 << 20);
    // Of the active range nothing is left, and beyond it everything.
    assert!(held[..4096].iter().any(|byte| *byte != 7));
    assert!(held[3 << 20..].iter().all(|byte| *byte == 7));
}

#[test]
fn interrupted_it_keeps_the_rounds_so_far() {
    let directory = directory_on_disk();
    let child = start(program().args(split(&format!(
        "steady {} --size 16MiB --sizes 4K --mixes 100/0,0/100 --test latency --engine psync \
         --round-time 3s --format json --quiet",
        directory.path().display()
    ))));
    // Preconditioning writes twice the size. What is written beyond belongs to
    // the writes of the first round, whose reads are then measured; the rounds
    // take 36 s at least.
    wait_for_io(&child, "wchar", (32 + 1) << 20);
    let ended = interrupt(child, Signal::INT);
    let run: Value = serde_json::from_str(&ended.printed).unwrap();
    assert_eq!(run["interrupted"], true);
    assert!(label(&run).ends_with("(NOT STEADY)"), "{}", label(&run));
    let counts: Vec<usize> = results(&run)
        .iter()
        .map(|result| result["trials"].as_array().unwrap().len())
        .collect();
    assert!(counts[0] == 1 && counts[1] >= 1, "{counts:?}");
    assert_eq!(results(&run)[3]["status"], "not_reached");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_device_is_destroyed_only_by_its_name() {
        let Some(device) = LoopDevice::new(32 << 20, true) else {
            return;
        };
        let name = device.path.to_str().unwrap();
        let arguments = format!("{SHORT} --purge");
        steady(name, &arguments).refused(3, &["--destroy"]);
        let other = format!("{arguments} --destroy WD-OTHER");
        steady(name, &other).refused(3, &["WD-OTHER"]);
        let mistaken = format!("{arguments} --overwrite");
        steady(name, &mistaken).refused(3, &["--overwrite"]);
        assert!(
            fs::read(device.image())
                .unwrap()
                .iter()
                .all(|byte| *byte == 0)
        );
        let consented = format!("{arguments} --destroy {name}");
        let run = measured(name, &consented);
        assert!(
            label(&run).starts_with("device-preconditioned ("),
            "{}",
            label(&run)
        );
        let kinds: Vec<&str> = view(&run, "steady")["phases"]
            .as_array()
            .unwrap()
            .iter()
            .map(|phase| phase["kind"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["purge", "precondition", "rounds"]);
        assert_eq!(results(&run)[0]["trials"][0]["bytes"], 32 << 20);
        assert!(
            fs::read(device.image())
                .unwrap()
                .iter()
                .any(|byte| *byte != 0)
        );
    }
}
