//! What the drive is asked, and how the arm goes about it.

use super::super::PendingRequest;
use super::geometry::MediaPosition;
use super::read_cache::Range;

/// A request that has reached the drive.
#[derive(Clone, Copy, Debug)]
pub(super) struct DriveCommand {
    pub(super) job: PendingRequest,
    /// When the drive can act on it.
    pub(super) ready_ns: u64,
    pub(super) position: MediaPosition,
    /// A write that waits for room in the write cache, not for the arm.
    pub(super) awaits_room: bool,
}

/// What the arm is doing.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArmMovement {
    pub(super) end_ns: u64,
    pub(super) purpose: ArmPurpose,
}

/// What an access is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum ArmPurpose {
    /// Waiting for the read-ahead to come by.
    Follow(DriveCommand),
    Transfer(DriveCommand),
    Drain,
}

/// How the arm would best get to a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Approach {
    /// When the transfer starts.
    pub(super) start_ns: u64,
    pub(super) by_read_ahead: bool,
}

impl DriveCommand {
    pub(super) fn range(&self) -> Range {
        Range {
            start: self.job.offset,
            end: self.job.offset + self.job.bytes,
        }
    }
}
