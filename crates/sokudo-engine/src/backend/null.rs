//! No I/O at all: every request completes when it is reaped. What remains is the
//! cost of the engine itself.

use std::io;
use std::time::Duration;

use sokudo_sys::{Region, Request};

use super::Backend;

/// Completes everything at once.
pub(crate) struct Null {
    region: Region,
    prepared: Vec<(u32, i32)>,
}

impl Null {
    /// For at most `depth` I/Os in flight.
    pub(crate) fn new(region: Region, depth: u32) -> Self {
        Self {
            region,
            prepared: Vec::with_capacity(depth as usize),
        }
    }
}

impl Backend for Null {
    #[inline]
    fn buffer_mut(&mut self, buffer_index: u32) -> &mut [u8] {
        self.region.buffer_mut(buffer_index)
    }

    #[inline]
    fn prepare(&mut self, request: Request) {
        let moved = if request.action.moves_data() {
            request.length.cast_signed()
        } else {
            0
        };
        self.prepared.push((request.buffer, moved));
    }

    #[inline]
    fn submit_and_wait(&mut self, _wanted: u32) -> io::Result<()> {
        Ok(())
    }

    fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()> {
        if self.prepared.is_empty() {
            std::thread::sleep(patience);
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        // Not drained: that costs more than all else here.
        for (buffer_index, moved) in &self.prepared {
            each(*buffer_index, *moved);
        }
        self.prepared.clear();
    }
}
