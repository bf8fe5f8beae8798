//! A burn-in: disks written, read back, scanned and tested by themselves, and how they were before
//! and after it.
//!
//! What rules and documents say of what was done is answered here once. It judges nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::Health;
use crate::disk_assessment::DiskAssessment;
use crate::json::is_default;
use crate::self_test::{SelfTest, SelfTestKind, SelfTestResult};
use crate::target::{BlockDevice, BlockDeviceKind, TargetInfo, TargetKind};
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
    /// None of the drive's own tests.
    Off,
}

/// A drive under a target, as it said of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DriveHealth {
    /// The target that stands on it, as a place among those of the run, from 0.
    pub target: u32,
    /// Its kernel name then.
    pub drive: String,
    /// Serial number that the drive tells; `null` where it tells none.
    pub serial: Option<String>,
    /// Its health, by its own word.
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
    #[serde(rename = "slow_places")]
    pub slow_samples: u64,
    /// Whether it is as it should be.
    pub assessment: DiskAssessment,
}

/// A part of the work on one disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BurnInWork {
    /// What was to be done; null where samples are measured, whose size follows from the disk.
    #[serde(rename = "planned_bytes")]
    pub planned: Option<Bytes>,
    /// Bytes that were written or read.
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
    /// Length of all failed ranges together.
    pub bytes: Bytes,
    /// The first of them; null where there are none.
    pub first: Option<Bytes>,
}

/// A block that did not hold what was written to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WrongBlock {
    /// Its first byte on the disk.
    #[serde(rename = "offset_bytes")]
    pub offset: Bytes,
    /// What was found and what was expected.
    pub detail: String,
    /// Whether it holds the block of another place, as where a disk has less than it says.
    #[serde(rename = "is_of_another_place")]
    pub is_of_another_offset: bool,
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
    pub(crate) fn is_tested(&self, target: &TargetInfo) -> bool {
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
    /// Mean rate, in bytes per second; `None` where nothing was done.
    pub fn bytes_per_s(&self) -> Option<f64> {
        let bytes = self.done.0 as f64;
        (self.elapsed.0 > 0).then(|| bytes / self.elapsed.as_secs_f64())
    }
}
