//! Skewed choices among a number of places: how often each rank is drawn.
//!
//! Ranks count from 0, the first is the favourite. Where a rank lies is not decided
//! here.

use crate::random::Random;

/// Draws that are rejected before the last resort. Each is accepted with more than
/// one chance in three, so that none is ever rejected this often.
const ATTEMPTS_MAX: u32 = 256;

/// Above this theta all but one draw in a thousand million are of the first rank, and
/// the integrals run out of digits.
const THETA_MAX: f64 = 30.0;

/// Zipf: rank k, counted from 1, in proportion to 1 / k^theta. Exact for every number
/// of places and every theta above 0, by rejection and inversion of the integral of
/// the density (Hörmann and Derflinger, "Rejection-inversion to generate variates
/// from monotone discrete distributions", 1996): constant time and no table.
#[derive(Clone, Copy, Debug)]
pub struct Zipf {
    ranks: f64,
    theta: f64,
    /// The integral at the upper edge of the first rank, less its weight.
    integral_first: f64,
    /// The integral at the upper edge of the last rank.
    integral_last: f64,
    /// Ranks no further than this below the drawn point are accepted unseen.
    accepted: f64,
}

impl Zipf {
    /// Over `places` ranks; 0 is taken for 1. A theta above 30 is taken for 30.
    pub fn new(ranks: u64, theta: f64) -> Self {
        let ranks = ranks.max(1) as f64;
        let theta = theta.min(THETA_MAX);
        let first = integral(1.5, theta) - 1.0;
        let second = integral(2.5, theta) - weight(2.0, theta);
        Self {
            ranks,
            theta,
            integral_first: first,
            integral_last: integral(ranks + 0.5, theta),
            accepted: 2.0 - integral_inverse(second, theta),
        }
    }

    /// Draws a rank, from 0 for the likeliest.
    #[expect(clippy::cast_possible_truncation, reason = "from 1 to the ranks")]
    pub fn next(&self, random: &mut Random) -> u64 {
        let width = self.integral_first - self.integral_last;
        for _ in 0..ATTEMPTS_MAX {
            let drawn = self.integral_last + random.fraction() * width;
            let point = integral_inverse(drawn, self.theta);
            let rank = point.round().clamp(1.0, self.ranks);
            if rank - point <= self.accepted
                || drawn >= integral(rank + 0.5, self.theta) - weight(rank, self.theta)
            {
                return rank as u64 - 1;
            }
        }
        0
    }
}

/// Weight of rank x: x^-theta.
fn weight(x: f64, theta: f64) -> f64 {
    (-theta * x.ln()).exp()
}

/// The integral of x^-theta from 1, also where theta is 1 or close to it.
fn integral(x: f64, theta: f64) -> f64 {
    let logarithm = x.ln();
    exponential_slope((1.0 - theta) * logarithm) * logarithm
}

fn integral_inverse(value: f64, theta: f64) -> f64 {
    // Rounding must not lead below -1, where the logarithm ends.
    let argument = (value * (1.0 - theta)).max(-1.0);
    (logarithm_slope(argument) * value).exp()
}

/// Below this, a series of three terms is exact to the last bit.
const SERIES_BELOW: f64 = 1e-8;

/// (e^x - 1) / x.
fn exponential_slope(x: f64) -> f64 {
    if x.abs() > SERIES_BELOW {
        x.exp_m1() / x
    } else {
        1.0 + x / 2.0
    }
}

/// ln(1 + x) / x.
fn logarithm_slope(x: f64) -> f64 {
    if x.abs() > SERIES_BELOW {
        x.ln_1p() / x
    } else {
        1.0 - x / 2.0
    }
}

/// Pareto as storage people use it: with power h, a share h of the places gets 1 - h
/// of the draws (0.2 is "80 to 20"). Ranks below a share s of all get s^(1/a), where
/// a = ln h / ln (1 - h).
#[derive(Clone, Copy, Debug)]
pub struct Pareto {
    ranks: f64,
    exponent: f64,
}

impl Pareto {
    /// Over `places` ranks, with `power` above 0 and below 1.
    pub fn new(ranks: u64, power: f64) -> Self {
        Self {
            ranks: ranks.max(1) as f64,
            exponent: power.ln() / (1.0 - power).ln(),
        }
    }

    /// Draws a rank, from 0 up to the last of the places.
    #[expect(clippy::cast_possible_truncation, reason = "from 0 to below the ranks")]
    pub fn next(&self, random: &mut Random) -> u64 {
        let rank = (self.ranks * random.fraction().powf(self.exponent)).floor();
        rank.min(self.ranks - 1.0) as u64
    }
}

/// Normal around the middle of the places, as fio draws it: the mean of twelve numbers
/// that are all alike (a standard deviation of a twelfth of the places), moved by up to
/// half of `deviation` to either side. Here the favourite is the middle one.
#[derive(Clone, Copy, Debug)]
pub struct Normal {
    ranks: u64,
    deviation: u64,
}

/// Uniform numbers whose mean is taken.
const NORMAL_DRAWS: u64 = 12;

impl Normal {
    /// Over `places`, with a deviation that is a share of them; half of them at most.
    #[expect(clippy::cast_possible_truncation, reason = "half of the ranks at most")]
    pub fn new(ranks: u64, deviation: f64) -> Self {
        let ranks = ranks.max(1);
        let deviation = (ranks as f64 * deviation).ceil() as u64;
        Self {
            ranks,
            deviation: deviation.min(ranks / 2),
        }
    }

    /// Draws a place, from 0 on, most often near the middle.
    pub fn next(&self, random: &mut Random) -> u64 {
        let last = self.ranks - 1;
        let sum: u128 = (0..NORMAL_DRAWS)
            .map(|_| u128::from(random.below(self.ranks + 1)))
            .sum();
        let mean = u64::try_from(sum.div_ceil(u128::from(NORMAL_DRAWS)))
            .expect("a mean is no larger than the largest");
        if self.deviation == 0 {
            return mean.min(last);
        }
        let moved = random.below(self.deviation).cast_signed() - (self.deviation / 2).cast_signed();
        self.moved(mean, moved)
    }

    /// `mean` moved by `by`, or half, a quarter … of that where it would leave the places.
    fn moved(&self, mean: u64, mut by: i64) -> u64 {
        loop {
            match mean.checked_add_signed(by) {
                Some(rank) if rank < self.ranks => return rank,
                _ if by == 0 => return mean.min(self.ranks - 1),
                _ => by /= 2,
            }
        }
    }
}

/// By the method of Box and Muller (1958).
#[cfg(test)]
pub(crate) fn standard_normal(random: &mut Random) -> f64 {
    // Above 0, so that it has a logarithm.
    let radius = (-2.0 * (1.0 - random.fraction()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.fraction()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{ChiSquared, ContinuousCDF};

    /// The mean of twelve numbers has a twelfth of the variance of one, which is a twelfth
    /// of the square of their range; the deviation adds its own.
    #[test]
    fn normal_is_as_wide_as_fios() {
        for (deviation, width) in [
            (0.0, 1.0 / 12.0),
            (0.4, (1.0f64 / 144.0 + 0.16 / 12.0).sqrt()),
        ] {
            let (normal, mut random) = (Normal::new(10_240, deviation), Random::new(5));
            let draws: Vec<f64> = (0..100_000)
                .map(|_| normal.next(&mut random) as f64 / 10_240.0)
                .collect();
            let mean = draws.iter().sum::<f64>() / 1e5;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1e5;
            assert!((mean - 0.5).abs() < 0.002, "{mean}");
            assert!((variance.sqrt() / width - 1.0).abs() < 0.02, "{deviation}");
        }
    }

    #[test]
    fn a_steep_zipf_draws_the_first_rank_only() {
        let (zipf, mut random) = (Zipf::new(1_000_000, 5_000.0), Random::new(1));
        assert!((0..10_000).all(|_| zipf.next(&mut random) == 0));
    }

    proptest! {
        #[test]
        fn no_rank_is_outside(
            ranks in prop_oneof![Just(1), 1u64..u64::MAX / 2], theta in 0.001f64..40.0, power in 0.001f64..0.999,
            deviation in 0.0f64..1.0, seed in any::<u64>(),
        ) {
            let mut random = Random::new(seed);
            let zipf = Zipf::new(ranks, theta);
            let pareto = Pareto::new(ranks, power);
            let normal = Normal::new(ranks, deviation);
            for _ in 0..20 {
                prop_assert!(zipf.next(&mut random) < ranks);
                prop_assert!(pareto.next(&mut random) < ranks);
                prop_assert!(normal.next(&mut random) < ranks);
            }
        }
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{draws, seed};

        /// How well counts of drawn ranks agree with their exact probabilities, by
        /// chi-square over cells of at least 20 expected draws.
        fn agreement(probabilities: &[f64], mut draw: impl FnMut() -> u64) -> f64 {
            let draws = draws(200_000);
            let mut counts = vec![0f64; probabilities.len()];
            for _ in 0..draws {
                counts[draw() as usize] += 1.0;
            }
            let (mut statistic, mut cells) = (0.0, 0.0);
            let (mut count, mut expected) = (0.0, 0.0);
            for (found, probability) in counts.iter().zip(probabilities) {
                count += found;
                expected += probability * f64::from(draws);
                if expected >= 20.0 {
                    statistic += (count - expected).powi(2) / expected;
                    cells += 1.0;
                    (count, expected) = (0.0, 0.0);
                }
            }
            assert!((probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            1.0 - ChiSquared::new(cells - 1.0).unwrap().cdf(statistic)
        }

        fn assert_agrees(name: &str, probabilities: &[f64], draw: impl FnMut() -> u64) {
            let p = agreement(probabilities, draw);
            // What comes in these shares is further off in one of 10^10.
            assert!(p > 1e-10, "{name}: p {p}");
        }

        /// The probability of every mean of twelve numbers from 0 to `places`, rounded up.
        fn means(ranks: usize) -> Vec<f64> {
            let mut sums = vec![1.0];
            for _ in 0..NORMAL_DRAWS {
                let mut next = vec![0.0; sums.len() + ranks];
                for (sum, probability) in sums.iter().enumerate() {
                    for more in 0..=ranks {
                        next[sum + more] += probability / (ranks + 1) as f64;
                    }
                }
                sums = next;
            }
            let mut means = vec![0.0; ranks + 1];
            for (sum, probability) in sums.iter().enumerate() {
                means[sum.div_ceil(NORMAL_DRAWS as usize)] += probability;
            }
            means
        }

        #[test]
        fn ranks_of_zipf_come_in_their_exact_shares() {
            for ranks in [2u64, 10, 1_000] {
                for theta in [0.1, 0.8, 0.999_999, 1.0, 1.2, 2.5] {
                    let weights: Vec<f64> =
                        (1..=ranks).map(|rank| (rank as f64).powf(-theta)).collect();
                    let sum: f64 = weights.iter().sum();
                    let shares: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
                    let (zipf, mut random) = (Zipf::new(ranks, theta), Random::stream(seed(), 11));
                    assert_agrees(&format!("{ranks} places, theta {theta}"), &shares, || {
                        zipf.next(&mut random)
                    });
                }
            }
        }

        #[test]
        fn ranks_of_pareto_come_in_their_exact_shares() {
            for ranks in [10u64, 1_000] {
                for power in [0.1f64, 0.2, 0.5, 0.9] {
                    let inverse = (1.0 - power).ln() / power.ln();
                    let below = |rank: u64| (rank as f64 / ranks as f64).powf(inverse);
                    let shares: Vec<f64> = (0..ranks)
                        .map(|rank| below(rank + 1) - below(rank))
                        .collect();
                    let (pareto, mut random) =
                        (Pareto::new(ranks, power), Random::stream(seed(), 12));
                    assert_agrees(&format!("{ranks} places, power {power}"), &shares, || {
                        pareto.next(&mut random)
                    });
                }
            }
        }

        #[test]
        fn places_of_normal_come_in_their_exact_shares() {
            for ranks in [10u64, 100] {
                for deviation in [0.0, 0.05, 0.2, 1.0] {
                    let normal = Normal::new(ranks, deviation);
                    let mut shares = vec![0.0; ranks as usize];
                    let moves = normal.deviation.max(1);
                    for (mean, probability) in means(ranks as usize).iter().enumerate() {
                        for move_ in 0..moves {
                            let by = move_.cast_signed() - (normal.deviation / 2).cast_signed();
                            let rank = normal.moved(mean as u64, by);
                            shares[rank as usize] += probability / moves as f64;
                        }
                    }
                    let mut random = Random::stream(seed(), 13);
                    assert_agrees(&format!("{ranks} places, {deviation}"), &shares, || {
                        normal.next(&mut random)
                    });
                }
            }
        }
    }
}
