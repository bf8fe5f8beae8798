//! Blocks whose contents follow from a number and their place alone: who knows the number can
//! check any of them, in whatever order, without a memory of what was written.
//!
//! A device is divided into pieces of one size, counted from its first byte, each with
//! fio's header and a CRC-32C. So it does not matter how an I/O is cut: behind a defect the
//! blocks of a survey begin where nobody planned it.

use std::ops::Range;

use sokudo_model::{Check, MismatchKind, narrow};

use super::found::{Found, WrongPieces};
use super::header::{HEADER_BYTES, VerifyHeader};
use super::judge::{Fault, VerifyInterval, absent_or_damaged, elsewhere};
use super::pattern::Contents;
use super::pieces::sealed_pieces;
use super::sums::Sum;
use super::writer::Writer;

/// Seals pieces of so many bytes, and judges them.
pub(crate) struct Seal<const PIECE: usize> {
    writer: Writer,
    /// A piece of which only a part is asked for.
    whole: Box<[u8; PIECE]>,
}

/// Seals and judges pieces of `PIECE_BYTES`.
pub(crate) type BlockSeal = Seal<4096>;

impl<const PIECE: usize> Seal<PIECE> {
    const BYTES: u64 = PIECE as u64;

    pub(crate) fn new(number: u64) -> Self {
        let writer = Writer {
            check: Check::Crc32c,
            thread: 0,
            seed: number,
            contents: Contents::Random,
            next_serial: 0,
        };
        let whole = Box::new([0; PIECE]);
        Self { writer, whole }
    }

    /// Fills a buffer with what is to be at `offset` of the device.
    pub(crate) fn seal(&mut self, buffer: &mut [u8], offset: u64) {
        for range in sealed_pieces(offset..offset + buffer.len() as u64, Self::BYTES) {
            let part = &mut buffer[within(&range, offset)];
            match part.len() == PIECE {
                true => self.writer.make(part, self.header(range.start), 0),
                false => part.copy_from_slice(self.part(&range)),
            }
        }
    }

    /// What is wrong in a buffer that is to hold what is at `offset` of the device.
    pub(crate) fn judge(&mut self, buffer: &[u8], offset: u64) -> Option<WrongPieces> {
        let block = offset..offset + buffer.len() as u64;
        WrongPieces::first(sealed_pieces(block, Self::BYTES).map(|range| {
            let fault = self.fault(&buffer[within(&range, offset)], &range);
            (range, fault)
        }))
    }

    /// What a piece that lies at `offset` holds.
    pub(crate) fn look(&self, whole: &[u8; PIECE], offset: u64) -> Found {
        let header = VerifyHeader::read(whole).ok();
        match header.map(|header| header.offset) {
            Some(found) if !self.holds(whole, found) => Found::Nothing,
            Some(found) if found != offset => Found::Other(found),
            Some(_) => Found::Own,
            None => Found::Nothing,
        }
    }

    /// What is wrong with that part of a piece.
    fn fault(&mut self, part: &[u8], range: &Range<u64>) -> Option<Fault> {
        let Ok(whole) = <&[u8; PIECE]>::try_from(part) else {
            let expected = self.part(range);
            return (part != expected).then(|| self.fault_of_part(part, range));
        };
        let is_right = self.holds(whole, range.start);
        (!is_right).then(|| self.fault_of_whole(whole, range.start))
    }

    #[cold]
    fn fault_of_whole(&mut self, whole: &[u8], piece: u64) -> Fault {
        let judged = self.writer.judge(whole, VerifyInterval::of(piece));
        // Where all of it fits together, the number does not.
        judged.err().unwrap_or_else(|| Found::Stale.into())
    }

    #[cold]
    fn fault_of_part(&mut self, part: &[u8], range: &Range<u64>) -> Fault {
        if part.iter().all(|byte| *byte == 0) {
            return Found::Nothing.into();
        }
        let expected = self.header(range.start);
        let start = within(range, expected.offset).start;
        if start == 0 && part.len() >= HEADER_BYTES {
            match VerifyHeader::read(part) {
                Err(invalid) => return absent_or_damaged(invalid, part),
                Ok(header) if header.offset != expected.offset => return elsewhere(header.offset),
                Ok(header) if header != expected => return Found::Stale.into(),
                Ok(_) => {}
            }
        }
        let mut pairs = part.iter().zip(self.part(range));
        let first = pairs.position(|(found, wanted)| found != wanted);
        let first = start + first.unwrap_or(0);
        let detail = format!("byte {first} of the block is not what was written");
        (MismatchKind::Checksum, detail)
    }

    /// What these bytes of a piece are to hold.
    fn part(&mut self, range: &Range<u64>) -> &[u8] {
        let header = self.header(range.start);
        self.writer.make(&mut *self.whole, header, 0);
        &self.whole[within(range, header.offset)]
    }

    /// The header of the piece that holds this byte.
    fn header(&self, offset: u64) -> VerifyHeader {
        let serial = offset / Self::BYTES;
        self.writer.header(serial, serial * Self::BYTES, PIECE)
    }

    /// Whether a piece has its own header, and the contents that go with the sum in it.
    fn holds(&self, whole: &[u8; PIECE], piece: u64) -> bool {
        let (head, body) = whole.split_at(self.writer.overhead());
        let mut header = [0; HEADER_BYTES];
        self.header(piece).write(&mut header);
        let sum = Sum::of(self.writer.check, body);
        head[..HEADER_BYTES] == header && head[HEADER_BYTES..] == *sum.bytes()
    }
}

/// Where bytes of a device lie in what holds it from `start` on.
fn within(range: &Range<u64>, start: u64) -> Range<usize> {
    narrow(range.start - start)..narrow(range.end - start)
}
