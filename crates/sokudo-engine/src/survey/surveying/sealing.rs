//! Blocks that are sealed: which of them are looked at, and which comes next.

use sokudo_model::{Operation, VerifyOutcome};

use super::{SurveyActivity, Surveying};
use crate::survey::io::SurveyIo;
use crate::survey::route::SampleBlocks;
use crate::survey::sealed::{SealedBlocks, SealedIo};

impl Surveying {
    pub(crate) fn sealed(&mut self) -> Option<&mut SealedBlocks> {
        self.sealed.as_mut()
    }

    /// I/Os that have ended and wait to be looked at.
    pub(crate) fn sealed_waiting(&self) -> usize {
        self.sealed.as_ref().map_or(0, SealedBlocks::waiting)
    }

    /// Keeps an I/O that has ended, where its block is to be looked at: its buffer is not free
    /// until then. False for all others.
    pub(crate) fn keep_sealed(&mut self, buffer_index: u32, io: SurveyIo, result: i32) -> bool {
        let Some(sealed) = &mut self.sealed else {
            return false;
        };
        let moved = u32::try_from(result).unwrap_or(0).min(io.length);
        let is_kept = match io.operation {
            Operation::Read if self.operation == Operation::Read => {
                io.is_measured && moved == io.length
            }
            // What a real device was given it holds.
            Operation::Write => !self.is_real && moved > 0,
            _ => false,
        };
        if is_kept {
            sealed.keep(SealedIo {
                buffer_index,
                operation: io.operation,
                offset: io.offset,
                length: moved,
                is_pooled: io.buffer_index.is_none(),
            });
        }
        is_kept
    }

    /// The next block that is written, where that is sealed and has not been yet.
    pub(crate) fn upcoming_sealed(&self) -> Option<(u64, u32)> {
        let is_next_unsealed = (self.sealed.as_ref()).is_some_and(|it| it.ahead.is_none());
        let writes = is_next_unsealed && self.operation == Operation::Write;
        let goes_on = matches!(self.doing, SurveyActivity::Measuring) && self.failed.is_empty();
        if !writes || !goes_on {
            return None;
        }
        let mut blocks = self.blocks;
        let following = self.sample_index + 1;
        blocks.next().or_else(|| {
            let runs_on = self.runs_on && following < self.route.sample_count();
            runs_on.then(|| SampleBlocks::of(self.route.site(following), self.block).next())?
        })
    }

    /// What the blocks that were read have held.
    pub(super) fn verified(&self) -> Option<VerifyOutcome> {
        let sealed = self.sealed.as_ref()?;
        (self.operation == Operation::Read).then(|| sealed.found())
    }

    /// Whether blocks before the checkpoint are still to be looked at.
    pub(super) fn is_behind(&self) -> bool {
        let sealed = self.sealed.as_ref();
        sealed.is_some_and(SealedBlocks::is_behind_checkpoint)
    }

    /// What the blocks before the checkpoint have held.
    pub(super) fn verified_then(&mut self) -> Option<VerifyOutcome> {
        let found = self.sealed.as_mut()?.end_checkpoint();
        (self.operation == Operation::Read).then_some(found)
    }
}
