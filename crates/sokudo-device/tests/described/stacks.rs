//! Every shape of stack, on invented machines: a `sys` and a `proc` in a
//! temporary directory, and a mount table that claims to hold it.

use std::fs;

use sokudo_device::Inspected;
use sokudo_model::{BlockDevice, BlockDeviceKind, Bytes};

use crate::invented::Machine;

/// What an idle device has counted, with all 17 fields.
const STAT: &str = "10 0 80 0 20 0 160 0 0 0 0 0 0 0 0 3 0\n";

impl Machine {
    /// A device of 1 MiB that counts: a partition below `/`, else a disk.
    fn plain(&self, place: &str, number: &str) -> &Self {
        let disk = [
            ("queue/iostats", "1\n"),
            ("queue/logical_block_size", "512\n"),
        ];
        let kind = match place.contains('/') {
            true => &[("partition", "1\n")][..],
            false => &disk,
        };
        let files = [&[("stat", STAT)], kind].concat();
        self.device(place, number, 1 << 20, &files)
    }
}

fn device<'a>(found: &'a Inspected, name: &str) -> &'a BlockDevice {
    let devices = &found.info.devices;
    devices
        .iter()
        .find(|device| device.name == name)
        .unwrap_or_else(|| panic!("no {name} in {devices:?}"))
}

fn names(found: &Inspected) -> Vec<&str> {
    let devices = &found.info.devices;
    devices.iter().map(|device| device.name.as_str()).collect()
}

fn leaves(found: &Inspected) -> Vec<&str> {
    found.info.leaves().map(|leaf| leaf.name.as_str()).collect()
}

/// What is not seen.
fn blind(found: &Inspected) -> String {
    let spots = found.info.blind_spots.iter();
    spots.map(|spot| spot.english()).collect()
}

#[test]
fn a_partition_stands_on_its_disk_which_counts() {
    let machine = Machine::new();
    machine.plain("sda", "8:0").plain("sda/sda1", "8:1");
    machine.write("sys/devices/sda/device/model", "WDC WD40EZRZ  \n");
    machine.write("sys/devices/sda/device/vpd_pg80", "\0\u{80}\0\u{4}");
    machine.write("sys/devices/sda/queue/rotational", "1\n");
    machine.write("sys/devices/sda/queue/scheduler", "none [mq-deadline]\n");
    machine.write("sys/devices/sda/queue/write_cache", "write back\n");
    machine.write("sys/devices/sda/queue/max_sectors_kb", "1280\n");
    machine.write("sys/devices/sda/stat", "1 0 8 0 2 0 16 0 0 0 0 0 0 0 0 5 0");
    machine.mount("data", "8:1", "ext4 /dev/sda1 rw,data=ordered");
    let found = machine.inspect("data");
    assert_eq!(names(&found), ["sda1", "sda"]);
    assert_eq!(leaves(&found), ["sda"]);
    let partition = device(&found, "sda1");
    assert_eq!(partition.kind, BlockDeviceKind::Partition);
    assert_eq!(partition.parents, ["sda"]);
    assert_eq!(partition.logical_block_bytes, Some(Bytes(512)));
    let disk = device(&found, "sda");
    assert_eq!(disk.kind, BlockDeviceKind::Disk);
    assert_eq!(disk.model.as_deref(), Some("WDC WD40EZRZ"));
    assert_eq!(disk.size_bytes, Some(Bytes::mib(1)));
    assert_eq!(disk.rotational, Some(true));
    assert_eq!(disk.scheduler.as_deref(), Some("mq-deadline"));
    assert_eq!(disk.write_cache.as_deref(), Some("write back"));
    assert_eq!(disk.max_io_bytes, Some(Bytes::kib(1280)));
    assert_eq!(disk.physical_block_bytes, None);
    let counted = found.counters.read().unwrap();
    assert_eq!((counted.read_bytes, counted.flushes), (8 * 512, 5));
    assert_eq!(found.info.blind_spots, [""; 0]);
    let file_system = found.info.file_system.unwrap();
    assert_eq!(file_system.kind, "ext4");
    assert_eq!(file_system.mount_options, ["rw", "data=ordered"]);
}

#[test]
fn device_mapper_over_raid_over_partitions_ends_in_the_disks() {
    let machine = Machine::new();
    machine.plain("sda", "8:0").plain("sda/sda1", "8:1");
    machine.plain("sdb", "8:16").plain("sdb/sdb1", "8:17");
    machine.plain("md0", "9:0").plain("dm-0", "253:0");
    machine.write("sys/devices/md0/md/level", "raid1\n");
    machine.write("sys/devices/dm-0/dm/name", "vg-home\n");
    machine.slaves("md0", &["sda/sda1", "sdb/sdb1"]);
    machine.slaves("dm-0", &["md0"]);
    machine.mount("data", "253:0", "xfs /dev/mapper/vg-home rw");
    let found = machine.inspect("data");
    assert_eq!(names(&found), ["dm-0", "md0", "sda1", "sda", "sdb1", "sdb"]);
    assert_eq!(leaves(&found), ["sda", "sdb"]);
    assert_eq!(device(&found, "dm-0").kind, BlockDeviceKind::DeviceMapper);
    assert_eq!(device(&found, "md0").kind, BlockDeviceKind::Raid);
    assert_eq!(device(&found, "md0").parents, ["sda1", "sdb1"]);
    assert_eq!(found.counters.read().unwrap().read_bytes, 2 * 80 * 512);
}

#[test]
fn two_partitions_of_one_disk_count_it_once() {
    let machine = Machine::new();
    machine.plain("sda", "8:0");
    machine.plain("sda/sda1", "8:1").plain("sda/sda2", "8:2");
    machine.plain("md0", "9:0");
    machine.slaves("md0", &["sda/sda1", "sda/sda2"]);
    machine.mount("data", "9:0", "ext4 /dev/md0 rw");
    let found = machine.inspect("data");
    assert_eq!(names(&found), ["md0", "sda1", "sda", "sda2"]);
    assert_eq!(device(&found, "sda2").parents, ["sda"]);
    assert_eq!(found.counters.read().unwrap().read_bytes, 80 * 512);
}

fn loop_machine(direct: &str) -> Machine {
    let machine = Machine::new();
    machine.plain("vda", "254:0").plain("loop0", "7:0");
    machine.write("store/disk.img", "x");
    let image = machine.path("store/disk.img");
    machine.write(
        "sys/devices/loop0/loop/backing_file",
        image.to_str().unwrap(),
    );
    machine.write("sys/devices/loop0/loop/dio", direct);
    machine.mount("store", "254:0", "ext4 /dev/vda rw");
    machine.mount("data", "7:0", "ext4 /dev/loop0 rw");
    machine
}

#[test]
fn a_loop_device_stands_on_what_holds_its_file() {
    for (direct, expected) in [("0\n", Some(false)), ("1\n", Some(true)), ("?", None)] {
        let machine = loop_machine(direct);
        machine.write("sys/devices/vda/serial", "disk-1\n");
        let found = machine.inspect("data");
        assert_eq!(names(&found), ["loop0", "vda"]);
        assert_eq!(leaves(&found), ["vda"]);
        let top = device(&found, "loop0");
        assert_eq!(top.kind, BlockDeviceKind::Loop);
        assert_eq!(top.parents, ["vda"]);
        assert_eq!(top.backing_direct, expected);
        assert_eq!(
            top.backing_file.as_deref(),
            machine.path("store/disk.img").to_str()
        );
        let disk = device(&found, "vda");
        assert_eq!(disk.kind, BlockDeviceKind::VirtualDisk);
        assert_eq!(disk.serial.as_deref(), Some("disk-1"));
        assert!(found.counters.read().is_some());
    }
}

#[test]
fn a_loop_device_on_memory_or_on_a_deleted_file_proves_nothing() {
    let machine = loop_machine("0");
    machine.mount("store", "0:50", "tmpfs tmpfs rw");
    let found = machine.inspect("data");
    assert_eq!(leaves(&found), Vec::<&str>::new());
    assert_eq!(found.counters.read(), None);
    assert!(blind(&found).contains("lives in memory: there is no device"));

    let machine = loop_machine("0");
    machine.write("sys/devices/loop0/loop/backing_file", "/x.img (deleted)\n");
    let found = machine.inspect("data");
    assert_eq!(found.counters.read(), None);
    assert!(blind(&found).contains("/x.img, has been deleted"));
}

#[test]
fn a_loop_device_inside_itself_ends() {
    let machine = loop_machine("0");
    machine.mount("store", "7:0", "ext4 /dev/loop0 rw");
    let found = machine.inspect("data");
    assert_eq!(names(&found), ["loop0"]);
    assert_eq!(found.counters.read(), None);
}

#[test]
fn it_is_said_that_a_figure_is_that_of_two_disks_and_which_of_them_caches() {
    let machine = Machine::new();
    machine.plain("sda", "8:0").plain("nvme0n1", "259:0");
    machine.write("sys/devices/sda/queue/rotational", "1\n");
    machine.write("sys/devices/nvme0n1/queue/rotational", "0\n");
    machine.plain("bcache0", "252:0");
    machine.slaves("bcache0", &["nvme0n1", "sda"]);
    machine.write("sys/devices/sda/bcache/cache_mode", "[writethrough]\n");
    machine.write("sys/devices/nvme0n1/bcache/bucket_size", "512k\n");
    machine.link("sys/devices/bcache0/bcache", "../sda/bcache");
    machine.mount("data", "252:0", "ext4 /dev/bcache0 rw");
    let found = machine.inspect("data");
    assert_eq!(leaves(&found), ["nvme0n1", "sda"]);
    assert!(
        found.counters.read().is_some(),
        "all bytes pass one of them"
    );
    assert!(blind(&found).contains("bcache0 is a bcache: nvme0n1 answers for sda"));
    let two_kinds = "sda, which rotates, and nvme0n1, which does not";
    assert!(blind(&found).contains(two_kinds));

    machine.write("sys/devices/sda/queue/rotational", "0\n");
    assert!(!blind(&machine.inspect("data")).contains("rotates"));
}

#[test]
fn a_mapped_device_without_a_disk_is_memory() {
    let machine = Machine::new();
    machine.plain("dm-0", "253:0");
    machine.mount("data", "253:0", "ext4 /dev/dm-0 rw");
    let found = machine.inspect("data");
    assert_eq!(device(&found, "dm-0").kind, BlockDeviceKind::Memory);
    machine.plain("sda", "8:0").slaves("dm-0", &["sda"]);
    let found = machine.inspect("data");
    assert_eq!(device(&found, "dm-0").kind, BlockDeviceKind::DeviceMapper);
}

#[test]
fn members_that_lead_in_a_circle_end() {
    let machine = Machine::new();
    machine.plain("dm-0", "253:0").plain("dm-1", "253:1");
    machine.slaves("dm-0", &["dm-1"]).slaves("dm-1", &["dm-0"]);
    machine.mount("data", "253:0", "ext4 /dev/dm-0 rw");
    let found = machine.inspect("data");
    assert_eq!(names(&found), ["dm-0", "dm-1"]);
    assert_eq!(found.counters.read(), None);
}

#[test]
fn a_stack_that_is_too_deep_is_cut_and_said() {
    let machine = Machine::new();
    for index in 0..40 {
        machine.plain(&format!("dm-{index}"), &format!("253:{index}"));
    }
    for index in 0..39 {
        machine.slaves(&format!("dm-{index}"), &[&format!("dm-{}", index + 1)]);
    }
    machine.mount("data", "253:0", "ext4 /dev/dm-0 rw");
    let found = machine.inspect("data");
    assert_eq!(found.info.devices.len(), 16);
    assert_eq!(found.counters.read(), None);
    assert!(blind(&found).contains("more than 16 levels"));
}

#[test]
fn btrfs_stands_on_all_its_devices() {
    let machine = Machine::new();
    machine.plain("sda", "8:0").plain("sdb", "8:16");
    machine.plain("dm-3", "253:3");
    machine.write("sys/devices/dm-3/dm/name", "crypt");
    machine
        .btrfs("a", "sda")
        .btrfs("b", "sdb")
        .btrfs("b", "dm-3");
    machine.mount("data", "0:40", "btrfs /dev/mapper/crypt rw,subvol=/");
    machine.mount("linked", "0:41", "btrfs /dev/disk/by-label/x rw");
    machine.mount("lost", "0:42", "btrfs /dev/sdz rw");
    machine.write("dev/sdb", "");
    machine.link("dev/disk/by-label/x", "../../sdb");

    for directory in ["data", "linked"] {
        let found = machine.inspect(directory);
        assert_eq!(names(&found), ["dm-3", "sdb"], "{directory}");
        assert_eq!(found.counters.read().unwrap().written_ios, 40);
    }
    let found = machine.inspect("lost");
    assert_eq!(names(&found), Vec::<&str>::new());
    assert!(blind(&found).contains("none that belongs to /dev/sdz"));
}

#[test]
fn nvme_partitions_stand_on_the_namespace() {
    let machine = Machine::new();
    machine.plain("nvme0n1", "259:0");
    machine.plain("nvme0n1/nvme0n1p2", "259:2");
    machine.write("sys/devices/nvme0n1/device/model", "Fast SSD 990  \n");
    machine.write("sys/devices/nvme0n1/device/serial", "S1\n");
    machine.mount("data", "259:2", "ext4 /dev/nvme0n1p2 rw");
    let found = machine.inspect("data");
    assert_eq!(names(&found), ["nvme0n1p2", "nvme0n1"]);
    let disk = device(&found, "nvme0n1");
    assert_eq!(disk.model.as_deref(), Some("Fast SSD 990"));
    assert_eq!(disk.serial.as_deref(), Some("S1"));
    assert_eq!(found.counters.read().unwrap().written_bytes, 160 * 512);
}

#[test]
fn nvme_multipath_counts_on_the_paths() {
    let machine = Machine::new();
    machine.plain("nvme0n1", "259:0");
    machine.write("sys/devices/nvme0n1/stat", "0 0 0 0 0 0 0 0 0 0 0\n");
    for path in ["nvme0c0n1", "nvme0c1n1"] {
        machine.write(&format!("sys/class/block/{path}/stat"), STAT);
    }
    machine.mount("data", "259:0", "ext4 /dev/nvme0n1 rw");
    let found = machine.inspect("data");
    assert_eq!(leaves(&found), ["nvme0n1"]);
    assert_eq!(found.counters.read().unwrap().read_bytes, 2 * 80 * 512);
}

#[test]
fn virtual_and_memory_disks_are_told_from_real_ones() {
    for (name, file, text, kind) in [
        ("sda", "vendor", "VMware  \n", BlockDeviceKind::VirtualDisk),
        (
            "sda",
            "model",
            "QEMU HARDDISK\n",
            BlockDeviceKind::VirtualDisk,
        ),
        (
            "sda",
            "model",
            "VBOX HARDDISK\n",
            BlockDeviceKind::VirtualDisk,
        ),
        ("sda", "vendor", "Msft\n", BlockDeviceKind::VirtualDisk),
        ("xvda", "x", "", BlockDeviceKind::VirtualDisk),
        ("zram0", "x", "", BlockDeviceKind::Memory),
        ("nullb0", "x", "", BlockDeviceKind::Memory),
        ("ram3", "x", "", BlockDeviceKind::Memory),
        ("sda", "vendor", "ATA\n", BlockDeviceKind::Disk),
    ] {
        let machine = Machine::new();
        machine.plain(name, "8:0");
        machine.write(&format!("sys/devices/{name}/device/{file}"), text);
        machine.mount("data", "8:0", "ext4 /dev/x rw");
        let found = machine.inspect("data");
        assert_eq!(device(&found, name).kind, kind, "{name} {text}");
        assert!(device(&found, name).is_leaf);
    }
}

#[test]
fn an_overlay_is_followed_to_its_upper_directory() {
    let machine = Machine::new();
    machine.plain("sda", "8:0").plain("sdb", "8:16");
    let (upper, lower) = (machine.path("upper/d"), machine.path("lower"));
    let options = format!(
        "overlay overlay rw,lowerdir={},upperdir={},workdir=/w",
        lower.display(),
        upper.display()
    );
    machine.mount("upper", "8:0", "ext4 /dev/sda rw");
    machine.mount("lower", "8:16", "ext4 /dev/sdb rw");
    machine.mount("data", "0:60", &options);
    let found = machine.inspect("data");
    assert_eq!(names(&found), Vec::<&str>::new());
    assert!(blind(&found).contains("is an overlay, as in a container"));
    assert_eq!(found.info.file_system.unwrap().kind, "overlay");

    fs::create_dir_all(&upper).unwrap();
    assert_eq!(leaves(&machine.inspect("data")), ["sda"]);

    // A file is followed to the layer that has it.
    machine.write("data/file", "seen through the overlay");
    machine.write("lower/file", "seen through the overlay");
    assert_eq!(leaves(&machine.inspect("data/file")), ["sdb"]);
    machine.write("upper/d/file", "seen through the overlay");
    assert_eq!(leaves(&machine.inspect("data/file")), ["sda"]);
}

#[test]
fn counters_that_are_switched_off_are_named() {
    let machine = Machine::new();
    machine.plain("sda", "8:0");
    machine.write("sys/devices/sda/queue/iostats", "0\n");
    machine.mount("data", "8:0", "ext4 /dev/sda rw");
    let found = machine.inspect("data");
    assert_eq!(found.counters.read(), None);
    assert_eq!(
        found.info.blind_spots,
        ["the kernel keeps no I/O counters for sda (queue/iostats is 0)"]
    );
    assert_eq!(device(&found, "sda").counts_io, Some(false));
}

#[test]
fn old_kernels_without_flush_counts_and_devices_without_counts_are_named() {
    let machine = Machine::new();
    machine.plain("sda", "8:0").plain("sdb", "8:16");
    machine.write("sys/devices/sda/stat", "1 0 8 0 2 0 16 0 0 0 0\n");
    fs::remove_file(machine.path("sys/devices/sdb/stat")).unwrap();
    machine.mount("data", "8:0", "ext4 /dev/sda rw");
    machine.mount("other", "8:16", "ext4 /dev/sdb rw");
    let found = machine.inspect("data");
    assert_eq!(found.counters.read().unwrap().read_bytes, 8 * 512);
    assert!(blind(&found).contains("counts no flushes"));
    let found = machine.inspect("other");
    assert_eq!(found.counters.read(), None);
    assert!(blind(&found).contains("are not seen"));
}

#[test]
fn a_zfs_volume_and_a_missing_device_prove_nothing() {
    let machine = Machine::new();
    machine.plain("zd0", "230:0");
    machine.mount("data", "230:0", "ext4 /dev/zd0 rw");
    machine.mount("gone", "8:77", "ext4 /dev/sdx rw");
    let found = machine.inspect("data");
    assert_eq!(found.counters.read(), None);
    assert!(blind(&found).contains("is a ZFS volume"));
    let found = machine.inspect("gone");
    assert_eq!(found.counters.read(), None);
    assert_eq!(
        found.info.blind_spots,
        ["the block device 8:77 is not seen in sysfs"]
    );
}

#[test]
fn a_machine_that_tells_nothing_gives_blind_spots_and_no_panic() {
    let machine = Machine::new();
    let found = machine.inspect("data");
    assert!(found.info.file_system.is_none());
    assert!(blind(&found).contains("is not seen"));
    assert_eq!(found.counters.read(), None);
}

#[test]
fn hostile_descriptions_never_panic() {
    let hostile: [&[u8]; 8] = [
        b"",
        b"\n",
        b"\0\0\0",
        b"-1",
        b"99999999999999999999999",
        b"\xff\xfe[",
        b"[]",
        b"../../..",
    ];
    for text in hostile {
        let machine = loop_machine("1");
        for file in [
            "loop0/size",
            "loop0/dev",
            "loop0/loop/backing_file",
            "loop0/queue/scheduler",
            "loop0/queue/iostats",
            "vda/stat",
            "vda/device/vpd_pg80",
            "vda/queue/max_sectors_kb",
        ] {
            machine.write(&format!("sys/devices/{file}"), text);
        }
        let found = machine.inspect("data");
        let _ = found.counters.read();
        machine.mount("data", "../..", "ext4 /dev/.. rw");
        let _ = machine.inspect("data");
        machine.mount("data", "0:1", "btrfs /dev/.. rw");
        assert_eq!(machine.inspect("data").counters.read(), None);
    }
}
