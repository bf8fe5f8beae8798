//! Who uses a block device (`users`) and what it holds, before anything is written to it.
//! It only looks.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sokudo_model::{Occupancy, Occupant};
use sokudo_words::text;

use crate::block::{self, number_text};
use crate::disk::{self, udev::UdevRecord};
use crate::held::held;
use crate::system::{self, System};
use crate::users;

/// Why it is not known who uses a device.
#[derive(Debug, sokudo_words::Error)]
pub enum OccupancyError {
    /// It cannot be looked at.
    #[error("{path} cannot be examined: {source}; nothing is written to a device that cannot be read first", path = path.display())]
    #[fault(source)]
    Unreadable { path: PathBuf, source: io::Error },
    /// It is no block device.
    #[error("{path} is not a block device", path = .0.display())]
    NotBlockDevice(PathBuf),
}

/// Who uses the block device at `path`, and what it holds.
///
/// # Errors
/// If it is no block device or cannot be read.
pub fn occupants(system: &System, path: &Path) -> Result<Occupancy, OccupancyError> {
    let unreadable = |source| OccupancyError::Unreadable {
        path: path.to_owned(),
        source,
    };
    // O_NONBLOCK: a FIFO must not hang us, nor a drive without a medium.
    let device = rustix::fs::open(
        path,
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK,
        rustix::fs::Mode::empty(),
    )
    .map(File::from)
    .map_err(|errno| unreadable(errno.into()))?;
    let metadata = device.metadata().map_err(unreadable)?;
    if !metadata.file_type().is_block_device() {
        return Err(OccupancyError::NotBlockDevice(path.to_owned()));
    }
    let device_number = metadata.rdev();
    let (directory, users) = users::of_device(system, device_number);
    let mut occupants = users.occupants;
    occupants.extend(directory.as_deref().and_then(unwritable));
    occupants.extend(held(&device).map_err(unreadable)?);
    Ok(Occupancy {
        sequence: sokudo_sys::disk_sequence(&device),
        device_number,
        name: directory
            .as_deref()
            .map_or_else(|| number_text(device_number), block::name),
        serial: directory.and_then(|directory| serial(system, &directory)),
        occupants,
    })
}

/// The serial number of the disk, or the world-wide name that SCSI has in its place.
fn serial(system: &System, directory: &Path) -> Option<String> {
    let disk = block::disk(directory);
    let device = block::describe(&disk);
    let record = UdevRecord::of(system, &device.number);
    disk::serial(&disk, &device, &record).or(device.serial)
}

/// Why nothing can be written to the device in this directory, if so.
fn unwritable(directory: &Path) -> Option<Occupant> {
    let name = block::name(directory);
    let is_optical = name
        .strip_prefix("sr")
        .is_some_and(|number| number.chars().all(|digit| digit.is_ascii_digit()));
    let sentence = if is_optical {
        text!("{name} is an optical drive")
    } else if system::flag(directory.join("ro")) == Some(true) {
        text!("{name} is write-protected")
    } else {
        return None;
    };
    Some(Occupant::Unwritable { sentence })
}
