//! What a workload does with its target.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FileTree, Survey};

/// What a workload does with its target: one of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Reads, writes and trims blocks, which have nothing to do with each other.
    #[default]
    Blocks,
    /// Reads blocks, changes some of them, and writes those back to where they were.
    Rewriting {
        /// How many of every hundred; 1 to 100.
        percent: u32,
    },
    /// Visits places of the span and measures each by itself.
    Survey(Survey),
    /// Creates, looks up or deletes many files, instead of blocks of one.
    Tree(FileTree),
}

impl Work {
    /// Whether it is done in the workload's own order, and not by places or files.
    pub const fn is_of_blocks(&self) -> bool {
        matches!(self, Self::Blocks | Self::Rewriting { .. })
    }
}
