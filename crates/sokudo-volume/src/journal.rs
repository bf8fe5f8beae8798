//! What outlives this process: named in a file before it is made, so that it can be found
//! and dissolved after a kill or a loss of power.
//!
//! Each line is a fact. What was dissolved is forgotten, and a journal of nothing removed.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::error::VolumeError;
use crate::names::Uuid;

/// Directory of the journals, which survive a restart.
pub(crate) const DIRECTORY: &str = "/var/lib/sokudo/volumes";

pub(crate) const EXTENSION: &str = "jsonl";

/// Something that outlives this process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Trace {
    Array {
        name: String,
        uuid: Uuid,
    },
    Pool {
        name: String,
    },
    /// What the system has given a pool; only so are its labels known.
    PoolIdentifier {
        name: String,
        identifier: String,
    },
    FileSystem {
        uuid: Uuid,
    },
    Scheduler(SchedulerTrace),
    /// A mount point that was made.
    Directory {
        path: PathBuf,
    },
}

/// The scheduler of a disk, which the next start of the machine forgets by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SchedulerTrace {
    pub(crate) disk: PathBuf,
    pub(crate) number: u64,
    pub(crate) sequence: Option<String>,
    pub(crate) before: String,
    pub(crate) set: String,
}

/// A trace with the volume that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JournalLine {
    pub(crate) volume: String,
    pub(crate) trace: Trace,
}

/// The journal of one run, which nobody else uses meanwhile.
#[derive(Clone, Debug)]
pub struct Journal(Arc<Mutex<JournalFile>>);

#[derive(Debug)]
struct JournalFile {
    file: File,
    path: PathBuf,
    lines: Vec<JournalLine>,
}

impl Journal {
    /// That of the run `id`, new or left behind by it.
    ///
    /// # Errors
    /// When another process uses it, or it cannot be kept.
    pub fn open(id: &str) -> Result<Self, VolumeError> {
        Self::open_in(Path::new(DIRECTORY), id)
    }

    /// The same in another directory, which is made for this user alone.
    ///
    /// # Errors
    /// As of `open`.
    pub fn open_in(directory: &Path, id: &str) -> Result<Self, VolumeError> {
        let path = directory.join(id).with_extension(EXTENSION);
        make_private(directory).map_err(|source| not_kept(&path, source))?;
        Self::read(&path)
    }

    pub(crate) fn read(path: &Path) -> Result<Self, VolumeError> {
        let kept = |source| not_kept(path, source);
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(path)
            .map_err(kept)?;
        lock(&file).map_err(|_| VolumeError::JournalInUse(path.to_owned()))?;
        // Whoever had it may have removed it meanwhile.
        let is_there = path
            .symlink_metadata()
            .is_ok_and(|found| file.metadata().is_ok_and(|held| held.ino() == found.ino()));
        if !is_there {
            return Err(VolumeError::JournalInUse(path.to_owned()));
        }
        let text = io::read_to_string(&file).map_err(kept)?;
        // A line that was cut off is about something that was not begun.
        let lines = text
            .lines()
            .map_while(|line| serde_json::from_str(line).ok());
        let lines = lines.collect();
        let mut journal = JournalFile {
            file,
            path: path.to_owned(),
            lines,
        };
        journal.write_anew()?;
        Ok(Self(Arc::new(Mutex::new(journal))))
    }

    /// Whether it names nothing that was made.
    pub fn is_empty(&self) -> bool {
        self.locked().lines.is_empty()
    }

    /// Whether anything that was made is there yet. Where nothing is, the journal goes, too: for
    /// who ends without being dropped.
    pub fn is_left_behind(&self) -> bool {
        let journal = self.locked();
        journal.remove_if_empty();
        !journal.lines.is_empty()
    }

    /// Keeps it before it is made.
    pub(crate) fn keep(&self, volume: &str, trace: Trace) -> Result<(), VolumeError> {
        let volume = volume.to_owned();
        self.locked().add(JournalLine { volume, trace })
    }

    /// Forgets what a volume has left.
    pub(crate) fn forget(&self, volume: &str) -> Result<(), VolumeError> {
        let mut journal = self.locked();
        journal.lines.retain(|line| line.volume != volume);
        journal.write_anew()
    }

    pub(crate) fn lines(&self) -> Vec<JournalLine> {
        self.locked().lines.clone()
    }

    fn locked(&self) -> MutexGuard<'_, JournalFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JournalFile {
    fn add(&mut self, line: JournalLine) -> Result<(), VolumeError> {
        let written = write_line(&mut self.file, &line).and_then(|()| self.file.sync_data());
        self.lines.push(line);
        written.map_err(|source| self.not_kept(source))
    }

    /// Writes all lines in the place of what there is. If that is cut off, less is known than
    /// was made: so it is only ever done when what is left out has been dissolved, or when
    /// the file holds nothing that can be read.
    fn write_anew(&mut self) -> Result<(), VolumeError> {
        let written = self.file.rewind().and_then(|()| {
            let mut text = Vec::new();
            self.lines
                .iter()
                .try_for_each(|line| write_line(&mut text, line))?;
            self.file.write_all(&text)?;
            self.file.set_len(text.len() as u64)?;
            self.file.sync_data()
        });
        written.map_err(|source| self.not_kept(source))
    }

    fn remove_if_empty(&self) {
        if self.lines.is_empty() {
            // It is ours as long as it is locked.
            let _ = fs::remove_file(&self.path);
        }
    }

    fn not_kept(&self, source: io::Error) -> VolumeError {
        not_kept(&self.path, source)
    }
}

fn not_kept(path: &Path, source: io::Error) -> VolumeError {
    VolumeError::Journal {
        path: path.to_owned(),
        source,
    }
}

impl Drop for JournalFile {
    fn drop(&mut self) {
        self.remove_if_empty();
        // A program that is just being started holds a copy of the handle, which would keep it
        // locked for a moment.
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

fn write_line(to: &mut impl Write, line: &JournalLine) -> io::Result<()> {
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    to.write_all(text.as_bytes())
}

/// Makes a directory that nobody else may look into, unless it is there.
fn make_private(directory: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)?;
    let metadata = directory.symlink_metadata()?;
    let is_ours = metadata.uid() == rustix::process::geteuid().as_raw();
    let is_private = metadata.is_dir() && metadata.mode() & 0o022 == 0;
    match is_ours && is_private {
        true => Ok(()),
        false => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

/// A program that is just being started holds what its parent holds, for a moment.
fn lock(file: &File) -> rustix::io::Result<()> {
    let mut pauses = [Duration::from_millis(10); 20].into_iter();
    loop {
        match rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => match pauses.next() {
                Some(pause) => thread::sleep(pause),
                None => return Err(Errno::WOULDBLOCK),
            },
            locked => return locked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace() -> Trace {
        Trace::Array {
            name: "sokudo-1-1".to_owned(),
            uuid: Uuid::from_bytes([7; 16]),
        }
    }

    #[test]
    fn what_was_kept_is_there_after_a_kill_and_not_after_it_was_dissolved() {
        let directory = tempfile::tempdir().unwrap();
        let open = || Journal::open_in(directory.path(), "1a2b3c4d");
        let path = directory.path().join("1a2b3c4d.jsonl");
        let journal = open().unwrap();
        journal.keep("one", trace()).unwrap();
        journal.keep("two", trace()).unwrap();
        assert!(open().is_err(), "it is in use");
        drop(journal);
        // A write that a kill has cut off.
        let mut file = File::options().append(true).open(&path).unwrap();
        file.write_all(b"{\"volume\":\"three\",\"tra").unwrap();
        let journal = open().unwrap();
        let volumes: Vec<String> = journal.lines().into_iter().map(|it| it.volume).collect();
        assert_eq!(volumes, ["one", "two"]);
        journal.forget("one").unwrap();
        journal.keep("three", trace()).unwrap();
        drop(journal);
        let journal = open().unwrap();
        assert_eq!(journal.lines().len(), 2);
        journal.forget("two").unwrap();
        journal.forget("three").unwrap();
        drop(journal);
        assert!(!path.exists());
    }

    #[test]
    fn a_copy_in_a_program_that_is_being_started_keeps_nobody_out() {
        let directory = tempfile::tempdir().unwrap();
        let open = || Journal::open_in(directory.path(), "1a2b3c4d");
        let journal = open().unwrap();
        let _copy = journal.locked().file.try_clone().unwrap();
        drop(journal);
        assert!(open().is_ok());
    }

    #[test]
    fn a_directory_of_others_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(Journal::open_in(directory.path(), "1").is_err());
    }
}
