//! Disks made of files, so that anybody can try what needs disks.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use sokudo_model::Bytes;
use sokudo_sys::LoopWish;

use crate::disk::VolumeDisk;
use crate::error::{VolumeError, unusable};
use crate::names::Uuid;

/// What `losetup` shows as their file.
const NAME: &str = "sokudo";

/// `count` loop devices of `bytes` each over files in `folder` that have no name. Device and
/// file vanish when nobody holds them any more, whatever ends this process.
///
/// # Errors
/// When the folder has no room for all of them, or loop devices cannot be made.
pub fn loop_disks(
    folder: &Path,
    count: usize,
    bytes: Bytes,
) -> Result<Vec<VolumeDisk>, VolumeError> {
    let wanted = Bytes(bytes.0.saturating_mul(count as u64));
    let statistics = rustix::fs::statvfs(folder);
    let statistics = statistics.map_err(|errno| unusable(folder, errno.into()))?;
    let free = Bytes(statistics.f_bavail.saturating_mul(statistics.f_frsize));
    if free.0 < wanted.0 {
        return Err(VolumeError::NoRoom {
            folder: folder.to_owned(),
            free,
            wanted,
        });
    }
    (0..count).map(|_| loop_disk(folder, bytes)).collect()
}

fn loop_disk(folder: &Path, bytes: Bytes) -> Result<VolumeDisk, VolumeError> {
    let unusable = |source| unusable(folder, source);
    let file = nameless_file(folder).map_err(unusable)?;
    file.set_len(bytes.0).map_err(unusable)?;
    let attached = |is_direct| {
        let name = NAME;
        sokudo_sys::attach_loop(&file, LoopWish { is_direct, name })
    };
    // Some file systems take no direct I/O.
    let (path, handle) = attached(true)
        .or_else(|_| attached(false))
        .map_err(VolumeError::Loop)?;
    // Who holds a handle for writing keeps XFS and ext4 from nothing, but has udev look at
    // the disk when it is closed.
    let reading = File::open(&path).map_err(VolumeError::Loop)?;
    drop(handle);
    VolumeDisk::new(reading, path)
}

/// A file that is gone when it is closed.
fn nameless_file(folder: &Path) -> io::Result<File> {
    let mode = Mode::RUSR | Mode::WUSR;
    let flags = OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::open(folder, flags | OFlags::TMPFILE, mode) {
        Ok(file) => Ok(file.into()),
        // File systems that cannot, and kernels that take the flag for O_DIRECTORY.
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => {
            let directory =
                rustix::fs::open(folder, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
            let name = format!(".sokudo-disk-{}", Uuid::random()?);
            let file = rustix::fs::openat(
                &directory,
                &name,
                flags | OFlags::CREATE | OFlags::EXCL,
                mode,
            )?;
            rustix::fs::unlinkat(&directory, &name, rustix::fs::AtFlags::empty())?;
            Ok(file.into())
        }
        Err(errno) => Err(errno.into()),
    }
}
