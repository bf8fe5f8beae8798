//! Levels of a series: the piecewise constant function that explains it best, at a price
//! per level.
//!
//! Least squares over all ways to divide the series (optimal partitioning: Jackson et al.,
//! "An algorithm for optimal partitioning of data on an interval", 2005; PELT, Killick et
//! al. 2012, finds the same faster), with a price of 3·σ²·ln n per level (Yao, "Estimating
//! the number of change-points via Schwarz' criterion", 1988). Levels that explain it no better than
//! a straight line does, by the same criterion (Schwarz, "Estimating the dimension of a model", 1978),
//! are none: it is a slope.

use std::ops::Range;

use crate::drift::left_by_line;
use crate::moments::mean_and_squares;
use crate::robust::{NORMAL_OF_MEDIAN, median};

/// Fluctuations smaller than this share of the values are no levels, however regular.
const DEVIATION_MIN: f64 = 0.02;

/// Differences on both sides from which it is told how much a value fluctuates.
const AROUND: usize = 16;

/// Levels that differ by less than so many of their own standard deviations are one.
const DISTANCE_MIN: f64 = 2.0;

/// Doublings of the price until levels are few enough: 2^40 is more than any series costs.
const DOUBLINGS_MAX: u32 = 40;

/// What makes two stretches of a series two levels.
#[derive(Clone, Copy, Debug)]
pub struct LevelRule {
    /// Values that a level has at least.
    pub shortest: usize,
    /// Medians of neighbours are at least this far apart, as a ratio above 1.
    pub ratio_min: f64,
    /// More levels than this are taken for ups and downs within fewer.
    pub levels_max: usize,
}

impl LevelRule {
    /// The levels of positive values, in order, which cover all of them.
    ///
    /// The least squares levels of their logarithms, of which neighbours become one, the nearest
    /// first, that are nearer than this rule has it or than two standard deviations of what
    /// fluctuates within them; so do both sides of a shorter interlude. Where too many are left the price of a level is doubled, and all
    /// is done again (as the path of prices of Haynes, Eckley and Fearnhead, "Computationally
    /// efficient changepoint detection for a range of penalties", 2017): what goes up and down
    /// again and again is one level then, and a long one before it is not touched.
    ///
    /// A slope is one level: of *k* levels *n*·ln(mean squared residual) + 3·*k*·ln *n* must be less
    /// than that of a straight line + 2·ln *n*.
    pub fn levels(&self, values: &[f64]) -> Vec<Range<usize>> {
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        let mut variances = variances(&logs);
        let mut found = Vec::new();
        for _ in 0..DOUBLINGS_MAX {
            let divided = divided(&logs, &variances, self.shortest);
            found = self.merged(&logs, divided);
            if found.len() <= self.levels_max {
                break;
            }
            variances.iter_mut().for_each(|variance| *variance *= 2.0);
        }
        if found.len() > 1 && !beat_a_line(&logs, &found) {
            found.truncate(1);
            found[0].end = values.len();
        }
        found
    }

    fn merged(&self, logs: &[f64], mut levels: Vec<Range<usize>>) -> Vec<Range<usize>> {
        loop {
            levels = self.without_near(logs, levels);
            let Some(at) = self.interlude(logs, &levels) else {
                return levels;
            };
            levels[at - 1].end = levels[at + 1].end;
            levels.drain(at..=at + 1);
        }
    }

    /// A level that is shorter than both of its neighbours, which are one but for it.
    fn interlude(&self, logs: &[f64], levels: &[Range<usize>]) -> Option<usize> {
        let threes = levels.windows(3).zip(1..);
        let mut interludes = threes.filter_map(|(three, at)| {
            let [before, between, after] = three else {
                return None;
            };
            let is_short = between.len() < before.len().min(after.len());
            (is_short && self.distance(logs, before, after) < 1.0).then_some(at)
        });
        interludes.next()
    }

    fn without_near(&self, logs: &[f64], mut levels: Vec<Range<usize>>) -> Vec<Range<usize>> {
        loop {
            let pairs = levels.windows(2).enumerate();
            let distances = pairs.map(|(at, pair)| (at, self.distance(logs, &pair[0], &pair[1])));
            match distances.min_by(|a, b| a.1.total_cmp(&b.1)) {
                Some((at, distance)) if distance < 1.0 => {
                    let after = levels.remove(at + 1);
                    levels[at].end = after.end;
                }
                _ => return levels,
            }
        }
    }

    /// How far two levels are from each other, in what they must be at least.
    fn distance(&self, logs: &[f64], before: &Range<usize>, after: &Range<usize>) -> f64 {
        let middle = |level: &Range<usize>| median(&logs[level.clone()]).unwrap_or(0.0);
        let middles = [before, after].map(middle);
        let deviations: Vec<f64> = [before, after]
            .into_iter()
            .zip(middles)
            .flat_map(|(level, middle)| {
                logs[level.clone()]
                    .iter()
                    .map(move |it| (it - middle).abs())
            })
            .collect();
        let deviation = NORMAL_OF_MEDIAN * median(&deviations).unwrap_or(0.0);
        let needed = self.ratio_min.ln().max(DISTANCE_MIN * deviation);
        (middles[0] - middles[1]).abs() / needed
    }
}

/// The levels of values that fluctuate with this variance, each with at least `shortest` of
/// them. Steps finer than the fluctuation are not seen.
pub fn levels_of_variance(values: &[f64], variance: f64, shortest: usize) -> Vec<Range<usize>> {
    divided(values, &vec![variance; values.len()], shortest)
}

/// The same of values of which each fluctuates with a variance of its own: squares are weighed
/// by it, so that the price is 3·ln n.
fn divided(values: &[f64], variances: &[f64], shortest: usize) -> Vec<Range<usize>> {
    let count = values.len();
    let price = 3.0 * to_float(count).max(2.0).ln();
    let mut sums = vec![[0.0; 3]];
    for (index, (value, variance)) in values.iter().zip(variances).enumerate() {
        let weight = 1.0 / variance.max(f64::MIN_POSITIVE);
        let [weights, first, second] = sums[index];
        sums.push([
            weights + weight,
            first + weight * value,
            second + weight * value * value,
        ]);
    }
    let cost = |from: usize, to: usize| {
        let of = |which: usize| sums[to][which] - sums[from][which];
        of(2) - of(1) * of(1) / of(0)
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

/// Whether levels explain values better than one straight line through all of them, by Schwarz'
/// criterion for an unknown deviation.
fn beat_a_line(values: &[f64], levels: &[Range<usize>]) -> bool {
    let count = to_float(values.len());
    let criterion = |left: f64, parameters: f64| {
        count * (left / count).max(DEVIATION_MIN.powi(2)).ln() + parameters * count.ln()
    };
    let (mean, total) = mean_and_squares(values);
    let by_line = left_by_line(values, mean, total) * total;
    let by_levels = levels
        .iter()
        .map(|level| mean_and_squares(&values[level.clone()]).1);
    criterion(by_levels.sum(), 3.0 * to_float(levels.len())) < criterion(by_line, 2.0)
}

/// How much each value fluctuates, from the differences of neighbours around it, which steps
/// hardly change: a level that is written in fits and starts fluctuates more than a steady one.
fn variances(values: &[f64]) -> Vec<f64> {
    let pairs = values.windows(2);
    let differences: Vec<f64> = pairs.map(|pair| (pair[1] - pair[0]).abs()).collect();
    let around = |index: usize| {
        let from = index.saturating_sub(AROUND);
        let to = (index + AROUND).min(differences.len());
        // A difference has twice the variance of a value.
        let middle = median(&differences[from..to]).unwrap_or(0.0);
        let deviation = NORMAL_OF_MEDIAN * middle / 2f64.sqrt();
        deviation.max(DEVIATION_MIN).powi(2)
    };
    (0..values.len()).map(around).collect()
}

fn to_float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    const RULE: LevelRule = LevelRule {
        shortest: 4,
        ratio_min: 1.3,
        levels_max: 6,
    };

    fn levels(values: &[f64]) -> Vec<Range<usize>> {
        RULE.levels(values)
    }

    /// Levels of so many values each, which fluctuate by up to a share of them.
    fn noisy(steps: &[(usize, f64)], share: f64, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        let mut one = move || random.below(2_000) as f64 / 1e3 - 1.0;
        let all = steps
            .iter()
            .flat_map(|(count, level)| std::iter::repeat_n(*level, *count));
        all.map(|level| level * (1.0 + share * one())).collect()
    }

    #[test]
    fn steps_are_found_where_they_are() {
        let steps = [(60, 2_000.0), (90, 600.0), (50, 250.0)];
        assert_eq!(levels(&noisy(&steps, 0.1, 3)), [0..60, 60..150, 150..200]);
    }

    #[test]
    fn single_outliers_are_no_levels() {
        let mut spoilt = noisy(&[(200, 500.0)], 0.05, 3);
        spoilt[50] = 100.0;
        assert!(levels(&spoilt).iter().all(|it| it.len() >= 4));
    }

    #[test]
    fn what_goes_up_and_down_again_and_again_is_one_level() {
        let mut values = noisy(&[(120, 550.0)], 0.02, 1);
        for _ in 0..20 {
            values.extend(noisy(&[(6, 450.0), (8, 60.0)], 0.02, 2));
        }
        let found = levels(&values);
        assert!(
            found.len() == 2 && found[0].end.abs_diff(120) <= 6,
            "{found:?}"
        );
    }

    #[test]
    fn what_comes_back_after_a_shorter_interlude_is_one_level() {
        let values = noisy(&[(200, 1_000.0), (13, 1_500.0), (45, 950.0)], 0.05, 4);
        assert_eq!(levels(&values).len(), 1);
        let lasting = noisy(&[(100, 500.0), (100, 100.0), (100, 500.0)], 0.05, 4);
        assert_eq!(levels(&lasting).len(), 3);
    }

    #[test]
    fn what_rises_slowly_is_no_staircase() {
        let values: Vec<f64> = (0..200).map(|at| 1_500.0 + f64::from(at)).collect();
        assert_eq!(levels(&values).len(), 1);
    }

    /// From one rate evenly to another, as of platters.
    fn even_slope(from: f64, to: f64, share: f64, seed: u64) -> Vec<f64> {
        let noise = noisy(&[(1_024, 1.0)], share, seed);
        let along = (0..1_024).map(|at| from + (to - from) * f64::from(at) / 1_023.0);
        along.zip(noise).map(|(rate, noise)| rate * noise).collect()
    }

    #[test]
    fn a_slope_is_one_level_and_levels_that_slope_are_levels() {
        for (from, to) in [(202.0, 98.0), (500.0, 100.0), (100.0, 500.0)] {
            for share in [0.0, 0.02, 0.1] {
                let slope = even_slope(from, to, share, 5);
                assert_eq!(levels(&slope).len(), 1, "{from} to {to}, {share}");
            }
        }
        let mut both = even_slope(2_000.0, 1_700.0, 0.05, 6);
        both.extend(even_slope(600.0, 500.0, 0.05, 7));
        assert_eq!(levels(&both), [0..1_024, 1_024..2_048]);
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, seeds};

        #[test]
        fn noise_alone_is_one_level() {
            for share in [0.01, 0.2, 0.6] {
                let one = Rate::of(seeds(100), |seed| {
                    let found = levels(&noisy(&[(400, 500.0)], share, seed));
                    found == std::slice::from_ref(&(0..400))
                });
                one.assert_at_least(0.99, share);
            }
            assert_eq!(levels(&[5.0, 5.0]).len(), 1);
            assert_eq!(levels(&[]), []);
        }

        #[test]
        fn a_level_that_fluctuates_much_behind_a_steady_one_is_one() {
            let two = Rate::of(seeds(100), |seed| {
                let mut values = noisy(&[(300, 5_000.0)], 0.01, seed);
                values.extend(noisy(&[(100, 400.0)], 0.6, !seed));
                levels(&values) == [0..300, 300..400]
            });
            two.assert_at_least(0.99, "two levels");
        }
    }
}
