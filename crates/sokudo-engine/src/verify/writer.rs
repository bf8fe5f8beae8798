//! Makes the pieces of a block: contents, and before them a header and the sum that goes with
//! them. It knows nothing of what was written before.

use sokudo_model::{Check, narrow};

use super::header::{HEADER_BYTES, VerifyHeader, kind_of};
use super::pattern::Contents;
use super::sums::{Sum, sum_bytes};

/// What is known of the writer.
pub(crate) struct Writer {
    /// What each piece carries.
    pub(crate) check: Check,
    /// Number of the writing thread.
    pub(crate) thread: u16,
    /// What the seeds of its blocks come from.
    pub(crate) seed: u64,
    /// What its blocks hold; headers name no seed of a pattern.
    pub(crate) contents: Contents,
    /// The serial of the next write.
    pub(crate) next_serial: u64,
}

impl Writer {
    /// What the contents of a write are made from. fio, too, leaves it 0 for patterns.
    pub(crate) fn seed_of(&self, serial: u64) -> u64 {
        if self.contents.is_pattern() {
            return 0;
        }
        sokudo_stats::mix64(self.seed ^ sokudo_stats::mix64(serial.wrapping_add(1)))
    }

    /// Bytes of header and sum.
    pub(crate) fn overhead(&self) -> usize {
        overhead(self.check)
    }

    /// The header of a piece, or of a block that is one.
    #[inline]
    pub(crate) fn header(&self, serial: u64, offset: u64, length: usize) -> VerifyHeader {
        #[expect(clippy::cast_possible_truncation, reason = "a header holds 16 bits")]
        VerifyHeader {
            kind: kind_of(self.check).unwrap_or_default(),
            length: narrow(length),
            seed: self.seed_of(serial),
            offset,
            thread: self.thread,
            serial: serial as u16,
        }
    }

    /// Makes the piece that begins `start` bytes after the start of its block, which has this
    /// header.
    #[inline]
    pub(crate) fn make(&mut self, piece: &mut [u8], block: VerifyHeader, start: usize) {
        let overhead = self.overhead();
        if piece.len() <= overhead {
            // Refused before by check_verify.
            return;
        }
        let header = VerifyHeader {
            length: narrow(piece.len()),
            offset: block.offset + start as u64,
            ..block
        };
        let (head, body) = piece.split_at_mut(overhead);
        let at = start + overhead;
        self.contents.fill(body, block.seed, block.offset, at);
        if overhead > 0 {
            head[HEADER_BYTES..].copy_from_slice(Sum::of(self.check, body).bytes());
            header.write(head);
        }
    }
}

/// Bytes of header and sum of a check.
pub(crate) fn overhead(check: Check) -> usize {
    match kind_of(check) {
        Some(_) => HEADER_BYTES + sum_bytes(check),
        None => 0,
    }
}
