//! Checks that what was written is what is read back.
//!
//! [`Verifier`] seals blocks before they are written (fills them, and gives each piece
//! a header with fio's fields), remembers what has been written where, says what is to
//! be read back, and judges it. It does no I/O but the dumps of bad blocks, and decides
//! neither when writes are issued nor what a bad block means for the run.

mod dump;
#[cfg(test)]
mod fio_tests;
mod found;
mod header;
mod history;
mod judge;
mod pattern;
mod pieces;
mod refusal;
mod sealed;
#[cfg(test)]
mod sealed_tests;
mod state;
mod sums;
#[cfg(test)]
mod tests;
mod writer;

use std::io;
use std::path::PathBuf;

use sokudo_model::{Bytes, Check, Mismatch, MismatchKind, VerifyOutcome, WriteCheck, narrow};

pub(crate) use found::{Found, WrongPieces};
use history::{Record, WriteHistory};
use judge::{Fault, VerifyInterval};
use pattern::Contents;
use pieces::pieces;
pub(crate) use pieces::{PIECE_BYTES, sealed_pieces};
pub use refusal::VerifyError;
pub(crate) use refusal::check_verify;
pub(crate) use sealed::{BlockSeal, Seal};
use state::WriteProgress;
use writer::Writer;

/// A block to read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExpectedBlock {
    pub(crate) file: u32,
    pub(crate) offset: u64,
    pub(crate) length: u32,
    /// The write that is expected there; `None` where that is not known.
    pub(crate) serial: Option<u64>,
}

impl ExpectedBlock {
    fn as_record(&self) -> Record {
        Record {
            offset: self.offset,
            serial: self.serial.unwrap_or(0),
            completed: 0,
            file: self.file,
            length: self.length,
        }
    }
}

/// Seals, remembers and checks the blocks of one thread.
pub(crate) struct Verifier {
    verify: WriteCheck,
    files: Vec<String>,
    writer: Writer,
    history: WriteHistory,
    /// Writes sealed and not completed: as many as the depth.
    in_flight: Vec<Record>,
    /// Blocks handed out for reading back and not checked: as many as the depth.
    reading: Vec<BlockReadBack>,
    written_since_batch: u64,
    progress: WriteProgress,
    outcome: VerifyOutcome,
    dump_to: PathBuf,
}

/// A block being read back.
struct BlockReadBack {
    expected: ExpectedBlock,
    /// Whether a write to it was issued meanwhile, so that nothing can be said.
    is_disturbed: bool,
}

impl Verifier {
    /// For one thread of a workload. `number` is fio's number of it, from 1; `files` are the names
    /// of its files for messages; threads with different seeds write different data.
    pub(crate) fn new(verify: &WriteCheck, number: u32, files: Vec<String>, seed: u64) -> Self {
        let contents = Contents::new(verify.pattern.as_deref());
        // Of a pattern only whole blocks can be checked: it runs on from their start.
        let piece_bytes = verify.interval.filter(|_| !contents.is_pattern());
        let piece_bytes = piece_bytes.and_then(|bytes| u32::try_from(bytes.0).ok());
        #[expect(clippy::cast_possible_truncation, reason = "fio keeps 16 bits of it")]
        let thread = number as u16;
        Self {
            writer: Writer {
                check: verify.check,
                thread,
                seed,
                contents,
                next_serial: 0,
            },
            history: WriteHistory::new(piece_bytes.filter(|bytes| *bytes > 0)),
            in_flight: Vec::new(),
            reading: Vec::new(),
            written_since_batch: 0,
            progress: WriteProgress::new(files.len()),
            outcome: VerifyOutcome::default(),
            dump_to: PathBuf::new(),
            verify: verify.clone(),
            files,
        }
    }

    /// Makes a buffer what is written at `offset`: fills it, and adds the headers.
    /// Returns the write's serial.
    pub(crate) fn seal(&mut self, buffer: &mut [u8], file: u32, offset: u64) -> u64 {
        let serial = self.writer.next_serial;
        self.writer.next_serial += 1;
        let length = narrow(buffer.len());
        let record = Record {
            offset,
            serial,
            completed: u64::MAX,
            file,
            length,
        };
        for reading in &mut self.reading {
            reading.is_disturbed |= reading.expected.as_record().overlaps(&record);
        }
        self.in_flight.push(record);
        self.progress.writes += 1;
        self.progress.depth = self.progress.depth.max(self.in_flight.len());
        if self.writer.check != Check::Null {
            self.fill(buffer, offset, serial);
        }
        serial
    }

    /// A write has completed. Without this it is not read back.
    pub(crate) fn written(&mut self, file: u32, offset: u64, length: u32, serial: u64) {
        self.forget(serial);
        self.written_since_batch += 1;
        self.progress.completed(file, offset);
        self.history.add(Record {
            offset,
            serial,
            completed: self.writer.next_serial,
            file,
            length,
        });
    }

    /// A write has failed, or moved less than asked: nobody knows what is there.
    pub(crate) fn forget(&mut self, serial: u64) {
        // The oldest is first, and most likely the one.
        let at = self
            .in_flight
            .iter()
            .position(|write| write.serial == serial);
        if let Some(at) = at {
            self.in_flight.swap_remove(at);
        }
    }

    /// Whether blocks are to be read back before more is written.
    pub(crate) fn is_due(&self) -> bool {
        self.history.is_queued() || self.is_batch_due()
    }

    fn is_batch_due(&self) -> bool {
        let backlog = self.verify.backlog.filter(|_| self.verify.read_back);
        backlog.is_some_and(|backlog| self.written_since_batch >= backlog.max(1))
    }

    /// The pass has ended: all that has not been read back is due, where blocks are to
    /// be read back at all.
    pub(crate) fn end_of_pass(&mut self) {
        if self.verify.read_back {
            self.written_since_batch = 0;
            self.history.queue(None);
        }
    }

    /// The next block to read back; `None` when none is due.
    pub(crate) fn next(&mut self) -> Option<ExpectedBlock> {
        if !self.history.is_queued() && self.is_batch_due() {
            self.written_since_batch = 0;
            let batch = self.verify.backlog_batch;
            self.history.queue(batch.map(narrow));
        }
        loop {
            let record = self.history.next()?;
            // What is being written again is read back after that.
            if self.in_flight.iter().any(|write| write.overlaps(&record)) {
                continue;
            }
            let expected = ExpectedBlock {
                file: record.file,
                offset: record.offset,
                length: record.length,
                serial: Some(record.serial),
            };
            self.reading.push(BlockReadBack {
                expected,
                is_disturbed: false,
            });
            return Some(expected);
        }
    }

    /// Checks a block that was read; `expected` as [`Self::next`] gave it, or without
    /// a serial for a block whose write is not known. False when it is wrong.
    pub(crate) fn check(&mut self, buffer: &[u8], expected: ExpectedBlock) -> bool {
        let at = self.reading.iter().position(|r| r.expected == expected);
        let reading = at.map(|at| self.reading.swap_remove(at));
        if reading.is_some_and(|reading| reading.is_disturbed) {
            return true;
        }
        self.outcome.checked += 1;
        if self.writer.check == Check::Null {
            return true;
        }
        let length = expected.length as usize;
        if buffer.len() < length {
            self.report_short(buffer, expected);
            return false;
        }
        let serials = expected.serial.map(|latest| {
            let oldest = self.history.oldest(expected.file, expected.offset, latest);
            (oldest, latest)
        });
        let mut is_right = true;
        for (start, end) in self.pieces(length) {
            let interval = VerifyInterval {
                block: expected.offset,
                start,
                serials,
            };
            if let Err(fault) = self.judge(&buffer[start..end], interval) {
                self.report(&buffer[start..end], expected.file, interval, fault);
                is_right = false;
            }
        }
        self.outcome.wrong += u64::from(!is_right);
        is_right
    }

    /// Whether a bad block ends the workload, and there was one.
    pub(crate) fn is_fatal(&self) -> bool {
        self.verify.fatal && self.outcome.wrong > 0
    }

    /// Writes fio's `local-NAME-INDEX-verify.state` to the working directory, where that
    /// is asked for and anything was written. `index` counts the plan's threads from 0.
    ///
    /// # Errors
    /// The file's name and what the system says.
    pub(crate) fn save_state(&self, name: &str, index: u32) -> Result<(), (PathBuf, io::Error)> {
        if !self.verify.save_state || self.progress.writes == 0 {
            return Ok(());
        }
        // Nothing in a job's name may lead elsewhere.
        let file_name = name.replace('/', "_");
        let path = self
            .dump_to
            .join(format!("local-{file_name}-{index}-verify.state"));
        std::fs::write(&path, self.progress.bytes(name)).map_err(|error| (path, error))
    }

    pub(crate) fn finish(self) -> VerifyOutcome {
        self.outcome
    }

    /// Where each header's piece of a block begins and ends.
    fn pieces(&self, length: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let interval = self.verify.interval.map_or(length, |bytes| narrow(bytes.0));
        pieces(length, interval, self.shortest_piece())
    }

    /// A header, where it lies, and at least a byte of data.
    fn shortest_piece(&self) -> usize {
        let overhead = self.writer.overhead();
        let moved_to: usize = narrow(self.verify.offset.0);
        overhead.saturating_add(moved_to.max(1))
    }

    fn fill(&mut self, buffer: &mut [u8], block: u64, serial: u64) {
        let header = self.writer.header(serial, block, buffer.len());
        for (start, end) in self.pieces(buffer.len()) {
            let piece = &mut buffer[start..end];
            self.writer.make(piece, header, start);
            self.move_header(piece);
        }
    }

    /// Exchanges the header with the data at `verify_offset`; doing it again undoes it.
    fn move_header(&self, piece: &mut [u8]) {
        let overhead = self.writer.overhead();
        let to = narrow(self.verify.offset.0);
        if to >= overhead && to + overhead <= piece.len() {
            let (first, second) = piece.split_at_mut(to);
            first[..overhead].swap_with_slice(&mut second[..overhead]);
        }
    }

    fn judge(&mut self, piece: &[u8], interval: VerifyInterval) -> Result<(), Fault> {
        if self.verify.offset.0 == 0 || self.writer.overhead() == 0 {
            return self.writer.judge(piece, interval);
        }
        let mut piece = piece.to_vec();
        self.move_header(&mut piece);
        self.writer.judge(&piece, interval)
    }

    #[cold]
    fn report_short(&mut self, buffer: &[u8], expected: ExpectedBlock) {
        let (read, length) = (buffer.len(), expected.length);
        let detail = format!("only {read} of {length} bytes could be read");
        let fault = (MismatchKind::Length, detail);
        let interval = VerifyInterval::of(expected.offset);
        self.report(buffer, expected.file, interval, fault);
        self.outcome.wrong += 1;
    }

    #[cold]
    fn report(
        &mut self,
        piece: &[u8],
        file: u32,
        interval: VerifyInterval,
        (kind, mut detail): Fault,
    ) {
        if self.outcome.mismatches.len() >= VerifyOutcome::MISMATCHES_MAX {
            return;
        }
        let file = self.files.get(file as usize).cloned().unwrap_or_default();
        if self.verify.dump {
            detail.push_str(&self.dump_both(piece, &file, interval));
        }
        self.outcome.describe([Mismatch {
            file,
            offset: Bytes(interval.offset()),
            length: Bytes(piece.len() as u64),
            kind,
            detail,
        }]);
    }
}
