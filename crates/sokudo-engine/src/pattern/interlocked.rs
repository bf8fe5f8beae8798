//! One position for all threads in several files, or with holes.

use std::sync::Arc;

use sokudo_model::{Workload, narrow};

use crate::offsets::{ByteRange, SharedPosition};

/// Threads take the next block of all files in turn: of the first file, then of the
/// second, from the first again after the last.
pub(crate) struct Interlocked {
    shared: Arc<SharedPosition>,
    length: u32,
    /// Bytes from one block to the next.
    step: u64,
    is_backward: bool,
    files: Box<[FileSegment]>,
    blocks: u64,
}

/// One file's stretch, and the number of blocks up to its end.
struct FileSegment {
    stretch: ByteRange,
    blocks_before: u64,
    blocks_after: u64,
}

impl Interlocked {
    /// Blocks of one size, which has been checked.
    pub(crate) fn new(
        workload: &Workload,
        stretches: &[ByteRange],
        shared: &Arc<SharedPosition>,
    ) -> Self {
        let length = workload.blocks.largest().0;
        let step = i128::from(length) + i128::from(workload.scatter.stride);
        let step_bytes = narrow(step.unsigned_abs());
        let mut blocks = 0;
        let part = |stretch: &ByteRange| {
            let blocks_before = blocks;
            let room = stretch.length.saturating_sub(length);
            // A stride that leads back to the same place has that place only.
            blocks += room.checked_div(step_bytes).unwrap_or(0) + 1;
            FileSegment {
                stretch: *stretch,
                blocks_before,
                blocks_after: blocks,
            }
        };
        let files = stretches.iter().map(part).collect();
        Self {
            shared: Arc::clone(shared),
            length: narrow(length),
            step: step_bytes,
            is_backward: step < 0,
            files,
            blocks,
        }
    }

    /// The next block is the one behind so many bytes.
    pub(crate) fn begin_behind(&self, walked: u64) {
        self.shared
            .begin_at(walked.div_ceil(u64::from(self.length)));
    }

    /// The file, offset and length of the next I/O.
    pub(crate) fn next(&self) -> (usize, u64, u32) {
        let block = self.shared.take() % self.blocks;
        let file = self
            .files
            .partition_point(|part| part.blocks_after <= block);
        let FileSegment {
            stretch,
            blocks_before,
            ..
        } = &self.files[file];
        let distance = (block - blocks_before) * self.step;
        let stretch_offset = if self.is_backward {
            stretch.length - u64::from(self.length) - distance
        } else {
            distance
        };
        (file, stretch.start + stretch_offset, self.length)
    }
}
