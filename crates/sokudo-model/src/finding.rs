//! What is thought of a measurement: verdicts, and findings that teach.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::Text;

use crate::parts::TextParts;

named! {
    /// Whether a figure can be trusted. Ordered from best to worst.
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
    )]
    pub enum Verdict {
        /// There is positive proof that the bytes reached the device, and nothing
        /// was seen that speaks against the figure.
        Verified = "VERIFIED",
        /// What would prove it could not be seen, or something casts doubt on it.
        Unverified = "UNVERIFIED",
        /// There is proof that the figure is not one of the device.
        Invalid = "INVALID",
    }
}

named! {
    /// Whether a figure comes out the same again, which says nothing of what it is the figure of.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub enum Steadiness {
        /// The 95 % interval of the trials' median is narrow.
        Steady = "STEADY",
        /// It is wide: two disks that differ by less look the same.
        Unsteady = "UNSTEADY",
    }
}

impl Steadiness {
    /// How far that interval reaches from the median at its wider side ÷ median, at most, where a
    /// row is steady.
    pub const REACH_MAX: f64 = 0.10;

    /// Of a row whose interval reaches so far, as a share of its median.
    pub fn of_reach(reach: f64) -> Self {
        match reach <= Self::REACH_MAX {
            true => Self::Steady,
            false => Self::Unsteady,
        }
    }
}

/// How much a finding matters.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know; the figure is not in doubt.
    Info,
    /// Casts doubt on the figure.
    Warning,
    /// The figure is wrong, or there is none.
    Error,
}

/// A verdict's reason or a warning, written so that it teaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "FindingForm", into = "FindingForm")]
pub struct Finding {
    /// A stable word for scripts, such as `sparse-file`.
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// What was seen, with its figures.
    pub symptom: Text,
    /// What most likely causes it.
    pub cause: Text,
    /// What to do about it.
    pub remedy: Text,
}

/// A verdict's reason or a warning, written so that it teaches.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct FindingForm {
    /// A stable word for scripts, such as `sparse-file`.
    code: String,
    /// How much it matters.
    severity: Severity,
    /// What was seen, with its figures.
    symptom: String,
    /// What most likely causes it.
    cause: String,
    /// What to do about it.
    remedy: String,
    #[serde(flatten)]
    parts: TextParts,
}

impl From<Finding> for FindingForm {
    fn from(finding: Finding) -> Self {
        Self {
            parts: TextParts::of(&[
                ("symptom", &finding.symptom),
                ("cause", &finding.cause),
                ("remedy", &finding.remedy),
            ]),
            symptom: finding.symptom.english(),
            cause: finding.cause.english(),
            remedy: finding.remedy.english(),
            code: finding.code,
            severity: finding.severity,
        }
    }
}

impl From<FindingForm> for Finding {
    fn from(form: FindingForm) -> Self {
        let parts = form.parts;
        Self {
            code: form.code,
            severity: form.severity,
            symptom: parts.text("symptom", form.symptom),
            cause: parts.text("cause", form.cause),
            remedy: parts.text("remedy", form.remedy),
        }
    }
}

/// What is thought of one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Assessment {
    /// Whether the row's figures can be trusted.
    pub verdict: Verdict,
    /// Bytes that the leaf devices moved per byte that the engine moved, in the
    /// row's direction; `null` when the devices could not be seen.
    pub device_ratio: Option<f64>,
    /// Why, most important first.
    pub findings: Vec<Finding>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_words::text;

    fn finding() -> Finding {
        Finding {
            code: "foreign-io".to_owned(),
            severity: Severity::Warning,
            symptom: text!(
                "{device} moved {bytes} {}",
                crate::Bytes(3),
                device = "sda",
                bytes = 12_u64
            ),
            cause: text!(
                "{device} and {other}",
                device = "sdb",
                other = Text::from("a cache")
            ),
            remedy: Text::from("measure again"),
        }
    }

    #[test]
    fn scripts_get_arguments_by_name_and_people_sentences() {
        let json = serde_json::to_value(finding()).unwrap();
        assert_eq!(json["symptom"], "sda moved 12 3 B");
        assert_eq!(json["remedy"], "measure again");
        let arguments = &json["arguments"];
        assert_eq!(arguments["device"], "sda");
        assert_eq!(arguments["cause.device"], "sdb");
        assert_eq!(arguments["bytes"], 12);
        assert_eq!(arguments["symptom.2"]["unit"], "B");
        assert_eq!(arguments["symptom.2"]["text"], "3 B");
        let back: Finding = serde_json::from_value(json).unwrap();
        assert_eq!(back, finding());
    }

    #[test]
    fn sentences_of_old_files_stay_as_they_are() {
        let old =
            r#"{"code":"c","severity":"info","symptom":"measure {}","cause":"","remedy":"x"}"#;
        let read: Finding = serde_json::from_str(old).unwrap();
        assert_eq!(read.symptom, Text::name("measure {}"));
        assert_eq!(read.cause, Text::default());
        assert_eq!(serde_json::to_string(&read).unwrap(), old);
    }
}
