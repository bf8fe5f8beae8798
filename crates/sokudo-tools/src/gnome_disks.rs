//! The cache in which GNOME Disks up to 46 keeps the benchmark of a disk
//! (`~/.cache/gnome-disks/benchmarks/*.gnome-disks-benchmark`).
//!
//! It is a `GVariant` of type `a{sv}`, read here by hand: this one type needs few lines,
//! and every offset in it is checked. What cannot be read is left out.

mod variant;

use std::io::BufRead;

use sokudo_model::{
    BackendKind, Bytes, ImportedRate, ImportedRow, ImportedRun, ImportedTarget, Nanos, Operation,
    Order, PlanPart, ReportedSample, Sample, Survey, Visit, Work, narrow,
};
use sokudo_words::text;

use crate::results::row::{self, ACCESS, LOAD, PACE, WorkloadDescription};
use crate::results::text::leave_out_of;
use crate::results::{Import, ImportError, LeftOut, Reader, Source, number};

use self::variant::{ByteOrder, Dictionary, Pair};

const FORMAT: &str = "GNOME Disks' cache";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Bytes(read));

/// 10,000 access times and twice 1,000 samples, the most that it measures, have 192 kB.
const BYTES_MAX: u64 = 4 << 20;
/// It reads one page at each place for the access time, and before each sample.
const PAGE: Bytes = Bytes::kib(4);
/// The only version of the format.
const VERSION: i32 = 1;
/// Whether it begins with the entry `version`, a number, as GNOME Disks writes it first.
fn recognise(head: &str) -> bool {
    head.starts_with("version\0") && head.as_bytes().get(12..14) == Some(b"\0i")
}

fn read(source: &mut dyn BufRead) -> Result<Import, ImportError> {
    let broken = |why: &'static str| ImportError::Broken {
        format: FORMAT,
        why: why.into(),
    };
    let mut bytes = Vec::new();
    let mut source = std::io::Read::take(source, BYTES_MAX + 1);
    std::io::Read::read_to_end(&mut source, &mut bytes)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(broken("it is longer than any such cache"));
    }
    let entries = Dictionary::read(&bytes).ok_or_else(|| {
        broken("its entry table points outside of the file: it is cut off or damaged")
    })?;
    let version = entries.get("version", "i").unwrap_or_default();
    let order = ByteOrder::of_number(version, VERSION)
        .ok_or_else(|| broken("its version is not 1, the only one that is known"))?;
    let mut cache = Cache {
        entries,
        order,
        left_out: Vec::new(),
    };
    let rows = cache.rows();
    if rows.is_empty() {
        return Err(broken("no sample in it is complete"));
    }
    let device_size = cache.number("device-size").filter(|size| *size > 0);
    let run = ImportedRun {
        started_at: cache.number("timestamp-usec").and_then(|microseconds| {
            let nanoseconds = microseconds.checked_mul(1_000)?;
            i64::try_from(nanoseconds).ok()?;
            Some(Nanos(nanoseconds))
        }),
        method: method(&rows),
        target: ImportedTarget {
            size: device_size.map(Bytes),
            ..ImportedTarget::default()
        },
        rows,
        ..row::run("GNOME Disks", FORMAT)
    };
    Ok(Import {
        runs: vec![run],
        left_out: cache.left_out,
    })
}

/// `100 samples of 10 MiB, 1000 access times`, as the dialog calls it.
fn method(rows: &[ImportedRow]) -> String {
    let parts: Vec<String> = rows
        .iter()
        .map(|row| format!("{} × {}", row.workload.name, row.reported.samples.len()))
        .collect();
    parts.join(", ")
}

struct Cache<'bytes> {
    entries: Dictionary<'bytes>,
    order: ByteOrder,
    left_out: Vec<LeftOut>,
}

impl Cache<'_> {
    fn number(&self, key: &str) -> Option<u64> {
        let bytes = self.entries.get(key, "t").or(self.entries.get(key, "x"))?;
        Some(self.order.number(bytes.try_into().ok()?))
    }

    fn rows(&mut self) -> Vec<ImportedRow> {
        let sample = self.number("sample-size").map(Bytes);
        let sample = sample.filter(|Bytes(bytes)| (1..=1 << 40).contains(bytes));
        let mut rows = Vec::new();
        match sample {
            None => leave_out_of(&mut self.left_out, None, "the size of a sample is missing"),
            Some(sample) => {
                let transfers = [
                    ("read-samples", Operation::Read),
                    ("write-samples", Operation::Write),
                ];
                for (key, operation) in transfers {
                    rows.extend(self.transfer(key, operation, sample));
                }
            }
        }
        rows.extend(self.access());
        rows
    }

    /// The rates at places all over the device.
    fn transfer(&mut self, key: &str, operation: Operation, sample: Bytes) -> Option<ImportedRow> {
        let sample_bytes = number::float(sample.0);
        let (mut rates, mut samples) = (Vec::new(), Vec::new());
        for pair in self.pairs(key) {
            let is_rate = pair.value > 0.0 && number::is_possible(pair.value);
            let Some(elapsed) = nanos(sample_bytes / pair.value).filter(|_| is_rate) else {
                self.impossible(key, pair);
                continue;
            };
            rates.push(pair.value);
            samples.push(ReportedSample {
                offset: Bytes(pair.offset),
                bytes: sample,
                elapsed,
            });
        }
        let summed = row::rate_of_trials(rates)?;
        let survey = Survey {
            approach: Some(PAGE),
            write_back: operation == Operation::Write,
            timeout: None,
            resumed_at: None,
            ..Survey::new(
                narrow(samples.len()),
                Visit::Ascending,
                Sample::Bytes(sample),
            )
        };
        let mut row = surveyed("TRANSFER", sample, operation, Order::SEQUENTIAL, survey);
        row.reported.bandwidth = Some(ImportedRate {
            kind: text!("mean of {} places", samples.len()),
            trials: Vec::new(),
            ..summed
        });
        row.reported.samples = samples;
        Some(row)
    }

    /// The time to reach places at random.
    fn access(&mut self) -> Option<ImportedRow> {
        let key = "access-time-samples";
        let (mut times, mut samples) = (Vec::new(), Vec::new());
        for pair in self.pairs(key) {
            let Some(elapsed) = nanos(pair.value).filter(|_| pair.value > 0.0) else {
                self.impossible(key, pair);
                continue;
            };
            times.push(pair.value * 1e9);
            samples.push(ReportedSample {
                offset: Bytes(pair.offset),
                bytes: PAGE,
                elapsed,
            });
        }
        let count = samples.len();
        let summed = row::rate_of_trials(times)?;
        let survey = Survey::new(narrow(count), Visit::Random, Sample::Bytes(PAGE));
        let mut row = surveyed("ACCESS 4K", PAGE, Operation::Read, row::RANDOM, survey);
        row.reported.latency = Some(sokudo_model::ImportedLatency {
            min: summed.min,
            max: summed.max,
            stdev: summed.stdev,
            count: Some(count as u64),
            ..row::latency(summed.value)
        });
        row.reported.samples = samples;
        Some(row)
    }

    fn pairs(&self, key: &str) -> Vec<Pair> {
        let bytes = self.entries.get(key, "a(td)").unwrap_or_default();
        self.order.pairs(bytes)
    }

    fn impossible(&mut self, key: &str, pair: Pair) {
        let why = text!(
            "{key}: {} at byte {} is not possible",
            pair.value,
            pair.offset
        );
        leave_out_of(&mut self.left_out, None, why);
    }
}

/// A row of what its source tells (46.1).
fn surveyed(
    name: &str,
    block: Bytes,
    operation: Operation,
    order: Order,
    survey: Survey,
) -> ImportedRow {
    let mut description = WorkloadDescription::new(name, block)
        .operation(Some(operation))
        .order(Some(order))
        .direct(Some(true))
        .parts(LOAD)
        .parts(ACCESS)
        .parts(PACE)
        .parts(&[PlanPart::Backend, PlanPart::Data]);
    description.workload.backend = BackendKind::Sync;
    description.workload.work = Work::Survey(survey);
    description.row()
}

/// Nanoseconds of less than a day, as no single sample lasts longer.
fn nanos(seconds: f64) -> Option<Nanos> {
    let is_possible = (0.0..86_400.0).contains(&seconds);
    is_possible.then(|| Nanos(number::whole((seconds * 1e9).round())))
}

#[cfg(test)]
mod tests;
