//! Whether later passes over the same data were faster than the first by more than the speed
//! changes anyway: the mark of a cache that keeps what was read.

use sokudo_stats::{Autocorrelation, Summary, mann_whitney};

use crate::threshold::{FIRST_PASS_CHANCE_MAX, FIRST_PASS_FACTOR_MAX};

/// Intervals of a series that the first pass over the data must fill to have a rate: a
/// second, as a rule, so that a slow start is not taken for a pass.
const FIRST_PASS_INTERVALS_MIN: usize = 10;

/// Part of the later stretches, each as long as the first pass, that may be nearly as slow: a
/// cache answers all of them, while a disk that is slow at times is so again.
const SLOW_STRETCHES_MAX: f64 = 0.1;

/// Rates of the first pass and of later ones, interval by interval.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passes {
    pub(crate) first: Vec<f64>,
    pub(crate) later: Vec<f64>,
}

impl Passes {
    /// The summaries of both, where a cache has answered the later ones: they are faster by a
    /// factor, by median and by mean; hardly a stretch of them is as slow as the first pass, and
    /// the one behind it is not, for a disk that wakes up is slow for a time, and not for a pass;
    /// and ranks say that it is no chance.
    pub(crate) fn answered_by_a_cache(&self) -> Option<(Summary, Summary)> {
        if self.first.len() < FIRST_PASS_INTERVALS_MIN {
            return None;
        }
        let (first, later) = (Summary::of(&self.first)?, Summary::of(&self.later)?);
        // A median says nothing of a pass of which most intervals ended no I/O; a mean alone
        // lets one slow start speak for a pass.
        let is_faster =
            |figure: fn(&Summary) -> f64| figure(&later) > figure(&first) * FIRST_PASS_FACTOR_MAX;
        let is_reported = is_faster(|it| it.median)
            && is_faster(|it| it.mean)
            && self.slow_stretches(first.mean) <= SLOW_STRETCHES_MAX
            && self.chance()? <= FIRST_PASS_CHANCE_MAX;
        is_reported.then_some((first, later))
    }

    /// Part of the later stretches whose rate is nearer to that of the first pass than to
    /// as much more as is told; all of them where most of the one behind the first pass is.
    fn slow_stretches(&self, first: f64) -> f64 {
        let length = self.first.len().min(self.later.len());
        let limit = first * FIRST_PASS_FACTOR_MAX.sqrt();
        let is_slow = |rates: &[f64]| rates.iter().sum::<f64>() / (rates.len() as f64) < limit;
        if Summary::of(&self.later[..length]).is_none_or(|next| next.median < limit) {
            return 1.0;
        }
        let stretches = self.later.chunks_exact(length);
        let count = stretches.len() as f64;
        stretches.filter(|it| is_slow(it)).count() as f64 / count
    }

    /// How likely ranks differ so much by chance. Intervals resemble their neighbours, so that
    /// as many are taken together as are worth an independent one: in the end, where a cache
    /// that fills by and by has come to rest.
    fn chance(&self) -> Option<f64> {
        let rest = &self.later[self.later.len() / 2..];
        let time = Autocorrelation::of(rest).map_or(1.0, |it| it.time);
        #[expect(clippy::cast_possible_truncation, reason = "a few intervals")]
        let length = time.ceil().max(1.0) as usize;
        let joined = |rates: &[f64]| -> Vec<f64> {
            let stretches = rates.chunks_exact(length);
            let sums = stretches.map(|it| it.iter().sum());
            sums.collect()
        };
        mann_whitney(&joined(&self.first), &joined(&self.later)).map(|test| test.p_value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_stats::Random;

    /// Rows of one kind, of which the share that is told is counted.
    const ROWS: u32 = 400;

    /// A value of the normal distribution, as the sum of twelve uniform ones.
    fn normal(random: &mut Random) -> f64 {
        (0..12).map(|_| random.fraction()).sum::<f64>() - 6.0
    }

    /// What a row's speed does by itself.
    #[derive(Clone, Copy, Debug)]
    struct Noise {
        /// Deviation of the logarithm of each interval's rate.
        deviation: f64,
        /// How much of it is the neighbour's.
        memory: f64,
        /// Part of the intervals, some twenty at a time, in which the disk is three times as
        /// slow.
        slow_share: f64,
    }

    const STILL: Noise = Noise {
        deviation: 0.1,
        memory: 0.0,
        slow_share: 0.0,
    };
    const NOISY: Noise = Noise {
        deviation: 0.4,
        memory: 0.5,
        slow_share: 0.0,
    };
    const SLUGGISH: Noise = Noise {
        deviation: 0.4,
        memory: 0.9,
        slow_share: 0.0,
    };
    const MOODY: Noise = Noise {
        deviation: 0.2,
        memory: 0.5,
        slow_share: 0.3,
    };

    /// A row whose first pass takes so many intervals, and whose later ones are so many times
    /// as fast.
    fn row(seed: u64, effect: f64, [intervals, passes]: [usize; 2], noise: Noise) -> Passes {
        let random = &mut Random::new(seed);
        let share = noise.slow_share;
        let (mut around, mut is_slow) = (normal(random), random.fraction() < share);
        let mut rate = |speed: f64| {
            let changes = match is_slow {
                true => 0.05,
                false => 0.05 * share / (1.0 - share),
            };
            is_slow ^= random.fraction() < changes;
            let own = (1.0 - noise.memory.powi(2)).sqrt();
            around = noise.memory * around + own * normal(random);
            speed * (noise.deviation * around).exp() / if is_slow { 3.0 } else { 1.0 }
        };
        // What is faster takes fewer intervals.
        let later = ((passes - 1) * intervals) as f64 / effect;
        Passes {
            first: (0..intervals).map(|_| rate(1.0)).collect(),
            later: (0..later as usize).map(|_| rate(effect)).collect(),
        }
    }

    #[test]
    fn a_short_first_pass_says_nothing() {
        let passes = |count: usize| Passes {
            first: vec![1.0; count],
            later: vec![10.0; 100],
        };
        assert!(passes(9).answered_by_a_cache().is_none());
        assert!(passes(10).answered_by_a_cache().is_some());
        let none_later = Passes {
            later: Vec::new(),
            ..passes(10)
        };
        assert!(none_later.answered_by_a_cache().is_none());
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, Seeds, seeds};

        /// Of how many rows it is told.
        fn detection_rate(seeds: &mut Seeds, effect: f64, shape: [usize; 2], noise: Noise) -> Rate {
            let rows = seeds.next(ROWS).map(|seed| row(seed, effect, shape, noise));
            Rate::of(rows, |row| row.answered_by_a_cache().is_some())
        }

        /// The same by the factor alone, which was the rule once.
        fn reported_by_factor(effect: f64, shape: [usize; 2], noise: Noise) -> Rate {
            let rows = seeds(ROWS).map(|seed| row(seed, effect, shape, noise));
            Rate::of(rows, |row| {
                let [first, later] = [&row.first, &row.later].map(|it| Summary::of(it).unwrap());
                later.median > first.median * FIRST_PASS_FACTOR_MAX
                    && later.mean > first.mean * FIRST_PASS_FACTOR_MAX
            })
        }

        /// Intervals of the first pass, and passes in all.
        const SHAPES: [[usize; 2]; 3] = [[10, 3], [30, 6], [30, 30]];

        #[test]
        fn noise_is_hardly_ever_told_as_a_cache() {
            let seeds = &mut Seeds::default();
            for (noise, most) in [
                (STILL, 0.0),
                (NOISY, 0.005),
                (SLUGGISH, 0.015),
                (MOODY, 0.045),
            ] {
                for shape in SHAPES {
                    let rate = detection_rate(seeds, 1.0, shape, noise);
                    rate.assert_at_most(most, format_args!("{noise:?} {shape:?}"));
                }
            }
            let before = reported_by_factor(1.0, [30, 30], MOODY);
            let now = detection_rate(seeds, 1.0, [30, 30], MOODY);
            before.assert_at_least(0.08, "by the factor alone");
            now.assert_at_most(0.015, "now");
        }

        #[test]
        fn a_cache_three_times_as_fast_is_told_where_the_noise_is_smaller_than_that() {
            let seeds = &mut Seeds::default();
            for (noise, least) in [(STILL, 0.99), (NOISY, 0.83), (SLUGGISH, 0.6), (MOODY, 0.33)] {
                for shape in SHAPES {
                    let rate = detection_rate(seeds, 3.0, shape, noise);
                    rate.assert_at_least(least, format_args!("{noise:?} {shape:?}"));
                }
            }
            for (noise, least) in [(STILL, 1.0), (NOISY, 0.99), (SLUGGISH, 0.78), (MOODY, 0.8)] {
                let rate = detection_rate(seeds, 10.0, [30, 30], noise);
                rate.assert_at_least(least, format_args!("{noise:?}"));
            }
        }
    }
}
