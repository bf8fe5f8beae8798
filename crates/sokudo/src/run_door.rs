//! `sokudo run JOB.fio…`: the same jobs as through fio's door, with sokudo's own
//! results.
//!
//! fio's jobs with `numjobs` are one row here, as the threads of a row are.

use std::path::{Path, PathBuf};

use sokudo_dialect::fio::{self, FioPlan};
use sokudo_engine::{Consent, Control};
use sokudo_measure::{JobTarget, Jobs, Prepared};
use sokudo_model::{JobTargetKind, Nanos, Run, Schedule, ScheduleName};
use sokudo_report::RunDocument;

use crate::cli::{Asking, RunArguments};
use crate::company::Company;
use crate::exit::{self, Exit};
use crate::jobs::fio::{by_section, places};
use crate::jobs::this_host::ThisHost;
use crate::jobs::{FinishedJobs, consent};
use crate::measurement::{FinishedMeasurement, Following, Joined, alone};
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
        let jobs = self.jobs_of(arguments);
        writing::ask_jobs(&jobs, asking)?;
        if !asking.quiet {
            self.tell_notes();
        }
        let following = Following {
            keeping: Some(&arguments.shared.printing.keeping),
            ..Following::new(control, asking.quiet)
        };
        self.followed(following, &jobs, alone)
    }

    /// Runs them as one of several processes.
    pub(crate) fn finish_in(
        mut self,
        company: &mut Company,
        arguments: &RunArguments,
        control: &Control,
    ) -> Result<FinishedMeasurement, Exit> {
        company.check_much(writing::much_of_jobs(&self.jobs_of(arguments)))?;
        company.give_own_names(&mut self.places);
        let mut plan = self.planned.plan.clone();
        company.agree_on_jobs(&mut plan, &self.places)?;
        let jobs = Jobs {
            plan: &plan,
            ..self.jobs_of(arguments)
        };
        let printing = &arguments.shared.printing;
        let following = company.following(&printing.keeping, control, printing.asking.quiet);
        self.followed(following, &jobs, |ready| company.ready(ready, control))
    }

    fn followed(
        &self,
        following: Following<'_>,
        jobs: &Jobs<'_>,
        join: impl FnOnce(Result<Prepared, Exit>) -> Result<Joined, Exit>,
    ) -> Result<FinishedMeasurement, Exit> {
        let estimate = Estimate::of_jobs(jobs);
        let mut watcher = following.announce(jobs.plan, &jobs.schedule, None, &estimate)?;
        let ready = watcher.prepare(|listener| jobs.prepare(following.control, listener));
        let (finished, kept) = watcher.measure(join(ready)?, jobs.conduct())?;
        let finished = FinishedJobs::of(finished)?;
        let mut run = self.by_section(finished.run.clone());
        if !run.hosts.is_empty() {
            // Sections are judged host by host.
            sokudo_analysis::judge(&mut run);
        }
        Ok(FinishedMeasurement {
            document: RunDocument::from_run(&run),
            run,
            ended_by: finished.end(Exit::Interrupted).err(),
            kept,
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
            schedule: Schedule {
                name: ScheduleName::Fio,
                ..Schedule::in_turn(trials, Nanos(0))
            },
            command: command_line::as_given(),
            read_only: self.read_only,
            snapshot_every: None,
            left_out: &self.planned.session.left_out,
        }
    }

    /// The same as often as the arguments say, until a rule of theirs comes true.
    fn jobs_of(&self, arguments: &RunArguments) -> Jobs<'_> {
        let jobs = self.jobs(arguments.runs);
        Jobs {
            schedule: arguments.shared.ending(jobs.schedule),
            ..jobs
        }
    }

    /// One row per section, not one per clone.
    pub(crate) fn by_section(&self, run: Run) -> Run {
        by_section(run, &self.planned)
    }
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
