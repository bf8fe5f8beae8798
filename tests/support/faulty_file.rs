//! A file whose disk fails as told: errors by range, short transfers, a limited speed, silence.
//!
//! It is the only file of a FUSE file system that the tests themselves are. What it
//! holds is in memory.

#![allow(dead_code, reason = "each program of tests uses its part")]

use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, Filesystem, FopenFlags, Generation,
    INodeNo, InitFlags, KernelConfig, LockOwner, OpenFlags, ReplyAttr, ReplyData, ReplyEmpty,
    ReplyEntry, ReplyOpen, ReplyWrite, Request, WriteFlags,
};

use crate::fuse::{self, MEMORY};
use crate::keeper::Kept;
use crate::loop_device::LoopDevice;
use crate::sokudo::{is_root, skip};

/// The only file, beside the root directory.
const FILE: INodeNo = INodeNo(2);
const FILE_NAME: &str = "disk";

/// More than a test has I/O under way, so that a hanging one keeps no other from coming.
const THREADS: usize = 8;

/// What the file does wrong.
#[derive(Default)]
pub(crate) struct Faults {
    /// Reads that touch one of these bytes fail.
    pub(crate) unreadable: Range<u64>,
    /// Writes that touch one of these bytes fail.
    pub(crate) unwritable: Range<u64>,
    /// Faults begin after so many transfers.
    pub(crate) good_transfers: u64,
    /// No transfer moves more than this.
    pub(crate) transfer_bytes_max: Option<usize>,
    /// It has less than it says.
    pub(crate) ends: Option<FalseEnd>,
    /// The most bytes and transfers per second.
    pub(crate) bytes_per_s: Option<u64>,
    pub(crate) transfers_per_s: Option<u64>,
    /// When all that has come is through at that speed.
    pub(crate) through_at: Option<Instant>,
    /// Transfers wait until this is false again.
    pub(crate) hangs: bool,
    /// Of them only those that touch one of these bytes, where there are any.
    pub(crate) hangs_at: Range<u64>,
    /// Flushes wait until this is false again.
    pub(crate) flushes_hang: bool,
    /// Transfers so far that have come, and of these those that wait.
    pub(crate) transfers: u64,
    pub(crate) waiting: u64,
}

/// Where a drive of false capacity really ends, and what it does with what lies beyond.
#[derive(Clone, Copy)]
pub(crate) struct FalseEnd {
    pub(crate) real: u64,
    pub(crate) beyond: Beyond,
}

#[derive(Clone, Copy)]
pub(crate) enum Beyond {
    /// Passes through the blocks from there on, of so many bytes, again and again.
    Folds { at: u64, length: u64 },
    /// Forgets writes, and reads this.
    Forgets(u8),
    /// Answers with an error.
    Fails,
}

/// What is kept together, whatever becomes of it.
const BLOCK: usize = 4096;

impl Faults {
    /// How long a transfer has to wait for those before it and for itself.
    fn pause(&mut self, length: usize) -> Duration {
        let seconds = |amount: u64, limit: Option<u64>| {
            limit.map_or(0.0, |per_second| amount as f64 / per_second as f64)
        };
        let own = seconds(length as u64, self.bytes_per_s).max(seconds(1, self.transfers_per_s));
        let now = Instant::now();
        let at = self.through_at.map_or(now, |at| at.max(now)) + Duration::from_secs_f64(own);
        self.through_at = Some(at);
        at - now
    }
}

/// What the tests and the file system share.
#[derive(Default)]
struct Shared {
    faults: Mutex<Faults>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Faults> {
        self.faults.lock().unwrap()
    }

    /// Where what is at an address is really kept; or what is read in its place.
    fn cell_of(&self, offset: u64) -> Result<usize, u8> {
        let cell = match self.lock().ends {
            Some(FalseEnd { real, beyond }) if offset >= real => match beyond {
                Beyond::Folds { at, length } => at + (offset - real) % length,
                Beyond::Forgets(byte) => return Err(byte),
                Beyond::Fails => return Err(0),
            },
            _ => offset,
        };
        Ok(usize::try_from(cell).unwrap())
    }

    fn refuses(&self, end: u64) -> bool {
        let ends = self.lock().ends;
        ends.is_some_and(|it| matches!(it.beyond, Beyond::Fails) && end > it.real)
    }

    /// Takes note of a transfer, lets it wait, and tells how much of it succeeds.
    fn pass(&self, offset: u64, length: usize, write: bool) -> Result<usize, Errno> {
        if self.refuses(offset + length as u64) {
            return Err(Errno::EIO);
        }
        let pause = self.lock().pause(length);
        thread::sleep(pause);
        let mut faults = self.lock();
        faults.transfers += 1;
        if faults.transfers <= faults.good_transfers {
            return Ok(length);
        }
        faults.waiting += 1;
        self.changed.notify_all();
        let mut faults = self
            .changed
            .wait_while(faults, |faults| {
                let end = offset + length as u64;
                let at = &faults.hangs_at;
                faults.hangs && (at.is_empty() || at.start < end && offset < at.end)
            })
            .unwrap();
        faults.waiting -= 1;
        let bad = if write {
            &faults.unwritable
        } else {
            &faults.unreadable
        };
        let end = offset + length as u64;
        if bad.start < end && offset < bad.end {
            return Err(Errno::EIO);
        }
        Ok(length.min(faults.transfer_bytes_max.unwrap_or(length)))
    }

    /// Lets a flush wait.
    fn pass_flush(&self) {
        let mut faults = self.lock();
        faults.waiting += 1;
        self.changed.notify_all();
        let mut faults = self
            .changed
            .wait_while(faults, |faults| faults.flushes_hang)
            .unwrap();
        faults.waiting -= 1;
    }

    /// Nothing waits any more: a process that waits for the file could never end, and a device over
    /// it not be detached.
    fn answer_all(&self) {
        let mut faults = self.lock();
        (faults.hangs, faults.flushes_hang) = (false, false);
        self.changed.notify_all();
    }
}

/// Unmounts the directory, whoever still uses it, and removes it.
const UNMOUNT: &str = "umount --lazy \"$made\"; rmdir \"$made\"";

pub(crate) struct FaultyFile {
    shared: Arc<Shared>,
    _session: BackgroundSession,
    kept: Kept,
}

impl FaultyFile {
    /// A file of `size` bytes of zeros. None, said loudly, where there can be none.
    pub(crate) fn new(size: usize, faults: Faults) -> Option<Self> {
        Self::mounted(size, faults, false)
    }

    /// The same, of which direct I/O that was submitted without waiting comes back by itself:
    /// otherwise the kernel waits in the system call that submits it.
    pub(crate) fn answering_later(size: usize, faults: Faults) -> Option<Self> {
        Self::mounted(size, faults, true)
    }

    fn mounted(size: usize, faults: Faults, answers_later: bool) -> Option<Self> {
        if !is_root() {
            skip("mounting a faulty file needs root");
            return None;
        }
        let shared = Arc::new(Shared::default());
        *shared.lock() = faults;
        let file_system = FileSystem {
            shared: Arc::clone(&shared),
            content: Mutex::new(vec![0; size]),
            answers_later,
        };
        let mut options = Config::default();
        options.n_threads = Some(THREADS);
        // It removes what it has made, whether or not something is mounted there.
        let kept = Kept::new("mktemp -d", UNMOUNT, [""; 0])?;
        let session = fuse::mount(file_system, Path::new(kept.made()), &options);
        Some(Self {
            _session: session.inspect_err(|error| skip(&error.to_string())).ok()?,
            shared,
            kept,
        })
    }

    pub(crate) fn path(&self) -> PathBuf {
        Path::new(self.kept.made()).join(FILE_NAME)
    }

    /// A block device over it. None, said loudly, where there can be none.
    pub(crate) fn as_disk(&self) -> Option<FileAsDisk<'_>> {
        let device = LoopDevice::over(&self.path(), true)?;
        Some(FileAsDisk { file: self, device })
    }

    /// Changes what it does wrong, from now on.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Faults)) {
        change(&mut self.shared.lock());
        self.shared.changed.notify_all();
    }

    /// How many transfers have come so far.
    pub(crate) fn transfers(&self) -> u64 {
        self.shared.lock().transfers
    }

    /// Waits until a transfer hangs; false if none has after `time`.
    pub(crate) fn wait_until_it_hangs(&self, time: Duration) -> bool {
        let (faults, _) = self
            .shared
            .changed
            .wait_timeout_while(self.shared.lock(), time, |faults| faults.waiting == 0)
            .unwrap();
        faults.waiting > 0
    }
}

impl Drop for FaultyFile {
    fn drop(&mut self) {
        self.shared.answer_all();
    }
}

/// A block device over a faulty file.
pub(crate) struct FileAsDisk<'a> {
    file: &'a FaultyFile,
    device: LoopDevice,
}

impl FileAsDisk<'_> {
    pub(crate) fn path(&self) -> &Path {
        &self.device.path
    }

    /// What the kernel has read of it so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.device.counters().read_bytes
    }
}

impl Drop for FileAsDisk<'_> {
    fn drop(&mut self) {
        self.file.shared.answer_all();
    }
}

/// A transfer's blocks: the address of each, and which part of the transfer it is.
fn blocks(offset: u64, length: usize) -> impl Iterator<Item = (u64, Range<usize>)> {
    let first = BLOCK - usize::try_from(offset).unwrap() % BLOCK;
    let starts = std::iter::once(0).chain((first..length).step_by(BLOCK));
    starts
        .filter(move |start| *start < length)
        .map(move |start| {
            let end = if start == 0 { first } else { start + BLOCK };
            (offset + start as u64, start..end.min(length))
        })
}

struct FileSystem {
    shared: Arc<Shared>,
    content: Mutex<Vec<u8>>,
    answers_later: bool,
}

impl FileSystem {
    fn attributes(&self, node: INodeNo) -> FileAttr {
        let size = self.content.lock().unwrap().len() as u64;
        fuse::attributes(node, (node == FILE).then_some(size))
    }
}

impl Filesystem for FileSystem {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        if !self.answers_later {
            return Ok(());
        }
        let asked = config.add_capabilities(InitFlags::FUSE_ASYNC_DIO);
        asked.map_err(|_| io::ErrorKind::Unsupported.into())
    }

    fn lookup(&self, _: &Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if name == FILE_NAME {
            reply.entry(&MEMORY, &self.attributes(FILE), Generation(0));
        } else {
            reply.error(Errno::ENOENT);
        }
    }

    fn getattr(&self, _: &Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&MEMORY, &self.attributes(node));
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        // Past the page cache, which would split and join transfers.
        reply.opened(FileHandle(0), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn read(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.shared.pass(offset, size as usize, false) {
            Ok(length) => {
                let content = self.content.lock().unwrap();
                let behind = content
                    .len()
                    .saturating_sub(usize::try_from(offset).unwrap());
                let length = length.min(behind);
                let mut data = Vec::with_capacity(length);
                for (from, part) in blocks(offset, length) {
                    match self.shared.cell_of(from) {
                        Ok(cell) => data.extend_from_slice(&content[cell..cell + part.len()]),
                        Err(byte) => data.resize(data.len() + part.len(), byte),
                    }
                }
                reply.data(&data);
            }
            Err(error) => reply.error(error),
        }
    }

    fn write(
        &self,
        _: &Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.shared.pass(offset, data.len(), true) {
            Ok(length) => {
                let mut content = self.content.lock().unwrap();
                for (from, part) in blocks(offset, length) {
                    if let Ok(cell) = self.shared.cell_of(from) {
                        content[cell..cell + part.len()].copy_from_slice(&data[part]);
                    }
                }
                reply.written(u32::try_from(length).unwrap());
            }
            Err(error) => reply.error(error),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.shared.pass_flush();
        reply.ok();
    }
}
