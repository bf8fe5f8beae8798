//! What a thread did, of what its worker counted, and what all threads of a workload did.

use sokudo_model::{BackendUse, Bytes, CpuTime, Nanos, Outcome, ThreadUsage};

use crate::survey::Surveyed;
use crate::worker::FinishedWorker;

/// What is known of a thread besides what its worker counted.
pub(crate) struct ThreadConditions {
    /// When the stage started, on the worker's clock.
    pub(crate) stage_started_at: u64,
    pub(crate) cpu: Option<CpuTime>,
    pub(crate) usage: Option<ThreadUsage>,
    pub(crate) backend: BackendUse,
    pub(crate) direct: bool,
}

/// What one thread did.
pub(crate) fn outcome(finished: FinishedWorker, conditions: ThreadConditions) -> Outcome {
    let FinishedWorker {
        tally,
        window,
        recorded,
        verified,
        surveyed,
        stopped,
    } = finished;
    let elapsed_ns = tally.last_completed_at - tally.started_at;
    let depth_achieved = if elapsed_ns == 0 {
        0.0
    } else {
        tally.depth_time as f64 / elapsed_ns as f64
    };
    let started_after = tally.started_at.saturating_sub(conditions.stage_started_at);
    let mut outcome = Outcome {
        started_after: Nanos(started_after),
        elapsed: Nanos(elapsed_ns),
        in_ramp: tally.in_ramp,
        window,
        operations: tally.operations,
        submission: (!tally.submission.is_empty()).then_some(tally.submission),
        series: tally.series,
        cpu: conditions.cpu,
        usage: conditions.usage,
        depths: recorded.depths,
        logs: recorded.logs,
        verified,
        depth_achieved,
        direct: conditions.direct,
        failures: tally.failures,
        ..Outcome::new(conditions.backend, stopped)
    };
    if let Some(surveyed) = surveyed {
        add_survey(&mut outcome, surveyed);
    }
    outcome
}

fn add_survey(outcome: &mut Outcome, surveyed: Surveyed) {
    outcome.samples = surveyed.samples;
    outcome.defects = surveyed.defects;
    outcome.read_aside = Bytes(surveyed.read_aside);
    outcome.slowest = surveyed.slowest;
    outcome.left_at = surveyed.left_at;
    outcome.read_beside = surveyed.read_beside;
    outcome.verified = surveyed.verified;
    outcome.backend.notes.extend(surveyed.notes);
    // The rest of what the thread has used is for what was not measured.
    if let Some((cpu, usage)) = surveyed.used {
        (outcome.cpu, outcome.usage) = (Some(cpu), Some(usage));
    }
}

/// All threads of a workload together.
pub(crate) fn merged(outcomes: impl IntoIterator<Item = Outcome>) -> Option<Outcome> {
    outcomes.into_iter().reduce(|mut all, one| {
        all.merge(&one);
        all
    })
}
