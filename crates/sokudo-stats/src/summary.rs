//! Repeated trials in a few numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::moments::{mean, mean_and_squares};

/// What several trials have in common, in the trials' own unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Middle value; the mean of the two middle ones for an even count.
    pub median: f64,
    /// Arithmetic mean of the trials.
    pub mean: f64,
    /// Smallest value of a trial.
    pub min: f64,
    /// Largest value of a trial.
    pub max: f64,
    /// Largest minus smallest value (R).
    pub range: f64,
    /// Sample standard deviation; `None` below two trials.
    pub stdev: Option<f64>,
}

impl Summary {
    /// The summary of at least one value.
    pub fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let count = sorted.len();
        let median = f64::midpoint(sorted[(count - 1) / 2], sorted[count / 2]);
        let (mean, squares) = mean_and_squares(&sorted);
        let stdev = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        Some(Self {
            median,
            mean,
            min,
            max,
            range: max - min,
            stdev,
        })
    }
}

/// An interval that holds the true value with some probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// Lower end, in the unit of the values.
    pub low: f64,
    /// Upper end, in the unit of the values.
    pub high: f64,
    /// Probability that the interval covers the true value, at least the one
    /// that was asked for.
    pub coverage: f64,
}

impl Interval {
    /// How far the interval reaches from an estimate inside it, at its wider side,
    /// as a share of the estimate: the number behind a ±. `None` for an estimate
    /// of 0.
    pub fn reach(&self, estimate: f64) -> Option<f64> {
        let reach = (self.high - estimate).max(estimate - self.low);
        (estimate != 0.0).then_some(reach / estimate)
    }
}

/// The narrowest symmetric order-statistic interval of the median with at least
/// `confidence`: between the kth smallest and the kth largest value, which covers
/// the median with probability 1 − 2·P(Binomial(n, ½) < k), whatever the
/// distribution. `None` when even minimum and maximum do not reach it: below 6
/// values for 95 %.
pub fn median_interval(values: &[f64], confidence: f64) -> Option<Interval> {
    interval_of(&sorted(values), values.len(), confidence)
}

/// Between which values a median lies, where no more is known of it: its interval, where that reaches
/// as far as the median or further; of values that are too few for an interval the least and the
/// greatest, where that is twice the least or more.
pub fn only_between(median: f64, interval: Option<Interval>, values: &[f64]) -> Option<[f64; 2]> {
    if let Some(interval) = interval {
        let is_wide = interval.reach(median).is_some_and(|reach| reach >= 1.0);
        return is_wide.then_some([interval.low, interval.high]);
    }
    let least = values.iter().copied().reduce(f64::min)?;
    let greatest = values.iter().copied().reduce(f64::max)?;
    (greatest > 0.0 && greatest >= 2.0 * least).then_some([least, greatest])
}

/// [`median_interval`] of sorted values that are worth `count`.
fn interval_of(sorted: &[f64], count: usize, confidence: f64) -> Option<Interval> {
    // P(Binomial(n, 1/2) <= k - 1) for k = 1: 2^-n.
    let mut probability = 0.5f64.powi(i32::try_from(count).ok()?);
    let mut tail = probability;
    let mut best = None;
    for below in 0..count / 2 {
        let coverage = 1.0 - 2.0 * tail;
        if coverage < confidence {
            break;
        }
        let rank = below * sorted.len() / count;
        best = Some(Interval {
            low: sorted[rank],
            high: sorted[sorted.len() - 1 - rank],
            coverage,
        });
        {
            probability *= (count - below) as f64 / (below + 1) as f64;
        }
        tail += probability;
    }
    best
}

/// However long a trial lasts, it counts no more often.
const TIMES_MAX: f64 = 1_000.0;

/// Trials of which one may count more often than another.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedTrials {
    /// In order of time.
    values: Vec<f64>,
    /// How often each counts.
    times: Vec<usize>,
}

impl From<Vec<f64>> for WeightedTrials {
    /// Trials that count alike.
    fn from(values: Vec<f64>) -> Self {
        let times = vec![1; values.len()];
        Self { values, times }
    }
}

impl WeightedTrials {
    /// Trials that were to last equally long, as values and seconds: each counts as often as its
    /// length holds the median of the lengths, rounded, and once at least.
    #[expect(clippy::cast_possible_truncation, reason = "from 1 to a limit")]
    pub fn by_length(trials: &[(f64, f64)]) -> Self {
        let (values, lengths): (Vec<f64>, Vec<f64>) = trials.iter().copied().unzip();
        let middle = Summary::of(&lengths).map_or(0.0, |summary| summary.median);
        let times = |length: f64| (length / middle).round().clamp(1.0, TIMES_MAX) as usize;
        let times = match middle > 0.0 {
            true => lengths.into_iter().map(times).collect(),
            false => vec![1; values.len()],
        };
        Self { values, times }
    }

    /// Whether each counts once.
    pub fn are_alike(&self) -> bool {
        self.times.iter().all(|times| *times == 1)
    }

    /// The value of each, in order of time.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The median of all, each as often as it counts.
    pub fn median(&self) -> Option<f64> {
        Summary::of(&self.repeated()).map(|summary| summary.median)
    }

    /// As [`median_interval`], of as many trials as these are worth: (Σw)² ÷ Σw² (Kish 1965), rounded
    /// down.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        let all: usize = self.times.iter().sum();
        let squares: usize = self.times.iter().map(|times| times * times).sum();
        interval_of(&self.repeated(), all * all / squares.max(1), confidence)
    }

    /// How far that interval reaches from the median, as a share of it: the number behind a ±.
    /// `None` without an interval, or with a median of 0.
    pub fn reach(&self, confidence: f64) -> Option<f64> {
        self.interval(confidence)?.reach(self.median()?)
    }

    /// Between which values it lies, where no more is known of it.
    pub fn only_between(&self, confidence: f64) -> Option<[f64; 2]> {
        only_between(self.median()?, self.interval(confidence), &self.values)
    }

    fn repeated(&self) -> Vec<f64> {
        let each = self.values.iter().zip(&self.times);
        let repeated = each.flat_map(|(value, times)| std::iter::repeat_n(*value, *times));
        sorted(&repeated.collect::<Vec<f64>>())
    }
}

/// The mean without the `trim` smallest and the `trim` largest values. `None` when
/// nothing is left.
pub fn trimmed_mean(values: &[f64], trim: usize) -> Option<f64> {
    let sorted = sorted(values);
    let end = sorted.len().checked_sub(trim)?;
    let kept = sorted.get(trim..end).filter(|kept| !kept.is_empty())?;
    Some(mean(kept))
}

/// How far the first value lies from the median of all, in median absolute deviations
/// from it: (x₁ − median) ÷ MAD, with MAD the median of |x − median|. Negative below
/// the median. Unlike a mean and a standard deviation, both are not moved by the very
/// value that is looked at (hyperfine tests its first run so, on the slow side only).
/// Infinite where all but a few values are equal and the first is not. `None` for no
/// values.
pub fn first_deviation(values: &[f64]) -> Option<f64> {
    let first = *values.first()?;
    let median = Summary::of(values)?.median;
    let deviations: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    let spread = Summary::of(&deviations)?.median;
    let distance = first - median;
    Some(if distance == 0.0 {
        0.0
    } else {
        distance / spread
    })
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_scatters_by_a_factor_only_a_range_is_known() {
        let wide = Interval {
            low: 1.0,
            high: 9.0,
            coverage: 0.95,
        };
        assert_eq!(only_between(4.0, Some(wide), &[]), Some([1.0, 9.0]));
        assert_eq!(only_between(5.0, Some(wide), &[]), None);
        assert_eq!(only_between(3.0, None, &[3.0, 2.0, 4.0]), Some([2.0, 4.0]));
        assert_eq!(only_between(3.0, None, &[3.0, 2.1, 4.0]), None);
        assert_eq!(only_between(3.0, None, &[3.0]), None);
    }

    use crate::Random;

    #[test]
    fn an_even_count_has_the_mean_of_the_middle_two_as_median() {
        let summary = Summary::of(&[4.0, 1.0, 3.0, 10.0]).unwrap();
        assert_eq!(
            (summary.median, summary.mean, summary.range),
            (3.5, 4.5, 9.0)
        );
        assert!((summary.stdev.unwrap() - 15f64.sqrt()).abs() < 1e-12);
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[2.0]).unwrap().stdev, None);
    }

    #[test]
    fn numbers_are_sorted_as_numbers() {
        let interval = median_interval(&[10.0, 9.0, 100.0, 2.0, 33.0, 4.0], 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (2.0, 100.0));
    }

    #[test]
    fn the_reach_is_that_of_the_wider_side() {
        let reach = |values: &[f64]| WeightedTrials::from(values.to_vec()).reach(0.95);
        assert_eq!(reach(&[90.0, 98.0, 100.0, 100.0, 101.0, 105.0]), Some(0.1));
        assert_eq!(reach(&[1.0; 5]), None);
        assert_eq!(reach(&[0.0; 6]), None);
    }

    #[test]
    fn a_trial_counts_by_what_it_lasted() {
        let trials = |lengths: [f64; 8]| {
            let values = [100.0, 101.0, 99.0, 20.0, 100.0, 102.0, 98.0, 100.0];
            WeightedTrials::by_length(&values.into_iter().zip(lengths).collect::<Vec<_>>())
        };
        // As lengths are where the next completion ends a trial.
        let alike = trials([0.25, 0.26, 0.25, 0.3, 0.25, 0.35, 0.25, 0.25]);
        assert_eq!(alike, alike.values().to_vec().into());
        assert!(alike.are_alike());
        assert_eq!(alike.median(), Some(100.0));
        // One stood still for most of the time: half of it was no better, and eight trials so
        // unlike are worth no interval.
        let still = trials([0.25, 0.25, 0.25, 5.25, 0.25, 0.25, 0.25, 0.25]);
        assert_eq!((still.median(), still.interval(0.95)), (Some(20.0), None));
        // Twice as long: 81 ÷ 11 are 7 trials, and the interval reaches to it.
        let twice = trials([0.25, 0.25, 0.25, 0.5, 0.25, 0.25, 0.25, 0.25]);
        let interval = twice.interval(0.95).unwrap();
        assert_eq!((interval.low, interval.high), (20.0, 102.0));
        assert_eq!(WeightedTrials::by_length(&[]).median(), None);
    }

    /// `hdparm -t` twelve times, as document 004 has it: the first run found a disk
    /// that was not ready.
    const HDPARM: [f64; 12] = [
        222.6, 365.2, 370.8, 369.6, 372.4, 351.0, 369.6, 378.3, 380.2, 340.1, 344.7, 377.0,
    ];

    #[test]
    fn a_trimmed_mean_leaves_out_both_ends() {
        assert_eq!(trimmed_mean(&[5.0, 1.0, 100.0, 3.0], 1), Some(4.0));
        assert_eq!(trimmed_mean(&[5.0, 1.0], 1), None);
        assert_eq!(trimmed_mean(&[5.0], 7), None);
        assert_eq!(trimmed_mean(&[1.0, 2.0], 0), Some(1.5));
        let mean = trimmed_mean(&HDPARM, 1).unwrap();
        let others: f64 = HDPARM.iter().sum::<f64>() - 222.6 - 380.2;
        assert!((mean - others / 10.0).abs() < 1e-9);
    }

    #[test]
    fn numbers_are_trimmed_as_numbers_and_not_as_words() {
        // A lexical sort would take 100 for the smallest and 9 for the largest.
        assert_eq!(trimmed_mean(&[100.0, 9.0, 20.0], 1), Some(20.0));
    }

    #[test]
    fn a_first_run_that_differs_is_far_from_the_median_on_its_side() {
        let slow = first_deviation(&HDPARM).unwrap();
        assert!(slow < -14.826, "{slow}");
        let fast: Vec<f64> = HDPARM.iter().map(|value| 600.0 - value).collect();
        assert!((first_deviation(&fast).unwrap() + slow).abs() < 1e-9);
        let mut late = HDPARM;
        late.rotate_left(1);
        assert!(first_deviation(&late).unwrap().abs() < 2.0);
    }

    #[test]
    fn equal_runs_have_no_outlier_and_one_other_is_infinitely_far() {
        assert_eq!(first_deviation(&[3.0; 6]), Some(0.0));
        assert_eq!(
            first_deviation(&[2.0, 3.0, 3.0, 3.0]),
            Some(f64::NEG_INFINITY)
        );
        assert_eq!(first_deviation(&[]), None);
    }

    #[test]
    fn five_trials_cannot_give_95_percent() {
        assert_eq!(median_interval(&[1.0; 5], 0.95), None);
        let six = median_interval(&[1.0; 6], 0.95).unwrap();
        assert!((six.coverage - 0.96875).abs() < 1e-12);
    }

    #[test]
    fn twelve_trials_use_ranks_three_and_ten() {
        let values: Vec<f64> = (1..=12).map(f64::from).collect();
        let interval = median_interval(&values, 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (3.0, 10.0));
        assert!((interval.coverage - 0.961).abs() < 0.001);
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, draws, seed};

        #[test]
        fn of_runs_that_are_alike_few_have_an_outlier_first() {
            let mut random = Random::stream(seed(), 5);
            for count in [6usize, 12] {
                let outliers = Rate::of(0..draws(10_000), |_| {
                    // Twelve uniform values make one that is nearly normal.
                    let normal =
                        |random: &mut Random| (0..12).map(|_| random.fraction()).sum::<f64>();
                    let values: Vec<f64> = (0..count).map(|_| normal(&mut random)).collect();
                    first_deviation(&values).unwrap().abs() > 14.826
                });
                outliers.assert_at_most(0.01, format_args!("n {count}"));
            }
        }

        #[test]
        fn the_interval_covers_the_true_median_as_often_as_it_says() {
            let mut random = Random::stream(seed(), 11);
            for count in [6usize, 9, 12, 25] {
                let mut promised = 0.0;
                let covered = Rate::of(0..draws(10_000), |_| {
                    // A skewed distribution whose median is 0.25.
                    let values: Vec<f64> = (0..count).map(|_| random.fraction().powi(2)).collect();
                    let interval = median_interval(&values, 0.95).unwrap();
                    promised = interval.coverage;
                    (interval.low..=interval.high).contains(&0.25)
                });
                covered.assert_is(promised, format_args!("n {count}"));
            }
        }
    }
}
