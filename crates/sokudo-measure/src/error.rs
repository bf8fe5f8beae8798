//! Why something is not measured, and whose affair that is.

use std::io;
use std::path::PathBuf;

use sokudo_device::write_cache::WriteCacheError;
use sokudo_device::{FindError, InspectError, OccupancyError};
use sokudo_engine::sim::SpecError;
use sokudo_engine::{
    ConsentError, JobFileError, StageError, TargetError, TestFileError, TreeError,
};
use sokudo_model::Bytes;
use sokudo_peers::PeerError;
use sokudo_volume::VolumeError;
use sokudo_words::Text;

use crate::agreement::Difference;

/// Why something is not measured.
#[derive(Debug, sokudo_words::Error)]
#[expect(missing_docs, reason = "each says in its message what it is")]
pub enum MeasureError {
    #[error("the target is an empty word; name a directory, or . for this one")]
    NoName,
    #[error("null: takes no parameters such as {0:?}; leave them out")]
    NullParameters(String),
    #[error(transparent)]
    Simulated(#[from] SpecError),
    #[error(transparent)]
    Inspect(#[from] InspectError),
    #[error(transparent)]
    Find(#[from] FindError),
    #[error("{0}; nor has a disk this name, model or serial number (sokudo info lists them)")]
    NoSuchDisk(InspectError),
    #[error("{0} is no block device, so there is nothing to --destroy; leave it out")]
    NothingToDestroy(String),
    #[error("{first} and {second} are the same; name each disk once")]
    NamedTwice { first: String, second: String },
    #[error(
        "{upper} stands on {lower}, so that both would be measured at the same places; name one of them"
    )]
    StandsOn { upper: String, lower: String },
    #[error(
        "no drive under {0} tells its temperature, so that no rule can be about it; leave it out of --stop-when"
    )]
    NoThermometer(String),
    #[error(
        "buffers would take {wanted}, and the control group allows {limit} ({}); use a smaller depth, block or number of threads, or raise the limit",
        file.display()
    )]
    Memory {
        wanted: Bytes,
        limit: Bytes,
        file: PathBuf,
    },
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
    #[error("the test file in {name} cannot be emptied")]
    Empty { name: String, source: io::Error },
    #[error("no file descriptor is left")]
    NoDescriptor(#[source] io::Error),
    #[error(
        "files cannot be opened as the user of the page; start sokudo page as root, or without sudo"
    )]
    OtherUser(#[source] io::Error),
    #[error("{path} may not be written by the user of the page: {source}; measure it without writing", path = path.display())]
    NotWritable { path: PathBuf, source: io::Error },
    #[error("{} cannot be used: {source}", path.display())]
    Unusable { path: PathBuf, source: io::Error },
    #[error(
        "{} does not exist and is not to be created; make it, or allow that (allow_file_create=1)",
        .0.display()
    )]
    NotCreated(PathBuf),
    #[error(
        "{} cannot be made, because {} is no directory; make it first",
        path.display(),
        directory.display()
    )]
    NoDirectory { path: PathBuf, directory: PathBuf },
    #[error(
        "{} does not exist, and no file is made there, because {} {reason}; name an existing device, or a file elsewhere",
        path.display(),
        directory.display(),
        reason = Text::from(*reason)
    )]
    NoPlaceForFiles {
        path: PathBuf,
        directory: PathBuf,
        reason: &'static str,
    },
    #[error("{} cannot be made: {source}; make it first", path.display())]
    MakeDirectory { path: PathBuf, source: io::Error },
    #[error(
        "{} would be written, and --readonly forbids that; leave --readonly out, or only read what exists",
        .0.display()
    )]
    ReadOnly(PathBuf),
    #[error(
        "the write cache of a simulated disk is part of its name; write sim:hdd?write_cache=off instead"
    )]
    SimulatedCache,
    #[error("{0} has no write cache; leave --write-cache out")]
    NoCache(String),
    #[error(
        "which drives hold {0} is not seen, so their write cache cannot be switched; name the drive itself"
    )]
    UnseenDrives(String),
    #[error("{0}; leave --write-cache out")]
    UnaskableCache(WriteCacheError),
    #[error(transparent)]
    WriteCache(WriteCacheError),
    #[error(transparent)]
    Volume(#[from] VolumeError),
    #[error(
        "{} disks of this machine have the serial number {serial}; name the path of the one that is meant: --destroy {}",
        count,
        path.display()
    )]
    AmbiguousSerial {
        path: PathBuf,
        serial: String,
        count: usize,
    },
    #[error("{} is a part of a disk; name the whole disk", .0.display())]
    Part(PathBuf),
    #[error("the write cache is not switched, because nothing would put it back")]
    NoKeeper(#[source] KeeperError),
    #[error(transparent)]
    Peers(#[from] PeerError),
    #[error("{host} (rank {rank}): {why}")]
    FailedThere { host: String, rank: u32, why: Text },
    #[error("{host} (rank {rank}) {}", Text::from(in_what))]
    Disagreement {
        host: String,
        rank: u32,
        in_what: Difference,
    },
    #[error(
        "{available} are free, but {ranks} processes need {needed} for their test files; use smaller test files, or make room"
    )]
    NoSpaceForAll {
        available: Bytes,
        needed: Bytes,
        ranks: u32,
    },
    #[error(
        "{} is not the test file that another process has made, as it is seen from here; mount the same directory everywhere, or leave --read-back-shifted out",
        .0.display()
    )]
    NotLent(PathBuf),
    #[error(
        "only test files in a directory can be read by another process; name a directory, or leave --read-back-shifted out"
    )]
    NothingToLend,
    #[error(
        "what {host} (rank {rank}) sent cannot be read; run the same build of sokudo on every host"
    )]
    Unreadable { host: String, rank: u32 },
}

/// Why no process puts write caches back.
#[derive(Debug, sokudo_words::Error)]
#[expect(missing_docs, reason = "each says in its message what it is")]
pub enum KeeperError {
    #[error("this program does not ask at its beginning whether it is to put caches back")]
    NotAsked,
    #[error("no second process can be started")]
    Start(#[source] io::Error),
    #[error("it has no pipes")]
    NoPipes,
    #[error("{0}")]
    Refused(String),
}

/// Whose affair an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// What was asked for makes no sense here.
    Request,
    /// It would endanger data.
    Danger,
    /// It was stopped before anything was measured.
    Interruption,
    /// The world did not do as it should.
    World,
}

impl MeasureError {
    /// Whether every one of several processes that measure together meets it.
    pub fn is_of_all_processes(&self) -> bool {
        matches!(
            self,
            Self::Peers(_)
                | Self::Disagreement { .. }
                | Self::NoSpaceForAll { .. }
                | Self::NothingToLend
                | Self::FailedThere { .. }
                | Self::Unreadable { .. }
        )
    }

    /// Whose affair it is.
    pub fn fault(&self) -> Fault {
        match self {
            Self::NoName
            | Self::NullParameters(_)
            | Self::Simulated(_)
            | Self::Find(_)
            | Self::NoSuchDisk(_)
            | Self::NothingToDestroy(_)
            | Self::NamedTwice { .. }
            | Self::StandsOn { .. }
            | Self::NoThermometer(_)
            | Self::SimulatedCache
            | Self::NoCache(_)
            | Self::UnseenDrives(_)
            | Self::UnaskableCache(_)
            | Self::Tree(TreeError::NoTree { .. }) => Fault::Request,
            Self::NoPlaceForFiles { .. } | Self::NoKeeper(_) | Self::AmbiguousSerial { .. } => {
                Fault::Danger
            }
            Self::Part(_) => Fault::Request,
            Self::Disagreement { .. } => Fault::Danger,
            Self::NothingToLend => Fault::Request,
            Self::Peers(PeerError::Stopped) => Fault::Interruption,
            Self::Peers(_)
            | Self::Unreadable { .. }
            | Self::NotLent(_)
            | Self::FailedThere { .. }
            | Self::NoSpaceForAll { .. } => Fault::World,
            Self::Volume(error) => of_volume(error),
            Self::Memory { .. }
            | Self::Empty { .. }
            | Self::NoDescriptor(_)
            | Self::OtherUser(_)
            | Self::NotWritable { .. }
            | Self::Unusable { .. }
            | Self::NotCreated(_)
            | Self::NoDirectory { .. }
            | Self::MakeDirectory { .. }
            | Self::ReadOnly(_)
            | Self::Tree(_) => Fault::World,
            Self::Inspect(error) => match error {
                InspectError::Failed { .. } => Fault::World,
                _ => Fault::Request,
            },
            Self::Target(error) => of_target(error),
            Self::Occupancy(OccupancyError::Unreadable { source, .. }) => of_opening(source),
            Self::Occupancy(_) => Fault::World,
            Self::Consent(error) => match error {
                ConsentError::Open { source, .. } => of_opening(source),
                _ => Fault::Danger,
            },
            Self::TestFile(error) => match error {
                TestFileError::Cancelled => Fault::Interruption,
                TestFileError::Stage(error) => of_stage(error),
                _ => Fault::World,
            },
            Self::JobFile(error) => of_job_file(error),
            Self::Stage(error) => of_stage(error),
            Self::WriteCache(error) => match error {
                WriteCacheError::KernelUnaware { .. } => Fault::Danger,
                _ => Fault::Request,
            },
        }
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

fn of_volume(error: &VolumeError) -> Fault {
    match error {
        VolumeError::Changed(_)
        | VolumeError::InUse(_)
        | VolumeError::Option { .. }
        | VolumeError::NotAsMade(_)
        | VolumeError::NotPrepared { .. }
        | VolumeError::Exchangeable { .. }
        | VolumeError::Taken { .. } => Fault::Danger,
        VolumeError::TooFewDisks { .. }
        | VolumeError::Mounted(_)
        | VolumeError::NotEmpty(_)
        | VolumeError::NoRoom { .. }
        | VolumeError::JournalInUse(_) => Fault::Request,
        VolumeError::Cancelled { .. } => Fault::Interruption,
        VolumeError::LeftBehind { first, .. } => of_volume(first),
        _ => Fault::World,
    }
}

fn of_target(error: &TargetError) -> Fault {
    match error {
        TargetError::ReadOnly(_)
        | TargetError::NotRegular(_)
        | TargetError::NotStorageButKernel(..)
        | TargetError::InUse(..) => Fault::Danger,
        TargetError::NoDirect(_) => Fault::Request,
        _ => Fault::World,
    }
}

fn of_stage(error: &StageError) -> Fault {
    match error {
        StageError::Target(error) => of_target(error),
        StageError::Check(_) | StageError::Polling(_) => Fault::Request,
        _ => Fault::World,
    }
}

fn of_job_file(error: &JobFileError) -> Fault {
    match error {
        JobFileError::Foreign { .. } | JobFileError::NotRegular(_) | JobFileError::Dangling(_) => {
            Fault::Danger
        }
        JobFileError::Cancelled(_) => Fault::Interruption,
        JobFileError::Stage(error) => of_stage(error),
        JobFileError::Target(error) => of_target(error),
        _ => Fault::World,
    }
}

/// What this user may not open is a matter of who asks, not of the device.
fn of_opening(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Fault::Request,
        _ => Fault::World,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_cannot_be_asked_is_measured_without_the_wish() {
        let error = MeasureError::from(WriteCacheError::Unreachable {
            disk: "/dev/vda".into(),
            why: "virtio disks have no commands for it".into(),
        });
        assert_eq!(error.fault(), Fault::Request);
        let message = error.to_string();
        assert!(message.ends_with("leave --write-cache out"), "{message}");
    }
}
