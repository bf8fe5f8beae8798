//! What writes contain.

use sokudo_model::DataContent;
use sokudo_stats::{Random, mix64};

/// Every block of this size is given a number of its own, so that nothing that
/// looks for equal blocks finds two: no file system or drive is known to
/// deduplicate in smaller ones. One per 512 bytes took 14 µs per MiB, where this
/// takes 4 (`sokudo mark null: --write-only`, SEQ1M Q8T1).
const UNIQUE_BYTES: usize = 4096;

/// Random buffers of a workload's clones together fill at least this much memory
/// before one is used again: more than the window of any file system's compression (zstd's default
/// is 2 MiB), so that what was written before does not help to compress.
pub(crate) const POOL_BYTES: u64 = 4 << 20;

/// Fills buffers before the trial and makes each write unique just before it is
/// submitted, outside its latency.
pub(crate) struct Data {
    random: Option<Random>,
    next_stamp: u64,
}

impl Data {
    /// The data of one clone; clones with different seeds write different data.
    pub(crate) fn new(content: &DataContent, seed: u64) -> Self {
        match content {
            // The other contents follow with their own kinds of data.
            DataContent::Random
            | DataContent::Repeated
            | DataContent::Pattern(_)
            | DataContent::Reducible(_) => {
                let mut random = Random::new(seed);
                let next_stamp = random.next_u64();
                Self {
                    random: Some(random),
                    next_stamp,
                }
            }
            DataContent::Zero => Self {
                random: None,
                next_stamp: 0,
            },
        }
    }

    /// Fills a buffer for the first time.
    pub(crate) fn fill(&mut self, buffer: &mut [u8]) {
        match &mut self.random {
            Some(random) => random.fill(buffer),
            None => buffer.fill(0),
        }
    }

    /// Makes every block of the buffer different from all before: eight bytes of
    /// each are replaced by the next number of a bijective sequence.
    #[inline]
    pub(crate) fn stamp(&mut self, buffer: &mut [u8]) {
        if self.random.is_none() {
            return;
        }
        for block in buffer.chunks_mut(UNIQUE_BYTES) {
            self.next_stamp = self.next_stamp.wrapping_add(1);
            let stamp = mix64(self.next_stamp).to_le_bytes();
            let length = block.len().min(stamp.len());
            block[..length].copy_from_slice(&stamp[..length]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

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

    #[test]
    fn random_data_does_not_compress() {
        // Byte frequencies of incompressible data: entropy above 7.99 of 8 bits.
        let mut buffer = vec![0; 1 << 20];
        let mut data = Data::new(&DataContent::Random, 3);
        data.fill(&mut buffer);
        data.stamp(&mut buffer);
        let mut counts = [0f64; 256];
        buffer
            .iter()
            .for_each(|byte| counts[usize::from(*byte)] += 1.0);
        let total = buffer.len() as f64;
        let entropy: f64 = counts
            .iter()
            .map(|count| -count / total * (count / total).log2())
            .sum();
        assert!(entropy > 7.99, "{entropy} bits per byte");
    }

    #[test]
    fn zero_data_is_zero() {
        let mut buffer = vec![9; 4096];
        let mut data = Data::new(&DataContent::Zero, 3);
        data.fill(&mut buffer);
        data.stamp(&mut buffer);
        assert!(buffer.iter().all(|byte| *byte == 0));
    }
}
