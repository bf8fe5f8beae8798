//! Carries out one stage: checks it, runs it, gathers what happened.

use std::io;
use std::time::{Duration, Instant};

use sokudo_model::{
    BackendUse, CpuTime, EndsOthers, Event, FileUse, Nanos, Outcome, Stage, StopReason,
    ThreadUsage, Workload,
};

use crate::backend::OpenError;
use crate::check::{CheckError, check};
use crate::control::Control;
use crate::durable::MakeDurable;
use crate::offsets::Stretch;
use crate::target::{Target, TargetError};
use crate::worker::Finished;
use crate::{capacity, rewriting, simulation, survey, threads};

/// How a stage is run.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageOptions {
    /// Where the stage's chance starts from; clones get streams of their own.
    pub seed: u64,
    /// The instant at which all workloads start, for example one agreed with other
    /// hosts; `None` is as soon as all are ready.
    pub start_at: Option<Instant>,
    /// How often each workload tells what it did so far ([`Event::Snapshot`]); `None`
    /// is never.
    pub snapshot_every: Option<Duration>,
    /// What is made durable after the measured part, to see when it is
    /// ([`Outcome::durable_after`]).
    pub make_durable: MakeDurable,
    /// Clones of the stages before, where numbers of clones go on from: they are in
    /// the headers of blocks that are checked, and in names of saved states.
    pub clones_before: u32,
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
    #[error(
        "a thread could not be started: {source}; use fewer threads, or raise the limit of processes (ulimit -u)"
    )]
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

/// Runs all workloads of a stage together on their targets and returns what each
/// did, one outcome per workload, in their order.
///
/// A workload with a survey visits its places and does not end with an I/O that fails
/// there: what cannot be read is in its outcome's `defects`, and it ends as complete. It
/// fails when the device is gone, when a write-back fails, or when the system refuses
/// what was asked.
///
/// A workload uses the first target, or those that its `files` name. A failing I/O
/// ends its workload and is in its outcome; the others go on, unless the workload
/// ends them. A stage that `control` stops returns what was measured so far.
///
/// # Errors
/// When the stage could not start; nothing has been read or written then.
pub fn run_stage(
    stage: &Stage,
    options: StageOptions,
    targets: &mut [Target],
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Vec<Outcome>, StageError> {
    check(stage, targets)?;
    if let ([workload], [target, ..]) = (&stage.workloads[..], &mut *targets)
        && workload.checks_capacity
    {
        let outcome = capacity::run(workload, options.seed, target, control, listener)?;
        return Ok(vec![outcome]);
    }
    let survey = survey::survey_of(stage).map(|(_, survey)| survey);
    let mut used = stage.workloads.iter().flat_map(uses);
    // The check has seen to it that all workloads use the same simulated target.
    if let Some(first) = used.next()
        && let Some(Target::Simulated(simulated)) = targets.get_mut(first.target as usize)
    {
        return Ok(match survey {
            Some(survey) => vec![survey::run_simulated(
                stage, survey, options, simulated, control, listener,
            )],
            None => simulation::run(stage, options, simulated, control, listener),
        });
    }
    if let Some(survey) = survey {
        return survey::run(stage, survey, options, targets, control, listener);
    }
    if let [workload] = &stage.workloads[..]
        && workload.rewritten_percent > 0
        && let [file_use] = &uses(workload)[..]
        && let Some(target) = targets.get(file_use.target as usize)
        && let Target::File(file) = target
    {
        let stretch = stretch_of(file_use, target);
        return rewriting::run(workload, options, file, stretch, control, listener);
    }
    threads::run(stage, options, targets, control, listener)
}

/// Whether what happened to a workload ends every workload of its stage.
pub(crate) fn ends_stage(workload: &Workload, stopped: StopReason) -> bool {
    workload.ends_others == EndsOthers::Stage || ends_plan(workload, stopped)
}

/// Whether what happened to a workload ends the stages after its own as well.
pub fn ends_plan(workload: &Workload, stopped: StopReason) -> bool {
    match workload.ends_others {
        EndsOthers::Never | EndsOthers::Stage => false,
        EndsOthers::OnError => stopped == StopReason::Failed,
        EndsOthers::Always => true,
    }
}

/// The targets that a workload uses, each with its part: those it names, or the
/// first one.
pub(crate) fn uses(workload: &Workload) -> Vec<FileUse> {
    if workload.files.uses.is_empty() {
        vec![FileUse {
            target: 0,
            span: workload.span,
        }]
    } else {
        workload.files.uses.clone()
    }
}

/// The part of its target that a use names.
pub(crate) fn stretch_of(file_use: &FileUse, target: &Target) -> Stretch {
    match file_use.span {
        Some(span) => Stretch {
            start: span.offset.0,
            length: span.length.0,
        },
        None => Stretch {
            start: 0,
            length: target.size().0,
        },
    }
}

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
