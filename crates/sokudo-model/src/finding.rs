//! What is thought of a measurement: verdicts, and findings that teach.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a figure can be trusted. Ordered from best to worst.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// There is positive proof that the bytes reached the device, and nothing
    /// was seen that speaks against the figure.
    Verified,
    /// What would prove it could not be seen, or something casts doubt on it.
    Unverified,
    /// There is proof that the figure is not one of the device.
    Invalid,
}

impl Verdict {
    /// `VERIFIED`, `UNVERIFIED` or `INVALID`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Verified => "VERIFIED",
            Self::Unverified => "UNVERIFIED",
            Self::Invalid => "INVALID",
        }
    }
}

/// How much a finding matters.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Casts doubt on the figure.
    Warning,
    /// The figure is wrong, or there is none.
    Error,
}

/// A verdict's reason or a warning, written so that it teaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// A stable word for scripts, such as `sparse-file`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was seen, with its figures.
    pub symptom: String,
    /// What most likely causes it.
    pub cause: String,
    /// What to do about it.
    pub remedy: String,
}

/// What is thought of one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assessment {
    /// Whether the row's figures can be trusted.
    pub verdict: Verdict,
    /// Bytes that the leaf devices moved per byte that the engine moved, in the
    /// row's direction; `None` when the devices could not be seen.
    pub device_ratio: Option<f64>,
    /// Why, most important first.
    pub findings: Vec<Finding>,
}
