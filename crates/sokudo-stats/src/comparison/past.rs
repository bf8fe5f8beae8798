//! How much runs of one thing differ from each other, told by those that were made before.
//!
//! Whatever drifts between two runs and not within either is in no figure of their trials.

use crate::change_points::change_points;
use crate::moments::mean_and_squares;
use crate::student::{student_t, student_tail};

/// Fewer runs tell nothing of how much runs differ: of four, the deviation is off by a
/// factor of two in one case of ten.
pub const PAST_RUNS_MIN: usize = 5;

/// How much the figures of single runs differ, as logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PastRuns {
    /// Standard deviation of a run's figure about its level.
    pub deviation: f64,
    /// Runs less levels: how well that is known.
    pub degrees: u32,
    /// Runs that told it.
    pub runs: usize,
}

/// What a difference of two runs is worth beside how much runs differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PastTest {
    /// How likely runs of things that differ by the margin and no more differ at least so much.
    pub p_value: f64,
    /// How far the difference may be from the true one, with the confidence that was asked for.
    pub reach: f64,
}

impl PastRuns {
    /// Of logarithms of runs' figures in order of time. A level that changed once and for all
    /// (another firmware, a cable) is no noise: distances are those from the mean of the
    /// own level ([`change_points`]), and each level takes a degree of freedom. `None` of
    /// fewer than [`PAST_RUNS_MIN`], and where one is no number.
    pub fn of(logarithms: &[f64]) -> Option<Self> {
        let is_known = logarithms.iter().all(|value| value.is_finite());
        if logarithms.len() < PAST_RUNS_MIN || !is_known {
            return None;
        }
        let changes = change_points(logarithms);
        let starts = std::iter::once(0).chain(changes.iter().copied());
        let ends = changes.iter().copied().chain([logarithms.len()]);
        let levels = starts.zip(ends).map(|(from, to)| &logarithms[from..to]);
        let squares: f64 = levels.map(|level| mean_and_squares(level).1).sum();
        let degrees = logarithms.len() - 1 - changes.len();
        Some(Self {
            deviation: (squares / degrees as f64).sqrt(),
            degrees: u32::try_from(degrees).ok()?,
            runs: logarithms.len(),
        })
    }

    /// How far a run's figure may be from its level, with this confidence, as a logarithm.
    pub fn reach(self, confidence: f64) -> Option<f64> {
        Some(student_t(confidence, self.degrees)? * self.deviation)
    }

    /// Of a difference between two runs of what this is of.
    pub fn test(self, difference: f64, margin: f64, confidence: f64) -> Option<PastTest> {
        let error = self.deviation * std::f64::consts::SQRT_2;
        test(error, self.degrees, difference, margin, confidence)
    }

    /// Of a difference between a run of this and one of `other`: the degrees of freedom are
    /// those of Welch (1947) and Satterthwaite (1946), rounded down.
    #[expect(clippy::cast_possible_truncation, reason = "from 1 to the sum of both")]
    pub fn test_against(
        self,
        other: Self,
        difference: f64,
        margin: f64,
        confidence: f64,
    ) -> Option<PastTest> {
        let [ours, theirs] = [self, other].map(|it| it.deviation.powi(2));
        let both = ours + theirs;
        let parts =
            ours.powi(2) / f64::from(self.degrees) + theirs.powi(2) / f64::from(other.degrees);
        let degrees = match parts > 0.0 {
            true => (both.powi(2) / parts).floor().max(1.0) as u32,
            false => self.degrees.saturating_add(other.degrees),
        };
        test(both.sqrt(), degrees, difference, margin, confidence)
    }
}

/// Two-sided against a margin, as Hodges and Lehmann (1954) test whether a hypothesis holds
/// approximately: at the end of the margin both tails beyond the difference together.
fn test(
    error: f64,
    degrees: u32,
    difference: f64,
    margin: f64,
    confidence: f64,
) -> Option<PastTest> {
    let beyond = |null: f64| {
        let distance = difference.abs() - null;
        match error > 0.0 {
            true => student_tail(distance / error, degrees),
            // Runs that never differed.
            false => Some(if distance > 0.0 { 0.0 } else { 1.0 }),
        }
    };
    Some(PastTest {
        p_value: (beyond(margin)? + beyond(-margin)?).min(1.0),
        reach: student_t(confidence, degrees)? * error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::distributions::standard_normal;

    const CONFIDENCE: f64 = 0.95;

    fn runs(random: &mut Random, count: usize, deviation: f64) -> Vec<f64> {
        (0..count)
            .map(|_| 5.0 + deviation * standard_normal(random))
            .collect()
    }

    #[test]
    fn a_level_that_changed_for_good_is_no_difference_between_runs() {
        let mut random = Random::new(33);
        let mut values = runs(&mut random, 15, 0.01);
        values.extend(runs(&mut random, 15, 0.01).iter().map(|value| value + 0.3));
        let known = PastRuns::of(&values).unwrap();
        assert_eq!((known.degrees, known.runs), (28, 30));
        assert!((0.006..0.015).contains(&known.deviation), "{known:?}");
    }

    #[test]
    fn too_few_say_nothing_and_runs_that_never_differed_leave_no_doubt() {
        assert_eq!(PastRuns::of(&[1.0; 4]), None);
        assert_eq!(PastRuns::of(&[1.0, 1.0, 1.0, 1.0, f64::NAN]), None);
        let equal = PastRuns::of(&[1.0; 6]).unwrap();
        let p_value = |difference| equal.test(difference, 0.02, CONFIDENCE).unwrap().p_value;
        assert_eq!([p_value(0.03), p_value(0.01)], [0.0, 1.0]);
        assert!(equal.test_against(equal, 0.03, 0.02, CONFIDENCE).is_some());
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, draws, seed};

        #[test]
        fn the_difference_of_two_more_runs_lies_within_the_reach_as_often_as_promised() {
            let mut random = Random::stream(seed(), 31);
            for past in [5, 8, 12, 30] {
                let within = Rate::of(0..draws(4_000), |_| {
                    let known = PastRuns::of(&runs(&mut random, past, 0.03)).unwrap();
                    let two = runs(&mut random, 2, 0.03);
                    let test = known.test(two[1] - two[0], 0.0, CONFIDENCE).unwrap();
                    let is_within = (two[1] - two[0]).abs() <= test.reach;
                    assert_eq!(is_within, test.p_value > 0.05, "{past}: {test:?}");
                    is_within
                });
                within.assert_within(0.945..=0.955, format_args!("{past} runs"));
            }
        }

        #[test]
        fn against_a_margin_those_that_differ_by_it_seem_to_differ_by_more_in_5_percent() {
            let mut random = Random::stream(seed(), 32);
            for margin in [0.0, 0.01, 0.05, 0.2] {
                let small = Rate::of(0..draws(4_000), |_| {
                    let [one, other] =
                        [(); 2].map(|()| PastRuns::of(&runs(&mut random, 9, 0.03)).unwrap());
                    let two = runs(&mut random, 2, 0.03);
                    let difference = two[1] - two[0] + margin;
                    let test = one.test_against(other, difference, margin, CONFIDENCE);
                    test.unwrap().p_value <= 0.05
                });
                small.assert_within(0.04..=0.055, format_args!("margin {margin}"));
            }
        }
    }
}
