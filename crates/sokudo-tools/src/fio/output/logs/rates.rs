//! Logs of bandwidth and I/Os per second: of every I/O, or of intervals.

use sokudo_model::{LogPoint, Nanos, Operation, Outcome, SeriesPoint};
use sokudo_report::number::float;

use crate::fio::output::figures::{DIRECTIONS, samples};

use super::JobLog;

impl JobLog<'_> {
    /// KiB per second of intervals; of single I/Os their bytes per microsecond × 1000,
    /// as fio computes it.
    pub(super) fn bandwidth(&self) -> String {
        let points = match self.job.logs.average {
            Nanos(0) => self.every_io(single_bandwidth),
            _ => self.intervals(|point, seconds| kib(point.bytes.0) / seconds),
        };
        self.points(&points)
    }

    /// I/Os per second of intervals; 1 for each single I/O, as fio logs it.
    pub(super) fn iops(&self) -> String {
        let points = match self.job.logs.average {
            Nanos(0) => self.every_io(|_, _| 1.0),
            _ => self.intervals(|point, seconds| float(point.ios) / seconds),
        };
        self.points(&points)
    }

    /// Every I/O with the value that its bytes and its completion latency give.
    fn every_io(&self, value: impl Fn(u32, u64) -> f64) -> Vec<LogPoint> {
        let Some(outcome) = self.outcome else {
            return Vec::new();
        };
        let logged = self.row.workload.recording.latency_log;
        let logs = &outcome.logs;
        // Latencies of single I/Os are logged in the order of the I/Os.
        let is_of_each = |points: &&Vec<LogPoint>| {
            logged.is_some_and(|log| log.interval.is_none()) && points.len() == logs.every_io.len()
        };
        let latencies = [&logs.completion, &logs.total].into_iter().find(is_of_each);
        let means = DIRECTIONS.map(|operation| mean_latency(outcome, operation));
        let with_value = |(index, point): (usize, &LogPoint)| {
            let latency = match (latencies, super::direction(point.operation)) {
                (Some(points), _) => super::rounded(points[index].value),
                // The engine leaves the latency in `max`, where it keeps it.
                (None, _) if point.max > 1 => point.max,
                (None, Some(direction)) => means[direction],
                (None, None) => 0,
            };
            LogPoint {
                value: value(point.bytes, latency),
                ..*point
            }
        };
        logs.every_io.iter().enumerate().map(with_value).collect()
    }

    /// Every interval of every direction, in order of time.
    fn intervals(&self, rate: impl Fn(&SeriesPoint, f64) -> f64) -> Vec<LogPoint> {
        let planned = self.row.workload.recording.series_interval;
        let mut points = Vec::new();
        for operation in DIRECTIONS {
            let tally = self
                .outcome
                .and_then(|outcome| outcome.operation(operation));
            let series = tally.map_or(&[][..], |tally| &tally.series);
            points.extend(samples(series, planned).map(|(point, seconds)| {
                let value = rate(point, seconds);
                LogPoint {
                    at: point.at,
                    operation,
                    value,
                    max: super::rounded(value),
                    bytes: 0,
                    offset: 0,
                }
            }));
        }
        points.sort_by_key(|point| point.at);
        points
    }
}

/// What stands for the latency of an I/O whose own was not kept.
fn mean_latency(outcome: &Outcome, operation: Operation) -> u64 {
    let tally = outcome.operation(operation);
    let mean = tally.and_then(|tally| {
        let latency = tally.completion.as_ref().unwrap_or(&tally.latency);
        latency.mean()
    });
    mean.map_or(0, super::rounded)
}

fn single_bandwidth(bytes: u32, latency_ns: u64) -> f64 {
    f64::from(bytes) * 1e6 / float(latency_ns.max(1))
}

fn kib(bytes: u64) -> f64 {
    float(bytes) / 1024.0
}
