//! `sokudo fio ARGUMENTS`, and sokudo under the name of fio: fio's command line in,
//! fio's output out, sokudo's engine and verdicts in between.
//!
//! What differs is safety: a device is destroyed only if the user has named it, and a
//! file only if a job made it.

mod disks;
mod help;
mod print;
mod view;

use sokudo_dialect::fio::{self, FioAction, FioError, FioInvocation, FioPlan};
use sokudo_engine::{Consent, Control};
use sokudo_measure::Jobs;
use sokudo_model::ScheduleName;
use sokudo_words::text;

use crate::exit::{self, Exit};
use crate::jobs::fio::{by_section, places};
use crate::jobs::this_host::ThisHost;
use crate::jobs::{self, FinishedJobs, consent};
use crate::keep::{self, KeptRuns};
use crate::{interrupt, output};

use disks::Disks;
use print::Printer;
use view::{Ending, View};

/// Does what fio would do with these arguments.
pub(crate) fn run(arguments: &[String]) -> Result<(), Exit> {
    let invocation = fio::invocation(arguments, &ThisHost).map_err(refused)?;
    let consent = consent::named(&invocation.destroy)?;
    match &invocation.action {
        FioAction::Run => measure(&invocation, &consent),
        FioAction::ParseOnly => planned(&invocation).map(|_| ()),
        FioAction::ShowCommand => output::print(&fio::show_command(&invocation)),
        FioAction::Help => output::print(&help::help()),
        FioAction::Version => output::print(&format!("{}\n", sokudo_report::fio::FIO_VERSION)),
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
    if invocation.warnings {
        for sentence in &planned.session.notes {
            exit::note(sentence);
        }
    }
    Ok(planned)
}

fn measure(invocation: &FioInvocation, consent: &Consent) -> Result<(), Exit> {
    let planned = planned(invocation)?;
    let control = Control::new();
    interrupt::watch(&control)?;
    interrupt::watch_for_questions(&control)?;
    let printer = Printer::open(&planned.session)?;
    let finished = carry(&planned, invocation, consent, &control, printer)?;
    finished.end(Exit::InterruptedAsFio)
}

fn carry(
    planned: &FioPlan,
    invocation: &FioInvocation,
    consent: &Consent,
    control: &Control,
    printer: Printer,
) -> Result<FinishedJobs, Exit> {
    let places = places(planned);
    let jobs = Jobs {
        plan: &planned.plan,
        places: &places,
        consent,
        // With create_only files are made and nothing is run.
        trials: u32::from(!planned.create_only),
        schedule: ScheduleName::Fio,
        command: crate::command_line::as_given(),
        read_only: invocation.readonly,
        snapshot_every: planned.session.output.status_interval.map(Into::into),
        left_out: &planned.session.left_out,
    };
    let mut view = View::new(&planned.plan, &planned.session, &places, printer);
    let (finished, ending) = match watched(&jobs, control, &mut view) {
        Ok(done) => done,
        Err(refusal) => {
            view.refuses(&jobs.empty_run(), &refusal)?;
            return Err(refusal);
        }
    };
    let kept = match planned.create_only {
        true => KeptRuns::default(),
        false => keep::keep_at_door(|| by_section(finished.run.clone(), planned)),
    };
    // Nothing is said but where results cannot be printed.
    kept.print(true, || view.ends(&finished, &ending))?;
    Ok(finished)
}

/// Carries them out, while disks are watched as fio watches them.
fn watched(
    jobs: &Jobs<'_>,
    control: &Control,
    view: &mut View<'_>,
) -> Result<(FinishedJobs, Ending), Exit> {
    let mut prepared = jobs.prepare(control, &mut |event| view.see(&event))?;
    let disks = Disks::watch(prepared.targets());
    view.starts(&prepared.run);
    let mut listener = |event| view.see(&event);
    let (errors, elapsed) = jobs::repeat(&mut prepared, jobs, control, &mut listener);
    let ending = Ending {
        disks: disks.counted(),
        elapsed,
    };
    let finished = jobs::finish(prepared, errors, control)?;
    Ok((finished, ending))
}
