//! The measured part of a load that lasts: from when the queue has been turned over until the
//! time is up ([`sokudo_model::Estimand::Sustained`]).
//!
//! Both edges are instants at which completions were reaped, and an I/O counts where it
//! completed behind the first and not behind the second. So what begins with an empty queue,
//! and what drains, are in no figure, and at depth 1 no part of an I/O is lost. All threads of
//! a workload have the same edges.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64};

use sokudo_model::{Nanos, Window, Workload};

use crate::clock::NEVER;

/// What the threads of a workload agree on.
#[derive(Debug, Default)]
pub(crate) struct SharedWindow {
    /// Threads whose queue has been turned over.
    pub(crate) turned: AtomicU32,
    /// Instants on the clock; 0 is not yet.
    pub(crate) opened_at: AtomicU64,
    pub(crate) closed_at: AtomicU64,
}

/// How far a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WindowStage {
    /// There is no window: all that is started counts.
    Whole,
    /// What completes does not count yet. Where it no longer `waits`, the next completion is
    /// enough, whatever is in flight.
    Settling {
        has_turned: bool,
        waits: bool,
    },
    /// The measured part: every completion counts.
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

/// The window of one thread.
pub(crate) struct OwnWindow {
    pub(crate) stage: WindowStage,
    pub(crate) shared: Arc<SharedWindow>,
    pub(crate) threads: u32,
    pub(crate) began_at: u64,
    /// When something first completed, by when the queue was full.
    pub(crate) filled_at: u64,
    /// Not before then, even if the queue has been turned over.
    pub(crate) settle_ns: u64,
    pub(crate) closed_at: u64,
    pub(crate) edges: Window,
}

impl OwnWindow {
    pub(crate) fn new(
        workload: &Workload,
        settle: Option<Nanos>,
        shared: Arc<SharedWindow>,
    ) -> Self {
        let is_cut = settle.is_some() && workload.is_sustained();
        Self {
            stage: match is_cut {
                true => WindowStage::Settling {
                    has_turned: false,
                    waits: true,
                },
                false => WindowStage::Whole,
            },
            shared,
            threads: workload.threads,
            began_at: 0,
            filled_at: NEVER,
            settle_ns: workload
                .timing
                .ramp
                .0
                .saturating_add(settle.unwrap_or_default().0),
            closed_at: NEVER,
            edges: Window::default(),
        }
    }

    /// Whether something is waited for that a look may find.
    #[inline]
    pub(crate) fn is_waiting(&self) -> bool {
        matches!(
            self.stage,
            WindowStage::Settling { .. } | WindowStage::Closing { .. }
        )
    }

    pub(crate) fn is_settling(&self) -> bool {
        matches!(self.stage, WindowStage::Settling { .. })
    }

    /// When it closed; `None` where it has not.
    pub(crate) fn closed_at(&self) -> Option<u64> {
        (self.stage == WindowStage::Closed).then_some(self.closed_at)
    }

    /// The edges, of what was cut out: all was over at `ended_at`. One whose device answered no
    /// more has not closed.
    pub(crate) fn finish(&self, ended_at: u64) -> Option<Window> {
        let edges = Window {
            drained: Nanos(ended_at.saturating_sub(self.closed_at)),
            ..self.edges
        };
        let has_opened = !matches!(
            self.stage,
            WindowStage::Whole | WindowStage::Settling { .. }
        );
        has_opened.then_some(edges)
    }
}
