//! How long a run has been going on.

use std::time::Instant;

use sokudo_model::{Nanos, Outcome, narrow};

/// Of a run on a real device by a clock, of a simulated one by what its trials took there.
pub(crate) struct RunClock {
    began: Instant,
    simulated: Nanos,
}

impl RunClock {
    pub(crate) fn start() -> Self {
        Self {
            began: Instant::now(),
            simulated: Nanos(0),
        }
    }

    /// A trial of a simulated device was made.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        let settled = outcome.window.map_or(Nanos(0), |window| window.settled);
        let taken = outcome.elapsed.0.saturating_add(settled.0);
        self.simulated.0 = self.simulated.0.saturating_add(taken);
    }

    pub(crate) fn passed(&self, is_simulated: bool) -> Nanos {
        match is_simulated {
            true => self.simulated,
            false => Nanos(narrow(self.began.elapsed().as_nanos())),
        }
    }
}
