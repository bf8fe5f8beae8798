//! What a device held where stamped blocks had been written to it, when they were read back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json::is_default;
use crate::units::Bytes;

/// Places all over a device, or all of it, written with blocks that tell where they belong,
/// and read back after more had been written elsewhere than a drive holds in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityCheck {
    /// Size that the device says it has.
    pub size: Bytes,
    /// Written elsewhere between writing a place and reading it back, at least.
    pub between: Bytes,
    /// What was written and read back, in order. Blocks side by side that hold alike are one.
    #[serde(rename = "places")]
    pub samples: Vec<CheckedSample>,
    /// Whether everything was written and read back, and not places alone.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_whole: bool,
    /// Of what was read back last, so much held its own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub own: Bytes,
    /// Which addresses have no block of their own, as far as that was found by trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedBlocks>,
}

impl CapacityCheck {
    /// What is stamped by itself.
    pub const BLOCK: Bytes = Bytes::kib(4);
}

/// A range of blocks that was written and read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckedSample {
    /// First byte of the range on the disk.
    pub offset: Bytes,
    /// How long it is: whole blocks that hold alike.
    #[serde(default = "one_block")]
    pub length: Bytes,
    /// What its blocks held when they were read back.
    pub held: Held,
}

const fn one_block() -> Bytes {
    CapacityCheck::BLOCK
}

/// What a block held when it was read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// What was written to it.
    Own,
    /// What was written to another place; of several blocks, the place of the first one's, and
    /// the others follow it.
    Other(Bytes),
    /// Nothing that was written by this check.
    Nothing,
    /// It could not be written or read: Linux's error number; 0 where nothing was moved and
    /// no error given.
    Refused(i32),
}

/// Addresses that share their blocks with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SharedBlocks {
    /// Each shares its block with those so far away, or a multiple of that.
    pub distance: Bytes,
    /// From here to the end none has a block that no other address tried has; each that was
    /// tried below has one among themselves.
    pub from: Bytes,
    /// Whether the blocks shared are those of addresses below; `null` where that was not
    /// found out.
    pub reaches_below: Option<bool>,
}
