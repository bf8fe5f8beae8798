//! What was acknowledged and is not yet in the flash.

/// The memory for writes. Bytes are held until they are programmed.
#[derive(Debug, Default)]
pub(super) struct Memory {
    capacity: u64,
    held_bytes: u64,
    /// Held, and no die has begun with them.
    pub(super) idle_bytes: u64,
    /// Ever taken, and ever programmed.
    pub(super) taken_bytes: u64,
    pub(super) programmed_bytes: u64,
}

impl Memory {
    pub(super) fn new(capacity: u64) -> Self {
        Self {
            capacity,
            ..Self::default()
        }
    }

    /// A write larger than the memory is let in when nothing else is there: it
    /// passes through.
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        self.held_bytes == 0 || self.held_bytes + bytes <= self.capacity
    }

    pub(super) fn take(&mut self, bytes: u64) {
        self.held_bytes += bytes;
        self.idle_bytes += bytes;
        self.taken_bytes += bytes;
    }

    /// So much is in the flash.
    pub(super) fn programmed(&mut self, bytes: u64) {
        self.held_bytes -= bytes;
        self.programmed_bytes += bytes;
    }
}
