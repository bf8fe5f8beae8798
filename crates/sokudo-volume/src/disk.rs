//! A disk that may be destroyed, known by what it is and not by its name.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags, SeekFrom};
use rustix::io::Errno;
use sokudo_model::Bytes;

use crate::error::{VolumeError, unusable};

/// udev opens a disk for a moment whenever somebody who has written to it closes it.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// A disk that may be destroyed: held open, so that no other gets its number.
#[derive(Debug)]
pub struct VolumeDisk {
    handle: File,
    path: PathBuf,
    size: Bytes,
    number: u64,
    sequence: Option<String>,
}

impl VolumeDisk {
    /// `handle` is the open block device, not claimed, for which there is consent; `path` is
    /// what messages call it if it is none.
    ///
    /// # Errors
    /// When it is no block device, or `/dev` has no node of it.
    pub fn new(handle: File, path: PathBuf) -> Result<Self, VolumeError> {
        let unusable = |source| unusable(&path, source);
        let metadata = handle.metadata().map_err(unusable)?;
        if !metadata.file_type().is_block_device() {
            return Err(VolumeError::NoDevice(path));
        }
        let number = metadata.rdev();
        let size =
            rustix::fs::seek(&handle, SeekFrom::End(0)).map_err(|errno| unusable(errno.into()))?;
        // Programs get the kernel's own name: links in /dev change, other nodes may move.
        let Some(node) = node(number).filter(|node| number_of(node) == Some(number)) else {
            return Err(VolumeError::NoDevice(path));
        };
        Ok(Self {
            handle,
            path: node,
            size: Bytes(size),
            number,
            sequence: sequence(number),
        })
    }

    /// The kernel's node of it: `/dev/sdb`.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn size(&self) -> Bytes {
        self.size
    }

    /// Device number of the disk, major and minor in one.
    pub fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn sequence(&self) -> Option<&str> {
        self.sequence.as_deref()
    }

    /// The same disk, held a second time.
    pub(crate) fn held_again(&self) -> Result<Self, VolumeError> {
        let handle = self
            .handle
            .try_clone()
            .map_err(|source| unusable(&self.path, source))?;
        Ok(Self {
            handle,
            path: self.path.clone(),
            size: self.size,
            number: self.number,
            sequence: self.sequence.clone(),
        })
    }

    /// Refuses unless the node still leads to the disk that is held.
    pub(crate) fn is_the_same(&self) -> Result<(), VolumeError> {
        let is_same = number_of(&self.path) == Some(self.number)
            && sysfs(self.number).exists()
            && sequence(self.number) == self.sequence;
        match is_same {
            true => Ok(()),
            false => Err(VolumeError::Changed(self.path.clone())),
        }
    }

    /// Refuses if anybody has mounted or claimed it, or anything stands on it.
    pub(crate) fn is_unused(&self) -> Result<(), VolumeError> {
        self.is_the_same()?;
        let flags = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let mut attempts = 1..ATTEMPTS;
        loop {
            match rustix::fs::open(&self.path, flags, Mode::empty()) {
                Ok(_closed) => return Ok(()),
                Err(Errno::BUSY) if attempts.next().is_some() => thread::sleep(PAUSE),
                Err(Errno::BUSY) => return Err(VolumeError::InUse(self.path.clone())),
                Err(errno) => {
                    return Err(unusable(&self.path, errno.into()));
                }
            }
        }
    }

    /// Keeps udev from looking at it, which assembles arrays of what it finds: it leaves
    /// disks alone that somebody has locked (systemd.io, "Locking Block Device Access").
    pub(crate) fn hide_from_udev(&self, is_hidden: bool) {
        let operation = match is_hidden {
            true => FlockOperation::NonBlockingLockExclusive,
            false => FlockOperation::Unlock,
        };
        let mut attempts = 1..ATTEMPTS;
        // It is asked for as a courtesy: without it the undoing is tried again until it works.
        while rustix::fs::flock(&self.handle, operation) == Err(Errno::WOULDBLOCK)
            && attempts.next().is_some()
        {
            thread::sleep(PAUSE);
        }
    }

    /// Its directory in sysfs.
    pub(crate) fn sysfs(&self) -> PathBuf {
        sysfs(self.number)
    }

    /// Whether it takes discards.
    pub(crate) fn can_discard(&self) -> bool {
        let text = fs::read_to_string(self.sysfs().join("queue/discard_max_bytes"));
        text.is_ok_and(|text| !matches!(text.trim(), "" | "0"))
    }
}

/// The directory in sysfs of the block device with this number.
pub(crate) fn sysfs(number: u64) -> PathBuf {
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    PathBuf::from(format!("/sys/dev/block/{major}:{minor}"))
}

/// The number of the block device that a node leads to; a link is none.
pub(crate) fn number_of(node: &Path) -> Option<u64> {
    let metadata = node.symlink_metadata().ok()?;
    let is_device = metadata.file_type().is_block_device();
    is_device.then(|| metadata.rdev())
}

/// The node that the kernel names for a device.
pub(crate) fn node(number: u64) -> Option<PathBuf> {
    let uevent = fs::read_to_string(sysfs(number).join("uevent")).ok()?;
    let name = uevent
        .lines()
        .find_map(|line| line.strip_prefix("DEVNAME="))?;
    Some(Path::new("/dev").join(name))
}

/// The kernel's count of disks, which no two ever share while it runs; since Linux 5.15.
pub(crate) fn sequence(number: u64) -> Option<String> {
    let text: io::Result<String> = fs::read_to_string(sysfs(number).join("diskseq"));
    text.ok().map(|text| text.trim().to_owned())
}
