//! A series over time that stays short however long a run is: where it becomes too long,
//! neighbours are merged, and from then on as many samples become one entry as were merged.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// As many as the widest screen has columns for.
pub(super) const ENTRIES_MAX: usize = 1_200;

/// What a series is of.
pub(super) trait Sample {
    /// Takes another one in, which came later.
    fn merge(&mut self, later: &Self);
    fn entry(&self, at: f64, row: usize) -> Value;
}

/// Rate in MB/s; merged samples give their mean.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RateSample {
    sum: f64,
    /// Of samples that had a rate.
    count: u32,
}

/// Number of completed I/Os per bucket of latency, as the event has them.
#[derive(Clone, Debug, Default)]
pub(super) struct LatencySample(BTreeMap<u8, u64>);

/// Temperature in °C; of merged samples the highest.
#[derive(Clone, Copy, Debug)]
pub(super) struct TemperatureSample(pub(super) f64);

/// What a new sample changes.
#[derive(Debug)]
pub(super) enum SeriesChange {
    Pushed(Value),
    Replaced(usize, Value),
    /// All entries anew, after the series was thinned.
    Thinned(Value),
}

#[derive(Debug)]
pub(super) struct Series<S> {
    entries: Vec<SeriesEntry<S>>,
    /// Samples that become one entry.
    step: u32,
}

#[derive(Debug)]
struct SeriesEntry<S> {
    /// When its first sample was taken: it stays in order whatever is merged into it.
    at: f64,
    row: usize,
    samples: u32,
    sample: S,
}

impl<S> Default for Series<S> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            step: 1,
        }
    }
}

impl<S: Sample> Series<S> {
    pub(super) fn add(&mut self, at: f64, row: usize, sample: S) -> SeriesChange {
        let last = self.entries.iter().rposition(|entry| entry.row == row);
        if let Some(index) = last
            && self.entries[index].samples < self.step
        {
            let entry = &mut self.entries[index];
            entry.sample.merge(&sample);
            entry.samples += 1;
            return SeriesChange::Replaced(index, entry.value());
        }
        let entry = SeriesEntry {
            at,
            row,
            samples: 1,
            sample,
        };
        let value = entry.value();
        self.entries.push(entry);
        if self.entries.len() < ENTRIES_MAX {
            return SeriesChange::Pushed(value);
        }
        self.thin(|entry| entry.row);
        // Thousands of rows, of which none has two entries.
        if self.entries.len() > ENTRIES_MAX * 3 / 4 {
            self.thin(|_| 0);
        }
        SeriesChange::Thinned(self.entries.iter().map(SeriesEntry::value).collect())
    }

    /// Merges every two entries that follow each other among those of one key.
    fn thin(&mut self, key: impl Fn(&SeriesEntry<S>) -> usize) {
        let mut kept: Vec<SeriesEntry<S>> = Vec::with_capacity(ENTRIES_MAX);
        // The entry of each key that waits for its second.
        let mut waiting: BTreeMap<usize, usize> = BTreeMap::new();
        for entry in self.entries.drain(..) {
            match waiting.remove(&key(&entry)) {
                Some(index) => {
                    let first: &mut SeriesEntry<S> = &mut kept[index];
                    first.sample.merge(&entry.sample);
                    first.samples += entry.samples;
                }
                None => {
                    waiting.insert(key(&entry), kept.len());
                    kept.push(entry);
                }
            }
        }
        self.entries = kept;
        self.step = self.step.saturating_mul(2);
    }
}

impl<S: Sample> SeriesEntry<S> {
    fn value(&self) -> Value {
        self.sample.entry(self.at, self.row)
    }
}

impl RateSample {
    pub(super) fn new(mb_per_second: Option<f64>) -> Self {
        Self {
            sum: mb_per_second.unwrap_or_default(),
            count: u32::from(mb_per_second.is_some()),
        }
    }
}

impl Sample for RateSample {
    fn merge(&mut self, later: &Self) {
        self.sum += later.sum;
        self.count += later.count;
    }

    fn entry(&self, at: f64, row: usize) -> Value {
        let mean = (self.count > 0).then(|| self.sum / f64::from(self.count));
        json!([rounded(at), mean.map(rounded), row])
    }
}

impl LatencySample {
    pub(super) fn new(counts: &[(u8, u64)]) -> Self {
        let mut sample = Self::default();
        for (bucket, count) in counts {
            sample.add(*bucket, *count);
        }
        sample
    }

    fn add(&mut self, bucket: u8, count: u64) {
        /// Longer latencies are in the last one.
        const BUCKET_MAX: u8 = 127;
        let total = self.0.entry(bucket.min(BUCKET_MAX)).or_default();
        *total = total.saturating_add(count);
    }
}

impl Sample for LatencySample {
    fn merge(&mut self, later: &Self) {
        for (bucket, count) in &later.0 {
            self.add(*bucket, *count);
        }
    }

    fn entry(&self, at: f64, row: usize) -> Value {
        json!([rounded(at), row, self.0])
    }
}

impl Sample for TemperatureSample {
    /// Keeps the higher of the two temperatures.
    fn merge(&mut self, later: &Self) {
        self.0 = self.0.max(later.0);
    }

    fn entry(&self, at: f64, _row: usize) -> Value {
        json!([rounded(at), self.0])
    }
}

/// To three decimals: no picture shows more, and every browser is sent all of them.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(series: &Series<RateSample>) -> Vec<Value> {
        series.entries.iter().map(SeriesEntry::value).collect()
    }

    #[test]
    fn a_day_of_samples_stays_short_and_evenly_spread() {
        let mut series = Series::default();
        for second in 0..86_400u32 {
            let at = f64::from(second);
            series.add(at, 0, RateSample::new(Some(at)));
            assert!(series.entries.len() < ENTRIES_MAX);
        }
        let times: Vec<f64> = series.entries.iter().map(|entry| entry.at).collect();
        let steps: Vec<f64> = times.windows(2).map(|two| two[1] - two[0]).collect();
        let (least, most) = steps.iter().fold((f64::MAX, 0f64), |(least, most), step| {
            (least.min(*step), most.max(*step))
        });
        assert_eq!((least, most), (128.0, 128.0));
        // A mean of a straight line is its middle.
        assert_eq!(entries(&series)[1], json!([128.0, 191.5, 0]));
    }

    #[test]
    fn rows_in_turn_are_merged_each_with_itself() {
        let mut series = Series::default();
        for second in 0..20_000u32 {
            let row = (second % 8) as usize;
            series.add(f64::from(second), row, RateSample::new(Some(row as f64)));
            assert!(series.entries.len() < ENTRIES_MAX);
        }
        for entry in &series.entries {
            let expected = json!([entry.at, entry.row as f64, entry.row]);
            assert_eq!(entry.value(), expected);
        }
        assert!(
            series
                .entries
                .is_sorted_by(|left, right| left.at < right.at)
        );
    }

    #[test]
    fn rows_without_end_are_short_too() {
        let mut series = Series::default();
        for row in 0..10_000usize {
            series.add(0.0, row, LatencySample::new(&[(3, 1), (200, 1)]));
            assert!(series.entries.len() < ENTRIES_MAX);
        }
        let total: u64 = series
            .entries
            .iter()
            .flat_map(|entry| entry.sample.0.values())
            .sum();
        assert_eq!(total, 20_000, "counts are summed and none is lost");
    }

    #[test]
    fn a_missing_rate_is_no_zero() {
        let mut sample = RateSample::new(None);
        assert_eq!(sample.entry(1.0, 0), json!([1.0, null, 0]));
        sample.merge(&RateSample::new(Some(4.0)));
        assert_eq!(sample.entry(1.0, 0), json!([1.0, 4.0, 0]));
    }
}
