//! kubestr's text (`kubestr fio`): a block for each job of fio.
//!
//! ```text
//! JobName: read_iops
//!   blocksize=4K filesize=2G iodepth=64 rw=randread
//! read:
//!   IOPS=1068.180298 BW(KiB/s)=4289
//! ```
//!
//! Rates are fio's, in KiB/s, extremes those of fio's samples; `numjobs` is not printed.

use sokudo_model::{Bytes, ImportedRow, ImportedRun, Operation, Order, PlanPart};
use sokudo_words::text;

use crate::results::row::{self, RANDOM, WorkloadDescription};
use crate::results::text::{label, leave_out, lines, lines_of_rows};
use crate::results::{Import, ImportError, Reader, Source, number};

const FORMAT: &str = "kubestr";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Text(read));
const HEADING: &str = "FIO test results:";
const KIB: f64 = 1_024.0;

fn recognise(head: &str) -> bool {
    let has = |begin: &str| lines(head).any(|line| line.text.trim().starts_with(begin));
    has(HEADING) && has("IOPS=") && head.contains(" BW(KiB/s)=")
}

/// The value of `name=value` in a line.
fn value<'line>(line: &'line str, name: &str) -> Option<&'line str> {
    let mut words = line.split_whitespace();
    words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

fn read(text: &str) -> Result<Import, ImportError> {
    let (mut runs, mut left_out) = (Vec::<ImportedRun>::new(), Vec::new());
    let mut job = KubestrJob::default();
    for line in lines_of_rows(text, &mut left_out) {
        let words = line.text.trim();
        if words.starts_with(HEADING) {
            runs.push(ImportedRun {
                method: "kubestr fio".to_owned(),
                target: row::target(job.class.take().unwrap_or_default()),
                ..row::run("fio", FORMAT)
            });
            job = KubestrJob::default();
        }
        job.describe(words);
        let Some(run) = runs.last_mut() else { continue };
        if let Some(version) = words.strip_prefix("FIO version - fio-") {
            run.origin.version = label(version);
        } else if words.starts_with("IOPS=") {
            let Some(row) = job.row(words) else {
                let words = label(words).unwrap_or_default();
                let why = text!("`{words}` is not a possible figure");
                leave_out(&mut left_out, line.number, why);
                continue;
            };
            run.rows.push(row);
        } else if let Some(row) = run.rows.last_mut() {
            let (rate, scale) = match words.split_once(": min=") {
                Some(("iops", _)) => (&mut row.reported.iops, 1.0),
                Some(("bw(KiB/s)", _)) => (&mut row.reported.bandwidth, KIB),
                _ => continue,
            };
            if let Some(rate) = rate
                && rate.min.is_none()
            {
                let extreme = |name| value(words, name).and_then(|it| number::rate(it, scale));
                (rate.min, rate.max) = (extreme("min"), extreme("max"));
            }
        }
    }
    runs.retain(|run| !run.rows.is_empty());
    Import::of(FORMAT, runs, left_out, "no line in it is complete")
}

/// What the lines so far tell of the job whose rates come next.
#[derive(Default)]
struct KubestrJob {
    class: Option<String>,
    name: Option<String>,
    /// Such as `blocksize=4K filesize=2G iodepth=64 rw=randread`.
    options: String,
    is_direct: Option<bool>,
    operation: Option<Operation>,
}

impl KubestrJob {
    fn describe(&mut self, words: &str) {
        if let Some((_, class)) = words.split_once(" on StorageClass (") {
            self.class = class.split(')').next().and_then(label);
        } else if let Some(global) = words.strip_prefix("Global options - ") {
            self.is_direct = value(global, "direct").map(|it| it == "1");
        } else if let Some(name) = words.strip_prefix("JobName:") {
            (self.name, self.operation) = (label(name), None);
            self.options.clear();
        } else if words.starts_with("blocksize=") {
            words.clone_into(&mut self.options);
        }
        match words {
            "read:" => self.operation = Some(Operation::Read),
            "write:" => self.operation = Some(Operation::Write),
            _ => {}
        }
    }

    /// The row of `IOPS=1068.180298 BW(KiB/s)=4289`.
    fn row(&self, words: &str) -> Option<ImportedRow> {
        let operation = self.operation?;
        let iops = number::rate(value(words, "IOPS")?, 1.0)?;
        let bandwidth = number::rate(value(words, "BW(KiB/s)")?, KIB)?;
        let option = |name| value(&self.options, name).filter(|it| !it.is_empty());
        let access = option("rw");
        let order = access.map(|it| match it.starts_with("rand") {
            true => RANDOM,
            false => Order::SEQUENTIAL,
        });
        let name = self.name.as_deref().unwrap_or("job");
        let mut row = WorkloadDescription::new(name, Bytes::kib(4))
            .operation(Some(operation))
            .order(order)
            .block(option("blocksize").and_then(number::block_with_unit))
            .depth(option("iodepth").and_then(number::depth))
            .direct(self.is_direct)
            .row();
        if access.is_none_or(|it| it.contains("rw") || it == "readwrite") {
            row.reported.unknown.push(PlanPart::Mix);
        }
        row.reported.iops = Some(row::rate(iops, ""));
        row.reported.bandwidth = Some(row::rate(bandwidth, ""));
        Some(row)
    }
}

#[cfg(test)]
mod tests;
