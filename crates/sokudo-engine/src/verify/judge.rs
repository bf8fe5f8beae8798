//! What is wrong with a piece of a block, in one sentence each. Pure: it is given the
//! piece and what is known of it.

use sokudo_model::{Check, MismatchKind};

use super::header::{HEADER_BYTES, Invalid, VerifyHeader, is_kind, kind_of, name_of};
use super::sums::{Sum, hexadecimal};
use super::writer::Writer;

/// What is known of a piece.
#[derive(Clone, Copy)]
pub(crate) struct VerifyInterval {
    /// Offset of its block in the file.
    pub(crate) block: u64,
    /// Where in the block it begins.
    pub(crate) start: usize,
    /// The oldest and the latest write that may be there, if that is known.
    pub(crate) serials: Option<(u64, u64)>,
}

impl VerifyInterval {
    /// A piece that is a block by itself, of which it is not known who wrote it.
    pub(crate) fn of(block: u64) -> Self {
        Self {
            block,
            start: 0,
            serials: None,
        }
    }

    /// Where in the file it begins.
    pub(crate) fn offset(&self) -> u64 {
        self.block + self.start as u64
    }
}

/// What is wrong, and what was found and expected.
pub(crate) type Fault = (MismatchKind, String);

/// How far back a header's serial is looked for: its 16 bits fit one write in 65,536.
const SERIAL_TRIES_MAX: u64 = 1_024;

impl Writer {
    /// The serial that a header's write had, if it was one of ours.
    fn serial_of(&self, header: &VerifyHeader) -> Option<u64> {
        let newest = self.next_serial.checked_sub(1)?;
        #[expect(clippy::cast_possible_truncation, reason = "a header holds 16 bits")]
        let below = (newest as u16).wrapping_sub(header.serial);
        let newest = newest.checked_sub(u64::from(below))?;
        (0..SERIAL_TRIES_MAX)
            .map_while(|try_number| newest.checked_sub(try_number << 16))
            .find(|serial| self.seed_of(*serial) == header.seed)
    }

    /// Judges a piece, whose header lies at its start.
    pub(crate) fn judge(&mut self, piece: &[u8], interval: VerifyInterval) -> Result<(), Fault> {
        if kind_of(self.check).is_none() {
            return self.compare(piece, 0, interval);
        }
        if piece.len() <= self.overhead() {
            let detail = format!("{} bytes are too few for a header", piece.len());
            return Err((MismatchKind::Length, detail));
        }
        let header =
            VerifyHeader::read(piece).map_err(|invalid| absent_or_damaged(invalid, piece))?;
        self.judge_header(&header, piece.len(), interval)?;
        let body = &piece[self.overhead()..];
        let has_no_sum = matches!(self.check, Check::PatternHeader | Check::Header);
        if self.contents.is_pattern() && has_no_sum {
            return self.compare(body, 0, interval);
        }
        self.judge_sum(piece, &header, interval)
    }

    fn judge_header(
        &self,
        header: &VerifyHeader,
        length: usize,
        interval: VerifyInterval,
    ) -> Result<(), Fault> {
        if header.offset != interval.offset() {
            return Err(elsewhere(header.offset));
        }
        if !is_kind(header.kind, self.check) {
            let wanted = kind_of(self.check).map_or("none", name_of);
            let detail = format!("was written with {}, not {wanted}", name_of(header.kind));
            return Err((MismatchKind::WrongJob, detail));
        }
        if header.length as usize != length {
            let detail = format!("was written as {} bytes, not {length}", header.length);
            return Err((MismatchKind::Length, detail));
        }
        let Some((oldest, latest)) = interval.serials else {
            return Ok(());
        };
        if header.thread != self.thread {
            let (found, own) = (header.thread, self.thread);
            let detail = format!("was written by thread {found}, after thread {own} or instead");
            return Err((MismatchKind::WrongJob, detail));
        }
        self.judge_serial(header, oldest, latest)
    }

    /// A block that is newer than the last completed write was overtaken by one in
    /// flight, which is no fault.
    fn judge_serial(&self, header: &VerifyHeader, oldest: u64, latest: u64) -> Result<(), Fault> {
        let detail = match self.serial_of(header) {
            Some(serial) if serial >= oldest => return Ok(()),
            Some(serial) => format!(
                "holds write {serial} of this place, the last was write {latest}: a write was lost"
            ),
            None => format!(
                "holds a write of an earlier run (number {}), the last was write {latest}: a \
                 write was lost",
                header.serial
            ),
        };
        Err((MismatchKind::Stale, detail))
    }

    fn judge_sum(
        &mut self,
        piece: &[u8],
        header: &VerifyHeader,
        interval: VerifyInterval,
    ) -> Result<(), Fault> {
        let body = &piece[self.overhead()..];
        let stored = &piece[HEADER_BYTES..self.overhead()];
        let found = Sum::of(self.check, body);
        if stored == found.bytes() {
            return Ok(());
        }
        // Without knowledge of the writer, it may have been fio.
        let of_fio = Sum::of_fio(self.check, body).filter(|_| interval.serials.is_none());
        if of_fio.is_some_and(|sum| sum.bytes() == stored) {
            return Ok(());
        }
        let mut detail = format!(
            "{}: expected {}, found {}",
            kind_of(self.check).map_or("none", name_of),
            hexadecimal(stored),
            hexadecimal(found.bytes())
        );
        if let Err((_, difference)) = self.compare(body, header.seed, interval) {
            detail.push_str("; ");
            detail.push_str(&difference);
        }
        Err((MismatchKind::Checksum, detail))
    }

    /// Compares contents, which lie behind header and sum, with what was written; says where
    /// they first differ.
    fn compare(&mut self, body: &[u8], seed: u64, interval: VerifyInterval) -> Result<(), Fault> {
        let start = interval.start + self.overhead();
        let mut expected = vec![0; body.len()];
        self.contents
            .fill(&mut expected, seed, interval.block, start);
        let pairs = || body.iter().zip(&expected);
        let Some(at) = pairs().position(|(found, wanted)| found != wanted) else {
            return Ok(());
        };
        let bits: u32 = pairs()
            .map(|(found, wanted)| (found ^ wanted).count_ones())
            .sum();
        let detail = format!(
            "byte {} of the block is {:#04x}, but {:#04x} was written ({bits} bits differ)",
            start + at,
            body[at],
            expected[at]
        );
        Err((MismatchKind::Pattern, detail))
    }
}

/// A block that belongs to another offset.
pub(crate) fn elsewhere(offset: u64) -> Fault {
    let detail = format!("holds the block of offset {offset}: swapped or misdirected");
    (MismatchKind::WrongOffset, detail)
}

pub(crate) fn absent_or_damaged(invalid: Invalid, piece: &[u8]) -> Fault {
    match invalid {
        Invalid::Absent if piece.iter().all(|byte| *byte == 0) => (
            MismatchKind::NoHeader,
            "is all zeros: never written, or trimmed since".to_owned(),
        ),
        Invalid::Absent => (
            MismatchKind::NoHeader,
            format!(
                "has no header (begins with {}): never written, or overwritten by something else",
                hexadecimal(&piece[..8.min(piece.len())])
            ),
        ),
        Invalid::Damaged { stored, found } => (
            MismatchKind::Checksum,
            format!("crc32c of its header: expected {stored:08x}, found {found:08x}"),
        ),
    }
}
