//! `pread`, `pwrite` and friends, one at a time, on a region's chunks.

#![expect(
    unsafe_code,
    reason = "the kernel reads and writes the region's chunks"
)]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use crate::region::Region;
use crate::request::{Action, Request, negative_errno};

/// Files with their own buffers, accessed by blocking system calls.
pub struct Blocking {
    files: Vec<OwnedFd>,
    region: Region,
}

impl Blocking {
    /// Takes the files and the buffers.
    pub fn new(files: Vec<OwnedFd>, region: Region) -> Self {
        Self { files, region }
    }

    /// The buffers.
    #[inline]
    pub fn region_mut(&mut self) -> &mut Region {
        &mut self.region
    }

    /// Does one I/O and returns its result: bytes moved, or minus the error
    /// number. A call that a signal interrupts before it has moved anything is
    /// repeated.
    #[inline]
    pub fn perform(&mut self, request: Request) -> i32 {
        let file = self.files[request.file as usize].as_raw_fd();
        let buffer = self.region.lend(request.chunk, request.length);
        let result = perform(file, buffer, request);
        self.region.take_back(request.chunk);
        result
    }
}

/// Does one I/O with `buffer`, which the caller has borrowed from a region for
/// `request.length` bytes.
#[inline]
pub(crate) fn perform(fd: i32, buffer: *mut u8, request: Request) -> i32 {
    loop {
        let result = attempt(fd, buffer, request);
        if result >= 0 {
            // No kernel moves more than 2^31 bytes per call.
            return i32::try_from(result).unwrap_or(i32::MAX);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return negative_errno(&error);
        }
    }
}

#[inline]
fn attempt(fd: i32, buffer: *mut u8, request: Request) -> isize {
    let length = request.length as usize;
    let offset = request.offset.cast_signed();
    match request.action {
        // SAFETY: buffer is valid for `length` bytes and lent to this call.
        Action::Read => unsafe { libc::pread64(fd, buffer.cast(), length, offset) },
        // SAFETY: as above.
        Action::Write => unsafe { libc::pwrite64(fd, buffer.cast(), length, offset) },
        Action::WriteThrough | Action::WriteThroughWithMetadata => {
            let vector = libc::iovec {
                iov_base: buffer.cast(),
                iov_len: length,
            };
            // SAFETY: one iovec that is valid for `length` bytes.
            unsafe {
                libc::pwritev2(
                    fd,
                    &raw const vector,
                    1,
                    offset,
                    request.action.write_flags(),
                )
            }
        }
        // SAFETY: takes no memory.
        Action::Fsync => unsafe { libc::fsync(fd) as isize },
        // SAFETY: takes no memory.
        Action::Fdatasync => unsafe { libc::fdatasync(fd) as isize },
        Action::Trim => {
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            // SAFETY: takes no memory.
            unsafe { libc::fallocate64(fd, mode, offset, i64::from(request.length)) as isize }
        }
    }
}
