//! Intervals of percentiles, from the ranks that a percentile can have by chance.

use crate::histogram::{Bucket, Histogram};
use crate::student::student_t;

/// An interval of 95 % leaves 2.5 % at each side, this many standard deviations away.
const DEVIATIONS: f64 = 1.959_964;

/// The 95 % interval of a quantile by order statistics: of n independent values, Binomial(n,
/// fraction) lie below it, so that it lies between the values of the ranks that leave 2.5 % at
/// each side. `effective` is the number of independent values that those of the histogram
/// are worth, at most their number; ranks are stretched accordingly.
///
/// The ranks are those of the binomial by its mean, deviation and skewness (Cornish and
/// Fisher 1938), rounded outwards, and the values the outer ends of their buckets. `None` when
/// even the largest value is no upper end: too few lie above the quantile.
pub fn quantile_interval(histogram: &Histogram, fraction: f64, effective: f64) -> Option<[u64; 2]> {
    let [low, high] = ranks(histogram, fraction, effective)?;
    let low = bucket_at(histogram, low?)?.low;
    let high = bucket_at(histogram, high?)?.high;
    Some([low.max(histogram.min()?), high.min(histogram.max()?)])
}

/// The lower end of that interval alone, below which the quantile lies in 2.5 % of all cases at
/// most. It needs fewer values, for it needs none above the quantile; `None` where even the smallest
/// value is no lower end.
pub fn quantile_low(histogram: &Histogram, fraction: f64, effective: f64) -> Option<u64> {
    let [low, _] = ranks(histogram, fraction, effective)?;
    Some(bucket_at(histogram, low?)?.low.max(histogram.min()?))
}

/// The ranks of the ends in the histogram, from 1 to its number of values; `None` for an end that
/// lies beyond its values.
fn ranks(histogram: &Histogram, fraction: f64, effective: f64) -> Option<[Option<f64>; 2]> {
    let count = histogram.count() as f64;
    let is_fraction = fraction > 0.0 && fraction < 1.0;
    if !is_fraction || effective.is_nan() || count < 1.0 {
        return None;
    }
    let effective = effective.min(count);
    let deviation = (effective * fraction * (1.0 - fraction)).sqrt();
    let skew = (1.0 - 2.0 * fraction) * (DEVIATIONS.powi(2) - 1.0) / 6.0;
    let middle = effective * fraction + skew;
    let low = (middle - DEVIATIONS * deviation).floor();
    let high = (middle + DEVIATIONS * deviation).ceil() + 1.0;
    let stretched = |rank: f64| rank / effective * count;
    Some([
        (low >= 1.0).then(|| stretched(low).floor().max(1.0)),
        (high <= effective).then(|| stretched(high).ceil()),
    ])
}

/// The bucket of the value of this rank.
fn bucket_at(histogram: &Histogram, rank: f64) -> Option<Bucket> {
    let mut seen = 0.0;
    histogram.buckets().find(|bucket| {
        seen += bucket.count as f64;
        seen >= rank
    })
}

/// How many values are worth an independent one where these quantiles of several groups together
/// are asked for, and the values of a group resemble each other: the variance of the groups'
/// shares below the quantile over that of independent values (Woodruff 1952; Kish 1965), as
/// large as so few groups leave it possible (Student's t for the normal quantile). At least 1;
/// `None` below three groups, and where no value lies on one of the sides.
pub fn quantile_design_effects<const COUNT: usize>(
    groups: &[&Histogram],
    fractions: [f64; COUNT],
) -> [Option<f64>; COUNT] {
    let mut all = Histogram::new();
    groups.iter().for_each(|group| all.merge(group));
    fractions.map(|fraction| design_effect(&all, groups, fraction))
}

fn design_effect(all: &Histogram, groups: &[&Histogram], fraction: f64) -> Option<f64> {
    let quantile = all.quantile(fraction)?;
    let count = all.count() as f64;
    let below = |group: &Histogram| group.count_to(quantile) as f64;
    let share = below(all) / count;
    let independent = share * (1.0 - share) / count;
    let filled = groups.iter().filter(|group| !group.is_empty());
    let (mut squares, mut number) = (0.0, 0_u32);
    for group in filled {
        let beyond = below(group) - share * group.count() as f64;
        squares += (beyond / count).powi(2);
        number += 1;
    }
    if number < 3 || independent <= 0.0 {
        return None;
    }
    let variance = squares * f64::from(number) / f64::from(number - 1);
    let few = student_t(0.95, number - 1)? / DEVIATIONS;
    Some((variance / independent * few.powi(2)).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn ramp(count: u64) -> Histogram {
        let mut histogram = Histogram::new();
        (1..=count).for_each(|value| histogram.record(value));
        histogram
    }

    #[test]
    fn values_that_resemble_each_other_give_a_wider_interval() {
        let histogram = ramp(100_000);
        let width = |effective| {
            let [low, high] = quantile_interval(&histogram, 0.9, effective).unwrap();
            high - low
        };
        assert!(width(100.0) > 5 * width(100_000.0));
        let all = quantile_interval(&histogram, 0.9, 1e9).unwrap();
        assert_eq!(all, quantile_interval(&histogram, 0.9, 100_000.0).unwrap());
    }

    #[test]
    fn too_few_values_above_give_none() {
        assert_eq!(quantile_interval(&ramp(299), 0.99, 299.0), None);
        assert_eq!(quantile_interval(&Histogram::new(), 0.5, 0.0), None);
        assert_eq!(quantile_interval(&ramp(10_000), 0.99, f64::NAN), None);
        assert!(quantile_interval(&ramp(10_000), 0.99, 10_000.0).is_some());
    }

    #[test]
    fn groups_whose_values_hang_together_are_worth_few() {
        let mut random = Random::new(5);
        let group = |shift: u64, random: &mut Random| {
            let mut group = Histogram::new();
            (0..1_000).for_each(|_| group.record(1_000 + shift + random.below(1_000)));
            group
        };
        let effect = |groups: &[Histogram]| {
            let groups: Vec<&Histogram> = groups.iter().collect();
            quantile_design_effects(&groups, [0.9])[0]
        };
        let alike: Vec<Histogram> = (0..10).map(|_| group(0, &mut random)).collect();
        let apart: Vec<Histogram> = (0..10).map(|it| group(it * 40, &mut random)).collect();
        assert!(effect(&alike).unwrap() < 4.0);
        assert!(effect(&apart).unwrap() > 20.0);
        assert_eq!(effect(&alike[..2]), None);
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, draws, seed};

        fn coverage(count: u32, fraction: f64) -> Rate {
            let mut random = Random::stream(seed(), 31);
            let mut histogram = Histogram::new();
            // Values of a uniform distribution, whose quantiles are known.
            let truth = (fraction * 1e9) as u64;
            Rate::of(0..draws(1_000), |_| {
                histogram.clear();
                (0..count).for_each(|_| histogram.record(random.below(1_000_000_000)));
                quantile_interval(&histogram, fraction, f64::from(count))
                    .is_none_or(|[low, high]| (low..=high).contains(&truth))
            })
        }

        #[test]
        fn the_interval_covers_the_true_percentile_as_often_as_it_says() {
            for (count, fraction) in [
                (20, 0.5),
                (1_000, 0.5),
                (299, 0.9),
                (900, 0.99),
                (3_000, 0.99),
            ] {
                let case = format!("{count} values, {fraction}");
                coverage(count, fraction).assert_at_least(0.95, case);
            }
        }

        #[test]
        fn a_lower_end_is_seldom_too_high_and_stands_on_few_values() {
            for (count, fraction) in [(8, 0.5), (6, 0.99), (60, 0.99), (298, 0.99), (900, 0.99)] {
                let mut random = Random::stream(seed(), 37);
                let mut histogram = Histogram::new();
                let truth = (fraction * 1e9) as u64;
                let wrong = Rate::of(0..draws(4_000), |_| {
                    histogram.clear();
                    (0..count).for_each(|_| histogram.record(random.below(1_000_000_000)));
                    quantile_low(&histogram, fraction, f64::from(count)).unwrap() > truth
                });
                wrong.assert_at_most(0.025, format_args!("{count} values, {fraction}"));
            }
            assert_eq!(quantile_interval(&ramp(60), 0.99, 60.0), None);
            assert!(quantile_low(&ramp(60), 0.99, 60.0).unwrap() >= 56);
            assert_eq!(quantile_low(&ramp(5), 0.5, 5.0), None);
            assert_eq!(quantile_low(&ramp(60), 0.99, 0.5), None);
        }
    }
}
