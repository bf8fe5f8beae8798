//! The bandwidth of all jobs together (`--bandwidth-log`).

use std::collections::BTreeMap;
use std::fmt::Write;

use sokudo_model::{Nanos, Operation};

use crate::fio::FioReport;
use crate::fio::figures::{DIRECTIONS, per_second};

/// fio samples bandwidth twice a second unless told otherwise.
const DEFAULT_INTERVAL: Nanos = Nanos::from_millis(500);

/// A log per direction: KiB per second of all jobs, counted from the start of the run.
pub(super) fn bandwidth(report: &FioReport) -> Vec<(Operation, String)> {
    let workloads = || report.run.rows.iter().map(|row| &row.workload);
    let intervals = workloads().filter_map(|workload| workload.recording.series_interval);
    let interval = intervals.min().filter(|interval| interval.0 > 0);
    let interval = interval.unwrap_or(DEFAULT_INTERVAL);
    let mut moved: BTreeMap<u64, [u64; 3]> = BTreeMap::new();
    for (job, start) in starts(report).into_iter().enumerate() {
        let Some(outcome) = report.outcome(job) else {
            continue;
        };
        for (direction, operation) in DIRECTIONS.into_iter().enumerate() {
            let series = outcome.operation(operation).map_or(&[][..], |t| &t.series);
            for point in series {
                // A point stands at the end of its interval.
                let at = start.0.saturating_add(point.at.0).saturating_sub(1);
                moved.entry(at / interval.0).or_default()[direction] += point.bytes.0;
            }
        }
    }
    let log = |(direction, operation): (usize, Operation)| {
        let mut text = String::new();
        for (number, bytes) in &moved {
            let time = (number + 1) * interval.0 / 1_000_000;
            let rate = per_second(bytes[direction], interval.0, 1_000_000_000) / 1024;
            writeln!(text, "{time}, {rate}, {direction}, 0, 0").expect("a String takes all text");
        }
        (operation, text)
    };
    DIRECTIONS.into_iter().enumerate().map(log).collect()
}

/// When the measured part of each job began, counted from the start of the run: stages
/// follow one another.
fn starts(report: &FioReport) -> Vec<Nanos> {
    let mut starts = Vec::with_capacity(report.run.rows.len());
    let mut stage_start = 0u64;
    for stage in &report.run.plan.stages {
        let mut stage_end = stage_start;
        for _ in &stage.workloads {
            let outcome = report.outcome(starts.len());
            let (after, elapsed) = outcome.map_or((0, 0), |o| (o.started_after.0, o.elapsed.0));
            starts.push(Nanos(stage_start + after));
            stage_end = stage_end.max(stage_start + after + elapsed);
        }
        stage_start = stage_end;
    }
    starts
}
