//! Whether a device is still there, as far as the system knows.

use std::fs::File;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{SeekFrom, major, minor};

/// Whether the system says that it is gone: a disk that was pulled has no size any more, or
/// no directory in sysfs, or is switched off there.
pub(super) fn is_gone(handle: &File) -> bool {
    let Ok(metadata) = handle.metadata() else {
        return true;
    };
    if !metadata.file_type().is_block_device() {
        return false;
    }
    let number = metadata.rdev();
    let directory = format!("/sys/dev/block/{}:{}", major(number), minor(number));
    let states = ["device/state", "../device/state"];
    let is_off = states.iter().any(|state| {
        let state = std::fs::read_to_string(PathBuf::from(&directory).join(state));
        state.is_ok_and(|state| {
            matches!(
                state.trim(),
                "offline" | "transport-offline" | "deleted" | "dead"
            )
        })
    });
    let has_no_size = rustix::fs::seek(handle, SeekFrom::End(0)) == Ok(0);
    let sysfs_is_there = Path::new("/sys/dev/block").is_dir();
    is_off || has_no_size || (sysfs_is_there && !Path::new(&directory).exists())
}
