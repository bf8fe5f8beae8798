//! Who uses a device: on images made by the tools themselves, and on loop devices
//! where we are root.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells loudly what it skips"
)]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sokudo_device::{
    DeviceEnds, HEAD_BYTES, OccupancyError, System, TAIL_BYTES, occupants, signatures,
};
use sokudo_model::Occupant;

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
fn images_of_real_tools_are_recognised() {
    let _turn = turn();
    for (maker, arguments, name) in MAKERS {
        let image = image();
        let Some(()) = run(maker, arguments, image.path()) else {
            continue;
        };
        let found = recognised(image.path());
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
        let image = image();
        let script = format!(
            "printf 'label: {label}\\n,16MiB\\n' | sfdisk --quiet {}",
            image.path().display()
        );
        let Some(()) = run("bash", &["-c", &script], Path::new("")) else {
            continue;
        };
        let found = recognised(image.path());
        assert!(found.contains(&name.to_owned()), "{label}: {found:?}");
    }
}

#[test]
fn a_regular_file_has_no_occupants() {
    let image = image();
    let refused = occupants(&System::host(), image.path());
    assert!(matches!(refused, Err(OccupancyError::NotBlockDevice(_))));
    let missing = occupants(&System::host(), Path::new("/does/not/exist"));
    assert!(matches!(missing, Err(OccupancyError::Unreadable { .. })));
}

#[test]
fn an_empty_loop_device_is_free_and_told_when_it_is_not() {
    let _turn = turn();
    let Some(device) = LoopDevice::new() else {
        return;
    };
    assert_eq!(found(&device.path), []);
    let Some(()) = run("mkfs.ext4", &["-q", "-F"], &device.path) else {
        return;
    };
    let signed = found(&device.path);
    assert!(
        matches!(&signed[..], [Occupant::Signature { what, .. }] if what == "ext4"),
        "{signed:?}"
    );
    let place = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args([&device.path, place.path()])
        .status()
        .unwrap();
    assert!(mounted.success());
    let found = found(&device.path);
    let unmounted = Command::new("umount").arg(place.path()).status().unwrap();
    assert!(unmounted.success());
    let at = place.path().display().to_string();
    assert!(
        found
            .iter()
            .any(|occupant| matches!(occupant, Occupant::Mounted { at: seen, .. } if *seen == at)),
        "{found:?}"
    );
}

#[test]
fn the_disk_that_this_machine_runs_on_is_occupied() {
    let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let root = table
        .lines()
        .filter_map(|line| line.split(" - ").nth(1)?.split(' ').nth(1))
        .find(|source| source.starts_with("/dev/"));
    let Some(root) = root.filter(|root| File::open(root).is_ok()) else {
        eprintln!("SKIPPED: no mounted device can be read here");
        return;
    };
    let found = found(Path::new(root));
    assert!(
        found
            .iter()
            .any(|occupant| matches!(occupant, Occupant::Mounted { .. })),
        "{root}: {found:?}"
    );
}

/// One test at a time: what one has open is in the hands of what another starts, until that
/// has become another program.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn found(path: &Path) -> Vec<Occupant> {
    occupants(&System::host(), path).unwrap().occupants
}

fn image() -> tempfile::NamedTempFile {
    let image = tempfile::NamedTempFile::new().unwrap();
    image.as_file().set_len(IMAGE_BYTES).unwrap();
    image
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

/// Runs a tool on a path; None, said loudly, where it is not installed or fails.
fn run(program: &str, arguments: &[&str], path: &Path) -> Option<()> {
    let mut command = Command::new(program);
    command.args(arguments);
    if path != Path::new("") {
        command.arg(path);
    }
    match command.output() {
        Ok(output) if output.status.success() => Some(()),
        other => {
            eprintln!("SKIPPED: {program} cannot be run: {other:?}");
            None
        }
    }
}

/// A loop device, detached when dropped.
struct LoopDevice {
    path: PathBuf,
    _image: Option<tempfile::NamedTempFile>,
}

impl LoopDevice {
    fn new() -> Option<Self> {
        let image = image();
        let device = Self::on(image.path())?;
        Some(Self {
            path: device.detached(),
            _image: Some(image),
        })
    }

    fn on(path: &Path) -> Option<Self> {
        let output = Command::new("losetup")
            .args(["--show", "--find"])
            .arg(path)
            .output();
        match output {
            Ok(output) if output.status.success() => Some(Self {
                path: PathBuf::from(String::from_utf8(output.stdout).unwrap().trim()),
                _image: None,
            }),
            _ => {
                eprintln!("SKIPPED: losetup attaches no loop device here");
                None
            }
        }
    }

    /// Its path; it stays attached.
    fn detached(self) -> PathBuf {
        let path = self.path.clone();
        std::mem::forget(self);
        path
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.path).status();
    }
}
