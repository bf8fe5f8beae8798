//! A run as far as it has come. A launcher may kill all processes at any moment, this one too.

use sokudo_model::{Event, Row, Run};
use sokudo_report::RunDocument;
use sokudo_store::RunId;

use crate::cli::Keeping;
use crate::exit;
use crate::keep;

/// A run that is kept again after every trial.
pub(super) struct PartialRun<'a> {
    run: Run,
    keeping: &'a Keeping,
    kept: Option<RunId>,
    /// The store could not take it once; that was told.
    is_refused: bool,
}

impl<'a> PartialRun<'a> {
    pub(super) fn of(run: &Run, keeping: &'a Keeping) -> Self {
        Self {
            keeping,
            run: Run {
                interrupted: true,
                ..run.clone()
            },
            kept: None,
            is_refused: false,
        }
    }

    /// Under which number it is kept.
    pub(super) fn kept(&self) -> Option<RunId> {
        self.kept
    }

    pub(super) fn hear(&mut self, event: &Event) {
        let Event::TrialCounted {
            row,
            workload,
            trial,
        } = event
        else {
            return;
        };
        // Where what is measured next is decided meanwhile, there are more rows than planned.
        while self.run.rows.len() <= *row {
            self.run.rows.push(Row::new((**workload).clone()));
        }
        let of_row = &mut self.run.rows[*row];
        of_row.workload.clone_from(workload);
        of_row.trials.push((**trial).clone());
        if !self.is_refused {
            self.keep();
        }
    }

    fn keep(&mut self) {
        let mut run = self.run.clone();
        sokudo_analysis::judge(&mut run);
        let document = RunDocument::from_run(&run);
        match keep::keep_again(&run, &document, self.keeping, self.kept) {
            Ok(kept) => self.kept = kept,
            Err(error) => {
                self.is_refused = true;
                exit::note(error);
            }
        }
    }
}
