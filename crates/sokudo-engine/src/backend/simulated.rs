//! A simulated device as a backend: waiting moves virtual time on to its next event.

use std::io;
use std::time::Duration;

use sokudo_model::{Nanos, Operation, narrow};
use sokudo_sys::{Action, Request};

use super::Backend;
use crate::clock::{Clock, VirtualClock};
use crate::sim;

/// A device with one who uses it.
pub(crate) struct Simulated<'a> {
    device: &'a mut sim::Device,
    clock: VirtualClock,
    prepared: Vec<Request>,
    in_flight: u32,
    completed: Vec<sim::Completion>,
}

impl<'a> Simulated<'a> {
    /// The device, whose time is the clock's.
    pub(crate) fn new(device: &'a mut sim::Device, clock: VirtualClock) -> Self {
        Self {
            device,
            clock,
            prepared: Vec::new(),
            in_flight: 0,
            completed: Vec::new(),
        }
    }
}

impl Backend for Simulated<'_> {
    const SUBMITS: bool = true;
    const MOVES_DATA: bool = false;

    fn chunk_mut(&mut self, _chunk: u32) -> &mut [u8] {
        &mut []
    }

    fn prepare(&mut self, request: Request) {
        self.prepared.push(request);
    }

    fn submit(&mut self) -> io::Result<()> {
        let now = Nanos(self.clock.now());
        for request in self.prepared.drain(..) {
            self.in_flight += 1;
            self.device
                .submit(now, to_device(request.chunk.into(), request));
        }
        Ok(())
    }

    /// # Errors
    /// When the device holds requests that it will never answer.
    fn submit_and_wait(&mut self, wanted: u32) -> io::Result<()> {
        self.submit()?;
        let wanted = wanted.min(self.in_flight) as usize;
        while self.completed.len() < wanted {
            let Some(at) = self.device.next_event() else {
                return Err(io::ErrorKind::TimedOut.into());
            };
            let at = at.0.max(self.clock.now());
            self.clock.advance_to(at);
            self.device.advance(Nanos(at), &mut self.completed);
        }
        Ok(())
    }

    fn submit_and_wait_for(&mut self, _patience: Duration) -> io::Result<()> {
        self.submit_and_wait(1)
    }

    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        for completion in self.completed.drain(..) {
            self.in_flight -= 1;
            let result = match completion.result {
                Ok(bytes) => narrow(bytes),
                Err(errno) => -errno,
            };
            each(narrow(completion.id), result);
        }
    }
}

/// A request in the words of simulated devices.
pub(crate) fn to_device(id: u64, request: Request) -> sim::Request {
    let operation = match request.action {
        Action::Read => Operation::Read,
        Action::Write | Action::WriteThrough | Action::WriteThroughWithMetadata => Operation::Write,
        Action::Trim => Operation::Trim,
        Action::Fsync | Action::Fdatasync => Operation::Flush,
    };
    sim::Request {
        id,
        operation,
        offset: request.offset,
        bytes: u64::from(request.length),
    }
}
