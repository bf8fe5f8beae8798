//! Bonnie++'s CSV lines: format 1.98 of version 2.00, 1.96 and 1.97 of the versions of
//! these names, and that of version 1.03, which has no name.
//!
//! K/sec are KiB/s, as in its source. `+++++` means too fast to be measured. Lines that are
//! none, such as the table for people, are passed over.

mod line;

use sokudo_model::{
    BackendKind, Bytes, HostEnvironment, ImportedRow, ImportedRun, Operation, OperationMix, Order,
    PlanPart, TreeNames, Work,
};
use sokudo_words::text;

use crate::results::row::{self, PACE, RANDOM, ROWS_MAX, WorkloadDescription, figure};
use crate::results::text::{Line, label, leave_out, lines};
use crate::results::{Import, ImportError, LeftOut, Reader, Source};

use self::line::{Fields, PhaseFigure, Quantity};
use super::phase::BonniePhase;

const FORMAT: &str = "Bonnie++ CSV";
pub(crate) const READER: Reader = Reader::new(FORMAT, recognise, Source::Text(read));

/// A chunk goes without saying if it is this.
const CHUNK_DEFAULT: Bytes = Bytes::kib(8);

fn recognise(head: &str) -> bool {
    lines(head).any(|line| Fields::read(line.text).is_some())
}

fn read(text: &str) -> Result<Import, ImportError> {
    let (mut runs, mut left_out, mut rows) = (Vec::new(), Vec::new(), 0);
    for line in lines(text) {
        let Some(fields) = Fields::read(line.text) else {
            if line.text.starts_with("1.9") && line.text.contains(',') {
                leave_out(
                    &mut left_out,
                    line.number,
                    "it lacks the fields of its format",
                );
            }
            continue;
        };
        if rows >= ROWS_MAX {
            let why = text!("there are more than {ROWS_MAX} figures; split the file");
            leave_out(&mut left_out, line.number, why);
            break;
        }
        match run(&fields, line, &mut left_out) {
            Some(run) => {
                rows += run.rows.len();
                runs.push(run);
            }
            None => leave_out(&mut left_out, line.number, "no phase in it has a figure"),
        }
    }
    Import::of(FORMAT, runs, left_out, "no line in it is complete")
}

/// The run of a line; `None` where no phase has a figure.
fn run(fields: &Fields<'_>, line: Line<'_>, left_out: &mut Vec<LeftOut>) -> Option<ImportedRun> {
    let (mut rows, mut too_fast) = (Vec::new(), Vec::new());
    for (phase, figure) in &fields.figures {
        match figure.rate {
            Quantity::Known(rate) => rows.push(row_of(*phase, figure, rate, fields)),
            Quantity::TooFast => too_fast.push(name(*phase)),
            Quantity::NotRun => {}
            Quantity::Impossible => leave_out(
                left_out,
                line.number,
                text!("`{}` is not a possible rate", name(*phase)),
            ),
        }
    }
    let mut remarks = Vec::new();
    if !too_fast.is_empty() {
        remarks.push(text!(
            "too fast for Bonnie++ to measure (+++++): {}",
            too_fast.join(", ")
        ));
    }
    let method = ["size ", fields.size, ", files ", fields.files].concat();
    if rows.is_empty() {
        return None;
    }
    let machine = label(&fields.machine);
    let mut run = ImportedRun {
        method: label(&method).unwrap_or_default(),
        target: row::target(machine.clone().unwrap_or_default()),
        environment: HostEnvironment {
            host: machine,
            ..HostEnvironment::default()
        },
        rows,
        ..row::run("Bonnie++", &format!("{FORMAT} {}", fields.format))
    };
    run.origin.version = label(fields.version);
    run.origin.remarks = remarks;
    Some(run)
}

/// The row of a phase, as its source does it: one thread, through the page cache.
fn row_of(
    phase: BonniePhase,
    phase_figure: &PhaseFigure,
    rate: f64,
    fields: &Fields<'_>,
) -> ImportedRow {
    let chunk = fields.chunk.unwrap_or(CHUNK_DEFAULT);
    let order = match phase {
        BonniePhase::Seeks => RANDOM,
        _ => Order::SEQUENTIAL,
    };
    // One in ten blocks that are sought is written back.
    let rewritten = |percent| (rewriting(percent), Work::Rewriting { percent });
    let (operations, work) = match phase {
        BonniePhase::Rewrite => rewritten(100),
        BonniePhase::Seeks => rewritten(10),
        _ => (OperationMix::only(phase.operation()), Work::Blocks),
    };
    let block = match phase {
        BonniePhase::WriteCharacters | BonniePhase::ReadCharacters => Bytes(1),
        _ => chunk,
    };
    let is_of_bytes = phase.counted().is_none();
    let mut workload = WorkloadDescription::new(name(phase), block)
        .operations(Some(operations))
        .order(Some(order))
        .direct(Some(false))
        .parts(PACE)
        .parts(&[PlanPart::Backend, PlanPart::Depth])
        .parts_if(is_of_bytes, &[PlanPart::Blocks])
        .threads(fields.concurrency);
    workload.workload.backend = BackendKind::Sync;
    workload.workload.work = work;
    let mut row = workload.row();
    let rate = row::rate(rate, "");
    match is_of_bytes {
        true => row.reported.bandwidth = Some(rate),
        false => row.reported.iops = Some(rate),
    }
    let cpu = phase_figure.cpu_percent;
    let cpu = cpu.map(|percent| figure("CPU", "%", percent));
    let largest = phase_figure.latency_max_ns;
    let largest = largest.map(|time| figure("largest latency", "ms", time / 1e6));
    row.reported.others.extend(cpu.into_iter().chain(largest));
    row
}

/// As rows of `sokudo bonnie` are called.
const fn name(phase: BonniePhase) -> &'static str {
    match phase {
        BonniePhase::WriteCharacters => "Per-char write",
        BonniePhase::WriteBlocks => "Block write",
        BonniePhase::Rewrite => "Rewrite",
        BonniePhase::ReadCharacters => "Per-char read",
        BonniePhase::ReadBlocks => "Block read",
        BonniePhase::Seeks => "Seeks",
        BonniePhase::Files(names, operation) => match (names, operation) {
            (TreeNames::NumberFirst, Operation::Create) => "Sequential create",
            (TreeNames::NumberFirst, Operation::Delete) => "Sequential delete",
            (TreeNames::NumberFirst, _) => "Sequential stat",
            (TreeNames::RandomFirst, Operation::Create) => "Random create",
            (TreeNames::RandomFirst, Operation::Delete) => "Random delete",
            (TreeNames::RandomFirst, _) => "Random stat",
        },
    }
}

fn rewriting(percent: u32) -> OperationMix {
    OperationMix::rewriting(percent).expect("the percentage is a constant from 1 to 100")
}

#[cfg(test)]
mod tests;
