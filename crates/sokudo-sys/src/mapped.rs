//! Files mapped into memory: an I/O is a copy between the mapping and a buffer.
//!
//! Files are mapped whole and never made longer. A file that shrinks under its mapping,
//! or a device that fails, makes the I/O fail with `EIO`.

#![expect(unsafe_code, reason = "files are mapped and copied by address")]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;

use rustix::fs::{OFlags, SeekFrom};

use crate::blocking::{self, OneByOne};
use crate::bus_error;
use crate::region::Region;
use crate::request::{IoAction, Request, checked, negative_errno};

/// Mapped files with their own buffers.
pub struct Mapped {
    files: Vec<MappedFile>,
    region: Region,
}

struct MappedFile {
    // Dropped before the file.
    mapping: Option<FileMapping>,
    descriptor: OwnedFd,
    is_device: bool,
    is_writable: bool,
    /// Opened past the page cache: what fio does then is to write pages out and to drop
    /// them from the mapping after each I/O.
    is_direct: bool,
}

/// A whole file in memory.
struct FileMapping {
    address: NonNull<u8>,
    length: usize,
}

impl Mapped {
    /// Maps the files.
    ///
    /// # Errors
    /// `ENODEV` for what cannot be mapped, `EACCES` for a file that may only be
    /// written, `ENOMEM` without room; files and region are given back.
    pub fn new(
        files: Vec<OwnedFd>,
        region: Region,
    ) -> Result<Self, (io::Error, Vec<OwnedFd>, Region)> {
        if let Err(error) = bus_error::install() {
            return Err((error, files, region));
        }
        let mut mapped = Vec::with_capacity(files.len());
        let mut failed = None;
        for descriptor in files {
            let mut file = MappedFile::new(descriptor);
            if failed.is_none() {
                failed = file.map().err();
            }
            mapped.push(file);
        }
        match failed {
            None => Ok(Self {
                files: mapped,
                region,
            }),
            Some(error) => {
                let files = mapped.into_iter().map(|file| file.descriptor).collect();
                Err((error, files, region))
            }
        }
    }
}

impl OneByOne for Mapped {
    #[inline]
    fn region_mut(&mut self) -> &mut Region {
        &mut self.region
    }

    fn perform(&mut self, request: Request) -> i32 {
        let file = &mut self.files[request.file as usize];
        let buffer = self.region.lend(request.buffer, request.length);
        let result = match request.action {
            IoAction::Fsync => file.write_out(0, u64::MAX).map(|()| 0),
            IoAction::Fdatasync | IoAction::Trim => Ok(blocking::perform(
                file.descriptor.as_raw_fd(),
                file.is_device,
                buffer,
                request,
            )),
            _ => file.copy(buffer, request),
        };
        self.region.take_back(request.buffer);
        result.unwrap_or_else(|error| negative_errno(&error))
    }
}

impl MappedFile {
    fn new(descriptor: OwnedFd) -> Self {
        let flags = rustix::fs::fcntl_getfl(&descriptor).unwrap_or(OFlags::empty());
        Self {
            mapping: None,
            is_device: blocking::is_block_device(&descriptor),
            is_writable: flags.contains(OFlags::RDWR),
            is_direct: flags.contains(OFlags::DIRECT),
            descriptor,
        }
    }

    /// Maps the file at its present size; nothing for an empty one.
    fn map(&mut self) -> io::Result<()> {
        self.mapping = None;
        // Works for devices, too, whose size fstat does not tell.
        let size = rustix::fs::seek(&self.descriptor, SeekFrom::End(0))?;
        let length = usize::try_from(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if length > 0 {
            self.mapping = Some(FileMapping::new(
                &self.descriptor,
                length,
                self.is_writable,
            )?);
        }
        Ok(())
    }

    /// Moves data; bytes moved, which are fewer at the end of the file.
    fn copy(&mut self, buffer: *mut u8, request: Request) -> io::Result<i32> {
        let writes = request.action != IoAction::Read;
        if writes && !self.is_writable {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        }
        let end = request.offset.saturating_add(request.length.into());
        if self.mapped_bytes() < end {
            self.map()?;
        }
        let Some((address, length)) = self.part(request) else {
            // Reading ends with the file; a mapping cannot make it longer.
            let no_room = io::Error::from_raw_os_error(libc::ENOSPC);
            return if writes { Err(no_room) } else { Ok(0) };
        };
        let copied = if writes {
            // SAFETY: `part` lies in our mapping, which nobody refers to; the buffer is
            // lent to this call for at least `length` bytes.
            unsafe { bus_error::copy(buffer, address, address, length) }
        } else {
            // SAFETY: as above.
            unsafe { bus_error::copy(address, buffer, address, length) }
        };
        if copied.is_err() {
            // Pages of zeros lie in the mapping now.
            self.map()?;
            return Err(io::Error::from_raw_os_error(libc::EIO));
        }
        let is_durable = request.action.write_flags() != 0;
        if is_durable || self.is_direct {
            self.write_out(request.offset, length as u64)?;
        }
        if self.is_direct {
            self.forget(request.offset, length as u64)?;
        }
        Ok(i32::try_from(length).expect("at most a request's length, below 2^31"))
    }

    fn mapped_bytes(&self) -> u64 {
        self.mapping
            .as_ref()
            .map_or(0, |mapping| mapping.length as u64)
    }

    /// The part of the mapping that a request is about; `None` beyond its end.
    fn part(&self, request: Request) -> Option<(*mut u8, usize)> {
        let mapping = self.mapping.as_ref()?;
        let offset = usize::try_from(request.offset).ok()?;
        let length = mapping
            .length
            .checked_sub(offset)
            .filter(|rest| *rest > 0)?;
        // SAFETY: offset is below the mapping's length.
        let address = unsafe { mapping.address.as_ptr().add(offset) };
        Some((address, length.min(request.length as usize)))
    }

    /// Makes a range durable (msync), from its page's start.
    fn write_out(&self, offset: u64, length: u64) -> io::Result<()> {
        let Some((address, length)) = self.pages(offset, length) else {
            return Ok(());
        };
        // SAFETY: the range lies in our mapping.
        let status = unsafe { libc::msync(address, length, libc::MS_SYNC) };
        checked(status).map(drop)
    }

    fn forget(&self, offset: u64, length: u64) -> io::Result<()> {
        let Some((address, length)) = self.pages(offset, length) else {
            return Ok(());
        };
        // SAFETY: the range lies in our mapping of a file, whose pages can be had again.
        let status = unsafe { libc::madvise(address, length, libc::MADV_DONTNEED) };
        checked(status).map(drop)
    }

    /// The pages that hold a range.
    fn pages(&self, offset: u64, length: u64) -> Option<(*mut libc::c_void, usize)> {
        let mapping = self.mapping.as_ref()?;
        let page = rustix::param::page_size();
        let start = usize::try_from(offset).ok()? / page * page;
        let end = offset.saturating_add(length).min(mapping.length as u64);
        let length = usize::try_from(end).ok()?.checked_sub(start)?;
        // SAFETY: start is below the mapping's length.
        let address = unsafe { mapping.address.as_ptr().add(start) };
        Some((address.cast(), length))
    }
}

impl FileMapping {
    fn new(file: &OwnedFd, length: usize, is_writable: bool) -> io::Result<Self> {
        let write = if is_writable { libc::PROT_WRITE } else { 0 };
        // SAFETY: a new mapping at an address of the kernel's choice touches no existing
        // memory.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | write,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let address = NonNull::new(address.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { address, length })
    }
}

impl Drop for FileMapping {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` with this length, and nobody refers to
        // it any more.
        unsafe { libc::munmap(self.address.as_ptr().cast(), self.length) };
    }
}
