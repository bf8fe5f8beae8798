//! Runs of a day.

use std::process::Command;

use serde_json::Value;

use crate::run_json::series;
use crate::sokudo::{end_apart, has, path, skip};

/// What is begun anew every day has so many seconds.
const DAY: u64 = 86_400;

/// Starts a program, and prints the most memory that it has held, in KiB.
const MOST_MEMORY: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";

/// The most memory that a run has held, KiB, and its result.
fn measured(seconds: u64) -> (u64, Value) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("run.json");
    let mut command = Command::new("python3");
    command.args([
        "-c",
        MOST_MEMORY,
        path(),
        "mark",
        "sim:const?latency=20ms&jitter=0s",
    ]);
    command.args([
        "--row",
        "RND4K,Q1,read",
        "--runs",
        "1",
        "--quiet",
        "--no-store",
    ]);
    command.args([
        "--time",
        &format!("{seconds}s"),
        "--format",
        "json",
        "--output",
    ]);
    let ended = end_apart(command.arg(&file)).ok();
    let document = std::fs::read_to_string(file).unwrap();
    (
        ended.printed.trim().parse().unwrap(),
        serde_json::from_str(&document).unwrap(),
    )
}

#[test]
fn a_day_takes_no_more_memory_than_an_hour_and_all_of_it_is_in_the_result() {
    if !has("python3") {
        return skip("python3, which sees how much memory a program held, is not installed");
    }
    let (of_hour, _) = measured(3_600);
    let (of_day, run) = measured(DAY);
    assert!(
        of_day < of_hour + (8 << 10),
        "{of_day} KiB, {of_hour} KiB of an hour"
    );
    let trial = &run["figures"][0]["trials"][0];
    assert_eq!(trial["elapsed_ns"], DAY * 1_000_000_000);
    assert_eq!(trial["ios"], DAY * 50);
    let series = series(&run, &run["figures"][0]);
    assert!(series.len() <= 4_096, "{}", series.len());
    let sum = |of: usize| series.iter().map(|it| it[of] as u64).sum::<u64>();
    assert_eq!(sum(1), DAY * 50);
    assert_eq!(sum(0), DAY * 50 * 4_096);
}
