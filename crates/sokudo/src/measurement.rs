//! One measurement from its plan to the exit code, the same for every command that
//! measures: what is told meanwhile, what is kept and printed.
//!
//! It measures nothing itself; that does `sokudo-measure`.

use std::path::Path;

use sokudo_engine::{Control, Search, left_behind};
use sokudo_measure::{MeasureError, Measurement, Named, Prepared, StopWatch, duration};
use sokudo_model::{Event, Nanos, Outcome, Plan, Run, Schedule, StopReason, TargetKind};
use sokudo_report::RunDocument;
use sokudo_store::RunId;
use sokudo_words::{Text, text};

use crate::clean;
use crate::cli::{Asking, Printing, SharedArguments};
use crate::command_line;
use crate::exit::{self, Exit};
use crate::interrupt;
use crate::invocation;
use crate::keep;
use crate::page;
use crate::partial::PartialRun;
use crate::past::Past;
use crate::progress::ProgressLine;
use crate::requirement;
use crate::results;
use crate::telling::{self, Estimate};
use crate::words::{self, Audience};
use crate::writing;

/// Makes the trials of a measurement and puts them into its run. What ended them before
/// their time comes back where something was measured.
pub(crate) trait Conduct:
    FnOnce(&mut Prepared, &Control, &mut dyn FnMut(Event)) -> Result<Option<MeasureError>, MeasureError>
{
}

impl<F> Conduct for F where
    F: FnOnce(
        &mut Prepared,
        &Control,
        &mut dyn FnMut(Event),
    ) -> Result<Option<MeasureError>, MeasureError>
{
}

/// A measurement that has been made.
pub(crate) struct FinishedMeasurement {
    pub(crate) run: Run,
    pub(crate) document: RunDocument,
    /// What ended it before its time, or what it says of the target.
    pub(crate) ended_by: Option<Exit>,
    /// Under which number a part of it is kept.
    pub(crate) kept: Option<RunId>,
}

impl FinishedMeasurement {
    pub(crate) fn new(run: Run, ended_by: Option<Exit>) -> Self {
        Self {
            document: RunDocument::from_run(&run),
            ended_by: ended_by.or_else(|| verdict(&run).err()),
            run,
            kept: None,
        }
    }

    /// Calls the run as its command line does.
    pub(crate) fn call_as(&mut self, printing: &Printing) {
        self.run.label.clone_from(&printing.label);
        self.document.label.clone_from(&printing.label);
    }

    /// Tells those who follow the events that it is done, and prints it where these do not take the
    /// place of that.
    pub(crate) fn tell_or_print(
        &self,
        printing: &Printing,
        kept: Option<RunId>,
        print: impl FnOnce(&Self, Option<RunId>) -> Result<(), Exit>,
    ) -> Result<(), Exit> {
        if telling::wanted().is_some() {
            telling::done(&self.document, kept.map(|id| id.0));
        }
        match telling::replaces_result(&printing.rendering) {
            true => Ok(()),
            false => print(self, kept),
        }
    }

    /// Keeps, prints, and says by the exit code what came of it.
    pub(crate) fn conclude(self, printing: &Printing) -> Result<(), Exit> {
        self.conclude_by(printing, |it, kept| {
            results::write(&it.document, printing, kept)
        })
    }

    /// The same where it is printed in a way of the command's own.
    pub(crate) fn conclude_by(
        mut self,
        printing: &Printing,
        print: impl FnOnce(&Self, Option<RunId>) -> Result<(), Exit>,
    ) -> Result<(), Exit> {
        let (keeping, quiet) = (&printing.keeping, printing.asking.quiet);
        self.call_as(printing);
        let kept = keep::keep_whole(&self.run, &self.document, keeping, self.kept);
        if !kept.is_store_silent() {
            Past::of_kept(keeping).tell(&mut self.document);
        }
        let is_told =
            printing.names_the_rest() && invocation::is_output_terminal() && kept.is_last();
        let is_told = quiet || is_told;
        kept.print(is_told, || {
            self.tell_or_print(printing, kept.first(), print)
        })?;
        self.ended_by.map_or(Ok(()), Err)?;
        requirement::check(&self.run, printing)
    }
}

/// Measures what can be printed, and keeps it as far as it has come meanwhile. These lines are
/// asked, where a command asks its own: [`writing::ask`].
pub(crate) fn measured(
    measurement: Measurement<'_>,
    lines: Option<Vec<Text>>,
    printing: &Printing,
    conduct: impl Conduct,
) -> Result<FinishedMeasurement, Exit> {
    measurement.check_permission()?;
    results::check(printing)?;
    for (target, _) in measurement.targets() {
        results::check_apart(target.as_ref(), printing)?;
    }
    writing::ask(&measurement, lines, printing.asking)?;
    telling::open(printing)?;
    let control = Control::new();
    interrupt::watch(&control)?;
    let mut kept = None;
    let conduct = |prepared: &mut Prepared, control: &Control, listener: &mut dyn FnMut(Event)| {
        let mut partial = PartialRun::of(&prepared.run, &printing.keeping);
        let ended = conduct(prepared, control, &mut |event| {
            partial.hear(&event, control);
            listener(event);
        });
        kept = partial.kept();
        ended
    };
    let finished = finish(measurement, &control, printing.asking.quiet, conduct)?;
    Ok(FinishedMeasurement { kept, ..finished })
}

/// Asks, measures and judges, and prints nothing but its progress.
pub(crate) fn asked(
    measurement: Measurement<'_>,
    control: &Control,
    asking: Asking,
    conduct: impl Conduct,
) -> Result<FinishedMeasurement, Exit> {
    writing::ask(&measurement, None, asking)?;
    finish(measurement, control, asking.quiet, conduct)
}

/// Measures and judges, and prints nothing but its progress.
fn finish(
    measurement: Measurement<'_>,
    control: &Control,
    quiet: bool,
    conduct: impl Conduct,
) -> Result<FinishedMeasurement, Exit> {
    let (measurement, mut progress) = announced(measurement, control, quiet)?;
    let measured = prepare(measurement, control, &mut progress, quiet)
        .and_then(|prepared| carry_out(prepared, control, &mut progress, conduct));
    progress.finish();
    measured
}

/// What is told before anything is made.
///
/// # Errors
/// When nothing but that was asked for.
pub(crate) fn announced<'a>(
    measurement: Measurement<'a>,
    control: &Control,
    quiet: bool,
) -> Result<(Measurement<'a>, ProgressLine), Exit> {
    let measurement = Measurement {
        files_as: page::files_as(),
        ..measurement
    };
    measurement.check_permission()?;
    if !quiet {
        tell_left_behind(&measurement);
    }
    let Measurement { plan, schedule, .. } = &measurement;
    let size = measurement.size();
    telling::announce(plan, schedule, &Estimate::of(&measurement));
    let progress = ProgressLine::new(plan, schedule, size, quiet, control);
    if telling::is_plan() {
        return Err(Exit::AsReported(0));
    }
    Ok((measurement, progress))
}

/// Makes the trials of what is ready, and judges them.
pub(crate) fn carry_out(
    mut prepared: Prepared,
    control: &Control,
    progress: &mut ProgressLine,
    conduct: impl Conduct,
) -> Result<FinishedMeasurement, Exit> {
    progress.prepared(&prepared);
    let mut watch = StopWatch::new(&prepared.run.schedule.stop_when, &prepared.run)?;
    let mut listener = |event| {
        watch.hear(&event, control);
        progress.show(&event);
    };
    let ended_by = conduct(&mut prepared, control, &mut listener)?;
    prepared.run.stopped_by = watch.cause();
    let run = judged(prepared, control);
    control.forget_rule();
    Ok(FinishedMeasurement::new(run, ended_by.map(Exit::from)))
}

/// Makes it ready, and tells what is to be known before it begins. A refusal is one line:
/// nothing is told before.
pub(crate) fn prepare(
    measurement: Measurement<'_>,
    control: &Control,
    progress: &mut ProgressLine,
    quiet: bool,
) -> Result<Prepared, Exit> {
    let spread = spread_note(&measurement);
    let prepared = measurement.prepare(control, &mut |event| progress.show(&event))?;
    if !quiet {
        progress.aside(|| prepared.notes.iter().chain(&spread).for_each(exit::note));
    }
    Ok(prepared)
}

/// How long it takes to spread rounds over a time, and that most of it is idle.
fn spread_note(measurement: &Measurement<'_>) -> Option<Text> {
    let Measurement { plan, schedule, .. } = measurement;
    let over = schedule.spread_over?;
    if measurement.named.kind() == TargetKind::Simulated {
        return None;
    }
    let at_once = Schedule {
        spread_over: None,
        ..schedule.clone()
    };
    let needed = duration(plan, &at_once, measurement.size());
    let (rounds, over, needed) = (schedule.trials, minutes(over), minutes(needed));
    Some(match needed < over {
        true => text!(
            "{rounds} rounds are spread over {over:.1} minutes, of which {needed:.1} are measured and the others idle; Ctrl-C ends with what there is"
        ),
        false => text!(
            "{rounds} rounds take {needed:.1} minutes, so that none of the {over:.1} to spread them over is idle; name a longer time"
        ),
    })
}

fn minutes(time: Nanos) -> f64 {
    time.as_secs_f64() / 60.0
}

/// What was measured, judged in the words of whoever has typed the command or written the jobs.
pub(crate) fn judged(prepared: Prepared, control: &Control) -> Run {
    let mut run = prepared.finish(control);
    let reader = Audience::of(&run);
    words::put_into(&mut run, reader);
    run
}

/// Test files of killed runs that lie where ours will.
pub(crate) fn tell_left_behind(measurement: &Measurement<'_>) {
    let directories = measurement.targets();
    let directories = directories.filter(|(_, named)| named.kind() == TargetKind::Directory);
    for directory in directories.filter_map(|(_, named)| named.path()) {
        let directory = Path::new(directory);
        for file in left_behind(directory, Search::Named) {
            exit::note(text!(
                "a killed run has left {} ({}); {} removes it",
                file.path.display(),
                file.size,
                clean::command(directory, file.doubt.is_some())
            ));
        }
    }
}

/// What is measured with the leave that was given. The command line that repeats it is as it was
/// given, with the seed that was used if none was asked for.
pub(crate) fn new<'a>(
    shared: &SharedArguments,
    target: &'a str,
    named: Named,
    plan: Plan,
) -> Measurement<'a> {
    let given = command_line::as_given();
    Measurement {
        permission: shared.permission(),
        command: match shared.seed {
            Some(_) => given,
            None => format!("{given} --seed {}", plan.seed),
        },
        ..Measurement::new(target, named, plan)
    }
}

/// Whether a trial failed. A disk of which a part cannot be read has failed the job of being
/// read, as badblocks users expect, though the survey went on.
pub(crate) fn has_failed(outcome: &Outcome) -> bool {
    let verified = outcome.verified.as_ref();
    let is_wrong = verified.is_some_and(|check| check.wrong > 0);
    outcome.stopped == StopReason::Failed || !outcome.defects.is_empty() || is_wrong
}

/// What the result means for the exit code.
pub(crate) fn verdict(run: &Run) -> Result<(), Exit> {
    if run.interrupted {
        return Err(Exit::Interrupted);
    }
    let mut outcomes = run
        .rows
        .iter()
        .flat_map(|row| &row.trials)
        .map(|trial| &trial.outcome);
    match outcomes.any(has_failed) {
        true => Err(Exit::FailedAsReported),
        false if run.stopped_by.is_some() => Err(Exit::StoppedByRule),
        false => Ok(()),
    }
}
