//! The UUID of a mounted file system, as the kernel tells it to anybody.

#![expect(unsafe_code, reason = "FS_IOC_GETFSUUID needs a raw ioctl")]

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::request::checked;

/// `struct fsuuid2` of `linux/fs.h`.
#[repr(C)]
#[derive(Default)]
struct RawUuid {
    length: u8,
    bytes: [u8; 16],
}

/// `_IOR(0x15, 0, struct fsuuid2)`, since Linux 6.9.
const FS_IOC_GETFSUUID: libc::Ioctl =
    rustix::ioctl::opcode::read::<RawUuid>(0x15, 0) as libc::Ioctl;

/// The UUID of the file system that holds an open file or directory.
///
/// # Errors
/// `ENOTTY` for a file system without one and from kernels before 6.9.
pub fn file_system_uuid(file: impl AsFd) -> io::Result<[u8; 16]> {
    let mut answer = RawUuid::default();
    // SAFETY: the descriptor is borrowed for the call; the kernel writes one
    // `struct fsuuid2`, which `answer` is.
    let status =
        unsafe { libc::ioctl(file.as_fd().as_raw_fd(), FS_IOC_GETFSUUID, &raw mut answer) };
    checked(status)?;
    match usize::from(answer.length) == answer.bytes.len() {
        true => Ok(answer.bytes),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_of_a_file_system_has_no_uuid() {
        let (pipe, _other) = std::io::pipe().unwrap();
        assert!(file_system_uuid(&pipe).is_err());
    }
}
