//! Sizes and times that arguments give, held against what there is; and what a target is taken for
//! before it is measured.

use sokudo_device::System;
use sokudo_measure::Named;
use sokudo_model::{BlockDeviceKind, Bytes, Nanos, TargetKind};
use sokudo_terminal::exit::Exit;
use sokudo_words::{Text, text};

/// Blocks are multiples of this where the target does not say of what.
const BLOCK_MIN: Bytes = Bytes(512);

/// Sequential rates that drives of a kind can be expected to keep up, bytes per second.
const ROTATING: u64 = 150_000_000;
const NVME: u64 = 1_500_000_000;
const SATA: u64 = 450_000_000;
const UNKNOWN: u64 = 500_000_000;

/// The share of the memory that the buffers of a row may take; the engine refuses
/// more than half.
const MEMORY_DIVISOR: u64 = 4;

/// A trial of no time measures nothing.
pub fn check_time(time: Nanos) -> Result<(), Exit> {
    match time {
        Nanos(0) => Err(Exit::usage(text!(
            "--time is 0; use a longer time, such as 1s"
        ))),
        _ => Ok(()),
    }
}

/// Of a target whose size is known no more can be used than it has.
pub fn check_size(requested: Bytes, known: Option<Bytes>, target: &str) -> Result<(), Exit> {
    match known.filter(|known| requested > *known) {
        Some(known) => Err(Exit::usage(text!(
            "--size is {requested}, but {target} has only {known}; use less, or leave it out"
        ))),
        None => Ok(()),
    }
}

/// The size of a target that has one by itself; only what is made, or holds nothing, has none.
pub fn known_size(named: &Named, target: &str) -> Result<Option<Bytes>, Exit> {
    match named.size() {
        None if named.kind() == TargetKind::BlockDevice => Err(Exit::failed(text!(
            "the size of {target} is unknown; check whether the device answers (dmesg)"
        ))),
        size => Ok(size),
    }
}

/// A target that is there holds something.
pub fn check_not_empty(known: Option<Bytes>, target: &str) -> Result<(), Exit> {
    match known {
        Some(Bytes(0)) => Err(Exit::usage(text!(
            "{target} is empty, so there is nothing to read; name a file with data in it, or a directory"
        ))),
        _ => Ok(()),
    }
}

/// What the buffers of a row may take. Simulated devices move no data; elsewhere the memory
/// is the limit.
pub fn buffer_bytes_max(named: &Named) -> Option<Bytes> {
    if named.kind() == TargetKind::Simulated {
        return None;
    }
    let memory = sokudo_device::environment(&System::host()).memory_bytes?;
    Some(Bytes(memory.0 / MEMORY_DIVISOR))
}

/// The smallest block that the target takes.
pub fn block_min(named: &Named, target: &str) -> Result<Bytes, Exit> {
    let block = named.direct_unit().unwrap_or(BLOCK_MIN);
    if block.0 == 0 {
        return Err(Exit::failed(text!(
            "the kernel reports blocks of 0 bytes for {target}; check whether the device answers (dmesg)"
        )));
    }
    Ok(block.max(BLOCK_MIN))
}

/// How fast the target is taken to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// Bytes per second, sequentially.
    pub bytes_per_s: u64,
    /// What that is taken from, such as `an NVMe drive`.
    pub source: Text,
    /// Whether its cells may wear.
    pub wears: bool,
}

/// How fast the target is taken to be, for the estimate.
pub fn assumed(named: &Named) -> Assumed {
    let of = |bytes_per_s, source: &'static str| Assumed {
        bytes_per_s,
        source: source.into(),
        wears: true,
    };
    let Some(leaf) = named.info().and_then(|info| info.leaves().next()) else {
        return match named {
            Named::Simulated(_) => of(NVME, "a simulated drive, whose time is virtual"),
            _ => of(UNKNOWN, "an unknown drive"),
        };
    };
    match (leaf.kind, leaf.rotational) {
        _ if leaf.name.starts_with("nvme") => of(NVME, "an NVMe drive"),
        (BlockDeviceKind::VirtualDisk, _) => of(UNKNOWN, "a virtual disk"),
        (_, Some(true)) => Assumed {
            wears: false,
            ..of(ROTATING, "a rotating disk")
        },
        (_, Some(false)) => of(SATA, "a solid-state drive without NVMe"),
        _ => of(UNKNOWN, "an unknown drive"),
    }
}
