//! Which backend `auto` is: where several I/Os are in flight, io_uring or libaio, whichever is
//! seen to be faster on the target itself; the engine's own order where that cannot be seen.
//!
//! It is tried with reads like the row's, whatever the row does: nothing is written for it.

use sokudo_engine::Control;
use sokudo_model::{
    BackendKind, BackendsCompared, DirectMode, Event, Nanos, Operation, OperationMix, Outcome,
    Plan, Schedule, TargetKind, Workload,
};

use crate::campaign::{self, MeasuredRows};
use crate::error::MeasureError;
use crate::expectation::Expectation;
use crate::subject::PreparedTargets;
use crate::turns::{PAIRS, Turns, bytes_per_second};

/// One trial, and what runs before it is measured. Threads of the kernel that work for a ring are
/// made when they are needed, and moved to another processor only then: with them a memory disk came to
/// its speed after tens of milliseconds, and a trial without a ramp took the slower backend for
/// the faster one.
const TIME: Nanos = Nanos::from_millis(20);
const RAMP: Nanos = Nanos::from_millis(40);

/// All trials take no more than a part of what the row itself takes.
const PART_OF_ROW: u64 = 4;

/// Of fewer I/Os a trial shows chance: a rate is known to a fifteenth by 200.
const IOS_MIN: u64 = 200;

/// Carries a schedule out by the backends that are faster, and notes in each row what was tried.
/// A steady procedure begins on the drive as it is found, so that nothing is tried before it.
pub(crate) fn run(
    plan: &Plan,
    schedule: &Schedule,
    subject: &mut PreparedTargets,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<MeasuredRows, MeasureError> {
    if schedule.steady.is_some() {
        return campaign::run(plan, schedule, subject, control, listener);
    }
    let mut chosen = plan.clone();
    let tried = choose(&mut chosen, schedule, subject, control);
    let mut measured = campaign::run(&chosen, schedule, subject, control, listener)?;
    let asked = plan.stages.iter().map(|stage| &stage.workloads[0]);
    for ((row, workload), compared) in measured.rows.iter_mut().zip(asked).zip(tried) {
        row.workload.backend = workload.backend;
        row.backends = compared;
    }
    Ok(measured)
}

/// Tries backends for each row that leaves the choice, writes what is faster into the plan, and
/// returns what each row's came to. Rows that differ in their direction alone share it. What goes
/// wrong is left to the row itself.
fn choose(
    plan: &mut Plan,
    schedule: &Schedule,
    subject: &mut PreparedTargets,
    control: &Control,
) -> Vec<Option<BackendsCompared>> {
    let mut known: Vec<(Workload, Option<BackendsCompared>)> = Vec::new();
    let mut of_rows = vec![None; plan.stages.len()];
    for (row, compared) in of_rows.iter_mut().enumerate() {
        let stage = &plan.stages[row];
        let row_time = Expectation::of_stage(stage, subject.info().size_bytes)
            .time
            .0;
        let row_time = row_time.saturating_mul(schedule.trials.into());
        let trials_time = (RAMP.0 + TIME.0) * 2 * u64::from(PAIRS);
        if trials_time > row_time / PART_OF_ROW || !leaves_the_choice(&stage.workloads[0], subject)
        {
            continue;
        }
        let reads = reading_alike(&stage.workloads[0]);
        *compared = match known.iter().find(|(other, _)| *other == reads) {
            Some((_, compared)) => compared.clone(),
            None => {
                let compared = pairs(plan, row, subject, control).ok().flatten();
                known.push((reads, compared.clone()));
                compared
            }
        };
        if let Some((faster, _)) = compared.as_ref().and_then(BackendsCompared::faster) {
            plan.stages[row].workloads[0].backend = faster;
        }
    }
    of_rows
}

/// Whether the choice is between queues, and a part of what is measured.
fn leaves_the_choice(workload: &Workload, subject: &PreparedTargets) -> bool {
    let on = &subject.info().kind;
    workload.backend == BackendKind::Auto
        && workload.depth > 1
        && !workload.polled
        && workload.direct != DirectMode::Off
        && workload.rate.is_none()
        && workload.think.is_none()
        && workload.verify.is_none()
        && workload.survey.is_none()
        && workload.tree.is_none()
        && !workload.checks_capacity
        && !subject.is_in_phases()
        && !matches!(on, TargetKind::Null | TargetKind::Simulated)
}

/// The workload, but that it reads, and has no name of its own.
fn reading_alike(workload: &Workload) -> Workload {
    let mut reads = Workload {
        name: String::new(),
        ..workload.clone()
    };
    read(&mut reads);
    reads
}

fn read(workload: &mut Workload) {
    let plain = Workload::new("", workload.blocks.largest());
    workload.operations = OperationMix::only(Operation::Read);
    workload.durability = plain.durability;
    workload.rewritten_percent = 0;
    workload.data = plain.data;
}

fn by_ring(workload: &mut Workload) {
    read(workload);
    workload.backend = BackendKind::IoUring;
}

fn by_libaio(workload: &mut Workload) {
    read(workload);
    workload.backend = BackendKind::Libaio;
}

/// The rates of both; `None` where a trial shows too little, or goes through the page cache.
fn pairs(
    plan: &Plan,
    row: usize,
    subject: &mut PreparedTargets,
    control: &Control,
) -> Result<Option<BackendsCompared>, MeasureError> {
    let turns = Turns {
        plan,
        row,
        variants: [by_ring, by_libaio],
        time: TIME,
        ramp: RAMP,
    };
    let mut compared = BackendsCompared::default();
    let shows = |outcome: &Outcome| outcome.ios() >= IOS_MIN && outcome.direct;
    for pair in 0..PAIRS {
        let Some(both) = turns.pair(pair, subject, control)? else {
            return Ok(None);
        };
        if !both.iter().all(shows) {
            return Ok(None);
        }
        let [ring, libaio] = &both;
        compared.io_uring.push(bytes_per_second(ring));
        compared.libaio.push(bytes_per_second(libaio));
    }
    Ok(Some(compared))
}
