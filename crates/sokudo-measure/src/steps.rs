//! The order in which a schedule makes the trials of its stages. Pure.

use sokudo_model::{Schedule, Stage, SteadyPhase, SteadyProcedure, narrow};
use sokudo_stats::mix64;

/// One execution to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScheduledTrial {
    /// Of the plan. Its workloads run together, and each is a row.
    pub(crate) stage: usize,
    pub(crate) trial: u32,
    /// Run and thrown away.
    pub(crate) warm_up: bool,
    pub(crate) pause_before: bool,
    /// The phase of a steady procedure that it belongs to.
    pub(crate) phase: Option<usize>,
    /// How often it was made before, and did not count.
    pub(crate) made_before: u32,
}

/// The steps of a schedule over these stages.
pub(crate) fn steps(schedule: &Schedule, stages: &[Stage]) -> Vec<ScheduledTrial> {
    let step = |stage, trial, warm_up| ScheduledTrial {
        stage,
        trial,
        warm_up,
        pause_before: true,
        phase: None,
        made_before: 0,
    };
    let mut steps: Vec<ScheduledTrial> = if let Some(steady) = &schedule.steady {
        rounds(steady)
    } else if schedule.warm_up {
        // CrystalDiskMark: a row after the other, its pause between rows.
        (0..stages.len())
            .flat_map(|stage| {
                let trials = (0..schedule.trials).map(move |trial| ScheduledTrial {
                    pause_before: false,
                    ..step(stage, trial, false)
                });
                std::iter::once(step(stage, 0, true)).chain(trials)
            })
            .collect()
    } else {
        let (once, again): (Vec<usize>, Vec<usize>) =
            (0..stages.len()).partition(|stage| makes_once(schedule, &stages[*stage]));
        let rounds = (0..schedule.trials)
            .flat_map(|trial| again.iter().map(move |stage| step(*stage, trial, false)));
        let behind = once.iter().map(|stage| step(*stage, 0, false));
        rounds.chain(behind).collect()
    };
    if let Some(first) = steps.first_mut() {
        first.pause_before = false;
    }
    steps
}

/// Whether all that a stage has is one trial, behind the rounds of the others.
pub(crate) fn makes_once(schedule: &Schedule, stage: &Stage) -> bool {
    let mut workloads = stage.workloads.iter();
    workloads.all(|workload| schedule.makes_once(workload))
}

/// The steps of a steady procedure: phase after phase, each round by round.
fn rounds(steady: &SteadyProcedure) -> Vec<ScheduledTrial> {
    let of_phase = |(number, phase): (usize, &SteadyPhase)| {
        let rows = phase.first_row..phase.first_row + phase.rows;
        let of_round = move |trial| {
            rows.clone().map(move |row| ScheduledTrial {
                stage: narrow(row),
                trial,
                warm_up: false,
                pause_before: true,
                phase: Some(number),
                made_before: 0,
            })
        };
        (0..phase.rounds_max).flat_map(of_round)
    };
    steady
        .phases
        .iter()
        .enumerate()
        .flat_map(of_phase)
        .collect()
}

/// Every trial of every row has chance of its own, and goes to other places when it is made again.
pub(crate) fn trial_seed(seed: u64, step: ScheduledTrial) -> u64 {
    let number = (step.stage as u64) << 32 | u64::from(step.trial) << 1 | u64::from(step.warm_up);
    mix64(seed ^ mix64(number)) ^ u64::from(step.made_before)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use sokudo_model::{Bytes, Nanos};

    pub(crate) fn schedule(warm_up: bool) -> Schedule {
        Schedule {
            warm_up,
            ..Schedule::in_turn(2, Nanos(0))
        }
    }

    pub(crate) fn stages(count: usize) -> Vec<Stage> {
        let workload = sokudo_model::Workload::new("SEQ", Bytes::mib(1));
        vec![Stage::alone(workload); count]
    }

    #[test]
    fn interleaved_rows_take_turns() {
        let order: Vec<(usize, u32)> = steps(&schedule(false), &stages(2))
            .iter()
            .map(|step| (step.stage, step.trial))
            .collect();
        assert_eq!(order, [(0, 0), (1, 0), (0, 1), (1, 1)]);
    }

    #[test]
    fn crystal_warms_each_row_up_and_pauses_between_rows() {
        let steps = steps(&schedule(true), &stages(2));
        let order: Vec<(usize, bool, bool)> = steps
            .iter()
            .map(|step| (step.stage, step.warm_up, step.pause_before))
            .collect();
        assert_eq!(
            order,
            [
                (0, true, false),
                (0, false, false),
                (0, false, false),
                (1, true, true),
                (1, false, false),
                (1, false, false),
            ]
        );
    }

    #[test]
    fn phases_of_a_steady_procedure_follow_each_other_round_by_round() {
        let phase = |first_row, rows, rounds_max| SteadyPhase {
            kind: sokudo_model::SteadyPhaseKind::Rounds,
            first_row,
            rows,
            rounds_max,
            tracked: Vec::new(),
            figure: sokudo_model::RoundFigure::Iops,
            written_bytes_max: None,
        };
        let mut schedule = schedule(false);
        schedule.steady = Some(Box::new(SteadyProcedure {
            test: sokudo_model::SteadyTest::Iops,
            class: sokudo_model::SteadyClass::Client,
            label: sokudo_model::SteadyLabel::FileQuick,
            round_time: Nanos(1),
            capacity_bytes: Bytes(1),
            active_range_bytes: Bytes(1),
            window: sokudo_model::SteadyWindow::PTS,
            phases: vec![phase(0, 1, 1), phase(1, 2, 2)],
            differences: Vec::new(),
            estimate: sokudo_model::SteadyEstimate {
                time_min: Nanos(0),
                time_max: Nanos(0),
                written_bytes_min: Bytes(0),
                written_bytes_max: Bytes(0),
                assumptions: Vec::new(),
            },
        }));
        let order: Vec<(usize, u32, Option<usize>)> = steps(&schedule, &stages(3))
            .iter()
            .map(|step| (step.stage, step.trial, step.phase))
            .collect();
        assert_eq!(
            order,
            [
                (0, 0, Some(0)),
                (1, 0, Some(1)),
                (2, 0, Some(1)),
                (1, 1, Some(1)),
                (2, 1, Some(1)),
            ]
        );
    }

    #[test]
    fn every_trial_has_a_seed_of_its_own() {
        let steps = [
            steps(&schedule(true), &stages(3)),
            steps(&schedule(false), &stages(3)),
        ]
        .concat();
        let mut seeds: Vec<u64> = steps.iter().map(|step| trial_seed(7, *step)).collect();
        seeds.sort_unstable();
        seeds.dedup();
        // The trials of both schedules are the same but for the warm-ups.
        assert_eq!(seeds.len(), 9);
    }
}
