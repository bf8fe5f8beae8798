//! Self-tests of the guest's drives, which are those of a burn-in. QEMU's ATA disks have them and
//! pass at once; its NVMe drives and SCSI disks have none. What is worn in is a small partition: it
//! is the drive below it that tests itself.

use serde_json::Value;

use crate::burn_in::{arguments, sectors_written, tests_of};
use crate::guest::{Guest, Undo, partition};

/// Where the partition is, and how large: 4 MiB, behind the first MiB.
const FIRST_SECTOR: u32 = 2_048;
const SECTORS: u32 = 8_192;

/// Gives the disk a partition for as long as `undo` lives, and names its node.
fn partitioned(guest: &Guest, undo: &mut Undo<'_>, node: &str) -> String {
    let clear = format!("head -c 4096 /dev/zero > {node}; blockdev --rereadpt {node}");
    undo.by(&["sh", "-c", &clear]);
    partition(guest, node, FIRST_SECTOR, SECTORS);
    match node.ends_with(|last: char| last.is_ascii_digit()) {
        true => format!("{node}p1"),
        false => format!("{node}1"),
    }
}

/// A burn-in of a partition of each of these disks.
fn worn_in(guest: &Guest, nodes: &[String], tests: &str) -> Value {
    let mut undo = Undo::new(guest);
    let parts = nodes.iter().map(|node| partitioned(guest, &mut undo, node));
    let parts: Vec<String> = parts.collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    guest.json(&arguments(&parts, &["--self-test", tests]))
}

#[test]
fn ata_disks_test_themselves_as_smartctl_sees() {
    let Some(guest) = Guest::enter(&["ata-hdd"]) else {
        return;
    };
    let node = guest.disk("ata-hdd");
    let (mut before, _) = guest.logged_tests(&node);
    for (tests, made) in [
        ("off", &[][..]),
        ("short", &["short"]),
        ("both", &["short", "extended"]),
    ] {
        let run = worn_in(&guest, std::slice::from_ref(&node), tests);
        let passed: Vec<_> = made.iter().map(|kind| (*kind, "passed", "")).collect();
        assert_eq!(tests_of(&run, 0), passed, "{run}");
        let (after, log) = guest.logged_tests(&node);
        assert_eq!(after, before + made.len() as u64, "{tests}: {log:?}");
        for (kind, (logged_as, passed)) in made.iter().rev().zip(&log) {
            assert!(logged_as.to_lowercase().starts_with(kind), "{log:?}");
            assert!(passed, "{log:?}");
        }
        before = after;
    }
}

#[test]
fn drives_without_self_tests_say_so_beside_one_that_has_them() {
    let Some(guest) = Guest::enter(&["nvme-a", "ata-ssd", "scsi-a", "sas-a"]) else {
        return;
    };
    let nodes = ["nvme-a", "ata-ssd", "scsi-a", "sas-a"].map(|name| guest.disk(name));
    // What the tools see.
    let nvme = guest.must("nvme", &["id-ctrl", &nodes[0]]);
    let oacs = nvme.lines().find(|line| line.starts_with("oacs")).unwrap();
    let oacs = oacs.rsplit("0x").next().unwrap().trim();
    let has_nvme = u16::from_str_radix(oacs, 16).unwrap() >> 4 & 1 == 1;
    let pages = guest.told("sg_logs", &["--list", &nodes[2]]);
    let has_scsi = pages.contains("Self-test");
    assert!(
        !has_nvme && !has_scsi,
        "QEMU has learned it: {oacs} {pages}"
    );
    let run = worn_in(&guest, &nodes, "short");
    for (target, node) in (0..).zip(&nodes) {
        let tests = tests_of(&run, target);
        let [(kind, result, why)] = tests[..] else {
            panic!("{node}: {run}")
        };
        assert_eq!(kind, "short");
        match target {
            1 => assert_eq!((result, why), ("passed", "")),
            _ => {
                assert_eq!(result, "absent", "{node}: {why}");
                assert!(why.contains("has no self-test"), "{node}: {why}");
            }
        }
    }
}

/// The burn-in writes its partition. Of what lies before and behind it, and of the disk's counter,
/// a self-test may not change anything.
#[test]
fn a_self_test_leaves_every_byte_and_the_health_as_they_were() {
    let Some(guest) = Guest::enter(&["ata-ssd"]) else {
        return;
    };
    let node = guest.disk("ata-ssd");
    let random = format!("dd if=/dev/urandom of={node} bs=1M count=16 oflag=direct status=none");
    guest.must("bash", &["-c", &random]);
    let seen = || {
        let around = ["count=1", "skip=5 count=11"]
            .map(|range| format!("dd if={node} bs=1M iflag=direct {range} status=none"));
        let read = format!("{{ {}; }} | sha256sum", around.join("; "));
        let bytes = guest.must("bash", &["-o", "pipefail", "-c", &read]);
        (bytes, guest.told("smartctl", &["-H", &node]))
    };
    let mut undo = Undo::new(&guest);
    let part = partitioned(&guest, &mut undo, &node);
    let before = (seen(), sectors_written(&node));
    guest.json(&arguments(&[&part], &[]));
    let written = sectors_written(&node) - before.1;
    assert_eq!((seen(), written), (before.0, u64::from(SECTORS)));
}
