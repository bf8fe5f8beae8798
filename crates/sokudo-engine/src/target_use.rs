//! Which targets a workload uses, which part of each, and whether it changes them.

use sokudo_model::{Bytes, FileUse, Workload};

use crate::offsets::ByteRange;
use crate::target::Target;

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

/// The part of its target, which is of this size, that a use names.
pub(crate) fn stretch_of(file_use: &FileUse, size: Bytes) -> ByteRange {
    match file_use.span {
        Some(span) => ByteRange {
            start: span.offset.0,
            length: span.length.0,
        },
        None => ByteRange {
            start: 0,
            length: size.0,
        },
    }
}

/// The parts of its targets that a workload uses. It has been checked.
pub(crate) fn stretches(workload: &Workload, targets: &[Target]) -> Vec<ByteRange> {
    uses(workload)
        .iter()
        .filter_map(|file_use| {
            let target = targets.get(file_use.target as usize)?;
            Some(stretch_of(file_use, target.size()))
        })
        .collect()
}

/// Whether a workload changes its targets: one that only checks does not.
pub(crate) fn writes(workload: &Workload) -> bool {
    let only_checks = workload.write_check().is_some_and(|check| check.only);
    workload.operations.changes_data() && !only_checks
}
