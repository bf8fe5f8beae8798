//! Writes that depend on a read: blocks are read, changed and written back to where they
//! were, as by Bonnie++'s rewrite and its seeks.
//!
//! What was read stays in its buffer until the write is issued; nothing else gets that buffer
//! meanwhile.

use std::collections::VecDeque;

use sokudo_model::{Operation, Workload};
use sokudo_stats::Random;

use crate::pattern::Access;

/// Bytes at the start of a block that are changed.
const CHANGED_BYTES: usize = 8;

/// Which blocks of one thread are written back.
pub(crate) struct Rewriting {
    /// Of every hundred blocks that are read.
    percent: u64,
    random: Random,
    /// Blocks that wait to be written, each in its buffer.
    held: VecDeque<(u32, Access)>,
}

impl Rewriting {
    /// For one thread with so many `buffers`; `None` where nothing is written back. Which blocks
    /// are is drawn by a stream of its own, which that of the pace seeds.
    pub(crate) fn new(workload: &Workload, buffers: u32, pace: &Random) -> Option<Self> {
        (workload.rewritten_percent() > 0).then(|| Self {
            percent: workload.rewritten_percent().into(),
            random: Random::new(pace.clone().next_u64()),
            held: VecDeque::with_capacity(buffers as usize),
        })
    }

    /// Notes a completion. True when the buffer is held until its block is written back.
    pub(crate) fn complete(&mut self, buffer_index: u32, access: Access, is_whole: bool) -> bool {
        let holds = is_whole
            && access.operation == Operation::Read
            && self.random.below(100) < self.percent;
        if holds {
            let operation = Operation::Write;
            let back = Access {
                operation,
                ..access
            };
            self.held.push_back((buffer_index, back));
        }
        holds
    }

    /// The write that is due before anything else is done, and its buffer.
    pub(crate) fn due(&mut self) -> Option<(u32, Access)> {
        self.held.pop_front()
    }
}

/// Makes a block another one.
pub(crate) fn change(block: &mut [u8]) {
    for byte in block.iter_mut().take(CHANGED_BYTES) {
        *byte = byte.wrapping_add(1);
    }
}
