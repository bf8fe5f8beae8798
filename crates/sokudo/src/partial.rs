//! A run as far as it has come, kept while it goes on: power may fail, and a launcher may kill all
//! processes, this one too, at any moment.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use sokudo_engine::Control;
use sokudo_model::{Event, Outcome, Row, Run, Trial, TrialEvidence};
use sokudo_report::RunDocument;
use sokudo_store::RunId;

use crate::cli::Keeping;
use crate::exit;
use crate::keep;

/// Short runs are over before they are kept for the first time.
const EVERY: Duration = Duration::from_secs(10);

/// While I/O is measured: what is written then may go to the disk that is measured.
const EVERY_IN_TRIAL: Duration = Duration::from_secs(60);

/// Times that keeping takes, until it is kept again: of a long run there is much to write.
const REST: u32 = 50;

/// A run that is kept again and again.
pub(crate) struct PartialRun<'a> {
    run: Run,
    keeping: &'a Keeping,
    kept: Option<RunId>,
    /// The store could not take it once; that was told.
    is_refused: bool,
    /// Whether every trial is waited for by others, and kept at once.
    is_of_many: bool,
    /// When it was kept last, and how long that took.
    kept_at: Instant,
    took: Duration,
    /// The first row of the stage that is measured.
    first: usize,
    /// How far the trials have come that are being made, by row.
    running: BTreeMap<usize, Outcome>,
    has_asked: bool,
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
            kept_at: Instant::now(),
            took: Duration::ZERO,
            first: 0,
            running: BTreeMap::new(),
            has_asked: false,
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
        match event {
            Event::StageStarted { first, .. } => self.begin(*first),
            Event::TrialStarted { row, .. } => self.begin(*row),
            Event::Progress { .. } => self.look(control),
            Event::Snapshot { workload, outcome } => {
                let row = self.first + workload;
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
                of_row.trials.push((**trial).clone());
                self.running.remove(row);
                if self.is_of_many || self.is_time(EVERY) {
                    self.keep();
                }
            }
            Event::SelfTestEnded(test) => {
                if let Some(burn_in) = &mut self.run.burn_in {
                    burn_in.self_tests.push((**test).clone());
                    self.keep();
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, row: usize) {
        self.first = row;
        self.running.clear();
        self.has_asked = false;
    }

    /// Asks for what has not been counted yet, and keeps it when it has come.
    fn look(&mut self, control: &Control) {
        if self.is_of_many || !self.is_time(EVERY_IN_TRIAL) {
            return;
        }
        if !self.has_asked {
            control.ask_for_snapshot();
            self.has_asked = true;
        } else if !self.running.is_empty() {
            self.keep();
            self.running.clear();
            self.has_asked = false;
        }
    }

    fn is_time(&self, every: Duration) -> bool {
        self.kept_at.elapsed() >= every.max(self.took * REST)
    }

    fn keep(&mut self) {
        if self.is_refused {
            return;
        }
        let began_at = Instant::now();
        let mut run = self.run.clone();
        for (row, outcome) in &self.running {
            if let Some(row) = run.rows.get_mut(*row) {
                row.trials.push(Trial {
                    outcome: outcome.clone(),
                    evidence: TrialEvidence::default(),
                    together: None,
                });
            }
        }
        sokudo_analysis::judge(&mut run);
        let document = RunDocument::from_run(&run);
        match keep::keep_again(&run, &document, self.keeping, self.kept) {
            Ok(kept) => self.kept = kept,
            Err(error) => {
                self.is_refused = true;
                exit::note(error);
            }
        }
        self.kept_at = Instant::now();
        self.took = began_at.elapsed();
    }
}
