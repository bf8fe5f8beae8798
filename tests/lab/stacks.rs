//! Devices made of devices: a file on them is followed down to the disks, and what is
//! written to it is found in the disks' counters.

use std::ops::RangeInclusive;

use serde_json::Value;

use crate::assess;
use crate::guest::{self, Guest, Undo};
use crate::turns::{ARRAYS, MAPPED};

/// Members of the stacks.
const MEMBERS: [&str; 4] = ["raid-1", "raid-2", "raid-3", "raid-4"];

/// A mounted file system on a stack, taken apart again when dropped.
struct Stack<'a> {
    guest: &'a Guest,
    /// Takes it apart before the directory goes.
    undo: Undo<'a>,
    mount_point: tempfile::TempDir,
}

impl<'a> Stack<'a> {
    fn new(guest: &'a Guest) -> Self {
        Self {
            guest,
            undo: Undo::new(guest),
            mount_point: tempfile::tempdir().unwrap(),
        }
    }

    fn at(&self) -> &str {
        self.mount_point.path().to_str().unwrap()
    }

    /// A fresh file system on `device`.
    fn mount(&mut self, device: &str) {
        // Tables that are initialised later would write during the trials.
        let options = "lazy_itable_init=0,lazy_journal_init=0,nodiscard";
        self.guest
            .must("mkfs.ext4", &["-q", "-F", "-E", options, device]);
        self.guest.must("mount", &[device, self.at()]);
        let at = self.at().to_owned();
        self.undo.by(&["umount", &at]);
    }

    /// An array of the first members.
    fn array(guest: &'a Guest, level: &str, members: &[String]) -> Self {
        let mut stack = Self::new(guest);
        let count = members.len().to_string();
        let mut arguments = vec!["--create", "/dev/md9", "--run", "--level", level];
        arguments.extend(["--raid-devices", &count]);
        if level != "0" {
            // Neither a first synchronisation nor a bitmap, whose I/O would count as well.
            arguments.extend(["--assume-clean", "--bitmap=none"]);
        }
        arguments.extend(members.iter().map(String::as_str));
        guest.must("mdadm", &arguments);
        for member in members {
            stack.undo.by(&["mdadm", "--zero-superblock", member]);
        }
        stack.undo.by(&["mdadm", "--stop", "/dev/md9"]);
        stack.mount("/dev/md9");
        stack
    }

    /// A device of device-mapper.
    fn mapped(guest: &'a Guest, table: &str) -> Self {
        let mut stack = Self::new(guest);
        stack.undo.map("lab", table);
        stack.mount("/dev/mapper/lab");
        stack
    }

    /// The results of one row of `sokudo mark` there, which wrote and read a file.
    fn measured(&self, row: &str) -> Value {
        let arguments = ["mark", self.at(), "--row", row, "--size", "32MiB"];
        let more = ["--runs", "1", "--time", "1s", "--format", "json", "--quiet"];
        self.guest.json(&[&arguments[..], &more].concat())
    }

    /// Measures, and compares what the disks have counted with what sokudo moved.
    fn costs(&self, row: &str, leaves: &[String], per_byte_written: RangeInclusive<f64>) {
        let run = self.measured(row);
        assert_eq!(guest::leaves(&run), guest::names(leaves));
        assert_ratio(&run, "read", &(0.98..=1.05));
        assert_ratio(&run, "write", &per_byte_written);
    }
}

fn assert_ratio(run: &Value, direction: &str, expected: &RangeInclusive<f64>) {
    let results = run["figures"].as_array().unwrap();
    let result = results
        .iter()
        .find(|result| result["direction"] == direction)
        .unwrap();
    let ratio = result["device_ratio"].as_f64().unwrap();
    assert!(
        expected.contains(&ratio),
        "{direction}: {ratio} is not in {expected:?}: {result}"
    );
}

/// Nodes of the first `count` members.
fn members(guest: &Guest, count: usize) -> Vec<String> {
    let names = MEMBERS[..count].iter();
    names.map(|name| guest.disk(name)).collect()
}

/// Sectors that each member gives to a device of device-mapper: 128 MiB.
const MAPPED_SECTORS: u64 = 262_144;

/// What writes cost the disks of an array: all bytes once, twice, or two blocks read and two
/// written for each.
#[test]
fn arrays_write_as_often_as_their_level_says() {
    let Some(guest) = Guest::enter(&["raid-1", "raid-2", "raid-3", ARRAYS]) else {
        return;
    };
    for (level, count, row, cost) in [
        ("0", 2, "SEQ1M,Q8,T1", 0.98..=1.05),
        ("1", 2, "SEQ1M,Q8,T1", 1.95..=2.1),
        ("5", 3, "RND4K,Q1,T1", 3.9..=4.2),
    ] {
        let members = members(&guest, count);
        Stack::array(&guest, level, &members).costs(row, &members, cost);
    }
}

/// The file system against the array, and the array against what its level makes of its members,
/// which each give 40 MB/s.
#[test]
fn an_array_is_held_against_its_members() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    let members = ["slow-1", "slow-2"].map(|name| guest.disk(name));
    for level in ["0", "1"] {
        let stack = Stack::array(&guest, level, &members);
        let how = [
            "--size",
            "32MiB",
            "--time",
            "500ms",
            "--runs",
            "3",
            "--no-store",
        ];
        let form = ["--format", "json", "--quiet"];
        let ended = guest.end(&[&["assess", stack.at()][..], &how, &form].concat());
        let points = assess::points(&ended.parsed());
        for code in ["array-share", "file-system-share"] {
            let met = (code.to_owned(), Some("ok".to_owned()));
            assert!(points.contains(&met), "RAID {level}: {code} in {points:?}");
        }
    }
}

#[test]
fn devices_of_device_mapper_are_followed_and_encryption_costs_no_bytes() {
    let Some(guest) = Guest::enter(&["raid-1", "raid-2", MAPPED]) else {
        return;
    };
    let size = MAPPED_SECTORS;
    let key = "0123456789abcdef".repeat(4);
    let (one, two) = (members(&guest, 1), members(&guest, 2));
    let [first, second] = [&two[0], &two[1]];
    for (members, table) in [
        (
            &two,
            format!("0 {size} linear {first} 0\n{size} {size} linear {second} 0"),
        ),
        (
            &two,
            format!("0 {} striped 2 128 {first} 0 {second} 0", 2 * size),
        ),
        (
            &one,
            format!("0 {size} crypt aes-xts-plain64 {key} 0 {first} 0"),
        ),
    ] {
        Stack::mapped(&guest, &table).costs("SEQ1M,Q8,T1", members, 0.98..=1.05);
    }
}

#[test]
fn a_file_used_as_a_disk_is_followed_to_the_disk_below() {
    let Some(guest) = Guest::enter(&["raid-1"]) else {
        return;
    };
    let members = members(&guest, 1);
    let mut stack = Stack::new(&guest);
    let below = tempfile::tempdir().unwrap();
    let at = below.path().to_str().unwrap();
    guest.must("mkfs.ext4", &["-q", "-F", "-E", "nodiscard", &members[0]]);
    guest.must("mount", &[&members[0], at]);
    stack.undo.by(&["umount", at]);
    let image = format!("{at}/image");
    guest.must(
        "dd",
        &[
            "if=/dev/zero",
            &format!("of={image}"),
            "bs=1M",
            "count=96",
            "conv=fsync",
        ],
    );
    let device = guest.must("losetup", &["--find", "--show", "--direct-io=on", &image]);
    let device = device.trim();
    stack.undo.by(&["losetup", "--detach", device]);
    stack.mount(device);
    stack.costs("SEQ1M,Q8,T1", &members, 0.98..=1.1);
}

#[test]
fn a_file_system_of_several_disks_is_followed_to_all() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    let members = members(&guest, 2);
    for (profile, copies) in [("raid0", 0.98..=1.15), ("raid1", 1.95..=2.3)] {
        let mut stack = Stack::new(&guest);
        let arguments = ["-q", "-f", "-d", profile, "-m", "raid1"];
        let nodes: Vec<&str> = members.iter().map(String::as_str).collect();
        guest.must("mkfs.btrfs", &[&arguments[..], &nodes].concat());
        guest.must("modprobe", &["btrfs"]);
        guest.must("btrfs", &["device", "scan"]);
        guest.must("mount", &[&members[0], stack.at()]);
        let at = stack.at().to_owned();
        stack.undo.by(&["umount", &at]);
        stack.costs("SEQ1M,Q8,T1", &members, copies);
    }
}
