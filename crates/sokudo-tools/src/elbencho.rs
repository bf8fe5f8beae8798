//! elbencho's results: its CSV and its JSON, a line or a value per phase.
//!
//! Columns are found by their names. Of the two instants at which elbencho sums up, it is
//! the later one that counts, when the last thread was done.

use sokudo_model::{
    Bytes, ImportedLatency, ImportedRow, ImportedRun, ImportedTarget, Nanos, Operation,
    OperationMix, Order, PlanPart,
};
use sokudo_words::text;

use crate::results::number::{block, date_time, depth, number};
use crate::results::row::{self, RANDOM, ROWS_MAX, WorkloadDescription, figure, rate};
use crate::results::text::{label, leave_out, lines};
use crate::results::{Import, ImportError, LeftOut, Reader, Source};

mod json;

pub(crate) use json::READER as JSON;

pub(crate) const CSV: Reader = Reader::new("elbencho CSV", recognise, Source::Text(read));

const BYTES_PER_MIB: f64 = 1_048_576.0;
const NANOS_PER_US: f64 = 1e3;
/// What is to be known of a date without its zone.
const LOCAL_TIME: &str =
    "elbencho reports its date in local time without the zone; it is taken as UTC";

fn recognise(head: &str) -> bool {
    head.lines().take(3).any(is_header)
}

fn is_header(line: &str) -> bool {
    let has = |name: &str| line.split(',').any(|column| column.trim() == name);
    has("operation") && has("MiB/s [last]") && has("IOPS [last]")
}

/// What elbencho told of a phase, in whatever form.
#[derive(Clone, Debug, Default)]
struct ElbenchoPhase {
    operation: String,
    started_at: Option<Nanos>,
    label: Option<String>,
    version: Option<String>,
    command: Option<String>,
    hosts: Option<u32>,
    threads: Option<u32>,
    file_size: Option<Bytes>,
    block: Option<Bytes>,
    is_direct: Option<bool>,
    is_random: Option<bool>,
    depth: Option<u32>,
    seconds: Option<f64>,
    cpu_percent: Option<f64>,
    /// Of the phase; in a mix of its writes.
    main: ElbenchoDirection,
    /// Of the reads of a mix.
    mixed_reads: ElbenchoDirection,
}

/// One direction of a phase.
#[derive(Clone, Debug, Default)]
struct ElbenchoDirection {
    bytes_per_s: Option<f64>,
    ios_per_s: Option<f64>,
    /// Least, mean and most, microseconds.
    latency: [Option<f64>; 3],
}

fn read(text: &str) -> Result<Import, ImportError> {
    let mut left_out = Vec::new();
    let mut phases = Vec::new();
    let mut columns: Vec<&str> = Vec::new();
    for line in lines(text) {
        if is_header(line.text) {
            columns = line.text.split(',').map(str::trim).collect();
            continue;
        }
        // Commas within a field are blanks, in elbencho's own words.
        let fields: Vec<&str> = line.text.split(',').map(str::trim).collect();
        if line.text.trim().is_empty() || columns.is_empty() {
            continue;
        }
        if fields.len() != columns.len() {
            let why = text!(
                "{} fields in the place of {}: the line was cut off",
                fields.len(),
                columns.len()
            );
            leave_out(&mut left_out, line.number, why);
            continue;
        }
        phases.push((line.number, of_fields(&columns, &fields)));
    }
    import(CSV.format, phases, left_out)
}

fn of_fields(columns: &[&str], fields: &[&str]) -> ElbenchoPhase {
    let of = |name: &str| {
        let index = columns.iter().position(|column| *column == name)?;
        fields.get(index).copied().filter(|field| !field.is_empty())
    };
    let flag = |name: &str| of(name).map(|field| field != "0");
    let side = |prefix: &str| {
        let figure = |name: &str| of(&format!("{prefix}{name}")).and_then(number);
        ElbenchoDirection {
            bytes_per_s: figure("MiB/s [last]").map(|mib| mib * BYTES_PER_MIB),
            ios_per_s: figure("IOPS [last]"),
            latency: ["IO lat us [min]", "IO lat us [avg]", "IO lat us [max]"].map(figure),
        }
    };
    ElbenchoPhase {
        operation: of("operation").and_then(label).unwrap_or_default(),
        started_at: of("ISO date").and_then(date_time),
        label: of("label").and_then(label),
        version: of("version").and_then(label),
        command: of("command").and_then(label),
        hosts: of("hosts").and_then(depth),
        threads: of("threads").and_then(depth),
        file_size: of("file size").and_then(|size| block(size, 1)),
        block: of("block size").and_then(|size| block(size, 1)),
        is_direct: flag("direct IO"),
        is_random: flag("random"),
        depth: of("IO depth").and_then(depth),
        seconds: of("time ms [last]").and_then(number).map(|ms| ms / 1e3),
        cpu_percent: of("CPU% [last]").and_then(number),
        main: side(""),
        mixed_reads: side("rwmix read "),
    }
}

/// Phases of one label are one run: an elbencho writes, reads and deletes, and with several
/// iterations again.
fn import(
    format: &'static str,
    phases: Vec<(u64, ElbenchoPhase)>,
    mut left_out: Vec<LeftOut>,
) -> Result<Import, ImportError> {
    let mut runs: Vec<ImportedRun> = Vec::new();
    let mut count = 0;
    for (line, phase) in phases {
        let rows = phase.rows();
        if rows.is_empty() {
            let why = match phase.operation.as_str() {
                "" => "no operation is named".into(),
                operation => text!("{operation} moves no blocks, or moved none"),
            };
            leave_out(&mut left_out, line, why);
            continue;
        }
        count += rows.len();
        if count > ROWS_MAX {
            let why = text!("this line and what follows: one file has {ROWS_MAX} rows at most");
            leave_out(&mut left_out, line, why);
            break;
        }
        let method = phase.method();
        match runs.last_mut() {
            Some(last) if last.method == method && last.command == phase.command => {
                last.rows.extend(rows);
            }
            _ => runs.push(phase.run(format, method, rows)),
        }
    }
    Import::of(format, runs, left_out, "there is no phase in it")
}

impl ElbenchoPhase {
    fn method(&self) -> String {
        match &self.label {
            Some(label) => format!("elbencho/{label}"),
            None => "elbencho".to_owned(),
        }
    }

    fn run(&self, format: &'static str, method: String, rows: Vec<ImportedRow>) -> ImportedRun {
        let mut run = ImportedRun {
            started_at: self.started_at,
            method,
            command: self.command.clone(),
            target: ImportedTarget {
                size: self.file_size,
                ..row::target(self.target())
            },
            rows,
            ..row::run("elbencho", format)
        };
        run.origin.version.clone_from(&self.version);
        if format == CSV.format && self.started_at.is_some() {
            run.origin.remarks.push(LOCAL_TIME.into());
        }
        run
    }

    /// The last word of the command line, which elbencho's usage has for a path.
    fn target(&self) -> String {
        let words = self.command.as_deref().and_then(|command| {
            let mut words = command.split('"').map(str::trim);
            let last = words.rfind(|word| !word.is_empty())?;
            // Where its words are not quoted one by one, it is the whole line.
            match last.starts_with("elbencho ") {
                true => last.split_whitespace().next_back(),
                false => Some(last),
            }
        });
        words
            .filter(|word| word.contains('/'))
            .map_or_else(|| "elbencho's target".to_owned(), str::to_owned)
    }

    fn rows(&self) -> Vec<ImportedRow> {
        let is_mix = self.mixed_reads.ios_per_s.is_some() || self.mixed_reads.bytes_per_s.is_some();
        let operation = match self.operation.as_str() {
            "READ" => Operation::Read,
            "WRITE" => Operation::Write,
            _ if is_mix => Operation::Write,
            _ => return Vec::new(),
        };
        let sides = [
            (operation, &self.main),
            (Operation::Read, &self.mixed_reads),
        ];
        let reported = sides.into_iter().filter(|(_, side)| {
            let figures = [side.bytes_per_s, side.ios_per_s];
            figures.into_iter().flatten().any(|figure| figure > 0.0)
        });
        reported
            .map(|(operation, side)| self.row(operation, side, is_mix))
            .collect()
    }

    fn row(&self, operation: Operation, side: &ElbenchoDirection, is_mix: bool) -> ImportedRow {
        let mut row = self.workload(operation).row();
        let percent = self.operation.trim_start_matches("RWMIX").parse().ok();
        row.reported.mix = percent
            .filter(|_| is_mix)
            .and_then(OperationMix::read_write);
        if is_mix && row.reported.mix.is_none() {
            row.reported.unknown.push(PlanPart::Mix);
        }
        row.reported.bandwidth = side.bytes_per_s.map(|value| rate(value, ""));
        row.reported.iops = side.ios_per_s.map(|value| rate(value, ""));
        let [min, mean, max] = side.latency.map(|us| us.map(|us| us * NANOS_PER_US));
        row.reported.latency = mean.map(|mean| ImportedLatency {
            mean,
            min,
            max,
            ..ImportedLatency::default()
        });
        let seconds = self.seconds;
        let seconds = seconds.map(|it| figure("time until the last thread was done", "s", it));
        let cpu = self.cpu_percent.map(|it| figure("processor", "%", it));
        row.reported.others.extend(seconds.into_iter().chain(cpu));
        row
    }

    fn workload(&self, operation: Operation) -> WorkloadDescription {
        let order = |is_random| if is_random { RANDOM } else { Order::SEQUENTIAL };
        // Threads of all hosts.
        let hosts = self.hosts.unwrap_or(1);
        let thread_count = self.threads.map(|threads| threads.saturating_mul(hosts));
        let mut description =
            WorkloadDescription::new(self.operation.to_lowercase(), Bytes::mib(1));
        description.workload.direct = false.into();
        description
            .operation(Some(operation))
            .block(self.block)
            .order(self.is_random.map(order))
            .depth(self.depth)
            .threads(thread_count)
            .direct(self.is_direct)
            .parts_if(self.file_size.is_some(), &[PlanPart::Span])
    }
}

#[cfg(test)]
mod tests;
