//! Self-tests of the guest's drives. QEMU's ATA disks have them and pass at once; its NVMe
//! drives and SCSI disks have none. The program is `self_test`, an example of sokudo-device.

use std::path::Path;
use std::process::Command;

use crate::guest::Guest;

/// What the example prints of these disks, the lines that begin with their names.
fn tested(guest: &Guest, kind: &str, names: &[&str]) -> Vec<String> {
    let program = Path::new(guest.program()).with_file_name("self_test");
    let nodes: Vec<String> = names.iter().map(|name| guest.disk(name)).collect();
    let output = Command::new(program).arg(kind).args(&nodes).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    eprintln!("{printed}");
    let lines = printed.lines().filter(|line| line.contains(": "));
    let lines = lines.filter(|line| !line.starts_with("progress"));
    lines.map(str::to_owned).collect()
}

/// The tests in the log of an ATA disk, the newest first, as smartctl reads them.
fn logged(guest: &Guest, node: &str) -> (u64, Option<(String, bool)>) {
    let told = guest.told_json("smartctl", &["-j", "-l", "selftest", node]);
    let log = &told["ata_smart_self_test_log"]["standard"];
    let newest = &log["table"][0];
    let newest = newest["type"]["string"].as_str().map(|kind| {
        let passed = newest["status"]["passed"].as_bool().unwrap_or(false);
        (kind.to_owned(), passed)
    });
    (log["count"].as_u64().unwrap_or(0), newest)
}

#[test]
fn ata_disks_test_themselves_as_smartctl_sees() {
    let Some(guest) = Guest::enter() else { return };
    let node = guest.disk("ata-hdd");
    let (before, _) = logged(&guest, &node);
    for (kind, word, count) in [
        ("short", "Short", before + 1),
        ("extended", "Extended", before + 2),
    ] {
        let lines = tested(&guest, kind, &["ata-hdd"]);
        assert!(lines[0].contains(&format!("{word} Passed")), "{lines:?}");
        let (after, newest) = logged(&guest, &node);
        let (logged_as, passed) = newest.unwrap();
        assert_eq!(after, count, "{lines:?}");
        assert!(logged_as.starts_with(word) && passed, "{logged_as}");
    }
    // How long the disk expects them to take is what smartctl reads, too.
    let told = guest.told_json("smartctl", &["-j", "-c", &node]);
    let minutes = &told["ata_smart_data"]["self_test"]["polling_minutes"];
    let looked = &tested(&guest, "look", &["ata-hdd"])[0];
    for kind in ["short", "extended"] {
        let nanos = minutes[kind].as_u64().unwrap() * 60_000_000_000;
        assert!(
            looked.contains(&format!("Some(Nanos({nanos}))")),
            "{looked}"
        );
    }
}

#[test]
fn drives_without_self_tests_say_so_beside_one_that_has_them() {
    let Some(guest) = Guest::enter() else { return };
    let names = ["nvme-a", "ata-ssd", "scsi-a", "sas-a"];
    // What the tools see.
    let nvme = guest.must("nvme", &["id-ctrl", &guest.disk("nvme-a")]);
    let oacs = nvme.lines().find(|line| line.starts_with("oacs")).unwrap();
    let oacs = oacs.rsplit("0x").next().unwrap().trim();
    let has_nvme = u16::from_str_radix(oacs, 16).unwrap() >> 4 & 1 == 1;
    let pages = guest.told("sg_logs", &["--list", &guest.disk("scsi-a")]);
    let has_scsi = pages.contains("Self-test");
    assert!(
        !has_nvme && !has_scsi,
        "QEMU has learned it: {oacs} {pages}"
    );
    let lines = tested(&guest, "short", &names);
    assert_eq!(lines.len(), 4, "{lines:?}");
    for (line, name) in lines.iter().zip(names) {
        let node = guest.disk(name);
        assert!(line.starts_with(&node[5..]), "{line}");
        let result = if name == "ata-ssd" {
            "Passed"
        } else {
            "Absent"
        };
        assert!(line.contains(&format!("Short {result}")), "{line}");
        if result == "Absent" {
            assert!(line.contains("has no self-test"), "{line}");
        }
    }
}

#[test]
fn a_self_test_leaves_every_byte_and_the_health_as_they_were() {
    let Some(guest) = Guest::enter() else { return };
    let node = guest.disk("ata-ssd");
    let seen = || {
        let stat = std::fs::read_to_string(format!("/sys/block/{}/stat", &node[5..])).unwrap();
        let written = stat.split_ascii_whitespace().nth(6).unwrap().to_owned();
        let read = format!("dd if={node} iflag=direct bs=1M count=8 status=none | sha256sum");
        let bytes = guest.must("bash", &["-o", "pipefail", "-c", &read]);
        (written, bytes, guest.told("smartctl", &["-H", &node]))
    };
    let before = seen();
    tested(&guest, "extended", &["ata-ssd"]);
    assert_eq!(seen(), before);
}
