//! Places of a target that are measured one by one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json::is_default;
use crate::units::{Bytes, Nanos};

/// Has a workload visit places of its span and measure each by itself: a curve over
/// the surface of a disk instead of one figure. What happened at each is in
/// [`crate::Outcome::places`]; I/O that fails there is noted in
/// [`crate::Outcome::defects`], and the survey goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Survey {
    /// How many places. At least 1.
    #[serde(rename = "places")]
    pub sample_count: u32,
    /// Where they are and in which order they are visited.
    pub visit: Visit,
    /// How much is done at each.
    pub sample: Sample,
    /// Reads this much at each place first, which is not measured, so that the way to
    /// it is no part of the figure (GNOME Disks: one page). Where it is missing, the way is measured.
    #[serde(default, skip_serializing_if = "is_default")]
    pub approach: Option<Bytes>,
    /// Whether writes write what was just read at the same place, and nothing else, so
    /// that the target holds the same afterwards. A flush ends each place and is part of
    /// its time (as in GNOME Disks). Only for workloads that only write.
    #[serde(default, skip_serializing_if = "is_default")]
    pub write_back: bool,
    /// An I/O that has not come back after this is told as hung, and the survey goes on behind
    /// it. Where it is missing, as long as it takes. Only for reads.
    #[serde(default, skip_serializing_if = "is_default")]
    pub timeout: Option<Nanos>,
    /// What lies before this was visited by an earlier part of the same survey.
    #[serde(default, skip_serializing_if = "is_default")]
    pub resumed_at: Option<SurveyPosition>,
    /// While it writes, one block of this much is read at each place, of what was written
    /// before: [`crate::Outcome::read_beside`] has how long that took. Only where places are
    /// written from the start to the end.
    #[serde(default, skip_serializing_if = "is_default")]
    pub read_beside: Option<Bytes>,
}

/// How far a survey has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SurveyPosition {
    /// Number of a place in the order of visits, from 0 on.
    #[serde(rename = "place")]
    pub index: u32,
    /// The first byte of it that is still to come.
    pub offset: Bytes,
}

impl Survey {
    /// Places that are measured with the way to them, and not written back.
    pub const fn new(sample_count: u32, visit: Visit, sample: Sample) -> Self {
        Self {
            sample_count,
            visit,
            sample,
            approach: None,
            write_back: false,
            timeout: None,
            resumed_at: None,
            read_beside: None,
        }
    }
}

/// Where the places of a survey are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Visit {
    /// Evenly over the span, from its start to its end.
    Ascending,
    /// Evenly over the span, in random order.
    Shuffled,
    /// At random, each one block.
    Random,
    /// Alternately from both ends towards the middle, each one block.
    Butterfly,
}

/// How much is done at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sample {
    /// So many bytes, block after block.
    Bytes(Bytes),
    /// As many blocks, one after the other, as this time allows.
    Time(Nanos),
    /// Everything up to the next place, so that the whole span is covered.
    Whole,
}

/// The state in which a drive's own write cache is to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DriveCache {
    /// Left in the state in which it is found.
    #[default]
    Keep,
    /// Switched on for the trial, and back after the run.
    On,
    /// Switched off for the trial, and back after the run.
    Off,
}
