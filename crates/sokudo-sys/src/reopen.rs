//! The inode of an open file opened once more, whatever its name has become.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Where the kernel shows what a process has open.
const OPEN_FILES: &str = "/proc/self/fd";

/// Opens it as `options` say.
///
/// # Errors
/// Those of opening, and where there is no `/proc`, as in a bare chroot.
pub fn reopen(file: &impl AsRawFd, options: &OpenOptions) -> io::Result<File> {
    let path = format!("{OPEN_FILES}/{}", file.as_raw_fd());
    options.open(path).map_err(|error| {
        let is_without_proc =
            error.kind() == io::ErrorKind::NotFound && !Path::new(OPEN_FILES).exists();
        match is_without_proc {
            true => io::Error::new(
                io::ErrorKind::NotFound,
                "/proc is not mounted, and files are opened again through it; mount it (mount -t proc proc /proc)",
            ),
            false => error,
        }
    })
}
