//! Sizes and times that arguments give, held against what there is.

use sokudo_device::System;
use sokudo_measure::Named;
use sokudo_model::{Bytes, Nanos, TargetKind};
use sokudo_words::text;

use crate::exit::Exit;

/// The share of the memory that the buffers of a row may take; the engine refuses
/// more than half.
const MEMORY_DIVISOR: u64 = 4;

/// A trial of no time measures nothing.
pub(crate) fn check_time(time: Nanos) -> Result<(), Exit> {
    match time {
        Nanos(0) => Err(Exit::usage(text!(
            "--time is 0; use a longer time, such as 1s"
        ))),
        _ => Ok(()),
    }
}

/// Of a target whose size is known no more can be used than it has.
pub(crate) fn check_size(asked: Bytes, known: Option<Bytes>, target: &str) -> Result<(), Exit> {
    match known.filter(|known| asked > *known) {
        Some(known) => Err(Exit::usage(text!(
            "--size is {asked}, but {target} has only {known}; use less, or leave it out"
        ))),
        None => Ok(()),
    }
}

/// A target that is there holds something.
pub(crate) fn check_not_empty(known: Option<Bytes>, target: &str) -> Result<(), Exit> {
    match known {
        Some(Bytes(0)) => Err(Exit::usage(text!(
            "{target} is empty, so there is nothing to read; name a file with data in it, or a directory"
        ))),
        _ => Ok(()),
    }
}

/// What the buffers of a row may take. Simulated devices move no data; elsewhere the memory
/// is the limit.
pub(crate) fn buffer_bytes_max(named: &Named) -> Option<Bytes> {
    if named.kind() == TargetKind::Simulated {
        return None;
    }
    let memory = sokudo_device::environment(&System::host()).memory_bytes?;
    Some(Bytes(memory.0 / MEMORY_DIVISOR))
}
