//! Blocks whose contents follow from a number and their place alone: who knows the number can
//! check any of them, in whatever order, without a memory of what was written.
//!
//! A device is divided into pieces of one size, counted from its first byte, each with
//! fio's header and a CRC-32C. So it does not matter how an I/O is cut: behind a defect the
//! blocks of a survey begin where nobody planned it.

use std::ops::Range;

use sokudo_model::{Check, MismatchKind};

use super::header::{HEADER_BYTES, Invalid, VerifyHeader, kind_of};
use super::judge::{Fault, VerifyInterval, Writer, absent_or_damaged, elsewhere};
use super::pattern::Contents;
use super::sums::Sum;

/// The unit of flash and platters: what is wrong is named to that. Its header takes 1 % of it.
pub(crate) const PIECE_BYTES: u64 = 4096;

/// Seals pieces of so many bytes, and judges them.
pub(crate) struct Seal<const PIECE: usize> {
    maker: PieceMaker<PIECE>,
    /// A piece of which only a part is asked for.
    whole: Box<[u8; PIECE]>,
}

/// Seals and judges pieces of [`PIECE_BYTES`].
pub(crate) type BlockSeal = Seal<4096>;

struct PieceMaker<const PIECE: usize> {
    writer: Writer,
    contents: Contents,
}

/// What is wrong in a block: the first pieces of it that are, one after the other, and what is
/// wrong with the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrongPieces {
    pub(crate) range: Range<u64>,
    pub(crate) kind: MismatchKind,
    pub(crate) detail: String,
}

impl<const PIECE: usize> Seal<PIECE> {
    const BYTES: u64 = PIECE as u64;

    pub(crate) fn new(number: u64) -> Self {
        let writer = Writer {
            check: Check::Crc32c,
            thread: 0,
            seed: number,
            is_pattern: false,
            next_serial: 0,
        };
        let contents = Contents::Random;
        Self {
            maker: PieceMaker { writer, contents },
            whole: Box::new([0; PIECE]),
        }
    }

    /// The piece that holds these bytes, and those of them that it holds.
    fn piece_at(offset: u64, end: u64) -> (u64, Range<u64>) {
        let piece = offset / Self::BYTES * Self::BYTES;
        (piece, offset..end.min(piece.saturating_add(Self::BYTES)))
    }

    /// Fills a buffer with what is to be at `offset` of the device.
    pub(crate) fn seal(&mut self, buffer: &mut [u8], offset: u64) {
        let end = offset + buffer.len() as u64;
        let (mut at, mut rest) = (offset, buffer);
        while at < end {
            let (piece, range) = Self::piece_at(at, end);
            let (part, behind) = rest.split_at_mut(length(&range));
            match <&mut [u8; PIECE]>::try_from(&mut *part) {
                Ok(whole) => self.maker.make(whole, piece),
                Err(_) => part.copy_from_slice(self.part(piece, &range)),
            }
            (at, rest) = (range.end, behind);
        }
    }

    /// Whether a buffer holds what is to be at `offset` of the device.
    ///
    /// # Errors
    /// The first pieces that hold something else.
    pub(crate) fn judge(&mut self, buffer: &[u8], offset: u64) -> Result<(), WrongPieces> {
        let end = offset + buffer.len() as u64;
        let (mut at, mut rest) = (offset, buffer);
        let mut wrong: Option<WrongPieces> = None;
        while at < end {
            let (piece, range) = Self::piece_at(at, end);
            let (part, behind) = rest.split_at(length(&range));
            (at, rest) = (range.end, behind);
            match (self.fault(part, piece, &range), &mut wrong) {
                (None, None) => {}
                (None, Some(_)) => break,
                (Some(_), Some(wrong)) => wrong.range.end = range.end,
                (Some((kind, detail)), None) => {
                    wrong = Some(WrongPieces {
                        range,
                        kind,
                        detail,
                    });
                }
            }
        }
        wrong.map_or(Ok(()), Err)
    }

    /// The place for which a piece was sealed with this number, if it was.
    pub(crate) fn stamped_offset(&self, whole: &[u8; PIECE]) -> Option<u64> {
        let offset = VerifyHeader::read(whole).ok()?.offset;
        self.maker.holds(whole, offset).then_some(offset)
    }

    /// What is wrong with that part of a piece.
    fn fault(&mut self, part: &[u8], piece: u64, range: &Range<u64>) -> Option<Fault> {
        let Ok(whole) = <&[u8; PIECE]>::try_from(part) else {
            let expected = self.part(piece, range);
            return (part != expected).then(|| self.fault_of_part(part, piece, range));
        };
        let is_right = self.maker.holds(whole, piece);
        (!is_right).then(|| self.fault_of_whole(whole, piece))
    }

    #[cold]
    fn fault_of_whole(&mut self, whole: &[u8], piece: u64) -> Fault {
        let interval = VerifyInterval {
            block: piece,
            start: 0,
            serials: None,
        };
        let PieceMaker { writer, contents } = &mut self.maker;
        match writer.judge(whole, interval, contents) {
            Err(fault) => fault,
            // All of it fits together, but the number does not.
            Ok(()) => stale(),
        }
    }

    #[cold]
    fn fault_of_part(&mut self, part: &[u8], piece: u64, range: &Range<u64>) -> Fault {
        if part.iter().all(|byte| *byte == 0) {
            return absent_or_damaged(Invalid::Absent, part);
        }
        if range.start == piece && part.len() >= HEADER_BYTES {
            match VerifyHeader::read(part) {
                Err(invalid) => return absent_or_damaged(invalid, part),
                Ok(header) if header.offset != piece => return elsewhere(header.offset),
                Ok(header) if header != self.maker.header(piece) => return stale(),
                Ok(_) => {}
            }
        }
        let expected = self.part(piece, range);
        let mut pairs = part.iter().zip(expected);
        let first = pairs.position(|(found, wanted)| found != wanted);
        let first = length(&(piece..range.start)) + first.unwrap_or(0);
        let detail = format!("byte {first} of the block is not what was written");
        (MismatchKind::Checksum, detail)
    }

    /// What these bytes of a piece are to hold.
    fn part(&mut self, piece: u64, range: &Range<u64>) -> &[u8] {
        self.maker.make(&mut self.whole, piece);
        &self.whole[length(&(piece..range.start))..length(&(piece..range.end))]
    }
}

impl<const PIECE: usize> PieceMaker<PIECE> {
    fn header(&self, piece: u64) -> VerifyHeader {
        let serial = piece / Seal::<PIECE>::BYTES;
        #[expect(clippy::cast_possible_truncation, reason = "a header holds 16 bits")]
        VerifyHeader {
            kind: kind_of(self.writer.check).unwrap_or_default(),
            length: PIECE as u32,
            seed: self.writer.seed_of(serial),
            offset: piece,
            thread: self.writer.thread,
            serial: serial as u16,
        }
    }

    fn make(&mut self, whole: &mut [u8; PIECE], piece: u64) {
        let overhead = self.writer.overhead();
        let header = self.header(piece);
        let body = &mut whole[overhead..];
        self.contents.fill(body, header.seed, piece, overhead);
        let sum = Sum::of(self.writer.check, body);
        whole[HEADER_BYTES..overhead].copy_from_slice(sum.bytes());
        header.write(whole);
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

/// What is there was written with another number.
pub(crate) fn stale() -> Fault {
    let detail = "holds what was written there with another number: a write was lost";
    (MismatchKind::Stale, detail.to_owned())
}

/// What was never written reads as zeros.
pub(crate) fn never_written() -> Fault {
    absent_or_damaged(Invalid::Absent, &[])
}

#[expect(clippy::cast_possible_truncation, reason = "a part of a buffer")]
const fn length(range: &Range<u64>) -> usize {
    (range.end - range.start) as usize
}
