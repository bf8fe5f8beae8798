//! Why something is not measured, and whose affair that is.

use std::io;

use sokudo_device::write_cache::WriteCacheError;
use sokudo_device::{FindError, InspectError, OccupancyError};
use sokudo_engine::sim::SpecError;
use sokudo_engine::{
    ConsentError, JobFileError, StageError, TargetError, TestFileError, TreeError,
};
use sokudo_peers::PeerError;
use sokudo_volume::VolumeError;
use sokudo_words::{Fault, PlainError, Text, text};

use crate::agreement::Difference;

/// Why something is not measured.
#[derive(Debug, sokudo_words::Error)]
#[expect(missing_docs, reason = "each says in its message what it is")]
pub enum MeasureError {
    /// What nobody tells from others.
    #[error(transparent)]
    Plain(#[from] PlainError),
    /// The same, where every one of several processes that measure together meets it.
    #[error(transparent)]
    OfAll(PlainError),
    #[error(transparent)]
    Simulated(#[from] SpecError),
    #[error(transparent)]
    Inspect(#[from] InspectError),
    #[error(transparent)]
    Find(#[from] FindError),
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Occupancy(#[from] OccupancyError),
    #[error(transparent)]
    Consent(#[from] ConsentError),
    #[error(transparent)]
    TestFile(#[from] TestFileError),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error(transparent)]
    JobFile(#[from] JobFileError),
    #[error(transparent)]
    Stage(#[from] StageError),
    #[error("interrupted before anything was measured; nothing is kept")]
    #[fault(interrupted)]
    Interrupted,
    #[error("{0}; leave --write-cache out")]
    #[fault(usage)]
    UnaskableCache(WriteCacheError),
    #[error(transparent)]
    WriteCache(WriteCacheError),
    #[error(transparent)]
    Volume(#[from] VolumeError),
    #[error("the write cache is not switched, because nothing would restore it")]
    #[fault(refused)]
    NoKeeper(#[source] PlainError),
    #[error(transparent)]
    Peers(#[from] PeerError),
    #[error("{host} (rank {rank}): {why}")]
    FailedThere { host: String, rank: u32, why: Text },
    #[error("{host} (rank {rank}) {}", Text::from(in_what))]
    #[fault(refused)]
    Disagreement {
        host: String,
        rank: u32,
        in_what: Difference,
    },
}

impl MeasureError {
    /// Whether every one of several processes that measure together meets it.
    pub fn is_of_all_processes(&self) -> bool {
        matches!(
            self,
            Self::Peers(_) | Self::Disagreement { .. } | Self::FailedThere { .. } | Self::OfAll(_)
        )
    }

    pub(crate) fn usage(text: Text) -> Self {
        PlainError::new(Fault::Usage, text).into()
    }

    pub(crate) fn refused(text: Text) -> Self {
        PlainError::new(Fault::Refused, text).into()
    }

    pub(crate) fn system(text: Text) -> Self {
        PlainError::new(Fault::System, text).into()
    }

    pub(crate) fn because(text: Text, source: io::Error) -> Self {
        PlainError::new(Fault::System, text).because(source).into()
    }

    pub(crate) fn no_descriptor(source: io::Error) -> Self {
        Self::because(text!("no file descriptor is left"), source)
    }

    pub(crate) fn of_all(fault: Fault, text: Text) -> Self {
        Self::OfAll(PlainError::new(fault, text))
    }
}

/// What cannot be switched is a wish that does not fit the drive.
impl From<WriteCacheError> for MeasureError {
    fn from(error: WriteCacheError) -> Self {
        match error {
            WriteCacheError::Unreachable { .. }
            | WriteCacheError::Ask { .. }
            | WriteCacheError::Page { .. } => Self::UnaskableCache(error),
            _ => Self::WriteCache(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_words::HasFault;

    #[test]
    fn a_drive_that_cannot_be_asked_is_measured_without_the_wish() {
        let error = MeasureError::from(WriteCacheError::Unreachable {
            disk: "/dev/vda".into(),
            why: "virtio disks have no commands for it".into(),
        });
        assert_eq!(error.fault(), Fault::Usage);
        let message = error.to_string();
        assert!(message.ends_with("leave --write-cache out"), "{message}");
    }
}
