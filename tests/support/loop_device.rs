//! Loop devices and file systems on them, gone again when dropped.

#![allow(dead_code, reason = "each program of tests uses its part")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::keeper::Keeper;
use crate::sokudo::{has, is_root, skip};

/// Where a file system is mounted, in the directory of its image.
const MOUNT_POINT: &str = "mount";

/// The file that a device shows, in its directory.
const IMAGE: &str = "image";

/// Waits for the end of its input, then cleans up: the directory `$1`, what is mounted
/// in it, the device `$2`.
const KEEPER: &str = "read -r _; flock \"$1\" umount --lazy \"$1/mount\" 2>/dev/null; losetup -d \"$2\"; \
                      rm -rf --one-file-system \"$1\"";

/// `losetup --find` looks first, and then opens what it has found for writing: without this,
/// it opens, at times, what another test has taken meanwhile and watches.
static ATTACHING: Mutex<()> = Mutex::new(());

/// A loop device over a file.
pub(crate) struct LoopDevice {
    _keeper: Keeper,
    directory: PathBuf,
    pub(crate) path: PathBuf,
}

impl LoopDevice {
    /// A device of `size` bytes of zeros that bypasses the page cache if `direct`.
    /// None, said loudly, where there can be none.
    pub(crate) fn new(size: u64, direct: bool) -> Option<Self> {
        Self::of_zeros(size, &[direct_io(direct)])
    }

    /// The same through the page cache, that can have partitions.
    pub(crate) fn with_partitions(size: u64) -> Option<Self> {
        Self::of_zeros(size, &[direct_io(false), "--partscan"])
    }

    fn of_zeros(size: u64, options: &[&str]) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let image = directory.path().join(IMAGE);
        File::create(&image).unwrap().set_len(size).unwrap();
        Self::in_directory(directory, &image, options)
    }

    /// A device over a file that is there already.
    pub(crate) fn over(image: &Path, direct: bool) -> Option<Self> {
        Self::in_directory(tempfile::tempdir().unwrap(), image, &[direct_io(direct)])
    }

    fn in_directory(directory: tempfile::TempDir, image: &Path, options: &[&str]) -> Option<Self> {
        if !is_root() || !has("losetup") {
            skip("loop devices need root and losetup");
            return None;
        }
        let attaching = ATTACHING.lock().unwrap_or_else(PoisonError::into_inner);
        let output = Command::new("losetup")
            .args(["--show", "--find"])
            .args(options)
            .arg(image)
            .output()
            .unwrap();
        drop(attaching);
        if !output.status.success() {
            skip("losetup attaches no loop device here");
            return None;
        }
        let path = String::from_utf8(output.stdout).unwrap();
        let path = PathBuf::from(path.trim());
        // From here on the keeper removes it.
        let directory = directory.keep();
        let mut keeper = Keeper::command(KEEPER);
        Some(Self {
            _keeper: Keeper::start(keeper.args([&directory, &path])),
            directory,
            path,
        })
    }

    /// A device that holds a file system. None, said loudly, where there can be none.
    pub(crate) fn with_ext4(size: u64, direct: bool) -> Option<Self> {
        let device = Self::new(size, direct)?;
        let made = Command::new("mkfs.ext4")
            .arg("-q")
            .arg(&device.path)
            .status();
        if !made.is_ok_and(|status| status.success()) {
            skip("mkfs.ext4 cannot be run");
            return None;
        }
        Some(device)
    }

    /// The file that the device shows.
    pub(crate) fn image(&self) -> PathBuf {
        self.directory.join(IMAGE)
    }
}

fn direct_io(direct: bool) -> &'static str {
    if direct {
        "--direct-io=on"
    } else {
        "--direct-io=off"
    }
}

/// A device that is mounted on a directory of its own until dropped.
pub(crate) struct Mounted(tempfile::TempDir);

impl Mounted {
    pub(crate) fn new(device: &LoopDevice, options: &[&str]) -> Self {
        let place = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        quietly(mount.args(options).args([&device.path, place.path()]));
        Self(place)
    }

    pub(crate) fn at(&self) -> &str {
        self.0.path().to_str().unwrap()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Who was killed just now may hold it for a moment.
        let mut umount = Command::new("umount");
        let _ = umount.arg("--lazy").arg(self.0.path()).status();
    }
}

/// A mounted file system on a loop device.
pub(crate) struct FileSystem {
    mount_point: PathBuf,
    /// Unmounts and detaches.
    _device: LoopDevice,
}

impl FileSystem {
    /// A fresh one. None, said loudly, where there can be none.
    pub(crate) fn new(kind: &str, size: u64, direct: bool) -> Option<Self> {
        let maker = format!("mkfs.{kind}");
        if !has(&maker) {
            skip(&format!("{maker} is not installed"));
            return None;
        }
        let device = LoopDevice::new(size, direct)?;
        // Tables that are initialised later would write during the trials.
        let options: &[&str] = match kind {
            "ext4" => &["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
            _ => &["-q"],
        };
        quietly(Command::new(maker).args(options).arg(&device.path));
        let mount_point = device.directory.join(MOUNT_POINT);
        fs::create_dir(&mount_point).unwrap();
        // Locked, so that the keeper waits for a mount that is under way.
        quietly(
            Command::new("flock")
                .arg(&device.directory)
                .arg("mount")
                .args([&device.path, &mount_point]),
        );
        Some(Self {
            mount_point,
            _device: device,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.mount_point
    }

    pub(crate) fn make_read_only(&self) {
        quietly(
            Command::new("mount")
                .args(["-o", "remount,ro"])
                .arg(self.path()),
        );
    }

    pub(crate) fn free_bytes(&self) -> u64 {
        let statistics = rustix::fs::statvfs(self.path()).unwrap();
        statistics.f_bavail * statistics.f_frsize
    }

    /// Files that are not the file system's own.
    pub(crate) fn files(&self) -> Vec<String> {
        let names = fs::read_dir(self.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != "lost+found").collect()
    }
}

pub(crate) fn quietly(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
}
