//! Blocks of a survey that hold what follows from a number and their place: what is written is
//! sealed, what was read waits here to be checked.

use std::collections::VecDeque;

use sokudo_model::{Bytes, Mismatch, Operation, VerifyOutcome};

use crate::verify::{BlockSeal, WrongPieces};

/// An I/O that has ended, whose buffer or device is still to be looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SealedIo {
    pub(crate) buffer_index: u32,
    pub(crate) operation: Operation,
    pub(crate) offset: u64,
    /// Bytes that were moved.
    pub(crate) length: u32,
    /// Its buffer may be used by any I/O after that.
    pub(crate) is_pooled: bool,
}

/// A block that is sealed before it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PreparedBlock {
    pub(crate) buffer_index: u32,
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

/// Seals and checks the blocks of one survey.
pub(crate) struct SealedBlocks {
    pub(crate) number: u64,
    /// The name of the target for messages.
    file: String,
    seal: BlockSeal,
    /// As many as there are buffers at most.
    waiting: VecDeque<SealedIo>,
    pub(crate) ahead: Option<PreparedBlock>,
    found: VerifyOutcome,
    then: Option<FoundThen>,
}

/// What was found of the blocks before a checkpoint.
struct FoundThen {
    /// The first byte behind them.
    end: u64,
    found: VerifyOutcome,
}

impl SealedBlocks {
    pub(super) fn new(number: u64, file: String, buffers: u32) -> Self {
        Self {
            number,
            file,
            seal: BlockSeal::new(number),
            waiting: VecDeque::with_capacity(buffers as usize),
            ahead: None,
            found: VerifyOutcome::default(),
            then: None,
        }
    }

    /// From now on what is found before this byte is counted by itself, too: all that was checked
    /// lies before it.
    pub(super) fn begin_checkpoint(&mut self, end: u64) {
        let found = self.found.clone();
        self.then = Some(FoundThen { end, found });
    }

    /// Whether blocks before the checkpoint wait to be checked.
    pub(super) fn is_behind_checkpoint(&self) -> bool {
        let end = self.then.as_ref().map_or(0, |then| then.end);
        self.waiting.iter().any(|io| io.offset < end)
    }

    /// What was found before the checkpoint.
    pub(super) fn end_checkpoint(&mut self) -> VerifyOutcome {
        self.then.take().map(|then| then.found).unwrap_or_default()
    }

    pub(super) fn keep(&mut self, io: SealedIo) {
        self.waiting.push_back(io);
    }

    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The one that has waited for longest.
    pub(crate) fn next(&mut self) -> Option<SealedIo> {
        self.waiting.pop_front()
    }

    pub(crate) fn seal(&mut self, buffer: &mut [u8], offset: u64) {
        self.seal.seal(buffer, offset);
    }

    /// Checks what was read.
    pub(crate) fn check(&mut self, buffer: &[u8], offset: u64) {
        let wrong = self.seal.judge(buffer, offset);
        self.count(offset, wrong);
    }

    /// Counts a block that was checked.
    pub(crate) fn count(&mut self, offset: u64, wrong: Option<WrongPieces>) {
        let wrong = wrong.map(|wrong| Mismatch {
            file: self.file.clone(),
            offset: Bytes(wrong.range.start),
            length: Bytes(wrong.range.end - wrong.range.start),
            kind: wrong.fault.0,
            detail: wrong.fault.1,
        });
        if let Some(then) = self.then.as_mut().filter(|then| offset < then.end) {
            then.found.count(wrong.clone());
        }
        self.found.count(wrong);
    }

    /// What was found so far.
    pub(super) fn found(&self) -> VerifyOutcome {
        self.found.clone()
    }
}
