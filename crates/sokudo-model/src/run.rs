//! What happened, complete enough to recompute every figure from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::burn_in::BurnIn;
use crate::conditions::Conditions;
use crate::disk_assessment::{AssessedDisk, DiskAssessment};
use crate::enough::Enough;
use crate::finding::Finding;
use crate::fit::FitQuestion;
use crate::host::Host;
use crate::inference::Inference;
use crate::json::is_default;
use crate::layout::Layout;
use crate::load::LatencyLimit;
use crate::method::ScheduleName;
use crate::narrow::narrow;
use crate::plan::{Plan, Workload};
use crate::reported::Provenance;
use crate::spent::Spent;
use crate::steady::SteadyProcedure;
use crate::stop::{StopCause, StopRule};
use crate::target::{HostEnvironment, TargetInfo};
use crate::trial::Row;
use crate::units::Nanos;

/// What happened when a plan was carried out: every output starts from this, and it is what
/// is kept.
///
/// What was written once is read by all later versions: a field is added with a default, and
/// none changes its meaning; what a version does not know of a later one's it leaves out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Version of the program that measured, or that read what another has measured.
    pub sokudo_version: String,
    /// Whether sokudo measured or another tool.
    pub provenance: Provenance,
    /// Start, in nanoseconds since 1970-01-01T00:00:00Z; `null` where another tool did not
    /// tell.
    pub started_at: Option<Nanos>,
    /// What was to be done.
    pub plan: Plan,
    /// How often, and in what order.
    pub schedule: Schedule,
    /// What it was done to, all of it together.
    pub target: TargetInfo,
    /// Each target that workloads name ([`crate::FileUse`]); empty where there is only the
    /// one above.
    pub targets: Vec<TargetInfo>,
    /// Options of the jobs that were left out although they change what is measured.
    pub left_out: Vec<String>,
    /// Where it was done.
    pub environment: HostEnvironment,
    /// What the system said around it; missing where there is no real device.
    #[serde(rename = "circumstances", default, skip_serializing_if = "is_default")]
    pub conditions: Conditions,
    /// How the test file was made; `null` where there was none to make.
    pub layout: Option<Layout>,
    /// One entry per workload of the plan, in the plan's order. A row that was
    /// not reached has no trials.
    pub rows: Vec<Row>,
    /// What concerns the run as a whole.
    pub findings: Vec<Finding>,
    /// What the figures say about the device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inferences: Vec<Inference>,
    /// Whether the disk under it is well, and as fast as it should be; missing where nothing can be
    /// expected of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_assessment: Option<Box<DiskAssessment>>,
    /// The same of each disk that was asked for, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assessed_disks: Vec<AssessedDisk>,
    /// What a burn-in has beside its rows; missing for anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burn_in: Option<Box<BurnIn>>,
    /// What somebody calls it ([`crate::label`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The command line that repeats the measurement.
    pub command: String,
    /// It was stopped before its end.
    pub interrupted: bool,
    /// The hosts that measured together; none where one process measured alone. What each of
    /// them did is in the trials ([`crate::TrialTogether`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<Host>,
    /// When it was measured, part by part, where it was interrupted and resumed; empty where it
    /// was measured in one go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<RunPart>,
    /// What its time went to; missing where that was not noted, as of a run that was resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<Spent>,
    /// The rule that ended it before its time; missing where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<Box<StopCause>>,
}

/// A part of a run that was measured in several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunPart {
    /// Start, in nanoseconds since 1970-01-01T00:00:00Z.
    #[serde(rename = "started_at_ns")]
    pub started_at: Nanos,
    /// End, in nanoseconds since 1970-01-01T00:00:00Z.
    #[serde(rename = "ended_at_ns")]
    pub ended_at: Nanos,
    /// The number under which it is kept; `null` for the last one.
    pub kept_as: Option<u64>,
}

impl Run {
    /// Each of its targets, in order.
    pub fn all_targets(&self) -> &[TargetInfo] {
        match &self.targets[..] {
            [] => std::slice::from_ref(&self.target),
            targets => targets,
        }
    }

    /// A run in which nothing has been done yet.
    pub fn new(plan: Plan, schedule: Schedule, target: TargetInfo) -> Self {
        Self {
            plan,
            schedule,
            target,
            ..Self::default()
        }
    }
}

/// How trials are repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScheduleDocument")]
pub struct Schedule {
    /// `interleaved` (rows in turn, so that drift hits all alike) or `crystal`
    /// (all trials of a row in a block, after a discarded warm-up).
    #[schemars(with = "String")]
    pub name: ScheduleName,
    /// Trials of each row, unless `enough` ends it before.
    pub trials: u32,
    /// Pause between two trials, in which no I/O is done.
    #[serde(rename = "pause_ns")]
    pub pause: Nanos,
    /// Whether a trial of full length is run first and thrown away.
    pub warm_up: bool,
    /// When a row has been measured precisely enough to stop before `trials`; `null`
    /// always makes all of them.
    #[serde(flatten)]
    pub enough: Option<Enough>,
    /// Trials are made in rounds, one of each row, at random moments of equal parts of this
    /// time, with nothing done in between; missing where each follows the one before.
    #[serde(
        rename = "spread_over_ns",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub spread_over: Option<Nanos>,
    /// Time of the whole run from which on no trial is begun but the first ones of each row
    /// (`trials_before_time_max`); missing without a limit.
    #[serde(
        rename = "time_max_ns",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub time_max: Option<Nanos>,
    /// Trials of each row that are made however long the run takes, where `time_max` ends it for
    /// the others; missing where that is only the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub trials_before_time_max: u32,
    /// Trials left out at each end of a row's sorted trials for the trimmed mean; 0
    /// where none is asked for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub trim: u32,
    /// Rounds until they are steady, in the place of all of the above; missing for
    /// anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<Box<SteadyProcedure>>,
    /// The latency for which the highest rate is looked for; missing where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_limit: Option<LatencyLimit>,
    /// What the figures are asked for; missing for figures alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<Box<FitQuestion>>,
    /// What ends the run before its time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_when: Vec<StopRule>,
    /// Rows that visit positions of a target, or check its capacity, have one trial, behind all
    /// rounds of the others; missing where they have as many.
    #[serde(default, skip_serializing_if = "is_default")]
    pub surveys_once: bool,
}

impl Schedule {
    /// Rows in turn, so that drift hits all of them alike.
    pub fn in_turn(trials: u32, pause: Nanos) -> Self {
        Self {
            trials,
            pause,
            ..Self::default()
        }
    }

    /// The trials of a row that no time of the run ends before.
    pub fn trials_in_any_time(&self) -> u32 {
        self.trials_before_time_max.max(1)
    }

    /// Whether one trial is all that a row of this workload has, behind those of the others.
    pub fn makes_once(&self, workload: &Workload) -> bool {
        self.surveys_once && (workload.survey().is_some() || workload.checks_capacity())
    }

    /// The most trials that a row of this workload has.
    pub fn trials_of(&self, workload: &Workload) -> u32 {
        match self.makes_once(workload) {
            true => 1,
            false => self.trials,
        }
    }

    /// How many trials a row should have had: as many as it has once no more are to be made.
    pub fn trials_due(&self, row: &Row) -> u32 {
        let (made, most) = (narrow(row.trials.len()), self.trials_of(&row.workload));
        if self.steady.is_some() {
            // Rounds end when they are steady; that is told by itself.
            return made;
        }
        let ends = |enough: Enough| enough.ends(&row.trials);
        match row.out_of_time || self.enough.is_some_and(ends) {
            true => made.min(most),
            false => most,
        }
    }
}
