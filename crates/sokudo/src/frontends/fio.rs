//! `sokudo fio ARGUMENTS`, and sokudo under the name of fio: fio's command line in,
//! fio's output out, sokudo's engine and verdicts in between.
//!
//! What differs is safety: a device is destroyed only if the user has named it, and a
//! file only if a job made it.

mod disks;
mod help;
mod print;
mod view;

use rustix::io::Errno;
use sokudo_engine::{Consent, Control};
use sokudo_history::keep::{self, KeptRuns};
use sokudo_measure::{JobTarget, Jobs};
use sokudo_methods::jobs::FinishedJobs;
use sokudo_methods::jobs::fio::{by_section, job_targets};
use sokudo_methods::jobs::this_host::ThisHost;
use sokudo_methods::{consent, measurement};
use sokudo_model::{Nanos, Run, Schedule, ScheduleName};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{interrupt, output};
use sokudo_tools::fio::{self, FioAction, FioError, FioInvocation, FioPlan};
use sokudo_words::text;

use print::Printer;
use view::View;

/// Does what fio would do with these arguments.
pub(crate) fn run(arguments: &[String]) -> Result<(), Exit> {
    let invocation = fio::invocation(arguments, &ThisHost).map_err(refused)?;
    let consent = consent::of_jobs::named(&invocation.destroy)?;
    match &invocation.action {
        FioAction::Run => measure(&invocation, &consent),
        FioAction::ParseOnly => planned(&invocation).map(|_| ()),
        FioAction::ShowCommand => output::print(&fio::show_command(&invocation)),
        FioAction::Help => output::print(&help::help()),
        FioAction::Version => {
            output::print(&format!("{}\n", sokudo_tools::fio::output::FIO_VERSION))
        }
        FioAction::CommandHelp(option) => {
            let text = help::command_help(option).ok_or_else(|| {
                Exit::failed(text!(
                    "there is no option {option}; --cmdhelp=all lists all options"
                ))
            })?;
            output::print(&text)
        }
    }
}

/// Every fault in a line of its own.
fn refused(error: FioError) -> Exit {
    let mut faults = error.apart().into_iter();
    let last = faults.next_back().expect("an error is one fault at least");
    faults.for_each(exit::fault);
    Exit::failed(last)
}

/// What the jobs come to; with `--warnings` also what of them has no effect.
fn planned(invocation: &FioInvocation) -> Result<FioPlan, Exit> {
    let planned = invocation.plan(&ThisHost).map_err(refused)?;
    planned.hints.iter().for_each(exit::note);
    if invocation.warnings {
        let notes = planned.session.notes.iter();
        let others = notes.filter(|it| !planned.hints.contains(it));
        others.for_each(exit::note);
    }
    Ok(planned)
}

fn measure(invocation: &FioInvocation, consent: &Consent) -> Result<(), Exit> {
    let planned = match planned(invocation) {
        Ok(planned) => planned,
        Err(refusal) => return Err(tell_programs(refusal, invocation, consent)?),
    };
    let control = Control::new();
    interrupt::watch(&control)?;
    interrupt::watch_for_questions(&control)?;
    let printer = Printer::open(&planned.session)?;
    let finished = carry(&planned, invocation, consent, &control, printer)?;
    let ended = finished.end(Exit::InterruptedAsFio);
    ended.map_err(|exit| match exit {
        Exit::FailedAsReported => Exit::AsReported(failed_jobs(&finished)),
        other => other,
    })
}

/// How fio ends: with the number of jobs that failed, or could not start; 256 would be a success.
fn failed_jobs(finished: &FinishedJobs) -> u8 {
    let rows = finished.run.rows.iter();
    let failed = rows.filter(|row| match row.trials.last() {
        Some(trial) => measurement::has_failed(&trial.outcome),
        None => !finished.errors.is_empty(),
    });
    code_of(failed.count())
}

fn code_of(jobs: usize) -> u8 {
    u8::try_from(jobs).unwrap_or(u8::MAX)
}

/// What has no plan although all of it was read wants a size, which fio calls an argument that is
/// not valid: programs read that of every job.
fn tell_programs(
    refusal: Exit,
    invocation: &FioInvocation,
    consent: &Consent,
) -> Result<Exit, Exit> {
    let mut only_read = invocation.clone();
    only_read.action = FioAction::ParseOnly;
    let planned = match only_read.plan(&ThisHost) {
        Ok(planned) if !planned.plan.stages.is_empty() => planned,
        _ => return Ok(refusal),
    };
    let targets = job_targets(&planned);
    let printer = Printer::open(&planned.session)?;
    let view = View::new(&planned.plan, &planned.session, &targets, printer);
    let run = jobs_of(&planned, &targets, invocation, consent).empty_run();
    view.refuses(&run, Errno::INVAL.raw_os_error())?;
    Ok(none_started(refusal, &run))
}

/// Tells why no job could start, and ends with their number, as fio does.
fn none_started(refusal: Exit, run: &Run) -> Exit {
    refusal.tell();
    let jobs = run.rows.iter().map(|row| row.workload.threads as usize);
    Exit::AsReported(code_of(jobs.sum()))
}

fn jobs_of<'a>(
    planned: &'a FioPlan,
    targets: &'a [JobTarget],
    invocation: &FioInvocation,
    consent: &'a Consent,
) -> Jobs<'a> {
    Jobs {
        plan: &planned.plan,
        targets,
        consent,
        // With create_only files are made and nothing is run.
        schedule: Schedule {
            name: ScheduleName::Fio,
            ..Schedule::in_turn(u32::from(!planned.create_only), Nanos(0))
        },
        command: sokudo_terminal::command_line::as_given(),
        read_only: invocation.readonly,
        snapshot_every: planned.session.output.status_interval.map(Into::into),
        left_out: &planned.session.left_out,
    }
}

fn carry(
    planned: &FioPlan,
    invocation: &FioInvocation,
    consent: &Consent,
    control: &Control,
    printer: Printer,
) -> Result<FinishedJobs, Exit> {
    let targets = job_targets(planned);
    let jobs = jobs_of(planned, &targets, invocation, consent);
    consent::ask_at_door(&jobs)?;
    let mut view = View::new(&planned.plan, &planned.session, &targets, printer);
    let prepared = jobs.prepare(control, &mut |event| view.prepares(&event));
    let finished = prepared.and_then(|it| it.carry_out(None, control, &mut view, jobs.conduct()));
    let finished = match finished.map_err(Exit::from).and_then(FinishedJobs::of) {
        Ok(finished) => finished,
        Err(refusal) => {
            let Some(number) = refusal.error_number() else {
                return Err(refusal);
            };
            let run = jobs.empty_run();
            view.refuses(&run, number)?;
            return Err(match refusal {
                // Exit code 3 is sokudo's own.
                Exit::Refused(_) => refusal,
                _ => none_started(refusal, &run),
            });
        }
    };
    let kept = match planned.create_only {
        true => KeptRuns::default(),
        false => keep::keep_at_door(|| by_section(finished.run.clone(), planned)),
    };
    // Nothing is said but where results cannot be printed.
    kept.print(true, || view.ends(&finished))?;
    Ok(finished)
}
