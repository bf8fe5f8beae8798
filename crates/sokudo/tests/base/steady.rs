//! Rounds until a drive is steady: on simulated devices, on files, and on devices only
//! with consent.

use std::path::Path;

use serde_json::Value;

use crate::run_json::view;
use crate::sokudo::{Ended, codes, results, sokudo_on};

/// A part of the matrix, in short rounds.
const SHORT: &str = "--sizes 4K,64K --mixes 65/35,0/100 --round-time 50ms";

/// A drive that takes 64 MiB at once and writes them slowly.
const SLOW_FLASH: &str = "sim:ssd?cache=64MiB&program=3ms";

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
fn who_would_write_for_a_day_is_asked() {
    let directory = tempfile::tempdir().unwrap();
    let asked = ["will be written, in about", "use --yes"];
    steady(directory.path(), "--size 64MiB").refused(2, &asked);
    assert_eq!(directory.path().read_dir().unwrap().count(), 0);
    steady(directory.path(), "--size 64MiB --dry-run").ok();
}

#[test]
fn a_device_that_never_changes_is_steady_after_six_rounds() {
    let run = measured("sim:const", &format!("{SHORT} --size 64MiB"));
    assert_eq!(label(&run), "device-preconditioned (steady)");
    assert_eq!(run["plan"]["method"], "steady/iops");
    let phase = test_phase(&run);
    assert_eq!(phase["rounds"], 6);
    assert_eq!(phase["window"], serde_json::json!([2, 6]));
    // One row writes the device through, four take turns.
    let trials: Vec<usize> = results(&run)
        .iter()
        .map(|result| result["trials"].as_array().unwrap().len())
        .collect();
    assert_eq!(trials, [1, 6, 6, 6, 6]);
    let written = &results(&run)[0];
    assert_eq!(written["trials"][0]["bytes"], 96 << 20);
    // 32 in flight, each of 100 µs: the device is known.
    let figures = &phase["figures"][1];
    let iops = figures["iops_mean"].as_f64().unwrap();
    assert!((iops / 320_000.0 - 1.0).abs() < 0.02, "{iops}");
    for result in results(&run) {
        assert_eq!(result["status"], "complete");
        assert_eq!(result["verdict"], "VERIFIED");
        assert_eq!(codes(result), [""; 0], "{result}");
    }
}

#[test]
fn a_cache_that_fills_is_seen_and_the_window_lies_behind_it() {
    let run = measured(SLOW_FLASH, "--test wsat --size 512MiB --round-time 20ms");
    let rounds: Vec<f64> = test_phase(&run)["tracked"][0]["rounds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rate| rate.as_f64().unwrap())
        .collect();
    assert!(rounds[0] > 4.0 * rounds[rounds.len() - 1], "{rounds:?}");
    assert_eq!(view(&run, "steady")["is_steady"], true);
    let mean = test_phase(&run)["figures"][0]["iops_mean"]
        .as_f64()
        .unwrap();
    let median = results(&run)[0]["iops"]["median"].as_f64().unwrap();
    assert!(mean < rounds[0] / 4.0, "{mean} {median}");
}

#[test]
fn what_is_not_steady_in_the_last_round_is_called_so() {
    let size = "--test wsat --size 512MiB";
    let arguments = format!("{size} --round-time 10ms --rounds-max 6");
    let run = measured(SLOW_FLASH, &arguments);
    let ended = steady(SLOW_FLASH, &arguments);
    assert_eq!(view(&run, "steady")["is_steady"], false);
    assert!(label(&run).ends_with("(NOT STEADY)"));
    assert_eq!(codes(&results(&run)[0]), ["not-steady", "stalls"]);
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    assert!(
        ended.printed.contains("NOT STEADY after 6 rounds"),
        "{ended:?}"
    );
}

#[test]
fn saturation_ends_when_four_capacities_are_written() {
    // It would take six rounds to be steady.
    let run = measured(
        "sim:const?latency=10us",
        "--test wsat --size 2MiB --round-time 1ms",
    );
    let phase = test_phase(&run);
    let bytes: u64 = results(&run)[0]["trials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trial| trial["bytes"].as_u64().unwrap())
        .sum();
    assert!(phase["rounds"].as_u64().unwrap() < 6, "{phase}");
    assert!(bytes >= 8 << 20, "{bytes}");
    assert!(label(&run).ends_with("(NOT STEADY)"));
}

#[test]
fn what_makes_no_sense_is_refused_with_the_way_out() {
    steady("null:", "").refused(2, &["is not a device"]);
    steady("sim:ssd", "--purge").refused(2, &["leave --purge out"]);
    steady("sim:ssd", "--overwrite").refused(2, &["--overwrite"]);
    steady("sim:ssd", "--rounds-max 5").refused(2, &["at least 6"]);
    steady("sim:ssd", "--mixes 65").refused(2, &["65/35"]);
    steady("sim:ssd", "--test wsat --sizes 4K").refused(2, &["leave --sizes"]);
    steady("sim:ssd", "--write-cache off").refused(2, &["sim:hdd?write_cache=off"]);
    steady(".", "--size 1000000").refused(2, &["multiple of 1 MiB"]);
}
