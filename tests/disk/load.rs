//! Fixed rates, and latency against load.

use serde_json::Value;
use std::path::Path;

use crate::faulty_file::{Faults, FaultyFile};
use crate::sokudo::{Ended, holds, program, results, sokudo_on};

fn iops(result: &Value) -> f64 {
    result["iops"]["median"].as_f64().unwrap()
}

/// `sokudo load TARGET ARGUMENTS`.
fn load(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("load --quiet", target, arguments)
}

#[test]
fn a_load_that_is_interrupted_keeps_what_it_has() {
    let directory = crate::sokudo::directory_on_disk();
    // How soon the maximum is known depends on the machine.
    let maximum = [1, 2, 3, 5, 8, 12, 18, 27, 40]
        .into_iter()
        .find_map(|seconds| {
            let mut command = program();
            command.arg("load").arg(directory.path());
            command.args(["--size", "16MiB", "--time", "200ms", "--format", "json"]);
            let child = crate::sokudo::start(&mut command);
            let id = rustix::process::Pid::from_child(&child);
            crate::signals::wait_for_threads(&child);
            std::thread::sleep(std::time::Duration::from_secs(seconds));
            rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
            let ended = crate::sokudo::wait(child).ends(130);
            let left = std::fs::read_dir(directory.path()).unwrap().count();
            assert_eq!(left, 0);
            let run: Value = serde_json::from_str(&ended.printed).ok()?;
            assert_eq!(run["interrupted"], true);
            run["load"]["maximum_ios_per_s"].as_f64()
        });
    assert!(maximum.unwrap() > 0.0);
}

/// A figure of a row that was measured beside another workload: alone, beside, their ratio.
fn compared(figure: &Value) -> [f64; 3] {
    ["alone", "beside", "ratio"].map(|name| figure[name].as_f64().unwrap())
}

fn latency_beside<'a>(row: &'a Value, name: &str) -> &'a Value {
    let figures = row["latency_ns"].as_array().unwrap();
    figures.iter().find(|it| it["figure"] == name).unwrap()
}

fn codes(run: &Value, place: &Value) -> Vec<String> {
    let result = &results(run)[usize::try_from(place.as_u64().unwrap()).unwrap()];
    let findings = result["findings"].as_array().unwrap().iter();
    let codes = findings.map(|finding| finding["code"].as_str().unwrap().to_owned());
    codes.filter(|code| code.starts_with("beside-")).collect()
}

/// A text as it is before it is cut into lines.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_neighbour_that_costs_nothing_is_found_to_cost_nothing() {
    let arguments = "--beside SEQ1M,Q8,write";
    for device in [
        "sim:const?latency=100us",
        "sim:const?latency=100us&jitter=50us",
    ] {
        let run = load(device, &format!("{arguments} --format json")).json();
        for of in ["row", "neighbour"] {
            let row = &run["beside"][of];
            for figure in ["mean", "p50", "p99"] {
                let [_, _, ratio] = compared(latency_beside(row, figure));
                assert!((ratio - 1.0).abs() < 0.02, "{figure}: {ratio}");
            }
            assert_eq!(codes(&run, &row["beside"]), [""; 0]);
        }
    }
    let table = in_one_line(&load("sim:const", arguments).printed);
    holds(&table, &["does not change beyond noise"]);
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
        let arguments = "--overwrite --row RND4K,Q4 --beside RND4K,Q3,write --runs 1 --format json";
        let run = load(file.path(), arguments).json();
        let [closed, _, neighbour, row_beside, neighbour_beside] =
            <[f64; 5]>::try_from(results(&run).iter().map(iops).collect::<Vec<_>>()).unwrap();
        #[expect(clippy::cast_precision_loss, reason = "a thousand")]
        let most = limit as f64 * 1.05;
        assert!(closed <= most && neighbour <= most, "{closed} {neighbour}");
        let both = row_beside + neighbour_beside;
        assert!(both <= most, "{row_beside} {neighbour_beside}");
        assert!(row_beside > 0.0 && neighbour_beside > 0.0);
        assert_eq!(results(&run)[4]["direction"], "write");
    }
}
