//! What disks keep of their rates when they are used at the same time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Run, SharedRates, Sharing, SharingDisk, SharingTest};

/// Tests of several disks, each made on each of them alone and on all together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SharingDocument {
    /// In the order of the plan.
    pub tests: Vec<SharingTestDocument>,
    /// The targets, as they were named; disks are told by their places in it.
    pub targets: Vec<String>,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SharingTestDocument {
    /// What people call it, such as `SEQ1M Q8T1`.
    pub name: String,
    /// Each disk, in the order of `targets`.
    pub disks: Vec<SharingDiskDocument>,
    /// All disks added; null until all were measured.
    pub sum: Option<SharedRatesDocument>,
}

/// One disk in a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SharingDiskDocument {
    /// What it is called in the names of results.
    pub disk: String,
    /// Its place in `targets`, from 0.
    pub target: usize,
    /// The place of its result alone in `results`, from 0.
    pub alone: usize,
    /// The same together with the others.
    pub together: usize,
    /// What it keeps; null until both were measured.
    pub rates: Option<SharedRatesDocument>,
}

/// What is left of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SharedRatesDocument {
    /// Bytes per second alone, the median of the trials; of all disks the sum.
    pub alone_bytes_per_s: f64,
    /// The same together with the others.
    pub together_bytes_per_s: f64,
    /// Together ÷ alone.
    pub kept: f64,
    /// Its 95 % interval by the trials of both; null with too few of them, and of a sum.
    pub kept_interval_95: Option<[f64; 2]>,
    /// Whether sharing costs something: it keeps 95 % at most, and its interval is below 100 %.
    pub loses: bool,
}

impl SharingDocument {
    /// What a run has come to that has measured disks alone and together; `None` of any other.
    pub(super) fn of(run: &Run) -> Option<Self> {
        let sharing = Sharing::of(run)?;
        Some(Self {
            tests: sharing.tests.iter().map(SharingTestDocument::of).collect(),
            targets: run.targets.iter().map(|it| it.name.clone()).collect(),
        })
    }
}

impl SharingTestDocument {
    fn of(test: &SharingTest) -> Self {
        Self {
            name: test.name.clone(),
            disks: test.disks.iter().map(SharingDiskDocument::of).collect(),
            sum: test.sum().map(|it| SharedRatesDocument::of(&it)),
        }
    }
}

impl SharingDiskDocument {
    fn of(disk: &SharingDisk) -> Self {
        Self {
            disk: disk.label.clone(),
            target: disk.target,
            alone: disk.alone,
            together: disk.together,
            rates: disk.rates.as_ref().map(SharedRatesDocument::of),
        }
    }
}

impl SharedRatesDocument {
    fn of(rates: &SharedRates) -> Self {
        Self {
            alone_bytes_per_s: rates.alone,
            together_bytes_per_s: rates.together,
            kept: rates.kept,
            kept_interval_95: rates.kept_95.map(|it| [it.low, it.high]),
            loses: rates.is_loss(),
        }
    }
}
