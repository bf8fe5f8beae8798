//! Where a series becomes what it stays.

use crate::moments::mean;
use crate::student::student_t;

/// Values per batch of MSER-5.
const BATCH: usize = 5;

/// Batches that a series must have: with fewer, one of them is most of it.
const BATCHES_MIN: usize = 10;

/// The first cut whose statistic is within this factor of the smallest is taken: of noise
/// alone the smallest comes anywhere, and what is cut more is lost.
const TOLERANCE: f64 = 2.0;

/// Confidence with which the second test must tell the two parts apart.
const CONFIDENCE: f64 = 0.99;

/// The front of a series that is at another level than the rest of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmUp {
    /// Values at the front to leave out; a multiple of 5.
    pub values: usize,
    /// Mean of what is left out.
    pub mean_before: f64,
    /// Mean of the rest.
    pub mean_after: f64,
}

impl WarmUp {
    /// The warm-up of a series, if two tests agree that it has one.
    ///
    /// MSER-5 (White, Cobb and Spratt 2000) leaves out as many batches of 5 values as make
    /// (Σ (x − mean)² of the rest) ÷ (their number)² smallest: the interval of the rest's
    /// mean is then narrowest. Of noise it leaves out something anywhere (Wang and Glynn 2014
    /// show how it fails), so the first cut that comes near is taken, at most half is left
    /// out, and a second test must agree, Geweke's (1992): the means of the front and of the
    /// second half of the rest differ by more than their errors, and those of the rest's
    /// first third and second half do not. `None` below 50 values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let batches: Vec<f64> = values.chunks_exact(BATCH).map(mean).collect();
        if batches.len() < BATCHES_MIN {
            return None;
        }
        let cut = mser(&batches);
        if cut == 0 || cut >= batches.len() / 2 {
            return None;
        }
        let (front, rest) = batches.split_at(cut);
        let (early, late) = (&rest[..rest.len() / 3], &rest[rest.len() / 2..]);
        let is_level = !differ(early, late);
        (is_level && differ(front, late)).then(|| Self {
            values: cut * BATCH,
            mean_before: mean(front),
            mean_after: mean(&values[cut * BATCH..]),
        })
    }
}

/// How many batches to leave out.
fn mser(batches: &[f64]) -> usize {
    // From the end on, so that sums grow by one batch at a time (Welford 1962).
    let (mut mean, mut squares, mut count) = (0.0, 0.0, 0.0);
    let mut statistics = vec![f64::INFINITY; batches.len()];
    for (index, batch) in batches.iter().enumerate().rev() {
        count += 1.0;
        let distance = batch - mean;
        mean += distance / count;
        squares += distance * (batch - mean);
        // The last five batches alone are too few for a spread.
        if batches.len() - index > BATCH {
            statistics[index] = squares / (count * count);
        }
    }
    let best = statistics.iter().copied().fold(f64::INFINITY, f64::min);
    // Of a ramp the statistic falls to the end: it has no level that it warms up to.
    let falls_on = statistics.iter().position(|statistic| *statistic == best);
    if falls_on.is_some_and(|index| index * 3 >= batches.len() * 2) {
        return 0;
    }
    let is_near = |statistic: &f64| *statistic <= best * TOLERANCE;
    statistics.iter().position(is_near).unwrap_or(0)
}

/// Whether two parts have different means. Neighbouring batches resemble each other, so that
/// their errors are larger than those of independent ones by √((1 + ρ) ÷ (1 − ρ)).
fn differ(front: &[f64], late: &[f64]) -> bool {
    let (mean_front, mean_late) = (mean(front), mean(late));
    let deviations: Vec<f64> = late.iter().map(|batch| batch - mean_late).collect();
    let squares: f64 = deviations.iter().map(|deviation| deviation.powi(2)).sum();
    let neighbours: f64 = deviations.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let share = (neighbours / squares).clamp(0.0, 0.9);
    let variance = squares / (late.len() - 1) as f64 * (1.0 + share) / (1.0 - share);
    let error = (variance / front.len() as f64 + variance / late.len() as f64).sqrt();
    let degrees = u32::try_from(late.len() - 1).unwrap_or(1);
    let Some(errors) = student_t(CONFIDENCE, degrees) else {
        return false;
    };
    // Of equal values the error is 0, and any difference tells.
    (mean_front - mean_late).abs() > errors * error.max(mean_late.abs() * f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::noise::first_order;

    /// 100 values around 100, the first of them around another level.
    fn step(random: &mut Random, front: usize, level: f64, share: f64) -> Vec<f64> {
        let noise = first_order(random, 100, share).into_iter().enumerate();
        noise
            .map(|(index, noise)| if index < front { level } else { 100.0 } + 5.0 * noise)
            .collect()
    }

    #[test]
    fn both_levels_are_told() {
        let values: Vec<f64> = (0..100).map(|i| if i < 20 { 10.0 } else { 30.0 }).collect();
        let found = WarmUp::of(&values).unwrap();
        assert_eq!(
            (found.values, found.mean_before, found.mean_after),
            (20, 10.0, 30.0)
        );
    }

    #[test]
    fn few_values_equal_ones_and_a_level_that_never_comes_have_none() {
        assert_eq!(WarmUp::of(&[1.0; 49]), None);
        assert_eq!(WarmUp::of(&[1.0; 100]), None);
        let ramp: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(WarmUp::of(&ramp), None);
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, draws, seed};

        #[test]
        fn a_step_in_noise_is_found_within_one_batch() {
            for (front, level) in [(10, 50.0), (20, 60.0), (23, 150.0), (35, 70.0)] {
                let mut random = Random::stream(seed(), 17);
                let near = Rate::of(0..draws(1_000), |_| {
                    WarmUp::of(&step(&mut random, front, level, 0.0))
                        .is_some_and(|found| found.values.abs_diff(front) <= BATCH)
                });
                near.assert_at_least(0.9, format_args!("{front} values at {level}"));
            }
        }

        #[test]
        fn of_noise_without_a_warm_up_few_series_have_one() {
            for share in [0.0, 0.3, 0.6] {
                let mut random = Random::stream(seed(), 29);
                let alarms = Rate::of(0..draws(4_000), |_| {
                    WarmUp::of(&step(&mut random, 0, 0.0, share)).is_some()
                });
                alarms.assert_at_most(0.02, format_args!("correlation {share}"));
            }
        }
    }
}
