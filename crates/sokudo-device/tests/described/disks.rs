//! Disks of invented machines: a `sys`, a `proc`, a `dev` and a `run` in a temporary
//! directory, with disks of every bus and what stands on them.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use sokudo_device::{FindError, disk, disks, find};
use sokudo_model::disk::{Bus, Content, Disk, Rotation};
use sokudo_model::{BlockDeviceKind, Bytes};

use sokudo_words::Text;

use crate::invented::Machine;

const GIB: u64 = 1 << 30;

/// A machine on which nothing is mounted.
fn machine() -> Machine {
    let machine = Machine::new();
    machine.write("proc/self/mountinfo", "");
    machine
}

impl Machine {
    fn partition(&self, place: &str, number: &str, start: u64, size: u64) {
        let start = (start / 512).to_string();
        let files = [("partition", "1"), ("start", &start)];
        self.device(place, number, size, &files);
    }

    /// Puts bytes at places of a device's node.
    fn node(&self, name: &str, size: u64, bytes: &[(u64, &[u8])]) {
        self.write(&format!("dev/{name}"), "");
        let node = File::options()
            .write(true)
            .open(self.path(&format!("dev/{name}")))
            .unwrap();
        node.set_len(size).unwrap();
        for (offset, bytes) in bytes {
            node.write_all_at(bytes, *offset).unwrap();
        }
    }

    fn disk(&self, name: &str) -> Disk {
        disk(&self.system(), Path::new(&format!("/dev/{name}"))).unwrap()
    }
}

const ATA: &str = "pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda";

/// A SATA hard disk of 4 TB whose link is slower than it could be.
fn hard_disk(machine: &Machine) {
    machine.device(
        ATA,
        "8:0",
        4000 * GIB,
        &[
            ("device/vendor", "ATA     "),
            ("device/model", "WDC WD40EFRX-68N"),
            ("device/rev", "0A82"),
            ("device/wwid", "naa.50014ee2b0000001"),
            ("queue/rotational", "1"),
            ("queue/logical_block_size", "512"),
            ("queue/physical_block_size", "4096"),
            ("queue/scheduler", "[mq-deadline] none"),
            ("queue/write_cache", "write back"),
            ("removable", "0"),
            ("ro", "0"),
        ],
    );
    machine.write("sys/class/ata_link/link1/sata_spd", "3.0 Gbps\n");
    machine.write("sys/class/ata_link/link1/hw_sata_spd_limit", "6.0 Gbps\n");
    machine.write("run/udev/data/b8:0", "E:ID_MODEL_ENC=WDC\\x20WD40EFRX-68N32N0\\x20\nE:ID_SERIAL_SHORT=WD-WCC7K0000001\nE:ID_PART_TABLE_TYPE=gpt\n");
    let link = "dev/disk/by-id/ata-WDC_WD40EFRX-68N32N0_WD-WCC7K0000001";
    machine.link(link, "../../sda");
}

fn names<'a>(contents: &'a [Content], found: &mut Vec<(&'a Text, Option<&'a str>)>) {
    for content in contents {
        found.push((&content.what, content.device.as_deref()));
        names(&content.contents, found);
    }
}

/// Everything in the tree, from the top down.
fn tree(disk: &Disk) -> Vec<(String, Option<&str>)> {
    let mut found = Vec::new();
    names(&disk.contents, &mut found);
    let found = found.into_iter();
    found
        .map(|(what, device)| (what.english(), device))
        .collect()
}

fn within<'a>(contents: &'a [Content], what: &str) -> Option<&'a Content> {
    contents
        .iter()
        .find_map(|content| match content.what.english().starts_with(what) {
            true => Some(content),
            false => within(&content.contents, what),
        })
}

#[test]
fn a_hard_disk_with_partitions_lvm_and_luks() {
    let machine = machine();
    hard_disk(&machine);
    machine.partition(&format!("{ATA}/sda1"), "8:1", 1 << 20, GIB);
    machine.partition(&format!("{ATA}/sda2"), "8:2", GIB + 63 * 512, 3000 * GIB);
    machine.write("run/udev/data/b8:1", "E:DEVTYPE=partition\nE:ID_FS_TYPE=vfat\nE:ID_FS_LABEL_ENC=EFI\\x20x\nE:ID_FS_UUID=1234-ABCD\nE:ID_PART_TABLE_TYPE=gpt\n");
    machine.node("sda", 1 << 20, &[(512, b"EFI PART")]);
    machine.node(
        "sda2",
        1 << 20,
        &[(0, b"LUKS\xba\xbe\0\x02"), (24, b"secret")],
    );
    let (crypt, volume) = ("virtual/block/dm-0", "virtual/block/dm-1");
    machine.device(
        crypt,
        "252:0",
        3000 * GIB,
        &[("dm/name", "safe"), ("dm/uuid", "CRYPT-LUKS2-0a1b-safe")],
    );
    machine.device(
        volume,
        "252:1",
        100 * GIB,
        &[("dm/name", "data-my--home"), ("dm/uuid", "LVM-abcdef")],
    );
    machine.stands_on(crypt, &format!("{ATA}/sda2"));
    machine.stands_on(volume, crypt);
    machine.mount_at("/boot/efi", "8:1", "vfat /dev/sda1 rw");
    machine.mount_at("/home", "252:1", "ext4 /dev/mapper/data-my--home rw");
    let found = machine.disk("sda");
    assert_eq!(found.model.as_deref(), Some("WDC WD40EFRX-68N32N0"));
    assert_eq!(found.vendor, None, "ATA is no maker");
    assert_eq!(found.serial.as_deref(), Some("WD-WCC7K0000001"));
    assert_eq!(found.firmware.as_deref(), Some("0A82"));
    let name = found.world_wide_name.as_deref();
    assert_eq!(name, Some("naa.50014ee2b0000001"));
    assert_eq!(found.rotation, Rotation::Turns);
    assert_eq!(found.bus, Some(Bus::Ata));
    let link = found.link.as_ref().unwrap();
    assert_eq!(link.negotiated.as_deref(), Some("3.0 Gbit/s"));
    assert_eq!(link.maximum.as_deref(), Some("6.0 Gbit/s"));
    assert_eq!(link.maximum_bytes_per_s, Some(600_000_000));
    assert_eq!(
        tree(&found),
        [
            ("GPT partition table", None),
            ("partition", Some("sda1")),
            ("FAT", None),
            ("partition", Some("sda2")),
            ("LUKS", None),
            ("opened LUKS volume safe", Some("dm-0")),
            ("LVM member", None),
            ("LVM volume data/my-home", Some("dm-1")),
            ("ext4", None),
        ]
        .map(|(what, device)| (what.to_owned(), device))
    );
    let fat = within(&found.contents, "FAT").unwrap();
    assert_eq!(fat.label.as_deref(), Some("EFI x"));
    assert_eq!(fat.mounted_on, ["/boot/efi"]);
    let luks = within(&found.contents, "LUKS").unwrap();
    assert_eq!(luks.label.as_deref(), Some("secret"));
    let parts: Vec<&Content> = found.contents[1..].iter().collect();
    assert_eq!(parts[0].remarks, [""; 0]);
    assert_eq!(parts[1].remarks, ["not aligned to 4 KiB"]);
    assert_eq!(parts[0].offset_bytes, Some(Bytes(1 << 20)));
    let all = disks(&machine.system());
    assert_eq!(all.len(), 1, "what stands on a disk is shown there");
}

#[test]
fn a_degraded_mirror_is_shown_on_its_members() {
    let machine = machine();
    let (one, two) = ("pci/ata1/block/sda", "pci/ata2/block/sdb");
    machine.device(one, "8:0", GIB, &[]);
    machine.device(two, "8:16", GIB, &[]);
    let array = "virtual/block/md0";
    machine.device(
        array,
        "9:0",
        GIB,
        &[
            ("md/level", "raid1"),
            ("md/raid_disks", "2"),
            ("md/degraded", "1"),
            ("md/array_state", "clean"),
            ("md/sync_action", "recover"),
            ("md/sync_completed", "25 / 100"),
            ("md/dev-sda/state", "in_sync"),
            ("md/dev-sdb/state", "faulty"),
        ],
    );
    machine.stands_on(array, one);
    machine.stands_on(array, two);
    machine.mount_at("/srv", "9:0", "xfs /dev/md0 rw");
    let found = disks(&machine.system());
    let [good, bad] = &found[..] else {
        panic!("{found:?}");
    };
    let array = within(&good.contents, "RAID 1").unwrap();
    assert_eq!(
        array.remarks,
        [
            "degraded: 1 of 2 members missing",
            "recover under way, 25 % done"
        ]
    );
    assert_eq!(array.contents[0].mounted_on, ["/srv"]);
    let remarks = |disk: &Disk| {
        within(&disk.contents, "RAID member")
            .unwrap()
            .remarks
            .clone()
    };
    assert_eq!(remarks(good), [""; 0]);
    assert_eq!(remarks(bad), ["faulty"]);
}

#[test]
fn an_nvme_disk_tells_its_lanes_and_its_heat() {
    let machine = machine();
    let port = "pci0000:00/0000:00:01.0";
    let function = format!("{port}/0000:01:00.0");
    let place = format!("{function}/nvme/nvme0/nvme0n1");
    let controller = format!("sys/devices/{function}/nvme/nvme0");
    machine.device(&place, "259:0", 1000 * GIB, &[("queue/rotational", "0")]);
    for (file, text) in [
        ("nvme/nvme0/model", "Samsung SSD 980 PRO 1TB   "),
        ("nvme/nvme0/serial", "S5GXNX0T000001"),
        ("nvme/nvme0/firmware_rev", "5B2QGXA7"),
        ("nvme/nvme0/transport", "pcie"),
        ("nvme/nvme0/hwmon1/temp1_input", "41850"),
        ("nvme/nvme0/hwmon1/temp1_max", "81850"),
        ("current_link_speed", "8.0 GT/s PCIe"),
        ("current_link_width", "2"),
        ("max_link_speed", "16.0 GT/s PCIe"),
        ("max_link_width", "4"),
        ("../max_link_speed", "8.0 GT/s PCIe"),
        ("../max_link_width", "16"),
    ] {
        machine.write(&format!("sys/devices/{function}/{file}"), text);
    }
    machine.link(
        &format!("sys/devices/{place}/device"),
        machine.path(&controller),
    );
    let below = machine.path(&format!("sys/devices/{function}"));
    machine.link(&format!("{controller}/device"), below);
    driven(&machine, &function, "nvme");
    let found = machine.disk("nvme0n1");
    assert_eq!(found.bus, Some(Bus::Nvme));
    assert_eq!(found.serial.as_deref(), Some("S5GXNX0T000001"));
    assert_eq!(found.firmware.as_deref(), Some("5B2QGXA7"));
    assert_eq!(found.rotation, Rotation::None);
    let link = found.link.unwrap();
    assert_eq!(link.negotiated.as_deref(), Some("8.0 GT/s x2"));
    assert_eq!(
        link.maximum.as_deref(),
        Some("8.0 GT/s x4"),
        "the slot limits"
    );
    assert_eq!(link.drive_maximum.as_deref(), Some("16.0 GT/s x4"));
    assert_eq!(link.controller.as_deref(), Some("nvme"));
    assert_eq!(found.health.temperature_celsius, Some(42));
    assert_eq!(found.health.temperature_warning_celsius, Some(82));
}

#[test]
fn a_usb_stick_has_the_serial_of_its_usb_side() {
    let machine = machine();
    let usb = "pci0000:00/usb2/2-1";
    let place = format!("{usb}/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb");
    let files = [
        ("device/vendor", "SanDisk "),
        ("device/model", "Ultra Fit"),
        ("removable", "1"),
    ];
    machine.device(&place, "8:16", 32 * GIB, &files);
    for (file, text) in [
        ("idVendor", "0781"),
        ("serial", "4C530001"),
        ("speed", "5000"),
    ] {
        machine.write(&format!("sys/devices/{usb}/{file}"), text);
    }
    machine.write(&format!("sys/devices/{usb}/2-1:1.0/bInterfaceClass"), "08");
    driver(&machine, &format!("{usb}/2-1:1.0"), "usb-storage");
    driven(&machine, "pci0000:00", "xhci_hcd");
    let found = machine.disk("sdb");
    assert_eq!(found.bus, Some(Bus::Usb));
    assert_eq!(found.serial.as_deref(), Some("4C530001"));
    assert_eq!(found.removable, Some(true));
    let link = found.link.unwrap();
    assert_eq!(link.negotiated_bytes_per_s, Some(500_000_000));
    assert_eq!(link.protocol.as_deref(), Some("usb-storage"));
    assert_eq!(link.controller.as_deref(), Some("xhci_hcd"));
}

/// Gives a device a driver.
fn driver(machine: &Machine, device: &str, driver: &str) {
    let bus = format!("sys/bus/drivers/{driver}");
    machine.write(&format!("{bus}/module"), "");
    let to = machine.path(&bus);
    machine.link(&format!("sys/devices/{device}/driver"), to);
}

/// Gives a device what PCI functions have.
fn driven(machine: &Machine, device: &str, name: &str) {
    driver(machine, device, name);
    machine.write(&format!("sys/devices/{device}/class"), "0x010802");
    machine.write(&format!("sys/devices/{device}/vendor"), "0x8086");
}

#[test]
fn a_virtio_disk_and_a_btrfs_over_two() {
    let machine = machine();
    for (name, number) in [("vda", "254:0"), ("vdb", "254:16")] {
        let place = format!("pci0000:00/virtio1/block/{name}");
        machine.device(&place, number, 8 * GIB, &[("serial", "disk-1")]);
        machine.btrfs("1f00-aa", &place);
    }
    machine.write("sys/fs/btrfs/1f00-aa/label", "pool\n");
    machine.mount_at("/pool", "0:33", "btrfs /dev/vda rw");
    let found = disks(&machine.system());
    assert_eq!(found.len(), 2);
    for (disk, other) in found.iter().zip(["vdb", "vda"]) {
        assert_eq!(disk.kind, BlockDeviceKind::VirtualDisk);
        assert_eq!(disk.bus, Some(Bus::Virtio));
        let btrfs = &disk.contents[0];
        assert_eq!(btrfs.what, "btrfs");
        assert_eq!(btrfs.label.as_deref(), Some("pool"));
        assert_eq!(btrfs.uuid.as_deref(), Some("1f00-aa"));
        assert_eq!(btrfs.mounted_on, ["/pool"]);
        assert_eq!(btrfs.remarks[0].english(), format!("together with {other}"));
    }
}

#[test]
fn all_paths_to_a_disk_are_one_disk() {
    let machine = machine();
    let map = "virtual/block/dm-0";
    machine.device(
        map,
        "252:0",
        GIB,
        &[("dm/name", "mpatha"), ("dm/uuid", "mpath-3600")],
    );
    for (name, number) in [("sda", "8:0"), ("sdb", "8:16")] {
        let place = format!("pci/host1/{name}");
        machine.device(&place, number, GIB, &[("device/serial", "3600A0B8")]);
        machine.stands_on(map, &place);
    }
    let found = disks(&machine.system());
    assert_eq!(found.len(), 2);
    assert_eq!(
        tree(&found[0]),
        [("multipath mpatha".to_owned(), Some("dm-0"))]
    );
    let path = find(&machine.system(), "3600a0b8").unwrap();
    assert_eq!(path, Path::new("/dev/dm-0"));
    assert_eq!(find(&machine.system(), "mpatha").unwrap(), path);
}

#[test]
fn devices_are_found_by_every_name() {
    let machine = machine();
    hard_disk(&machine);
    machine.partition(&format!("{ATA}/sda1"), "8:1", 1 << 20, GIB);
    machine.device(
        "pci/host1/sdb",
        "8:16",
        GIB,
        &[
            ("device/serial", "WD-WCC7K0000002"),
            ("device/model", "WDC WD40EFRX"),
        ],
    );
    let found = |word: &str| find(&machine.system(), word);
    for word in [
        "sda",
        "ata-WDC_WD40EFRX-68N32N0_WD-WCC7K0000001",
        "/dev/disk/by-id/ata-WDC_WD40EFRX-68N32N0_WD-WCC7K0000001",
        "WD-WCC7K0000001",
        "wd-wcc7k0000001",
        "k0000001",
        "50014ee2b0000001",
        "68n32n0",
    ] {
        assert_eq!(found(word).unwrap(), Path::new("/dev/sda"), "{word}");
    }
    assert_eq!(found("sda1").unwrap(), Path::new("/dev/sda1"));
    let FindError::Ambiguous { candidates, .. } = found("wd40efrx").unwrap_err() else {
        panic!("it fits both");
    };
    assert_eq!(
        candidates,
        [
            "sda (WDC WD40EFRX-68N32N0, serial WD-WCC7K0000001, 4.3 TB)",
            "sdb (WDC WD40EFRX, serial WD-WCC7K0000002, 1.1 GB)"
        ]
    );
    // In the world-wide name of one and the model of the other: that is no choice.
    machine.device(
        "pci/host1/sdc",
        "8:32",
        GIB,
        &[
            ("device/model", "OTHER"),
            ("device/wwid", "t10.ATA WDC WD40EFRX"),
        ],
    );
    assert!(matches!(
        found("wd40efrx"),
        Err(FindError::Ambiguous { candidates, .. }) if candidates.len() == 3
    ));
    let message = found("WD-WCC8").unwrap_err().to_string();
    assert!(message.contains("sdb (WDC"), "{message}");
    for word in ["", " ", "..", ".", "wd", "sda9", "\0", "\u{1b}[2J"] {
        assert!(
            matches!(found(word), Err(FindError::Nothing { .. })),
            "{word:?}"
        );
    }
}

#[test]
fn hostile_names_reach_no_terminal_in_messages() {
    let machine = machine();
    for name in ["sda", "sdb"] {
        let number = format!("8:{}", usize::from(name == "sdb"));
        let files = [
            ("device/model", "EVIL \u{1b}]0;x\u{7}"),
            ("device/serial", "1\u{9b}2"),
        ];
        machine.device(&format!("pci/host1/{name}"), &number, GIB, &files);
    }
    let message = find(&machine.system(), "evil").unwrap_err().to_string();
    assert!(!message.chars().any(char::is_control), "{message:?}");
}

#[test]
fn a_hundred_disks_are_all_there() {
    let machine = machine();
    for index in 0..100u64 {
        let place = format!("pci/host{index}/disk{index}");
        let serial = format!("SERIAL-{index:03}");
        machine.device(
            &place,
            &format!("8:{index}"),
            GIB * (index + 1),
            &[("device/serial", &serial)],
        );
        let part = format!("{place}/disk{index}p1");
        machine.partition(&part, &format!("259:{index}"), 1 << 20, GIB / 2);
        let number = format!("259:{index}");
        machine.mount_at(format!("/mnt/{index}"), &number, "ext4 /dev/x rw");
    }
    let found = disks(&machine.system());
    assert_eq!(found.len(), 100);
    for (index, disk) in found.iter().enumerate() {
        assert_eq!(disk.name, format!("disk{index}"));
        assert_eq!(disk.serial, Some(format!("SERIAL-{index:03}")));
        let partition = &disk.contents[0];
        assert_eq!(partition.contents[0].mounted_on, [format!("/mnt/{index}")]);
    }
}

#[test]
fn what_is_empty_is_left_out_unless_named() {
    let machine = machine();
    machine.device("virtual/block/loop0", "7:0", 0, &[]);
    machine.device(
        "virtual/block/loop1",
        "7:1",
        GIB,
        &[("loop/backing_file", "/data/image")],
    );
    machine.device("virtual/block/zram0", "253:0", 0, &[]);
    machine.device("virtual/block/ram0", "1:0", GIB, &[]);
    machine.device("virtual/block/nbd0", "43:0", 0, &[]);
    machine.device("pci/host1/sr0", "11:0", 0, &[("removable", "1")]);
    let found = disks(&machine.system());
    let names: Vec<&str> = found.iter().map(|disk| disk.name.as_str()).collect();
    assert_eq!(names, ["sr0", "loop1"]);
    assert_eq!(found[1].model.as_deref(), Some("/data/image"));
    for name in ["loop0", "zram0", "ram0"] {
        assert_eq!(machine.disk(name).name, name);
        assert_eq!(
            find(&machine.system(), name).unwrap(),
            Path::new("/dev").join(name)
        );
    }
}

#[test]
fn holders_that_lead_in_circles_end() {
    let machine = machine();
    machine.device("virtual/block/dm-0", "252:0", GIB, &[("dm/name", "a")]);
    machine.device("virtual/block/dm-1", "252:1", GIB, &[("dm/name", "b")]);
    machine.device("pci/host1/sda", "8:0", GIB, &[]);
    machine.stands_on("virtual/block/dm-0", "pci/host1/sda");
    machine.stands_on("virtual/block/dm-0", "virtual/block/dm-1");
    machine.stands_on("virtual/block/dm-1", "virtual/block/dm-0");
    let found = machine.disk("sda");
    assert!(
        found
            .blind_spots
            .iter()
            .any(|spot| spot.english().contains("levels")),
        "{found:?}"
    );
}

#[test]
fn contents_made_by_real_tools_bear_label_and_identifier() {
    let id = "0a1b2c3d-1111-4222-8333-444455556666";
    let makers = [
        ("mkfs.ext4", format!("-q -F -L name -U {id}"), "ext4", id),
        ("mkfs.xfs", format!("-q -f -L name -m uuid={id}"), "XFS", id),
        ("mkfs.btrfs", format!("-q -f -L name -U {id}"), "btrfs", id),
        ("mkswap", format!("-L name -U {id}"), "swap space", id),
        (
            "mkfs.vfat",
            "-n NAME -i 1234abcd".to_owned(),
            "FAT",
            "1234-ABCD",
        ),
    ];
    for (maker, arguments, what, uuid) in makers {
        let machine = machine();
        machine.device("pci/host1/sda", "8:0", 320 << 20, &[]);
        machine.node("sda", 320 << 20, &[]);
        let made = Command::new(maker)
            .args(arguments.split(' '))
            .arg(machine.path("dev/sda"))
            .output();
        if !made.is_ok_and(|output| output.status.success()) {
            eprintln!("SKIPPED: {maker} cannot be run");
            continue;
        }
        let found = machine.disk("sda");
        let content = within(&found.contents, what).unwrap_or_else(|| panic!("{maker}: {found:?}"));
        let label = content.label.as_deref().map(str::to_lowercase);
        assert_eq!(label.as_deref(), Some("name"), "{maker}");
        assert_eq!(content.uuid.as_deref(), Some(uuid), "{maker}");
    }
}
