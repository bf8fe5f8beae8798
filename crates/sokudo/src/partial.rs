//! A run as far as it has come, kept while it goes on: power may fail, and a launcher may kill all
//! processes, this one too, at any moment.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use sokudo_engine::Control;
use sokudo_measure::since_epoch;
use sokudo_model::{Event, Outcome, Row, Run, RunPart, StopReason, Trial, TrialEvidence};
use sokudo_report::RunDocument;
use sokudo_store::RunId;
use sokudo_words::text;

use crate::cli::Keeping;
use crate::exit;
use crate::invocation;
use crate::keep;

/// Short runs are over before they are kept for the first time.
const EVERY: Duration = Duration::from_secs(10);

/// While I/O is measured: what is written then may go to the disk that is measured.
const EVERY_IN_TRIAL: Duration = Duration::from_secs(60);

/// A variable by which runs are kept so many times as often: tests do not wait for minutes.
const HASTE: &str = "SOKUDO_KEEP_HASTE";

/// Until all clones have told what they did so far.
const ANSWERED_AFTER: Duration = Duration::from_secs(1);

/// The position of a survey is known when what is in flight has come back: of a drive that tries bad
/// sectors again, after seconds. One that finds out why something failed has none, and is kept as it
/// was before.
const CHECKPOINTS_WITHIN: Duration = Duration::from_secs(30);

/// Times that keeping takes, until it is kept again: of a long run there is much to write.
const REST: u32 = 50;

/// A run that is kept again and again.
pub(crate) struct PartialRun<'a> {
    run: Run,
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
    /// The first row of the stage that is measured.
    first: usize,
    /// How far the trials have come that are being made, by row; of a survey, to a position from
    /// which another can go on, as soon as there is one.
    running: BTreeMap<usize, Outcome>,
    asked_at: Option<Instant>,
    /// The rows of which that has come since.
    answered: BTreeSet<usize>,
}

impl<'a> PartialRun<'a> {
    pub(crate) fn of(run: &Run, keeping: &'a Keeping) -> Self {
        Self {
            keeping,
            run: Run {
                interrupted: true,
                ..run.clone()
            },
            kept: None,
            is_refused: false,
            is_of_many: false,
            haste: haste().unwrap_or(1),
            kept_at: Instant::now(),
            took: Duration::ZERO,
            first: 0,
            running: BTreeMap::new(),
            asked_at: None,
            answered: BTreeSet::new(),
        }
    }

    /// Of a run of several processes, which any of them may end: kept after every trial. A process
    /// does not know how far the others have come in theirs.
    pub(crate) fn of_many(run: &Run, keeping: &'a Keeping) -> Self {
        Self {
            is_of_many: true,
            ..Self::of(run, keeping)
        }
    }

    /// Under which number it is kept.
    pub(crate) fn kept(&self) -> Option<RunId> {
        self.kept
    }

    pub(crate) fn hear(&mut self, event: &Event, control: &Control) {
        if self.takes_note(event, control) {
            self.keep();
        }
    }

    /// Takes note of what happened; whether what there is by now is to be kept.
    fn takes_note(&mut self, event: &Event, control: &Control) -> bool {
        match event {
            Event::StageStarted { first, .. } => self.begin(*first),
            Event::TrialStarted { row, .. } => {
                self.begin(*row);
                return self.overwrites(*row);
            }
            Event::Progress { .. } => return self.looks(control),
            Event::Snapshot { workload, outcome } => {
                let row = self.first + workload;
                let known = self.running.get(&row);
                let has_ended = outcome.stopped != StopReason::Ended;
                if has_ended || !self.is_survey(row) {
                    self.answered.insert(row);
                }
                if has_ended || known.is_none_or(|known| known.left_at.is_none()) {
                    self.running.insert(row, (**outcome).clone());
                }
            }
            Event::Checkpoint { workload, outcome } => {
                let row = self.first + workload;
                self.answered.insert(row);
                self.running.insert(row, (**outcome).clone());
            }
            Event::TrialCounted {
                row,
                workload,
                trial,
            } => {
                // Where what is measured next is decided meanwhile, there are more rows than planned.
                while self.run.rows.len() <= *row {
                    self.run.rows.push(Row::new((**workload).clone()));
                }
                let of_row = &mut self.run.rows[*row];
                of_row.workload.clone_from(workload);
                of_row.add((**trial).clone());
                self.running.remove(row);
                return self.is_of_many || self.is_time(EVERY);
            }
            Event::SelfTestEnded(test) => {
                if let Some(burn_in) = &mut self.run.burn_in {
                    burn_in.self_tests.push((**test).clone());
                    return true;
                }
            }
            _ => {}
        }
        false
    }

    /// Whether a stage writes over what an earlier one has written and read back. Who goes on with
    /// what was kept before that would read back what is there no more, and blame the disk.
    fn overwrites(&self, first: usize) -> bool {
        let is_sealed = |row: &Row| row.workload.survey.is_some_and(|it| it.sealed.is_some());
        let row = self.run.rows.get(first);
        let is_written = row.is_some_and(|row| row.workload.operations.changes_data());
        is_written && self.run.rows.iter().take(first).any(is_sealed)
    }

    fn begin(&mut self, row: usize) {
        self.first = row;
        self.running.clear();
        self.asked_at = None;
    }

    /// Asks for what has not been counted yet; whether it has come.
    fn looks(&mut self, control: &Control) -> bool {
        if self.is_of_many || !self.is_time(EVERY_IN_TRIAL) {
            return false;
        }
        match self.asked_at {
            None => {
                control.ask_for_snapshot();
                control.ask_for_checkpoint();
                self.asked_at = Some(Instant::now());
                self.answered.clear();
            }
            Some(at) if self.has_answers(at.elapsed()) => {
                self.asked_at = None;
                return true;
            }
            Some(_) => {}
        }
        false
    }

    /// Whether all that was asked for so long ago has come, or is waited for no longer.
    fn has_answers(&self, waited: Duration) -> bool {
        let mut running = self.running.keys();
        let is_all = running.all(|row| self.answered.contains(row));
        !self.running.is_empty()
            && waited >= ANSWERED_AFTER
            && (is_all || waited >= CHECKPOINTS_WITHIN)
    }

    /// Whether a row is one of which another can go on.
    fn is_survey(&self, row: usize) -> bool {
        let row = self.run.rows.get(row);
        row.is_some_and(|row| row.workload.survey.is_some_and(|it| !it.write_back))
    }

    fn is_time(&self, every: Duration) -> bool {
        self.kept_at.elapsed() >= every.max(self.took * REST) / self.haste
    }

    fn keep(&mut self) {
        let began_at = Instant::now();
        let mut run = self.so_far();
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
                if let Some(id) = self.kept.filter(|_| self.run.burn_in.is_some()) {
                    exit::note(text!(
                        "run {id} holds what there was before; after an interruption begin anew, without --resume"
                    ));
                }
            }
        }
        self.kept_at = Instant::now();
        self.took = began_at.elapsed();
    }

    /// What there is of it.
    fn so_far(&self) -> Run {
        let mut run = self.run.clone();
        for (row, outcome) in &self.running {
            if let Some(row) = run.rows.get_mut(*row) {
                add_running(row, outcome);
            }
        }
        if let Some(started_at) = run.started_at.filter(|_| run.plan.method.goes_on()) {
            run.parts.push(RunPart {
                started_at,
                ended_at: since_epoch(),
                kept_as: None,
            });
        }
        run
    }
}

fn haste() -> Option<u32> {
    let haste = invocation::variable(HASTE)?.parse().ok();
    haste.filter(|times| *times > 0)
}

/// Adds the trial that is being made to its row. What an earlier part of the run has left stays as it
/// is until this part has come to a position, too.
fn add_running(row: &mut Row, outcome: &Outcome) {
    let trial = Trial {
        outcome: outcome.clone(),
        evidence: TrialEvidence::default(),
        together: None,
    };
    let left = row.trials.last().filter(|_| row.is_left());
    match left.map(|left| left.clone().followed_by(&trial)) {
        None => row.trials.push(trial),
        Some(both) if outcome.left_at.is_some() => row.add(both),
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Location;
    use crate::resume::unfinished;
    use sokudo_dialect::burn_in::{BurnInRequest, DiskToBurnIn};
    use sokudo_measure::{Measurement, Named, OtherTarget, Permission, Prepared};
    use sokudo_model::{BackendKind, Bytes, Nanos, Schedule, SurveyPosition, Workload, narrow};
    use sokudo_stats::Random;

    fn outcome(bytes: u64, place: Option<u32>) -> Outcome {
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Ended);
        outcome.read_aside = Bytes(bytes);
        outcome.left_at = place.map(|place| SurveyPosition {
            place,
            offset: Bytes(0),
        });
        outcome
    }

    fn told(row: &Row) -> Vec<(u64, Option<u32>)> {
        let outcomes = row.trials.iter().map(|trial| &trial.outcome);
        let told = |it: &Outcome| (it.read_aside.0, it.left_at.map(|at| at.place));
        outcomes.map(told).collect()
    }

    /// A burn-in of simulated disks, which hold what was written to them for as long as this is
    /// there.
    fn burn_in(random: &mut Random) -> Prepared {
        let disks: Vec<(String, Bytes)> = (0..1 + random.below(3))
            .map(|disk| {
                let size = Bytes::mib(1 + random.below(48));
                let latency = 100 + random.below(2_000);
                let of = format!("sim:const?size=1GiB&latency={latency}us&serial={disk}");
                (of, size)
            })
            .collect();
        let to_burn_in = |(name, size): &(String, Bytes)| DiskToBurnIn {
            label: name.clone(),
            size: *size,
            block_min: Bytes(512),
        };
        let request = BurnInRequest {
            disks: disks.iter().map(to_burn_in).collect(),
            passes: 1 + narrow::<u64, u32>(random.below(4)),
            seal: random.next_u64(),
        };
        let other = |(name, _): &(String, Bytes)| OtherTarget {
            name: name.clone(),
            named: Named::recognise(name).unwrap(),
        };
        let first = Named::recognise(&disks[0].0).unwrap();
        let measurement = Measurement {
            others: disks[1..].iter().map(other).collect(),
            permission: Permission::OverwriteFile,
            schedule: Schedule::in_turn(1, Nanos(0)),
            ..Measurement::new(&disks[0].0, first, request.plan(7))
        };
        measurement.prepare(&Control::new(), &mut |_| ()).unwrap()
    }

    /// Measures what is left until so many events have come, and puts into `kept` what can have been
    /// kept by then: whatever must be, and more by chance. Whether it came to its end.
    fn is_done(
        prepared: &mut Prepared,
        kept: &mut Option<Vec<Row>>,
        until: u64,
        random: &mut Random,
    ) -> bool {
        let control = Control::new();
        let before = kept.clone().unwrap_or_default();
        let before: Vec<Row> = before.into_iter().map(unfinished).collect();
        prepared.before.clone_from(&before);
        let keeping = Keeping {
            store: None,
            no_store: true,
        };
        for (place, row) in prepared.run.rows.iter_mut().enumerate() {
            row.trials = before
                .get(place)
                .map_or_else(Vec::new, |it| it.trials.clone());
        }
        let mut partial = PartialRun::of(&prepared.run, &keeping);
        let mut events = 0;
        let ended = prepared.measure(&control, &mut |event| {
            events += 1;
            if events > until {
                return control.cancel();
            }
            if random.below(4) == 0 {
                control.ask_for_checkpoint();
                control.ask_for_snapshot();
            }
            let may_be = matches!(event, Event::Progress { .. } | Event::TrialCounted { .. });
            let must_be = partial.takes_note(&event, &control);
            if must_be || may_be && random.below(3) == 0 {
                *kept = Some(partial.so_far().rows);
            }
        });
        assert!(ended.unwrap().is_none());
        events <= until
    }

    #[test]
    fn a_burn_in_that_is_killed_at_any_moment_and_gone_on_with_accuses_no_disk() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut prepared = burn_in(&mut random);
            let (mut kept, mut kills) = (None, 0);
            while !is_done(
                &mut prepared,
                &mut kept,
                random.below(100) << kills,
                &mut random,
            ) {
                kills += 1;
            }
            for row in &prepared.run.rows {
                let outcome = &row.trials[0].outcome;
                let verified = outcome.verified.clone().unwrap_or_default();
                let told = (seed, kills, &row.workload.name, verified.mismatches.first());
                assert_eq!((verified.wrong, outcome.left_at), (0, None), "{told:?}");
            }
        }
    }

    #[test]
    fn a_store_that_could_not_take_it_is_asked_again() {
        let folder = tempfile::tempdir().unwrap();
        let in_the_way = folder.path().join("folder");
        std::fs::write(&in_the_way, "a file").unwrap();
        let keeping = Keeping {
            store: Some(Location::File(in_the_way.join("runs.db"))),
            no_store: false,
        };
        let prepared = burn_in(&mut Random::new(1));
        let mut partial = PartialRun::of(&prepared.run, &keeping);
        partial.keep();
        assert!(partial.is_refused && partial.kept().is_none());
        std::fs::remove_file(&in_the_way).unwrap();
        partial.keep();
        assert!(!partial.is_refused && partial.kept().is_some());
    }

    #[test]
    fn what_runs_is_added_to_what_was_left_once_it_can_be_gone_on_with() {
        let mut row = Row::new(Workload::new("w", Bytes(4096)));
        add_running(&mut row, &outcome(1, Some(7)));
        assert_eq!(told(&row), [(1, Some(7))]);
        add_running(&mut row, &outcome(2, None));
        assert_eq!(told(&row), [(1, Some(7))]);
        add_running(&mut row, &outcome(4, Some(9)));
        assert_eq!(told(&row), [(5, Some(9))]);
    }
}
