//! The clock of the machine is set while sokudo measures: no figure changes, for nothing is
//! timed by it. What is ordered by it is ordered by what it said.

use std::time::Instant;

use serde_json::Value;

use crate::guest::{Guest, Undo};

/// Length of a trial, and how far beyond it a guest without a processor of its own comes: much less
/// than the clock is set by.
const TRIAL_NS: u64 = 500_000_000;
const TRIAL_NS_MAX: u64 = 60_000_000_000;

fn set(guest: &Guest, by: &str) {
    guest.must("date", &["-s", by]);
}

/// Puts the clock to where it would be.
fn put_right(guest: &Guest, then: u64, since: Instant) {
    let now = then + since.elapsed().as_secs();
    set(guest, &format!("@{now}"));
}

fn seconds(guest: &Guest) -> u64 {
    guest.must("date", &["+%s"]).trim().parse().unwrap()
}

#[test]
fn a_clock_that_is_set_during_a_run_changes_no_figure() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    let node = guest.disk("nvme-a");
    let (then, since) = (seconds(&guest), Instant::now());
    let what = ["mark", &node, "--row", "RND4K,Q1,read", "--runs", "6"];
    let how = ["--time", "500ms", "--format", "json", "--quiet"];
    let mut running = guest.start(&[&what[..], &how].concat());
    let mut times_set = 0;
    for by in ["+1 hour", "-2 hours", "+3 days", "-1 year"] {
        std::thread::sleep(std::time::Duration::from_millis(400));
        if running.runs() {
            set(&guest, by);
            times_set += 1;
        }
    }
    let run = running.end().json();
    put_right(&guest, then, since);
    assert!(times_set > 0, "it ended before the clock was set");
    let result = &run["figures"][0];
    let trials = result["trials"].as_array().unwrap();
    assert_eq!(trials.len(), 6, "{result}");
    for trial in trials {
        let elapsed = trial["elapsed_ns"].as_u64().unwrap();
        assert!((TRIAL_NS..TRIAL_NS_MAX).contains(&elapsed), "{trial}");
    }
    let longest = result["latency_ns"]["max"].as_u64();
    assert!(longest.is_some_and(|ns| ns < TRIAL_NS_MAX), "{result}");
    let codes = result["findings"].to_string();
    assert!(!codes.contains("breach-"), "{codes}");
}

/// Kept runs are ordered by when they began, as the clock said it, and nothing goes wrong with
/// a run that began before the one that was kept before it. `last` is the run with the latest
/// time, which then is not the one that was kept last: it is said.
#[test]
fn runs_are_ordered_by_what_the_clock_said() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    let node = guest.disk("nvme-a");
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.sqlite");
    let store = store.to_str().unwrap();
    let mut undo = Undo::new(&guest);
    let (then, since) = (seconds(&guest), Instant::now());
    undo.by(&["date", "-s", &format!("@{then}")]);
    let kept = |by: &str| -> String {
        set(&guest, by);
        let what = ["mark", &node, "--row", "RND4K,Q1,read", "--runs", "1"];
        let how = ["--time", "100ms", "--store", store];
        let ended = guest.end(&[&what[..], &how].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.told
    };
    kept("+0 seconds");
    let told = kept("+3 days");
    assert!(!told.contains("last still means"), "{told}");
    let told = kept("-5 days");
    assert!(told.contains("kept as run 3"), "{told}");
    assert!(told.contains("last still means run 2"), "{told}");
    let list = guest.json(&["list", "--store", store, "--format", "json"]);
    let ids: Vec<&Value> = list["runs"]
        .as_array()
        .unwrap_or_else(|| panic!("{list}"))
        .iter()
        .map(|run| &run["id"])
        .collect();
    assert_eq!(ids, [2, 1, 3], "{list}");
    let ended = guest.end(&["trend", &node, "--store", store]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let shown = guest.end(&["show", "last", "--store", store]);
    assert!(shown.printed.contains("run 2"), "{shown:?}");
    put_right(&guest, then, since);
}
