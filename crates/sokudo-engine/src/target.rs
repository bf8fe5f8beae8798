//! What is read and written, and the only place where anything is opened for
//! writing.
//!
//! A [`FileTarget`] is read-only unless it carries a permit, and permits come
//! from three places: a file that we have created ourselves, the user's word that
//! one regular file may be overwritten, and, for a block device, a
//! [`DevicePermit`], for which the user must have named the device. With a
//! [`RewritePermit`] a device can only be written back: a survey writes to each place
//! what it has just read there.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, OFlags, StatxFlags, ioctl_blksszget, statx};
use sokudo_model::{Bytes, DirectMode, Nanos, Operation};
use sokudo_sys::{NamedEntry, Namespace, NamespaceError, reopen};
use sokudo_words::Text;

use crate::consent::{ClaimedDevice, DevicePermit, InUse, Look, RewritePermit, unused};
use crate::kernel_files;
use crate::sim;
use crate::simulated_contents::SimulatedContents;
use crate::write_back::WriteBackFile;

/// The smallest unit of buffered I/O is a page.
const PAGE_BYTES: u64 = 4096;

/// The smallest sector there is, for what says nothing about itself.
pub(crate) const SECTOR_BYTES: u64 = 512;

/// What a stage runs on.
#[expect(clippy::large_enum_variant, reason = "a plan has a few of them")]
pub enum Target {
    /// A file or a block device.
    File(FileTarget),
    /// No device: the cost of the engine itself, on this many imaginary bytes.
    Null(Bytes),
    /// A simulated device, which runs in virtual time.
    Simulated(SimulatedTarget),
}

impl Target {
    /// Size of the target in bytes, real or imaginary.
    pub fn size(&self) -> Bytes {
        match self {
            Self::File(file) => file.size,
            Self::Null(size) => *size,
            Self::Simulated(simulated) => simulated.device.size(),
        }
    }
}

/// A simulated device and how far its time has come.
pub struct SimulatedTarget {
    /// Model of the device, with its state.
    pub device: sim::SimulatedDevice,
    pub(crate) now: u64,
    /// Trials so far, modulo 2^16. What one of them waits for no longer ends in another.
    pub(crate) trials: u64,
    /// What it would hold.
    pub(crate) contents: SimulatedContents,
}

impl SimulatedTarget {
    /// A device at time zero.
    pub fn new(device: sim::SimulatedDevice) -> Self {
        Self {
            device,
            now: 0,
            trials: 0,
            contents: SimulatedContents::default(),
        }
    }

    /// Flushes the device's cache and lets its time pass meanwhile, so that what
    /// was written before does not slow down what comes next.
    pub fn settle(&mut self) {
        // What it answers changes nothing.
        let _ = self.perform(Operation::Flush, 0, 0);
    }

    /// Does one thing and lets time pass until it is done: bytes moved, or an error number;
    /// `None` where it is never answered.
    pub(crate) fn perform(
        &mut self,
        operation: Operation,
        offset: u64,
        bytes: u64,
    ) -> Option<Result<u64, i32>> {
        let request = sim::SimulatedRequest {
            id: u64::MAX,
            operation,
            offset,
            bytes,
        };
        let mut completed: Vec<sim::Completion> = Vec::new();
        self.device.submit(Nanos(self.now), request);
        loop {
            if let Some(done) = completed.iter().find(|it| it.id == request.id) {
                return Some(done.result);
            }
            let at = self.device.next_event()?;
            self.now = at.0;
            self.device.advance(at, &mut completed);
        }
    }
}

/// Proof that a file may be written. Cannot be made outside this module.
struct WritePermit(());

/// What may be done to a file besides reading it.
enum FilePermission {
    Nothing,
    /// What has just been read may be written to the same place.
    WritingBack,
    Writing(WritePermit),
}

/// A file or block device that is held open, so that it stays the same one
/// whatever happens to its name.
pub struct FileTarget {
    handle: File,
    path: PathBuf,
    size: Bytes,
    allowed: FilePermission,
    blind_spots: Vec<Text>,
}

/// Why a file cannot be used.
#[derive(Debug, sokudo_words::Error)]
pub enum TargetError {
    /// It cannot be opened.
    #[error("{path} cannot be opened: {source}", path = path.display())]
    Open {
        /// Path of the file, as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Neither a regular file nor a block device.
    #[error("{path} is neither a regular file nor a block device; name one, or a directory", path = .0.display())]
    NotStorage(PathBuf),
    /// Only regular files are overwritten.
    #[error("{path} is not a regular file, and nothing else is ever overwritten; measure a directory on it instead", path = .0.display())]
    #[fault(refused)]
    NotRegular(PathBuf),
    /// It is a switch of the kernel's.
    #[error("{path} is an interface of the kernel's ({1}), not storage, so it is not written; name a file on a disk", path = .0.display())]
    #[fault(refused)]
    NotStorageButKernel(PathBuf, &'static str),
    /// Somebody else uses it.
    #[error("{path} is not written, whatever is allowed: {1}", path = .0.display())]
    #[fault(refused)]
    InUse(PathBuf, Box<InUse>),
    /// Writing was asked for without consent.
    #[error("{path} is only read, because writing would destroy what it holds; use a directory, in which sokudo makes a file of its own", path = .0.display())]
    #[fault(refused)]
    ReadOnly(PathBuf),
    /// It is no drive to which commands can be passed.
    #[error("{path} takes no commands past the block layer: {1}", path = .0.display())]
    NoCommands(PathBuf, NamespaceError),
    /// Direct I/O was demanded and there is none.
    #[error("{path} cannot be opened for direct I/O: its file system has none; use --direct off, and expect figures of the page cache", path = .0.display())]
    #[fault(usage)]
    NoDirect(PathBuf),
}

impl TargetError {
    /// What is said of a file that the system does not open.
    pub(crate) fn not_opened(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::Open {
            path: path.to_owned(),
            source,
        }
    }
}

impl FileTarget {
    /// A regular file or block device that is only ever read.
    ///
    /// # Errors
    /// When it cannot be opened or is something else.
    pub fn read_only(path: &Path) -> Result<Self, TargetError> {
        Self::of_looked_at(open_to_look(path)?, path)
    }

    fn of_looked_at(handle: File, path: &Path) -> Result<Self, TargetError> {
        let opened = TargetError::not_opened(path);
        let kind = handle.metadata().map_err(opened)?.file_type();
        if !kind.is_file() && !kind.is_block_device() {
            return Err(TargetError::NotStorage(path.to_owned()));
        }
        // Seeking tells the size of a block device, too, where stat says 0.
        let size = Bytes((&handle).seek(SeekFrom::End(0)).map_err(opened)?);
        Ok(Self {
            handle,
            path: path.to_owned(),
            size,
            allowed: FilePermission::Nothing,
            blind_spots: Vec::new(),
        })
    }

    /// An existing regular file that the user allows to be overwritten.
    ///
    /// # Errors
    /// As [`Self::read_only`], for everything that is not a regular file, and for one that
    /// somebody else uses, as `look` finds out.
    pub fn overwrite(path: &Path, look: Look) -> Result<Self, TargetError> {
        let target = Self::of_looked_at(open_to_write_later(path)?, path)?;
        // The handle is what is checked and what is later written, so the name
        // cannot be exchanged in between.
        let opened = TargetError::not_opened(path);
        if !target.handle.metadata().map_err(opened)?.is_file() {
            return Err(TargetError::NotRegular(path.to_owned()));
        }
        let blind_spots = unused_storage(&target.handle, path, look)?;
        Ok(Self {
            allowed: FilePermission::Writing(WritePermit(())),
            blind_spots,
            ..target
        })
    }

    /// An existing regular file whose places may be written back after they were read,
    /// and not otherwise.
    ///
    /// # Errors
    /// As [`Self::overwrite`].
    pub fn file_for_write_back(path: &Path, look: Look) -> Result<Self, TargetError> {
        Ok(Self {
            allowed: FilePermission::WritingBack,
            ..Self::overwrite(path, look)?
        })
    }

    /// A file that this process has created exclusively.
    pub(crate) fn of_own_file(handle: File, path: PathBuf, size: Bytes) -> Self {
        Self {
            handle,
            path,
            size,
            allowed: FilePermission::Writing(WritePermit(())),
            blind_spots: Vec::new(),
        }
    }

    /// The same, with what could not be seen of who else uses it.
    pub(crate) fn with_blind_spots(self, blind_spots: &[Text]) -> Self {
        Self {
            blind_spots: blind_spots.to_vec(),
            ..self
        }
    }

    /// A block device that the user has allowed to be destroyed.
    pub fn of_device(permit: DevicePermit) -> Self {
        Self::claimed(permit.0, FilePermission::Writing(WritePermit(())))
    }

    /// A block device whose places may be written back after they were read, and not
    /// otherwise.
    pub fn for_write_back(permit: RewritePermit) -> Self {
        Self::claimed(permit.0, FilePermission::WritingBack)
    }

    fn claimed(device: ClaimedDevice, allowed: FilePermission) -> Self {
        Self {
            handle: device.handle,
            path: device.path,
            size: device.size,
            allowed,
            blind_spots: device.blind_spots,
        }
    }

    /// What could not be seen of who else uses it, before it was allowed to be written.
    pub fn blind_spots(&self) -> &[Text] {
        &self.blind_spots
    }

    /// Its path, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open file, for evidence about it.
    pub fn handle(&self) -> &File {
        &self.handle
    }

    /// Size of the file or device in bytes.
    pub fn size(&self) -> Bytes {
        self.size
    }

    /// Whether it is a file in a file system, not a device.
    pub(crate) fn is_regular(&self) -> bool {
        self.handle
            .metadata()
            .is_ok_and(|metadata| metadata.is_file())
    }

    /// Whether it may be written.
    pub fn is_writable(&self) -> bool {
        matches!(self.allowed, FilePermission::Writing(_))
    }

    /// Whether what has just been read may be written back to the same place.
    pub fn may_be_written_back(&self) -> bool {
        !matches!(self.allowed, FilePermission::Nothing)
    }

    /// Opens it once more for writing back, and says whether the page cache is bypassed.
    pub(crate) fn open_to_write_back(
        &self,
        direct: DirectMode,
    ) -> Result<(WriteBackFile, bool), TargetError> {
        if !self.may_be_written_back() {
            return Err(TargetError::ReadOnly(self.path.clone()));
        }
        let (file, direct) = self.open_anew(true, direct)?;
        Ok((WriteBackFile::new(file), direct))
    }

    /// Opens it once more, for reading or for writing as well, and says whether
    /// the page cache is bypassed.
    pub(crate) fn open(
        &self,
        write: bool,
        direct: DirectMode,
    ) -> Result<(File, bool), TargetError> {
        if write && !self.is_writable() {
            return Err(TargetError::ReadOnly(self.path.clone()));
        }
        self.open_anew(write, direct)
    }

    /// The NVMe namespace that it is, to be read or to be written as well.
    pub(crate) fn namespace(&self, write: bool) -> Result<Namespace, TargetError> {
        if write && !self.is_writable() {
            return Err(TargetError::ReadOnly(self.path.clone()));
        }
        Namespace::of_block_device(&self.handle, write)
            .map_err(|why| TargetError::NoCommands(self.path.clone(), why))
    }

    /// The same, whoever may.
    fn open_anew(&self, write: bool, direct: DirectMode) -> Result<(File, bool), TargetError> {
        let opened = TargetError::not_opened(&self.path);
        if direct == DirectMode::Off {
            return Ok((self.reopen(write, OFlags::empty()).map_err(opened)?, false));
        }
        match self.reopen(write, OFlags::DIRECT) {
            Ok(file) => Ok((file, true)),
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(opened(error)),
            Err(_) if direct == DirectMode::On => Err(TargetError::NoDirect(self.path.clone())),
            Err(_) => Ok((self.reopen(write, OFlags::empty()).map_err(opened)?, false)),
        }
    }

    /// A new open of the same inode, even when it has no name any more.
    fn reopen(&self, write: bool, flags: OFlags) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options
            .read(true)
            .write(write)
            .custom_flags(flag_bits(flags));
        reopen(&self.handle, &options)
    }
}

/// Opens something to see what it is.
pub(crate) fn open_to_look(path: &Path) -> Result<File, TargetError> {
    // O_NONBLOCK: a FIFO must not hang us before that.
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flag_bits(OFlags::NONBLOCK))
        .open(path);
    opened.map_err(TargetError::not_opened(path))
}

/// The same of what may be written later: it is found only as `NamedEntry` says.
pub(crate) fn open_to_write_later(path: &Path) -> Result<File, TargetError> {
    let options = OpenOptions::new()
        .read(true)
        .custom_flags(flag_bits(OFlags::NONBLOCK))
        .to_owned();
    let there = NamedEntry::of(path).and_then(|entry| match &entry.there {
        Some(there) => reopen(there, &options),
        None => Err(io::ErrorKind::NotFound.into()),
    });
    there.map_err(TargetError::not_opened(path))
}

/// What could not be seen of who uses a regular file; an error where somebody does, or where
/// it is an interface of the kernel's.
pub(crate) fn unused_storage(
    file: &File,
    path: &Path,
    look: Look,
) -> Result<Vec<Text>, TargetError> {
    if let Some(kind) = kernel_files::kind_of(file) {
        return Err(TargetError::NotStorageButKernel(path.to_owned(), kind));
    }
    unused(file, look).map_err(|users| TargetError::InUse(path.to_owned(), Box::new(users)))
}

fn flag_bits(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}

/// The smallest unit in which a target is read and written, as far as it says.
pub(crate) fn logical_bytes(target: &Target, direct: bool) -> u64 {
    let Target::File(file) = target else {
        return SECTOR_BYTES;
    };
    match direct {
        true => direct_unit(file).unwrap_or(PAGE_BYTES),
        false => PAGE_BYTES,
    }
}

/// The unit of direct I/O, where device or file system tell it.
pub(crate) fn direct_unit(file: &FileTarget) -> Option<u64> {
    let handle = file.handle();
    if let Ok(bytes) = ioctl_blksszget(handle) {
        return Some(u64::from(bytes).max(SECTOR_BYTES));
    }
    let answer = statx(handle, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN).ok()?;
    Some(answer.stx_dio_offset_align.into()).filter(|unit| *unit > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Occupant, Users};
    use std::io::Write;

    #[test]
    fn a_file_without_permit_is_never_opened_for_writing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let target = FileTarget::read_only(file.path()).unwrap();
        assert!(target.open(false, DirectMode::Off).is_ok());
        let refused = target.open(true, DirectMode::Off);
        assert!(matches!(refused, Err(TargetError::ReadOnly(_))));
        let (mut opened, _) = target.open(false, DirectMode::Off).unwrap();
        assert!(
            opened.write_all(b"x").is_err(),
            "the descriptor itself is read-only"
        );
    }

    #[test]
    fn only_regular_files_are_overwritten() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(
            FileTarget::overwrite(file.path(), |_| Users::default())
                .unwrap()
                .open(true, DirectMode::Off)
                .is_ok()
        );
        for path in [
            "/dev/loop0",
            "/dev/vda",
            "/dev/zram0",
            "/dev/null",
            "/",
            "/proc/self/mem",
        ] {
            let refused = FileTarget::overwrite(Path::new(path), |_| Users::default());
            assert!(refused.is_err(), "{path}");
        }
    }

    #[test]
    fn what_somebody_uses_is_refused_and_what_is_not_seen_is_noted() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let used = |_: &File| Users {
            occupants: vec![Occupant::Opened {
                what: "it".into(),
                pid: 7,
                program: "qemu".to_owned(),
            }],
            blind_spots: Vec::new(),
        };
        for refused in [
            FileTarget::overwrite(file.path(), used),
            FileTarget::file_for_write_back(file.path(), used),
        ] {
            let message = refused.err().unwrap().to_string();
            assert!(
                message.contains("process 7 (qemu) has it open"),
                "{message}"
            );
            assert!(message.contains("stop that first"), "{message}");
        }
        let unseen = |_: &File| Users {
            occupants: Vec::new(),
            blind_spots: vec!["Nobody knows.".into()],
        };
        let target = FileTarget::overwrite(file.path(), unseen).unwrap();
        assert_eq!(target.blind_spots(), ["Nobody knows."]);
    }

    #[test]
    fn things_that_are_no_storage_are_refused() {
        for path in ["/dev/null", "/"] {
            let refused = FileTarget::read_only(Path::new(path));
            assert!(matches!(refused, Err(TargetError::NotStorage(_))), "{path}");
        }
        let missing = FileTarget::read_only(Path::new("/does/not/exist"))
            .err()
            .unwrap();
        assert!(
            missing
                .to_string()
                .contains("/does/not/exist cannot be opened")
        );
    }
}
