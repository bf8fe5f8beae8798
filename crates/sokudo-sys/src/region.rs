//! Memory that the kernel reads and writes while I/O is in flight.

#![expect(unsafe_code, reason = "memory for the kernel is mapped by hand")]

use std::io;
use std::ptr::NonNull;

use crate::request::checked;

/// Buffers start at multiples of this: the largest memory alignment that any
/// block device asks of direct I/O (`dma_alignment` is below one page).
pub const BUFFER_ALIGNMENT: usize = 4096;

/// Size of a huge page on every 64-bit machine that Linux calls x86 or arm64.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// A region that fills half a huge page is given a whole one: in small pages a block of 1 MiB
/// is 256 pieces, and the kernel cuts it for devices that take fewer (virtio: 254).
const HUGE_FROM_BYTES: usize = HUGE_PAGE_BYTES / 2;

/// What the region is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    /// Explicit huge pages from the system's pool.
    Huge,
    /// Ordinary memory for which transparent huge pages were asked.
    TransparentHuge,
    Small,
}

/// Memory divided into equal buffers, each lent to at most one I/O at a time.
///
/// While a buffer is lent the kernel may read or write it, and no reference to it
/// can be had.
pub struct Region {
    memory: NonNull<u8>,
    mapped_bytes: usize,
    buffer_length: usize,
    lent: Box<[bool]>,
    pages: Pages,
}

/// Which pages are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageWish {
    /// Huge pages where there are any and the region fills half of one.
    #[default]
    Best,
    /// Ordinary memory, as an allocator gives it; transparent huge pages only where
    /// the system gives them to everybody.
    Small,
    /// Huge pages or nothing: those of the system's pool, else transparent ones.
    Huge,
}

impl Region {
    /// Maps `buffers` buffers of at least `buffer_length` each, zeroed and present, in
    /// huge pages where there are any and the region fills half of one.
    ///
    /// # Errors
    /// `ENOMEM` when there is not so much memory.
    pub fn new(buffers: u32, buffer_length: usize) -> io::Result<Self> {
        Self::with_pages(buffers, buffer_length, PageWish::Best)
    }

    /// As [`Self::new`], in pages of the caller's choice.
    ///
    /// # Errors
    /// `ENOMEM` when there is not so much memory, or not so many huge pages.
    pub fn with_pages(buffers: u32, buffer_length: usize, wish: PageWish) -> io::Result<Self> {
        let buffer_length = buffer_length.max(1).next_multiple_of(BUFFER_ALIGNMENT);
        let bytes = (buffers.max(1) as usize)
            .checked_mul(buffer_length)
            .filter(|bytes| *bytes <= isize::MAX as usize - HUGE_PAGE_BYTES)
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let (memory, mapped_bytes, pages) = match wish {
            PageWish::Best if bytes < HUGE_FROM_BYTES => map_small(bytes)?,
            PageWish::Best => map_huge(bytes).or_else(|_| map_small(bytes))?,
            PageWish::Small => map_small(bytes)?,
            PageWish::Huge => map_huge(bytes)?,
        };
        let lent = vec![false; buffers.max(1) as usize].into_boxed_slice();
        Ok(Self {
            memory,
            mapped_bytes,
            buffer_length,
            lent,
            pages,
        })
    }

    pub fn buffers(&self) -> usize {
        self.lent.len()
    }

    /// What it is made of.
    pub fn pages(&self) -> Pages {
        self.pages
    }

    /// The contents of a buffer.
    ///
    /// # Panics
    /// If the buffer is lent to an I/O.
    #[inline]
    pub fn buffer_mut(&mut self, buffer: u32) -> &mut [u8] {
        assert!(!self.lent[buffer as usize], "buffer {buffer} is in flight");
        let start = self.pointer(buffer);
        // SAFETY: the buffer lies inside the mapping, which lives as long as self
        // and was zeroed by the kernel; it is not lent, so the kernel does not
        // touch it, and &mut self excludes every other reference.
        unsafe { std::slice::from_raw_parts_mut(start, self.buffer_length) }
    }

    /// Lends a buffer to an I/O of `length` bytes, until [`Self::take_back`].
    #[inline]
    pub(crate) fn lend(&mut self, buffer: u32, length: u32) -> *mut u8 {
        assert!(
            length as usize <= self.buffer_length,
            "{length} bytes exceed the buffer"
        );
        let lent = &mut self.lent[buffer as usize];
        assert!(!*lent, "buffer {buffer} is in flight");
        *lent = true;
        self.pointer(buffer)
    }

    /// Ends a loan: the kernel is done with the buffer.
    #[inline]
    pub(crate) fn take_back(&mut self, buffer: u32) {
        let lent = &mut self.lent[buffer as usize];
        assert!(*lent, "buffer {buffer} is not in flight");
        *lent = false;
    }

    /// The whole region, for registration with the kernel.
    pub(crate) fn as_iovec(&self) -> libc::iovec {
        libc::iovec {
            iov_base: self.memory.as_ptr().cast(),
            iov_len: self.lent.len() * self.buffer_length,
        }
    }

    #[inline]
    fn pointer(&self, buffer: u32) -> *mut u8 {
        assert!(
            (buffer as usize) < self.lent.len(),
            "buffer {buffer} does not exist"
        );
        // SAFETY: buffers × buffer_length is at most mapped_bytes, so the result
        // stays inside the mapping.
        unsafe {
            self.memory
                .as_ptr()
                .add(buffer as usize * self.buffer_length)
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // Rings leak their region instead of dropping it while I/O is in flight.
        debug_assert!(
            self.lent.iter().all(|lent| !lent),
            "dropped while in flight"
        );
        unmap(self.memory, self.mapped_bytes);
    }
}

fn map_small(bytes: usize) -> io::Result<(NonNull<u8>, usize, Pages)> {
    let bytes = bytes.next_multiple_of(BUFFER_ALIGNMENT);
    let memory = map(bytes, 0)?;
    touch(memory, bytes, APART);
    Ok((memory, bytes, Pages::Small))
}

/// Huge pages of the system's pool, else transparent ones.
fn map_huge(bytes: usize) -> io::Result<(NonNull<u8>, usize, Pages)> {
    let bytes = bytes.next_multiple_of(HUGE_PAGE_BYTES);
    if let Ok(memory) = map(bytes, libc::MAP_HUGETLB | libc::MAP_POPULATE) {
        return Ok((memory, bytes, Pages::Huge));
    }
    let memory = map_aligned(bytes)?;
    if let Err(error) = advise_huge(memory, bytes) {
        unmap(memory, bytes);
        return Err(error);
    }
    touch(memory, bytes, 1);
    Ok((memory, bytes, Pages::TransparentHuge))
}

/// Memory that begins at a multiple of a huge page: no other becomes one.
fn map_aligned(bytes: usize) -> io::Result<NonNull<u8>> {
    let whole = bytes + HUGE_PAGE_BYTES;
    let memory = map(whole, 0)?;
    let before = memory.as_ptr().align_offset(HUGE_PAGE_BYTES);
    // SAFETY: the mapping is a huge page longer than what is used of it.
    let used = unsafe { memory.add(before) };
    // SAFETY: as above.
    let after = unsafe { used.add(bytes) };
    if before > 0 {
        unmap(memory, before);
    }
    if before < HUGE_PAGE_BYTES {
        unmap(after, HUGE_PAGE_BYTES - before);
    }
    Ok(used)
}

fn map(bytes: usize, flags: libc::c_int) -> io::Result<NonNull<u8>> {
    // SAFETY: a fresh private anonymous mapping touches no existing memory.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags,
            -1,
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(address.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

/// Gives back a mapping of this length that nothing refers to.
fn unmap(memory: NonNull<u8>, bytes: usize) {
    // SAFETY: the callers pass what `map` returned, with its length, and drop it.
    unsafe { libc::munmap(memory.as_ptr().cast(), bytes) };
}

fn advise_huge(memory: NonNull<u8>, bytes: usize) -> io::Result<()> {
    // SAFETY: the range is a mapping of our own; the advice changes no contents.
    let status = unsafe { libc::madvise(memory.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
    checked(status).map(drop)
}

/// Every other page is touched first. The kernel gives pages in the order in which they are
/// touched, and where it has them side by side, a device takes neighbours as one piece: how
/// many pieces a block is would hang on what ran before. Of a virtio disk that takes 254 at
/// once, fio read blocks of 256 pages with 1.1 to 2.2 GB/s.
const APART: usize = 2;

/// Writes one byte per page, so that no page fault falls into the measurement: every `apart`th
/// page, then those behind them.
fn touch(memory: NonNull<u8>, bytes: usize, apart: usize) {
    let of_round = |first| (first..bytes.div_ceil(BUFFER_ALIGNMENT)).step_by(apart);
    for offset in (0..apart)
        .flat_map(of_round)
        .map(|page| page * BUFFER_ALIGNMENT)
    {
        // SAFETY: offset < bytes, which is mapped and writable.
        let byte = unsafe { memory.as_ptr().add(offset) };
        // SAFETY: as above; volatile so that the store is not optimised away.
        unsafe { byte.write_volatile(0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_aligned_zeroed_and_apart() {
        for (buffers, bytes) in [(1, 512), (7, 4096), (3, 5000), (4, 1 << 20)] {
            let mut region = Region::new(buffers, bytes).unwrap();
            for buffer in 0..buffers {
                let memory = region.buffer_mut(buffer);
                assert!(memory.len() >= bytes && memory.iter().all(|byte| *byte == 0));
                assert_eq!(memory.as_ptr().align_offset(BUFFER_ALIGNMENT), 0);
                memory.fill(buffer as u8 + 1);
            }
            for buffer in 0..buffers {
                assert!(
                    region
                        .buffer_mut(buffer)
                        .iter()
                        .all(|byte| *byte == buffer as u8 + 1)
                );
            }
        }
    }

    /// Only root sees where pages are.
    #[test]
    fn neighbours_in_a_buffer_are_none_in_memory() {
        const PAGES: usize = 2_048;
        let region = Region::with_pages(8, PAGES / 8 * 4096, PageWish::Small).unwrap();
        let mut entries = vec![0; PAGES * 8];
        let map = std::fs::File::open("/proc/self/pagemap").unwrap();
        let at = region.memory.as_ptr().addr() as u64 / 4096 * 8;
        std::os::unix::fs::FileExt::read_exact_at(&map, &mut entries, at).unwrap();
        let frames: Vec<u64> = entries
            .chunks_exact(8)
            .map(|entry| u64::from_ne_bytes(entry.try_into().unwrap()) & ((1 << 55) - 1))
            .collect();
        let is_huge = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled")
            .is_ok_and(|mode| mode.contains("[always]"));
        if frames.contains(&0) || is_huge {
            return;
        }
        let beside = frames.windows(2).filter(|two| two[0] + 1 == two[1]).count();
        assert!(beside < PAGES / 50, "{beside} of {PAGES} lie side by side");
    }

    #[test]
    fn pages_are_as_wished_or_an_error_says_so() {
        let small = Region::with_pages(4, 1 << 20, PageWish::Small).unwrap();
        assert_eq!(small.pages(), Pages::Small);
        match Region::with_pages(1, 4096, PageWish::Huge) {
            Ok(region) => assert_ne!(region.pages(), Pages::Small),
            // A kernel without transparent ones.
            Err(error) => assert_eq!(error.raw_os_error(), Some(libc::EINVAL)),
        }
    }

    #[test]
    fn a_single_block_of_1_mib_lies_in_a_huge_page_like_several() {
        let one = Region::new(1, 1 << 20).unwrap();
        let several = Region::new(4, 1 << 20).unwrap();
        assert_eq!(one.pages() == Pages::Small, several.pages() == Pages::Small);
        assert_eq!(Region::new(1, 4096).unwrap().pages(), Pages::Small);
    }

    #[test]
    #[should_panic(expected = "in flight")]
    fn a_lent_chunk_cannot_be_touched() {
        // Leaked, because dropping it while lent would panic a second time.
        let region = Box::leak(Box::new(Region::new(2, 4096).unwrap()));
        region.lend(1, 4096);
        region.buffer_mut(1);
    }

    #[test]
    fn more_memory_than_there_is_is_an_error() {
        assert!(Region::new(u32::MAX, usize::MAX / 2).is_err());
        assert!(Region::new(1 << 20, 1 << 40).is_err());
    }
}
