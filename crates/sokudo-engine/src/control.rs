//! How a stage in progress is stopped from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use sokudo_model::Nanos;

const RUNNING: u8 = 0;
const ENDED: u8 = 1;
const CANCELLED: u8 = 2;
const RULED: u8 = 3;

/// Unless somebody has named another time: what the SCSI layer gives a command.
const TIMEOUT_DEFAULT: Nanos = Nanos::from_secs(30);

/// A handle that every thread may hold: ends a trial early or cancels the run. A
/// stopped stage still yields what it measured.
#[derive(Clone, Debug)]
pub struct Control {
    state: Arc<AtomicU8>,
    /// How often what was done so far has been asked for.
    snapshots: Arc<AtomicU32>,
    /// How often checkpoints have been asked for.
    checkpoints: Arc<AtomicU32>,
    timeout_ns: Arc<AtomicU64>,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            state: Arc::default(),
            snapshots: Arc::default(),
            checkpoints: Arc::default(),
            timeout_ns: Arc::new(AtomicU64::new(TIMEOUT_DEFAULT.0)),
        }
    }
}

impl Control {
    /// A control that has not been used.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names a request that has not come back after this time
    /// ([`Event::Stuck`](sokudo_model::Event::Stuck)), by default after 30 s. A workload whose
    /// requests have all been waited for twice as long is given up; a flush has ten minutes. What
    /// waits in a system call is not given up.
    pub fn set_timeout(&self, timeout: Option<Nanos>) {
        let timeout = timeout.unwrap_or(TIMEOUT_DEFAULT);
        self.timeout_ns.store(timeout.0, Ordering::Relaxed);
    }

    /// How long a request may take before it is named.
    pub(crate) fn timeout(&self) -> Nanos {
        Nanos(self.timeout_ns.load(Ordering::Relaxed))
    }

    /// Ends the stage in progress; its figures count.
    pub fn end(&self) {
        // A cancellation is not weakened to an end.
        let _ = self
            .state
            .compare_exchange(RUNNING, ENDED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Cancels the run: the stage in progress stops and no other should start.
    pub fn cancel(&self) {
        self.state.store(CANCELLED, Ordering::Relaxed);
    }

    /// Cancels the run because a rule of its own has come true. What is to follow this run may begin
    /// after [`Self::forget_rule`].
    pub fn cancel_by_rule(&self) {
        // Whoever has cancelled more than this run is not overruled.
        let running = |state| (state != CANCELLED).then_some(RULED);
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        let _ = self.state.fetch_update(set, fetch, running);
    }

    /// Takes a [`Self::cancel_by_rule`] back once the run is over.
    pub fn forget_rule(&self) {
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        let _ = self.state.compare_exchange(RULED, RUNNING, set, fetch);
    }

    /// Whether a rule has cancelled the run, and nobody else.
    pub fn is_cancelled_by_rule(&self) -> bool {
        self.state.load(Ordering::Relaxed) == RULED
    }

    /// Asks every workload that runs what it did so far
    /// ([`Event::Snapshot`](sokudo_model::Event::Snapshot)), once.
    pub fn ask_for_snapshot(&self) {
        self.snapshots.fetch_add(1, Ordering::Relaxed);
    }

    /// How often that was asked for.
    pub(crate) fn snapshots_requested(&self) -> u32 {
        self.snapshots.load(Ordering::Relaxed)
    }

    /// Asks every survey that runs what it has come to at a position from which another can go on
    /// ([`Event::Checkpoint`](sokudo_model::Event::Checkpoint)), once.
    pub fn ask_for_checkpoint(&self) {
        self.checkpoints.fetch_add(1, Ordering::Relaxed);
    }

    /// How often that was asked for.
    pub(crate) fn checkpoints_requested(&self) -> u32 {
        self.checkpoints.load(Ordering::Relaxed)
    }

    /// Whether the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        matches!(self.state.load(Ordering::Relaxed), CANCELLED | RULED)
    }

    /// Takes an [`Self::end`] back before the next stage starts.
    pub fn rearm(&self) {
        let _ = self
            .state
            .compare_exchange(ENDED, RUNNING, Ordering::Relaxed, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.state.load(Ordering::Relaxed) != RUNNING
    }
}
