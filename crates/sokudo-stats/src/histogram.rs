//! A log-linear histogram of whole numbers: constant time and memory, bounded
//! relative error, lossless merge.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
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

/// How many values each bucket holds, in one of two layouts.
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

    /// Counts a value in its bucket and in the exact totals.
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

    /// All of them in one; `None` when nothing was recorded in any.
    pub fn of_all<'a>(histograms: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut histograms = histograms.into_iter();
        let mut sum = histograms.next()?.clone();
        histograms.for_each(|histogram| sum.merge(histogram));
        (!sum.is_empty()).then_some(sum)
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

    /// How many values were recorded.
    pub fn count(&self) -> u64 {
        self.totals.count
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.totals.count == 0
    }

    /// Exact smallest value; `None` where nothing was recorded.
    pub fn min(&self) -> Option<u64> {
        (self.totals.count > 0).then_some(self.totals.min)
    }

    /// Exact largest value; `None` where nothing was recorded.
    pub fn max(&self) -> Option<u64> {
        (self.totals.count > 0).then_some(self.totals.max)
    }

    /// Exact sum of all values.
    pub fn sum(&self) -> u128 {
        self.sums().values
    }

    /// Exact mean; `None` where nothing was recorded.
    pub fn mean(&self) -> Option<f64> {
        (self.totals.count > 0).then(|| self.sum() as f64 / self.totals.count as f64)
    }

    /// Sample standard deviation, from exact integer sums; `None` below two
    /// values. s² = (n·Σx² − (Σx)²) / (n·(n−1)).
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
    #[expect(clippy::cast_possible_truncation, reason = "from 1 to the count")]
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
    /// Counts a value, as [`Histogram::record`] does.
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
#[derive(Serialize, Deserialize, JsonSchema)]
struct SerializedHistogram {
    /// Smallest recorded value; 0 where there is none.
    min: u64,
    /// Largest recorded value; 0 where there is none.
    max: u64,
    // Earlier the whole of each sum stood in its lower part, of which few programs read more than
    // 64 bits.
    /// Lower 64 bits of the sum of the values.
    #[schemars(with = "u64")]
    sum: u128,
    /// What is above them; missing where nothing is.
    #[serde(default, skip_serializing_if = "is_zero")]
    sum_high: u64,
    /// Lower 64 bits of the sum of their squares.
    #[schemars(with = "u64")]
    sum_of_squares: u128,
    /// What is above them likewise.
    #[serde(default, skip_serializing_if = "is_zero")]
    sum_of_squares_high: u64,
    /// Buckets are numbered from 0: below 128 there is one for each value, and from there on 128 for
    /// every doubling. Here is by how much the number of each bucket is above the one before.
    steps: Vec<u64>,
    /// Values in each of them.
    counts: Vec<u64>,
}

const fn is_zero(part: &u64) -> bool {
    *part == 0
}

/// The upper and the lower part of a sum.
const fn halves(sum: u128) -> (u64, u128) {
    ((sum >> 64) as u64, sum & u64::MAX as u128)
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
        let (sum_high, sum) = halves(sums.values);
        let (sum_of_squares_high, sum_of_squares) = halves(sums.squares);
        Self {
            min: histogram.min().unwrap_or(0),
            max: histogram.totals.max,
            sum,
            sum_high,
            sum_of_squares,
            sum_of_squares_high,
            steps,
            counts,
        }
    }
}

impl JsonSchema for Histogram {
    fn schema_name() -> Cow<'static, str> {
        "Histogram".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        SerializedHistogram::json_schema(generator)
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
        let whole = |high: u64, low: u128| u128::from(high) << 64 | low;
        let sums = Sums {
            values: whole(written.sum_high, written.sum),
            squares: whole(written.sum_of_squares_high, written.sum_of_squares),
        };
        let sum_max = u128::from(totals.count) * u128::from(written.max);
        if sums.values > sum_max || written.min > written.max {
            return Err("the sums of a histogram are not those of its counts");
        }
        if totals.count > 0 {
            (totals.min, totals.max) = (written.min, written.max);
            totals.before = sums;
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
#[expect(clippy::cast_possible_truncation, reason = "positive and small")]
pub fn samples_needed(fraction: f64) -> u64 {
    if fraction >= 1.0 {
        u64::MAX
    } else {
        (0.05_f64.ln() / fraction.ln()).ceil() as u64
    }
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
mod tests;
