//! How a stage is run.

use std::time::Duration;

use sokudo_model::Nanos;

use crate::walked::Walked;

/// How a stage is run.
#[derive(Clone, Debug, Default)]
pub struct StageOptions {
    /// Where the stage's chance starts from; threads get streams of their own.
    pub seed: u64,
    /// How often each workload tells what it did so far ([`Event::Snapshot`]); `None`
    /// is never.
    pub snapshot_every: Option<Duration>,
    /// What is made durable after the measured part, to see when it is
    /// ([`Outcome::durable_after`]).
    pub make_durable: MakeDurable,
    /// How long a load that lasts runs at least before it is measured
    /// ([`Estimand::Sustained`]): as long as its device takes to come to its speed.
    pub settle: Nanos,
    /// Threads of the stages before, where numbers of threads go on from: they are in
    /// the headers of blocks that are checked, and in names of saved states.
    pub threads_before: u32,
    /// Where sequential I/Os begin; at the start of their stretch where there is none.
    pub walked: Option<Walked>,
}

/// Which writes are made durable after the measured part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MakeDurable {
    /// None: they lie where they lie.
    #[default]
    Nothing,
    /// Those that went through the page cache.
    Buffered,
    /// All that were not made durable by the workload itself, because something below the
    /// page cache keeps them, too.
    All,
}
