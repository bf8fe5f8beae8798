//! What a clone did, of what its worker counted, and what all clones of a workload did.

use sokudo_model::{BackendUse, CpuTime, Nanos, Outcome, ThreadUsage};

use crate::worker::Finished;

/// What is known of a clone besides what its worker counted.
pub(crate) struct Circumstances {
    /// When the stage started, on the worker's clock.
    pub(crate) stage_started_at: u64,
    pub(crate) cpu: Option<CpuTime>,
    pub(crate) usage: Option<ThreadUsage>,
    pub(crate) backend: BackendUse,
    pub(crate) direct: bool,
}

/// What one clone did.
#[expect(clippy::cast_precision_loss, reason = "a mean depth is a float")]
pub(crate) fn outcome(finished: Finished, circumstances: Circumstances) -> Outcome {
    let Finished {
        tally,
        recorded,
        verified,
        stopped,
    } = finished;
    let elapsed_ns = tally.last_completed_at - tally.started_at;
    let depth_achieved = if elapsed_ns == 0 {
        0.0
    } else {
        tally.depth_time as f64 / elapsed_ns as f64
    };
    let started_after = tally
        .started_at
        .saturating_sub(circumstances.stage_started_at);
    Outcome {
        started_after: Nanos(started_after),
        elapsed: Nanos(elapsed_ns),
        in_ramp: tally.in_ramp,
        operations: tally.operations,
        submission: (!tally.submission.is_empty()).then_some(tally.submission),
        series: tally.series,
        cpu: circumstances.cpu,
        usage: circumstances.usage,
        depths: recorded.depths,
        logs: recorded.logs,
        verified,
        depth_achieved,
        direct: circumstances.direct,
        failures: tally.failures,
        ..Outcome::new(circumstances.backend, stopped)
    }
}

/// All clones of a workload together.
pub(crate) fn merged(clones: impl IntoIterator<Item = Outcome>) -> Option<Outcome> {
    clones.into_iter().reduce(|mut all, one| {
        all.merge(&one);
        all
    })
}
