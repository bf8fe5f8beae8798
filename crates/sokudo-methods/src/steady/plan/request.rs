//! What is asked of a procedure, and a cell of what is measured.

use sokudo_model::{Bytes, DriveCache, Nanos, SteadyClass, SteadyTest};

use crate::argument_checks::Assumed;
use crate::arguments::axis::Sizes;
use crate::steady::plan::mixes::{Mixes, ReadPercent};

/// The active range is a multiple of this, so that every block size covers it.
pub(super) const RANGE_UNIT: u64 = Bytes::MIB;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct SteadyRequest {
    pub test: SteadyTest,
    /// For which class of drives.
    pub class: SteadyClass,
    /// What counts as the capacity.
    pub capacity: Bytes,
    /// The part of it that is used, percent; `None` is the class's.
    pub active_percent: Option<u32>,
    pub medium: SteadyTarget,
    /// Smallest block that the target takes.
    pub block_min: Bytes,
    /// How long a cell is measured in a round.
    pub round_time: Nanos,
    /// Rounds at most; `None` is the test's.
    pub rounds_max: Option<u32>,
    /// How long write saturation goes on at most; `None` is the class's.
    pub time_max: Option<Nanos>,
    /// Block sizes instead of the test's.
    pub sizes: Option<Sizes>,
    /// Mixes instead of the test's.
    pub mixes: Option<Mixes>,
    /// How often the active range is written through before.
    pub passes: u32,
    /// Whether everything is discarded first.
    pub purge: bool,
    /// The state of the drive's own write cache.
    pub drive_cache: DriveCache,
    /// How fast it is taken to be, for the estimate.
    pub assumed: Assumed,
    /// Where all chance starts from.
    pub seed: u64,
}

/// What kind of thing is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyTarget {
    /// A block device, of which all contents may be lost.
    Device,
    /// A file, own or another's.
    File,
    /// A simulated device, which begins purged.
    Simulated,
}

/// One cell of a test's matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SteadyCell {
    pub(crate) block: Bytes,
    pub(crate) reads: ReadPercent,
}
