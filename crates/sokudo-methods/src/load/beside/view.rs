//! A workload beside another one and alone: latencies, rates, and what becomes of them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use sokudo_model::{Row, Run};
use sokudo_report::document::{ViewKind, sparse};
use sokudo_stats::Histogram;

use crate::load::beside::comparison::{
    BesideFigure, LatencyFigure, PairedRow, WorkloadPair, latencies,
};

/// What documents call it.
pub(crate) static VIEW: ViewKind =
    ViewKind::new::<BesideDocument>("beside", |run, _| Some(Arc::new(BesideDocument::of(run)?)));

/// A workload and its neighbour, each alone and both at the same time, by turns.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct BesideDocument {
    /// The workload that is asked about, at a fixed rate.
    pub row: BesideRowDocument,
    /// The one beside it, in a closed loop.
    pub neighbour: BesideRowDocument,
}

/// Figures of one of the two workloads, alone and beside the other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct BesideRowDocument {
    /// The place in `figures`, from 0, of its row alone.
    pub alone: usize,
    /// The same beside the other one.
    pub beside: usize,
    /// Whether a fixed rate was kept alone; null where there is none, and where no trial was
    /// complete.
    pub rate_kept_alone: Option<bool>,
    /// Whether it was kept beside the other one.
    pub rate_kept_beside: Option<bool>,
    /// I/Os per second; null where no round was complete.
    pub ios_per_s: Option<BesideFigure>,
    /// Latencies, nanoseconds: at a fixed rate from the intended start of an I/O, of service
    /// otherwise. A figure that a trial has too few I/Os for is missing.
    pub latency_ns: Vec<BesideLatencyDocument>,
    /// The same latencies of all trials alone, as `[low_ns, high_ns, count]` for each bucket that
    /// holds something.
    #[serde(skip)]
    pub histogram_alone: Vec<[u64; 3]>,
    /// The same of all trials beside the other one.
    #[serde(skip)]
    pub histogram_beside: Vec<[u64; 3]>,
}

/// A figure of the latencies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct BesideLatencyDocument {
    /// `mean`, `p50`, `p95`, `p99`, `p99.9` or `max`.
    pub figure: String,
    /// Nanoseconds alone and beside the other workload, and the ratio of the two.
    #[serde(flatten)]
    pub compared: BesideFigure,
}

impl BesideDocument {
    /// Of a run of this method; `None` of any other, and where it did not come so far.
    pub(crate) fn of(run: &Run) -> Option<Self> {
        let beside = WorkloadPair::of(run)?;
        Some(Self {
            row: BesideRowDocument::of(&beside.row),
            neighbour: BesideRowDocument::of(&beside.neighbour),
        })
    }
}

impl BesideRowDocument {
    fn of(row: &PairedRow<'_>) -> Self {
        let [alone, beside] = row.row_indices;
        let [rate_kept_alone, rate_kept_beside] = row.rate_kept();
        let figures = LatencyFigure::ALL.into_iter().filter_map(|figure| {
            Some(BesideLatencyDocument {
                figure: figure.name().to_owned(),
                compared: row.latency(figure)?,
            })
        });
        Self {
            alone,
            beside,
            rate_kept_alone,
            rate_kept_beside,
            ios_per_s: row.rate(),
            latency_ns: figures.collect(),
            histogram_alone: of_all_trials(row.alone),
            histogram_beside: of_all_trials(row.beside),
        }
    }

    /// The figure that may stand for all: p99, or the highest below it that there are enough
    /// I/Os for.
    pub(crate) fn headline(&self) -> Option<&BesideLatencyDocument> {
        let named = |name| self.latency_ns.iter().find(move |it| it.figure == name);
        ["p99", "p95", "p50"].into_iter().find_map(named)
    }
}

fn of_all_trials(row: &Row) -> Vec<[u64; 3]> {
    let trials = row.trials.iter();
    let all = trials.filter_map(|trial| latencies(&trial.outcome));
    let all = all.reduce(|mut all: Histogram, one| {
        all.merge(&one);
        all
    });
    all.as_ref().map_or_else(Vec::new, sparse)
}
