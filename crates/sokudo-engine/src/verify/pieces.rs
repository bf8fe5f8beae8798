//! How a block is divided among its headers.

use std::ops::Range;

/// The unit of flash and platters: what is wrong is named to that. Its header takes 1 % of it.
pub(crate) const PIECE_BYTES: u64 = 4096;

/// Where each piece begins and ends. A rest that is shorter than `shortest` has no room
/// for a header of its own and belongs to the piece before it.
pub(crate) fn pieces(
    length: usize,
    interval: usize,
    shortest: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let interval = interval.clamp(1, length.max(1));
    let rest = length % interval;
    let whole = length / interval;
    let count = if rest == 0 || (rest < shortest && whole > 0) {
        whole
    } else {
        whole + 1
    };
    (0..count).map(move |index| {
        let is_last = index + 1 == count;
        let end = if is_last {
            length
        } else {
            (index + 1) * interval
        };
        (index * interval, end)
    })
}

/// The parts of a block that lie in one sealed piece each, of so many bytes.
pub(crate) fn sealed_pieces(block: Range<u64>, bytes: u64) -> impl Iterator<Item = Range<u64>> {
    (block.start / bytes..block.end.div_ceil(bytes)).map(move |number| {
        let piece = number * bytes;
        piece.max(block.start)..block.end.min(piece.saturating_add(bytes))
    })
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn a_short_rest_belongs_to_the_piece_before() {
        let of = |length, interval| -> Vec<_> { pieces(length, interval, 100).collect() };
        assert_eq!(of(0, 512), []);
        assert_eq!(of(50, 512), [(0, 50)]);
        assert_eq!(of(1024, 512), [(0, 512), (512, 1024)]);
        assert_eq!(of(1123, 512), [(0, 512), (512, 1123)]);
        assert_eq!(of(1124, 512), [(0, 512), (512, 1024), (1024, 1124)]);
    }
}
