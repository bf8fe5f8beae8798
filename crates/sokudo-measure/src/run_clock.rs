//! How long a run has been going on.

use std::time::Instant;

use sokudo_model::{Nanos, Outcome, Spent, narrow};

/// Of a run on a real device by a clock, of a simulated one by what its trials took there.
pub(crate) struct RunClock {
    began: Instant,
    simulated: Nanos,
    /// What it went to so far; the whole of it is not among it.
    pub(crate) spent: Spent,
}

impl RunClock {
    pub(crate) fn start() -> Self {
        Self {
            began: Instant::now(),
            simulated: Nanos(0),
            spent: Spent::default(),
        }
    }

    /// A trial of a simulated device was made.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        self.simulated.0 = self.simulated.0.saturating_add(outcome.time().0);
    }

    pub(crate) fn passed(&self, is_simulated: bool) -> Nanos {
        match is_simulated {
            true => self.simulated,
            false => Nanos(narrow(self.began.elapsed().as_nanos())),
        }
    }
}
