//! What else ends with a workload.

use sokudo_model::{EndsOthers, StopReason, Workload};

/// Whether what happened to a workload ends every workload of its stage.
pub(crate) fn ends_stage(workload: &Workload, stopped: StopReason) -> bool {
    workload.timing.ends_others == EndsOthers::Stage || ends_plan(workload, stopped)
}

/// Whether what happened to a workload ends the stages after its own as well.
pub fn ends_plan(workload: &Workload, stopped: StopReason) -> bool {
    match workload.timing.ends_others {
        EndsOthers::Never | EndsOthers::Stage => false,
        EndsOthers::OnError => stopped == StopReason::Failed,
        EndsOthers::Always => true,
    }
}
