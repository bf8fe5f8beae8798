//! How much of a file is in the page cache: `cachestat` where the kernel has it,
//! `mincore` where it has not. Both only look; neither brings a page in.

#![expect(unsafe_code, reason = "no wrapper of cachestat; mincore needs a map")]

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::ptr;

use crate::request::checked;

/// What the page cache holds of a range, in pages of [`page_bytes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct CacheStatus {
    /// Pages that are in memory, clean or dirty.
    pub cached_pages: u64,
    /// In memory and newer than the device.
    pub dirty_pages: u64,
    /// On their way to the device.
    pub writeback_pages: u64,
    /// No longer in memory.
    pub evicted_pages: u64,
    /// No longer in memory since a short while.
    pub recently_evicted_pages: u64,
}

/// Size of a page of memory.
pub fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}

/// Asks `cachestat(2)` (Linux 6.5) about the first `length_bytes` of a file.
///
/// # Errors
/// `ENOSYS` before Linux 6.5, `EOPNOTSUPP` on hugetlbfs, and `EPERM` for a file
/// that is neither owned nor writable or where a sandbox does not know the call.
pub fn cache_status(file: impl AsFd, length_bytes: u64) -> io::Result<CacheStatus> {
    // A length of 0 would mean "to the end of the file".
    if length_bytes == 0 {
        return Ok(CacheStatus::default());
    }
    let range = [0u64, length_bytes];
    let mut status = CacheStatus::default();
    // SAFETY: `range` has the layout of `struct cachestat_range` and `status` of
    // `struct cachestat`, five u64; both outlive the call, which keeps neither.
    let result = unsafe {
        libc::syscall(
            SYS_CACHESTAT,
            file.as_fd().as_raw_fd(),
            range.as_ptr(),
            &raw mut status,
            0u32,
        )
    };
    checked(result)?;
    Ok(status)
}

/// Counts with `mincore(2)` the pages of the first `length_bytes` of a file that
/// are in memory. The kernel answers "all" for a file that the caller neither
/// owns nor may write (Linux 5.2), so ask about such files elsewhere.
///
/// # Errors
/// Whatever mapping the file fails with.
pub fn resident_pages(file: impl AsFd, length_bytes: u64) -> io::Result<u64> {
    let mut resident = 0;
    let mut offset_bytes = 0;
    while offset_bytes < length_bytes {
        let window_bytes = WINDOW_BYTES.min(length_bytes - offset_bytes);
        resident += resident_pages_in_window(&file, offset_bytes, window_bytes)?;
        offset_bytes += window_bytes;
    }
    Ok(resident)
}

/// How much is mapped at a time: one byte of answer per page makes 16 KiB, and a
/// file of any size fits the address space. A multiple of every page size.
const WINDOW_BYTES: u64 = 64 << 20;

/// The number is the same on every architecture that counts its system calls
/// from 0, which are all that the standard library is built for regularly.
const SYS_CACHESTAT: libc::c_long = 451;

fn resident_pages_in_window(
    file: impl AsFd,
    offset_bytes: u64,
    window_bytes: u64,
) -> io::Result<u64> {
    let length = usize::try_from(window_bytes).map_err(io::Error::other)?;
    let mapping = ResidencyMapping::new(file, offset_bytes, length)?;
    let mut pages = vec![0u8; length.div_ceil(rustix::param::page_size())];
    // SAFETY: the range is the live mapping, which begins on a page; `pages` has
    // one byte for each page in it.
    let result = unsafe { libc::mincore(mapping.address, mapping.length, pages.as_mut_ptr()) };
    checked(result)?;
    // Only the lowest bit says something; the others are reserved.
    Ok(pages.iter().map(|page| u64::from(page & 1)).sum())
}

/// A read-only view of a file's pages that is never dereferenced, so that it does
/// not matter if the file shrinks meanwhile.
struct ResidencyMapping {
    address: *mut libc::c_void,
    length: usize,
}

impl ResidencyMapping {
    fn new(file: impl AsFd, offset_bytes: u64, length: usize) -> io::Result<Self> {
        // SAFETY: a new mapping at an address of the kernel's choice touches no
        // existing memory; the address is used for `mincore` and `munmap` only.
        let address = unsafe {
            rustix::mm::mmap(
                ptr::null_mut(),
                length,
                rustix::mm::ProtFlags::READ,
                rustix::mm::MapFlags::SHARED,
                file,
                offset_bytes,
            )
        }?;
        Ok(Self { address, length })
    }
}

impl Drop for ResidencyMapping {
    fn drop(&mut self) {
        // SAFETY: exactly what `new` mapped, unmapped once; nobody else has the
        // address. Failing leaves a mapping behind, which harms nothing.
        let _ = unsafe { rustix::mm::munmap(self.address, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn written_file(length: usize) -> std::fs::File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![1; length]).unwrap();
        file
    }

    #[test]
    fn what_was_just_written_is_in_memory() {
        let file = written_file(1 << 20);
        let pages = (1 << 20) / page_bytes();
        assert_eq!(resident_pages(&file, 1 << 20).unwrap(), pages);
        match cache_status(&file, 1 << 20) {
            Ok(status) => assert_eq!(status.cached_pages, pages),
            Err(error) => eprintln!("SKIPPED: no cachestat here: {error}"),
        }
    }

    #[test]
    fn windows_add_up_and_what_is_beyond_the_end_is_not_counted() {
        let file = written_file(1 << 20);
        file.set_len(3 * WINDOW_BYTES + 12_345).unwrap();
        assert_eq!(
            resident_pages(&file, 3 * WINDOW_BYTES + 12_345).unwrap(),
            (1 << 20) / page_bytes()
        );
    }

    #[test]
    fn of_nothing_nothing_is_cached() {
        let file = written_file(4096);
        assert_eq!(cache_status(&file, 0).unwrap(), CacheStatus::default());
        assert_eq!(resident_pages(&file, 0).unwrap(), 0);
    }

    #[test]
    fn what_cannot_be_mapped_is_an_error() {
        let directory = std::fs::File::open("/").unwrap();
        assert!(resident_pages(&directory, 4096).is_err());
    }
}
