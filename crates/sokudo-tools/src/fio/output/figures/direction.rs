//! The figures of one direction of a job.

use sokudo_model::{Nanos, OperationTally, Outcome, Row, SeriesPoint};
use sokudo_report::number::{float, natural};
use sokudo_stats::Histogram;

use crate::fio::output::spread::Spread;

/// A sampled interval that was cut off at the end is left out, as fio leaves it out;
/// one that ended a little early is not.
const SHORTEST_SAMPLE: f64 = 0.9;

/// What a job did in one direction.
#[derive(Clone, Default)]
pub(in crate::fio::output) struct DirectionFigures {
    pub(in crate::fio::output) bytes: u64,
    pub(in crate::fio::output) ios: u64,
    pub(in crate::fio::output) runtime_ms: u64,
    pub(in crate::fio::output) short_ios: u64,
    /// fio's slat, clat and lat; `None` where there is none or none was asked for.
    pub(in crate::fio::output) submission: Option<Histogram>,
    pub(in crate::fio::output) completion: Option<Histogram>,
    pub(in crate::fio::output) total: Option<Histogram>,
    /// Sampled, KiB per second.
    pub(in crate::fio::output) bandwidth: Spread,
    /// Sampled, I/Os per second.
    pub(in crate::fio::output) iops: Spread,
}

impl DirectionFigures {
    /// What a tally says, for a workload of this row.
    pub(super) fn of(tally: &OperationTally, row: &Row, all: &Outcome) -> Self {
        let [bandwidth, iops] = sampled(&tally.series, row.workload.recording.series_interval);
        // Where submitting is no step of its own, all of it is completing.
        let completion = tally.completion.as_ref().unwrap_or(&tally.latency);
        Self {
            bytes: tally.bytes.0,
            ios: tally.ios,
            runtime_ms: runtime(tally, row, all).0.div_ceil(1_000_000),
            short_ios: tally.short_ios,
            submission: tally.submission.clone(),
            completion: Some(completion.clone()),
            total: Some(tally.latency.clone()),
            bandwidth,
            iops,
        }
    }

    /// Adds a job that ran at the same time, or another direction.
    pub(super) fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.ios += other.ios;
        self.runtime_ms = self.runtime_ms.max(other.runtime_ms);
        self.short_ios += other.short_ios;
        add_histogram(&mut self.submission, other.submission.as_ref());
        add_histogram(&mut self.completion, other.completion.as_ref());
        add_histogram(&mut self.total, other.total.as_ref());
        self.bandwidth.add(&other.bandwidth);
        self.iops.add(&other.iops);
    }

    /// Bytes per second, whole, as fio divides.
    pub(in crate::fio::output) fn bytes_per_second(&self) -> u64 {
        per_second(self.bytes, self.runtime_ms, 1_000)
    }

    pub(in crate::fio::output) fn ios_per_second(&self) -> f64 {
        match self.runtime_ms {
            0 => 0.0,
            runtime => 1000.0 * float(self.ios) / float(runtime),
        }
    }

    /// The mean sampled bandwidth in percent of the whole group's, bytes per second.
    pub(in crate::fio::output) fn share_of(&self, of_group: u64) -> f64 {
        if self.bandwidth.samples == 0 {
            return 0.0;
        }
        match of_group {
            0..=1024 => 100.0,
            aggregate => (100.0 * self.bandwidth.mean / (float(aggregate) / 1024.0)).min(100.0),
        }
    }
}

/// How long a direction ran: while any of the workload's own operations was done, as
/// fio counts, so that shares of a mix have one time; else, when it was done for
/// checking, its own.
fn runtime(tally: &OperationTally, row: &Row, all: &Outcome) -> Nanos {
    let mix = &row.workload.operations;
    let is_own = |tally: &&OperationTally| mix.percent(tally.operation) > 0;
    let own = all
        .operations
        .iter()
        .filter(is_own)
        .map(|tally| tally.elapsed);
    let longest = match mix.percent(tally.operation) {
        0 => tally.elapsed,
        _ => own.max().unwrap_or_default(),
    };
    if longest == Nanos(0) {
        all.elapsed
    } else {
        longest
    }
}

/// The intervals of a series that are samples, with the seconds that each took: one in which
/// nothing was moved is none.
pub(in crate::fio::output) fn samples(
    series: &[SeriesPoint],
    interval: Option<Nanos>,
) -> impl Iterator<Item = (&SeriesPoint, f64)> {
    let begins = std::iter::once(Nanos(0)).chain(series.iter().map(|point| point.at));
    begins.zip(series).filter_map(move |(begin, point)| {
        let passed = Nanos(point.at.0.saturating_sub(begin.0));
        let planned = interval.unwrap_or(passed);
        // Intervals without I/Os may be left out of a series.
        let spent = passed.min(planned).as_secs_f64();
        let is_long = spent > 0.0 && spent >= SHORTEST_SAMPLE * planned.as_secs_f64();
        (point.ios > 0 && is_long).then_some((point, spent))
    })
}

/// Bandwidth in KiB per second and I/Os per second, sampled per interval.
fn sampled(series: &[SeriesPoint], interval: Option<Nanos>) -> [Spread; 2] {
    let of = |rate: fn(&SeriesPoint) -> f64| {
        let rates = samples(series, interval).map(|(point, spent)| natural(rate(point) / spent));
        Spread::of(&rates.collect::<Vec<_>>())
    };
    [
        of(|point| float(point.bytes.0) / 1024.0),
        of(|point| float(point.ios)),
    ]
}

/// An amount per second of the time that it took, in parts of a second; 0 of no time.
pub(in crate::fio::output) fn per_second(amount: u64, time: u64, parts: u128) -> u64 {
    let rate = (u128::from(amount) * parts).checked_div(time.into());
    // In virtual time a device may be faster than any number.
    u64::try_from(rate.unwrap_or(0)).unwrap_or(u64::MAX)
}

pub(super) fn add_histogram(sum: &mut Option<Histogram>, other: Option<&Histogram>) {
    match (sum, other) {
        (Some(sum), Some(other)) => sum.merge(other),
        (sum @ None, Some(other)) => *sum = Some(other.clone()),
        (_, None) => {}
    }
}
