//! Requests on their way from a worker to a simulated device.

use std::io;
use std::time::Duration;

use sokudo_sys::Request;

use crate::backend::Backend;
use crate::sim;
use crate::stuck::operation_of;

/// A backend that only takes requests; whoever drives the worker hands them on.
#[derive(Default)]
pub(crate) struct Outbox(pub(crate) Vec<Request>);

impl Backend for Outbox {
    const MOVES_DATA: bool = false;

    fn buffer_mut(&mut self, _chunk: u32) -> &mut [u8] {
        &mut []
    }

    fn prepare(&mut self, request: Request) {
        self.0.push(request);
    }

    fn submit_and_wait(&mut self, _wanted: u32) -> io::Result<()> {
        Ok(())
    }

    fn submit_and_wait_for(&mut self, _patience: Duration) -> io::Result<()> {
        Ok(())
    }

    fn reap(&mut self, _each: impl FnMut(u32, i32)) {}
}

/// A request in the words of simulated devices.
pub(crate) fn to_device(id: u64, request: Request) -> sim::SimulatedRequest {
    sim::SimulatedRequest {
        id,
        operation: operation_of(request.action),
        offset: request.offset,
        bytes: u64::from(request.length),
    }
}
