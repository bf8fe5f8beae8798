//! Whether a workload can be carried out on a target, before anything is touched.

use sokudo_model::{Bytes, Order, Rate, SequentialOffset, Stage, Workload};

use crate::stage::stretch_of;
use crate::target::{Target, TargetError};
use crate::worker::{BLOCK_BYTES_MAX, chunks_for};

/// io_uring refuses more than 32,768 entries, and one is the ring's timer.
pub(crate) const DEPTH_MAX: u32 = 32_767;

/// More threads than any benchmark is known to use; a bound so that a slip of the
/// finger does not take the machine down.
pub(crate) const CLONES_MAX: u32 = 4_096;

/// Buffers may take this share of the memory: one half.
const MEMORY_DIVISOR: u64 = 2;

/// Why a workload is impossible.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// A number is out of its range.
    #[error("{name}: {what} is {value}; use {range}")]
    Range {
        /// The workload.
        name: String,
        /// Which number.
        what: &'static str,
        /// What it is.
        value: u64,
        /// What it may be.
        range: String,
    },
    /// The span is not inside the target or holds no block.
    #[error(
        "{name}: {length} at offset {offset} do not fit the target's {size} in blocks of {block}; use a smaller block or a larger target"
    )]
    Span {
        /// The workload.
        name: String,
        /// First byte of the span.
        offset: Bytes,
        /// Length of the span.
        length: Bytes,
        /// Size of the target.
        size: Bytes,
        /// The largest block.
        block: Bytes,
    },
    /// A shared offset or a random map with several block sizes.
    #[error("{name}: {what} needs one block size; name one, or leave it out")]
    OneBlock {
        /// The workload.
        name: String,
        /// What needs it.
        what: &'static str,
    },
    /// Buffers would take too much of the memory.
    #[error(
        "threads × depth × block need {needed} of buffers, more than half of the memory; use less of one of them"
    )]
    Memory {
        /// All buffers together.
        needed: Bytes,
    },
    /// Writing without a permit.
    #[error(transparent)]
    Target(#[from] TargetError),
}

/// Checks all workloads of a stage.
pub(crate) fn check(stage: &Stage, target: &Target) -> Result<(), CheckError> {
    for workload in &stage.workloads {
        check_ranges(workload)?;
        check_span(workload, target.size())?;
        check_order(workload)?;
        check_permit(workload, target)?;
    }
    match target {
        // Simulated devices move no data, so that there are no buffers.
        Target::Simulated(_) => Ok(()),
        _ => check_memory(stage),
    }
}

fn check_permit(workload: &Workload, target: &Target) -> Result<(), CheckError> {
    match target {
        Target::File(file) if workload.operations.changes_data() && !file.is_writable() => {
            Err(TargetError::ReadOnly(file.path().to_owned()).into())
        }
        _ => Ok(()),
    }
}

fn check_ranges(workload: &Workload) -> Result<(), CheckError> {
    let in_range = |what, value: u64, min: u64, max: u64| {
        if (min..=max).contains(&value) {
            return Ok(());
        }
        let range = format!("{min} to {max}");
        Err(CheckError::Range {
            name: workload.name.clone(),
            what,
            value,
            range,
        })
    };
    in_range(
        "the number of threads",
        workload.clones.into(),
        1,
        CLONES_MAX.into(),
    )?;
    in_range("the depth", workload.depth.into(), 1, DEPTH_MAX.into())?;
    in_range(
        "the block size",
        workload.blocks.smallest().0,
        1,
        BLOCK_BYTES_MAX,
    )?;
    in_range(
        "the block size",
        workload.blocks.largest().0,
        1,
        BLOCK_BYTES_MAX,
    )?;
    if let Some(Rate::Iops(rate) | Rate::BytesPerSecond(rate)) = workload.rate {
        in_range("the rate", rate, 1, u64::MAX)?;
    }
    if let Some(think) = workload.think {
        let what = "the number of I/Os before a pause";
        in_range(what, think.after_ios.into(), 1, u32::MAX.into())?;
    }
    // After no write at all there would be nothing but flushes for ever.
    let durability = &workload.durability;
    let flushes = [durability.fsync_every, durability.fdatasync_every];
    for writes in flushes.into_iter().flatten() {
        let what = "the number of writes before a flush";
        in_range(what, writes.into(), 1, u32::MAX.into())?;
    }
    Ok(())
}

fn check_span(workload: &Workload, size: Bytes) -> Result<(), CheckError> {
    let stretch = stretch_of(workload, size);
    let block = workload.blocks.largest();
    let ends_at = stretch.start.checked_add(stretch.length);
    let fits = ends_at.is_some_and(|end| end <= size.0) && stretch.length >= block.0;
    if fits {
        return Ok(());
    }
    let (offset, length) = (Bytes(stretch.start), Bytes(stretch.length));
    Err(CheckError::Span {
        name: workload.name.clone(),
        offset,
        length,
        size,
        block,
    })
}

fn check_order(workload: &Workload) -> Result<(), CheckError> {
    let what = match workload.order {
        Order::Sequential {
            offset: SequentialOffset::Interlocked,
        } => "a shared offset",
        Order::Random { map: true } => "a random map",
        _ => return Ok(()),
    };
    match workload.blocks.single() {
        Some(_) => Ok(()),
        None => Err(CheckError::OneBlock {
            name: workload.name.clone(),
            what,
        }),
    }
}

/// Buffers of all workloads of the stage together.
fn check_memory(stage: &Stage) -> Result<(), CheckError> {
    let of_workload = |workload: &Workload| {
        let chunks = chunks_for(workload, workload.depth);
        u128::from(workload.clones) * u128::from(chunks) * u128::from(workload.blocks.largest().0)
    };
    let needed: u128 = stage.workloads.iter().map(of_workload).sum();
    let info = rustix::system::sysinfo();
    let memory = info.totalram as u128 * u128::from(info.mem_unit);
    if needed <= memory / u128::from(MEMORY_DIVISOR) {
        return Ok(());
    }
    Err(CheckError::Memory {
        needed: Bytes(u64::try_from(needed).unwrap_or(u64::MAX)),
    })
}
