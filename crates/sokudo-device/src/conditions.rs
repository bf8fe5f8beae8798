//! What the system says around a run: limits of control groups, heat of drives, state of
//! arrays, settings that save power, pressure. Looked at before and after; meanwhile only what
//! disturbs no I/O.
//!
//! It changes nothing, waits for no drive longer than [`DRIVE_TIME_MAX`], and judges
//! nothing.

mod arrays;
mod course;
mod drives;
mod limits;
mod neighbours;
mod power;
mod pressure;
mod refusals;

use std::time::Duration;

use sokudo_model::disk::Disk;
use sokudo_model::{Conditions, TargetInfo, TargetKind};

use crate::system::System;

pub use course::DriveMonitor;
pub use neighbours::Neighbours;
pub use pressure::io_waits;
pub use refusals::ProcessorWatch;

use course::CourseWatch;
use drives::Drives;
use pressure::Waits;

/// How long each drive may take to answer, before a run and after it: all are asked side by
/// side. One that is awake answers in a few milliseconds, in a slow virtual machine in hundreds;
/// one that sleeps or hangs is told as one that did not answer.
pub const DRIVE_TIME_MAX: Duration = Duration::from_secs(4);

/// The drives at the bottom of a target, as they say of themselves now: those that do not answer in
/// this time as the kernel knows them.
pub fn drives_under(system: &System, target: &TargetInfo, time_max: Duration) -> Vec<Disk> {
    Drives::look(system, target, time_max).into_disks()
}

/// Looks at what is around a run, before and after it, and once a second meanwhile.
pub struct Watch {
    system: System,
    before: Option<ConditionsBefore>,
    course: Option<CourseWatch>,
}

/// What was seen before the run.
struct ConditionsBefore {
    drives: Drives,
    waits: Waits,
    arrays: Vec<sokudo_model::ArrayState>,
}

impl Watch {
    /// Looks before the run. Of what is no device nothing is seen, so that results of
    /// simulated devices depend on nothing but themselves.
    pub fn begin(system: &System, target: &TargetInfo) -> Self {
        let is_real = !matches!(target.kind, TargetKind::Simulated | TargetKind::Null);
        let before = is_real.then(|| ConditionsBefore {
            drives: Drives::look(system, target, DRIVE_TIME_MAX),
            arrays: arrays::arrays(system, target),
            waits: Waits::look(system),
        });
        let course = before
            .as_ref()
            .and_then(|_| CourseWatch::begin(system, target));
        Self {
            system: system.clone(),
            before,
            course,
        }
    }

    /// What is seen meanwhile; `None` of what is no device.
    pub fn drive_monitor(&self) -> Option<DriveMonitor> {
        self.course.as_ref().map(CourseWatch::monitor)
    }

    /// Looks after the run, and puts both together.
    pub fn end(self, target: &TargetInfo) -> Conditions {
        let ended = self.course.map(|it| (it.monitor().now(), it.end()));
        let Some(before) = self.before else {
            return Conditions::default();
        };
        let (at, (course, mut seen)) = ended.unwrap_or_default();
        seen.note(at, limits::limits(&self.system, target));
        let pressure = Waits::look(&self.system).since(&before.waits);
        let after = Drives::look(&self.system, target, DRIVE_TIME_MAX);
        let (drives, blind_spots) = after.since(&before.drives);
        let arrays = arrays::arrays(&self.system, target);
        Conditions {
            io_limits: seen.into_limits(),
            drives,
            arrays: arrays::together(arrays, &before.arrays),
            power: power::power(&self.system),
            course,
            pressure,
            blind_spots,
        }
    }
}
