//! A disk that is pulled out while it is scanned: sokudo says so, ends, and keeps what
//! it has measured.

use std::fs;

use crate::guest::Guest;
use crate::run_json::places;

/// So much has been read before the disk goes.
const READ_BEFORE: u64 = 256 << 20;

/// What the kernel has counted, bytes; none once the disk has gone.
fn read_bytes(node: &str) -> Option<u64> {
    let name = node.trim_start_matches("/dev/");
    let counters = fs::read_to_string(format!("/sys/block/{name}/stat")).ok()?;
    let sectors: u64 = counters.split_whitespace().nth(2)?.parse().ok()?;
    Some(sectors * 512)
}

fn assert_survived(guest: &Guest, name: &str) {
    let node = guest.disk(name);
    let before = read_bytes(&node).unwrap();
    // With the rows after the curve, for which the disk cannot even be opened.
    let arguments = ["scan", &node, "--full", "--format", "json", "--quiet"];
    let mut scan = guest.start(&arguments);
    scan.wait_until("some of the disk is read", || {
        read_bytes(&node).is_some_and(|read| read - before > READ_BEFORE)
    });
    guest.unplug(name);
    let ended = scan.end();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.told.contains(&node), "{ended:?}");
    let run = ended.parsed();
    let result = &run["figures"][0];
    let read: u64 = places(&run, result)
        .iter()
        .map(|place| place["bytes"].as_u64().unwrap())
        .sum();
    assert!(
        read > READ_BEFORE / 2,
        "{read} bytes are left of what was measured"
    );
    let failures = result["failures"].as_array().unwrap();
    assert!(!failures.is_empty(), "{result}");
}

#[test]
fn a_disk_that_goes_ends_a_scan() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    for name in ["nvme-gone", "scsi-gone", "virtio-gone"] {
        assert_survived(&guest, name);
    }
}
