//! The hot loop of one thread: fill, submit and wait, reap, count.

use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use sokudo_model::{BackendKind, CpuTime, Phase, StopReason, ThreadUsage, narrow};

use crate::backend::{Backend, TICK};
use crate::clock::{Clock, RealClock};
use crate::collector::ThreadReport;
use crate::control::Control;
use crate::outcome::{ThreadConditions, outcome};
use crate::progress::ProgressSnapshot;
use crate::stage_threads::{OpenedFiles, StageContext, WorkloadThread};
use crate::stuck::STUCK_LOOK_NS;
use crate::usage::{UsedSoFar, used_since, used_so_far, used_so_far_with_workers};
use crate::window::WindowChange;
use crate::worker::{NextAction, Worker};

/// Sleeping overshoots by about 0.1 ms (nanosleep of 100 µs took 191 µs on Linux
/// 6.18), so the rest of a wait is spent looking at the clock.
const SPIN_NS: u64 = 200_000;

/// After Ctrl-C a person waits for a device that answers, and for one that has said nothing for
/// this long no more.
const CANCEL_SILENCE_MAX_NS: u64 = 3_000_000_000;

/// Of so many OS threads each looks through all OS threads of the process for its ring's; of more
/// that would take milliseconds in the measured part.
const LOOKED_AT_WORKERS_MAX: u32 = 16;

/// What an OS thread needs to drive a thread of a workload.
pub(crate) struct Driver<'a> {
    pub(crate) shared: &'a StageContext<'a>,
    pub(crate) thread: &'a WorkloadThread,
    pub(crate) opened: &'a OpenedFiles,
    pub(crate) reports: &'a Sender<ThreadReport>,
    /// When the stage started, on the clock.
    pub(crate) stage_started_at: u64,
}

/// What the thread uses in the measured part.
struct MeasuredUsage {
    has_workers: bool,
    /// What the thread had used when the measured part began.
    before: UsedSoFar,
    /// `None` until it has closed.
    measured: Option<(CpuTime, ThreadUsage)>,
}

impl MeasuredUsage {
    /// The measured part begins now.
    fn from_now(has_workers: bool) -> Self {
        Self {
            has_workers,
            before: match has_workers {
                true => used_so_far_with_workers(),
                false => used_so_far(),
            },
            measured: None,
        }
    }

    /// Takes note of an edge. Returns whether there is one.
    #[inline]
    fn notes(&mut self, change: WindowChange) -> bool {
        match change {
            WindowChange::None => return false,
            WindowChange::Opened => *self = Self::from_now(self.has_workers),
            WindowChange::Closed => self.measured = Some(used_since(self.before)),
        }
        true
    }
}

/// What was seen at the last look for I/Os that do not come back.
#[derive(Default)]
struct StuckWatch {
    next_look: u64,
    is_stuck: bool,
    is_dead: bool,
}

impl Driver<'_> {
    /// Runs the worker to its end. Returns what the thread used in the measured part.
    pub(crate) fn drive<B: Backend>(
        &self,
        worker: &mut Worker,
        backend: &mut B,
    ) -> (CpuTime, ThreadUsage) {
        let (shared, clock) = (self.shared, &self.shared.clock);
        let halt = &shared.halts[self.thread.workload];
        let is_ring = matches!(
            self.opened.used.kind,
            BackendKind::IoUring | BackendKind::IoUringCmd
        );
        let has_workers = is_ring
            && shared.stage.workloads[self.thread.workload].threads <= LOOKED_AT_WORKERS_MAX;
        let mut used = MeasuredUsage::from_now(has_workers);
        let mut snapshots_sent = shared.snapshots_requested.load(Ordering::Relaxed);
        let mut checkpoints_requested = shared.control.checkpoints_requested();
        let mut now = clock.now();
        worker.begin(now);
        self.tell(worker, now, worker.phase());
        let (mut stopped_at, mut heard_at, mut stuck) = (None, now, StuckWatch::default());
        loop {
            let is_halted = || shared.control.is_stopped() | halt.load(Ordering::Relaxed);
            let next = match worker.is_even() && stopped_at.is_none() {
                true => worker.go_on(backend, clock, &mut now, is_halted),
                false => Some(worker.fill(backend, clock, &mut now)),
            };
            match next {
                None => {}
                Some(NextAction::Finished) => break,
                Some(NextAction::Completion) => worker.wait(backend, clock, None),
                Some(NextAction::CompletionOr(at)) => {
                    worker.wait(backend, clock, Some(patience(at, clock.now())));
                }
                Some(NextAction::Until(at)) => sleep_until(clock, at),
                Some(NextAction::Busy(at)) => spin_until(clock, at),
            }
            now = clock.now();
            worker.hold_depth(now);
            let is_boundary = now >= worker.next_boundary();
            if is_boundary {
                if worker.at_boundary(now) {
                    used = MeasuredUsage::from_now(has_workers);
                }
                self.tell(worker, now, worker.phase());
                let requested = shared.snapshots_requested.load(Ordering::Relaxed);
                if requested != std::mem::replace(&mut snapshots_sent, requested) {
                    self.tell_snapshot(worker, used.before);
                }
                self.tell_checkpoint(worker, &mut checkpoints_requested);
            }
            while used.notes(worker.look_before(now)) {}
            let in_flight = worker.in_flight();
            if worker.is_plain() {
                backend.reap(|buffer_index, result| worker.complete(buffer_index, result, now));
            } else {
                worker.reap(backend, now);
            }
            if worker.in_flight() < in_flight {
                heard_at = now;
                used.notes(worker.look_after(now));
            }
            let mut gives_up = is_boundary && self.is_dead(worker, &mut stuck, now);
            let halted = is_halted();
            if halted || worker.stopped().is_some() {
                let since = *stopped_at.get_or_insert(now);
                let is_silent = now - heard_at.max(since) > CANCEL_SILENCE_MAX_NS;
                gives_up |= stop(worker, shared.control, halted, is_silent);
            }
            if gives_up {
                worker.abandon(now);
                break;
            }
        }
        used.measured.unwrap_or_else(|| used_since(used.before))
    }

    /// Reports once a second which I/Os are stuck. Returns whether all have been waited for in vain:
    /// where the process stood still meanwhile, they are there at the second of two looks.
    #[cold]
    fn is_dead(&self, worker: &Worker, watch: &mut StuckWatch, now: u64) -> bool {
        if now < watch.next_look {
            return false;
        }
        watch.next_look = now.saturating_add(STUCK_LOOK_NS);
        let timeout = self.shared.control.timeout();
        let ios = worker.stuck(timeout, now);
        let is_stuck = !ios.is_empty();
        if std::mem::replace(&mut watch.is_stuck, is_stuck) || is_stuck {
            let thread = self.thread.number;
            let _ = self.reports.send(ThreadReport::Stuck { thread, ios });
        }
        let is_dead = worker.is_dead(timeout, now);
        std::mem::replace(&mut watch.is_dead, is_dead) && is_dead
    }

    /// Shows others how far the thread has come; at last that it has ended.
    pub(crate) fn tell(&self, worker: &Worker, now: u64, phase: Phase) {
        self.shared.progress[self.thread.number].tell(&ProgressSnapshot {
            at: now.saturating_sub(worker.started_at()),
            each: worker.moved(),
            phase,
        });
    }

    #[cold]
    fn tell_snapshot(&self, worker: &Worker, used_before: UsedSoFar) {
        let (cpu, usage) = used_since(used_before);
        let conditions = self.conditions(cpu, usage);
        // The receiver lives until every thread has ended.
        let _ = self.reports.send(ThreadReport::Snapshot {
            thread: self.thread.number,
            outcome: Box::new(outcome(worker.snapshot(), conditions)),
        });
    }

    /// Passes on that a checkpoint is asked for, and tells the one that has been taken.
    #[cold]
    fn tell_checkpoint(&self, worker: &mut Worker, requested: &mut u32) {
        let now = self.shared.control.checkpoints_requested();
        if now != std::mem::replace(requested, now) {
            worker.want_checkpoint();
        }
        if let Some(finished) = worker.checkpoint() {
            // What the thread has used for it is told by the survey.
            let conditions = ThreadConditions {
                cpu: None,
                usage: None,
                ..self.conditions(CpuTime::default(), ThreadUsage::default())
            };
            let _ = self.reports.send(ThreadReport::Checkpoint {
                thread: self.thread.number,
                outcome: Box::new(outcome(finished, conditions)),
            });
        }
    }

    /// What is known of the thread besides what its worker counted.
    pub(crate) fn conditions(&self, cpu: CpuTime, usage: ThreadUsage) -> ThreadConditions {
        ThreadConditions {
            stage_started_at: self.stage_started_at,
            cpu: Some(cpu),
            usage: Some(usage),
            backend: self.opened.used.clone(),
            direct: self.opened.direct,
        }
    }

    /// Waits for the workload's own start; the reason when it is stopped before.
    pub(crate) fn wait_for_turn(&self) -> Option<StopReason> {
        let shared = self.shared;
        let workload = &shared.stage.workloads[self.thread.workload];
        let starts_at = self
            .stage_started_at
            .saturating_add(workload.timing.starts_after.0);
        let halt = &shared.halts[self.thread.workload];
        loop {
            if shared.control.is_cancelled() {
                return Some(StopReason::Cancelled);
            }
            if workload.timing.starts_after.0 > 0
                && (shared.control.is_stopped() || halt.load(Ordering::Relaxed))
            {
                return Some(StopReason::Ended);
            }
            if shared.clock.now() >= starts_at {
                return None;
            }
            sleep_until(&shared.clock, starts_at);
        }
    }
}

/// Passes a stop on to the worker; true when I/Os are in flight and the device has said nothing
/// for as long as a person waits.
#[cold]
fn stop(worker: &mut Worker, control: &Control, halted: bool, is_silent: bool) -> bool {
    if control.is_cancelled() {
        worker.stop(StopReason::Cancelled);
    } else if halted {
        worker.stop(StopReason::Ended);
    }
    worker.in_flight() > 0 && control.is_cancelled() && is_silent
}

/// How long to wait in the kernel for an instant; the rest is spent polling.
fn patience(at: u64, now: u64) -> Duration {
    let nanos = at.saturating_sub(now).saturating_sub(SPIN_NS);
    Duration::from_nanos(nanos).min(TICK)
}

fn sleep_until(clock: &RealClock, at: u64) {
    let remaining = patience(at, clock.now());
    if !remaining.is_zero() {
        thread::sleep(remaining);
    } else {
        spin_until(clock, at);
    }
}

/// Keeps the processor busy until `at`, at most a tick.
fn spin_until(clock: &RealClock, at: u64) {
    let tick = narrow(TICK.as_nanos());
    let at = at.min(clock.now().saturating_add(tick));
    while clock.now() < at {
        std::hint::spin_loop();
    }
}
