//! fio's own logs (`write_bw_log`, `write_iops_log`, `write_lat_log`), a file each.
//!
//! ```text
//! 1000, 5, 0, 0
//! ```
//!
//! Milliseconds, value, direction, block size and, where options want them, offset, priority
//! and the time of issue (fio's HOWTO, "Log File Formats"). Bandwidth is in KiB/s, latency
//! since fio 3 in nanoseconds. With `log_avg_msec` a line is the mean of an interval and its
//! block size is 0; without, a line is an I/O. What the values are only the file's name tells.

use sokudo_model::{Bytes, ImportedLatency, ImportedRate, ImportedRow, ImportedRun, Operation};
use sokudo_words::{Text, text};

use crate::results::number::{self, float};
use crate::results::row::{self, WorkloadDescription, entry, figure, rate};
use crate::results::text::{label, leave_out, lines};
use crate::results::{Import, ImportError, Reader, Source};

const FORMAT: &str = "fio log";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Named(read));

/// Offset, priority and time of issue.
const OPTIONAL_FIELDS_MAX: usize = 3;
/// The percentiles of latency that are kept, also per mille.
const PERCENTILES: [(f64, usize); 4] = [(50.0, 500), (90.0, 900), (99.0, 990), (99.9, 999)];
/// Where the size is not told; the row says that it is unknown.
const ANY_BLOCK: Bytes = Bytes::kib(4);
const NAMELESS: &str = "only the name of its file tells whether its values are bandwidth, IOPS or \
    latency; give the file under fio's name for it, such as JOB_bw.1.log, JOB_iops.1.log or \
    JOB_clat.1.log";
const NANOSECONDS: &str = "latencies are taken as nanoseconds, as fio has logged them since \
    version 3; fio 2 logged microseconds";
const OF_INTERVALS: &str = "the latency of a row is the mean of fio's means of intervals \
    (log_avg_msec); its extremes and percentiles are not known";
const TOTAL: &str =
    "latencies are fio's total latency, from before the submission to the completion";

const SHARED: &str = "its name has no number, so that it may hold the intervals of several jobs \
    (per_job_logs=0), whose mean is that of one; have fio write a log for each job";

/// Whether its first lines are of a log.
fn recognise(head: &str) -> bool {
    let filled = lines(head).filter(|line| !line.text.trim().is_empty());
    let mut first = filled.take(3).peekable();
    first.peek().is_some() && first.all(|line| LogEntry::read(line.text).is_some())
}

/// What the values of a log are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LogKind {
    Bandwidth,
    Iops,
    Completion,
    Submission,
    Total,
}

impl LogKind {
    /// The job and the kind of `job_clat.1.log`.
    fn of(name: &str) -> Option<(&str, Self)> {
        let stem = name.strip_suffix(".log")?;
        let (job, kind) = numbered(name).unwrap_or(stem).rsplit_once('_')?;
        let kind = match kind {
            "bw" => Self::Bandwidth,
            "iops" => Self::Iops,
            "clat" => Self::Completion,
            "slat" => Self::Submission,
            "lat" => Self::Total,
            _ => return None,
        };
        Some((job, kind))
    }

    const fn is_rate(self) -> bool {
        matches!(self, Self::Bandwidth | Self::Iops)
    }
}

/// What stands before the number of a job, which each log has unless all share one.
fn numbered(name: &str) -> Option<&str> {
    let (stem, job) = name.strip_suffix(".log")?.rsplit_once('.')?;
    job.bytes()
        .all(|sign| sign.is_ascii_digit())
        .then_some(stem)
}

/// A line of a log.
#[derive(Clone, Copy, Debug)]
struct LogEntry {
    milliseconds: f64,
    value: f64,
    operation: Operation,
    /// 0 where the value is the mean of an interval.
    block: u64,
}

impl LogEntry {
    fn read(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.trim().split(", ").collect();
        let [time, value, direction, block, optional @ ..] = &fields[..] else {
            return None;
        };
        let is_number = |text: &&str| text.starts_with(|sign: char| sign.is_ascii_digit());
        if optional.len() > OPTIONAL_FIELDS_MAX || !optional.iter().all(is_number) {
            return None;
        }
        Some(Self {
            milliseconds: number::number(time)?,
            value: number::number(value)?,
            operation: match *direction {
                "0" => Operation::Read,
                "1" => Operation::Write,
                "2" => Operation::Trim,
                _ => return None,
            },
            block: match *block {
                "0" => 0,
                block => number::block(block, 1)?.0,
            },
        })
    }
}

fn read(name: &str, text: &str) -> Result<Import, ImportError> {
    let Some((job, kind)) = LogKind::of(name) else {
        return Import::of(FORMAT, Vec::new(), Vec::new(), NAMELESS);
    };
    let job = label(job).unwrap_or_else(|| "job".to_owned());
    let mut left_out = Vec::new();
    let mut sides: Vec<(Operation, Vec<LogEntry>)> = Vec::new();
    for line in lines(text).filter(|line| !line.text.trim().is_empty()) {
        let Some(found) = LogEntry::read(line.text) else {
            let why = "it has not time, value, direction and block size, as fio logs them";
            leave_out(&mut left_out, line.number, why);
            continue;
        };
        let is_it = |side: &(Operation, Vec<LogEntry>)| side.0 == found.operation;
        let side = entry(&mut sides, is_it, || (found.operation, Vec::new()));
        side.1.push(found);
    }
    let mut run = ImportedRun {
        method: "fio".to_owned(),
        target: row::target("fio's files"),
        ..row::run("fio", FORMAT)
    };
    let is_of_intervals = sides.iter().any(|(_, entries)| are_intervals(entries));
    // fio's own sum over jobs has no number either.
    let is_shared = numbered(name).is_none() && !name.starts_with("agg-");
    if kind.is_rate() && is_of_intervals && is_shared {
        return Import::of(FORMAT, Vec::new(), left_out, SHARED);
    }
    for (operation, entries) in sides {
        let row = row_of(&job, kind, operation, &entries);
        let reported = &row.reported;
        let has_rate = reported.bandwidth.is_some() || reported.iops.is_some();
        match has_rate || !kind.is_rate() {
            true => run.rows.push(row),
            false => leave_out(&mut left_out, 1, "all its I/Os have the same time: no rate"),
        }
    }
    let remarks = [
        (!kind.is_rate(), NANOSECONDS),
        (kind == LogKind::Total, TOTAL),
        (!kind.is_rate() && is_of_intervals, OF_INTERVALS),
    ];
    let remarks = remarks.into_iter().filter(|(is_so, _)| *is_so);
    run.origin.remarks.extend(remarks.map(|(_, it)| it.into()));
    let mut runs = vec![run];
    runs.retain(|run| !run.rows.is_empty());
    Import::of(FORMAT, runs, left_out, "no line in it is complete")
}

/// Whether values are means of intervals.
fn are_intervals(entries: &[LogEntry]) -> bool {
    entries.iter().all(|it| it.block == 0)
}

fn row_of(job: &str, kind: LogKind, operation: Operation, entries: &[LogEntry]) -> ImportedRow {
    let mut blocks = entries.iter().map(|it| it.block);
    let first = blocks.next().filter(|block| *block > 0);
    let block = first.filter(|first| blocks.all(|block| block == *first));
    let mut row = WorkloadDescription::new(job, ANY_BLOCK)
        .operation(Some(operation))
        .block(block.map(Bytes))
        .row();
    let values = entries.iter().map(|it| it.value);
    let reported = &mut row.reported;
    let is_of_intervals = are_intervals(entries);
    if !is_of_intervals && let Some([bandwidth, iops]) = counted(entries) {
        reported.bandwidth = Some(bandwidth);
        reported.iops = Some(iops);
    }
    match kind {
        // The values of single I/Os are no rates of a job: they are counted.
        LogKind::Bandwidth | LogKind::Iops if !is_of_intervals => {}
        LogKind::Bandwidth => reported.bandwidth = mean(values.map(|kib| kib * 1_024.0)),
        LogKind::Iops => reported.iops = mean(values),
        LogKind::Submission => {
            let latency = latency(values.collect(), is_of_intervals);
            let mean = latency.map(|it| figure("submission latency", "us", it.mean / 1e3));
            reported.others.extend(mean);
        }
        _ => reported.latency = latency(values.collect(), is_of_intervals),
    }
    row
}

/// Bandwidth and IOPS of single I/Os, from the first of them to the last.
fn counted(entries: &[LogEntry]) -> Option<[ImportedRate; 2]> {
    let times = entries.iter().map(|it| it.milliseconds);
    let first = times.clone().fold(f64::INFINITY, f64::min);
    let seconds = (times.fold(0.0, f64::max) - first) / 1e3;
    // The first one ends where the time begins.
    let bytes: f64 = entries.iter().skip(1).map(|it| float(it.block)).sum();
    let ios = float(entries.len() as u64) - 1.0;
    let rates = [bytes / seconds, ios / seconds];
    let is_rate = seconds > 0.0 && rates.into_iter().all(number::is_possible);
    let kind = text!("counted from {} logged I/Os", entries.len());
    is_rate.then(|| rates.map(|value| rate(value, kind.clone())))
}

/// The mean of intervals, named as that.
fn mean(values: impl Iterator<Item = f64>) -> Option<ImportedRate> {
    let values: Vec<f64> = values.collect();
    let kind = match values.len() {
        1 => Text::default(),
        count => text!("mean of {count} intervals"),
    };
    let summed = row::rate_of_trials(values)?;
    Some(ImportedRate {
        kind,
        trials: Vec::new(),
        ..summed
    })
}

/// Of single I/Os with extremes and percentiles, which means of intervals do not have.
fn latency(mut values: Vec<f64>, is_of_intervals: bool) -> Option<ImportedLatency> {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    let at = |mille: usize| values.get((count * mille).div_ceil(1_000).max(1) - 1);
    let percentiles = PERCENTILES.into_iter();
    let percentiles = percentiles.filter_map(|(percent, mille)| Some((percent, *at(mille)?)));
    let percentiles: Vec<(f64, f64)> = percentiles.collect();
    let summed = row::rate_of_trials(values)?;
    let mean = row::latency(summed.value);
    if is_of_intervals {
        return Some(mean);
    }
    Some(ImportedLatency {
        min: summed.min,
        max: summed.max,
        stdev: summed.stdev,
        count: Some(count as u64),
        percentiles,
        ..mean
    })
}

#[cfg(test)]
mod tests;
