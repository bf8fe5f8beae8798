//! How much the values of a series resemble their neighbours, and so how many independent
//! ones they are worth.

/// Fewer values tell nothing about their neighbours.
const VALUES_MIN: usize = 8;

/// How much neighbours of a series resemble each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Autocorrelation {
    /// Correlation of each value with the next one, from −1 to 1.
    pub lag_1: f64,
    /// Integrated autocorrelation time: how many values are worth an independent one; 1 where
    /// none resembles another, below where neighbours even each other out.
    pub time: f64,
    /// Number of values ÷ that time: as many independent ones would give as precise a mean.
    pub effective_samples: f64,
}

impl Autocorrelation {
    /// Of at least 8 values that are not all alike.
    ///
    /// The time is τ = 1 + 2 Σ ρₖ, summed as Geyer's initial monotone sequence (1992): sums
    /// of two neighbouring ρ are added while they are positive, none above the one before,
    /// because what comes after is noise.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.len() < VALUES_MIN {
            return None;
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let deviations: Vec<f64> = values.iter().map(|value| value - mean).collect();
        let products = |lag: usize| {
            let later = deviations.iter().skip(lag);
            let products = deviations.iter().zip(later).map(|(one, other)| one * other);
            products.sum::<f64>()
        };
        let variance = products(0);
        // Below what rounding alone leaves, the values are alike.
        if variance <= (mean * f64::EPSILON * count).powi(2) * count {
            return None;
        }
        let correlation = |lag| products(lag) / variance;
        let (mut time, mut before) = (-1.0, f64::INFINITY);
        for lag in (0..values.len() / 2).step_by(2) {
            let pair = (correlation(lag) + correlation(lag + 1)).min(before);
            if pair <= 0.0 {
                break;
            }
            time += 2.0 * pair;
            before = pair;
        }
        // A series that alternates evens itself out, but not without end.
        let time = time.max(1.0 / count);
        Some(Self {
            lag_1: correlation(1),
            time,
            effective_samples: count / time,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::noise::first_order;

    #[test]
    fn noise_in_which_each_value_is_its_own_counts_in_full() {
        let mut random = Random::new(3);
        let found = Autocorrelation::of(&first_order(&mut random, 20_000, 0.0)).unwrap();
        assert!(found.lag_1.abs() < 0.02, "{found:?}");
        assert!((found.time - 1.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn of_first_order_noise_the_time_is_that_of_theory() {
        for share in [0.3, 0.6, 0.9] {
            let mut random = Random::new(4);
            let found = Autocorrelation::of(&first_order(&mut random, 50_000, share)).unwrap();
            let expected = (1.0 + share) / (1.0 - share);
            assert!((found.lag_1 - share).abs() < 0.02, "{share}: {found:?}");
            assert!(
                (found.time / expected - 1.0).abs() < 0.15,
                "{share}: {found:?}"
            );
        }
    }

    #[test]
    fn values_that_alternate_are_worth_more_than_their_number() {
        let values: Vec<f64> = (0..100).map(|index| f64::from(index % 2)).collect();
        let found = Autocorrelation::of(&values).unwrap();
        assert!(
            found.lag_1 < -0.9 && found.effective_samples > 100.0,
            "{found:?}"
        );
    }

    #[test]
    fn few_values_and_equal_ones_tell_nothing() {
        assert_eq!(Autocorrelation::of(&[1.0, 2.0, 3.0]), None);
        assert_eq!(Autocorrelation::of(&[0.1; 100]), None);
    }
}
