//! The CSV line of Bonnie++ 2.00, format 1.98: one line per run of all phases, as
//! `bon_csv2txt` and `bon_csv2html` read it. The order of its fields is in the manual page
//! `bon_csv2html(1)`.
//!
//! A phase that lasted less than half a second is `+++++`, as Bonnie++ has it: such a
//! figure means little. A phase that was not run, or not to its end, is empty.

use sokudo_model::{Bytes, Operation, Outcome, Row, Run, StopReason, TreeContents, Workload};
use sokudo_report::number::float;

use super::phase::BonniePhase;

/// The version of the format, which readers compare.
const FORMAT_VERSION: &str = "1.98";

/// Bonnie++ shows no figure of what lasted less, nanoseconds.
const MEASURED_TIME_MIN_NS: u64 = 500_000_000;

/// What stands for a figure of too little time, and for its processor time.
const TOO_SHORT: [&str; 2] = ["+++++", "+++"];

/// One line per trial, each as Bonnie++ 2.00 writes it.
pub fn render(run: &Run) -> String {
    let trials = run.rows.iter().map(|row| row.trials.len()).max();
    (0..trials.unwrap_or(0))
        .map(|trial| line(run, trial) + "\n")
        .collect()
}

fn line(run: &Run, trial: usize) -> String {
    let mut fields = vec![
        FORMAT_VERSION.to_owned(),
        format!("sokudo-{}", run.sokudo_version),
        plain(run.environment.host.as_deref().unwrap_or("")),
        // Copies of everything at once, which sokudo does not make.
        "1".to_owned(),
        run.plan.seed.to_string(),
    ];
    fields.extend(of_file(run));
    fields.extend(
        BonniePhase::ON_ONE_FILE
            .into_iter()
            .flat_map(|phase| figures(run, phase, trial)),
    );
    fields.extend(of_files(run));
    fields.extend(
        BonniePhase::ON_FILES
            .into_iter()
            .flat_map(|phase| figures(run, phase, trial)),
    );
    let phases = BonniePhase::ON_ONE_FILE
        .into_iter()
        .chain(BonniePhase::ON_FILES);
    fields.extend(phases.map(|phase| latency(run, phase, trial)));
    fields.join(",")
}

/// Nothing that ends a field or makes a line a comment.
fn plain(name: &str) -> String {
    name.replace([',', '"', '#', '\n', '\r'], "_")
}

fn row_of(run: &Run, phase: BonniePhase) -> Option<&Row> {
    run.rows
        .iter()
        .find(|row| BonniePhase::of(&row.workload) == Some(phase))
}

/// What the phase did in a trial that came to its end.
fn outcome_of(run: &Run, phase: BonniePhase, trial: usize) -> Option<&Outcome> {
    let outcome = &row_of(run, phase)?.trials.get(trial)?.outcome;
    let to_its_end = matches!(outcome.stopped, StopReason::Bytes | StopReason::Time);
    to_its_end.then_some(outcome)
}

/// Size, chunk, seeks and seekers; a chunk of 8 KiB goes without saying.
fn of_file(run: &Run) -> [String; 4] {
    let Some(row) = row_of(run, BonniePhase::WriteBlocks) else {
        return Default::default();
    };
    let chunk = row.workload.blocks.largest();
    let size = row.workload.limits.bytes.map(size_word).unwrap_or_default();
    let chunk = match chunk == Bytes::kib(8) {
        true => String::new(),
        false => chunk.0.to_string(),
    };
    let seeks = row_of(run, BonniePhase::Seeks).map(|row| &row.workload);
    let number = |count: &dyn Fn(&Workload) -> u64| {
        seeks.map_or_else(String::new, |seeks| count(seeks).to_string())
    };
    [
        size,
        chunk,
        number(&|seeks| seeks.limits.ios.unwrap_or(0) * u64::from(seeks.threads)),
        number(&|seeks| seeks.threads.into()),
    ]
}

/// Formats a size in whole GiB or MiB, such as `8M` or `2G`.
fn size_word(size: Bytes) -> String {
    let mebibytes = size.0 >> 20;
    if mebibytes > 0 && mebibytes.is_multiple_of(1024) {
        format!("{}G", mebibytes / 1024)
    } else {
        format!("{mebibytes}M")
    }
}

/// Number in units of 1024, largest and smallest size or kind of link, directories,
/// chunk. Bonnie++ 2.00a leaves the field of the directories empty and writes their number
/// into that of the chunk, against its manual; this follows the manual, as its readers do.
fn of_files(run: &Run) -> [String; 5] {
    let create = BonniePhase::ON_FILES[0];
    let Some(tree) = row_of(run, create).and_then(|row| row.workload.tree()) else {
        return Default::default();
    };
    let unless_zero = |number: u32| match number {
        0 => String::new(),
        _ => number.to_string(),
    };
    let (max, min) = match tree.contents {
        TreeContents::Bytes { min, max } => (unless_zero(max), unless_zero(min)),
        TreeContents::HardLinks => ("link".to_owned(), String::new()),
        TreeContents::SymbolicLinks => ("symlink".to_owned(), String::new()),
    };
    [
        (tree.files / 1024).to_string(),
        max,
        min,
        unless_zero(tree.directories),
        String::new(),
    ]
}

/// KiB, seeks or files per second, and processor time in percent.
fn figures(run: &Run, phase: BonniePhase, trial: usize) -> [String; 2] {
    let Some(outcome) = outcome_of(run, phase, trial) else {
        return Default::default();
    };
    if outcome.elapsed.0 < MEASURED_TIME_MIN_NS {
        return TOO_SHORT.map(str::to_owned);
    }
    let seconds = outcome.elapsed.as_secs_f64();
    let done = phase.tally(outcome).map(|tally| match phase.counted() {
        Some(_) => float(tally.ios),
        None => float(tally.bytes.0) / 1024.0,
    });
    let cpu = outcome
        .cpu
        .map(|cpu| float(cpu.user.0 + cpu.system.0) / float(outcome.elapsed.0) * 100.0);
    [
        done.map(|done| rate(done / seconds)).unwrap_or_default(),
        cpu.map(|cpu| format!("{cpu:.0}")).unwrap_or_default(),
    ]
}

/// Whole numbers; slow devices keep a decimal.
fn rate(rate: f64) -> String {
    if rate < 100.0 {
        format!("{rate:.1}")
    } else {
        format!("{rate:.0}")
    }
}

/// The longest single operation, flushes left out, in µs, ms or s.
fn latency(run: &Run, phase: BonniePhase, trial: usize) -> String {
    let Some(outcome) = outcome_of(run, phase, trial) else {
        return String::new();
    };
    let longest = outcome
        .operations
        .iter()
        .filter(|tally| tally.operation != Operation::Flush)
        .filter_map(|tally| tally.latency.max())
        .max();
    match longest.map(|nanos| nanos.div_ceil(1000)) {
        None => String::new(),
        Some(micros) if micros < 100_000 => format!("{micros}us"),
        Some(micros) if micros < 100_000_000 => format!("{}ms", micros / 1000),
        Some(micros) => format!("{}s", micros / 1_000_000),
    }
}
