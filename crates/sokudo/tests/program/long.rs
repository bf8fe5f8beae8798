//! Runs of a day, and runs that are killed on the way.

use std::fs;
use std::process::Child;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::sokudo::{end, program, split, start, wait};

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
    let (of_hour, _) = measured(3_600);
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
