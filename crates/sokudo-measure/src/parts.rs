//! What is measured part by part, each part decided by those before.

use sokudo_engine::Control;
use sokudo_model::{Event, Plan, Row, Run, Stage, StopReason, Trial, Workload};
use sokudo_stats::mix64;

use crate::backends::{self, Choosing};
use crate::campaign::{self, MeasuredRows};
use crate::error::MeasureError;
use crate::measurement::Prepared;

/// In which order three stages are measured, round after round: each is as often the first, the
/// second and the last, and comes behind each of the others.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [2, 0, 1],
    [1, 2, 0],
    [2, 1, 0],
    [0, 2, 1],
    [1, 0, 2],
];

/// What has been measured so far, part by part.
pub struct MeasuredParts<'a> {
    /// What has been measured is its stages, in the end.
    prepared: &'a mut Prepared,
    control: &'a Control,
    listener: &'a mut dyn FnMut(Event),
    /// Every row of them.
    pub rows: Vec<Row>,
    /// The stages of the last rows, where some of them were measured at the same time.
    by_turns: Vec<Stage>,
    ended_by: Option<MeasureError>,
}

impl<'a> MeasuredParts<'a> {
    /// Nothing has been measured yet.
    pub fn new(
        prepared: &'a mut Prepared,
        control: &'a Control,
        listener: &'a mut dyn FnMut(Event),
    ) -> Self {
        Self {
            prepared,
            control,
            listener,
            rows: Vec::new(),
            by_turns: Vec::new(),
            ended_by: None,
        }
    }

    /// Trials of each row of a part.
    pub fn trials(&self) -> u32 {
        self.prepared.run.schedule.trials
    }

    /// What all processes do where each carries this workload out; plans of parts are those of all.
    #[must_use]
    pub fn of_all(&self, workload: &Workload) -> Workload {
        let together = self.prepared.subject.together.as_ref();
        together.map_or_else(|| workload.clone(), |it| it.of_all(workload))
    }

    /// Tells something to who watches.
    pub fn tell(&mut self, event: Event) {
        (self.listener)(event);
    }

    /// Measures rows by turns and keeps them; false when there should be no more.
    ///
    /// # Errors
    /// When nothing could be measured.
    pub fn measure(&mut self, workloads: Vec<Workload>) -> Result<bool, MeasureError> {
        let before = self.rows.len();
        let rows = self.measure_behind(workloads, before)?;
        self.rows.extend(rows);
        Ok(self.goes_on())
    }

    /// Measures rows as the ones behind so many others, and leaves it to the caller what
    /// becomes of them.
    ///
    /// # Errors
    /// When nothing could be measured.
    pub fn measure_behind(
        &mut self,
        workloads: Vec<Workload>,
        before: usize,
    ) -> Result<Vec<Row>, MeasureError> {
        let prepared = &mut *self.prepared;
        let Run { plan, schedule, .. } = &prepared.run;
        let seed = match before {
            0 => plan.seed,
            _ => mix64(plan.seed ^ before as u64),
        };
        let part = Plan::in_turn(plan.method.clone(), seed, workloads);
        let choosing = Choosing {
            schedule,
            any_backend: prepared.any_backend,
            before: &[],
        };
        let mut listener = |event: Event| (self.listener)(event.behind(before));
        let subject = &mut prepared.subject;
        let measured = backends::run(&part, choosing, subject, self.control, &mut listener);
        match measured {
            Ok(MeasuredRows { rows, ended_by }) => {
                self.ended_by = ended_by;
                Ok(rows)
            }
            Err(error) if before == 0 => Err(error),
            Err(error) => {
                self.ended_by = Some(error);
                Ok(Vec::new())
            }
        }
    }

    /// Measures stages by turns, whose rows are the last ones. What has been measured when an error
    /// ends it stays.
    pub fn measure_by_turns(&mut self, stages: [Stage; 3]) {
        let mut next = self.rows.len();
        let plan = &self.prepared.run.plan;
        let part = Plan {
            method: plan.method.clone(),
            seed: mix64(plan.seed ^ next as u64),
            stages: stages.to_vec(),
        };
        let firsts = stages.each_ref().map(|stage| {
            let first = next;
            next += stage.workloads.len();
            first
        });
        let workloads = stages.iter().flat_map(|stage| &stage.workloads);
        self.rows.extend(workloads.cloned().map(Row::new));
        self.by_turns = stages.into();
        for trial in 0..self.trials() {
            for stage in ORDERS[trial as usize % ORDERS.len()] {
                if !self.goes_on() {
                    return;
                }
                self.measure_stage(&part, stage, firsts[stage], trial);
            }
        }
    }

    /// A trial of each row of a stage, of which this is the first.
    fn measure_stage(&mut self, part: &Plan, stage: usize, first: usize, trial: u32) {
        (self.listener)(Event::TrialStarted { row: first, trial });
        let (control, listener) = (self.control, &mut *self.listener);
        let subject = &mut self.prepared.subject;
        let measured = campaign::stage_trial(part, stage, trial, subject, control, listener);
        let trials = match measured {
            Ok(trials) => trials,
            Err(error) => {
                self.ended_by = Some(error);
                return;
            }
        };
        (self.listener)(Event::TrialEnded { row: first, trial });
        for (row, trial) in (first..).zip(trials) {
            let row_so_far = &mut self.rows[row];
            // One that was cut off is no round, and stands only where there is none.
            if self.control.is_cancelled() && !row_so_far.trials.is_empty() {
                continue;
            }
            (self.listener)(Event::counted(row, &row_so_far.workload, &trial));
            row_so_far.trials.push(trial);
        }
    }

    /// Whether nothing speaks against measuring more.
    pub fn goes_on(&self) -> bool {
        let failed = |trial: &Trial| trial.outcome.stopped == StopReason::Failed;
        let is_failed = self.rows.iter().any(|row| row.trials.iter().any(failed));
        !is_failed && self.ended_by.is_none() && !self.control.is_cancelled()
    }

    /// The rows and their stages are those of the run.
    pub fn put_into_run(self) -> Option<MeasureError> {
        let last = self.by_turns.iter().map(|stage| stage.workloads.len());
        let alone = self.rows.len() - last.sum::<usize>();
        let measured = self.rows.iter().map(|row| row.workload.clone());
        let run = &mut self.prepared.run;
        run.plan.stages = measured.take(alone).map(Stage::alone).collect();
        run.plan.stages.extend(self.by_turns);
        run.rows = self.rows;
        self.ended_by
    }
}
