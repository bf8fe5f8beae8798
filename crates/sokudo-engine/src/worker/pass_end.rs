//! Instants at which more happens than I/O: ends of the ramp, of intervals and of the
//! trial. They cost one comparison per batch.

use sokudo_model::{StopReason, Workload, narrow};

use super::{Worker, WorkerLimits};
use crate::clock::NEVER;
use crate::stuck::STUCK_LOOK_NS;

/// A worker waits for up to this share of its depth to complete at once. A program
/// that asks for every completion singly pays a system call for each, and on a
/// fast device it is then the program that is measured.
const DEPTH_PER_COMPLETION_WANTED: u32 = 16;

/// But never longer than the completions of this time: what the wait can add to a
/// latency. Below 250,000 I/Os per second and thread it adds nothing.
const WANTED_TIME_NS: u64 = 8_000;

/// What has no limit ends by another one.
const UNLIMITED: u64 = u64::MAX;

/// Those who watch a workload for steadiness, or a survey, are told at least this often what
/// it has moved.
const WATCH_NS_MAX: u64 = 100_000_000;

impl Worker {
    /// Ends intervals, the ramp and the trial when their time has come. Returns
    /// whether the ramp ended, so that the measured part begins now.
    #[cold]
    pub(crate) fn at_boundary(&mut self, now: u64) -> bool {
        let mut measuring = false;
        let is_ramp_over = self.limits.ramp_ends_at.is_some_and(|end| end <= now);
        if is_ramp_over && self.window.is_settling() {
            self.end_settling(now);
        } else if is_ramp_over {
            self.limits.ramp_ends_at = None;
            self.limits.deadline = now.saturating_add(self.limits.time_ns);
            self.start_measuring(now);
            self.in_flight_unmeasured = self.in_flight;
            self.counts_from = now;
            measuring = true;
        }
        if self.limits.deadline <= now {
            self.stop(StopReason::Time);
        }
        if !self.is_paused() {
            self.tally.end_intervals(now);
        }
        let moved = self.moved();
        if let Some(recorder) = &mut self.recorder {
            recorder.end_intervals(now, moved);
        }
        self.set_boundary(now);
        self.set_completions_wanted(now);
        measuring
    }

    pub(super) fn start_measuring(&mut self, now: u64) {
        self.tally.start(now);
        if let Some(recorder) = &mut self.recorder {
            recorder.start(now);
        }
    }

    /// From the rate since the last look, unless the workload says how many.
    pub(super) fn set_completions_wanted(&mut self, now: u64) {
        let ios: u64 = self.moved().iter().map(|moved| moved.ios).sum();
        let passed = now.saturating_sub(self.looked_at).max(1);
        let done = ios.saturating_sub(self.ios_seen);
        (self.looked_at, self.ios_seen) = (now, ios);
        // However fast the device is, no more than a part of the queue.
        let most = self.depth / DEPTH_PER_COMPLETION_WANTED;
        let in_time = (done.saturating_mul(WANTED_TIME_NS) / passed).min(most.into());
        let batched = self.batched.as_ref();
        let complete_min = batched.and_then(|batched| batched.complete_min);
        let singly = self.stopped.is_some() || self.prepared_per_reading == 1;
        self.completions_wanted = match complete_min {
            Some(wanted) => wanted.max(1),
            None if singly => 1,
            None => narrow::<_, u32>(in_time).max(1),
        };
    }

    /// Whether the clock that counts stands still.
    fn is_paused(&self) -> bool {
        self.survey
            .as_ref()
            .is_some_and(|survey| survey.is_paused())
    }

    pub(super) fn set_boundary(&mut self, now: u64) {
        let interval_ends_at = if self.is_paused() {
            NEVER
        } else {
            self.tally.interval_ends_at()
        };
        let limits = &mut self.limits;
        let ramp_end = limits.ramp_ends_at.unwrap_or(NEVER);
        let stop = if self.stopped.is_some() {
            u64::MAX
        } else {
            limits.deadline
        };
        if limits.watched_until <= now {
            limits.watched_until = now.saturating_add(limits.watch_ns);
        }
        let recorder = self.recorder.as_ref();
        let recorded = recorder.map_or(u64::MAX, |recorder| recorder.interval_ends_at());
        self.next_boundary = stop
            .min(ramp_end)
            .min(interval_ends_at)
            .min(limits.watched_until)
            .min(recorded);
    }
}

impl WorkerLimits {
    pub(super) fn new(workload: &Workload) -> Self {
        let limits = &workload.limits;
        Self {
            time_ns: limits.time.map_or(u64::MAX, |time| time.0),
            bytes: limits.bytes.map_or(UNLIMITED, |bytes| bytes.0),
            ios: limits.ios.unwrap_or(UNLIMITED),
            ramp_ns: workload.timing.ramp.0,
            deadline: u64::MAX,
            ramp_ends_at: None,
            watch_ns: match (workload.timing.steady, workload.survey()) {
                (Some(rule), _) => rule.interval.0.clamp(1, WATCH_NS_MAX),
                // Its clock may stand still for long, where something cannot be read.
                (None, Some(_)) => WATCH_NS_MAX,
                (None, None) => STUCK_LOOK_NS,
            },
            watched_until: 0,
        }
    }
}
