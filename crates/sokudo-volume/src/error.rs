//! Why a volume is not made, or not dissolved.

use std::io;
use std::path::{Path, PathBuf};

use sokudo_model::Bytes;
use sokudo_words::Text;

#[derive(Debug, sokudo_words::Error)]
pub enum VolumeError {
    #[error("{} is no block device with a node of its own", .0.display())]
    NoDevice(PathBuf),
    #[error("{} is no longer the disk that it was; nothing more is done to it", .0.display())]
    #[fault(refused)]
    Changed(PathBuf),
    #[error("{} is in use; unmount or stop what uses it", .0.display())]
    #[fault(refused)]
    InUse(PathBuf),
    #[error("{} cannot be used: {source}", path.display())]
    Unusable { path: PathBuf, source: io::Error },
    #[error("the volume is made of {needed} disks, and there are {given}; name more")]
    #[fault(usage)]
    TooFewDisks { given: usize, needed: usize },
    #[error("{program} is given {option}, which could reach another disk or file; leave it out")]
    #[fault(refused)]
    Option {
        program: &'static str,
        option: String,
    },
    #[error(
        "{} is not safe to mount on: users other than root can change what is in {}; name a folder below folders that only root may write, such as /mnt/disk",
        mount_point.display(),
        folder.display()
    )]
    #[fault(refused)]
    Exchangeable {
        mount_point: PathBuf,
        folder: PathBuf,
    },
    #[error(
        "{} can be changed by users other than root, so root does not run it; move it where only root may write",
        .0.display()
    )]
    #[fault(refused)]
    ChangedByOthers(PathBuf),
    #[error("{} is mounted already; name an empty directory", .0.display())]
    #[fault(usage)]
    Mounted(PathBuf),
    #[error("{} is not empty; name an empty directory", .0.display())]
    #[fault(usage)]
    NotEmpty(PathBuf),
    #[error("{name} is there already; sokudo clean removes what a killed run has left")]
    #[fault(refused)]
    Taken { name: String },
    #[error("the pool {0} is not the one that was made under this name; it is left alone")]
    NotOurs(String),
    #[error(
        "{} is not as sokudo prepare makes it: {found}; nothing on it is undone",
        path.display()
    )]
    #[fault(refused)]
    NotPrepared { path: PathBuf, found: Text },
    #[error(
        "{} no longer holds just the file system that sokudo prepare has made; if what it holds is to be destroyed, add --destroy-contents",
        .0.display()
    )]
    #[fault(refused)]
    NotAsMade(PathBuf),
    #[error("{command} cannot be run: {source}")]
    NotRun { command: String, source: io::Error },
    #[error("{command} has failed ({status}): {excerpt}")]
    Failed {
        command: String,
        /// How the command ended, such as `exit status: 1`.
        status: String,
        /// The first and the last lines of what it printed.
        excerpt: String,
    },
    #[error("{command} took longer than {seconds} s and was ended")]
    TooLong { command: String, seconds: u64 },
    #[error("{command} was ended, because the run is over")]
    #[fault(interrupted)]
    Cancelled { command: String },
    #[error("{command} did not do what was expected: {why}")]
    NotAsWanted { command: String, why: Text },
    #[error("{} is not written: {source}", path.display())]
    Scheduler { path: PathBuf, source: io::Error },
    #[error(
        "{} has room for {free}, and {wanted} are needed; name another directory, or fewer or smaller disks",
        folder.display()
    )]
    #[fault(usage)]
    NoRoom {
        folder: PathBuf,
        free: Bytes,
        wanted: Bytes,
    },
    #[error("no loop device can be made: {0}; run as root, where /dev/loop-control is there")]
    Loop(io::Error),
    #[error("no mount namespace can be made: {0}; run as root")]
    Namespace(io::Error),
    #[error("{} cannot be kept: {source}", path.display())]
    Journal { path: PathBuf, source: io::Error },
    #[error("{} is in use by another run", .0.display())]
    #[fault(usage)]
    JournalInUse(PathBuf),
    /// What it was about comes first, and then what could not be undone.
    #[error("{first}; and not everything could be undone: {left}")]
    #[fault(source)]
    LeftBehind { first: Box<VolumeError>, left: Text },
    #[error("not everything could be undone: {0}")]
    Left(Text),
}

pub(crate) fn unusable(path: &Path, source: io::Error) -> VolumeError {
    VolumeError::Unusable {
        path: path.to_owned(),
        source,
    }
}
