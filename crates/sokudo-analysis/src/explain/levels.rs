//! Levels of a series: the piecewise constant function that explains it best, at a price
//! per level.
//!
//! Least squares over all ways to divide the series (optimal partitioning: Jackson et al.,
//! "An algorithm for optimal partitioning of data on an interval", 2005; PELT, Killick et
//! al. 2012, finds the same faster), with a price of 3·σ²·ln n per level (Yao, "Estimating
//! the number of change-points via Schwarz' criterion", 1988).

use std::ops::Range;

use super::evidence::{median, to_float};

/// Fluctuations smaller than this share of the values are no levels, however regular.
const DEVIATION_MIN: f64 = 0.02;

/// The levels of the logarithms of these positive values, each with at least `shortest`
/// values, in order.
pub(super) fn levels(values: &[f64], shortest: usize) -> Vec<Range<usize>> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    of_variance(&logs, variance(&logs), shortest)
}

/// The levels of values that fluctuate with this variance. Steps finer than the fluctuation
/// are not seen.
pub(super) fn of_variance(values: &[f64], variance: f64, shortest: usize) -> Vec<Range<usize>> {
    let count = values.len();
    let price = 3.0 * variance * to_float(count as u64).max(2.0).ln();
    let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
    for (index, value) in values.iter().enumerate() {
        sums.push(sums[index] + value);
        squares.push(squares[index] + value * value);
    }
    let cost = |from: usize, to: usize| {
        let sum: f64 = sums[to] - sums[from];
        squares[to] - squares[from] - sum * sum / to_float((to - from) as u64)
    };
    // For the first `to` values: the least cost, and where their last level begins.
    let mut best = vec![(-price, 0)];
    for to in 1..=count {
        let ways = (0..=to.saturating_sub(shortest))
            .filter(|from| *from == 0 || best[*from].0.is_finite())
            .filter(|from| to - from >= shortest || *from == 0)
            .map(|from| (best[from].0 + cost(from, to) + price, from));
        let cheapest = ways.min_by(|a, b| a.0.total_cmp(&b.0));
        best.push(cheapest.unwrap_or((f64::INFINITY, 0)));
    }
    let mut levels = Vec::new();
    let mut end = count;
    while end > 0 {
        let start = best[end].1;
        levels.push(start..end);
        end = start;
    }
    levels.reverse();
    levels
}

/// Of the fluctuation, from the differences of neighbours, which steps hardly change.
fn variance(values: &[f64]) -> f64 {
    let differences: Vec<f64> = values
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .collect();
    // 0.6745 is the upper quartile of the normal distribution; a difference has twice the
    // variance of a value.
    let deviation = median(&differences).unwrap_or(0.0) / 0.6745 / 2f64.sqrt();
    deviation.max(DEVIATION_MIN).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_stats::Random;

    fn noisy(steps: &[(usize, f64)], share: f64) -> Vec<f64> {
        let mut random = Random::new(3);
        let mut one = move || random.below(2_000) as f64 / 1e3 - 1.0;
        let all = steps
            .iter()
            .flat_map(|(count, level)| std::iter::repeat_n(*level, *count));
        all.map(|level| level * (1.0 + share * one())).collect()
    }

    #[test]
    fn steps_are_found_where_they_are() {
        let found = levels(&noisy(&[(60, 2_000.0), (90, 600.0), (50, 250.0)], 0.1), 4);
        assert_eq!(found, [0..60, 60..150, 150..200]);
    }

    #[test]
    fn noise_and_single_outliers_are_no_levels() {
        assert_eq!(levels(&noisy(&[(200, 500.0)], 0.2), 4).len(), 1);
        let mut spoilt = noisy(&[(200, 500.0)], 0.05);
        spoilt[50] = 100.0;
        assert!(levels(&spoilt, 4).iter().all(|it| it.len() >= 4));
        assert_eq!(levels(&[5.0, 5.0], 4).len(), 1);
        assert_eq!(levels(&[], 4), []);
    }
}
