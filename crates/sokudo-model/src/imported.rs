//! What another tool has measured and printed, as far as it told, and the [`Run`] that it
//! becomes. What it did not tell stays missing.

use crate::method::ScheduleName;
use crate::narrow::narrow;
use crate::plan::{Plan, Sample, Survey, Visit, Work, Workload};
use crate::reported::{Origin, Provenance, Reported};
use crate::run::{Run, Schedule};
use crate::target::{
    BlockDevice, DirectIoSupport, FileSystem, HostEnvironment, TargetInfo, TargetKind,
};
use crate::trial::Row;
use crate::units::{Bytes, Nanos};

/// A run of another tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportedRun {
    /// Tool that measured, and where its output is from.
    pub origin: Origin,
    /// Start, in nanoseconds since 1970-01-01T00:00:00Z; `null` where the tool does not tell.
    pub started_at: Option<Nanos>,
    /// The method in the tool's own words, such as `Default, 1 GiB (x5)`.
    pub method: String,
    /// The command line, where the tool repeats it.
    pub command: Option<String>,
    /// Target of the run in the tool's words.
    pub target: ImportedTarget,
    /// Machine on which the tool measured, as far as it tells.
    pub environment: HostEnvironment,
    /// What the tool printed, in its order.
    pub rows: Vec<ImportedRow>,
}

/// What another tool says of what it measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedTarget {
    /// As the tool names it: a path, a drive, a label of whoever measured.
    pub name: String,
    /// Maker's name of the model.
    pub model: Option<String>,
    /// Serial number of the drive, where the tool tells it.
    pub serial: Option<String>,
    /// Size of what was accessed.
    pub size: Option<Bytes>,
    /// Type of the file system, such as `ext4`.
    pub file_system: Option<String>,
}

/// A row of another tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedRow {
    /// What was done, as far as the tool tells; the rest is as [`Workload::new`] has it.
    pub workload: Workload,
    /// What the tool printed of it.
    pub reported: Reported,
}

impl From<ImportedRun> for Run {
    fn from(run: ImportedRun) -> Self {
        let rows: Vec<Row> = run.rows.into_iter().map(Row::from).collect();
        // Whether other tools ran rows together is not told.
        let workloads = rows.iter().map(|row| row.workload.clone()).collect();
        let plan = Plan::in_turn(run.method.into(), 0, workloads);
        let schedule = Schedule {
            name: ScheduleName::Imported,
            ..Schedule::in_turn(1, Nanos(0))
        };
        let target = target(run.target, &run.origin.tool);
        Self {
            sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
            provenance: Provenance::Reported(run.origin),
            started_at: run.started_at,
            environment: run.environment,
            rows,
            command: run.command.unwrap_or_default(),
            ..Self::new(plan, schedule, target)
        }
    }
}

impl From<ImportedRow> for Row {
    /// A place has a survey, and what is no figure is left out.
    fn from(row: ImportedRow) -> Self {
        let ImportedRow {
            mut workload,
            mut reported,
        } = row;
        if let (Some(first), None) = (reported.samples.first(), &workload.survey()) {
            let sample_count = narrow(reported.samples.len());
            let sample = Sample::Bytes(first.bytes);
            workload.work = Work::Survey(Survey::new(sample_count, Visit::Ascending, sample));
        }
        let rates = [&mut reported.bandwidth, &mut reported.iops];
        for rate in rates.into_iter().flatten() {
            if !rate.trials.iter().all(|rate| is_figure(*rate)) {
                rate.trials.clear();
            }
        }
        if let Some(latency) = &mut reported.latency {
            let is_reported =
                |(percent, nanos): &(f64, f64)| percent.is_finite() && is_figure(*nanos);
            latency.percentiles.retain(is_reported);
        }
        reported.others.retain(|other| other.value.is_finite());
        Self {
            reported: Some(Box::new(reported)),
            ..Self::new(workload)
        }
    }
}

/// What a rate, a time or a count can be.
fn is_figure(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

fn target(imported: ImportedTarget, tool: &str) -> TargetInfo {
    // A run must be called by something.
    let name = match imported.name.is_empty() {
        true => format!("{tool}'s target"),
        false => imported.name.clone(),
    };
    let mut target = TargetInfo::new(&name, TargetKind::Imported);
    target.size_bytes = imported.size;
    target.file_system = imported.file_system.clone().map(|kind| FileSystem {
        kind,
        ..FileSystem::default()
    });
    target.direct_io = DirectIoSupport::Unknown;
    if imported.model.is_some() || imported.serial.is_some() {
        target.devices.push(device(imported));
    }
    target
}

fn device(imported: ImportedTarget) -> BlockDevice {
    BlockDevice {
        name: imported.name,
        is_leaf: true,
        model: imported.model,
        serial: imported.serial,
        ..BlockDevice::default()
    }
}
