//! ioping's raw lines: nothing but numbers, which have to agree with each other.
//!
//! Requests, the time they took, I/Os per second, bytes per second; smallest, mean and
//! largest time, deviation; since 1.0 also all requests and the whole time. Times are in
//! nanoseconds since 0.9, in microseconds before.

use sokudo_model::ImportedLatency;
use sokudo_words::text;

use crate::results::number;
use crate::results::row::ROWS_MAX;
use crate::results::text::{leave_out, lines};

use super::found::{IopingOutput, IopingResult, block};

/// How far the numbers may be from each other: they are rounded down.
const DISAGREEMENT_MAX: f64 = 0.01;

/// Whether every line that is not empty is such a line: one by chance would be little to
/// go by.
pub(super) fn recognise(text: &str) -> bool {
    let whole = text.rsplit_once('\n').map_or(text, |(whole, _)| whole);
    let mut filled_lines = lines(whole)
        .filter(|line| !line.text.trim().is_empty())
        .peekable();
    filled_lines.peek().is_some() && filled_lines.all(|line| measured(line.text).is_some())
}

pub(super) fn read(text: &str) -> IopingOutput {
    let mut found = IopingOutput::default();
    for line in lines(text).filter(|line| !line.text.trim().is_empty()) {
        match measured(line.text) {
            Some(_) if found.measured.len() >= ROWS_MAX => {
                let why = text!("there are more than {ROWS_MAX} lines; split the file");
                leave_out(&mut found.left_out, line.number, why);
                break;
            }
            Some(measured) => found.measured.push(measured),
            None => {
                let why = "it lacks the numbers of a raw line, or they contradict each other";
                leave_out(&mut found.left_out, line.number, why);
            }
        }
    }
    found
}

fn measured(line: &str) -> Option<IopingResult> {
    let numbers: Option<Vec<f64>> = line.split_whitespace().map(whole_number).collect();
    let numbers = numbers.filter(|numbers| matches!(numbers.len(), 8 | 10))?;
    let [requests, time, iops, rate, min, mean, max, deviation] = *numbers.first_chunk()?;
    let agrees = |scale: f64| {
        let expected = requests / (time * scale / 1e9);
        let sum = mean * requests;
        (expected / iops - 1.0).abs() <= DISAGREEMENT_MAX.max(1.0 / iops)
            && (sum / time - 1.0).abs() <= DISAGREEMENT_MAX.max(requests / time)
    };
    let scale = [1.0, 1e3].into_iter().find(|scale| agrees(*scale))?;
    let block = block((rate * (time * scale / 1e9) / requests).round(), 1.0)?;
    let is_ordered = requests >= 1.0 && min <= mean && mean <= max && block.0.is_power_of_two();
    is_ordered.then(|| IopingResult {
        block: Some(block),
        bandwidth: Some(rate),
        iops: Some(iops),
        latency: ImportedLatency {
            mean: mean * scale,
            min: Some(min * scale),
            max: Some(max * scale),
            stdev: Some(deviation * scale),
            count: Some(number::whole(requests)),
            ..ImportedLatency::default()
        },
        ..IopingResult::default()
    })
}

fn whole_number(text: &str) -> Option<f64> {
    let is_whole = text.bytes().all(|sign| sign.is_ascii_digit());
    is_whole.then(|| number::number(text)).flatten()
}
