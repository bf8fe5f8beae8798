//! Sizes and times that arguments give, held against what there is; and what a target is taken for
//! before it is measured.

use sokudo_device::System;
use sokudo_measure::Named;
use sokudo_model::{BlockDevice, BlockDeviceKind, Bytes, Nanos, TargetKind};
use sokudo_terminal::exit::Exit;
use sokudo_words::{Text, text};

/// Blocks are multiples of this where the target does not say of what.
const BLOCK_MIN: Bytes = Bytes(512);

/// Sequential rates that drives of a kind can be expected to keep up, bytes per second.
const ROTATING: u64 = 150_000_000;
const NVME: u64 = 1_500_000_000;
const SATA: u64 = 450_000_000;
const UNKNOWN: u64 = 500_000_000;
/// Writes of sticks and cards, which few of them keep up.
const STICK: u64 = 30_000_000;

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
    match (named, named.info().and_then(|info| info.leaves().next())) {
        (_, Some(leaf)) => of_leaf(leaf),
        (Named::Simulated(_), None) => flash(NVME, "a simulated drive, whose time is virtual"),
        _ => flash(UNKNOWN, "an unknown drive"),
    }
}

fn flash(bytes_per_s: u64, source: &'static str) -> Assumed {
    Assumed {
        bytes_per_s,
        source: source.into(),
        wears: true,
    }
}

fn of_leaf(leaf: &BlockDevice) -> Assumed {
    match (leaf.kind, leaf.rotational) {
        _ if leaf.name.starts_with("nvme") => flash(NVME, "an NVMe drive"),
        _ if leaf.name.starts_with("mmcblk") => flash(STICK, "a USB stick or a card"),
        (BlockDeviceKind::VirtualDisk, _) => flash(UNKNOWN, "a virtual disk"),
        (_, Some(true)) => Assumed {
            wears: false,
            ..flash(ROTATING, "a rotating disk")
        },
        (_, Some(false)) => flash(SATA, "a solid-state drive without NVMe"),
        // Of what can be taken out and names no rate the kernel's flag says nothing.
        (BlockDeviceKind::Disk, None) => flash(STICK, "a USB stick or a card"),
        _ => flash(UNKNOWN, "an unknown drive"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plugged_in_and_names_no_rate_is_taken_for_a_stick() {
        let of = |name: &str, rotational| {
            let leaf = BlockDevice {
                name: name.to_owned(),
                rotational,
                ..BlockDevice::default()
            };
            of_leaf(&leaf).bytes_per_s
        };
        assert_eq!(of("sdc", None), STICK);
        assert_eq!(of("mmcblk0", Some(false)), STICK);
        assert_eq!(of("sda", Some(true)), ROTATING);
        assert_eq!(of("sda", Some(false)), SATA);
    }
}
