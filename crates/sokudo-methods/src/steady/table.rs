//! A steady procedure as people read it: what it will take, then the matrix of its window,
//! the rounds of the tracked rows, and in what it is not as the PTS has it.
//!
//! It never says that a result is one of the PTS.

mod rounds;
mod value;

use std::collections::BTreeSet;

use sokudo_model::{
    Bytes, Nanos, Operation, RoundFigure, SteadyClass, SteadyPhaseKind, SteadyProcedure, SteadyTest,
};
use sokudo_report::article::{Article, Element};
use sokudo_report::document::{ResultDocument, RunDocument};
use sokudo_report::grouping::row_name;
use sokudo_report::number::{self, exact_time, float};
use sokudo_report::shortfall::{sign, verdict_text};
use sokudo_report::style::BandwidthUnit;
use sokudo_report::table::{Table, right};
use sokudo_report::view::{ShownBehind, ShownView};
use sokudo_report::wording::{duration, row};
use sokudo_words::{Text, text};
use value::shown;

use crate::steady::view::{SteadyDocument, WindowFigures};

use super::csv;

/// What a procedure will take, before it has begun: a line on what is done, one on time and
/// writes, one on what that rests on, and one on what differs from the PTS.
pub(crate) fn estimate_lines(procedure: &SteadyProcedure) -> Vec<Text> {
    let mut lines = vec![
        text!("{}: {}", procedure.label.name(), what(procedure)),
        text!("expected: {}", expected(procedure)),
        all(&procedure.estimate.assumptions),
    ];
    lines.extend(differences(procedure).map(|all| text!("not as the PTS has it: {all}")));
    lines
}

fn differences(procedure: &SteadyProcedure) -> Option<Text> {
    let differences = &procedure.differences;
    (!differences.is_empty()).then(|| all(differences))
}

fn all(sentences: &[Text]) -> Text {
    Text::list(sentences.iter().cloned(), "; ")
}

fn expected(procedure: &SteadyProcedure) -> Text {
    let estimate = &procedure.estimate;
    let range = |low: Text, high: Text| match low == high {
        true => low,
        false => text!("{low} to {high}"),
    };
    let size = |bytes| Text::name(number::decimal_size(bytes, 3));
    text!(
        "{}, and {} written",
        range(duration(estimate.time_min), duration(estimate.time_max)),
        range(
            size(estimate.written_bytes_min),
            size(estimate.written_bytes_max)
        )
    )
}

/// Test, load and range.
fn what(procedure: &SteadyProcedure) -> Text {
    let test = Text::from(match procedure.test {
        SteadyTest::Iops => "IOPS",
        SteadyTest::Throughput => "throughput",
        SteadyTest::Latency => "latency",
        SteadyTest::WriteSaturation => "write saturation",
    });
    let load = Text::from(match (procedure.test, procedure.class) {
        (SteadyTest::Latency, SteadyClass::Client) => "as PTS-C, one I/O at a time",
        (SteadyTest::Latency, SteadyClass::Enterprise) => "as PTS-E, one I/O at a time",
        (_, SteadyClass::Client) => "as PTS-C, 2 threads at depth 16",
        (_, SteadyClass::Enterprise) => "as PTS-E, 4 threads at depth 32",
    });
    text!(
        "{test}, {load}, on the first {} of {}",
        procedure.active_range_bytes,
        procedure.capacity_bytes
    )
}

impl ShownView for SteadyDocument {
    fn add_figures<'a>(
        &'a self,
        article: &mut Article<'a>,
        document: &'a RunDocument,
        unit: BandwidthUnit,
    ) -> ShownBehind {
        let procedure = &self.procedure;
        article.paragraph(text!("{}: {}", self.label, what(procedure)));
        let before = |kind| matches!(kind, SteadyPhaseKind::Purge | SteadyPhaseKind::Precondition);
        let before = of_phases(document, self, before).map(before_line);
        article.notes(before.collect());
        add_matrix(article, document, self, unit);
        for (phase, result) in self.tests() {
            let rounds = rounds::table(document, procedure, (phase, result), unit);
            article.add(Element::Table(rounds));
        }
        let after = of_phases(document, self, |kind| kind == SteadyPhaseKind::Afterwards);
        let after: Vec<_> = after.filter_map(after_line).collect();
        if !after.is_empty() {
            article.add(Element::OfRows(after));
            article.paragraph(CLOSED_LOOP);
        }
        let mut notes = vec![legend(self)];
        let differences = differences(procedure);
        notes.extend(differences.map(|all| text!("{}.", text!("Not as the PTS has it: {all}"))));
        notes.push(text!(
            "Expected before it began: {}; {}.",
            expected(procedure),
            all(&procedure.estimate.assumptions)
        ));
        article.notes(notes);
        ShownBehind::NoRows
    }

    fn fact(&self, label: &'static str, document: &RunDocument) -> Option<Option<Text>> {
        match label {
            "Span" => Some(None),
            "Trials" => Some(Some(rounds_made(document, self))),
            _ => None,
        }
    }

    fn csv(&self, document: &RunDocument) -> Option<String> {
        Some(csv::render(document, self))
    }

    fn has_headlines(&self) -> bool {
        false
    }
}

fn rounds_made(document: &RunDocument, steady: &SteadyDocument) -> Text {
    let rounds = text!(
        "{} rounds at most, rows alternating, {} per row, no pauses",
        document.schedule.trials,
        exact_time(steady.procedure.round_time)
    );
    let end = document.interrupted.then(|| Text::from("interrupted"));
    Text::list(std::iter::once(rounds).chain(end), "; ")
}

/// The results of phases of these kinds.
fn of_phases<'a>(
    document: &'a RunDocument,
    steady: &'a SteadyDocument,
    is_meant: impl Fn(SteadyPhaseKind) -> bool,
) -> impl Iterator<Item = &'a ResultDocument> {
    let phases = steady
        .phases
        .iter()
        .filter(move |phase| is_meant(phase.kind));
    phases
        .flat_map(|phase| &phase.figures)
        .filter_map(|figures| document.result_at(figures.result))
}

fn legend(steady: &SteadyDocument) -> Text {
    let window = steady.procedure.window;
    text!(
        "Figures are means over the window, the last {} rounds ([n]). Steady: in two windows in a row the range is at most {} % of the mean and the best-fit line moves by at most {} %. ? UNVERIFIED; ! INVALID; * interrupted or failed; no sign: VERIFIED.",
        window.rounds,
        window.range_permille_max / 10,
        window.excursion_permille_max / 10
    )
}

/// Purge and preconditioning: what was moved, how fast, and whether that is proven.
fn before_line(result: &ResultDocument) -> Text {
    let name = row(&row_name(result));
    let bytes = Bytes(result.trials.iter().map(|trial| trial.bytes).sum());
    let time = Nanos(result.trials.iter().map(|trial| trial.elapsed_ns).sum());
    let rate = result.bandwidth_bytes_per_s.as_ref();
    let rate = rate.map_or_else(
        || number::MISSING.to_owned(),
        |figures| format!("{} MB/s", number::rate(figures.median_mb_per_s)),
    );
    let verdict = verdict_text(result, 1);
    if result.workload.operations.single() == Some(Operation::Trim) {
        return text!("{name}: {bytes} discarded in {}", duration(time));
    }
    text!("{name}: {bytes} in {}, {rate}, {verdict}", duration(time))
}

/// What rare latencies leave out whose next I/O waits for the one before.
const CLOSED_LOOP: &str = "p99.9 and p99.99 of a closed loop: while the disk stalls, no new I/O starts, so stalls are under-counted; for latency under a load, fix the rate (sokudo load).";

/// What was measured once it was steady.
fn after_line(result: &ResultDocument) -> Option<(Text, Text)> {
    let latency = result.latency_ns.as_ref()?;
    let mean = number::nanos(latency.mean);
    let text = text!(
        "mean {mean}, p50 {}, p95 {}, p99 {}, p99.9 {}, p99.99 {}, max {}, {}",
        number::latency(latency.p50),
        number::latency(latency.p95),
        number::latency(latency.p99),
        number::latency(latency.p99_9),
        number::latency(latency.p99_99),
        number::latency(latency.max),
        verdict_text(result, 1)
    );
    Some((row(&row_name(result)), text))
}

/// Block sizes down, mixes across, each cell the mean over its window.
fn add_matrix(
    article: &mut Article<'_>,
    document: &RunDocument,
    steady: &SteadyDocument,
    unit: BandwidthUnit,
) {
    let cells: Vec<SteadyResult<'_>> = cells(document, steady).collect();
    let Some(first) = cells.first() else {
        return;
    };
    if steady.procedure.test == SteadyTest::WriteSaturation {
        return article.paragraph(saturation_line(steady, first));
    }
    let sizes: BTreeSet<Bytes> = cells.iter().map(|cell| cell.block).collect();
    let reads: BTreeSet<u32> = cells.iter().map(|cell| cell.reads).collect();
    let sizes: Vec<Bytes> = sizes.into_iter().collect();
    let mut rows = Table::of(&sizes).column(right("Block"), |size| Some(size.to_string()));
    for reads in reads.into_iter().rev() {
        let title = Text::name(format!("{reads}/{} ", 100 - reads));
        rows = rows.column(right(title), |size| {
            let mut cells = cells.iter();
            let cell = cells.find(|cell| cell.block == *size && cell.reads == reads)?;
            Some(format!("{}{}", value(cell, unit), sign(cell.result)))
        });
    }
    let matrix = rows
        .table()
        .repeating(1)
        .titled(heading(first.figure, unit));
    article.add(Element::Table(matrix));
}

/// Where a single row began and where it has come to.
fn saturation_line(steady: &SteadyDocument, only: &SteadyResult<'_>) -> Text {
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
    let began = first.zip(only.figures.get(only.figure));
    let began = began.map(|(first, last)| {
        text!(
            "{} IOPS in the first round, {} in the last window ({})",
            number::rate(first),
            number::rate(last),
            number::percent(last / first)
        )
    });
    let written = text!(
        "{}: {} ({} × the capacity of {capacity}) in {}",
        row(&row_name(only.result)),
        Bytes(bytes),
        number::rate(times(bytes, capacity)),
        duration(Nanos(time))
    );
    let line = Text::list(std::iter::once(written).chain(began), "; ");
    text!("{line}{}", sign(only.result).trim_end())
}

fn times(bytes: u64, capacity: Bytes) -> f64 {
    float(bytes) / float(capacity.0)
}

/// One cell of the steady-state matrix with its figures.
pub(crate) struct SteadyResult<'a> {
    pub(crate) block: Bytes,
    /// Reads in percent of all I/Os; the rest are writes.
    pub(crate) reads: u32,
    pub(crate) figure: RoundFigure,
    pub(crate) figures: &'a WindowFigures,
    pub(crate) result: &'a ResultDocument,
}

/// All cells of the test, in the plan's order.
pub(crate) fn cells<'a>(
    document: &'a RunDocument,
    steady: &'a SteadyDocument,
) -> impl Iterator<Item = SteadyResult<'a>> {
    let tests = steady.tests();
    tests.flat_map(move |(phase, made)| {
        made.figures.iter().filter_map(move |figures| {
            let result = document.result_at(figures.result)?;
            Some(SteadyResult {
                block: result.workload.blocks.largest(),
                reads: result.workload.operations.percent(Operation::Read),
                figure: phase.figure,
                figures,
                result,
            })
        })
    })
}

fn heading(figure: RoundFigure, unit: BandwidthUnit) -> Text {
    let what = Text::from(match figure {
        RoundFigure::Iops => "IOPS",
        RoundFigure::LatencyMeanNs => "Mean latency",
        RoundFigure::BytesPerSecond => unit.name(),
    });
    text!("{what} by block size and percent of reads/writes")
}

fn value(cell: &SteadyResult<'_>, unit: BandwidthUnit) -> String {
    // Bandwidths can be asked for in other units.
    let figure = match (cell.figure, unit) {
        (RoundFigure::BytesPerSecond, BandwidthUnit::IosPerSecond) => RoundFigure::Iops,
        (figure, _) => figure,
    };
    shown(cell.figures.get(figure), figure, unit)
}

#[cfg(test)]
pub(crate) mod tests;
