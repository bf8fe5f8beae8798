//! What a steady procedure came to: its rounds, the windows that were looked at, and the
//! figures of the last one.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{
    RoundFigure, Row, Run, SteadyPhase, SteadyPhaseKind, SteadyProcedure, SteadyWindow, WindowLook,
    narrow,
};
use sokudo_report::document::ViewKind;

/// What documents call it.
pub(crate) static VIEW: ViewKind =
    ViewKind::new::<SteadyDocument>("steady", |run, _| Some(Arc::new(SteadyDocument::of(run)?)));

/// A procedure with its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SteadyDocument {
    /// What the figures may be called, such as `PTS-like (steady)`. Never a result of the
    /// PTS.
    pub label: String,
    /// Whether every phase that has to be steady is, by two windows in a row.
    pub is_steady: bool,
    /// What was to be done.
    pub procedure: SteadyProcedure,
    /// What came of each of its phases, in the same order.
    pub phases: Vec<PhaseDocument>,
}

/// What came of one phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PhaseDocument {
    /// What its rows are for.
    pub kind: SteadyPhaseKind,
    /// Rounds that were carried out to their end.
    pub rounds: u32,
    /// Whether its tracked rows ended steady; null where none are tracked.
    pub is_steady: Option<bool>,
    /// First and last round of the window that the figures are of; null where there were
    /// fewer rounds than it has.
    pub window: Option<[u32; 2]>,
    /// The rows by which that was told.
    pub tracked: Vec<TrackedDocument>,
    /// Every row's figures in the window.
    pub figures: Vec<WindowFigures>,
}

/// A tracked row, round by round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct TrackedDocument {
    /// Which of the figures, counted from 0.
    pub result: u32,
    /// What the values are.
    pub figure: RoundFigure,
    /// One value per round.
    pub rounds: Vec<f64>,
    /// Every window of these rounds, in order of time.
    pub windows: Vec<WindowLook>,
}

/// Means over the rounds of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct WindowFigures {
    /// Which of the figures, counted from 0.
    pub result: u32,
    /// Reads and writes per second.
    pub iops_mean: Option<f64>,
    /// Mean rate of reads and writes together, in bytes per second.
    pub bytes_per_s_mean: Option<f64>,
    /// Mean of the rounds' mean latencies, nanoseconds.
    pub latency_mean_ns: Option<f64>,
}

impl SteadyDocument {
    /// Of a run that followed a procedure.
    pub(super) fn of(run: &Run) -> Option<Self> {
        let procedure = run.schedule.steady.as_deref()?;
        let is_steady = procedure.is_steady(&run.rows);
        let phases = procedure.phases.iter();
        Some(Self {
            label: procedure.label(is_steady),
            is_steady,
            phases: phases
                .map(|phase| PhaseDocument::of(phase, &procedure.window, &run.rows))
                .collect(),
            procedure: procedure.clone(),
        })
    }

    /// The phases that are the test itself, with what was to be done in each.
    pub(crate) fn tests(&self) -> impl Iterator<Item = (&SteadyPhase, &PhaseDocument)> {
        let all = self.procedure.phases.iter().zip(&self.phases);
        all.filter(|(_, phase)| phase.kind == SteadyPhaseKind::Rounds)
    }
}

impl PhaseDocument {
    fn of(phase: &SteadyPhase, window: &SteadyWindow, rows: &[Row]) -> Self {
        let of_phase = phase.rows_of(rows);
        let made = of_phase
            .iter()
            .map(|row| RoundFigure::BytesPerSecond.of_all(&row.trials).len())
            .min();
        let rounds = made.and_then(|made| u32::try_from(made).ok()).unwrap_or(0);
        let first = rounds.checked_sub(window.rounds);
        let is_test = phase.kind == SteadyPhaseKind::Rounds;
        let range = first.filter(|_| is_test).map(|first| [first + 1, rounds]);
        let tracked = phase.tracked.iter().zip(phase.tracked_rounds(rows));
        Self {
            kind: phase.kind,
            rounds,
            is_steady: phase.is_steady(window, rows),
            window: range,
            tracked: tracked
                .map(|(result, rounds)| TrackedDocument {
                    result: *result,
                    figure: phase.figure,
                    windows: window.looks(&rounds),
                    rounds,
                })
                .collect(),
            figures: (phase.first_row..)
                .zip(of_phase)
                .map(|(result, row)| WindowFigures::of(result, row, range, rounds))
                .collect(),
        }
    }
}

impl WindowFigures {
    /// Of a row in the rounds of a window, or of all of them where there is none.
    fn of(result: u32, row: &Row, window: Option<[u32; 2]>, rounds: u32) -> Self {
        let index = narrow::<u32, usize>;
        let [first, last] = window.unwrap_or([1, rounds]);
        let mean = |figure: RoundFigure| {
            let values = figure.of_all(&row.trials);
            let values = values.get(index(first.saturating_sub(1))..index(last))?;
            let count = u32::try_from(values.len())
                .ok()
                .filter(|count| *count > 0)?;
            Some(values.iter().sum::<f64>() / f64::from(count))
        };
        Self {
            result,
            iops_mean: mean(RoundFigure::Iops),
            bytes_per_s_mean: mean(RoundFigure::BytesPerSecond),
            latency_mean_ns: mean(RoundFigure::LatencyMeanNs),
        }
    }

    /// The one that a phase looks at.
    pub(crate) const fn get(&self, figure: RoundFigure) -> Option<f64> {
        match figure {
            RoundFigure::Iops => self.iops_mean,
            RoundFigure::BytesPerSecond => self.bytes_per_s_mean,
            RoundFigure::LatencyMeanNs => self.latency_mean_ns,
        }
    }
}
