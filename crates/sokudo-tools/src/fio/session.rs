//! What fio's outputs say of a job besides what happened: its names, its options as
//! they were written, and what is to be reported of it.
//!
//! A fio run is a [`sokudo_model::Plan`] whose workloads, in their order, are the `jobs` of
//! a [`FioSession`], one per thread or process that fio would start.

use sokudo_model::Nanos;

/// Everything a fio command line asks for besides its plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioSession {
    /// The options of the `[global]` sections, as written, in order.
    pub global_options: Vec<(String, String)>,
    /// One per workload of the plan.
    pub jobs: Vec<FioJob>,
    /// What is to be printed, and where.
    pub output: FioOutput,
    /// What was accepted without effect, or left out with `--lenient`: one sentence each.
    pub notes: Vec<String>,
    /// What was left out although it would change what is measured (`--lenient`):
    /// names of options.
    pub left_out: Vec<String>,
}

/// What fio is asked to print.
#[derive(Clone, Debug, PartialEq)]
pub struct FioOutput {
    /// In which formats, in order.
    pub formats: Vec<FioFormat>,
    /// 2, 3, 4 or 5.
    pub terse_version: u8,
    /// Where to; `None` is standard output.
    pub file: Option<String>,
    /// Whether the status line is shown.
    pub eta: EtaMode,
    /// How often it is renewed.
    pub eta_interval: Nanos,
    /// How often full results are printed meanwhile; `None` is never.
    pub status_interval: Option<Nanos>,
}

impl Default for FioOutput {
    fn default() -> Self {
        Self {
            formats: vec![FioFormat::Normal],
            terse_version: 3,
            file: None,
            eta: EtaMode::Auto,
            eta_interval: Nanos::from_secs(1),
            status_interval: None,
        }
    }
}

/// Output formats of `--output-format`, by fio's own names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FioFormat {
    Normal,
    Terse,
    Json,
    JsonPlus,
}

/// When the status line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EtaMode {
    /// Only where results go to a terminal.
    Auto,
    Always,
    Never,
}

/// One job, as its outputs name it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioJob {
    /// Its section's name, or `name=`.
    pub name: String,
    /// Index of its section, from 0: jobs with `numjobs` share one.
    pub section: u32,
    /// Number of the thread in its section, from 0 (fio: `$jobnum`).
    pub job_number: u32,
    /// Its reporting group, from 0 (fio: `groupid`).
    pub group: u32,
    /// Text of the option `description`.
    pub description: Option<String>,
    /// The section's own options as written, in order; a bare flag has an empty value.
    pub options: Vec<(String, String)>,
    /// The names of its files.
    pub files: Vec<String>,
    /// The engine it asked for, as written.
    pub engine: String,
    /// The depth it asked for; its engine may keep another.
    pub depth: u32,
    /// What is reported of it.
    pub reporting: FioReporting,
    /// What is logged of it.
    pub logs: FioLogs,
}

/// What is reported of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioReporting {
    /// All jobs of a group are reported as one.
    pub group_reporting: bool,
    /// Percentiles in percent; fio's twenty at most.
    pub percentiles: Vec<f64>,
    /// Percentiles of completion latency.
    pub clat_percentiles: bool,
    /// Percentiles of total latency.
    pub lat_percentiles: bool,
    /// Percentiles of submission latency.
    pub slat_percentiles: bool,
    /// Total latency is not reported (`disable_lat`).
    pub disable_lat: bool,
    /// Completion latency is not reported (`disable_clat`).
    pub disable_clat: bool,
    /// Submission latency is not reported (`disable_slat`).
    pub disable_slat: bool,
    /// Statistics of block devices are reported.
    pub disk_util: bool,
    /// Reads, writes and trims each, as one, or both ways.
    pub unified: UnifiedReporting,
    /// Bytes in a k of input and output: 1000 or 1024.
    pub kb_base: u32,
    /// 0 both, 1 bits, 8 bytes.
    pub unit_base: u32,
    /// Digits that numbers are printed with (`significant_figures`).
    pub significant_figures: u32,
    /// What is waited before results count.
    pub ramp: Nanos,
}

/// How directions are reported (`unified_rw_reporting`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnifiedReporting {
    /// `none`: each direction by itself.
    #[default]
    Separate,
    /// `mixed`: all directions as one.
    Mixed,
    /// `both`: each direction, and all as one.
    Both,
}

/// What is logged of a job, and how the files are named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioLogs {
    /// `write_bw_log`: prefix of the file's name.
    pub bandwidth: Option<String>,
    /// `write_iops_log`: prefix of the file's name.
    pub iops: Option<String>,
    /// `write_lat_log`: prefix of the file's name.
    pub latency: Option<String>,
    /// `write_hist_log`: prefix of the file's name.
    pub histogram: Option<String>,
    /// `log_avg_msec`; 0 is every I/O.
    pub average: Nanos,
    /// Which value of an interval is written.
    pub window_value: WindowValue,
    /// `log_hist_coarseness`, 0 to 6.
    pub histogram_coarseness: u32,
    /// Offsets are written (`log_offset`).
    pub offset: bool,
    /// Priorities are written as words of class and level (`log_prio`).
    pub priority: bool,
    /// Times count from 1970 (`log_unix_epoch`, `log_alternate_epoch`).
    pub unix_epoch: bool,
    /// One file per job, or one for all (`per_job_logs`).
    pub per_job: bool,
}

/// Which value of an interval a log has (`log_window_value`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WindowValue {
    #[default]
    Average,
    Max,
    Both,
}
