//! Loop devices that vanish with whoever holds them.

#![expect(unsafe_code, reason = "ioctls of loop devices need raw calls")]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::FlockOperation;

use crate::request::checked;

/// Gives the number of a free loop device (`linux/loop.h`).
const LOOP_CTL_GET_FREE: libc::c_ulong = 0x4c82;

/// `LOOP_CONFIGURE` of `linux/loop.h`, since Linux 5.8.
const LOOP_CONFIGURE: libc::c_ulong = 0x4c0a;

const LO_FLAGS_AUTOCLEAR: u32 = 4;
const LO_FLAGS_PARTSCAN: u32 = 8;
const LO_FLAGS_DIRECT_IO: u32 = 16;

/// Another program may take the device that was free between the question and the answer.
const ATTEMPTS: u32 = 64;

/// Until it is tried again.
const NEXT_ATTEMPT: Duration = Duration::from_millis(10);

/// `struct loop_config` of `linux/loop.h`: 304 bytes.
#[repr(C)]
struct LoopConfig {
    fd: u32,
    block_size: u32,
    info: LoopInfo,
    reserved: [u64; 8],
}

/// `struct loop_info64` of `linux/loop.h`.
#[repr(C)]
struct LoopInfo {
    /// Set by the kernel: device, inode, rdevice, offset, size limit.
    found: [u64; 5],
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

/// How a file is shown as a device.
#[derive(Clone, Copy, Debug)]
pub struct LoopWish<'n> {
    /// Past the page cache of the file.
    pub is_direct: bool,
    /// What `losetup` shows as its file; at most 63 bytes are kept.
    pub name: &'n str,
}

/// A loop device over `backing`, which must be open for writing. It vanishes when nobody
/// uses it any more: when the returned handle is closed, and what was mounted on it is
/// unmounted.
///
/// # Errors
/// `EACCES` or `EPERM` without the right to, `EINVAL` where the file takes no direct I/O.
pub fn attach_loop(backing: &File, wish: LoopWish<'_>) -> io::Result<(PathBuf, File)> {
    let control = File::options()
        .read(true)
        .write(true)
        .open("/dev/loop-control")?;
    // Two of us at a time would be told of the same one, and both open it for writing: it is busy
    // then. Whoever holds the lock for longer than that takes has another use for it, and where
    // nothing can be locked it is tried without.
    let lock = || rustix::fs::flock(&control, FlockOperation::NonBlockingLockExclusive);
    while_others_do(|| lock().map_err(io::Error::from)).ok();
    while_others_do(|| {
        let number = free_number(&control)?;
        let path = Path::new("/dev").join(format!("loop{number}"));
        let device = File::options().read(true).write(true).open(&path)?;
        configure(&device, backing, wish)?;
        Ok((path, device))
    })
}

/// Tries again as long as others are at it, and not for ever.
fn while_others_do<T>(attempt: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let mut attempts = 1..=ATTEMPTS;
    loop {
        let done = attempt();
        let errno = done.as_ref().err().and_then(io::Error::raw_os_error);
        let is_others = matches!(errno, Some(libc::EBUSY | libc::EWOULDBLOCK | libc::EINTR));
        if !is_others || attempts.next().is_none() {
            return done;
        }
        thread::sleep(NEXT_ATTEMPT);
    }
}

fn free_number(control: &File) -> io::Result<libc::c_int> {
    // SAFETY: LOOP_CTL_GET_FREE takes no argument and touches no memory of ours; the
    // descriptor is open while `control` is borrowed.
    let number = unsafe { libc::ioctl(control.as_fd().as_raw_fd(), LOOP_CTL_GET_FREE as _, 0) };
    checked(number)
}

fn configure(device: &File, backing: &File, wish: LoopWish<'_>) -> io::Result<()> {
    let mut file_name = [0; 64];
    let name = &wish.name.as_bytes()[..wish.name.len().min(file_name.len() - 1)];
    file_name[..name.len()].copy_from_slice(name);
    let is_direct = wish.is_direct;
    let direct = if is_direct { LO_FLAGS_DIRECT_IO } else { 0 };
    let config = LoopConfig {
        fd: backing.as_raw_fd().cast_unsigned(),
        block_size: 0,
        info: LoopInfo {
            found: [0; 5],
            number: 0,
            encrypt_type: 0,
            encrypt_key_size: 0,
            flags: LO_FLAGS_AUTOCLEAR | LO_FLAGS_PARTSCAN | direct,
            file_name,
            crypt_name: [0; 64],
            encrypt_key: [0; 32],
            init: [0; 2],
        },
        reserved: [0; 8],
    };
    // SAFETY: the kernel reads a struct loop_config, which `config` is laid out as; both
    // descriptors are open while their files are borrowed.
    let result = unsafe {
        libc::ioctl(
            device.as_fd().as_raw_fd(),
            LOOP_CONFIGURE as _,
            std::ptr::from_ref(&config),
        )
    };
    checked(result).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_reads_is_as_long_as_it_expects() {
        assert_eq!(size_of::<LoopInfo>(), 232);
        assert_eq!(size_of::<LoopConfig>(), 304);
    }
}
