//! The rounds of tracked rows, one under the other, with what the last window looks like.

use sokudo_model::{RoundFigure, SteadyPhase, SteadyProcedure, SteadyTest};
use sokudo_report::document::RunDocument;
use sokudo_report::grouping::row_name;
use sokudo_report::number;
use sokudo_report::style::BandwidthUnit;
use sokudo_report::table::{Cell, Table, right};
use sokudo_report::wording::row;
use sokudo_words::{Text, text};

use crate::steady::table::value::shown;
use crate::steady::view::{PhaseDocument, TrackedDocument};

/// Up to so many rounds all are shown.
const ROUNDS_SHOWN: u32 = 25;
/// Of more rounds, so many at the start and so many before the window.
const ROUNDS_AT_ENDS: u32 = 5;

/// A line of the table.
enum RoundLine {
    Round(u32),
    /// For rounds that are not shown.
    LeftOut,
    Mean,
    Range,
    Excursion,
}

/// The rounds, below how they ended; no lines where there was none.
pub(super) fn table(
    document: &RunDocument,
    procedure: &SteadyProcedure,
    (phase, made): (&SteadyPhase, &PhaseDocument),
    unit: BandwidthUnit,
) -> Table {
    let lines = lines(made, procedure.window.rounds);
    let mut rows = Table::of(&lines);
    if made.rounds > 0 {
        rows = rows.column(right("Round"), |line| Some(name(line, made, procedure)));
        for tracked in &made.tracked {
            let result = document.result_at(tracked.result);
            let title = result.map(|result| row(&row_name(result)));
            rows = rows.column(right(title.unwrap_or_default()), |line| {
                cell(line, tracked, procedure, unit)
            });
        }
    }
    rows.table()
        .repeating(1)
        .titled(outcome(procedure, phase, made))
}

/// How it ended, in a sentence.
fn outcome(procedure: &SteadyProcedure, phase: &SteadyPhase, made: &PhaseDocument) -> Text {
    let unit = Text::from(match phase.figure {
        RoundFigure::Iops => "IOPS",
        RoundFigure::BytesPerSecond => "bandwidth",
        RoundFigure::LatencyMeanNs => "mean latency",
    });
    let plural = if made.rounds == 1 { "" } else { "s" };
    let rounds = text!("after {} round{plural}", made.rounds);
    let end = match (made.is_steady, made.window) {
        (Some(true), Some([from, to])) => text!("steady {rounds}, window {from} to {to}"),
        (_, Some([from, to])) => {
            let why = match (procedure.test, phase.written_bytes_max) {
                _ if made.rounds == phase.rounds_max => "the most that was allowed".into(),
                (SteadyTest::WriteSaturation, Some(most)) => text!("{most} written"),
                _ => "ended before".into(),
            };
            text!("NOT STEADY {rounds} ({why}); shown is the last window, {from} to {to}")
        }
        (_, None) => text!("NOT STEADY: ended {rounds}, but a window needs five"),
    };
    text!("Tracked {unit}: {end}.")
}

/// The rounds that are shown, and what the last window looks like.
fn lines(made: &PhaseDocument, window: u32) -> Vec<RoundLine> {
    let mut lines: Vec<RoundLine> = (1..=made.rounds).map(RoundLine::Round).collect();
    if made.rounds > ROUNDS_SHOWN {
        let from = made.rounds - window - ROUNDS_AT_ENDS + 1;
        let at_ends = |line: &RoundLine| match line {
            RoundLine::Round(round) => *round <= ROUNDS_AT_ENDS || *round >= from,
            _ => true,
        };
        lines.retain(at_ends);
        lines.insert(ROUNDS_AT_ENDS as usize, RoundLine::LeftOut);
    }
    if made.window.is_some() {
        lines.extend([RoundLine::Mean, RoundLine::Range, RoundLine::Excursion]);
    }
    lines
}

fn name(line: &RoundLine, made: &PhaseDocument, procedure: &SteadyProcedure) -> Cell {
    let window = procedure.window;
    match (line, made.window) {
        (RoundLine::LeftOut, _) => Cell::Name("...".to_owned()),
        (RoundLine::Round(round), Some([from, to])) if (from..=to).contains(round) => {
            Cell::Name(format!("[{round}]"))
        }
        (RoundLine::Round(round), _) => Cell::Name(format!("{round} ")),
        (RoundLine::Mean, _) => "mean".into(),
        (RoundLine::Range, _) => text!("range ≤ {} %", window.range_permille_max / 10).into(),
        (RoundLine::Excursion, _) => {
            text!("line ≤ {} %", window.excursion_permille_max / 10).into()
        }
    }
}

fn cell(
    line: &RoundLine,
    tracked: &TrackedDocument,
    procedure: &SteadyProcedure,
    unit: BandwidthUnit,
) -> Option<Cell> {
    let window = procedure.window;
    let last = || tracked.windows.last()?.figures;
    let share = |value: f64, permille: u32| {
        let is_within = value <= f64::from(permille) / 1e3;
        let percent = number::percent(value);
        match is_within {
            true => percent.into(),
            false => text!("over {percent}").into(),
        }
    };
    Some(match line {
        RoundLine::LeftOut => "...".to_owned().into(),
        RoundLine::Round(round) => {
            let index = usize::try_from(round.checked_sub(1)?).ok()?;
            shown(tracked.rounds.get(index).copied(), tracked.figure, unit).into()
        }
        RoundLine::Mean => shown(last().map(|it| it.mean), tracked.figure, unit).into(),
        RoundLine::Range => share(last()?.range_share, window.range_permille_max),
        RoundLine::Excursion => share(last()?.excursion_share, window.excursion_permille_max),
    })
}
