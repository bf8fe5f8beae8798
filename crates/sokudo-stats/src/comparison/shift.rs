//! How far two samples lie apart: the estimate of Hodges and Lehmann (1963), with the
//! interval that belongs to its test of ranks.

use serde::{Deserialize, Serialize};

use super::rank_test::{Cut, cut_of_signed_ranks, cut_of_u};
use crate::Interval;

/// How far a second sample lies above a first one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shift {
    /// The median of all differences between a value of the second and one of the first.
    pub estimate: f64,
    /// All shifts that the test would not reject; `None` with too few values for the
    /// confidence.
    pub interval: Option<Interval>,
}

/// The shift of `second` against `first`: the median of the n·m differences, and the
/// interval between the kth smallest and the kth largest of them, with the largest k for
/// which Mann–Whitney's U leaves at least `confidence` (Lehmann 1975). `None` when either
/// is empty.
pub fn shift(first: &[f64], second: &[f64], confidence: f64) -> Option<Shift> {
    let differences = first.iter().flat_map(|a| second.iter().map(move |b| b - a));
    let cut = cut_of_u(first.len(), second.len(), confidence);
    within(differences.collect(), cut)
}

/// The same for pairs: the median of the Walsh averages (dᵢ + dⱼ) ÷ 2 of their
/// differences, i ≤ j, with the interval of Wilcoxon's signed ranks (Tukey 1949).
pub fn paired_shift(differences: &[f64], confidence: f64) -> Option<Shift> {
    let averages = differences.iter().enumerate().flat_map(|(index, left)| {
        let others = differences[index..].iter();
        others.map(move |right| f64::midpoint(*left, *right))
    });
    let cut = cut_of_signed_ranks(differences.len(), confidence);
    within(averages.collect(), cut)
}

fn within(mut values: Vec<f64>, cut: Cut) -> Option<Shift> {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    let low = *values.get(count.checked_sub(1)? / 2)?;
    let estimate = f64::midpoint(low, values[count / 2]);
    let interval = (cut.rank > 0 && 2 * cut.rank <= count).then(|| Interval {
        low: values[cut.rank - 1],
        high: values[count - cut.rank],
        coverage: cut.coverage,
    });
    Some(Shift { estimate, interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shift: Shift, estimate: f64, low: f64, high: f64) {
        let interval = shift.interval.unwrap();
        for (value, expected) in [
            (shift.estimate, estimate),
            (interval.low, low),
            (interval.high, high),
        ] {
            assert!((value - expected).abs() < 1e-9, "{shift:?}");
        }
    }

    #[test]
    fn permeability_of_membranes_is_as_in_hollander_and_wolfe() {
        // Hollander and Wolfe (1973), page 69; R's wilcox.test(conf.int = TRUE).
        let x = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let y = [1.15, 0.88, 0.90, 0.74, 1.21];
        check(shift(&y, &x, 0.95).unwrap(), 0.305, -0.15, 0.76);
    }

    #[test]
    #[expect(clippy::approx_constant, reason = "a value of the data is near π")]
    fn depression_before_and_after_is_as_in_hollander_and_wolfe() {
        // Page 29 there.
        let x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = x.iter().zip(y).map(|(x, y)| x - y).collect();
        check(paired_shift(&differences, 0.95).unwrap(), 0.46, 0.01, 0.786);
    }

    #[test]
    fn few_values_have_an_estimate_and_no_interval() {
        let few = shift(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], 0.95).unwrap();
        assert_eq!((few.estimate, few.interval), (3.0, None));
        let pairs = paired_shift(&[1.0; 5], 0.95).unwrap();
        assert_eq!((pairs.estimate, pairs.interval), (1.0, None));
        assert_eq!(shift(&[], &[1.0], 0.95), None);
        assert_eq!(paired_shift(&[], 0.95), None);
    }
}
