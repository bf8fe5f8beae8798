//! One result: a workload with the figures of all its trials.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{
    BackendUse, Bytes, CpuTime, Finding, ForeignUse, ForeignUser, Nanos, Operation, OperationTally,
    Outcome, PlanPart, PlanParts, Row, Run, RunsDiffer, Schedule, SeriesPoint, SlowSpots,
    Steadiness, StopReason, Trial, Verdict, Workload, narrow, weighed,
};
use sokudo_stats::{Histogram, Summary};

use super::figures::{BandwidthFigures, LatencyFigures, RateFigures, TrialTotals};
use super::inside::Inside;
use super::reported::ReportedDocument;
use super::sample::{DefectDocument, SampleDocument};
use super::surface::SurfaceFigures;
use super::trial::{DeviceDocument, FailureDocument, TrialDocument, cpu_of, thinned};
use crate::number::float;
use crate::unique::unique;

const fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// One row of the run with its figures.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ResultDocument {
    /// What people call it, such as `SEQ1M Q8T1`.
    pub name: String,
    /// What the row's I/Os did: one operation, or a mix.
    pub direction: Direction,
    /// How far it came.
    pub status: Status,
    /// Whether the figures can be trusted; null when nobody has judged them.
    pub verdict: Option<Verdict>,
    /// Whether they come out the same again; null where too few trials were made to tell.
    pub steadiness: Option<Steadiness>,
    /// Bytes moved per second, of all operations together.
    pub bandwidth_bytes_per_s: Option<BandwidthFigures>,
    /// Bytes written per second until they were durable, the median of the trials; missing
    /// where writes do not stay in a cache, or where that was not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durable_bytes_per_s: Option<f64>,
    /// I/Os completed per second, of all operations together.
    pub iops: Option<RateFigures>,
    /// Files created, looked up or deleted per second; absent for rows that do none of
    /// these. One I/O of such a row is one file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_per_s: Option<RateFigures>,
    /// From preparing an I/O to reaping it.
    pub latency_ns: Option<LatencyFigures>,
    /// From the instant at which the schedule meant the I/O to start; null
    /// unless at a fixed rate.
    pub latency_from_intended_ns: Option<LatencyFigures>,
    /// From preparing an I/O to the return of the system call that submitted it,
    /// sampled; null where submission is not a step of its own.
    pub submission_latency_ns: Option<LatencyFigures>,
    /// Of flushes that accompany writes.
    pub flush_latency_ns: Option<LatencyFigures>,
    /// Each operation of a mix by itself; null when there is only one.
    pub shares: Option<BTreeMap<Operation, ShareDocument>>,
    /// How much other runs of this row on this device differ, where the store has enough of
    /// them: the interval of the trials is of this run alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs_differ: Option<RunsDiffer>,
    /// I/Os in flight, averaged over the measured time of all trials.
    pub depth_achieved: Option<f64>,
    /// Processor time in the measured part of all trials; null in virtual time.
    pub cpu: Option<CpuTime>,
    /// What the leaf devices counted, summed over all trials; null when it could
    /// not be seen for each of them.
    pub device: Option<DeviceDocument>,
    /// Bytes that the leaf devices moved per byte that the engine moved.
    pub device_ratio: Option<f64>,
    /// Other processes that did I/O, on whatever device, during the trials; missing where
    /// nobody looked, or nobody did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign_users: Vec<ForeignUser>,
    /// How I/O was issued.
    pub backend: Option<BackendUse>,
    /// Whether the page cache was bypassed; null when trials differ in it.
    pub direct: Option<bool>,
    /// I/Os that failed or moved fewer bytes than asked.
    pub failures: Vec<FailureDocument>,
    /// Why the verdict is what it is, most important first.
    pub findings: Vec<Finding>,
    /// Hash of all that makes two results comparable.
    pub fingerprint: String,
    /// What the fingerprint is made of, in words for people.
    pub fingerprint_parts: BTreeMap<String, String>,
    /// What it is made of.
    #[serde(skip)]
    pub plan: PlanParts,
    /// How many other results ran at the same time; missing for one that ran alone.
    #[serde(skip_serializing_if = "is_zero")]
    pub beside: u32,
    // Rows of thousands of runs share it.
    /// What was to be done.
    pub workload: Arc<Workload>,
    /// What another tool told of the row beside; missing for what sokudo measured.
    #[serde(rename = "told", skip_serializing_if = "Option::is_none")]
    pub reported: Option<ReportedDocument>,
    /// Trials that came to their speed only while they were measured: they were made again,
    /// settled for longer, and are in no figure. Missing where there were none.
    #[serde(skip_serializing_if = "is_zero")]
    pub unsettled_trials: u32,
    /// Raw figures of each trial.
    pub trials: Vec<TrialDocument>,
    // What follows is of the size of the run itself, in which it is written.
    /// Latencies of all trials, as `[low_ns, high_ns, count]` for each bucket
    /// that holds something; both ends belong to the bucket.
    #[serde(skip)]
    pub histogram: Vec<[u64; 3]>,
    /// What each trial moved per interval.
    #[serde(skip)]
    pub series: Vec<Vec<SeriesPoint>>,
    /// Figures over the places of a survey; missing for anything else, and where no trial
    /// was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceFigures>,
    /// What happened at each place of a survey, in the order in which they were
    /// visited; empty for anything else.
    #[serde(skip)]
    pub samples: Vec<SampleDocument>,
    /// Ranges of a survey that could not be read or written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub defects: Vec<DefectDocument>,
    /// The slowest places of a survey and how long they took when they were read again; missing
    /// where nobody looked.
    #[serde(rename = "slow_places", skip_serializing_if = "Option::is_none")]
    pub slow_samples: Option<Box<SlowSpots>>,
}

/// What a result did.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// All operations are reads.
    Read,
    /// All operations are writes.
    Write,
    /// Several operations, mixed by shares.
    Mix,
    /// All operations are trims.
    Trim,
    /// All operations are flushes.
    Flush,
    /// Files of a tree are created.
    Create,
    /// Files are looked up.
    Stat,
    /// Files of a tree are deleted.
    Delete,
}

impl Direction {
    /// `read`, `write`, `mix`, `trim`, `flush`, `create`, `stat` or `delete`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Mix => "mix",
            Self::Trim => "trim",
            Self::Flush => "flush",
            Self::Create => "create",
            Self::Stat => "stat",
            Self::Delete => "delete",
        }
    }

    pub fn of(workload: &Workload) -> Self {
        match workload.operations.single() {
            Some(Operation::Read) => Self::Read,
            Some(Operation::Write) => Self::Write,
            Some(Operation::Trim) => Self::Trim,
            Some(Operation::Flush) => Self::Flush,
            Some(Operation::Create) => Self::Create,
            Some(Operation::Stat) => Self::Stat,
            Some(Operation::Delete) => Self::Delete,
            _ => Self::Mix,
        }
    }

    /// Whether an operation is the result's work. A flush only accompanies
    /// writes, unless there is nothing else.
    pub fn counts(self, operation: Operation) -> bool {
        operation != Operation::Flush || self == Self::Flush
    }
}

/// How far a result came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// All trials ran to their ends.
    Complete,
    /// It was interrupted; the figures are those of the trials that ran.
    Partial,
    /// I/O failed; see the failures.
    Failed,
    /// The run ended before its first trial.
    NotReached,
}

impl Status {
    fn of(row: &Row, trials_planned: u32) -> Self {
        let outcomes = || row.trials.iter().map(|trial| &trial.outcome);
        let stopped_by = |reason| outcomes().any(|outcome| outcome.stopped == reason);
        if row.trials.is_empty() {
            Self::NotReached
        } else if stopped_by(StopReason::Failed) {
            Self::Failed
        } else if stopped_by(StopReason::Cancelled)
            || outcomes().any(|outcome| outcome.left_at.is_some())
            || u32::try_from(row.trials.len()).is_ok_and(|count| count < trials_planned)
        {
            Self::Partial
        } else {
            Self::Complete
        }
    }
}

/// One operation of a mix.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ShareDocument {
    /// Its planned share of the I/Os, percent.
    pub percent: u32,
    /// Bytes moved per second by this operation alone.
    pub bandwidth_bytes_per_s: Option<BandwidthFigures>,
    /// I/Os completed per second of this operation alone.
    pub iops: Option<RateFigures>,
    /// From preparing an I/O to reaping it.
    pub latency_ns: Option<LatencyFigures>,
}

impl ResultDocument {
    /// The mean time of an access, nanoseconds, of a survey that measures it.
    pub(crate) fn access_ns_mean(&self) -> Option<f64> {
        let times = self.surface.as_ref()?.access_ns.as_ref()?;
        Some(times.mean)
    }

    /// What people call the direction: `read`, `write`, or the shares of a mix as
    /// `R70/W30`, since a run may have several.
    pub fn direction_label(&self) -> String {
        if self.direction == Direction::Mix {
            let operations = &self.workload.operations;
            let reads = operations.percent(Operation::Read);
            let writes = operations.percent(Operation::Write);
            if reads + writes == 100 {
                return format!("R{reads}/W{writes}");
            }
        }
        self.direction.name().to_owned()
    }

    /// The same as it is shown: nothing where another tool has not told it.
    pub(crate) fn direction_shown(&self) -> Option<String> {
        self.knows(PlanPart::Operations)
            .then(|| self.direction_label())
    }

    /// Processor time of the measured part ÷ its length: 1 is one processor. `None` in
    /// virtual time.
    pub fn cpu_share(&self) -> Option<f64> {
        let cpu = self.cpu?;
        let elapsed_ns: u64 = self.trials.iter().map(|trial| trial.elapsed_ns).sum();
        (elapsed_ns > 0).then(|| float(cpu.user.0 + cpu.system.0) / float(elapsed_ns))
    }

    /// A row of which nothing is known but what was to be done, as one that was not reached.
    pub(crate) fn without_figures(workload: Arc<Workload>) -> Self {
        static NOT_REACHED: LazyLock<ResultDocument> = LazyLock::new(|| {
            let row = Row::new(Workload::new("", Bytes(1)));
            ResultDocument::from_row(&row, &Schedule::in_turn(1, Nanos(0)))
        });
        Self {
            direction: Direction::of(&workload),
            workload,
            ..NOT_REACHED.clone()
        }
    }

    /// Those of all rows of a run.
    pub fn of_rows(run: &Run) -> Vec<Self> {
        let stages = run.plan.stages.iter().map(|stage| stage.workloads.len());
        let together = stages.flat_map(|count| std::iter::repeat_n(count, count));
        // What was read from elsewhere may hold rows that its plan does not name; they ran alone.
        let rows = run.rows.iter().zip(together.chain(std::iter::repeat(1)));
        let of_row = |(row, together): (&Row, usize)| {
            let result = Self {
                beside: narrow(together - 1),
                ..Self::from_row(row, &run.schedule)
            };
            match &row.reported {
                Some(reported) => result.reported(reported, run.schedule.trim),
                None => result,
            }
        };
        rows.map(of_row).collect()
    }

    /// The result of a row.
    fn from_row(row: &Row, schedule: &Schedule) -> Self {
        let direction = Direction::of(&row.workload);
        let work = ResultBuilder {
            row,
            direction,
            trim: schedule.trim,
        };
        // What is read back to check writes is not what the row is about.
        let reads_back = direction == Direction::Write && row.workload.write_check().is_some();
        let is_meant = |of| direction.counts(of) && !(reads_back && of == Operation::Read);
        let latency = work.latency(is_meant);
        let flushes = work.latency(|operation| !direction.counts(operation));
        let assessment = row.assessment.as_ref();
        let bandwidth = work.bandwidth(|operation| direction.counts(operation));
        let samples = numbered(&row.trials, |outcome| &outcome.samples, SampleDocument::new);
        let defects = numbered(&row.trials, |outcome| &outcome.defects, DefectDocument::new);
        let inside: Vec<Inside> = work.insides().collect();
        let survey = row.workload.survey().filter(|_| !row.trials.is_empty());
        Self {
            name: row.workload.name.clone(),
            direction,
            status: Status::of(row, schedule.trials_due(row)),
            verdict: assessment.map(|assessment| assessment.verdict),
            steadiness: bandwidth.as_ref().and_then(BandwidthFigures::steadiness),
            bandwidth_bytes_per_s: bandwidth,
            durable_bytes_per_s: work.durable(),
            iops: work.iops(|operation| direction.counts(operation)),
            files_per_s: work.files(),
            latency_ns: latency
                .as_ref()
                .and_then(|it| work.of_latency(it, &inside, |of| direction.counts(of))),
            latency_from_intended_ns: work.latency_from_intended(),
            submission_latency_ns: work.submission_latency(),
            flush_latency_ns: flushes
                .as_ref()
                .and_then(|it| work.of_latency(it, &inside, |of| !direction.counts(of))),
            shares: work.shares(),
            runs_differ: row.runs_differ,
            depth_achieved: work.depth_achieved(),
            cpu: cpu_of(&row.trials),
            device: DeviceDocument::sum(&row.trials),
            device_ratio: assessment
                .and_then(|assessment| assessment.device_ratio)
                .filter(|ratio| ratio.is_finite()),
            foreign_users: foreign_users(&row.trials),
            backend: work.backend(),
            direct: work.direct(),
            failures: numbered(
                &row.trials,
                |outcome| &outcome.failures,
                FailureDocument::new,
            ),
            findings: assessment.map_or_else(Vec::new, |assessment| assessment.findings.clone()),
            unsettled_trials: row.unsettled,
            trials: work.trials(&inside),
            histogram: latency.as_ref().map_or_else(Vec::new, sparse),
            series: work.outcomes().map(|it| thinned(&it.series)).collect(),
            surface: survey.map(|survey| {
                SurfaceFigures::of(&survey, row.workload.threads, &samples, &defects)
            }),
            samples,
            defects,
            slow_samples: row.slow.clone(),
            workload: Arc::new(row.workload.clone()),
            fingerprint: String::new(),
            fingerprint_parts: BTreeMap::new(),
            plan: PlanParts::default(),
            beside: 0,
            reported: None,
        }
    }
}

/// A row whose figures are being taken.
struct ResultBuilder<'a> {
    row: &'a Row,
    direction: Direction,
    /// Trials left out at each end for the trimmed mean.
    trim: u32,
}

impl ResultBuilder<'_> {
    fn files(&self) -> Option<RateFigures> {
        let _ = self.row.workload.tree()?;
        self.iops(Operation::is_on_files)
    }

    fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.row.trials.iter().map(|trial| &trial.outcome)
    }

    /// The median of what trials made durable per second.
    fn durable(&self) -> Option<f64> {
        let rates = self
            .outcomes()
            .filter_map(Outcome::durable_bytes_per_second);
        Summary::of(&rates.collect::<Vec<f64>>()).map(|summary| summary.median)
    }

    fn moved(&self, outcome: &Outcome, counts: impl Fn(Operation) -> bool) -> TrialTotals {
        // Reading back to check what was written comes after the writes, and is no part
        // of them.
        let is_checked = self.direction == Direction::Write && outcome.verified.is_some();
        let writes = outcome
            .operation(Operation::Write)
            .filter(|writes| is_checked && counts(writes.operation));
        if let Some(writes) = writes {
            return TrialTotals {
                bytes: writes.bytes,
                ios: writes.ios,
                elapsed: writes.elapsed,
            };
        }
        let tallies = || {
            let tallies = outcome.operations.iter();
            tallies.filter(|tally| counts(tally.operation))
        };
        TrialTotals {
            bytes: Bytes(tallies().map(|tally| tally.bytes.0).sum()),
            ios: tallies().map(|tally| tally.ios).sum(),
            elapsed: outcome.elapsed,
        }
    }

    fn bandwidth(&self, counts: impl Fn(Operation) -> bool) -> Option<BandwidthFigures> {
        let rates = weighed(&self.row.trials, |it| self.moved(it, &counts).bandwidth());
        Some(BandwidthFigures::of(rates)?.trimmed(self.trim))
    }

    fn iops(&self, counts: impl Fn(Operation) -> bool) -> Option<RateFigures> {
        let rates = weighed(&self.row.trials, |it| self.moved(it, &counts).iops());
        Some(RateFigures::of(rates)?.trimmed(self.trim))
    }

    fn tallies(&self, counts: impl Fn(Operation) -> bool) -> impl Iterator<Item = &OperationTally> {
        let tallies = self.outcomes().flat_map(|outcome| &outcome.operations);
        tallies.filter(move |tally| counts(tally.operation))
    }

    fn latency(&self, counts: impl Fn(Operation) -> bool) -> Option<Histogram> {
        Histogram::of_all(self.tallies(counts).map(|tally| &tally.latency))
    }

    fn trials(&self, insides: &[Inside]) -> Vec<TrialDocument> {
        let trials = (1..).zip(self.row.trials.iter().zip(insides));
        let documents = trials.map(|(number, (trial, inside))| {
            let moved = self.moved(&trial.outcome, |operation| self.direction.counts(operation));
            TrialDocument::new(number, trial, moved, inside)
        });
        documents.collect()
    }

    /// What the inside of each trial tells.
    fn insides(&self) -> impl Iterator<Item = Inside> {
        let time = self.row.workload.limits.time;
        self.outcomes()
            .map(move |outcome| Inside::of(outcome, time))
    }

    /// Latencies with the intervals of their percentiles. How much they resemble each other
    /// differs from trial to trial, and the middle one counts.
    fn of_latency(
        &self,
        histogram: &Histogram,
        insides: &[Inside],
        counts: impl Fn(Operation) -> bool,
    ) -> Option<LatencyFigures> {
        let effects = insides.iter().filter_map(|inside| inside.design_effect);
        let effects: Vec<f64> = effects.collect();
        let figures = LatencyFigures::of(histogram)?;
        let trials: Vec<Histogram> = self
            .outcomes()
            .filter_map(|outcome| {
                let tallies = outcome.operations.iter();
                Histogram::of_all(
                    tallies
                        .filter(|tally| counts(tally.operation))
                        .map(|tally| &tally.latency),
                )
            })
            .collect();
        let trials: Vec<&Histogram> = trials.iter().collect();
        Some(match Summary::of(&effects) {
            Some(effects) => figures.with_intervals(histogram, effects.median, &trials),
            None => figures,
        })
    }

    fn latency_from_intended(&self) -> Option<LatencyFigures> {
        let tallies = self.tallies(|operation| self.direction.counts(operation));
        let histograms = tallies.filter_map(|tally| tally.latency_from_intended.as_ref());
        LatencyFigures::of(&Histogram::of_all(histograms)?)
    }

    fn submission_latency(&self) -> Option<LatencyFigures> {
        let histograms = self.outcomes().filter_map(|o| o.submission.as_ref());
        LatencyFigures::of(&Histogram::of_all(histograms)?)
    }

    fn shares(&self) -> Option<BTreeMap<Operation, ShareDocument>> {
        if self.direction != Direction::Mix {
            return None;
        }
        let shares = self.row.workload.operations.shares().iter();
        let shares = shares.map(|(of, percent)| (*of, self.share(*of, *percent)));
        Some(shares.collect())
    }

    fn share(&self, operation: Operation, percent: u32) -> ShareDocument {
        let latency = self.latency(|other| other == operation);
        ShareDocument {
            percent,
            bandwidth_bytes_per_s: self.bandwidth(|other| other == operation),
            iops: self.iops(|other| other == operation),
            latency_ns: latency.as_ref().and_then(LatencyFigures::of),
        }
    }

    /// The mean over time: a trial counts by its length.
    fn depth_achieved(&self) -> Option<f64> {
        let seconds: f64 = self.outcomes().map(|o| o.elapsed.as_secs_f64()).sum();
        let areas = self
            .outcomes()
            .map(|o| o.depth_achieved * o.elapsed.as_secs_f64());
        let area: f64 = areas.sum();
        Some(area / seconds).filter(|depth| depth.is_finite())
    }

    /// The backend of the first trial, with what any trial noted.
    fn backend(&self) -> Option<BackendUse> {
        let notes = self.outcomes().flat_map(|it| it.backend.notes.clone());
        Some(BackendUse {
            notes: unique(notes),
            ..self.outcomes().next()?.backend.clone()
        })
    }

    fn direct(&self) -> Option<bool> {
        let first = self.outcomes().next()?.direct;
        let is_same = self.outcomes().all(|outcome| outcome.direct == first);
        is_same.then_some(first)
    }
}

/// Who else did I/O, summed over the trials.
fn foreign_users(trials: &[Trial]) -> Vec<ForeignUser> {
    let each = trials
        .iter()
        .filter_map(|trial| trial.evidence.foreign.as_ref());
    each.fold(ForeignUse::default(), ForeignUse::plus).users
}

/// What `list` finds in each trial, made into documents that name the trial.
fn numbered<'a, Part: 'a, Document>(
    trials: &'a [Trial],
    list: impl Fn(&'a Outcome) -> &'a Vec<Part>,
    document: impl Fn(u32, &'a Part) -> Document,
) -> Vec<Document> {
    let of_trial = |(number, trial): (u32, &'a Trial)| {
        let parts = list(&trial.outcome).iter();
        parts.map(|part| document(number, part)).collect::<Vec<_>>()
    };
    (1..).zip(trials).flat_map(of_trial).collect()
}

pub fn sparse(histogram: &Histogram) -> Vec<[u64; 3]> {
    histogram
        .buckets()
        .map(|bucket| [bucket.low, bucket.high, bucket.count])
        .collect()
}
