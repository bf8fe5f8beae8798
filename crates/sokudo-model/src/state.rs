//! What has come of a run so far, as its events tell it: whoever shows, tells, keeps or ends what
//! goes on reads it here.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::event::{Event, Phase, StuckIo};
use crate::plan::{Plan, Workload};
use crate::run::{Run, Schedule};
use crate::target::{TargetInfo, TargetKind};
use crate::trial::{Moved, Outcome, Row, StopReason, Trial};
use crate::units::Nanos;

/// A run that goes on.
#[derive(Clone, Debug, Default)]
pub struct RunState {
    /// The run with the trials that count so far, without their logs.
    pub run: Run,
    /// The stage in progress, where that was told.
    pub stage: usize,
    /// First row of that stage, as its place in the plan.
    pub first: usize,
    /// Rows before this one have ended.
    ended: usize,
    /// Which trial of it is made.
    pub trial: u32,
    doing: Vec<Doing>,
    /// Requests that have not come back in time, each with its row, the oldest first.
    pub stuck: Vec<(usize, StuckIo)>,
    /// How far the rows in progress had come when that was asked for; of a survey, to a position
    /// from which another can go on, as soon as there is one.
    pub unfinished: BTreeMap<usize, Outcome>,
}

/// What a row does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Doing {
    /// Phase that the row is in.
    pub phase: Phase,
    /// Time since its trial began.
    pub at: Nanos,
    /// What it has moved since.
    pub moved: Moved,
    /// The same of reads, writes and trims.
    pub each: [Moved; 3],
}

impl RunState {
    /// Of a run of which no event has been told.
    pub fn of(run: &Run) -> Self {
        Self {
            run: run.clone(),
            ..Self::default()
        }
    }

    /// Of a plan of which nothing has been made ready.
    pub fn planned(plan: &Plan, schedule: &Schedule) -> Self {
        let nothing = TargetInfo::new("", TargetKind::Null);
        Self::of(&Run {
            rows: Row::all_of(plan),
            ..Run::new(plan.clone(), schedule.clone(), nothing)
        })
    }

    /// Takes in what happened.
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::StageStarted { stage, first } => {
                self.stage = *stage;
                self.begin(*first, 0);
            }
            Event::TrialStarted { row, trial } => self.begin(*row, *trial),
            Event::Progress {
                workload,
                at,
                bytes,
                ios,
                each,
                phase,
            } => {
                let row = self.first + workload;
                if self.doing.len() <= row {
                    self.doing.resize(row + 1, Doing::default());
                }
                let (bytes, ios) = (*bytes, *ios);
                self.doing[row] = Doing {
                    phase: *phase,
                    at: *at,
                    moved: Moved { bytes, ios },
                    each: *each,
                };
            }
            Event::Stuck { workload, ios } => {
                let row = self.first + workload;
                self.stuck.retain(|(of, _)| *of != row);
                self.stuck.extend(ios.iter().map(|io| (row, *io)));
                self.stuck.sort_by_key(|(_, io)| Reverse(io.age));
            }
            Event::Snapshot { workload, outcome } => {
                let row = self.first + workload;
                let known = self.unfinished.get(&row);
                let has_ended = outcome.stopped != StopReason::Ended;
                if has_ended || known.is_none_or(|known| known.left_at.is_none()) {
                    self.unfinished.insert(row, (**outcome).clone());
                }
            }
            Event::Checkpoint { workload, outcome } => {
                let row = self.first + workload;
                self.unfinished.insert(row, (**outcome).clone());
            }
            Event::StageEnded => {
                let stage = self.run.plan.stages.get(self.stage);
                self.ended = self.first + stage.map_or(0, |stage| stage.workloads.len());
            }
            Event::TrialCounted {
                row,
                workload,
                trial,
            } => {
                let of_row = self.row(*row, workload);
                of_row.workload.clone_from(workload);
                of_row.add((**trial).clone());
                self.unfinished.remove(row);
            }
            Event::RowNamed { row, name } => {
                if let Some(row) = self.run.rows.get_mut(*row) {
                    row.workload.name.clone_from(name);
                }
            }
            Event::SelfTestEnded(test) => {
                if let Some(burn_in) = &mut self.run.burn_in {
                    burn_in.self_tests.push((**test).clone());
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, first: usize, trial: u32) {
        (self.first, self.ended, self.trial) = (first, first, trial);
        self.doing.truncate(first);
        self.unfinished.clear();
    }

    /// A row; where what is measured next is decided meanwhile, there are more than planned.
    fn row(&mut self, row: usize, workload: &Workload) -> &mut Row {
        let rows = &mut self.run.rows;
        while rows.len() <= row {
            rows.push(Row::new(workload.clone()));
        }
        &mut rows[row]
    }

    /// Of each row in progress its trial as far as it had come.
    pub fn unfinished_trials(&self) -> impl Iterator<Item = (usize, Trial)> {
        let unfinished = self.unfinished.iter();
        unfinished.map(|(row, outcome)| (*row, Trial::new(outcome.clone())))
    }

    /// What a row does, or has done in its last trial.
    pub fn doing(&self, row: usize) -> Doing {
        let mut doing = self.doing.get(row).copied().unwrap_or_default();
        if row < self.ended {
            doing.phase = Phase::Ended;
        }
        doing
    }

    /// The same of the rows of the stage in progress that have told something.
    pub fn running(&self) -> &[Doing] {
        self.doing.get(self.first..).unwrap_or_default()
    }
}
