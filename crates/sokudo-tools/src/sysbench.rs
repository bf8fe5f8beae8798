//! sysbench's `fileio` (1.0): operations per second and MiB/s of each direction; and latency in
//! milliseconds of all reads, writes and flushes together, which is that of no row.

use sokudo_model::{Bytes, ImportedRow, ImportedRun, Operation, Order};
use sokudo_words::text;

use crate::results::row::{self, RANDOM, WorkloadDescription, entry, figure};
use crate::results::text::{label, leave_out, lines, lines_of_rows};
use crate::results::{Import, ImportError, Reader, Source, number};

const FORMAT: &str = "sysbench fileio";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Text(read));
const MIB: Option<f64> = Some(1_048_576.0);
const ANY_BLOCK: Bytes = Bytes::kib(16);
/// The name of each rate, its direction, and its unit where it is of bytes.
const RATES: [(&str, Operation, Option<f64>); 5] = [
    ("reads/s", Operation::Read, None),
    ("writes/s", Operation::Write, None),
    ("fsyncs/s", Operation::Flush, None),
    ("read, MiB/s", Operation::Read, MIB),
    ("written, MiB/s", Operation::Write, MIB),
];
const LATENCIES: [(&str, &str); 4] = [
    ("min", "smallest latency of all operations"),
    ("avg", "mean latency of all operations"),
    ("max", "largest latency of all operations"),
    ("95th percentile", "95th percentile of all operations"),
];

fn recognise(head: &str) -> bool {
    lines(head).any(|line| line.text.trim().starts_with("written, MiB/s:"))
}

fn read(text: &str) -> Result<Import, ImportError> {
    let (mut runs, mut left_out) = (Vec::<ImportedRun>::new(), Vec::new());
    let nothing_described = || WorkloadDescription::new("", ANY_BLOCK);
    let mut described = nothing_described();
    for line in lines_of_rows(text, &mut left_out) {
        let words = line.text.trim();
        described = match words.rsplit_once(' ') {
            Some(("Running the test with following", _)) => nothing_described(),
            Some(("Block size", it)) => described.block(number::block_with_unit(it)),
            Some(("Number of threads:", it)) => described.threads(number::depth(it)),
            Some((it, _)) if it.starts_with("Doing random") => described.order(Some(RANDOM)),
            Some((it, _)) if it.starts_with("Doing sequential") => {
                described.order(Some(Order::SEQUENTIAL))
            }
            _ => described,
        };
        if words == "File operations:" || runs.is_empty() {
            runs.push(ImportedRun {
                method: FORMAT.to_owned(),
                ..row::run("sysbench", FORMAT)
            });
        }
        let (Some((name, value)), Some(run)) = (words.split_once(':'), runs.last_mut()) else {
            continue;
        };
        let shown = LATENCIES.iter().find(|it| it.0 == name);
        let known = RATES.iter().find(|it| it.0 == name);
        let unit = known.and_then(|it| it.2).unwrap_or(1.0);
        match (number::rate(value, unit), known, shown) {
            (None, Some(_), _) => {
                let words = label(words).unwrap_or_default();
                let why = text!("`{words}` is not a possible figure");
                leave_out(&mut left_out, line.number, why);
            }
            // What was not done is 0.
            (Some(value), Some((_, operation, scale)), _) if value > 0.0 => {
                let mut described = described.clone().operation(Some(*operation));
                described.workload.name = operation.name().to_owned();
                let workload = described.workload.clone();
                let is_it = |row: &ImportedRow| row.workload == workload;
                let row = entry(&mut run.rows, is_it, || described.row());
                let rate = Some(row::rate(value, ""));
                match scale {
                    Some(_) => row.reported.bandwidth = rate,
                    None => row.reported.iops = rate,
                }
            }
            (Some(value), None, Some((_, shown))) => {
                let last = run.rows.last_mut().into_iter();
                last.for_each(|row| row.reported.others.push(figure(shown, "ms", value)));
            }
            _ => {}
        }
    }
    runs.retain(|run| !run.rows.is_empty());
    Import::of(FORMAT, runs, left_out, "no line in it is complete")
}

#[cfg(test)]
mod tests;
