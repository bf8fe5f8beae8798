//! A random order of 0…n−1 in constant memory.

use crate::random::mix64;

/// Four rounds pass every statistical test that block addresses can face (Luby
/// and Rackoff 1988: four rounds make a pseudo-random permutation).
const ROUNDS: usize = 4;

/// A bijection of 0…n−1 onto itself, chosen by a key: a Feistel network over the
/// next even power of two, walking its cycle until it lands below n (Black and
/// Rogaway 2002). On average fewer than four walks are needed.
#[derive(Clone, Debug)]
pub struct Permutation {
    length: u64,
    half_bits: u32,
    half_mask: u64,
    round_keys: [u64; ROUNDS],
}

impl Permutation {
    /// The permutation of `length` numbers that belongs to `key`.
    pub fn new(length: u64, key: u64) -> Self {
        let bits = 64 - length.saturating_sub(1).leading_zeros();
        let half_bits = bits.div_ceil(2).max(1);
        let mut round = 0;
        let round_keys = [(); ROUNDS].map(|()| {
            round += 1;
            mix64(key ^ mix64(round))
        });
        Self {
            length,
            half_bits,
            half_mask: (1 << half_bits) - 1,
            round_keys,
        }
    }

    /// The number at position `index`, which must be below the length.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        debug_assert!(index < self.length, "position {index} of {}", self.length);
        let mut value = self.encrypt(index);
        // Ends: the walk follows the cycle that leads back to `index`, and that
        // is below the length.
        while value >= self.length {
            value = self.encrypt(value);
        }
        value
    }

    #[inline]
    fn encrypt(&self, value: u64) -> u64 {
        let (mut left, mut right) = (value >> self.half_bits, value & self.half_mask);
        for key in self.round_keys {
            (left, right) = (right, left ^ (mix64(right ^ key) & self.half_mask));
        }
        (left << self.half_bits) | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn neighbours_are_torn_apart() {
        let permutation = Permutation::new(1_000_000, 5);
        let steps =
            (1..10_000).filter(|i| permutation.at(*i).abs_diff(permutation.at(i - 1)) < 1_000);
        // Two uniform numbers of a million lie closer than 1,000 with p = 0.002.
        assert!((1..60).contains(&steps.count()));
    }

    #[test]
    fn keys_give_different_orders() {
        let (first, second) = (Permutation::new(4096, 1), Permutation::new(4096, 2));
        let same = (0..4096).filter(|i| first.at(*i) == second.at(*i)).count();
        assert!(same < 10, "{same}");
    }

    proptest! {
        #[test]
        fn every_number_is_visited_exactly_once(length in 1u64..5_000, key in any::<u64>()) {
            let permutation = Permutation::new(length, key);
            let mut seen = vec![false; length as usize];
            for index in 0..length {
                let value = permutation.at(index) as usize;
                prop_assert!(!std::mem::replace(&mut seen[value], true));
            }
            prop_assert!(seen.into_iter().all(|visited| visited));
        }
    }
}
