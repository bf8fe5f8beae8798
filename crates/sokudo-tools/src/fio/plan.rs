//! From what was written to what is done: sections to jobs, jobs to threads, groups
//! and stages.

use std::collections::HashMap;

use sokudo_model::{BackendKind, EndsOthers, Method, Plan, Stage, Workload, narrow};

use crate::fio::session::{FioJob, FioSession};
use crate::language::host::Host;

use super::failure::{FAULTS_MAX, FioError, FioProblem};
use super::files::{FioThread, Targets, mixed, path_list};
use super::invocation::{Assignment, FioAction, FioInvocation, Section};
use super::job::{ExitWhat, Job};
use super::option::FioSupport;
use super::planned::FioPlan;
use super::table::job_without_options;

pub static METHOD: sokudo_model::MethodKind = sokudo_model::MethodKind {
    name: "fio",
    command: "fio",
    is_named: true,
    traits: &[],
};

/// fio's limit on threads of all jobs together (REAL_MAX_JOBS).
const THREADS_MAX: usize = Stage::THREADS_MAX as usize;
/// fio's seed when a job gives none (FIO_RANDSEED).
const FIO_SEED: u64 = 0xb189_9bed;

impl FioInvocation {
    /// What the command line and its job files mean.
    ///
    /// # Errors
    /// [`FioError`] with every option that is not supported or not valid, or the first
    /// thing that a plan cannot express.
    pub fn plan(&self, host: &dyn Host) -> Result<FioPlan, FioError> {
        if let Some(error) = FioError::of_all(self.faults(host)) {
            return Err(error);
        }
        let mut planner = Planner::new(self, host);
        let mut defaults = job_without_options();
        let mut file = None;
        let mut waits = false;
        for section in &self.sections {
            if section.file != file {
                file = section.file;
                // fio forgets what was global, and lets each file wait for the last.
                if file.is_some_and(|index| index > 0) {
                    defaults = job_without_options();
                    waits = true;
                }
            }
            if section.is_global {
                planner.apply(section, &mut defaults)?;
                let echo = section.options.iter().map(echo);
                planner.session.global_options.extend(echo);
                continue;
            }
            let mut job = defaults.clone();
            planner.apply(section, &mut job)?;
            job.stonewall |= std::mem::take(&mut waits);
            let added = planner.add(section, &job);
            added.map_err(|error| error.within(&section.source))?;
        }
        planner.finish()
    }

    /// What is wrong with single options: not supported here, or no valid value.
    pub(super) fn faults(&self, host: &dyn Host) -> Vec<FioError> {
        let mut defaults = job_without_options();
        let mut faults = Vec::new();
        for section in &self.sections {
            let mut own = defaults.clone();
            let job = if section.is_global {
                &mut defaults
            } else {
                &mut own
            };
            for assignment in &section.options {
                let applied =
                    self.is_left_out(assignment)
                        .and_then(|is_left_out| match is_left_out {
                            true => Ok(()),
                            false => assignment.apply(job, host),
                        });
                faults.extend(applied.err());
                if faults.len() == FAULTS_MAX {
                    return faults;
                }
            }
        }
        faults
    }

    /// Whether an option that is not supported is passed over; an error where it may not be.
    fn is_left_out(&self, assignment: &Assignment) -> Result<bool, FioError> {
        let option = assignment.option();
        let FioSupport::Refused { needs, .. } = option.support else {
            return Ok(false);
        };
        if self.lenient || assignment.asks_for_nothing() {
            return Ok(true);
        }
        Err(assignment.error(FioProblem::Unsupported {
            option: option.name.to_owned(),
            reason: format!("it would need {needs}"),
        }))
    }
}

/// An option as fio's outputs repeat it.
fn echo(assignment: &Assignment) -> (String, String) {
    let value = assignment.value.clone().unwrap_or_default();
    (assignment.option().name.to_owned(), value)
}

struct Planner<'a> {
    invocation: &'a FioInvocation,
    session: FioSession,
    stages: Vec<Stage>,
    targets: Targets<'a>,
    hints: Vec<String>,
    /// For every workload, in order: what its end ends.
    exits: Vec<Option<ExitWhat>>,
    /// Where chance starts without `randrepeat`; drawn once, so that the plan says it.
    chance: u64,
    seed: Option<u64>,
    is_repeatable: bool,
    sections: u32,
    group: u32,
    create_only: bool,
}

impl<'a> Planner<'a> {
    fn new(invocation: &'a FioInvocation, host: &'a dyn Host) -> Self {
        let session = FioSession {
            output: invocation.output.clone(),
            notes: invocation.notes.clone(),
            ..FioSession::default()
        };
        Self {
            invocation,
            session,
            stages: Vec::new(),
            targets: Targets::new(host, invocation.action == FioAction::ParseOnly),
            hints: Vec::new(),
            exits: Vec::new(),
            chance: host.seed(),
            seed: None,
            is_repeatable: true,
            sections: 0,
            group: 0,
            create_only: false,
        }
    }

    fn apply(&mut self, section: &Section, job: &mut Job) -> Result<(), FioError> {
        for assignment in &section.options {
            let option = assignment.option();
            if self.invocation.is_left_out(assignment)? {
                self.note_left_out(assignment);
                continue;
            }
            assignment.apply(job, self.targets.host())?;
            self.hint(assignment);
            if let FioSupport::NoEffect(why) = option.support {
                self.note(format!("{} has no effect: {why}", option.name));
            }
        }
        let is_foreign = |assignment: &&Assignment| {
            let engines = assignment.option().engines;
            !engines.is_empty() && !engines.contains(&job.engine.as_str())
        };
        match section.options.iter().find(is_foreign) {
            None => Ok(()),
            Some(assignment) => {
                let option = assignment.option();
                let (name, engines) = (option.name, option.engines.join(" and "));
                let engine = &job.engine;
                let sentence = format!(
                    "{name} is an option of the engine {engines}, not of {engine}; set ioengine in the same section"
                );
                Err(assignment.error(FioProblem::Other(sentence)))
            }
        }
    }

    /// Of a file that is there under the whole name, which its colons divide.
    fn hint(&mut self, assignment: &Assignment) {
        let name = assignment.value.as_deref().unwrap_or_default();
        let is_divided = assignment.option().name == "filename" && path_list(name).len() > 1;
        if is_divided && self.targets.host().found(name).is_some() {
            let escaped = name.replace(':', "\\:");
            self.hints.push(format!(
                "filename={name} names {} files, though {name} is there; write filename={escaped} for that one",
                path_list(name).len()
            ));
        }
    }

    /// Notes an option that is passed over although its value asks for something.
    fn note_left_out(&mut self, assignment: &Assignment) {
        let name = assignment.option().name.to_owned();
        if !assignment.asks_for_nothing() && !self.session.left_out.contains(&name) {
            self.session.left_out.push(name);
        }
    }

    fn note(&mut self, text: String) {
        if !self.session.notes.contains(&text) {
            self.session.notes.push(text);
        }
    }

    /// A job with all its threads.
    fn add(&mut self, section: &Section, job: &Job) -> Result<(), FioError> {
        let name = job.name.clone().unwrap_or_else(|| section.name.clone());
        let error = |sentence: String| FioError::of_job(&name, sentence);
        self.check(job).map_err(error)?;
        self.seed = self.seed.or(job.seed);
        self.is_repeatable &= job.repeatable;
        self.create_only |= job.create_only;
        self.begin_group(job);
        if self.session.jobs.len() + job.threads as usize > THREADS_MAX {
            return Err(error(format!(
                "more than {THREADS_MAX} jobs, their threads counted; use fewer"
            )));
        }
        let options: Vec<_> = section.options.iter().map(echo).collect();
        for index in 0..job.threads {
            // fio numbers the threads of a job downward: 0, 3, 2, 1.
            let job_number = if index == 0 { 0 } else { job.threads - index };
            let number = self.session.jobs.len() as u64;
            let seed = mixed(self.seed() ^ number);
            let thread = FioThread {
                section: &section.name,
                job_number,
                block: job.smallest_block(),
                seed,
            };
            let placement = self.targets.assign_files(job, &thread)?;
            let workload = job.workload(&name, narrow(number), seed, &placement);
            let workload = workload.map_err(error)?;
            self.session.jobs.push(FioJob {
                name: name.clone(),
                section: self.sections,
                job_number,
                group: self.group,
                description: job.description.clone(),
                options: options.clone(),
                files: placement.names,
                engine: job.engine.clone(),
                depth: job.plan.depth,
                reporting: job.reporting(),
                logs: job.logs(&name),
            });
            self.push(workload, job);
        }
        self.sections += 1;
        Ok(())
    }

    /// What of a job is an error, or is to be told.
    fn check(&mut self, job: &Job) -> Result<(), String> {
        let (_, note) = job.backend();
        if self.invocation.readonly && job.access.changes_data() {
            return Err("it writes or trims, which --readonly forbids".to_owned());
        }
        if let Some(note) = note {
            self.note(note.to_owned());
        }
        // fio only mentions this; what follows it takes for a fault where doubts are fatal.
        if job.is_synchronous() && job.plan.depth > 1 {
            let hint = format!(
                "iodepth={} has no effect with ioengine={}, which does one I/O at a time",
                job.plan.depth, job.engine
            );
            if !self.hints.contains(&hint) {
                self.hints.push(hint.clone());
            }
            self.note(hint);
        }
        if job.plan.issuing.polled && job.engine == "pvsync2" {
            self.note(
                "hipri has no effect with ioengine=pvsync2: completions come by interrupt"
                    .to_owned(),
            );
        }
        let mut doubts = Vec::new();
        if job.time_based && job.plan.limits.time.is_none() {
            doubts.push("time_based has no effect without runtime".to_owned());
        }
        if job.alignment.is_some() && !job.may_repeat && job.access.random {
            doubts.push("blockalign turns the random map off".to_owned());
        }
        match doubts.first() {
            Some(doubt) if self.invocation.warnings_fatal => Err(doubt.clone()),
            _ => {
                doubts.into_iter().for_each(|doubt| self.note(doubt));
                Ok(())
            }
        }
    }

    /// fio begins a reporting group, and with `stonewall` a stage, unless nothing came
    /// before.
    fn begin_group(&mut self, job: &Job) {
        let is_first = self.session.jobs.is_empty();
        if !is_first && (job.stonewall || job.new_group) {
            self.group += 1;
        }
        if is_first || job.stonewall {
            self.stages.push(Stage {
                workloads: Vec::new(),
            });
        }
    }

    fn push(&mut self, mut workload: Workload, job: &Job) {
        workload.timing.ends_others = match (job.exitall, job.exitall_on_error) {
            (true, _) => EndsOthers::Always,
            (false, true) => EndsOthers::OnError,
            (false, false) => EndsOthers::Never,
        };
        self.exits.push(job.exitall.then_some(job.exit_what));
        if let Some(stage) = self.stages.last_mut() {
            stage.workloads.push(workload);
        }
    }

    fn seed(&self) -> u64 {
        let other = if self.is_repeatable {
            FIO_SEED
        } else {
            self.chance
        };
        self.seed.unwrap_or(other)
    }

    fn finish(mut self) -> Result<FioPlan, FioError> {
        // Scripts ask so whether there is a fio that knows a switch.
        let only_reads = self.invocation.action == FioAction::ParseOnly;
        if self.session.jobs.is_empty() && !only_reads {
            return Err(FioError::of_command_line(
                "no job in it; name a job file, or begin a job with --name=NAME",
            ));
        }
        self.settle_exits()?;
        let jobs = match self.invocation.files.as_slice() {
            [] => "command line".to_owned(),
            files => files.join(" "),
        };
        let plan = Plan {
            method: Method::named(&METHOD, jobs),
            seed: self.seed(),
            stages: self.stages,
        };
        let uses_auto = plan.stages.iter().flat_map(|stage| &stage.workloads);
        debug_assert!(
            uses_auto.clone().all(|w| w.backend != BackendKind::Sim),
            "fio has no simulated engine"
        );
        Ok(FioPlan {
            plan,
            session: self.session,
            targets: self.targets.into_specs(),
            hints: self.hints,
            create_only: self.create_only,
        })
    }

    /// fio's `exitall` ends the group, which is a stage unless `new_group` divides that.
    fn settle_exits(&mut self) -> Result<(), FioError> {
        let mut index = 0;
        for stage in &mut self.stages {
            let mut members: HashMap<u32, usize> = HashMap::new();
            let jobs = &self.session.jobs[index..index + stage.workloads.len()];
            let exits = &self.exits[index..index + stage.workloads.len()];
            index += stage.workloads.len();
            for job in jobs {
                *members.entry(job.group).or_default() += 1;
            }
            for ((workload, job), exit) in stage.workloads.iter_mut().zip(jobs).zip(exits) {
                let members = members.get(&job.group).copied().unwrap_or_default();
                let is_whole_stage = members == jobs.len();
                match exit {
                    None | Some(ExitWhat::All) => {}
                    Some(ExitWhat::Group) if members == 1 => {
                        workload.timing.ends_others = EndsOthers::Never;
                    }
                    Some(ExitWhat::Group) if !is_whole_stage => {
                        let error = FioError::of_job(
                            &job.name,
                            "exitall would end its group only, while other groups beside it go on; say exit_what=all or exit_what=stonewall, or begin the groups with stonewall",
                        );
                        let sections = &self.invocation.sections;
                        let mut jobs = sections.iter().filter(|section| !section.is_global);
                        return Err(match jobs.nth(job.section as usize) {
                            Some(section) => error.within(&section.source),
                            None => error,
                        });
                    }
                    Some(ExitWhat::Group | ExitWhat::Stonewall) => {
                        workload.timing.ends_others = EndsOthers::Stage;
                    }
                }
            }
        }
        Ok(())
    }
}
