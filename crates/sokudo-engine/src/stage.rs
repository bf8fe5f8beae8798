//! Carries out one stage: checks it, runs it, gathers what happened.

use std::io;
use std::time::Instant;

use sokudo_model::{
    BackendUse, Bytes, CpuTime, Event, Nanos, Outcome, Stage, StopReason, Workload,
};

use crate::backend::OpenError;
use crate::check::{CheckError, check};
use crate::control::Control;
use crate::offsets::Stretch;
use crate::tally::FinishedTally;
use crate::target::{Target, TargetError};
use crate::{simulation, threads};

/// How a stage is run.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageOptions {
    /// Where the stage's chance starts from; clones get streams of their own.
    pub seed: u64,
    /// The instant at which all workloads start, for example one agreed with other
    /// hosts; `None` is as soon as all are ready.
    pub start_at: Option<Instant>,
}

/// Why a stage did not run.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// The stage asks for something impossible.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The target cannot be opened as asked.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// There is no backend.
    #[error(transparent)]
    Backend(#[from] OpenError),
    /// No thread could be started.
    #[error("a thread could not be started: {source}; use fewer threads")]
    Thread {
        /// What the system said.
        source: io::Error,
    },
    /// A thread could not be bound to a processor.
    #[error(
        "a thread cannot be bound to processor {cpu}: {source}; name a processor that exists and is allowed"
    )]
    Cpu {
        /// Which.
        cpu: u32,
        /// What the system said.
        source: io::Error,
    },
}

/// Runs all workloads of a stage together on a target and returns what each did.
///
/// A failing I/O ends its workload and is in its outcome; the others go on. A
/// stage that `control` stops returns what was measured so far.
///
/// # Errors
/// When the stage could not start; nothing has been read or written then.
pub fn run_stage(
    stage: &Stage,
    options: StageOptions,
    target: &mut Target,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Vec<Outcome>, StageError> {
    check(stage, target)?;
    match target {
        Target::Simulated(simulated) => Ok(simulation::run(
            stage,
            options.seed,
            simulated,
            control,
            listener,
        )),
        _ => threads::run(stage, options, target, control, listener),
    }
}

/// Why a workload ended whose clones ended for different reasons: what happened to
/// one of them happened to the workload.
pub(crate) fn graver(one: StopReason, other: StopReason) -> StopReason {
    let gravity = |reason: StopReason| match reason {
        StopReason::Time | StopReason::Bytes => 0,
        StopReason::Ended => 1,
        StopReason::Cancelled => 2,
        StopReason::Failed => 3,
    };
    if gravity(other) > gravity(one) {
        other
    } else {
        one
    }
}

/// The part of the target that a workload uses. The workload has been checked.
pub(crate) fn stretch_of(workload: &Workload, size: Bytes) -> Stretch {
    match workload.span {
        Some(span) => Stretch {
            start: span.offset.0,
            length: span.length.0,
        },
        None => Stretch {
            start: 0,
            length: size.0,
        },
    }
}

/// What a workload did, from the counts of all its clones.
#[expect(clippy::cast_precision_loss, reason = "a mean depth is a float")]
pub(crate) fn outcome(
    tally: FinishedTally,
    stopped: StopReason,
    cpu: Option<CpuTime>,
    backend: BackendUse,
    direct: bool,
) -> Outcome {
    let elapsed_ns = tally.last_completed_at - tally.started_at;
    let depth_achieved = if elapsed_ns == 0 {
        0.0
    } else {
        tally.depth_time as f64 / elapsed_ns as f64
    };
    Outcome {
        elapsed: Nanos(elapsed_ns),
        operations: tally.operations,
        submission: (!tally.submission.is_empty()).then_some(tally.submission),
        series: tally.series,
        cpu,
        depth_achieved,
        direct,
        failures: tally.failures,
        ..Outcome::new(backend, stopped)
    }
}
