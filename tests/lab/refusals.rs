//! Devices that hold something, or are not what the user named, are not written.

use std::fs::File;
use std::io::Read;

use crate::guest::{Guest, Undo};
use crate::turns::{ARRAYS, MAPPED};

/// The part of a disk that is compared: all that mounting and arrays care about.
const COMPARED: u64 = 16 << 20;

fn content(node: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = File::open(node).unwrap();
    file.take(COMPARED).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Every command that could write: none does, and each says one of the `words`.
fn assert_refused(guest: &Guest, node: &str, serial: &str, words: &[&str]) {
    guest.must("sync", &[]);
    let before = content(node);
    let destroy = ["mark", node, "--destroy", serial, "--time", "1s"];
    guest.end(&destroy).refused(words);
    let destroy = ["scan", node, "--quiet", "--write", "--destroy", serial];
    guest.end(&destroy).refused(words);
    let back = ["scan", node, "--quiet", "--write", "--write-back"];
    guest.end(&back).refused(words);
    let after = content(node);
    let written = (0..before.len().max(after.len())).find(|&at| before.get(at) != after.get(at));
    assert_eq!(written, None, "{node} was written at this byte");
}

#[test]
fn a_member_of_an_array_is_refused() {
    let Some(guest) = Guest::enter(&["raid-1", "raid-2", ARRAYS]) else {
        return;
    };
    let members = ["raid-1", "raid-2"].map(|name| guest.disk(name));
    let [first, second] = [&members[0], &members[1]];
    let create = [
        "--create",
        "/dev/md9",
        "--run",
        "--level=1",
        "--raid-devices=2",
    ];
    let how = ["--assume-clean", "--bitmap=none", first, second];
    let mut undo = Undo::new(&guest);
    undo.by(&["mdadm", "--zero-superblock", first, second]);
    undo.by(&["mdadm", "--stop", "/dev/md9"]);
    guest.must("mdadm", &[&create[..], &how].concat());
    assert_refused(&guest, first, "raid-1", &["md9"]);
}

#[test]
fn a_disk_below_device_mapper_is_refused() {
    let Some(guest) = Guest::enter(&["raid-3", MAPPED]) else {
        return;
    };
    let node = guest.disk("raid-3");
    let table = format!("0 2048 linear {node} 0");
    let mut undo = Undo::new(&guest);
    undo.map("lab", &table);
    assert_refused(&guest, &node, "raid-3", &["dm-"]);
}

#[test]
fn a_disk_that_is_swapped_to_is_refused() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    let node = guest.disk("raid-3");
    let mut undo = Undo::new(&guest);
    undo.by(&["wipefs", "--all", "--quiet", &node]);
    undo.by(&["swapoff", &node]);
    guest.must("mkswap", &[&node]);
    guest.must("swapon", &[&node]);
    assert_refused(&guest, &node, "raid-3", &["swap"]);
}

#[test]
fn a_mounted_disk_is_refused() {
    let Some(guest) = Guest::enter(&["raid-4"]) else {
        return;
    };
    let node = guest.disk("raid-4");
    let at = tempfile::tempdir().unwrap();
    let at = at.path().to_str().unwrap();
    guest.must(
        "mkfs.ext4",
        &["-q", "-F", "-E", "nodiscard,lazy_itable_init=0", &node],
    );
    let mut undo = Undo::new(&guest);
    undo.by(&["wipefs", "--all", "--quiet", &node]);
    undo.by(&["umount", at]);
    guest.must("mount", &[&node, at]);
    // The file system writes when it likes, even one that nobody uses.
    undo.by(&["fsfreeze", "--unfreeze", at]);
    guest.must("fsfreeze", &["--freeze", at]);
    assert_refused(&guest, &node, "raid-4", &["mounted"]);
}

#[test]
fn a_disk_of_another_serial_number_is_refused() {
    let Some(guest) = Guest::enter(&["raid-4"]) else {
        return;
    };
    let node = guest.disk("raid-4");
    let before = content(&node);
    for command in [
        &["mark", &node, "--destroy", "raid-3", "--time", "1s"][..],
        &["scan", &node, "--quiet", "--write", "--destroy", "raid-3"],
    ] {
        guest.end(command).refused(&["raid-4"]);
    }
    assert!(content(&node) == before, "{node} was written");
}

#[test]
fn a_cd_rom_is_not_written() {
    let Some(guest) = Guest::enter(&["ata-cd"]) else {
        return;
    };
    let before = content("/dev/sr0");
    for command in [
        &["mark", "/dev/sr0", "--destroy", "/dev/sr0", "--time", "1s"][..],
        &[
            "scan",
            "/dev/sr0",
            "--quiet",
            "--write",
            "--destroy",
            "/dev/sr0",
        ],
        &["scan", "/dev/sr0", "--quiet", "--write", "--write-back"],
    ] {
        let ended = guest.end(command);
        assert!(matches!(ended.code, Some(1..=3)), "{ended:?}");
        assert_eq!(ended.told.trim_end().lines().count(), 1, "{ended:?}");
    }
    assert!(content("/dev/sr0") == before, "the CD-ROM was written");
}

#[test]
fn a_device_without_a_size_is_refused() {
    let Some(guest) = Guest::enter(&[]) else {
        return;
    };
    for (command, word) in [
        (&["scan", "/dev/loop7"][..], "has a size of 0"),
        (&["mark", "/dev/loop7", "--read-only"], "empty"),
    ] {
        let ended = guest.end(command);
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.told.contains(word), "{ended:?}");
    }
}
