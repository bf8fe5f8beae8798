//! Bonnie++'s CSV lines: format 1.98 of version 2.00, 1.96 and 1.97 of the versions of
//! these names, and that of version 1.03, which has no name.
//!
//! K/sec are KiB/s, as in its source. `+++++` means too fast to be measured. Lines that are
//! none, such as the table for people, are passed over.

mod line;

use std::io::BufRead;

use sokudo_model::{
    BackendKind, BlockSizes, Bytes, DirectMode, Environment, ImportedRow, ImportedRun,
    ImportedTarget, Operation, OperationMix, Order, Origin, PlanPart, Workload,
};

use self::line::{Fields, LinePhase, PhaseFigure, Quantity};
use crate::row::{self, ROWS_MAX, SEQUENTIAL, figure, only};
use crate::text::{self, Line, label, leave_out, lines};
use crate::{Import, ImportError, LeftOut, Reader};

const FORMAT: &str = "Bonnie++ CSV";
pub(crate) const READER: Reader = Reader {
    format: FORMAT,
    recognise,
    read,
};

/// A chunk goes without saying if it is this.
const CHUNK_DEFAULT: Bytes = Bytes::kib(8);

fn recognise(head: &str) -> bool {
    lines(head).any(|line| Fields::read(line.text).is_some())
}

fn read(source: &mut dyn BufRead) -> Result<Import, ImportError> {
    let text = text::whole(FORMAT, source)?;
    let (mut runs, mut left_out, mut rows) = (Vec::new(), Vec::new(), 0);
    for line in lines(&text) {
        let Some(fields) = Fields::read(line.text) else {
            if line.text.starts_with("1.9") && line.text.contains(',') {
                leave_out(
                    &mut left_out,
                    line.number,
                    "it has not the fields of its format",
                );
            }
            continue;
        };
        if rows >= ROWS_MAX {
            let why = format!("there are more than {ROWS_MAX} figures; split the file");
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
    if runs.is_empty() {
        let why = match left_out.first() {
            Some(part) => format!("line {}: {}", part.line.unwrap_or_default(), part.why),
            None => "no line in it is whole".to_owned(),
        };
        return Err(ImportError::Broken {
            format: FORMAT,
            why,
        });
    }
    Ok(Import { runs, left_out })
}

/// The run of a line; `None` where no phase has a figure.
fn run(fields: &Fields<'_>, line: Line<'_>, left_out: &mut Vec<LeftOut>) -> Option<ImportedRun> {
    let (mut rows, mut too_fast) = (Vec::new(), Vec::new());
    for (phase, figure) in &fields.figures {
        match figure.rate {
            Quantity::Known(rate) => rows.push(row_of(*phase, figure, rate, fields)),
            Quantity::TooFast => too_fast.push(phase.name()),
            Quantity::NotRun => {}
            Quantity::Impossible => leave_out(
                left_out,
                line.number,
                format!("`{}` is no rate that is possible", phase.name()),
            ),
        }
    }
    let mut remarks = Vec::new();
    if !too_fast.is_empty() {
        remarks.push(format!(
            "too fast for Bonnie++ to measure (+++++): {}",
            too_fast.join(", ")
        ));
    }
    let method = ["size ", fields.size, ", files ", fields.files].concat();
    (!rows.is_empty()).then(|| ImportedRun {
        origin: Origin {
            tool: "Bonnie++".to_owned(),
            version: label(fields.version),
            format: format!("{FORMAT} {}", fields.format),
            remarks,
            ..Origin::default()
        },
        started_at: None,
        method: label(&method).unwrap_or_default(),
        command: None,
        target: ImportedTarget {
            name: label(&fields.machine).unwrap_or_default(),
            ..ImportedTarget::default()
        },
        environment: Environment {
            host: label(&fields.machine),
            ..Environment::default()
        },
        rows,
    })
}

/// The row of a phase, as its source does it: one thread, through the page cache.
fn row_of(phase: LinePhase, told: &PhaseFigure, rate: f64, fields: &Fields<'_>) -> ImportedRow {
    let chunk = fields.chunk.unwrap_or(CHUNK_DEFAULT);
    let block = if phase.is_by_character() {
        Bytes(1)
    } else {
        chunk
    };
    let mut workload = Workload {
        backend: BackendKind::Sync,
        direct: DirectMode::Off,
        blocks: BlockSizes::one(block),
        order: SEQUENTIAL,
        ..Workload::new(phase.name(), block)
    };
    let mut parts = vec![
        PlanPart::Backend,
        PlanPart::Depth,
        PlanPart::Direct,
        PlanPart::Operations,
        PlanPart::Order,
        PlanPart::Rate,
        PlanPart::Think,
    ];
    match phase {
        LinePhase::WriteCharacters | LinePhase::WriteBlocks => {
            workload.operations = only(Operation::Write)
        }
        LinePhase::ReadCharacters | LinePhase::ReadBlocks => {
            workload.operations = only(Operation::Read)
        }
        LinePhase::Rewrite => rewrite(&mut workload, 100),
        LinePhase::Seeks => {
            // One in ten blocks is written back.
            rewrite(&mut workload, 10);
            workload.order = Order::Random { map: false };
        }
        LinePhase::Files { operation, .. } => workload.operations = only(operation),
    }
    if phase.is_of_bytes() {
        parts.push(PlanPart::Blocks);
    }
    if let Some(copies) = fields.concurrency {
        workload.clones = copies;
        parts.push(PlanPart::Clones);
    }
    let mut row = row::row(workload, &parts);
    let rate = row::rate(rate, "");
    match phase.is_of_bytes() {
        true => row.reported.bandwidth = Some(rate),
        false => row.reported.iops = Some(rate),
    }
    row.reported
        .others
        .extend(told.cpu_percent.map(|percent| figure("CPU", "%", percent)));
    row.reported.others.extend(
        told.latency_max_ns
            .map(|time| figure("largest latency", "ms", time / 1e6)),
    );
    row
}

fn rewrite(workload: &mut Workload, percent: u32) {
    workload.rewritten_percent = percent;
    if let Some(mix) = OperationMix::rewriting(percent) {
        workload.operations = mix;
    }
}

#[cfg(test)]
mod tests;
