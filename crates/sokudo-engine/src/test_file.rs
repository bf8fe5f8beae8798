//! The file that `sokudo` measures on when it is given a directory: created
//! exclusively, fully written, and gone afterwards whatever happens.
//!
//! Where the file system can, the file never has a name (`O_TMPFILE`), so that
//! even a killed process leaves nothing. Elsewhere it has a name that says what it
//! is and the mark of ours, and a later start finds it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, FallocateFlags};
use rustix::io::Errno;
use sokudo_model::{
    BufferMemory, Bytes, DataContent, Event, FailureKind, IoFailure, IssueOptions, Layout, Limits,
    Nanos, Operation, OperationMix, Stage, StopReason, Workload,
};
use sokudo_words::Text;

use crate::blocking_work::sync_watched;
use crate::clock::{Clock, RealClock};
use crate::control::Control;
use crate::mark::{self, FilePurpose};
use crate::own_name::{FILE_PREFIX, with_own_name};
use crate::removal::{DirectoryEntry, InodeIdentity, MakingGuard, Vanishing, create_unnamed};
use crate::stage::run_stage;
use crate::stage_error::StageError;
use crate::stage_options::StageOptions;
use crate::target::{FileTarget, Target};

/// Free space left over beside the file: 1/32 of it, for the file system's own
/// bookkeeping, and never below 4 MiB.
const MARGIN_DIVISOR: u64 = 32;
const MARGIN_BYTES_MIN: u64 = 4 << 20;

/// How the file is laid out: large blocks, and enough of them in flight that the
/// device never waits for us.
const LAYOUT_BLOCK_BYTES_MAX: u64 = 1 << 20;
const LAYOUT_DEPTH: u32 = 8;

/// A test file of our own. Dropping it removes it.
pub struct TestFile {
    handle: File,
    directory: PathBuf,
    name: Option<Name>,
    size: Bytes,
}

/// The name of a test file, where its file system demands one.
struct Name {
    path: PathBuf,
    entry: DirectoryEntry,
    _known: Option<Vanishing>,
}

/// Why there is no test file.
#[derive(Debug, sokudo_words::Error)]
pub enum TestFileError {
    /// The directory does not let us.
    #[error("no test file can be made in {directory}: {source}; {remedy}", directory = directory.display(), remedy = Text::from(*remedy))]
    Create {
        /// Directory that the file was to be made in.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
        /// What the user can do.
        remedy: &'static str,
    },
    /// The file system is too full.
    #[error("{directory} has {free} free, but a test file of {size} needs {needed}; {remedy}", directory = directory.display(), remedy = Text::from(room_remedy(*free)))]
    NoSpace {
        /// Directory that the file was to be made in.
        directory: PathBuf,
        /// Free for this user.
        free: Bytes,
        /// Size of the file.
        size: Bytes,
        /// Size of the file with a margin.
        needed: Bytes,
    },
    /// It could not be written.
    #[error("the test file in {directory} could not be written at offset {offset}: {source}; {remedy}", directory = directory.display(), remedy = Text::from(*remedy))]
    Write {
        /// Directory that the file was made in.
        directory: PathBuf,
        /// How far it came.
        offset: Bytes,
        /// What the system said.
        source: io::Error,
        /// What the user can do.
        remedy: &'static str,
    },
    /// Writing it could not start.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The user interrupted it.
    #[error("interrupted while the test file was written; it has been removed")]
    #[fault(interrupted)]
    Cancelled,
}

/// Free space that a test file of `size` needs, margin included.
pub fn free_space_needed(size: Bytes) -> Bytes {
    Bytes(
        size.0
            .saturating_add((size.0 / MARGIN_DIVISOR).max(MARGIN_BYTES_MIN)),
    )
}

/// Whether this process may make files in a directory, before anything is made there.
///
/// # Errors
/// When it may not, as where a file system is mounted read-only.
pub fn may_make_in(directory: &Path) -> Result<(), TestFileError> {
    rustix::fs::access(directory, Access::WRITE_OK)
        .map_err(|errno| create_error(directory, errno.into()))
}

/// A smaller file would fit the caches of the smallest drives and end a pass before a trial has
/// begun.
pub const TEST_FILE_SIZE_MIN: Bytes = Bytes::mib(16);

fn room_remedy(free: Bytes) -> &'static str {
    match free < free_space_needed(TEST_FILE_SIZE_MIN) {
        true => "not even the smallest fits; make room",
        false => "make room, or use a smaller test file",
    }
}

/// Whether a test file of this size fits into a directory, before one is made.
///
/// # Errors
/// When too little is free for this user, or the directory cannot be asked.
pub fn check_room(directory: &Path, size: Bytes) -> Result<(), TestFileError> {
    let statistics =
        rustix::fs::statvfs(directory).map_err(|errno| create_error(directory, errno.into()))?;
    let free = Bytes(statistics.f_bavail.saturating_mul(statistics.f_frsize));
    let needed = free_space_needed(size);
    match free < needed {
        true => Err(TestFileError::NoSpace {
            directory: directory.to_owned(),
            free,
            size,
            needed,
        }),
        false => Ok(()),
    }
}

impl TestFile {
    /// Makes an empty file in `directory`, after checking that `size` bytes have
    /// room there.
    ///
    /// # Errors
    /// When there is too little room or the directory does not allow it.
    pub fn create(directory: &Path, size: Bytes) -> Result<Self, TestFileError> {
        Self::create_where_room_is(directory, size, |path| {
            create_unnamed(sokudo_sys::folder_of(path)?, Path::new("."))
        })
    }

    /// The same with a name in any case, by which other processes can read it.
    ///
    /// # Errors
    /// As of [`Self::create`].
    pub fn create_for_readers(directory: &Path, size: Bytes) -> Result<Self, TestFileError> {
        let without_name = |_: &Path| Err(io::ErrorKind::Unsupported.into());
        Self::create_where_room_is(directory, size, without_name)
    }

    fn create_where_room_is(
        directory: &Path,
        size: Bytes,
        create_unnamed: impl FnOnce(&Path) -> io::Result<File>,
    ) -> Result<Self, TestFileError> {
        let failed = |source: io::Error| create_error(directory, source);
        check_room(directory, size)?;
        let (handle, name) = match create_unnamed(directory) {
            Ok(handle) => (handle, None),
            // What kernels and file systems without O_TMPFILE answer; NFS and FUSE
            // have their own words for it.
            Err(error) if !is_final(&error) => {
                let (handle, name) = create_named(directory, size).map_err(failed)?;
                (handle, Some(name))
            }
            Err(error) => return Err(failed(error)),
        };
        Ok(Self {
            handle,
            directory: directory.to_owned(),
            name,
            size,
        })
    }

    /// The open file, for evidence about it.
    pub fn handle(&self) -> &File {
        &self.handle
    }

    /// Gives it its size without writing it.
    ///
    /// # Errors
    /// When the file system does not allow it.
    pub fn reserve(&self) -> Result<(), TestFileError> {
        let failed = |source: io::Error| create_error(&self.directory, source);
        self.handle.set_len(self.size.0).map_err(failed)?;
        // Reserving the space at once keeps the file in few pieces. File systems that
        // cannot (and copy-on-write ones that ignore it) lay it out as it is written.
        let _ = rustix::fs::fallocate(&self.handle, FallocateFlags::empty(), 0, self.size.0);
        Ok(())
    }

    /// Takes all contents away, so that what is written next has to find room first.
    ///
    /// # Errors
    /// When the file system does not allow it.
    pub fn empty(&self) -> io::Result<()> {
        self.handle.set_len(0)
    }

    /// Its name, where the file system demands one.
    pub fn name(&self) -> Option<&Path> {
        self.name.as_ref().map(|name| name.path.as_path())
    }

    /// A target that may be written, because the file is ours.
    ///
    /// # Errors
    /// When the process has no file descriptor left.
    pub fn target(&self) -> io::Result<Target> {
        let path = self.name().unwrap_or(&self.directory).to_owned();
        let handle = self.handle.try_clone()?;
        Ok(Target::File(FileTarget::of_own_file(
            handle, path, self.size,
        )))
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // Nothing can be done about a failure here; the next start finds it.
            let _ = InodeIdentity::of(&self.handle)
                .and_then(|identity| name.entry.remove(identity, AtFlags::empty()));
        }
    }
}

/// Writes the whole file, through the page cache only where there is no other way,
/// and makes it durable.
///
/// # Errors
/// When writing fails, or `control` cancels it.
pub fn lay_out(
    file: &TestFile,
    content: DataContent,
    seed: u64,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Layout, TestFileError> {
    let clock = RealClock::new();
    let started_at = clock.now();
    let failed = |source: io::Error| create_error(&file.directory, source);
    file.reserve()?;
    let filled = LayoutFill {
        target: file.target().map_err(failed)?,
        total: file.size,
        content,
        seed,
    };
    let write_error = |offset, source: io::Error| TestFileError::Write {
        directory: file.directory.clone(),
        offset,
        remedy: remedy(&source),
        source,
    };
    filled.run(control, listener).map_err(|error| match error {
        LayoutError::Stage(error) => error.into(),
        LayoutError::Write { offset, source } => write_error(offset, source),
        LayoutError::Cancelled => TestFileError::Cancelled,
    })?;
    sync_watched(&file.handle, control, listener)
        .map_err(|source| write_error(file.size, source))?;
    Ok(Layout {
        bytes: file.size,
        elapsed: Nanos(clock.now() - started_at),
    })
}

/// A job's file of this size is laid out in multiples of so many bytes: of the logical
/// block of every disk at least, and of a large block where the file holds several.
pub(crate) fn layout_unit(size: u64) -> u64 {
    if size > LAYOUT_BLOCK_BYTES_MAX {
        LAYOUT_BLOCK_BYTES_MAX
    } else {
        4096
    }
}

/// A file that is to be written whole.
pub(crate) struct LayoutFill {
    pub(crate) target: Target,
    /// How large it is to be in the end, for those who watch.
    pub(crate) total: Bytes,
    pub(crate) content: DataContent,
    pub(crate) seed: u64,
}

/// Why a file is not written whole.
pub(crate) enum LayoutError {
    Stage(StageError),
    Write { offset: Bytes, source: io::Error },
    Cancelled,
}

impl LayoutFill {
    /// Writes all of the target, past the page cache where that can be.
    pub(crate) fn run(
        self,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<(), LayoutError> {
        let total = self.total;
        let stage = Stage {
            workloads: vec![layout_workload(self.target.size(), self.content)],
        };
        let options = StageOptions {
            seed: self.seed,
            ..StageOptions::default()
        };
        let mut tell = |event| match event {
            Event::Progress { bytes: written, .. } => {
                listener(Event::LayoutProgress { written, total });
            }
            Event::Stuck { .. } => listener(event),
            _ => {}
        };
        let outcomes = run_stage(&stage, options, &mut [self.target], control, &mut tell);
        for outcome in outcomes.map_err(LayoutError::Stage)? {
            if let Some(failure) = telling(&outcome.failures) {
                let offset = failure.offset;
                let source = match failure.kind {
                    FailureKind::Errno(errno) => io::Error::from_raw_os_error(errno),
                    FailureKind::Short { .. } | FailureKind::Nothing => {
                        io::ErrorKind::StorageFull.into()
                    }
                    FailureKind::Unanswered => io::ErrorKind::TimedOut.into(),
                    FailureKind::Nvme(_) => io::Error::from(rustix::io::Errno::IO),
                };
                return Err(LayoutError::Write { offset, source });
            }
            if outcome.stopped == StopReason::Cancelled {
                return Err(LayoutError::Cancelled);
            }
        }
        Ok(())
    }
}

/// The failure that says why. Where room ends, as by a quota, a write first moves only a part
/// of its bytes, and what comes behind it is told the reason.
fn telling(failures: &[IoFailure]) -> Option<&IoFailure> {
    let has_reason = |failure: &&IoFailure| matches!(failure.kind, FailureKind::Errno(_));
    failures
        .iter()
        .find(has_reason)
        .or_else(|| failures.first())
}

fn layout_workload(size: Bytes, content: DataContent) -> Workload {
    let block = LAYOUT_BLOCK_BYTES_MAX.min(1 << size.0.trailing_zeros().min(20));
    Workload {
        operations: OperationMix::only(Operation::Write),
        depth: LAYOUT_DEPTH,
        data: content,
        // Making the file is no figure.
        issuing: IssueOptions {
            memory: BufferMemory::Auto,
            ..IssueOptions::default()
        },
        limits: Limits {
            bytes: Some(size),
            ..Limits::default()
        },
        ..Workload::new("layout", Bytes(block))
    }
}

fn create_named(directory: &Path, size: Bytes) -> io::Result<(File, Name)> {
    with_own_name(directory, FILE_PREFIX, |path| {
        let entry = DirectoryEntry::of(&path)?;
        let making = MakingGuard::begin();
        let made_known = |handle: File| {
            let known = making.know(&path, &handle);
            // Marks it as in use; without locks it merely looks abandoned.
            let _ = handle.try_lock();
            // Without attributes only its name speaks for it.
            let _ = mark::begin(&handle, FilePurpose::Test, 0..=size.0);
            (handle, known)
        };
        // Its name comes last, where the file system can: who is killed before leaves nothing.
        let named_last = entry.create_unnamed().map(made_known);
        let named_last = named_last.and_then(|made| entry.link(&made.0).map(|()| made));
        let (handle, known) = match named_last {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                made_known(entry.create(0o600)?)
            }
            named_or_taken => named_or_taken?,
        };
        let name = Name {
            entry,
            _known: known,
            path: path.clone(),
        };
        Ok((handle, name))
    })
}

/// Errors that a file with a name would meet as well.
fn is_final(error: &io::Error) -> bool {
    use io::ErrorKind::{
        NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem, StorageFull,
    };
    matches!(
        error.kind(),
        NotFound | NotADirectory | PermissionDenied | ReadOnlyFilesystem | StorageFull
    )
}

fn create_error(directory: &Path, source: io::Error) -> TestFileError {
    TestFileError::Create {
        directory: directory.to_owned(),
        remedy: remedy(&source),
        source,
    }
}

pub(crate) fn remedy(error: &io::Error) -> &'static str {
    use io::ErrorKind;
    if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) {
        return "allow more open files (ulimit -n)";
    }
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => "name a directory that exists",
        ErrorKind::PermissionDenied => "name a directory that you may write to",
        ErrorKind::ReadOnlyFilesystem => {
            "it is mounted read-only; remount it for writing, or read an existing file instead"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "make room, or use a smaller test file"
        }
        ErrorKind::FileTooLarge => {
            "raise the limit of file sizes (ulimit -f), or use a smaller test file"
        }
        _ => "see the kernel's log (dmesg) for what the device reports",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::left_behind::{Search, left_behind};

    #[test]
    fn who_has_no_room_for_any_file_is_not_told_to_take_a_smaller_one() {
        for (free, remedy) in [(12, "not even the smallest fits"), (900, "use a smaller")] {
            let size = Bytes::gib(1);
            let error = TestFileError::NoSpace {
                directory: "/mnt".into(),
                free: Bytes::mib(free),
                size,
                needed: free_space_needed(size),
            };
            assert!(error.to_string().contains(remedy), "{error}");
        }
    }

    #[test]
    fn an_unnamed_file_leaves_no_trace() {
        let directory = tempfile::tempdir().unwrap();
        let file = TestFile::create(directory.path(), Bytes::mib(1)).unwrap();
        lay_out(&file, DataContent::Random, 1, &Control::new(), &mut |_| {}).unwrap();
        assert_eq!(file.handle().metadata().unwrap().len(), 1 << 20);
        if file.name().is_none() {
            assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        }
        drop(file);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    fn named(directory: &Path) -> TestFile {
        let (handle, name) = create_named(directory, Bytes(10)).unwrap();
        TestFile {
            handle,
            directory: directory.to_owned(),
            name: Some(name),
            size: Bytes(10),
        }
    }

    #[test]
    fn a_named_file_is_removed_and_found_when_it_was_not() {
        let directory = tempfile::tempdir().unwrap();
        let found = || left_behind(directory.path(), Search::Named);
        let file = named(directory.path());
        assert!(found().is_empty(), "it is in use");
        let second = named(directory.path());
        assert_ne!(
            file.name(),
            second.name(),
            "an existing file is never taken"
        );
        drop(file);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        // A killed process: the file is closed but not removed.
        second.handle.unlock().unwrap();
        assert_eq!(found().len(), 1);
        found()[0].remove().unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    /// Its name is exchanged for a file of somebody else's.
    #[test]
    fn what_has_taken_its_name_stays() {
        let directory = tempfile::tempdir().unwrap();
        let file = named(directory.path());
        let path = file.name().unwrap().to_owned();
        std::fs::rename(&path, directory.path().join("away")).unwrap();
        std::fs::write(&path, "mine").unwrap();
        drop(file);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn too_little_room_is_told_before_anything_is_made() {
        let directory = tempfile::tempdir().unwrap();
        let error = TestFile::create(directory.path(), Bytes(1 << 60))
            .err()
            .unwrap();
        assert!(matches!(error, TestFileError::NoSpace { .. }), "{error}");
        let missing = TestFile::create(Path::new("/no/such/place"), Bytes(1))
            .err()
            .unwrap();
        assert!(
            missing.to_string().contains("name a directory that exists"),
            "{missing}"
        );
    }

    #[test]
    fn where_room_ends_the_reason_is_told_and_not_that_a_write_was_short() {
        let failure = |kind| IoFailure {
            operation: Operation::Write,
            offset: Bytes(0),
            kind,
            count: 1,
        };
        let short = failure(FailureKind::Short {
            requested: 2,
            moved: 1,
        });
        let quota = failure(FailureKind::Errno(Errno::DQUOT.raw_os_error()));
        let both = [short.clone(), quota.clone()];
        assert_eq!(telling(&both), Some(&quota));
        assert_eq!(telling(&both[..1]), Some(&short));
        assert_eq!(telling(&[]), None);
    }

    #[test]
    fn every_byte_is_written_and_none_repeats() {
        let directory = tempfile::tempdir().unwrap();
        let size = Bytes(3 * 4096 + (9 << 20));
        let file = TestFile::create(directory.path(), size).unwrap();
        lay_out(&file, DataContent::Random, 9, &Control::new(), &mut |_| {}).unwrap();
        let mut contents = vec![0; size.0 as usize];
        std::os::unix::fs::FileExt::read_exact_at(file.handle(), &mut contents, 0).unwrap();
        let blocks: std::collections::HashSet<&[u8]> = contents.chunks(4096).collect();
        assert_eq!(blocks.len(), contents.len() / 4096);
    }
}
