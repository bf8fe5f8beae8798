//! Two samples side by side: is one larger, by how much, and how sure is that?
//!
//! Everything works on ranks, because trials of a disk are seldom normal and a single
//! stall must not decide. Nothing here says which difference matters to anybody.

mod past;
mod rank_test;
mod shift;
mod widening;

pub use past::{PAST_RUNS_MIN, PastRuns, PastTest};
pub use rank_test::{RankTest, mann_whitney, mann_whitney_p_min, signed_rank, signed_rank_p_min};
pub use shift::{Shift, paired_shift, shift};
pub use widening::{CORRELATION_ASSUMED, CORRELATION_TRIALS, widening};

/// Cliff's δ: the probability that a value of `second` is larger than one of `first`,
/// minus that of the opposite (Cliff 1993). From −1 to 1; 0 where neither tends to be
/// larger. `None` when either is empty.
pub fn cliffs_delta(first: &[f64], second: &[f64]) -> Option<f64> {
    let pairs = first.len() * second.len();
    let signs = first.iter().flat_map(|a| {
        second.iter().map(move |b| match b.total_cmp(a) {
            std::cmp::Ordering::Greater => 1i64,
            std::cmp::Ordering::Less => -1,
            std::cmp::Ordering::Equal => 0,
        })
    });
    let sum: i64 = signs.sum();
    (pairs > 0).then(|| sum as f64 / pairs as f64)
}

/// p-values of several tests, each raised so that the probability of even one false
/// alarm among all stays below the level it is compared with (Holm 1979): the smallest
/// times their number, the next times one less, and none smaller than the one before.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|left, right| p_values[*left].total_cmp(&p_values[*right]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (done, index) in order.into_iter().enumerate() {
        let factor = (p_values.len() - done) as f64;
        largest = largest.max((p_values[index] * factor).min(1.0));
        adjusted[index] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delta_counts_who_is_larger() {
        assert_eq!(cliffs_delta(&[1.0, 2.0], &[3.0, 4.0]), Some(1.0));
        assert_eq!(cliffs_delta(&[3.0, 4.0], &[1.0, 2.0]), Some(-1.0));
        assert_eq!(cliffs_delta(&[1.0, 2.0], &[1.0, 2.0]), Some(0.0));
        // 3 larger, 1 equal, 2 smaller of 6.
        assert_eq!(cliffs_delta(&[1.0, 3.0, 5.0], &[3.0, 4.0]), Some(1.0 / 6.0));
        assert_eq!(cliffs_delta(&[], &[1.0]), None);
    }

    #[test]
    fn holm_raises_as_published() {
        // The example of Holm's procedure with four tests.
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        for (value, expected) in adjusted.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-12, "{adjusted:?}");
        }
        assert_eq!(holm(&[0.7, 0.9]), [1.0, 1.0]);
        assert_eq!(holm(&[]), [0.0; 0]);
    }
}
