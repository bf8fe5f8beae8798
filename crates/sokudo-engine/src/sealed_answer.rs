//! What a simulated device answers of sealed blocks: what was written to it is noted, and what is
//! read is right or wrong as its cells would have it.

use std::ops::Range;

use sokudo_model::{MismatchKind, Operation};

use crate::sim::SimulatedDevice;
use crate::simulated_contents::{CellState, SimulatedContents};
use crate::survey::SealedIo;
use crate::verify::{Fault, PIECE_BYTES, WrongPieces, elsewhere, never_written, stale};

/// Notes a write; says what is wrong with what was read.
pub(crate) fn answer(
    device: &SimulatedDevice,
    contents: &mut SimulatedContents,
    number: u64,
    io: SealedIo,
) -> Option<WrongPieces> {
    let range = io.offset..io.offset + u64::from(io.length);
    match io.operation {
        Operation::Write => {
            contents.write(device, range, Some(number));
            None
        }
        _ => first_wrong(device, contents, number, range),
    }
}

/// The first pieces of a block that are wrong, one after the other, as on a device that holds
/// data.
fn first_wrong(
    device: &SimulatedDevice,
    contents: &SimulatedContents,
    number: u64,
    block: Range<u64>,
) -> Option<WrongPieces> {
    let mut wrong: Option<(Range<u64>, CellState)> = None;
    let mut at = block.start;
    while at < block.end {
        let (kept, until) = contents.kept(device, at, Some(number));
        let until = until.min(block.end);
        match &mut wrong {
            // Behind a piece that is wrong in its first bytes the rest of it is no other.
            Some((range, _)) if kept == CellState::Own && until > range.end => break,
            Some((range, _)) if kept != CellState::Own => {
                range.end = whole_pieces(until, block.end)
            }
            None if kept != CellState::Own => {
                let start = (at / PIECE_BYTES * PIECE_BYTES).max(block.start);
                wrong = Some((start..whole_pieces(until, block.end), kept));
            }
            _ => {}
        }
        at = until;
    }
    let (range, kept) = wrong?;
    let (kind, detail) = fault(kept);
    Some(WrongPieces {
        range,
        kind,
        detail,
    })
}

fn whole_pieces(until: u64, end: u64) -> u64 {
    until.next_multiple_of(PIECE_BYTES).min(end)
}

fn fault(kept: CellState) -> Fault {
    match kept {
        CellState::Other(offset) => elsewhere(offset / PIECE_BYTES * PIECE_BYTES),
        CellState::Stale => stale(),
        CellState::Nothing => never_written(),
        CellState::Own | CellState::Corrupt => {
            let detail = "crc32c: the bytes are not those that were written";
            (MismatchKind::Checksum, detail.to_owned())
        }
    }
}
