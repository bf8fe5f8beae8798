//! One thread of a workload: keeps its depth full and counts what comes back.
//!
//! [`Worker::fill`] and [`Worker::complete`] are the hot loop. Threads drive them
//! in real time, the simulation drives them in virtual time.

mod ending;
mod pass_end;
mod plain_loop;
mod ramp;
mod sealing;
mod special;
mod surveying;

use std::sync::Arc;
use std::time::Duration;

use sokudo_model::{
    Batching, Moved, Nanos, Operation, Phase, StopReason, VerifyOutcome, Window, Workload, narrow,
};
use sokudo_stats::Random;
use sokudo_sys::{IoAction, Request};

use crate::backend::Backend;
use crate::batched::Batched;
use crate::buffers::FreeSlots;
use crate::checking::Checker;
use crate::clock::{Clock, NEVER};
use crate::data::Data;
use crate::flushing::Flushing;
use crate::pace::Pace;
use crate::pattern::{Access, Pattern};
use crate::record::{Recorded, Recorder, Submission};
use crate::rewriting::Rewriting;
use crate::survey::{Surveyed, Surveying};
use crate::tally::{FinishedTally, Tally};
use crate::verify::ExpectedBlock;
use crate::walked::{SequentialWalk, Walked};
use crate::window::{OwnWindow, SharedWindow};

/// I/Os prepared per reading of the clock. Preparing four takes about as long as
/// the clock's own resolution, so that no latency is off by more than that.
const PREPARED_PER_READING: u32 = 4;

/// A full queue is submitted in this many parts. In one, a device that completes
/// in bursts gets all of its work in bursts, and idles in between: on a virtio
/// disk, 4 KiB random reads at depth 32 came out 16 % slower.
const SUBMISSIONS_PER_DEPTH: u32 = 4;

/// One batch in this many is submitted by a system call of its own, to measure how
/// long submitting takes without doubling the system calls.
const BATCHES_PER_SUBMISSION_SAMPLE: u32 = 16;

/// What the caller does after [`Worker::fill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextAction {
    /// Wait for a completion.
    Completion,
    /// Wait for a completion or for this instant.
    CompletionOr(u64),
    /// Wait for this instant; nothing is in flight.
    Until(u64),
    /// Keep the processor busy until this instant.
    Busy(u64),
    /// Nothing is left to issue or to wait for.
    Finished,
}

/// The next I/O of a workload that is not plain.
enum Ready {
    Issue(Issue),
    Wait(NextAction),
    Over,
}

/// An I/O that may be issued.
struct Issue {
    access: Access,
    action: IoAction,
    intended_at: u64,
    /// The block that is checked by it.
    expected: Option<ExpectedBlock>,
    buffer: Buffer,
}

/// Which buffer an I/O uses.
#[derive(Clone, Copy)]
enum Buffer {
    /// Any that is free.
    Free,
    /// This one, with what it holds.
    AsItIs(u32),
    /// This one, with what it holds changed.
    Changed(u32),
}

/// What is remembered of an I/O in flight.
#[derive(Clone, Copy)]
struct Slot {
    issued_at: u64,
    intended_at: u64,
    offset: u64,
    length: u32,
    file: u32,
    operation: Operation,
}

/// A slot of which no I/O is in flight. The common path does not put it back: there, what is
/// not free is in flight.
const EMPTY_SLOT: Slot = Slot {
    issued_at: NEVER,
    intended_at: 0,
    offset: 0,
    length: 0,
    file: 0,
    operation: Operation::Flush,
};

impl Slot {
    #[inline(always)]
    fn new(access: Access, issued_at: u64, intended_at: u64) -> Self {
        Self {
            issued_at,
            intended_at,
            offset: access.offset,
            length: access.length,
            file: access.file,
            operation: access.operation,
        }
    }
}

fn flush_of(file: u32) -> Access {
    Access {
        operation: Operation::Flush,
        file,
        offset: 0,
        length: 0,
    }
}

/// What a worker is made of besides its workload.
pub(crate) struct Setup {
    pub(crate) pattern: Pattern,
    pub(crate) data: Data,
    /// Spaces I/Os, where that is by chance.
    pub(crate) pace: Random,
    pub(crate) depth: u32,
    /// Buffers to use in turn.
    pub(crate) buffers: u32,
    /// What submitting is to the backend.
    pub(crate) submission: Submission,
    /// Checks what is written or read, if that is asked for.
    pub(crate) checker: Option<Checker>,
    /// Says what comes next, instead of the pattern.
    pub(crate) survey: Option<Surveying>,
    /// What all threads of the workload share of their measured part.
    pub(crate) window: Arc<SharedWindow>,
    /// How long the load runs at least before it is measured, where that may be cut out of it;
    /// `None` where all that is started is to count.
    pub(crate) settle: Option<Nanos>,
    /// Behind what its sequential I/Os begin, and where they leave how far they have come.
    pub(crate) walked: Option<Walked>,
}

/// What a worker ends with.
pub(crate) struct FinishedWorker {
    pub(crate) tally: FinishedTally,
    pub(crate) window: Option<Window>,
    pub(crate) recorded: Recorded,
    pub(crate) verified: Option<VerifyOutcome>,
    pub(crate) surveyed: Option<Surveyed>,
    pub(crate) stopped: StopReason,
}

/// Runs one thread of a workload: issues its I/Os, reaps and counts them.
pub(crate) struct Worker {
    pattern: Pattern,
    /// The operation that was drawn and has to wait for its turn.
    drawn: Option<Operation>,
    pace: Option<Box<Pace>>,
    recorder: Option<Box<Recorder>>,
    batched: Option<Box<Batched>>,
    checker: Option<Box<Checker>>,
    rewriting: Option<Box<Rewriting>>,
    survey: Option<Box<Surveying>>,
    /// Nothing of the six above is of interest to the loop.
    plain: bool,
    data: Data,
    tally: Tally,
    slots: Box<[Slot]>,
    free: FreeSlots,
    depth: u32,
    in_flight: u32,
    /// Of those, the ones that are not measured: they were issued in the ramp, are left when
    /// the measured part is over, or are beside what a survey measures.
    in_flight_unmeasured: u32,
    /// I/Os that were issued from then on count when they complete.
    counts_from: u64,
    window: OwnWindow,
    flushing: Flushing,
    limits: WorkerLimits,
    pass: Pass,
    walk: Option<SequentialWalk>,
    next_boundary: u64,
    submitted_at_once: u32,
    /// Submit as soon as enough is prepared, not before the next is.
    submits_eagerly: bool,
    unsubmitted: u32,
    first_unsubmitted_at: u64,
    batches: u32,
    completions_wanted: u32,
    looked_at: u64,
    ios_seen: u64,
    stopped: Option<StopReason>,
    prepared_per_reading: u32,
}

struct WorkerLimits {
    time_ns: u64,
    bytes: u64,
    ios: u64,
    ramp_ns: u64,
    /// When the measured part ends; known once it has begun.
    deadline: u64,
    /// When the ramp ends; `None` once it has.
    ramp_ends_at: Option<u64>,
    /// How often a boundary comes at least, for those who watch.
    watch_ns: u64,
    watched_until: u64,
}

/// The work up to the limit of bytes or I/Os, which may be repeated.
struct Pass {
    bytes_issued: u64,
    ios_issued: u64,
    /// All of it has been issued, and something follows.
    is_over: bool,
    repeats_left: u32,
}

impl Pass {
    fn new(workload: &Workload) -> Self {
        Self {
            bytes_issued: 0,
            ios_issued: 0,
            is_over: false,
            repeats_left: workload.limits.repeats,
        }
    }
}

impl Worker {
    /// A thread that has not begun.
    pub(crate) fn new(workload: &Workload, setup: Setup) -> Self {
        let Setup {
            mut pattern,
            data,
            pace,
            depth,
            buffers,
            submission,
            checker,
            survey,
            window,
            settle,
            walked,
        } = setup;
        let files = narrow(workload.files.uses.len().max(1));
        let rewriting = Rewriting::new(workload, buffers, &pace).map(Box::new);
        let pace = Pace::new(workload, pace).map(Box::new);
        let recorder = Recorder::new(workload, buffers, depth, submission);
        let batching = match submission {
            Submission::Whole => Batching::default(),
            _ => workload.issuing.batching,
        };
        let batched = Batched::new(&batching, depth, buffers).map(Box::new);
        let submit = batched.as_ref().and_then(|batched| batched.submit);
        let splits = recorder.as_ref().is_some_and(|recorder| recorder.splits());
        Self {
            walk: walked.and_then(|it| SequentialWalk::begin(workload, it, &mut pattern)),
            pattern,
            drawn: None,
            plain: pace.is_none()
                && recorder
                    .as_ref()
                    .is_none_or(|recorder| recorder.only_looks())
                && batched.is_none()
                && checker.is_none()
                && rewriting.is_none()
                && survey.is_none(),
            checker: checker.map(Box::new),
            rewriting,
            // The last buffer of a survey is for what it does alone, those before for what hangs.
            free: FreeSlots::new(buffers - survey.as_ref().map_or(0, |it| it.spare_buffers() + 1)),
            survey: survey.map(Box::new),
            pace,
            recorder,
            submits_eagerly: submit.is_some() || splits,
            submitted_at_once: submit.unwrap_or(depth.div_ceil(SUBMISSIONS_PER_DEPTH)),
            batched,
            data,
            tally: Tally::new(workload),
            slots: vec![EMPTY_SLOT; buffers as usize].into_boxed_slice(),
            depth,
            in_flight: 0,
            in_flight_unmeasured: 0,
            counts_from: 0,
            window: OwnWindow::new(workload, settle, window),
            flushing: Flushing::new(workload, files),
            limits: WorkerLimits::new(workload),
            pass: Pass::new(workload),
            next_boundary: u64::MAX,
            unsubmitted: 0,
            first_unsubmitted_at: 0,
            batches: 0,
            completions_wanted: 1,
            looked_at: 0,
            ios_seen: 0,
            stopped: None,
            prepared_per_reading: if workload.issuing.exact_clock {
                1
            } else {
                PREPARED_PER_READING
            },
        }
    }

    /// Fills the buffers for the first time.
    pub(crate) fn fill_buffers<B: Backend>(&mut self, backend: &mut B) {
        for buffer_index in 0..narrow(self.slots.len()) {
            self.data.fill(backend.buffer_mut(buffer_index));
        }
    }

    /// Begins at `now`, with the ramp if there is one.
    pub(crate) fn begin(&mut self, now: u64) {
        if let Some(pace) = &mut self.pace {
            pace.start(now);
        }
        self.start_measuring(now);
        if let Some(survey) = &mut self.survey {
            survey.begin(now);
        }
        if self.begin_settling(now) {
        } else if self.limits.ramp_ns > 0 {
            self.limits.ramp_ends_at = Some(now.saturating_add(self.limits.ramp_ns));
        } else {
            self.limits.deadline = now.saturating_add(self.limits.time_ns);
        }
        self.set_boundary(now);
        if self.batched.is_some() {
            self.set_completions_wanted(now);
        }
    }

    /// Keeps the depth full: prepares as many I/Os as may start. `now` is moved on
    /// when the clock is read.
    #[inline]
    pub(crate) fn fill<B: Backend, C: Clock>(
        &mut self,
        backend: &mut B,
        clock: &C,
        now: &mut u64,
    ) -> NextAction {
        if self.plain {
            self.fill_plainly(backend, clock, now)
        } else {
            self.fill_specially(backend, clock, now)
        }
    }

    /// Whether the worker issues one and the same kind of I/O until a boundary in time is due:
    /// nothing has to be looked at for each I/O.
    #[inline]
    pub(crate) fn is_even(&self) -> bool {
        self.plain && !self.window.is_waiting()
    }

    /// Fills, waits and reaps until a boundary is due, or `is_over` says so: what can change
    /// only then is not looked at for each I/O. What has been waited for is left to be reaped,
    /// or, if nothing was to be waited for, it says what is next.
    #[inline]
    pub(crate) fn go_on<B: Backend, C: Clock>(
        &mut self,
        backend: &mut B,
        clock: &C,
        now: &mut u64,
        is_over: impl Fn() -> bool,
    ) -> Option<NextAction> {
        if self.go_on_alike(backend, clock, now, &is_over) {
            return None;
        }
        loop {
            match self.fill_plainly(backend, clock, now) {
                NextAction::Completion => self.wait_plainly(backend, clock),
                next => return Some(next),
            }
            *now = clock.now();
            if *now >= self.next_boundary || self.stopped.is_some() || is_over() {
                return None;
            }
            self.hold_depth(*now);
            backend.reap(|buffer_index, result| self.complete(buffer_index, result, *now));
        }
    }

    #[inline(always)]
    fn fill_plainly<B: Backend, C: Clock>(
        &mut self,
        backend: &mut B,
        clock: &C,
        now: &mut u64,
    ) -> NextAction {
        let mut until_reading = self.prepared_per_reading;
        while self.in_flight < self.depth && self.stopped.is_none() {
            if until_reading == 0 {
                self.read_clock(clock, now);
                until_reading = self.prepared_per_reading;
            }
            until_reading -= 1;
            let Some((access, action)) = self.next_access() else {
                break;
            };
            let buffer_index = self.free.take();
            if access.operation == Operation::Write {
                if B::MOVES_DATA {
                    let buffer = &mut backend.buffer_mut(buffer_index)[..access.length as usize];
                    self.data.stamp(buffer);
                }
                if self.data.takes_long(access.length) {
                    self.read_clock(clock, now);
                }
            }
            let slot = Slot::new(access, *now, *now);
            // The last part is left to the system call that waits.
            if B::SUBMITS && self.unsubmitted >= self.submitted_at_once {
                self.submit(backend);
            }
            self.prepare(backend, buffer_index, action, slot);
        }
        if self.in_flight > 0 {
            NextAction::Completion
        } else {
            self.when_idle(backend, *now)
        }
    }

    /// Counts one completion of a plain workload, reaped at `now`. `result` is bytes
    /// moved or minus errno.
    #[inline(always)]
    pub(crate) fn complete(&mut self, buffer_index: u32, result: i32, now: u64) {
        let slot = self.slots[buffer_index as usize];
        self.free.give_back(buffer_index);
        let (moved, counts) = self.land(slot, result);
        if moved != slot.length.cast_signed() {
            // Read again, so that what goes well needs no copy of it in memory.
            let slot = self.slots[buffer_index as usize];
            self.complete_badly(buffer_index, slot, moved, counts, now);
        } else if counts {
            self.count(slot, slot.length, now);
        } else {
            self.complete_outside(slot, slot.length, now);
        }
    }

    /// Notes that an I/O is no longer in flight. Returns the bytes it moved, or minus
    /// errno, and whether it is measured.
    #[inline(always)]
    fn land(&mut self, slot: Slot, result: i32) -> (i32, bool) {
        self.in_flight -= 1;
        let counts = slot.issued_at >= self.counts_from;
        if !counts {
            self.in_flight_unmeasured -= 1;
        }
        let moved = match slot.operation {
            Operation::Read | Operation::Write => result,
            // A trim or flush that succeeds returns 0 and stands for its whole
            // range.
            _ if result == 0 => slot.length.cast_signed(),
            _ => result,
        };
        (moved, counts)
    }

    #[inline(always)]
    fn count(&mut self, slot: Slot, moved: u32, now: u64) {
        self.tally
            .complete(slot.operation, moved, slot.issued_at, slot.intended_at, now);
    }

    /// Whether completions may be handed to [`Self::complete`] as they come, without
    /// [`Self::reap`].
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// When [`Self::at_boundary`] is due. One comparison per batch.
    #[inline]
    pub(crate) fn next_boundary(&self) -> u64 {
        self.next_boundary
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
    /// that took from the issue of its first I/O. Returns the time after it.
    fn submit_counted<B: Backend, C: Clock>(&mut self, backend: &mut B, clock: &C) -> u64 {
        let (count, level) = (self.unsubmitted, self.in_flight);
        self.submit(backend);
        let now = clock.now();
        self.tally
            .submitted(now.saturating_sub(self.first_unsubmitted_at));
        if let Some(recorder) = &mut self.recorder {
            recorder.submitted(count, level, now);
        }
        now
    }

    /// Submits what is prepared and waits for completions, no longer than
    /// `patience` if there is one.
    pub(crate) fn wait<B: Backend, C: Clock>(
        &mut self,
        backend: &mut B,
        clock: &C,
        patience: Option<Duration>,
    ) {
        if patience.is_none() {
            self.sample_submission(backend, clock);
        }
        let mut wanted = self.completions_wanted;
        if !self.plain {
            match self.wanted_specially(backend, clock) {
                Some(special) => wanted = special,
                None => return,
            }
        }
        self.unsubmitted = 0;
        let waited = match patience {
            None => backend.submit_and_wait(wanted),
            Some(patience) => backend.submit_and_wait_for(patience),
        };
        if let Err(error) = waited {
            self.fail_backend(&error);
        }
    }

    /// The same for a plain workload, which waits for completions alone.
    #[inline(always)]
    fn wait_plainly<B: Backend, C: Clock>(&mut self, backend: &mut B, clock: &C) {
        self.sample_submission(backend, clock);
        self.unsubmitted = 0;
        if let Err(error) = backend.submit_and_wait(self.completions_wanted) {
            self.fail_backend(&error);
        }
    }

    /// Times the submission of one batch in many.
    #[inline(always)]
    fn sample_submission<B: Backend, C: Clock>(&mut self, backend: &mut B, clock: &C) {
        if !B::SUBMITS {
            return;
        }
        self.batches = self.batches.wrapping_add(1);
        let is_sample = self.batches.is_multiple_of(BATCHES_PER_SUBMISSION_SAMPLE);
        if is_sample && self.unsubmitted > 0 {
            self.submit_counted(backend, clock);
        }
    }

    /// Counts the I/Os in flight up to `now`; called before completions are.
    #[inline]
    pub(crate) fn hold_depth(&mut self, now: u64) {
        self.tally
            .hold_depth(now, self.in_flight - self.in_flight_unmeasured);
    }

    /// Starts no further I/O. The first reason stands.
    pub(crate) fn stop(&mut self, reason: StopReason) {
        if self.stopped.is_none() {
            self.end_window();
        }
        self.stopped.get_or_insert(reason);
    }

    /// Why it stopped, if it has.
    #[inline]
    pub(crate) fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    /// Whether I/Os are in flight, also those that nobody waits for.
    pub(crate) fn has_in_flight(&self) -> bool {
        let hung = self.survey.as_ref().map_or(0, |survey| survey.hung());
        self.in_flight > 0 || hung > 0
    }

    /// Number of I/Os in flight, without those that nobody waits for.
    #[inline]
    pub(crate) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// What it is doing.
    pub(crate) fn phase(&self) -> Phase {
        let checker = self.checker.as_ref();
        if checker.is_some_and(|checker| checker.is_reading_back()) {
            Phase::Verifying
        } else if self.flushing.is_at_end() {
            Phase::Flushing
        } else if self.stopped.is_some() {
            Phase::Finishing
        } else if self.limits.ramp_ends_at.is_some() {
            Phase::Ramp
        } else {
            Phase::Running
        }
    }

    /// When the measured part began.
    pub(crate) fn started_at(&self) -> u64 {
        self.tally.started_at()
    }

    /// Bytes and I/Os of reads, writes and trims counted so far.
    pub(crate) fn moved(&self) -> [Moved; 3] {
        self.tally.moved()
    }

    /// The next I/O, or `None` when a limit is reached.
    #[inline(always)]
    fn next_access(&mut self) -> Option<(Access, IoAction)> {
        if self.is_limit_reached() {
            self.end_pass();
            return None;
        }
        // A flush comes before the next write, so that there is none after the last.
        if let Some((action, file)) = self.flushing.due() {
            return Some((flush_of(file), action));
        }
        let access = self.pattern.next();
        Some(self.issue(access))
    }

    #[inline]
    fn is_limit_reached(&self) -> bool {
        self.pass.bytes_issued >= self.limits.bytes || self.pass.ios_issued >= self.limits.ios
    }

    /// Counts an I/O as issued, and says how it is done.
    #[inline]
    fn issue(&mut self, access: Access) -> (Access, IoAction) {
        self.pass.bytes_issued += u64::from(access.length);
        self.pass.ios_issued += 1;
        let action = match access.operation {
            Operation::Write => {
                self.flushing.count_write(access.file);
                self.flushing.write_action()
            }
            Operation::Trim => IoAction::Trim,
            Operation::Flush => IoAction::Fsync,
            _ => IoAction::Read,
        };
        (access, action)
    }

    #[inline]
    fn prepare<B: Backend>(
        &mut self,
        backend: &mut B,
        buffer_index: u32,
        action: IoAction,
        slot: Slot,
    ) {
        self.slots[buffer_index as usize] = slot;
        let Slot {
            length,
            offset,
            file,
            ..
        } = slot;
        backend.prepare(Request {
            action,
            buffer: buffer_index,
            file,
            length,
            offset,
        });
        self.in_flight += 1;
        if self.unsubmitted == 0 {
            self.first_unsubmitted_at = slot.issued_at;
        }
        self.unsubmitted += 1;
    }

    #[inline]
    fn read_clock<C: Clock>(&mut self, clock: &C, now: &mut u64) {
        *now = clock.now();
        self.hold_depth(*now);
    }
}
