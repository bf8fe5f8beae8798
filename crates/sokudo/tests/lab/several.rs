//! What disks keep of their rates when they are used at the same time: two behind one link, and two
//! that share nothing that is slow.

use serde_json::Value;

use crate::guest::{Guest, codes};

/// A link that two disks share gives each half of what it gives one, and QEMU lets a tenth of a
/// second's worth through at once.
const HALF: std::ops::Range<f64> = 0.4..0.6;

/// Disks with limits of their own keep what they have.
const NEARLY_ALL: f64 = 0.9;

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
    eprintln!("kept: {kept:?}");
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

#[test]
fn disks_behind_one_link_keep_half_each_and_are_told_of_it() {
    let Some(guest) = Guest::enter() else { return };
    for (command, how) in [("mark", &MARK[..]), ("scan", &SCAN)] {
        let run = measured(&guest, command, ["shared-1", "shared-2"], how);
        for kept in kept(&run) {
            assert!(HALF.contains(&kept), "{command}: {kept}");
        }
        assert!(codes(&run).contains(&"sharing-costs"), "{run}");
    }
}

#[test]
fn disks_with_a_link_each_keep_their_rates() {
    let Some(guest) = Guest::enter() else { return };
    for (command, how) in [("mark", &MARK[..]), ("scan", &SCAN)] {
        let run = measured(&guest, command, ["slow-1", "slow-2"], how);
        for kept in kept(&run) {
            assert!(kept >= NEARLY_ALL, "{command}: {kept}");
        }
        assert!(!codes(&run).contains(&"sharing-costs"), "{run}");
    }
}
