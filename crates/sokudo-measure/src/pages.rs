//! What the size of pages does to a row's figure: short trials in small pages and in huge ones,
//! by turns, where a block has more small pages than a device takes pieces at once.
//!
//! They are no trials of the row, and count for none of its figures.

use sokudo_device::{System, segments_max};
use sokudo_engine::Control;
use sokudo_model::{
    BufferMemory, Limits, Method, Nanos, PagesCompared, Plan, Row, Trial, Workload,
};

use crate::campaign;
use crate::error::MeasureError;
use crate::subject::PreparedTargets;

/// Pages of ordinary memory.
const PAGE_BYTES: u64 = 4096;

/// Pairs of trials: where all of them point in one direction, that is chance once in 16 rows.
const PAIRS: u32 = 5;

/// A row's check takes a second in all, and moves what the row moves in that time.
const TIME: Nanos = Nanos::from_millis(100);

/// Trials of the check have chance of their own, and those of a row are at most 10,000.
const FIRST_TRIAL: u32 = 1 << 20;

/// Tries both where it matters. What goes wrong is left to the row itself, which has been
/// measured.
pub(crate) fn compare(
    plan: &Plan,
    rows: &mut [Row],
    subject: &mut PreparedTargets,
    control: &Control,
) {
    let is_mark = matches!(plan.method, Method::Mark(_));
    let Some(most) = segments_max(&System::host(), subject.info()).filter(|_| is_mark) else {
        return;
    };
    for (index, row) in rows.iter_mut().enumerate() {
        if is_cut(row, most) {
            row.pages = pairs(plan, index, subject, control).ok().flatten();
        }
    }
}

/// Whether small pages make the row's blocks more pieces than fit into a request.
fn is_cut(row: &Row, most: u64) -> bool {
    let pieces = row.workload.blocks.largest().0.div_ceil(PAGE_BYTES);
    let is_direct = row.trials.iter().all(|trial| trial.outcome.direct);
    // At a rate both would be as fast as that.
    pieces > most && is_direct && row.workload.rate.is_none() && !row.trials.is_empty()
}

/// The row's rates by turns; `None` where there are no huge pages, or it was interrupted.
fn pairs(
    plan: &Plan,
    row: usize,
    subject: &mut PreparedTargets,
    control: &Control,
) -> Result<Option<PagesCompared>, MeasureError> {
    let mut compared = PagesCompared::default();
    for pair in 0..PAIRS {
        let mut one = |memory: BufferMemory, number: u32| {
            let plan = shortened(plan, row, memory);
            let trial = FIRST_TRIAL + 2 * pair + number;
            campaign::trial(&plan, row, trial, subject, control, &mut |_| ())
        };
        // Neither is always the first.
        let (small, huge) = match pair % 2 {
            0 => (
                one(BufferMemory::SmallPages, 0)?,
                one(BufferMemory::HugePages, 1)?,
            ),
            _ => {
                let huge = one(BufferMemory::HugePages, 0)?;
                (one(BufferMemory::SmallPages, 1)?, huge)
            }
        };
        if control.is_cancelled() {
            return Ok(None);
        }
        let has_failed = |trial: &Trial| !trial.outcome.failures.is_empty();
        if has_failed(&small) || has_failed(&huge) {
            return Ok(None);
        }
        compared.small.push(bytes_per_second(&small));
        compared.huge.push(bytes_per_second(&huge));
    }
    Ok(Some(compared))
}

fn shortened(plan: &Plan, row: usize, memory: BufferMemory) -> Plan {
    let mut plan = plan.clone();
    for workload in &mut plan.stages[row].workloads {
        *workload = Workload {
            memory,
            ramp: Nanos(0),
            limits: Limits {
                time: Some(TIME),
                ..workload.limits
            },
            ..workload.clone()
        };
    }
    plan
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate in whole bytes per second"
)]
fn bytes_per_second(trial: &Trial) -> u64 {
    let outcome = &trial.outcome;
    let bytes = outcome.operations.iter().map(|tally| tally.bytes.0);
    let per_second = bytes.sum::<u64>() as f64 / outcome.elapsed.as_secs_f64().max(1e-9);
    per_second as u64
}
