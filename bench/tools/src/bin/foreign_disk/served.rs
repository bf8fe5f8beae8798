//! The file system with one file, and the dispatcher that lets a model take its time.
//!
//! Requests come from the kernel on FUSE's threads and go to one dispatcher. It hands a waiting
//! request to a free lane, the model says how long it takes, and the reply goes out when that
//! time is over. Time is the model's: a lane that has requests waiting begins the next one when
//! the last one ended, not when that was noticed, so that lateness does not add up.

use std::collections::VecDeque;
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

use crate::contents::{Kept, Lately, Noise};
use crate::model::{MIB, Model, Operation, Outcome, Request};

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
