//! What will be done, before it is: rows, how long it takes, and what is written at most.

use sokudo_measure::{Expectation, Jobs, Measurement, duration, trials_at_most};
use sokudo_model::{Bytes, JobTargetKind, Nanos, Plan, Schedule, TargetKind, Workload};
use sokudo_page::{PlannedRow, RunEvent};

use crate::command_line;

/// More than this is written, or longer measured, only where somebody has said so.
const BYTES_WITHOUT_CONSENT_MAX: u64 = 100_000_000_000;
const TIME_WITHOUT_CONSENT_MAX: Nanos = Nanos::from_secs(3_600);

/// How long a plan takes, and what it writes.
#[derive(Clone, Debug, Default)]
pub struct Estimate {
    pub time: Nanos,
    /// Models take what is written at no cost.
    pub is_virtual: bool,
    /// The command asks before it begins, however little is written.
    pub asks: bool,
    /// Whether its rows write.
    pub writes: bool,
    /// Bytes of files that make the target ready.
    pub lays_out: Option<Bytes>,
    /// Where that is known: bytes that are limited, and what makes the target ready.
    pub writes_bytes: Option<u64>,
    /// In which as much is written as the target takes.
    pub writes_seconds: f64,
}

impl Estimate {
    /// Of targets of these sizes, of which so much is written to make it ready, if that is not what
    /// the plan writes itself.
    fn new(plan: &Plan, schedule: &Schedule, sizes: &[Bytes], lays_out: Option<Bytes>) -> Self {
        let (bytes, writes_seconds) = match &schedule.steady {
            Some(steady) => (Some(steady.estimate.written_bytes_max.0), 0.0),
            None => written(plan, schedule, sizes),
        };
        let time = duration(plan, schedule, sizes);
        // Of a run that ends before all trials are made as large a part is written.
        let unlimited = Schedule {
            time_max: None,
            ..schedule.clone()
        };
        let whole = duration(plan, &unlimited, sizes).as_secs_f64();
        let share = (time.as_secs_f64() / whole.max(1e-9)).min(1.0);
        let changes = |it: &Workload| it.operations.changes_data();
        let mut workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
        Self {
            time,
            is_virtual: false,
            asks: false,
            writes: workloads.any(changes),
            lays_out,
            writes_bytes: bytes.map(|it| it.saturating_add(lays_out.unwrap_or_default().0)),
            writes_seconds: writes_seconds * share,
        }
    }

    /// Of what is about to be measured.
    pub fn of(measurement: &Measurement<'_>) -> Self {
        let (plan, schedule) = (&measurement.plan, &carried_out(measurement));
        let is_model = |kind| matches!(kind, TargetKind::Simulated | TargetKind::Null);
        let mut targets = measurement.targets();
        Self {
            is_virtual: targets.all(|(_, named)| is_model(named.kind())),
            ..Self::new(plan, schedule, &measurement.sizes(), measurement.lays_out())
        }
    }

    /// Of jobs, which lay out files that are not there.
    pub fn of_jobs(jobs: &Jobs<'_>) -> Self {
        let targets = jobs.targets.iter();
        let made = targets.filter(|it| it.needs_data && it.is_made() && !it.path.exists());
        let laid_out = made.fold(0_u64, |sum, it| sum.saturating_add(it.bytes.0));
        let is_model = |kind| matches!(kind, JobTargetKind::Simulated | JobTargetKind::Null);
        Self {
            is_virtual: jobs.targets.iter().all(|it| is_model(it.kind)),
            ..Self::new(jobs.plan, &jobs.schedule, &[], Some(Bytes(laid_out)))
        }
    }

    /// Of both, one after the other.
    pub fn and(&self, other: &Self) -> Self {
        let sum = |(ours, theirs): (u64, u64)| ours.saturating_add(theirs);
        Self {
            time: Nanos(sum((self.time.0, other.time.0))),
            is_virtual: self.is_virtual && other.is_virtual,
            asks: self.asks || other.asks,
            writes: self.writes || other.writes,
            lays_out: None,
            writes_bytes: self.writes_bytes.zip(other.writes_bytes).map(sum),
            writes_seconds: self.writes_seconds + other.writes_seconds,
        }
    }

    /// Whether so much is written, or it takes so long, that nobody wants it by mistake.
    pub fn is_much(&self) -> bool {
        let is_long = self.time > TIME_WITHOUT_CONSENT_MAX;
        !self.is_virtual && (self.writes_many_bytes() || is_long)
    }

    /// Whether a byte is written, of rows or of files that they need.
    pub fn writes_anything(&self) -> bool {
        self.writes || self.writes_bytes != Some(0)
    }

    /// Whether so many bytes are written.
    pub fn writes_many_bytes(&self) -> bool {
        self.writes_bytes
            .is_some_and(|it| it > BYTES_WITHOUT_CONSENT_MAX)
    }
}

/// The schedule as it will be carried out: simulated devices make no pauses.
pub fn carried_out(measurement: &Measurement<'_>) -> Schedule {
    let mut schedule = measurement.schedule.clone();
    let mut kinds = measurement.targets().map(|(_, named)| named.kind());
    if kinds.all(|kind| kind == TargetKind::Simulated) {
        schedule.pause = Nanos(0);
    }
    schedule
}

/// What will be done, as the page shows it.
pub(super) fn planned(plan: &Plan, schedule: &Schedule, estimate: &Estimate) -> RunEvent {
    let workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
    let rows = workloads.clone().map(|workload| PlannedRow {
        name: workload.name.clone(),
        direction: workload.operations.direction().to_owned(),
    });
    RunEvent::Planned {
        method: plan.method.to_string(),
        command: command_line::as_given(),
        rows: rows.collect(),
        trials: schedule.trials,
        adaptive: schedule.enough.is_some(),
        seconds: estimate.time.as_secs_f64(),
        writes_bytes: estimate.writes_bytes,
        writes_seconds: estimate.writes_seconds,
        asks: estimate.asks || estimate.is_much(),
    }
}

/// Bytes, where they are limited, and seconds in which others write as fast as the target can.
fn written(plan: &Plan, schedule: &Schedule, sizes: &[Bytes]) -> (Option<u64>, f64) {
    let (mut bytes, mut time) = (Some(0_u64), 0.0);
    for stage in &plan.stages {
        let expected = Expectation::of_stage(stage, sizes);
        let trials = trials_at_most(schedule, stage, expected.time);
        let workloads = stage.workloads.iter();
        for writer in workloads.filter(|it| it.operations.changes_data()) {
            let moved = Expectation::of(writer, sizes).bytes;
            match writer.limits.time.filter(|_| moved.is_none()) {
                Some(limit) => time += limit.as_secs_f64() * f64::from(trials),
                None => {
                    let moved = moved.map(|moved| moved.0.saturating_mul(trials.into()));
                    bytes = bytes.zip(moved).map(|(sum, it)| sum.saturating_add(it));
                }
            }
        }
    }
    (bytes, time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{
        FileUse, Files, Limits, Method, Nanos, Operation, OperationMix, Verify, Workload,
    };

    fn writer(limits: Limits) -> Workload {
        Workload {
            operations: OperationMix::only(Operation::Write),
            limits,
            ..Workload::new("", Bytes::mib(1))
        }
    }

    /// What such rows write in two trials.
    fn written_by(workloads: Vec<Workload>) -> (Option<u64>, f64) {
        let plan = Plan::in_turn(Method::from("test"), 0, workloads);
        written(&plan, &Schedule::in_turn(2, Nanos(0)), &[])
    }

    #[test]
    fn bytes_are_told_where_they_are_limited_and_seconds_elsewhere() {
        let of_bytes = writer(Limits {
            bytes: Some(Bytes::mib(3)),
            ..Limits::default()
        });
        let of_time = writer(Limits::of_time(Nanos::from_secs(5)));
        assert_eq!(written_by(vec![of_bytes, of_time]), (Some(6 << 20), 10.0));
    }

    #[test]
    fn checks_of_two_devices_write_as_much_as_both_hold() {
        let check = |target| Workload {
            verify: Some(Verify::Capacity),
            files: Files {
                uses: vec![FileUse { target, span: None }],
                ..Files::default()
            },
            ..writer(Limits::default())
        };
        let plan = Plan::in_turn(Method::from("test"), 0, vec![check(0), check(1)]);
        let sizes = [Bytes(1_000_000), Bytes(8_000_000)];
        let all = written(&plan, &Schedule::in_turn(1, Nanos(0)), &sizes);
        assert_eq!(all, (Some(9_000_000), 0.0));
    }

    #[test]
    fn much_is_more_than_100_gb_or_an_hour() {
        let of_bytes = |bytes| {
            writer(Limits {
                bytes: Some(Bytes(bytes)),
                ..Limits::default()
            })
        };
        let of_time = |seconds| writer(Limits::of_time(Nanos::from_secs(seconds)));
        let reader = |workload: Workload| Workload {
            operations: OperationMix::only(Operation::Read),
            ..workload
        };
        for (workload, is_much) in [
            (of_bytes(100_000_000_000), false),
            (of_bytes(100_000_000_001), true),
            (of_time(3_600), false),
            (of_time(3_601), true),
            (reader(of_bytes(100_000_000_001)), false),
            (reader(of_time(3_601)), true),
        ] {
            let plan = Plan::in_turn(Method::from("test"), 0, vec![workload]);
            let schedule = Schedule::in_turn(1, Nanos(0));
            let estimate = Estimate::new(&plan, &schedule, &[], Some(Bytes(0)));
            assert_eq!(estimate.is_much(), is_much, "{plan:?}");
        }
    }

    #[test]
    fn nobody_knows_what_an_endless_row_writes() {
        assert_eq!(written_by(vec![writer(Limits::default())]), (None, 0.0));
        assert_eq!(written_by(Vec::new()), (Some(0), 0.0));
    }
}
