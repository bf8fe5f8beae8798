//! io_uring with buffers of its own, on files or for commands to NVMe drives.

#![expect(unsafe_code, reason = "submission entries point to the region")]

use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use io_uring::cqueue::EntryMarker as _;
use io_uring::squeue::EntryMarker as _;
use io_uring::types::{Fd, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};

use crate::blocking;
use crate::namespace::{NVME_URING_CMD_IO, Namespace, result_of};
use crate::queue::{Queue, drain};
use crate::region::Region;
use crate::request::{IoAction, Request};

/// The kernel refuses larger rings (`IORING_MAX_ENTRIES`).
const ENTRIES_MAX: u32 = 32_768;

/// The kernel refuses to register a larger buffer.
const REGISTERED_BYTES_MAX: usize = 1 << 30;

/// How often nothing at all may be interrupted.
const INTERRUPTIONS_MAX: u32 = 16;

/// Marks the completion of the ring's own timer.
const TICK: u64 = u64::MAX;

/// How a ring learns that I/Os are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completions {
    /// The device interrupts a processor.
    #[default]
    Interrupt,
    /// The thread asks the device's driver again and again (`IORING_SETUP_IOPOLL`), which takes
    /// all of a processor. For direct reads and writes on queues that the driver polls.
    Polled,
}

/// What the kernel granted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingFeatures {
    /// Buffers are pinned once, not per I/O.
    pub registered_buffers: bool,
    /// The kernel was not asked to register them, because a file is on ZFS.
    pub spares_zfs: bool,
    /// Files are looked up once, not per I/O.
    pub registered_files: bool,
    /// One thread only submits (`IORING_SETUP_SINGLE_ISSUER`).
    pub single_issuer: bool,
    /// Completions are processed when asked for, not by interrupting the thread
    /// (`IORING_SETUP_DEFER_TASKRUN`).
    pub deferred_task_work: bool,
    /// Completions are asked for (`IORING_SETUP_IOPOLL`).
    pub polled: bool,
}

/// What a ring's I/Os are done to, and what its entries are for that.
pub trait Carrier {
    type Submission: squeue::EntryMarker;
    type Completion: cqueue::EntryMarker;

    /// What is registered with the kernel; requests name its places.
    fn descriptors(&self) -> impl Iterator<Item = RawFd>;

    /// Whether one of them is on ZFS, which must be given no registered buffers: OpenZFS 2.3.2 on Linux
    /// 6.12 dies of the first direct write of one (a null page in `abd_cmp_zero_off_cb`, below
    /// `zpl_iter_write`). Direct I/O of memory that is not registered is fine, by whatever call.
    fn is_on_zfs(&self) -> bool {
        false
    }

    /// Does what a ring, perhaps one that polls, cannot do, or refuses it.
    fn at_once(&self, request: Request, buffer: *mut u8, polled: bool) -> Option<i32>;

    /// An entry for anything else.
    fn entry(&mut self, slot: EntryTarget, request: Request, buffer: *mut u8) -> Self::Submission;

    /// What the completion of a buffer means, in bytes or as minus an error number.
    fn result(&self, buffer: u32, answer: i32) -> i32;
}

/// The file and the buffer of an entry, as the ring names them.
#[derive(Clone, Copy, Debug)]
pub struct EntryTarget {
    descriptor: Fd,
    flags: squeue::Flags,
    fixed_buffer: bool,
}

/// Files, which are read and written.
pub struct RingFiles {
    files: Vec<OwnedFd>,
    are_devices: Box<[bool]>,
    is_on_zfs: bool,
}

impl RingFiles {
    fn new(files: Vec<OwnedFd>) -> Self {
        Self {
            are_devices: files.iter().map(blocking::is_block_device).collect(),
            is_on_zfs: files.iter().any(blocking::is_on_zfs),
            files,
        }
    }
}

impl Carrier for RingFiles {
    type Submission = squeue::Entry;
    type Completion = cqueue::Entry;

    fn descriptors(&self) -> impl Iterator<Item = RawFd> {
        self.files.iter().map(AsRawFd::as_raw_fd)
    }

    fn is_on_zfs(&self) -> bool {
        self.is_on_zfs
    }

    #[inline]
    fn at_once(&self, request: Request, buffer: *mut u8, polled: bool) -> Option<i32> {
        if request.action.moves_data() {
            return None;
        }
        let is_device = self.are_devices[request.file as usize];
        let is_discard = request.action == IoAction::Trim && is_device;
        let file = self.files[request.file as usize].as_raw_fd();
        (is_discard || polled).then(|| blocking::perform(file, is_device, buffer, request))
    }

    #[inline]
    fn entry(&mut self, slot: EntryTarget, request: Request, buffer: *mut u8) -> squeue::Entry {
        build_entry(slot.descriptor, slot.fixed_buffer, request, buffer).flags(slot.flags)
    }

    #[inline]
    fn result(&self, _chunk: u32, answer: i32) -> i32 {
        answer
    }
}

/// Namespaces of NVMe drives, which take commands.
pub struct Commands {
    namespaces: Vec<Namespace>,
    /// What the command of each buffer moves.
    lengths: Box<[u32]>,
}

impl Carrier for Commands {
    type Submission = squeue::Entry128;
    type Completion = cqueue::Entry32;

    fn descriptors(&self) -> impl Iterator<Item = RawFd> {
        self.namespaces.iter().map(|it| it.node.as_raw_fd())
    }

    #[inline]
    fn at_once(&self, request: Request, buffer: *mut u8, _polled: bool) -> Option<i32> {
        let namespace = &self.namespaces[request.file as usize];
        namespace.command(request, buffer).err()
    }

    #[inline]
    fn entry(&mut self, slot: EntryTarget, request: Request, buffer: *mut u8) -> squeue::Entry128 {
        let moved = if request.action.moves_data() {
            request.length
        } else {
            0
        };
        self.lengths[request.buffer as usize] = moved;
        let command = self.namespaces[request.file as usize].command(request, buffer);
        opcode::UringCmd80::new(slot.descriptor, NVME_URING_CMD_IO)
            .cmd(command.expect("what makes no command was answered at once"))
            .buf_index((slot.fixed_buffer && moved > 0).then_some(0))
            .build()
            .flags(slot.flags)
    }

    #[inline]
    fn result(&self, buffer: u32, answer: i32) -> i32 {
        result_of(answer, self.lengths[buffer as usize])
    }
}

/// A ring, its files and its buffers. Must be used by the thread that made it.
pub struct Ring<T: Carrier = RingFiles> {
    ring: ManuallyDrop<IoUring<T::Submission, T::Completion>>,
    region: ManuallyDrop<Region>,
    carrier: T,
    /// What the carrier's files are called.
    raw: Box<[RawFd]>,
    features: RingFeatures,
    in_flight: u32,
    /// What the ring cannot do, and what is refused. It is done when prepared.
    done: Vec<(u32, i32)>,
    tick: Duration,
    /// The tick as the kernel reads it.
    timer: Box<Timespec>,
    tick_armed: bool,
}

impl Ring {
    /// Makes a ring for `depth` I/Os in flight on `files`. Features that the kernel
    /// does not grant are left out and missing in [`Self::features`].
    ///
    /// `tick` bounds how long [`Self::submit_and_wait`] waits when a device is
    /// silent. Whether a device can be polled is seen at its first I/O only, which is
    /// answered with `EOPNOTSUPP`, or by interrupt before Linux 6.11, where it cannot.
    ///
    /// # Errors
    /// `ENOSYS` or `EPERM` where kernel or sandbox deny io_uring, `ENOMEM` where
    /// the limit of locked memory does, with the region given back for another
    /// backend.
    pub fn new(
        files: Vec<OwnedFd>,
        region: Region,
        depth: u32,
        tick: Duration,
        completions: Completions,
    ) -> Result<Self, (io::Error, Vec<OwnedFd>, Region)> {
        Self::over(RingFiles::new(files), region, depth, tick, completions)
            .map_err(|(error, carrier, region)| (error, carrier.files, region))
    }
}

impl Ring<Commands> {
    /// The same on namespaces of NVMe drives. Needs Linux 6.1.
    ///
    /// # Errors
    /// As [`Ring::new`].
    pub fn of_commands(
        namespaces: Vec<Namespace>,
        region: Region,
        depth: u32,
        tick: Duration,
        completions: Completions,
    ) -> io::Result<Self> {
        let commands = Commands {
            namespaces,
            lengths: vec![0; region.buffers()].into_boxed_slice(),
        };
        Self::over(commands, region, depth, tick, completions).map_err(|(error, ..)| error)
    }
}

impl<T: Carrier> Ring<T> {
    fn over(
        carrier: T,
        region: Region,
        depth: u32,
        tick: Duration,
        completions: Completions,
    ) -> Result<Self, (io::Error, T, Region)> {
        // One entry more for the tick.
        let entries = (depth + 1).next_power_of_two().min(ENTRIES_MAX);
        let built = build(entries, completions).and_then(|(mut ring, features)| {
            try_out(&mut ring)?;
            Ok((ring, features))
        });
        let (ring, mut features) = match built {
            Ok(built) => built,
            Err(error) => return Err((error, carrier, region)),
        };
        features.spares_zfs = carrier.is_on_zfs();
        features.registered_buffers = !features.spares_zfs && register_region(&ring, &region);
        let raw: Vec<_> = carrier.descriptors().collect();
        features.registered_files = ring.submitter().register_files(&raw).is_ok();
        // Saves a look-up per system call; not worth a word when it is refused.
        let _ = ring.submitter().register_ring_fd();
        Ok(Self {
            ring: ManuallyDrop::new(ring),
            region: ManuallyDrop::new(region),
            raw: raw.into_boxed_slice(),
            carrier,
            done: Vec::with_capacity(depth as usize),
            features,
            in_flight: 0,
            tick,
            timer: Box::new(Timespec::from(tick)),
            tick_armed: false,
        })
    }

    /// What the kernel granted.
    pub fn features(&self) -> RingFeatures {
        self.features
    }

    #[inline]
    fn slot(&self, file: u32) -> EntryTarget {
        let fixed_buffer = self.features.registered_buffers;
        match self.features.registered_files {
            // A file's place in the table of registered files is its place in the list.
            true => EntryTarget {
                descriptor: Fd(file.cast_signed()),
                flags: squeue::Flags::FIXED_FILE,
                fixed_buffer,
            },
            false => EntryTarget {
                descriptor: Fd(self.raw[file as usize]),
                flags: squeue::Flags::empty(),
                fixed_buffer,
            },
        }
    }

    #[inline]
    fn push(&mut self, entry: &T::Submission) {
        // SAFETY: buffers named by the entry belong to the region, which is lent
        // until the completion is reaped and outlives the ring, as does the
        // timespec in its box; the files are owned by self.
        let pushed = unsafe { self.ring.submission().push(entry) };
        pushed.expect("the ring has an entry for every I/O in flight and the tick");
    }

    /// Asks for completions until `wanted` are there or `patience` is over. The kernel is
    /// entered for a single look each time: it would ask a silent device until a signal comes,
    /// and an `IORING_SETUP_IOPOLL` ring takes no timer.
    fn poll(&mut self, wanted: u32, patience: Duration) -> io::Result<()> {
        if self.in_flight == 0 {
            std::thread::sleep(patience);
            return Ok(());
        }
        let started = Instant::now();
        loop {
            self.submit()?;
            let is_done = self.ring.completion().len() >= wanted.max(1) as usize;
            if is_done || started.elapsed() >= patience {
                return Ok(());
            }
        }
    }

    fn arm_tick(&mut self) {
        let entry = opcode::Timeout::new(&raw const *self.timer)
            .build()
            .user_data(TICK);
        self.push(&entry.into());
        self.tick_armed = true;
    }
}

impl<T: Carrier> Queue for Ring<T> {
    #[inline]
    fn region_mut(&mut self) -> &mut Region {
        &mut self.region
    }

    #[inline]
    fn in_flight(&self) -> u32 {
        self.in_flight
    }

    #[inline]
    fn prepare(&mut self, request: Request) {
        let buffer = self.region.lend(request.buffer, request.length);
        self.in_flight += 1;
        let polled = self.features.polled;
        if let Some(result) = self.carrier.at_once(request, buffer, polled) {
            self.done.push((request.buffer, result));
            return;
        }
        let slot = self.slot(request.file);
        let mut entry = self.carrier.entry(slot, request, buffer);
        entry.set_user_data(u64::from(request.buffer));
        self.push(&entry);
    }

    #[inline]
    fn submit(&mut self) -> io::Result<()> {
        ignoring_interrupts(self.ring.submit())
    }

    #[inline]
    fn submit_and_wait(&mut self, wanted: u32) -> io::Result<()> {
        // What is done already need not be waited for.
        let done = u32::try_from(self.done.len()).expect("no more than are in flight");
        let wanted = wanted.min(self.in_flight).saturating_sub(done);
        if wanted == 0 && done > 0 {
            return self.submit();
        }
        if self.features.polled {
            return self.poll(wanted, self.tick);
        }
        if !self.tick_armed {
            self.arm_tick();
        }
        let wanted = wanted.max(1);
        ignoring_interrupts(self.ring.submit_and_wait(wanted as usize))
    }

    fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()> {
        if !self.done.is_empty() {
            return self.submit();
        }
        if self.features.polled {
            return self.poll(1, patience);
        }
        let timespec = Timespec::from(patience);
        let arguments = SubmitArgs::new().timespec(&timespec);
        match self.ring.submitter().submit_with_args(1, &arguments) {
            Err(error) if error.raw_os_error() == Some(libc::ETIME) => Ok(()),
            other => ignoring_interrupts(other),
        }
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        for (buffer, result) in self.done.drain(..) {
            self.region.take_back(buffer);
            self.in_flight -= 1;
            each(buffer, result);
        }
        for completion in self.ring.completion() {
            if completion.user_data() == TICK {
                self.tick_armed = false;
                continue;
            }
            #[expect(clippy::cast_possible_truncation, reason = "it was made from a u32")]
            let buffer = completion.user_data() as u32;
            self.region.take_back(buffer);
            self.in_flight -= 1;
            let answer = completion.into().result();
            each(buffer, self.carrier.result(buffer, answer));
        }
    }
}

impl<T: Carrier> Drop for Ring<T> {
    fn drop(&mut self) {
        if !drain(self) {
            // The kernel may still write to the region: it must stay mapped.
            return;
        }
        // The kernel takes a ring apart in its own time; without this it would
        // hold the files, and the space of removed ones, until then.
        if self.features.registered_files {
            let _ = self.ring.submitter().unregister_files();
        }
        // SAFETY: dropped once, here; the ring goes before its memory.
        unsafe { ManuallyDrop::drop(&mut self.ring) };
        // SAFETY: dropped once, here; nothing is in flight.
        unsafe { ManuallyDrop::drop(&mut self.region) };
    }
}

/// The newest set of flags that the kernel accepts: single issuer since 6.0,
/// deferred task work since 6.1, cooperative task work since 5.19.
fn build<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    entries: u32,
    completions: Completions,
) -> io::Result<(IoUring<S, C>, RingFeatures)> {
    let polled = completions == Completions::Polled;
    let builder = || {
        let mut builder = IoUring::<S, C>::builder();
        if polled {
            builder.setup_iopoll();
        }
        builder
    };
    let plain = RingFeatures {
        polled,
        ..RingFeatures::default()
    };
    let single = RingFeatures {
        single_issuer: true,
        ..plain
    };
    let deferred = RingFeatures {
        deferred_task_work: true,
        ..single
    };
    if let Ok(ring) = builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .build(entries)
    {
        return Ok((ring, deferred));
    }
    if let Ok(ring) = builder()
        .setup_single_issuer()
        .setup_coop_taskrun()
        .build(entries)
    {
        return Ok((ring, single));
    }
    builder().build(entries).map(|ring| (ring, plain))
}

/// Lets the ring do nothing once: sandboxes exist that let one be made and not be entered.
fn try_out<S, C>(ring: &mut IoUring<S, C>) -> io::Result<()>
where
    S: squeue::EntryMarker,
    C: cqueue::EntryMarker,
{
    let nothing = opcode::Nop::new().build();
    // SAFETY: the entry names neither memory nor a file.
    unsafe { ring.submission().push(&nothing.into()) }.expect("nothing is in a new ring");
    for _ in 0..INTERRUPTIONS_MAX {
        ignoring_interrupts(ring.submit_and_wait(1))?;
        if ring.completion().next().is_some() {
            return Ok(());
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
}

fn register_region<S, C>(ring: &IoUring<S, C>, region: &Region) -> bool
where
    S: squeue::EntryMarker,
    C: cqueue::EntryMarker,
{
    let vector = region.as_iovec();
    if vector.iov_len > REGISTERED_BYTES_MAX {
        return false;
    }
    // SAFETY: the region stays mapped until the ring has been dropped.
    unsafe { ring.submitter().register_buffers(&[vector]) }.is_ok()
}

#[inline]
fn build_entry(file: Fd, fixed_buffer: bool, request: Request, buffer: *mut u8) -> squeue::Entry {
    let Request {
        action,
        length,
        offset,
        ..
    } = request;
    match action {
        IoAction::Read if fixed_buffer => opcode::ReadFixed::new(file, buffer, length, 0)
            .offset(offset)
            .build(),
        IoAction::Read => opcode::Read::new(file, buffer, length)
            .offset(offset)
            .build(),
        IoAction::Write | IoAction::WriteThrough | IoAction::WriteThroughWithMetadata => {
            let flags = action.write_flags();
            if fixed_buffer {
                let write = opcode::WriteFixed::new(file, buffer.cast_const(), length, 0);
                write.offset(offset).rw_flags(flags).build()
            } else {
                let write = opcode::Write::new(file, buffer.cast_const(), length);
                write.offset(offset).rw_flags(flags).build()
            }
        }
        IoAction::Fsync => opcode::Fsync::new(file).build(),
        IoAction::Fdatasync => opcode::Fsync::new(file).flags(FsyncFlags::DATASYNC).build(),
        IoAction::Trim => opcode::Fallocate::new(file, u64::from(length))
            .offset(offset)
            .mode(libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE)
            .build(),
    }
}

/// A signal ends a wait early, and a ring that is momentarily full is emptied by
/// reaping: both are as good as a wait that saw nothing.
#[inline]
fn ignoring_interrupts(result: io::Result<usize>) -> io::Result<()> {
    match result {
        Ok(_) => Ok(()),
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::EINTR | libc::EBUSY | libc::EAGAIN)
            ) =>
        {
            Ok(())
        }
        Err(error) => Err(error),
    }
}
