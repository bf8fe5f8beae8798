//! One I/O, as every backend takes it.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoAction {
    /// Read into the buffer.
    Read,
    /// Write from the buffer.
    Write,
    /// Write from the buffer and return when it is durable (`RWF_DSYNC`).
    WriteThrough,
    /// As [`Self::WriteThrough`], with the file's metadata too (`RWF_SYNC`).
    WriteThroughWithMetadata,
    /// fsync of the file; offset and length are ignored.
    Fsync,
    /// fdatasync of the file; offset and length are ignored.
    Fdatasync,
    /// Give the range back: discard on a device, punch a hole in a file.
    Trim,
}

impl IoAction {
    /// What a write of this kind asks of the kernel besides (`RWF_…`).
    pub(crate) const fn write_flags(self) -> i32 {
        match self {
            Self::WriteThrough => libc::RWF_DSYNC,
            Self::WriteThroughWithMetadata => libc::RWF_SYNC,
            _ => 0,
        }
    }

    /// Whether it moves data between a buffer and the file.
    pub const fn moves_data(self) -> bool {
        matches!(
            self,
            Self::Read | Self::Write | Self::WriteThrough | Self::WriteThroughWithMetadata
        )
    }
}

/// One I/O. Its completion carries the buffer's number and the system call's
/// result: bytes moved (0 for a flush or a trim), or minus the error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub action: IoAction,
    /// Which buffer of the region is used; also names the I/O.
    pub buffer: u32,
    /// Which of the backend's files.
    pub file: u32,
    /// Bytes to move, at most the buffer's size.
    pub length: u32,
    /// Where in the file.
    pub offset: u64,
}

/// What a system call has just given, or, where that is negative, why.
pub(crate) fn checked<Status: PartialOrd + Default>(status: Status) -> std::io::Result<Status> {
    match status < Status::default() {
        true => Err(std::io::Error::last_os_error()),
        false => Ok(status),
    }
}

/// `errno` of a system call that has just failed, as a completion's result.
pub(crate) fn negative_errno(error: &std::io::Error) -> i32 {
    -error.raw_os_error().unwrap_or(libc::EIO)
}
