//! What disks keep of their rates when they are used at the same time: two behind one link, and two
//! that share nothing that is slow.

use std::ops::Range;

use serde_json::Value;

use crate::guest::{Guest, codes};

/// A link that two disks share gives each half of what it gives one, and QEMU lets a tenth of a
/// second's worth through at once.
const HALF: Range<f64> = 0.4..0.6;

/// Disks with limits of their own keep what they have.
const NEARLY_ALL: Range<f64> = 0.9..f64::INFINITY;

/// A guest that stands still on a busy host takes the time from one measurement and not from the
/// other. That is chance; what is wrong is wrong each time.
const ATTEMPTS: u32 = 3;

/// Reads both disks, each alone and both together, by this command.
fn measured(guest: &Guest, command: &str, disks: [&str; 2], how: &[&str]) -> Value {
    let [one, other] = disks.map(|name| guest.disk(name));
    let printing = ["--format", "json", "--quiet"];
    guest.json(&[&[command, &one, &other], how, &printing].concat())
}

/// What each disk keeps of its rate, in the first test.
fn kept(run: &Value) -> Vec<f64> {
    let disks = run["sharing"]["tests"][0]["disks"].as_array().unwrap();
    let kept = |disk: &Value| disk["rates"]["kept"].as_f64().unwrap();
    let kept: Vec<f64> = disks.iter().map(kept).collect();
    assert_eq!(kept.len(), 2);
    kept
}

const MARK: [&str; 7] = [
    "--row",
    "SEQ1M,Q8,T1,read",
    "--read-only",
    "--runs",
    "4",
    "--time",
    "1s",
];
const SCAN: [&str; 3] = ["--full", "--access-count", "0"];

/// Each command measures that each disk keeps so much, and tells of it or not.
fn assert_kept(disks: [&str; 2], expected: &Range<f64>, is_told: bool) {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    for (command, how) in [("mark", &MARK[..]), ("scan", &SCAN)] {
        let mut seen = Vec::new();
        let holds = (0..ATTEMPTS).any(|_| {
            let run = measured(&guest, command, disks, how);
            let (kept, tells) = (kept(&run), codes(&run).contains(&"sharing-costs"));
            let holds = kept.iter().all(|it| expected.contains(it)) && tells == is_told;
            seen.push((kept, tells));
            holds
        });
        assert!(holds, "{command}: {seen:?}");
    }
}

#[test]
fn disks_behind_one_link_keep_half_each_and_are_told_of_it() {
    assert_kept(["shared-1", "shared-2"], &HALF, true);
}

#[test]
fn disks_with_a_link_each_keep_their_rates() {
    assert_kept(["slow-1", "slow-2"], &NEARLY_ALL, false);
}
