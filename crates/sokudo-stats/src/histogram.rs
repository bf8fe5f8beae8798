//! A log-linear histogram of whole numbers: constant time and memory, bounded
//! relative error, lossless merge.

use std::cmp::Ordering;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Buckets per power of two, as a power of two. 2^7 bounds a bucket's width to
/// 1/128 of its lower end, and makes the table 58 KiB, which stays in the
/// second-level cache.
const PRECISION_BITS: u32 = 7;
const BUCKETS_PER_OCTAVE: u64 = 1 << PRECISION_BITS;
/// Values below 2^7 have a bucket each; every further octave up to 2^64 has
/// 2^7.
const BUCKET_COUNT: usize = ((64 - PRECISION_BITS as usize) + 1) << PRECISION_BITS;

/// More values than anything records in a year, and few enough for the sums of many
/// histograms that were read.
const COUNT_READ_MAX: u64 = 1 << 48;

/// A reported value differs from the recorded one by at most this share of it.
pub const RELATIVE_ERROR_MAX: f64 = 1.0 / BUCKETS_PER_OCTAVE as f64;

/// From so many buckets on that hold something, the whole table takes some three times the
/// memory, and is added to faster.
const FILLED_MAX: usize = BUCKET_COUNT / 4;

/// Counts of recorded values, with exact count, minimum, maximum, sum and sum of
/// squares.
#[derive(Clone, Serialize)]
#[serde(into = "SerializedHistogram")]
pub struct Histogram {
    counts: Counts,
    totals: Totals,
}

/// Values in buckets.
#[derive(Clone)]
enum Counts {
    /// Of every bucket: one is found at once. What records has it so.
    All(Box<[u64]>),
    /// Of those that hold something, with their numbers, in ascending order: what was read takes
    /// no more memory than its text. Thousands of hosts tell theirs.
    Filled(Box<[FilledBucket]>),
}

/// A bucket that holds something, in no more memory than it takes.
#[derive(Clone, Copy)]
#[repr(Rust, packed(2))]
struct FilledBucket {
    number: u16,
    count: u64,
}

impl Counts {
    /// The table of all buckets.
    #[inline]
    fn all(&mut self) -> &mut [u64] {
        if let Self::Filled(filled) = self {
            let filled = std::mem::take(filled);
            *self = Self::All(table(&filled));
        }
        match self {
            Self::All(counts) => counts,
            Self::Filled(_) => unreachable!("it was made a table just now"),
        }
    }

    /// Numbers of the buckets that hold something, and their counts, in ascending order.
    fn filled(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let (all, filled) = match self {
            Self::All(counts) => (&counts[..], &[][..]),
            Self::Filled(filled) => (&[][..], &filled[..]),
        };
        let all = all.iter().copied().enumerate();
        let all = all.filter(|(_, count)| *count > 0);
        all.chain(
            filled
                .iter()
                .map(|bucket| (bucket.number.into(), bucket.count)),
        )
    }

    fn add(&mut self, other: &Self) {
        let filled = match (&mut *self, other) {
            (Self::Filled(ours), Self::Filled(theirs))
                if ours.len() + theirs.len() <= FILLED_MAX =>
            {
                *ours = sum_of(ours, theirs);
                return;
            }
            (_, other) => other.filled(),
        };
        let counts = self.all();
        filled.for_each(|(number, count)| counts[number] += count);
    }
}

/// Buckets that hold something as the table of all.
#[cold]
fn table(filled: &[FilledBucket]) -> Box<[u64]> {
    let mut counts = vec![0; BUCKET_COUNT].into_boxed_slice();
    for bucket in filled {
        counts[usize::from(bucket.number)] = bucket.count;
    }
    counts
}

/// The buckets of both, in ascending order.
fn sum_of(ours: &[FilledBucket], theirs: &[FilledBucket]) -> Box<[FilledBucket]> {
    let mut sum = Vec::with_capacity(ours.len() + theirs.len());
    let (mut ours, mut theirs) = (ours.iter().peekable(), theirs.iter().peekable());
    loop {
        let order = match (ours.peek(), theirs.peek()) {
            (Some(one), Some(other)) => { one.number }.cmp(&{ other.number }),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return sum.into(),
        };
        let one = (order != Ordering::Greater).then(|| ours.next()).flatten();
        let other = (order != Ordering::Less).then(|| theirs.next()).flatten();
        let count = |bucket: Option<&FilledBucket>| bucket.map_or(0, |it| it.count);
        let number = one.or(other).map_or(0, |it| it.number);
        sum.push(FilledBucket {
            number,
            count: count(one) + count(other),
        });
    }
}

/// What is known of all values together.
#[derive(Clone, Copy)]
struct Totals {
    count: u64,
    min: u64,
    max: u64,
    /// What was recorded last, until a sum has no more room.
    recent: Sums<u64>,
    before: Sums<u128>,
}

/// Counts values of a histogram, whose totals it holds until it is dropped: of a loop they are
/// where the processor has them at hand.
pub struct HistogramWriter<'a> {
    counts: &'a mut [u64],
    totals: Totals,
    to: &'a mut Totals,
}

/// Sums of values, and of their squares.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Sums<T> {
    values: T,
    squares: T,
}

impl Sums<u128> {
    fn and(self, other: Self) -> Self {
        Self {
            values: self.values + other.values,
            // Saturates only beyond 2^128: 2^48 values of 2^40 (18 minutes in
            // nanoseconds).
            squares: self.squares.saturating_add(other.squares),
        }
    }
}

impl From<Sums<u64>> for Sums<u128> {
    fn from(narrow: Sums<u64>) -> Self {
        Self {
            values: narrow.values.into(),
            squares: narrow.squares.into(),
        }
    }
}

/// A bucket that holds something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Smallest value in the bucket.
    pub low: u64,
    /// Largest value in the bucket.
    pub high: u64,
    /// Values recorded in it.
    pub count: u64,
}

impl Histogram {
    /// An empty histogram. Allocates once; recording never does.
    pub fn new() -> Self {
        Self {
            counts: Counts::All(table(&[])),
            totals: Totals::default(),
        }
    }

    /// What is left of a histogram when each of its buckets is known by a value in it and
    /// its count. Quantiles are the same; mean and deviation are those of nothing.
    /// `None` where there are more values than anything records.
    pub fn of_buckets(
        buckets: impl Iterator<Item = (u64, u64)>,
        min: u64,
        max: u64,
    ) -> Option<Self> {
        let mut histogram = Self::new();
        for (value, count) in buckets {
            let sum = histogram.totals.count.checked_add(count);
            histogram.totals.count = sum.filter(|sum| *sum <= COUNT_READ_MAX)?;
            histogram.counts.all()[bucket_index(value)] += count;
        }
        // Where they are no ends, they bound nothing.
        (histogram.totals.min, histogram.totals.max) = (min.min(max), min.max(max));
        Some(histogram)
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        count(self.counts.all(), &mut self.totals, value);
    }

    /// For who counts many.
    #[inline]
    pub fn writer(&mut self) -> HistogramWriter<'_> {
        HistogramWriter {
            counts: self.counts.all(),
            totals: self.totals,
            to: &mut self.totals,
        }
    }

    fn sums(&self) -> Sums<u128> {
        self.totals.sums()
    }

    /// Adds all values of another histogram. Associative and commutative.
    pub fn merge(&mut self, other: &Self) {
        self.counts.add(&other.counts);
        self.totals.count += other.totals.count;
        self.totals.min = self.totals.min.min(other.totals.min);
        self.totals.max = self.totals.max.max(other.totals.max);
        self.totals.before = self.totals.before.and(other.sums());
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.counts.all().fill(0);
        self.totals = Totals::default();
    }

    /// The same in as little memory as it takes: nothing more is to be recorded.
    #[must_use]
    pub fn compact(mut self) -> Self {
        let filled = self.counts.filled().filter_map(|(number, count)| {
            let number = u16::try_from(number).ok()?;
            Some(FilledBucket { number, count })
        });
        let filled: Box<[FilledBucket]> = filled.collect();
        if filled.len() <= FILLED_MAX {
            self.counts = Counts::Filled(filled);
        }
        self
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.totals.count
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.totals.count == 0
    }

    /// Exact smallest value.
    pub fn min(&self) -> Option<u64> {
        (self.totals.count > 0).then_some(self.totals.min)
    }

    /// Exact largest value.
    pub fn max(&self) -> Option<u64> {
        (self.totals.count > 0).then_some(self.totals.max)
    }

    /// Exact sum of all values.
    pub fn sum(&self) -> u128 {
        self.sums().values
    }

    /// Exact mean.
    #[expect(clippy::cast_precision_loss, reason = "a mean is a float")]
    pub fn mean(&self) -> Option<f64> {
        (self.totals.count > 0).then(|| self.sum() as f64 / self.totals.count as f64)
    }

    /// Sample standard deviation, from exact integer sums; `None` below two
    /// values. s² = (n·Σx² − (Σx)²) / (n·(n−1)).
    #[expect(clippy::cast_precision_loss, reason = "a deviation is a float")]
    pub fn stdev(&self) -> Option<f64> {
        if self.totals.count < 2 {
            return None;
        }
        let n = u128::from(self.totals.count);
        let Sums { values, squares } = self.sums();
        let variance = match (n.checked_mul(squares), values.checked_mul(values)) {
            (Some(left), Some(right)) => {
                left.saturating_sub(right) as f64 / (n as f64 * (n - 1) as f64)
            }
            // Beyond 2^128 the float formula has ample digits left.
            _ => {
                let mean = values as f64 / n as f64;
                ((squares as f64 - n as f64 * mean * mean) / (n - 1) as f64).max(0.0)
            }
        };
        Some(variance.sqrt())
    }

    /// The smallest value such that at least `fraction` of all values are not
    /// above it, within [`RELATIVE_ERROR_MAX`]. `fraction` in (0, 1].
    /// `None` when empty.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a rank lies between 1 and the count"
    )]
    pub fn quantile(&self, fraction: f64) -> Option<u64> {
        if self.totals.count == 0 {
            return None;
        }
        let rank =
            ((fraction * self.totals.count as f64).ceil() as u64).clamp(1, self.totals.count);
        let mut seen = 0;
        let bucket = self.buckets().find(|bucket| {
            seen += bucket.count;
            seen >= rank
        })?;
        let middle = bucket.low + (bucket.high - bucket.low) / 2;
        Some(middle.clamp(self.totals.min, self.totals.max))
    }

    /// The quantile, but only when enough values were recorded for it to mean
    /// something; see [`samples_needed`].
    pub fn trusted_quantile(&self, fraction: f64) -> Option<u64> {
        (self.totals.count >= samples_needed(fraction))
            .then(|| self.quantile(fraction))
            .flatten()
    }

    /// How many values lie in the bucket of this one and in those below.
    pub fn count_to(&self, value: u64) -> u64 {
        let last = bucket_index(value);
        let below = self.counts.filled();
        let below = below.take_while(|(number, _)| *number <= last);
        below.map(|(_, count)| count).sum()
    }

    /// The buckets that hold something, in ascending order.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        self.counts.filled().map(|(index, count)| {
            let (low, high) = bucket_bounds(index);
            Bucket { low, high, count }
        })
    }
}

impl Default for Totals {
    fn default() -> Self {
        Self {
            count: 0,
            min: u64::MAX,
            max: 0,
            recent: Sums::default(),
            before: Sums::default(),
        }
    }
}

impl Totals {
    fn sums(&self) -> Sums<u128> {
        self.before.and(self.recent.into())
    }

    /// With a value for whose square the recent sum has no room.
    #[cold]
    fn widened(mut self, value: u64) -> Self {
        let value = u128::from(value);
        self.before = self.sums().and(Sums {
            values: value,
            squares: value * value,
        });
        self.recent = Sums::default();
        self
    }
}

impl HistogramWriter<'_> {
    /// Counts one value.
    #[inline(always)]
    pub fn record(&mut self, value: u64) {
        count(self.counts, &mut self.totals, value);
    }

    /// How many have been recorded so far, with those of before.
    #[inline]
    pub fn count(&self) -> u64 {
        self.totals.count
    }
}

impl Drop for HistogramWriter<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.to = self.totals;
    }
}

#[inline(always)]
fn count(counts: &mut [u64], totals: &mut Totals, value: u64) {
    // The index is below the table's length for every u64, which the test
    // `every_value_has_a_bucket` checks at all borders.
    counts[bucket_index(value)] += 1;
    totals.count += 1;
    totals.min = totals.min.min(value);
    totals.max = totals.max.max(value);
    let square = value.checked_mul(value);
    match square.and_then(|square| totals.recent.squares.checked_add(square)) {
        Some(squares) => {
            totals.recent.squares = squares;
            // It has room, too: no value is above its square.
            totals.recent.values += value;
        }
        None => *totals = totals.widened(value),
    }
}

/// A histogram as it is written: only buckets that hold something.
#[derive(Serialize, Deserialize)]
struct SerializedHistogram {
    min: u64,
    max: u64,
    sum: u128,
    sum_of_squares: u128,
    /// By how much the number of each bucket is above the one before.
    steps: Vec<u64>,
    /// Values in each of them.
    counts: Vec<u64>,
}

impl From<Histogram> for SerializedHistogram {
    fn from(histogram: Histogram) -> Self {
        let mut before = 0;
        let (steps, counts) = histogram
            .counts
            .filled()
            .map(|(number, count)| {
                let number = number as u64;
                (number - std::mem::replace(&mut before, number), count)
            })
            .unzip();
        let sums = histogram.sums();
        Self {
            min: histogram.min().unwrap_or(0),
            max: histogram.totals.max,
            sum: sums.values,
            sum_of_squares: sums.squares,
            steps,
            counts,
        }
    }
}

/// Only with the names of its parts: who reads a text counts these to know how much memory
/// it takes.
impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Parts;
        impl<'de> Visitor<'de> for Parts {
            type Value = Histogram;

            fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.write_str("the parts of a histogram by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<Histogram, A::Error> {
                let written = SerializedHistogram::deserialize(MapAccessDeserializer::new(parts))?;
                Histogram::try_from(written).map_err(A::Error::custom)
            }
        }
        from.deserialize_map(Parts)
    }
}

impl TryFrom<SerializedHistogram> for Histogram {
    type Error = &'static str;

    fn try_from(written: SerializedHistogram) -> Result<Self, Self::Error> {
        let mut totals = Totals::default();
        if written.steps.len() != written.counts.len() {
            return Err("a histogram has other buckets than counts");
        }
        let mut filled: Vec<FilledBucket> = Vec::new();
        let mut number = 0_u64;
        for (step, count) in written.steps.iter().zip(&written.counts) {
            number = number.saturating_add(*step);
            totals.count = totals.count.saturating_add(*count);
            if totals.count > COUNT_READ_MAX {
                return Err("a histogram has more values than anything records");
            }
            let bucket = u16::try_from(number).ok();
            let bucket = bucket.filter(|bucket| usize::from(*bucket) < BUCKET_COUNT);
            let bucket = bucket.ok_or("a histogram has more buckets than there are")?;
            match filled.last_mut().filter(|last| last.number == bucket) {
                Some(last) => last.count += *count,
                None => filled.push(FilledBucket {
                    number: bucket,
                    count: *count,
                }),
            }
        }
        let sum_max = u128::from(totals.count) * u128::from(written.max);
        if written.sum > sum_max || written.min > written.max {
            return Err("the sums of a histogram are not those of its counts");
        }
        if totals.count > 0 {
            (totals.min, totals.max) = (written.min, written.max);
            totals.before = Sums {
                values: written.sum,
                squares: written.sum_of_squares,
            };
        }
        filled.retain(|bucket| bucket.count > 0);
        let counts = match filled.len() <= FILLED_MAX {
            true => Counts::Filled(filled.into()),
            false => Counts::All(table(&filled)),
        };
        Ok(Self { counts, totals })
    }
}

/// When what is recent was put to the rest is of no matter.
impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        let ends = |histogram: &Self| {
            (
                histogram.totals.count,
                histogram.totals.min,
                histogram.totals.max,
            )
        };
        ends(self) == ends(other)
            && self.sums() == other.sums()
            && self.counts.filled().eq(other.counts.filled())
    }
}

impl Eq for Histogram {}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Histogram")
            .field("count", &self.totals.count)
            .field("min", &self.min())
            .field("max", &self.max())
            .field("mean", &self.mean())
            .finish_non_exhaustive()
    }
}

/// How many samples a quantile needs, so that with 95 % probability at least one
/// of them lies above it: the smallest n with 1 − fractionⁿ ≥ 0.95. That is 5
/// for the median, 29 for p90, 299 for p99, 2,995 for p99.9.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the logarithms' ratio is positive and small"
)]
pub fn samples_needed(fraction: f64) -> u64 {
    if fraction >= 1.0 {
        u64::MAX
    } else {
        (0.05_f64.ln() / fraction.ln()).ceil() as u64
    }
}

/// Smallest and largest value of the bucket with a number; `None` where there is none.
pub fn bucket_numbered(number: u64) -> Option<(u64, u64)> {
    let index = usize::try_from(number).ok()?;
    (index < BUCKET_COUNT).then(|| bucket_bounds(index))
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "an index is below 7,424")]
fn bucket_index(value: u64) -> usize {
    // Values below 2^(7+1) fall into octaves of width-1 buckets.
    let octave = (63 - (value | BUCKETS_PER_OCTAVE).leading_zeros()) - PRECISION_BITS;
    let index = (u64::from(octave) << PRECISION_BITS) + (value >> octave);
    index as usize
}

fn bucket_bounds(index: usize) -> (u64, u64) {
    let index = index as u64;
    if index < 2 * BUCKETS_PER_OCTAVE {
        return (index, index);
    }
    let octave = (index >> PRECISION_BITS) - 1;
    let low = (index - (octave << PRECISION_BITS)) << octave;
    (low, low + ((1 << octave) - 1))
}

#[cfg(test)]
mod tests {
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
    fn quantiles_of_buckets_are_those_of_the_values() {
        let whole = histogram_of(&(1..5000).map(|it| it * it).collect::<Vec<_>>());
        let buckets = whole.buckets().map(|bucket| (bucket.low, bucket.count));
        let again = Histogram::of_buckets(buckets, 1, 4999 * 4999).unwrap();
        for fraction in [0.0, 0.5, 0.9, 0.999, 1.0] {
            assert_eq!(again.quantile(fraction), whole.quantile(fraction));
        }
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
    fn buckets_of_more_than_anything_records_are_refused() {
        let of = |counts: &[u64]| {
            let buckets = (0..).zip(counts.iter().copied());
            Histogram::of_buckets(buckets, 0, 1)
        };
        assert_eq!(
            of(&[COUNT_READ_MAX - 1, 1]).unwrap().count(),
            COUNT_READ_MAX
        );
        assert!(of(&[COUNT_READ_MAX, 1]).is_none());
        assert!(of(&[u64::MAX, 1]).is_none());
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
                let (low, high) = bucket_numbered(bucket_index(value) as u64).unwrap();
                assert!(low <= value && value <= high, "{value}: {low}..={high}");
            }
        }
        assert_eq!(bucket_bounds(BUCKET_COUNT - 1).1, u64::MAX);
        assert_eq!(bucket_numbered(BUCKET_COUNT as u64), None);
        assert_eq!(bucket_numbered(u64::MAX), None);
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
}
