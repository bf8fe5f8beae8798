//! One measurement from its plan to the exit code, the same for every command that
//! measures: what is told meanwhile, what is kept and printed.
//!
//! It measures nothing itself; that does `sokudo-measure`.

use std::path::Path;

use sokudo_engine::{Control, Search, left_behind};
use sokudo_history::keep;
use sokudo_history::keep_partial::PartialRun;
use sokudo_history::past_runs::Past;
use sokudo_measure::{
    FinishedRun, Follower, MeasureError, Measurement, Named, Prepared, Together, duration,
};
use sokudo_model::{
    Bytes, Event, Nanos, Outcome, Plan, Run, RunState, Schedule, StopReason, TargetKind,
};
use sokudo_report::{AnswerDocument, RunDocument};
use sokudo_store::RunId;
use sokudo_terminal::arguments::printing::{Asking, Format, Printing};
use sokudo_terminal::arguments::store::Keeping;
use sokudo_terminal::event_stream::{self, Estimate};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::progress::ProgressLine;
use sokudo_terminal::{command_line, interrupt, invocation, invoker, print, remedies};
use sokudo_words::{Text, text};

use crate::arguments::SharedArguments;
use crate::{consent, requirement};

/// Makes the trials of a measurement and puts them into its run. What ended them before
/// their time comes back where something was measured.
pub trait Conduct:
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
pub struct FinishedMeasurement {
    pub run: Run,
    pub document: RunDocument,
    /// What ended it before its time, or what it says of the target.
    pub ended_by: Option<Exit>,
    /// Under which number a part of it is kept.
    pub kept: Option<RunId>,
}

impl FinishedMeasurement {
    pub fn of(FinishedRun { run, errors }: FinishedRun) -> Self {
        let run = remedies::worded(run);
        let ended_by = errors.into_iter().next().map(Exit::from);
        Self {
            document: RunDocument::from_run(&run),
            ended_by: ended_by.or_else(|| verdict(&run).err()),
            run,
            kept: None,
        }
    }

    /// Calls the run as its command line does.
    pub fn call_as(&mut self, printing: &Printing) {
        self.run.label.clone_from(&printing.label);
        self.document.label.clone_from(&printing.label);
    }

    /// Tells those who follow the events that it is done, and prints it where these do not take the
    /// place of that.
    pub fn tell_or_print(
        &self,
        printing: &Printing,
        kept: Option<RunId>,
        print: impl FnOnce(&Self, Option<RunId>) -> Result<(), Exit>,
    ) -> Result<(), Exit> {
        if event_stream::wanted().is_some() {
            event_stream::done(&self.document, kept.map(|id| id.0));
        }
        match event_stream::replaces_result(&printing.rendering) {
            true => Ok(()),
            false => print(self, kept),
        }
    }

    /// Keeps, prints, and says by the exit code what came of it.
    pub fn conclude(self, printing: &Printing) -> Result<(), Exit> {
        self.conclude_by(printing, |it, kept| {
            print::write(&it.document, printing, kept)
        })
    }

    /// The same of disks that are judged, and told on.
    pub fn conclude_judged(
        mut self,
        shared: &SharedArguments,
        judged: impl FnOnce(&RunDocument) -> Result<(), Exit>,
    ) -> Result<(), Exit> {
        let (kept, ended) = self.end(&shared.printing, |it, kept| {
            print::write(&it.document, &shared.printing, kept)
        });
        let ended = ended.and_then(|()| judged(&self.document));
        if !self.document.interrupted {
            let code = ended.as_ref().err().map_or(0, Exit::code);
            let answer = AnswerDocument::of(&self.document, kept.map(|id| id.0), code);
            shared.notifying.tell(|| answer.to_json());
        }
        match shared.printing.rendering.form() {
            Format::Nagios => {
                // Its line has no room for it, and its codes are its own.
                if let Err(exit) = &ended {
                    exit.tell();
                }
                // Nagios calls it UNKNOWN where something went wrong, whatever could be looked at.
                let failed = ended.is_err_and(|exit| exit.message().is_some());
                let code = match self.document.to_nagios().1 {
                    0 | 1 if failed => 3,
                    code => code,
                };
                Err(Exit::AsReported(code))
            }
            _ => ended,
        }
    }

    /// The same where it is printed in a way of the command's own.
    pub fn conclude_by(
        mut self,
        printing: &Printing,
        print: impl FnOnce(&Self, Option<RunId>) -> Result<(), Exit>,
    ) -> Result<(), Exit> {
        self.end(printing, print).1
    }

    /// Under which number it is kept, and how it ended.
    fn end(
        &mut self,
        printing: &Printing,
        print: impl FnOnce(&Self, Option<RunId>) -> Result<(), Exit>,
    ) -> (Option<RunId>, Result<(), Exit>) {
        let (keeping, quiet) = (&printing.keeping, printing.asking.quiet);
        self.call_as(printing);
        let kept = keep::keep_whole(&self.run, &self.document, keeping, self.kept);
        if !kept.is_store_silent() {
            Past::of_kept(keeping).tell(&mut self.document);
        }
        let is_reported =
            printing.names_the_rest() && invocation::is_output_terminal() && kept.is_last();
        let is_reported = quiet || is_reported;
        let ended_by = self.ended_by.take();
        let printed = kept.print(is_reported, || {
            self.tell_or_print(printing, kept.first(), print)
        });
        let ended = printed.and_then(|()| ended_by.map_or(Ok(()), Err));
        let ended = ended.and_then(|()| requirement::check(&self.run, printing));
        (kept.first(), ended)
    }
}

/// Measures what can be printed, and keeps it as far as it has come meanwhile. These lines are
/// asked, where a command asks its own: [`consent::ask`].
pub fn measured(
    measurement: Measurement<'_>,
    lines: Option<Vec<Text>>,
    shared: &SharedArguments,
    conduct: impl Conduct,
) -> Result<FinishedMeasurement, Exit> {
    let printing = &shared.printing;
    measurement.check_permission()?;
    print::check(printing)?;
    for (target, _) in measurement.targets() {
        print::check_apart(target.as_ref(), printing)?;
    }
    let asks = lines.as_ref().is_some_and(|it| !it.is_empty());
    consent::ask(&measurement, lines, printing.asking)?;
    event_stream::open(printing)?;
    let control = shared.control();
    interrupt::watch(&control)?;
    let following = Following {
        keeping: Some(&printing.keeping),
        asks,
        ..Following::new(&control, printing.asking.quiet)
    };
    following.rows(measurement, alone, conduct)
}

/// Asks, measures and judges, and prints nothing but its progress.
pub fn ask_and_measure(
    measurement: Measurement<'_>,
    control: &Control,
    asking: Asking,
    conduct: impl Conduct,
) -> Result<FinishedMeasurement, Exit> {
    consent::ask(&measurement, None, asking)?;
    Following::new(control, asking.quiet).rows(measurement, alone, conduct)
}

/// What is ready, and with whom it is measured.
pub type Joined = (Prepared, Option<Together>);

/// Nobody measures with this process.
pub fn alone(ready: Result<Prepared, Exit>) -> Result<Joined, Exit> {
    Ok((ready?, None))
}

/// How a session is followed.
#[derive(Clone, Copy)]
pub struct Following<'a> {
    pub control: &'a Control,
    pub quiet: bool,
    /// The command asks before it begins, however little is written.
    pub asks: bool,
    /// By what it is kept while it goes on, if at all.
    pub keeping: Option<&'a Keeping>,
    /// Several processes measure, any of which may end the run.
    pub is_of_many: bool,
}

impl<'a> Following<'a> {
    pub const fn new(control: &'a Control, quiet: bool) -> Self {
        Self {
            control,
            quiet,
            asks: false,
            keeping: None,
            is_of_many: false,
        }
    }

    /// Measures rows and judges them, and prints nothing but the progress. Those who measure as one
    /// meet in `join` once their targets are ready.
    pub fn rows(
        self,
        measurement: Measurement<'_>,
        join: impl FnOnce(Result<Prepared, Exit>) -> Result<Joined, Exit>,
        conduct: impl Conduct,
    ) -> Result<FinishedMeasurement, Exit> {
        let mut measurement = Measurement {
            files_as: invoker::files_as(),
            ..measurement
        };
        measurement.check_permission()?;
        if !self.quiet {
            tell_left_behind(&measurement);
        }
        measurement.notes.extend(spread_note(&measurement));
        let (plan, schedule) = (&measurement.plan, &event_stream::carried_out(&measurement));
        let estimate = Estimate {
            asks: self.asks,
            ..Estimate::of(&measurement)
        };
        let mut watcher = self.announce(plan, schedule, &measurement.sizes(), &estimate)?;
        let ready = watcher.prepare(|listener| measurement.prepare(self.control, listener));
        let (finished, kept) = watcher.measure(join(ready)?, conduct)?;
        Ok(FinishedMeasurement {
            kept,
            ..FinishedMeasurement::of(finished)
        })
    }

    /// Tells what will be done.
    ///
    /// # Errors
    /// When nothing but that was asked for.
    pub fn announce(
        self,
        plan: &Plan,
        schedule: &Schedule,
        sizes: &[Bytes],
        estimate: &Estimate,
    ) -> Result<Watcher<'a>, Exit> {
        event_stream::announce(plan, schedule, estimate);
        let watcher = Watcher::new(self, plan, schedule, sizes);
        match event_stream::is_plan() {
            true => Err(Exit::AsReported(0)),
            false => Ok(watcher),
        }
    }
}

/// Shows and tells what happens, and keeps the run as far as it has come.
pub struct Watcher<'a> {
    following: Following<'a>,
    progress: ProgressLine,
    partial: Option<PartialRun<'a>>,
    /// Of what is planned; what is measured has a state of its own.
    planned: RunState,
}

impl<'a> Watcher<'a> {
    pub fn new(
        following: Following<'a>,
        plan: &Plan,
        schedule: &Schedule,
        sizes: &[Bytes],
    ) -> Self {
        let Following { quiet, control, .. } = following;
        let mut progress = ProgressLine::new(plan, schedule, sizes, quiet, control);
        if following.is_of_many {
            progress.tell_in_lines(quiet);
        }
        Self {
            following,
            progress,
            partial: None,
            planned: RunState::planned(plan, schedule),
        }
    }

    /// Measures what is ready, and judges it; with the number under which a part of it is kept.
    pub fn measure<E: IntoIterator<Item = MeasureError>>(
        mut self,
        (prepared, together): Joined,
        conduct: impl FnOnce(&mut Prepared, &Control, &mut dyn FnMut(Event)) -> Result<E, MeasureError>,
    ) -> Result<(FinishedRun, Option<RunId>), Exit> {
        let control = self.following.control;
        let finished = prepared.carry_out(together, control, &mut self, conduct)?;
        Ok((finished, self.kept()))
    }

    /// Tells what happens while nothing is measured, or by who keeps a schedule of their own.
    pub fn tell(&mut self, event: &Event) {
        self.planned.take(event);
        self.progress.show(event, &self.planned);
    }

    fn kept(&self) -> Option<RunId> {
        self.partial.as_ref()?.kept()
    }

    /// Makes it ready, and tells what is to be known before it begins. A refusal is one line: nothing
    /// is told before.
    pub fn prepare(
        &mut self,
        prepare: impl FnOnce(&mut dyn FnMut(Event)) -> Result<Prepared, MeasureError>,
    ) -> Result<Prepared, Exit> {
        let prepared = prepare(&mut |event| self.tell(&event))?;
        if !self.following.quiet {
            let tell = || prepared.notes.iter().for_each(exit::note);
            self.progress.aside(tell);
        }
        Ok(prepared)
    }
}

impl Follower for Watcher<'_> {
    fn see(&mut self, event: &Event, state: &RunState) {
        if let Some(partial) = &mut self.partial {
            partial.hear(event, state, self.following.control);
        }
        self.progress.show(event, state);
    }

    fn ready(&mut self, prepared: &Prepared) {
        self.progress.prepared(prepared);
        let Following {
            keeping,
            is_of_many,
            ..
        } = self.following;
        self.partial = keeping.map(|keeping| PartialRun::new(keeping, is_of_many));
    }

    fn measured(&mut self) {
        let Following {
            control,
            is_of_many,
            ..
        } = self.following;
        // At once: a launcher may kill all before the table is printed.
        if let Some(RunId(number)) = self.kept().filter(|_| is_of_many && control.is_cancelled()) {
            exit::note(text!(
                "what was measured until then is kept: sokudo show {number}"
            ));
        }
    }
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
    let needed = duration(plan, &at_once, &measurement.sizes());
    let (rounds, over, needed) = (schedule.trials, minutes(over), minutes(needed));
    Some(match needed < over {
        true => text!(
            "{rounds} rounds are spread over {over:.1} minutes, of which {needed:.1} are measured and the others idle; Ctrl-C stops and keeps what was measured"
        ),
        false => text!(
            "{rounds} rounds take {needed:.1} minutes, so that none of the {over:.1} to spread them over is idle; name a longer time"
        ),
    })
}

fn minutes(time: Nanos) -> f64 {
    time.as_secs_f64() / 60.0
}

/// Test files of killed runs that lie where ours will.
pub fn tell_left_behind(measurement: &Measurement<'_>) {
    let directories = measurement.targets();
    let directories = directories.filter(|(_, named)| named.kind() == TargetKind::Directory);
    for directory in directories.filter_map(|(_, named)| named.path()) {
        let directory = Path::new(directory);
        for file in left_behind(directory, Search::Named) {
            exit::note(text!(
                "a killed run has left {} ({}); {} removes it",
                file.path.display(),
                file.size,
                command_line::cleaning(directory, file.doubt.is_some())
            ));
        }
    }
}

/// What is measured with the leave that was given. The command line that repeats it is as it was
/// given, with the seed that was used if none was asked for.
pub fn new<'a>(
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
pub fn has_failed(outcome: &Outcome) -> bool {
    let verified = outcome.verified.as_ref();
    let is_wrong = verified.is_some_and(|check| check.wrong > 0);
    outcome.stopped == StopReason::Failed || !outcome.defects.is_empty() || is_wrong
}

/// What the result means for the exit code.
pub fn verdict(run: &Run) -> Result<(), Exit> {
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
