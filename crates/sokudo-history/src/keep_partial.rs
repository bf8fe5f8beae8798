//! A run as far as it has come, kept while it goes on: power may fail, and a launcher may kill all
//! processes, this one too, at any moment.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use sokudo_engine::Control;
use sokudo_measure::since_epoch;
use sokudo_model::{Event, MethodTrait, Row, Run, RunPart, RunState, StopReason, Trial};
use sokudo_report::RunDocument;
use sokudo_store::RunId;
use sokudo_terminal::arguments::store::Keeping;
use sokudo_terminal::{exit, invocation};
use sokudo_words::text;

use crate::keep;

/// Short runs are over before they are kept for the first time.
const EVERY: Duration = Duration::from_secs(10);

/// While I/O is measured: what is written then may go to the disk that is measured.
const EVERY_IN_TRIAL: Duration = Duration::from_secs(60);

/// A variable by which runs are kept so many times as often: tests do not wait for minutes.
const HASTE: &str = "SOKUDO_KEEP_HASTE";

/// Until all threads have told what they did so far.
const ANSWERED_AFTER: Duration = Duration::from_secs(1);

/// The position of a survey is known when what is in flight has come back: of a drive that tries bad
/// sectors again, after seconds. One that finds out why something failed has none, and is kept as it
/// was before.
const CHECKPOINTS_WITHIN: Duration = Duration::from_secs(30);

/// Times that keeping takes, until it is kept again: of a long run there is much to write.
const REST: u32 = 50;

/// A run that is kept again and again.
pub struct PartialRun<'a> {
    keeping: &'a Keeping,
    kept: Option<RunId>,
    /// The store could not take it the last time; that was told.
    is_refused: bool,
    /// Whether every trial is waited for by others, and kept at once.
    is_of_many: bool,
    haste: u32,
    /// When it was kept last, and how long that took.
    kept_at: Instant,
    took: Duration,
    /// When it was asked how far the trials have come that are being made.
    requested_at: Option<Instant>,
    /// The rows of which that has come since.
    answered: BTreeSet<usize>,
}

impl<'a> PartialRun<'a> {
    /// One of several processes, which any of them may end, is kept after every trial: a process
    /// does not know how far the others have come in theirs.
    pub fn new(keeping: &'a Keeping, is_of_many: bool) -> Self {
        Self {
            keeping,
            kept: None,
            is_refused: false,
            is_of_many,
            haste: haste().unwrap_or(1),
            kept_at: Instant::now(),
            took: Duration::ZERO,
            requested_at: None,
            answered: BTreeSet::new(),
        }
    }

    /// Under which number it is kept.
    pub fn kept(&self) -> Option<RunId> {
        self.kept
    }

    pub fn hear(&mut self, event: &Event, state: &RunState, control: &Control) {
        if self.takes_note(event, state, control) {
            self.keep(state);
        }
    }

    /// Takes note of what happened; whether what there is by now is to be kept.
    pub fn takes_note(&mut self, event: &Event, state: &RunState, control: &Control) -> bool {
        match event {
            Event::StageStarted { .. } => self.requested_at = None,
            Event::TrialStarted { row, .. } => {
                self.requested_at = None;
                return overwrites(&state.run.rows, *row);
            }
            Event::Progress { .. } => return self.looks(state, control),
            Event::Snapshot { workload, outcome } => {
                let row = state.first + workload;
                if outcome.stopped != StopReason::Ended || !is_survey(&state.run.rows, row) {
                    self.answered.insert(row);
                }
            }
            Event::Checkpoint { workload, .. } => {
                self.answered.insert(state.first + workload);
            }
            Event::TrialCounted { .. } => return self.is_of_many || self.is_time(EVERY),
            Event::SelfTestEnded(_) => return state.run.burn_in.is_some(),
            _ => {}
        }
        false
    }

    /// Asks for what has not been counted yet; whether it has come.
    fn looks(&mut self, state: &RunState, control: &Control) -> bool {
        if self.is_of_many || !self.is_time(EVERY_IN_TRIAL) {
            return false;
        }
        match self.requested_at {
            None => {
                control.ask_for_snapshot();
                control.ask_for_checkpoint();
                self.requested_at = Some(Instant::now());
                self.answered.clear();
            }
            Some(at) if self.has_answers(state, at.elapsed()) => {
                self.requested_at = None;
                return true;
            }
            Some(_) => {}
        }
        false
    }

    /// Whether all that was asked for so long ago has come, or is waited for no longer.
    fn has_answers(&self, state: &RunState, waited: Duration) -> bool {
        let mut running = state.unfinished.keys();
        let is_all = running.all(|row| self.answered.contains(row));
        !state.unfinished.is_empty()
            && waited >= ANSWERED_AFTER
            && (is_all || waited >= CHECKPOINTS_WITHIN)
    }

    fn is_time(&self, every: Duration) -> bool {
        self.kept_at.elapsed() >= every.max(self.took * REST) / self.haste
    }

    fn keep(&mut self, state: &RunState) {
        let began_at = Instant::now();
        let mut run = so_far(state);
        sokudo_analysis::judge(&mut run);
        let document = RunDocument::from_run(&run);
        match keep::keep_again(&run, &document, self.keeping, self.kept) {
            Ok(kept) => {
                if let Some(id) = kept.filter(|_| self.is_refused) {
                    exit::note(text!("this run is kept again, as run {id}"));
                }
                self.kept = kept;
                self.is_refused = false;
            }
            // A store that was busy for a while is asked again at the next turn.
            Err(_) if self.is_refused => {}
            Err(error) => {
                self.is_refused = true;
                exit::note(error);
                if let Some(id) = self.kept.filter(|_| state.run.burn_in.is_some()) {
                    exit::note(text!(
                        "run {id} holds only what was measured before; after an interruption start again, without --resume"
                    ));
                }
            }
        }
        self.kept_at = Instant::now();
        self.took = began_at.elapsed();
    }
}

/// What there is of it.
pub fn so_far(state: &RunState) -> Run {
    let mut run = state.run.clone();
    run.interrupted = true;
    for (row, trial) in state.unfinished_trials() {
        if let Some(row) = run.rows.get_mut(row) {
            add_running(row, trial);
        }
    }
    if let Some(started_at) = run
        .started_at
        .filter(|_| run.plan.method.is(MethodTrait::Resumes))
    {
        run.parts.push(RunPart {
            started_at,
            ended_at: since_epoch(),
            kept_as: None,
        });
    }
    run
}

/// Whether a stage writes over what an earlier one has written and read back. Who goes on with
/// what was kept before that would read back what is there no more, and blame the disk.
fn overwrites(rows: &[Row], first: usize) -> bool {
    let is_sealed = |row: &Row| row.workload.seal().is_some();
    let row = rows.get(first);
    let is_written = row.is_some_and(|row| row.workload.operations.changes_data());
    is_written && rows.iter().take(first).any(is_sealed)
}

/// Whether a row is one of which another can go on.
fn is_survey(rows: &[Row], row: usize) -> bool {
    let row = rows.get(row);
    row.is_some_and(|row| row.workload.survey().is_some_and(|it| !it.write_back))
}

fn haste() -> Option<u32> {
    let haste = invocation::variable(HASTE)?.parse().ok();
    haste.filter(|times| *times > 0)
}

/// Adds the trial that is being made to its row. What an earlier part of the run has left stays as it
/// is until this part has come to a position, too.
fn add_running(row: &mut Row, trial: Trial) {
    let left = row.trials.last().filter(|_| row.is_left());
    match left.map(|left| left.clone().followed_by(&trial)) {
        None => row.trials.push(trial),
        Some(both) if trial.outcome.left_at.is_some() => row.add(both),
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_measure::{Measurement, Named};
    use sokudo_model::{BackendKind, Bytes, Method, Outcome, Plan, SurveyPosition, Workload};
    use sokudo_terminal::arguments::store::Location;

    fn outcome(bytes: u64, index: Option<u32>) -> Outcome {
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Ended);
        outcome.read_aside = Bytes(bytes);
        outcome.left_at = index.map(|index| SurveyPosition {
            index,
            offset: Bytes(0),
        });
        outcome
    }

    fn resume_points(row: &Row) -> Vec<(u64, Option<u32>)> {
        let outcomes = row.trials.iter().map(|trial| &trial.outcome);
        let resume_point = |it: &Outcome| (it.read_aside.0, it.left_at.map(|at| at.index));
        outcomes.map(resume_point).collect()
    }

    #[test]
    fn a_store_that_could_not_take_it_is_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        let in_the_way = folder.path().join("folder");
        std::fs::write(&in_the_way, "a file").unwrap();
        let keeping = Keeping {
            store: Some(Location::File(in_the_way.join("runs.db"))),
        };
        let named = Named::recognise("sim:const").unwrap();
        let plan = Plan::in_turn(
            Method::from("test"),
            7,
            vec![Workload::new("w", Bytes(4096))],
        );
        let measurement = Measurement::new("sim:const", named, plan);
        let prepared = measurement.prepare(&Control::new(), &mut |_| ()).unwrap();
        let state = RunState::of(&prepared.run);
        let mut partial = PartialRun::new(&keeping, false);
        partial.keep(&state);
        assert!(partial.is_refused && partial.kept().is_none());
        std::fs::remove_file(&in_the_way).unwrap();
        partial.keep(&state);
        assert!(!partial.is_refused && partial.kept().is_some());
    }

    #[test]
    fn what_runs_is_added_to_what_was_left_once_it_can_be_gone_on_with() {
        let mut row = Row::new(Workload::new("w", Bytes(4096)));
        add_running(&mut row, Trial::new(outcome(1, Some(7))));
        assert_eq!(resume_points(&row), [(1, Some(7))]);
        add_running(&mut row, Trial::new(outcome(2, None)));
        assert_eq!(resume_points(&row), [(1, Some(7))]);
        add_running(&mut row, Trial::new(outcome(4, Some(9))));
        assert_eq!(resume_points(&row), [(5, Some(9))]);
    }
}
