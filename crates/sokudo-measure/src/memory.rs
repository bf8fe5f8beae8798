//! Whether buffers fit into the memory that we are allowed: a control group kills who takes
//! more, and then nothing is said at all.

use sokudo_device::System;
use sokudo_model::Plan;
use sokudo_words::text;

use crate::error::MeasureError;

/// Refuses a plan whose buffers alone are more than a control group allows.
pub(crate) fn check(plan: &Plan) -> Result<(), MeasureError> {
    let wanted = sokudo_engine::buffer_bytes(plan);
    match sokudo_device::memory_limit(&System::host()) {
        Some(limit) if wanted > limit.bytes => Err(MeasureError::system(text!(
            "buffers would take {wanted}, and the control group allows {limit} ({}); use a smaller depth, block or number of threads, or raise the limit",
            limit.file.display(),
            limit = limit.bytes
        ))),
        _ => Ok(()),
    }
}
