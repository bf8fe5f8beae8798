//! The files of jobs: created with a name that the user knows, kept afterwards, and
//! written again only by whom they belong to.
//!
//! A file that a job lays out carries a mark (`mark.rs`), which says what we have last
//! written. Any job of the same user may write such a file again, for all that it holds
//! is of no worth to anybody; once somebody else has written it, the user must say that it
//! may be overwritten. Where a file system keeps no attributes, a file counts as the job's
//! own only if it has the name that the job would give it (`JOB.0.0`) and exactly the size
//! that it would have.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, FlockOperation, flock};
use rustix::io::Errno;
use sokudo_model::{Allocation, Bytes, DataContent, Event};
use sokudo_sys::reopen;
use sokudo_words::Text;

use crate::blocking_work::sync_watched;
use crate::consent::Look;
use crate::control::Control;
use crate::mark::{self, FilePurpose, NotOurs};
use crate::removal::{DirectoryEntry, MakingGuard, Vanishing, remove_held};
use crate::stage_error::StageError;
use crate::target::{FileTarget, Target, TargetError, open_to_write_later, unused_storage};
use crate::test_file::{LayoutError, LayoutFill, free_space_needed, layout_unit};

/// Whose a file is.
#[derive(Clone, Copy, Debug)]
pub struct JobFileRequest<'a> {
    /// Where it is or will be.
    pub path: &'a Path,
    /// The names of the jobs that use it.
    pub jobs: &'a [String],
    /// How large it is to be.
    pub size: Bytes,
    /// Whether the user allows what it holds to be overwritten.
    pub overwrite: bool,
    /// Finds out who else uses it.
    pub look: Look,
    /// Whether jobs write it; otherwise it is laid out and then only read.
    pub is_written: bool,
    /// Whether it is removed at the end.
    pub is_removed: bool,
}

/// A file that may be written, because a job of the user's laid it out, or the user
/// allows it. Dropping it marks it as it is then, so that a later job knows it again.
#[derive(Debug)]
pub struct JobDataFile {
    handle: File,
    path: PathBuf,
    size: Bytes,
    is_new: bool,
    is_written: bool,
    blind_spots: Vec<Text>,
    purpose: FilePurpose,
    holds: Cell<Holds>,
    /// The sizes that its mark says it may have.
    marked_sizes: Cell<Option<(u64, u64)>>,
    _known: Option<Vanishing>,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// Somebody's data, at least in part, which the user allows to be overwritten.
    Foreign,
    /// What jobs have written, and nothing else.
    Ours,
    /// The same, and this process may be writing it.
    Writing,
}

/// Why a job has no file.
#[derive(Debug, sokudo_words::Error)]
pub enum JobFileError {
    /// What it holds may be of worth to somebody.
    #[error("{path} is not written: {why}; use overwrite=1 (--overwrite) or SOKUDO_OVERWRITE=files to destroy what it holds, or name another file", path = path.display())]
    #[fault(refused)]
    Foreign {
        /// Path of the file, as the job names it.
        path: PathBuf,
        /// What speaks against it.
        why: NotOurs,
    },
    /// It is not a regular file.
    #[error("{path} is not a regular file, so it is not written; name a file", path = .0.display())]
    #[fault(refused)]
    NotRegular(PathBuf),
    /// It cannot be used, whatever is allowed.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A symbolic link that leads nowhere.
    #[error("{path} is a symbolic link to nothing, and no file is made behind a link; make the file it leads to, or name another", path = .0.display())]
    #[fault(refused)]
    Dangling(PathBuf),
    /// The system does not allow it.
    #[error("{path} cannot be {action}: {source}", path = path.display(), action = Text::from(*action))]
    System {
        /// Path of the file, as the job names it.
        path: PathBuf,
        /// What was tried, as a participle: `created`, `written`, `made durable`.
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// There is too little room.
    #[error("{path} is to hold {size}, for which {needed} must be free on its file system, but only {free} are; use a smaller size, or make room", path = path.display())]
    NoSpace {
        /// Path of the file, as the job names it.
        path: PathBuf,
        /// How large it is to be.
        size: Bytes,
        /// What it needs beside what it holds already, margin included.
        needed: Bytes,
        /// Bytes free on its file system.
        free: Bytes,
    },
    /// Filling it could not start.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The user interrupted it.
    #[error("interrupted while {path} was laid out", path = .0.display())]
    #[fault(interrupted)]
    Cancelled(PathBuf),
}

impl JobDataFile {
    /// Opens the file for its jobs, or creates it.
    ///
    /// # Errors
    /// When it exists and belongs to somebody else, or the system does not allow it.
    pub fn open_or_create(request: JobFileRequest<'_>) -> Result<Self, JobFileError> {
        match Self::open(request) {
            Err(JobFileError::Target(TargetError::Open { source, .. }))
                if source.kind() == io::ErrorKind::NotFound =>
            {
                Self::create(request)
            }
            other => other,
        }
    }

    fn create(request: JobFileRequest<'_>) -> Result<Self, JobFileError> {
        let making = MakingGuard::begin();
        let handle = DirectoryEntry::of(request.path)
            .and_then(|entry| entry.create(0o644))
            .map_err(|source| {
                let is_link = request.path.is_symlink();
                if is_link && source.kind() == io::ErrorKind::AlreadyExists {
                    return JobFileError::Dangling(request.path.to_owned());
                }
                failure(request.path, "created", source)
            })?;
        let file = Self::of(handle, request, true, Holds::Ours, making);
        // Without attributes its name and size must speak for it; see `is_own`.
        file.begin(file.sizes());
        Ok(file)
    }

    fn of(
        handle: File,
        request: JobFileRequest<'_>,
        is_new: bool,
        holds: Holds,
        making: MakingGuard,
    ) -> Self {
        // As long as several write it, none of them says that it is finished.
        let _ = flock(&handle, FlockOperation::NonBlockingLockShared);
        let removed = request.is_removed && holds == Holds::Ours;
        Self {
            _known: removed
                .then(|| making.know(request.path, &handle))
                .flatten(),
            handle,
            path: request.path.to_owned(),
            size: request.size,
            is_new,
            is_written: request.is_written,
            blind_spots: Vec::new(),
            purpose: if removed {
                FilePurpose::Removed
            } else {
                FilePurpose::Kept
            },
            holds: Cell::new(holds),
            marked_sizes: Cell::new(None),
        }
    }

    /// Opens an existing file for its jobs.
    ///
    /// # Errors
    /// When it belongs to somebody else, or the system does not allow it.
    pub fn open(request: JobFileRequest<'_>) -> Result<Self, JobFileError> {
        let path = request.path;
        let looked_at = open_to_write_later(path)?;
        let metadata = looked_at
            .metadata()
            .map_err(|source| failure(path, "examined", source))?;
        if !metadata.is_file() {
            return Err(JobFileError::NotRegular(path.to_owned()));
        }
        let blind_spots = unused_storage(&looked_at, path, request.look)?;
        let holds = match is_own(&looked_at, Bytes(metadata.len()), request) {
            Ok(()) => Holds::Ours,
            Err(_) if request.overwrite => Holds::Foreign,
            Err(why) => {
                let path = path.to_owned();
                return Err(JobFileError::Foreign { path, why });
            }
        };
        // The inode that was looked at, whatever its name has become.
        let handle = reopen(&looked_at, OpenOptions::new().read(true).write(true))
            .map_err(|source| failure(path, "opened for writing", source))?;
        let mut file = Self::of(handle, request, false, holds, MakingGuard::begin());
        file.blind_spots = blind_spots;
        Ok(file)
    }

    /// Says on the file that it is being written, and what size it may have meanwhile.
    fn begin(&self, sizes: RangeInclusive<u64>) {
        let marked_sizes = Some((*sizes.start(), *sizes.end()));
        // What is said already would only be written to the disk once more.
        if self.holds.get() != Holds::Foreign
            && self.marked_sizes.get() != marked_sizes
            && mark::begin(&self.handle, self.purpose, sizes).is_ok()
        {
            self.holds.set(Holds::Writing);
            self.marked_sizes.set(marked_sizes);
        }
    }

    /// Any size that it has until it is laid out.
    fn sizes(&self) -> RangeInclusive<u64> {
        let unit = layout_unit(self.size.0);
        let whole = self.size.0.checked_next_multiple_of(unit);
        let present = self.handle.metadata().map_or(0, |file| file.len());
        0..=present.max(whole.unwrap_or(self.size.0))
    }

    /// Says on the file that it is written, unless another job is still writing it.
    fn finish(&self) {
        if self.holds.get() != Holds::Writing {
            return;
        }
        let alone = flock(&self.handle, FlockOperation::NonBlockingLockExclusive);
        if alone != Err(Errno::WOULDBLOCK) {
            // A file that bears a mark can have another.
            let _ = mark::finish(&self.handle, self.purpose);
            self.holds.set(Holds::Ours);
            self.marked_sizes.set(None);
        }
        // What was tried costs the lock that was held (flock(2)).
        let _ = flock(&self.handle, FlockOperation::NonBlockingLockShared);
    }

    /// The open file, for evidence about it.
    pub fn handle(&self) -> &File {
        &self.handle
    }

    /// How many bytes it holds now.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn present_size(&self) -> Result<Bytes, JobFileError> {
        self.handle
            .metadata()
            .map(|metadata| Bytes(metadata.len()))
            .map_err(|source| failure(&self.path, "examined", source))
    }

    /// Makes room for it.
    ///
    /// # Errors
    /// When there is none; a file created for it is removed then.
    pub fn allocate(&self, allocation: Allocation) -> Result<(), JobFileError> {
        self.or_removed(self.reserve(allocation))
    }

    /// Removes a file that was created for what has failed.
    fn or_removed(&self, made: Result<(), JobFileError>) -> Result<(), JobFileError> {
        if made.is_err() && self.is_new {
            self.remove();
        }
        made
    }

    fn reserve(&self, allocation: Allocation) -> Result<(), JobFileError> {
        self.check_room()?;
        self.begin(self.sizes());
        let flags = match allocation {
            Allocation::None => return Ok(()),
            Allocation::Truncate => None,
            Allocation::Reserve => Some(FallocateFlags::empty()),
            Allocation::ReserveKeepSize => Some(FallocateFlags::KEEP_SIZE),
        };
        if let Some(flags) = flags {
            match rustix::fs::fallocate(&self.handle, flags, 0, self.size.0) {
                // Not every file system can; the file then grows as it is written.
                Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
                Err(errno) => return Err(failure(&self.path, "allocated", errno.into())),
            }
        }
        if allocation != Allocation::ReserveKeepSize {
            self.set_size(self.size)?;
        }
        Ok(())
    }

    /// Fills all of it, through the page cache only where there is no other way, and
    /// makes it durable.
    ///
    /// # Errors
    /// When writing fails, or `control` cancels it; a file created for it is removed
    /// then.
    pub fn lay_out(
        &self,
        allocation: Allocation,
        content: DataContent,
        seed: u64,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<(), JobFileError> {
        self.or_removed(self.fill(allocation, content, seed, control, listener))
    }

    fn fill(
        &self,
        allocation: Allocation,
        content: DataContent,
        seed: u64,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<(), JobFileError> {
        self.begin(self.sizes());
        self.set_size(Bytes(0))?;
        // Nothing of what anybody else has written is left.
        if self.holds.get() == Holds::Foreign {
            self.holds.set(Holds::Ours);
        }
        self.allocate(allocation)?;
        // An odd size would be written in odd pieces, byte by byte at worst, and not at
        // all past the page cache: a little more is written and cut off.
        let whole = Bytes(self.size.0.next_multiple_of(layout_unit(self.size.0)));
        self.set_size(whole)?;
        let filled = LayoutFill {
            target: self.target_of(whole)?,
            total: self.size,
            content,
            seed,
        };
        filled.run(control, listener).map_err(|error| match error {
            LayoutError::Stage(error) => error.into(),
            LayoutError::Write { source, .. } => failure(&self.path, "written", source),
            LayoutError::Cancelled => JobFileError::Cancelled(self.path.clone()),
        })?;
        self.set_size(self.size)?;
        // Durable with the rest, so that nothing is left to be written during a job that reads.
        self.begin(self.size.0..=self.size.0);
        sync_watched(&self.handle, control, listener)
            .map_err(|source| failure(&self.path, "made durable", source))
    }

    /// A target that may be written.
    ///
    /// # Errors
    /// When the process has no file descriptor left.
    pub fn target(&self) -> Result<Target, JobFileError> {
        let present = self.present_size()?;
        if self.is_written {
            // One that is laid out keeps its size; another one grows.
            self.begin(match present >= self.size {
                true => present.0..=present.0,
                false => self.sizes(),
            });
        } else {
            // Whatever is written from now on, others have written.
            self.finish();
        }
        self.target_of(self.size)
    }

    fn target_of(&self, size: Bytes) -> Result<Target, JobFileError> {
        let handle = self
            .handle
            .try_clone()
            .map_err(|source| failure(&self.path, "reopened", source))?;
        let target = FileTarget::of_own_file(handle, self.path.clone(), size);
        Ok(Target::File(target.with_blind_spots(&self.blind_spots)))
    }

    /// Removes it, if its name still leads to it.
    pub fn remove(&self) {
        // What cannot be removed stays; its mark says whose it is.
        let _ = remove_held(&self.path, &self.handle);
    }

    fn set_size(&self, size: Bytes) -> Result<(), JobFileError> {
        self.handle
            .set_len(size.0)
            .map_err(|source| failure(&self.path, "resized", source))
    }

    /// A full file system would end a job in the middle of its measurement.
    fn check_room(&self) -> Result<(), JobFileError> {
        use std::os::unix::fs::MetadataExt;
        let Ok(space) = rustix::fs::fstatvfs(&self.handle) else {
            return Ok(());
        };
        let held = self.handle.metadata().map_or(0, |file| file.blocks() * 512);
        let free = Bytes(space.f_bavail.saturating_mul(space.f_frsize));
        let missing = free_space_needed(self.size).0.saturating_sub(held);
        if free.0 < missing {
            return Err(JobFileError::NoSpace {
                path: self.path.clone(),
                size: self.size,
                needed: Bytes(missing),
                free,
            });
        }
        Ok(())
    }
}

impl Drop for JobDataFile {
    fn drop(&mut self) {
        self.finish();
        // A program that is just being started holds a copy of the handle, which would keep other
        // jobs from saying that it is finished.
        let _ = flock(&self.handle, FlockOperation::Unlock);
    }
}

/// Whether a job of the user's laid the file out, and nobody has written it since.
fn is_own(file: &File, size: Bytes, request: JobFileRequest<'_>) -> Result<(), NotOurs> {
    let mut jobs = request.jobs.iter();
    let is_named = |job: &String| is_automatic_name(request.path, job);
    match mark::standing(file) {
        Ok(_) => Ok(()),
        Err(NotOurs::Unmarkable) if size == request.size && jobs.any(is_named) => Ok(()),
        Err(why) => Err(why),
    }
}

/// Whether a path ends in the name that a job gives its files: `JOB.CLONE.FILE`.
fn is_automatic_name(path: &Path, job: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    path.file_name()
        .and_then(|name| name.to_str()?.strip_prefix(job)?.strip_prefix('.'))
        .and_then(|numbers| numbers.split_once('.'))
        .is_some_and(|(thread, file)| is_number(thread) && is_number(file))
}

fn failure(path: &Path, action: &'static str, source: io::Error) -> JobFileError {
    JobFileError::System {
        path: path.to_owned(),
        action,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &Path, overwrite: bool) -> JobFileRequest<'_> {
        JobFileRequest {
            path,
            jobs: Vec::leak(vec!["seq".to_owned()]),
            size: Bytes::mib(1),
            overwrite,
            look: |_| sokudo_model::Users::default(),
            is_written: true,
            is_removed: false,
        }
    }

    #[test]
    fn what_is_no_file_of_storage_is_refused_and_no_link_is_followed() {
        let (directory, path) = at("link");
        let nothing = directory.path().join("nothing");
        std::os::unix::fs::symlink(&nothing, &path).unwrap();
        let refused = |path: &Path| JobDataFile::open_or_create(request(path, true)).unwrap_err();
        assert!(matches!(refused(&path), JobFileError::Dangling(_)));
        assert!(!nothing.exists());
        let kernel = refused(Path::new("/proc/self/comm")).to_string();
        assert!(
            kernel.contains("interface of the kernel's (proc)"),
            "{kernel}"
        );
        for path in ["/dev/null", "/dev/loop0", "/"] {
            refused(Path::new(path));
        }
    }

    #[test]
    fn a_file_for_which_there_is_no_room_is_not_left_behind() {
        let (_directory, path) = at("huge");
        let huge = with!(request(&path, false), size = Bytes(1 << 60));
        let file = JobDataFile::open_or_create(huge).unwrap();
        assert!(file.allocate(Allocation::Reserve).is_err());
        assert!(!path.exists());
    }

    /// A file that is not there yet, in a directory of its own.
    fn at(name: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        (directory, path)
    }

    fn laid_out(request: JobFileRequest<'_>) -> JobDataFile {
        let file = JobDataFile::open_or_create(request).unwrap();
        let (whole, content) = (Allocation::Reserve, DataContent::Random);
        let done = file.lay_out(whole, content, 1, &Control::new(), &mut |_| {});
        done.unwrap();
        file
    }

    /// Somebody writes it, later than any job: kernels before 6.13 count time in ticks, and
    /// one may have both writes.
    fn written_later(path: &Path) {
        std::fs::write(path, vec![7; 1 << 20]).unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1);
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(later).unwrap();
    }

    /// The same where there are marks. `None` is said loudly: names and sizes count there, which
    /// another test is about.
    fn at_with_marks(name: &str) -> Option<(tempfile::TempDir, std::path::PathBuf)> {
        let (directory, path) = at(name);
        let file = tempfile::tempfile_in(&directory).unwrap();
        let marked = mark::finish(&file, FilePurpose::Kept).ok();
        if marked.is_none() {
            eprintln!("SKIPPED: no attributes here");
        }
        marked.map(|()| (directory, path))
    }

    #[test]
    fn any_job_writes_what_a_job_has_laid_out_until_somebody_else_writes_it() {
        let Some((_directory, path)) = at_with_marks("shared") else {
            return;
        };
        let other = with!(request(&path, false), jobs = &[]);
        drop(laid_out(request(&path, false)));
        let again = JobDataFile::open(other).unwrap();
        drop(again.target().unwrap());
        drop(again);
        assert!(JobDataFile::open(request(&path, false)).is_ok());
        // A user who keeps something there, of whatever size.
        written_later(&path);
        let refused = JobDataFile::open(request(&path, false));
        let Err(JobFileError::Foreign { why, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(why, NotOurs::Changed);
        assert!(JobDataFile::open(with!(other, overwrite = true)).is_ok());
    }

    #[test]
    fn what_others_write_while_a_job_reads_is_theirs() {
        let Some((_directory, path)) = at_with_marks("shared") else {
            return;
        };
        let only_read = with!(request(&path, false), is_written = false);
        let file = laid_out(only_read);
        let _target = file.target().unwrap();
        written_later(&path);
        drop(file);
        let refused = JobDataFile::open(request(&path, false));
        assert!(matches!(refused, Err(JobFileError::Foreign { .. })));
    }

    #[test]
    fn a_killed_job_does_not_lock_itself_out() {
        let Some((_directory, path)) = at_with_marks("shared") else {
            return;
        };
        let file = laid_out(request(&path, false));
        let _target = file.target().unwrap();
        // Killed: nothing is dropped.
        file.holds.set(Holds::Ours);
        drop(file);
        let job = File::options().write(true).open(&path).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&job, b"job", 100).unwrap();
        assert!(JobDataFile::open(request(&path, false)).is_ok());
        std::fs::write(&path, "a letter").unwrap();
        assert!(JobDataFile::open(request(&path, false)).is_err());
    }

    #[test]
    fn while_another_job_writes_a_file_none_says_that_it_is_finished() {
        let Some((_directory, path)) = at_with_marks("shared") else {
            return;
        };
        let first = laid_out(request(&path, false));
        let second = JobDataFile::open(request(&path, false)).unwrap();
        let _target = second.target().unwrap();
        drop(first);
        std::os::unix::fs::FileExt::write_all_at(second.handle(), b"job", 100).unwrap();
        assert!(JobDataFile::open(request(&path, false)).is_ok());
        drop(second);
        assert!(JobDataFile::open(request(&path, false)).is_ok());
    }

    #[test]
    fn a_copy_in_a_program_that_is_being_started_keeps_no_job_from_finishing() {
        let Some((_directory, path)) = at_with_marks("shared") else {
            return;
        };
        let first = laid_out(request(&path, false));
        let _copy = first.handle().try_clone().unwrap();
        drop(first);
        let second = JobDataFile::open(request(&path, false)).unwrap();
        drop(second.target().unwrap());
        drop(second);
        written_later(&path);
        assert!(JobDataFile::open(request(&path, false)).is_err());
    }

    #[test]
    fn what_is_overwritten_in_part_is_not_ours_until_it_is_laid_out_anew() {
        let Some((_directory, path)) = at_with_marks("letters") else {
            return;
        };
        std::fs::write(&path, vec![7; 4 << 20]).unwrap();
        let file = JobDataFile::open(request(&path, true)).unwrap();
        drop(file.target().unwrap());
        drop(file);
        let refused = JobDataFile::open(request(&path, false));
        assert!(matches!(refused, Err(JobFileError::Foreign { .. })));
        drop(laid_out(request(&path, true)));
        assert!(JobDataFile::open(request(&path, false)).is_ok());
    }

    #[test]
    fn a_file_of_the_users_stays_as_it_is() {
        let (directory, path) = at("letter");
        std::fs::write(&path, "dear").unwrap();
        let refused = JobDataFile::open_or_create(request(&path, false)).unwrap_err();
        let message = refused.to_string();
        assert!(message.contains("overwrite=1"), "{message}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "dear");
        let link = directory.path().join("seq.0.0");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(JobDataFile::open_or_create(request(&link, false)).is_err());
    }

    #[test]
    fn a_laid_out_file_holds_data_to_its_last_byte_whatever_its_size() {
        let (_directory, path) = at("seq.0.0");
        for size in [10_001, 1 << 20, (1 << 20) + 1] {
            drop(laid_out(with!(request(&path, true), size = Bytes(size))));
            let content = std::fs::read(&path).unwrap();
            assert_eq!(content.len() as u64, size);
            let is_data = |block: &[u8]| block.iter().any(|byte| *byte != 0);
            let tail = &content[content.len() - 500..];
            assert!(content.chunks_exact(4096).all(is_data) && is_data(tail));
        }
    }

    #[test]
    fn an_interrupted_layout_leaves_no_new_file() {
        let (_directory, path) = at("seq.0.0");
        let large = with!(request(&path, false), size = Bytes::mib(64));
        let file = JobDataFile::open_or_create(large).unwrap();
        let control = Control::new();
        control.cancel();
        let interrupted = file.lay_out(
            Allocation::None,
            DataContent::Zero,
            7,
            &control,
            &mut |_| {},
        );
        assert!(matches!(interrupted, Err(JobFileError::Cancelled(_))));
        assert!(!path.exists());
    }

    #[test]
    fn automatic_names_are_the_jobs_own() {
        assert!(is_automatic_name(Path::new("/d/seq.0.12"), "seq"));
        for path in [
            "/d/seq",
            "/d/seq.0",
            "/d/seq.0.x",
            "/d/seq2.0.0",
            "/d/seq..",
        ] {
            assert!(!is_automatic_name(Path::new(path), "seq"), "{path}");
        }
    }
}
