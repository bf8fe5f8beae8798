//! Opens and closes the window of a worker ([`crate::window`]).

use std::sync::atomic::Ordering;

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

    /// Looks what the other clones have done, before what was reaped at `now` is counted.
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
            WindowStage::Settling {
                has_turned: false,
                waits,
            } if !waits || self.has_turned(now) => {
                self.window.stage = WindowStage::Settling {
                    has_turned: true,
                    waits,
                };
                let shared = &self.window.shared;
                if shared.turned.fetch_add(1, Ordering::AcqRel) + 1 < self.window.clones {
                    return WindowChange::None;
                }
                shared.opened_at.store(now, Ordering::Release);
                self.open(now, now)
            }
            WindowStage::Closing { in_flight } if self.in_flight < in_flight => {
                let shared = &self.window.shared;
                let closed_at =
                    shared
                        .closed_at
                        .compare_exchange(0, now, Ordering::AcqRel, Ordering::Acquire);
                // Another clone may have been first; what this one has counted since is little.
                self.close(closed_at.map_or_else(|first| first.max(now), |_| now))
            }
            _ => WindowChange::None,
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

    /// The measured part began at `at`, and nothing of this clone has completed since.
    fn open(&mut self, at: u64, now: u64) -> WindowChange {
        self.window.stage = WindowStage::Open;
        self.window.edges.settled = Nanos(at.saturating_sub(self.window.began_at));
        self.window.edges.carried_in = self.carried(at);
        self.limits.ramp_ends_at = None;
        self.limits.deadline = at.saturating_add(self.limits.time_ns);
        self.start_measuring(at);
        self.hold_depth(now);
        self.set_boundary(now);
        self.set_completions_wanted(now);
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

    /// The time is up: what completes next is the last that counts.
    pub(super) fn stop_by_time(&mut self) {
        if self.stopped.is_none() && self.window.stage == WindowStage::Open {
            self.window.stage = WindowStage::Closing {
                in_flight: self.in_flight,
            };
        }
        self.stop(StopReason::Time);
    }

    fn close(&mut self, at: u64) -> WindowChange {
        self.window.stage = WindowStage::Closed;
        self.window.closed_at = at;
        self.window.edges.carried_out = self.carried(at);
        self.tally.end_depth(at, self.in_flight);
        self.in_flight_unmeasured = self.in_flight;
        self.counts_from = NEVER;
        WindowChange::Closed
    }

    /// How long the I/Os in flight have been so at `at`, all together.
    fn carried(&self, at: u64) -> Nanos {
        let slots = self.in_flight_slots();
        let times = slots.iter().map(|slot| at.saturating_sub(slot.issued_at));
        Nanos(times.fold(0, u64::saturating_add))
    }
}
