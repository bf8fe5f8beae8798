//! The page cache of a block device, written out and emptied by one ioctl.

#![expect(unsafe_code, reason = "BLKFLSBUF is reached only through a raw ioctl")]

use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// `_IO(0x12, 97)` of `linux/fs.h`.
const BLKFLSBUF: libc::c_ulong = 0x1261;

/// Writes out what the page cache holds of a block device and forgets it.
///
/// # Errors
/// `ENOTTY` for what is no block device, `EACCES` without `CAP_SYS_ADMIN`.
pub fn flush_block_cache(device: impl AsFd) -> io::Result<()> {
    // SAFETY: BLKFLSBUF takes no argument and touches no memory of ours; the file
    // descriptor is open for as long as `device` is borrowed.
    let result = unsafe { libc::ioctl(device.as_fd().as_raw_fd(), BLKFLSBUF as _, 0) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_no_block_device() {
        let file = std::fs::File::open("/proc/self/exe").unwrap();
        assert!(flush_block_cache(&file).is_err());
    }
}
