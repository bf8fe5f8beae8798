//! Jobs of other tools' languages: several targets, several workloads at once. What they
//! are called on the command line and how they are printed is their front ends' affair.

use std::time::Duration;

use sokudo_engine::{Consent, Control, StageOptions, ends_plan};
use sokudo_model::{Bytes, Event, Plan, Run, Schedule, TargetInfo, TargetKind};
use sokudo_stats::mix64;
use sokudo_words::text;

use crate::error::MeasureError;
use crate::evidence::FoundState;
use crate::job_target::JobTarget;
use crate::measurement::{Prepared, empty_run, since_epoch};
use crate::memory;
use crate::subject::PreparedTargets;

/// Jobs that are to be carried out.
pub struct Jobs<'a> {
    /// Stages and workloads that are carried out.
    pub plan: &'a Plan,
    /// What they do it to; workloads name them by their places in this list.
    pub targets: &'a [JobTarget],
    /// What may be destroyed.
    pub consent: &'a Consent,
    /// How often the whole plan is carried out, and what ends it before.
    pub schedule: Schedule,
    /// The command line that repeats them.
    pub command: String,
    /// Whether nothing may be written; places that would be are refused.
    pub read_only: bool,
    /// How often results so far are told; `None` is never.
    pub snapshot_every: Option<Duration>,
    /// Options that were left out although they change what is measured.
    pub left_out: &'a [String],
}

impl Jobs<'_> {
    /// Opens, creates and lays out all targets, or refuses.
    ///
    /// # Errors
    /// When consent is missing, or a target cannot be used.
    pub fn prepare(
        &self,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Prepared, MeasureError> {
        if self.read_only {
            refuse_writes(self.targets)?;
        }
        memory::check(self.plan)?;
        let mut run = self.empty_run();
        let (targets, seed) = (self.targets, self.plan.seed);
        let subject = PreparedTargets::of_targets(targets, self.consent, seed, control, listener)?;
        if let Some(target) = TargetInfo::together(subject.infos()) {
            run.target = target;
        }
        run.started_at = Some(since_epoch());
        Ok(Prepared::new(run, subject))
    }

    /// Carries all stages out as often as asked; why some could not start comes back.
    pub fn conduct(
        &self,
    ) -> impl FnOnce(
        &mut Prepared,
        &Control,
        &mut dyn FnMut(Event),
    ) -> Result<Vec<MeasureError>, MeasureError> {
        |prepared, control, listener| {
            let trials = (0..self.schedule.trials).take_while(|_| !control.is_cancelled());
            let errors = trials
                .flat_map(|trial| prepared.repeat(trial, self.snapshot_every, control, listener));
            Ok(errors.collect())
        }
    }

    /// The run of which nothing has been done.
    pub fn empty_run(&self) -> Run {
        let target = TargetInfo {
            size_bytes: Some(Bytes(0)),
            ..TargetInfo::new("null:", TargetKind::Null)
        };
        Run {
            command: self.command.clone(),
            left_out: self.left_out.to_vec(),
            ..empty_run(self.plan.clone(), self.schedule.clone(), target)
        }
    }
}

impl Prepared {
    /// Carries every stage out once and adds a trial to every row that was reached.
    ///
    /// A failed workload ends nothing but itself, unless the plan says so, and a stage that
    /// cannot start leaves its rows without a trial and its error in what is returned. An
    /// interruption ends everything and keeps what was measured.
    pub fn repeat(
        &mut self,
        trial: u32,
        snapshot_every: Option<Duration>,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Vec<MeasureError> {
        let Run { plan, rows, .. } = &mut self.run;
        let mut errors = Vec::new();
        let (mut first, mut threads_before) = (0, 0);
        for (number, stage) in plan.stages.iter().enumerate() {
            if control.is_cancelled() {
                break;
            }
            // A stage that a job has ended early ends no other.
            control.rearm();
            listener(Event::StageStarted {
                stage: number,
                first,
            });
            let options = StageOptions {
                seed: mix64(plan.seed ^ ((number as u64) << 32 | u64::from(trial))),
                snapshot_every,
                threads_before,
                ..StageOptions::default()
            };
            let trials = self
                .subject
                .trial(stage, FoundState::Settled, options, control, listener);
            listener(Event::StageEnded);
            match trials {
                Ok(trials) => {
                    let ends_here = (stage.workloads.iter().zip(&trials))
                        .any(|(workload, trial)| ends_plan(workload, trial.outcome.stopped));
                    for (number, trial) in (first..).zip(trials) {
                        listener(Event::counted(number, &rows[number].workload, &trial));
                        rows[number].trials.push(trial);
                    }
                    if ends_here {
                        break;
                    }
                }
                Err(error) => errors.push(error),
            }
            first += stage.workloads.len();
            let threads = stage.workloads.iter().map(|workload| workload.threads);
            threads_before += threads.sum::<u32>();
        }
        errors
    }
}

fn refuse_writes(targets: &[JobTarget]) -> Result<(), MeasureError> {
    let is_written = |target: &&JobTarget| target.written || target.is_made();
    match targets.iter().find(is_written) {
        Some(target) => Err(MeasureError::system(text!(
            "{} would be written, and --readonly forbids that; leave --readonly out, or only read what exists",
            target.path.display()
        ))),
        None => Ok(()),
    }
}
