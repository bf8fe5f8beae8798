//! Where a device is looked at: stretches all over it, its end, and places one stretch apart.

use sokudo_stats::Random;

use super::medium::BLOCK_BYTES;

/// More than small drives hold in memory for writes.
const FILLER_BYTES_MIN: u64 = 256 << 20;

/// Places one filler apart, at most; on larger devices it is longer.
const GIANT_STEPS_MAX: u64 = 4096;

/// Stretches in even distances, each at random within its part. Two of a hundred that share a
/// window of blocks overlap the more likely the more there are, which counts with the square
/// of their number, and with their length only once.
const STRETCHES: u64 = 256;
/// All of them together. A slow stick takes minutes for it.
const STRETCHES_BYTES_MAX: u64 = 1 << 30;
/// The end, which is false on every drive that is smaller than it says.
const END_BYTES_MAX: u64 = 64 << 20;

/// A contiguous range of addresses, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AddressRange {
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl AddressRange {
    pub(super) const fn end(self) -> u64 {
        self.offset + self.length
    }

    pub(super) const fn block(offset: u64) -> Self {
        Self {
            offset,
            length: BLOCK_BYTES,
        }
    }

    pub(super) fn holds(self, offset: u64) -> bool {
        (self.offset..self.end()).contains(&offset)
    }
}

/// What is written between writing a place and reading it back.
pub(super) fn filler_bytes(size: u64) -> u64 {
    let longest = (size / 4).max(BLOCK_BYTES);
    let filler = (size / GIANT_STEPS_MAX).max(FILLER_BYTES_MIN).min(longest);
    whole_blocks(filler)
}

/// Places behind a filler at the start: stretches, the end, and single blocks one filler apart
/// and at powers of two.
pub(super) fn sample(size: u64, filler: u64, random: &mut Random) -> Vec<AddressRange> {
    let end = whole_blocks((size / 16).min(END_BYTES_MAX)).max(BLOCK_BYTES);
    let length = whole_blocks((size / 8).min(STRETCHES_BYTES_MAX) / STRETCHES).max(BLOCK_BYTES);
    let width = whole_blocks(size.saturating_sub(filler + end) / STRETCHES).max(BLOCK_BYTES);
    let mut ranges: Vec<AddressRange> = (0..STRETCHES)
        .map(|part| {
            let room = width.saturating_sub(length) / BLOCK_BYTES;
            let within = random.below(room + 1) * BLOCK_BYTES;
            let offset = filler + part * width + within;
            AddressRange { offset, length }
        })
        .filter(|range| range.end() <= size - end)
        .collect();
    ranges.push(AddressRange {
        offset: size - end,
        length: end,
    });
    let mut blocks: Vec<u64> = (1..size / filler).map(|step| step * filler).collect();
    blocks.extend((0..63).map(|power| 1 << power));
    blocks.retain(|block| (filler..=size - BLOCK_BYTES).contains(block));
    blocks.retain(|block| !ranges.iter().any(|range| range.holds(*block)));
    blocks.sort_unstable();
    blocks.dedup();
    ranges.extend(blocks.into_iter().map(AddressRange::block));
    ranges
}

pub(super) const fn whole_blocks(bytes: u64) -> u64 {
    bytes / BLOCK_BYTES * BLOCK_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_lie_behind_the_filler_apart_from_each_other_and_reach_the_end() {
        for size in [16 << 20, 1 << 30, 64_000_000_000, 20_000_000_000_000_u64] {
            let size = whole_blocks(size);
            let filler = filler_bytes(size);
            let mut ranges = sample(size, filler, &mut Random::new(3));
            ranges.sort_unstable_by_key(|range| range.offset);
            assert!(ranges[0].offset >= filler, "{size}");
            assert!(
                ranges.windows(2).all(|two| two[0].end() <= two[1].offset),
                "{size}"
            );
            assert_eq!(ranges.last().unwrap().end(), size);
            let stretches = ranges.iter().filter(|it| it.length > BLOCK_BYTES).count();
            assert_eq!(stretches, 257, "{size}");
        }
    }
}
