//! Trials of every row, in the schedule's order.

use std::ops::Range;
use std::time::{Duration, Instant};

use sokudo_engine::{Control, StageOptions};
use sokudo_model::{
    Enough, Event, Nanos, Plan, Row, Schedule, Stage, StopReason, TargetKind, Trial, TrialSeries,
    narrow,
};
use sokudo_stats::Random;
use sokudo_stats::mix64;

use crate::error::MeasureError;
use crate::evidence::FoundState;
use crate::length::TrialLength;
use crate::rest::StageRest;
use crate::run_time::{RowTime, duration, has_time_for_trial};
use crate::settling::SettleTime;
use crate::steps::{ScheduledTrial, steps, trial_seed};
use crate::subject::PreparedTargets;

/// Pauses look at the control this often.
const PAUSE_STEP: Duration = Duration::from_millis(50);

/// One execution to be done, and what an earlier part of the run has left of its stage.
#[derive(Clone, Copy)]
struct DueTrial<'a> {
    step: ScheduledTrial,
    rest: &'a StageRest,
}

/// When each round of a schedule begins that is spread over a time, since the first: at a random
/// moment of its own part of the time, so that no round keeps step with what else runs on the
/// machine, and the last ends within it. All at once where one takes as long as a part.
#[expect(clippy::cast_possible_truncation, reason = "it lies within the time")]
fn round_starts(rounds: u32, over: Nanos, round: Nanos, seed: u64) -> Vec<Nanos> {
    let mut random = Random::stream(seed, u64::from(rounds));
    let part = over.0.saturating_sub(round.0) as f64 / f64::from(rounds.max(1));
    (0..rounds)
        .map(|number| {
            let into = if number == 0 { 0.0 } else { random.fraction() };
            Nanos((part * (f64::from(number) + into)) as u64)
        })
        .collect()
}

/// Rounds that wait for their time.
struct SpreadRounds {
    began: Instant,
    starts: Vec<Nanos>,
    /// The one that has begun.
    current: u32,
}

impl SpreadRounds {
    /// `None` where rounds follow each other at once; on a simulated device, too: its time is
    /// that of its I/O.
    fn of(plan: &Plan, schedule: &Schedule, subject: &PreparedTargets) -> Option<Self> {
        let over = schedule.spread_over?;
        if subject.info().kind == TargetKind::Simulated {
            return None;
        }
        let round = Schedule {
            trials: 1,
            spread_over: None,
            ..schedule.clone()
        };
        let round = duration(plan, &round, &subject.sizes());
        Some(Self {
            began: Instant::now(),
            starts: round_starts(schedule.trials, over, round, plan.seed),
            current: 0,
        })
    }

    /// Waits until the round of a trial may begin, or it is over.
    fn wait_for(&mut self, round: u32, control: &Control, listener: &mut dyn FnMut(Event)) {
        if round <= self.current {
            return;
        }
        self.current = round;
        let rounds = narrow(self.starts.len());
        let start = self.starts.get(round as usize).copied().unwrap_or_default();
        let until = self.began + Duration::from(start);
        wait(until, control, |remaining| {
            listener(Event::RoundAwaited {
                remaining,
                round: round + 1,
                rounds,
                elapsed: Nanos(start.0.saturating_sub(remaining.0)),
            });
        });
    }
}

/// What the first trials of a stage show of how it is to be measured. Of one with several workloads
/// they show nothing: each would show another thing, and all must run for as long.
struct Learned {
    stage: usize,
    /// First row of the stage, as its place in the plan.
    row: usize,
    settling: SettleTime,
    length: TrialLength,
    /// Trials that showed it, and do not count.
    unsettled: u32,
    /// What they moved, until it is in the row.
    uncounted: Vec<TrialSeries>,
}

impl Learned {
    /// Of each stage, with its rows.
    fn of_all(plan: &mut Plan, rows_of: &[Range<usize>], learns: bool) -> Vec<Self> {
        let stages = rows_of.iter().enumerate();
        let of = |(stage, rows): (usize, &Range<usize>)| Self::of(plan, stage, rows.start, learns);
        stages.map(of).collect()
    }

    /// Of a stage without trials, whose first one gets its length in the plan.
    fn of(plan: &mut Plan, stage: usize, row: usize, learns: bool) -> Self {
        let learns = learns && plan.stages[stage].workloads.len() == 1;
        let workload = &mut plan.stages[stage].workloads[0];
        let length = TrialLength::of(workload);
        if let [workload] = &mut plan.stages[stage].workloads[..] {
            workload.limits.time = length.time();
        }
        let workload = &plan.stages[stage].workloads[0];
        Self {
            stage,
            row,
            settling: SettleTime::of(workload, learns),
            length,
            unsettled: 0,
            uncounted: Vec::new(),
        }
    }

    /// Trials, one per workload that is left, that show nothing new. What is learned meanwhile is put into the
    /// plan.
    fn trials(
        &mut self,
        due: DueTrial<'_>,
        plan: &mut Plan,
        schedule: &Schedule,
        subject: &mut PreparedTargets,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Vec<Trial>, MeasureError> {
        loop {
            listener(Event::TrialStarted {
                row: self.row,
                trial: due.step.trial,
            });
            let step = ScheduledTrial {
                made_before: self.unsettled,
                ..due.step
            };
            let settle = self.settling.time();
            let due = DueTrial { step, ..due };
            let trials = measure(plan, due, settle, subject, control, listener)?;
            let ([trial], [_]) = (&trials[..], &plan.stages[step.stage].workloads[..]) else {
                return Ok(trials);
            };
            let sizes = &subject.sizes();
            let before = RowTime::of(schedule, &plan.stages[step.stage], sizes);
            let is_left_out = !control.is_cancelled() && self.leaves_out(trial, plan, schedule);
            let now = RowTime::of(schedule, &plan.stages[step.stage], sizes);
            if now.trial != before.trial {
                listener(Event::RowTimed {
                    row: self.row,
                    trial: now.trial,
                    all_before: before.all(),
                    all: now.all(),
                });
            }
            if !is_left_out {
                return Ok(trials);
            }
            self.unsettled += 1;
            subject.clock.spent.add(&trial.outcome, false);
            self.uncounted.push(TrialSeries::of(&trial.outcome));
        }
    }

    /// Whether a trial does not count, because those of its row are to settle for longer, or it was
    /// longer than theirs are to be, or too short.
    fn leaves_out(&mut self, trial: &Trial, plan: &mut Plan, schedule: &Schedule) -> bool {
        let workload = &mut plan.stages[self.stage].workloads[0];
        if self.settling.is_longer_than_in(trial, workload) {
            return true;
        }
        let Some(enough) = schedule.enough else {
            return false;
        };
        let half_width = enough.half_width();
        let is_left_out = self.length.leaves_out(trial, workload, half_width);
        workload.limits.time = self.length.time();
        self.settling.lengthen(workload);
        is_left_out
    }
}

/// Lets a stage of several workloads settle for as long as the longest of those by themselves before
/// it: what runs together comes to its speed no sooner.
fn settle_together(learned: &mut [Learned], plan: &Plan, stage: usize) {
    let is_one = |learned: &&Learned| plan.stages[learned.stage].workloads.len() == 1;
    if is_one(&&learned[stage]) {
        return;
    }
    let before = learned[..stage].iter().rev().take_while(is_one);
    let longest = before.map(|learned| learned.settling.time()).max();
    learned[stage]
        .settling
        .at_least(longest.unwrap_or_default());
}

/// What a campaign has left.
pub(crate) struct MeasuredRows {
    /// Each workload of the plan with its trials.
    pub(crate) rows: Vec<Row>,
    /// What ended it before its time, once something had been measured: a disk that went
    /// away between two rows cannot be opened for the next.
    pub(crate) ended_by: Option<MeasureError>,
}

/// Carries out the schedule. A stage that fails is not tried again, one whose rows have been
/// measured precisely enough has no more trials; an interruption or an error ends
/// everything and keeps what was measured.
pub(crate) fn run(
    plan: &Plan,
    schedule: &Schedule,
    before: &[Row],
    subject: &mut PreparedTargets,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<MeasuredRows, MeasureError> {
    let mut ended_by = None;
    let mut rows = rows_begun(plan, before);
    let learns = !schedule.warm_up && schedule.steady.is_none();
    let mut plan = plan.clone();
    let rows_of = rows_of_stages(&plan);
    let mut learned = Learned::of_all(&mut plan, &rows_of, learns);
    let mut spread = SpreadRounds::of(&plan, schedule, subject);
    for step in steps(schedule, &plan.stages) {
        let own = rows_of[step.stage].clone();
        if is_enough(schedule, &rows[own.clone()]) || has_failed(subject, own.clone(), &rows) {
            continue;
        }
        let stage = &plan.stages[step.stage];
        let rest = match before.is_empty() || step.warm_up {
            true => StageRest::whole(stage),
            false => StageRest::of(stage, narrow(step.trial), &rows[own.clone()]),
        };
        if rest.is_empty() || is_phase_over(schedule, step, &rows) {
            continue;
        }
        let sizes = &subject.sizes();
        let expected = RowTime::of(schedule, &plan.stages[step.stage], sizes);
        if !has_time_for_trial(schedule, &rows[own.start], expected.trial, subject) {
            rows[own].iter_mut().for_each(|row| row.out_of_time = true);
            continue;
        }
        if let Some(spread) = &mut spread {
            spread.wait_for(step.trial, control, listener);
        }
        // A simulated device has no time but that of its I/O.
        if step.pause_before && subject.info().kind != TargetKind::Simulated {
            pause(schedule.pause, control, listener);
        }
        if control.is_cancelled() {
            break;
        }
        settle_together(&mut learned, &plan, step.stage);
        let learned = &mut learned[step.stage];
        let due = DueTrial { step, rest: &rest };
        let measured = learned.trials(due, &mut plan, schedule, subject, control, listener);
        let workloads = &plan.stages[step.stage].workloads;
        for (row, workload) in rows[own.clone()].iter_mut().zip(workloads) {
            row.unsettled = learned.unsettled;
            row.uncounted.append(&mut learned.uncounted);
            row.workload.limits = workload.limits;
        }
        match measured {
            Ok(trials) => {
                note_time(&trials, step, &rows[own.start], subject);
                let trials = rest.added(trials, &rows[own.clone()]);
                count_all(trials, step, own.start, &mut rows, listener);
            }
            Err(error) => {
                if rows.iter().all(|row| row.trials.is_empty()) {
                    return Err(error);
                }
                ended_by = Some(error);
                break;
            }
        }
        // What follows would be measured on a drive in another state than it says.
        if step.phase.is_some() && rows[own.start].trials.last().is_none_or(is_failed) {
            break;
        }
        let expected = RowTime::of(schedule, &plan.stages[step.stage], sizes);
        let left_out = expected.trials.saturating_sub(step.trial + 1);
        if left_out > 0 && is_enough(schedule, &rows[own.clone()]) {
            let row = own.start;
            listener(Event::RowEnough { row, left_out });
        }
    }
    Ok(MeasuredRows { rows, ended_by })
}

/// The rows of each stage, which are one per workload.
fn rows_of_stages(plan: &Plan) -> Vec<Range<usize>> {
    let mut end = 0;
    let of_stage = |stage: &Stage| {
        let start = end;
        end += stage.workloads.len();
        start..end
    };
    plan.stages.iter().map(of_stage).collect()
}

/// Notes what the trials of a step took, which ran at the same time.
fn note_time(trials: &[Trial], step: ScheduledTrial, row: &Row, subject: &mut PreparedTargets) {
    if let Some(first) = trials.first() {
        let counts = counts(first, step, row);
        subject.clock.spent.add(&first.outcome, counts);
    }
}

/// Puts the trials of a step into its rows, of which the first is `first`, and tells them.
fn count_all(
    trials: Vec<(usize, Trial)>,
    step: ScheduledTrial,
    first: usize,
    rows: &mut [Row],
    listener: &mut dyn FnMut(Event),
) {
    listener(Event::TrialEnded {
        row: first,
        trial: step.trial,
    });
    for (index, trial) in trials {
        let row = &mut rows[first + index];
        if counts(&trial, step, row) {
            listener(Event::counted(first + index, &row.workload, &trial));
            row.add(trial);
        } else if !trial.outcome.series.is_empty() {
            row.uncounted.push(TrialSeries::of(&trial.outcome));
        }
    }
}

/// The rows of the plan, with the trials that an earlier part of the run has made, those that do
/// not count among them.
pub(crate) fn rows_begun(plan: &Plan, before: &[Row]) -> Vec<Row> {
    let mut rows = Row::all_of(plan);
    for (row, before) in rows.iter_mut().zip(before) {
        row.trials.clone_from(&before.trials);
        row.uncounted.clone_from(&before.uncounted);
    }
    rows
}

fn is_failed(trial: &Trial) -> bool {
    trial.outcome.stopped == StopReason::Failed
}

/// Whether one of these rows has failed, or one that has left them what they work on.
fn has_failed(subject: &PreparedTargets, own: Range<usize>, rows: &[Row]) -> bool {
    let failed = |row: &Row| row.trials.last().is_some_and(is_failed);
    let makes_files = |row: &Row| row.workload.tree().is_some();
    let of_tree = makes_files(&rows[own.start]);
    let mut before = rows.iter().filter(|row| makes_files(row) == of_tree);
    rows[own].iter().any(failed) || subject.is_in_phases() && before.any(failed)
}

/// Whether the phase of a step has ended before the step's round.
fn is_phase_over(schedule: &Schedule, step: ScheduledTrial, rows: &[Row]) -> bool {
    let steady = schedule.steady.as_ref().zip(step.phase);
    steady.is_some_and(|(steady, phase)| {
        steady.phases[phase].is_over(&steady.window, rows, step.trial)
    })
}

/// Whether the rows of a stage need no more trials.
fn is_enough(schedule: &Schedule, rows: &[Row]) -> bool {
    let is_over = |enough: Enough| {
        let is_over = |row: &Row| !row.is_left() && enough.ends(&row.trials);
        rows.iter().all(is_over)
    };
    schedule.enough.is_some_and(is_over)
}

/// One trial of one row, for who keeps a schedule of their own.
pub(crate) fn trial(
    plan: &Plan,
    row: usize,
    trial: u32,
    subject: &mut PreparedTargets,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Trial, MeasureError> {
    let trials = stage_trial(plan, row, trial, subject, control, listener)?;
    let [trial] = <[Trial; 1]>::try_from(trials).expect("each stage of it is a row");
    Ok(trial)
}

/// One trial of all rows of a stage, for who keeps a schedule of their own.
pub(crate) fn stage_trial(
    plan: &Plan,
    stage: usize,
    trial: u32,
    subject: &mut PreparedTargets,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Vec<Trial>, MeasureError> {
    let step = ScheduledTrial {
        stage,
        trial,
        warm_up: false,
        pause_before: false,
        phase: None,
        made_before: 0,
    };
    let settling = SettleTime::of(&plan.stages[stage].workloads[0], false);
    let due = DueTrial {
        step,
        rest: &StageRest::whole(&plan.stages[stage]),
    };
    measure(plan, due, settling.time(), subject, control, listener)
}

fn measure(
    plan: &Plan,
    DueTrial { step, rest }: DueTrial<'_>,
    settle: Nanos,
    subject: &mut PreparedTargets,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Vec<Trial>, MeasureError> {
    let stage = rest.stage(&plan.stages[step.stage]);
    let options = StageOptions {
        seed: match subject.is_in_phases() {
            // One phase makes the files that the next one works on.
            true => mix64(plan.seed ^ mix64(step.trial.into())),
            false => trial_seed(plan.seed, step),
        },
        make_durable: subject.make_durable(),
        settle,
        // What a phase has made from its start, the next one reads from there.
        walked: (!subject.is_in_phases()).then(|| subject.walked.clone()),
        ..StageOptions::default()
    };
    // Rounds follow each other at once: a drive that rests between them is not steady.
    let start = match step.phase {
        None => FoundState::Settled,
        Some(_) => FoundState::AsLeft,
    };
    subject.trial(&stage, start, options, control, &mut |event| {
        listener(rest.of_whole(event));
    })
}

/// Whether a trial is one of its row. One that was given up before it was measured is of the
/// beginning of its load: it would be mixed with others, and stands only where there are none.
fn counts(trial: &Trial, step: ScheduledTrial, row: &Row) -> bool {
    let outcome = &trial.outcome;
    if is_failed(trial) || step.warm_up {
        return is_failed(trial);
    }
    let is_of_another_kind = outcome.stopped == StopReason::Cancelled
        && outcome.window.is_none()
        && row
            .trials
            .iter()
            .any(|before| before.outcome.window.is_some());
    (outcome.ios() > 0 || !outcome.failures.is_empty()) && !is_of_another_kind
}

fn pause(length: Nanos, control: &Control, listener: &mut dyn FnMut(Event)) {
    let until = Instant::now() + Duration::from(length);
    wait(until, control, |remaining| {
        listener(Event::Pause { remaining })
    });
}

/// Does nothing until a moment, and tells how long that is; not once it is over.
fn wait(until: Instant, control: &Control, mut tell: impl FnMut(Nanos)) {
    loop {
        let remaining = until.saturating_duration_since(Instant::now());
        if remaining.is_zero() || control.is_cancelled() {
            return;
        }
        tell(Nanos(narrow(remaining.as_nanos())));
        std::thread::sleep(remaining.min(PAUSE_STEP));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::tests::{schedule, stages};
    use sokudo_model::Bytes;

    #[test]
    fn a_run_that_goes_on_has_what_was_moved_before_it_counted() {
        let workload = sokudo_model::Workload::new("w", Bytes(4096));
        let plan = Plan::in_turn(
            sokudo_model::Method::from("test"),
            1,
            vec![workload.clone()],
        );
        let mut before = Row::new(workload);
        before.uncounted.push(TrialSeries::default());
        let begun = rows_begun(&plan, &[before]);
        assert_eq!(begun[0].uncounted.len(), 1);
    }

    #[test]
    fn a_trial_that_was_given_up_while_it_settled_stands_only_alone() {
        let step = steps(&schedule(false), &stages(1))[0];
        let trial = |stopped, window| {
            let mut outcome = sokudo_model::Outcome::new(sokudo_model::BackendKind::Sim, stopped);
            outcome.window = window;
            let mut moved = sokudo_model::OperationTally::new(sokudo_model::Operation::Read);
            moved.ios = 1;
            outcome.operations.push(moved);
            Trial {
                outcome,
                evidence: Default::default(),
                together: None,
            }
        };
        let window = Some(sokudo_model::Window::default());
        let given_up = trial(StopReason::Cancelled, None);
        let mut row = Row::new(sokudo_model::Workload::new("w", Bytes(4096)));
        assert!(counts(&given_up, step, &row));
        row.trials.push(trial(StopReason::Time, window));
        assert!(!counts(&given_up, step, &row));
        assert!(counts(&trial(StopReason::Cancelled, window), step, &row));
        assert!(counts(&trial(StopReason::Failed, None), step, &row));
    }

    #[test]
    fn each_round_has_a_part_of_the_time_and_the_last_ends_within_it() {
        let minute = Nanos::from_secs(60);
        for seed in 0..200 {
            let starts = round_starts(12, minute, Nanos::from_secs(3), seed);
            assert_eq!((starts.len(), starts[0]), (12, Nanos(0)));
            let part = 57_000_000_000 / 12;
            for (number, start) in (0u64..).zip(&starts) {
                let within = number * part..=(number + 1) * part;
                assert!(within.contains(&start.0), "{seed}: {starts:?}");
            }
        }
        assert_ne!(
            round_starts(12, minute, Nanos(0), 1),
            round_starts(12, minute, Nanos(0), 2)
        );
        // Rounds that fill the time wait for nothing.
        let full = round_starts(6, minute, minute, 1);
        assert_eq!(full, [Nanos(0); 6]);
    }
}
