//! What time it is: real, or virtual for simulated devices.

use std::cell::Cell;
use std::rc::Rc;

use sokudo_sys::time_stamp;

/// The instant that never comes.
pub(crate) const NEVER: u64 = u64::MAX;

/// A clock in nanoseconds that never goes back. Its zero means nothing; only
/// differences do.
pub(crate) trait Clock {
    /// Nanoseconds since the clock's zero.
    fn now(&self) -> u64;
}

/// Bits behind the point of nanoseconds per tick.
const SCALE_BITS: u32 = 32;

/// So many ticks are scaled to see what one is.
const SCALED_BITS: u32 = 44;

/// The processor's time stamp counter, scaled to nanoseconds; `CLOCK_MONOTONIC`
/// where the processor's is not constant. About 10 ns a reading.
#[derive(Clone)]
pub(crate) struct RealClock {
    clock: quanta::Clock,
    zero: u64,
    /// Nanoseconds per tick, where the clock is the counter that this thread can read by itself:
    /// a call, and what stands around it, would take longer than the reading.
    scale: Option<u64>,
}

impl RealClock {
    /// Calibrates once per process, which takes under a millisecond.
    pub(crate) fn new() -> Self {
        let clock = quanta::Clock::new();
        let (before, zero, after) = (time_stamp(), clock.raw(), time_stamp());
        let is_counter =
            before.is_some_and(|before| before <= zero) && after.is_some_and(|after| after >= zero);
        let of_scaled = clock.delta_as_nanos(0, 1 << SCALED_BITS);
        let scale = is_counter.then_some(of_scaled >> (SCALED_BITS - SCALE_BITS));
        Self { clock, zero, scale }
    }
}

impl Clock for RealClock {
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "584 years of ns fit")]
    fn now(&self) -> u64 {
        match (self.scale, time_stamp()) {
            (Some(scale), Some(ticks)) => {
                // Counters of two processors may differ by some ticks.
                let passed = ticks.saturating_sub(self.zero);
                ((u128::from(passed) * u128::from(scale)) >> SCALE_BITS) as u64
            }
            _ => self.clock.delta_as_nanos(self.zero, self.clock.raw()),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn a_second_is_as_long_as_that_of_the_system() {
        let clock = RealClock::new();
        let without = RealClock {
            scale: None,
            ..clock.clone()
        };
        for clock in [clock, without] {
            // Looked at within each other: a busy machine may take any two looks apart.
            let (outer, began, inner) = (Instant::now(), clock.now(), Instant::now());
            std::thread::sleep(Duration::from_millis(50));
            let (least, ended, most) = (inner.elapsed(), clock.now(), outer.elapsed());
            let passed = Duration::from_nanos(ended - began);
            assert!(
                passed > least * 99 / 100 && passed < most * 101 / 100,
                "{passed:?}, {least:?} to {most:?}"
            );
        }
    }
}
