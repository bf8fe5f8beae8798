//! Carries out one stage: checks it, runs it, gathers what happened.

use std::collections::{BTreeMap, BTreeSet};

use sokudo_model::{Event, Outcome, Stage};

use crate::check::check;
use crate::control::Control;
use crate::stage_error::StageError;
use crate::stage_options::StageOptions;
use crate::target::{SimulatedTarget, Target};
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
    if let [workload] = &stage.workloads[..]
        && workload.checks_capacity()
        && let [part] = uses(workload)[..]
        && let Some(target) = targets.get_mut(part.target as usize)
    {
        let outcome = capacity::run(workload, options.seed, target, control, listener)?;
        return Ok(vec![outcome]);
    }
    // The check has seen to it that all of a stage's targets are simulated, or none.
    let simulated = simulated_of(stage, targets);
    if !simulated.is_empty() {
        return Ok(simulation::run(
            stage, options, simulated, control, listener,
        ));
    }
    threads::run(stage, options, targets, control, listener)
}

/// The simulated targets that a stage uses, by their places.
fn simulated_of<'a>(
    stage: &Stage,
    targets: &'a mut [Target],
) -> BTreeMap<u32, &'a mut SimulatedTarget> {
    let used: BTreeSet<u32> = (stage.workloads.iter().flat_map(uses))
        .map(|it| it.target)
        .collect();
    let simulated = (0..)
        .zip(targets)
        .filter_map(|(target_index, target)| match target {
            Target::Simulated(simulated) if used.contains(&target_index) => {
                Some((target_index, simulated))
            }
            _ => None,
        });
    simulated.collect()
}
