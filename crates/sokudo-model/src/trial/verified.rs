//! What checking of written blocks found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// What checking what was written found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerifyOutcome {
    /// Blocks that were checked.
    pub checked: u64,
    /// Blocks that were wrong.
    pub wrong: u64,
    /// The first of them, each with what is wrong in a sentence.
    pub mismatches: Vec<Mismatch>,
}

impl VerifyOutcome {
    /// Bad blocks that are described; more are only counted, since a device that fails
    /// everywhere would otherwise fill the memory.
    pub const MISMATCHES_MAX: usize = 64;

    /// Counts a block that was checked, with what is wrong with it.
    pub fn count(&mut self, wrong: Option<Mismatch>) {
        self.checked += 1;
        self.wrong += u64::from(wrong.is_some());
        self.describe(wrong);
    }

    /// Keeps descriptions of what is wrong as far as there is room for them.
    pub fn describe(&mut self, wrong: impl IntoIterator<Item = Mismatch>) {
        let room = Self::MISMATCHES_MAX.saturating_sub(self.mismatches.len());
        self.mismatches.extend(wrong.into_iter().take(room));
    }
}

/// A block that does not hold what was written to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mismatch {
    /// Name of the file or device that holds the block.
    pub file: String,
    /// First byte of the block in that file.
    pub offset: Bytes,
    /// How long the block is.
    pub length: Bytes,
    /// What is wrong with it.
    pub kind: MismatchKind,
    /// What was found and what was expected, in words.
    pub detail: String,
}

/// What is wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MismatchKind {
    /// There is no header of ours: it was never written, or is overwritten.
    NoHeader,
    /// The checksum does not fit the data: flipped bits.
    Checksum,
    /// It is an earlier version of this very block: a write that was lost.
    Stale,
    /// It is the block of another offset: swapped or misdirected.
    WrongOffset,
    /// The pattern is not there.
    Pattern,
    /// Its length is another one.
    Length,
    /// It was written by another job.
    WrongJob,
}
