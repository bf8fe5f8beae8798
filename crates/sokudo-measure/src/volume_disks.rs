//! Disks of which volumes are made: with the user's word for each, as for everything that is
//! destroyed.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use sokudo_device::{System, listed, occupants, users};
use sokudo_engine::{Consent, ConsentError, DevicePermit};
use sokudo_model::Occupancy;
use sokudo_volume::VolumeDisk;
use sokudo_words::text;

use crate::error::MeasureError;

/// The whole disks at these paths, each claimed once, so that nobody uses any of them.
///
/// # Errors
/// When one is in use, holds anything, or was not named, as far as `consent` does not allow it;
/// when its serial number names another disk as well, or it is a part of a disk.
pub fn volume_disks(paths: &[PathBuf], consent: &Consent) -> Result<Vec<VolumeDisk>, MeasureError> {
    let system = System::host();
    let permit = |path: &PathBuf| -> Result<_, MeasureError> {
        let occupancy = looked_at(&system, path, consent)?;
        let permit = DevicePermit::obtain(path, &occupancy, consent, users)?;
        Ok((permit, path.clone()))
    };
    // All are claimed before the first is given up, so that none is taken twice.
    let permits: Result<Vec<_>, _> = paths.iter().map(permit).collect();
    let disk = |(permit, path): (DevicePermit, PathBuf)| {
        let handle = permit.into_unclaimed()?;
        Ok(VolumeDisk::new(handle, path)?)
    };
    permits?.into_iter().map(disk).collect()
}

/// The whole disk at this path if it was named, whoever uses it and whatever it holds: only
/// to unmount what sokudo has made of it.
///
/// # Errors
/// When it was not named, or its serial number names another disk as well.
pub fn named_disk(path: &Path, consent: &Consent) -> Result<VolumeDisk, MeasureError> {
    let occupancy = looked_at(&System::host(), path, consent)?;
    consent.covers(path, &occupancy)?;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let handle = rustix::fs::open(path, flags, Mode::empty()).map(File::from);
    let handle = handle.map_err(|errno| ConsentError::Open {
        path: path.to_owned(),
        source: errno.into(),
    })?;
    let found = handle.metadata().ok().map(|metadata| metadata.rdev());
    let sequence = occupancy.sequence;
    let is_same = sequence.is_none() || sequence == sokudo_sys::disk_sequence(&handle);
    match is_same && found == Some(occupancy.device_number) {
        true => Ok(VolumeDisk::new(handle, path.to_owned())?),
        false => Err(ConsentError::Changed(path.to_owned()).into()),
    }
}

fn looked_at(system: &System, path: &Path, consent: &Consent) -> Result<Occupancy, MeasureError> {
    let occupancy = occupants(system, path)?;
    let number = occupancy.device_number;
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let directory = format!("/sys/dev/block/{major}:{minor}/partition");
    if Path::new(&directory).exists() {
        return Err(MeasureError::usage(text!(
            "{} is a part of a disk; name the whole disk",
            path.display()
        )));
    }
    if let Some(serial) = consent.serial_alone(&occupancy) {
        let bearers = listed(system).into_iter();
        let count = bearers
            .filter(|disk| disk.serial.as_deref() == Some(serial))
            .count();
        if count > 1 {
            return Err(MeasureError::refused(text!(
                "{} disks of this machine have the serial number {serial}; name the path of the one that is meant: --destroy {}",
                count,
                path.display()
            )));
        }
    }
    Ok(occupancy)
}
