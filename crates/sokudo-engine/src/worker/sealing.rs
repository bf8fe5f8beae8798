//! Sealing and checking the blocks of a survey. It takes processor time, so that it is done while
//! other I/Os are in flight: a queue is refilled first, and looked at again after each portion.

use sokudo_model::Operation;

use super::Worker;
use crate::backend::Backend;
use crate::pattern::Access;
use crate::survey::{PreparedBlock, SealedIo};
use crate::verify::WrongPieces;

/// Checked between two looks at the queue, and at least a block: so long, 0.1 ms, completions may
/// be seen late.
const CHECKED_PER_LOOK_BYTES: u32 = 256 << 10;

impl Worker {
    /// Checks blocks that were read until so many are left.
    pub(super) fn check_sealed<B: Backend>(&mut self, backend: &mut B, most_left: usize) {
        if !B::MOVES_DATA {
            return;
        }
        let waiting = |worker: &Self| {
            let survey = worker.survey.as_ref();
            survey.map_or(0, |survey| survey.sealed_waiting())
        };
        while waiting(self) > most_left && self.check_next_sealed(backend).is_some() {}
    }

    /// After I/Os were reaped: as many as fill the queue may wait, where they can be checked while
    /// it is full.
    pub(super) fn check_sealed_beyond_queue<B: Backend>(&mut self, backend: &mut B) {
        let most_left = if B::SUBMITS { self.depth } else { 0 };
        self.check_sealed(backend, most_left as usize);
    }

    /// What is done while I/Os are in flight. True where the queue is to be looked at before
    /// anything is waited for.
    pub(super) fn seal_meanwhile<B: Backend>(&mut self, backend: &mut B) -> bool {
        let Some(survey) = self.survey.as_ref().filter(|_| B::SUBMITS) else {
            return false;
        };
        let is_waiting = survey.sealed_waiting() > 0;
        let upcoming = survey.upcoming_sealed();
        if is_waiting || upcoming.is_some() {
            self.submit(backend);
        }
        if let Some((offset, length)) = upcoming {
            self.seal_ahead(backend, offset, length);
        }
        let mut left = CHECKED_PER_LOOK_BYTES;
        while let Some(checked) = (left > 0)
            .then(|| self.check_next_sealed(backend))
            .flatten()
        {
            left = left.saturating_sub(checked);
        }
        is_waiting
    }

    /// Makes a buffer what is written at this place. Returns it.
    pub(super) fn seal_buffer<B: Backend>(
        &mut self,
        backend: &mut B,
        access: Access,
    ) -> Option<u32> {
        let sealed = self.survey.as_mut()?.sealed()?;
        if let Some(ahead) = sealed.ahead.take() {
            if (ahead.offset, ahead.length) == (access.offset, access.length) {
                return Some(ahead.buffer_index);
            }
            self.free.give_back(ahead.buffer_index);
        }
        let buffer_index = self.free.take();
        self.fill_sealed(backend, buffer_index, access.offset, access.length);
        Some(buffer_index)
    }

    /// Fills a buffer with what is to be at this place.
    pub(super) fn fill_sealed<B: Backend>(
        &mut self,
        backend: &mut B,
        buffer_index: u32,
        offset: u64,
        length: u32,
    ) {
        let survey = self.survey.as_mut();
        if let Some(sealed) = survey.and_then(|survey| survey.sealed())
            && B::MOVES_DATA
        {
            let buffer = &mut backend.buffer_mut(buffer_index)[..length as usize];
            sealed.seal(buffer, offset);
        }
    }

    /// Hands what has ended on a simulated device to whoever knows what that would hold. For a
    /// read the answer is what is wrong with it.
    pub(crate) fn answer_sealed(
        &mut self,
        mut answer: impl FnMut(u64, SealedIo) -> Option<WrongPieces>,
    ) {
        while let Some(sealed) = self.survey.as_mut().and_then(|survey| survey.sealed())
            && let Some(io) = sealed.next()
        {
            let wrong = answer(sealed.number, io);
            if io.operation == Operation::Read {
                sealed.count(io.offset, wrong);
            }
            if io.is_pooled {
                self.free.give_back(io.buffer_index);
            }
        }
    }

    /// Seals the next block of all while others are written.
    fn seal_ahead<B: Backend>(&mut self, backend: &mut B, offset: u64, length: u32) {
        let buffer_index = self.free.take();
        self.fill_sealed(backend, buffer_index, offset, length);
        let survey = self.survey.as_mut();
        if let Some(sealed) = survey.and_then(|survey| survey.sealed()) {
            sealed.ahead = Some(PreparedBlock {
                buffer_index,
                offset,
                length,
            });
        }
    }

    /// Checks the block that has waited for longest. Returns its length.
    fn check_next_sealed<B: Backend>(&mut self, backend: &mut B) -> Option<u32> {
        let sealed = self.survey.as_mut()?.sealed()?;
        let io = sealed.next()?;
        let buffer = &backend.buffer_mut(io.buffer_index)[..io.length as usize];
        sealed.check(buffer, io.offset);
        if io.is_pooled {
            self.free.give_back(io.buffer_index);
        }
        Some(io.length)
    }
}
