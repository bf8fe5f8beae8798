//! `sokudo mark`: the rows of CrystalDiskMark and any others, with proof.

pub mod arguments;
pub mod plan;

use std::path::Path;

use arguments::Arguments;
use plan::MarkTarget;
use sokudo_engine::check_room;
use sokudo_measure::{MeasureError, Measurement, Named, OwnFiles, may_write};
use sokudo_model::{Plan, TargetKind};
use sokudo_page::TargetForm;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::output;
use sokudo_tools::diskspd::{self, PrintedTarget};
use sokudo_tools::fio::{self, JobFileTarget};
use sokudo_words::Text;

use crate::declared::{Declared, PageForm};
use crate::mark::arguments::CommandLines;
use crate::measuring::{Measuring, Planned};
use crate::{measurement, several};

pub(crate) const DECLARED: Declared = Declared {
    form: Some(PageForm {
        rank: 1,
        target: TargetForm::Needed,
        options: "profile=default|nvme|flash|peak|real|demo|classic|durable, size, runs, row, \
                  mix, read-only, write-only, time, data, schedule, pause, engine, polled, \
                  depth, threads, direct, exact-clock, rate, poisson",
    }),
    kinds: &[&plan::METHOD],
    ..Declared::NONE
};

/// What the file of diskspd's lines is called in a directory.
const DISKSPD_FILE: &str = "sokudo-diskspd-test-file";

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        Ok(Planned::Rows(measurement(self)?, None))
    }

    /// Measures and prints, or prints the method.
    fn run(&self) -> Result<(), Exit> {
        if !self.print_job && self.print_as.is_none() {
            return self.print(self.planned()?, None);
        }
        let Measurement { named, plan, .. } = measurement(self)?;
        match self.print_as {
            Some(tool) => print_as(tool, self, &named, &plan),
            None => output::print(&fio::render(&plan, &job_file_target(self, &named)?)),
        }
    }
}

fn measurement(arguments: &Arguments) -> Result<Measurement<'_>, Exit> {
    let prints = arguments.print_job || arguments.print_as.is_some();
    several::check_printing(&arguments.others, prints)?;
    let named = Named::recognise(&arguments.target)?;
    let others = several::recognise(&arguments.others)?;
    let seed = arguments.shared.seed_for(&named);
    let first = target(&arguments.target, &named);
    let more = others.iter().map(|it| target(&it.name, &it.named));
    let targets: Vec<MarkTarget<'_>> = std::iter::once(first).chain(more).collect();
    let plan = plan::resolve(arguments, &targets, seed).map_err(|refusal| {
        // Another size that has no room either is no way out.
        let (path, size) = (Path::new(&arguments.target), arguments.size);
        match size.map(|size| check_room(path, size)) {
            Some(Err(full)) if path.is_dir() => MeasureError::from(full).into(),
            _ => refusal,
        }
    })?;
    let mut schedule = arguments.shared.ending(plan::schedule(arguments)?);
    let time_max = plan::time_max(arguments, plan.stages.len());
    schedule.time_max = schedule.time_max.or(time_max);
    let mut notes = notes(arguments, &targets);
    notes.extend(plan::short_time(arguments, &plan));
    notes.extend(several::time_note(&plan, &schedule, targets.len()));
    drop(targets);
    Ok(Measurement {
        schedule,
        others,
        test_file_size: plan::test_file_size(arguments),
        notes,
        files: OwnFiles::Full(arguments.data.clone()),
        any_backend: arguments.engine.any,
        ..measurement::new(&arguments.shared, &arguments.target, named, plan)
    })
}

fn target<'a>(name: &'a str, named: &Named) -> MarkTarget<'a> {
    MarkTarget {
        name,
        kind: named.kind(),
        size: named.size(),
    }
}

/// What the user should know before it starts.
fn notes(arguments: &Arguments, targets: &[MarkTarget<'_>]) -> Vec<Text> {
    let refusal = plan::refusal(targets, arguments);
    let refusal = refusal.filter(|_| !arguments.read_only);
    let left_out = plan::left_out(arguments, targets);
    refusal.into_iter().chain(left_out).collect()
}

/// What a job file for these arguments does its I/O on.
fn job_file_target(arguments: &Arguments, named: &Named) -> Result<JobFileTarget, Exit> {
    let path = named.path();
    match (named.kind(), path) {
        (TargetKind::Directory, Some(path)) => {
            JobFileTarget::directory(path, plan::test_file_size(arguments))
        }
        (kind, Some(path)) if may_write(kind, &arguments.shared.permission()).is_ok() => {
            JobFileTarget::file(path, arguments.size)
        }
        (_, Some(path)) => JobFileTarget::read_only_file(path, arguments.size),
        // fio knows neither simulated devices nor ours that is none: the method is
        // printed for the current directory.
        (_, None) => JobFileTarget::directory(".", plan::test_file_size(arguments)),
    }
    .map_err(Exit::usage)
}

/// Prints one line of the tool's per row.
fn print_as(
    tool: CommandLines,
    arguments: &Arguments,
    named: &Named,
    plan: &Plan,
) -> Result<(), Exit> {
    let lines = match tool {
        CommandLines::Fio => fio::command_lines(plan, &job_file_target(arguments, named)?),
        CommandLines::Diskspd => {
            let path = named.path().unwrap_or(".");
            let is_there = matches!(named.kind(), TargetKind::File | TargetKind::BlockDevice);
            let target = if is_there {
                PrintedTarget {
                    path: path.to_owned(),
                    create: None,
                }
            } else {
                PrintedTarget {
                    path: format!("{}/{DISKSPD_FILE}", path.trim_end_matches('/')),
                    create: Some(plan::test_file_size(arguments)),
                }
            };
            diskspd::command_lines(plan, &target)
        }
    };
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    output::print(&text)
}
