//! How much more likely a step makes a stretch of values whose neighbours may be alike.
//!
//! It weighs, and decides nothing.

/// Fewer values on a side are no level: one stall in three runs is no change.
pub const SEGMENT_MIN: usize = 5;

/// How much neighbours may have in common, in the steps in which it is looked for: more
/// has what drifts, which is no level.
const CORRELATIONS: [f64; 13] = [
    0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6,
];

/// What the values themselves decide: level, step, deviation, correlation.
const PARAMETERS: f64 = 4.0;

/// Squares of values below this are rounding.
const NOTHING: f64 = 1e-9;

/// The likeliest place of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepCandidate {
    /// The first value after it.
    pub(super) at: usize,
    /// Twice the logarithm of how much more likely the values are with it, for few values
    /// less.
    pub(super) evidence: f64,
}

impl StepCandidate {
    /// In values of which each is its own.
    pub(super) fn among_independent(values: &[f64]) -> Self {
        Self::among(values, &CORRELATIONS[..1])
    }

    /// In values of which each may keep a share of the one before (AR(1)): the likelihood
    /// with a step against that without, each with the share that suits it best.
    pub(super) fn among_correlated(values: &[f64]) -> Self {
        Self::among(values, &CORRELATIONS)
    }

    fn among(values: &[f64], correlations: &[f64]) -> Self {
        let count = count_of(values.len());
        let mut without = f64::NEG_INFINITY;
        let mut with = (f64::NEG_INFINITY, SEGMENT_MIN);
        for correlation in correlations {
            let whitened = Whitened::new(values, *correlation);
            let (at, explained) = whitened.best_step();
            let likelihood =
                |left: f64| whitened.weight - count / 2.0 * (left.max(0.0) + NOTHING * count).ln();
            without = without.max(likelihood(whitened.left));
            let likelihood = likelihood(whitened.left - explained);
            if likelihood > with.0 {
                with = (likelihood, at);
            }
        }
        Self {
            at: with.1,
            evidence: 2.0 * (with.0 - without) * (count - PARAMETERS) / count,
        }
    }
}

/// Values less what each keeps of the one before: independent, if the share is right.
struct Whitened {
    values: Vec<f64>,
    /// What is left of a level of 1: of the first value, and of each other.
    level: [f64; 2],
    /// Of the products of levels and values, those of levels.
    levels: f64,
    /// The level that suits the values best.
    mean: f64,
    /// Their squares about it.
    left: f64,
    /// The logarithm of what whitening does to the likelihood.
    weight: f64,
}

impl Whitened {
    fn new(values: &[f64], correlation: f64) -> Self {
        let of_first = (1.0 - correlation * correlation).sqrt();
        let level = [of_first, 1.0 - correlation];
        let pairs = values.windows(2);
        let own = pairs.map(|pair| pair[1] - correlation * pair[0]);
        let values: Vec<f64> = [of_first * values[0]].into_iter().chain(own).collect();
        let rest: f64 = values[1..].iter().sum();
        let levels = level[0].powi(2) + level[1].powi(2) * count_of(values.len() - 1);
        let mean = (level[0] * values[0] + level[1] * rest) / levels;
        let squares: f64 = values.iter().map(|value| value * value).sum();
        Self {
            level,
            levels,
            mean,
            left: squares - mean * mean * levels,
            weight: of_first.ln(),
            values,
        }
    }

    /// Where a step takes most of the squares away, and how many.
    fn best_step(&self) -> (usize, f64) {
        let last = self.values.len() - SEGMENT_MIN;
        let mut best = (SEGMENT_MIN, 0.0);
        let mut after: f64 = self.values[SEGMENT_MIN..].iter().sum();
        for (at, value) in self.values.iter().enumerate().take(last + 1) {
            if at < SEGMENT_MIN {
                continue;
            }
            after -= value;
            // A step is whole in its first value, and in each later one what is left of a level.
            let rest = self.level[1] * count_of(self.values.len() - at - 1);
            let [own, shared] = [1.0 + self.level[1] * rest, self.level[1] * (1.0 + rest)];
            let product = value + self.level[1] * after - shared * self.mean;
            let explained = product * product / (own - shared * shared / self.levels);
            if explained > best.1 {
                best = (at, explained);
            }
        }
        best
    }
}

pub(super) fn count_of(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::noise::first_order;

    /// Twice the logarithm of the likelihood of independent normal values.
    fn likelihood(values: &[f64]) -> f64 {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        -count * squares.ln()
    }

    #[test]
    fn of_independent_values_the_evidence_is_that_of_two_means() {
        let mut random = Random::new(2);
        let mut values = first_order(&mut random, 40, 0.0);
        values[22..].iter_mut().for_each(|value| *value += 2.0);
        let about = |values: &[f64]| -> f64 {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter().map(|value| (value - mean).powi(2)).sum()
        };
        let splits = SEGMENT_MIN..=values.len() - SEGMENT_MIN;
        let left = |at: usize| about(&values[..at]) + about(&values[at..]);
        let best = splits.min_by(|a, b| left(*a).total_cmp(&left(*b))).unwrap();
        let expected = (-40.0 * left(best).ln() - likelihood(&values)) * 36.0 / 40.0;
        let step = StepCandidate::among_independent(&values);
        assert_eq!(step.at, best);
        assert!((step.evidence - expected).abs() < 1e-6, "{step:?}");
    }

    #[test]
    fn what_neighbours_have_in_common_is_no_evidence_of_a_step() {
        let mut random = Random::new(6);
        let (mut plain, mut fair) = (0.0, 0.0);
        for _ in 0..200 {
            let values = first_order(&mut random, 80, 0.5);
            plain += StepCandidate::among_independent(&values).evidence / 200.0;
            fair += StepCandidate::among_correlated(&values).evidence / 200.0;
        }
        assert!(plain > 1.8 * fair, "{plain} {fair}");
    }

    #[test]
    fn a_step_without_noise_is_found_where_it_is() {
        let mut values = vec![0.0; 30];
        values[11..].fill(2.0);
        let step = StepCandidate::among_correlated(&values);
        assert_eq!(step.at, 11);
        assert!(step.evidence.is_finite() && step.evidence > 100.0);
    }
}
