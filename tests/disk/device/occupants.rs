//! Who uses a device: on images made by the tools themselves, and on loop devices
//! where we are root.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use sokudo_device::{
    DeviceEnds, HEAD_BYTES, OccupancyError, System, TAIL_BYTES, occupants, signatures,
};
use sokudo_model::Occupant;

use super::loop_device::{LoopDevice, image, made_by, run, skipped, turn};

/// Large enough for every file system's smallest.
const IMAGE_BYTES: u64 = 320 << 20;

/// What makes each file system, and how it must be called afterwards.
const MAKERS: [(&str, &[&str], &str); 7] = [
    ("mkfs.ext2", &["-q", "-F"], "ext2"),
    ("mkfs.ext3", &["-q", "-F"], "ext3"),
    ("mkfs.ext4", &["-q", "-F"], "ext4"),
    ("mkfs.xfs", &["-q", "-f"], "XFS"),
    ("mkfs.btrfs", &["-q", "-f"], "btrfs"),
    ("mkswap", &[], "swap space"),
    ("mkfs.vfat", &[], "FAT"),
];

#[test]
fn a_regular_file_has_no_occupants() {
    let image = image(IMAGE_BYTES);
    let refused = occupants(&System::host(), &image);
    assert!(matches!(refused, Err(OccupancyError::NotBlockDevice(_))));
    let missing = occupants(&System::host(), Path::new("/does/not/exist"));
    assert!(matches!(missing, Err(OccupancyError::Unreadable { .. })));
}

fn found(path: &Path) -> Vec<Occupant> {
    occupants(&System::host(), path).unwrap().occupants
}

fn recognised(path: &Path) -> Vec<String> {
    let file = File::open(path).unwrap();
    let size = file.metadata().unwrap().len();
    let read = |offset, length: u64| {
        let mut bytes = vec![0; usize::try_from(length).unwrap()];
        file.read_exact_at(&mut bytes, offset).unwrap();
        bytes
    };
    let (head, tail) = (
        read(0, HEAD_BYTES.min(size)),
        read(size.saturating_sub(TAIL_BYTES), TAIL_BYTES.min(size)),
    );
    let ends = DeviceEnds {
        head: &head,
        tail: &tail,
        size,
    };
    let found = signatures(&ends).into_iter();
    found.map(|signature| signature.what.to_owned()).collect()
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn images_of_real_tools_are_recognised() {
        let _turn = turn();
        for (maker, arguments, name) in MAKERS {
            let image = image(IMAGE_BYTES);
            let Some(()) = made_by(maker, arguments, &image) else {
                continue;
            };
            let found = recognised(&image);
            assert!(found.contains(&name.to_owned()), "{maker}: {found:?}");
        }
    }

    #[test]
    fn partition_tables_of_real_tools_are_recognised() {
        let _turn = turn();
        for (label, name) in [
            ("gpt", "a GPT partition table"),
            ("dos", "an MBR partition table"),
        ] {
            let image = image(IMAGE_BYTES);
            let script = format!(
                "printf 'label: {label}\\n,16MiB\\n' | sfdisk --quiet {}",
                image.display()
            );
            if run("bash", &["-c", &script]).is_none() {
                skipped("sfdisk cannot be run");
                continue;
            }
            let found = recognised(&image);
            assert!(found.contains(&name.to_owned()), "{label}: {found:?}");
        }
    }

    #[test]
    fn an_empty_loop_device_is_free_and_told_when_it_is_not() {
        let _turn = turn();
        let image = image(IMAGE_BYTES);
        let Some(device) = LoopDevice::on(&image, &[]) else {
            return;
        };
        assert_eq!(found(&device.path), []);
        let Some(()) = made_by("mkfs.ext4", &["-q", "-F"], &device.path) else {
            return;
        };
        let signed = found(&device.path);
        assert!(
            matches!(&signed[..], [Occupant::Signature { what, .. }] if *what == "ext4"),
            "{signed:?}"
        );
        let place = tempfile::tempdir().unwrap();
        let point = place.path().to_str().unwrap();
        run("mount", &[device.path.to_str().unwrap(), point]).unwrap();
        let found = found(&device.path);
        run("umount", &[point]).unwrap();
        let is_there = |it: &Occupant| matches!(it, Occupant::Mounted { at, .. } if at == point);
        assert!(found.iter().any(is_there), "{found:?}");
    }

    #[test]
    fn the_disk_that_this_machine_runs_on_is_occupied() {
        let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        let root = table
            .lines()
            .filter_map(|line| line.split(" - ").nth(1)?.split(' ').nth(1))
            .find(|source| source.starts_with("/dev/"));
        let Some(root) = root.filter(|root| File::open(root).is_ok()) else {
            skipped("no mounted device can be read here");
            return;
        };
        let found = found(Path::new(root));
        let is_mounted = |it: &Occupant| matches!(it, Occupant::Mounted { .. });
        assert!(found.iter().any(is_mounted), "{root}: {found:?}");
    }
}
