//! What the user named, recognised and not touched.

use sokudo_device::{FindError, InspectError, Inspected, System};
use sokudo_engine::sim;
use sokudo_model::{Bytes, DirectIoSupport, TargetInfo, TargetKind};
use sokudo_words::text;

use crate::error::MeasureError;

/// A simulated device starts from this seed unless told, so that a demonstration
/// shows the same figures everywhere.
pub const SIMULATION_SEED: u64 = 1;

/// A target by its name.
pub enum Named {
    /// A model that is computed, such as `sim:ssd`.
    Simulated(sim::SimulatedDevice),
    /// No device: the cost of the engine itself.
    Null,
    /// Something with a path.
    Path(Inspected),
}

impl Named {
    /// Recognises a target: a path, a simulated device (`sim:`), nothing (`null:`), or a disk
    /// by its kernel name, by-id name, serial number or model.
    ///
    /// # Errors
    /// When there is no such thing, or it cannot be measured.
    pub fn recognise(name: &str) -> Result<Self, MeasureError> {
        if name.is_empty() {
            let text = text!("the target is empty; name a directory, or . for this one");
            return Err(MeasureError::usage(text));
        }
        match name.strip_prefix("null:") {
            Some("") => return Ok(Self::Null),
            Some(parameters) => {
                return Err(MeasureError::usage(text!(
                    "null: takes no parameters such as {:?}; leave them out",
                    parameters
                )));
            }
            None => {}
        }
        if name.starts_with("sim:") {
            return Ok(Self::Simulated(sim::SimulatedDevice::parse(name)?));
        }
        inspect(&System::host(), name).map(Self::Path)
    }

    /// What is known of it before it is opened; `None` where nothing of the real world is meant.
    pub fn info(&self) -> Option<&TargetInfo> {
        match self {
            Self::Path(inspected) => Some(&inspected.info),
            Self::Null | Self::Simulated(_) => None,
        }
    }

    /// What kind of thing it is.
    pub fn kind(&self) -> TargetKind {
        match self {
            Self::Simulated(_) => TargetKind::Simulated,
            Self::Null => TargetKind::Null,
            Self::Path(inspected) => inspected.info.kind,
        }
    }

    /// Which device it is, as runs of it are known by.
    pub fn identity(&self, name: &str) -> String {
        match self {
            Self::Path(inspected) => inspected.info.identity(),
            Self::Simulated(device) => simulated_info(name, device).identity(),
            Self::Null => TargetInfo::new(name, TargetKind::Null).identity(),
        }
    }

    /// Its size, where it has one of its own.
    pub fn size(&self) -> Option<Bytes> {
        match self {
            Self::Simulated(device) => Some(device.size()),
            Self::Null => None,
            Self::Path(inspected) => inspected.info.size_bytes,
        }
    }

    /// What direct I/O on it is a multiple of, where that is known.
    pub fn direct_unit(&self) -> Option<Bytes> {
        let info = match self {
            Self::Simulated(device) => return device.block_device().logical_block_bytes,
            Self::Null => return None,
            Self::Path(inspected) => &inspected.info,
        };
        match info.direct_io {
            DirectIoSupport::Supported {
                offset_alignment, ..
            } => Some(offset_alignment),
            // A partition has none of its own; its disk has.
            _ => info.devices.iter().find_map(|it| it.logical_block_bytes),
        }
    }

    /// Its absolute path, where it has one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Path(inspected) => inspected.info.path.as_deref(),
            _ => None,
        }
    }

    /// The seed of a run that was given none.
    pub fn default_seed(&self) -> u64 {
        match self {
            Self::Simulated(_) => SIMULATION_SEED,
            _ => u64::from(random_u32()),
        }
    }
}

/// What is known about a simulated device.
pub(crate) fn simulated_info(name: &str, device: &sim::SimulatedDevice) -> TargetInfo {
    TargetInfo {
        devices: device.block_devices(),
        ..bare_info(name, TargetKind::Simulated, device.size())
    }
}

pub(crate) fn bare_info(name: &str, kind: TargetKind, size: Bytes) -> TargetInfo {
    TargetInfo {
        size_bytes: Some(size),
        ..TargetInfo::new(name, kind)
    }
}

/// A path that exists is that path; another word without a slash may name a device. The
/// target keeps the name that was typed.
fn inspect(system: &System, name: &str) -> Result<Inspected, MeasureError> {
    let missing = match sokudo_device::inspect(system, name) {
        Err(error @ InspectError::Missing { .. }) if !name.contains('/') => error,
        other => return Ok(other?),
    };
    let path = match sokudo_device::find(system, name) {
        Ok(path) => path,
        Err(FindError::Nothing { .. }) => {
            return Err(MeasureError::usage(text!(
                "{}; and no disk has this name, model or serial number. Name a directory, or a disk by its path, such as /dev/sdb (sokudo info lists them)",
                missing
            )));
        }
        Err(error) => return Err(error.into()),
    };
    let mut inspected = sokudo_device::inspect(system, &path.to_string_lossy())?;
    inspected.info.name = name.to_owned();
    Ok(inspected)
}

/// 32 random bits: a seed that is short enough to be typed again.
pub fn random_u32() -> u32 {
    use std::hash::{BuildHasher, RandomState};
    let hash = RandomState::new().hash_one(std::process::id());
    u32::try_from(hash >> 32).expect("the upper half of 64 bits has 32")
}
