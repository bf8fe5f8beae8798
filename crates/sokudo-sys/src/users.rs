//! Who else uses a file: what a loop device shows, whether anybody has a file open for
//! writing, whether two threads share their open files.
//!
//! All of it only asks.

#![expect(unsafe_code, reason = "LOOP_GET_STATUS64, F_SETLEASE, kcmp need libc")]

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::request::checked;

/// Asks what a loop device shows (`linux/loop.h`).
const LOOP_GET_STATUS64: libc::c_ulong = 0x4c05;

/// `struct loop_info64` of `linux/loop.h` in words of eight bytes: 232 bytes.
const LOOP_INFO_WORDS: usize = 29;

/// `fcntl` command that chooses the signal for a lease (`asm-generic/fcntl.h`).
const F_SETSIG: libc::c_int = 10;

/// `KCMP_FILES` of `linux/kcmp.h`: the table of file descriptors.
const KCMP_FILES: libc::c_int = 2;

/// What a loop device shows, by identity: names change, and may be those of another
/// mount namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopStatus {
    /// The number of the file system that holds what is shown (`st_dev`).
    pub file_system: u64,
    /// Its inode there (`st_ino`).
    pub inode: u64,
    /// The number of the block device that is shown (`st_rdev`); `None` if it is a file.
    pub block_device: Option<u64>,
    /// Where it begins in what is shown, in bytes.
    pub offset: u64,
}

/// What the loop device shows.
///
/// # Errors
/// `ENXIO` where it shows nothing, `ENOTTY` for what is no loop device.
pub fn loop_status(device: impl AsFd) -> io::Result<LoopStatus> {
    let mut words = [0_u64; LOOP_INFO_WORDS];
    // SAFETY: the kernel writes a struct loop_info64, which is exactly as long as `words`
    // and made of integers; the descriptor is open while `device` is borrowed.
    let result = unsafe {
        libc::ioctl(
            device.as_fd().as_raw_fd(),
            LOOP_GET_STATUS64 as _,
            words.as_mut_ptr(),
        )
    };
    checked(result)?;
    let [file_system, inode, block_device, offset, ..] = words;
    Ok(LoopStatus {
        file_system,
        inode,
        block_device: (block_device != 0).then_some(block_device),
        offset,
    })
}

/// Whether anybody, a process or the kernel, has this regular file open or mapped for
/// writing, ourselves included. The kernel gives a read lease only where nobody has
/// (`fcntl(2)`, "Leases"); it is given back at once.
///
/// # Errors
/// `EACCES` where the file is somebody else's, `EINVAL` where it has no leases. File
/// systems of a network answer for the network's leases instead.
pub fn is_open_for_writing(file: impl AsFd) -> io::Result<bool> {
    let file = file.as_fd().as_raw_fd();
    let control = |command, argument: libc::c_int| {
        // SAFETY: these commands take a number and touch no memory of ours; the
        // descriptor is open while `file` is borrowed.
        let result = unsafe { libc::fcntl(file, command, argument) };
        checked(result).map(drop)
    };
    // Who opens the file in this instant has us signalled, by default with SIGIO, which
    // ends a process. SIGURG is ignored by default.
    control(F_SETSIG, libc::SIGURG)?;
    match control(libc::F_SETLEASE, libc::F_RDLCK) {
        Ok(()) => control(libc::F_SETLEASE, libc::F_UNLCK).map(|()| false),
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Whether two threads have one table of open files.
///
/// # Errors
/// `ESRCH` when one has ended, `EPERM` where they may not be looked at, `ENOSYS`.
pub fn share_files(first: u32, second: u32) -> io::Result<bool> {
    let unused: libc::c_long = 0;
    // SAFETY: kcmp(2) of two tables takes numbers only and touches no memory of ours.
    let result = unsafe {
        libc::syscall(
            libc::SYS_kcmp,
            libc::c_long::from(first),
            libc::c_long::from(second),
            libc::c_long::from(KCMP_FILES),
            unused,
            unused,
        )
    };
    checked(result)?;
    Ok(result == 0)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    /// Whether nobody has the file open for writing. Programs that other tests start hold a
    /// copy of every descriptor of this process until they run what they were started for.
    fn is_left_by_writers(file: &File) -> bool {
        let give_up = Instant::now() + Duration::from_secs(30);
        while is_open_for_writing(file).unwrap() {
            if Instant::now() > give_up {
                return false;
            }
            thread::yield_now();
        }
        true
    }

    #[test]
    fn a_file_is_no_loop_device() {
        let file = File::open("/proc/self/exe").unwrap();
        assert!(loop_status(&file).is_err());
    }

    #[test]
    fn a_writer_is_noticed_and_a_reader_is_not() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_owned();
        let ours = File::open(&path).unwrap();
        assert!(is_open_for_writing(&ours).unwrap(), "the maker's handle");
        let kept = file.into_temp_path();
        let _reader = File::open(&kept).unwrap();
        assert!(is_left_by_writers(&ours));
        let writer = File::options().append(true).open(&kept).unwrap();
        assert!(is_open_for_writing(&ours).unwrap());
        drop(writer);
        assert!(is_left_by_writers(&ours));
    }

    #[test]
    fn a_lease_does_not_stay() {
        let file = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let ours = File::open(&file).unwrap();
        assert!(is_left_by_writers(&ours));
        // Would wait for us for as long as the lease lasted.
        File::options().append(true).open(&file).unwrap();
    }

    #[test]
    fn threads_of_one_process_share_their_files_and_others_do_not() {
        let own = std::process::id();
        let Ok(shared) = share_files(own, own) else {
            use std::io::Write;
            let _ = writeln!(io::stderr(), "SKIPPED: kcmp is not allowed here");
            return;
        };
        assert!(shared);
        let thread = thread::spawn(move || {
            let thread = rustix::thread::gettid().as_raw_nonzero().get();
            share_files(own, thread.cast_unsigned()).unwrap()
        });
        assert!(thread.join().unwrap());
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let shared = share_files(own, child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!shared.unwrap());
    }
}
