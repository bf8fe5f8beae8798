//! The measured part of a load that lasts: from when the queue has been turned over until the
//! time is up ([`sokudo_model::Estimand::Sustained`]).
//!
//! Both edges are instants at which completions were reaped, and an I/O counts where it
//! completed behind the first and not behind the second. So what begins with an empty queue,
//! and what drains, are in no figure, and at depth 1 no part of an I/O is lost. All clones of
//! a workload have the same edges.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use sokudo_model::{Estimand, Nanos, StopReason, Window, Workload};

use super::Worker;
use crate::clock::NEVER;

/// How often the queue is turned over before the measured part.
const TURNS: u64 = 3;

/// A device that does not turn its queue over in this many times the measured time is measured
/// as it is.
const SETTLING_MAX: u64 = 10;

/// What the clones of a workload agree on.
#[derive(Debug, Default)]
pub(crate) struct SharedWindow {
    /// Clones whose queue has been turned over.
    turned: AtomicU32,
    /// Instants on the clock; 0 is not yet.
    opened_at: AtomicU64,
    closed_at: AtomicU64,
}

/// How far a clone is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// There is no window: all that is started counts.
    Whole,
    /// What completes does not count yet.
    Settling {
        has_turned: bool,
    },
    /// What completes counts.
    Open,
    /// The time is up; the next completion is the last one that counts. So many were in
    /// flight then.
    Closing {
        in_flight: u32,
    },
    Closed,
}

/// What a look at the window has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowChange {
    None,
    /// The measured part has begun.
    Opened,
    /// The measured part is over.
    Closed,
}

/// The window of one clone.
pub(super) struct OwnWindow {
    stage: Stage,
    shared: Arc<SharedWindow>,
    clones: u32,
    began_at: u64,
    /// When something first completed, by when the queue was full.
    filled_at: u64,
    /// Not before then, even if the queue has been turned over.
    settle_ns: u64,
    closed_at: u64,
    edges: Window,
}

impl OwnWindow {
    pub(super) fn new(
        workload: &Workload,
        settle: Option<Nanos>,
        shared: Arc<SharedWindow>,
    ) -> Self {
        let is_cut = settle.is_some() && is_sustained(workload);
        Self {
            stage: match is_cut {
                true => Stage::Settling { has_turned: false },
                false => Stage::Whole,
            },
            shared,
            clones: workload.clones,
            began_at: 0,
            filled_at: NEVER,
            settle_ns: workload.ramp.0.saturating_add(settle.unwrap_or_default().0),
            closed_at: NEVER,
            edges: Window::default(),
        }
    }

    /// Whether something is waited for that a look may find.
    #[inline]
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.stage, Stage::Settling { .. } | Stage::Closing { .. })
    }

    pub(super) fn is_settling(&self) -> bool {
        matches!(self.stage, Stage::Settling { .. })
    }

    /// The edges, of what was cut out: all was over at `ended_at`.
    pub(super) fn finish(&self, ended_at: u64) -> Option<(u64, Window)> {
        let drained = Nanos(ended_at.saturating_sub(self.closed_at));
        let edges = Window {
            drained,
            ..self.edges
        };
        (self.stage == Stage::Closed).then_some((self.closed_at, edges))
    }
}

/// Whether nothing but time ends it, and nothing spaces or follows its I/Os.
fn is_sustained(workload: &Workload) -> bool {
    let limits = &workload.limits;
    let durability = &workload.durability;
    workload.estimand == Estimand::Sustained
        && limits.time.is_some()
        && limits.bytes.is_none()
        && limits.ios.is_none()
        && workload.rate.is_none()
        && workload.rates.each.iter().all(Option::is_none)
        && workload.think.is_none()
        && workload.survey.is_none()
        && workload.tree.is_none()
        && workload.verify.is_none()
        && workload.steady.is_none()
        && workload.rewritten_percent == 0
        && !durability.final_flush
        && !durability.flush_on_close
}

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
            Stage::Settling { .. } => match shared.opened_at.load(Ordering::Acquire) {
                0 => WindowChange::None,
                at => self.open(at, now),
            },
            Stage::Closing { .. } => match shared.closed_at.load(Ordering::Acquire) {
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
            Stage::Settling { has_turned: false } if self.has_turned(now) => {
                self.window.stage = Stage::Settling { has_turned: true };
                let shared = &self.window.shared;
                if shared.turned.fetch_add(1, Ordering::AcqRel) + 1 < self.window.clones {
                    return WindowChange::None;
                }
                shared.opened_at.store(now, Ordering::Release);
                self.open(now, now)
            }
            Stage::Closing { in_flight } if self.in_flight < in_flight => {
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
        self.window.stage = Stage::Open;
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

    /// Waits no longer for the queue to be turned over.
    pub(super) fn open_unsettled(&mut self, now: u64) {
        let shared = &self.window.shared;
        let opened_at =
            shared
                .opened_at
                .compare_exchange(0, now, Ordering::AcqRel, Ordering::Acquire);
        self.open(opened_at.map_or_else(|first| first, |_| now), now);
    }

    /// The time is up: what completes next is the last that counts.
    pub(super) fn stop_by_time(&mut self) {
        if self.stopped.is_none() && self.window.stage == Stage::Open {
            self.window.stage = Stage::Closing {
                in_flight: self.in_flight,
            };
        }
        self.stop(StopReason::Time);
    }

    fn close(&mut self, at: u64) -> WindowChange {
        self.window.stage = Stage::Closed;
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
