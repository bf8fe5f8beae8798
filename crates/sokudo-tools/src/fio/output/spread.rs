//! Minimum, maximum, mean and standard deviation of samples, as fio keeps them.

use sokudo_report::number::{float, whole};
use sokudo_stats::Histogram;

/// What fio says of a number of values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spread {
    pub(super) samples: u64,
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) mean: f64,
    /// Sum of the squared differences from the mean.
    squares: f64,
}

impl Spread {
    /// Of values that were counted one by one.
    pub(super) fn of(values: &[u64]) -> Self {
        let count = whole(values.len());
        let (Some(min), Some(max)) = (values.iter().min(), values.iter().max()) else {
            return Self::default();
        };
        let mean = values.iter().map(|value| float(*value)).sum::<f64>() / count;
        Self {
            samples: values.len() as u64,
            min: *min,
            max: *max,
            mean,
            squares: values.iter().map(|v| (float(*v) - mean).powi(2)).sum(),
        }
    }

    /// Of a histogram, which keeps all of it exactly.
    pub(super) fn of_histogram(histogram: &Histogram) -> Self {
        let (Some(min), Some(max), Some(mean)) =
            (histogram.min(), histogram.max(), histogram.mean())
        else {
            return Self::default();
        };
        let samples = histogram.count();
        Self {
            samples,
            min,
            max,
            mean,
            squares: histogram.stdev().unwrap_or(0.0).powi(2) * float(samples.saturating_sub(1)),
        }
    }

    /// Standard deviation of a sample; 0 of one value, as fio prints it.
    pub(super) fn deviation(&self) -> f64 {
        match self.samples {
            0 | 1 => 0.0,
            samples => (self.squares / float(samples - 1)).sqrt(),
        }
    }

    /// Adds the rates of a job that ran at the same time. fio adds up each figure by
    /// itself: together two jobs of 100 MB/s move 200 MB/s.
    pub(super) fn add(&mut self, other: &Self) {
        self.samples += other.samples;
        self.min += other.min;
        self.max += other.max;
        self.mean += other.mean;
        self.squares += other.squares;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_those_of_samples() {
        let spread = Spread::of(&[2, 4, 4, 4, 5, 5, 7, 9]);
        assert_eq!((spread.min, spread.max, spread.mean), (2, 9, 5.0));
        assert!((spread.deviation() - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[3]).deviation(), 0.0);
        assert_eq!(Spread::of(&[]), Spread::default());
    }

    #[test]
    fn jobs_that_run_together_add_up() {
        let mut both = Spread::of(&[100, 200]);
        both.add(&Spread::of(&[300, 300]));
        assert_eq!((both.min, both.max, both.mean), (400, 500, 450.0));
        assert_eq!(both.samples, 4);
    }
}
