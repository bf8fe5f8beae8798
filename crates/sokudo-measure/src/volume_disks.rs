//! Disks that may be destroyed, for who makes volumes of them.

use std::path::PathBuf;

use sokudo_device::System;
use sokudo_engine::{Consent, DevicePermit};
use sokudo_volume::VolumeDisk;

use crate::error::MeasureError;
use crate::permission::Permission;

/// Each of these devices, held open.
///
/// # Errors
/// When one may not be destroyed.
pub fn volume_disks(
    paths: &[PathBuf],
    permission: &Permission,
) -> Result<Vec<VolumeDisk>, MeasureError> {
    let none = Consent::default();
    let consent = match permission {
        Permission::Destroy(consent) => consent,
        _ => &none,
    };
    let system = System::host();
    let opened = paths.iter().map(|path| {
        let occupancy = sokudo_device::occupants(&system, path)?;
        let permit = DevicePermit::obtain(path, &occupancy, consent, sokudo_device::users)?;
        let (path, handle) = permit.into_unclaimed().expect("held open");
        Ok(VolumeDisk::new(handle, path).expect("a device"))
    });
    opened.collect()
}
