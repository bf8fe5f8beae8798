//! `pread` and `pwrite`: one I/O at a time, one system call each.

use std::io;
use std::time::Duration;

use sokudo_sys::{Blocking, Request};

use super::Backend;

/// Blocking I/O. At most one I/O is in flight, whatever the depth.
pub(crate) struct Psync {
    blocking: Blocking,
    prepared: Option<Request>,
    done: Option<(u32, i32)>,
}

impl Psync {
    pub(crate) fn new(blocking: Blocking) -> Self {
        Self {
            blocking,
            prepared: None,
            done: None,
        }
    }
}

impl Backend for Psync {
    const SUBMITS: bool = false;
    const MOVES_DATA: bool = true;

    #[inline]
    fn chunk_mut(&mut self, chunk: u32) -> &mut [u8] {
        self.blocking.region_mut().chunk_mut(chunk)
    }

    #[inline]
    fn prepare(&mut self, request: Request) {
        debug_assert!(self.prepared.is_none(), "psync holds one I/O");
        self.prepared = Some(request);
    }

    #[inline]
    fn submit(&mut self) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    fn submit_and_wait(&mut self, _wanted: u32) -> io::Result<()> {
        if let Some(request) = self.prepared.take() {
            self.done = Some((request.chunk, self.blocking.perform(request)));
        }
        Ok(())
    }

    fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()> {
        if self.prepared.is_none() {
            std::thread::sleep(patience);
        }
        self.submit_and_wait(1)
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        if let Some((chunk, result)) = self.done.take() {
            each(chunk, result);
        }
    }
}
