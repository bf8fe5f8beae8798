//! Writing back what has just been read, and nothing else.
//!
//! [`WriteBack`] is a backend that keeps what each of its buffers was read from. A write
//! goes to that very place with those very bytes: nobody can reach the bytes in between,
//! say another place, or write a buffer that was not read whole. It is the only thing that
//! is made of a [`WriteBackFile`], so that a device which may only be written back cannot
//! be changed through it.

use std::fs::File;
use std::io;
use std::time::Duration;

use sokudo_model::BackendUse;
use sokudo_sys::{IoAction, Request};

use crate::backend::{AnyBackend, Backend, BackendRequirements, OpenError, open};

/// A file that is open for writing back. What is in it leaves it only inside a
/// [`WriteBack`].
pub(crate) struct WriteBackFile(File);

impl WriteBackFile {
    /// Takes a file that may at least be written back.
    pub(crate) fn new(file: File) -> Self {
        Self(file)
    }

    /// Opens the backend that is wanted on it.
    pub(crate) fn backend(
        self,
        wanted: BackendRequirements,
    ) -> Result<(WriteBack<AnyBackend>, BackendUse), OpenError> {
        let (backend, used) = open(wanted, vec![self.0.into()])?;
        Ok((WriteBack::over(backend, wanted.buffers), used))
    }
}

/// What a buffer holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SlotContent {
    Nothing,
    /// It is being read from there.
    Reading {
        offset: u64,
        length: u32,
    },
    /// All of this has been read.
    Whole {
        offset: u64,
        length: u32,
    },
}

/// A backend that writes nothing but what it has just read.
pub(crate) struct WriteBack<B> {
    backend: B,
    held: Box<[SlotContent]>,
}

impl<B> WriteBack<B> {
    fn over(backend: B, buffers: u32) -> Self {
        Self {
            backend,
            held: vec![SlotContent::Nothing; buffers as usize].into_boxed_slice(),
        }
    }
}

impl WriteBack<AnyBackend> {
    /// No device at all.
    pub(crate) fn null(wanted: BackendRequirements) -> Result<(Self, BackendUse), OpenError> {
        let (backend, used) = open(wanted, Vec::new())?;
        Ok((Self::over(backend, wanted.buffers), used))
    }
}

impl<B: Backend> Backend for WriteBack<B> {
    /// All is submitted by the call that waits: writing back is not what is fast.
    const SUBMITS: bool = false;
    /// Nobody fills its buffers.
    const MOVES_DATA: bool = false;

    fn buffer_mut(&mut self, _chunk: u32) -> &mut [u8] {
        &mut []
    }

    /// A write says only which buffer: place and length are those that were read.
    ///
    /// # Panics
    /// When a buffer is to be written that was not read whole, and for trims.
    fn prepare(&mut self, request: Request) {
        let held = &mut self.held[request.buffer as usize];
        match request.action {
            IoAction::Read => {
                *held = SlotContent::Reading {
                    offset: request.offset,
                    length: request.length,
                };
                self.backend.prepare(request);
            }
            IoAction::Fsync | IoAction::Fdatasync => self.backend.prepare(request),
            IoAction::Write | IoAction::WriteThrough | IoAction::WriteThroughWithMetadata => {
                let SlotContent::Whole { offset, length } = *held else {
                    panic!("only what was read is written back");
                };
                self.backend.prepare(Request {
                    offset,
                    length,
                    ..request
                });
            }
            IoAction::Trim => panic!("only what was read is written back"),
        }
    }

    fn submit(&mut self) -> io::Result<()> {
        self.backend.submit()
    }

    fn submit_and_wait(&mut self, wanted: u32) -> io::Result<()> {
        self.backend.submit_and_wait(wanted)
    }

    fn submit_and_wait_for(&mut self, patience: Duration) -> io::Result<()> {
        self.backend.submit_and_wait_for(patience)
    }

    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        let held = &mut self.held;
        self.backend.reap(|buffer_index, result| {
            let held = &mut held[buffer_index as usize];
            match *held {
                SlotContent::Reading { offset, length } if result == length.cast_signed() => {
                    *held = SlotContent::Whole { offset, length };
                }
                SlotContent::Reading { .. } => *held = SlotContent::Nothing,
                // It has been written back; a write that failed may be tried again.
                SlotContent::Whole { length, .. } if result == length.cast_signed() => {
                    *held = SlotContent::Nothing;
                }
                SlotContent::Whole { .. } | SlotContent::Nothing => {}
            }
            each(buffer_index, result);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{BackendKind, BufferMemory};
    use std::os::unix::fs::FileExt;

    fn request(action: IoAction, offset: u64) -> Request {
        Request {
            action,
            buffer: 0,
            file: 0,
            length: 4096,
            offset,
        }
    }

    fn opened(size: u64) -> (File, WriteBack<AnyBackend>) {
        let file = tempfile::tempfile().unwrap();
        let content: Vec<u8> = (0..size).map(|at| (at / 4096 + 1) as u8).collect();
        file.write_all_at(&content, 0).unwrap();
        let wanted = BackendRequirements {
            kind: BackendKind::Psync,
            polled: false,
            depth: 1,
            buffers: 1,
            buffer_length: 4096,
            memory: BufferMemory::SmallPages,
        };
        let same = WriteBackFile::new(file.try_clone().unwrap());
        (file, same.backend(wanted).unwrap().0)
    }

    fn perform(backend: &mut WriteBack<AnyBackend>, request: Request) -> i32 {
        backend.prepare(request);
        let mut answer = 0;
        backend.submit_and_wait(1).unwrap();
        backend.reap(|_, result| answer = result);
        answer
    }

    #[test]
    fn a_write_goes_where_its_bytes_came_from_whatever_it_says() {
        let (file, mut backend) = opened(3 * 4096);
        assert_eq!(perform(&mut backend, request(IoAction::Read, 4096)), 4096);
        file.write_all_at(&[9; 4096], 4096).unwrap();
        assert_eq!(perform(&mut backend, request(IoAction::Write, 0)), 4096);
        let mut content = vec![0; 3 * 4096];
        file.read_exact_at(&mut content, 0).unwrap();
        let each: Vec<u8> = content.chunks(4096).map(|block| block[7]).collect();
        assert_eq!(
            each,
            [1, 2, 3],
            "the second block is back, the first untouched"
        );
        assert!(backend.buffer_mut(0).is_empty(), "nobody reaches the bytes");
    }

    #[test]
    #[should_panic(expected = "only what was read is written back")]
    fn what_was_not_read_is_not_written() {
        let (_file, mut backend) = opened(4096);
        backend.prepare(request(IoAction::Write, 0));
    }

    #[test]
    #[should_panic(expected = "only what was read is written back")]
    fn what_was_read_in_part_is_not_written() {
        let (_file, mut backend) = opened(4000);
        assert_eq!(perform(&mut backend, request(IoAction::Read, 0)), 4000);
        backend.prepare(request(IoAction::Write, 0));
    }

    #[test]
    #[should_panic(expected = "only what was read is written back")]
    fn what_was_written_back_is_not_written_again() {
        let (_file, mut backend) = opened(4096);
        assert_eq!(perform(&mut backend, request(IoAction::Read, 0)), 4096);
        assert_eq!(perform(&mut backend, request(IoAction::Write, 0)), 4096);
        backend.prepare(request(IoAction::Write, 0));
    }

    #[test]
    #[should_panic(expected = "only what was read is written back")]
    fn nothing_is_trimmed() {
        let (_file, mut backend) = opened(4096);
        assert_eq!(perform(&mut backend, request(IoAction::Read, 0)), 4096);
        backend.prepare(request(IoAction::Trim, 0));
    }
}
