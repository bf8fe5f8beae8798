//! Latencies in the 1,856 classes that fio keeps: one per nanosecond below 128, then
//! 64 per power of two.
//!
//! Ours are half as wide and have the same borders, so that each of them lies in one
//! of fio's.

use sokudo_report::number::float;
use sokudo_stats::Histogram;

/// Classes per power of two, as a power of two.
const CLASS_BITS: u32 = 6;
const CLASSES_PER_OCTAVE: u64 = 1 << CLASS_BITS;
/// 29 groups of 64.
pub(super) const CLASS_COUNT: usize = 29 << CLASS_BITS;

/// How many values lie in each class.
pub(super) struct Bins {
    counts: Vec<u64>,
    total: u64,
}

impl Bins {
    /// The values of a histogram.
    pub(super) fn of(histogram: &Histogram) -> Self {
        let mut counts = vec![0; CLASS_COUNT];
        for bucket in histogram.buckets() {
            counts[class_of(bucket.low)] += bucket.count;
        }
        Self {
            counts,
            total: histogram.count(),
        }
    }

    /// The count of each class.
    pub(super) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Each class that holds something: the value that stands for it, and its count.
    pub(super) fn filled(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(class, count)| (value_of(class), *count))
    }

    /// For each percentage, in ascending order, the value that stands for the first
    /// class up to which at least so many of all values lie.
    pub(super) fn percentiles(&self, percentages: &[f64]) -> Vec<u64> {
        let mut values = Vec::with_capacity(percentages.len());
        let mut class = 0;
        let mut seen = self.counts[0];
        for percentage in percentages {
            let wanted = percentage / 100.0 * float(self.total);
            while float(seen) < wanted && class + 1 < CLASS_COUNT {
                class += 1;
                seen += self.counts[class];
            }
            values.push(value_of(class));
        }
        values
    }
}

#[expect(clippy::cast_possible_truncation, reason = "below 1,856, or the last")]
fn class_of(value: u64) -> usize {
    let Some(octave) = value.checked_ilog2().filter(|octave| *octave > CLASS_BITS) else {
        return value as usize;
    };
    let shift = octave - CLASS_BITS;
    let within = (value >> shift) & (CLASSES_PER_OCTAVE - 1);
    let class = (u64::from(shift + 1) << CLASS_BITS) + within;
    (class as usize).min(CLASS_COUNT - 1)
}

/// The middle of a class, as fio rounds it.
fn value_of(class: usize) -> u64 {
    let class = class as u64;
    if class < 2 * CLASSES_PER_OCTAVE {
        return class;
    }
    let shift = (class >> CLASS_BITS) - 1;
    let low = (CLASSES_PER_OCTAVE + class % CLASSES_PER_OCTAVE) << shift;
    low + (1 << shift) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_stand_for_classes_are_those_of_fio() {
        // Left as measured, right as fio 3.33 printed it (json+ of the null engine).
        for (measured, printed) in [
            (30, 30),
            (127, 127),
            (150, 151),
            (160, 161),
            (280, 282),
            (400, 402),
            (6_119, 6_112),
            (10_636, 10_688),
            (16_755, 16_768),
        ] {
            assert_eq!(value_of(class_of(measured)), printed);
        }
        assert_eq!(class_of(u64::MAX), CLASS_COUNT - 1);
        assert_eq!(class_of(0), 0);
    }

    #[test]
    fn every_value_is_within_one_in_128_of_its_class() {
        for power in 0..34 {
            for value in [
                (1u64 << power) - 1,
                1 << power,
                (1 << power) + 1,
                3 << (power / 2),
            ] {
                let shown = value_of(class_of(value));
                assert!(
                    shown.abs_diff(value) * 128 <= value + 128,
                    "{value} {shown}"
                );
            }
        }
    }

    #[test]
    fn percentiles_count_as_fio_does() {
        let mut histogram = Histogram::new();
        for value in 1..=100 {
            histogram.record(value);
        }
        let bins = Bins::of(&histogram);
        assert_eq!(
            bins.percentiles(&[1.0, 50.0, 99.0, 100.0]),
            [1, 50, 99, 100]
        );
        assert_eq!(bins.filled().count(), 100);
    }
}
