//! Opens and closes the window of a worker ([`crate::window`]).

use std::sync::atomic::{AtomicU64, Ordering};

use sokudo_model::{Nanos, StopReason};

use super::Worker;
use crate::clock::NEVER;
use crate::window::{WindowChange, WindowStage};

/// How often the queue is turned over before the measured part.
const TURNS: u64 = 3;

/// A device that does not turn its queue over in this many times the measured time is measured
/// as it is.
const SETTLING_MAX: u64 = 10;

impl Worker {
    /// Begins to settle, if there is a window. Returns whether there is.
    pub(super) fn begin_settling(&mut self, now: u64) -> bool {
        if !self.window.is_settling() {
            return false;
        }
        self.window.began_at = now;
        let most = self.limits.time_ns.saturating_mul(SETTLING_MAX);
        let most = self.window.settle_ns.saturating_add(most);
        self.limits.ramp_ends_at = Some(now.saturating_add(most));
        true
    }

    /// Looks what the other threads have done, before what was reaped at `now` is counted; to be
    /// asked again until nothing changes.
    #[inline]
    pub(crate) fn look_before(&mut self, now: u64) -> WindowChange {
        match self.window.is_waiting() {
            true => self.follow(now),
            false => WindowChange::None,
        }
    }

    #[cold]
    fn follow(&mut self, now: u64) -> WindowChange {
        let shared = &self.window.shared;
        match self.window.stage {
            WindowStage::Settling { .. } => match shared.opened_at.load(Ordering::Acquire) {
                at if at != 0 && at <= now => self.open(at, now),
                _ => WindowChange::None,
            },
            WindowStage::Closing { .. } => match shared.closed_at.load(Ordering::Acquire) {
                at if at != 0 && at < now => self.close(at),
                _ => WindowChange::None,
            },
            _ => WindowChange::None,
        }
    }

    /// Looks whether what was reaped at `now`, and has been counted, begins or ends the
    /// measured part.
    #[inline]
    pub(crate) fn look_after(&mut self, now: u64) -> WindowChange {
        match self.window.is_waiting() {
            true => self.lead(now),
            false => WindowChange::None,
        }
    }

    #[cold]
    fn lead(&mut self, now: u64) -> WindowChange {
        self.window.filled_at = self.window.filled_at.min(now);
        match self.window.stage {
            // What drains is no load that lasts.
            WindowStage::Settling { .. } if self.stopped.is_none() => self.settle_window(now),
            WindowStage::Closing { in_flight } if self.in_flight < in_flight => {
                let first = first_at(&self.window.shared.closed_at, now);
                // Another thread may have been first; what this one has counted since is little.
                self.close(first.max(now))
            }
            _ => WindowChange::None,
        }
    }

    /// Opens the window if all threads, or those that still run, have turned their queues over.
    fn settle_window(&mut self, now: u64) -> WindowChange {
        let is_turned = self.has_turned(now);
        let WindowStage::Settling { has_turned, waits } = &mut self.window.stage else {
            return WindowChange::None;
        };
        if !*has_turned && (is_turned || !*waits) {
            *has_turned = true;
            self.window.shared.turned.fetch_add(1, Ordering::AcqRel);
        }
        let all_have = self.window.shared.turned.load(Ordering::Acquire) >= self.window.threads;
        if !*has_turned || *waits && !all_have {
            return WindowChange::None;
        }
        match first_at(&self.window.shared.opened_at, now) {
            at if at <= now => self.open(at, now),
            _ => WindowChange::None,
        }
    }

    /// The other threads do not wait for one that ends, and a window that is open closes with
    /// the next completion.
    pub(super) fn end_window(&mut self) {
        match self.window.stage {
            WindowStage::Settling {
                has_turned: false,
                waits,
            } => {
                self.window.shared.turned.fetch_add(1, Ordering::AcqRel);
                self.window.stage = WindowStage::Settling {
                    has_turned: true,
                    waits,
                };
            }
            WindowStage::Open => {
                self.window.stage = WindowStage::Closing {
                    in_flight: self.in_flight,
                };
            }
            _ => {}
        }
    }

    fn has_turned(&self, now: u64) -> bool {
        let ios: u64 = self.moved().iter().map(|moved| moved.ios).sum();
        let is_time = now >= self.window.began_at.saturating_add(self.window.settle_ns);
        is_time && ios >= TURNS * u64::from(self.depth) && !self.waits_from_before_it_was_full()
    }

    /// Whether an I/O is in flight that began when the queue was filled: a device serves those
    /// that lie near first, and who waits long came into an emptier queue than is measured.
    fn waits_from_before_it_was_full(&self) -> bool {
        let filled_at = self.window.filled_at;
        let slots = self.in_flight_slots();
        slots.iter().any(|slot| slot.issued_at <= filled_at)
    }

    /// The measured part began at `at`, and nothing of this thread has completed since.
    fn open(&mut self, at: u64, now: u64) -> WindowChange {
        self.window.stage = WindowStage::Open;
        self.window.edges.settled = Nanos(at.saturating_sub(self.window.began_at));
        self.window.edges.carried_in = self.carried(at);
        self.limits.ramp_ends_at = None;
        self.limits.deadline = at.saturating_add(self.limits.time_ns);
        self.start_measuring(at);
        self.tally.begin_depth(now, self.in_flight_between(at, now));
        self.set_boundary(now);
        self.set_completions_wanted(now);
        // A thread that had no processor may come when the others have closed.
        if self.limits.deadline <= now {
            self.stop(StopReason::Time);
        }
        WindowChange::Opened
    }

    /// Waits no longer for the queue to be turned over. Of a device that never answers, the
    /// time will be over all the same.
    pub(super) fn end_settling(&mut self, now: u64) {
        if let WindowStage::Settling { waits, .. } = &mut self.window.stage {
            *waits = false;
        }
        self.limits.ramp_ends_at = None;
        self.limits.deadline = now.saturating_add(self.limits.time_ns);
    }

    fn close(&mut self, at: u64) -> WindowChange {
        self.window.stage = WindowStage::Closed;
        self.window.closed_at = at;
        self.window.edges.carried_out = self.carried(at);
        match self.tally.depth_seen_at() {
            seen_at if seen_at < at => self.hold_depth(at),
            seen_at => self.tally.end_depth(self.in_flight_between(at, seen_at)),
        }
        self.in_flight_unmeasured = self.in_flight;
        self.counts_from = NEVER;
        WindowChange::Closed
    }

    /// How long the I/Os in flight were so from `start` to `end`, all together. A thread that
    /// had no processor for a while has started some of them since the others' `start`.
    fn in_flight_between(&self, start: u64, end: u64) -> u64 {
        self.carried(end).0.saturating_sub(self.carried(start).0)
    }

    /// How long the I/Os in flight have been so at `at`, all together.
    fn carried(&self, at: u64) -> Nanos {
        let slots = self.in_flight_slots();
        let times = slots.iter().map(|slot| at.saturating_sub(slot.issued_at));
        Nanos(times.fold(0, u64::saturating_add))
    }
}

/// The instant that was set first, which is `now` if none was.
fn first_at(instant: &AtomicU64, now: u64) -> u64 {
    let set = instant.compare_exchange(0, now, Ordering::AcqRel, Ordering::Acquire);
    set.map_or_else(|first| first, |_| now)
}
