//! The loop of I/Os that are all alike, between two boundaries: one operation, one length, one
//! file, offsets in one of the common orders. What it is made of is decided before it begins, and
//! what it counts is in few places of its own until it ends.

use std::io;

use sokudo_model::{Bytes, Moved, Operation};
use sokudo_stats::{Histogram, HistogramWriter, Random};
use sokudo_sys::{IoAction, Request};

use super::{BATCHES_PER_SUBMISSION_SAMPLE, Slot, Worker};
use crate::backend::Backend;
use crate::buffers::FreeSlotsAtHand;
use crate::clock::{Clock, NEVER};
use crate::data::Data;
use crate::offsets::{Offsets, UniformOffsets};

/// Where the next I/O goes.
trait NextOffset {
    fn next(&mut self) -> u64;
}

/// Random offsets, each block of the span as likely.
struct UniformRandom<'a> {
    offsets: UniformOffsets,
    random: &'a mut Random,
    state: Random,
}

impl<'a> UniformRandom<'a> {
    fn of(offsets: &'a mut Offsets, random: &'a mut Random, length: u64) -> Self {
        let offsets = offsets.uniform_of(length);
        Self {
            offsets: offsets.expect("they are uniform, which was looked at"),
            state: random.clone(),
            random,
        }
    }
}

impl NextOffset for UniformRandom<'_> {
    #[inline(always)]
    fn next(&mut self) -> u64 {
        self.offsets.next(&mut self.state)
    }
}

impl Drop for UniformRandom<'_> {
    fn drop(&mut self) {
        self.random.clone_from(&self.state);
    }
}

/// In any other order.
struct InOrder<'a> {
    offsets: &'a mut Offsets,
    random: &'a mut Random,
    length: u64,
}

impl<'a> InOrder<'a> {
    fn of(offsets: &'a mut Offsets, random: &'a mut Random, length: u64) -> Self {
        Self {
            offsets,
            random,
            length,
        }
    }
}

impl NextOffset for InOrder<'_> {
    #[inline(always)]
    fn next(&mut self) -> u64 {
        self.offsets.next(self.length, self.random)
    }
}

/// What is the same of all I/Os.
#[derive(Clone, Copy)]
struct Alike {
    operation: Operation,
    length: u32,
    action: IoAction,
    depth: u32,
    prepared_per_reading: u32,
    submitted_at_once: u32,
    completions_wanted: u32,
    next_boundary: u64,
}

/// How the loop ended.
enum End {
    /// A boundary is due, or the work is over; what has been waited for is to be reaped.
    Boundary,
    /// All that may be issued has been; what has been waited for has been reaped.
    Issued,
    /// These were reaped and moved less than they should.
    Failed(Vec<(u32, i32)>),
    /// The backend itself failed.
    Backend(io::Error),
}

/// State that each I/O changes, borrowed from the worker for the inner loop.
struct Lane<'a, O> {
    offsets: O,
    slots: &'a mut [Slot],
    free: FreeSlotsAtHand<'a>,
    data: &'a mut Data,
    latency: HistogramWriter<'a>,
    submission: &'a mut Histogram,
    /// How long I/Os have been in flight all together, until `seen_at`.
    area: u64,
    seen_at: u64,
    in_flight: u32,
    unsubmitted: u32,
    first_unsubmitted_at: u64,
    batches: u32,
    /// I/Os that may still be issued.
    left: u64,
    last_at: u64,
    /// What was reaped and moved less than it should.
    failed: Vec<(u32, i32)>,
}

impl<O: NextOffset> Lane<'_, O> {
    #[inline(always)]
    fn run<B: Backend, C: Clock>(
        &mut self,
        all: Alike,
        (backend, clock): (&mut B, &C),
        now: &mut u64,
        is_over: impl Fn() -> bool,
    ) -> End {
        loop {
            if let Err(error) = self.fill(all, backend, clock, now) {
                return End::Backend(error);
            }
            if self.left == 0 {
                return End::Issued;
            }
            if let Err(error) = self.wait(all, backend, clock) {
                return End::Backend(error);
            }
            *now = clock.now();
            if *now >= all.next_boundary || is_over() {
                return End::Boundary;
            }
            self.hold_depth(*now);
            self.reap(all, backend, *now);
            if !self.failed.is_empty() {
                return End::Failed(std::mem::take(&mut self.failed));
            }
        }
    }

    #[inline(always)]
    fn fill<B: Backend, C: Clock>(
        &mut self,
        all: Alike,
        backend: &mut B,
        clock: &C,
        now: &mut u64,
    ) -> io::Result<()> {
        let mut until_reading = all.prepared_per_reading;
        while self.in_flight < all.depth && self.left > 0 {
            if until_reading == 0 {
                *now = clock.now();
                self.hold_depth(*now);
                until_reading = all.prepared_per_reading;
            }
            until_reading -= 1;
            self.left -= 1;
            let offset = self.offsets.next();
            let buffer_index = self.free.take();
            if all.operation == Operation::Write {
                if B::MOVES_DATA {
                    let buffer = &mut backend.buffer_mut(buffer_index)[..all.length as usize];
                    self.data.stamp(buffer);
                }
                if self.data.takes_long(all.length) {
                    *now = clock.now();
                    self.hold_depth(*now);
                }
            }
            if B::SUBMITS {
                // The last part is left to the system call that waits.
                if self.unsubmitted >= all.submitted_at_once {
                    self.unsubmitted = 0;
                    backend.submit()?;
                }
                if self.unsubmitted == 0 {
                    self.first_unsubmitted_at = *now;
                }
                self.unsubmitted += 1;
            }
            let slot = &mut self.slots[buffer_index as usize];
            (slot.issued_at, slot.offset) = (*now, offset);
            self.in_flight += 1;
            backend.prepare(Request {
                action: all.action,
                buffer: buffer_index,
                file: 0,
                length: all.length,
                offset,
            });
        }
        Ok(())
    }

    #[inline(always)]
    fn wait<B: Backend, C: Clock>(
        &mut self,
        all: Alike,
        backend: &mut B,
        clock: &C,
    ) -> io::Result<()> {
        if B::SUBMITS {
            self.batches = self.batches.wrapping_add(1);
            let is_sample = self.batches.is_multiple_of(BATCHES_PER_SUBMISSION_SAMPLE);
            if is_sample && self.unsubmitted > 0 {
                backend.submit()?;
                let took = clock.now().saturating_sub(self.first_unsubmitted_at);
                self.submission.record(took);
            }
            self.unsubmitted = 0;
        }
        backend.submit_and_wait(all.completions_wanted)
    }

    #[inline(always)]
    fn reap<B: Backend>(&mut self, all: Alike, backend: &mut B, now: u64) {
        backend.reap(|buffer_index, result| {
            self.free.give_back(buffer_index);
            self.in_flight -= 1;
            if result == all.length.cast_signed() {
                let issued_at = self.slots[buffer_index as usize].issued_at;
                self.latency.record(now - issued_at);
                self.last_at = now;
            } else {
                self.failed.push((buffer_index, result));
            }
        });
    }

    #[inline(always)]
    fn hold_depth(&mut self, now: u64) {
        self.area += (now - self.seen_at) * u64::from(self.in_flight);
        self.seen_at = now;
    }
}

impl Worker {
    /// What all I/Os until the next boundary are, where they are alike and all count.
    fn alike(&self) -> Option<Alike> {
        let (operation, length) = self.pattern.alike()?;
        let action = match operation {
            Operation::Read => IoAction::Read,
            Operation::Write => self.flushing.write_action(),
            _ => return None,
        };
        let is_alike = self.in_flight_unmeasured == 0
            && self.counts_from != NEVER
            && self.stopped.is_none()
            // What is in flight then may be the flush at its end.
            && !self.pass.is_over
            && self.flushing.is_never_due();
        is_alike.then_some(Alike {
            operation,
            length,
            action,
            depth: self.depth,
            prepared_per_reading: self.prepared_per_reading,
            submitted_at_once: self.submitted_at_once,
            completions_wanted: self.completions_wanted,
            next_boundary: self.next_boundary,
        })
    }

    /// Does I/O until a boundary is due or `is_over` says so, where all of it is alike; returns
    /// whether what has been waited for is left to be reaped.
    #[inline]
    pub(super) fn go_on_alike<B: Backend, C: Clock>(
        &mut self,
        backend: &mut B,
        clock: &C,
        now: &mut u64,
        is_over: impl Fn() -> bool,
    ) -> bool {
        let Some(all) = self.alike() else {
            return false;
        };
        let ended = match self.pattern.offsets() {
            (Offsets::Uniform { .. }, _) => {
                self.run_alike(all, (backend, clock), now, is_over, UniformRandom::of)
            }
            _ => self.run_alike(all, (backend, clock), now, is_over, InOrder::of),
        };
        match ended {
            None | Some(End::Issued) => false,
            Some(End::Boundary) => true,
            Some(End::Failed(reaped)) => {
                for (buffer_index, result) in reaped {
                    let slot = self.slots[buffer_index as usize];
                    self.complete_badly(buffer_index, slot, result, true, *now);
                }
                false
            }
            Some(End::Backend(error)) => {
                self.fail_backend(&error);
                false
            }
        }
    }

    /// A function of its own for each kind of order and backend, so that the loop has the
    /// processor's registers to itself.
    #[inline(never)]
    fn run_alike<'a, O: NextOffset, B: Backend, C: Clock>(
        &'a mut self,
        all: Alike,
        by: (&mut B, &C),
        now: &mut u64,
        is_over: impl Fn() -> bool,
        offsets: impl FnOnce(&'a mut Offsets, &'a mut Random, u64) -> O,
    ) -> Option<End> {
        let length = u64::from(all.length);
        let mut oldest = u64::MAX;
        for slot in &mut self.slots {
            (slot.operation, slot.length, slot.file) = (all.operation, all.length, 0);
            if slot.issued_at >= self.counts_from {
                oldest = oldest.min(slot.issued_at);
            }
        }
        let seen_at = self.tally.depth_seen_at();
        let (latency, submission) = self.tally.alike(all.operation, oldest)?;
        let before = latency.count();
        let bytes_left = self.limits.bytes.saturating_sub(self.pass.bytes_issued);
        let ios_left = self.limits.ios.saturating_sub(self.pass.ios_issued);
        let left = bytes_left.div_ceil(length).min(ios_left);
        let (order, random) = self.pattern.offsets();
        let mut lane = Lane {
            offsets: offsets(order, random, length),
            slots: &mut self.slots,
            free: self.free.at_hand(),
            data: &mut self.data,
            latency,
            submission,
            area: 0,
            seen_at,
            in_flight: self.in_flight,
            unsubmitted: self.unsubmitted,
            first_unsubmitted_at: self.first_unsubmitted_at,
            batches: self.batches,
            left,
            last_at: 0,
            failed: Vec::new(),
        };
        let end = lane.run(all, by, now, is_over);
        let issued = left - lane.left;
        self.pass.ios_issued += issued;
        self.pass.bytes_issued += issued * length;
        self.in_flight = lane.in_flight;
        self.unsubmitted = lane.unsubmitted;
        self.first_unsubmitted_at = lane.first_unsubmitted_at;
        self.batches = lane.batches;
        let ios = lane.latency.count() - before;
        let (last_at, depth) = (lane.last_at, (lane.area, lane.seen_at));
        drop(lane);
        let moved = Moved {
            bytes: Bytes(ios * length),
            ios,
        };
        self.tally
            .complete_alike(all.operation, moved, last_at, depth);
        Some(end)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::io;
    use std::sync::Arc;
    use std::time::Duration;

    use sokudo_model::{Nanos, StopReason, Workload};
    use sokudo_stats::Random;
    use sokudo_sys::{Region, Request};

    use super::*;
    use crate::backend::Null;
    use crate::builders::{BLOCK, for_ios, writes};
    use crate::data::Data;
    use crate::offsets::ByteRange;
    use crate::pattern::Pattern;
    use crate::record::Submission;
    use crate::worker::{NextAction, Setup};

    const DEPTH: u32 = 4;

    /// Each reading is a second after the one before, so that a boundary is always due.
    #[derive(Default)]
    struct Seconds(Cell<u64>);

    impl Clock for Seconds {
        fn now(&self) -> u64 {
            self.0.set(self.0.get() + 1_000_000_000);
            self.0.get()
        }
    }

    /// Waits once in vain for each flush, as for a disk that takes longer than a tick.
    struct SlowToFlush {
        null: Null,
        is_flushing: bool,
    }

    impl Backend for SlowToFlush {
        const SUBMITS: bool = Null::SUBMITS;
        const MOVES_DATA: bool = Null::MOVES_DATA;

        fn buffer_mut(&mut self, buffer_index: u32) -> &mut [u8] {
            self.null.buffer_mut(buffer_index)
        }

        fn prepare(&mut self, request: Request) {
            self.is_flushing = !request.action.moves_data();
            self.null.prepare(request);
        }

        fn submit_and_wait(&mut self, wanted: u32) -> io::Result<()> {
            self.null.submit_and_wait(wanted)
        }

        fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()> {
            self.null.submit_and_wait_for(patience)
        }

        fn reap(&mut self, each: impl FnMut(u32, i32)) {
            if !std::mem::take(&mut self.is_flushing) {
                self.null.reap(each);
            }
        }
    }

    fn worker(workload: &Workload) -> Worker {
        let stretch = ByteRange {
            start: 0,
            length: 64 * BLOCK,
        };
        let random = || Random::stream(1, 1);
        let setup = Setup {
            pattern: Pattern::new(workload, &[stretch], &Arc::default(), random()),
            data: Data::new(&workload.data, 1),
            pace: random(),
            depth: DEPTH,
            buffers: DEPTH,
            submission: Submission::None,
            checker: None,
            survey: None,
            window: Arc::default(),
            walked: None,
            settle: None,
        };
        Worker::new(workload, setup)
    }

    #[test]
    fn what_is_never_answered_has_taken_as_long_as_it_was_waited_for() {
        let workload = with!(writes(DEPTH), limits = for_ios(100));
        let mut worker = worker(&workload);
        let mut backend = Null::new(Region::new(DEPTH, 4096).unwrap(), DEPTH);
        let clock = Seconds::default();
        let mut now = clock.now();
        worker.begin(now);
        worker.fill(&mut backend, &clock, &mut now);
        worker.abandon(now + 60_000_000_000);
        let finished = worker.finish(now);
        let failures: u64 = finished.tally.failures.iter().map(|it| it.count).sum();
        assert_eq!(failures, u64::from(DEPTH));
        let [writes] = &finished.tally.operations[..] else {
            panic!("one operation");
        };
        assert_eq!((writes.ios, writes.late_ios), (0, u64::from(DEPTH)));
        assert_eq!(writes.latency.count(), u64::from(DEPTH));
        assert!(writes.latency.min() >= Some(60_000_000_000));
    }

    #[test]
    fn a_flush_has_ten_minutes() {
        let workload = with!(
            writes(DEPTH),
            limits = for_ios(u64::from(DEPTH)),
            durability.final_flush = true
        );
        let mut worker = worker(&workload);
        let region = Region::new(DEPTH, 4096).unwrap();
        let mut backend = Null::new(region, DEPTH);
        let clock = Seconds::default();
        let mut now = clock.now();
        let timeout = Nanos::from_secs(30);
        let look = |worker: &Worker, seconds: u64| {
            let at = clock.now() + seconds * 1_000_000_000;
            let stuck = worker.stuck(timeout, at);
            let stuck = stuck.into_iter().map(|io| io.operation).collect();
            (stuck, worker.is_dead(timeout, at))
        };
        worker.begin(now);
        worker.fill(&mut backend, &clock, &mut now);
        let written: (Vec<Operation>, bool) = look(&worker, 20);
        assert_eq!(written, (vec![], false));
        let all = vec![Operation::Write; DEPTH as usize];
        assert_eq!(look(&worker, 50), (all.clone(), false));
        assert_eq!(look(&worker, 80), (all, true));
        worker.wait(&mut backend, &clock, None);
        backend.reap(|buffer_index, result| worker.complete(buffer_index, result, now));
        assert_eq!(look(&worker, 80), (vec![], false));
        worker.fill(&mut backend, &clock, &mut now);
        assert_eq!(look(&worker, 590), (vec![Operation::Flush], false));
        assert_eq!(look(&worker, 610), (vec![Operation::Flush], true));
        for (timeout, time) in [(1, 580), (400, 780)] {
            let at = clock.now() + time * 1_000_000_000;
            assert!(!worker.is_dead(Nanos::from_secs(timeout), at));
            assert!(worker.is_dead(Nanos::from_secs(timeout), at + 20_000_000_000));
        }
    }

    #[test]
    fn the_flush_at_the_end_of_a_pass_is_no_write_however_long_it_takes() {
        let limits = with!(for_ios(8), repeats = 2);
        let workload = with!(
            writes(DEPTH),
            limits = limits,
            durability.final_flush = true
        );
        let mut worker = worker(&workload);
        let region = Region::new(DEPTH, 4096).unwrap();
        let mut backend = SlowToFlush {
            null: Null::new(region, DEPTH),
            is_flushing: false,
        };
        let clock = Seconds::default();
        let mut now = clock.now();
        worker.begin(now);
        // As a driver does.
        loop {
            match worker.go_on(&mut backend, &clock, &mut now, || false) {
                Some(NextAction::Finished) => break,
                Some(NextAction::Completion) => worker.wait(&mut backend, &clock, None),
                _ => {}
            }
            now = clock.now();
            worker.hold_depth(now);
            worker.at_boundary(now);
            backend.reap(|buffer_index, result| worker.complete(buffer_index, result, now));
        }
        assert_eq!(worker.stopped(), Some(StopReason::Bytes));
        let finished = worker.finish(now);
        let ios = |operation| {
            let mut tallies = finished.tally.operations.iter();
            tallies
                .find(|it| it.operation == operation)
                .map(|it| it.ios)
        };
        assert_eq!(ios(Operation::Write), Some(24));
        assert_eq!(ios(Operation::Flush), Some(3));
    }
}
