//! A row that is measured under one load after the other: how arguments name it, and how
//! `load` and `peak` measure it part by part, each part decided by those before.

use sokudo_dialect::crystal::{self, RowDirection, RowSpec};
use sokudo_engine::Control;
use sokudo_measure::{MeasureError, MeasuredRows, Named, Prepared, TEST_FILE_SIZE};
use sokudo_model::{
    Bytes, Event, Nanos, Plan, Row, Span, Stage, StopReason, TargetKind, Trial, Workload,
};
use sokudo_stats::mix64;
use sokudo_words::text;

use crate::cli::SharedArguments;
use crate::exit::Exit;
use crate::{given, writing};

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

/// What the arguments say of the row.
pub(crate) struct OneRow<'a> {
    /// The command that measures it.
    pub(crate) command: &'static str,
    pub(crate) target: &'a str,
    pub(crate) row: &'a RowSpec,
    pub(crate) size: Option<Bytes>,
    pub(crate) time: Nanos,
    pub(crate) shared: &'a SharedArguments,
}

impl OneRow<'_> {
    /// The row in a closed loop; refused where it would write what it may not.
    pub(crate) fn workload(&self, named: &Named) -> Result<Workload, Exit> {
        let (name, row) = (self.target, self.row);
        let direction = match row.directions[..] {
            [] if row.durability.is_some() => RowDirection::Write,
            [] => RowDirection::Read,
            [only] => only,
            _ => {
                return Err(Exit::usage(text!(
                    "row {row} names two directions, and sokudo {} measures one; name read or write",
                    self.command
                )));
            }
        };
        let mut workload = row.workload(direction);
        writing::check_overwrite(name, named.kind(), self.shared.overwrite)?;
        let permission = self.shared.permission();
        if workload.operations.changes_data()
            && let Some(refusal) = writing::refusal(name, named.kind(), &permission)
        {
            return Err(Exit::refused(refusal));
        }
        given::check_time(self.time)?;
        workload.limits.time = Some(self.time);
        self.shared.set_buffers_of(&mut workload);
        self.set_span(&mut workload, named)?;
        Ok(workload)
    }

    /// How much of the target is used.
    fn set_span(&self, workload: &mut Workload, named: &Named) -> Result<(), Exit> {
        let (name, block) = (self.target, workload.blocks.largest());
        let known = named.size();
        let length = self.size.or(known).unwrap_or(TEST_FILE_SIZE);
        given::check_size(length, known, name)?;
        let is_made = named.kind() == TargetKind::Directory;
        if length < block || is_made && !length.0.is_multiple_of(block.0) {
            return Err(Exit::usage(text!(
                "{length} of {name} is not a multiple of row {}'s block of {block}; use a multiple (--size)",
                workload.name
            )));
        }
        if known.is_some_and(|known| length < known) {
            workload.span = Some(Span::from_start(length));
        }
        Ok(())
    }
}

/// What has been measured so far, part by part.
pub(crate) struct MeasuredParts<'a> {
    /// What has been measured is its stages, in the end.
    prepared: &'a mut Prepared,
    control: &'a Control,
    listener: &'a mut dyn FnMut(Event),
    pub(crate) rows: Vec<Row>,
    /// The stages of the last rows, where some of them were measured at the same time.
    by_turns: Vec<Stage>,
    ended_by: Option<MeasureError>,
}

impl<'a> MeasuredParts<'a> {
    pub(crate) fn new(
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
    pub(crate) fn trials(&self) -> u32 {
        self.prepared.run.schedule.trials
    }

    /// What all processes do of a workload that each carries out.
    pub(crate) fn of_all(&self, workload: &Workload) -> Workload {
        self.prepared.of_all(workload)
    }

    /// Tells something to who watches.
    pub(crate) fn tell(&mut self, event: Event) {
        (self.listener)(event);
    }

    /// Measures rows by turns and keeps them; false when there should be no more.
    pub(crate) fn measure(&mut self, workloads: Vec<Workload>) -> Result<bool, MeasureError> {
        let before = self.rows.len();
        let rows = self.measure_behind(workloads, before)?;
        self.rows.extend(rows);
        Ok(self.goes_on())
    }

    /// Measures rows as the ones behind so many others, and leaves it to the caller what
    /// becomes of them.
    pub(crate) fn measure_behind(
        &mut self,
        workloads: Vec<Workload>,
        before: usize,
    ) -> Result<Vec<Row>, MeasureError> {
        let plan = &self.prepared.run.plan;
        let part = Plan {
            method: plan.method.clone(),
            seed: match before {
                0 => plan.seed,
                _ => mix64(plan.seed ^ before as u64),
            },
            stages: crystal::stages(workloads),
        };
        let mut listener = |event: Event| (self.listener)(event.behind(before));
        let measured = self
            .prepared
            .measure_part(&part, self.control, &mut listener);
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
    pub(crate) fn measure_by_turns(&mut self, stages: [Stage; 3]) {
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
        let measured = self
            .prepared
            .stage_trial(part, stage, trial, control, listener);
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
    pub(crate) fn goes_on(&self) -> bool {
        let failed = |trial: &Trial| trial.outcome.stopped == StopReason::Failed;
        let is_failed = self.rows.iter().any(|row| row.trials.iter().any(failed));
        !is_failed && self.ended_by.is_none() && !self.control.is_cancelled()
    }

    /// The rows and their stages are those of the run.
    pub(crate) fn put_into_run(self) -> Option<MeasureError> {
        let last = self.by_turns.iter().map(|stage| stage.workloads.len());
        let alone = self.rows.len() - last.sum::<usize>();
        let measured = self.rows.iter().map(|row| row.workload.clone());
        let run = &mut self.prepared.run;
        run.plan.stages = crystal::stages(measured.take(alone).collect());
        run.plan.stages.extend(self.by_turns);
        run.rows = self.rows;
        self.ended_by
    }
}
