//! How the drives under targets are, by their own word.

use std::time::Duration;

use sokudo_device::{System, drives_under};
use sokudo_model::{DriveHealth, TargetInfo};

/// How long all drives together may take to tell how they are: nothing is measured meanwhile, and
/// one that sleeps may wake up.
const HEALTH_TIME_MAX: Duration = Duration::from_secs(30);

/// How the drives under targets are, in the order of the targets. Of what is no device there are
/// none.
pub(crate) fn health<'a>(targets: impl Iterator<Item = &'a TargetInfo>) -> Vec<DriveHealth> {
    let system = System::host();
    let of_target = |(target, info): (u32, &TargetInfo)| {
        let disks = drives_under(&system, info, HEALTH_TIME_MAX).into_iter();
        disks.map(move |disk| DriveHealth {
            target,
            drive: disk.name,
            serial: disk.serial,
            health: disk.health,
        })
    };
    (0..).zip(targets).flat_map(of_target).collect()
}
