//! File systems that the tests themselves are, by FUSE.

use std::io;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use fuser::{BackgroundSession, Config, FileAttr, FileType, Filesystem, INodeNo};

/// Nothing is remembered by the kernel for longer.
pub(crate) const MEMORY: Duration = Duration::from_secs(1);

/// Mounted there until it is dropped; why there can be none is for who skips its test.
pub(crate) fn mount(
    system: impl Filesystem,
    directory: &Path,
    config: &Config,
) -> io::Result<BackgroundSession> {
    fuser::spawn_mount(system, directory, config)
        .map_err(|error| io::Error::other(format!("FUSE cannot be used here: {error}")))
}

/// What a file of this size is like; without a size, a directory. It belongs to who runs the tests.
pub(crate) fn attributes(node: INodeNo, size: Option<u64>) -> FileAttr {
    let (kind, perm) = match size {
        Some(_) => (FileType::RegularFile, 0o600),
        None => (FileType::Directory, 0o700),
    };
    let size = size.unwrap_or(0);
    FileAttr {
        ino: node,
        size,
        blocks: size.div_ceil(512),
        atime: UNIX_EPOCH,
        mtime: UNIX_EPOCH,
        ctime: UNIX_EPOCH,
        crtime: UNIX_EPOCH,
        kind,
        perm,
        nlink: 1,
        uid: rustix::process::geteuid().as_raw(),
        gid: 0,
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}
