//! Blocking reads and writes, one at a time, on a region's buffers: by position, by
//! seeking, or with vectors, as the caller wishes.

#![expect(unsafe_code, reason = "the kernel reads and writes buffers")]

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use rustix::fs::FileType;

use crate::region::Region;
use crate::request::{IoAction, Request, negative_errno};

/// The kernel takes no more vectors per call (`UIO_MAXIOV`).
pub const VECTORS_MAX: usize = 1_024;

/// Which system calls move data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// `pread` and `pwrite`, at an offset.
    #[default]
    Positioned,
    /// `lseek` where the position is not the right one already, then `read` or `write`.
    Seeking,
    /// `preadv` and `pwritev`, which take several buffers.
    Vectored,
    /// `preadv2` and `pwritev2`, which also take flags per call.
    VectoredWithFlags,
}

/// Something that does one I/O after the other on buffers of its own.
pub trait OneByOne {
    fn region_mut(&mut self) -> &mut Region;

    /// Does one I/O and returns its result: bytes moved, or minus the error number. A
    /// call that a signal interrupts before it has moved anything is repeated.
    fn perform(&mut self, request: Request) -> i32;
}

/// Files with their own buffers, accessed by blocking system calls.
pub struct Blocking {
    files: Vec<BlockingFile>,
    region: Region,
    calls: Calls,
    /// Room for what one vectored call takes.
    vectors: Vec<libc::iovec>,
}

struct BlockingFile {
    descriptor: OwnedFd,
    is_device: bool,
    /// Where the file's position is, if that is known.
    position: Option<u64>,
}

impl Blocking {
    /// Takes the files and the buffers; data is moved by position.
    pub fn new(files: Vec<OwnedFd>, region: Region) -> Self {
        Self::with_calls(files, region, Calls::Positioned)
    }

    /// As [`Self::new`], with the caller's choice of system calls.
    pub fn with_calls(files: Vec<OwnedFd>, region: Region, calls: Calls) -> Self {
        let file = |descriptor: OwnedFd| BlockingFile {
            is_device: is_block_device(&descriptor),
            descriptor,
            position: None,
        };
        Self {
            files: files.into_iter().map(file).collect(),
            region,
            calls,
            vectors: Vec::with_capacity(match calls {
                Calls::Vectored | Calls::VectoredWithFlags => VECTORS_MAX,
                Calls::Positioned | Calls::Seeking => 0,
            }),
        }
    }

    /// Does reads, or writes, of one file that lie next to each other by one vectored
    /// call, and returns the bytes moved by all, or minus the error number.
    ///
    /// # Panics
    /// If there are more than [`VECTORS_MAX`].
    pub fn perform_adjacent(&mut self, requests: &[Request]) -> i64 {
        let Some(first) = requests.first().copied() else {
            return 0;
        };
        assert!(
            requests.len() <= VECTORS_MAX,
            "more vectors than one call takes"
        );
        self.vectors.clear();
        for request in requests {
            let buffer = self.region.lend(request.buffer, request.length);
            self.vectors.push(vector(buffer, request.length));
        }
        let file = self.files[first.file as usize].descriptor.as_raw_fd();
        let result = vectored(file, &self.vectors, first);
        for request in requests {
            self.region.take_back(request.buffer);
        }
        result
    }
}

impl OneByOne for Blocking {
    #[inline]
    fn region_mut(&mut self) -> &mut Region {
        &mut self.region
    }

    #[inline]
    fn perform(&mut self, request: Request) -> i32 {
        let file = &mut self.files[request.file as usize];
        let fd = file.descriptor.as_raw_fd();
        let buffer = self.region.lend(request.buffer, request.length);
        let result = match self.calls {
            _ if !request.action.moves_data() => perform(fd, file.is_device, buffer, request),
            Calls::Positioned => perform(fd, file.is_device, buffer, request),
            Calls::Seeking => file.seek_and_move(buffer, request),
            Calls::Vectored | Calls::VectoredWithFlags => {
                let vector = vector(buffer, request.length);
                let with_flags = self.calls == Calls::VectoredWithFlags;
                until_done(|| move_vectors(fd, &[vector], request, with_flags))
            }
        };
        self.region.take_back(request.buffer);
        result
    }
}

impl BlockingFile {
    fn seek_and_move(&mut self, buffer: *mut u8, request: Request) -> i32 {
        let fd = self.descriptor.as_raw_fd();
        let position = self.position.take();
        if position != Some(request.offset) {
            // SAFETY: takes no memory.
            let at = unsafe { libc::lseek64(fd, request.offset.cast_signed(), libc::SEEK_SET) };
            if at < 0 {
                return negative_errno(&io::Error::last_os_error());
            }
        }
        let result = until_done(|| move_here(fd, buffer, request));
        if let Ok(moved) = u64::try_from(result) {
            self.position = Some(request.offset + moved);
        }
        result
    }
}

/// Reads or writes at the file's own position.
fn move_here(fd: i32, buffer: *mut u8, request: Request) -> isize {
    let length = request.length as usize;
    match request.action {
        // SAFETY: buffer is valid for `length` bytes and lent to this call.
        IoAction::Read => unsafe { libc::read(fd, buffer.cast(), length) },
        // SAFETY: as above.
        IoAction::Write => unsafe { libc::write(fd, buffer.cast(), length) },
        _ => {
            let vector = vector(buffer, request.length);
            // -1 is the file's position, which is moved on.
            let flags = request.action.write_flags();
            // SAFETY: one iovec that is valid for `length` bytes.
            unsafe { libc::pwritev2(fd, &raw const vector, 1, -1, flags) }
        }
    }
}

#[inline]
fn vector(buffer: *mut u8, length: u32) -> libc::iovec {
    libc::iovec {
        iov_base: buffer.cast(),
        iov_len: length as usize,
    }
}

fn move_vectors(fd: i32, vectors: &[libc::iovec], request: Request, with_flags: bool) -> isize {
    let offset = request.offset.cast_signed();
    let count = i32::try_from(vectors.len()).expect("at most VECTORS_MAX");
    let first = vectors.as_ptr();
    let flags = request.action.write_flags();
    match (request.action, with_flags || flags != 0) {
        // SAFETY: every vector is valid for its length and lent to this call.
        (IoAction::Read, false) => unsafe { libc::preadv(fd, first, count, offset) },
        // SAFETY: as above.
        (IoAction::Read, true) => unsafe { libc::preadv2(fd, first, count, offset, 0) },
        // SAFETY: as above.
        (_, false) => unsafe { libc::pwritev(fd, first, count, offset) },
        // SAFETY: as above.
        (_, true) => unsafe { libc::pwritev2(fd, first, count, offset, flags) },
    }
}

/// Several buffers by one call; its result may exceed 2^31 in theory only.
fn vectored(fd: i32, vectors: &[libc::iovec], first: Request) -> i64 {
    i64::from(until_done(|| move_vectors(fd, vectors, first, false)))
}

/// Does one I/O by position with `buffer`, which the caller has borrowed from a region
/// for `request.length` bytes.
#[inline]
pub(crate) fn perform(fd: i32, is_device: bool, buffer: *mut u8, request: Request) -> i32 {
    until_done(|| attempt(fd, is_device, buffer, request))
}

/// Repeats a call that a signal interrupts; bytes moved, or minus the error number.
#[inline]
pub(crate) fn until_done(mut call: impl FnMut() -> isize) -> i32 {
    loop {
        let result = call();
        if result >= 0 {
            return i32::try_from(result).expect("no kernel moves 2^31 bytes per call");
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return negative_errno(&error);
        }
    }
}

#[inline]
fn attempt(fd: i32, is_device: bool, buffer: *mut u8, request: Request) -> isize {
    let length = request.length as usize;
    let offset = request.offset.cast_signed();
    match request.action {
        // SAFETY: buffer is valid for `length` bytes and lent to this call.
        IoAction::Read => unsafe { libc::pread64(fd, buffer.cast(), length, offset) },
        // SAFETY: as above.
        IoAction::Write => unsafe { libc::pwrite64(fd, buffer.cast(), length, offset) },
        IoAction::WriteThrough | IoAction::WriteThroughWithMetadata => {
            let vector = vector(buffer, request.length);
            let flags = request.action.write_flags();
            // SAFETY: one iovec that is valid for `length` bytes.
            unsafe { libc::pwritev2(fd, &raw const vector, 1, offset, flags) }
        }
        // SAFETY: takes no memory.
        IoAction::Fsync => unsafe { libc::fsync(fd) as isize },
        // SAFETY: takes no memory.
        IoAction::Fdatasync => unsafe { libc::fdatasync(fd) as isize },
        IoAction::Trim => trim(fd, is_device, request),
    }
}

/// Discards a device's range, or punches a hole into a file. A hole in a device would
/// be zeros written where it cannot discard.
pub(crate) fn trim(fd: i32, is_device: bool, request: Request) -> isize {
    if is_device {
        let range = [request.offset, u64::from(request.length)];
        // SAFETY: BLKDISCARD reads two 64-bit numbers from the pointer.
        return unsafe { libc::ioctl(fd, BLKDISCARD, range.as_ptr()) as isize };
    }
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    let offset = request.offset.cast_signed();
    // SAFETY: takes no memory.
    unsafe { libc::fallocate64(fd, mode, offset, i64::from(request.length)) as isize }
}

/// `_IO(0x12, 119)` of <linux/fs.h>, which libc does not carry.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// Whether trims of a file are discards.
/// What statfs calls ZFS (`ZFS_SUPER_MAGIC` of OpenZFS).
const ZFS: rustix::fs::FsWord = 0x2fc1_2fc1;

/// Whether a file is on ZFS.
pub(crate) fn is_on_zfs(file: impl AsFd) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|it| it.f_type == ZFS)
}

pub(crate) fn is_block_device(file: impl AsFd) -> bool {
    rustix::fs::fstat(file)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice)
}
