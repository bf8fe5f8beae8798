//! Carries out one stage: checks it, runs it, gathers what happened.

use sokudo_model::{Event, Outcome, Stage};

use crate::check::check;
use crate::control::Control;
use crate::stage_error::StageError;
use crate::stage_options::StageOptions;
use crate::target::Target;
use crate::target_use::uses;
use crate::{capacity, simulation, threads};

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
    let mut used = stage.workloads.iter().flat_map(uses);
    // The check has seen to it that all workloads use the same simulated target.
    if let Some(first) = used.next()
        && let Some(Target::Simulated(simulated)) = targets.get_mut(first.target as usize)
    {
        return Ok(simulation::run(
            stage, options, simulated, control, listener,
        ));
    }
    threads::run(stage, options, targets, control, listener)
}
