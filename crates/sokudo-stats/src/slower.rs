//! Where one curve lies below another, of values that were each measured once.

use std::ops::Range;

/// A loss below this matters to nobody, however sure it is: a scan of the same disk comes out a few
/// per cent higher or lower.
const LOSS_MIN: f64 = 0.1;

/// A single value that is this much lower is marked by itself; of several the noise decides.
const LOSS_ALONE: f64 = 0.5;

/// Means of windows below this many of their standard deviations: of a thousand windows with
/// normal noise 3 in a thousand curves have one.
const DEVIATIONS: f64 = 4.5;

/// Lengths of windows, so that a narrow place is found and so is a wide one that lost little.
const WINDOWS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// The standard deviation of normal values, in medians of their distances from 0.
const NORMAL_OF_MEDIAN: f64 = 1.4826;

/// Stretches of values in which the second curve is lower than the first, of the ratios of both
/// in order of place. Empty where a ratio is none.
///
/// The noise is taken from differences of neighbours, which steps do not touch (von Neumann 1941;
/// their median, as Hampel 1974 does against outliers). A window is lower whose mean logarithm is
/// below both `LOSS_MIN` and `DEVIATIONS` of what noise does to such a mean: a scan statistic
/// over windows of doubling length, the most significant first (Arias-Castro, Donoho and Huo 2005,
/// IEEE Trans. Inf. Theory 51, 2402).
pub fn slower_stretches(ratios: &[f64]) -> Vec<Range<usize>> {
    if ratios
        .iter()
        .any(|ratio| !ratio.is_finite() || *ratio <= 0.0)
    {
        return Vec::new();
    }
    let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    let mut is_lower = vec![false; logs.len()];
    for window in lower_windows(&logs) {
        let is_found = |range: Range<usize>| is_lower[range].iter().any(|it| *it);
        if is_found(window.clone()) {
            continue;
        }
        let limit = mean(&logs[window.clone()]) / 2.0;
        let own = edges_moved(&logs, window, limit);
        let low = logs[own.clone()].iter().filter(|log| **log < limit).count();
        // A few very low values far from each other are no stretch, and one has a limit of its own.
        if low * 2 > own.len() && (low > 1 || mean(&logs[own.clone()]) < loss(1)) {
            is_lower[own].fill(true);
        }
    }
    stretches(&is_lower)
}

/// All windows that are lower, the most significant first.
fn lower_windows(logs: &[f64]) -> Vec<Range<usize>> {
    let noise = noise(logs);
    let mut lower = Vec::new();
    for length in WINDOWS {
        let root = (length as f64).sqrt();
        let limit = loss(length).min(-DEVIATIONS * noise / root);
        for (first, window) in logs.windows(length).enumerate() {
            let mean = mean(window);
            if mean < limit {
                lower.push((mean * root, first..first + length));
            }
        }
    }
    lower.sort_by(|(left, _), (right, _)| left.total_cmp(right));
    lower.into_iter().map(|(_, window)| window).collect()
}

/// The logarithm that the mean of so many values has to be below.
fn loss(length: usize) -> f64 {
    let loss = if length == 1 { LOSS_ALONE } else { LOSS_MIN };
    (1.0 - loss).ln()
}

/// What single values scatter by, of the differences of neighbours.
fn noise(logs: &[f64]) -> f64 {
    let mut steps: Vec<f64> = logs
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .collect();
    steps.sort_by(f64::total_cmp);
    let median = steps.get(steps.len() / 2).copied().unwrap_or(0.0);
    median * NORMAL_OF_MEDIAN / std::f64::consts::SQRT_2
}

fn mean(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    values.iter().sum::<f64>() / count
}

/// A window without what at its ends is not low, and with what is low beside it.
fn edges_moved(logs: &[f64], window: Range<usize>, limit: f64) -> Range<usize> {
    let is_low = |index: &usize| logs[*index] < limit;
    let (first, last) = (window.clone().find(is_low), window.clone().rfind(is_low));
    let (Some(first), Some(last)) = (first, last) else {
        return window;
    };
    let before = (0..first).rev().take_while(is_low).count();
    let behind = (last + 1..logs.len()).take_while(is_low).count();
    first - before..last + 1 + behind
}

fn stretches(is_lower: &[bool]) -> Vec<Range<usize>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for index in (0..is_lower.len()).filter(|index| is_lower[*index]) {
        match stretches.last_mut() {
            // A value between two low ones that is not low by chance parts nothing.
            Some(last) if index <= last.end + 1 => last.end = index + 1,
            _ => stretches.push(index..index + 1),
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::distributions::standard_normal;

    fn one(range: Range<usize>) -> Vec<Range<usize>> {
        std::iter::once(range).collect()
    }

    #[test]
    fn one_place_is_marked_alone_only_where_it_lost_most() {
        let mut quiet = vec![1.0; 100];
        quiet[40] = 0.7;
        assert_eq!(slower_stretches(&quiet), []);
        quiet[40] = 0.3;
        assert_eq!(slower_stretches(&quiet), one(40..41));
        quiet[47] = 0.3;
        assert_eq!(slower_stretches(&quiet), [40..41, 47..48]);
        // All of it is slower: one stretch.
        assert_eq!(slower_stretches(&[0.8; 100]), one(0..100));
        assert_eq!(slower_stretches(&[1.2; 100]), []);
        assert_eq!(slower_stretches(&[1.0, f64::NAN]), []);
        assert_eq!(slower_stretches(&[]), []);
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, seeds};

        /// Ratios of two curves of which each value is off by so much, the second one lower by
        /// `loss` in a stretch.
        fn ratios(seed: u64, off: f64, lower: Range<usize>, loss: f64) -> Vec<f64> {
            let mut random = Random::new(seed);
            let mut value = || 1.0 + off * standard_normal(&mut random);
            (0..200)
                .map(|index| {
                    let factor = if lower.contains(&index) {
                        1.0 - loss
                    } else {
                        1.0
                    };
                    value() * factor / value()
                })
                .collect()
        }

        #[test]
        fn noise_of_five_per_cent_marks_nothing() {
            let wrong = Rate::of(seeds(1_000), |seed| {
                !slower_stretches(&ratios(seed, 0.05, 0..0, 0.0)).is_empty()
            });
            wrong.assert_at_most(0.01, "curves with a mark");
        }

        #[test]
        fn a_tenth_of_a_disk_that_lost_a_fifth_is_found_where_it_is() {
            let missed = Rate::of(seeds(1_000), |seed| {
                let found = slower_stretches(&ratios(seed, 0.05, 120..140, 0.2));
                let hit = found.iter().filter(|it| it.start >= 115 && it.end <= 145);
                let covered: usize = hit.clone().map(|it| it.len()).sum();
                covered < 12 || hit.count() != found.len()
            });
            missed.assert_at_most(0.05, "missed, or found elsewhere");
        }
    }
}
