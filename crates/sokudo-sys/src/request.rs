//! One I/O, as every backend takes it.

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Read into the chunk.
    Read,
    /// Write from the chunk.
    Write,
    /// Write from the chunk and return when it is durable (`RWF_DSYNC`).
    WriteThrough,
    /// fsync; offset and length are ignored.
    Fsync,
    /// fdatasync; offset and length are ignored.
    Fdatasync,
    /// Give the range back: discard on a device, punch a hole in a file.
    Trim,
}

/// One I/O. Its completion carries the chunk's number and the system call's
/// result: bytes moved (0 for a flush or a trim), or minus the error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is done.
    pub action: Action,
    /// Which chunk of the region is used; also names the I/O.
    pub chunk: u32,
    /// Bytes to move, at most the chunk's size.
    pub length: u32,
    /// Where in the file.
    pub offset: u64,
}

/// `errno` of a system call that has just failed, as a completion's result.
pub(crate) fn negative_errno(error: &std::io::Error) -> i32 {
    -error.raw_os_error().unwrap_or(libc::EIO)
}
