//! The figures of a survey: of rates where places are measured in one go, of access times
//! where each place is one I/O.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Survey, Visit};
use sokudo_stats::Summary;

use super::sample::{DefectDocument, SampleDocument};
use crate::number::float;

/// The share of the places at either end that is compared: one twentieth.
const END_DIVISOR: usize = 20;
/// Values below which a 95th percentile is one of the largest few at best.
const P95_COUNT_MIN: usize = 20;
/// Classes of seek distance, each as wide as the others.
const DISTANCE_CLASSES: u64 = 5;

/// The figures of all places of a survey, of all trials together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurfaceFigures {
    /// Places that were measured.
    #[serde(rename = "places")]
    pub sample_count: u64,
    /// Of each place's own rate; null where each place is one I/O, and where nothing was
    /// measured.
    pub rate_bytes_per_s: Option<SampleRates>,
    /// From the start of the I/O at one place to its end; null where places are measured
    /// in one go, and where nothing was measured.
    pub access_ns: Option<AccessTimes>,
    /// Ranges that could not be read or written, counted for each trial.
    pub defect_ranges: u64,
    /// Bytes in those ranges, counted for each trial.
    pub defect_bytes: u64,
}

/// Rates of places, each place counting alike, in bytes per second; of processes side by side what
/// all of them moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SampleRates {
    /// Of the slowest place.
    pub min: f64,
    /// Of the fastest place.
    pub max: f64,
    /// Arithmetic mean of the places' rates (as GNOME Disks and HD Tune take it).
    pub mean: f64,
    /// Median of the places' rates.
    pub median: f64,
    /// Mean of the first 5 % of the places; null below 20 places.
    pub outer: Option<f64>,
    /// Mean of the last 5 %; null below 20 places.
    pub inner: Option<f64>,
    /// The one divided by the other.
    pub outer_to_inner: Option<f64>,
}

/// Access times of all places, nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccessTimes {
    /// Arithmetic mean of the access times.
    pub mean: f64,
    /// Median of the access times.
    pub median: f64,
    /// 95 % took no longer; null below 20 places.
    pub p95: Option<f64>,
    /// Longest of the access times.
    pub max: f64,
    /// By how far the I/O before was away, in classes of one fifth of the longest distance
    /// each; classes in which there was none are left out.
    pub by_distance: Vec<DistanceTimes>,
}

/// Access times after seeks of about the same distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DistanceTimes {
    /// Distances up to this, in bytes, and above that of the class before.
    pub distance_max: u64,
    /// How many there were.
    pub count: u64,
    /// Mean access time of the class, nanoseconds.
    pub mean_ns: f64,
}

impl SurfaceFigures {
    /// Of what so many processes have measured side by side.
    pub(super) fn of(
        survey: &Survey,
        processes: u32,
        samples: &[SampleDocument],
        defects: &[DefectDocument],
    ) -> Self {
        let is_single = matches!(survey.visit, Visit::Random | Visit::Butterfly);
        Self {
            sample_count: samples.len() as u64,
            rate_bytes_per_s: (!is_single)
                .then(|| SampleRates::of(samples, processes))
                .flatten(),
            access_ns: is_single.then(|| AccessTimes::of(samples)).flatten(),
            defect_ranges: defects.len() as u64,
            defect_bytes: defects.iter().map(|defect| defect.length).sum(),
        }
    }
}

impl SampleRates {
    /// In the order of the places. What processes have measured at one place in a trial is one rate:
    /// that of all of them.
    fn of(samples: &[SampleDocument], processes: u32) -> Option<Self> {
        let mut by_offset: BTreeMap<(u64, u32), Vec<f64>> = BTreeMap::new();
        for sample in samples {
            let of_node = (sample.offset, sample.trial);
            let rate = sample.bytes_per_s_of_all(processes);
            by_offset.entry(of_node).or_default().extend(rate);
        }
        let measured = by_offset.values().filter_map(|rates| Summary::of(rates));
        let rates: Vec<f64> = measured.map(|rates| rates.mean).collect();
        let summary = Summary::of(&rates)?;
        let at_end = rates.len() / END_DIVISOR;
        let mean_of = |rates: &[f64]| Summary::of(rates).map(|summary| summary.mean);
        let outer = mean_of(&rates[..at_end]);
        let inner = mean_of(&rates[rates.len() - at_end..]);
        Some(Self {
            min: summary.min,
            max: summary.max,
            mean: summary.mean,
            median: summary.median,
            outer,
            inner,
            outer_to_inner: outer.zip(inner).map(|(outer, inner)| outer / inner),
        })
    }
}

impl AccessTimes {
    fn of(samples: &[SampleDocument]) -> Option<Self> {
        let done = || samples.iter().filter(|sample| sample.ios != Some(0));
        let mut times: Vec<f64> = done().map(|sample| float(sample.elapsed_ns)).collect();
        times.sort_by(f64::total_cmp);
        let summary = Summary::of(&times)?;
        // The smallest value that at least 95 % do not exceed.
        let rank = (times.len() * 95).div_ceil(100);
        let p95 = (times.len() >= P95_COUNT_MIN).then(|| times[rank - 1]);
        let sought: Vec<(u64, f64)> = done()
            .filter_map(|sample| Some((sample.distance?, float(sample.elapsed_ns))))
            .collect();
        Some(Self {
            mean: summary.mean,
            median: summary.median,
            p95,
            max: summary.max,
            by_distance: by_distance(&sought),
        })
    }
}

/// Times by classes of distance.
fn by_distance(sought: &[(u64, f64)]) -> Vec<DistanceTimes> {
    let longest = sought.iter().map(|(distance, _)| *distance).max();
    let Some(longest) = longest.filter(|longest| *longest > 0) else {
        return Vec::new();
    };
    let width = longest.div_ceil(DISTANCE_CLASSES);
    let class = |number: u64| {
        let times: Vec<f64> = sought
            .iter()
            .filter(|(distance, _)| distance.saturating_sub(1) / width == number)
            .map(|(_, time)| *time)
            .collect();
        Some(DistanceTimes {
            distance_max: ((number + 1).saturating_mul(width)).min(longest),
            count: times.len() as u64,
            mean_ns: Summary::of(&times)?.mean,
        })
    };
    (0..DISTANCE_CLASSES).filter_map(class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Bytes, Sample};

    fn sample(offset: u64, bytes: u64, elapsed_ns: u64, distance: Option<u64>) -> SampleDocument {
        SampleDocument {
            trial: 1,
            offset,
            bytes,
            ios: Some(1),
            elapsed_ns,
            latency_max_ns: Some(elapsed_ns),
            distance,
        }
    }

    fn survey(visit: Visit) -> Survey {
        Survey::new(1, visit, Sample::Bytes(Bytes::kib(4)))
    }

    #[test]
    fn a_curve_has_rates_and_the_ends_are_compared_whatever_the_order_of_visits() {
        // From 200 MB/s at the start down to 101 at the end.
        let mut samples: Vec<_> = (0..100)
            .map(|n| sample(n, 200_000_000 - n * 1_000_000, 1_000_000_000, None))
            .collect();
        samples.reverse();
        let figures = SurfaceFigures::of(&survey(Visit::Shuffled), 1, &samples, &[]);
        let rates = figures.rate_bytes_per_s.unwrap();
        assert_eq!((rates.min, rates.max), (101e6, 200e6));
        assert_eq!((rates.mean, rates.median), (150.5e6, 150.5e6));
        assert_eq!((rates.outer, rates.inner), (Some(198e6), Some(103e6)));
        assert_eq!(rates.outer_to_inner, Some(198.0 / 103.0));
        assert_eq!(figures.access_ns, None);
    }

    #[test]
    fn the_rate_of_a_place_is_that_of_all_processes_side_by_side() {
        let samples: Vec<_> = [100, 300, 80, 160, 500, 120]
            .iter()
            .zip([0, 0, 9, 9, 0, 9])
            .map(|(bytes, offset)| sample(offset, *bytes, 1_000_000_000, None))
            .collect();
        let figures = SurfaceFigures::of(&survey(Visit::Ascending), 3, &samples, &[]);
        let rates = figures.rate_bytes_per_s.unwrap();
        assert_eq!((rates.min, rates.mean, rates.max), (360.0, 630.0, 900.0));
    }

    #[test]
    fn few_places_have_no_ends_to_compare() {
        let samples: Vec<_> = (0..19).map(|n| sample(n, 100, 10, None)).collect();
        let figures = SurfaceFigures::of(&survey(Visit::Ascending), 1, &samples, &[]);
        assert_eq!(figures.rate_bytes_per_s.unwrap().outer_to_inner, None);
    }

    #[test]
    fn a_place_at_which_nothing_was_moved_has_no_rate_and_no_time() {
        let mut lost = sample(0, 0, 5, None);
        lost.ios = Some(0);
        for visit in [Visit::Ascending, Visit::Random] {
            let figures = SurfaceFigures::of(&survey(visit), 1, &[lost], &[]);
            assert_eq!((figures.rate_bytes_per_s, figures.access_ns), (None, None));
        }
    }

    #[test]
    fn access_times_are_told_by_distance() {
        let samples: Vec<_> = (1..=100)
            .map(|n| sample(n, 4096, n * 1_000, Some(n * 10)))
            .collect();
        let figures = SurfaceFigures::of(&survey(Visit::Random), 1, &samples, &[]);
        let access = figures.access_ns.unwrap();
        assert_eq!((access.mean, access.median), (50_500.0, 50_500.0));
        assert_eq!((access.p95, access.max), (Some(95_000.0), 100_000.0));
        let classes: Vec<_> = access
            .by_distance
            .iter()
            .map(|class| (class.distance_max, class.count, class.mean_ns))
            .collect();
        assert_eq!(classes[0], (200, 20, 10_500.0));
        assert_eq!(classes[4], (1_000, 20, 90_500.0));
    }

    #[test]
    fn distances_of_zero_and_the_largest_there_are_find_their_class() {
        let sought = [(0, 1.0), (u64::MAX, 2.0)];
        let classes = by_distance(&sought);
        assert_eq!(classes.iter().map(|class| class.count).sum::<u64>(), 2);
        assert_eq!(classes[1].distance_max, u64::MAX);
        assert!(by_distance(&[(0, 1.0)]).is_empty());
    }
}
