//! Commands that are passed to NVMe drives around the block layer.

use std::fs;

use serde_json::Value;

use crate::guest::{Ended, Guest, Undo};

/// The node of a disk's namespace that takes commands.
fn generic(node: &str) -> String {
    let name = node.strip_prefix("/dev/nvme").unwrap();
    let path = format!("/dev/ng{name}");
    assert!(fs::metadata(&path).is_ok(), "{path}");
    path
}

fn mark(guest: &Guest, node: &str, direction: &str, more: &[&str]) -> Ended {
    let row = format!("RND64K,Q4,{direction}");
    let what = ["mark", node, "--engine", "io_uring_cmd", "--row", &row];
    let how = ["--runs", "2", "--time", "1s", "--format", "json", "--quiet"];
    guest.end(&[&what[..], &how, more].concat())
}

/// What says that bytes did not reach the drive, or that others' did. What a guest without a
/// processor of its own does to speeds is another matter.
const DOUBTS: [&str; 4] = [
    "cannot-see-device",
    "foreign-io",
    "not-from-device",
    "not-on-device",
];

fn assert_proven(result: &Value) {
    let findings = result["findings"].as_array().unwrap().iter();
    let codes: Vec<&str> = findings
        .filter_map(|found| found["code"].as_str())
        .collect();
    assert!(
        !codes.iter().any(|code| DOUBTS.contains(code)),
        "{codes:?}: {result}"
    );
    assert!(result["device"].is_object(), "{result}");
}

/// A job on 16 MiB whose blocks tell where they belong.
fn job(guest: &Guest, node: &str, engine: &str, more: &[&str]) -> Ended {
    let engine = format!("--ioengine={engine}");
    let filename = format!("--filename={node}");
    let what = ["fio", "--name=a", &engine, &filename, "--direct=1"];
    let how = ["--bs=64k", "--iodepth=4", "--size=16m", "--verify=crc32c"];
    let format = ["--output-format=json"];
    guest.end(&[&what[..], &how, &format, more].concat())
}

#[test]
fn a_drive_proves_by_its_own_count_what_commands_moved() {
    let Some(guest) = Guest::enter(&["nvme-a"]) else {
        return;
    };
    let node = guest.disk("nvme-a");
    let counted = || {
        let name = node.strip_prefix("/dev/").unwrap();
        let stat = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
        let sectors = stat.split_ascii_whitespace().nth(2).unwrap();
        sectors.parse::<u64>().unwrap() * 512
    };
    for named in [node.clone(), generic(&node)] {
        let before = counted();
        let run = mark(&guest, &named, "read", &[]).json();
        let through_block_layer = counted() - before;
        let result = &run["figures"][0];
        assert_eq!(result["backend"]["kind"], "io_uring_cmd", "{result}");
        assert_proven(result);
        assert_eq!(run["target"]["path"], node.as_str(), "{run}");
        let moved = result["device"]["read_bytes"].as_u64().unwrap();
        assert!(moved > 20 << 20, "{result}");
        assert!(through_block_layer < moved / 10, "{through_block_layer}");
        let ratio = result["device_ratio"].as_f64().unwrap();
        assert!((0.95..1.05).contains(&ratio), "{result}");
    }
}

#[test]
fn commands_and_the_block_device_read_what_the_other_has_written() {
    let Some(guest) = Guest::enter(&["nvme-a"]) else {
        return;
    };
    let node = guest.disk("nvme-a");
    let (named, destroy) = (generic(&node), format!("--destroy={node}"));
    let allowed = [&destroy, "--allow_mounted_write=1", "--rw=write"];
    for (writer, reader) in [("io_uring_cmd", "psync"), ("psync", "io_uring_cmd")] {
        let node_of = |engine| match engine {
            "io_uring_cmd" => named.as_str(),
            _ => node.as_str(),
        };
        let more = [&allowed[..], &["--do_verify=0", "--end_fsync=1"]].concat();
        let written = job(&guest, node_of(writer), writer, &more).json();
        assert_eq!(written["jobs"][0]["write"]["total_ios"], 256, "{written}");
        let read = job(&guest, node_of(reader), reader, &["--rw=read"]).json();
        assert_eq!(read["jobs"][0]["read"]["total_ios"], 256, "{read}");
        assert_eq!(read["jobs"][0]["error"], 0, "{read}");
    }
}

#[test]
fn a_namespace_is_written_only_where_its_block_device_may_be() {
    let Some(guest) = Guest::enter(&["nvme-a"]) else {
        return;
    };
    let node = guest.disk("nvme-a");
    let named = generic(&node);
    let mut undo = Undo::new(&guest);
    undo.by(&["wipefs", "--all", "--quiet", &node]);
    guest.must("wipefs", &["--all", "--quiet", &node]);
    mark(&guest, &named, "write", &[]).refused(&["--destroy"]);
    let other = mark(&guest, &named, "write", &["--destroy", "/dev/null"]);
    other.refused(&["--destroy nvme-a", &node]);
    let run = mark(&guest, &named, "write", &["--destroy", "nvme-a"]).json();
    let result = &run["figures"][0];
    assert_proven(result);
    assert!(
        result["device"]["written_bytes"].as_u64() > Some(20 << 20),
        "{result}"
    );
    // Mounted, it is refused whatever is said.
    let at = tempfile::tempdir().unwrap();
    let at = at.path().to_str().unwrap();
    undo.by(&["umount", at]);
    guest.must("mkfs.ext4", &["-q", "-F", &node]);
    guest.must("mount", &[&node, at]);
    let all = ["--destroy", "nvme-a", "--destroy-contents"];
    mark(&guest, &named, "write", &all).refused(&["mounted", at]);
}

#[test]
fn what_takes_no_commands_is_refused_in_one_line() {
    let Some(guest) = Guest::enter(&["nvme-a", "scsi-a"]) else {
        return;
    };
    let node = guest.disk("nvme-a");
    let mut undo = Undo::new(&guest);
    undo.by(&["wipefs", "--all", "--quiet", &node]);
    undo.by(&["delpart", &node, "1"]);
    guest.must("wipefs", &["--all", "--quiet", &node]);
    guest.must("addpart", &[&node, "1", "2048", "65536"]);
    let partition = format!("{node}p1");
    let too_large = ["--row", "SEQ4M,Q1,read", "--quiet"];
    for (ended, word) in [
        (mark(&guest, &partition, "read", &[]), "partition"),
        (mark(&guest, &guest.disk("scsi-a"), "read", &[]), "NVMe"),
        (
            guest.end(&[&["mark", &node, "--engine", "io_uring_cmd"], &too_large[..]].concat()),
            "per command",
        ),
    ] {
        assert!(matches!(ended.code, Some(1 | 2)), "{ended:?}");
        assert_eq!(ended.printed, "", "{ended:?}");
        assert!(ended.told.contains(word), "{word}: {ended:?}");
    }
}

#[test]
fn a_drive_that_is_passed_commands_is_polled_too_and_its_errors_are_named() {
    let Some(guest) = Guest::enter(&["nvme-a", "nvme-bad"]) else {
        return;
    };
    let run = mark(&guest, &guest.disk("nvme-a"), "read", &["--polled"]).json();
    let features = &run["figures"][0]["backend"]["features"];
    assert!(features.to_string().contains("polled"), "{run}");
    let bad = guest.disk("nvme-bad");
    let ended = guest.end(&[
        "fio",
        "--name=a",
        "--ioengine=io_uring_cmd",
        &format!("--filename={}", generic(&bad)),
        "--rw=read",
        "--bs=4k",
        "--offset=19m",
        "--size=1m",
    ]);
    assert!(ended.told.contains("NVMe status type"), "{ended:?}");
}
