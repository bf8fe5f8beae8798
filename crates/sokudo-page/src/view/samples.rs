//! The samples of a surface: rates over the offset, and times of single accesses. Both stay short,
//! each in the way that leaves it true.

use serde_json::{Value, json};

use crate::event::SampleUnit;

use super::series::{ENTRIES_MAX, SeriesChange, rounded};

/// A disk with more is bad whatever the others are; the result has all of them.
const DEFECTS_MAX: usize = 1_000;

#[derive(Debug)]
pub(super) struct SampleSeries {
    pub(super) row: usize,
    pub(super) trial: u32,
    unit: SampleUnit,
    points: Vec<Point>,
    /// Read or written at all samples.
    pub(super) bytes: u64,
    defects: Vec<(u64, u64)>,
    /// Samples that become one point.
    step: u32,
    /// Samples of accesses so far.
    seen: u32,
    is_ascending: bool,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    offset: u64,
    sum: f64,
    samples: u32,
}

impl SampleSeries {
    pub(super) const fn new(row: usize, trial: u32, unit: SampleUnit) -> Self {
        Self {
            row,
            trial,
            unit,
            points: Vec::new(),
            bytes: 0,
            defects: Vec::new(),
            step: 1,
            seen: 0,
            is_ascending: true,
        }
    }

    /// The same without any place.
    pub(super) const fn emptied(&self) -> Self {
        Self::new(self.row, self.trial, self.unit)
    }

    pub(super) fn value(&self) -> Value {
        json!({
            "row": self.row,
            "trial": self.trial,
            "unit": self.unit,
            "points": self.points.iter().map(Point::value).collect::<Vec<_>>(),
            "bytes": self.bytes,
            "defects": self.defects,
        })
    }

    /// What a sample changes of the points, if anything.
    pub(super) fn add(&mut self, offset: u64, value: f64) -> Option<SeriesChange> {
        let point = Point {
            offset,
            sum: value,
            samples: 1,
        };
        match self.unit {
            SampleUnit::MbPerSecond => Some(self.add_rate(point)),
            SampleUnit::Milliseconds => self.add_access(point),
        }
    }

    /// A defect, if there is room for it.
    pub(super) fn add_defect(&mut self, extent: (u64, u64)) -> Option<Value> {
        if self.defects.len() >= DEFECTS_MAX {
            return None;
        }
        self.defects.push(extent);
        Some(json!(extent))
    }

    /// Neighbours on the disk become their mean.
    fn add_rate(&mut self, point: Point) -> SeriesChange {
        let index = self.points.len().saturating_sub(1);
        if let Some(last) = self.points.last_mut() {
            self.is_ascending &= last.offset <= point.offset;
            // In random order the one before is no neighbour.
            if self.is_ascending && last.samples < self.step {
                last.merge(point);
                return SeriesChange::Replaced(index, last.value());
            }
        }
        self.points.push(point);
        if self.points.len() < ENTRIES_MAX {
            return SeriesChange::Pushed(point.value());
        }
        self.points.sort_unstable_by_key(|point| point.offset);
        let pairs = self.points.chunks(2).map(|pair| {
            let mut first = pair[0];
            pair[1..].iter().for_each(|second| first.merge(*second));
            first
        });
        self.points = pairs.collect();
        self.thinned()
    }

    /// A mean of access times would hide the slow ones: each second one stays as it is.
    fn add_access(&mut self, point: Point) -> Option<SeriesChange> {
        let is_kept = self.seen.is_multiple_of(self.step);
        self.seen = self.seen.wrapping_add(1);
        if !is_kept {
            return None;
        }
        self.points.push(point);
        if self.points.len() < ENTRIES_MAX {
            return Some(SeriesChange::Pushed(point.value()));
        }
        self.points = self.points.iter().copied().step_by(2).collect();
        Some(self.thinned())
    }

    fn thinned(&mut self) -> SeriesChange {
        self.step = self.step.saturating_mul(2);
        SeriesChange::Thinned(self.points.iter().map(Point::value).collect())
    }
}

impl Point {
    fn merge(&mut self, later: Self) {
        self.sum += later.sum;
        self.samples += later.samples;
    }

    fn value(&self) -> Value {
        json!([self.offset, rounded(self.sum / f64::from(self.samples))])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(series: &SampleSeries) -> Vec<(u64, f64)> {
        serde_json::from_value(series.value()["points"].clone()).unwrap()
    }

    #[test]
    fn a_curve_is_evenly_spread_in_order_and_at_random() {
        for order in [1u64, 7_919] {
            let mut series = SampleSeries::new(0, 0, SampleUnit::MbPerSecond);
            for number in 0..100_000u64 {
                let offset = number * order % 100_000;
                series.add(offset, 5.0);
                assert!(series.points.len() < ENTRIES_MAX);
            }
            let mut offsets: Vec<u64> = values(&series).iter().map(|(offset, _)| *offset).collect();
            offsets.sort_unstable();
            let gaps = offsets.windows(2).map(|two| two[1] - two[0]);
            assert!(gaps.max().unwrap() < 1_000, "{order}");
            assert!(values(&series).iter().all(|(_, rate)| *rate == 5.0));
        }
    }

    #[test]
    fn an_access_time_stays_as_it_was_measured() {
        let mut series = SampleSeries::new(0, 0, SampleUnit::Milliseconds);
        for number in 0..10_000u32 {
            series.add(u64::from(number), f64::from(number));
        }
        assert!(values(&series).len() < ENTRIES_MAX);
        for (offset, time) in values(&series) {
            let expected = offset as f64;
            assert_eq!(time, expected);
        }
    }
}
