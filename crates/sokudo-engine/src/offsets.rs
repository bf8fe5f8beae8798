//! Which block of one stretch comes next, in the common orders.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sokudo_stats::{Permutation, Random};

/// A stretch of the target, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteRange {
    pub(crate) start: u64,
    pub(crate) length: u64,
}

/// A position that the threads of a workload share. On a cache line of its own,
/// since every thread writes to it.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct SharedPosition(AtomicU64);

impl SharedPosition {
    /// The next number; every thread gets another one.
    #[inline(always)]
    pub(crate) fn take(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    /// The next number will be this one; every thread says the same before any begins.
    pub(crate) fn begin_at(&self, number: u64) {
        self.0.store(number, Ordering::Relaxed);
    }
}

/// Yields the offset of each next I/O.
pub(crate) enum Offsets {
    /// One after the other, from the start again at the end.
    Sequential { stretch: ByteRange, next: u64 },
    /// As sequential, with one position for all threads: every block of a pass is
    /// taken by exactly one of them.
    Interlocked {
        stretch: ByteRange,
        blocks: u64,
        shared: Arc<SharedPosition>,
    },
    /// Uniformly at random, aligned.
    Uniform {
        stretch: ByteRange,
        alignment: u64,
        /// Places for a block of the length that was asked for last: a division
        /// per change of length instead of one per I/O, where it would be the
        /// dearest instruction of the loop.
        offset_count: u64,
        offsets_of_length: u64,
    },
    /// At random, every block exactly once per pass, in a new order each pass.
    Mapped {
        stretch: ByteRange,
        blocks: u64,
        position: u64,
        permutation: Permutation,
    },
}

/// Offsets of one length, uniformly at random.
#[derive(Clone, Copy)]
pub(crate) struct UniformOffsets {
    start: u64,
    alignment: u64,
    offset_count: u64,
}

impl UniformOffsets {
    /// The offset of the next I/O.
    #[inline(always)]
    pub(crate) fn next(self, random: &mut Random) -> u64 {
        self.start + random.below(self.offset_count) * self.alignment
    }
}

impl Offsets {
    /// Those of I/Os of `length` bytes, where they are uniform.
    pub(crate) fn uniform_of(&self, length: u64) -> Option<UniformOffsets> {
        match *self {
            Self::Uniform {
                stretch, alignment, ..
            } => Some(UniformOffsets {
                start: stretch.start,
                alignment,
                offset_count: (stretch.length - length) / alignment + 1,
            }),
            _ => None,
        }
    }

    /// Uniformly at random at multiples of `alignment`.
    pub(crate) fn uniform(stretch: ByteRange, alignment: u64) -> Self {
        Self::Uniform {
            stretch,
            alignment,
            offset_count: 0,
            offsets_of_length: 0,
        }
    }

    /// All threads together walk the stretch in blocks of `block` bytes.
    pub(crate) fn interlocked(stretch: ByteRange, block: u64, shared: Arc<SharedPosition>) -> Self {
        Self::Interlocked {
            stretch,
            blocks: stretch.length / block,
            shared,
        }
    }

    /// Visits each whole block of `block` bytes once per pass.
    pub(crate) fn mapped(stretch: ByteRange, block: u64, random: &mut Random) -> Self {
        let blocks = stretch.length / block;
        let permutation = Permutation::new(blocks, random.next_u64());
        Self::Mapped {
            stretch,
            blocks,
            position: 0,
            permutation,
        }
    }

    /// Sequential I/Os of at most `block` bytes begin behind so many.
    pub(crate) fn begin_behind(&mut self, walked: u64, block: u64) {
        match self {
            Self::Sequential { stretch, next } => *next = behind(walked, stretch.length, block),
            Self::Interlocked { shared, .. } => shared.begin_at(walked.div_ceil(block)),
            Self::Uniform { .. } | Self::Mapped { .. } => (),
        }
    }

    /// Begins another pass: from the start, or in a new order. A shared position goes
    /// on, since it belongs to all threads.
    pub(crate) fn restart(&mut self, random: &mut Random) {
        match self {
            Self::Sequential { next, .. } => *next = 0,
            Self::Mapped {
                blocks,
                position,
                permutation,
                ..
            } => {
                *position = 0;
                *permutation = Permutation::new(*blocks, random.next_u64());
            }
            Self::Interlocked { .. } | Self::Uniform { .. } => (),
        }
    }

    /// The offset of the next I/O of `length` bytes. `length` is at most the
    /// stretch's, which is checked before a stage starts.
    #[inline(always)]
    pub(crate) fn next(&mut self, length: u64, random: &mut Random) -> u64 {
        match self {
            Self::Sequential { stretch, next } => {
                if *next + length > stretch.length {
                    *next = 0;
                }
                let offset = stretch.start + *next;
                *next += length;
                offset
            }
            Self::Interlocked {
                stretch,
                blocks,
                shared,
            } => {
                let index = shared.take() % *blocks;
                stretch.start + index * length
            }
            Self::Uniform {
                stretch,
                alignment,
                offset_count,
                offsets_of_length,
            } => {
                if *offsets_of_length != length {
                    *offsets_of_length = length;
                    *offset_count = (stretch.length - length) / *alignment + 1;
                }
                stretch.start + random.below(*offset_count) * *alignment
            }
            Self::Mapped {
                stretch,
                blocks,
                position,
                permutation,
            } => stretch.start + next_of_map(*blocks, position, permutation, random) * length,
        }
    }
}

/// Where in a stretch the block begins that follows so many bytes: from the start again at the end.
pub(crate) fn behind(walked: u64, stretch_bytes: u64, block: u64) -> u64 {
    walked.div_ceil(block) % (stretch_bytes / block).max(1) * block
}

/// Kept out of the loop, whose code is smaller without it.
#[inline(never)]
fn next_of_map(
    blocks: u64,
    position: &mut u64,
    permutation: &mut Permutation,
    random: &mut Random,
) -> u64 {
    if *position == blocks {
        *position = 0;
        *permutation = Permutation::new(blocks, random.next_u64());
    }
    let index = permutation.at(*position);
    *position += 1;
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{ChiSquared, ContinuousCDF};

    const BLOCK: u64 = 4096;

    fn stretch(start: u64, blocks: u64, rest: u64) -> ByteRange {
        ByteRange {
            start,
            length: blocks * BLOCK + rest,
        }
    }

    #[test]
    fn sequential_walks_to_the_end_and_starts_again() {
        let mut offsets = Offsets::Sequential {
            stretch: stretch(8192, 3, 100),
            next: 0,
        };
        let mut random = Random::new(0);
        let found: Vec<u64> = (0..7).map(|_| offsets.next(BLOCK, &mut random)).collect();
        assert_eq!(found, [8192, 12288, 16384, 8192, 12288, 16384, 8192]);
    }

    proptest! {
        #[test]
        fn a_map_visits_every_block_once_per_pass(blocks in 1u64..600, seed in any::<u64>(), rest in 0u64..BLOCK) {
            let mut random = Random::new(seed);
            let mut offsets = Offsets::mapped(stretch(BLOCK, blocks, rest), BLOCK, &mut random);
            for _pass in 0..3 {
                let mut visited: Vec<u64> =
                    (0..blocks).map(|_| offsets.next(BLOCK, &mut random)).collect();
                visited.sort_unstable();
                let expected: Vec<u64> = (1..=blocks).map(|i| i * BLOCK).collect();
                prop_assert_eq!(visited, expected);
            }
        }

        #[test]
        fn no_offset_leaves_the_stretch(
            start in 0u64..1 << 40, blocks in 4u64..100, lengths in prop::collection::vec(1u64..4, 1..50), seed in any::<u64>(),
        ) {
            let mut random = Random::new(seed);
            let stretch = stretch(start, blocks, 0);
            for mut offsets in [
                Offsets::Sequential { stretch, next: 0 },
                Offsets::uniform(stretch, BLOCK),
            ] {
                for blocks in &lengths {
                    let length = blocks * BLOCK;
                    let offset = offsets.next(length, &mut random);
                    prop_assert!(offset >= start && offset + length <= start + stretch.length);
                }
            }
        }
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{draws, seed};

        #[test]
        fn uniform_offsets_are_uniform_and_aligned() {
            for number in [1, 2, 3] {
                let mut random = Random::stream(seed(), number);
                let draws = draws(200_000);
                let blocks = 1_000u64;
                let mut offsets = Offsets::uniform(stretch(0, blocks, 0), BLOCK);
                let mut counts = vec![0f64; blocks as usize];
                for _ in 0..draws {
                    let offset = offsets.next(BLOCK, &mut random);
                    assert!(offset.is_multiple_of(BLOCK));
                    counts[(offset / BLOCK) as usize] += 1.0;
                }
                let expected = f64::from(draws) / blocks as f64;
                let statistic: f64 = counts
                    .iter()
                    .map(|c| (c - expected).powi(2) / expected)
                    .sum();
                let p = 1.0 - ChiSquared::new(999.0).unwrap().cdf(statistic);
                // Those that are uniform are further off in one of 10^10.
                assert!(p > 1e-10, "{number}: p {p}");
            }
        }
    }
}
