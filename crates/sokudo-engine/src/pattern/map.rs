//! Which blocks of a stretch have been visited in this pass.
//!
//! One bit per block, and above it one bit per 64 that says all of them are taken, as
//! often as needed: a free block is found in a few steps, however few are left. For
//! blocks of one size a permutation alone is enough, in constant memory: there are no
//! bits then.

use sokudo_stats::{Permutation, Random};

const BITS: u64 = u64::BITS as u64;

/// The blocks of a stretch in a random order, each once.
pub(crate) struct BlockMap {
    /// Bits of taken blocks, then of full words of the level before. None for blocks of
    /// one size.
    levels: Box<[Box<[u64]>]>,
    blocks: u64,
    free: u64,
    order: Permutation,
    /// Blocks of the order before this position are taken.
    position: u64,
}

/// Blocks next to one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockRun {
    pub(crate) first: u64,
    pub(crate) count: u64,
}

impl BlockMap {
    /// A map in which all of `blocks` are free. With one size, blocks are taken one by
    /// one, as they are drawn.
    pub(crate) fn new(blocks: u64, has_one_size: bool, random: &mut Random) -> Self {
        let levels = if has_one_size {
            Box::default()
        } else {
            levels(blocks)
        };
        let mut map = Self {
            levels,
            blocks,
            free: 0,
            order: Permutation::new(blocks, 0),
            position: 0,
        };
        map.renew(random);
        map
    }

    /// Frees all blocks, for another pass in another order.
    pub(crate) fn renew(&mut self, random: &mut Random) {
        let mut bits = self.blocks;
        for level in &mut self.levels {
            level.fill(0);
            // What is beyond the end counts as taken.
            let last = level.len() - 1;
            if bits == 0 || !bits.is_multiple_of(BITS) {
                level[last] = u64::MAX << (bits % BITS);
            }
            bits = level.len() as u64;
        }
        self.free = self.blocks;
        self.order = Permutation::new(self.blocks, random.next_u64());
        self.position = 0;
    }

    /// A random block, or where that is taken, the next free one; `None` when the pass is
    /// over. Looking for a random free one instead would cut what is free into more
    /// pieces, and large blocks would be shortened more often than fio shortens them.
    pub(crate) fn next(&mut self) -> Option<u64> {
        if self.free == 0 {
            return None;
        }
        // Below the number of blocks: for each position before it, one was taken.
        let block = self.order.at(self.position);
        self.position += 1;
        if !self.is_taken(block) {
            return Some(block);
        }
        self.free_from(0, block).or_else(|| self.free_from(0, 0))
    }

    /// Takes the block `first`, which is free, and those after it that are free too,
    /// up to `most` together.
    pub(crate) fn take(&mut self, first: u64, most: u64) -> BlockRun {
        let end = self.blocks.min(first + most);
        let mut block = first;
        while block < end && !self.is_taken(block) {
            self.set(block);
            block += 1;
        }
        let count = block - first;
        self.free -= count;
        BlockRun { first, count }
    }

    /// Takes what is free of the blocks from `first` up to `end`.
    pub(crate) fn cover(&mut self, first: u64, end: u64) {
        for block in first..end.min(self.blocks) {
            if !self.is_taken(block) {
                self.set(block);
                self.free -= 1;
            }
        }
    }

    fn is_taken(&self, block: u64) -> bool {
        let bits = self.levels.first();
        bits.is_some_and(|bits| bits[index(block / BITS)] >> (block % BITS) & 1 == 1)
    }

    fn set(&mut self, block: u64) {
        let mut bit = block;
        for level in &mut self.levels {
            let word = &mut level[index(bit / BITS)];
            *word |= 1 << (bit % BITS);
            if *word != u64::MAX {
                break;
            }
            bit /= BITS;
        }
    }

    /// The first clear bit of a level, from `bit` on.
    fn free_from(&self, level: usize, bit: u64) -> Option<u64> {
        let words = &self.levels[level];
        let word = words.get(index(bit / BITS))?;
        let clear = !word & (u64::MAX << (bit % BITS));
        if clear != 0 {
            return Some(bit / BITS * BITS + u64::from(clear.trailing_zeros()));
        }
        if level + 1 == self.levels.len() {
            return None;
        }
        let word = self.free_from(level + 1, bit / BITS + 1)?;
        let clear = !words[index(word)];
        Some(word * BITS + u64::from(clear.trailing_zeros()))
    }
}

fn levels(blocks: u64) -> Box<[Box<[u64]>]> {
    let mut levels = Vec::new();
    let mut words = blocks.div_ceil(BITS).max(1);
    loop {
        levels.push(vec![0; index(words)].into_boxed_slice());
        if words == 1 {
            return levels.into_boxed_slice();
        }
        words = words.div_ceil(BITS);
    }
}

#[expect(clippy::cast_possible_truncation, reason = "an index on 64 bits")]
fn index(number: u64) -> usize {
    number as usize
}
