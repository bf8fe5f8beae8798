//! What is wrong with disks and arrays themselves, and what limits them, is told of a run
//! on them: degraded and rebuilding arrays, partitions and blocks that do not fit, limits
//! of control groups.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::guest::{Guest, Undo, after, codes, part, partition};
use crate::turns::ARRAYS;

/// Members of the array.
const MEMBERS: [&str; 4] = ["raid-1", "raid-2", "raid-3", "raid-4"];

/// The array, with its directory in sysfs.
const ARRAY: &str = "/dev/md9";
const ARRAY_FILES: &str = "/sys/block/md9/md";

/// One row of `sokudo mark`, which may destroy the device.
fn mark(guest: &Guest, node: &str, row: &str) -> Value {
    let arguments = ["mark", node, "--destroy", node, "--destroy-contents"];
    let more = ["--row", row, "--runs", "1", "--time", "1s"];
    let how = ["--format", "json", "--quiet"];
    guest.json(&[&arguments[..], &more, &how].concat())
}

/// An array with parity, which is gone when the undoing is dropped. Of four members a
/// small write reads two, by either way to the new parity.
fn array<'a>(guest: &'a Guest, members: &[String]) -> Undo<'a> {
    let mut undo = Undo::new(guest);
    let arguments = ["--create", ARRAY, "--run", "--level", "5", "--chunk", "64"];
    let more = ["--raid-devices", "4", "--assume-clean", "--bitmap=none"];
    let nodes: Vec<&str> = members.iter().map(String::as_str).collect();
    guest.must("mdadm", &[&arguments[..], &more, &nodes].concat());
    for member in members {
        undo.by(&["mdadm", "--zero-superblock", member]);
    }
    undo.by(&["mdadm", "--stop", ARRAY]);
    undo
}

#[test]
fn small_writes_to_parity_are_counted_at_the_members() {
    let Some(guest) = Guest::enter(&["raid-1", "raid-2", "raid-3", "raid-4", ARRAYS]) else {
        return;
    };
    let members = MEMBERS.map(|name| guest.disk(name));
    let _undo = array(&guest, &members);
    let run = mark(&guest, ARRAY, "RND4K,Q1,write");
    assert!(!codes(&run).contains(&"array-degraded"), "{run}");
    let result = &run["figures"][0];
    let cause = part(result, "read-modify-write", "cause");
    assert!(cause.contains("md9 is a RAID 5 of 4 members"), "{cause}");
    assert!(cause.contains("chunks of 64 KiB"), "{cause}");
    // Of few writes on a busy host, what is under way at either end of a trial is a part.
    let told = after("the members counted", cause).split_whitespace();
    let per_write = told.filter_map(|word| word.parse::<f64>().ok()).take(2);
    let per_write: Vec<f64> = per_write.collect();
    let are_two = |per_write: &f64| (1.5..2.5).contains(per_write);
    assert!(
        per_write.len() == 2 && per_write.iter().all(are_two),
        "{cause}"
    );
    let remedy = part(result, "read-modify-write", "remedy");
    assert!(remedy.contains("blocks of 192 KiB"), "{remedy}");
}

#[test]
fn an_array_that_lacks_a_member_and_one_that_is_rebuilt_are_told() {
    let Some(guest) = Guest::enter(&["raid-1", "raid-2", "raid-3", "raid-4", ARRAYS]) else {
        return;
    };
    let members = MEMBERS.map(|name| guest.disk(name));
    let _undo = array(&guest, &members);
    guest.must("mdadm", &[ARRAY, "--fail", &members[3]]);
    guest.must("mdadm", &[ARRAY, "--remove", &members[3]]);
    let run = mark(&guest, ARRAY, "RND4K,Q1,read");
    let symptom = part(&run, "array-degraded", "symptom");
    assert_eq!(symptom, "md9 (RAID 5) lacks 1 of 4 members");

    // Slow enough to last as long as the measurement.
    for file in ["sync_speed_min", "sync_speed_max"] {
        fs::write(Path::new(ARRAY_FILES).join(file), "2000").unwrap();
    }
    guest.must("mdadm", &[ARRAY, "--add", &members[3]]);
    guest.wait_until("the rebuild", || {
        fs::read_to_string(Path::new(ARRAY_FILES).join("sync_action"))
            .is_ok_and(|action| action.trim() == "recover")
    });
    let run = mark(&guest, ARRAY, "RND4K,Q1,read");
    let symptom = part(&run, "array-degraded", "symptom");
    assert!(symptom.contains("was being rebuilt"), "{symptom}");
    let result = &run["figures"][0];
    assert_eq!(result["verdict"], "UNVERIFIED", "{result}");
    let cause = part(result, "foreign-io", "cause");
    assert!(cause.contains("md9 was being rebuilt"), "{cause}");
}

#[test]
fn a_partition_and_blocks_that_do_not_fit_the_disk_are_told() {
    let Some(guest) = Guest::enter(&["scsi-a"]) else {
        return;
    };
    // Its physical blocks have 4 KiB, its logical ones 512 bytes.
    let node = guest.disk("scsi-a");
    let run = mark(&guest, &node, "RND512B,Q1,write");
    let symptom = part(&run["figures"][0], "sub-block-writes", "symptom");
    assert!(symptom.contains("physical block is 4 KiB"), "{symptom}");
    let run = mark(&guest, &node, "RND4K,Q1,write");
    assert!(!codes(&run["figures"][0]).contains(&"sub-block-writes"));

    let mut undo = Undo::new(&guest);
    undo.by(&[
        "sh",
        "-c",
        &format!("head -c 4096 /dev/zero > {node}; blockdev --rereadpt {node}"),
    ]);
    for (first_sector, is_reported) in [(63_u32, true), (2048, false)] {
        partition(&guest, &node, first_sector, 200_000);
        let part_node = format!("{node}1");
        let arguments = ["mark", &part_node, "--row", "RND4K,Q1,read", "--runs", "1"];
        let how = ["--time", "200ms", "--format", "json", "--quiet"];
        let run = guest.json(&[&arguments[..], &how].concat());
        assert_eq!(
            codes(&run).contains(&"partition-misaligned"),
            is_reported,
            "{run}"
        );
        // Who measures the whole disk is not told of partitions.
        let arguments = ["mark", &node, "--row", "RND4K,Q1,read", "--runs", "1"];
        let run = guest.json(&[&arguments[..], &how].concat());
        assert!(!codes(&run).contains(&"partition-misaligned"), "{run}");
    }
}

#[test]
fn a_limit_of_version_2_of_control_groups_is_told() {
    let Some(guest) = Guest::enter(&["scsi-a"]) else {
        return;
    };
    let node = guest.disk("scsi-a");
    let mut undo = Undo::new(&guest);
    let at = "/tmp/control-groups";
    fs::create_dir_all(at).unwrap();
    guest.must("mount", &["-t", "cgroup2", "none", at]);
    undo.by(&["umount", at]);
    fs::write(format!("{at}/cgroup.subtree_control"), "+io").unwrap();
    let group = format!("{at}/limited");
    fs::create_dir(&group).unwrap();
    undo.by(&["rmdir", &group]);
    let number = guest.must("lsblk", &["-ndo", "MAJ:MIN", &node]);
    let limit = |bytes_per_s: u64| {
        let line = format!("{} rbps={bytes_per_s}", number.trim());
        fs::write(format!("{group}/io.max"), line).unwrap();
    };
    // A member of the group that waits, so that what it starts is a member, too.
    let measured = || {
        let sokudo = std::env::var("SOKUDO_LAB").unwrap();
        let script = format!(
            "echo $$ > {group}/cgroup.procs; exec {sokudo} mark {node} --row SEQ64K,Q4,read --runs 1 --time 1s --format json --quiet"
        );
        let printed = guest.must("bash", &["-c", &script]);
        serde_json::from_str::<Value>(&printed).unwrap()
    };
    limit(4_000_000);
    let run = measured();
    let result = &run["figures"][0];
    let cause = part(result, "throttled-by-cgroup", "cause");
    assert!(cause.contains(&format!("{group}/io.max")), "{cause}");
    limit(1_000_000_000_000);
    let run = measured();
    assert!(
        !codes(&run["figures"][0]).contains(&"throttled-by-cgroup"),
        "{run}"
    );
}

#[test]
fn the_course_of_a_run_has_heat_and_power_state_within_its_trials() {
    let Some(guest) = Guest::enter(&["nvme-a"]) else {
        return;
    };
    let disk = guest.disk("nvme-a");
    let run = guest.json(&[
        "mark",
        &disk,
        "--row",
        "RND4K,Q1,read",
        "--runs",
        "3",
        "--time",
        "2s",
        "--format",
        "json",
        "--quiet",
    ]);
    let moments = run["circumstances"]["course"]["moments"].as_array();
    let moments = moments.unwrap_or_else(|| panic!("{run}"));
    let at_of = |moment: &Value| moment["at_ns"].as_u64().unwrap();
    assert!(moments.is_sorted_by_key(at_of), "{moments:?}");
    let measuring = |moment: &&Value| moment["measuring"] == true;
    assert!(moments.iter().filter(measuring).count() >= 3, "{moments:?}");
    let log = guest.reported_json("nvme", &["smart-log", &disk, "--output-format", "json"]);
    let celsius = log["temperature"].as_i64().unwrap() - 273;
    let told = |name| moments.iter().find(|moment| !moment[name].is_null());
    assert_eq!(told("celsius").unwrap()["celsius"], celsius, "{moments:?}");
    // QEMU's drive has one power state.
    let state = told("power_state").unwrap_or_else(|| panic!("{moments:?}"));
    assert_eq!(state["power_state"], 0);
    assert!(measuring(&state), "no drive is woken up: {state}");
    // Trials and moments have one clock. A guest that stands still is seen at none.
    let apart = |at: u64| {
        let before = moments.iter().map(at_of).filter(|it| *it <= at).max();
        let after = moments.iter().map(at_of).find(|it| *it > at);
        after.unwrap_or(u64::MAX) - before.unwrap_or(0)
    };
    for trial in run["figures"][0]["trials"].as_array().unwrap() {
        let began = trial["began_ns"].as_u64().unwrap();
        let ended = began + trial["elapsed_ns"].as_u64().unwrap();
        let within = |moment: &&Value| (began..ended).contains(&at_of(moment));
        let seen: Vec<&Value> = moments.iter().filter(within).collect();
        let is_unseen = seen.is_empty() && apart(began) <= ended - began;
        assert!(!is_unseen, "{trial} {moments:?}");
        assert!(seen.iter().all(measuring), "{trial} {seen:?}");
    }
}
