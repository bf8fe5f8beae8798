//! What one job's options have set so far: options, not yet what they come to together.

use sokudo_model::{BlockShare, Check, Nanos, SteadyFigure, SteadyLimit, Workload, WriteCheck};

use crate::fio::session::{FioLogs, FioReporting};

use super::numbers::{Amount, KiloBase};
use super::patterns::PatternFiles;
use super::planned::FioTargetSpec;

/// A job's options. Cloned from the global ones into every job.
///
/// What holds where no option is given is said by the table, in
/// [`job_without_options`](super::table::job_without_options).
#[derive(Clone, Debug, Default)]
pub(super) struct Job {
    /// What goes into the plan as it is; all else is computed of several options.
    pub(super) plan: Workload,
    /// What goes so into each of its targets.
    pub(super) file: FioTargetSpec,
    // What it is called.
    pub(super) kilo_base: KiloBase,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    // What it does.
    pub(super) access: FioAccess,
    pub(super) access_number: Option<i64>,
    pub(super) read_percent: u32,
    pub(super) block: [u64; 3],
    pub(super) block_range: [Option<(u64, u64)>; 3],
    pub(super) unaligned: bool,
    pub(super) block_split: [Vec<BlockShare>; 3],
    pub(super) alignment: Option<[u64; 3]>,
    pub(super) engine: String,
    pub(super) batch: u32,
    pub(super) complete_min: u32,
    pub(super) complete_max: Option<u32>,
    pub(super) low_depth: u32,
    /// Whether random offsets may repeat before all were visited.
    pub(super) may_repeat: bool,
    pub(super) random_percent: [u64; 3],
    /// Whether the generator visits every block once by itself (LFSR).
    pub(super) visits_once: bool,
    pub(super) repeatable: bool,
    pub(super) seed: Option<u64>,
    // On what.
    pub(super) directories: Vec<String>,
    pub(super) files: Vec<String>,
    pub(super) name_format: String,
    pub(super) file_count: u32,
    pub(super) file_size: Option<(u64, u64)>,
    pub(super) size: Option<Amount>,
    pub(super) offset: Amount,
    pub(super) offset_step: Amount,
    pub(super) offset_alignment: u64,
    pub(super) create_only: bool,
    // How much, how long, how fast.
    pub(super) threads: u32,
    pub(super) io_size: Option<Amount>,
    pub(super) time_based: bool,
    pub(super) delay: (Nanos, Option<Nanos>),
    pub(super) rate: [u64; 3],
    pub(super) rate_iops: [u64; 3],
    pub(super) think: Nanos,
    pub(super) think_spin: Nanos,
    pub(super) think_ios: u32,
    pub(super) think_on_issue: bool,
    // What it writes, and when that is durable.
    pub(super) zero: bool,
    pub(super) refill: bool,
    pub(super) scramble: bool,
    pub(super) pattern: Vec<u8>,
    /// What the files hold that the pattern which is being set names.
    pub(super) pattern_files: PatternFiles,
    pub(super) compress_percent: u32,
    pub(super) compress_chunk: Option<u64>,
    pub(super) dedupe_percent: u32,
    /// The check that blocks carry, and how it is made.
    pub(super) check: Option<Check>,
    pub(super) verify: WriteCheck,
    /// Whether `verify` itself was given, `0` counted.
    pub(super) is_verify_given: bool,
    // Sections.
    pub(super) stonewall: bool,
    pub(super) new_group: bool,
    pub(super) exitall: bool,
    pub(super) exit_what: ExitWhat,
    pub(super) exitall_on_error: bool,
    pub(super) steady: Option<(SteadyFigure, bool, SteadyLimit)>,
    pub(super) steady_duration: Nanos,
    pub(super) steady_ramp: Nanos,
    pub(super) steady_interval: Nanos,
    // What is reported and logged.
    pub(super) report: FioReporting,
    pub(super) logs: FioLogs,
    pub(super) gtod_reduce: bool,
    pub(super) bandwidth_window: Nanos,
    pub(super) histogram_interval: Nanos,
}

/// Order and operations of the option `rw`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FioAccess {
    pub(super) random: bool,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) trims: bool,
}

/// What `exitall` ends, as `exit_what` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ExitWhat {
    #[default]
    Group,
    Stonewall,
    All,
}

impl FioAccess {
    /// Whether it changes what the target holds.
    pub(super) const fn changes_data(self) -> bool {
        self.writes || self.trims
    }
}
