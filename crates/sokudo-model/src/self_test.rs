//! A test that a drive makes of itself, and what came of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::Text;

use crate::sentences;
use crate::units::{Bytes, Nanos};

named! {
    /// How thorough a self-test is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub enum SelfTestKind {
        /// Electronics and a part of the medium: minutes.
        Short = "short",
        /// The whole medium as well: hours on disks.
        Extended = "extended",
    }
}

/// What came of a self-test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SelfTestResult {
    /// The drive went through all of it and found nothing wrong.
    Passed,
    /// The drive found that something is wrong with itself.
    Failed,
    /// It did not come to its end: somebody stopped it, or the drive was reset.
    Aborted,
    /// There was none: the drive has no such test, cannot be asked for it, did not begin it, or was
    /// busy with one of somebody else's.
    Absent,
    /// It was begun, and the drive does not say what came of it.
    Unknown,
}

/// One self-test of one drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelfTest {
    /// Index of the target whose drive it is.
    pub target: u32,
    /// The kernel's name of the drive, such as `sda`.
    pub disk: String,
    /// How thorough it was to be.
    pub kind: SelfTestKind,
    /// Start, in nanoseconds since 1970-01-01T00:00:00Z.
    #[serde(rename = "started_at_ns")]
    pub started_at: Nanos,
    /// From the start until the drive said that it is over.
    #[serde(rename = "took_ns")]
    pub took: Nanos,
    /// What came of it.
    pub result: SelfTestResult,
    /// Where the first block is that failed, in bytes; missing where the drive names none.
    #[serde(
        rename = "first_error_bytes",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub first_error: Option<Bytes>,
    /// Why there is none, why it was not ended, or what failed; missing for one that passed.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "sentences")]
    #[schemars(with = "Option<String>")]
    pub note: Option<Text>,
}

#[cfg(test)]
mod tests {
    use sokudo_words::text;

    use super::*;

    #[test]
    fn a_self_test_is_written_with_its_units_and_without_what_there_is_not() {
        let passed = SelfTest {
            target: 1,
            disk: "sda".to_owned(),
            kind: SelfTestKind::Short,
            started_at: Nanos::from_secs(1_700_000_000),
            took: Nanos::from_secs(90),
            result: SelfTestResult::Passed,
            first_error: None,
            note: None,
        };
        let written = serde_json::to_string(&passed).unwrap();
        assert_eq!(
            written,
            "{\"target\":1,\"disk\":\"sda\",\"kind\":\"short\",\
             \"started_at_ns\":1700000000000000000,\"took_ns\":90000000000,\"result\":\"passed\"}"
        );
        assert_eq!(serde_json::from_str::<SelfTest>(&written).unwrap(), passed);
        let failed = SelfTest {
            kind: SelfTestKind::Extended,
            result: SelfTestResult::Failed,
            first_error: Some(Bytes(4_096)),
            note: Some(text!("{} of {what}", 3_u64, what = "sda")),
            ..passed
        };
        let kept = crate::with_texts_as_data(|| serde_json::to_string(&failed).unwrap());
        assert!(kept.contains("\"first_error_bytes\":4096"), "{kept}");
        assert_eq!(serde_json::from_str::<SelfTest>(&kept).unwrap(), failed);
    }
}
