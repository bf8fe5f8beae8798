//! How passes, and the work as a whole, come to their end: done, failed or given up.

use sokudo_model::{Bytes, FailureKind, Nanos, Operation, StopReason, StuckIo};
use sokudo_sys::IoAction;
use sokudo_words::Text;

use super::{Buffer, EMPTY_SLOT, FinishedWorker, NextAction, Slot, Worker, flush_of};
use crate::backend::Backend;
use crate::clock::NEVER;
use crate::tally::failure_kind;
use crate::window::WindowStage;

/// A flush is waited for at least so long, for a drive writes its whole cache back: 256 MiB in
/// blocks of 4 KiB, each of which takes a turn at 7,200 per minute, are 546 s.
const FLUSH_TIME_NS: u64 = 600_000_000_000;

impl Worker {
    /// All of the pass has been issued.
    #[cold]
    pub(super) fn end_pass(&mut self) {
        if self.pass.repeats_left == 0 && self.checker.is_none() {
            self.stop(StopReason::Bytes);
        } else {
            self.pass.is_over = true;
        }
    }

    /// Nothing is in flight: flush, begin another pass, or finish.
    pub(super) fn when_idle<B: Backend>(&mut self, backend: &mut B, now: u64) -> NextAction {
        if self.survey.is_some() {
            return self.step_survey(backend, now);
        }
        // What was read to be written back is left as it is, and its buffer is needed.
        if let Some(rewriting) = &mut self.rewriting
            && self.stopped.is_some()
        {
            while let Some((buffer_index, _)) = rewriting.due() {
                self.free.give_back(buffer_index);
            }
        }
        let cancelled = matches!(
            self.stopped,
            Some(StopReason::Cancelled | StopReason::Failed)
        );
        if !cancelled && let Some(file) = self.flushing.next_at_end() {
            let access = flush_of(file);
            let (buffer_index, _) = self.take_buffer(backend, access, None, Buffer::Free);
            let slot = Slot {
                issued_at: now,
                intended_at: now,
                file,
                ..EMPTY_SLOT
            };
            self.prepare(backend, buffer_index, IoAction::Fsync, slot);
            if let Some(recorder) = &mut self.recorder {
                recorder.prepared(buffer_index);
            }
            return NextAction::Completion;
        }
        if self.pass.is_over && self.stopped.is_none() {
            self.tally.end_phase();
            // What was issued in this phase is no start of the next.
            self.slots.fill(EMPTY_SLOT);
            let checker = self.checker.as_mut();
            if checker.is_some_and(|checker| checker.end_pass()) {
                return NextAction::Until(now);
            }
            if self.pass.repeats_left > 0 {
                self.restart();
                return NextAction::Until(now);
            }
            self.stop(StopReason::Bytes);
        }
        NextAction::Finished
    }

    /// Begins the same work once more.
    #[cold]
    pub(super) fn restart(&mut self) {
        self.pass.repeats_left -= 1;
        self.pass.is_over = false;
        (self.pass.bytes_issued, self.pass.ios_issued) = (0, 0);
        self.drawn = None;
        self.pattern.restart();
        self.flushing.restart();
        if let Some(checker) = &mut self.checker {
            checker.restart();
        }
    }

    #[cold]
    pub(super) fn complete_badly(
        &mut self,
        buffer_index: u32,
        slot: Slot,
        moved: i32,
        counts: bool,
        now: u64,
    ) {
        let kind = failure_kind(moved, slot.length);
        self.tally.fail(slot.operation, kind, slot.offset);
        if let FailureKind::Short { moved, .. } = kind {
            if !counts {
                return self.complete_outside(slot, moved, now);
            }
            // What was moved counts; the rest is not asked for again.
            self.count(slot, moved, now);
            self.record(buffer_index, slot, moved, now);
            self.tally.count_short(slot.operation);
        } else {
            self.stop(StopReason::Failed);
        }
    }

    /// Counts an I/O that began before the measured part or ended after it.
    #[cold]
    pub(super) fn complete_outside(&mut self, slot: Slot, moved: u32, now: u64) {
        self.tally.complete_of_ramp(slot.operation, moved);
        self.count_late(slot, now);
    }

    /// Of those in flight when the measured part closed, the ones that take longer than the load
    /// had run before it are counted here: of shorter ones as many came in at its beginning as
    /// are left out at its end, but none so long can have come in.
    fn count_late(&mut self, slot: Slot, now: u64) {
        let latency = now.saturating_sub(slot.issued_at);
        let edges = &mut self.window.edges;
        if self.window.stage == WindowStage::Closed && latency > edges.settled.0 {
            edges.late.0 += latency;
            let from_intended = now.saturating_sub(slot.intended_at);
            (self.tally).count_late(slot.operation, latency, from_intended);
        }
    }

    /// Counts an error of the backend itself, which ends the workload.
    #[cold]
    pub(super) fn fail_backend(&mut self, error: &std::io::Error) {
        let errno = error.raw_os_error().unwrap_or_default();
        self.tally
            .fail(Operation::Read, FailureKind::Errno(errno), 0);
        self.stop(StopReason::Failed);
    }

    /// Gives up waiting for the I/Os in flight: they took as long as they were waited for until
    /// `now`, at least.
    #[cold]
    pub(crate) fn abandon(&mut self, now: u64) {
        for slot in self.in_flight_slots() {
            self.tally
                .fail(slot.operation, FailureKind::Unanswered, slot.offset);
            match self.window.stage {
                WindowStage::Closed => self.count_late(slot, now),
                WindowStage::Settling { .. } => {}
                _ if self.survey.is_some() || slot.issued_at < self.counts_from => {}
                _ => {
                    let waited = |since| now.saturating_sub(since);
                    let (latency, intended) = (waited(slot.issued_at), waited(slot.intended_at));
                    self.tally.count_late(slot.operation, latency, intended);
                }
            }
        }
        if let Some(survey) = &mut self.survey {
            let slots = (0u32..).zip(&self.slots);
            let in_flight = slots.filter(|(_, slot)| slot.issued_at != NEVER);
            survey.abandon(in_flight.map(|(buffer_index, _)| buffer_index));
        }
        self.stop(StopReason::Failed);
    }

    pub(super) fn in_flight_slots(&self) -> Vec<Slot> {
        // Only a plain completion leaves its slot as it was. Buffers of a survey's I/Os that
        // have one of their own are free all the time.
        let mut free = vec![false; self.slots.len()];
        self.free
            .iter()
            .for_each(|buffer_index| free[buffer_index as usize] = self.plain);
        let slots = self.slots.iter().zip(free);
        let in_flight = slots.filter(|(slot, free)| !free && slot.issued_at != NEVER);
        in_flight.map(|(slot, _)| *slot).collect()
    }

    /// What has been in flight for longer than `timeout`, also where nobody waits for it any more.
    #[cold]
    pub(crate) fn stuck(&self, timeout: Nanos, now: u64) -> Vec<StuckIo> {
        let slots = self.in_flight_slots().into_iter();
        let own = slots.map(|it| (it.operation, it.offset, it.length, it.issued_at));
        let hung = self.survey.iter().flat_map(|survey| survey.hung_ios());
        let hung = hung.map(|(io, issued_at)| (io.operation, io.offset, io.length, issued_at));
        let stuck = own
            .chain(hung)
            .map(|(operation, offset, length, issued_at)| StuckIo {
                operation,
                offset: Bytes(offset),
                length: Bytes(length.into()),
                age: Nanos(now.saturating_sub(issued_at)),
                holds_thread: false,
            });
        stuck.filter(|io| io.age >= timeout).collect()
    }

    /// Whether all that is in flight is waited for in vain: the youngest has had twice the time.
    /// A flush may take that long and longer, and a survey says itself what it gives up, until it
    /// is stopped.
    #[cold]
    pub(crate) fn is_dead(&self, timeout: Nanos, now: u64) -> bool {
        (self.survey.is_none() || self.stopped.is_some()) && self.is_silent(timeout, now)
    }

    /// Whether all that is in flight is for much longer than it should be; a flush may take a while.
    pub(crate) fn is_silent(&self, timeout: Nanos, now: u64) -> bool {
        let slots = self.in_flight_slots();
        let flushes = slots.iter().any(|it| it.operation == Operation::Flush);
        let least = if flushes { FLUSH_TIME_NS } else { 0 };
        let patience = timeout.0.saturating_mul(2).max(least);
        let youngest = slots.iter().map(|slot| slot.issued_at).max();
        youngest.is_some_and(|since| now.saturating_sub(since) > patience)
    }

    /// Saves what a later check needs, where that is asked for. What went wrong, in a
    /// sentence, if anything did.
    pub(crate) fn save_state(&self, name: &str, index: u32) -> Option<Text> {
        self.checker.as_ref()?.save_state(name, index)
    }

    /// What was counted, and why it ended, which it did at `ended_at`.
    pub(crate) fn finish(self, ended_at: u64) -> FinishedWorker {
        let mut tally = self.tally.finish();
        if let Some(walk) = &self.walk {
            walk.end(self.pass.bytes_issued);
        }
        // A survey's clock may have stood still when the limit came; it knows since when.
        let is_paced = self.pace.is_some() && self.survey.is_none();
        if is_paced && self.stopped == Some(StopReason::Time) {
            // The time in which no I/O was due is part of its rate: of three I/Os in 2.5 s,
            // the last one of which ended after 2 s, none was meant to come earlier.
            tally.last_completed_at = tally.last_completed_at.max(self.limits.deadline);
        }
        let window = self.window.finish(ended_at);
        if let Some(closed_at) = self.window.closed_at() {
            tally.last_completed_at = closed_at;
        }
        let at = tally.last_completed_at - tally.started_at;
        let operations = &mut tally.operations;
        let recorded = self.recorder.map(|it| it.finish(at, operations));
        let verified = self.checker.map(|checker| checker.finish());
        let stopped = self.stopped.unwrap_or(StopReason::Ended);
        let surveyed = self.survey.map(|survey| survey.finish(&mut tally, stopped));
        let is_wrong = verified.as_ref().is_some_and(|found| found.wrong > 0);
        FinishedWorker {
            tally,
            window,
            recorded: recorded.unwrap_or_default(),
            verified,
            surveyed,
            stopped: if is_wrong {
                stopped.graver(StopReason::Failed)
            } else {
                stopped
            },
        }
    }

    /// What would be reported if it ended at `now`, without logs.
    #[cold]
    pub(crate) fn snapshot(&self) -> FinishedWorker {
        let mut tally = self.tally.clone().finish();
        if let Some(survey) = &self.survey {
            survey.give_back_skipped(&mut tally);
        }
        let at = tally.last_completed_at - tally.started_at;
        let operations = &mut tally.operations;
        let recorder = self.recorder.as_ref();
        let recorded = recorder.map(|it| it.snapshot(at, operations));
        FinishedWorker {
            tally,
            window: None,
            recorded: recorded.unwrap_or_default(),
            verified: None,
            surveyed: self.survey.as_ref().map(|survey| survey.so_far()),
            stopped: self.stopped.unwrap_or(StopReason::Ended),
        }
    }
}
