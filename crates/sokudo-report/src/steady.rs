//! A steady procedure as people read it: what it will take, then the matrix of its window,
//! the rounds of the tracked rows, and in what it is not as the PTS has it.
//!
//! It never says that a result is one of the PTS.

mod columns;
mod rounds;

use sokudo_model::{
    Bytes, Nanos, Operation, RoundFigure, SteadyClass, SteadyPhaseKind, SteadyProcedure, SteadyTest,
};

use crate::document::{ResultDocument, RunDocument, SteadyDocument, WindowFigures};
use crate::grouping::row_name;
use crate::layout::{Align, Column};
use crate::number::{self, grouped};
use crate::shortfall::verdict_cell;
use crate::style::{BandwidthUnit, TableStyle};
use crate::table::sign;
use columns::{fitting, shown, whole};

/// What a procedure will take, before it has begun: a line on what is done, one on time and
/// writes, one on what that rests on, and one on what differs from the PTS.
pub fn estimate_lines(procedure: &SteadyProcedure) -> Vec<String> {
    let mut lines = vec![
        format!("{}: {}", procedure.label.name(), what(procedure)),
        format!("expected: {}", expected(procedure)),
        procedure.estimate.assumptions.join("; "),
    ];
    lines.extend(differences(procedure));
    lines
}

fn differences(procedure: &SteadyProcedure) -> Option<String> {
    let all = procedure.differences.join("; ");
    (!all.is_empty()).then(|| format!("not as the PTS has it: {all}"))
}

fn expected(procedure: &SteadyProcedure) -> String {
    let estimate = &procedure.estimate;
    let range = |low: String, high: String| match low == high {
        true => low,
        false => format!("{low} to {high}"),
    };
    format!(
        "{}, and {} written",
        range(duration(estimate.time_min), duration(estimate.time_max)),
        range(
            number::decimal_size(estimate.written_bytes_min, 3),
            number::decimal_size(estimate.written_bytes_max, 3)
        )
    )
}

/// Test, load and range.
fn what(procedure: &SteadyProcedure) -> String {
    let test = match procedure.test {
        SteadyTest::Iops => "IOPS",
        SteadyTest::Throughput => "throughput",
        SteadyTest::Latency => "latency",
        SteadyTest::WriteSaturation => "write saturation",
    };
    let load = match (procedure.test, procedure.class) {
        (SteadyTest::Latency, SteadyClass::Client) => "as PTS-C, one I/O at a time",
        (SteadyTest::Latency, SteadyClass::Enterprise) => "as PTS-E, one I/O at a time",
        (_, SteadyClass::Client) => "as PTS-C, 2 threads at depth 16",
        (_, SteadyClass::Enterprise) => "as PTS-E, 4 threads at depth 32",
    };
    format!(
        "{test}, {load}, on the first {} of {}",
        procedure.active_range_bytes, procedure.capacity_bytes
    )
}

/// `5 h 40 min`, `3 min 20 s`, `16 s`.
fn duration(Nanos(nanos): Nanos) -> String {
    let seconds = nanos / 1_000_000_000;
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) if seconds < 10 => Nanos(nanos).to_string(),
        (0, 0) => format!("{rest} s"),
        (0, _) => format!("{minutes} min {rest} s"),
        _ => format!("{} h {minutes} min", grouped(&hours.to_string())),
    }
}

/// Everything between the facts and the findings.
pub(crate) fn lines(
    document: &RunDocument,
    steady: &SteadyDocument,
    style: &TableStyle,
) -> Vec<String> {
    let procedure = &steady.procedure;
    let mut lines = style.wrapped("", &format!("{}: {}", steady.label, what(procedure)));
    lines.push(String::new());
    lines.extend(before_lines(document, steady, style));
    lines.extend(matrix_lines(document, steady, style));
    for (phase, result) in steady.tests() {
        lines.push(String::new());
        lines.extend(rounds::lines(document, procedure, phase, result, style));
    }
    lines.extend(after_lines(document, steady, style));
    lines.push(String::new());
    lines.extend(style.wrapped("", &legend(steady)));
    if let Some(differences) = differences(procedure) {
        lines.extend(style.wrapped("", &format!("{}.", capital(&differences))));
    }
    let expected = format!(
        "Expected before it began: {}; {}.",
        expected(procedure),
        procedure.estimate.assumptions.join("; ")
    );
    lines.extend(style.wrapped("", &expected));
    lines
}

fn capital(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(signs).collect()
    })
}

fn legend(steady: &SteadyDocument) -> String {
    let window = steady.procedure.window;
    format!(
        "Figures are means over the window, the last {} rounds ([n]). Steady: in two windows in a \
         row the range is at most {} % of the mean and the best line moves by at most {} %. \
         ? UNVERIFIED; ! INVALID; * interrupted or failed; no sign: VERIFIED.",
        window.rounds,
        window.range_permille_max / 10,
        window.excursion_permille_max / 10
    )
}

/// Purge and preconditioning: what was moved, how fast, and whether that is proven.
fn before_lines(
    document: &RunDocument,
    steady: &SteadyDocument,
    style: &TableStyle,
) -> Vec<String> {
    let before = steady.phases.iter().filter(|phase| {
        matches!(
            phase.kind,
            SteadyPhaseKind::Purge | SteadyPhaseKind::Precondition
        )
    });
    let results = before
        .flat_map(|phase| &phase.figures)
        .filter_map(|figures| document.result_at(figures.result));
    let mut lines: Vec<String> = results
        .flat_map(|result| style.wrapped("", &before_line(result)))
        .collect();
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

fn before_line(result: &ResultDocument) -> String {
    let name = row_name(result);
    let bytes = Bytes(result.trials.iter().map(|trial| trial.bytes).sum());
    let time = Nanos(result.trials.iter().map(|trial| trial.elapsed_ns).sum());
    let rate = result.bandwidth_bytes_per_s.as_ref();
    let rate = rate.map_or_else(
        || number::MISSING.to_owned(),
        |figures| format!("{} MB/s", number::rate(figures.median_mb_per_s)),
    );
    let verdict = verdict_cell(result, 1);
    if result.workload.operations.single() == Some(Operation::Trim) {
        return format!("{name}: {bytes} discarded in {}", duration(time));
    }
    format!("{name}: {bytes} in {}, {rate}, {verdict}", duration(time))
}

/// What was measured once it was steady.
fn after_lines(document: &RunDocument, steady: &SteadyDocument, style: &TableStyle) -> Vec<String> {
    let after = steady
        .phases
        .iter()
        .filter(|phase| phase.kind == SteadyPhaseKind::Afterwards);
    let results = after
        .flat_map(|phase| &phase.figures)
        .filter_map(|figures| document.result_at(figures.result));
    let of_result = |result: &ResultDocument| {
        let latency = result.latency_ns.as_ref()?;
        let mean = Nanos(whole(latency.mean));
        let text = format!(
            "mean {mean}, p50 {}, p99 {}, p99.9 {}, p99.99 {}, max {}, {}",
            number::latency(latency.p50),
            number::latency(latency.p99),
            number::latency(latency.p99_9),
            number::latency(latency.p99_99),
            number::latency(latency.max),
            verdict_cell(result, 1)
        );
        Some(style.wrapped(&format!("{}: ", style.text(&row_name(result))), &text))
    };
    let mut lines: Vec<String> = results.filter_map(of_result).flatten().collect();
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    lines
}

/// Block sizes down, mixes across, each cell the mean over its window.
fn matrix_lines(
    document: &RunDocument,
    steady: &SteadyDocument,
    style: &TableStyle,
) -> Vec<String> {
    let cells: Vec<MatrixCell<'_>> = cells(document, steady).collect();
    let mut sizes: Vec<Bytes> = cells.iter().map(|cell| cell.block).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut reads: Vec<u32> = cells.iter().map(|cell| cell.reads).collect();
    reads.sort_unstable();
    reads.dedup();
    let Some(first) = cells.first() else {
        return Vec::new();
    };
    if steady.procedure.test == SteadyTest::WriteSaturation {
        return style.wrapped("", &saturation_line(steady, first));
    }
    let heading = heading(first.figure, style);
    let titles = Column {
        group: "",
        title: style.text("Block"),
        align: Align::Right,
        cells: sizes.iter().map(Bytes::to_string).collect(),
    };
    let column = |reads: &u32| Column {
        group: "",
        title: format!("{reads}/{} ", 100 - reads),
        align: Align::Right,
        cells: sizes
            .iter()
            .map(|size| {
                let here = cells
                    .iter()
                    .find(|cell| cell.block == *size && cell.reads == *reads);
                let text = here.map_or_else(
                    || number::MISSING.to_owned(),
                    |cell| format!("{}{}", value(cell, style), sign(cell.result)),
                );
                style.text(&text)
            })
            .collect(),
    };
    let mut lines = vec![style.text(&heading)];
    lines.extend(fitting(titles, reads.iter().rev().map(column), style));
    lines
}

/// Where a single row began and where it has come to.
fn saturation_line(steady: &SteadyDocument, only: &MatrixCell<'_>) -> String {
    let bytes: u64 = only.result.trials.iter().map(|trial| trial.bytes).sum();
    let time = only
        .result
        .trials
        .iter()
        .map(|trial| trial.elapsed_ns)
        .sum();
    let capacity = steady.procedure.capacity_bytes;
    let tracked = steady.phases.iter().flat_map(|phase| &phase.tracked).next();
    let first = tracked.and_then(|tracked| tracked.rounds.first().copied());
    let began = match first.zip(only.figures.get(only.figure)) {
        Some((first, last)) => format!(
            "; {} IOPS in the first round, {} in the last window ({})",
            number::rate(first),
            number::rate(last),
            number::percent(last / first)
        ),
        None => String::new(),
    };
    format!(
        "{}: {} ({} × the capacity of {capacity}) in {}{began}{}",
        row_name(only.result),
        Bytes(bytes),
        number::rate(times(bytes, capacity)),
        duration(Nanos(time)),
        sign(only.result).trim_end()
    )
}

#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
fn times(bytes: u64, capacity: Bytes) -> f64 {
    bytes as f64 / capacity.0 as f64
}

/// A cell of the matrix.
pub(crate) struct MatrixCell<'a> {
    pub(crate) block: Bytes,
    /// Percent of reads.
    pub(crate) reads: u32,
    pub(crate) figure: RoundFigure,
    pub(crate) figures: &'a WindowFigures,
    pub(crate) result: &'a ResultDocument,
}

/// All cells of the test, in the plan's order.
pub(crate) fn cells<'a>(
    document: &'a RunDocument,
    steady: &'a SteadyDocument,
) -> impl Iterator<Item = MatrixCell<'a>> {
    let tests = steady.tests();
    tests.flat_map(move |(phase, made)| {
        made.figures.iter().filter_map(move |figures| {
            let result = document.result_at(figures.result)?;
            Some(MatrixCell {
                block: result.workload.blocks.largest(),
                reads: result.workload.operations.percent(Operation::Read),
                figure: phase.figure,
                figures,
                result,
            })
        })
    })
}

fn heading(figure: RoundFigure, style: &TableStyle) -> String {
    let what = match figure {
        RoundFigure::Iops => "IOPS",
        RoundFigure::LatencyMeanNs => "Mean latency",
        RoundFigure::BytesPerSecond => style.unit.name(),
    };
    format!("{what} by block size and percent of reads/writes")
}

fn value(cell: &MatrixCell<'_>, style: &TableStyle) -> String {
    // Bandwidths can be asked for in other units.
    let figure = match (cell.figure, style.unit) {
        (RoundFigure::BytesPerSecond, BandwidthUnit::IosPerSecond) => RoundFigure::Iops,
        (figure, _) => figure,
    };
    shown(cell.figures.get(figure), figure, style)
}

#[cfg(test)]
pub(crate) mod tests;
