//! `sokudo run JOB.fio…`: the same jobs as through fio's door, with sokudo's own
//! results.
//!
//! fio's jobs with `numjobs` are one row here, as the threads of a row are.

use std::path::{Path, PathBuf};

use sokudo_dialect::fio::{self, FioPlan};
use sokudo_engine::{Consent, Control};
use sokudo_measure::{JobTarget, Jobs, Prepared, StopWatch};
use sokudo_model::{Event, JobTargetKind, Nanos, Run, Schedule, ScheduleName, StopRule};
use sokudo_report::RunDocument;
use sokudo_store::RunId;

use crate::cli::{Asking, Keeping, RunArguments};
use crate::company::Company;
use crate::exit::{self, Exit};
use crate::jobs::fio::{by_section, places};
use crate::jobs::this_host::ThisHost;
use crate::jobs::{self, FinishedJobs, consent};
use crate::measurement::FinishedMeasurement;
use crate::partial::PartialRun;
use crate::progress::ProgressLine;
use crate::telling::{self, Estimate};
use crate::{command_line, interrupt, results, writing};

/// Runs jobs and prints.
pub(crate) fn run(jobs: &JobFilePlan, arguments: &RunArguments) -> Result<(), Exit> {
    results::check(&arguments.shared.printing)?;
    for place in jobs.paths() {
        results::check_apart(&place, &arguments.shared.printing)?;
    }
    telling::open(&arguments.shared.printing)?;
    let control = Control::new();
    interrupt::watch(&control)?;
    jobs.finish(arguments, arguments.shared.printing.asking, &control)?
        .conclude(&arguments.shared.printing)
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
        let mut jobs = Self::of_words(&fio_arguments(arguments))?;
        arguments.shared.set(&mut jobs.planned.plan);
        Ok(jobs)
    }

    /// Reads the words of fio's command line.
    pub(crate) fn of_words(words: &[String]) -> Result<Self, Exit> {
        let invocation = fio::invocation(words, &ThisHost).map_err(Exit::usage)?;
        let planned = invocation.plan(&ThisHost).map_err(Exit::usage)?;
        Ok(Self {
            places: places(&planned),
            consent: consent::named(&invocation.destroy)?,
            read_only: invocation.readonly,
            planned,
        })
    }

    /// Asks and runs them, and prints nothing but the progress.
    pub(crate) fn finish(
        &self,
        arguments: &RunArguments,
        asking: Asking,
        control: &Control,
    ) -> Result<FinishedMeasurement, Exit> {
        let jobs = self.jobs(arguments.runs);
        writing::ask_jobs(&jobs, asking)?;
        let quiet = asking.quiet;
        if !quiet {
            self.tell_notes();
        }
        let schedule = arguments
            .shared
            .ending(Schedule::in_turn(arguments.runs, Nanos(0)));
        telling::announce(jobs.plan, &schedule, &Estimate::of_jobs(&jobs));
        let mut progress = ProgressLine::new(jobs.plan, &schedule, None, quiet, control);
        if telling::is_plan() {
            return Err(Exit::AsReported(0));
        }
        let rules = &schedule.stop_when;
        let keeping = &arguments.shared.printing.keeping;
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
        company.check_much(writing::much_of_jobs(&self.jobs(arguments.runs)))?;
        company.give_own_names(&mut self.places);
        let mut plan = self.planned.plan.clone();
        company.agree_on_jobs(&mut plan, &self.places)?;
        let quiet = arguments.shared.printing.asking.quiet;
        let jobs = Jobs {
            plan: &plan,
            ..self.jobs(arguments.runs)
        };
        let schedule = Schedule::in_turn(arguments.runs, Nanos(0));
        telling::announce(jobs.plan, &schedule, &Estimate::of_jobs(&jobs));
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
