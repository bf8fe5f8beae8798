//! An interval of the mean of values that resemble their neighbours.

use crate::moments::{mean, mean_and_squares};
use crate::student::student_t;
use crate::summary::Interval;

/// Fewer values give no batches worth the name.
const VALUES_MIN: usize = 20;

/// More batches would be too short to be independent of each other; Schmeiser (1982) finds
/// that more than 30 hardly make the interval better.
const BATCHES_MAX: usize = 30;

/// The interval of the mean by batch means, with `confidence`: the values are cut into
/// batches, whose means are nearly independent, and their spread gives the interval by
/// Student's t. There are ⌊√(n ÷ 2)⌋ batches of n values, from 5 on, so that batches and their
/// number both grow with the series: only then does the interval become right as it grows
/// (Glynn and Whitt 1991; with a fixed number it does not). Values at the front that fill
/// no batch are left out. `None` below 20 values, or for a confidence that is none.
pub fn batch_means_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    if values.len() < VALUES_MIN {
        return None;
    }
    let batches = (values.len() / 2).isqrt().clamp(5, BATCHES_MAX);
    let length = values.len() / batches;
    let used = &values[values.len() - batches * length..];
    let means: Vec<f64> = used.chunks_exact(length).map(mean).collect();
    let (mean, squares) = mean_and_squares(&means);
    let error = (squares / (batches - 1) as f64 / batches as f64).sqrt();
    let degrees = u32::try_from(batches - 1).ok()?;
    let reach = student_t(confidence, degrees)? * error;
    Some(Interval {
        low: mean - reach,
        high: mean + reach,
        coverage: confidence,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::noise::first_order;

    #[test]
    fn batches_grow_in_length_and_number() {
        let width = |count| {
            let mut random = Random::new(9);
            let interval = batch_means_interval(&first_order(&mut random, count, 0.5), 0.95);
            interval.map(|interval| interval.high - interval.low)
        };
        assert_eq!(width(19), None);
        assert!(width(100_000).unwrap() < width(1_000).unwrap());
        let equal = batch_means_interval(&[3.0; 20], 0.95).unwrap();
        assert_eq!((equal.low, equal.high), (3.0, 3.0));
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, draws, seed};

        fn coverage(count: usize, share: f64) -> Rate {
            let mut random = Random::stream(seed(), 41);
            Rate::of(0..draws(2_000), |_| {
                let values = first_order(&mut random, count, share);
                let interval = batch_means_interval(&values, 0.95).unwrap();
                (interval.low..=interval.high).contains(&0.0)
            })
        }

        #[test]
        fn the_interval_of_first_order_noise_covers_the_mean_in_93_to_97_of_100_cases() {
            for (count, share) in [(100, 0.0), (100, 0.3), (100, 0.5), (400, 0.7), (1_000, 0.8)] {
                let case = format!("{count} values, correlation {share}");
                coverage(count, share).assert_within(0.93..=0.97, case);
            }
        }
    }
}
