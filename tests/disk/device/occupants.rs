//! Who uses a device: on images made by the tools themselves, and on loop devices
//! where we are root.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use sokudo_device::{
    DeviceEnds, HEAD_BYTES, OccupancyError, System, TAIL_BYTES, occupants, signatures,
};
use sokudo_model::Occupant;

use tempfile::TempPath;

use crate::loop_device::{LoopDevice, Mounted};
use crate::sokudo::skip;

/// Large enough for every file system's smallest.
const IMAGE_BYTES: u64 = 320 << 20;

/// What makes each file system and table, and how it must be called afterwards.
const MAKERS: [(&str, &str); 9] = [
    ("mkfs.ext2 -q -F $1", "ext2"),
    ("mkfs.ext3 -q -F $1", "ext3"),
    ("mkfs.ext4 -q -F $1", "ext4"),
    ("mkfs.xfs -q -f $1", "XFS"),
    ("mkfs.btrfs -q -f $1", "btrfs"),
    ("mkswap $1", "swap space"),
    ("mkfs.vfat $1", "FAT"),
    (
        "echo label: gpt$'\n',16MiB | sfdisk --quiet $1",
        "a GPT partition table",
    ),
    (
        "echo label: dos$'\n',16MiB | sfdisk --quiet $1",
        "an MBR partition table",
    ),
];

/// A file of this size.
fn image() -> TempPath {
    let image = tempfile::NamedTempFile::new().unwrap();
    image.as_file().set_len(IMAGE_BYTES).unwrap();
    image.into_temp_path()
}

#[test]
fn a_regular_file_has_no_occupants() {
    let image = image();
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

/// Runs a script of a shell with an image as `$1`; None, said loudly, where it fails.
fn made_by(script: &str) -> Option<TempPath> {
    let image = image();
    let mut shell = Command::new("bash");
    let output = shell.args(["-c", script, "bash"]).arg(&image).output();
    if output.is_ok_and(|output| output.status.success()) {
        return Some(image);
    }
    skip(&format!("{script} cannot be run"));
    None
}

#[test]
fn what_real_tools_make_of_an_image_is_recognised() {
    for (script, name) in MAKERS {
        let Some(image) = made_by(script) else {
            continue;
        };
        let found = recognised(&image);
        assert!(found.contains(&name.to_owned()), "{script}: {found:?}");
    }
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn an_empty_loop_device_is_free_and_told_when_it_is_not() {
        let Some(device) = LoopDevice::new(IMAGE_BYTES, false) else {
            return;
        };
        assert_eq!(found(&device.path), []);
        if !device.made_by(&["mkfs.ext4", "-q", "-F"]) {
            return;
        }
        let signed = found(&device.path);
        assert!(
            matches!(&signed[..], [Occupant::Signature { what, .. }] if *what == "ext4"),
            "{signed:?}"
        );
        let mounted = Mounted::new(&device, &[]);
        let found = found(&device.path);
        let is_there =
            |it: &Occupant| matches!(it, Occupant::Mounted { at, .. } if at == mounted.at());
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
            skip("no mounted device can be read here");
            return;
        };
        let found = found(Path::new(root));
        let is_mounted = |it: &Occupant| matches!(it, Occupant::Mounted { .. });
        assert!(found.iter().any(is_mounted), "{root}: {found:?}");
    }
}
