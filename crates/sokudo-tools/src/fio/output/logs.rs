//! fio's log files: bandwidth, I/Os per second, latencies and histograms of latencies.
//!
//! A file is made for everything that was asked for, empty when there was nothing to
//! log, as fio makes it.

use std::fmt::Write;

use sokudo_model::{HistogramPoint, LogPoint, Nanos, Operation, Outcome, Row};
use sokudo_report::number::natural;

use crate::fio::session::{FioJob, FioLogs, WindowValue};

use super::FioReport;
use super::bins::Bins;
use super::figures::DIRECTIONS;

mod rates;

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// Its name; a path when the job gave one.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// Every log that the jobs asked for.
pub fn logs(report: &FioReport) -> Vec<LogFile> {
    let mut files = LogFiles::default();
    for (index, (job, row)) in report.session.jobs.iter().zip(&report.run.rows).enumerate() {
        let log = JobLog {
            job,
            number: index + 1,
            row,
            outcome: report.outcome(index),
            epoch: epoch(report, &job.logs, report.outcome(index)),
        };
        log.write(&mut files);
    }
    files.0
}

/// Files by their names: with `per_job_logs=0` several jobs write to one.
#[derive(Default)]
struct LogFiles(Vec<LogFile>);

impl LogFiles {
    fn append(&mut self, name: String, text: &str) {
        match self.0.iter_mut().find(|file| file.name == name) {
            Some(file) => file.text.push_str(text),
            None => self.0.push(LogFile {
                name,
                text: text.to_owned(),
            }),
        }
    }
}

/// What the times of a log count from, added to those that count from the start of the
/// measured part.
fn epoch(report: &FioReport, logs: &FioLogs, outcome: Option<&Outcome>) -> Nanos {
    if !logs.unix_epoch {
        return Nanos(0);
    }
    let after = outcome.map_or(0, |outcome| outcome.started_after.0);
    Nanos(report.started_at().0.saturating_add(after))
}

/// One job with what it logged.
struct JobLog<'a> {
    job: &'a FioJob,
    /// Its number, from 1, in the file's name.
    number: usize,
    row: &'a Row,
    outcome: Option<&'a Outcome>,
    epoch: Nanos,
}

impl JobLog<'_> {
    fn write(&self, files: &mut LogFiles) {
        let (logs, reporting) = (&self.job.logs, &self.job.reporting);
        let nothing = sokudo_model::Logs::default();
        let logged = self.outcome.map_or(&nothing, |outcome| &outcome.logs);
        if let Some(prefix) = &logs.bandwidth {
            files.append(self.name(prefix, "bw"), &self.bandwidth());
        }
        if let Some(prefix) = &logs.iops {
            files.append(self.name(prefix, "iops"), &self.iops());
        }
        if let Some(prefix) = &logs.latency {
            let kinds = [
                ("slat", &logged.submission, reporting.disable_slat),
                ("clat", &logged.completion, reporting.disable_clat),
                ("lat", &logged.total, reporting.disable_lat),
            ];
            for (kind, points, disabled) in kinds {
                if !disabled {
                    files.append(self.name(prefix, kind), &self.points(points));
                }
            }
        }
        if let Some(prefix) = &logs.histogram {
            let text = self.histograms(&logged.histograms);
            files.append(self.name(prefix, "clat_hist"), &text);
        }
    }

    fn name(&self, prefix: &str, kind: &str) -> String {
        match self.job.logs.per_job {
            true => format!("{prefix}_{kind}.{}.log", self.number),
            false => format!("{prefix}_{kind}.log"),
        }
    }

    fn points(&self, points: &[LogPoint]) -> String {
        let mut text = String::new();
        for point in points {
            self.add(&mut text, point);
        }
        text
    }

    /// `time, value, direction, bytes, [offset,] priority`. Flushes are not logged.
    fn add(&self, text: &mut String, point: &LogPoint) {
        let Some(direction) = direction(point.operation) else {
            return;
        };
        let logs = &self.job.logs;
        let time = self.milliseconds(point.at);
        let mean = rounded(point.value);
        let value = match logs.window_value {
            _ if logs.average == Nanos(0) => mean.to_string(),
            WindowValue::Average => mean.to_string(),
            WindowValue::Max => point.max.to_string(),
            WindowValue::Both => format!("{mean}, {}", point.max),
        };
        // An interval has no size and no place.
        let (bytes, offset) = match logs.average {
            Nanos(0) => (point.bytes, point.offset),
            _ => (0, 0),
        };
        let offset = match logs.offset {
            true => format!("{offset}, "),
            false => String::new(),
        };
        // No job has a priority of its own: class and level are 0, which is "not high".
        let priority = if logs.priority { "0x0000" } else { "0" };
        writeln!(
            text,
            "{time}, {value}, {direction}, {bytes}, {offset}{priority}"
        )
        .expect("a String takes all text");
    }

    /// `time, direction, bytes, count of each class`. Coarser classes are 2, 4, … of
    /// fio's as one.
    fn histograms(&self, points: &[HistogramPoint]) -> String {
        let coarseness = 1 << self.job.logs.histogram_coarseness.min(6);
        let mut text = String::new();
        for point in points {
            let Some(direction) = direction(point.operation) else {
                continue;
            };
            let bins = Bins::of(&point.latency);
            let counts = bins.counts().chunks(coarseness);
            let counts: Vec<String> = counts
                .map(|classes| classes.iter().sum::<u64>().to_string())
                .collect();
            let time = self.milliseconds(point.at);
            writeln!(
                text,
                "{time}, {direction}, {}, {}",
                point.bytes,
                counts.join(", ")
            )
            .expect("a String takes all text");
        }
        text
    }

    fn milliseconds(&self, at: Nanos) -> u64 {
        self.epoch.0.saturating_add(at.0) / 1_000_000
    }
}

/// fio's number of a direction; `None` for a flush.
fn direction(operation: Operation) -> Option<usize> {
    DIRECTIONS.iter().position(|known| *known == operation)
}

fn rounded(value: f64) -> u64 {
    natural(value.round())
}

#[cfg(test)]
mod tests;
