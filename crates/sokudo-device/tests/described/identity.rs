//! The same device is known again under another name and elsewhere, and another device is
//! not taken for it: on invented machines.

use std::fs;

use crate::invented::Machine;

const MIB: u64 = 1 << 20;

fn called(host: &str) -> Machine {
    let machine = Machine::new();
    machine.write("proc/sys/kernel/hostname", host);
    machine
}

impl Machine {
    /// A disk with a serial number and two partitions, under a name.
    fn disk_of(&self, name: &str, major: u32, serial: &str) -> &Self {
        let files = [
            ("device/model", "Example 1000\n"),
            ("device/serial", serial),
        ];
        self.device(name, &format!("{major}:0"), MIB, &files);
        for part in 1..=2 {
            let (text, number) = (format!("{part}\n"), format!("{major}:{part}"));
            let place = format!("{name}/{name}{part}");
            self.device(&place, &number, MIB, &[("partition", &text)]);
        }
        self
    }

    fn udev(&self, number: &str, text: &str) -> &Self {
        self.write(&format!("run/udev/data/b{number}"), text)
    }

    /// What a mount of this line is known by.
    fn mounted(&self, directory: &str, number: &str, rest: &str) -> String {
        self.mount(directory, number, rest);
        let identity = self.inspect(directory).info.identity();
        assert!(!identity.contains(self.path("").to_str().unwrap()));
        identity
    }
}

#[test]
fn a_disk_that_is_called_otherwise_and_mounted_elsewhere_is_the_same() {
    let uuid = "E:ID_FS_UUID=11-22\n";
    let before = called("here");
    before.disk_of("sda", 8, "S1").udev("8:1", uuid);
    let after = called("there");
    after.disk_of("sdb", 9, "S1").udev("9:1", uuid);
    let known_as = before.mounted("mnt/old", "8:1", "ext4 /dev/sda1 rw");
    assert_eq!(known_as, "Example 1000 S1 · partition 1 · ext4 11-22");
    assert_eq!(
        after.mounted("media/new", "9:1", "ext4 /dev/sdb1 rw,noatime"),
        known_as
    );
}

#[test]
fn other_disks_partitions_and_file_systems_are_other_devices() {
    let machine = called("here");
    machine.disk_of("sda", 8, "S1").disk_of("sdb", 9, "S2");
    let known = [
        machine.mounted("a", "8:1", "ext4 /dev/sda1 rw"),
        machine.mounted("b", "8:2", "ext4 /dev/sda2 rw"),
        machine.mounted("c", "9:1", "ext4 /dev/sdb1 rw"),
        machine.mounted("d", "8:0", "ext4 /dev/sda rw"),
        machine.mounted("e", "8:1", "xfs /dev/sda1 rw"),
    ];
    machine.udev("8:1", "E:ID_FS_UUID=33-44\n");
    let formatted = machine.mounted("f", "8:1", "ext4 /dev/sda1 rw");
    for (index, one) in known.iter().enumerate() {
        assert!(!known[..index].contains(one), "{one} is taken for another");
        assert_ne!(*one, formatted);
    }
}

#[test]
fn a_uuid_is_found_without_udevs_record_too() {
    let machine = called("here");
    machine.disk_of("sda", 8, "S1");
    machine.link("dev/disk/by-uuid/other", "../../sda2");
    machine.link("dev/disk/by-uuid/AA\\x20BB", "../../sda1");
    let known_as = machine.mounted("a", "8:1", "vfat /dev/sda1 rw");
    assert_eq!(known_as, "Example 1000 S1 · partition 1 · vfat AA BB");
}

#[test]
fn namespaces_of_one_drive_are_different_devices() {
    let machine = called("here");
    for (name, number, namespace) in [("nvme0n1", "259:0", "1"), ("nvme0n2", "259:1", "2")] {
        let files = [
            ("device/model", "Fast"),
            ("device/serial", "S1"),
            ("nsid", namespace),
        ];
        machine.device(name, number, MIB, &files);
    }
    let first = machine.mounted("a", "259:0", "ext4 /dev/nvme0n1 rw");
    let second = machine.mounted("b", "259:1", "ext4 /dev/nvme0n2 rw");
    assert_eq!(first, "Fast S1 · ext4");
    assert_eq!(second, "Fast S1 area 2 · ext4");
}

#[test]
fn an_array_stays_itself_when_a_member_fails_or_is_called_otherwise() {
    let array = |members: &[&str], names: [(&str, u32, &str); 2], told: bool| {
        let machine = called("here");
        for (name, major, serial) in names {
            machine.disk_of(name, major, serial);
        }
        machine.device("md0", "9:0", MIB, &[("md/level", "raid1")]);
        machine.slaves("md0", members);
        if told {
            machine.udev("9:0", "E:MD_UUID=AB:CD\n");
        }
        machine.mounted("a", "9:0", "ext4 /dev/md0 rw")
    };
    let disks = [("sda", 8, "S1"), ("sdb", 11, "S2")];
    let swapped = [("sdb", 8, "S1"), ("sda", 11, "S2")];
    let both = ["sda/sda1", "sdb/sdb1"];
    assert_eq!(array(&both, disks, true), "RAID abcd · ext4");
    assert_eq!(array(&both[..1], disks, true), "RAID abcd · ext4");
    // Without a UUID the members are all there is, in whatever order.
    let members = array(&both, disks, false);
    assert_eq!(
        members,
        "RAID of Example 1000 S1 · partition 1 + Example 1000 S2 · partition 1 · ext4"
    );
    assert_eq!(array(&both, swapped, false), members);
    assert_ne!(array(&both[..1], disks, false), members);
}

#[test]
fn a_btrfs_is_known_by_its_uuid_whatever_disks_it_is_on() {
    let machine = called("here");
    machine.disk_of("sda", 8, "S1").disk_of("sdb", 9, "S2");
    machine.btrfs("cafe", "sda").btrfs("cafe", "sdb");
    let whole = machine.mounted("a", "0:40", "btrfs /dev/sda rw");
    assert_eq!(whole, "btrfs cafe");
    fs::remove_file(machine.path("sys/fs/btrfs/cafe/devices/sda")).unwrap();
    assert_eq!(machine.mounted("b", "0:40", "btrfs /dev/sdb rw"), whole);
}

#[test]
fn volumes_are_known_by_what_device_mapper_calls_them() {
    let volume = |name: &str, uuid: &str| {
        let machine = called("here");
        machine.disk_of("sda", 8, "S1");
        machine.device(
            "dm-0",
            "253:0",
            MIB,
            &[("dm/name", name), ("dm/uuid", uuid)],
        );
        machine.slaves("dm-0", &["sda/sda1"]);
        machine.mounted("a", "253:0", "ext4 /dev/mapper/x rw")
    };
    assert_eq!(volume("vg-home", "LVM-abc"), "LVM-abc · ext4");
    assert_eq!(
        volume("data", "CRYPT-LUKS2-ff00-data"),
        "Example 1000 S1 · partition 1 · CRYPT-LUKS2-ff00 · ext4"
    );
    assert_eq!(
        volume("a", "CRYPT-LUKS2-ff00-a"),
        volume("b", "CRYPT-LUKS2-ff00-b")
    );
    assert_ne!(volume("vg-a", "LVM-a"), volume("vg-b", "LVM-b"));
}

#[test]
fn a_loop_device_is_its_file_on_the_disk_that_holds_it() {
    let machine = called("here");
    machine.disk_of("sda", 8, "S1");
    machine.mounted("store", "8:1", "ext4 /dev/sda1 rw");
    let mut known = Vec::new();
    for (name, number, image) in [("loop0", "7:0", "a"), ("loop1", "7:1", "b")] {
        machine.write(&format!("store/{image}"), "x");
        let path = machine.path(&format!("store/{image}"));
        let files = [("loop/backing_file", path.to_str().unwrap())];
        machine.device(name, number, MIB, &files);
        known.push(machine.mounted(name, number, "ext4 /dev/loop rw"));
    }
    assert_ne!(known[0], known[1]);
    assert!(known[0].starts_with("Example 1000 S1 · partition 1 · file "));
    // The same file, attached to another loop device.
    let path = machine.path("store/a");
    let files = [("loop/backing_file", path.to_str().unwrap())];
    machine.device("loop7", "7:7", MIB, &files);
    assert_eq!(machine.mounted("z", "7:7", "ext4 /dev/loop7 rw"), known[0]);
}

#[test]
fn disks_without_a_serial_number_are_known_by_what_else_there_is() {
    let bare = |host: &str, slot: &str, name: &str, udev: &str| {
        let machine = called(host);
        let place = format!("pci0/{slot}/block/{name}");
        machine.device(&place, "254:0", MIB, &[]);
        machine.udev("254:0", udev);
        machine.mounted("a", "254:0", "ext4 /dev/x rw")
    };
    let known = bare("vm1", "slot5", "vda", "");
    assert_eq!(known, "virtual disk 1048576 bytes pci0/slot5 · ext4 of vm1");
    assert_eq!(bare("vm1", "slot5", "vdb", ""), known);
    assert_ne!(bare("vm1", "slot6", "vda", ""), known);
    assert_ne!(bare("vm2", "slot5", "vda", ""), known);
    // With a UUID the slot does not matter, but the machine does: it may be a copy.
    let uuid = "E:ID_FS_UUID=11-22\n";
    let known = bare("vm1", "slot5", "vda", uuid);
    assert_eq!(bare("vm1", "slot6", "vdc", uuid), known);
    assert_ne!(bare("vm2", "slot5", "vda", uuid), known);
}

#[test]
fn partitions_of_a_disk_without_a_serial_number_have_their_own_uuid() {
    let machine = called("here");
    machine.device("bus/block/sda", "8:0", MIB, &[("device/model", "Stick")]);
    machine.device("bus/block/sda/sda1", "8:1", MIB, &[("partition", "1")]);
    machine.udev("8:1", "E:ID_PART_ENTRY_UUID=feed-01\n");
    assert_eq!(
        machine.mounted("a", "8:1", "vfat /dev/sda1 rw"),
        "Stick 1048576 bytes bus · partition 1 feed-01 · vfat of here"
    );
}

#[test]
fn what_stands_on_no_disk_is_known_by_its_source_and_where_that_means_nothing_by_the_machine() {
    let here = called("here");
    let there = called("there");
    for (rest, known) in [
        ("nfs4 server:/export rw", "nfs4 server:/export"),
        ("cifs //server/share rw", "cifs //server/share"),
        (
            "fuse.sshfs me@server:/data rw",
            "fuse.sshfs me@server:/data",
        ),
    ] {
        assert_eq!(here.mounted("a", "0:40", rest), known);
        assert_eq!(there.mounted("b", "0:41", rest), known);
    }
    for (rest, known) in [
        ("tmpfs tmpfs rw", "tmpfs tmpfs of here"),
        ("fuse.portal portal rw", "fuse.portal portal of here"),
        ("zfs tank/data rw", "zfs tank/data of here"),
    ] {
        assert_eq!(here.mounted("a", "0:40", rest), known);
        assert_ne!(there.mounted("a", "0:40", rest), known);
    }
}
