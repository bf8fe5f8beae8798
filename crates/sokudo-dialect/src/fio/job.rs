//! What one job's options have set so far, with fio's defaults: options, not yet what
//! they come to together.

use sokudo_model::fio::{UnifiedReporting, WindowValue};
use sokudo_model::{
    BlockShare, Bytes, Check, CpuPolicy, Distribution, FileOrder, Nanos, PatternPart, RateProcess,
    SteadyFigure, SteadyLimit, Zone,
};

use super::numbers::{Amount, KiloBase};
use super::patterns::PatternFiles;
use super::planned::Fallocate;

/// A job's options. Cloned from the global ones into every job.
#[derive(Clone, Debug)]
pub(super) struct Job {
    // What it is called.
    pub(super) kilo_base: KiloBase,
    pub(super) unit_base: u32,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    // What it does.
    pub(super) access: Access,
    pub(super) access_number: Option<i64>,
    pub(super) read_percent: u32,
    pub(super) block: [u64; 3],
    pub(super) block_range: [Option<(u64, u64)>; 3],
    pub(super) unaligned: bool,
    pub(super) block_split: [Vec<BlockShare>; 3],
    pub(super) alignment: Option<[u64; 3]>,
    pub(super) engine: String,
    pub(super) direct: bool,
    pub(super) depth: u32,
    pub(super) batch: u32,
    pub(super) complete_min: u32,
    pub(super) complete_max: Option<u32>,
    pub(super) low_depth: u32,
    pub(super) memory: String,
    pub(super) uses_map: bool,
    pub(super) distribution: Distribution,
    pub(super) zones: [Vec<Zone>; 3],
    pub(super) random_percent: [Option<u64>; 3],
    pub(super) generator: String,
    pub(super) repeatable: bool,
    pub(super) seed: Option<u64>,
    // On what.
    pub(super) directories: Vec<String>,
    pub(super) files: Vec<String>,
    pub(super) name_format: String,
    pub(super) file_count: u32,
    pub(super) open_max: u32,
    pub(super) file_size: Option<(u64, u64)>,
    pub(super) file_order: FileOrder,
    pub(super) file_ios: u32,
    pub(super) size: Option<Amount>,
    pub(super) offset: Amount,
    pub(super) offset_step: Amount,
    pub(super) offset_alignment: u64,
    pub(super) overwrite: Option<bool>,
    pub(super) may_create: bool,
    pub(super) create_on_open: bool,
    pub(super) create_only: bool,
    pub(super) fallocate: Fallocate,
    pub(super) unlink: bool,
    pub(super) pre_read: bool,
    pub(super) invalidate: bool,
    pub(super) allow_mounted_write: bool,
    // How much, how long, how fast.
    pub(super) clones: u32,
    pub(super) loops: u32,
    pub(super) io_size: Option<Amount>,
    pub(super) ios: Option<u64>,
    pub(super) runtime: Nanos,
    pub(super) time_based: bool,
    pub(super) ramp: Nanos,
    pub(super) delay: (Nanos, Option<Nanos>),
    pub(super) rate: [u64; 3],
    pub(super) rate_iops: [u64; 3],
    pub(super) rate_process: RateProcess,
    pub(super) think: Nanos,
    pub(super) think_spin: Nanos,
    pub(super) think_ios: u32,
    pub(super) think_on_issue: bool,
    // What it writes, and when that is durable.
    pub(super) zero: bool,
    pub(super) refill: Option<bool>,
    pub(super) scramble: bool,
    pub(super) pattern: Vec<u8>,
    /// What the files hold that the pattern which is being set names.
    pub(super) pattern_files: PatternFiles,
    pub(super) compress_percent: u32,
    pub(super) compress_chunk: Option<u64>,
    pub(super) dedupe_percent: u32,
    pub(super) fsync: u32,
    pub(super) fdatasync: u32,
    pub(super) end_fsync: bool,
    pub(super) fsync_on_close: bool,
    pub(super) sync: Sync,
    pub(super) verify: VerifyOptions,
    // Sections.
    pub(super) stonewall: bool,
    pub(super) new_group: bool,
    pub(super) exitall: bool,
    pub(super) exit_what: ExitWhat,
    pub(super) exitall_on_error: bool,
    pub(super) cpus: Vec<u32>,
    pub(super) cpu_policy: CpuPolicy,
    pub(super) steady: Option<(SteadyFigure, bool, SteadyLimit)>,
    pub(super) steady_duration: Nanos,
    pub(super) steady_ramp: Nanos,
    pub(super) steady_interval: Nanos,
    pub(super) report: Report,
}

/// fio's `rw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) random: bool,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) trims: bool,
}

/// fio's `sync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sync {
    None,
    Data,
    All,
}

/// What `exitall` ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExitWhat {
    Group,
    Stonewall,
    All,
}

/// The `verify` family.
#[derive(Clone, Debug)]
pub(super) struct VerifyOptions {
    pub(super) check: Option<Check>,
    /// Whether `verify` itself was given, `0` counted.
    pub(super) is_given: bool,
    pub(super) interval: Option<u64>,
    pub(super) offset: u64,
    pub(super) pattern: Option<Vec<PatternPart>>,
    pub(super) after: bool,
    pub(super) backlog: Option<u64>,
    pub(super) backlog_batch: Option<u64>,
    pub(super) only: bool,
    pub(super) fatal: bool,
    pub(super) dump: bool,
    pub(super) save_state: bool,
}

/// What is reported and logged.
#[derive(Clone, Debug)]
pub(super) struct Report {
    pub(super) group: bool,
    pub(super) percentiles: Vec<f64>,
    pub(super) clat_percentiles: bool,
    pub(super) lat_percentiles: bool,
    pub(super) slat_percentiles: bool,
    pub(super) disable_lat: bool,
    pub(super) disable_clat: bool,
    pub(super) disable_slat: bool,
    pub(super) gtod_reduce: bool,
    pub(super) disk_util: bool,
    pub(super) unified: UnifiedReporting,
    pub(super) significant_figures: u32,
    pub(super) bandwidth_log: Option<String>,
    pub(super) iops_log: Option<String>,
    pub(super) latency_log: Option<String>,
    pub(super) histogram_log: Option<String>,
    pub(super) average: Nanos,
    pub(super) bandwidth_window: Nanos,
    pub(super) histogram_interval: Nanos,
    pub(super) histogram_coarseness: u32,
    pub(super) window_value: WindowValue,
    pub(super) log_offset: bool,
    pub(super) log_priority: bool,
    pub(super) unix_epoch: bool,
    pub(super) per_job: bool,
}

/// fio's own name for files of a job.
pub(super) const NAME_FORMAT: &str = "$jobname.$jobnum.$filenum";
/// fio's `bwavgtime`.
const BANDWIDTH_WINDOW: Nanos = Nanos::from_millis(500);

/// fio's defaults, as `fio --cmdhelp` of 3.33 lists them.
impl Default for Job {
    #[expect(clippy::too_many_lines, reason = "one line per option")]
    fn default() -> Self {
        Self {
            kilo_base: KiloBase::Binary,
            unit_base: 0,
            name: None,
            description: None,
            access: Access::READ,
            access_number: None,
            read_percent: 50,
            block: [Bytes::KIB * 4; 3],
            block_range: [None; 3],
            unaligned: false,
            block_split: [const { Vec::new() }; 3],
            alignment: None,
            engine: "psync".to_owned(),
            direct: false,
            depth: 1,
            batch: 1,
            complete_min: 1,
            complete_max: None,
            low_depth: 0,
            memory: "malloc".to_owned(),
            uses_map: true,
            distribution: Distribution::Uniform,
            zones: [const { Vec::new() }; 3],
            random_percent: [None; 3],
            generator: "tausworthe".to_owned(),
            repeatable: true,
            seed: None,
            directories: Vec::new(),
            files: Vec::new(),
            name_format: NAME_FORMAT.to_owned(),
            file_count: 1,
            open_max: 0,
            file_size: None,
            file_order: FileOrder::RoundRobin,
            file_ios: 1,
            size: None,
            offset: Amount::Bytes(0),
            offset_step: Amount::Bytes(0),
            offset_alignment: 0,
            overwrite: None,
            may_create: true,
            create_on_open: false,
            create_only: false,
            fallocate: Fallocate::Native,
            unlink: false,
            pre_read: false,
            invalidate: true,
            allow_mounted_write: false,
            clones: 1,
            loops: 1,
            io_size: None,
            ios: None,
            runtime: Nanos(0),
            time_based: false,
            ramp: Nanos(0),
            delay: (Nanos(0), None),
            rate: [0; 3],
            rate_iops: [0; 3],
            rate_process: RateProcess::Linear,
            think: Nanos(0),
            think_spin: Nanos(0),
            think_ios: 1,
            think_on_issue: false,
            zero: false,
            refill: None,
            scramble: true,
            pattern: Vec::new(),
            pattern_files: PatternFiles::new(),
            compress_percent: 0,
            compress_chunk: Some(512),
            dedupe_percent: 0,
            fsync: 0,
            fdatasync: 0,
            end_fsync: false,
            fsync_on_close: false,
            sync: Sync::None,
            verify: VerifyOptions::default(),
            stonewall: false,
            new_group: false,
            exitall: false,
            exit_what: ExitWhat::Group,
            exitall_on_error: false,
            cpus: Vec::new(),
            cpu_policy: CpuPolicy::Shared,
            steady: None,
            steady_duration: Nanos(0),
            steady_ramp: Nanos(0),
            steady_interval: Nanos::from_secs(1),
            report: Report::default(),
        }
    }
}

impl Access {
    pub(super) const READ: Self = Self {
        random: false,
        reads: true,
        writes: false,
        trims: false,
    };

    /// Whether it changes what the target holds.
    pub(super) const fn changes_data(self) -> bool {
        self.writes || self.trims
    }
}

impl Default for VerifyOptions {
    fn default() -> Self {
        Self {
            check: None,
            is_given: false,
            interval: None,
            offset: 0,
            pattern: None,
            after: true,
            backlog: None,
            backlog_batch: None,
            only: false,
            fatal: false,
            dump: false,
            save_state: true,
        }
    }
}

impl Default for Report {
    fn default() -> Self {
        Self {
            group: false,
            percentiles: sokudo_model::fio::FioReporting::default().percentiles,
            clat_percentiles: true,
            lat_percentiles: false,
            slat_percentiles: false,
            disable_lat: false,
            disable_clat: false,
            disable_slat: false,
            gtod_reduce: false,
            disk_util: true,
            unified: UnifiedReporting::Separate,
            significant_figures: 4,
            bandwidth_log: None,
            iops_log: None,
            latency_log: None,
            histogram_log: None,
            average: Nanos(0),
            bandwidth_window: BANDWIDTH_WINDOW,
            histogram_interval: Nanos(0),
            histogram_coarseness: 0,
            window_value: WindowValue::Average,
            log_offset: false,
            log_priority: false,
            unix_epoch: false,
            per_job: true,
        }
    }
}
