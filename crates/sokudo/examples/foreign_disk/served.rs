//! The file system with one file, and the dispatcher that lets a model take its time.
//!
//! Requests come from the kernel on FUSE's threads and go to one dispatcher. It hands a waiting
//! request to a free lane, the model says how long it takes, and the reply goes out when that
//! time is over. Time is the model's: a lane that has requests waiting begins the next one when
//! the last one ended, not when that was noticed, so that lateness does not add up.

use std::collections::{HashMap, VecDeque};
use std::ffi::OsStr;
use std::io;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use fuser::{
    BackgroundSession, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags,
    Generation, INodeNo, InitFlags, KernelConfig, LockOwner, MountOption, OpenFlags, ReplyAttr,
    ReplyData, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, WriteFlags,
};
use serde_json::{Value, json};

use crate::model::{Draw, MIB, Model, Operation, Outcome, Request, mixed};

/// The only file, beside the root directory.
const FILE: INodeNo = INodeNo(2);
pub(crate) const FILE_NAME: &str = "disk";

/// Nothing is remembered by the kernel for longer than that.
const MEMORY: Duration = Duration::from_secs(1);

/// They only take requests in; one more than that copies while another waits.
const THREADS: usize = 2;

/// The largest request: `fs.fuse.max_pages_limit` is 256 pages unless it was changed.
const REQUEST_BYTES_MAX: u32 = MIB as u32;

/// More than any client has under way; FUSE's own bound of 12 would be a queue depth of 12.
const UNDER_WAY_MAX: u16 = 1_024;

/// A thread wakes up some tens of microseconds late; the last part is waited for awake.
const AWAKE: Duration = Duration::from_micros(50);

/// How late answers went out: on a busy machine the model is not what is measured.
#[derive(Default)]
pub(crate) struct Late {
    /// By the binary digits of their microseconds, and all together.
    answers: [AtomicU64; 32],
    sum_us: AtomicU64,
    most_us: AtomicU64,
}

impl Late {
    fn count(&self, late: Duration) {
        let us = late.as_micros() as u64;
        let digits = (u64::BITS - us.leading_zeros()) as usize;
        self.answers[digits.min(self.answers.len() - 1)].fetch_add(1, Relaxed);
        self.sum_us.fetch_add(us, Relaxed);
        self.most_us.fetch_max(us, Relaxed);
    }

    /// Of all answers so far; the one in a hundred that were later, to the next power of two.
    pub(crate) fn told(&self) -> Value {
        let answers = self.answers.each_ref().map(|it| it.load(Relaxed));
        let all = answers.iter().sum::<u64>();
        let mut below = 0;
        let digits = answers.iter().position(|count| {
            below += count;
            below * 100 >= all * 99
        });
        json!({
            "answers": all,
            "late_mean_us": self.sum_us.load(Relaxed) as f64 / all.max(1) as f64,
            "late_99_percent_below_us": digits.map(|digits| 1_u64 << digits),
            "late_most_us": self.most_us.load(Relaxed),
        })
    }
}

/// Mounts the file system and serves the model from a thread of its own.
pub(crate) fn mount(
    model: Box<dyn Model>,
    seed: u64,
    directory: &Path,
    late: Arc<Late>,
) -> io::Result<BackgroundSession> {
    let (jobs, new) = channel();
    let noise = (!model.keeps_contents()).then(|| Arc::new(Noise::new(seed)));
    let file_system = FileSystem {
        bytes: model.bytes(),
        noise: noise.clone(),
        start: Instant::now(),
        jobs,
    };
    let dispatcher = Dispatcher {
        lanes: vec![Duration::ZERO; model.lanes()],
        model,
        start: file_system.start,
        new,
        waiting: Vec::new(),
        replies: VecDeque::new(),
        endings: Vec::new(),
        kept: Kept::default(),
        lately: noise.map(Lately::new),
        late,
    };
    thread::Builder::new()
        .name("dispatcher".to_owned())
        .spawn(move || dispatcher.run())?;
    let mut options = Config::default();
    options.n_threads = Some(THREADS);
    options.mount_options = vec![MountOption::FSName("foreign_disk".to_owned())];
    fuser::spawn_mount(file_system, directory, &options)
}

/// What waits for an answer. A read brings what it will read where contents are not kept.
enum Reply {
    Read(ReplyData, Vec<u8>),
    Write(ReplyWrite, Vec<u8>),
    Flush(ReplyEmpty),
}

struct Job {
    request: Request,
    reply: Reply,
}

/// A request that is being served, and when that is over.
struct Ending {
    at: Duration,
    length: u64,
    outcome: Outcome,
    reply: Reply,
}

struct Dispatcher {
    model: Box<dyn Model>,
    start: Instant,
    new: Receiver<Job>,
    /// When each lane is free.
    lanes: Vec<Duration>,
    /// In the order of arrival, as are their replies.
    waiting: Vec<Request>,
    replies: VecDeque<Reply>,
    endings: Vec<Ending>,
    /// What has been written: all of it, or where the model does not ask for that, the last.
    kept: Kept,
    lately: Option<Lately>,
    late: Arc<Late>,
}

impl Dispatcher {
    /// Until the file system is gone.
    fn run(mut self) {
        // A wait is not put off so that others can be waited for with it.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        loop {
            while let Ok(job) = self.new.try_recv() {
                self.take(job);
            }
            let now = self.start.elapsed();
            while self.begin(now) {}
            self.end(now);
            if !self.wait() {
                return;
            }
        }
    }

    fn take(&mut self, job: Job) {
        let arrived = job.request.arrived;
        let index = self.waiting.partition_point(|it| it.arrived <= arrived);
        self.waiting.insert(index, job.request);
        self.replies.insert(index, job.reply);
    }

    /// Hands a request to the lane that is free for longest. False: there is none, or no request.
    fn begin(&mut self, now: Duration) -> bool {
        let free = (0..self.lanes.len()).min_by_key(|lane| self.lanes[*lane]);
        let lane = free.expect("a model has a lane");
        let Some(first) = self.waiting.first() else {
            return false;
        };
        let begins = self.lanes[lane].max(first.arrived);
        if begins > now {
            return false;
        }
        let known = self.waiting.partition_point(|it| it.arrived <= begins);
        let index = self.model.choose(begins, &self.waiting[..known]);
        let request = self.waiting.remove(index);
        let reply = self.replies.remove(index);
        let mut reply = reply.expect("each request has a reply");
        let (time, outcome) = self.model.serve(begins, &request);
        self.lanes[lane] = begins + time;
        self.transfer(&request, outcome, &mut reply);
        self.endings.push(Ending {
            at: begins + time,
            length: request.length,
            outcome,
            reply,
        });
        true
    }

    /// Moves what is kept. Its copying is done by the time the reply goes out.
    fn transfer(&mut self, request: &Request, outcome: Outcome, reply: &mut Reply) {
        let length = moved(request.length, outcome).unwrap_or(0) as usize;
        if let Some(lately) = &mut self.lately {
            match reply {
                Reply::Read(_, data) => lately.read(request.offset, data),
                Reply::Write(_, data) => lately.write(request.offset, &data[..length]),
                Reply::Flush(_) => {}
            }
            return;
        }
        match reply {
            Reply::Read(_, data) => {
                data.resize(length, 0);
                self.kept.read(&mut *self.model, request.offset, data);
            }
            Reply::Write(_, data) => {
                data.truncate(length);
                self.model.spoil(request.offset, data);
                self.kept.write(&*self.model, request.offset, data);
            }
            Reply::Flush(_) => {}
        }
    }

    /// Answers what is over.
    fn end(&mut self, now: Duration) {
        while let Some(index) = self.endings.iter().position(|it| it.at <= now) {
            let ending = self.endings.swap_remove(index);
            self.late.count(self.start.elapsed() - ending.at);
            answer(ending);
        }
    }

    /// Until something is over, a lane becomes free or a request comes. False: none can.
    fn wait(&mut self) -> bool {
        // A lane becomes free when its request is over.
        let Some(at) = self.endings.iter().map(|it| it.at).min() else {
            return match self.new.recv() {
                Ok(job) => {
                    self.take(job);
                    true
                }
                Err(_) => false,
            };
        };
        let left = at.saturating_sub(self.start.elapsed() + AWAKE);
        if !left.is_zero() {
            match self.new.recv_timeout(left) {
                Ok(job) => self.take(job),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
            }
            return true;
        }
        while self.start.elapsed() < at {
            if let Ok(job) = self.new.try_recv() {
                self.take(job);
                break;
            }
            std::hint::spin_loop();
        }
        true
    }
}

/// How many bytes of a request are moved.
fn moved(length: u64, outcome: Outcome) -> Result<u64, Errno> {
    match outcome {
        Outcome::Done => Ok(length),
        Outcome::Short(moved) => Ok(moved.min(length)),
        Outcome::Failed(error) => Err(error),
    }
}

fn answer(ending: Ending) {
    match (ending.reply, moved(ending.length, ending.outcome)) {
        (Reply::Read(reply, data), Ok(length)) => reply.data(&data[..length as usize]),
        (Reply::Write(reply, _), Ok(length)) => reply.written(length as u32),
        (Reply::Flush(reply), Ok(_)) => reply.ok(),
        (Reply::Read(reply, _), Err(error)) => reply.error(error),
        (Reply::Write(reply, _), Err(error)) => reply.error(error),
        (Reply::Flush(reply), Err(error)) => reply.error(error),
    }
}

/// What a device holds that was never written, and whose contents do not matter: pseudo-random,
/// the same at each read, no two blocks alike.
struct Noise {
    seed: u64,
    pool: Vec<u8>,
}

impl Noise {
    const BLOCK: u64 = 4_096;
    /// Blocks begin anywhere in it. To draw each byte anew would be slower than the device.
    const POOL: u64 = 4 * MIB;

    fn new(seed: u64) -> Self {
        let mut draw = Draw::new(seed);
        let words = (0..Self::POOL / 8).flat_map(|_| draw.bits().to_le_bytes());
        Self {
            seed,
            pool: words.collect(),
        }
    }

    fn read(&self, offset: u64, length: u64) -> Vec<u8> {
        let mut data = Vec::with_capacity(length as usize);
        let mut block = [0; Self::BLOCK as usize];
        let mut at = offset;
        while at < offset + length {
            let index = at / Self::BLOCK;
            let stamp = mixed(self.seed ^ mixed(index));
            let from = (stamp % (Self::POOL - Self::BLOCK)) as usize;
            block.copy_from_slice(&self.pool[from..from + Self::BLOCK as usize]);
            block[..8].copy_from_slice(&stamp.to_le_bytes());
            let end = ((index + 1) * Self::BLOCK).min(offset + length);
            let first = (at % Self::BLOCK) as usize;
            data.extend_from_slice(&block[first..first + (end - at) as usize]);
            at = end;
        }
        data
    }
}

/// The last that was written, over noise: a disk may have more bytes than this machine, and one
/// that forgets at once what is written would be false.
struct Lately {
    noise: Arc<Noise>,
    /// Which slot a block is in, and which block a slot has.
    slots: HashMap<u64, usize>,
    blocks: Vec<u64>,
    data: Vec<u8>,
    /// The slot that was taken first, and is taken next when all are.
    oldest: usize,
}

impl Lately {
    /// Several such disks are served on one machine.
    const SLOTS_MAX: usize = (256 * MIB / Noise::BLOCK) as usize;
    const BLOCK: usize = Noise::BLOCK as usize;

    fn new(noise: Arc<Noise>) -> Self {
        Self {
            noise,
            slots: HashMap::with_capacity(Self::SLOTS_MAX),
            blocks: Vec::with_capacity(Self::SLOTS_MAX),
            // Touched here: to meet each page for the first time would be a slow start, which is
            // not the model's.
            data: vec![0xff; Self::SLOTS_MAX * Self::BLOCK],
            oldest: 0,
        }
    }

    fn read(&self, offset: u64, data: &mut [u8]) {
        let mut done = 0;
        while done < data.len() {
            let (block, first, length) = Self::piece(offset, done, data.len());
            if let Some(slot) = self.slots.get(&block) {
                let from = slot * Self::BLOCK + first;
                data[done..][..length].copy_from_slice(&self.data[from..][..length]);
            }
            done += length;
        }
    }

    fn write(&mut self, offset: u64, data: &[u8]) {
        let mut done = 0;
        while done < data.len() {
            let (block, first, length) = Self::piece(offset, done, data.len());
            let from = self.slot(block, length < Self::BLOCK) * Self::BLOCK + first;
            self.data[from..][..length].copy_from_slice(&data[done..][..length]);
            done += length;
        }
    }

    /// A new slot for a block, with what the block had before if that is asked for. What is
    /// written again is forgotten as late as what is written first.
    fn slot(&mut self, block: u64, as_before: bool) -> usize {
        let before = as_before.then(|| {
            let mut before = self.noise.read(block * Noise::BLOCK, Noise::BLOCK);
            self.read(block * Noise::BLOCK, &mut before);
            before
        });
        let slot = if self.blocks.len() < Self::SLOTS_MAX {
            self.blocks.push(block);
            self.blocks.len() - 1
        } else {
            let slot = self.oldest;
            self.oldest = (slot + 1) % Self::SLOTS_MAX;
            let forgotten = std::mem::replace(&mut self.blocks[slot], block);
            if self.slots.get(&forgotten) == Some(&slot) {
                self.slots.remove(&forgotten);
            }
            slot
        };
        self.slots.insert(block, slot);
        if let Some(before) = before {
            self.data[slot * Self::BLOCK..][..Self::BLOCK].copy_from_slice(&before);
        }
        slot
    }

    /// Which block `offset + done` is in, where in it, and how much up to `total` is in there.
    fn piece(offset: u64, done: usize, total: usize) -> (u64, usize, usize) {
        let at = offset + done as u64;
        let first = (at % Noise::BLOCK) as usize;
        let length = (total - done).min(Self::BLOCK - first);
        (at / Noise::BLOCK, first, length)
    }
}

/// What has been written, by where the model says that it lies; zeros elsewhere.
#[derive(Default)]
struct Kept {
    chunks: HashMap<u64, Box<[u8]>>,
}

impl Kept {
    const CHUNK: u64 = 64 << 10;

    fn read(&self, model: &mut dyn Model, offset: u64, data: &mut [u8]) {
        let mut done = 0;
        while done < data.len() {
            let from = offset + done as u64;
            let (place, length) = model.place(from, (data.len() - done) as u64);
            let piece = &mut data[done..][..length as usize];
            match place {
                Some(place) => self.read_at(place, piece),
                None => model.filler(from, piece),
            }
            done += length as usize;
        }
    }

    fn write(&mut self, model: &dyn Model, offset: u64, data: &[u8]) {
        let mut done = 0;
        while done < data.len() {
            let left = (data.len() - done) as u64;
            let (place, length) = model.place(offset + done as u64, left);
            if let Some(place) = place {
                self.write_at(place, &data[done..][..length as usize]);
            }
            done += length as usize;
        }
    }

    fn read_at(&self, place: u64, data: &mut [u8]) {
        let mut done = 0;
        while done < data.len() {
            let (index, first, length) = Self::chunk(place, done, data.len());
            let piece = &mut data[done..][..length];
            match self.chunks.get(&index) {
                Some(chunk) => piece.copy_from_slice(&chunk[first..first + length]),
                None => piece.fill(0),
            }
            done += length;
        }
    }

    fn write_at(&mut self, place: u64, data: &[u8]) {
        let mut done = 0;
        while done < data.len() {
            let (index, first, length) = Self::chunk(place, done, data.len());
            let empty = || vec![0; Self::CHUNK as usize].into_boxed_slice();
            let chunk = self.chunks.entry(index).or_insert_with(empty);
            chunk[first..first + length].copy_from_slice(&data[done..][..length]);
            done += length;
        }
    }

    /// Which chunk `place + done` is in, where in it, and how much up to `total` is in there.
    fn chunk(place: u64, done: usize, total: usize) -> (u64, usize, usize) {
        let at = place + done as u64;
        let first = (at % Self::CHUNK) as usize;
        (
            at / Self::CHUNK,
            first,
            (total - done).min(Self::CHUNK as usize - first),
        )
    }
}

struct FileSystem {
    bytes: u64,
    noise: Option<Arc<Noise>>,
    start: Instant,
    jobs: Sender<Job>,
}

impl FileSystem {
    fn attributes(&self, node: INodeNo) -> FileAttr {
        let (kind, perm, size) = if node == FILE {
            (FileType::RegularFile, 0o600, self.bytes)
        } else {
            (FileType::Directory, 0o700, 0)
        };
        FileAttr {
            ino: node,
            size,
            blocks: size.div_ceil(512),
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }

    fn send(&self, operation: Operation, offset: u64, length: u64, reply: Reply) {
        let request = Request {
            operation,
            offset,
            length,
            arrived: self.start.elapsed(),
        };
        // It ends only after this file system, from which its sender comes.
        let _ = self.jobs.send(Job { request, reply });
    }
}

impl Filesystem for FileSystem {
    fn init(&mut self, _: &fuser::Request, config: &mut KernelConfig) -> io::Result<()> {
        let refused = |what: &str| io::Error::other(format!("the kernel refuses {what}"));
        // Without it a loop device has one request under way at a time.
        config
            .add_capabilities(InitFlags::FUSE_ASYNC_DIO)
            .map_err(|_| refused("asynchronous direct I/O"))?;
        config
            .set_max_write(REQUEST_BYTES_MAX)
            .map_err(|_| refused("requests of 1 MiB"))?;
        config
            .set_max_background(UNDER_WAY_MAX)
            .map_err(|_| refused("many requests under way"))?;
        config
            .set_congestion_threshold(UNDER_WAY_MAX)
            .map_err(|_| refused("many requests under way"))?;
        Ok(())
    }

    fn lookup(&self, _: &fuser::Request, _: INodeNo, name: &OsStr, reply: ReplyEntry) {
        if name == FILE_NAME {
            reply.entry(&MEMORY, &self.attributes(FILE), Generation(0));
        } else {
            reply.error(Errno::ENOENT);
        }
    }

    fn getattr(&self, _: &fuser::Request, node: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        reply.attr(&MEMORY, &self.attributes(node));
    }

    fn open(&self, _: &fuser::Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        // Past the page cache, which would split and join transfers.
        let flags = FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES;
        reply.opened(FileHandle(0), flags);
    }

    fn read(
        &self,
        _: &fuser::Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let length = u64::from(size).min(self.bytes.saturating_sub(offset));
        if length == 0 {
            return reply.data(&[]);
        }
        let noise = self.noise.as_ref().map(|noise| noise.read(offset, length));
        let reply = Reply::Read(reply, noise.unwrap_or_default());
        self.send(Operation::Read, offset, length, reply);
    }

    fn write(
        &self,
        _: &fuser::Request,
        _: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let length = data.len() as u64;
        if offset + length > self.bytes {
            return reply.error(Errno::ENOSPC);
        }
        let reply = Reply::Write(reply, data.to_vec());
        self.send(Operation::Write, offset, length, reply);
    }

    fn flush(
        &self,
        _: &fuser::Request,
        _: INodeNo,
        _: FileHandle,
        _: LockOwner,
        reply: ReplyEmpty,
    ) {
        // `close`, which no disk hears of.
        reply.ok();
    }

    fn fsync(&self, _: &fuser::Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        self.send(Operation::Flush, 0, 0, Reply::Flush(reply));
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::model::KIB;

    #[test]
    fn noise_is_the_same_in_whatever_pieces_it_is_read_and_has_no_two_blocks_alike() {
        let noise = Noise::new(7);
        let whole = noise.read(0, MIB);
        let mut pieces = Vec::new();
        while pieces.len() < whole.len() {
            let length = (1_536 * 5).min(whole.len() - pieces.len());
            pieces.extend(noise.read(pieces.len() as u64, length as u64));
        }
        assert!(whole == pieces);
        let blocks = whole
            .chunks(4_096)
            .collect::<std::collections::HashSet<_>>();
        assert_eq!(blocks.len(), 256);
    }

    #[test]
    fn what_was_written_lately_is_read_again_and_what_is_around_it_stays() {
        let noise = Arc::new(Noise::new(7));
        let mut lately = Lately::new(Arc::clone(&noise));
        let at = 3 * GIB_AND_A_BIT;
        lately.write(at, &[1; 6 * KIB as usize]);
        let mut read = noise.read(at - 512, 8 * KIB);
        let before = read.clone();
        lately.read(at - 512, &mut read);
        assert!(
            read[512..][..6 * KIB as usize]
                .iter()
                .all(|byte| *byte == 1)
        );
        assert!(read[..512] == before[..512]);
        assert!(read[512 + 6 * KIB as usize..] == before[512 + 6 * KIB as usize..]);
        // It is forgotten when as much as there is room for was written since it was last.
        let mut is_there = |writes: Range<u64>| {
            for index in writes {
                lately.write(index * MIB, &vec![2; MIB as usize]);
            }
            let mut read = before.clone();
            lately.read(at - 512, &mut read);
            read != before
        };
        assert!(is_there(0..200));
        assert!(!is_there(200..256));
    }

    /// Not at the start of a block.
    const GIB_AND_A_BIT: u64 = (1 << 30) + 1_536;
}
