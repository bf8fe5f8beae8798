//! Disks whose speed is limited are measured at their limit.

use crate::guest::Guest;

/// The limits that lab/boot sets.
const BYTES_PER_S: f64 = 20e6;
const IOS_PER_S: f64 = 200.0;

fn assert_near(measured: f64, limit: f64) {
    let ratio = measured / limit;
    assert!(
        (0.95..=1.05).contains(&ratio),
        "{measured} is {ratio} of the limit of {limit}"
    );
}

#[test]
fn a_disk_limited_in_bytes_is_scanned_at_its_limit() {
    let Some(guest) = Guest::enter() else { return };
    let node = guest.disk("slow-bytes");
    let run = guest.scan(&node, &[]).end().json();
    let places = run["results"][0]["places"].as_array().unwrap().iter();
    let (bytes, ns) = places.fold((0.0, 0.0), |(bytes, ns), place| {
        let figure = |key: &str| place[key].as_f64().unwrap();
        (bytes + figure("bytes"), ns + figure("elapsed_ns"))
    });
    assert_near(bytes / ns * 1e9, BYTES_PER_S);
}

#[test]
fn a_disk_limited_in_operations_reads_at_its_limit() {
    let Some(guest) = Guest::enter() else { return };
    let node = guest.disk("slow-count");
    let row = ["--row", "RND4K,Q8,T1", "--read-only", "--runs", "1"];
    let how = ["--time", "6s", "--format", "json", "--quiet"];
    let run = guest.json(&[&["mark", &node][..], &row, &how].concat());
    let iops = run["results"][0]["iops"]["median"].as_f64().unwrap();
    assert_near(iops, IOS_PER_S);
}
