//! Linux native asynchronous I/O (what libaio wraps) on files, by raw system
//! calls, with buffers of its own.

#![expect(unsafe_code, reason = "control blocks carry pointers to the region")]

use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;
use std::time::Duration;

use crate::blocking;
use crate::queue::{Queue, drain};
use crate::region::Region;
use crate::request::{IoAction, Request, negative_errno};

// Opcodes of <linux/aio_abi.h>, which libc does not carry.
const IOCB_CMD_PREAD: u16 = 0;
const IOCB_CMD_PWRITE: u16 = 1;
const IOCB_CMD_FSYNC: u16 = 2;
const IOCB_CMD_FDSYNC: u16 = 3;

/// `struct io_event` of <linux/aio_abi.h>, which libc does not carry.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct AioEvent {
    data: u64,
    object: u64,
    result: i64,
    second_result: i64,
}

/// An AIO context, its files and its buffers.
pub struct Aio {
    context: libc::c_ulong,
    files: Vec<OwnedFd>,
    are_devices: Box<[bool]>,
    region: ManuallyDrop<Region>,
    blocks: Box<[libc::iocb]>,
    prepared: Vec<u32>,
    /// Room for the array that io_submit wants.
    pointers: Vec<*mut libc::iocb>,
    events: Box<[AioEvent]>,
    done: Vec<(u32, i32)>,
    in_flight: u32,
    tick: Duration,
}

impl Aio {
    /// Makes a context for `depth` I/Os in flight on `files`; `tick` bounds how long
    /// a wait lasts when a device is silent.
    ///
    /// # Errors
    /// `EAGAIN` when the system's `fs.aio-max-nr` is used up, `ENOSYS` where the
    /// kernel or the sandbox has no AIO; the region is given back.
    pub fn new(
        files: Vec<OwnedFd>,
        region: Region,
        depth: u32,
        tick: Duration,
    ) -> Result<Self, (io::Error, Vec<OwnedFd>, Region)> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the kernel writes one context handle to the pointer.
        let status = unsafe { libc::syscall(libc::SYS_io_setup, depth, &raw mut context) };
        if status < 0 {
            return Err((io::Error::last_os_error(), files, region));
        }
        // Sandboxes exist that let a context be made and not be used.
        let nothing: *mut *mut libc::c_void = ptr::null_mut();
        // SAFETY: of no requests the kernel reads none.
        let status = unsafe { libc::syscall(libc::SYS_io_submit, context, 0_usize, nothing) };
        if status < 0 {
            let error = io::Error::last_os_error();
            // SAFETY: the context was made here, and nothing is in flight in it.
            unsafe { libc::syscall(libc::SYS_io_destroy, context) };
            return Err((error, files, region));
        }
        let depth = depth as usize;
        Ok(Self {
            context,
            are_devices: files.iter().map(blocking::is_block_device).collect(),
            files,
            blocks: vec![zeroed_block(); region.buffers()].into_boxed_slice(),
            region: ManuallyDrop::new(region),
            prepared: Vec::with_capacity(depth),
            pointers: Vec::with_capacity(depth),
            events: vec![AioEvent::default(); depth].into_boxed_slice(),
            done: Vec::with_capacity(depth),
            in_flight: 0,
            tick,
        })
    }

    fn wait(&mut self, wanted: u32, patience: Duration) -> io::Result<()> {
        let done = u32::try_from(self.done.len()).expect("no more than are in flight");
        let wanted = wanted.min(self.in_flight).saturating_sub(done);
        if self.in_flight == done {
            return Ok(());
        }
        let mut timeout = libc::timespec {
            tv_sec: patience.as_secs().cast_signed(),
            tv_nsec: i64::from(patience.subsec_nanos()),
        };
        // SAFETY: the kernel writes at most `events.len()` events to the buffer.
        let count = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.context,
                i64::from(wanted),
                self.events.len(),
                self.events.as_mut_ptr(),
                &raw mut timeout,
            )
        };
        let Ok(count) = usize::try_from(count) else {
            let error = io::Error::last_os_error();
            let interrupted = error.kind() == io::ErrorKind::Interrupted;
            return if interrupted { Ok(()) } else { Err(error) };
        };
        let completed = &self.events[..count];
        #[expect(clippy::cast_possible_truncation, reason = "both fit 32 bits")]
        self.done.extend(
            completed
                .iter()
                .map(|event| (event.data as u32, event.result as i32)),
        );
        Ok(())
    }
}

impl Queue for Aio {
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
        let file = self.files[request.file as usize].as_raw_fd();
        self.in_flight += 1;
        if request.action == IoAction::Trim {
            let result = blocking::perform(
                file,
                self.are_devices[request.file as usize],
                buffer,
                request,
            );
            self.done.push((request.buffer, result));
            return;
        }
        let block = &mut self.blocks[request.buffer as usize];
        let opcode = match request.action {
            IoAction::Read => IOCB_CMD_PREAD,
            IoAction::Fsync => IOCB_CMD_FSYNC,
            IoAction::Fdatasync => IOCB_CMD_FDSYNC,
            _ => IOCB_CMD_PWRITE,
        };
        let moves_data = request.action.moves_data();
        block.aio_data = u64::from(request.buffer);
        block.aio_lio_opcode = opcode;
        block.aio_rw_flags = request.action.write_flags();
        block.aio_fildes = file.cast_unsigned();
        // A flush with a buffer, length or offset is refused.
        block.aio_buf = if moves_data { buffer as u64 } else { 0 };
        block.aio_nbytes = if moves_data {
            u64::from(request.length)
        } else {
            0
        };
        block.aio_offset = if moves_data {
            request.offset.cast_signed()
        } else {
            0
        };
        self.prepared.push(request.buffer);
    }

    #[inline]
    fn submit(&mut self) -> io::Result<()> {
        let blocks = self.blocks.as_mut_ptr();
        for buffer in self.prepared.drain(..) {
            // SAFETY: there is one block per buffer.
            self.pointers.push(unsafe { blocks.add(buffer as usize) });
        }
        let mut first = 0;
        while first < self.pointers.len() {
            let rest = &mut self.pointers[first..];
            // SAFETY: every pointer is to a block of self.blocks, which the kernel
            // copies; its buffer is lent until its completion is reaped and
            // outlives the context.
            let accepted = unsafe {
                libc::syscall(
                    libc::SYS_io_submit,
                    self.context,
                    rest.len(),
                    rest.as_mut_ptr(),
                )
            };
            if let Ok(accepted @ 1..) = usize::try_from(accepted) {
                first += accepted;
                continue;
            }
            let error = io::Error::last_os_error();
            if error.kind() == io::ErrorKind::Interrupted {
                continue;
            }
            // SAFETY: the pointer is to a block of self.blocks.
            let refused = unsafe { &*rest[0] };
            #[expect(clippy::cast_possible_truncation, reason = "it was made from a u32")]
            self.done
                .push((refused.aio_data as u32, negative_errno(&error)));
            first += 1;
        }
        self.pointers.clear();
        Ok(())
    }

    #[inline]
    fn submit_and_wait(&mut self, wanted: u32) -> io::Result<()> {
        self.submit()?;
        self.wait(wanted, self.tick)
    }

    fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()> {
        self.submit()?;
        self.wait(1, patience)
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        for (buffer, result) in self.done.drain(..) {
            self.region.take_back(buffer);
            self.in_flight -= 1;
            each(buffer, result);
        }
    }
}

impl Drop for Aio {
    fn drop(&mut self) {
        if !drain(self) {
            // The kernel may still write to the region, and destroying the context
            // would wait for it without end: both are left alone.
            return;
        }
        // SAFETY: the context was made by io_setup and is destroyed once.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.context) };
        // SAFETY: dropped once, here; nothing is in flight.
        unsafe { ManuallyDrop::drop(&mut self.region) };
    }
}

fn zeroed_block() -> libc::iocb {
    // SAFETY: all-zero is a valid iocb.
    unsafe { std::mem::zeroed() }
}
