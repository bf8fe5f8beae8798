//! Whether a disk is fast enough: what was asked of it, held against what was measured.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_analysis::Code;
use sokudo_analysis::rule::code_named;
use sokudo_model::{
    FitCriterion, FitLimit, FitMetric, FitQuestion, FitSide, Operation, Percentile, Row, Run,
    Severity, Verdict,
};
use sokudo_report::document::{LatencyFigures, RateFigures, ResultDocument, Status, ViewKind};
use sokudo_report::number::{self, float};
use sokudo_stats::{Histogram, quantile_design_effects, quantile_low};

/// What documents call it.
pub(crate) static VIEW: ViewKind = ViewKind::new::<FitDocument>("fit", |run, results| {
    Some(Arc::new(FitDocument::of(run, results)?))
});

/// Whether a disk is fast enough for something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct FitDocument {
    /// The question with its criteria, as it was asked.
    pub question: FitQuestion,
    /// What it comes to; null where nobody has published a threshold.
    pub answer: Option<FitAnswer>,
    /// What was measured of each criterion of the question, in its order.
    pub criteria: Vec<FitFigure>,
    /// The place of the criterion that decides: of those that are not met the first, else the one
    /// that is nearest to its threshold.
    pub decisive: Option<usize>,
}

/// Whether a disk is fast enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FitAnswer {
    /// Every criterion is met by the whole of its interval.
    FastEnough,
    /// One is missed by the whole of its interval.
    TooSlow,
    /// No criterion is missed for certain, and not all of them are met for certain.
    CannotSay,
}

/// What was measured of a criterion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct FitFigure {
    /// In nanoseconds, per second, bytes per second or I/Os, as the metric is; null where it could
    /// not be measured.
    pub measured: Option<f64>,
    /// Its 95 % interval; null where there is none.
    pub interval_95: Option<[f64; 2]>,
    /// Of how many I/Os they are counted, where they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_ios: Option<u64>,
    /// What a percentile is at least, the lower end of its 95 % interval, where too little was
    /// measured for the interval itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// How it stands to its threshold; null without one.
    pub standing: Option<FitStanding>,
}

/// How a figure stands to its threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FitStanding {
    /// All of the interval is on the side where it has to be.
    Met,
    /// None of it is.
    Missed,
    /// The threshold lies within the interval.
    Crossed,
    /// Too little was measured for the figure, or for its interval.
    TooLittle,
    /// The row is not VERIFIED.
    NotVerified,
    /// Its trials were not all made, or I/O failed.
    Incomplete,
}

impl FitDocument {
    /// What a run of this method has come to; `None` for any other.
    pub(super) fn of(run: &Run, results: &[ResultDocument]) -> Option<Self> {
        let question = run.schedule.fit.as_deref()?.clone();
        let figure = |criterion: &FitCriterion| {
            let row = usize::try_from(criterion.row).ok()?;
            Some(FitFigure::of(
                criterion,
                run.rows.get(row)?,
                results.get(row)?,
            ))
        };
        let criteria = question.criteria.iter();
        let criteria: Vec<FitFigure> = criteria
            .map(|criterion| figure(criterion).unwrap_or_else(FitFigure::missing))
            .collect();
        let mut document = Self {
            question,
            answer: None,
            criteria,
            decisive: None,
        };
        document.decide();
        Some(document)
    }

    fn decide(&mut self) {
        let judged = || {
            let standings = self.criteria.iter().map(|figure| figure.standing);
            standings
                .enumerate()
                .filter_map(|(index, it)| Some((index, it?)))
        };
        let first = |wanted: fn(FitStanding) -> bool| {
            judged().find_map(|(index, standing)| wanted(standing).then_some(index))
        };
        let missed = first(|it| it == FitStanding::Missed);
        let open = first(|it| it != FitStanding::Met);
        let margin = |(index, _): &(usize, FitStanding)| {
            let limit = self.question.criteria[*index].limit;
            margin(&self.criteria[*index], limit).unwrap_or(f64::INFINITY)
        };
        let nearest = judged().min_by(|one, other| margin(one).total_cmp(&margin(other)));
        (self.answer, self.decisive) = match (missed, open, nearest) {
            (Some(index), ..) => (Some(FitAnswer::TooSlow), Some(index)),
            (None, Some(index), _) => (Some(FitAnswer::CannotSay), Some(index)),
            (None, None, Some((index, _))) => (Some(FitAnswer::FastEnough), Some(index)),
            (None, None, None) => (None, None),
        };
    }

    /// The criteria with what was measured of each.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&FitCriterion, &FitFigure)> {
        self.question.criteria.iter().zip(&self.criteria)
    }
}

/// How far a figure is from its threshold, as a ratio above 1 whatever side it has to be on.
fn margin(figure: &FitFigure, limit: Option<FitLimit>) -> Option<f64> {
    let (measured, value) = (figure.measured?, float(limit?.value));
    let ratio = measured / value;
    Some(ratio.max(1.0 / ratio)).filter(|it| it.is_finite())
}

impl FitFigure {
    fn missing() -> Self {
        Self {
            standing: Some(FitStanding::Incomplete),
            ..Self::default()
        }
    }

    fn of(criterion: &FitCriterion, row: &Row, result: &ResultDocument) -> Self {
        let mut figure = Self::measured(criterion, row, result);
        if figure.interval_95.is_none() {
            figure.at_least = at_least(criterion.metric, row, result);
        }
        let metric = criterion.metric;
        let is_latency = matches!(metric, FitMetric::Latency(_) | FitMetric::SyncLatency(_));
        let is_only_slowed = is_only_slowed(result, is_latency);
        let standing = |limit: FitLimit| figure.standing_to(limit, result, is_only_slowed);
        figure.standing = criterion.limit.map(standing);
        figure
    }

    fn measured(criterion: &FitCriterion, row: &Row, result: &ResultDocument) -> Self {
        let (metric, parts) = (criterion.metric, f64::from(criterion.writes.max(1)));
        let (measured, interval_95, of_ios) = match metric {
            FitMetric::SyncLatency(percentile) => {
                of_latency(result.flush_latency_ns.as_ref(), percentile)
            }
            FitMetric::Latency(percentile) => of_latency(result.latency_ns.as_ref(), percentile),
            FitMetric::Commits | FitMetric::Iops => of_rate(result.iops.as_ref(), parts),
            FitMetric::Bandwidth => {
                let bandwidth = result.bandwidth_bytes_per_s.as_ref();
                of_rate(bandwidth.map(|it| &it.bytes_per_s), 1.0)
            }
            FitMetric::Dropped => dropped(row),
        };
        Self {
            measured,
            interval_95,
            of_ios,
            ..Self::default()
        }
    }

    fn standing_to(
        &self,
        limit: FitLimit,
        result: &ResultDocument,
        is_only_slowed: bool,
    ) -> FitStanding {
        if result.status != Status::Complete {
            return FitStanding::Incomplete;
        }
        match result.verdict {
            Some(Verdict::Verified) => self.proven_standing_to(limit),
            Some(Verdict::Unverified) if is_only_slowed => match self.proven_standing_to(limit) {
                FitStanding::Met => FitStanding::Met,
                _ => FitStanding::NotVerified,
            },
            _ => FitStanding::NotVerified,
        }
    }

    fn proven_standing_to(&self, limit: FitLimit) -> FitStanding {
        let holds = |end| limit.must_be.holds(end, float(limit.value));
        let is_from_above = matches!(limit.must_be, FitSide::Below | FitSide::AtMost);
        if is_from_above && self.at_least.is_some_and(|least| !holds(least)) {
            return FitStanding::Missed;
        }
        // What is counted is all that there is.
        let counted = self.of_ios.and(self.measured).map(|all| [all; 2]);
        let Some(interval) = counted.or(self.interval_95) else {
            return FitStanding::TooLittle;
        };
        match interval.map(holds) {
            [true, true] => FitStanding::Met,
            [false, false] => FitStanding::Missed,
            _ => FitStanding::Crossed,
        }
    }
}

/// Whether nothing speaks against a row but what made the disk look slower than it is.
fn is_only_slowed(result: &ResultDocument, is_latency: bool) -> bool {
    let weighty = result.findings.iter();
    let weighty = weighty.filter(|it| it.severity > Severity::Info);
    let only_slows =
        |code: Code| code.only_slows() && !(is_latency && code.may_shorten_latencies());
    let mut codes = weighty.map(|it| code_named(&it.code)).peekable();
    codes.peek().is_some() && codes.all(|code| code.is_some_and(only_slows))
}

type Measured = (Option<f64>, Option<[f64; 2]>, Option<u64>);

fn of_latency(figures: Option<&LatencyFigures>, percentile: Percentile) -> Measured {
    let Some(figures) = figures else {
        return (None, None, None);
    };
    let value = figures.percentiles.get(percentile).map(float);
    let interval = figures.intervals_95.and_then(|it| it.get(percentile));
    (value, interval.map(|ends| ends.map(float)), None)
}

/// What a percentile is at least, however few I/Os there were. Where they do not tell how much they
/// resemble each other, those of a trial count as one.
fn at_least(metric: FitMetric, row: &Row, result: &ResultDocument) -> Option<f64> {
    let (figures, percentile) = match metric {
        FitMetric::SyncLatency(percentile) => (result.flush_latency_ns.as_ref()?, percentile),
        FitMetric::Latency(percentile) => (result.latency_ns.as_ref()?, percentile),
        _ => return None,
    };
    let is_flush = |operation| operation == Operation::Flush;
    let is_sync = matches!(metric, FitMetric::SyncLatency(_));
    let trials = row.trials.iter().filter_map(|trial| {
        let tallies = trial.outcome.operations.iter();
        let timed = tallies.filter(|tally| is_flush(tally.operation) == is_sync);
        Histogram::of_all(timed.map(|tally| &tally.latency))
    });
    let trials: Vec<Histogram> = trials.collect();
    let all = Histogram::of_all(&trials)?;
    let groups: Vec<&Histogram> = trials.iter().collect();
    let [effect] = quantile_design_effects(&groups, [percentile.fraction()]);
    let worth = float(all.count()) / effect.unwrap_or(1.0);
    let effective = figures
        .effective_count
        .unwrap_or(float(trials.len() as u64));
    quantile_low(&all, percentile.fraction(), effective.min(worth)).map(float)
}

fn of_rate(figures: Option<&RateFigures>, parts: f64) -> Measured {
    let median = figures.map(|it| it.median / parts);
    let interval = figures.and_then(|it| it.interval_in(parts));
    (median, interval, None)
}

/// Of all that a fixed rate meant to start, what was not done when the next one was due.
fn dropped(row: &Row) -> Measured {
    let (Some(rate), Some(ios)) = (row.workload.pacing.rate, row.workload.limits.ios) else {
        return (None, None, None);
    };
    let due = ios.saturating_mul(row.trials.len() as u64);
    let per_second = rate.ios_per_second(row.workload.blocks.largest());
    let period = number::nanos(1e9 / per_second);
    let in_time = |row: &Row| {
        let latencies = row.trials.iter().map(|trial| trial.outcome.from_intended());
        let done = latencies
            .flatten()
            .map(|latency| latency.count_to(period.0));
        done.sum::<u64>()
    };
    let dropped = due.saturating_sub(in_time(row));
    (Some(float(dropped)), None, Some(due))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Assessment, Nanos, Rate};
    use sokudo_report::sample;

    /// Six trials of the sample's first row, of so many I/Os a second each.
    fn run(rates: [u64; 6], criteria: Vec<FitCriterion>) -> Run {
        let mut run = sample::run();
        let mut row = run.rows[0].clone();
        let mut trial = row.trials[0].clone();
        trial.outcome.operations.truncate(1);
        trial.outcome.elapsed = Nanos::from_secs(1);
        row.trials = rates
            .into_iter()
            .map(|ios| {
                let mut trial = trial.clone();
                trial.outcome.operations[0].ios = ios;
                trial
            })
            .collect();
        row.assessment = Some(Assessment {
            verdict: Verdict::Verified,
            device_ratio: None,
            findings: Vec::new(),
        });
        run.rows = vec![row];
        run.schedule.trials = 6;
        run.schedule.enough = None;
        run.schedule.fit = Some(Box::new(FitQuestion {
            name: "x".to_owned(),
            asks: String::new(),
            source: String::new(),
            date: String::new(),
            remark: String::new(),
            criteria,
            fio: Vec::new(),
        }));
        run
    }

    fn above(value: u64) -> FitCriterion {
        FitCriterion {
            row: 0,
            metric: FitMetric::Iops,
            writes: 1,
            limit: Some(FitLimit {
                must_be: FitSide::Above,
                value,
            }),
        }
    }

    fn fit(run: &Run) -> FitDocument {
        let results = ResultDocument::of_rows(run);
        FitDocument::of(run, &results).unwrap()
    }

    const RATES: [u64; 6] = [1_000, 1_010, 1_020, 1_030, 1_040, 1_050];

    #[test]
    fn the_whole_interval_decides() {
        for (value, answer, standing) in [
            (999, FitAnswer::FastEnough, FitStanding::Met),
            (1_000, FitAnswer::CannotSay, FitStanding::Crossed),
            (1_049, FitAnswer::CannotSay, FitStanding::Crossed),
            (1_050, FitAnswer::TooSlow, FitStanding::Missed),
        ] {
            let found = fit(&run(RATES, vec![above(value)]));
            let standing = Some(standing);
            assert_eq!(
                (found.answer, found.criteria[0].standing),
                (Some(answer), standing)
            );
            assert_eq!(found.criteria[0].measured, Some(1_025.0));
        }
    }

    #[test]
    fn one_that_is_missed_decides_before_one_that_is_open_and_that_before_one_that_is_met() {
        let of = |values: [u64; 3]| {
            let found = fit(&run(RATES, values.map(above).to_vec()));
            (found.answer.unwrap(), found.decisive.unwrap())
        };
        assert_eq!(of([500, 1_020, 2_000]), (FitAnswer::TooSlow, 2));
        assert_eq!(of([500, 1_020, 900]), (FitAnswer::CannotSay, 1));
        assert_eq!(of([500, 900, 600]), (FitAnswer::FastEnough, 1));
    }

    #[test]
    fn what_is_not_verified_or_not_whole_says_nothing() {
        let mut doubtful = run(RATES, vec![above(10)]);
        doubtful.rows[0].assessment.as_mut().unwrap().verdict = Verdict::Unverified;
        assert_eq!(
            fit(&doubtful).criteria[0].standing,
            Some(FitStanding::NotVerified)
        );
        let mut cut = run(RATES, vec![above(10)]);
        cut.rows[0].trials.truncate(5);
        assert_eq!(
            fit(&cut).criteria[0].standing,
            Some(FitStanding::Incomplete)
        );
        cut.schedule.trials = 5;
        assert_eq!(fit(&cut).criteria[0].standing, Some(FitStanding::TooLittle));
        let found = fit(&cut);
        assert_eq!(found.answer, Some(FitAnswer::CannotSay));
        cut.rows.clear();
        assert_eq!(
            fit(&cut).criteria[0].standing,
            Some(FitStanding::Incomplete)
        );
    }

    #[test]
    fn a_disk_that_others_used_is_fast_enough_or_nobody_can_say() {
        let shared = |value, codes: &[&str]| {
            let mut run = run(RATES, vec![above(value)]);
            let assessment = run.rows[0].assessment.as_mut().unwrap();
            assessment.verdict = Verdict::Unverified;
            let found = |code: &&str| sample::finding(code, Severity::Warning, "s", "c", "r");
            assessment.findings = codes.iter().map(found).collect();
            fit(&run).answer.unwrap()
        };
        assert_eq!(shared(10, &["foreign-io"]), FitAnswer::FastEnough);
        assert_eq!(shared(2_000, &["foreign-io"]), FitAnswer::CannotSay);
        let cached = ["foreign-io", "dataset-in-cache"];
        assert_eq!(shared(10, &cached), FitAnswer::CannotSay);
    }

    #[test]
    fn without_a_threshold_there_is_no_answer() {
        let criterion = FitCriterion {
            limit: None,
            ..above(1)
        };
        let found = fit(&run(RATES, vec![criterion]));
        assert_eq!((found.answer, found.decisive), (None, None));
        assert_eq!(found.criteria[0].measured, Some(1_025.0));
    }

    #[test]
    fn a_commit_is_as_many_writes_as_make_one() {
        let criterion = FitCriterion {
            metric: FitMetric::Commits,
            writes: 2,
            ..above(500)
        };
        let run = run(RATES, vec![criterion]);
        assert_eq!(fit(&run).criteria[0].measured, Some(512.5));
    }

    #[test]
    fn frames_that_are_late_or_were_never_begun_are_dropped() {
        let criterion = FitCriterion {
            metric: FitMetric::Dropped,
            limit: Some(FitLimit {
                must_be: FitSide::AtMost,
                value: 0,
            }),
            ..above(0)
        };
        let mut run = run([10; 6], vec![criterion]);
        let row = &mut run.rows[0];
        row.workload.pacing.rate = Some(Rate::Iops(100));
        row.workload.limits.ios = Some(10);
        for (number, trial) in row.trials.iter_mut().enumerate() {
            let mut latency = sokudo_stats::Histogram::new();
            let done = if number == 0 { 8 } else { 10 };
            (0..done).for_each(|_| latency.record(5_000_000));
            let tally = &mut trial.outcome.operations[0];
            tally.operation = Operation::Read;
            tally.latency_from_intended = Some(latency);
        }
        let found = fit(&run);
        assert_eq!(found.criteria[0].measured, Some(2.0));
        assert_eq!(found.criteria[0].of_ios, Some(60));
        assert_eq!(found.answer, Some(FitAnswer::TooSlow));
        let mut late = sokudo_stats::Histogram::new();
        (0..10).for_each(|_| late.record(30_000_000));
        for trial in &mut run.rows[0].trials {
            trial.outcome.operations[0].latency_from_intended = Some(late.clone());
        }
        assert_eq!(fit(&run).criteria[0].measured, Some(60.0));
    }
}
