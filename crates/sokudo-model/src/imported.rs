//! What another tool has measured and printed, as far as it told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::{OperationMix, Workload};
use crate::target::Environment;
use crate::units::{Bytes, Nanos};

/// Whose figures a run holds that sokudo has not measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// Who measured, such as `CrystalDiskMark`.
    pub tool: String,
    /// Its version, where it told.
    pub version: Option<String>,
    /// The form in which it told, such as `fio json+`.
    pub format: String,
    /// The file that was read, without its folders.
    pub file: Option<String>,
    /// What was put right because the tool is known to print it wrong.
    pub corrections: Vec<Correction>,
    /// Where the figures were published, in the words of whoever collected them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// What else is to be known before they are believed, such as that whoever collected
    /// them does not trust them, or that a date was told without its time zone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// A figure that a tool is known to print wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Correction {
    /// What was changed, from what to what, such as `508.9 "MB/s" are 521.1 MB/s`.
    pub what: String,
    /// Why: what the tool does, and how that is known.
    pub why: String,
}

/// A run of another tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedRun {
    /// Who measured.
    pub origin: Origin,
    /// Start, in nanoseconds since 1970-01-01T00:00:00Z; `None` where the tool does not tell.
    pub started_at: Option<Nanos>,
    /// The method in the tool's own words, such as `Default, 1 GiB (x5)`.
    pub method: String,
    /// The command line, where the tool repeats it.
    pub command: Option<String>,
    /// What was measured.
    pub target: ImportedTarget,
    /// Where.
    pub environment: Environment,
    /// What the tool printed, in its order.
    pub rows: Vec<ImportedRow>,
}

/// What another tool says of what it measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedTarget {
    /// As the tool names it: a path, a drive, a label of whoever measured.
    pub name: String,
    /// Maker's name of the model.
    pub model: Option<String>,
    /// Serial number.
    pub serial: Option<String>,
    /// Size of what was accessed.
    pub size: Option<Bytes>,
    /// Type of the file system, such as `ext4`.
    pub file_system: Option<String>,
}

/// A row of another tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedRow {
    /// What was done, as far as the tool tells; the rest is as [`Workload::new`] has it.
    pub workload: Workload,
    /// All operations that ran together, where the row tells of one of them.
    pub mix: Option<OperationMix>,
    /// Parts of the fingerprint that the tool does not tell (`depth`, `direct`, …): two
    /// rows agree in them only if nobody knows better.
    pub unknown: Vec<String>,
    /// Bytes per second.
    pub bandwidth: Option<ImportedRate>,
    /// I/Os per second.
    pub iops: Option<ImportedRate>,
    /// Completion of an I/O, nanoseconds.
    pub latency: Option<ImportedLatency>,
    /// I/Os of each latency: `[low_ns, high_ns, count]`; empty where not told.
    pub histogram: Vec<[u64; 3]>,
    /// Rates over the surface or access times by place, in the order in which they were
    /// measured; empty for anything else.
    pub places: Vec<ImportedPlace>,
    /// Figures that sokudo has no field for, such as `burst rate`.
    pub others: Vec<ImportedFigure>,
}

/// A rate as a tool sums it up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedRate {
    /// The figure that the tool shows.
    pub value: f64,
    /// What it is, such as `mean of 10 runs` or `best of 5`; empty for a single run.
    pub kind: String,
    /// Smallest.
    pub min: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
    /// Sample standard deviation.
    pub stdev: Option<f64>,
    /// The rate of each run, where the tool tells.
    pub trials: Vec<f64>,
}

/// Latencies as a tool sums them up, nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedLatency {
    /// Mean.
    pub mean: f64,
    /// Smallest.
    pub min: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
    /// Sample standard deviation.
    pub stdev: Option<f64>,
    /// I/Os that were timed.
    pub count: Option<u64>,
    /// `(percent, nanoseconds)`, ascending.
    pub percentiles: Vec<(f64, f64)>,
}

/// What was measured at one place of the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImportedPlace {
    /// Its first byte.
    pub offset: Bytes,
    /// Bytes moved there.
    pub bytes: Bytes,
    /// How long that took.
    pub elapsed: Nanos,
}

/// A figure with its name and unit.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedFigure {
    /// Such as `burst rate`.
    pub name: String,
    /// Such as `MB/s`; empty for a pure number.
    pub unit: String,
    /// The figure.
    pub value: f64,
}
