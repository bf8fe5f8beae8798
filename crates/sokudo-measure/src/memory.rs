//! Whether buffers fit into the memory that we are allowed: a control group kills who takes
//! more, and then nothing is said at all.

use sokudo_device::System;
use sokudo_model::Plan;

use crate::error::MeasureError;

/// Refuses a plan whose buffers alone are more than a control group allows.
pub(crate) fn check(plan: &Plan) -> Result<(), MeasureError> {
    let wanted = sokudo_engine::buffer_bytes(plan);
    match sokudo_device::memory_limit(&System::host()) {
        Some(limit) if wanted > limit.bytes => Err(MeasureError::Memory {
            wanted,
            limit: limit.bytes,
            file: limit.file,
        }),
        _ => Ok(()),
    }
}
