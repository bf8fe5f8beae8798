//! What a sealed piece is found to hold, and what is wrong in a block of several of them.

use std::ops::Range;

use sokudo_model::{Bytes, Held, MismatchKind};

use super::header::Invalid;
use super::judge::{Fault, absent_or_damaged, elsewhere};
use super::pieces::PIECE_BYTES;

/// What is found where something was written with one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// What was written to it.
    Own,
    /// What was written to this offset.
    Other(u64),
    /// What was written to it with another number.
    Stale,
    /// Nothing that was ever written with a number.
    Nothing,
    /// Bits of it have changed.
    Corrupt,
}

impl From<Found> for Held {
    fn from(found: Found) -> Self {
        match found {
            Found::Own => Self::Own,
            Found::Other(offset) => Self::Other(Bytes(offset)),
            Found::Stale | Found::Nothing | Found::Corrupt => Self::Nothing,
        }
    }
}

impl From<Found> for Fault {
    fn from(found: Found) -> Self {
        let (kind, detail) = match found {
            Found::Other(offset) => return elsewhere(offset / PIECE_BYTES * PIECE_BYTES),
            // What was never written reads as zeros.
            Found::Nothing => return absent_or_damaged(Invalid::Absent, &[]),
            Found::Stale => (
                MismatchKind::Stale,
                "holds what was written there with another number: a write was lost",
            ),
            Found::Own | Found::Corrupt => (
                MismatchKind::Checksum,
                "crc32c: the bytes are not those that were written",
            ),
        };
        (kind, detail.to_owned())
    }
}

/// What is wrong in a block: the first pieces of it that are, one after the other, and what is
/// wrong with the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrongPieces {
    pub(crate) range: Range<u64>,
    pub(crate) fault: Fault,
}

impl WrongPieces {
    /// Of the pieces of a block, each with what is wrong with it.
    pub(crate) fn first<F: Into<Fault>>(
        pieces: impl Iterator<Item = (Range<u64>, Option<F>)>,
    ) -> Option<Self> {
        let wrong = pieces.skip_while(|(_, fault)| fault.is_none());
        let mut wrong = wrong.map_while(|(range, fault)| Some((range, fault?)));
        let (Range { start, end }, fault) = wrong.next()?;
        let end = wrong.last().map_or(end, |(range, _)| range.end);
        Some(Self {
            range: start..end,
            fault: fault.into(),
        })
    }
}
