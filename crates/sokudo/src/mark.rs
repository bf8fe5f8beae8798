//! `sokudo mark`: the rows of CrystalDiskMark and any others, with proof.

use std::path::Path;

use sokudo_device::System;
use sokudo_dialect::fio::{self, Place};
use sokudo_engine::{Control, left_behind};
use sokudo_model::{Plan, Run, StopReason, TargetKind};
use sokudo_report::RunDocument;

use crate::campaign;
use crate::cli::{CommandLines, MarkArguments};
use crate::command_line;
use crate::exit::{self, Exit};
use crate::interrupt;
use crate::jobs::carry_out::since_epoch;
use crate::mark_as;
use crate::output;
use crate::plan::{self, Writing};
use crate::progress::Progress;
use crate::subject::{Named, Permission, Preparation, Subject};

/// Measures and prints, or prints the method.
pub(crate) fn run(arguments: &MarkArguments) -> Result<(), Exit> {
    let named = Named::recognise(&arguments.target)?;
    let seed = arguments.seed.unwrap_or_else(|| named.default_seed());
    let kind = named.kind();
    let plan = plan::resolve(arguments, kind, named.size(), seed)?;
    if arguments.print_job {
        let place = place(arguments, &named)?;
        return output::print(&fio::render(&plan, &place));
    }
    if let Some(tool) = arguments.print_as {
        return print_as(tool, arguments, &named, &plan);
    }
    output::check(&arguments.printing)?;
    tell_notes(arguments, &named);
    let control = Control::new();
    interrupt::watch(&control)?;
    let run = measure(arguments, named, plan, &control)?;
    let document = RunDocument::from_run(&run);
    output::write(&document, &arguments.printing)?;
    verdict(&run)
}

fn measure(
    arguments: &MarkArguments,
    named: Named,
    plan: Plan,
    control: &Control,
) -> Result<Run, Exit> {
    let started_at = since_epoch();
    let schedule = plan::schedule(arguments);
    let environment = sokudo_device::environment(&System::host());
    let mut progress = Progress::new(&plan, &schedule, arguments.printing.quiet);
    let preparation = Preparation {
        name: &arguments.target,
        size: plan::test_file_size(arguments),
        permission: Permission::new(arguments.overwrite, &arguments.destroying.destroy),
        data: arguments.data.clone(),
        seed: plan.seed,
    };
    let mut listener = |event| progress.show(&event);
    let prepared = Subject::prepare(named, &preparation, control, &mut listener);
    let measured = prepared.and_then(|mut subject| {
        let rows = campaign::run(&plan, &schedule, &mut subject, control, &mut listener)?;
        subject.look_again();
        Ok((rows, subject.info.clone(), subject.layout))
    });
    progress.finish();
    let (rows, target, layout) = measured?;
    let mut run = Run {
        sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at,
        schedule,
        target,
        layout,
        environment,
        rows,
        findings: Vec::new(),
        command: command(arguments, plan.seed),
        interrupted: control.is_cancelled(),
        plan,
    };
    sokudo_analysis::judge(&mut run);
    Ok(run)
}

/// What the result means for the exit code.
fn verdict(run: &Run) -> Result<(), Exit> {
    if run.interrupted {
        return Err(Exit::Interrupted);
    }
    let failed = run
        .rows
        .iter()
        .flat_map(|row| &row.trials)
        .any(|trial| trial.outcome.stopped == StopReason::Failed);
    if failed {
        Err(Exit::FailedAsReported)
    } else {
        Ok(())
    }
}

/// What the user should know before it starts.
fn tell_notes(arguments: &MarkArguments, named: &Named) {
    if arguments.printing.quiet {
        return;
    }
    if let Writing::Refused(reason) = plan::writing(named.kind(), arguments)
        && !arguments.read_only
    {
        exit::note(format_args!("{}: {reason}", arguments.target));
    }
    if named.kind() == TargetKind::Directory
        && let Some(directory) = named.path()
    {
        for file in left_behind(Path::new(directory)) {
            exit::note(format_args!(
                "a killed run has left {} ({}); sokudo clean {directory} removes it",
                file.path.display(),
                file.size
            ));
        }
    }
}

/// What a job file for these arguments does its I/O on.
fn place(arguments: &MarkArguments, named: &Named) -> Result<Place, Exit> {
    let path = named.path();
    match (named.kind(), path) {
        (TargetKind::Directory, Some(path)) => {
            Place::directory(path, plan::test_file_size(arguments))
        }
        (TargetKind::File, Some(path)) if arguments.overwrite => Place::file(path, arguments.size),
        (_, Some(path)) => Place::read_only_file(path, arguments.size),
        // fio knows neither simulated devices nor ours that is none: the method is
        // printed for the current directory.
        (_, None) => Place::directory(".", plan::test_file_size(arguments)),
    }
    .map_err(Exit::usage)
}

fn print_as(
    tool: CommandLines,
    arguments: &MarkArguments,
    named: &Named,
    plan: &Plan,
) -> Result<(), Exit> {
    let text = match tool {
        CommandLines::Fio => mark_as::fio_lines(plan, &place(arguments, named)?),
        CommandLines::Diskspd => {
            let makes_file = !matches!(named.kind(), TargetKind::File | TargetKind::BlockDevice);
            let create = makes_file.then(|| plan::test_file_size(arguments));
            mark_as::diskspd_lines(plan, named.path().unwrap_or("."), create)
        }
    };
    output::print(&text)
}

/// The command line that repeats the run: as it was given, with the seed.
fn command(arguments: &MarkArguments, seed: u64) -> String {
    let given = command_line::as_given();
    match arguments.seed {
        Some(_) => given,
        None => format!("{given} --seed {seed}"),
    }
}
