//! What single values far from the others cannot move: quantiles, and a series without outliers.

/// Neighbours on both sides with which a value is compared.
const NEIGHBOURS: usize = 3;

/// The standard deviation of normal values, in medians of their distances from their median.
pub(crate) const NORMAL_OF_MEDIAN: f64 = 1.4826;

/// The middle of some values; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The value below which this share of them lies, between neighbours in proportion
/// (type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", 1996).
#[expect(clippy::cast_possible_truncation, reason = "an index, rounded down")]
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let at = share.clamp(0.0, 1.0) * last as f64;
    let below = (at as usize).min(last);
    let above = (below + 1).min(last);
    let rest = at - below as f64;
    Some(sorted[below] + (sorted[above] - sorted[below]) * rest)
}

/// A series in which single values that are far from their neighbours are these neighbours'
/// median: further than three times their median deviation from it, in terms of the normal
/// distribution, and than 5 % (Hampel, "The influence curve and its role in robust
/// estimation", 1974). One of a few neighbours may be slow for reasons of its own.
pub fn without_outliers(values: &[f64]) -> Vec<f64> {
    let cleaned = |index: usize| {
        let from = index.saturating_sub(NEIGHBOURS);
        let to = (index + NEIGHBOURS + 1).min(values.len());
        let around = &values[from..to];
        let middle = median(around)?;
        let deviations: Vec<f64> = around.iter().map(|it| (it - middle).abs()).collect();
        let far = (3.0 * NORMAL_OF_MEDIAN * median(&deviations)?).max(0.05 * middle.abs());
        Some(match (values[index] - middle).abs() > far {
            true => middle,
            false => values[index],
        })
    };
    (0..values.len()).filter_map(cleaned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[3.0, 1.0]), Some(2.0));
        assert_eq!(quantile(&[0.0, 10.0], 0.95), Some(9.5));
        assert_eq!(quantile(&[1.0, 2.0], 1.0), Some(2.0));
    }

    #[test]
    fn single_values_far_from_their_neighbours_are_taken_for_these() {
        let mut values: Vec<f64> = (0..50).map(|at| 200.0 - f64::from(at)).collect();
        values[20] = 3.0;
        values[49] = 900.0;
        let cleaned = without_outliers(&values);
        assert!((cleaned[20] - 180.0).abs() < 3.0 && cleaned[49] < 160.0);
        let kept = |at: &usize| (cleaned[*at] - values[*at]).abs() < 1e-12;
        assert_eq!((0..50).filter(kept).count(), 48);
        // A step is none.
        let step: Vec<f64> = (0..20).map(|at| if at < 9 { 9.0 } else { 5.0 }).collect();
        assert_eq!(without_outliers(&step), step);
    }
}
