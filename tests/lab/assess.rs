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

/// As who bought used disks would: all at once, and the table says which one goes back.
#[test]
fn of_used_disks_the_bad_one_is_named_by_its_serial_number() {
    let Some(guest) = Guest::enter(&["ata-ssd", "ata-bad"]) else {
        return;
    };
    let (good, bad) = (guest.disk("ata-ssd"), guest.disk("ata-bad"));
    let how = ["--full", "--time", "300ms", "--runs", "2", "--quiet"];
    let ended = guest.end(&[&["checkup", &good, &bad, "--no-store"][..], &how].concat());
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let printed = &ended.printed;
    assert!(printed.starts_with("NOT OK: 1 of 2 disks; "), "{printed}");
    let line = |serial: &str| {
        let mut lines = printed.lines();
        lines.find(|line| line.contains(serial) && line.contains("OK"))
    };
    let bad = line("ata-bad").unwrap_or_else(|| panic!("{printed}"));
    assert!(bad.contains("NOT OK"), "{printed}");
    let good = line("ata-ssd").unwrap_or_else(|| panic!("{printed}"));
    assert!(!good.contains("NOT OK"), "{printed}");
    assert!(printed.contains("all 128 MiB of "), "{printed}");
}
