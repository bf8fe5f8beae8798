//! Noise with a known truth, for tests of what is said about series.

use crate::Random;
use crate::distributions::standard_normal;

/// Values with mean 0 and variance 1, each of which keeps a share of the one before: AR(1).
pub(crate) fn first_order(random: &mut Random, count: usize, share: f64) -> Vec<f64> {
    let mut value = standard_normal(random);
    (0..count)
        .map(|_| {
            value = share * value + (1.0 - share * share).sqrt() * standard_normal(random);
            value
        })
        .collect()
}
