//! What a workload comes to beside another one, and alone: latencies and rates of both, and the
//! ratio of each with its interval.
//!
//! What rules and documents say of it is answered here once. It judges nothing.

use schemars::JsonSchema;
use serde::Serialize;
use sokudo_model::load::{Percentile, RateKept};
use sokudo_model::plan::{Operation, Stage, Workload};
use sokudo_model::run::Run;
use sokudo_model::trial::{Outcome, Row, StopReason, Trial};
use sokudo_model::{MethodKind, MethodTrait};
use sokudo_stats::{Histogram, median_interval};

pub(crate) static METHOD: MethodKind = MethodKind {
    name: "load/beside",
    command: "load",
    is_named: false,
    traits: &[MethodTrait::DecidesTrials],
};

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// A workload and its neighbour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkloadPair<'a> {
    /// The one that is asked about, at a fixed rate.
    pub row: PairedRow<'a>,
    /// The one beside it, in a closed loop.
    pub neighbour: PairedRow<'a>,
}

/// A workload that was measured alone and beside another one, by turns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairedRow<'a> {
    /// Trials in which it ran alone.
    pub alone: &'a Row,
    /// Beside the other one.
    pub beside: &'a Row,
    /// Where the two are among the rows of the run.
    pub row_indices: [usize; 2],
}

/// A figure of which there is one alone and one beside: those of the round whose ratio is the
/// median of all, so that drift over the rounds is in none of the three. Of an even number of
/// rounds it is the geometric mean of the two in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct BesideFigure {
    /// Alone, in the round of the median ratio.
    pub alone: f64,
    /// Beside the other workload, in the same round.
    pub beside: f64,
    /// Beside ÷ alone: the median of the rounds' ratios.
    pub ratio: f64,
    /// The 95 % interval of that median; `None` of fewer than 6 rounds.
    #[serde(rename = "ratio_interval_95")]
    pub interval: Option<[f64; 2]>,
    /// Rounds that it is of.
    pub rounds: usize,
    /// Whether it is another one beside the other workload: the whole interval is on one side of 1,
    /// and the ratio 5 % off at least.
    pub changed: bool,
}

impl BesideFigure {
    /// A ratio within 5 % of 1 is no change that anybody would act upon, whatever its interval.
    pub(crate) const CHANGE_MIN: f64 = 1.05;

    /// Of a pair of figures per round, alone and beside.
    fn of(rounds: &[[f64; 2]]) -> Option<Self> {
        let mut rounds = rounds.to_vec();
        let ratio = |[alone, beside]: &[f64; 2]| beside / alone;
        rounds.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
        let (low, high) = (
            rounds.get(rounds.len().checked_sub(1)? / 2)?,
            rounds.get(rounds.len() / 2)?,
        );
        let [alone, beside] = [0, 1].map(|index| (low[index] * high[index]).sqrt());
        let ratios: Vec<f64> = rounds.iter().map(ratio).collect();
        let interval = median_interval(&ratios, CONFIDENCE);
        let figure = Self {
            alone,
            beside,
            ratio: beside / alone,
            interval: interval.map(|it| [it.low, it.high]),
            rounds: rounds.len(),
            changed: false,
        };
        Some(Self {
            changed: figure.has_risen() || figure.has_fallen(),
            ..figure
        })
    }

    /// Whether it is larger beside the other workload, beyond what chance and drift make of it.
    pub(crate) fn has_risen(&self) -> bool {
        self.ratio >= Self::CHANGE_MIN && self.interval.is_some_and(|[low, _]| low > 1.0)
    }

    /// Whether it is smaller likewise.
    pub(crate) fn has_fallen(&self) -> bool {
        self.ratio * Self::CHANGE_MIN <= 1.0 && self.interval.is_some_and(|[_, high]| high < 1.0)
    }
}

/// A figure of latencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LatencyFigure {
    Mean,
    /// A percentile, where a trial has enough I/Os for it.
    Percentile(Percentile),
    Max,
}

impl LatencyFigure {
    /// Those that are told, from low to high.
    pub(crate) const ALL: [Self; 6] = [
        Self::Mean,
        Self::Percentile(Percentile::P50),
        Self::Percentile(Percentile::P95),
        Self::Percentile(Percentile::P99),
        Self::Percentile(Percentile::P99_9),
        Self::Max,
    ];

    /// Those that may stand for all, the one that is asked for most first.
    const HEADLINES: [Self; 3] = [
        Self::Percentile(Percentile::P99),
        Self::Percentile(Percentile::P95),
        Self::Percentile(Percentile::P50),
    ];

    /// As documents and people call it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Percentile(percentile) => percentile.name(),
            Self::Max => "max",
        }
    }

    fn of(self, latencies: &Histogram) -> Option<f64> {
        match self {
            Self::Mean => latencies.mean(),
            Self::Percentile(it) => Some(latencies.trusted_quantile(it.fraction())? as f64),
            Self::Max => Some(latencies.max()? as f64),
        }
    }
}

/// A workload and its neighbour, each alone and both together, to be measured by turns behind
/// the closed loop that the workload's rate is a share of.
pub(crate) fn stages_beside(row: &Workload, neighbour: &Workload) -> [Stage; 3] {
    let beside = |one: &Workload, other: &Workload| Workload {
        name: [one.name.as_str(), " + ", other.name.as_str()].concat(),
        ..one.clone()
    };
    let both = Stage {
        workloads: vec![beside(row, neighbour), beside(neighbour, row)],
    };
    [
        Stage::alone(row.clone()),
        Stage::alone(neighbour.clone()),
        both,
    ]
}

impl<'a> WorkloadPair<'a> {
    /// Of a run of this method; `None` of any other, and where not all of its rows were planned.
    pub(crate) fn of(run: &'a Run) -> Option<Self> {
        if !run.plan.method.is_of(&METHOD) {
            return None;
        }
        let [_, alone, neighbour_alone, beside, neighbour_beside] = &run.rows[..] else {
            return None;
        };
        Some(Self {
            row: PairedRow {
                alone,
                beside,
                row_indices: [1, 3],
            },
            neighbour: PairedRow {
                alone: neighbour_alone,
                beside: neighbour_beside,
                row_indices: [2, 4],
            },
        })
    }

    /// The workload whose row beside its neighbour `row` is, first, and that neighbour;
    /// `None` where `row` is of neither.
    pub(crate) fn with(&self, row: &Row) -> Option<[PairedRow<'a>; 2]> {
        let both = [self.row, self.neighbour];
        let [one, other] = both;
        [[one, other], [other, one]]
            .into_iter()
            .find(|[one, _]| std::ptr::eq(one.beside, row))
    }
}

impl PairedRow<'_> {
    /// A figure of its latencies.
    pub(crate) fn latency(&self, figure: LatencyFigure) -> Option<BesideFigure> {
        self.figure(|trial| figure.of(&latencies(&trial.outcome)?))
    }

    /// The first of p99, p95 and p50 that all rounds have enough I/Os for.
    pub(crate) fn headline(&self) -> Option<(LatencyFigure, BesideFigure)> {
        let mut figures = LatencyFigure::HEADLINES.into_iter();
        figures.find_map(|figure| Some((figure, self.latency(figure)?)))
    }

    /// I/Os per second, alone and beside; `None` where no round is whole.
    pub(crate) fn rate(&self) -> Option<BesideFigure> {
        self.figure(|trial| {
            let seconds = trial.outcome.elapsed.as_secs_f64();
            (seconds > 0.0).then(|| trial.outcome.ios() as f64 / seconds)
        })
    }

    /// Whether a fixed rate was kept, alone and beside; `None` without one.
    pub(crate) fn rate_kept(&self) -> [Option<bool>; 2] {
        [self.alone, self.beside]
            .map(|row| RateKept::of(&row.workload, &row.trials).map(RateKept::is_kept))
    }

    /// Of each round that was measured to its end in both; `None` where one of them has no such
    /// figure, or none is there.
    fn figure(&self, figure: impl Fn(&Trial) -> Option<f64>) -> Option<BesideFigure> {
        let is_whole = |trial: &&Trial| trial.outcome.stopped == StopReason::Time;
        let rounds = self.alone.trials.iter().zip(&self.beside.trials);
        let rounds = rounds.filter(|(alone, beside)| is_whole(alone) && is_whole(beside));
        let both = rounds.map(|(alone, beside)| Some([figure(alone)?, figure(beside)?]));
        let rounds: Vec<[f64; 2]> = both.collect::<Option<_>>()?;
        BesideFigure::of(&rounds).filter(|figure| figure.alone > 0.0)
    }
}

/// From the intended start at a fixed rate, of service otherwise.
pub(crate) fn latencies(outcome: &Outcome) -> Option<Histogram> {
    if let Some(intended) = outcome.from_intended() {
        return Some(intended);
    }
    let tallies = outcome.operations.iter();
    let latencies = tallies.filter(|tally| tally.operation != Operation::Flush);
    let all = latencies.map(|tally| tally.latency.clone());
    let all = all.reduce(|mut all, one| {
        all.merge(&one);
        all
    });
    all.filter(|all| !all.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_that_of_rounds_so_that_drift_is_in_neither_of_them() {
        // A drive that grows ten times slower meanwhile, and a neighbour that doubles latencies.
        let drifting = [1.0, 2.0, 4.0, 6.0, 8.0, 10.0].map(|level| [level, 2.0 * level]);
        let figure = BesideFigure::of(&drifting).unwrap();
        assert_eq!((figure.ratio, figure.interval), (2.0, Some([2.0, 2.0])));
        assert_eq!(figure.beside, 2.0 * figure.alone);
        assert!(figure.has_risen() && !figure.has_fallen());
    }

    #[test]
    fn a_ratio_is_that_of_the_figures_beside_it() {
        // Their medians alone and beside are 3 and 15.
        let odd = [
            [1.0, 20.0],
            [2.0, 10.0],
            [3.0, 12.0],
            [4.0, 15.0],
            [9.0, 18.0],
        ];
        let figure = BesideFigure::of(&odd).unwrap();
        assert_eq!(
            (figure.alone, figure.beside, figure.ratio),
            (3.0, 12.0, 4.0)
        );
        let even = [[1.0, 20.0], [1.0, 2.0], [4.0, 32.0], [9.0, 9.0]];
        let figure = BesideFigure::of(&even).unwrap();
        assert_eq!((figure.alone, figure.beside, figure.ratio), (2.0, 8.0, 4.0));
    }

    #[test]
    fn what_rounds_disagree_about_is_no_change_and_neither_is_a_small_one() {
        let of = |ratios: [f64; 6]| BesideFigure::of(&ratios.map(|it| [1.0, it])).unwrap();
        assert!(!of([1.3, 1.2, 0.9, 1.4, 1.3, 1.2]).has_risen());
        assert!(!of([1.01, 1.02, 1.03, 1.04, 1.02, 1.01]).has_risen());
        assert!(of([0.5, 0.6, 0.4, 0.5, 0.7, 0.5]).has_fallen());
        // Five rounds have no interval of 95 %.
        let few = BesideFigure::of(&[[1.0, 9.0]; 5]).unwrap();
        assert_eq!((few.interval, few.has_risen()), (None, false));
        assert_eq!(BesideFigure::of(&[]), None);
    }
}
