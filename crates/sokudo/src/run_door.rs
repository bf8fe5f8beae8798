//! `sokudo run JOB.fio…`: the same jobs as through fio's door, with sokudo's own
//! results.
//!
//! fio's jobs with `numjobs` are one row here, as the threads of a row are.

use std::path::{Path, PathBuf};

use sokudo_dialect::fio::{self, FioPlan};
use sokudo_engine::{Consent, Control};
use sokudo_measure::{JobTarget, JobTargetKind, Jobs, Prepared, StopWatch};
use sokudo_model::{Event, Nanos, Plan, Row, Run, Schedule, ScheduleName, Stage, StopRule};
use sokudo_report::RunDocument;
use sokudo_store::RunId;

use crate::cli::{Keeping, RunArguments};
use crate::exit::{self, Exit};
use crate::fio_door::place_of;
use crate::jobs::this_host::ThisHost;
use crate::jobs::{self, FinishedJobs, consent};
use crate::measurement::FinishedMeasurement;
use crate::partial::PartialRun;
use crate::progress::ProgressLine;
use crate::telling;
use crate::together::Company;
use crate::{command_line, interrupt, results};

/// Runs the job files and prints.
pub(crate) fn run(arguments: &RunArguments) -> Result<(), Exit> {
    let jobs = JobFilePlan::read(arguments)?;
    results::check(&arguments.printing)?;
    for place in jobs.paths() {
        results::check_apart(&place, &arguments.printing)?;
    }
    telling::open(&arguments.printing)?;
    let control = Control::new();
    interrupt::watch(&control)?;
    jobs.finish(arguments, &control)?
        .conclude(&arguments.printing)
}

/// Job files as they are understood.
pub(crate) struct JobFilePlan {
    pub(crate) planned: FioPlan,
    places: Vec<JobTarget>,
    consent: Consent,
    read_only: bool,
}

impl JobFilePlan {
    /// Reads the files that are named.
    pub(crate) fn read(arguments: &RunArguments) -> Result<Self, Exit> {
        let words = fio_arguments(arguments);
        let invocation = fio::invocation(&words, &ThisHost).map_err(Exit::usage)?;
        let mut planned = invocation.plan(&ThisHost).map_err(Exit::usage)?;
        arguments.buffers.set(&mut planned.plan);
        let targets = planned.targets.iter();
        Ok(Self {
            places: targets.map(|spec| place_of(spec, &planned)).collect(),
            consent: consent::named(&invocation.destroy)?,
            read_only: invocation.readonly,
            planned,
        })
    }

    /// Runs them, and prints nothing but the progress.
    pub(crate) fn finish(
        &self,
        arguments: &RunArguments,
        control: &Control,
    ) -> Result<FinishedMeasurement, Exit> {
        if !arguments.printing.quiet {
            self.tell_notes();
        }
        let jobs = self.jobs(arguments.runs);
        let schedule = arguments
            .stopping
            .of(Schedule::in_turn(arguments.runs, Nanos(0)));
        let quiet = arguments.printing.quiet;
        telling::announce(jobs.plan, &schedule, None, None);
        let mut progress = ProgressLine::new(jobs.plan, &schedule, None, quiet, control);
        if telling::is_plan() {
            return Err(Exit::AsReported(0));
        }
        let rules = &schedule.stop_when;
        let keeping = &arguments.printing.keeping;
        let finished = carry_out(&jobs, rules, keeping, control, &mut progress);
        progress.finish();
        let (finished, kept) = finished?;
        let run = self.by_section(finished.run.clone());
        Ok(FinishedMeasurement {
            document: RunDocument::from_run(&run),
            run,
            ended_by: finished.end(Exit::Interrupted).err(),
            kept,
        })
    }

    /// Runs them as one of several processes.
    pub(crate) fn finish_in(
        mut self,
        company: &mut Company,
        arguments: &RunArguments,
        control: &Control,
    ) -> Result<FinishedMeasurement, Exit> {
        company.give_own_names(&mut self.places);
        let mut plan = self.planned.plan.clone();
        company.agree_on_jobs(&mut plan, &self.places)?;
        let quiet = arguments.printing.quiet;
        let jobs = Jobs {
            plan: &plan,
            ..self.jobs(arguments.runs)
        };
        let schedule = Schedule::in_turn(arguments.runs, Nanos(0));
        telling::announce(jobs.plan, &schedule, None, None);
        let progress = ProgressLine::new(jobs.plan, &schedule, None, quiet, control);
        let mut progress = progress.in_lines(quiet);
        let prepared = jobs.prepare(control, &mut |event| progress.show(&event));
        let mut prepared = company.ready(prepared.map_err(Exit::from), control)?;
        progress.prepared(&prepared);
        let mut errors = Vec::new();
        let mut listener = |event| progress.show(&event);
        let conduct =
            |prepared: &mut Prepared, control: &Control, listen: &mut dyn FnMut(Event)| {
                errors = jobs::repeat(prepared, &jobs, control, listen).0;
                Ok(None)
            };
        let loss = company.conduct(&mut prepared, control, &mut listener, conduct)?;
        if errors.is_empty() {
            errors.extend(loss.map(Exit::from));
        }
        progress.finish();
        let finished = jobs::finish(prepared, errors, control)?;
        let mut run = self.by_section(finished.run.clone());
        // Sections are judged host by host.
        sokudo_analysis::judge(&mut run);
        Ok(FinishedMeasurement {
            document: RunDocument::from_run(&run),
            run,
            ended_by: finished.end(Exit::Interrupted).err(),
            kept: None,
        })
    }

    /// What its jobs measure; of a file that is not there yet, the folder in which it will be.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        let is_there = |path: &&Path| path.exists();
        let is_on_storage = |place: &&JobTarget| {
            matches!(place.kind, JobTargetKind::File | JobTargetKind::BlockDevice)
        };
        let places = self.places.iter().filter(is_on_storage);
        let existing = places.map(|place| place.path.ancestors().find(is_there));
        let existing = existing.map(|path| path.unwrap_or(Path::new(".")));
        existing.map(Path::to_owned).collect()
    }

    /// Tells what the user should know before they start.
    pub(crate) fn tell_notes(&self) {
        for sentence in &self.planned.session.notes {
            exit::note(sentence);
        }
    }

    /// What is to be done, so often.
    pub(crate) fn jobs(&self, trials: u32) -> Jobs<'_> {
        Jobs {
            plan: &self.planned.plan,
            places: &self.places,
            consent: &self.consent,
            trials,
            schedule: ScheduleName::Fio,
            command: command_line::as_given(),
            read_only: self.read_only,
            snapshot_every: None,
            left_out: &self.planned.session.left_out,
        }
    }

    /// One row per section, not one per clone.
    pub(crate) fn by_section(&self, run: Run) -> Run {
        by_section(run, &self.planned)
    }
}

/// Makes the places ready, runs all stages as often as asked, and judges; with the number under
/// which a part of it is kept.
fn carry_out(
    jobs: &Jobs<'_>,
    rules: &[StopRule],
    keeping: &Keeping,
    control: &Control,
    progress: &mut ProgressLine,
) -> Result<(FinishedJobs, Option<RunId>), Exit> {
    let mut prepared = jobs.prepare(control, &mut |event| progress.show(&event))?;
    progress.prepared(&prepared);
    prepared.run.schedule.stop_when = rules.to_vec();
    let mut watch = StopWatch::new(rules, &prepared.run)?;
    let mut partial = PartialRun::of(&prepared.run, keeping);
    let mut listener = |event| {
        watch.hear(&event, control);
        partial.hear(&event, control);
        progress.show(&event);
    };
    let (errors, _) = jobs::repeat(&mut prepared, jobs, control, &mut listener);
    prepared.run.stopped_by = watch.cause();
    let finished = jobs::finish(prepared, errors, control);
    control.forget_rule();
    Ok((finished?, partial.kept()))
}

/// The same as fio's own words. Options before a job file hold for all its jobs.
fn fio_arguments(arguments: &RunArguments) -> Vec<String> {
    let mut words = Vec::new();
    let sections = arguments.sections.iter();
    words.extend(sections.map(|section| format!("--section={section}")));
    for (asked, word) in [
        (arguments.lenient, "--lenient"),
        (arguments.readonly, "--readonly"),
        (arguments.overwrite, "--overwrite=1"),
    ] {
        if asked {
            words.push(word.to_owned());
        }
    }
    let devices = arguments.destroy.iter();
    words.extend(devices.map(|device| format!("--destroy={device}")));
    words.extend(arguments.files.iter().cloned());
    words
}

/// One row per section: what its clones did together, judged by the worst of them.
pub(crate) fn by_section(run: Run, planned: &FioPlan) -> Run {
    let mut rows: Vec<(u32, Row)> = Vec::new();
    for (row, job) in run.rows.iter().zip(&planned.session.jobs) {
        match rows.iter_mut().find(|(section, _)| *section == job.section) {
            Some((_, merged)) => merge(merged, row),
            None => rows.push((job.section, row.clone())),
        }
    }
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    let plan = Plan {
        stages: stages_of(&run.plan, planned, &rows),
        ..run.plan
    };
    Run { plan, rows, ..run }
}

fn merge(merged: &mut Row, row: &Row) {
    merged.workload.clones += row.workload.clones;
    for (ours, theirs) in merged.trials.iter_mut().zip(&row.trials) {
        ours.outcome.merge(&theirs.outcome);
        ours.evidence.device = ours
            .evidence
            .device
            .zip(theirs.evidence.device)
            .map(|(ours, theirs)| ours.plus(&theirs));
        ours.evidence.cached_before = ours
            .evidence
            .cached_before
            .max(theirs.evidence.cached_before);
        if let (Some(ours), Some(theirs)) = (&mut ours.together, &theirs.together) {
            ours.merge(theirs);
        }
    }
    let worse = |left: &Row, right: &Row| {
        let verdict = |row: &Row| row.assessment.as_ref().map(|assessment| assessment.verdict);
        verdict(right) > verdict(left)
    };
    if worse(merged, row) {
        merged.assessment.clone_from(&row.assessment);
    }
}

/// The plan's stages with one workload per section, in the order of `rows`.
fn stages_of(plan: &Plan, planned: &FioPlan, rows: &[Row]) -> Vec<Stage> {
    let mut jobs = planned.session.jobs.iter();
    let mut rows = rows.iter();
    let mut last = None;
    plan.stages
        .iter()
        .map(|stage| {
            let mut workloads = Vec::new();
            for job in jobs.by_ref().take(stage.workloads.len()) {
                if last != Some(job.section) {
                    workloads.extend(rows.next().map(|row| row.workload.clone()));
                    last = Some(job.section);
                }
            }
            Stage { workloads }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{
        BackendKind, Bytes, DeviceCounters, Operation, OperationTally, Outcome, StopReason, Trial,
        TrialEvidence, Workload,
    };

    fn row(mebibytes: u64) -> Row {
        let mut outcome = Outcome::new(BackendKind::Psync, StopReason::Time);
        outcome.operations.push(OperationTally {
            bytes: Bytes::mib(mebibytes),
            ..OperationTally::new(Operation::Read)
        });
        let evidence = TrialEvidence {
            device: Some(DeviceCounters {
                read_bytes: mebibytes << 20,
                ..DeviceCounters::default()
            }),
            ..TrialEvidence::default()
        };
        Row {
            trials: vec![Trial {
                outcome,
                evidence,
                together: None,
            }],
            ..Row::new(Workload::new("x", Bytes(4096)))
        }
    }

    #[test]
    fn clones_of_a_section_are_one_row() {
        let mut merged = row(1);
        merge(&mut merged, &row(2));
        assert_eq!(merged.workload.clones, 2);
        assert_eq!(merged.trials[0].outcome.bytes_moved(), Bytes::mib(3));
        let device = merged.trials[0].evidence.device.unwrap();
        assert_eq!(device.read_bytes, 3 << 20);
    }
}
