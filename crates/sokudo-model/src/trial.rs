//! What happened in one row: its trials, and what the engine measured in each.

mod backend_use;
mod points;
mod slow;
mod verified;

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_stats::{Histogram, WeightedTrials};

use crate::capacity::CapacityCheck;
use crate::comparison::RunsDiffer;
use crate::conditions::{ForeignUse, ProcessorEvidence};
use crate::finding::Assessment;
use crate::json::{float_or_none, is_default};
use crate::plan::{Operation, Plan, SurveyPosition, Workload};
use crate::reported::Reported;
use crate::target::DeviceCounters;
use crate::turns::{BackendsCompared, PagesCompared};
use crate::units::{Bytes, Nanos};

pub use backend_use::{BackendFeature, BackendUse};
pub use points::{Moved, SeriesPoint, SurveySample, TrialSeries};
pub use slow::{SLOW_IOS_MAX, SlowIo, SlowSpot, SlowSpots};
pub use verified::{Mismatch, MismatchKind, VerifyOutcome};

/// One workload with all its trials.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// What was to be done.
    pub workload: Workload,
    /// What happened, in order of time.
    pub trials: Vec<Trial>,
    /// What is thought of it; `null` until it has been judged.
    pub assessment: Option<Assessment>,
    /// What another tool printed of it, in the place of trials; missing for what sokudo has
    /// measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported: Option<Box<Reported>>,
    /// What the size of pages does to reads like its own; missing where it was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<PagesCompared>,
    /// What its backends came to before it was measured; missing where that was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backends: Option<BackendsCompared>,
    /// Trials that came to their speed only while they were measured, and were made again.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unsettled: u32,
    /// The time of the run was over before it had as many trials as it should.
    #[serde(default, skip_serializing_if = "is_default")]
    pub out_of_time: bool,
    /// What was moved by trials that do not count: of backends, warm-ups, and those made again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncounted: Vec<TrialSeries>,
    /// The slowest places of a survey, and how long they took when they were read again; missing
    /// where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow: Option<Box<SlowSpots>>,
    /// How much other runs of it on this device differ, as the store knew it when it was measured;
    /// missing where it knew too few.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_differ: Option<RunsDiffer>,
}

impl Row {
    /// Every row of a plan, of which nothing has been measured.
    pub fn all_of(plan: &Plan) -> Vec<Self> {
        let workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
        workloads.cloned().map(Self::new).collect()
    }

    /// Adds a trial. It takes the place of the one that was left, which it goes on with.
    pub fn add(&mut self, trial: Trial) {
        if self.is_left() {
            self.trials.pop();
        }
        self.trials.push(trial);
    }

    /// Whether its last trial was left before its end, so that another can go on with it.
    pub fn is_left(&self) -> bool {
        let last = self.trials.last();
        last.is_some_and(|trial| trial.outcome.left_at.is_some())
    }

    /// I/Os per second, the median of the trials that did any; `None` without such.
    pub fn ios_per_second(&self) -> Option<f64> {
        let rate = |outcome: &Outcome| {
            let is_rate = outcome.ios() > 0 && outcome.elapsed > Nanos(0);
            is_rate.then(|| outcome.ios() as f64 / outcome.elapsed.as_secs_f64())
        };
        weighed(&self.trials, rate).median()
    }

    /// A row of which nothing has been done.
    pub fn new(workload: Workload) -> Self {
        Self {
            workload,
            ..Self::default()
        }
    }
}

/// A figure of trials, where each that has it counts: those of a load that lasts, which their time
/// was to end, by what they lasted, for one in which the device stood still until long after its
/// time is more of what was measured than another; all others alike.
pub fn weighed(trials: &[Trial], figure: impl Fn(&Outcome) -> Option<f64>) -> WeightedTrials {
    let outcomes = || trials.iter().map(|trial| &trial.outcome);
    let figures = outcomes().filter_map(|it| Some((figure(it)?, it.elapsed.as_secs_f64())));
    let figures: Vec<(f64, f64)> = figures.collect();
    let has_lasted = |it: &Outcome| it.stopped == StopReason::Time && it.window.is_some();
    match outcomes().all(has_lasted) {
        true => WeightedTrials::by_length(&figures),
        false => figures
            .into_iter()
            .map(|(value, _)| value)
            .collect::<Vec<_>>()
            .into(),
    }
}

/// One execution of a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trial {
    /// What the engine measured.
    pub outcome: Outcome,
    /// What the system said about it.
    pub evidence: TrialEvidence,
    /// What each host did, where several measured together; the outcome is that of all of them
    /// in the time in which all ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Box<TrialTogether>>,
}

impl Trial {
    /// Of which nothing is known but what the engine measured.
    pub fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            evidence: TrialEvidence::default(),
            together: None,
        }
    }
}

/// One trial of all hosts together. Times count from the instant at which all were to start, on
/// the clock of the first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrialTogether {
    /// From when on all ran: the start of the last one's measured part.
    pub from: Nanos,
    /// Until when all ran: the end of the first one's measured part.
    pub to: Nanos,
    /// When the first one began.
    pub first_began: Nanos,
    /// When the last one was done.
    pub last_ended: Nanos,
    /// The process that began latest after the agreed instant, less the one that was the earliest.
    pub skew: Nanos,
    /// By how much the clocks may be wrong against each other, the worst of them.
    pub clock_uncertainty: Nanos,
    /// What each host did, in the order of [`Run::hosts`]; missing for one that was lost.
    pub hosts: Vec<HostTrial>,
}

/// One trial of one host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostTrial {
    /// Its place in [`Run::hosts`].
    pub host: u32,
    /// What its processes moved while all hosts ran.
    pub in_window: Moved,
    /// What its slowest process moved meanwhile.
    pub slowest: Bytes,
    /// What the engine measured, all its processes together. It starts at the agreed instant
    /// ([`Outcome::started_after`]).
    pub outcome: Outcome,
    /// What its system said about it.
    pub evidence: TrialEvidence,
}

impl TrialTogether {
    /// How long all ran at the same time; `None` where one had ended before another began.
    pub fn window(&self) -> Option<Nanos> {
        let length = self.to.0.checked_sub(self.from.0)?;
        (length > 0).then_some(Nanos(length))
    }

    /// Adds what another workload did in the same trial.
    pub fn merge(&mut self, other: &Self) {
        self.from = self.from.max(other.from);
        self.to = self.to.min(other.to);
        self.first_began = self.first_began.min(other.first_began);
        self.last_ended = self.last_ended.max(other.last_ended);
        // Thousands of hosts are not looked for one by one.
        let indices = self.hosts.iter().map(|it| it.host).zip(0..);
        let indices: HashMap<u32, usize> = indices.collect();
        for theirs in &other.hosts {
            let ours = indices
                .get(&theirs.host)
                .map(|index| &mut self.hosts[*index]);
            match ours {
                Some(ours) => {
                    ours.in_window.add(theirs.in_window);
                    ours.slowest.0 += theirs.slowest.0;
                    ours.outcome.merge(&theirs.outcome);
                }
                None => self.hosts.push(theirs.clone()),
            }
        }
    }
}

impl HostTrial {
    /// Bytes per second while all hosts ran.
    pub fn bytes_per_second(&self, together: &TrialTogether) -> Option<f64> {
        let window = together.window()?.as_secs_f64();
        Some(self.in_window.bytes.0 as f64 / window)
    }
}

/// What a control group counted of one device.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GroupCount {
    /// Number of the device as `major:minor`: no name of it can be seen.
    pub number: String,
    /// What it was asked for.
    #[serde(flatten)]
    pub counters: DeviceCounters,
}

impl GroupCount {
    /// Both together; `None` of two devices.
    #[must_use]
    pub fn plus(self, other: &Self) -> Option<Self> {
        (self.number == other.number).then(|| Self {
            counters: self.counters.plus(&other.counters),
            number: self.number,
        })
    }
}

/// What the system said about one trial.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrialEvidence {
    /// What the leaf devices counted from before the trial to after it, its ramp
    /// included; missing when that cannot be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceCounters>,
    /// What the control group of this process had one device do meanwhile; missing where the devices
    /// themselves are seen, or it counts nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupCount>,
    /// Bytes of the file that were in the page cache before; missing when that
    /// cannot be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_before: Option<Bytes>,
    /// When it began on the clock of [`crate::Course`]; missing where that was not noted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<Nanos>,
    /// Who else did I/O meanwhile; missing where nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub foreign: Option<ForeignUse>,
    /// What else the processors did meanwhile; missing where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<ProcessorEvidence>,
}

/// What one workload did in one trial, all threads together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TrialOutcome")]
pub struct Outcome {
    /// From the stage's start to the start of the measured part.
    #[serde(default, skip_serializing_if = "is_default")]
    pub started_after: Nanos,
    /// From the first I/O issued in the measured part to the last one completed.
    pub elapsed: Nanos,
    /// What was moved outside the measured part, by [`Operation::index`]: in the ramp (also by
    /// I/Os issued in it that ended after it), while the queue settled, and while it drained.
    /// The devices count it, the figures do not.
    #[serde(default, skip_serializing_if = "is_default")]
    pub in_ramp: [Moved; Operation::ALL.len()],
    /// Where the measured part was cut out of a load that began before it and went on after
    /// it; missing where all that was started in it is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// One entry per kind of operation that occurred.
    pub operations: Vec<OperationTally>,
    /// From preparing an I/O to the return of the system call that submitted it,
    /// nanoseconds; sampled, so its count is below the number of I/Os. Missing
    /// where submission is not a step of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<Histogram>,
    /// What was moved per interval, in order of time. In JSON four columns: how far its end is from
    /// that of the one before, nanoseconds; the bytes of an I/O, less those before it; I/Os; bytes
    /// beside these.
    #[serde(default, with = "points", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Vec<i64>>")]
    pub series: Vec<SeriesPoint>,
    /// Processor time of the workload's threads in the measured part; missing in
    /// virtual time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuTime>,
    /// What the system counted about its threads beyond processor time; missing in
    /// virtual time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ThreadUsage>,
    /// How many I/Os were in flight, submitted and reaped at once; missing where that
    /// was not recorded ([`crate::Recording`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depths: Option<Depths>,
    /// Logs of single I/Os or of intervals; empty unless asked for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub logs: Logs,
    /// What happened at each place of a survey, in the order in which they were
    /// visited. In JSON six columns: offset, bytes, I/Os, nanoseconds, and the longest latency,
    /// each less that of the place before; and the distance, -1 where there is none.
    #[serde(
        rename = "places",
        default,
        with = "points",
        skip_serializing_if = "Vec::is_empty"
    )]
    #[schemars(with = "Vec<Vec<i64>>")]
    pub samples: Vec<SurveySample>,
    /// Ranges of a survey that could not be read or written, in order of place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defects: Vec<Defect>,
    /// Bytes that a survey read beside what it measured: on the way to its places, before
    /// they were written back, and where something failed. The devices count them, too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub read_aside: Bytes,
    /// The I/Os of a survey that took longest, the longest first; of neighbours in flight
    /// together there may be several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slowest: Vec<SlowIo>,
    /// From where on a survey that was stopped is still to be done; missing where it came to its
    /// end, and for anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_at: Option<SurveyPosition>,
    /// Latencies of single reads while a survey wrote ([`crate::Survey::read_beside`]),
    /// nanoseconds; their bytes are among those read aside. Missing where there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_beside: Option<Histogram>,
    /// What checking found; missing where nothing was to be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<VerifyOutcome>,
    /// What places of the target held when they were read back; missing where that was not
    /// asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<CapacityCheck>,
    /// How steady it became; missing without a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyOutcome>,
    /// From the first I/O issued in the measured part until all that was written was made
    /// durable by a flush behind that part; missing where that was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durable_after: Option<Nanos>,
    /// I/Os in flight, averaged over the measured time and summed over threads;
    /// counted by the engine, not derived from latencies.
    #[serde(deserialize_with = "float_or_none")]
    #[schemars(with = "Option<f64>")]
    pub depth_achieved: f64,
    /// How I/O was issued.
    pub backend: BackendUse,
    /// Whether the page cache was bypassed.
    pub direct: bool,
    /// I/Os that failed or moved fewer bytes than asked: the first of each kind,
    /// with their number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<IoFailure>,
    /// Why the workload's trial ended.
    pub stopped: StopReason,
}

impl Outcome {
    /// An outcome in which nothing has been done yet.
    pub fn new(backend: impl Into<BackendUse>, stopped: StopReason) -> Self {
        Self {
            backend: backend.into(),
            stopped,
            ..Self::default()
        }
    }

    /// The tally of one operation, if it occurred.
    pub fn operation(&self, operation: Operation) -> Option<&OperationTally> {
        self.operations
            .iter()
            .find(|tally| tally.operation == operation)
    }

    /// Bytes read and written in the measured part.
    pub fn bytes_moved(&self) -> Bytes {
        Bytes(self.data_operations().map(|tally| tally.bytes.0).sum())
    }

    /// Bytes read and written per second of the measured part, without what was read back
    /// to check writes; `None` where nothing was moved.
    pub fn bytes_per_second(&self) -> Option<f64> {
        let checked = self.verified.as_ref();
        let writes = checked.and_then(|_| self.operation(Operation::Write));
        let (bytes, elapsed) = match writes {
            Some(writes) => (writes.bytes, writes.elapsed),
            None => (self.bytes_moved(), self.elapsed),
        };
        let is_measured = elapsed > Nanos(0) && bytes > Bytes(0);
        is_measured.then(|| bytes.0 as f64 / elapsed.as_secs_f64())
    }

    /// Bytes written per second, until they were durable; `None` where that is not known.
    pub fn durable_bytes_per_second(&self) -> Option<f64> {
        let after = self.durable_after.filter(|after| *after > Nanos(0))?;
        let written = self.operation(Operation::Write)?.bytes;
        Some(written.0 as f64 / after.as_secs_f64())
    }

    /// Reads and writes completed in the measured part.
    pub fn ios(&self) -> u64 {
        self.data_operations().map(|tally| tally.ios).sum()
    }

    fn data_operations(&self) -> impl Iterator<Item = &OperationTally> {
        self.operations
            .iter()
            .filter(|tally| tally.operation != Operation::Flush)
    }
}

impl TrialSeries {
    /// Of a trial that ended so.
    pub fn of(outcome: &Outcome) -> Self {
        let settled = outcome.window.map(|window| window.settled);
        Self {
            settled: settled.unwrap_or(outcome.started_after),
            in_ramp: Bytes(outcome.in_ramp.iter().map(|moved| moved.bytes.0).sum()),
            series: outcome.series.clone(),
        }
    }
}

/// The edges of a measured part in which the queue is full ([`crate::Estimand::Sustained`]).
/// An I/O counts, with all of its latency, where it completed in the part; so the latencies and
/// the depth agree only with what crossed the edges: Σ latencies − `late` − `carried_in` +
/// `carried_out` = ∫ I/Os in flight dt, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Window {
    /// From the first I/O to the start of the measured part.
    pub settled: Nanos,
    /// From the end of the measured part until nothing was in flight.
    pub drained: Nanos,
    /// How long the I/Os in flight at the start had been so by then, all together.
    pub carried_in: Nanos,
    /// The same of those in flight at the end.
    pub carried_out: Nanos,
    /// Latencies of the I/Os that completed behind the end and are counted all the same
    /// ([`OperationTally::late_ios`]), all together.
    #[serde(default, skip_serializing_if = "is_default")]
    pub late: Nanos,
}

impl Window {
    /// Adds the edges of another thread's part, which are at the same instants.
    pub fn merge(&mut self, other: &Self) {
        self.settled = self.settled.max(other.settled);
        self.drained = self.drained.max(other.drained);
        self.carried_in.0 = self.carried_in.0.saturating_add(other.carried_in.0);
        self.carried_out.0 = self.carried_out.0.saturating_add(other.carried_out.0);
        self.late.0 = self.late.0.saturating_add(other.late.0);
    }
}

/// What one kind of operation did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationTally {
    /// Operation that the tally is of.
    pub operation: Operation,
    /// I/Os completed in the measured part.
    pub ios: u64,
    /// Bytes moved in the measured part.
    pub bytes: Bytes,
    /// From preparing an I/O to reaping it, nanoseconds.
    pub latency: Histogram,
    /// From the instant at which the schedule meant the I/O to start to reaping
    /// it, nanoseconds; only at a fixed rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_from_intended: Option<Histogram>,
    /// From preparing an I/O to the return of the system call that submitted it,
    /// nanoseconds, of every I/O; missing unless recorded, or where submission is no
    /// step of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<Histogram>,
    /// From there to reaping it; missing where `submission` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion: Option<Histogram>,
    /// What was moved per recorded interval, in order of time; in JSON in columns as in the outcome.
    #[serde(default, with = "points", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Vec<i64>>")]
    pub series: Vec<SeriesPoint>,
    /// From the first I/O of this kind to the last one's end.
    pub elapsed: Nanos,
    /// I/Os that moved less than asked.
    #[serde(default, skip_serializing_if = "is_default")]
    pub short_ios: u64,
    /// I/Os that are in the latencies alone: in flight at the end of the measured part and longer
    /// than any that can have come into it, or never answered and in it for as long as they were
    /// waited for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub late_ios: u64,
}

impl OperationTally {
    /// An empty tally of this operation.
    pub fn new(operation: Operation) -> Self {
        Self {
            operation,
            ios: 0,
            bytes: Bytes(0),
            latency: Histogram::new(),
            latency_from_intended: None,
            submission: None,
            completion: None,
            series: Vec::new(),
            elapsed: Nanos(0),
            short_ios: 0,
            late_ios: 0,
        }
    }
}

/// A range in which every block failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Defect {
    /// Operation that failed on every block.
    pub operation: Operation,
    /// First byte of the range.
    pub offset: Bytes,
    /// Its length, in whole logical blocks.
    pub length: Bytes,
    /// How its first block failed.
    pub kind: FailureKind,
}

/// Processor time, by the mode that it was spent in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CpuDocument")]
pub struct CpuTime {
    /// Time in user mode, nanoseconds.
    #[serde(rename = "user_ns")]
    pub user: Nanos,
    /// Time in the kernel on behalf of the threads themselves, nanoseconds.
    #[serde(rename = "system_ns")]
    pub system: Nanos,
    /// Of threads of the kernel that did the I/O in the place of those that asked for it
    /// (io_uring's workers).
    #[serde(
        default,
        rename = "kernel_workers_ns",
        skip_serializing_if = "is_default"
    )]
    pub kernel_workers: Nanos,
}

/// What the system counted about threads (getrusage, and `schedstat` of proc_pid(5)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadUsage {
    /// Times they gave up or lost the processor.
    pub context_switches: u64,
    /// Page faults that read from a disk.
    pub major_faults: u64,
    /// Page faults that did not.
    pub minor_faults: u64,
    /// How long they were ready to run and no processor ran them, summed; missing where the
    /// kernel does not tell, and in runs of versions that did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<Nanos>,
}

/// Counts of I/Os by how many were in flight when one was submitted, how many were
/// submitted by one system call and how many reaped at once. Classes of `level` begin
/// at 1, 2, 4, 8, 16, 32 and 64; those of `submitted` and `completed` hold 0, up to
/// 4, 8, 16, 32, 64 and more (as fio's).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Depths {
    /// I/Os by how many were in flight when each was submitted.
    pub level: [u64; 7],
    /// Submitting system calls by how many I/Os each submitted.
    pub submitted: [u64; 7],
    /// Reaps by how many I/Os each brought back.
    pub completed: [u64; 7],
}

/// What was logged of single I/Os or of intervals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Logs {
    /// Submission latencies by I/O or interval, nanoseconds.
    pub submission: Vec<LogPoint>,
    /// Completion latencies by I/O or interval, nanoseconds.
    pub completion: Vec<LogPoint>,
    /// Total latencies by I/O or interval, nanoseconds.
    pub total: Vec<LogPoint>,
    /// Every I/O, with its bytes; values are 1.
    pub every_io: Vec<LogPoint>,
    /// Histograms of completion latencies, one per interval and operation.
    pub histograms: Vec<HistogramPoint>,
}

impl Logs {
    /// How much was logged.
    pub fn points(&self) -> usize {
        let of_ios = [
            &self.submission,
            &self.completion,
            &self.total,
            &self.every_io,
        ];
        of_ios.iter().map(|points| points.len()).sum::<usize>() + self.histograms.len()
    }
}

/// One I/O, or one interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogPoint {
    /// When it ended, counted from the start of the workload's measured part.
    pub at: Nanos,
    /// Operation of the I/O or of the interval's I/Os.
    pub operation: Operation,
    /// The value, or the mean of the interval.
    #[serde(deserialize_with = "float_or_none")]
    #[schemars(with = "Option<f64>")]
    pub value: f64,
    /// The largest of the interval.
    pub max: u64,
    /// Size of the I/O; 0 for an interval of several sizes.
    pub bytes: u32,
    /// Offset of the I/O in its file; 0 for an interval.
    pub offset: u64,
}

/// A histogram of one interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistogramPoint {
    /// End of the interval, counted from the start of the measured part.
    pub at: Nanos,
    /// Operation whose latencies these are.
    pub operation: Operation,
    /// Size of the interval's first I/O.
    pub bytes: u32,
    /// Latencies of the interval, nanoseconds.
    pub latency: Histogram,
}

/// How steady a workload became.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyOutcome {
    /// Whether it was steady at its end.
    pub attained: bool,
    /// What the rule's figure came to: slope, or largest deviation, in percent of
    /// the mean or in the figure's unit.
    #[serde(deserialize_with = "float_or_none")]
    #[schemars(with = "Option<f64>")]
    pub criterion: f64,
    /// Slope of the window's figures per interval.
    #[serde(deserialize_with = "float_or_none")]
    #[schemars(with = "Option<f64>")]
    pub slope: f64,
    /// Largest deviation from their mean.
    #[serde(deserialize_with = "float_or_none")]
    #[schemars(with = "Option<f64>")]
    pub deviation_max: f64,
    /// I/Os per second of each interval of the window.
    pub iops: Vec<f64>,
    /// Bytes per second of each interval of the window.
    pub bandwidth: Vec<f64>,
}

/// I/Os of one kind that failed in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IoFailure {
    /// Operation of the I/Os that failed.
    pub operation: Operation,
    /// Error, or other way in which they failed.
    pub kind: FailureKind,
    /// Offset of the first one.
    pub offset: Bytes,
    /// How many failed in this way.
    pub count: u64,
}

/// How an I/O failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The system answered with this error number.
    Errno(i32),
    /// Fewer bytes were moved than asked, but more than none.
    Short {
        /// Bytes that the I/O asked for.
        #[serde(rename = "asked")]
        requested: u32,
        /// Bytes that were moved all the same.
        moved: u32,
    },
    /// No bytes were moved and no error was given, inside the target's size: how
    /// NVMe and virtio disks that have vanished answer reads.
    Nothing,
    /// The device did not answer for as long as anybody would wait.
    Unanswered,
    /// The NVMe drive itself answered with this status: type in bits 8–10, code in bits 0–7.
    Nvme(u16),
}

/// Why a trial ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Stopped")]
pub enum StopReason {
    /// Its time limit was reached.
    #[default]
    Time,
    /// All was done, up to its limit of bytes, I/Os or files.
    Bytes,
    /// Ended early on purpose; the figures count.
    Ended,
    /// The user interrupted it.
    Cancelled,
    /// I/O failed, which ended the trial.
    Failed,
}
