//! Latency against load: which rates were asked for and had, where the knee is, and which
//! rate keeps a latency.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{
    LatencyLimit, MethodKind, MethodTrait, RateKept, RateProcess, Row, Run, Standing, Workload,
    narrow,
};
use sokudo_report::document::ViewKind;
use sokudo_stats::{Summary, median_interval};

pub(crate) static METHOD: MethodKind = MethodKind {
    name: "load",
    command: "load",
    is_named: false,
    traits: &[MethodTrait::DecidesTrials],
};

/// What documents call it.
pub(crate) static VIEW: ViewKind =
    ViewKind::new::<LoadDocument>("load", |run, _| Some(Arc::new(LoadDocument::of(run)?)));

/// The confidence that intervals are asked for.
const CONFIDENCE: f64 = 0.95;

/// Latencies of a row at fixed rates, up to its maximum in a closed loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LoadDocument {
    /// Median of the closed loop's trials: the most that the row does per second.
    pub maximum_ios_per_s: f64,
    /// Whether I/Os were started at random instants, as a Poisson process, and not evenly.
    pub poisson: bool,
    /// Fixed rates, from low to high.
    pub steps: Vec<LoadStepDocument>,
    /// Where rate ÷ mean latency is largest; null where fewer than three rates were kept, or
    /// where it is largest at the lowest or the highest of them.
    pub knee: Option<KneeDocument>,
    /// The highest rate that keeps a latency; absent unless that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitDocument>,
}

/// Figures of a row at one fixed rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LoadStepDocument {
    /// Its place in `figures`, from 0.
    pub result: usize,
    /// I/Os that were to start per second.
    #[serde(rename = "asked_ios_per_s")]
    pub intended_ios_per_s: f64,
    /// The same ÷ the maximum.
    pub share: f64,
    /// Whether they were started; null where no trial was complete.
    pub kept: Option<bool>,
}

/// Where the load begins to cost more latency than it gains in rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct KneeDocument {
    /// The rate of the step with the largest power.
    pub ios_per_s: f64,
    /// The next lower rate than that of any round of trials within the 95 % interval.
    pub low_ios_per_s: f64,
    /// The next higher one.
    pub high_ios_per_s: f64,
    /// Mean latency from the intended start there, nanoseconds.
    pub latency_mean_ns: f64,
    /// Rounds of trials that the interval is of.
    pub rounds: u32,
}

/// The highest rate that keeps a latency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LimitDocument {
    /// What was asked for.
    #[serde(flatten)]
    pub limit: LatencyLimit,
    /// The highest rate below all whose median exceeds it; null where the lowest one does,
    /// and where there were too few I/Os for the percentile.
    pub ios_per_s: Option<f64>,
    /// The highest rate at which, and below which, the whole 95 % interval keeps it.
    pub low_ios_per_s: Option<f64>,
    /// The lowest rate at which the whole interval exceeds it, or which was not kept.
    pub high_ios_per_s: Option<f64>,
}

impl LimitDocument {
    /// What is to hold, such as `p99 ≤ 5 ms`.
    pub(crate) fn name(&self) -> String {
        let limit = self.limit;
        format!("{} ≤ {}", limit.percentile.name(), limit.latency)
    }
}

impl LoadDocument {
    /// The curve of a run of this method; `None` for any other, and where its closed loop
    /// has no figure.
    pub(crate) fn of(run: &Run) -> Option<Self> {
        if !run.plan.method.is_of(&METHOD) {
            return None;
        }
        let closed = run
            .rows
            .iter()
            .find(|row| row.workload.pacing.rate.is_none())?;
        let maximum = closed.ios_per_second()?;
        let mut steps: Vec<(LoadStepDocument, &Row)> = run
            .rows
            .iter()
            .enumerate()
            .filter(|(_, row)| !row.trials.is_empty())
            .filter_map(|(result, row)| Some((step(result, row, maximum)?, row)))
            .collect();
        steps.sort_by(|(left, _), (right, _)| {
            left.intended_ios_per_s.total_cmp(&right.intended_ios_per_s)
        });
        Some(Self {
            maximum_ios_per_s: maximum,
            poisson: steps
                .iter()
                .any(|(_, row)| row.workload.pacing.rates.process == RateProcess::Poisson),
            knee: knee(&steps),
            limit: (run.schedule.latency_limit).map(|limit| limit_of(&steps, limit)),
            steps: steps.into_iter().map(|(step, _)| step).collect(),
        })
    }
}

fn step(result: usize, row: &Row, maximum: f64) -> Option<LoadStepDocument> {
    let iops = requested_iops(&row.workload)?;
    Some(LoadStepDocument {
        result,
        intended_ios_per_s: iops,
        share: iops / maximum,
        kept: RateKept::of(&row.workload, &row.trials).map(RateKept::is_kept),
    })
}

/// I/Os per second that all threads of a row are meant to start.
pub(super) fn requested_iops(workload: &Workload) -> Option<f64> {
    let of_thread = workload
        .pacing
        .rate?
        .ios_per_second(workload.blocks.largest());
    Some(of_thread * f64::from(workload.threads))
}

/// Where power, rate ÷ mean latency (Kleinrock 1979), is largest. It asks for no unit, no
/// smoothing and no choice of what a steep curve is, and it has a known place in queueing
/// theory: for one server with deterministic service and random arrivals at 2 − √2 = 58.6 %
/// of the most.
fn knee(steps: &[(LoadStepDocument, &Row)]) -> Option<KneeDocument> {
    let kept: Vec<&(LoadStepDocument, &Row)> = steps
        .iter()
        .filter(|(step, _)| step.kept == Some(true))
        .collect();
    let rounds = kept.iter().map(|(_, row)| row.trials.len()).min()?;
    let means = |round: usize| -> Vec<f64> {
        let of_step = |(_, row): &&(LoadStepDocument, &Row)| mean_latency(row, round);
        kept.iter().map(of_step).collect()
    };
    let by_round: Vec<Vec<f64>> = (0..rounds).map(means).collect();
    let medians: Vec<f64> = (0..kept.len())
        .map(|index| median(by_round.iter().map(|means| means[index])))
        .collect::<Option<_>>()?;
    let rate = |index: usize| kept[index].0.intended_ios_per_s;
    let strongest = |latencies: &[f64]| {
        let power = |index: &usize| rate(*index) / latencies[*index];
        (0..latencies.len()).max_by(|left, right| power(left).total_cmp(&power(right)))
    };
    let best = strongest(&medians)?;
    // The places of the rounds, as numbers of their steps, have an interval as any figure.
    let step_indices: Vec<usize> = by_round
        .iter()
        .filter_map(|means| strongest(means))
        .collect();
    let rates: Vec<f64> = step_indices
        .iter()
        .map(|step_index| rate(*step_index))
        .collect();
    let (low, high) = match median_interval(&rates, CONFIDENCE) {
        Some(interval) => (interval.low, interval.high),
        None => rates
            .iter()
            .fold((rate(best), rate(best)), |(low, high), rate| {
                (low.min(*rate), high.max(*rate))
            }),
    };
    // The true place is somewhere between the neighbours of a step.
    let below = kept
        .iter()
        .rfind(|(step, _)| step.intended_ios_per_s < low)?;
    let above = kept
        .iter()
        .find(|(step, _)| step.intended_ios_per_s > high)?;
    Some(KneeDocument {
        ios_per_s: rate(best),
        low_ios_per_s: below.0.intended_ios_per_s,
        high_ios_per_s: above.0.intended_ios_per_s,
        latency_mean_ns: medians[best],
        rounds: narrow(rounds),
    })
}

fn mean_latency(row: &Row, round: usize) -> f64 {
    let trial = row.trials.get(round);
    let histogram = trial.and_then(|trial| trial.outcome.from_intended());
    histogram
        .and_then(|histogram| histogram.mean())
        .unwrap_or(f64::INFINITY)
}

fn limit_of(steps: &[(LoadStepDocument, &Row)], limit: LatencyLimit) -> LimitDocument {
    let standings: Vec<(f64, Option<Standing>)> = steps
        .iter()
        .map(|(step, row)| {
            let standing = limit.standing(&row.workload, &row.trials);
            (step.intended_ios_per_s, standing)
        })
        .collect();
    let last_while = |holds: &dyn Fn(Standing) -> bool| {
        let of_lowest = standings
            .iter()
            .take_while(|(_, standing)| standing.is_some_and(holds));
        of_lowest.last().map(|(rate, _)| *rate)
    };
    LimitDocument {
        limit,
        ios_per_s: last_while(&Standing::is_within),
        low_ios_per_s: last_while(&|standing| standing == Standing::Within),
        high_ios_per_s: standings
            .iter()
            .find(|(_, standing)| *standing == Some(Standing::Beyond))
            .map(|(rate, _)| *rate),
    }
}

fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    Summary::of(&values).map(|summary| summary.median)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::Method;
    use sokudo_model::{Nanos, Operation, OperationTally, Rate};
    use sokudo_report::sample;
    use sokudo_stats::Histogram;

    /// One server: the mean latency at load ρ, in services, by Pollaczek and Khinchine.
    fn services(load: f64) -> f64 {
        1.0 + load / (2.0 * (1.0 - load))
    }

    /// Six rounds at these parts of 10,000 I/Os per second, whose latency is the theory's
    /// times what `disturbed` gives for a round and a step.
    fn run(loads: &[f64], disturbed: impl Fn(usize, usize) -> f64) -> Run {
        let mut run = sample::bare_run();
        run.plan.method = Method::new(&METHOD);
        let mut closed = sample::run().rows[0].clone();
        closed.trials.truncate(1);
        closed.workload.pacing.rate = None;
        closed.workload.limits.time = Some(Nanos::from_secs(1));
        let with = |row: &mut Row, latency_ns: Option<f64>, ios: u64, number: usize| {
            let mut trial = closed.trials[0].clone();
            let mut tally = OperationTally::new(Operation::Read);
            tally.ios = ios;
            tally.latency_from_intended = latency_ns.map(|latency| {
                let mut histogram = Histogram::new();
                (0..1_000).for_each(|_| histogram.record(latency as u64));
                histogram
            });
            trial.outcome.operations = vec![tally];
            trial.outcome.elapsed = Nanos::from_secs(1);
            trial.outcome.stopped = sokudo_model::StopReason::Time;
            row.trials.truncate(number);
            row.trials.push(trial);
        };
        let mut first = closed.clone();
        with(&mut first, None, 10_000, 0);
        run.rows = vec![first];
        for (index, load) in loads.iter().enumerate() {
            let mut row = closed.clone();
            let rate = 10_000.0 * load;
            row.workload.pacing.rate = Some(Rate::Iops(rate as u64));
            row.workload.threads = 1;
            for round in 0..6 {
                let latency = 1e5 * services(load.min(0.999)) * disturbed(round, index);
                with(&mut row, Some(latency), rate.min(10_000.0) as u64, round);
            }
            run.rows.push(row);
        }
        run
    }

    const LOADS: [f64; 11] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.05];

    #[test]
    fn the_knee_of_one_server_is_where_theory_has_it() {
        let load = LoadDocument::of(&run(&LOADS, |_, _| 1.0)).unwrap();
        assert_eq!(load.maximum_ios_per_s, 10_000.0);
        // Of the parts measured, 60 % is the nearest to 58.6 %.
        let knee = load.knee.unwrap();
        assert_eq!(knee.ios_per_s, 6_000.0);
        assert_eq!(
            (knee.low_ios_per_s, knee.high_ios_per_s),
            (5_000.0, 7_000.0)
        );
        assert_eq!(load.steps.last().unwrap().kept, Some(false));
        assert_eq!(load.limit, None);
    }

    #[test]
    fn rounds_that_disagree_widen_what_the_knee_lies_between() {
        // In one round the step at 80 % was quick by chance.
        let load = LoadDocument::of(&run(&LOADS, |round, step| {
            if (round, step) == (2, 7) { 0.5 } else { 1.0 }
        }));
        let knee = load.unwrap().knee.unwrap();
        assert_eq!(knee.ios_per_s, 6_000.0);
        assert_eq!(
            (knee.low_ios_per_s, knee.high_ios_per_s),
            (5_000.0, 9_000.0)
        );
    }

    #[test]
    fn a_curve_that_only_falls_or_rises_has_no_knee() {
        let of = |loads: &[f64]| LoadDocument::of(&run(loads, |_, _| 1.0)).unwrap().knee;
        assert_eq!(of(&[0.1, 0.2, 0.3]), None);
        assert_eq!(of(&[0.8, 0.9, 0.95]), None);
    }

    #[test]
    fn a_limit_is_kept_up_to_a_rate_and_lies_between_two() {
        let limit = "p99=200us".parse().unwrap();
        let of = |run: &Run| {
            let mut run = run.clone();
            run.schedule.latency_limit = Some(limit);
            LoadDocument::of(&run).unwrap().limit.unwrap()
        };
        // 2 services are reached at 66.7 %.
        let sure = of(&run(&LOADS, |_, _| 1.0));
        assert_eq!(sure.ios_per_s, Some(6_000.0));
        assert_eq!(sure.low_ios_per_s, Some(6_000.0));
        assert_eq!(sure.high_ios_per_s, Some(7_000.0));
        // One round at 60 % is beyond it: likely, but not sure.
        let unsure = run(
            &LOADS,
            |round, step| if (round, step) == (2, 5) { 1.3 } else { 1.0 },
        );
        let unsure = of(&unsure);
        assert_eq!(unsure.ios_per_s, Some(6_000.0));
        assert_eq!(unsure.low_ios_per_s, Some(5_000.0));
        let never = of(&run(&[0.8, 0.9], |_, _| 1.0));
        assert_eq!(
            (never.ios_per_s, never.high_ios_per_s),
            (None, Some(8_000.0))
        );
    }

    #[test]
    fn other_runs_have_no_such_curve() {
        assert_eq!(LoadDocument::of(&sample::run()), None);
    }
}
