//! What ioping says at its end, to people.
//!
//! ```text
//! --- . (ext4 /dev/vda 252.0 GiB) ioping statistics ---
//! 4 requests completed in 4.56 ms, 16 KiB read, 877 iops, 3.43 MiB/s
//! min/avg/max/mdev = 170.5 us / 1.14 ms / 4.02 ms / 1.66 ms
//! ```

use sokudo_model::{Bytes, ImportedLatency, ImportedTarget, Operation};
use sokudo_words::text;

use crate::results::number;
use crate::results::row::ROWS_MAX;
use crate::results::text::{label, leave_out, lines};

use super::found::{IopingOutput, IopingResult};

const HEADING: [&str; 2] = ["--- ", " ioping statistics ---"];

pub(super) fn recognise(text: &str) -> bool {
    lines(text).any(|line| heading(line.text).is_some() || request(line.text).is_some())
}

pub(super) fn read(text: &str) -> IopingOutput {
    let mut found = IopingOutput::default();
    // The statistics whose last line has not been seen, and where they began.
    let mut open: Option<(u64, IopingResult)> = None;
    let mut block = None;
    let incomplete = "its statistics are not complete";
    for line in lines(text) {
        if let Some(target) = heading(line.text) {
            if let Some((begin, _)) = open.take() {
                leave_out(&mut found.left_out, begin, incomplete);
            }
            let measured = IopingResult {
                target,
                block,
                ..IopingResult::default()
            };
            open = Some((line.number, measured));
        } else if let Some((size, operation)) = request(line.text) {
            block = size;
            if let Some((_, measured)) = &mut open {
                measured.operation = operation;
            }
        } else if let Some((_, measured)) = &mut open {
            measured.read_rates(line.text);
            if let Some(latency) = latency(line.text) {
                let count = measured.latency.count;
                measured.latency = ImportedLatency { count, ..latency };
                found
                    .measured
                    .extend(open.take().map(|(_, measured)| measured));
            }
        }
        if found.measured.len() >= ROWS_MAX {
            let why = text!("there are more than {ROWS_MAX} statistics; split the file");
            leave_out(&mut found.left_out, line.number, why);
            break;
        }
    }
    if let Some((begin, _)) = open {
        leave_out(&mut found.left_out, begin, incomplete);
    }
    found
}

/// The target of `--- . (ext4 /dev/vda 252.0 GiB) ioping statistics ---`.
fn heading(line: &str) -> Option<ImportedTarget> {
    let target = line
        .trim()
        .strip_prefix(HEADING[0])?
        .strip_suffix(HEADING[1])?;
    let (name, about) = target.rsplit_once(" (").unwrap_or((target, ""));
    let mut words = about.trim_end_matches(')').split_whitespace();
    // A device is told as `(block device 252.0 GiB)`.
    let file_system = words.next().filter(|word| *word != "block");
    Some(ImportedTarget {
        name: label(name)?,
        file_system: file_system.and_then(label),
        ..ImportedTarget::default()
    })
}

/// Size and operation of `4 KiB <<< . (ext4 …): request=2 time=190.7 us`; old versions
/// wrote `4.0 KiB from`.
fn request(line: &str) -> Option<(Option<Bytes>, Option<Operation>)> {
    let (before, _) = line
        .split_once(": request=")
        .filter(|(_, it)| it.contains("time="))?;
    let mut words = before.split_whitespace();
    let (size, unit, way) = (words.next()?, words.next()?, words.next()?);
    let operation = match way {
        "<<<" => Some(Operation::Read),
        ">>>" => Some(Operation::Write),
        _ => None,
    };
    let scale = number::size_scale(unit)?;
    let size = size.strip_suffix(".0").unwrap_or(size);
    Some((number::block(size, scale), operation))
}

impl IopingResult {
    /// `4 requests completed in 4.56 ms, 16 KiB read, 877 iops, 3.43 MiB/s`.
    fn read_rates(&mut self, line: &str) {
        let Some((requests, rates)) = line.split_once(" requests completed in ") else {
            return;
        };
        self.latency.count = requests.trim().parse().ok();
        for part in rates.split(", ").skip(1) {
            let words: Vec<&str> = part.split_whitespace().collect();
            match words[..] {
                [_, _, "read"] => self.operation = Some(Operation::Read),
                [_, _, "written"] => self.operation = Some(Operation::Write),
                [rate, "iops"] => self.iops = number::rate(rate, 1.0),
                [rate, thousands @ ("k" | "M" | "G"), "iops"] => {
                    self.iops = number::rate(rate, thousand(thousands));
                }
                [rate, unit] => {
                    let unit = unit.strip_suffix("/s").and_then(number::size_scale);
                    let scale = unit.map(number::float);
                    self.bandwidth = scale.and_then(|scale| number::rate(rate, scale));
                }
                _ => {}
            }
        }
    }
}

/// ioping counts in powers of 1000 without a unit of bytes (`681.0 k iops`).
fn thousand(prefix: &str) -> f64 {
    match prefix {
        "k" => 1e3,
        "M" => 1e6,
        _ => 1e9,
    }
}

/// `min/avg/max/mdev = 170.5 us / 1.14 ms / 4.02 ms / 1.66 ms`.
fn latency(line: &str) -> Option<ImportedLatency> {
    let times = line.trim().strip_prefix("min/avg/max/mdev = ")?;
    let mut times = times.split(" / ").map(|time| {
        let (time, unit) = time.trim().split_once(' ')?;
        number::nanos(time, number::time_scale(unit)?)
    });
    let mut time = || times.next().flatten();
    let (min, mean, max, stdev) = (time()?, time()?, time()?, time()?);
    Some(ImportedLatency {
        mean,
        min: Some(min),
        max: Some(max),
        stdev: Some(stdev),
        ..ImportedLatency::default()
    })
}
