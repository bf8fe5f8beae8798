//! Checking as part of a worker's loop: which I/Os write what is to be checked, which
//! read it back, and which buffers wait to be looked at.
//!
//! What a block must hold is the [`Verifier`]'s business.

use std::fs::File;

use rustix::fs::{Advice, fadvise, fdatasync};
use sokudo_model::{Operation, VerifyOutcome, Workload};
use sokudo_words::{Text, text};

use crate::backend::Backend;
use crate::pattern::Access;
use crate::verify::{ExpectedBlock, Verifier};

/// Checks what one thread writes, or reads.
pub(crate) struct Checker {
    verifier: Verifier,
    /// Whether every read is checked: nothing is written.
    checks_reads: bool,
    /// Whether writes are checked instead of done.
    only: bool,
    /// Files that are read back through the page cache.
    cached: Vec<File>,
    /// Why each buffer is in flight.
    purposes: Box<[IoPurpose]>,
    /// Buffers that have been read and wait to be looked at.
    read: Vec<(u32, ExpectedBlock)>,
    /// Whether the end of the pass has been seen.
    has_ended: bool,
    is_reading_back: bool,
}

#[derive(Clone, Copy)]
enum IoPurpose {
    /// An I/O whose data is not checked.
    Plain,
    /// A write, with its serial.
    Write(u64),
    /// A block to look at.
    Check(ExpectedBlock),
}

impl Checker {
    /// For one thread with so many `buffers`. `cached` are the files whose cached pages
    /// are dropped before they are read back, so that the device is read.
    pub(crate) fn new(
        workload: &Workload,
        verifier: Verifier,
        cached: Vec<File>,
        buffers: u32,
    ) -> Self {
        let only = workload.write_check().is_some_and(|check| check.only);
        Self {
            verifier,
            checks_reads: workload.operations.percent(Operation::Write) == 0,
            only,
            cached,
            purposes: vec![IoPurpose::Plain; buffers as usize].into_boxed_slice(),
            read: Vec::with_capacity(buffers as usize),
            has_ended: false,
            is_reading_back: false,
        }
    }

    /// The next block to be read back before anything else is done.
    pub(crate) fn due(&mut self) -> Option<ExpectedBlock> {
        match self.verifier.is_due() {
            true => self.verifier.next(),
            false => None,
        }
    }

    /// What is done instead of `access`, and the block that is checked by it.
    pub(crate) fn instead_of(&self, access: Access) -> (Access, Option<ExpectedBlock>) {
        let Access {
            file,
            offset,
            length,
            ..
        } = access;
        let is_checked = match access.operation {
            Operation::Read => self.checks_reads,
            Operation::Write => self.only,
            _ => false,
        };
        if !is_checked {
            return (access, None);
        }
        let expected = ExpectedBlock {
            file,
            offset,
            length,
            serial: None,
        };
        (read_of(&expected), Some(expected))
    }

    /// Notes what a buffer is used for.
    pub(crate) fn begin(&mut self, buffer_index: u32, expected: Option<ExpectedBlock>) {
        self.purposes[buffer_index as usize] = expected.map_or(IoPurpose::Plain, IoPurpose::Check);
    }

    /// Makes a buffer what is written.
    pub(crate) fn seal(&mut self, buffer_index: u32, buffer: &mut [u8], access: Access) {
        let serial = self.verifier.seal(buffer, access.file, access.offset);
        self.purposes[buffer_index as usize] = IoPurpose::Write(serial);
    }

    /// Notes a completion, of which `is_whole` says whether all was moved. True when
    /// the buffer is free again; the others are looked at in [`Self::look`].
    pub(crate) fn complete(&mut self, buffer_index: u32, access: Access, is_whole: bool) -> bool {
        match self.purposes[buffer_index as usize] {
            IoPurpose::Write(serial) if is_whole => {
                self.verifier
                    .written(access.file, access.offset, access.length, serial);
                true
            }
            IoPurpose::Write(serial) => {
                self.verifier.forget(serial);
                true
            }
            IoPurpose::Check(expected) if is_whole => {
                self.read.push((buffer_index, expected));
                false
            }
            IoPurpose::Plain | IoPurpose::Check(_) => true,
        }
    }

    /// Checks what has been read and hands each buffer to `free`. False when a bad
    /// block ends the workload.
    pub(crate) fn look<B: Backend>(&mut self, backend: &mut B, mut free: impl FnMut(u32)) -> bool {
        for (buffer_index, expected) in self.read.drain(..) {
            let buffer = &backend.buffer_mut(buffer_index)[..expected.length as usize];
            self.verifier.check(buffer, expected);
            free(buffer_index);
        }
        !self.verifier.is_fatal()
    }

    /// The pass has been written; true when blocks are to be read back now, which is
    /// said once.
    pub(crate) fn end_pass(&mut self) -> bool {
        if self.has_ended {
            self.is_reading_back = false;
            return false;
        }
        self.has_ended = true;
        self.verifier.end_of_pass();
        self.is_reading_back = self.verifier.is_due();
        if self.is_reading_back {
            self.drop_cached();
        }
        self.is_reading_back
    }

    /// Makes ready for another pass after the end of one.
    pub(crate) fn restart(&mut self) {
        self.has_ended = false;
    }

    /// Whether it is reading back what a pass has written.
    pub(crate) fn is_reading_back(&self) -> bool {
        self.is_reading_back
    }

    /// Saves the state for a later check, where that is asked for. What went wrong, in
    /// a sentence, if anything did.
    pub(crate) fn save_state(&self, name: &str, index: u32) -> Option<Text> {
        let (path, error) = self.verifier.save_state(name, index).err()?;
        let path = path.display();
        Some(text!(
            "the state of the check was not saved to {path}: {error}"
        ))
    }

    pub(crate) fn finish(self) -> VerifyOutcome {
        self.verifier.finish()
    }

    /// A file system that keeps the pages is still checked, from memory.
    fn drop_cached(&self) {
        for file in &self.cached {
            let _ = fdatasync(file);
            let _ = fadvise(file, 0, None, Advice::DontNeed);
        }
    }
}

/// The read of a block that is checked.
pub(crate) fn read_of(expected: &ExpectedBlock) -> Access {
    Access {
        operation: Operation::Read,
        file: expected.file,
        offset: expected.offset,
        length: expected.length,
    }
}
