//! Loop devices and file systems on them, each of one test alone and gone with it.

#![allow(dead_code, reason = "each program of tests uses its part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::keeper::Kept;
use crate::sokudo::{has, is_root, skip};

/// The file that a device shows, in its directory.
const IMAGE: &str = "image";

/// Attaches a device, with the words behind `$1`. `losetup --find` looks first, and then opens what
/// it has found for writing: without the lock it opens, at times, what somebody else has taken
/// meanwhile and watches. sokudo takes the same lock.
const ATTACH: &str = "shift; flock /dev/loop-control losetup --show --find \"$@\"";

/// The same of as many zeros as `$2` says, in the directory `$1`.
const ATTACH_ZEROS: &str = "image=$1/image size=$2; shift 2; truncate -s \"$size\" \"$image\" && \
                            flock /dev/loop-control losetup --show --find \"$@\" \"$image\"";

/// Detaches it, and removes the directory `$1`.
const DETACH: &str = "[ -z \"$made\" ] || losetup -d \"$made\"; rm -rf --one-file-system \"$1\"";

/// Mounts what the words behind `$1` say in that directory.
const MOUNT: &str =
    "at=$1/mount; shift; mkdir \"$at\" && mount \"$@\" \"$at\" && printf %s \"$at\"";

/// Who was killed just now may hold it for a moment.
const UNMOUNT: &str = "umount --lazy \"$1/mount\"; rm -rf --one-file-system \"$1\"";

/// A loop device over a file.
pub(crate) struct LoopDevice {
    _kept: Kept,
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
        let size = size.to_string();
        let words = [&[size.as_str()], options].concat();
        Self::by(ATTACH_ZEROS, &words)
    }

    /// A device over a file that is there already.
    pub(crate) fn over(image: &Path, direct: bool) -> Option<Self> {
        Self::on(image, &[direct_io(direct)])
    }

    /// The same, as these options of `losetup` say.
    pub(crate) fn on(image: &Path, options: &[&str]) -> Option<Self> {
        Self::by(ATTACH, &[options, &[image.to_str().unwrap()]].concat())
    }

    /// A device that a shell attaches and prints, whose arguments stand behind a directory of its own.
    pub(crate) fn by(attach: &str, arguments: &[&str]) -> Option<Self> {
        if !is_root() || !has("losetup") {
            skip("loop devices need root and losetup");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let all = [&[directory.path().to_str().unwrap()], arguments].concat();
        let Some(kept) = Kept::new(attach, DETACH, all) else {
            skip("losetup attaches no loop device here");
            return None;
        };
        Some(Self {
            path: PathBuf::from(kept.made()),
            // The keeper removes it.
            directory: directory.keep(),
            _kept: kept,
        })
    }

    /// A device that holds a file system. None, said loudly, where there can be none.
    pub(crate) fn with_ext4(size: u64, direct: bool) -> Option<Self> {
        let device = Self::new(size, direct)?;
        device.made_by(&["mkfs.ext4", "-q"]).then_some(device)
    }

    /// Whether a program has made something of it; said loudly where it has not.
    pub(crate) fn made_by(&self, maker: &[&str]) -> bool {
        let mut command = Command::new(maker[0]);
        let output = command.args(&maker[1..]).arg(&self.path).output();
        let is_made = output.is_ok_and(|output| output.status.success());
        if !is_made {
            skip(&format!("{} cannot be run", maker[0]));
        }
        is_made
    }

    /// The file that the device shows.
    pub(crate) fn image(&self) -> PathBuf {
        self.directory.join(IMAGE)
    }

    /// Its name in sysfs.
    pub(crate) fn name(&self) -> &str {
        self.path.file_name().unwrap().to_str().unwrap()
    }

    /// What the kernel has counted since it was made: bytes read, bytes written, flushes.
    pub(crate) fn counters(&self) -> Counters {
        let stat = fs::read_to_string(format!("/sys/block/{}/stat", self.name())).unwrap();
        let fields: Vec<u64> = stat
            .split_whitespace()
            .map(|field| field.parse().unwrap())
            .collect();
        Counters {
            read_bytes: fields[2] * 512,
            written_bytes: fields[6] * 512,
            flushes: fields[15],
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Counters {
    pub(crate) read_bytes: u64,
    pub(crate) written_bytes: u64,
    pub(crate) flushes: u64,
}

fn direct_io(direct: bool) -> &'static str {
    if direct {
        "--direct-io=on"
    } else {
        "--direct-io=off"
    }
}

/// What is mounted on a directory of its own until dropped.
pub(crate) struct Mounted(Kept);

impl Mounted {
    /// A device, as these options of `mount` say.
    pub(crate) fn new(device: &LoopDevice, options: &[&str]) -> Self {
        let words = [options, &[device.path.to_str().unwrap()]].concat();
        Self::of(&words).unwrap()
    }

    /// What `mount` makes of these words and a directory; None, said loudly, if nothing.
    pub(crate) fn of(words: &[&str]) -> Option<Self> {
        if !is_root() {
            skip("mounting needs root");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let all = [&[directory.path().to_str().unwrap()], words].concat();
        let Some(kept) = Kept::new(MOUNT, UNMOUNT, all) else {
            skip(&format!("{words:?} cannot be mounted here"));
            return None;
        };
        // The keeper removes it.
        let _ = directory.keep();
        Some(Self(kept))
    }

    pub(crate) fn at(&self) -> &str {
        self.0.made()
    }

    pub(crate) fn path(&self) -> &Path {
        Path::new(self.at())
    }
}

/// A mounted file system on a loop device.
pub(crate) struct FileSystem {
    mounted: Mounted,
    pub(crate) device: LoopDevice,
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
        let mounted = Mounted::new(&device, &[]);
        Some(Self { mounted, device })
    }

    /// What `maker` makes of a device through the page cache, mounted with these options.
    /// None, said loudly, where there can be none.
    pub(crate) fn made_by(maker: &[&str], options: &str, size: u64) -> Option<Self> {
        let device = LoopDevice::new(size, false)?;
        if !device.made_by(maker) {
            return None;
        }
        let mounted = Mounted::of(&["-o", options, device.path.to_str().unwrap()])?;
        Some(Self { mounted, device })
    }

    pub(crate) fn path(&self) -> &Path {
        self.mounted.path()
    }

    /// A process that another test starts holds what was open here for writing until it runs its
    /// program, and the file system is busy until then.
    pub(crate) fn make_read_only(&self) {
        let mut remount = Command::new("mount");
        remount.args(["-o", "remount,ro"]).arg(self.path());
        for _ in 0..100 {
            if remount.output().unwrap().status.success() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        quietly(&mut remount);
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
