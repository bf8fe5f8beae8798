//! How long a run, a row and a trial take, and whether that fits into the time that a run has.

use sokudo_model::{Bytes, Enough, Nanos, Plan, Row, Schedule, Stage, narrow};

use crate::expectation::Expectation;
use crate::steps::{ScheduledTrial, makes_once, steps};
use crate::subject::PreparedTargets;

/// Part of a run's time that is kept for what follows its trials, once a row has those that it
/// needs for an interval.
const REST_PART: u64 = 15;

/// Whether the time of a run has room for so much more. Processes that measure together have no
/// common clock for that.
pub(crate) fn has_time(schedule: &Schedule, needed: Nanos, subject: &PreparedTargets) -> bool {
    let time_max = schedule.time_max.filter(|_| subject.together.is_none());
    time_max.is_none_or(|max| subject.passed().0.saturating_add(needed.0) <= max.0)
}

/// Whether it has room for another trial of a row. Its first ones are made in any case.
pub(crate) fn has_time_for_trial(
    schedule: &Schedule,
    row: &Row,
    trial: Nanos,
    subject: &PreparedTargets,
) -> bool {
    let has_interval = row.trials.len() >= Enough::TRIALS_MIN as usize;
    let rest = schedule.time_max.filter(|_| has_interval);
    let rest = rest.unwrap_or_default().0 / REST_PART;
    // One that stood still may do so again.
    let last = row.trials.last().map(|trial| trial.outcome.time());
    let trial = trial.max(last.unwrap_or_default());
    let needed = Nanos(trial.0.saturating_add(rest));
    let is_due = row.trials.len() < schedule.trials_in_any_time() as usize;
    is_due || has_time(schedule, needed, subject)
}

/// How long all trials and pauses take together at most, on targets of these sizes; of a
/// schedule that is spread over a time no less than that.
pub fn duration(plan: &Plan, schedule: &Schedule, sizes: &[Bytes]) -> Nanos {
    let trials = |stage: &Stage| Expectation::of_stage(stage, sizes).time;
    let steps = steps(schedule, &plan.stages);
    let of_step = |step: &ScheduledTrial| {
        let pauses = step.pause_before;
        let pause = if pauses { schedule.pause.0 } else { 0 };
        let stage = &plan.stages[step.stage];
        let trial = trials(stage);
        if step.trial >= trials_at_most(schedule, stage, trial) {
            return 0;
        }
        trial.0.saturating_add(pause)
    };
    let all = steps.iter().map(of_step).fold(0, u64::saturating_add);
    let in_any_time = schedule.trials_in_any_time();
    let first = steps.iter().filter(|step| step.trial < in_any_time);
    let first = first.map(of_step).fold(0, u64::saturating_add);
    let all = schedule
        .time_max
        .map_or(all, |max| all.min(max.0.max(first)));
    Nanos(all.max(schedule.spread_over.unwrap_or_default().0))
}

/// How many trials the rows of a stage can come to whose trials take so long.
pub fn trials_at_most(schedule: &Schedule, stage: &Stage, trial: Nanos) -> u32 {
    if makes_once(schedule, stage) {
        return 1;
    }
    let limit = schedule.enough.and_then(|enough| {
        let fitting = enough.time_max?.0.div_ceil(trial.0.max(1));
        let fitting = fitting.min(schedule.trials.into());
        Some(enough.trials_min.max(narrow(fitting)))
    });
    limit.map_or(schedule.trials, |limit| limit.min(schedule.trials))
}

/// What a row can come to.
pub(crate) struct RowTime {
    pub(crate) trial: Nanos,
    pub(crate) trials: u32,
}

impl RowTime {
    pub(crate) fn of(schedule: &Schedule, stage: &Stage, sizes: &[Bytes]) -> Self {
        let trial = Expectation::of_stage(stage, sizes).time;
        Self {
            trial,
            trials: trials_at_most(schedule, stage, trial),
        }
    }

    pub(crate) fn all(&self) -> Nanos {
        Nanos(self.trial.0.saturating_mul(self.trials.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::tests::{schedule, stages};

    #[test]
    fn a_survey_comes_once_behind_all_rounds() {
        let mut stages = stages(3);
        let [workload] = &mut stages[1].workloads[..] else {
            panic!("a stage alone");
        };
        let sample = sokudo_model::Sample::Bytes(Bytes::mib(1));
        let survey = sokudo_model::Survey::new(9, sokudo_model::Visit::Ascending, sample);
        workload.work = sokudo_model::Work::Survey(survey);
        let order = |surveys_once| {
            let schedule = Schedule {
                surveys_once,
                ..schedule(false)
            };
            let steps = steps(&schedule, &stages);
            let order = steps.iter().map(|step| (step.stage, step.trial));
            let at_most = trials_at_most(&schedule, &stages[1], Nanos::from_secs(1));
            (order.collect::<Vec<_>>(), at_most)
        };
        let in_turn = vec![(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)];
        assert_eq!(order(false), (in_turn, 2));
        let behind = vec![(0, 0), (2, 0), (0, 1), (2, 1), (1, 0)];
        assert_eq!(order(true), (behind, 1));
    }

    #[test]
    fn a_row_comes_to_as_many_trials_as_its_time_holds_but_to_its_fewest_in_any_case() {
        let mut limited = schedule(false);
        limited.trials = 40;
        let stage = &stages(1)[0];
        assert_eq!(trials_at_most(&limited, stage, Nanos::from_secs(5)), 40);
        limited.enough = Some(sokudo_model::Enough {
            time_max: Some(Nanos::from_secs(10)),
            ..sokudo_model::Enough::within(20)
        });
        assert_eq!(trials_at_most(&limited, stage, Nanos::from_millis(900)), 12);
        assert_eq!(trials_at_most(&limited, stage, Nanos::from_millis(100)), 40);
        assert_eq!(trials_at_most(&limited, stage, Nanos::from_secs(5)), 6);
    }

    #[test]
    fn trials_that_no_time_ends_before_are_in_the_time_that_it_takes() {
        let mut plan = Plan::in_turn(sokudo_model::Method::from("test"), 0, Vec::new());
        plan.stages = stages(2);
        for stage in &mut plan.stages {
            stage.workloads[0].limits = sokudo_model::Limits::of_time(Nanos::from_secs(1));
        }
        let all = Schedule {
            trials: 8,
            ..schedule(false)
        };
        let limited = |trials_before_time_max| Schedule {
            time_max: Some(Nanos(1)),
            trials_before_time_max,
            ..all.clone()
        };
        let time = |schedule: &Schedule| duration(&plan, schedule, &[]).0;
        assert_eq!(time(&limited(0)) * 8, time(&all));
        assert_eq!(time(&limited(6)) * 8, time(&all) * 6);
        assert_eq!(time(&limited(9)), time(&all));
    }

    #[test]
    fn a_time_to_spread_over_is_the_least_that_it_takes() {
        let plan = Plan::in_turn(sokudo_model::Method::from("test"), 0, Vec::new());
        let mut spread = schedule(false);
        spread.spread_over = Some(Nanos::from_secs(600));
        assert_eq!(duration(&plan, &spread, &[]), Nanos::from_secs(600));
    }
}
