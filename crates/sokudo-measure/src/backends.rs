//! Which backend `auto` is: where several I/Os are in flight, io_uring or libaio, whichever is
//! seen to be faster on the target itself; the engine's own order where that cannot be seen.
//! Polling and commands that go around the block layer are tried, too, where that is allowed.
//!
//! It is tried with reads like the row's, whatever the row does: nothing is written for it.

use sokudo_engine::Control;
use sokudo_model::{
    BackendKind, BackendsCompared, DirectMode, Event, IssueWay, IssueWayTried, Limits, Nanos,
    Operation, OperationMix, Outcome, PairRatios, Plan, Probe, Row, Schedule, Stage, TargetKind,
    TrialSeries, Work, Workload,
};

use crate::campaign::{self, MeasuredRows};
use crate::error::MeasureError;
use crate::expectation::Expectation;
use crate::subject::PreparedTargets;
use crate::turns::{AlternatingTrials, PAIRS, bytes_per_second};

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

/// Of what and within what a backend is chosen.
#[derive(Clone, Copy)]
pub(crate) struct Choosing<'a> {
    pub(crate) schedule: &'a Schedule,
    /// Polling, and commands that are passed around the block layer, may be taken.
    pub(crate) any_backend: bool,
    /// What an earlier part of the run has measured of its rows; empty for a run that begins.
    pub(crate) before: &'a [Row],
}

/// Carries a schedule out by the backends that are faster, and notes in each row what was tried.
/// A steady procedure begins on the drive as it is found, so that nothing is tried before it.
pub(crate) fn run(
    plan: &Plan,
    choosing: Choosing<'_>,
    subject: &mut PreparedTargets,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<MeasuredRows, MeasureError> {
    let schedule = choosing.schedule;
    // What is tried depends on the system, and so on the host of each of several processes.
    if schedule.steady.is_some() || subject.together.is_some() {
        return campaign::run(plan, schedule, choosing.before, subject, control, listener);
    }
    let mut chosen = plan.clone();
    let before = subject.passed();
    let tried = choose(&mut chosen, choosing, subject, control, listener);
    subject.check_since(before);
    let mut measured = campaign::run(
        &chosen,
        schedule,
        choosing.before,
        subject,
        control,
        listener,
    )?;
    let requested_workloads = plan.stages.iter().flat_map(|stage| &stage.workloads);
    for ((row, requested), tried) in measured.rows.iter_mut().zip(requested_workloads).zip(tried) {
        // Which queue it is makes no other row of it; what goes around more than that does.
        let workload = &mut row.workload;
        if !workload.issuing.polled && workload.backend != BackendKind::IoUringCmd {
            workload.backend = requested.backend;
        }
        row.backends = tried.compared;
        row.uncounted.splice(..0, tried.moved);
    }
    Ok(measured)
}

/// What was tried for a row.
#[derive(Clone, Default)]
struct Tried {
    /// What it came to; `None` where that shows nothing.
    compared: Option<BackendsCompared>,
    /// What was moved meanwhile, of what the row moves again.
    moved: Vec<TrialSeries>,
}

/// Tries backends for each row that leaves the choice, writes what is faster into the plan, and
/// returns what each row's came to. Rows that differ in their direction alone share it. What goes
/// wrong is left to the row itself.
fn choose(
    plan: &mut Plan,
    choosing: Choosing<'_>,
    subject: &mut PreparedTargets,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Vec<Tried> {
    let mut known: Vec<(Workload, Option<BackendsCompared>)> = Vec::new();
    let requested = plan.clone();
    let mut of_rows = Vec::new();
    for row in 0..plan.stages.len() {
        let first = of_rows.len();
        of_rows.resize(first + plan.stages[row].workloads.len(), Tried::default());
        let ([workload], [tried]) = (&plan.stages[row].workloads[..], &mut of_rows[first..]) else {
            take_those_chosen_alone(plan, row, &requested);
            continue;
        };
        if !leaves_the_choice(workload, subject) {
            continue;
        }
        let ways = ways(workload, choosing.any_backend);
        let trials_time = (RAMP.0 + TIME.0) * 2 * u64::from(PAIRS) * ways.len() as u64;
        if ways.is_empty() || trials_time > row_time(plan, row, choosing, subject) / PART_OF_ROW {
            continue;
        }
        let reads = reading_alike(workload);
        tried.compared = match known.iter().find(|(other, _)| *other == reads) {
            Some((_, compared)) => compared.clone(),
            None => {
                listener(Event::Probing(Probe::Backends));
                let moved = &mut tried.moved;
                let compared = try_ways(plan, row, &ways, subject, control, moved);
                known.push((reads, compared.clone()));
                compared
            }
        };
        if let Some(faster) = tried.compared.as_ref().and_then(BackendsCompared::faster) {
            let workload = &mut plan.stages[row].workloads[0];
            workload.backend = faster.way.kind;
            workload.issuing.polled = faster.way.polled;
        }
    }
    of_rows
}

/// Of what runs together, each takes the backend that was chosen for it alone.
fn take_those_chosen_alone(chosen: &mut Plan, stage: usize, requested: &Plan) {
    for (index, workload) in requested.stages[stage].workloads.iter().enumerate() {
        let is_it = |stage: &Stage| stage.workloads[..] == [workload.clone()];
        let Some(alone) = requested.stages.iter().position(is_it) else {
            continue;
        };
        let of_alone = &chosen.stages[alone].workloads[0];
        let (backend, polled) = (of_alone.backend, of_alone.issuing.polled);
        let workload = &mut chosen.stages[stage].workloads[index];
        (workload.backend, workload.issuing.polled) = (backend, polled);
    }
}

/// What all trials of a row take, in nanoseconds.
fn row_time(plan: &Plan, row: usize, choosing: Choosing<'_>, subject: &PreparedTargets) -> u64 {
    let expected = Expectation::of_stage(&plan.stages[row], &subject.sizes());
    let trials = choosing.schedule.trials.into();
    expected.time.0.saturating_mul(trials)
}

/// Whether the choice is a part of what is measured.
fn leaves_the_choice(workload: &Workload, subject: &PreparedTargets) -> bool {
    let used = workload.targets();
    let on = used.first().and_then(|target| subject.opened.get(*target));
    let is_real =
        on.is_some_and(|on| !matches!(on.info.kind, TargetKind::Null | TargetKind::Simulated));
    workload.backend == BackendKind::Auto
        && !workload.issuing.polled
        && workload.direct != DirectMode::Off
        && workload.pacing.rate.is_none()
        && workload.pacing.think.is_none()
        && workload.work.is_of_blocks()
        && workload.verify.is_none()
        && !subject.is_in_phases()
        && is_real
}

/// What there is to try against what is taken untried: with one I/O in flight no queue, with more
/// libaio against io_uring, and what goes around more where that is allowed.
fn ways(workload: &Workload, any_backend: bool) -> Vec<IssueWay> {
    let polled = |kind| IssueWay { kind, polled: true };
    let commands = IssueWay::of(BackendKind::IoUringCmd);
    let around = [
        polled(BackendKind::IoUring),
        commands,
        polled(commands.kind),
    ];
    let queue = (workload.depth > 1).then_some(IssueWay::of(BackendKind::Libaio));
    let around = around.into_iter().filter(|_| any_backend);
    queue.into_iter().chain(around).collect()
}

/// The workload, but that it reads, and has no name of its own.
pub(crate) fn reading_alike(workload: &Workload) -> Workload {
    let mut reads = Workload {
        name: String::new(),
        ..workload.clone()
    };
    read(&mut reads);
    // How long a row is measured makes no backend faster.
    reads.limits = Limits::default();
    reads
}

pub(crate) fn read(workload: &mut Workload) {
    let plain = Workload::new("", workload.blocks.largest());
    workload.operations = OperationMix::only(Operation::Read);
    workload.durability = plain.durability;
    workload.work = Work::Blocks;
    workload.data = plain.data;
}

/// Tries each way beside the fastest of those before it; `None` where none could be tried. One that
/// the target does not take is left out.
fn try_ways(
    plan: &Plan,
    row: usize,
    ways: &[IssueWay],
    subject: &mut PreparedTargets,
    control: &Control,
    moved: &mut Vec<TrialSeries>,
) -> Option<BackendsCompared> {
    let mut compared = BackendsCompared::default();
    let is_queue = plan.stages[row].workloads[0].depth > 1;
    let untried = IssueWay::of(match is_queue {
        true => BackendKind::IoUring,
        false => BackendKind::Psync,
    });
    for way in ways {
        let beside = compared.faster().map_or(untried, |it| it.way);
        let rates = pairs(plan, row, [*way, beside], subject, control, moved);
        let Some([rates, rates_beside]) = rates.ok().flatten() else {
            continue;
        };
        if way.kind == BackendKind::Libaio {
            (compared.libaio, compared.io_uring) = (rates, rates_beside);
        } else {
            compared.around.push(IssueWayTried {
                way: *way,
                rates,
                beside,
                rates_beside,
            });
        }
    }
    (compared != BackendsCompared::default()).then_some(compared)
}

/// The rates of both; `None` where a trial shows too little, or goes through the page cache.
fn pairs(
    plan: &Plan,
    row: usize,
    ways: [IssueWay; 2],
    subject: &mut PreparedTargets,
    control: &Control,
    moved: &mut Vec<TrialSeries>,
) -> Result<Option<[Vec<u64>; 2]>, MeasureError> {
    let by = ways.map(|way| {
        move |workload: &mut Workload| {
            read(workload);
            workload.backend = way.kind;
            workload.issuing.polled = way.polled;
        }
    });
    let turns = AlternatingTrials {
        plan,
        row,
        variants: [&by[0], &by[1]],
        time: TIME,
        ramp: RAMP,
    };
    let mut rates = [Vec::new(), Vec::new()];
    let shows = |outcome: &Outcome| outcome.ios() >= IOS_MIN && outcome.direct;
    for pair in 0..PAIRS {
        let Some(both) = turns.pair(pair, subject, control)? else {
            return Ok(None);
        };
        moved.extend(both.iter().map(TrialSeries::of));
        if !both.iter().all(shows) {
            return Ok(None);
        }
        for (rates, outcome) in rates.iter_mut().zip(&both) {
            rates.push(bytes_per_second(outcome));
        }
        if PairRatios::are_decided(&rates[0], &rates[1], PAIRS as usize) {
            break;
        }
    }
    Ok(Some(rates))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::Bytes;

    #[test]
    fn rows_that_differ_in_their_direction_alone_ask_one_question() {
        let read = Workload::new("SEQ1M,Q8,T1", Bytes::mib(1));
        let mut write = Workload::new("another name", Bytes::mib(1));
        write.operations = OperationMix::only(Operation::Write);
        write.durability.write_through = true;
        write.limits.time = Some(Nanos::from_secs(1));
        assert_eq!(reading_alike(&read), reading_alike(&write));
        write.depth += 1;
        assert_ne!(reading_alike(&read), reading_alike(&write));
    }
}
