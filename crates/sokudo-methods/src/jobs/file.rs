//! Jobs of job files and of fio's command line, asked for, measured, judged and
//! printed as sokudo does.

use std::path::{Path, PathBuf};

use sokudo_engine::{Consent, Control};
use sokudo_measure::{JobTarget, Jobs, Prepared};
use sokudo_model::{JobTargetKind, Nanos, Run, Schedule, ScheduleName};
use sokudo_report::RunDocument;
use sokudo_terminal::arguments::printing::Asking;
use sokudo_terminal::event_stream::{self, Estimate};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{command_line, interrupt, print};
use sokudo_tools::fio::{self, FioPlan};

use crate::arguments::SharedArguments;
use crate::consent;
use crate::jobs::FinishedJobs;
use crate::jobs::fio::{by_section, job_targets};
use crate::jobs::this_host::ThisHost;
use crate::measurement::{FinishedMeasurement, Following, Joined, alone};
use crate::peer_group::PeerGroup;

/// How jobs are measured.
#[derive(Clone, Copy)]
pub struct JobRun<'a> {
    /// How often each job is repeated.
    pub runs: u32,
    pub shared: &'a SharedArguments,
}

/// Job files as they are understood.
pub struct JobFilePlan {
    pub planned: FioPlan,
    targets: Vec<JobTarget>,
    consent: Consent,
    read_only: bool,
}

impl JobFilePlan {
    /// Reads the words of fio's command line.
    pub fn of_words(words: &[String]) -> Result<Self, Exit> {
        let invocation = fio::invocation(words, &ThisHost).map_err(Exit::usage)?;
        let planned = invocation.plan(&ThisHost).map_err(Exit::usage)?;
        Ok(Self {
            targets: job_targets(&planned),
            consent: consent::of_jobs::named(&invocation.destroy)?,
            read_only: invocation.readonly,
            planned,
        })
    }

    /// Runs them and prints.
    pub fn run(&self, run: JobRun<'_>) -> Result<(), Exit> {
        let printing = &run.shared.printing;
        print::check(printing)?;
        for path in self.paths() {
            print::check_apart(&path, printing)?;
        }
        event_stream::open(printing)?;
        let control = run.shared.control();
        interrupt::watch(&control)?;
        self.finish(run, printing.asking, &control)?
            .conclude(printing)
    }

    /// Asks and runs them, and prints nothing but the progress.
    pub fn finish(
        &self,
        run: JobRun<'_>,
        asking: Asking,
        control: &Control,
    ) -> Result<FinishedMeasurement, Exit> {
        let jobs = self.jobs_of(run);
        consent::ask_jobs(&jobs, asking)?;
        if !asking.quiet {
            self.tell_notes();
        }
        let following = Following {
            keeping: Some(&run.shared.printing.keeping),
            ..Following::new(control, asking.quiet)
        };
        self.followed(following, &jobs, alone)
    }

    /// Runs them as one of several processes.
    pub fn finish_in(
        mut self,
        peers: &mut PeerGroup,
        run: JobRun<'_>,
        control: &Control,
    ) -> Result<FinishedMeasurement, Exit> {
        peers.check_much(consent::much_of_jobs(&self.jobs_of(run)))?;
        peers.give_own_names(&mut self.targets);
        let mut plan = self.planned.plan.clone();
        peers.agree_on_jobs(&mut plan, &self.targets)?;
        let jobs = Jobs {
            plan: &plan,
            ..self.jobs_of(run)
        };
        let printing = &run.shared.printing;
        let following = peers.following(&printing.keeping, control, printing.asking.quiet);
        self.followed(following, &jobs, |ready| peers.ready(ready, control))
    }

    fn followed(
        &self,
        following: Following<'_>,
        jobs: &Jobs<'_>,
        join: impl FnOnce(Result<Prepared, Exit>) -> Result<Joined, Exit>,
    ) -> Result<FinishedMeasurement, Exit> {
        let estimate = Estimate::of_jobs(jobs);
        let mut watcher = following.announce(jobs.plan, &jobs.schedule, &[], &estimate)?;
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
    pub fn paths(&self) -> Vec<PathBuf> {
        let is_there = |path: &&Path| path.exists();
        let is_on_storage = |target: &&JobTarget| {
            matches!(
                target.kind,
                JobTargetKind::File | JobTargetKind::BlockDevice
            )
        };
        let targets = self.targets.iter().filter(is_on_storage);
        let existing = targets.map(|target| target.path.ancestors().find(is_there));
        let existing = existing.map(|path| path.unwrap_or(Path::new(".")));
        existing.map(Path::to_owned).collect()
    }

    /// Tells what the user should know before they start.
    pub fn tell_notes(&self) {
        for sentence in &self.planned.session.notes {
            exit::note(sentence);
        }
    }

    /// What is to be done, so often.
    pub fn jobs(&self, trials: u32) -> Jobs<'_> {
        Jobs {
            plan: &self.planned.plan,
            targets: &self.targets,
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
    pub(crate) fn jobs_of(&self, run: JobRun<'_>) -> Jobs<'_> {
        let jobs = self.jobs(run.runs);
        Jobs {
            schedule: run.shared.ending(jobs.schedule),
            ..jobs
        }
    }

    /// One row per section, not one per thread.
    pub fn by_section(&self, run: Run) -> Run {
        by_section(run, &self.planned)
    }
}
