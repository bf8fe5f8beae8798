//! Which targets a workload uses, and in which turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Distribution;
use crate::json::is_default;
use crate::units::Bytes;

/// The targets that a workload uses, and in which turn. Without any, it uses the
/// stage's first target, or its `span`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Files {
    /// Each target with the part that is used of it.
    pub uses: Vec<FileUse>,
    /// Which one is next.
    pub service: FileService,
    /// Targets held open at once; the others are closed and opened in turn. `null` is all.
    pub open_max: Option<u32>,
    /// Whether they are emptied first, so that finding room for their blocks is part of
    /// writing them. For files of sokudo's own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub from_empty: bool,
}

/// One target of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileUse {
    /// Its index in the stage's targets.
    pub target: u32,
    /// Which part of it is used; `null` is all of it.
    pub span: Option<Span>,
}

/// Which of several targets the next I/O goes to (fio: `file_service_type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileService {
    /// In which order targets are chosen.
    pub order: FileOrder,
    /// I/Os on one target before the next is chosen. At least 1.
    pub ios: u32,
}

impl Default for FileService {
    fn default() -> Self {
        Self {
            order: FileOrder::RoundRobin,
            ios: 1,
        }
    }
}

/// In which order several targets are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileOrder {
    /// One target after the other, then the first again.
    #[default]
    RoundRobin,
    /// One until it is done, then the next.
    Sequential,
    /// At random, in this distribution.
    Random(Distribution),
}

/// A part of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// First byte of the part, counted from the target's start.
    pub offset: Bytes,
    /// Length of the part in bytes.
    pub length: Bytes,
}

impl Span {
    /// The first `length` of a target.
    pub const fn from_start(length: Bytes) -> Self {
        Self {
            offset: Bytes(0),
            length,
        }
    }
}
