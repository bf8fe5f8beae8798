//! The document of a row over time, `sokudo.trend/1`: its runs, the levels on which they
//! lie, and where these change.
//!
//! What belongs to one series, and what the surroundings of a change are, comes to it as
//! it is; where the changes are is [`sokudo_stats::change_points`].

mod csv;
mod table;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Nanos, PartDifference, Verdict};
use sokudo_stats::{
    CORRELATION_ASSUMED, Interval, SEGMENT_MIN, Summary, change_points, median_interval, shift,
    widening,
};

use sokudo_words::{Text, text};

use crate::date;
use crate::figure::Figure;
use crate::style::BandwidthUnit;

const SCHEMA: &str = "sokudo.trend/1";
const CONFIDENCE: f64 = 0.95;
/// Fewer runs have no two levels.
const RUNS_NEEDED: usize = 2 * SEGMENT_MIN;
/// So many runs on either side of a change say how large it is: those nearest to it.
const COMPARED_MAX: usize = 200;

/// Rows over time as JSON: `sokudo.trend/1`. Missing figures are null, never 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.trend/1")]
pub struct TrendDocument {
    /// Name and version of this format: `sokudo.trend/1`.
    #[schemars(extend("const" = "sokudo.trend/1"))]
    pub schema: String,
    /// Version of the program that looked.
    pub sokudo_version: String,
    /// The command line that repeats it.
    pub command: String,
    /// Which device: what tells it from others.
    pub device: String,
    /// What people call it.
    pub device_name: String,
    /// What is shown: bytes, or reads and writes, per second.
    pub figure: Figure,
    /// A smaller change does not matter, as a share: 0.02 for 2 %.
    pub difference_min: f64,
    /// Rows of the device, each with its runs over time.
    pub series: Vec<SeriesDocument>,
    /// Rows of caches that are left out, because no row was named.
    pub rows_of_caches: usize,
}

/// One row of a device over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeriesDocument {
    /// Its name with its direction.
    pub row: String,
    /// Hash of all that makes its runs comparable.
    pub fingerprint: String,
    /// Its runs, the oldest first.
    pub points: Vec<TrendPoint>,
    /// Levels between the changes, the oldest first.
    pub levels: Vec<LevelDocument>,
    /// So many runs tell a change: with fewer, that there is one level says nothing.
    pub runs_needed: usize,
    /// Runs of a row of this name that did something else, and so are not comparable.
    pub runs_of_other_loads: usize,
    /// Runs that are INVALID or in which nothing was measured, and so are left out.
    pub runs_without_figure: usize,
    /// Whether its figures are of a cache, the page cache among them, and not of the disk.
    pub is_of_cache: bool,
}

/// One run of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendPoint {
    /// Number of the run in the store.
    pub run: u64,
    /// Its start, RFC 3339 in UTC.
    pub started_at: String,
    /// The same in nanoseconds since 1970-01-01T00:00:00Z.
    pub started_at_ns: u64,
    /// Bytes, or reads and writes, per second.
    pub per_second: f64,
    /// Whether it can be trusted.
    pub verdict: Option<Verdict>,
}

/// Runs between two changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelDocument {
    /// The number of its first run among the series' points, from 0.
    pub first: usize,
    /// How many runs it has.
    pub runs: usize,
    /// Start of its first run, RFC 3339 in UTC.
    pub from: String,
    /// Start of its last run.
    pub until: String,
    /// The median of its runs.
    pub median_per_s: f64,
    /// Its 95 % interval; null below 6 runs.
    pub interval_95: Option<Interval>,
    /// What the level before it has become; null for the first.
    pub change: Option<LevelChange>,
}

/// A change from one level to the next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelChange {
    /// The last run before it.
    pub run_before: u64,
    /// The first run after it.
    pub run_after: u64,
    /// The new level ÷ the old one, by Hodges and Lehmann.
    pub ratio: f64,
    /// Its 95 % interval.
    pub ratio_interval_95: Option<Interval>,
    /// What of target, machine and program differs between these two runs; null where
    /// nobody looked.
    pub differs: Option<Vec<PartDifference>>,
}

impl TrendDocument {
    /// A document of this version's format, without rows yet.
    pub fn new(device: &str, device_name: &str, figure: Figure, difference_min: f64) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
            command: String::new(),
            device: device.to_owned(),
            device_name: device_name.to_owned(),
            figure,
            difference_min,
            series: Vec::new(),
            rows_of_caches: 0,
        }
    }

    /// Leaves rows of caches out, unless there are no others.
    pub fn leave_out_caches(&mut self) {
        if self.series.iter().all(|series| series.is_of_cache) {
            return;
        }
        let all = self.series.len();
        self.series.retain(|series| !series.is_of_cache);
        self.rows_of_caches = all - self.series.len();
    }

    /// How many rows are left out, and how they are shown; `None` where none is.
    pub(crate) fn left_out(&self) -> Option<Text> {
        match self.rows_of_caches {
            0 => None,
            1 => Some("1 row of a cache is left out; --row NAME shows it.".into()),
            rows => Some(text!(
                "{rows} rows of caches are left out; --row NAME shows one."
            )),
        }
    }

    /// IOPS are shown only where they are what is looked at.
    pub(crate) const fn unit(&self, requested: BandwidthUnit) -> BandwidthUnit {
        match self.figure {
            Figure::Iops => BandwidthUnit::IosPerSecond,
            Figure::Bandwidth => requested,
        }
    }
}

impl TrendPoint {
    /// A run of this number and start.
    pub fn new(run: u64, started_at: Nanos, per_second: f64, verdict: Option<Verdict>) -> Self {
        Self {
            run,
            started_at: date::rfc3339(started_at),
            started_at_ns: started_at.0,
            per_second,
            verdict,
        }
    }
}

impl SeriesDocument {
    /// The levels of these runs, which are in order of time. Changes below
    /// `difference_min` are none.
    pub fn new(
        row: String,
        fingerprint: String,
        points: Vec<TrendPoint>,
        difference_min: f64,
    ) -> Self {
        let logarithms: Vec<f64> = points
            .iter()
            // What stood still is far below, and no logarithm.
            .map(|point| point.per_second.max(f64::MIN_POSITIVE).ln())
            .collect();
        let mut changes = change_points(&logarithms);
        drop_small(&logarithms, &mut changes, difference_min.ln_1p());
        let levels = levels(&points, &logarithms, &changes);
        Self {
            row,
            fingerprint,
            points,
            levels,
            runs_needed: RUNS_NEEDED,
            runs_of_other_loads: 0,
            runs_without_figure: 0,
            is_of_cache: false,
        }
    }

    /// Whether it has enough runs for a change to be seen.
    pub fn is_long_enough(&self) -> bool {
        self.points.len() >= self.runs_needed
    }

    /// The changes, each with the level that it leads to.
    pub fn changes(&self) -> impl Iterator<Item = (&LevelDocument, &LevelChange)> {
        self.levels
            .iter()
            .filter_map(|level| Some((level, level.change.as_ref()?)))
    }
}

fn median(values: &[f64]) -> f64 {
    Summary::of(values).map_or(0.0, |summary| summary.median)
}

/// Takes away changes of medians that do not matter, the smallest first.
fn drop_small(values: &[f64], changes: &mut Vec<usize>, least: f64) {
    loop {
        let ends: Vec<usize> = [0]
            .into_iter()
            .chain(changes.iter().copied())
            .chain([values.len()])
            .collect();
        let medians: Vec<f64> = ends
            .windows(2)
            .map(|ends| median(&values[ends[0]..ends[1]]))
            .collect();
        let sizes = medians.windows(2).map(|pair| (pair[1] - pair[0]).abs());
        let smallest = sizes
            .enumerate()
            .min_by(|left, right| left.1.total_cmp(&right.1));
        match smallest {
            Some((index, size)) if size < least => changes.remove(index),
            _ => return,
        };
    }
}

fn levels(points: &[TrendPoint], logarithms: &[f64], changes: &[usize]) -> Vec<LevelDocument> {
    let mut levels: Vec<LevelDocument> = Vec::new();
    let ends = changes.iter().copied().chain([points.len()]);
    let mut first = 0;
    let mut before = 0;
    for end in ends.filter(|_| !points.is_empty()) {
        let level = &points[first..end];
        let values: Vec<f64> = level.iter().map(|point| point.per_second).collect();
        let change = (first > 0).then(|| {
            let earlier = &logarithms[before.max(first.saturating_sub(COMPARED_MAX))..first];
            let later = &logarithms[first..end.min(first + COMPARED_MAX)];
            let (ratio, ratio_interval_95) = change(earlier, later);
            LevelChange {
                run_before: points[first - 1].run,
                run_after: points[first].run,
                ratio,
                ratio_interval_95,
                differs: None,
            }
        });
        levels.push(LevelDocument {
            first,
            runs: level.len(),
            from: level[0].started_at.clone(),
            until: level[level.len() - 1].started_at.clone(),
            median_per_s: median(&values),
            interval_95: median_interval(&values, CONFIDENCE),
            change,
        });
        before = first;
        first = end;
    }
    levels
}

/// The ratio of two levels with its interval, wider where runs hang together.
fn change(earlier: &[f64], later: &[f64]) -> (f64, Option<Interval>) {
    let Some(shift) = shift(earlier, later, CONFIDENCE) else {
        return (1.0, None);
    };
    let widening = widening(earlier, later, CORRELATION_ASSUMED);
    let widened = |end: f64| (shift.estimate + widening * (end - shift.estimate)).exp();
    let interval = shift.interval.map(|interval| Interval {
        low: widened(interval.low),
        high: widened(interval.high),
        coverage: interval.coverage,
    });
    (shift.estimate.exp(), interval)
}

#[cfg(test)]
mod tests;
