//! How what was written is checked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// With what blocks are stamped, so that it shows whether they hold what was written there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// With which write of this workload they are, which is remembered and read back. Only of
    /// blocks in a pattern.
    Writes(WriteCheck),
    /// With what follows from this number and their place alone: they are written so, or
    /// checked to hold it, which [`crate::Outcome::verified`] counts. Only of a survey that
    /// visits the whole span from start to end.
    Seals(u64),
    /// With where they belong: they are written all over the target and read back, and nothing
    /// else is done: is it as large as it says? ([`crate::CapacityCheck`])
    Capacity,
}

/// How the writes of a workload are checked (fio: `verify`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WriteCheck {
    /// What each block carries.
    pub check: Check,
    /// Bytes per header; `null` is the block's size (fio: `verify_interval`).
    pub interval: Option<Bytes>,
    /// Where in the interval the header lies (fio: `verify_offset`).
    pub offset: Bytes,
    /// What fills the block besides the header; `null` is random (fio: `verify_pattern`).
    pub pattern: Option<Vec<PatternPart>>,
    /// Whether what was written is read back after each pass (fio: `do_verify`).
    pub read_back: bool,
    /// Writes after which what was written since is read back meanwhile (fio:
    /// `verify_backlog`); `null` is at the end of the pass.
    pub backlog: Option<u64>,
    /// How many blocks are then read back at a time; `null` is all of them (fio: `verify_backlog_batch`).
    pub backlog_batch: Option<u64>,
    /// Whether nothing is written, only checked (fio: `verify_only`).
    pub only: bool,
    /// Whether the first bad block ends the workload (fio: `verify_fatal`).
    pub fatal: bool,
    /// Whether bad blocks are written to files beside the target (fio: `verify_dump`).
    pub dump: bool,
    /// Whether the state is saved for a later check (fio: `verify_state_save`).
    pub save_state: bool,
}

impl WriteCheck {
    /// All that was written is read back at the end of the pass, and nothing else.
    pub fn of(check: Check) -> Self {
        Self {
            check,
            read_back: true,
            ..Self::default()
        }
    }
}

/// What a block carries so that it can be checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of checksums speak for themselves")]
pub enum Check {
    Md5,
    Crc64,
    Crc32c,
    Crc32,
    Crc16,
    Crc7,
    Xxhash,
    Sha512,
    Sha256,
    Sha1,
    Sha3_224,
    Sha3_256,
    Sha3_384,
    Sha3_512,
    /// A header without a checksum.
    Header,
    /// The pattern with a header before it.
    PatternHeader,
    /// The pattern alone, without a header.
    Pattern,
    /// Nothing: what it costs to read back.
    #[default]
    Null,
}

/// A piece of a verify pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PatternPart {
    /// These bytes as they are.
    Bytes(Vec<u8>),
    /// The block's offset in its file, 8 bytes, in the machine's byte order (fio: `%o`).
    Offset,
}
