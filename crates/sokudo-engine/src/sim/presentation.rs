//! What a simulated device shows of itself: its units, what it says that it is, and what
//! the kernel counts of it.

use sokudo_model::{Bytes, DeviceCounters, Operation};

/// Every address and length is a multiple of this, as with direct I/O.
pub const SECTOR_BYTES: u64 = 512;

/// The unit that flash and platters really write.
pub(super) const PHYSICAL_BLOCK_BYTES: u64 = 4096;

/// Counts a request as a kernel does.
pub(super) fn count(counters: &mut DeviceCounters, operation: Operation, bytes: u64) {
    match operation {
        Operation::Read if bytes > 0 => {
            counters.read_ios += 1;
            counters.read_bytes += bytes;
        }
        Operation::Write if bytes > 0 => {
            counters.written_ios += 1;
            counters.written_bytes += bytes;
        }
        Operation::Flush => {
            counters.written_ios += 1;
            counters.flushes += 1;
        }
        _ => {}
    }
}

/// What a model says of itself.
#[derive(Default)]
pub(super) struct Presentation {
    pub(super) model: &'static str,
    /// Disks that it stands on, beside itself.
    pub(super) members: usize,
    /// `None` where nothing rotates.
    pub(super) rotation_rpm: Option<u32>,
    /// The cache for what is read and written, if it has one for both.
    pub(super) cache: Option<Bytes>,
    pub(super) write_back: bool,
    pub(super) trims: bool,
}
