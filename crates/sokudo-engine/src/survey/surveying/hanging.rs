//! I/Os of a survey that do not come back in time: it goes on without them, and says where they
//! are. One that comes back after all was slow.

use std::ops::Range;

use sokudo_model::{Bytes, FailureKind, IoFailure, Nanos, Operation, Sample, count_failure};
use sokudo_words::{Text, text};

use super::{SurveyActivity, Surveying};
use crate::buffers::HUNG_MAX;
use crate::survey::hung::{Hanging, HungIo};
use crate::survey::io::{Failed, SurveyIo};
use crate::tally::{FinishedTally, Tally, failure_kind};

impl Surveying {
    /// Buffers that are kept for what hangs, behind the others.
    pub(crate) fn spare_buffers(&self) -> u32 {
        self.survey.timeout.map_or(0, |_| HUNG_MAX)
    }

    /// Whether the I/O that has been in flight for longest, since then, is waited for in vain: its
    /// time is over, and either the device has answered nothing for as long, or a whole queue of
    /// later ones has overtaken it. One in a queue that moves slowly is neither.
    pub(crate) fn hangs(&self, issued_at: u64, now: u64) -> bool {
        let Some(Nanos(timeout)) = self.survey.timeout else {
            return false;
        };
        let Hanging {
            heard_at, answered, ..
        } = &self.hanging;
        let is_silent = now.saturating_sub(*heard_at) >= timeout;
        let is_overtaken =
            || answered.len() == self.depth as usize && answered.iter().all(|it| *it > issued_at);
        now.saturating_sub(issued_at) >= timeout && (is_silent || is_overtaken())
    }

    /// Until when those that were given up are waited for once all else is done: as long again.
    pub(crate) fn waits_until(&self) -> Option<u64> {
        let Nanos(timeout) = self.survey.timeout?;
        let last = self.hanging.ios.iter().map(|hung| hung.issued_at).max()?;
        Some(last.saturating_add(timeout.saturating_mul(2)))
    }

    /// I/Os that are waited for no longer, and still in flight.
    pub(crate) fn hung(&self) -> usize {
        self.hanging.ios.len()
    }

    /// The same, each with when it was issued.
    pub(crate) fn hung_ios(&self) -> impl Iterator<Item = (SurveyIo, u64)> {
        self.hanging
            .ios
            .iter()
            .map(|hung| (hung.io, hung.issued_at))
    }

    /// Gives up the I/O in this buffer. Returns it, with a buffer in the place of its own where
    /// any may be used; `None` where there is none left.
    pub(crate) fn give_up(
        &mut self,
        buffer_index: u32,
        issued_at: u64,
        now: u64,
    ) -> Option<(SurveyIo, Option<u32>)> {
        let io = self.ios[buffer_index as usize];
        self.give_up_at_checkpoint(buffer_index);
        self.ios[buffer_index as usize].is_hung = true;
        self.seen_at = now;
        self.hanging.hear(now);
        self.hanging.ios.push(HungIo {
            io,
            buffer_index,
            issued_at,
        });
        if io.is_measured {
            self.counts.samples.complete(io, 0, now - issued_at, now);
        }
        match self.doing {
            // Whatever else is there, it is not asked for: it would hang as well.
            SurveyActivity::Measuring if !self.runs_on => {
                self.blocks.skip_to(self.blocks.end());
                if let Sample::Time(_) = self.survey.sample {
                    self.time_left_ns = 0;
                }
            }
            SurveyActivity::Inquiring(_) => self.failed.push(Failed {
                io,
                rest: io.range(),
                kind: FailureKind::Unanswered,
            }),
            _ => {}
        }
        let spare = self.hanging.spare.pop()?;
        if io.buffer_index.is_some() {
            self.alone = spare;
            return Some((io, None));
        }
        Some((io, Some(spare)))
    }

    /// Notes that an I/O came back that was given up. False where it was not.
    pub(crate) fn returned(
        &mut self,
        buffer_index: u32,
        result: i32,
        now: u64,
        tally: &mut Tally,
    ) -> bool {
        if !self.ios[buffer_index as usize].is_hung {
            return false;
        }
        let hung = self
            .hanging
            .ios
            .iter()
            .position(|hung| hung.buffer_index == buffer_index);
        let Some(hung) = hung.map(|index| self.hanging.ios.swap_remove(index)) else {
            return false;
        };
        self.ios[buffer_index as usize].is_hung = false;
        self.hanging.hear(now);
        self.hanging.spare.push(buffer_index);
        let io = hung.io;
        let moved = u32::try_from(result).unwrap_or(0).min(io.length);
        self.counts.read_aside += u64::from(moved);
        let latency = Nanos(now - hung.issued_at);
        if moved == io.length {
            self.hanging.late += 1;
            self.hanging.latest = self.hanging.latest.max(latency);
            if io.is_measured {
                self.counts.slowest.note(io, latency);
            }
        } else if io.is_reported {
            let kind = failure_kind(result, io.length);
            tally.fail(io.operation, kind, io.offset);
            let (start, end) = (io.offset, io.range().end);
            self.counts.defects.note(io.operation, start, end, kind);
        }
        true
    }

    /// What has not come back to the end is a defect that hangs.
    pub(super) fn finish_hanging(&mut self, tally: &mut FinishedTally) {
        let kind = FailureKind::Unanswered;
        for Range { start, end } in self.hung_ranges().collect::<Vec<_>>() {
            self.counts.defects.note(Operation::Read, start, end, kind);
            let failure = IoFailure {
                operation: Operation::Read,
                kind,
                offset: Bytes(start),
                count: 1,
            };
            count_failure(&mut tally.failures, failure);
        }
        self.notes.extend(self.late_note());
    }

    /// What has not come back so far.
    pub(super) fn hung_ranges(&self) -> impl Iterator<Item = Range<u64>> {
        let reported = self.hanging.ios.iter().filter(|hung| hung.io.is_reported);
        reported.map(|hung| hung.io.range())
    }

    fn late_note(&self) -> Option<Text> {
        let Hanging { late, latest, .. } = &self.hanging;
        let timeout = self.survey.timeout?;
        (*late > 0).then(|| {
            text!(
                "{late} reads that were not waited for after {timeout} came back after all, the last after {latest}: they are slow, and do not hang"
            )
        })
    }
}
