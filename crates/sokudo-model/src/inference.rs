//! What figures say about the device that they were measured on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::Text;

use crate::parts::TextParts;

/// Something that a device seems to be or to have, concluded from how it behaved. It is
/// never more than "consistent with": the device was not opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "InferenceForm", into = "InferenceForm")]
pub struct Inference {
    /// A stable word for scripts, such as `zoned-recording`.
    pub code: String,
    /// What the figures are consistent with, to be read after these words, such as
    /// `a disk that turns 7,200 times a minute`.
    pub claim: Text,
    /// What it comes to in numbers, by name with the unit last, such as `rpm` or
    /// `cache_bytes`.
    pub figures: Vec<InferredFigure>,
    /// How sure that is.
    pub confidence: Confidence,
    /// What was seen, with its figures.
    pub evidence: Text,
}

/// Something that a device seems to be or to have, concluded from how it behaved. It is
/// never more than "consistent with": the device was not opened.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct InferenceForm {
    /// A stable word for scripts, such as `zoned-recording`.
    code: String,
    /// What the figures are consistent with, to be read after these words, such as
    /// `a disk that turns 7,200 times a minute`.
    claim: String,
    /// What it comes to in numbers, by name with the unit last, such as `rpm` or
    /// `cache_bytes`.
    figures: Vec<InferredFigure>,
    /// How sure that is.
    confidence: Confidence,
    /// What was seen, with its figures.
    evidence: String,
    #[serde(flatten)]
    parts: TextParts,
}

impl From<Inference> for InferenceForm {
    fn from(inference: Inference) -> Self {
        Self {
            parts: TextParts::of(&[
                ("claim", &inference.claim),
                ("evidence", &inference.evidence),
            ]),
            claim: inference.claim.english(),
            evidence: inference.evidence.english(),
            code: inference.code,
            figures: inference.figures,
            confidence: inference.confidence,
        }
    }
}

impl From<InferenceForm> for Inference {
    fn from(form: InferenceForm) -> Self {
        Self {
            claim: form.parts.text("claim", form.claim),
            evidence: form.parts.text("evidence", form.evidence),
            code: form.code,
            figures: form.figures,
            confidence: form.confidence,
        }
    }
}

/// One number of an inference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InferredFigure {
    /// What it is, with its unit, such as `rpm`.
    pub name: String,
    /// Value in the unit that `name` gives.
    pub value: f64,
}

named! {
    /// How sure an inference is. Ordered from least to most.
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
    )]
    pub enum Confidence {
        /// Other causes are as likely.
        Low = "low",
        /// Other causes are possible.
        Medium = "medium",
        /// No other cause is known.
        High = "high",
    }
}
