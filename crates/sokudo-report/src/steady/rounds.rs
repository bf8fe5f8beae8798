//! The rounds of tracked rows, one under the other, with what the last window looks like.

use sokudo_model::{RoundFigure, SteadyPhase, SteadyProcedure, SteadyTest};

use super::columns::{fitting, shown};
use crate::document::{PhaseDocument, RunDocument, TrackedDocument};
use crate::grouping::row_name;
use crate::layout::{Align, Column};
use crate::number;
use crate::style::TableStyle;

/// Up to so many rounds all are shown.
const ROUNDS_SHOWN: u32 = 25;
/// Of more rounds, so many at the start and so many before the window.
const ROUNDS_AT_ENDS: u32 = 5;

pub(super) fn lines(
    document: &RunDocument,
    procedure: &SteadyProcedure,
    phase: &SteadyPhase,
    made: &PhaseDocument,
    style: &TableStyle,
) -> Vec<String> {
    let mut lines = style.wrapped("", &outcome(procedure, phase, made));
    if made.rounds == 0 {
        return lines;
    }
    let shown_rounds = shown_rounds(made.rounds, procedure.window.rounds);
    let first = Column {
        group: "",
        title: style.text("Round"),
        align: Align::Right,
        cells: names(&shown_rounds, made, procedure, style),
    };
    let columns = made
        .tracked
        .iter()
        .map(|tracked| column(document, tracked, &shown_rounds, procedure, style));
    lines.extend(fitting(first, columns, style));
    lines
}

/// How it ended, in a sentence.
fn outcome(procedure: &SteadyProcedure, phase: &SteadyPhase, made: &PhaseDocument) -> String {
    let unit = match phase.figure {
        RoundFigure::Iops => "IOPS",
        RoundFigure::BytesPerSecond => "bandwidth",
        RoundFigure::LatencyMeanNs => "mean latency",
    };
    let plural = if made.rounds == 1 { "" } else { "s" };
    let rounds = format!("after {} round{plural}", made.rounds);
    let end = match (made.is_steady, made.window) {
        (Some(true), Some([from, to])) => format!("steady {rounds}, window {from} to {to}"),
        (_, Some([from, to])) => {
            let why = match (procedure.test, phase.written_bytes_max) {
                _ if made.rounds == phase.rounds_max => "the most that was allowed".to_owned(),
                (SteadyTest::WriteSaturation, Some(most)) => format!("{most} written"),
                _ => "ended before".to_owned(),
            };
            format!("NOT STEADY {rounds} ({why}); shown is the last window, {from} to {to}")
        }
        (_, None) => format!("NOT STEADY: ended {rounds}, and a window has five"),
    };
    format!("Tracked {unit}: {end}.")
}

/// Which rounds are shown; 0 stands for those left out.
fn shown_rounds(rounds: u32, window: u32) -> Vec<u32> {
    if rounds <= ROUNDS_SHOWN {
        return (1..=rounds).collect();
    }
    let from = rounds - window - ROUNDS_AT_ENDS + 1;
    (1..=ROUNDS_AT_ENDS)
        .chain([0])
        .chain(from..=rounds)
        .collect()
}

fn names(
    shown: &[u32],
    made: &PhaseDocument,
    procedure: &SteadyProcedure,
    style: &TableStyle,
) -> Vec<String> {
    let name = |round: &u32| match (round, made.window) {
        (0, _) => "...".to_owned(),
        (round, Some([from, to])) if (from..=to).contains(round) => format!("[{round}]"),
        (round, _) => format!("{round} "),
    };
    let window = procedure.window;
    let at_most = if style.ascii { "<=" } else { "≤" };
    let mut names: Vec<String> = shown.iter().map(name).collect();
    if made.window.is_some() {
        let range = format!("range {at_most} {} %", window.range_permille_max / 10);
        let line = format!("line {at_most} {} %", window.excursion_permille_max / 10);
        names.extend(["mean", &range, &line].map(|label| style.text(label)));
    }
    names
}

fn column(
    document: &RunDocument,
    tracked: &TrackedDocument,
    shown_rounds: &[u32],
    procedure: &SteadyProcedure,
    style: &TableStyle,
) -> Column {
    let value = |round: &u32| {
        let place = usize::try_from(round.checked_sub(1)?).ok()?;
        tracked.rounds.get(place).copied()
    };
    let mut cells: Vec<String> = shown_rounds
        .iter()
        .map(|round| match round {
            0 => "...".to_owned(),
            round => shown(value(round), tracked.figure, style),
        })
        .collect();
    if let Some(last) = tracked.windows.last() {
        let window = procedure.window;
        let figures = last.figures;
        let share = |value: Option<f64>, permille: u32| match value {
            Some(value) => {
                let word = if value <= f64::from(permille) / 1e3 {
                    ""
                } else {
                    "over "
                };
                format!("{word}{}", number::percent(value))
            }
            None => number::MISSING.to_owned(),
        };
        cells.push(shown(figures.map(|it| it.mean), tracked.figure, style));
        let range = figures.map(|it| it.range_share);
        cells.push(share(range, window.range_permille_max));
        let line = figures.map(|it| it.excursion_share);
        cells.push(share(line, window.excursion_permille_max));
    }
    Column {
        group: "",
        title: document
            .result_at(tracked.result)
            .map_or_else(String::new, |result| style.text(&row_name(result))),
        align: Align::Right,
        cells: cells.iter().map(|cell| style.text(cell)).collect(),
    }
}
