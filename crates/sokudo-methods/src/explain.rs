//! `sokudo explain`: what a device's figures say about how it works.
//!
//! It chooses which probes are made and asks for leave to write. What their figures mean
//! is concluded in `sokudo-analysis`, for the rows of any command.

pub mod arguments;
pub mod plan;
mod rules;
mod table;

use arguments::Arguments;
use plan::{
    ExplainError, ExplainRequest, FULL_BYTES_PER_SECOND_GOOD, FULL_BYTES_PER_SECOND_MIN,
    StorageMedium,
};
use sokudo_measure::{Measurement, Named, TEST_FILE_SIZE, may_write};
use sokudo_model::{BlockDeviceKind, Bytes, Nanos, Plan, Schedule, Stage, TargetInfo, TargetKind};
use sokudo_terminal::exit::Exit;
use sokudo_words::{Text, text};

use crate::declared::{Declared, PageForm};
use crate::measuring::{Measuring, Planned};
use crate::{argument_checks, consent, measurement};

pub(crate) const DECLARED: Declared = Declared {
    form: PageForm::of_target(
        7,
        "only=zones|rotation|seek|read-cache|write-cache|shingles|map|parity|fast-cells|capacity, \
                  full, size, engine, direct",
    ),
    kinds: &[&plan::METHOD],
    showings: &[table::showing],
    rules: &[&rules::RULES],
    ..Declared::NONE
};

impl Measuring for Arguments {
    fn planned(&self) -> Result<Planned<'_>, Exit> {
        let target = &self.target;
        let named = Named::recognise(target)?;
        let seed = self.shared.seed_for(&named);
        consent::check_overwrite(target, named.kind(), self.shared.overwrite)?;
        let permission = self.shared.permission();
        let request = ExplainRequest {
            size: size(self, &named)?,
            block_min: argument_checks::block_min(&named, target)?,
            medium: medium(&named),
            fill: self.size,
            may_write: may_write(named.kind(), &permission).is_ok(),
            only: self.only.clone(),
            is_full: self.full,
            seed,
        };
        let planned = request.plan().map_err(|error| {
            let message = text!("{target}: {error}");
            match error {
                ExplainError::Writes { .. } => Exit::refused(message),
                ExplainError::Nothing { .. } => Exit::usage(message),
            }
        })?;
        let mut plan = planned.plan;
        drop_capacity_of_files(&mut plan, named.kind());
        let has_capacity = plan.stages.iter().any(is_check);
        if plan.stages.is_empty() || self.full && !has_capacity {
            return Err(Exit::usage(text!(
                "{target} is not a device, and only a device has a capacity to check; name the block device, with --destroy"
            )));
        }
        self.shared.set(&mut plan);
        let costs = costs(self, &request, named.kind(), planned.takes);
        let notes = planned.notes.into_iter().chain(costs).collect();
        let measurement = Measurement {
            schedule: Schedule::in_turn(1, Nanos(0)),
            test_file_size: self.size.unwrap_or(TEST_FILE_SIZE),
            notes,
            ..measurement::new(&self.shared, target, named, plan)
        };
        Ok(Planned::Rows(measurement, None))
    }
}

/// What it writes and how long it takes, where that is much.
fn costs(
    arguments: &Arguments,
    request: &ExplainRequest,
    kind: TargetKind,
    takes: Nanos,
) -> Vec<Text> {
    let mut notes = Vec::new();
    if arguments.full {
        let pass = |rate| whole_seconds(request.full_pass(rate));
        notes.push(text!(
            "--full writes and reads back all {size}: about {slow} at {slow_rate} MB/s, {good} at {good_rate} MB/s",
            size = request.size,
            slow = pass(FULL_BYTES_PER_SECOND_MIN),
            slow_rate = FULL_BYTES_PER_SECOND_MIN / 1_000_000,
            good = pass(FULL_BYTES_PER_SECOND_GOOD),
            good_rate = FULL_BYTES_PER_SECOND_GOOD / 1_000_000
        ));
    }
    if let Some(size) = request.fill.filter(|_| request.may_write) {
        notes.push(text!(
            "up to {size} are written to find where fast cells end, and flash wears with it"
        ));
    }
    if kind != TargetKind::Simulated {
        notes.push(text!(
            "this takes up to about {} on a slow disk",
            whole_seconds(takes)
        ));
    }
    notes
}

/// Only a device can say that it is larger than it is.
fn drop_capacity_of_files(plan: &mut Plan, kind: TargetKind) {
    if !matches!(kind, TargetKind::BlockDevice | TargetKind::Simulated) {
        plan.stages.retain(|stage| !is_check(stage));
    }
}

fn is_check(stage: &Stage) -> bool {
    stage.workloads.iter().any(|it| it.checks_capacity())
}

fn whole_seconds(time: Nanos) -> Text {
    match time.0.div_ceil(1_000_000_000) {
        seconds @ 0..120 => text!("{seconds} s"),
        seconds @ 120..7_200 => text!("{} min", seconds.div_ceil(60)),
        seconds => text!("{} h", seconds.div_ceil(3_600)),
    }
}

/// Size of what is measured.
fn size(arguments: &Arguments, named: &Named) -> Result<Bytes, Exit> {
    let target = &arguments.target;
    argument_checks::check_size(arguments.size.unwrap_or_default(), named.size(), target)?;
    match (argument_checks::known_size(named, target)?, named.kind()) {
        (Some(size), _) => Ok(size),
        (None, TargetKind::Directory) => Ok(arguments.size.unwrap_or(TEST_FILE_SIZE)),
        (None, _) => Err(Exit::usage(text!(
            "{target} is not a device, so there is nothing to explain; name a disk"
        ))),
    }
}

/// What the target's disks say they are.
fn medium(named: &Named) -> StorageMedium {
    match named {
        Named::Simulated(device) => medium_of([device.block_device().rotational]),
        Named::Null => StorageMedium::Unknown,
        Named::Path(inspected) => medium_of_target(&inspected.info),
    }
}

fn medium_of_target(target: &TargetInfo) -> StorageMedium {
    // Virtual disks say what their driver says, whatever is below; loop devices too.
    medium_of(target.leaves().map(|leaf| match leaf.kind {
        BlockDeviceKind::Disk | BlockDeviceKind::Partition => leaf.rotational,
        _ => None,
    }))
}

fn medium_of(leaves: impl IntoIterator<Item = Option<bool>>) -> StorageMedium {
    let leaves: Vec<Option<bool>> = leaves.into_iter().collect();
    match leaves.first() {
        Some(first) if leaves.iter().any(|leaf| leaf != first) => StorageMedium::Unknown,
        Some(Some(true)) => StorageMedium::Rotating,
        Some(Some(false)) => StorageMedium::Flash,
        _ => StorageMedium::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_of_one_kind_are_of_that_kind_and_others_are_unknown() {
        assert_eq!(medium_of([Some(true)]), StorageMedium::Rotating);
        assert_eq!(medium_of([Some(false), Some(false)]), StorageMedium::Flash);
        assert_eq!(medium_of([Some(true), Some(false)]), StorageMedium::Unknown);
        assert_eq!(medium_of([Some(true), None]), StorageMedium::Unknown);
        assert_eq!(medium_of([]), StorageMedium::Unknown);
    }

    #[test]
    fn long_times_are_told_in_minutes() {
        assert_eq!(whole_seconds(Nanos::from_secs(85)), "85 s");
        assert_eq!(whole_seconds(Nanos::from_secs(121)), "3 min");
    }
}
