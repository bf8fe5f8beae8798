//! Whether workloads can be carried out on their targets, before anything is touched.

use sokudo_model::{
    BackendKind, BlockSizes, Bytes, CapacityCheck, DirectMode, FileUse, Operation, Order, Rate,
    SequentialOffset, Stage, SteadyRule, Work, Workload, narrow,
};
use sokudo_words::{Text, text};

use crate::buffers::buffers_for;
use crate::pattern::BLOCK_BYTES_MAX;
use crate::survey::{SurveyError, check_survey};
use crate::target::{Target, TargetError, direct_unit};
use crate::target_use::{stretch_of, uses, writes};
use crate::verify::{VerifyError, check_verify};

/// io_uring refuses more than 32,768 entries, and one is the ring's timer.
pub(crate) const DEPTH_MAX: u32 = 32_767;

/// A simulated device that is written as a whole keeps in memory what each of its blocks
/// holds: some 70 bytes of 4 KiB, so that this takes 1 GiB.
const WHOLE_MODEL_BYTES_MAX: Bytes = Bytes::gib(64);

/// Buffers may take this share of the memory: one half.
const MEMORY_DIVISOR: u64 = 2;

/// Why a stage is impossible.
#[derive(Debug, sokudo_words::Error)]
pub enum CheckError {
    /// One of its workloads is.
    #[error("{name}: {why}")]
    Workload {
        /// Name of the workload, as its plan gives it.
        name: String,
        /// What is in the way.
        why: WorkloadError,
    },
    /// Buffers and maps would take too much of the memory.
    #[error(
        "threads × depth × block need {needed} of buffers and maps, more than half of the memory; use less of one of them"
    )]
    Memory {
        /// Bytes that the buffers and maps of all threads need together.
        needed: Bytes,
    },
    /// Writing without a permit.
    #[error(transparent)]
    Target(#[from] TargetError),
}

/// Why a workload is impossible.
#[derive(Debug, sokudo_words::Error)]
pub enum WorkloadError {
    /// A number is out of its range.
    #[error("{what} is {value}; use {range}", what = Text::from(*what))]
    Range {
        /// Name of the number, as the message calls it: `the depth`.
        what: &'static str,
        /// Value that the plan asks for.
        value: u64,
        /// What it may be.
        range: Text,
    },
    /// The span is not inside the target or holds no block.
    #[error(
        "{length} at offset {offset} do not fit the target's {size} in blocks of {block}; use a smaller block or a larger target"
    )]
    Span {
        /// First byte of the span.
        offset: Bytes,
        /// Length of the span.
        length: Bytes,
        /// Size of the target.
        size: Bytes,
        /// Largest block size of the workload.
        block: Bytes,
    },
    /// Blocks that direct I/O cannot move.
    #[error(
        "blocks of {block} on a device of {}-byte sectors: direct I/O moves whole sectors; use multiples of {sector}, or the page cache",
        sector.0
    )]
    Sectors {
        /// A block that is no multiple.
        block: Bytes,
        /// The unit of the device, or of the file system on it.
        sector: Bytes,
    },
    /// A target that is not there.
    #[error("target {target} does not exist; there are {count}")]
    NoTarget {
        /// Index that the plan names, counted from 0.
        target: u32,
        /// How many there are.
        count: usize,
    },
    /// Simulated and real targets together, or several simulated ones in one workload.
    #[error(
        "simulated devices run in their own time: all workloads that run together must use them, or none; give each workload only one"
    )]
    Simulated,
    /// A backend that polls for nothing.
    #[error("{0} does not poll for completions; use io_uring, or leave polling out")]
    UnpolledBackend(&'static str),
    /// What memory answers cannot be polled for.
    #[error(
        "only direct I/O can be polled, and this goes through the page cache; leave one of the two out"
    )]
    PolledCache,
    /// What is not done by commands to a drive.
    #[error(
        "io_uring_cmd reads, writes and flushes drives past the page cache, and nothing else; use io_uring"
    )]
    Commands,
    /// Files and nothing in one workload.
    #[error("one workload cannot use files and null: together; make it two")]
    Mixed,
    /// Checking what is kept nowhere.
    #[error("the target keeps no data, so that nothing can be checked; use a file")]
    NothingToCheck,
    /// A shared offset with several block sizes.
    #[error("a shared offset needs one block size; name one, or leave it out")]
    OneBlock,
    /// Blocks cannot be checked as asked.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// A survey cannot be carried out as asked.
    #[error(transparent)]
    Survey(#[from] SurveyError),
    /// Checking blocks that are changed.
    #[error("blocks that are changed and written back cannot be checked; do only one of the two")]
    Rewriting,
    /// A check of capacity that is to be something else, too.
    #[error(
        "a capacity check writes all over one target with one thread, one I/O after the other; leave out what else is asked for, and put other workloads into stages of their own"
    )]
    Capacity,
    /// A target that holds no block that can be stamped.
    #[error(
        "a capacity check writes blocks of {block}, and the target has {size}; name a larger one"
    )]
    CapacitySize {
        /// Size of the target.
        size: Bytes,
        /// Block that a capacity check writes and stamps; the smallest possible target.
        block: Bytes,
    },
    /// A simulated device of which every block would be kept in mind.
    #[error(
        "a simulated device of {size} is too large to be written as a whole, because what each block holds is kept in memory; give its model a size of {most} at most (size=), or look at places only"
    )]
    CapacityModel {
        /// Size of the device.
        size: Bytes,
        /// What it may be.
        most: Bytes,
    },
    /// Whole files on a target that is one.
    #[error(
        "whole files are created, looked up and deleted in a directory of sokudo's own, and not on a target; use sokudo bonnie"
    )]
    Tree,
}

/// Checks all workloads of a stage.
pub(crate) fn check(stage: &Stage, targets: &[Target]) -> Result<(), CheckError> {
    let mut simulated = None;
    for workload in &stage.workloads {
        let named = |why| CheckError::Workload {
            name: workload.name.clone(),
            why,
        };
        check_alone(stage, workload).map_err(named)?;
        let mut own = None;
        for file_use in uses(workload) {
            let target = find(&file_use, targets).map_err(named)?;
            check_capacity_size(workload, target).map_err(named)?;
            check_span(workload, &file_use, target).map_err(named)?;
            check_sectors(workload, target).map_err(named)?;
            check_permit(workload, target)?;
            check_survey(stage, workload, target).map_err(|why| named(why.into()))?;
            let is_simulated = matches!(target, Target::Simulated(_));
            // The first use of the stage decides for all, the first of a workload for its device.
            let is_one = *own.get_or_insert(file_use.target) == file_use.target;
            if *simulated.get_or_insert(is_simulated) != is_simulated || is_simulated && !is_one {
                return Err(named(WorkloadError::Simulated));
            }
        }
        check_kinds(workload, targets).map_err(named)?;
    }
    match simulated {
        // Simulated devices move no data, so that there are no buffers.
        Some(true) => Ok(()),
        _ => check_memory(stage, targets),
    }
}

/// What does not depend on the targets.
fn check_alone(stage: &Stage, workload: &Workload) -> Result<(), WorkloadError> {
    check_ranges(workload)?;
    check_polling(workload)?;
    check_commands(workload)?;
    check_kind_of_work(workload)?;
    check_capacity(stage, workload)?;
    check_order(workload)?;
    check_steady(workload)?;
    match workload.write_check() {
        Some(verify) => Ok(check_verify(verify, &workload.blocks)?),
        None => Ok(()),
    }
}

fn find<'a>(file_use: &FileUse, targets: &'a [Target]) -> Result<&'a Target, WorkloadError> {
    let target = file_use.target;
    let count = targets.len();
    targets
        .get(target as usize)
        .ok_or(WorkloadError::NoTarget { target, count })
}

/// A survey asks that itself. A file whose direct I/O is not insisted on may turn out to be read
/// through the page cache, which takes any block.
fn check_sectors(workload: &Workload, target: &Target) -> Result<(), WorkloadError> {
    let Target::File(file) = target else {
        return Ok(());
    };
    let is_direct = match workload.direct {
        DirectMode::On => true,
        DirectMode::Off => false,
        DirectMode::Auto => !file.is_regular(),
    };
    let maps = matches!(workload.backend, BackendKind::Mmap | BackendKind::Null);
    match direct_unit(file) {
        Some(unit) if is_direct && !maps && workload.survey().is_none() => {
            check_whole_sectors(&workload.blocks, Bytes(unit))
        }
        _ => Ok(()),
    }
}

fn check_whole_sectors(blocks: &BlockSizes, sector: Bytes) -> Result<(), WorkloadError> {
    let mut blocks = [blocks.smallest(), blocks.largest()].into_iter();
    match blocks.find(|block| !block.0.is_multiple_of(sector.0)) {
        Some(block) => Err(WorkloadError::Sectors { block, sector }),
        None => Ok(()),
    }
}

fn check_permit(workload: &Workload, target: &Target) -> Result<(), TargetError> {
    let Target::File(file) = target else {
        return Ok(());
    };
    let only_back = workload.survey().is_some_and(|survey| survey.write_back);
    let may = if only_back {
        file.may_be_written_back()
    } else {
        file.is_writable() || !writes(workload)
    };
    if may {
        return Ok(());
    }
    Err(TargetError::ReadOnly(file.path().to_owned()))
}

/// A backend works on files or on nothing, and only files keep what was written.
fn check_kinds(workload: &Workload, targets: &[Target]) -> Result<(), WorkloadError> {
    let uses = uses(workload);
    let is_file =
        |file_use: &FileUse| matches!(targets.get(file_use.target as usize), Some(Target::File(_)));
    let files = uses.iter().filter(|file_use| is_file(file_use)).count();
    if files > 0 && files < uses.len() {
        return Err(WorkloadError::Mixed);
    }
    let keeps_data = files > 0 && workload.backend != BackendKind::Null;
    if !keeps_data && workload.write_check().is_some() {
        return Err(WorkloadError::NothingToCheck);
    }
    Ok(())
}

/// Whole files are no work on a target, and what is changed on purpose cannot be checked.
fn check_kind_of_work(workload: &Workload) -> Result<(), WorkloadError> {
    let mut shares = workload.operations.shares().iter();
    if matches!(workload.work, Work::Tree(_))
        || shares.any(|(operation, _)| operation.is_on_files())
    {
        return Err(WorkloadError::Tree);
    }
    if matches!(workload.work, Work::Rewriting { .. }) && workload.verify.is_some() {
        return Err(WorkloadError::Rewriting);
    }
    Ok(())
}

/// A capacity check has a loop of its own, which does nothing else.
fn check_capacity(stage: &Stage, workload: &Workload) -> Result<(), WorkloadError> {
    let is_alone = stage.workloads.len() == 1 && workload.threads == 1 && workload.depth == 1;
    let is_all_over = workload.span.is_none()
        && matches!(workload.files.uses[..], [] | [FileUse { span: None, .. }]);
    let only_writes = workload.operations.single() == Some(Operation::Write);
    if !workload.checks_capacity() || is_alone && is_all_over && only_writes {
        return Ok(());
    }
    Err(WorkloadError::Capacity)
}

fn check_capacity_size(workload: &Workload, target: &Target) -> Result<(), WorkloadError> {
    let (size, block) = (target.size(), CapacityCheck::BLOCK);
    let is_whole = matches!(workload.order, Order::Sequential { .. });
    match target {
        _ if !workload.checks_capacity() => Ok(()),
        _ if size < block => Err(WorkloadError::CapacitySize { size, block }),
        Target::Simulated(_) if is_whole && size > WHOLE_MODEL_BYTES_MAX => {
            Err(WorkloadError::CapacityModel {
                size,
                most: WHOLE_MODEL_BYTES_MAX,
            })
        }
        _ => Ok(()),
    }
}

fn check_polling(workload: &Workload) -> Result<(), WorkloadError> {
    match workload.backend {
        _ if !workload.issuing.polled => Ok(()),
        _ if workload.direct == DirectMode::Off => Err(WorkloadError::PolledCache),
        BackendKind::Auto | BackendKind::IoUring | BackendKind::IoUringCmd => Ok(()),
        backend => Err(WorkloadError::UnpolledBackend(backend.name())),
    }
}

fn check_commands(workload: &Workload) -> Result<(), WorkloadError> {
    use Operation::{Flush, Read, Write};
    let mut shares = workload.operations.shares().iter();
    let is_plain = shares.all(|(operation, _)| matches!(operation, Read | Write | Flush))
        && workload.direct != DirectMode::Off
        && workload.survey().is_none()
        && !workload.checks_capacity();
    if is_plain || workload.backend != BackendKind::IoUringCmd {
        return Ok(());
    }
    Err(WorkloadError::Commands)
}

fn check_steady(workload: &Workload) -> Result<(), WorkloadError> {
    let Some(SteadyRule {
        interval, duration, ..
    }) = workload.timing.steady
    else {
        return Ok(());
    };
    if interval.0 > 0 && duration >= interval {
        return Ok(());
    }
    Err(WorkloadError::Range {
        what: "the interval of steadiness, in nanoseconds,",
        value: interval.0,
        range: text!("1 to its duration, {}", duration.0),
    })
}

fn check_ranges(workload: &Workload) -> Result<(), WorkloadError> {
    const COUNT_MAX: u64 = u32::MAX as u64;
    let min = 1;
    let in_range = |what, value: u64, max: u64| {
        if (min..=max).contains(&value) {
            return Ok(());
        }
        let range = text!("{min} to {max}");
        Err(WorkloadError::Range { what, value, range })
    };
    let threads = workload.threads.into();
    in_range("the number of threads", threads, Stage::THREADS_MAX.into())?;
    in_range("the depth", workload.depth.into(), DEPTH_MAX.into())?;
    for size in [workload.blocks.smallest(), workload.blocks.largest()] {
        in_range("the block size", size.0, BLOCK_BYTES_MAX)?;
    }
    let rates = [workload.pacing.rate]
        .into_iter()
        .chain(workload.pacing.rates.each);
    for rate in rates.flatten() {
        let (Rate::Iops(rate) | Rate::BytesPerSecond(rate)) = rate;
        in_range("the rate", rate, u64::MAX)?;
    }
    // After no write at all there would be nothing but flushes for ever.
    let before_flush = "the number of writes before a flush";
    let durability = &workload.durability;
    let service = &workload.files.service;
    let before_pause = workload.pacing.think.map(|think| think.after_ios);
    for (what, count) in [
        (
            "the number of I/Os submitted at once",
            workload.issuing.batching.submit,
        ),
        (
            "the number of I/Os on a file before the next",
            Some(service.ios),
        ),
        ("the number of I/Os before a pause", before_pause),
        (before_flush, durability.fsync_every),
        (before_flush, durability.fdatasync_every),
    ] {
        in_range(what, count.map_or(1, u64::from), COUNT_MAX)?;
    }
    Ok(())
}

fn check_span(
    workload: &Workload,
    file_use: &FileUse,
    target: &Target,
) -> Result<(), WorkloadError> {
    let stretch = stretch_of(file_use, target.size());
    let size = target.size();
    let block = workload.blocks.largest();
    let ends_at = stretch.start.checked_add(stretch.length);
    let fits = ends_at.is_some_and(|end| end <= size.0) && stretch.length >= block.0;
    if fits {
        return Ok(());
    }
    let (offset, length) = (Bytes(stretch.start), Bytes(stretch.length));
    Err(WorkloadError::Span {
        offset,
        length,
        size,
        block,
    })
}

fn check_order(workload: &Workload) -> Result<(), WorkloadError> {
    let is_shared = workload.order
        == Order::Sequential {
            offset: SequentialOffset::Interlocked,
        };
    if is_shared && workload.blocks.single().is_none() {
        return Err(WorkloadError::OneBlock);
    }
    Ok(())
}

/// Buffers and maps of all workloads of the stage together.
fn check_memory(stage: &Stage, targets: &[Target]) -> Result<(), CheckError> {
    let of_workload = |workload: &Workload| {
        let slots = buffers_for(workload, workload.depth);
        let buffers = u128::from(slots) * u128::from(workload.blocks.largest().0);
        u128::from(workload.threads) * (buffers + map_bytes(workload, targets))
    };
    let needed: u128 = stage.workloads.iter().map(of_workload).sum();
    let info = rustix::system::sysinfo();
    let memory = info.totalram as u128 * u128::from(info.mem_unit);
    if needed <= memory / u128::from(MEMORY_DIVISOR) {
        return Ok(());
    }
    // What is asked for may be more than any number says.
    Err(CheckError::Memory {
        needed: Bytes(narrow(needed.min(u64::MAX.into()))),
    })
}

/// A random map of mixed block sizes takes a bit per block, and a little more.
fn map_bytes(workload: &Workload, targets: &[Target]) -> u128 {
    let takes_memory =
        workload.order == Order::Random { map: true } && workload.blocks.single().is_none();
    if !takes_memory {
        return 0;
    }
    let smallest = u128::from(workload.blocks.smallest().0.max(1));
    uses(workload)
        .iter()
        .filter_map(|file_use| {
            let target = targets.get(file_use.target as usize)?;
            Some(u128::from(stretch_of(file_use, target.size()).length) / smallest / 7)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direct_io_moves_whole_sectors() {
        let check = |block: u64, sector: u64| {
            check_whole_sectors(&BlockSizes::one(Bytes(block)), Bytes(sector))
        };
        for (block, sector) in [(512, 512), (4096, 512), (4096, 4096), (1 << 20, 4096)] {
            assert!(check(block, sector).is_ok(), "{block} on {sector}");
        }
        for (block, sector) in [(512, 4096), (4000, 512), (6144, 4096)] {
            assert!(check(block, sector).is_err(), "{block} on {sector}");
        }
        let message = check(512, 4096).unwrap_err().to_string();
        assert!(
            message.starts_with("blocks of 512 B on a device of 4096-byte sectors:"),
            "{message}"
        );
        assert!(message.contains("multiples of 4 KiB"), "{message}");
    }
}
