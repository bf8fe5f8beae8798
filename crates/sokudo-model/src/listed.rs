//! What of a row is listed beside many others, where the run itself is not read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Verdict;

/// One row of a run that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedRow {
    /// What people call it, such as `SEQ1M Q8T1`.
    pub name: String,
    /// `read`, `write`, `R70/W30`, …
    pub direction: String,
    /// Hash of all that makes two rows comparable.
    pub fingerprint: String,
    /// Whether its figures can be trusted.
    pub verdict: Option<Verdict>,
    /// Median of the trials.
    pub bytes_per_s: Option<f64>,
    /// Median of the trials, I/Os per second.
    pub ios_per_s: Option<f64>,
    /// Mean latency of an I/O, nanoseconds; null where it is not known.
    pub latency_ns: Option<f64>,
    /// Trials that were made.
    pub trials: u32,
    /// Whether its figure may stand for the disk: it is none of a cache, through the page
    /// cache, or INVALID. Null of runs that an older version kept.
    #[serde(default)]
    pub stands_for_disk: Option<bool>,
}
