//! Asynchronous I/O through a queue of the kernel: io_uring, with one system call
//! per batch, or libaio, with two.

use std::io;
use std::time::Duration;

use sokudo_sys::{Queue, Request};

use super::Backend;

/// A queue as a backend.
pub(crate) struct Queued<Q>(pub(crate) Q);

impl<Q: Queue> Backend for Queued<Q> {
    const SUBMITS: bool = true;

    #[inline]
    fn buffer_mut(&mut self, buffer_index: u32) -> &mut [u8] {
        self.0.region_mut().buffer_mut(buffer_index)
    }

    #[inline]
    fn prepare(&mut self, request: Request) {
        self.0.prepare(request);
    }

    #[inline]
    fn submit(&mut self) -> io::Result<()> {
        self.0.submit()
    }

    #[inline]
    fn submit_and_wait(&mut self, wanted: u32) -> io::Result<()> {
        self.0.submit_and_wait(wanted)
    }

    fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()> {
        self.0.submit_and_wait_for(patience)
    }

    #[inline]
    fn reap(&mut self, each: impl FnMut(u32, i32)) {
        self.0.reap(each);
    }
}
