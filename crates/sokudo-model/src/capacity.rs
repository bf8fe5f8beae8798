//! What places of a device held when what had been written to them was read back.

use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// Places all over a device, written with blocks that tell where they belong, and read
/// back after more had been written elsewhere than a drive holds in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapacityCheck {
    /// Size that the device says it has.
    pub size: Bytes,
    /// Written elsewhere between writing a place and reading it back.
    pub between: Bytes,
    /// The places that could be written and read, in order.
    pub places: Vec<CheckedSample>,
}

impl CapacityCheck {
    /// What is written to a place and read back.
    pub const BLOCK: Bytes = Bytes::kib(4);
}

/// One place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedSample {
    /// Its first byte.
    pub offset: Bytes,
    /// What it held.
    pub held: Held,
}

/// What a block held when it was read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// What was written to it.
    Own,
    /// What was written to another place.
    Other(Bytes),
    /// Nothing that was written by this check.
    Nothing,
}
