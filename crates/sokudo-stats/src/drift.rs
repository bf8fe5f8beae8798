//! Do values that follow one another stay the same: a trend, a step, two groups.
//!
//! Each answers with what the values are like and judges nothing: how much is too much is
//! the caller's to say.

use crate::moments::{mean, mean_and_squares};
use crate::summary::Summary;

/// More values than this are joined before they are looked at, neighbours with
/// neighbours: pairs of values are compared, and a chance is counted exactly.
const VALUES_MAX: usize = 200;

/// How values rise or fall in their order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// How likely values without a trend are in an order at least as good as theirs, in
    /// either direction.
    pub chance: f64,
    /// From the first to the last one, as a share of their median.
    pub change: f64,
}

/// The trend of values in their order; `None` below three, or for a median of 0.
///
/// The chance is that of Mann and Kendall's test (Mann 1945; Kendall 1975): S is the
/// number of pairs in rising order less that of pairs in falling order, and its
/// distribution over all orders is counted exactly. The change is Theil and Sen's: the
/// median of the slopes of all pairs, times the distance from the first to the last.
/// Neither assumes a distribution of the values. Equal values make the chance too large,
/// never too small.
pub fn trend(values: &[f64]) -> Option<Trend> {
    let values = joined(values);
    let count = values.len();
    let median = Summary::of(&values)?.median;
    if count < 3 || median == 0.0 {
        return None;
    }
    let (mut rising, mut falling) = (0usize, 0usize);
    let mut slopes = Vec::with_capacity(count * (count - 1) / 2);
    for (index, earlier) in values.iter().enumerate() {
        for (distance, later) in values[index + 1..].iter().enumerate() {
            rising += usize::from(later > earlier);
            falling += usize::from(later < earlier);
            slopes.push((later - earlier) / (distance + 1) as f64);
        }
    }
    let slope = Summary::of(&slopes)?.median;
    Some(Trend {
        chance: chance_of_order(count, rising.abs_diff(falling)),
        change: slope * (count - 1) as f64 / median,
    })
}

/// The probability that `count` different values in random order have at least so many
/// more pairs in one order than in the other. With i pairs out of order S is
/// n(n − 1)/2 − 2i, and i is the sum of independent numbers, the kth of them uniform
/// from 0 to k − 1.
fn chance_of_order(count: usize, surplus: usize) -> f64 {
    let pairs = count * (count - 1) / 2;
    let mut probability = vec![0.0; pairs + 1];
    probability[0] = 1.0;
    for values in 2..=count {
        let mut sums = Vec::with_capacity(pairs + 2);
        sums.push(0.0);
        for (index, own) in probability.iter().enumerate() {
            sums.push(sums[index] + own);
        }
        for (index, own) in probability.iter_mut().enumerate() {
            let from = (index + 1).saturating_sub(values);
            *own = (sums[index + 1] - sums[from]) / values as f64;
        }
    }
    let in_order = (pairs - surplus) / 2;
    let tail: f64 = probability[..=in_order].iter().sum();
    (2.0 * tail).min(1.0)
}

/// Values that lie on two levels, one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelShift {
    /// How many values lie before it.
    pub index: usize,
    /// Median of the values before the shift.
    pub before: f64,
    /// The median of the others.
    pub after: f64,
    /// Which share of the values' squared distances from their mean two levels leave.
    pub left_by_levels: f64,
    /// Which share the best straight line leaves.
    pub left_by_line: f64,
    /// Which share of the values before lies on their own side of the middle between
    /// both levels.
    pub apart_before: f64,
    /// Which share of those after.
    pub apart_after: f64,
}

/// The place at which two levels fit the values best, with at least `least` values on
/// either side; `None` where there are too few, or all are equal.
pub fn step(values: &[f64], least: usize) -> Option<LevelShift> {
    let (count, least) = (values.len(), least.max(1));
    if count < 2 * least {
        return None;
    }
    let (mean, total) = mean_and_squares(values);
    // Squared distances that equal values leave by rounding.
    if total <= (mean * 1e-9).powi(2) * count as f64 {
        return None;
    }
    // Two levels take n₁·n₂/n·(difference of the means)² away.
    let (mut best, mut taken_best, mut sum) = (least, -1.0, 0.0);
    for (index, value) in values.iter().enumerate() {
        let (before, after) = (index as f64, (count - index) as f64);
        if index >= least && count - index >= least {
            let taken = (sum / before).powi(2) * before * count as f64 / after;
            if taken > taken_best {
                (best, taken_best) = (index, taken);
            }
        }
        sum += value - mean;
    }
    let (first, second) = values.split_at(best);
    let (before, after) = (Summary::of(first)?.median, Summary::of(second)?.median);
    let middle = f64::midpoint(before, after);
    let apart = |values: &[f64], level: f64| {
        let own_side = |value: &&f64| (**value - middle) * (level - middle) > 0.0;
        values.iter().filter(own_side).count() as f64 / values.len() as f64
    };
    Some(LevelShift {
        index: best,
        before,
        after,
        left_by_levels: (1.0 - taken_best / total).max(0.0),
        left_by_line: left_by_line(values, mean, total),
        apart_before: apart(first, before),
        apart_after: apart(second, after),
    })
}

/// What a straight line leaves of all squares: 1 − r².
pub(crate) fn left_by_line(values: &[f64], mean: f64, total: f64) -> f64 {
    let count = values.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let of_index = |index: usize| index as f64 - middle;
    let along: f64 = (0..values.len()).map(|index| of_index(index).powi(2)).sum();
    let both: f64 = values
        .iter()
        .enumerate()
        .map(|(index, value)| of_index(index) * (value - mean))
        .sum();
    (1.0 - both.powi(2) / (along * total)).max(0.0)
}

/// Values that fall into two groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Groups {
    /// How many are in the lower one.
    pub lower_count: usize,
    /// Median of the lower group.
    pub lower: f64,
    /// The median of the upper one.
    pub upper: f64,
    /// From the largest of the lower to the smallest of the upper group.
    pub gap: f64,
    /// The range of the group that is wider.
    pub range: f64,
}

/// The two groups of at least two values with the widest gap between them, measured by
/// the wider group's range; `None` below four values.
pub fn groups(values: &[f64]) -> Option<Groups> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut best: Option<Groups> = None;
    for lower_count in 2..=sorted.len().checked_sub(2)? {
        let (lower, upper) = sorted.split_at(lower_count);
        let range = |group: &[f64]| group[group.len() - 1] - group[0];
        let groups = Groups {
            lower_count,
            lower: Summary::of(lower)?.median,
            upper: Summary::of(upper)?.median,
            gap: upper[0] - lower[lower.len() - 1],
            range: range(lower).max(range(upper)),
        };
        let is_wider = |best: Groups| groups.gap * best.range > best.gap * groups.range;
        if best.is_none_or(is_wider) {
            best = Some(groups);
        }
    }
    best
}

/// At most [`VALUES_MAX`] values: the means of neighbours.
fn joined(values: &[f64]) -> Vec<f64> {
    let size = values.len().div_ceil(VALUES_MAX).max(1);
    values.chunks(size).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use proptest::prelude::*;

    fn noise(random: &mut Random, count: usize) -> Vec<f64> {
        (0..count).map(|_| 100.0 + random.fraction()).collect()
    }

    #[test]
    fn the_chance_of_an_order_is_counted_exactly() {
        // Of 720 orders of six values one rises and one falls throughout; five more on
        // either side have a single pair out of order.
        let rising: Vec<f64> = (1..=6).map(f64::from).collect();
        let close = |left: f64, right: f64| assert!((left - right).abs() < 1e-12, "{left} {right}");
        close(trend(&rising).unwrap().chance, 2.0 / 720.0);
        close(
            trend(&[2.0, 1.0, 3.0, 4.0, 5.0, 6.0]).unwrap().chance,
            12.0 / 720.0,
        );
        close(trend(&[3.0, 2.0, 1.0]).unwrap().chance, 2.0 / 6.0);
        close(trend(&[1.0, 1.0, 1.0]).unwrap().chance, 1.0);
        assert_eq!(trend(&[1.0, 2.0]), None);
    }

    #[test]
    fn a_change_is_that_from_the_first_to_the_last() {
        let falling = [100.0, 98.0, 96.0, 94.0, 92.0, 90.0];
        let change = trend(&falling).unwrap().change;
        assert!((change + 10.0 / 95.0).abs() < 1e-12, "{change}");
        let long: Vec<f64> = (0..10_000).map(f64::from).collect();
        assert!(trend(&long).unwrap().chance < 1e-9);
    }

    #[test]
    fn a_step_is_found_where_it_is() {
        let mut random = Random::new(2);
        let mut values = noise(&mut random, 30);
        values.extend(noise(&mut random, 20).iter().map(|value| value / 3.0));
        let step = step(&values, 5).unwrap();
        assert_eq!(step.index, 30);
        assert!((step.before / step.after - 3.0).abs() < 0.1);
        assert!(
            step.left_by_levels < 0.01 && step.left_by_line > 0.2,
            "{step:?}"
        );
        assert_eq!((step.apart_before, step.apart_after), (1.0, 1.0));
    }

    #[test]
    fn a_line_is_fitted_by_a_line_and_noise_by_neither() {
        let line: Vec<f64> = (0..50).map(|index| 200.0 - f64::from(index)).collect();
        let step_of_line = step(&line, 5).unwrap();
        assert!(step_of_line.left_by_line < 1e-9);
        assert!(step_of_line.left_by_levels > 0.2, "{step_of_line:?}");
        let of_noise = step(&noise(&mut Random::new(3), 200), 20).unwrap();
        assert!(of_noise.left_by_levels > 0.8, "{of_noise:?}");
        assert_eq!(step(&[5.0; 20], 2), None);
        assert_eq!(step(&[1.0, 2.0, 3.0], 2), None);
    }

    #[test]
    fn two_groups_are_told_by_their_gap() {
        let found = groups(&[10.0, 20.1, 10.2, 20.0, 10.1, 20.2]).unwrap();
        assert_eq!(found.lower_count, 3);
        assert_eq!((found.lower, found.upper), (10.1, 20.1));
        assert!(found.gap > 40.0 * found.range, "{found:?}");
        assert_eq!(groups(&[1.0, 2.0, 3.0]), None);
        // A single value apart from the others is no group.
        let single = groups(&[10.0, 10.1, 10.2, 10.3, 10.4, 30.0]).unwrap();
        assert!(single.gap < single.range, "{single:?}");
    }

    proptest! {
        #[test]
        fn the_chances_of_all_orders_are_between_0_and_1(
            values in prop::collection::vec(0.1f64..10.0, 3..80)
        ) {
            let trend = trend(&values).unwrap();
            prop_assert!((0.0..=1.0).contains(&trend.chance));
        }

        #[test]
        fn a_step_leaves_no_more_than_there_was(
            values in prop::collection::vec(0.1f64..10.0, 4..80)
        ) {
            if let Some(step) = step(&values, 2) {
                prop_assert!((0.0..=1.0 + 1e-9).contains(&step.left_by_levels));
                prop_assert!((0.0..=1.0 + 1e-9).contains(&step.left_by_line));
                prop_assert!(step.index >= 2 && step.index <= values.len() - 2);
            }
        }
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, draws, seed};

        #[test]
        fn values_without_a_trend_seldom_seem_to_have_one() {
            let mut random = Random::stream(seed(), 1);
            let alarms = Rate::of(0..draws(2_000), |_| {
                trend(&noise(&mut random, 12)).unwrap().chance <= 0.01
            });
            alarms.assert_at_most(0.01, "alarms");
        }
    }
}
