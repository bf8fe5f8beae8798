//! What disks keep of their rates when they are used at the same time: two behind one link, and two
//! that share nothing that is slow.

use std::ops::Range;

use serde_json::Value;

use crate::guest::{Guest, codes};
use crate::run_json::view;

/// A link that two disks share gives each half of what it gives one, and QEMU lets a tenth of a
/// second's worth through at once.
const HALF: Range<f64> = 0.4..0.6;

/// Disks with limits of their own keep what they have.
const NEARLY_ALL: Range<f64> = 0.9..f64::INFINITY;

/// What each throttle lets through, bytes per second, with the tenth of a second at once: a scan of a
/// second and more is never above it, however long the guest stands still.
const SHARED_MOST: f64 = 33_000_000.0;
const SLOW_MOST: f64 = 44_000_000.0;

/// Reads both disks, each alone and both together, by this command.
fn measured(guest: &Guest, command: &str, disks: [&str; 2], how: &[&str]) -> Value {
    let [one, other] = disks.map(|name| guest.disk(name));
    let printing = ["--format", "json", "--quiet"];
    guest.json(&[&[command, &one, &other], how, &printing].concat())
}

/// A figure of each disk's rates, in the first test.
fn rates(run: &Value, figure: &str) -> [f64; 2] {
    let disks = view(run, "sharing")["tests"][0]["disks"]
        .as_array()
        .unwrap();
    let rate = |disk: &Value| disk["rates"][figure].as_f64().unwrap();
    let rates: Vec<f64> = disks.iter().map(rate).collect();
    rates.try_into().unwrap()
}

const MARK: [&str; 7] = [
    "--row",
    "SEQ1M,Q8,T1,read",
    "--read-only",
    "--runs",
    "12",
    "--time",
    "500ms",
];
const SCAN: [&str; 3] = ["--full", "--access-count", "0"];

/// Each disk keeps so much by the medians of its trials, which a guest that stands still for some of
/// them does not move, and this is told or not.
fn assert_kept(guest: &Guest, disks: [&str; 2], expected: &Range<f64>, is_reported: bool) {
    let run = measured(guest, "mark", disks, &MARK);
    let kept = rates(&run, "kept");
    assert!(kept.iter().all(|it| expected.contains(it)), "{kept:?}");
    let codes = codes(&run);
    assert_eq!(codes.contains(&"sharing-costs"), is_reported, "{codes:?}");
}

#[test]
fn disks_behind_one_link_keep_half_each_and_are_told_of_it() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    let disks = ["shared-1", "shared-2"];
    assert_kept(&guest, disks, &HALF, true);
    let run = measured(&guest, "scan", disks, &SCAN);
    let both: f64 = rates(&run, "together_bytes_per_s").iter().sum();
    assert!(both <= SHARED_MOST, "{run}");
}

#[test]
fn disks_with_a_link_each_keep_their_rates() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    let disks = ["slow-1", "slow-2"];
    assert_kept(&guest, disks, &NEARLY_ALL, false);
    let run = measured(&guest, "scan", disks, &SCAN);
    let alone = rates(&run, "alone_bytes_per_s");
    assert!(alone.iter().all(|it| *it <= SLOW_MOST), "{run}");
}
