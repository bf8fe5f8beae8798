//! io_uring on files, with buffers of its own.

#![expect(
    unsafe_code,
    reason = "submission entries carry raw pointers to the region"
)]

use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

use io_uring::types::{Fd, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{IoUring, opcode, squeue};

use crate::blocking;
use crate::queue::{Queue, drain};
use crate::region::Region;
use crate::request::{Action, Request};

/// The kernel refuses larger rings (`IORING_MAX_ENTRIES`).
const ENTRIES_MAX: u32 = 32_768;

/// The kernel refuses to register a larger buffer.
const REGISTERED_BYTES_MAX: usize = 1 << 30;

/// How often nothing at all may be interrupted.
const INTERRUPTIONS_MAX: u32 = 16;

/// Marks the completion of the ring's own timer.
const TICK: u64 = u64::MAX;

/// What the kernel granted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingFeatures {
    /// Buffers are pinned once, not per I/O.
    pub registered_buffers: bool,
    /// Files are looked up once, not per I/O.
    pub registered_files: bool,
    /// One thread only submits (`IORING_SETUP_SINGLE_ISSUER`).
    pub single_issuer: bool,
    /// Completions are processed when asked for, not by interrupting the thread
    /// (`IORING_SETUP_DEFER_TASKRUN`).
    pub deferred_task_work: bool,
}

/// A ring, its files and its buffers. Must be used by the thread that made it.
pub struct Ring {
    ring: ManuallyDrop<IoUring>,
    region: ManuallyDrop<Region>,
    files: Vec<OwnedFd>,
    are_devices: Box<[bool]>,
    features: RingFeatures,
    in_flight: u32,
    /// Discards of devices, which the ring cannot do: they are done when prepared.
    done: Vec<(u32, i32)>,
    tick: Box<Timespec>,
    tick_armed: bool,
}

impl Ring {
    /// Makes a ring for `depth` I/Os in flight on `files`. Features that the kernel
    /// does not grant are left out and missing in [`Self::features`].
    ///
    /// `tick` bounds how long [`Self::submit_and_wait`] waits when a device is
    /// silent.
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
    ) -> Result<Self, (io::Error, Vec<OwnedFd>, Region)> {
        // One entry more for the tick.
        let entries = (depth + 1).next_power_of_two().min(ENTRIES_MAX);
        let built = build(entries).and_then(|(mut ring, features)| {
            try_out(&mut ring)?;
            Ok((ring, features))
        });
        let (ring, mut features) = match built {
            Ok(built) => built,
            Err(error) => return Err((error, files, region)),
        };
        features.registered_buffers = register_region(&ring, &region);
        let raw: Vec<_> = files.iter().map(AsRawFd::as_raw_fd).collect();
        features.registered_files = ring.submitter().register_files(&raw).is_ok();
        // Saves a look-up per system call; not worth a word when it is refused.
        let _ = ring.submitter().register_ring_fd();
        Ok(Self {
            ring: ManuallyDrop::new(ring),
            region: ManuallyDrop::new(region),
            are_devices: files.iter().map(blocking::is_block_device).collect(),
            files,
            done: Vec::with_capacity(depth as usize),
            features,
            in_flight: 0,
            tick: Box::new(Timespec::from(tick)),
            tick_armed: false,
        })
    }

    /// What the kernel granted.
    pub fn features(&self) -> RingFeatures {
        self.features
    }

    #[inline]
    fn entry(&self, request: Request, buffer: *mut u8) -> squeue::Entry {
        let RingFeatures {
            registered_files,
            registered_buffers,
            ..
        } = self.features;
        if registered_files {
            // A file's place in the table of registered files is its place in `files`.
            let place = Fd(request.file.cast_signed());
            build_entry(place, registered_buffers, request, buffer).flags(squeue::Flags::FIXED_FILE)
        } else {
            let file = Fd(self.files[request.file as usize].as_raw_fd());
            build_entry(file, registered_buffers, request, buffer)
        }
    }

    #[inline]
    fn push(&mut self, entry: &squeue::Entry) {
        // SAFETY: buffers named by the entry belong to the region, which is lent
        // until the completion is reaped and outlives the ring, as does the
        // timespec in its box; the files are owned by self.
        let pushed = unsafe { self.ring.submission().push(entry) };
        pushed.expect("the ring has an entry for every I/O in flight and the tick");
    }

    fn arm_tick(&mut self) {
        let entry = opcode::Timeout::new(&raw const *self.tick)
            .build()
            .user_data(TICK);
        self.push(&entry);
        self.tick_armed = true;
    }
}

impl Queue for Ring {
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
        let buffer = self.region.lend(request.chunk, request.length);
        if request.action == Action::Trim && self.are_devices[request.file as usize] {
            let file = self.files[request.file as usize].as_raw_fd();
            let result = blocking::perform(file, true, buffer, request);
            self.in_flight += 1;
            self.done.push((request.chunk, result));
            return;
        }
        let entry = self
            .entry(request, buffer)
            .user_data(u64::from(request.chunk));
        self.in_flight += 1;
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
        let timespec = Timespec::from(patience);
        let arguments = SubmitArgs::new().timespec(&timespec);
        match self.ring.submitter().submit_with_args(1, &arguments) {
            Err(error) if error.raw_os_error() == Some(libc::ETIME) => Ok(()),
            other => ignoring_interrupts(other),
        }
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        for (chunk, result) in self.done.drain(..) {
            self.region.take_back(chunk);
            self.in_flight -= 1;
            each(chunk, result);
        }
        for completion in self.ring.completion() {
            if completion.user_data() == TICK {
                self.tick_armed = false;
                continue;
            }
            #[expect(clippy::cast_possible_truncation, reason = "it was made from a u32")]
            let chunk = completion.user_data() as u32;
            self.region.take_back(chunk);
            self.in_flight -= 1;
            each(chunk, completion.result());
        }
    }
}

impl Drop for Ring {
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
fn build(entries: u32) -> io::Result<(IoUring, RingFeatures)> {
    let deferred = RingFeatures {
        single_issuer: true,
        deferred_task_work: true,
        ..RingFeatures::default()
    };
    let single = RingFeatures {
        single_issuer: true,
        ..RingFeatures::default()
    };
    if let Ok(ring) = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .build(entries)
    {
        return Ok((ring, deferred));
    }
    if let Ok(ring) = IoUring::builder()
        .setup_single_issuer()
        .setup_coop_taskrun()
        .build(entries)
    {
        return Ok((ring, single));
    }
    IoUring::builder()
        .build(entries)
        .map(|ring| (ring, RingFeatures::default()))
}

/// Lets the ring do nothing once: sandboxes exist that let one be made and not be entered.
fn try_out(ring: &mut IoUring) -> io::Result<()> {
    let nothing = opcode::Nop::new().build();
    // SAFETY: the entry names neither memory nor a file.
    unsafe { ring.submission().push(&nothing) }.expect("nothing is in a new ring");
    for _ in 0..INTERRUPTIONS_MAX {
        ignoring_interrupts(ring.submit_and_wait(1))?;
        if ring.completion().next().is_some() {
            return Ok(());
        }
    }
    Err(io::ErrorKind::WouldBlock.into())
}

fn register_region(ring: &IoUring, region: &Region) -> bool {
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
        Action::Read if fixed_buffer => opcode::ReadFixed::new(file, buffer, length, 0)
            .offset(offset)
            .build(),
        Action::Read => opcode::Read::new(file, buffer, length)
            .offset(offset)
            .build(),
        Action::Write | Action::WriteThrough | Action::WriteThroughWithMetadata => {
            let flags = action.write_flags();
            if fixed_buffer {
                let write = opcode::WriteFixed::new(file, buffer.cast_const(), length, 0);
                write.offset(offset).rw_flags(flags).build()
            } else {
                let write = opcode::Write::new(file, buffer.cast_const(), length);
                write.offset(offset).rw_flags(flags).build()
            }
        }
        Action::Fsync => opcode::Fsync::new(file).build(),
        Action::Fdatasync => opcode::Fsync::new(file).flags(FsyncFlags::DATASYNC).build(),
        Action::Trim => opcode::Fallocate::new(file, u64::from(length))
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
