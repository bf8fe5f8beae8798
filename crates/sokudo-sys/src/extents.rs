//! What a file is made of on its file system, as the `FIEMAP` ioctl tells it.
//! It lists; what the extents mean for a measurement is decided elsewhere.

#![expect(unsafe_code, reason = "FIEMAP is reached only through a raw ioctl")]

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::request::checked;

/// Extents asked for per call: 28 KiB of answer, so that a fragmented file takes
/// few calls and an ordinary one little memory.
pub const EXTENTS_PER_CALL: u32 = 512;

/// One piece of a file that its file system keeps together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where it begins in the file, bytes.
    pub offset_bytes: u64,
    /// Where it begins on what the file system is on, bytes; nothing where it has no place there.
    pub physical_bytes: u64,
    /// How long it is, bytes; it may reach beyond the end of the file.
    pub length_bytes: u64,
    /// It has no block on the device yet (delayed allocation).
    pub is_delayed: bool,
    /// It has blocks that were never written: reads return zeros.
    pub is_unwritten: bool,
    /// It is compressed or encrypted by the file system.
    pub is_encoded: bool,
    /// It lives in the inode or shares a block with something else.
    pub is_inline: bool,
    /// Other files use the same blocks.
    pub is_shared: bool,
    /// It is the last of the file.
    pub is_last: bool,
}

impl From<&RawExtent> for Extent {
    fn from(raw: &RawExtent) -> Self {
        let has = |flags| raw.flags & flags != 0;
        Self {
            offset_bytes: raw.logical,
            physical_bytes: raw.physical,
            length_bytes: raw.length,
            is_delayed: has(FLAG_DELALLOC),
            is_unwritten: has(FLAG_UNWRITTEN),
            is_encoded: has(FLAG_ENCODED | FLAG_DATA_ENCRYPTED),
            is_inline: has(FLAG_DATA_INLINE | FLAG_DATA_TAIL),
            is_shared: has(FLAG_SHARED),
            is_last: has(FLAG_LAST),
        }
    }
}

/// Whether what is still in memory is first given its place on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtentSync {
    /// The kernel writes dirty pages of the file out and waits for them.
    First,
    /// The file is described as it is.
    No,
}

/// The first [`EXTENTS_PER_CALL`] extents at or after `offset_bytes`, in order.
/// Empty when nothing but holes follows.
///
/// # Errors
/// `EOPNOTSUPP` or `ENOTTY` where there is no FIEMAP (tmpfs, NFS, FUSE, devices),
/// and whatever syncing fails with.
pub fn extents_from(
    file: impl AsFd,
    offset_bytes: u64,
    sync: ExtentSync,
) -> io::Result<Vec<Extent>> {
    let mut request = Box::new(FiemapRequest {
        start: offset_bytes,
        length: u64::MAX - offset_bytes,
        flags: match sync {
            ExtentSync::First => FIEMAP_FLAG_SYNC,
            ExtentSync::No => 0,
        },
        mapped_extents: 0,
        extent_count: EXTENTS_PER_CALL,
        reserved: 0,
        extents: [RawExtent::default(); EXTENTS_PER_CALL as usize],
    });
    let answer: *mut FiemapRequest = &raw mut *request;
    // SAFETY: the descriptor is borrowed for the call; `answer` points to a live
    // `struct fiemap` followed by room for `extent_count` extents, which is all
    // that the kernel writes.
    let status = unsafe { libc::ioctl(file.as_fd().as_raw_fd(), FS_IOC_FIEMAP, answer) };
    checked(status)?;
    let count = request.mapped_extents.min(EXTENTS_PER_CALL) as usize;
    Ok(request.extents[..count].iter().map(Extent::from).collect())
}

/// `_IOWR('f', 11, struct fiemap)`: the size in the number is that of the header
/// alone.
const FS_IOC_FIEMAP: libc::Ioctl =
    rustix::ioctl::opcode::read_write::<[u64; 4]>(b'f', 11) as libc::Ioctl;

// From <linux/fiemap.h>.
const FIEMAP_FLAG_SYNC: u32 = 0x1;
const FLAG_LAST: u32 = 0x1;
const FLAG_DELALLOC: u32 = 0x4;
const FLAG_ENCODED: u32 = 0x8;
const FLAG_DATA_ENCRYPTED: u32 = 0x80;
const FLAG_DATA_INLINE: u32 = 0x200;
const FLAG_DATA_TAIL: u32 = 0x400;
const FLAG_UNWRITTEN: u32 = 0x800;
const FLAG_SHARED: u32 = 0x2000;

/// `struct fiemap` with its extents.
#[repr(C)]
struct FiemapRequest {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
    extents: [RawExtent; EXTENTS_PER_CALL as usize],
}

/// `struct fiemap_extent` of `linux/fiemap.h`: 56 bytes.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct RawExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved: [u64; 2],
    flags: u32,
    more_reserved: [u32; 3],
}

const _: () = {
    assert!(size_of::<RawExtent>() == 56);
    assert!(std::mem::offset_of!(FiemapRequest, extents) == 32);
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn flags_become_words() {
        let raw = RawExtent {
            logical: 4096,
            length: 8192,
            flags: FLAG_LAST | FLAG_UNWRITTEN | FLAG_SHARED,
            ..RawExtent::default()
        };
        let extent = Extent::from(&raw);
        assert_eq!((extent.offset_bytes, extent.length_bytes), (4096, 8192));
        assert!(extent.is_last && extent.is_unwritten && extent.is_shared);
        assert!(!extent.is_inline && !extent.is_encoded && !extent.is_delayed);
    }

    #[test]
    fn an_empty_file_has_no_extents_or_no_fiemap() {
        let file = tempfile::tempfile().unwrap();
        match extents_from(&file, 0, ExtentSync::First) {
            Ok(extents) => assert_eq!(extents, []),
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::EOPNOTSUPP)),
        }
    }

    #[test]
    fn extents_cover_what_was_written_and_end_with_the_last() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; 65_536]).unwrap();
        let Ok(extents) = extents_from(&file, 0, ExtentSync::First) else {
            eprintln!("SKIPPED: the temporary directory's file system has no FIEMAP");
            return;
        };
        assert!(extents.last().unwrap().is_last);
        assert!(extents.iter().map(|e| e.length_bytes).sum::<u64>() >= 65_536);
        assert_eq!(extents_from(&file, 1 << 40, ExtentSync::No).unwrap(), []);
    }

    #[test]
    fn what_is_no_file_is_an_error() {
        let null = std::fs::File::open("/dev/null").unwrap();
        assert!(extents_from(&null, 0, ExtentSync::No).is_err());
    }
}
