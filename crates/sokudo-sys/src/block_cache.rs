//! What a block device is asked by one ioctl each: to write out and empty its page cache, and which
//! disk it is.

#![expect(unsafe_code, reason = "these are reached only through a raw ioctl")]

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::request::checked;

/// `_IO(0x12, 97)` of `linux/fs.h`.
const BLKFLSBUF: libc::c_ulong = 0x1261;

/// `_IOR(0x12, 128, __u64)` of `linux/fs.h`, since Linux 5.15.
const BLKGETDISKSEQ: libc::c_ulong = 0x8008_1280;

/// Writes out what the page cache holds of a block device and forgets it.
///
/// # Errors
/// `ENOTTY` for what is no block device, `EACCES` without `CAP_SYS_ADMIN`.
pub fn flush_block_cache(device: impl AsFd) -> io::Result<()> {
    // SAFETY: BLKFLSBUF takes no argument and touches no memory of ours; the file
    // descriptor is open for as long as `device` is borrowed.
    let result = unsafe { libc::ioctl(device.as_fd().as_raw_fd(), BLKFLSBUF as _, 0) };
    checked(result).map(drop)
}

/// The kernel's count of disks, which no two share while it runs: that of the disk that is held,
/// whoever has its number by now. `None` for what is no disk, and before Linux 5.15.
pub fn disk_sequence(device: impl AsFd) -> Option<u64> {
    let mut sequence = 0_u64;
    // SAFETY: BLKGETDISKSEQ writes one u64 to where its argument points, which lives through the
    // call; the file descriptor is open for as long as `device` is borrowed.
    let result = unsafe {
        libc::ioctl(
            device.as_fd().as_raw_fd(),
            BLKGETDISKSEQ as _,
            &raw mut sequence,
        )
    };
    (result >= 0).then_some(sequence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_no_block_device() {
        let file = std::fs::File::open("/proc/self/exe").unwrap();
        assert!(flush_block_cache(&file).is_err());
        assert_eq!(disk_sequence(&file), None);
    }
}
