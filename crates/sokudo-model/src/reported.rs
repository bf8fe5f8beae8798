//! What another tool has measured: who it was, and what it printed of each row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::Text;

use crate::fingerprint::PlanPart;
use crate::json::float_or_none;
use crate::plan::OperationMix;
use crate::sentences;
use crate::units::{Bytes, Nanos};

/// Who measured a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// sokudo, which has seen the evidence.
    #[default]
    Measured,
    /// Another tool. Its figures are as it printed them, and nobody has seen the evidence.
    Reported(Origin),
}

impl Provenance {
    /// Tool that the figures are from; `None` of sokudo's own.
    pub const fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Measured => None,
            Self::Reported(origin) => Some(origin),
        }
    }
}

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
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "sentences")]
    #[schemars(with = "Vec<String>")]
    pub remarks: Vec<Text>,
}

impl Origin {
    /// The tool where sokudo measured, and only printed what fio prints, without evidence.
    pub const SOKUDO_FIO: &'static str = "sokudo fio";

    /// Who measured, with the version where it is known.
    pub fn measurer(&self) -> String {
        match &self.version {
            Some(version) => format!("{} {version}", self.tool),
            None => self.tool.clone(),
        }
    }
}

/// A figure that a tool is known to print wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Correction {
    /// What was changed, from what to what, such as `508.9 "MB/s" are 521.1 MB/s`.
    #[serde(with = "sentences")]
    #[schemars(with = "String")]
    pub what: Text,
    /// Why: what the tool does, and how that is known.
    #[serde(with = "sentences")]
    #[schemars(with = "String")]
    pub why: Text,
}

/// What another tool printed of a row, in the place of trials.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reported {
    /// All operations that ran together, where the row tells of one of them.
    pub mix: Option<OperationMix>,
    /// Parts of the fingerprint that the tool does not tell (depth, direct, …): two
    /// rows agree in them only if nobody knows better.
    pub unknown: Vec<PlanPart>,
    /// Bytes per second; `null` where the tool does not tell it.
    pub bandwidth: Option<ImportedRate>,
    /// I/Os per second; `null` where the tool does not tell it.
    pub iops: Option<ImportedRate>,
    /// Completion of an I/O, nanoseconds.
    pub latency: Option<ImportedLatency>,
    /// I/Os of each latency: `[low_ns, high_ns, count]`; empty where not told.
    pub histogram: Vec<[u64; 3]>,
    /// Rates over the surface or access times by place, in the order in which they were
    /// measured; empty for anything else.
    #[serde(rename = "places")]
    pub samples: Vec<ReportedSample>,
    /// Figures that sokudo has no field for, such as `burst rate`.
    pub others: Vec<ImportedFigure>,
    /// The number of the error (errno) that ended the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<i32>,
}

/// A rate as a tool sums it up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedRate {
    /// The figure that the tool shows.
    #[serde(deserialize_with = "float_or_none")]
    #[schemars(with = "Option<f64>")]
    pub value: f64,
    /// What it is, such as `mean of 10 runs` or `best of 5`; empty for a single run.
    #[serde(with = "sentences")]
    #[schemars(with = "String")]
    pub kind: Text,
    /// Smallest rate, where the tool tells it.
    pub min: Option<f64>,
    /// Largest rate, where the tool tells it.
    pub max: Option<f64>,
    /// Sample standard deviation of the rates, where the tool tells it.
    pub stdev: Option<f64>,
    /// The rate of each run, where the tool tells.
    pub trials: Vec<f64>,
}

/// Latencies as a tool sums them up, nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedLatency {
    /// Mean latency of the I/Os.
    #[serde(deserialize_with = "float_or_none")]
    #[schemars(with = "Option<f64>")]
    pub mean: f64,
    /// Smallest latency, where the tool tells it.
    pub min: Option<f64>,
    /// Largest latency, where the tool tells it.
    pub max: Option<f64>,
    /// Sample standard deviation of the latencies, where the tool tells it.
    pub stdev: Option<f64>,
    /// I/Os that were timed.
    pub count: Option<u64>,
    /// Percentiles as `(percent, nanoseconds)`, ascending.
    pub percentiles: Vec<(f64, f64)>,
}

/// What was measured at one place of the surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedSample {
    /// First byte of the place.
    pub offset: Bytes,
    /// Bytes moved at the place.
    pub bytes: Bytes,
    /// How long that took.
    pub elapsed: Nanos,
}

/// A figure of another tool's, with its name and unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ToldFigure")]
pub struct ImportedFigure {
    /// Such as `burst rate`.
    pub name: String,
    /// Such as `MB/s`; empty for a pure number.
    pub unit: String,
    /// Value in the unit that `unit` names.
    pub value: f64,
}
