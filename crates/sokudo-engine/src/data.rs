//! What writes contain.
//!
//! How the words of fio come out: with `refill_buffers`, and without it as long as
//! `scramble_buffers` is on, which it is unless it is switched off, no two writes are
//! alike: [`DataContent::Random`]. fio marks every 512 bytes with time and offset then,
//! this every 4 KiB with a number; and where fio marks the same few buffers, which
//! compress together when the depth is low, this uses a pool of [`POOL_BYTES`]. Only
//! with `scramble_buffers=0` does fio write the same bytes again and again:
//! [`DataContent::Repeated`].

mod reducible;

use sokudo_model::DataContent;
use sokudo_stats::{Random, mix64};

use crate::data::reducible::{Reduced, repeat};

/// Every block of this size is given a number of its own, so that nothing that
/// looks for equal blocks finds two: no file system or drive is known to
/// deduplicate in smaller ones. One per 512 bytes took 14 µs per MiB, where this
/// takes 4 (`sokudo mark null: --write-only`, SEQ1M Q8T1).
const UNIQUE_BYTES: usize = 4096;

/// Random buffers of a workload's threads together fill at least this much memory
/// before one is used again: more than the window of any file system's compression (zstd's default
/// is 2 MiB), so that what was written before does not help to compress.
pub(crate) const POOL_BYTES: u64 = 4 << 20;

/// Marking more than this takes longer than the clock's resolution.
const MARKED_BYTES_PER_READING: u32 = 32 << 10;

/// Fills buffers before the trial and gives each write its content just before it is
/// submitted, outside its latency.
pub(crate) struct Data(BufferContent);

enum BufferContent {
    /// Filled once, then marked.
    Unique { random: Random, next_stamp: u64 },
    /// Filled once with these bytes over and over, zeros if there are none.
    Bytes(Box<[u8]>),
    /// Filled once, every buffer alike.
    Repeated { seed: u64 },
    /// Made anew for every write.
    Reduced(Box<Reduced>),
}

impl Data {
    /// The data of one thread; threads with different seeds write different data.
    pub(crate) fn new(content: &DataContent, seed: u64) -> Self {
        let mut random = Random::new(seed);
        Self(match content {
            DataContent::Random => {
                let next_stamp = random.next_u64();
                BufferContent::Unique { random, next_stamp }
            }
            DataContent::Zero => BufferContent::Bytes(Box::default()),
            DataContent::Pattern(bytes) => BufferContent::Bytes(bytes.as_slice().into()),
            DataContent::Repeated => BufferContent::Repeated { seed },
            DataContent::Reducible(reducible) => {
                BufferContent::Reduced(Box::new(Reduced::new(reducible, random)))
            }
        })
    }

    /// Fills a buffer for the first time.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) {
        match &mut self.0 {
            BufferContent::Unique { random, .. } => random.fill(buffer),
            BufferContent::Bytes(bytes) => repeat(bytes, buffer),
            BufferContent::Repeated { seed } => Random::new(*seed).fill(buffer),
            // It is made when it is written; what is never written must not repeat.
            BufferContent::Reduced(_) => buffer.fill(0),
        }
    }

    /// Whether that takes longer than the clock's resolution for a write of `length`
    /// bytes, so that the clock has to be read again before it is issued.
    #[inline]
    pub(crate) fn takes_long(&self, length: u32) -> bool {
        match self.0 {
            BufferContent::Unique { .. } => length > MARKED_BYTES_PER_READING,
            BufferContent::Bytes(_) | BufferContent::Repeated { .. } => false,
            BufferContent::Reduced(_) => true,
        }
    }

    /// Gives the buffer of the next write its content. Random data becomes different
    /// from all before: eight bytes of every block are replaced by the next number of
    /// a bijective sequence.
    #[inline]
    pub(crate) fn stamp(&mut self, buffer: &mut [u8]) {
        match &mut self.0 {
            BufferContent::Unique { next_stamp, .. } => {
                for block in buffer.chunks_mut(UNIQUE_BYTES) {
                    *next_stamp = next_stamp.wrapping_add(1);
                    let stamp = mix64(*next_stamp).to_le_bytes();
                    let length = block.len().min(stamp.len());
                    block[..length].copy_from_slice(&stamp[..length]);
                }
            }
            BufferContent::Bytes(_) | BufferContent::Repeated { .. } => (),
            BufferContent::Reduced(reduced) => reduced.fill(buffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    use sokudo_model::{Bytes, Reducible};
    use sokudo_testing::Rate;

    #[test]
    fn no_two_blocks_are_alike() {
        let mut data = Data::new(&DataContent::Random, 1);
        let mut buffer = vec![0; 64 << 10];
        data.fill(&mut buffer);
        let mut seen = HashSet::new();
        for _ in 0..50 {
            data.stamp(&mut buffer);
            for block in buffer.chunks(UNIQUE_BYTES) {
                assert!(seen.insert(block.to_vec()), "a block was written twice");
            }
        }
    }

    #[test]
    fn clones_write_different_data() {
        let blocks: HashSet<Vec<u8>> = (0..2)
            .map(|seed| {
                let mut buffer = vec![0; UNIQUE_BYTES];
                let mut data = Data::new(&DataContent::Random, seed);
                data.fill(&mut buffer);
                data.stamp(&mut buffer);
                buffer
            })
            .collect();
        assert_eq!(blocks.len(), 2);
    }

    fn reducible(compress_percent: u32, dedupe_percent: u32) -> Reducible {
        Reducible {
            compress_percent,
            chunk: None,
            filler: Vec::new(),
            dedupe_percent,
        }
    }

    /// What a number of writes of one length contain, each from a buffer of its own turn.
    fn written(content: DataContent, lengths: &[usize], writes: usize) -> Vec<u8> {
        let mut data = Data::new(&content, sokudo_testing::seed() + 7);
        let longest = *lengths.iter().max().unwrap();
        let mut buffers: Vec<Vec<u8>> = (0..4).map(|_| vec![1; longest]).collect();
        buffers.iter_mut().for_each(|buffer| data.fill(buffer));
        let mut all = Vec::new();
        for write in 0..writes {
            let length = lengths[write % lengths.len()];
            let buffer = &mut buffers[write % 4][..length];
            data.stamp(buffer);
            all.extend_from_slice(buffer);
        }
        all
    }

    /// Percent that deflate takes away.
    fn saved_percent(bytes: &[u8]) -> f64 {
        let compressed = miniz_oxide::deflate::compress_to_vec(bytes, 6);
        100.0 - 100.0 * compressed.len() as f64 / bytes.len() as f64
    }

    /// How many of these writes are repetitions: either all of their blocks were there before, or none.
    fn repeated(all: &[u8], lengths: &[usize]) -> Rate {
        let (mut seen, mut rest) = (HashSet::new(), all);
        let mut lengths = lengths.iter().cycle();
        let writes = std::iter::from_fn(|| {
            let length = *lengths.next()?;
            let (write, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(write)
        });
        Rate::of(writes, |write| {
            let blocks = write.chunks_exact(UNIQUE_BYTES);
            let count = blocks.len();
            let before = blocks.filter(|block| !seen.insert(*block)).count();
            assert!(before == 0 || before == count, "{before} of {count}");
            before > 0
        })
    }

    #[test]
    fn reducible_data_compresses_as_far_as_asked() {
        for percent in [0, 10, 25, 50, 75, 90, 100] {
            for chunk in [None, Some(Bytes(512)), Some(Bytes(4096))] {
                for filler in [vec![], b"sokudo".to_vec()] {
                    let content = Reducible {
                        chunk,
                        filler,
                        ..reducible(percent, 0)
                    };
                    let all = written(DataContent::Reducible(content), &[16 << 10], 32);
                    let saved = saved_percent(&all);
                    let wanted = f64::from(percent);
                    assert!(
                        (saved - wanted).abs() < 5.0,
                        "{saved} of {wanted} %, chunk {chunk:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn data_may_compress_and_repeat_at_the_same_time() {
        let content = DataContent::Reducible(reducible(50, 30));
        let all = written(content, &[4096], 5_000);
        repeated(&all, &[4096]).assert_is(0.3, "compressed, too");
        let one = written(DataContent::Reducible(reducible(50, 30)), &[64 << 10], 1);
        assert!((saved_percent(&one) - 50.0).abs() < 5.0);
    }

    #[test]
    fn each_write_holds_what_was_asked_for() {
        let random = written(DataContent::Random, &[1 << 20], 1);
        assert!(saved_percent(&random) < 0.1);
        let repeated = written(DataContent::Repeated, &[8192], 10);
        assert!(
            repeated
                .chunks(8192)
                .all(|write| *write == repeated[..8192])
        );
        assert!(saved_percent(&repeated[..8192]) < 1.0);
        let zeros = written(DataContent::Zero, &[4096], 2);
        assert!(zeros.iter().all(|byte| *byte == 0));
        // Over and over from the start of each write.
        let pattern = written(DataContent::Pattern(vec![1, 2, 3]), &[4096, 512], 2);
        let expected: Vec<u8> = [1, 2, 3].repeat(1_366);
        assert_eq!(pattern, [&expected[..4096], &expected[..512]].concat());
    }

    #[test]
    fn an_empty_pattern_is_zero_and_nothing_fails() {
        let all = written(DataContent::Pattern(vec![]), &[512], 2);
        assert!(all.iter().all(|byte| *byte == 0));
        let mut data = Data::new(&DataContent::Reducible(reducible(50, 50)), 1);
        data.stamp(&mut []);
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::draws;

        #[test]
        fn reducible_data_repeats_as_often_as_asked() {
            for (lengths, writes) in [(&[4096][..], 2_000), (&[16 << 10, 4096, 64 << 10], 300)] {
                for percent in [0, 10, 30, 50, 80, 99, 100] {
                    let content = DataContent::Reducible(reducible(0, percent));
                    let all = written(content, lengths, draws(writes) as usize);
                    let wanted = f64::from(percent) / 100.0;
                    // The first write is like none before it.
                    let near = (wanted - 1.0 / f64::from(writes)).max(0.0)..=wanted;
                    repeated(&all, lengths)
                        .assert_within(near, format_args!("{percent} %, {lengths:?}"));
                }
            }
        }
    }
}
