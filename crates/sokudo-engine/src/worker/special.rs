//! What a worker does for workloads that are not plain: with rates and thought,
//! batches of a given size, records, or checks.

use std::time::Duration;

use sokudo_model::{Operation, StopReason};
use sokudo_sys::IoAction;

use super::{Buffer, EMPTY_SLOT, Issue, NextAction, Ready, Slot, Worker};
use crate::backend::Backend;
use crate::checking::read_of;
use crate::clock::Clock;
use crate::pace::{Gate, OperationTurn};
use crate::pattern::Access;
use crate::record::CompletedIo;
use crate::rewriting::change;
use crate::verify::ExpectedBlock;

impl Worker {
    /// As for plain workloads, with everything that they do not need.
    #[inline(never)]
    pub(super) fn fill_specially<B: Backend, C: Clock>(
        &mut self,
        backend: &mut B,
        clock: &C,
        now: &mut u64,
    ) -> NextAction {
        self.give_up_hung(*now);
        let mut until_reading = self.prepared_per_reading;
        while self.in_flight < self.depth && self.stopped.is_none() {
            if until_reading == 0 {
                self.read_clock(clock, now);
                until_reading = self.prepared_per_reading;
            }
            until_reading -= 1;
            let Issue {
                access,
                action,
                intended_at,
                expected,
                buffer,
            } = match self.next_ready(*now) {
                Ready::Issue(issue) => issue,
                Ready::Wait(next) => return next,
                Ready::Over => break,
            };
            let (buffer_index, took_long) = self.take_buffer(backend, access, expected, buffer);
            if took_long {
                self.read_clock(clock, now);
            }
            let slot = Slot::new(access, *now, intended_at);
            // The last part is left to the system call that waits.
            if B::SUBMITS && self.unsubmitted >= self.submitted_at_once {
                self.submit(backend);
            }
            self.prepare(backend, buffer_index, action, slot);
            self.after_prepare(backend, clock, buffer_index, now);
        }
        if self.in_flight > 0 {
            NextAction::Completion
        } else {
            self.when_idle(backend, *now)
        }
    }

    /// The buffer of an I/O, with what it writes in it, and whether that took long enough for
    /// the clock to be read again.
    pub(super) fn take_buffer<B: Backend>(
        &mut self,
        backend: &mut B,
        access: Access,
        expected: Option<ExpectedBlock>,
        buffer: Buffer,
    ) -> (u32, bool) {
        match buffer {
            Buffer::AsItIs(buffer_index) => return (buffer_index, false),
            Buffer::Changed(buffer_index) => {
                change(backend.buffer_mut(buffer_index));
                return (buffer_index, false);
            }
            Buffer::Free => {}
        }
        let writes = access.operation == Operation::Write;
        if writes && let Some(buffer_index) = self.seal_buffer(backend, access) {
            return (buffer_index, true);
        }
        let buffer_index = self.free.take();
        if let Some(checker) = &mut self.checker {
            checker.begin(buffer_index, expected);
            if writes {
                let buffer = &mut backend.buffer_mut(buffer_index)[..access.length as usize];
                checker.seal(buffer_index, buffer, access);
            }
            return (buffer_index, writes);
        }
        if B::MOVES_DATA && writes {
            let buffer = &mut backend.buffer_mut(buffer_index)[..access.length as usize];
            self.data.stamp(buffer);
        }
        (buffer_index, writes && self.data.takes_long(access.length))
    }

    /// Counts one completion of any workload, reaped at `now`. `result` is bytes moved
    /// or minus errno.
    pub(crate) fn complete_any(&mut self, buffer_index: u32, result: i32, now: u64) {
        if self.plain {
            return self.complete(buffer_index, result, now);
        }
        if self.survey.is_some() {
            return self.complete_of_survey(buffer_index, result, now);
        }
        let slot = std::mem::replace(&mut self.slots[buffer_index as usize], EMPTY_SLOT);
        self.settle(buffer_index, slot, result);
        let (moved, counts) = self.land(slot, result);
        if moved != slot.length.cast_signed() {
            self.complete_badly(buffer_index, slot, moved, counts, now);
        } else if counts {
            self.count(slot, slot.length, now);
            self.record(buffer_index, slot, slot.length, now);
        } else {
            self.complete_outside(slot, slot.length, now);
        }
    }

    /// Passes an I/O that counts on to the recorder.
    pub(super) fn record(&mut self, buffer_index: u32, slot: Slot, moved: u32, now: u64) {
        if let Some(recorder) = &mut self.recorder {
            let done = CompletedIo {
                operation: slot.operation,
                offset: slot.offset,
                bytes: moved,
                issued_at: slot.issued_at,
                completed_at: now,
            };
            recorder.complete(buffer_index, done);
        }
    }

    /// Reaps what is done at `now`, as a workload that is not plain wants it.
    pub(crate) fn reap<B: Backend>(&mut self, backend: &mut B, now: u64) {
        let before = self.in_flight;
        let batched = self.batched.take();
        let most = batched.as_ref().and_then(|batched| batched.complete_max());
        match (batched, most) {
            (Some(mut batched), Some(most)) => {
                backend.reap(|buffer_index, result| batched.keep(buffer_index, result));
                for _ in 0..most {
                    let Some((buffer_index, result)) = batched.take() else {
                        break;
                    };
                    self.complete_any(buffer_index, result, now);
                }
                self.batched = Some(batched);
            }
            (batched, _) => {
                self.batched = batched;
                backend.reap(|buffer_index, result| self.complete_any(buffer_index, result, now));
            }
        }
        self.count_reaped(before - self.in_flight);
        self.check_sealed_beyond_queue(backend);
        if let Some(checker) = &mut self.checker
            && !checker.look(backend, |buffer_index| self.free.give_back(buffer_index))
        {
            self.stop(StopReason::Failed);
        }
    }

    /// Passes a completion on to the checker, or to what is written back; a buffer that they
    /// need is free after that.
    pub(super) fn settle(&mut self, buffer_index: u32, slot: Slot, result: i32) {
        let access = Access {
            operation: slot.operation,
            file: slot.file,
            offset: slot.offset,
            length: slot.length,
        };
        let is_whole = result == slot.length.cast_signed();
        let is_free = if let Some(rewriting) = &mut self.rewriting {
            !rewriting.complete(buffer_index, access, is_whole)
        } else {
            let checker = self.checker.as_mut();
            checker.is_none_or(|checker| checker.complete(buffer_index, access, is_whole))
        };
        if is_free {
            self.free.give_back(buffer_index);
        }
    }

    /// Counts how many I/Os were reaped at once.
    pub(crate) fn count_reaped(&mut self, count: u32) {
        if let Some(recorder) = &mut self.recorder
            && count > 0
        {
            recorder.reaped(count);
        }
    }

    /// What a workload that is not plain does before it waits, and for how many
    /// completions; `None` is for none.
    pub(super) fn wanted_specially<B: Backend, C: Clock>(
        &mut self,
        backend: &mut B,
        clock: &C,
    ) -> Option<u32> {
        if self.unsubmitted > 0 {
            if B::SUBMITS && self.submits_eagerly {
                self.submit_counted(backend, clock);
            } else {
                self.count_submitted(clock.now());
            }
        }
        if self.seal_meanwhile(backend) {
            self.look(backend);
            return None;
        }
        let Some(batched) = &self.batched else {
            return Some(self.completions_wanted);
        };
        let only_looks = B::SUBMITS && batched.complete_min == Some(0);
        let wanted = batched.still_wanted(self.completions_wanted.min(self.in_flight));
        if only_looks {
            self.look(backend);
            return None;
        }
        if wanted == 0 {
            self.submit(backend);
            return None;
        }
        Some(wanted)
    }

    /// Lets the kernel say what is done, without waiting: io_uring with deferred task
    /// work says nothing unless it is asked.
    fn look<B: Backend>(&mut self, backend: &mut B) {
        self.unsubmitted = 0;
        if let Err(error) = backend.submit_and_wait_for(Duration::ZERO) {
            self.fail_backend(&error);
        }
    }

    /// Counts that what is prepared is on its way to the device.
    pub(crate) fn count_submitted(&mut self, now: u64) {
        let (count, level) = (self.unsubmitted, self.in_flight);
        self.unsubmitted = 0;
        if let Some(recorder) = &mut self.recorder
            && count > 0
        {
            recorder.submitted(count, level, now);
        }
    }

    /// The next I/O of a workload that is not plain.
    pub(super) fn next_ready(&mut self, now: u64) -> Ready {
        if let Some(batched) = &mut self.batched
            && batched.is_draining(self.in_flight)
        {
            return Ready::Wait(NextAction::Completion);
        }
        if self.survey.is_some() {
            return self.next_of_survey(now);
        }
        if let Some(checker) = &mut self.checker
            && let Some(expected) = checker.due()
        {
            return Ready::Issue(Issue {
                access: read_of(&expected),
                action: IoAction::Read,
                intended_at: now,
                expected: Some(expected),
                buffer: Buffer::Free,
            });
        }
        if let Some(rewriting) = &mut self.rewriting
            && let Some((buffer_index, access)) = rewriting.due()
        {
            self.flushing.count_write(access.file);
            return Ready::Issue(Issue {
                access,
                action: self.flushing.write_action(),
                intended_at: now,
                expected: None,
                buffer: Buffer::Changed(buffer_index),
            });
        }
        let flushes = self.flushing.is_due();
        if self.is_limit_reached() {
            if self.rewriting.is_some() && self.in_flight > 0 {
                // What is being read may have to be written back.
                return Ready::Wait(NextAction::Completion);
            }
            self.end_pass();
            return Ready::Over;
        }
        let intended_at = match self.gated(now) {
            Ok(intended_at) => intended_at,
            Err(next) => return Ready::Wait(next),
        };
        let Some(pace) = self.pace.as_mut().filter(|pace| pace.is_by_operation()) else {
            return self.next_free(intended_at);
        };
        if flushes {
            return self.next_free(intended_at);
        }
        let pattern = &mut self.pattern;
        let drawn = self
            .drawn
            .take()
            .unwrap_or_else(|| pattern.draw_operation());
        match pace.turn(drawn, now) {
            OperationTurn::Of {
                operation,
                intended_at,
            } => {
                let access = self.pattern.access(operation);
                let (access, action) = self.issue(access);
                self.ready(access, action, intended_at)
            }
            OperationTurn::Until(at) => {
                self.drawn = Some(drawn);
                Ready::Wait(self.wait_until(at))
            }
        }
    }

    /// When the next I/O is meant to start, or what is waited for until then.
    pub(super) fn gated(&mut self, now: u64) -> Result<u64, NextAction> {
        let Some(pace) = &mut self.pace else {
            return Ok(now);
        };
        match pace.gate(now, self.in_flight) {
            Gate::Open { intended_at } => Ok(intended_at),
            Gate::Until(at) => Err(self.wait_until(at)),
            Gate::Busy(at) => Err(NextAction::Busy(at.min(self.next_boundary))),
            Gate::Idle => Err(NextAction::Completion),
        }
    }

    pub(super) fn next_free(&mut self, intended_at: u64) -> Ready {
        match self.next_access() {
            Some((access, action)) => self.ready(access, action, intended_at),
            None => Ready::Over,
        }
    }

    /// An I/O, or the one that checks instead of it.
    pub(super) fn ready(&self, access: Access, action: IoAction, intended_at: u64) -> Ready {
        let (instead, expected) = match &self.checker {
            Some(checker) => checker.instead_of(access),
            None => (access, None),
        };
        Ready::Issue(Issue {
            access: instead,
            action: if expected.is_some() {
                IoAction::Read
            } else {
                action
            },
            intended_at,
            expected,
            buffer: Buffer::Free,
        })
    }

    /// What a workload that is not plain notes of each I/O, and whether it submits it
    /// at once.
    pub(super) fn after_prepare<B: Backend, C: Clock>(
        &mut self,
        backend: &mut B,
        clock: &C,
        buffer_index: u32,
        now: &mut u64,
    ) {
        let Slot {
            operation, length, ..
        } = self.slots[buffer_index as usize];
        let counts = self.issued_of_survey(buffer_index);
        if let Some(pace) = self.pace.as_mut().filter(|_| counts) {
            pace.issued(operation, length);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.prepared(buffer_index);
        }
        if let Some(batched) = &mut self.batched
            && self.in_flight == self.depth
        {
            batched.is_full();
        }
        if B::SUBMITS && self.submits_eagerly && self.unsubmitted >= self.submitted_at_once {
            *now = self.submit_counted(backend, clock);
            self.hold_depth(*now);
        }
    }

    pub(super) fn wait_until(&self, at: u64) -> NextAction {
        // A boundary is an instant to wake up for as well.
        let at = at.min(self.next_boundary);
        if self.in_flight > 0 {
            NextAction::CompletionOr(at)
        } else {
            NextAction::Until(at)
        }
    }
}
