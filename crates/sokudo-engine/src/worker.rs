//! One clone of a workload: keeps its depth full and counts what comes back.
//!
//! [`Worker::fill`] and [`Worker::complete`] are the hot loop. Threads drive them
//! in real time, the simulation drives them in virtual time.

use std::time::Duration;

use sokudo_model::{Durability, FailureKind, Operation, StopReason, Workload};
use sokudo_sys::{Action, Request};

use crate::backend::Backend;
use crate::clock::Clock;
use crate::data::{Data, POOL_BYTES};
use crate::pace::{Gate, Pace};
use crate::pattern::{Access, Pattern};
use crate::tally::{FinishedTally, Tally};

/// I/Os prepared per reading of the clock. Preparing four takes about as long as
/// the clock's own resolution, so that no latency is off by more than that.
const PREPARED_PER_READING: u32 = 4;

/// Making more than this much data unique takes longer than the clock's
/// resolution, so the clock is read again before such a write is issued.
const STAMPED_BYTES_PER_READING: u32 = 32 << 10;

/// A full queue is submitted in this many parts. In one, a device that completes
/// in bursts gets all of its work in bursts, and idles in between: on a virtio
/// disk, 4 KiB random reads at depth 32 came out 16 % slower.
const SUBMISSIONS_PER_DEPTH: u32 = 4;

/// A worker waits for up to this share of its depth to complete at once. A program
/// that asks for every completion singly pays a system call for each, and on a
/// fast device it is then the program that is measured.
const DEPTH_PER_COMPLETION_WANTED: u32 = 16;

/// But never longer than the completions of this time: what the wait can add to a
/// latency. Below 250,000 I/Os per second and thread it adds nothing.
const WANTED_TIME_NS: u64 = 8_000;

/// An I/O that is neither short nor failed may still be a lie about its length;
/// the kernel moves at most this much per call.
pub(crate) const BLOCK_BYTES_MAX: u64 = 1 << 30;

/// What the caller does after [`Worker::fill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Wait for a completion.
    Completion,
    /// Wait for a completion or for this instant.
    CompletionOr(u64),
    /// Wait for this instant; nothing is in flight.
    Until(u64),
    /// Everything is done.
    Finished,
}

/// What is remembered of an I/O in flight.
#[derive(Clone, Copy)]
struct Slot {
    issued_at: u64,
    intended_at: u64,
    offset: u64,
    length: u32,
    operation: Operation,
}

const EMPTY_SLOT: Slot = Slot {
    issued_at: 0,
    intended_at: 0,
    offset: 0,
    length: 0,
    operation: Operation::Flush,
};

const FLUSH: Access = Access {
    operation: Operation::Flush,
    file: 0,
    offset: 0,
    length: 0,
};

/// One clone.
pub(crate) struct Worker {
    pattern: Pattern,
    pace: Pace,
    data: Data,
    tally: Tally,
    slots: Box<[Slot]>,
    free: FreeChunks,
    depth: u32,
    in_flight: u32,
    /// Of those, the ones issued in the ramp: they are not counted.
    in_flight_of_ramp: u32,
    flushing: Flushing,
    limits: Limits,
    bytes_issued: u64,
    next_boundary: u64,
    submitted_at_once: u32,
    unsubmitted: u32,
    first_unsubmitted_at: u64,
    completions_wanted: u32,
    looked_at: u64,
    ios_seen: u64,
    stopped: Option<StopReason>,
    prepared_per_reading: u32,
}

/// When flushes are due.
struct Flushing {
    rules: Box<[FlushRule]>,
    write_action: Action,
    /// One more flush after the last write.
    final_flush: bool,
}

/// Flush after every so many writes.
struct FlushRule {
    every: u32,
    writes_since: u32,
    action: Action,
}

impl Flushing {
    fn new(durability: &Durability) -> Self {
        let rule = |every: Option<u32>, action| {
            every.map(|every| FlushRule {
                every,
                writes_since: 0,
                action,
            })
        };
        let fsync = rule(durability.fsync_every, Action::Fsync);
        let fdatasync = rule(durability.fdatasync_every, Action::Fdatasync);
        Self {
            rules: fsync.into_iter().chain(fdatasync).collect(),
            write_action: if durability.write_through {
                Action::WriteThrough
            } else {
                Action::Write
            },
            final_flush: durability.final_flush,
        }
    }

    /// The flush that is due before the next write.
    #[inline]
    fn due(&mut self) -> Option<Action> {
        let rule = self
            .rules
            .iter_mut()
            .find(|rule| rule.writes_since >= rule.every)?;
        rule.writes_since = 0;
        Some(rule.action)
    }

    #[inline]
    fn count_write(&mut self) {
        for rule in &mut self.rules {
            rule.writes_since += 1;
        }
    }
}

struct Limits {
    time_ns: u64,
    bytes: u64,
    ramp_ns: u64,
    /// When the measured part ends; known once it has begun.
    deadline: u64,
    /// When the ramp ends; `None` once it has.
    ramp_ends_at: Option<u64>,
}

impl Worker {
    /// A clone that keeps `depth` I/Os in flight, with `chunks` buffers to use in
    /// turn.
    pub(crate) fn new(
        workload: &Workload,
        pattern: Pattern,
        data: Data,
        depth: u32,
        chunks: u32,
    ) -> Self {
        Self {
            pattern,
            pace: Pace::new(workload),
            data,
            tally: Tally::new(workload),
            slots: vec![EMPTY_SLOT; chunks as usize].into_boxed_slice(),
            free: FreeChunks::new(chunks),
            depth,
            in_flight: 0,
            in_flight_of_ramp: 0,
            flushing: Flushing::new(&workload.durability),
            limits: Limits {
                time_ns: workload.limits.time.map_or(u64::MAX, |time| time.0),
                bytes: workload.limits.bytes.map_or(u64::MAX, |bytes| bytes.0),
                ramp_ns: workload.ramp.0,
                deadline: u64::MAX,
                ramp_ends_at: None,
            },
            bytes_issued: 0,
            next_boundary: u64::MAX,
            submitted_at_once: depth.div_ceil(SUBMISSIONS_PER_DEPTH),
            unsubmitted: 0,
            first_unsubmitted_at: 0,
            completions_wanted: 1,
            looked_at: 0,
            ios_seen: 0,
            stopped: None,
            prepared_per_reading: if workload.exact_clock {
                1
            } else {
                PREPARED_PER_READING
            },
        }
    }

    /// Fills the buffers for the first time.
    pub(crate) fn fill_buffers<B: Backend>(&mut self, backend: &mut B) {
        for chunk in 0..u32::try_from(self.slots.len()).unwrap_or(u32::MAX) {
            self.data.fill(backend.chunk_mut(chunk));
        }
    }

    /// Begins at `now`, with the ramp if there is one.
    pub(crate) fn begin(&mut self, now: u64) {
        self.pace.start(now);
        self.tally.start(now);
        if self.limits.ramp_ns > 0 {
            self.limits.ramp_ends_at = Some(now.saturating_add(self.limits.ramp_ns));
        } else {
            self.limits.deadline = now.saturating_add(self.limits.time_ns);
        }
        self.set_boundary();
    }

    /// Keeps the depth full: prepares as many I/Os as may start. `now` is moved on
    /// when the clock is read.
    #[inline]
    pub(crate) fn fill<B: Backend, C: Clock>(
        &mut self,
        backend: &mut B,
        clock: &C,
        now: &mut u64,
    ) -> Next {
        let mut until_reading = self.prepared_per_reading;
        while self.in_flight < self.depth && self.stopped.is_none() {
            if until_reading == 0 {
                self.read_clock(clock, now);
                until_reading = self.prepared_per_reading;
            }
            until_reading -= 1;
            let mut intended_at = *now;
            if !self.pace.is_free() {
                match self.pace.gate(*now, self.in_flight) {
                    Gate::Open { intended_at: at } => intended_at = at,
                    Gate::Until(at) => return self.wait_until(at),
                    Gate::Idle => return Next::Completion,
                }
            }
            let Some((access, action)) = self.next_access() else {
                break;
            };
            let chunk = self.take_chunk(backend, access);
            if access.operation == Operation::Write && access.length > STAMPED_BYTES_PER_READING {
                self.read_clock(clock, now);
            }
            let slot = Slot {
                issued_at: *now,
                intended_at,
                offset: access.offset,
                length: access.length,
                operation: access.operation,
            };
            // The last part is left to the system call that waits.
            if B::SUBMITS && self.unsubmitted >= self.submitted_at_once {
                self.submit(backend);
            }
            self.prepare(backend, chunk, action, slot);
        }
        if self.in_flight > 0 {
            Next::Completion
        } else {
            self.when_idle(backend, *now)
        }
    }

    /// Counts one completion, reaped at `now`. `result` is bytes moved or minus
    /// errno.
    #[inline]
    pub(crate) fn complete(&mut self, chunk: u32, result: i32, now: u64) {
        let slot = self.slots[chunk as usize];
        self.in_flight -= 1;
        self.free.give_back(chunk);
        let counts = slot.issued_at >= self.tally.started_at();
        if !counts {
            self.in_flight_of_ramp -= 1;
        }
        let moved = match slot.operation {
            Operation::Read | Operation::Write => result,
            // A trim or flush that succeeds returns 0 and stands for its whole
            // range.
            _ if result == 0 => slot.length.cast_signed(),
            _ => result,
        };
        if moved != slot.length.cast_signed() {
            self.complete_badly(slot, moved, counts, now);
        } else if counts {
            self.tally.complete(
                slot.operation,
                slot.length,
                slot.issued_at,
                slot.intended_at,
                now,
            );
        }
    }

    /// When [`Self::at_boundary`] is due. One comparison per batch.
    #[inline]
    pub(crate) fn next_boundary(&self) -> u64 {
        self.next_boundary
    }

    /// Ends intervals, the ramp and the trial when their time has come. Returns
    /// whether the ramp ended, so that the measured part begins now.
    #[cold]
    pub(crate) fn at_boundary(&mut self, now: u64) -> bool {
        let mut measuring = false;
        if self.limits.ramp_ends_at.is_some_and(|end| end <= now) {
            self.limits.ramp_ends_at = None;
            self.limits.deadline = now.saturating_add(self.limits.time_ns);
            self.tally.start(now);
            self.in_flight_of_ramp = self.in_flight;
            measuring = true;
        }
        if self.limits.deadline <= now {
            self.stop(StopReason::Time);
        }
        self.tally.end_intervals(now);
        self.set_boundary();
        self.set_completions_wanted(now);
        measuring
    }

    /// Submits what is prepared, without waiting.
    #[inline]
    fn submit<B: Backend>(&mut self, backend: &mut B) {
        self.unsubmitted = 0;
        if let Err(error) = backend.submit() {
            self.fail_backend(&error);
        }
    }

    /// Submits what is prepared by a system call of its own, and counts how long
    /// that took from the issue of its first I/O.
    pub(crate) fn submit_counted<B: Backend, C: Clock>(&mut self, backend: &mut B, clock: &C) {
        if self.unsubmitted > 0 {
            self.submit(backend);
            self.tally
                .submitted(clock.now() - self.first_unsubmitted_at);
        }
    }

    /// Submits what is prepared and waits for completions, no longer than
    /// `patience` if there is one.
    #[inline]
    pub(crate) fn submit_and_wait<B: Backend>(
        &mut self,
        backend: &mut B,
        patience: Option<Duration>,
    ) {
        self.unsubmitted = 0;
        let waited = match patience {
            None => backend.submit_and_wait(self.completions_wanted),
            Some(patience) => backend.submit_and_wait_for(patience),
        };
        if let Err(error) = waited {
            self.fail_backend(&error);
        }
    }

    /// From the rate since the last look.
    fn set_completions_wanted(&mut self, now: u64) {
        let (_, ios) = self.tally.moved();
        let (passed, done) = (
            now.saturating_sub(self.looked_at).max(1),
            ios.saturating_sub(self.ios_seen),
        );
        (self.looked_at, self.ios_seen) = (now, ios);
        let in_time = u32::try_from(done.saturating_mul(WANTED_TIME_NS) / passed);
        let most = self.depth / DEPTH_PER_COMPLETION_WANTED;
        let singly = self.stopped.is_some() || self.prepared_per_reading == 1;
        self.completions_wanted = if singly {
            1
        } else {
            in_time.unwrap_or(u32::MAX).min(most).max(1)
        };
    }

    /// Counts the I/Os in flight up to `now`; called before completions are.
    #[inline]
    pub(crate) fn hold_depth(&mut self, now: u64) {
        self.tally
            .hold_depth(now, self.in_flight - self.in_flight_of_ramp);
    }

    /// Starts no further I/O. The first reason stands.
    pub(crate) fn stop(&mut self, reason: StopReason) {
        self.stopped.get_or_insert(reason);
    }

    /// Why it stopped, if it has.
    #[inline]
    pub(crate) fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    /// I/Os in flight.
    #[inline]
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Counts an error of the backend itself, which ends the workload.
    #[cold]
    fn fail_backend(&mut self, error: &std::io::Error) {
        let errno = error.raw_os_error().unwrap_or_default();
        self.tally
            .fail(Operation::Read, FailureKind::Errno(errno), 0);
        self.stop(StopReason::Failed);
    }

    /// Gives up waiting for the I/Os in flight.
    #[cold]
    pub(crate) fn abandon(&mut self) {
        for slot in self.in_flight_slots() {
            self.tally
                .fail(slot.operation, FailureKind::Unanswered, slot.offset);
        }
        self.stop(StopReason::Failed);
    }

    fn in_flight_slots(&self) -> Vec<Slot> {
        let mut free = vec![false; self.slots.len()];
        self.free
            .iter()
            .for_each(|chunk| free[chunk as usize] = true);
        let in_flight = self.slots.iter().zip(free).filter(|(_, free)| !free);
        in_flight.map(|(slot, _)| *slot).collect()
    }

    /// Bytes and I/Os counted so far.
    pub(crate) fn moved(&self) -> (u64, u64) {
        self.tally.moved()
    }

    /// What was counted, and why it ended.
    pub(crate) fn finish(self) -> (FinishedTally, StopReason) {
        (
            self.tally.finish(),
            self.stopped.unwrap_or(StopReason::Ended),
        )
    }

    /// The next I/O, or `None` when a limit is reached.
    #[inline(always)]
    fn next_access(&mut self) -> Option<(Access, Action)> {
        if let Some(action) = self.flushing.due() {
            return Some((FLUSH, action));
        }
        if self.bytes_issued >= self.limits.bytes {
            self.stop(StopReason::Bytes);
            return None;
        }
        let access = self.pattern.next();
        self.bytes_issued += u64::from(access.length);
        let action = match access.operation {
            Operation::Write => {
                self.flushing.count_write();
                self.flushing.write_action
            }
            Operation::Trim => Action::Trim,
            Operation::Flush => Action::Fsync,
            _ => Action::Read,
        };
        Some((access, action))
    }

    /// A free chunk with what the I/O writes in it.
    #[inline]
    fn take_chunk<B: Backend>(&mut self, backend: &mut B, access: Access) -> u32 {
        let chunk = self.free.take();
        if B::MOVES_DATA && access.operation == Operation::Write {
            let buffer = &mut backend.chunk_mut(chunk)[..access.length as usize];
            self.data.stamp(buffer);
        }
        chunk
    }

    #[inline]
    fn prepare<B: Backend>(&mut self, backend: &mut B, chunk: u32, action: Action, slot: Slot) {
        self.slots[chunk as usize] = slot;
        let Slot { length, offset, .. } = slot;
        backend.prepare(Request {
            action,
            chunk,
            file: 0,
            length,
            offset,
        });
        self.in_flight += 1;
        if self.unsubmitted == 0 {
            self.first_unsubmitted_at = slot.issued_at;
        }
        self.unsubmitted += 1;
        if !self.pace.is_free() {
            self.pace.issued(length);
        }
    }

    /// Nothing is in flight: flush for the last time, or finish.
    fn when_idle<B: Backend>(&mut self, backend: &mut B, now: u64) -> Next {
        let cancelled = matches!(
            self.stopped,
            Some(StopReason::Cancelled | StopReason::Failed)
        );
        if self.flushing.final_flush && !cancelled {
            self.flushing.final_flush = false;
            let chunk = self.take_chunk(backend, FLUSH);
            let slot = Slot {
                issued_at: now,
                intended_at: now,
                ..EMPTY_SLOT
            };
            self.prepare(backend, chunk, Action::Fsync, slot);
            return Next::Completion;
        }
        Next::Finished
    }

    #[inline]
    fn read_clock<C: Clock>(&mut self, clock: &C, now: &mut u64) {
        *now = clock.now();
        self.hold_depth(*now);
    }

    fn wait_until(&self, at: u64) -> Next {
        // A boundary is an instant to wake up for as well.
        let at = at.min(self.next_boundary);
        if self.in_flight > 0 {
            Next::CompletionOr(at)
        } else {
            Next::Until(at)
        }
    }

    #[cold]
    fn complete_badly(&mut self, slot: Slot, moved: i32, counts: bool, now: u64) {
        let Slot {
            operation,
            offset,
            length,
            issued_at,
            intended_at,
        } = slot;
        let kind = match u32::try_from(moved) {
            Err(_) => FailureKind::Errno(-moved),
            Ok(0) => FailureKind::Nothing,
            Ok(moved) => FailureKind::Short {
                asked: length,
                moved,
            },
        };
        self.tally.fail(operation, kind, offset);
        if let FailureKind::Short { moved, .. } = kind {
            if !counts {
                return;
            }
            // What was moved counts; the rest is not asked for again.
            self.tally
                .complete(operation, moved, issued_at, intended_at, now);
        } else {
            self.stop(StopReason::Failed);
        }
    }

    fn set_boundary(&mut self) {
        let ramp_end = self.limits.ramp_ends_at.unwrap_or(u64::MAX);
        let stop = if self.stopped.is_some() {
            u64::MAX
        } else {
            self.limits.deadline
        };
        self.next_boundary = stop.min(ramp_end).min(self.tally.interval_ends_at());
    }
}

/// Chunks that are not in flight, longest unused first, so that all are used in
/// turn. Holds at most as many as there are.
struct FreeChunks {
    ring: Box<[u32]>,
    mask: u32,
    taken: u32,
    given_back: u32,
}

impl FreeChunks {
    fn new(chunks: u32) -> Self {
        let size = chunks.next_power_of_two();
        let ring = (0..size).collect();
        Self {
            ring,
            mask: size - 1,
            taken: 0,
            given_back: chunks,
        }
    }

    #[inline]
    fn take(&mut self) -> u32 {
        debug_assert_ne!(self.taken, self.given_back, "a chunk per I/O in flight");
        let chunk = self.ring[(self.taken & self.mask) as usize];
        self.taken = self.taken.wrapping_add(1);
        chunk
    }

    #[inline]
    fn give_back(&mut self, chunk: u32) {
        self.ring[(self.given_back & self.mask) as usize] = chunk;
        self.given_back = self.given_back.wrapping_add(1);
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let count = self.given_back.wrapping_sub(self.taken);
        (0..count).map(|index| self.ring[(self.taken.wrapping_add(index) & self.mask) as usize])
    }
}

/// Buffers for a clone: one per I/O in flight, and for random data enough more
/// that none is written again soon.
pub(crate) fn chunks_for(workload: &Workload, depth: u32) -> u32 {
    let random_writes = workload.operations.percent(Operation::Write) > 0
        && workload.data == sokudo_model::DataContent::Random;
    if !random_writes {
        return depth;
    }
    let pool = POOL_BYTES / u64::from(workload.clones) / workload.blocks.largest().0.max(1);
    depth.max(u32::try_from(pool).unwrap_or(u32::MAX))
}
