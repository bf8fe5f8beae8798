//! What another tool told of a row, beyond what every row has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{ImportedFigure, OperationMix, PlanPart, sentences};
use sokudo_words::Text;

/// What another tool told of a row, beyond what every row has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedDocument {
    /// What the bandwidth is, such as `best of 5`; empty for that of a single run.
    #[serde(default, skip_serializing_if = "Text::is_empty", with = "sentences")]
    #[schemars(with = "String")]
    pub bandwidth_kind: Text,
    /// What the I/Os per second are, likewise.
    #[serde(default, skip_serializing_if = "Text::is_empty", with = "sentences")]
    #[schemars(with = "String")]
    pub iops_kind: Text,
    /// Parts of the fingerprint that the tool does not tell: what `workload` says of them
    /// means nothing.
    pub unknown: Vec<PlanPart>,
    /// All operations that ran together, where the row is about one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix: Option<OperationMix>,
    /// All percentiles of latency that the tool told, `[percent, nanoseconds]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latency_percentiles: Vec<[f64; 2]>,
    /// Figures that sokudo has no field for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<ImportedFigure>,
}
