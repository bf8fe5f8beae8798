//! What is kept of I/Os.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Nanos;

/// What is kept of I/Os beyond one histogram per operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recording {
    /// Whether submission and completion are measured for every I/O, each by
    /// itself. Costs one system call per batch where submitting and waiting is one
    /// call otherwise.
    pub split_latency: bool,
    /// Length of the intervals of a series per operation; `null` keeps none.
    pub series_interval: Option<Nanos>,
    /// Latencies that are logged.
    pub latency_log: Option<LatencyLog>,
    /// Whether bytes and I/Os are logged as well, with each I/O by itself (fio:
    /// `write_bw_log` and `write_iops_log` without `log_avg_msec`).
    pub log_every_io: bool,
    /// Length of the intervals of a series of histograms (fio: `log_hist_msec`).
    pub histogram_interval: Option<Nanos>,
}

/// Which latencies are logged, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyLog {
    /// Length of the intervals that are averaged; `null` logs each I/O.
    pub interval: Option<Nanos>,
}
