//! What writes contain, and when they are durable.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json::is_default;
use crate::units::Bytes;

/// When writes are made durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Durability {
    /// fsync after this many writes, before the next one: none follows the last.
    pub fsync_every: Option<u32>,
    /// fdatasync after this many writes, likewise.
    pub fdatasync_every: Option<u32>,
    /// Every write returns only when durable (`RWF_DSYNC`: FUA where the device
    /// has it).
    pub write_through: bool,
    /// Together with `write_through`: its metadata too (`O_SYNC`; fio: `sync=1`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub with_metadata: bool,
    /// One fsync when a file is closed (fio: `fsync_on_close`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub flush_on_close: bool,
    /// One fsync when all is written, inside the measured time.
    pub final_flush: bool,
}

/// Content of the blocks that are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DataContent {
    /// Random bytes, no two blocks of 4 KiB alike, nor two I/Os.
    Random,
    /// Zero bytes, which a drive may compress or not store.
    Zero,
    /// The same random bytes in every I/O (fio without `refill_buffers`, DiskSpd's
    /// write source).
    Repeated,
    /// These bytes, over and over (fio: `buffer_pattern`). Never empty.
    Pattern(Vec<u8>),
    /// Random bytes that compress or repeat to a degree.
    Reducible(Reducible),
}

/// Data that compresses and deduplicates to a degree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reducible {
    /// Percentage of each chunk that compresses away, 0 to 100 (fio:
    /// `buffer_compress_percentage`).
    pub compress_percent: u32,
    /// Size of a chunk; `null` is the I/O's own (fio: `buffer_compress_chunk`).
    pub chunk: Option<Bytes>,
    /// What stands where it compresses; empty is zeros.
    pub filler: Vec<u8>,
    /// Percentage of I/Os that repeat an earlier one, 0 to 100 (fio:
    /// `dedupe_percentage`).
    pub dedupe_percent: u32,
}
