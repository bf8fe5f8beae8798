//! What can be seen of one file: whether direct I/O works, what it is made of, how
//! much of it is in memory, and how much room is left beside it.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Advice, AtFlags, CWD, IFlags, OFlags, Statx, StatxFlags, statx};
use rustix::io::Errno;
use sokudo_model::{Bytes, DirectIoSupport, FileState};
use sokudo_sys::extents::{self, Extent, ExtentSync};
use sokudo_sys::residency;

/// Extents after which the description of a file is given up. 4 million of them
/// take about a second to list, and no benchmark file comes near.
const EXTENTS_MAX: u64 = 4_000_000;

/// Whether direct I/O works on an open file, as far as the kernel says
/// (`STATX_DIOALIGN`, Linux 6.1). It is necessary, never sufficient: ext4 says yes
/// for a file without a single written block.
pub fn direct_io_support(file: &File) -> DirectIoSupport {
    support(statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN))
}

/// The same for a path, without opening what is there.
pub(crate) fn direct_io_support_at(path: &Path) -> DirectIoSupport {
    support(statx(CWD, path, AtFlags::empty(), StatxFlags::DIOALIGN))
}

fn support(answer: rustix::io::Result<Statx>) -> DirectIoSupport {
    match answer {
        Ok(answer) if answer.stx_mask & StatxFlags::DIOALIGN.bits() == 0 => {
            DirectIoSupport::Unknown
        }
        Ok(answer) if answer.stx_dio_mem_align == 0 || answer.stx_dio_offset_align == 0 => {
            DirectIoSupport::Unsupported
        }
        Ok(answer) => DirectIoSupport::Supported {
            memory_alignment: Bytes(answer.stx_dio_mem_align.into()),
            offset_alignment: Bytes(answer.stx_dio_offset_align.into()),
        },
        Err(_) => DirectIoSupport::Unknown,
    }
}

/// Why it is not known what a file is made of.
#[derive(Debug, sokudo_words::Error)]
pub enum FileStateError {
    /// The file system does not tell, as tmpfs, NFS and most of FUSE.
    #[error("its file system does not list extents (FIEMAP)")]
    Unsupported,
    /// There are too many pieces.
    #[error("it is in more than {EXTENTS_MAX} extents; copy it again to measure on it")]
    TooManyExtents,
    /// Writing out what was still in memory, or listing, failed.
    #[error("listing its extents failed: {0}")]
    Failed(#[from] io::Error),
}

/// What a file is made of. What is still only in memory is first written out, for
/// until then it has no place on the device.
///
/// # Errors
/// [`FileStateError::Unsupported`] where the file system does not tell.
pub fn file_state(file: &File) -> Result<FileState, FileStateError> {
    let size_bytes = file.metadata()?.len();
    let flags = rustix::fs::ioctl_getflags(file).ok();
    let mut state = FileState {
        size_bytes: Bytes(size_bytes),
        is_exempt_from_copies: flags.map(|flags| flags.contains(IFlags::NOCOW)),
        is_synchronous: flags.is_some_and(|flags| flags.contains(IFlags::SYNC)),
        ..FileState::default()
    };
    let (mut end_bytes, mut ranges) = (0, Vec::new());
    let mut sync = ExtentSync::First;
    // Asked at least once, so that also of an empty file it is known whether its
    // file system tells; then every call moves on by an extent or ends the loop.
    loop {
        let start_bytes = end_bytes;
        let batch = extents::extents_from(file, start_bytes, sync).map_err(state_error)?;
        sync = ExtentSync::No;
        for extent in &batch {
            ranges.extend(add_extent(&mut state, extent, &mut end_bytes));
        }
        let is_last = batch.last().is_none_or(|extent| extent.is_last);
        if is_last || end_bytes >= size_bytes || end_bytes <= start_bytes {
            break;
        }
        if state.extents > EXTENTS_MAX {
            return Err(FileStateError::TooManyExtents);
        }
    }
    state.hole_bytes.0 += size_bytes.saturating_sub(end_bytes);
    state.repeated_bytes = Bytes(repeated_bytes(ranges));
    Ok(state)
}

/// How many bytes lie where others of the same file lie.
fn repeated_bytes(mut ranges: Vec<Range<u64>>) -> u64 {
    ranges.sort_unstable_by_key(|range| range.start);
    let (mut repeated, mut covered_until) = (0, 0);
    for range in ranges {
        let again = covered_until.min(range.end).saturating_sub(range.start);
        repeated += again;
        covered_until = covered_until.max(range.end);
    }
    repeated
}

/// Adds one extent: a hole from `end_bytes` to its start, then the extent, as far
/// as both are within the file and were not counted before. Returns where it lies, byte for
/// byte; `None` where it has no place, or another number of bytes there.
fn add_extent(state: &mut FileState, extent: &Extent, end_bytes: &mut u64) -> Option<Range<u64>> {
    let size_bytes = state.size_bytes.0;
    let start = extent
        .offset_bytes
        .clamp(*end_bytes, size_bytes.max(*end_bytes));
    let end = extent
        .offset_bytes
        .saturating_add(extent.length_bytes)
        .min(size_bytes);
    if end <= start {
        return None;
    }
    let length = end - start;
    state.extents += 1;
    state.hole_bytes.0 += start - *end_bytes;
    let is_unwritten = extent.is_unwritten || extent.is_delayed;
    for (is_so, bytes) in [
        (is_unwritten, &mut state.unwritten_bytes),
        (extent.is_encoded, &mut state.encoded_bytes),
        (extent.is_inline, &mut state.inline_bytes),
        (extent.is_shared, &mut state.shared_bytes),
    ] {
        bytes.0 += if is_so { length } else { 0 };
    }
    *end_bytes = end;
    let is_odd = is_unwritten || extent.is_encoded || extent.is_inline;
    let is_on_device = !is_odd && extent.physical_bytes > 0;
    let physical_start = extent
        .physical_bytes
        .checked_add(start - extent.offset_bytes)?;
    let range = physical_start..physical_start.checked_add(length)?;
    is_on_device.then_some(range)
}

fn state_error(error: io::Error) -> FileStateError {
    match Errno::from_io_error(&error) {
        // EBADR: it does not know the flag that asks for syncing.
        Some(Errno::OPNOTSUPP | Errno::NOTTY | Errno::NOSYS | Errno::BADR) => {
            FileStateError::Unsupported
        }
        _ => FileStateError::Failed(error),
    }
}

/// How much of the first `length` bytes of a file is in the page cache; `None`
/// where the kernel does not say, or says it only to the file's owner.
pub fn cached_bytes(file: &File, length: Bytes) -> Option<Bytes> {
    let pages = match residency::cache_status(file, length.0) {
        Ok(status) => status.cached_pages,
        Err(_) if may_ask_mincore(file) => residency::resident_pages(file, length.0).ok()?,
        Err(_) => return None,
    };
    Some(Bytes(
        pages.saturating_mul(residency::page_bytes()).min(length.0),
    ))
}

/// To others the kernel claims that everything is in memory (`mincore(2)`).
fn may_ask_mincore(file: &File) -> bool {
    let user = rustix::process::geteuid();
    user.is_root()
        || is_writable(file)
        || file
            .metadata()
            .is_ok_and(|metadata| metadata.uid() == user.as_raw())
}

/// Takes a file out of the page cache, after writing out what only the cache has:
/// dirty pages cannot be dropped.
///
/// # Errors
/// What syncing a file that is open for writing fails with, for then the pages
/// stay.
pub fn drop_cached(file: &File) -> io::Result<()> {
    match file.sync_data() {
        // Who only reads has left nothing to write out.
        Err(error) if is_writable(file) => return Err(error),
        _ => {}
    }
    drop_synced(file)
}

/// Takes a file out of the page cache of which all is on the device.
///
/// # Errors
/// When the kernel refuses to.
pub fn drop_synced(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fadvise(file, 0, None, Advice::DontNeed)?)
}

/// Takes a block device out of the page cache, as hdparm does it; without the right
/// to (`CAP_SYS_ADMIN`), as far as the kernel lets go of clean pages.
///
/// # Errors
/// When the device cannot be synced, or is none.
pub fn drop_cached_device(device: &File) -> io::Result<()> {
    match sokudo_sys::flush_block_cache(device) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => drop_cached(device),
        other => other,
    }
}

fn is_writable(file: impl AsFd) -> bool {
    rustix::fs::fcntl_getfl(file).is_ok_and(|flags| flags.intersects(OFlags::WRONLY | OFlags::RDWR))
}

/// What this user may still write on the file system that holds `path`.
///
/// # Errors
/// If the path cannot be reached.
pub fn free_bytes(path: &Path) -> io::Result<Bytes> {
    let space = rustix::fs::statvfs(path)?;
    Ok(Bytes(space.f_bavail.saturating_mul(space.f_frsize)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_system_does_not_say_of_direct_io_is_not_known() {
        let found = direct_io_support_at(Path::new("/proc/self/status"));
        assert_eq!(found, DirectIoSupport::Unknown);
    }

    const WRITTEN: Extent = Extent {
        offset_bytes: 0,
        physical_bytes: 1 << 20,
        length_bytes: 4096,
        is_delayed: false,
        is_unwritten: false,
        is_encoded: false,
        is_inline: false,
        is_shared: false,
        is_last: false,
    };

    fn state_of(size: u64, extents: &[Extent]) -> (FileState, u64) {
        let mut state = FileState {
            size_bytes: Bytes(size),
            ..FileState::default()
        };
        let mut end = 0;
        for extent in extents {
            add_extent(&mut state, extent, &mut end);
        }
        (state, end)
    }

    #[test]
    fn extents_beyond_the_end_count_up_to_it() {
        let inline = Extent {
            is_inline: true,
            ..WRITTEN
        };
        let (state, end) = state_of(100, &[inline]);
        assert_eq!((state.inline_bytes, end), (Bytes(100), 100));
        let beyond = Extent {
            offset_bytes: 8192,
            ..WRITTEN
        };
        let (state, end) = state_of(100, &[inline, beyond]);
        assert_eq!((state.extents, end), (1, 100));
    }

    #[test]
    fn hostile_extents_are_never_counted_twice() {
        let backwards = Extent {
            offset_bytes: 1,
            length_bytes: u64::MAX,
            is_unwritten: true,
            ..WRITTEN
        };
        let (state, end) = state_of(10_000, &[WRITTEN, WRITTEN, backwards, backwards]);
        assert_eq!(state.extents, 2);
        assert_eq!(state.unwritten_bytes, Bytes(10_000 - 4096));
        assert_eq!(end, 10_000);
        assert_eq!(state.hole_bytes, Bytes(0));
    }

    #[test]
    fn what_has_no_place_on_the_device_yet_is_unwritten() {
        let delayed = Extent {
            is_delayed: true,
            ..WRITTEN
        };
        assert_eq!(state_of(4096, &[delayed]).0.unwritten_bytes, Bytes(4096));
    }

    #[test]
    fn what_lies_in_one_place_several_times_is_repeated_but_once() {
        let repeated = |extents: &[Extent]| {
            let mut state = FileState {
                size_bytes: Bytes(1 << 30),
                ..FileState::default()
            };
            let mut end = 0;
            let extent_iter = extents.iter();
            repeated_bytes(
                extent_iter
                    .filter_map(|extent| add_extent(&mut state, extent, &mut end))
                    .collect(),
            )
        };
        let at = |offset_bytes, physical_bytes, length_bytes| Extent {
            offset_bytes,
            physical_bytes,
            length_bytes,
            ..WRITTEN
        };
        let shared: Vec<Extent> = (0..512).map(|it| at(it << 20, 8 << 20, 1 << 20)).collect();
        assert_eq!(repeated(&shared), 511 << 20);
        let own: Vec<Extent> = (0..512)
            .map(|it| at(it << 20, (it + 8) << 20, 1 << 20))
            .collect();
        assert_eq!(repeated(&own), 0);
        // The half of one is the half of another.
        assert_eq!(
            repeated(&[at(0, 1 << 20, 8192), at(8192, (1 << 20) + 4096, 8192)]),
            4096
        );
        // Compressed, it takes less room than its bytes; and what has no place is in none.
        let odd = |change: fn(&mut Extent)| {
            let mut odd = [at(0, 1 << 20, 8192), at(8192, 1 << 20, 8192)];
            odd.iter_mut().for_each(change);
            repeated(&odd)
        };
        assert_eq!(odd(|it| it.is_encoded = true), 0);
        assert_eq!(odd(|it| it.is_unwritten = true), 0);
        assert_eq!(odd(|it| it.physical_bytes = 0), 0);
        assert_eq!(
            repeated(&[at(0, u64::MAX, 8192), at(8192, u64::MAX - 1, 1)]),
            0
        );
    }

    #[test]
    fn gaps_between_extents_are_holes() {
        let late = Extent {
            offset_bytes: 8192,
            ..WRITTEN
        };
        assert_eq!(state_of(20_000, &[late]).0.hole_bytes, Bytes(8192));
    }
}
