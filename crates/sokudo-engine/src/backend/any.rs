//! A backend whose kind is known when it runs only. The worker's loop is compiled for
//! each kind; what is written back, in few and large I/Os, asks each time.

use std::io;
use std::time::Duration;

use sokudo_sys::Request;

use super::{AnyBackend, Backend};

/// Does the same with whatever backend it is, compiled once for each.
macro_rules! each {
    ($any:expr, $backend:ident => $does:expr) => {
        match $any {
            $crate::backend::AnyBackend::IoUring($backend) => $does,
            $crate::backend::AnyBackend::IoUringCmd($backend) => $does,
            $crate::backend::AnyBackend::Libaio($backend) => $does,
            $crate::backend::AnyBackend::Psync($backend) => $does,
            $crate::backend::AnyBackend::Vsync($backend) => $does,
            $crate::backend::AnyBackend::Mmap($backend) => $does,
            $crate::backend::AnyBackend::Null($backend) => $does,
        }
    };
}
pub(crate) use each;

impl Backend for AnyBackend {
    const SUBMITS: bool = true;

    fn buffer_mut(&mut self, buffer_index: u32) -> &mut [u8] {
        each!(self, backend => backend.buffer_mut(buffer_index))
    }

    fn prepare(&mut self, request: Request) {
        each!(self, backend => backend.prepare(request));
    }

    fn submit(&mut self) -> io::Result<()> {
        each!(self, backend => backend.submit())
    }

    fn submit_and_wait(&mut self, wanted: u32) -> io::Result<()> {
        each!(self, backend => backend.submit_and_wait(wanted))
    }

    fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()> {
        each!(self, backend => backend.submit_and_wait_for(patience))
    }

    fn reap(&mut self, each: impl FnMut(u32, i32)) {
        each!(self, backend => backend.reap(each));
    }
}
