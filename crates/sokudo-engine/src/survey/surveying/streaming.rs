//! The I/Os of what a survey is doing: which comes next, and what is counted of it.

use sokudo_model::Operation;
use sokudo_sys::IoAction;

use super::{SurveyActivity, Surveying};
use crate::survey::io::{Failed, Instants, SurveyIo};
use crate::survey::route::SampleBlocks;
use crate::tally::{Tally, failure_kind};

impl Surveying {
    /// Whether another I/O of what is being done may be issued at `now`.
    pub(crate) fn continues(&self, now: u64) -> bool {
        // A rate or a pause may hold the first I/O back for longer than a sample is to last.
        let began_at = self.stream_began_at.unwrap_or(now);
        let is_left = match self.doing {
            SurveyActivity::Measuring => {
                let has_more = self.runs_on && self.sample_index + 1 < self.route.sample_count();
                !self.blocks.is_empty() || has_more
            }
            SurveyActivity::Reading | SurveyActivity::Writing => {
                self.next_piece < self.pieces.len()
            }
            _ => false,
        };
        is_left && self.failed.is_empty() && now - began_at < self.time_left_ns
    }

    /// Whether what is being done counts.
    pub(crate) fn is_measuring(&self) -> bool {
        matches!(
            self.doing,
            SurveyActivity::Measuring | SurveyActivity::Writing
        )
    }

    /// What is measured, where what is being done counts.
    pub(crate) fn measured_operation(&self) -> Option<Operation> {
        self.is_measuring().then_some(self.operation)
    }

    /// The next I/O of what is being done.
    pub(crate) fn next(&mut self) -> Option<SurveyIo> {
        self.issuing = match self.doing {
            SurveyActivity::Measuring => match self.next_beside() {
                Some(io) => io,
                None => self.next_block()?,
            },
            _ => {
                let piece = *self.pieces.get(self.next_piece)?;
                self.next_piece += 1;
                if self.is_measuring() {
                    self.measured(piece)
                } else {
                    piece
                }
            }
        };
        Some(self.issuing)
    }

    /// A read of what was written before, as far as that has arrived: writes that are in flight
    /// lie behind it.
    fn next_beside(&mut self) -> Option<SurveyIo> {
        let in_flight = self.ios.len() as u64 * self.block;
        let to = self.blocks.at.saturating_sub(in_flight);
        let beside = self.beside.as_mut()?;
        beside.next(self.sample_index, self.route.span_start(), to)
    }

    fn next_block(&mut self) -> Option<SurveyIo> {
        loop {
            if let Some((offset, length)) = self.blocks.next() {
                return Some(self.measured(SurveyIo {
                    sample_index: self.sample_index,
                    is_last: self.runs_on && self.blocks.is_empty(),
                    ..SurveyIo::aside(offset, length.into())
                }));
            }
            if !self.runs_on || self.sample_index + 1 >= self.route.sample_count() {
                return None;
            }
            self.sample_index += 1;
            self.blocks = SampleBlocks::of(self.route.site(self.sample_index), self.block);
        }
    }

    /// The same, as that which the survey is about.
    pub(super) fn measured(&self, io: SurveyIo) -> SurveyIo {
        SurveyIo {
            action: match self.operation {
                Operation::Write => self.write_action,
                _ => IoAction::Read,
            },
            operation: self.operation,
            is_measured: true,
            is_reported: true,
            ..io
        }
    }

    /// Notes that the I/O that was given last has been issued. Returns whether it counts.
    pub(crate) fn issued(&mut self, buffer_index: u32, now: u64) -> bool {
        let io = self.issuing;
        self.stream_began_at.get_or_insert(now);
        self.ios[buffer_index as usize] = io;
        if io.is_measured && io.operation != Operation::Flush {
            self.counts.samples.issue(io, now);
        }
        io.is_measured
    }

    /// Counts a completion. Returns which I/O it was.
    pub(crate) fn complete(
        &mut self,
        buffer_index: u32,
        result: i32,
        instants: Instants,
        tally: &mut Tally,
    ) -> SurveyIo {
        let Instants { issued_at, now, .. } = instants;
        self.seen_at = now;
        self.hanging.answer(issued_at, now, self.depth);
        let io = self.ios[buffer_index as usize];
        // An error number is negative: nothing was moved.
        let moved = u32::try_from(result).unwrap_or(0).min(io.length);
        if moved > 0 {
            self.barren = 0;
            self.known_good = Some(io.offset);
            self.good_mark = self.counts.defects.mark();
        }
        if io.is_measured {
            self.done_to = self.done_to.max((io.sample_index, io.offset));
            self.counts.complete(io, moved, instants, tally);
        } else if io.operation == Operation::Read {
            self.counts.read_aside += u64::from(moved);
        }
        if io.is_beside {
            self.complete_beside(io, moved, result, now - issued_at, tally);
            return io;
        }
        if moved != io.length || result < 0 {
            let kind = failure_kind(result, io.length);
            if io.is_reported {
                tally.fail(io.operation, kind, io.offset);
            }
            // What was moved is good, in whole logical blocks.
            let good = u64::from(moved) / self.logical_bytes * self.logical_bytes;
            let rest = io.offset + good..io.range().end;
            self.failed.push(Failed { io, rest, kind });
        }
        io
    }

    /// Counts a read beside writes. One that fails is no defect of a place that is written.
    fn complete_beside(
        &mut self,
        io: SurveyIo,
        moved: u32,
        result: i32,
        latency_ns: u64,
        tally: &mut Tally,
    ) {
        match moved == io.length {
            true => self.counts.read_beside.record(latency_ns),
            false => tally.fail(io.operation, failure_kind(result, io.length), io.offset),
        }
    }
}
