//! Short trials of two variants of a row by turns. They are no trials of the row, and count for
//! none of its figures.

use sokudo_engine::Control;
use sokudo_model::{Limits, Nanos, Outcome, Plan, Stage, Workload};

use crate::campaign;
use crate::error::MeasureError;
use crate::subject::PreparedTargets;

/// Pairs of trials at most: where all of them point in one direction, that is chance once in 16 rows.
pub(crate) const PAIRS: u32 = 5;

/// Trials by turns have chance of their own, and those of a row are at most 10,000.
const FIRST_TRIAL: u32 = 1 << 20;

/// How a workload is varied.
pub(crate) type Variant<'a> = &'a dyn Fn(&mut Workload);

/// What is tried, and how long each trial lasts.
pub(crate) struct AlternatingTrials<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) row: usize,
    pub(crate) variants: [Variant<'a>; 2],
    pub(crate) time: Nanos,
    /// How long it runs before that.
    pub(crate) ramp: Nanos,
}

impl AlternatingTrials<'_> {
    /// A trial of each variant, of which neither is always the first; `None` where one failed, or
    /// it was interrupted.
    pub(crate) fn pair(
        &self,
        pair: u32,
        subject: &mut PreparedTargets,
        control: &Control,
    ) -> Result<Option<[Outcome; 2]>, MeasureError> {
        let mut one = |variant: Variant<'_>, number: u32| {
            let plan = self.shortened(variant);
            let trial = FIRST_TRIAL + 2 * pair + number;
            campaign::trial(&plan, 0, trial, subject, control, &mut |_| ())
                .map(|trial| trial.outcome)
        };
        let [first, second] = self.variants;
        let outcomes = match pair % 2 {
            0 => [one(first, 0)?, one(second, 1)?],
            _ => {
                let second = one(second, 0)?;
                [one(first, 1)?, second]
            }
        };
        let has_failed = |outcome: &Outcome| !outcome.failures.is_empty();
        let is_whole = !control.is_cancelled() && !outcomes.iter().any(has_failed);
        Ok(is_whole.then_some(outcomes))
    }

    fn shortened(&self, variant: Variant<'_>) -> Plan {
        let mut workloads = self.plan.stages[self.row].workloads.clone();
        for workload in &mut workloads {
            workload.timing.ramp = self.ramp;
            workload.limits = Limits {
                time: Some(self.time),
                ..workload.limits
            };
            variant(workload);
        }
        Plan {
            stages: vec![Stage { workloads }],
            ..self.plan.clone()
        }
    }
}

/// What a trial moved, in whole bytes per second.
#[expect(clippy::cast_possible_truncation, reason = "whole bytes per second")]
pub(crate) fn bytes_per_second(outcome: &Outcome) -> u64 {
    let bytes = outcome.operations.iter().map(|tally| tally.bytes.0);
    let per_second = bytes.sum::<u64>() as f64 / outcome.elapsed.as_secs_f64().max(1e-9);
    per_second as u64
}
