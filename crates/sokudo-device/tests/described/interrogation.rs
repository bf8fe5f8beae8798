//! What is known of disks that may not be asked: what sysfs keeps of them.

use std::fs;
use std::path::Path;

use sokudo_device::{System, interrogate};

use crate::invented::Machine;
use crate::page;

/// A machine with one disk on a bus, and a partition of it.
fn tree(disk: &str, bus: &str, files: &[(&str, Vec<u8>)]) -> Machine {
    let machine = Machine::new();
    machine.device(
        disk,
        "8:0",
        1 << 20,
        &[("queue/write_cache", "write back\n")],
    );
    let part = format!("{disk}/{disk}1");
    machine.device(&part, "8:1", 1 << 20, &[("partition", "1")]);
    let device = format!("sys/devices/{disk}/device");
    fs::create_dir_all(machine.path(&device)).unwrap();
    for (name, bytes) in files {
        machine.write(&format!("{device}/{name}"), bytes);
    }
    if !bus.is_empty() {
        let bus = machine.path(&format!("sys/bus/{bus}"));
        fs::create_dir_all(&bus).unwrap();
        machine.link(&format!("{device}/subsystem"), bus);
    }
    machine
}

#[test]
fn an_ata_disk_is_known_by_the_page_that_the_kernel_keeps() {
    let files = [
        ("inquiry", page("qemu-ide.inquiry")),
        ("vpd_pg89", page("qemu-ide.vpd89")),
    ];
    let machine = tree("sda", "scsi", &files);
    for path in ["/dev/sda", "/dev/sda1"] {
        let found = interrogate(&machine.system(), Path::new(path));
        let disk = found.identity.ata.unwrap();
        assert_eq!((&*disk.model, disk.rotation_rate), ("QEMU HARDDISK", 7200));
        assert_eq!(found.identity.scsi.unwrap().vendor, "ATA");
        // The page may be years old: it tells no state.
        assert_eq!((disk.write_cache, found.write_cache.enabled), (None, None));
        assert_eq!(found.write_cache.kernel_view.as_deref(), Some("write back"));
        assert_eq!(found.raw["VPD 89h"].len(), 572);
        assert_eq!(found.blind_spots.len(), 1, "{:?}", found.blind_spots);
        assert!(found.blind_spots[0].english().contains("another machine"));
    }
}

#[test]
fn damaged_pages_are_told_and_the_rest_is_read() {
    let mut damaged = page("qemu-ide.vpd89");
    damaged.truncate(300);
    let files = [
        ("inquiry", page("qemu-scsi.inquiry")),
        ("vpd_pg80", vec![0, 0x83, 0, 2, b'X', b'Y']),
        ("vpd_pg83", page("qemu-scsi.vpd83")),
        ("vpd_pg89", damaged),
    ];
    let machine = tree("sdb", "scsi", &files);
    let found = interrogate(&machine.system(), Path::new("/dev/sdb"));
    let disk = found.identity.scsi.unwrap();
    assert_eq!(disk.serial, None);
    assert_eq!(disk.designators, ["H1", "naa.5000c50028a7d7c8"]);
    assert!(!disk.ata_behind);
    let told = sokudo_words::Text::list(found.blind_spots.iter().cloned(), " ").english();
    assert!(told.contains("not the page that was asked for"), "{told}");
}

#[test]
fn disks_without_a_language_say_why_nothing_is_known() {
    for (disk, bus, word) in [
        ("vda", "virtio", "virtio"),
        ("zram0", "", "kernel"),
        ("mmcblk0", "mmc", "memory cards"),
        ("nbd0", "xyz", "driver"),
    ] {
        let machine = tree(disk, bus, &[]);
        let path = format!("/dev/{disk}");
        let found = interrogate(&machine.system(), Path::new(&path));
        assert!(found.identity.ata.is_none() && found.identity.scsi.is_none());
        let [sentence] = &found.blind_spots[..] else {
            panic!("{:?}", found.blind_spots);
        };
        assert!(
            sentence.english().starts_with(disk) && sentence.english().contains(word),
            "{sentence}"
        );
    }
}

#[test]
fn what_is_no_disk_says_so() {
    for path in ["/dev/null", "/nonexistent", "relative", ""] {
        let found = interrogate(&System::host(), Path::new(path));
        assert_eq!(found.blind_spots.len(), 1);
        assert!(found.raw.is_empty());
    }
}
