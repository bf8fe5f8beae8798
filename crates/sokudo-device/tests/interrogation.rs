//! What is known of disks that may not be asked: what sysfs keeps of them.

#![expect(
    clippy::unwrap_used,
    reason = "a tree that cannot be made fails the test"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use sokudo_device::{System, interrogate};
use tempfile::TempDir;

fn page(name: &str) -> Vec<u8> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    fs::read(directory.join(name)).unwrap()
}

/// A tree with one disk on a bus, and a partition of it.
fn tree(disk: &str, bus: &str, files: &[(&str, Vec<u8>)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("sys/devices").join(disk);
    let partition = directory.join(format!("{disk}1"));
    for path in [
        &directory.join("queue"),
        &directory.join("device"),
        &partition,
    ] {
        fs::create_dir_all(path).unwrap();
    }
    fs::write(directory.join("dev"), "8:0").unwrap();
    fs::write(directory.join("queue/write_cache"), "write back\n").unwrap();
    fs::write(partition.join("dev"), "8:1").unwrap();
    fs::write(partition.join("partition"), "1").unwrap();
    for (name, bytes) in files {
        fs::write(directory.join("device").join(name), bytes).unwrap();
    }
    if !bus.is_empty() {
        let bus = root.path().join("sys/bus").join(bus);
        fs::create_dir_all(&bus).unwrap();
        symlink(&bus, directory.join("device/subsystem")).unwrap();
    }
    let class = root.path().join("sys/class/block");
    fs::create_dir_all(&class).unwrap();
    symlink(&directory, class.join(disk)).unwrap();
    symlink(&partition, class.join(format!("{disk}1"))).unwrap();
    root
}

#[test]
fn an_ata_disk_is_known_by_the_page_that_the_kernel_keeps() {
    let files = [
        ("inquiry", page("qemu-ide.inquiry")),
        ("vpd_pg89", page("qemu-ide.vpd89")),
    ];
    let root = tree("sda", "scsi", &files);
    for path in ["/dev/sda", "/dev/sda1"] {
        let found = interrogate(&System::at(root.path()), Path::new(path));
        let disk = found.identity.ata.unwrap();
        assert_eq!((&*disk.model, disk.rotation_rate), ("QEMU HARDDISK", 7200));
        assert_eq!(found.identity.scsi.unwrap().vendor, "ATA");
        // The page may be years old: it tells no state.
        assert_eq!((disk.write_cache, found.write_cache.enabled), (None, None));
        assert_eq!(found.write_cache.kernel_view.as_deref(), Some("write back"));
        assert_eq!(found.raw["VPD 89h"].len(), 572);
        assert_eq!(found.blind_spots.len(), 1, "{:?}", found.blind_spots);
        assert!(found.blind_spots[0].contains("another machine"));
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
    let root = tree("sdb", "scsi", &files);
    let found = interrogate(&System::at(root.path()), Path::new("/dev/sdb"));
    let disk = found.identity.scsi.unwrap();
    assert_eq!(disk.serial, None);
    assert_eq!(disk.designators, ["H1", "naa.5000c50028a7d7c8"]);
    assert!(!disk.ata_behind);
    let told = found.blind_spots.join(" ");
    assert!(told.contains("another page"), "{told}");
}

#[test]
fn disks_without_a_language_say_why_nothing_is_known() {
    for (disk, bus, word) in [
        ("vda", "virtio", "virtio"),
        ("zram0", "", "kernel"),
        ("mmcblk0", "mmc", "memory cards"),
        ("nbd0", "xyz", "driver"),
    ] {
        let root = tree(disk, bus, &[]);
        let path = format!("/dev/{disk}");
        let found = interrogate(&System::at(root.path()), Path::new(&path));
        assert!(found.identity.ata.is_none() && found.identity.scsi.is_none());
        let [sentence] = &found.blind_spots[..] else {
            panic!("{:?}", found.blind_spots);
        };
        assert!(
            sentence.starts_with(disk) && sentence.contains(word),
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
