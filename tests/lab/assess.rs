//! Whether disks are well and as fast as they should be: ATA, NVMe and SCSI disks, and one with
//! sectors that cannot be read. Arrays are with their stacks.

use serde_json::Value;

use crate::guest::Guest;

/// Codes of the points of an assessment, with the answer of each.
pub(crate) fn points(run: &Value) -> Vec<(String, Option<String>)> {
    let points = run["disk_assessment"]["points"].as_array();
    let points = points.unwrap_or_else(|| panic!("no assessment of {}", run["target"]));
    let of = |point: &Value| {
        let answer = point["answer"].as_str().map(str::to_owned);
        (point["code"].as_str().unwrap().to_owned(), answer)
    };
    points.iter().map(of).collect()
}

fn assess(guest: &Guest, name: &str) -> Vec<(String, Option<String>)> {
    let node = guest.disk(name);
    let how = [
        "--time",
        "300ms",
        "--runs",
        "2",
        "--format",
        "json",
        "--quiet",
        "--no-store",
    ];
    let ended = guest.end(&[&["assess", &node][..], &how].concat());
    points(&ended.parsed())
}

/// Every kind of drive tells what it can of itself. How fast they should be is not asked: most say
/// that they are virtual, and under emulation no row of others is sure to be proven.
#[test]
fn drives_of_every_kind_are_asked_how_they_are() {
    let Some(guest) = Guest::enter(&["ata-hdd", "ata-ssd", "nvme-a", "scsi-a"]) else {
        return;
    };
    for (name, expected) in [
        ("ata-hdd", &["health", "write-cache", "virtual-disk"][..]),
        ("ata-ssd", &["health", "virtual-disk"]),
        ("nvme-a", &["temperature", "scheduler", "discard"]),
        ("scsi-a", &["write-cache"]),
    ] {
        let points = assess(&guest, name);
        for code in expected {
            assert!(
                points.iter().any(|(it, _)| it == code),
                "{name}: no {code} in {points:?}"
            );
        }
    }
}

#[test]
fn a_disk_that_cannot_be_read_is_not_ok() {
    let Some(guest) = Guest::enter(&["ata-bad"]) else {
        return;
    };
    let points = assess(&guest, "ata-bad");
    let not_ok = |(code, answer): &(String, Option<String>)| {
        code == "read-errors" && answer.as_deref() == Some("not_ok")
    };
    assert!(points.iter().any(not_ok), "{points:?}");
}
