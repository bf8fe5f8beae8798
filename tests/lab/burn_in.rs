//! Burn-ins of disks that answer as real ones do: good ones, and ones with sectors that cannot be
//! read.

use serde_json::Value;

use crate::defects::{BAD_LENGTH, BAD_OFFSET};
use crate::guest::{Ended, Guest, assert_is_proven};

const MIB: u64 = 1 << 20;

/// What others may read meanwhile: 512 bytes were seen once.
const OTHERS_MAX: u64 = 4_096;

/// `sokudo burn-in NODE… --destroy NODE… MORE`, whose result is JSON.
pub(crate) fn arguments<'a>(nodes: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["burn-in"];
    arguments.extend(nodes);
    arguments.extend(nodes.iter().flat_map(|node| ["--destroy", *node]));
    // Whatever another test has left on them.
    arguments.extend(["--destroy-contents", "--yes", "--quiet"]);
    arguments.extend(["--format", "json"]);
    arguments.extend(more);
    arguments
}

fn burn_in(guest: &Guest, nodes: &[String], more: &[&str]) -> Ended {
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    guest.end(&arguments(&nodes, more))
}

fn disks(run: &Value) -> &[Value] {
    run["burn_in"]["disks"].as_array().unwrap()
}

/// The drives' own tests of a target: kind, result and why there was none.
pub(crate) fn tests_of(run: &Value, target: u64) -> Vec<(&str, &str, &str)> {
    let tests = run["burn_in"]["self_tests"].as_array().unwrap();
    let of_target = tests.iter().filter(|test| test["target"] == target);
    of_target
        .map(|test| {
            let part = |part: &str| test[part].as_str().unwrap_or_default();
            (part("kind"), part("result"), part("note"))
        })
        .collect()
}

/// The answer of the point of this code.
fn point<'a>(disk: &'a Value, code: &str) -> &'a Value {
    let points = disk["assessment"]["points"].as_array().unwrap();
    let found = points.iter().find(|point| point["code"] == code);
    &found.unwrap_or_else(|| panic!("no {code}: {disk}"))["answer"]
}

/// All of a disk was written, read back and checked, and is as it should be.
fn assert_is_well(disk: &Value, size: u64) {
    for work in ["written", "read_back"] {
        assert_eq!(disk[work]["bytes"], size, "{disk}");
        assert_eq!(disk[work]["planned_bytes"], size, "{disk}");
    }
    assert_eq!(disk["blocks"], size / MIB, "{disk}");
    assert_eq!(disk["unchecked_blocks"], Value::Null, "{disk}");
    assert_eq!(disk["wrong_blocks"], 0, "{disk}");
    for failed in ["unwritable", "unreadable"] {
        assert_eq!(disk[failed]["bytes"], 0, "{disk}");
    }
    assert_eq!(disk["is_whole"], true, "{disk}");
    assert_eq!(disk["assessment"]["answer"], "ok", "{disk}");
}

/// The results of a row, one of each disk.
fn results_of<'a>(run: &'a Value, row: &str) -> Vec<&'a Value> {
    let results = run["figures"].as_array().unwrap().iter();
    let results = results.filter(|result| result["name"].as_str().unwrap().starts_with(row));
    let results: Vec<&Value> = results.collect();
    assert_eq!(results.len(), disks(run).len(), "{run}");
    results
}

/// What was written and read back did reach the device, by its own counters.
fn assert_are_proven(run: &Value, size_of: impl Fn(&str) -> u64) {
    for (row, counted) in [("WRITE", "written_bytes"), ("READ BACK", "read_bytes")] {
        for result in results_of(run, row) {
            let size = size_of(result["name"].as_str().unwrap());
            let counted = result["device"][counted].as_u64().unwrap();
            assert!((size..size + OTHERS_MAX).contains(&counted), "{result}");
            assert_is_proven(result);
        }
    }
}

#[test]
fn an_ata_and_an_nvme_disk_are_worn_in_by_one_command() {
    let Some(guest) = Guest::enter(&["ata-ssd", "nvme-small"]) else {
        return;
    };
    let nodes = ["ata-ssd", "nvme-small"].map(|name| guest.disk(name));
    let sizes = [128 * MIB, 64 * MIB];
    let (before, _) = guest.logged_tests(&nodes[0]);
    let run = burn_in(&guest, &nodes, &[]).json();
    for ((disk, node), size) in disks(&run).iter().zip(&nodes).zip(sizes) {
        assert_eq!(disk["name"], **node, "{disk}");
        assert_is_well(disk, size);
    }
    // Rows are called by the disks' names.
    assert_are_proven(&run, |row| match row.contains("nvme") {
        true => sizes[1],
        false => sizes[0],
    });
    let passed = ["short", "extended"].map(|kind| (kind, "passed", ""));
    assert_eq!(tests_of(&run, 0), passed, "{run}");
    let (after, newest) = guest.logged_tests(&nodes[0]);
    assert_eq!(after, before + 2);
    let newest = newest.iter().map(|(kind, passed)| (kind.as_str(), *passed));
    let newest: Vec<(&str, bool)> = newest.take(2).collect();
    assert!(newest[0].0.starts_with("Extended") && newest[0].1);
    assert!(newest[1].0.starts_with("Short") && newest[1].1);
    for (_, result, why) in tests_of(&run, 1) {
        assert_eq!(result, "absent", "{run}");
        assert!(why.contains("has no self-test"), "{why}");
    }
    for when in ["before", "after"] {
        let health = run["burn_in"][when].as_array().unwrap();
        let told = health.iter().map(|it| (&it["serial"], &it["health"]));
        let told: Vec<_> = told
            .map(|(serial, health)| (serial, &health["state"]))
            .collect();
        let [ata, nvme] = &told[..] else {
            panic!("{when}: {run}")
        };
        assert_eq!((ata.0, ata.1), (&"ata-ssd".into(), &"good".into()));
        assert_eq!((nvme.0, nvme.1), (&"nvme-small".into(), &"good".into()));
    }
}

#[test]
fn disks_that_cannot_be_read_in_places_are_not_ok_and_the_places_are_told() {
    let Some(guest) = Guest::enter(&["ata-bad", "nvme-bad", "scsi-bad"]) else {
        return;
    };
    let nodes = ["ata-bad", "nvme-bad", "scsi-bad"].map(|name| guest.disk(name));
    let ended = burn_in(&guest, &nodes, &["--self-test", "off"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let run = ended.parsed();
    assert_eq!(disks(&run).len(), nodes.len(), "{run}");
    for disk in disks(&run) {
        assert_eq!(disk["assessment"]["answer"], "not_ok", "{disk}");
        assert_eq!(point(disk, "burn-in-reads"), "not_ok", "{disk}");
        assert_eq!(point(disk, "burn-in-writes"), "ok", "{disk}");
        assert_eq!(disk["unreadable"]["bytes"], BAD_LENGTH, "{disk}");
        assert_eq!(disk["unreadable"]["first"], BAD_OFFSET, "{disk}");
        assert_eq!(disk["unwritable"]["bytes"], 0, "{disk}");
        assert_eq!(disk["written"]["bytes"], 64 * MIB, "{disk}");
        // All blocks but the one that these sectors are in.
        assert_eq!(
            (&disk["blocks"], &disk["wrong_blocks"]),
            (&63.into(), &0.into())
        );
        assert_eq!(disk["is_whole"], true, "{disk}");
    }
    for result in results_of(&run, "READ BACK") {
        let defects = result["defects"].as_array().unwrap();
        let [defect] = &defects[..] else {
            panic!("{defects:?}")
        };
        assert_eq!(
            (&defect["offset"], &defect["length"]),
            (&BAD_OFFSET.into(), &BAD_LENGTH.into())
        );
    }
}

/// What the kernel has counted of a disk.
pub(crate) fn sectors_written(node: &str) -> u64 {
    let name = node.trim_start_matches("/dev/");
    let counters = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
    counters.split_whitespace().nth(6).unwrap().parse().unwrap()
}
