//! What happens while a plan is carried out, as one stream that the terminal
//! and every other listener read.

use crate::units::{Bytes, Nanos};

/// One thing that happened. Times count from the start of the trial.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The test file is being written.
    LayoutProgress {
        /// Bytes written so far.
        written: Bytes,
        /// Bytes to write.
        total: Bytes,
    },
    /// A trial of a row begins.
    TrialStarted {
        /// The row's index in the plan.
        row: usize,
        /// 0 for the first trial.
        trial: u32,
    },
    /// What all clones of a workload have moved since the trial began.
    Progress {
        /// Index of the workload in its stage.
        workload: usize,
        /// Time since the trial began.
        at: Nanos,
        /// Bytes moved.
        bytes: Bytes,
        /// I/Os completed.
        ios: u64,
    },
    /// A trial of a row ended.
    TrialEnded {
        /// The row's index in the plan.
        row: usize,
        /// 0 for the first trial.
        trial: u32,
    },
    /// Nothing is done on purpose, until `remaining` has passed.
    Pause {
        /// Time left.
        remaining: Nanos,
    },
}
