//! A message that MPI is sending or receiving, whose buffer it may still touch.

use std::mem::ManuallyDrop;

/// Dropped, it leaks its buffer: MPI may still use it.
pub(super) struct Underway<H> {
    buffer: ManuallyDrop<Vec<u8>>,
    /// On the heap, so that it stays where it is.
    request: ManuallyDrop<Box<H>>,
}

impl<H> Underway<H> {
    pub(super) fn new(bytes: Vec<u8>, request: H) -> Self {
        Self {
            buffer: ManuallyDrop::new(bytes),
            request: ManuallyDrop::new(Box::new(request)),
        }
    }

    pub(super) fn buffer(&mut self) -> *mut u8 {
        self.buffer.as_mut_ptr()
    }

    pub(super) fn request(&mut self) -> *mut H {
        &raw mut **self.request
    }

    /// Only for a message that is done.
    pub(super) fn free(self) -> Vec<u8> {
        let Self { buffer, request } = self;
        drop(ManuallyDrop::into_inner(request));
        ManuallyDrop::into_inner(buffer)
    }
}
