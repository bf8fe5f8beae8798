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
    let rows = run["results"].as_array().unwrap().iter();
    for row in rows {
        eprintln!(
            "LOOK {} {} {} {}",
            row["name"], row["direction"], row["verdict"], row["findings"][0]["code"]
        );
    }
    for p in points {
        eprintln!("LOOK {}", p["found"]);
    }
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

/// Every kind of drive tells what it can of itself, and its random reads are held against what it
/// says that it is.
#[test]
fn drives_of_every_kind_are_held_against_what_they_say_that_they_are() {
    let Some(guest) = Guest::enter() else { return };
    for (name, expected) in [
        (
            "ata-hdd",
            &[
                "health",
                "write-cache",
                "rotating-random",
                "rotating-sequential",
            ][..],
        ),
        ("ata-ssd", &["health", "solid-random", "discard"]),
        (
            "nvme-a",
            &[
                "health",
                "temperature",
                "unreadable-sectors",
                "solid-random",
                "scheduler",
            ],
        ),
        ("scsi-a", &["rotating-random", "rotating-sequential"]),
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
    let Some(guest) = Guest::enter() else { return };
    let points = assess(&guest, "ata-bad");
    let not_ok = |(code, answer): &(String, Option<String>)| {
        code == "read-errors" && answer.as_deref() == Some("not_ok")
    };
    assert!(points.iter().any(not_ok), "{points:?}");
}
