//! fio's terse lines of versions 2 to 5: one per job, fields by their places.

use sokudo_model::{ImportedLatency, Operation};
use sokudo_words::{Text, text};

use crate::results::number::number;
use crate::results::row;
use crate::results::text::{label, leave_out};

use super::gathered::{Gathered, OutputForm};
use super::job::{JobDirection, ReportedJob, error_number};

/// Fields of one direction: KiB, KiB/s, I/Os per second, milliseconds, three latencies of
/// four fields, 20 percentiles, five of the bandwidth.
const SIDE: usize = 41;
/// Version 5 has one more of the bandwidth and five of the I/Os per second.
const SIDE_OF_5: usize = 47;
const OPERATIONS: [Operation; 3] = [Operation::Read, Operation::Write, Operation::Trim];
/// Where fields of a direction begin.
const SUBMISSION: usize = 4;
const COMPLETION: usize = 8;
const PERCENTILES: usize = 12;
const TOTAL: usize = 32;
const NANOS_PER_US: f64 = 1e3;

/// Whether a line looks like one.
pub(super) fn is_terse(line: &str) -> bool {
    let mut fields = line.split(';');
    match (fields.next(), fields.next()) {
        (Some("3" | "4" | "5"), Some(version)) => version.starts_with("fio-"),
        (Some("2"), Some(_)) => line.bytes().filter(|byte| *byte == b';').count() > 2 * SIDE,
        _ => false,
    }
}

/// Reads a line that is one.
pub(super) fn read(line_number: u64, line: &str, gathered: &mut Gathered) {
    let fields: Vec<&str> = line.split(';').collect();
    let version = fields.get(1).and_then(|field| field.strip_prefix("fio-"));
    let version = version.and_then(label);
    match job(&fields) {
        Ok(job) if job.sides.is_empty() => {
            let why = text!("{} has moved nothing", job.name);
            leave_out(&mut gathered.import.left_out, line_number, why);
        }
        Ok(mut job) => {
            if gathered.admits(line_number, &mut job) {
                let part = gathered.part(OutputForm::Terse, version.as_deref());
                part.jobs.push(job);
            }
        }
        Err(why) => leave_out(&mut gathered.import.left_out, line_number, why),
    }
}

fn job(fields: &[&str]) -> Result<ReportedJob, Text> {
    let version = fields[0];
    // Version 2 does not name the fio that has printed it.
    let first = if version == "2" { 1 } else { 2 };
    let width = if version == "5" { SIDE_OF_5 } else { SIDE };
    let field = |index: usize| fields.get(first + index).copied().unwrap_or_default();
    let mut rest = fields.get(first + 3..).unwrap_or_default();
    let mut sides = Vec::new();
    for operation in OPERATIONS {
        // Behind the last direction comes the processor's share, with a percent sign.
        let is_side = rest.first().is_some_and(|field| number(field).is_some());
        if !is_side {
            break;
        }
        let (Some(of_side), Some(behind)) = (rest.get(..width), rest.get(width..)) else {
            return Err(text!(
                "the line ends within the fields of {}: it was cut off",
                Text::from(operation.name())
            ));
        };
        sides.extend(side(operation, of_side));
        rest = behind;
    }
    let percent = |index: usize| number(rest.get(index)?.strip_suffix('%')?);
    let cpu = percent(0).zip(percent(1));
    if cpu.is_none() {
        return Err("the line has fewer fields than fio prints: it was cut off".into());
    }
    Ok(ReportedJob {
        name: label(field(0)).unwrap_or_else(|| "job".to_owned()),
        group: label(field(1)).unwrap_or_default(),
        error: error_number(number(field(2))),
        cpu,
        sides,
        ..ReportedJob::default()
    })
}

/// `None` where nothing was done in this direction.
fn side(operation: Operation, fields: &[&str]) -> Option<JobDirection> {
    let mut side = JobDirection::new(Some(operation));
    side.bytes_per_s = number(fields[1]).unwrap_or(0.0) * 1_024.0;
    side.ios_per_s = number(fields[2]).unwrap_or(0.0);
    side.submission = latency(&fields[SUBMISSION..], &[]);
    side.completion = latency(&fields[COMPLETION..], &fields[PERCENTILES..TOTAL]);
    side.total = latency(&fields[TOTAL..], &[]);
    (side.bytes_per_s > 0.0 || side.ios_per_s > 0.0).then_some(side)
}

/// Minimum, maximum, mean and deviation in microseconds; `None` where nothing was timed.
fn latency(fields: &[&str], percentiles: &[&str]) -> Option<ImportedLatency> {
    let nanos = |field: &str| number(field).map(|micros| micros * NANOS_PER_US);
    let mean = nanos(fields[2]).filter(|mean| *mean > 0.0)?;
    let percentile = |field: &&str| {
        let (percent, value) = field.split_once("%=")?;
        Some((number(percent)?, nanos(value)?))
    };
    Some(ImportedLatency {
        mean,
        min: nanos(fields[0]),
        max: nanos(fields[1]),
        stdev: nanos(fields[3]),
        count: None,
        percentiles: row::percentiles(percentiles.iter().filter_map(percentile)),
    })
}
