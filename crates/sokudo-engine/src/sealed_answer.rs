//! What a simulated device answers of sealed blocks: what was written to it is noted, and what is
//! read is right or wrong as its cells would have it.

use std::ops::Range;

use sokudo_model::Operation;

use crate::sim::SimulatedDevice;
use crate::simulated_contents::SimulatedContents;
use crate::survey::SealedIo;
use crate::verify::{Found, PIECE_BYTES, WrongPieces, sealed_pieces};

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
    let at = |offset| contents.kept(device, offset, Some(number));
    let (mut found, mut until) = at(block.start);
    if found == Found::Own && until >= block.end {
        return None;
    }
    let each = sealed_pieces(block, PIECE_BYTES).map(|range| {
        let (mut wrong, mut offset) = (None, range.start);
        while wrong.is_none() && offset < range.end {
            if until <= offset {
                (found, until) = at(offset);
            }
            wrong = Some(found).filter(|found| *found != Found::Own);
            offset = until;
        }
        (range, wrong)
    });
    WrongPieces::first(each)
}
