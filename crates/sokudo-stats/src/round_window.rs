//! Whether a few values in a row stay where they are: their range, and how far the straight
//! line that fits them best moves from the first to the last.
//!
//! It does not decide how far is too far: limits are the caller's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Values at equal distances, in order of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundWindow {
    /// Arithmetic mean of the values.
    pub mean: f64,
    /// (largest − smallest) ÷ mean.
    pub range_share: f64,
    /// Slope of the least-squares line, per value: Σ(t − t̄)(x − x̄) ÷ Σ(t − t̄)².
    pub slope: f64,
    /// How far that line moves within the window, as a share of the mean:
    /// |slope| · (n − 1) ÷ mean.
    pub excursion_share: f64,
}

impl RoundWindow {
    /// Of at least two values. `None` for fewer, for values that are no numbers, and where
    /// their mean is not above 0: what moves nothing is not steady but at rest.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        let is_measured = count >= 2 && values.iter().all(|value| value.is_finite());
        if !is_measured {
            return None;
        }
        let last = float(count - 1);
        let mean = values.iter().sum::<f64>() / float(count);
        let middle = last / 2.0;
        let mut products = 0.0;
        let mut squares = 0.0;
        for (index, value) in values.iter().enumerate() {
            let distance = float(index) - middle;
            products += distance * (value - mean);
            squares += distance * distance;
        }
        let slope = products / squares;
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (mean > 0.0).then(|| Self {
            mean,
            range_share: (high - low) / mean,
            slope,
            excursion_share: slope.abs() * last / mean,
        })
    }

    /// Whether neither the range nor the line's excursion is above its limit, as shares of
    /// the mean.
    pub fn is_within(&self, range_share_max: f64, excursion_share_max: f64) -> bool {
        self.range_share <= range_share_max && self.excursion_share <= excursion_share_max
    }
}

fn float(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits of the SNIA PTS.
    fn passes(values: &[f64]) -> bool {
        RoundWindow::of(values).is_some_and(|window| window.is_within(0.20, 0.10))
    }

    /// Five rounds of which each is `percent` of the first above the one before.
    fn ramp(percent: f64) -> [f64; 5] {
        std::array::from_fn(|round| 1e5 * (1.0 + percent / 100.0 * float(round)))
    }

    #[test]
    fn a_constant_is_steady() {
        let window = RoundWindow::of(&[7e4; 5]).unwrap();
        assert_eq!((window.mean, window.slope), (7e4, 0.0));
        assert_eq!((window.range_share, window.excursion_share), (0.0, 0.0));
        assert!(passes(&[7e4; 5]));
    }

    #[test]
    fn a_ramp_of_two_percent_a_round_passes_and_one_of_three_does_not() {
        for sign in [1.0, -1.0] {
            assert!(passes(&ramp(2.0 * sign)), "{sign}");
            assert!(!passes(&ramp(3.0 * sign)), "{sign}");
        }
        // The excursion decides: its range is within 20 %.
        let window = RoundWindow::of(&ramp(3.0)).unwrap();
        assert!(window.range_share < 0.20 && window.excursion_share > 0.10);
    }

    #[test]
    fn a_cliff_is_not_steady_until_it_has_left_the_window() {
        let rounds = [3e5, 3e5, 3e5, 6e4, 6e4, 6e4, 6e4, 6e4];
        let found: Vec<bool> = rounds.windows(5).map(passes).collect();
        assert_eq!(found, [false, false, false, true]);
    }

    #[test]
    fn an_oscillation_is_judged_by_its_range_though_its_line_is_flat() {
        let swing = |share: f64| {
            let ends = [1.0 + share, 1.0 - share];
            let rounds: [f64; 5] = std::array::from_fn(|round| 1e4 * ends[round % 2]);
            rounds
        };
        assert!(passes(&swing(0.08)));
        assert!(!passes(&swing(0.12)));
        let window = RoundWindow::of(&swing(0.12)).unwrap();
        assert!(window.excursion_share < 1e-9, "{window:?}");
    }

    #[test]
    fn nothing_is_steady_without_figures() {
        for values in [
            &[][..],
            &[1.0],
            &[0.0; 5],
            &[1.0, f64::NAN, 1.0, 1.0, 1.0],
            &[1.0, f64::INFINITY],
        ] {
            assert_eq!(RoundWindow::of(values), None, "{values:?}");
        }
    }

    mod many_draws {
        use super::*;
        use crate::Random;
        use crate::distributions::standard_normal;
        use sokudo_testing::{Rate, draws, seed};

        /// Coefficient of variation; one window, two in a row, two in a row in 25 rounds.
        const LUCK: [(f64, [f64; 3]); 4] = [
            (0.04, [0.95, 0.91, 1.0]),
            (0.06, [0.74, 0.62, 1.0]),
            (0.08, [0.48, 0.34, 0.98]),
            (0.10, [0.29, 0.18, 0.86]),
        ];

        /// Independent normal noise of this coefficient of variation: how often the first
        /// window passes, the first two do, and any two in a row within 25 rounds.
        fn luck(coefficient: f64) -> [Rate; 3] {
            let mut random = Random::stream(seed(), 11);
            let mut rates = [Rate::default(); 3];
            for _ in 0..draws(10_000) {
                let rounds: [f64; 25] =
                    std::array::from_fn(|_| 1.0 + coefficient * standard_normal(&mut random));
                let found: Vec<bool> = rounds.windows(5).map(passes).collect();
                let twice = |pair: &[bool]| pair[0] && pair[1];
                let events = [found[0], twice(&found[..2]), found.windows(2).any(twice)];
                for (rate, happened) in rates.iter_mut().zip(events) {
                    rate.add(happened);
                }
            }
            rates
        }

        /// The figures that METHOD.md states.
        #[test]
        fn noise_passes_one_window_by_luck_and_two_in_a_row_less_often() {
            for (coefficient, expected) in LUCK {
                let found = luck(coefficient);
                for (found, expected) in found.iter().zip(expected) {
                    // As far as it is rounded.
                    let promise = expected - 0.005..=(expected + 0.005f64).min(1.0);
                    found.assert_within(promise, coefficient);
                }
            }
        }
    }
}
