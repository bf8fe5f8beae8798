use super::*;
use crate::Random;
use proptest::prelude::*;

proptest! {
    /// Values whose squares fill the recent sum at once, and such that never do.
    #[test]
    fn sums_are_exact_however_large_values_are(
        values in prop::collection::vec((any::<u64>(), 0_u32..64), 1..200),
    ) {
        let values: Vec<u64> = values.iter().map(|(value, shift)| value >> shift).collect();
        let (mut whole, mut parts) = (Histogram::new(), Histogram::new());
        for part in values.chunks(7) {
            let mut histogram = Histogram::new();
            part.iter().for_each(|value| histogram.record(*value));
            parts.merge(&histogram);
        }
        values.iter().for_each(|value| whole.record(*value));
        let wide = |value: &u64| u128::from(*value);
        prop_assert_eq!(whole.sum(), values.iter().map(wide).sum::<u128>());
        let squares = values.iter().map(wide).map(|value| value * value);
        prop_assert_eq!(whole.sums().squares, squares.fold(0, u128::saturating_add));
        prop_assert_eq!(whole, parts);
    }
}

fn histogram_of(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|value| histogram.record(*value));
    histogram
}

#[test]
fn counts_to_a_value_are_those_of_the_buckets_up_to_it() {
    let histogram = histogram_of(&(1..3000).map(|it| it * it).collect::<Vec<_>>());
    for value in [0, 1, 255, 256, 4_711, 1_000_000, 9_000_000, u64::MAX] {
        let below = histogram.buckets().take_while(|it| it.low <= value);
        let count: u64 = below.map(|bucket| bucket.count).sum();
        assert_eq!(histogram.count_to(value), count, "{value}");
    }
}

#[test]
fn sums_of_more_than_64_bits_are_written_in_two_parts_and_read_whole_as_earlier() {
    let histogram = histogram_of(&[u64::MAX, u64::MAX - 1, 3]);
    let written = SerializedHistogram::from(histogram.clone());
    assert_eq!(written.sum_high, 2);
    assert!(written.sum_of_squares <= u64::MAX.into() && written.sum_of_squares_high > 0);
    let sums = histogram.sums();
    let earlier = SerializedHistogram {
        sum: sums.values,
        sum_high: 0,
        sum_of_squares: sums.squares,
        sum_of_squares_high: 0,
        ..SerializedHistogram::from(histogram.clone())
    };
    assert_eq!(Histogram::try_from(written).unwrap(), histogram);
    assert_eq!(Histogram::try_from(earlier).unwrap(), histogram);
}

#[test]
fn what_takes_little_memory_counts_the_same() {
    let values = |from: u64, count: u64| histogram_of(&Vec::from_iter(from..from + count));
    let cases = [
        [values(0, 0), values(7, 3)],
        [values(5, 40), values(20, 900)],
        // Too many buckets for pairs, on one side.
        [values(1, 9), values(100, 4_000_000)],
        [values(1 << 20, 4_000_000), values(0, 5_000)],
    ];
    let written = |histogram: &Histogram| {
        let written = SerializedHistogram::from(histogram.clone());
        (written.sum_of_squares, written.steps, written.counts)
    };
    for [one, other] in &cases {
        let mut sum = one.clone();
        sum.merge(other);
        for ours in [one.clone(), one.clone().compact()] {
            for theirs in [other.clone(), other.clone().compact()] {
                let mut merged = ours.clone();
                merged.merge(&theirs);
                assert_eq!(merged, sum);
                assert_eq!(written(&merged), written(&sum));
                assert_eq!(merged.count_to(999), sum.count_to(999));
                merged.record(12);
                merged.writer().record(1 << 50);
                let mut more = sum.clone();
                [12, 1 << 50].iter().for_each(|it| more.record(*it));
                assert_eq!(merged, more);
                merged.clear();
                assert_eq!(merged, Histogram::new());
            }
        }
    }
}

#[test]
fn what_is_written_is_read_and_what_cannot_be_is_refused() {
    let again = |written: SerializedHistogram| Histogram::try_from(written);
    for values in [&[][..], &[0], &[7, 7, 1 << 40, u64::MAX]] {
        let histogram = histogram_of(values);
        assert_eq!(again(histogram.clone().into()), Ok(histogram));
    }
    let written = || SerializedHistogram::from(histogram_of(&[5, 9]));
    type Damage = fn(&mut SerializedHistogram);
    let damages: [Damage; 6] = [
        |it| it.steps[1] = u64::MAX,
        |it| it.steps.clear(),
        |it| it.counts[0] = u64::MAX,
        |it| it.counts[0] = 0,
        |it| it.sum = u128::MAX,
        |it| it.min = u64::MAX,
    ];
    for (number, damage) in damages.iter().enumerate() {
        let mut damaged = written();
        damage(&mut damaged);
        // Fewer values than their sum tells are refused as well.
        assert!(again(damaged).is_err(), "{number}");
    }
}

fn exact_quantile(sorted: &[u64], fraction: f64) -> u64 {
    let rank = ((fraction * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
    sorted[rank - 1]
}

#[test]
fn every_value_has_a_bucket() {
    for power in 0..64 {
        for value in [(1u64 << power) - 1, 1 << power, (1 << power) + 1] {
            let (low, high) = bucket_bounds(bucket_index(value));
            assert!(low <= value && value <= high, "{value}: {low}..={high}");
        }
    }
    assert_eq!(bucket_bounds(BUCKET_COUNT - 1).1, u64::MAX);
}

#[test]
fn buckets_join_without_gap_or_overlap() {
    for index in 1..BUCKET_COUNT {
        assert_eq!(bucket_bounds(index - 1).1 + 1, bucket_bounds(index).0);
    }
}

#[test]
fn samples_needed_are_those_of_the_method() {
    assert_eq!(samples_needed(0.5), 5);
    assert_eq!(samples_needed(0.99), 299);
    assert_eq!(samples_needed(0.999), 2_995);
    assert_eq!(samples_needed(0.9999), 29_956);
}

#[test]
fn a_percentile_without_enough_samples_is_missing() {
    let few = histogram_of(&[5; 298]);
    assert_eq!(few.trusted_quantile(0.99), None);
    assert_eq!(histogram_of(&[5; 299]).trusted_quantile(0.99), Some(5));
    assert_eq!(Histogram::new().quantile(0.5), None);
}

#[test]
fn agrees_with_hdrhistogram() {
    let mut random = Random::new(3);
    let mut oracle = hdrhistogram::Histogram::<u64>::new(3).unwrap();
    let mut histogram = Histogram::new();
    for _ in 0..100_000 {
        let octave = 10 + random.below(20);
        let value = 500 + random.below(1 << octave);
        oracle.record(value).unwrap();
        histogram.record(value);
    }
    for fraction in [0.5, 0.9, 0.99, 0.999, 0.9999] {
        let theirs = oracle.value_at_quantile(fraction) as f64;
        let ours = histogram.quantile(fraction).unwrap() as f64;
        assert!(
            (ours / theirs - 1.0).abs() < 0.01,
            "{fraction}: {ours} {theirs}"
        );
    }
    assert!((histogram.mean().unwrap() / oracle.mean() - 1.0).abs() < 0.001);
    assert!((histogram.stdev().unwrap() / oracle.stdev() - 1.0).abs() < 0.001);
}

proptest! {
    #[test]
    fn any_value_is_kept_within_the_error(values in prop::collection::vec(any::<u64>(), 1..50)) {
        let histogram = histogram_of(&values);
        let mut sorted = values.clone();
        sorted.sort_unstable();
        for fraction in [0.1, 0.5, 0.99] {
            let exact = exact_quantile(&sorted, fraction);
            let found = histogram.quantile(fraction).unwrap();
            prop_assert!(found.abs_diff(exact) as f64 <= exact as f64 * RELATIVE_ERROR_MAX);
        }
        prop_assert_eq!(histogram.min(), sorted.first().copied());
        prop_assert_eq!(histogram.max(), sorted.last().copied());
    }

    #[test]
    fn merging_loses_nothing_and_has_no_order(
        left in prop::collection::vec(any::<u64>(), 0..40),
        right in prop::collection::vec(any::<u64>(), 0..40),
    ) {
        let mut forward = histogram_of(&left);
        forward.merge(&histogram_of(&right));
        let mut backward = histogram_of(&right);
        backward.merge(&histogram_of(&left));
        let all: Vec<u64> = left.iter().chain(&right).copied().collect();
        prop_assert_eq!(&forward, &backward);
        prop_assert_eq!(&forward, &histogram_of(&all));
        prop_assert_eq!(forward.buckets().map(|b| b.count).sum::<u64>(), all.len() as u64);
    }
}
