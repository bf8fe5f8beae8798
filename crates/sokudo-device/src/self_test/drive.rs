//! What drives of all languages tell of their self-tests.

use sokudo_model::{Bytes, Nanos, SelfTestKind, SelfTestResult};
use sokudo_sys::{AskError, SelfTestOrder};
use sokudo_words::{Text, text};

use crate::page::PageError;

/// Both NVMe and SCSI allow a short test no more than two minutes.
pub(super) const SHORT_EXPECTED: Nanos = Nanos::from_secs(120);

/// Why a drive did not do what it was asked about its self-test.
#[derive(Debug, sokudo_words::Error)]
pub enum SelfTestError {
    /// A self-test that was not begun here is under way.
    #[error("a self-test that somebody else has begun is under way; it was left alone")]
    Underway,
    /// It was asked, and did not do it.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// It answered, and the answer is not to be believed.
    #[error(transparent)]
    Page(#[from] PageError),
}

/// A drive that has self-tests.
pub(super) trait SelfTestDrive: Send + Sync {
    /// How long the drive expects a test to take; `None` where it does not say.
    fn expected(&self, kind: SelfTestKind) -> Option<Nanos>;
    fn order(&self, order: SelfTestOrder) -> Result<(), SelfTestError>;
    fn look(&self) -> Result<SelfTestProgress, SelfTestError>;
}

/// What a drive says of its self-tests.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfTestProgress {
    pub state: SelfTestState,
    /// What is another one once a test has been recorded; `None` where the drive keeps no log.
    pub(super) mark: Option<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SelfTestState {
    /// A test is under way.
    Running {
        /// How much of it is done; `None` where the drive does not say.
        percent: Option<u8>,
    },
    /// None is under way. With the newest that is known, whoever began it.
    Idle(Option<SelfTestEntry>),
}

/// What came of a test, as the drive has recorded it.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfTestEntry {
    pub result: SelfTestResult,
    /// What failed, or why it was not ended.
    pub note: Option<Text>,
    /// Where the first block is that failed.
    pub first_error: Option<Bytes>,
}

impl SelfTestEntry {
    pub(super) fn passed() -> Self {
        Self {
            result: SelfTestResult::Passed,
            note: None,
            first_error: None,
        }
    }

    pub(super) fn of(result: SelfTestResult, note: impl Into<Text>) -> Self {
        Self {
            result,
            note: Some(note.into()),
            first_error: None,
        }
    }

    pub(super) fn failed(note: impl Into<Text>) -> Self {
        Self::of(SelfTestResult::Failed, note)
    }

    pub(super) fn aborted(note: impl Into<Text>) -> Self {
        Self::of(SelfTestResult::Aborted, note)
    }

    pub(super) fn unknown(code: u8) -> Self {
        let note = text!("The drive reports a result that no standard has: {code}");
        Self::of(SelfTestResult::Unknown, note)
    }

    /// With the block that failed, which only a failed test has.
    pub(super) fn at_block(mut self, block: Option<u64>, block_bytes: Option<u64>) -> Self {
        if self.result == SelfTestResult::Failed {
            let bytes = block.zip(block_bytes);
            let bytes = bytes.and_then(|(block, bytes)| block.checked_mul(bytes));
            self.first_error = bytes.map(Bytes);
        }
        self
    }
}

/// As drives tell how long a test takes: 0 is not told.
pub(super) fn minutes(minutes: u16) -> Option<Nanos> {
    (minutes > 0).then(|| Nanos::from_secs(u64::from(minutes) * 60))
}

pub(super) fn failed_step(number: u8) -> Text {
    text!("Step {} of the self-test failed", u64::from(number))
}

/// The texts that more than one language has.
pub(super) const STOPPED: &str = "A command stopped the self-test";
pub(super) const FATAL: &str = "A fatal or unknown error kept the drive from ending its self-test";
pub(super) const STEP_UNKNOWN: &str = "A step failed, and the drive does not say which";
