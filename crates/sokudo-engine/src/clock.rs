//! What time it is: real, or virtual for simulated devices.

use std::cell::Cell;
use std::rc::Rc;

/// The instant that never comes.
pub(crate) const NEVER: u64 = u64::MAX;

/// A clock in nanoseconds that never goes back. Its zero means nothing; only
/// differences do.
pub(crate) trait Clock {
    /// Nanoseconds now.
    fn now(&self) -> u64;
}

/// The processor's time stamp counter, scaled to nanoseconds; `CLOCK_MONOTONIC`
/// where the processor's is not constant. About 10 ns a reading.
#[derive(Clone)]
pub(crate) struct RealClock {
    clock: quanta::Clock,
    zero: u64,
}

impl RealClock {
    /// Calibrates once per process, which takes under a millisecond.
    pub(crate) fn new() -> Self {
        let clock = quanta::Clock::new();
        let zero = clock.raw();
        Self { clock, zero }
    }
}

impl Clock for RealClock {
    #[inline]
    fn now(&self) -> u64 {
        self.clock.delta_as_nanos(self.zero, self.clock.raw())
    }
}

/// Time that only moves when the simulation moves it.
#[derive(Clone, Default)]
pub(crate) struct VirtualClock(Rc<Cell<u64>>);

impl VirtualClock {
    /// Moves on to `now`; time does not go back.
    pub(crate) fn advance_to(&self, now: u64) {
        debug_assert!(now >= self.0.get(), "virtual time goes back to {now}");
        self.0.set(now);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> u64 {
        self.0.get()
    }
}
