//! When to look whether repeated trials are precise enough.
//!
//! Whoever looks after every trial and stops once the interval is narrow stops, more often
//! than by chance, at a moment at which the trials lie close together by luck: the interval
//! of a row that was stopped so covers the true median less often than it says (Law and
//! Carson 1979; McNickle, Ewing and Pawlikowski 2004 of sequential stopping rules). Few
//! looks, each some way after the one before, keep that small. It says nothing about when
//! an interval is narrow.

/// The fewest trials whose order statistics give a 95 % interval of the median: minimum and
/// maximum of six cover it with 1 − 2·2⁻⁶ = 96.9 %, of five with 93.8 %.
pub const INTERVAL_TRIALS_MIN: usize = 6;

/// Numbers of trials after which to look. Beyond the last, each is a quarter more than the
/// one before.
const LOOKS: [usize; 7] = [INTERVAL_TRIALS_MIN, 9, 12, 16, 20, 26, 32];

/// Whether to look after this many trials.
pub fn is_look(trials: usize) -> bool {
    let mut look = LOOKS[LOOKS.len() - 1];
    while look < trials {
        look += look / 4;
    }
    look == trials || LOOKS.contains(&trials)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::distributions::standard_normal;
    use crate::summary::{WeightedTrials, median_interval};

    #[test]
    fn looks_grow_apart() {
        let looks: Vec<usize> = (0..=80).filter(|trials| is_look(*trials)).collect();
        assert_eq!(looks, [6, 9, 12, 16, 20, 26, 32, 40, 50, 62, 77]);
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, draws, seed};

        const CONFIDENCE: f64 = 0.95;

        const TRIALS_MAX: usize = 40;

        const RELATIVE_PRECISION: f64 = 0.02;

        /// How often the interval of a row that was stopped covers the true median of 1, and
        /// how many trials it took on average.
        fn coverage(draw: &mut dyn FnMut() -> f64, rounds: u32) -> (Rate, f64) {
            let (mut covered, mut made) = (Rate::default(), 0.0);
            for _ in 0..rounds {
                let mut trials: Vec<f64> = Vec::new();
                while trials.len() < TRIALS_MAX {
                    trials.push(draw());
                    let is_narrow = |trials: &[f64]| {
                        WeightedTrials::from(trials.to_vec())
                            .reach(CONFIDENCE)
                            .is_some_and(|reach| reach <= RELATIVE_PRECISION)
                    };
                    if is_look(trials.len()) && is_narrow(&trials) {
                        break;
                    }
                }
                let interval = median_interval(&trials, CONFIDENCE).unwrap();
                covered.add((interval.low..=interval.high).contains(&1.0));
                made += trials.len() as f64;
            }
            (covered, made / f64::from(rounds))
        }

        /// Standard deviations from far below to far above what the precision asks for.
        const SPREADS: [f64; 8] = [0.004, 0.01, 0.016, 0.02, 0.025, 0.03, 0.04, 0.06];

        #[test]
        fn a_row_that_was_stopped_covers_its_median_in_at_least_93_of_100_cases() {
            let rounds = draws(3_000);
            for spread in SPREADS {
                let mut random = Random::stream(seed(), 19);
                let mut normal = || 1.0 + spread * standard_normal(&mut random);
                let (covered, _) = coverage(&mut normal, rounds);
                covered.assert_at_least(0.93, format_args!("normal, {spread}"));
                // Mostly fast, sometimes slow: an exponential tail, its median at 1.
                let mut skewed = || 1.0 + spread * (random.fraction().max(1e-12).ln() + 2f64.ln());
                let (covered, _) = coverage(&mut skewed, rounds);
                covered.assert_at_least(0.93, format_args!("skewed, {spread}"));
            }
        }

        #[test]
        fn trials_that_hang_together_cover_it_less_often_than_they_say() {
            let worst = |draw: &mut dyn FnMut(f64) -> f64| {
                let rounds = draws(2_000);
                let of_spread =
                    |spread: f64| coverage(&mut || 1.0 + spread * draw(spread), rounds).0;
                let rates = SPREADS.map(of_spread).into_iter();
                rates.min_by_key(|rate| rate.hits).unwrap()
            };
            for (share, expected) in [(0.3, 0.87), (0.6, 0.68)] {
                let mut random = Random::stream(seed(), 29);
                let mut value = 0.0;
                let found = worst(&mut |_| {
                    let fresh = (1.0f64 - share * share).sqrt() * standard_normal(&mut random);
                    value = share * value + fresh;
                    value
                });
                let case = format_args!("each with {share} of the one before it");
                found.assert_within(expected - 0.03..=expected + 0.03, case);
            }
            // Two levels that change after 20 trials on average.
            let mut random = Random::stream(seed(), 31);
            let mut level = 1.0;
            let found = worst(&mut |_| {
                if random.below(20) == 0 {
                    level = -level;
                }
                level + 0.1 * standard_normal(&mut random)
            });
            found.assert_at_most(0.05, "on one of two levels");
        }

        #[test]
        fn what_is_quiet_is_done_after_six_and_what_is_noisy_goes_on_to_the_end() {
            let mut random = Random::stream(seed(), 23);
            let rounds = draws(500);
            let mut made =
                |spread| coverage(&mut || 1.0 + spread * standard_normal(&mut random), rounds).1;
            assert!(made(0.004) < 6.5);
            assert!(made(0.2) > 39.9);
        }
    }
}
