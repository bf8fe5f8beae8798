//! Disks whose speed is limited are never measured above their limit.

use crate::guest::Guest;
use crate::run_json::places;

/// The limits that lab/boot sets.
const BYTES_PER_S: f64 = 20e6;
const IOS_PER_S: f64 = 200.0;

/// A guest without a processor of its own may be slower than the limit, and QEMU lets a
/// tenth of a second's worth through at once.
fn assert_within(counted: f64, seconds: f64, limit: f64, in_flight: f64) {
    let most = limit * (seconds + 0.1) + in_flight;
    assert!(counted > 0.0 && counted <= most, "{counted} > {most}");
}

#[test]
fn a_disk_limited_in_bytes_is_never_scanned_above_its_limit() {
    let Some(guest) = Guest::enter(&["slow-bytes"]) else {
        return;
    };
    let node = guest.disk("slow-bytes");
    let run = guest.scan(&node, &[]).end().json();
    let places = places(&run, &run["figures"][0]);
    let places = places.iter();
    let (bytes, ns) = places.fold((0.0, 0.0), |(bytes, ns), place| {
        let figure = |key: &str| place[key].as_f64().unwrap();
        (bytes + figure("bytes"), ns + figure("elapsed_ns"))
    });
    assert_within(bytes, ns / 1e9, BYTES_PER_S, 16e6);
}

#[test]
fn a_disk_limited_in_operations_is_never_read_above_its_limit() {
    let Some(guest) = Guest::enter(&["slow-count"]) else {
        return;
    };
    let node = guest.disk("slow-count");
    let row = ["--row", "RND4K,Q8,T1", "--read-only", "--runs", "1"];
    let how = ["--time", "6s", "--format", "json", "--quiet"];
    let run = guest.json(&[&["mark", &node][..], &row, &how].concat());
    let trial = &run["figures"][0]["trials"][0];
    let [ios, ns] = ["ios", "elapsed_ns"].map(|figure| trial[figure].as_f64().unwrap());
    assert_within(ios, ns / 1e9, IOS_PER_S, 8.0);
}
