//! A burn-in: disks written, read back, scanned and tested by themselves, and how they were before
//! and after it.
//!
//! What rules and documents say of what was done is answered here once. It judges nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::Health;
use crate::disk_assessment::DiskAssessment;
use crate::json::is_default;
use crate::narrow::narrow;
use crate::plan::Operation;
use crate::run::Run;
use crate::self_test::{SelfTest, SelfTestKind, SelfTestResult};
use crate::sharing::disk_of;
use crate::target::{BlockDevice, BlockDeviceKind, TargetInfo, TargetKind};
use crate::trial::{MismatchKind, Outcome, Row, StopReason};
use crate::units::{Bytes, Nanos};

/// What a burn-in has beside its rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BurnIn {
    /// Which of the drives' own tests were asked for.
    pub tests: BurnInTests,
    /// How drives were before anything was written.
    pub before: Vec<DriveHealth>,
    /// How they were at the end.
    pub after: Vec<DriveHealth>,
    /// The drives' own tests, in the order in which they ended.
    pub self_tests: Vec<SelfTest>,
    /// What has come of each disk, in the order of the targets; empty until it is judged.
    pub disks: Vec<BurnInDisk>,
}

/// Which of a drive's own tests are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BurnInTests {
    /// The short one before anything is written, the extended one at the end.
    #[default]
    Both,
    /// The short one alone, before anything is written.
    Short,
    /// None.
    Off,
}

/// A drive under a target, as it said of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriveHealth {
    /// The target that stands on it, as a place among those of the run, from 0.
    pub target: u32,
    /// Its kernel name then.
    pub drive: String,
    /// Its serial number.
    pub serial: Option<String>,
    /// What it said.
    pub health: Health,
}

/// What has come of one disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BurnInDisk {
    /// The disk, as it was named.
    pub name: String,
    /// What it is called in the names of rows; null where it is the only one.
    pub label: Option<String>,
    /// Whether everything was done that was to be done.
    pub is_whole: bool,
    /// What was written, in all passes.
    pub written: BurnInWork,
    /// What was read back.
    pub read_back: BurnInWork,
    /// What was read for the scan.
    pub scanned: BurnInWork,
    /// What answered writes with errors, or not at all.
    pub unwritable: FailedRanges,
    /// The same of reads, of all passes and the scan.
    pub unreadable: FailedRanges,
    /// Blocks that were checked.
    pub blocks: u64,
    /// Blocks that were read back and not checked, which is a fault of sokudo's own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unchecked_blocks: u64,
    /// Blocks that did not hold what was written to them.
    pub wrong_blocks: u64,
    /// The first of them, with what is wrong, in English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_wrong: Option<WrongBlock>,
    /// Places at which reading took far longer than elsewhere, again when they were read once more.
    pub slow_places: u64,
    /// Whether it is as it should be.
    pub assessment: DiskAssessment,
}

/// A part of the work on one disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BurnInWork {
    /// What was to be done; null where samples are measured, whose size follows from the disk.
    #[serde(rename = "planned_bytes")]
    pub planned: Option<Bytes>,
    /// What was done.
    #[serde(rename = "bytes")]
    pub done: Bytes,
    /// How long that took.
    #[serde(rename = "elapsed_ns")]
    pub elapsed: Nanos,
    /// Whether the disk stopped answering in it.
    pub is_given_up: bool,
    /// Rows that were carried out to their ends.
    pub rows_done: u32,
    /// Rows that there are.
    pub rows: u32,
}

/// Bytes of a disk that failed, each counted once however often they did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailedRanges {
    /// How many.
    pub bytes: Bytes,
    /// The first of them; null where there are none.
    pub first: Option<Bytes>,
}

impl FailedRanges {
    fn of<'a>(outcomes: impl Iterator<Item = &'a Outcome>, is_write: bool) -> Self {
        let defects = outcomes.flat_map(|outcome| &outcome.defects);
        let meant = defects.filter(|it| (it.operation == Operation::Write) == is_write);
        let mut ranges: Vec<(u64, u64)> = meant
            .map(|it| (it.offset.0, it.offset.0.saturating_add(it.length.0)))
            .collect();
        ranges.sort_unstable();
        let (mut bytes, mut end) = (0, 0);
        for (from, to) in &ranges {
            bytes += to.saturating_sub(end.max(*from));
            end = end.max(*to);
        }
        Self {
            bytes: Bytes(bytes),
            first: ranges.first().map(|(from, _)| Bytes(*from)),
        }
    }
}

/// A block that did not hold what was written to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WrongBlock {
    /// Where it is.
    #[serde(rename = "offset_bytes")]
    pub offset: Bytes,
    /// What was found and what was expected.
    pub detail: String,
    /// Whether it holds the block of another place, as where a disk has less than it says.
    pub is_of_another_place: bool,
}

/// What a row of a burn-in does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BurnInPart {
    Write,
    ReadBack,
    Scan,
}

impl BurnInPart {
    fn of(row: &Row) -> Self {
        let is_sealed = row.workload.survey.is_some_and(|it| it.sealed.is_some());
        match row.workload.operations.single() {
            _ if !is_sealed => Self::Scan,
            Some(Operation::Write) => Self::Write,
            _ => Self::ReadBack,
        }
    }
}

impl BurnInDisk {
    /// What the rows of a run say of its disks, in the order of the targets, each with an
    /// assessment that says nothing.
    pub fn all_of(run: &Run, burn_in: &BurnIn) -> Vec<Self> {
        let one = std::slice::from_ref(&run.target);
        let targets = match run.targets.is_empty() {
            true => one,
            false => &run.targets,
        };
        let of_one = |(number, target): (u32, &TargetInfo)| {
            let rows = run.rows.iter();
            let rows = rows.filter(|row| row.workload.targets() == [narrow::<u32, usize>(number)]);
            let disk = Self::of_rows(&target.name, &rows.collect::<Vec<_>>());
            Self {
                is_whole: disk.is_whole && burn_in.is_tested(target),
                ..disk
            }
        };
        (0..).zip(targets).map(of_one).collect()
    }

    fn of_rows(name: &str, rows: &[&Row]) -> Self {
        let work = |part| {
            let rows = rows.iter().copied();
            BurnInWork::of(rows.filter(|row| BurnInPart::of(row) == part))
        };
        let checks = || outcomes(rows).filter_map(|outcome| outcome.verified.as_ref());
        let checked: u64 = checks().map(|check| check.checked).sum();
        let read_back = rows.iter().copied();
        let read_back = read_back.filter(|row| BurnInPart::of(row) == BurnInPart::ReadBack);
        let read_back: Vec<&Row> = read_back.collect();
        let read: u64 = outcomes(&read_back).map(Outcome::ios).sum();
        let first = checks().flat_map(|check| &check.mismatches).next();
        let slow = |row: &&Row| {
            let slow = row.slow.as_deref()?;
            let again = slow.places.iter();
            Some(
                again
                    .filter(|place| slow.is_slow_again(place) == Some(true))
                    .count() as u64,
            )
        };
        let [written, read_back, scanned] =
            [BurnInPart::Write, BurnInPart::ReadBack, BurnInPart::Scan].map(work);
        let all = [written, read_back, scanned];
        let named = rows.first().and_then(|row| disk_of(&row.workload.name));
        Self {
            name: name.to_owned(),
            label: named.map(str::to_owned),
            unwritable: FailedRanges::of(outcomes(rows), true),
            unreadable: FailedRanges::of(outcomes(rows), false),
            is_whole: all.iter().all(|work| work.rows_done == work.rows) && read <= checked,
            written,
            read_back,
            scanned,
            blocks: checked,
            unchecked_blocks: read.saturating_sub(checked),
            wrong_blocks: checks().map(|check| check.wrong).sum(),
            first_wrong: first.map(|wrong| WrongBlock {
                offset: wrong.offset,
                detail: wrong.detail.clone(),
                is_of_another_place: wrong.kind == MismatchKind::WrongOffset,
            }),
            slow_places: rows.iter().filter_map(slow).sum(),
            assessment: DiskAssessment {
                answer: None,
                points: Vec::new(),
            },
        }
    }
}

impl BurnIn {
    /// The drives under a target that test themselves: those that a device stands on, with no file
    /// between them, whose disk is somebody else's.
    pub fn tested_drives(target: &TargetInfo) -> impl Iterator<Item = &BlockDevice> {
        let is_device = target.kind == TargetKind::BlockDevice;
        let has_file = |device: &BlockDevice| device.kind == BlockDeviceKind::Loop;
        let is_meant = is_device && !target.devices.iter().any(has_file);
        let is_drive = |leaf: &BlockDevice| {
            use BlockDeviceKind::{Disk, VirtualDisk};
            matches!(leaf.kind, Disk | VirtualDisk)
        };
        target
            .leaves()
            .filter(move |leaf| is_meant && is_drive(leaf))
    }

    /// Whether all tests that are to be made of a target's drives have come to an end.
    fn is_tested(&self, target: &TargetInfo) -> bool {
        let kinds: &[SelfTestKind] = match self.tests {
            BurnInTests::Both => &[SelfTestKind::Short, SelfTestKind::Extended],
            BurnInTests::Short => &[SelfTestKind::Short],
            BurnInTests::Off => &[],
        };
        Self::tested_drives(target).all(|drive| {
            kinds.iter().all(|kind| {
                // Of two partitions the drive is tested for one.
                let mut tests = self.self_tests.iter().filter(|it| it.disk == drive.name);
                tests.any(|it| it.kind == *kind && it.result != SelfTestResult::Aborted)
            })
        })
    }

    /// The tests of a target's drives.
    pub fn tests_of(&self, target: u32) -> impl Iterator<Item = &SelfTest> {
        self.self_tests.iter().filter(move |it| it.target == target)
    }
}

impl BurnInWork {
    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut work = Self::default();
        let mut planned = 0;
        for row in rows {
            work.rows += 1;
            let is_sealed = row.workload.survey.is_some_and(|it| it.sealed.is_some());
            planned += row
                .workload
                .span
                .filter(|_| is_sealed)
                .map_or(0, |it| it.length.0);
            let Some(trial) = row.trials.first() else {
                continue;
            };
            let outcome = &trial.outcome;
            work.rows_done += u32::from(is_whole(row, outcome));
            work.is_given_up |= outcome.stopped == StopReason::Failed;
            work.done.0 += outcome.bytes_moved().0;
            work.elapsed.0 += outcome.elapsed.0;
        }
        work.planned = (planned > 0).then_some(Bytes(planned));
        work
    }

    /// Mean rate, in bytes per second; `None` where nothing was done.
    pub fn bytes_per_s(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a rate is no more precise")]
        let bytes = self.done.0 as f64;
        (self.elapsed.0 > 0).then(|| bytes / self.elapsed.as_secs_f64())
    }
}

fn outcomes<'a>(rows: &'a [&Row]) -> impl Iterator<Item = &'a Outcome> {
    rows.iter()
        .flat_map(|row| &row.trials)
        .map(|trial| &trial.outcome)
}

/// Whether all places of a row were visited.
fn is_whole(row: &Row, outcome: &Outcome) -> bool {
    let places = row.workload.survey.map_or(0, |survey| survey.places);
    outcome.left_at.is_none() && outcome.places.len() >= places as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::BackendKind;
    use crate::trial::{Defect, FailureKind};

    fn outcome(defects: &[(u64, u64, Operation)]) -> Outcome {
        let mut outcome = Outcome::new(BackendKind::Sim, StopReason::Bytes);
        let defect = |(offset, length, operation): &(u64, u64, Operation)| Defect {
            operation: *operation,
            offset: Bytes(*offset),
            length: Bytes(*length),
            kind: FailureKind::Errno(5),
        };
        outcome.defects = defects.iter().map(defect).collect();
        outcome
    }

    #[test]
    fn what_fails_in_several_passes_counts_once() {
        use Operation::{Read, Write};
        let passes = [
            outcome(&[(100, 10, Read), (200, 10, Read), (0, 50, Write)]),
            outcome(&[(105, 10, Read), (200, 5, Read)]),
        ];
        let of = |is_write| FailedRanges::of(passes.iter(), is_write);
        assert_eq!(
            (of(false).bytes, of(false).first),
            (Bytes(25), Some(Bytes(100)))
        );
        assert_eq!(
            (of(true).bytes, of(true).first),
            (Bytes(50), Some(Bytes(0)))
        );
        assert_eq!(FailedRanges::of([].iter(), true), FailedRanges::default());
    }
}
