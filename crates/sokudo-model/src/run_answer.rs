//! What a run has answered, in the words that stand before the colon of its answer.

use crate::disk_assessment::DiskAnswer;

/// What a run has answered to the question that it was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunAnswer {
    /// The disk is as it should be, as far as it can be.
    Ok,
    /// What was looked at is as it should be, and not everything was looked at.
    OkSoFar,
    /// The disk works, and something is worse than it could be.
    OkBut,
    /// The disk is failing, or much slower than such a disk is.
    NotOk,
    /// Nothing shows whether the disk is as it should be, or fast enough.
    CannotSay,
    /// The disk is fast enough for what was in question.
    FastEnough,
    /// The disk is too slow for it.
    TooSlow,
}

impl RunAnswer {
    const ALL: [Self; 7] = [
        Self::Ok,
        Self::OkSoFar,
        Self::OkBut,
        Self::NotOk,
        Self::CannotSay,
        Self::FastEnough,
        Self::TooSlow,
    ];

    /// The words that stand for it in lists and in a store.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => DiskAnswer::Ok.name(),
            Self::OkSoFar => "OK so far",
            Self::OkBut => DiskAnswer::OkBut.name(),
            Self::NotOk => DiskAnswer::NotOk.name(),
            Self::CannotSay => "CANNOT SAY",
            Self::FastEnough => "FAST ENOUGH",
            Self::TooSlow => "TOO SLOW",
        }
    }

    /// The answer of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|answer| answer.name() == name)
    }
}
