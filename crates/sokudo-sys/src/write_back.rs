//! Writing back a part of what a file has in the page cache (`sync_file_range`).

#![expect(unsafe_code, reason = "no safe library offers sync_file_range")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use crate::request::checked;

/// Begins to write back what of this range is dirty, and waits for none of it but what is
/// on its way already and in the way.
///
/// # Errors
/// What the system says, such as `ESPIPE` for what has no page cache.
pub fn begin_write_back(file: &File, offset: u64, length: u64) -> io::Result<()> {
    sync_range(file, offset, length, libc::SYNC_FILE_RANGE_WRITE)
}

/// Writes back what of this range is dirty and waits until it has been written. It may
/// still lie in the device's cache, and metadata is not written: only a flush of the file
/// makes it durable.
///
/// # Errors
/// As [`begin_write_back`]; a failed write is told by the flush.
pub fn write_back(file: &File, offset: u64, length: u64) -> io::Result<()> {
    let all = libc::SYNC_FILE_RANGE_WAIT_BEFORE
        | libc::SYNC_FILE_RANGE_WRITE
        | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    sync_range(file, offset, length, all)
}

fn sync_range(file: &File, offset: u64, length: u64, flags: libc::c_uint) -> io::Result<()> {
    let signed = |number: u64| i64::try_from(number).map_err(|_| io::ErrorKind::InvalidInput);
    let (offset, length) = (signed(offset)?, signed(length)?);
    // SAFETY: the descriptor is open for as long as `file` is borrowed, and the call reads
    // and writes no memory of ours.
    let status = unsafe { libc::sync_file_range(file.as_raw_fd(), offset, length, flags) };
    checked(status).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_range_of_a_file_is_written_back_and_a_pipe_has_none() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 100_000]).unwrap();
        begin_write_back(&file, 0, 65_536).unwrap();
        write_back(&file, 0, 1 << 20).unwrap();
        let (reader, _writer) = io::pipe().unwrap();
        let pipe = File::from(std::os::fd::OwnedFd::from(reader));
        assert!(write_back(&pipe, 0, 4_096).is_err());
        assert!(write_back(&file, u64::MAX, 1).is_err());
    }
}
