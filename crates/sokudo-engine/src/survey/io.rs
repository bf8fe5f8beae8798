//! One I/O of a survey.

use std::ops::Range;

use sokudo_model::{FailureKind, Operation, narrow};
use sokudo_sys::IoAction;

/// One I/O, at one sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurveyIo {
    /// Number of its sample, in the order in which they are visited.
    pub(crate) sample_index: u32,
    pub(crate) offset: u64,
    pub(crate) length: u32,
    /// The buffer that it must use; `None` is any that is free.
    pub(crate) buffer_index: Option<u32>,
    pub(crate) action: IoAction,
    pub(crate) operation: Operation,
    /// It counts in the figures of its sample.
    pub(crate) is_measured: bool,
    /// It reads while others write, and only its latency is of interest.
    pub(crate) is_beside: bool,
    /// A failure of it is reported as such.
    pub(crate) is_reported: bool,
    /// Nothing more is done at its sample.
    pub(crate) is_last: bool,
    /// It has not come back in time, and nobody waits for it.
    pub(crate) is_hung: bool,
}

impl SurveyIo {
    /// A read that is not measured, and reported only where what it is for says so.
    pub(super) fn aside(offset: u64, length: u64) -> Self {
        Self {
            sample_index: 0,
            offset,
            length: narrow(length),
            buffer_index: None,
            action: IoAction::Read,
            operation: Operation::Read,
            is_measured: false,
            is_beside: false,
            is_reported: false,
            is_last: false,
            is_hung: false,
        }
    }

    pub(super) fn range(&self) -> Range<u64> {
        self.offset..self.offset + u64::from(self.length)
    }
}

/// When an I/O was meant to start, started and was done.
#[derive(Clone, Copy)]
pub(crate) struct Instants {
    pub(crate) intended_at: u64,
    pub(crate) issued_at: u64,
    pub(crate) now: u64,
}

/// An I/O that failed.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    pub(super) io: SurveyIo,
    /// What of it was not moved.
    pub(super) rest: Range<u64>,
    pub(super) kind: FailureKind,
}
