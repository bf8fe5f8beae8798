//! How a stage in progress is stopped from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const RUNNING: u8 = 0;
const ENDED: u8 = 1;
const CANCELLED: u8 = 2;

/// A handle that every thread may hold: ends a trial early or cancels the run. A
/// stopped stage still yields what it measured.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<AtomicU8>);

impl Control {
    /// A control that has not been used.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the stage in progress; its figures count.
    pub fn end(&self) {
        // A cancellation is not weakened to an end.
        let _ = self
            .0
            .compare_exchange(RUNNING, ENDED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Cancels the run: the stage in progress stops and no other should start.
    pub fn cancel(&self) {
        self.0.store(CANCELLED, Ordering::Relaxed);
    }

    /// Whether the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) == CANCELLED
    }

    /// Takes an [`Self::end`] back before the next stage starts.
    pub fn rearm(&self) {
        let _ = self
            .0
            .compare_exchange(ENDED, RUNNING, Ordering::Relaxed, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) != RUNNING
    }
}
