//! How large one I/O is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Operation;
use crate::units::Bytes;

/// Block sizes of each direction. Never empty; no size and no weight is 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "SerializedBlocks", into = "SerializedBlocks")]
pub struct BlockSizes {
    /// Of reads, and of all that has none of its own.
    all: BlockChoice,
    /// Sizes of writes; `null` where `all` holds for them.
    write: Option<BlockChoice>,
    /// Sizes of trims; `null` where `all` holds for them.
    trim: Option<BlockChoice>,
}

/// As it stands in documents: a list of sizes, where that says all.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum SerializedBlocks {
    Same(Vec<BlockShare>),
    Each {
        all: BlockChoice,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        write: Option<BlockChoice>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trim: Option<BlockChoice>,
    },
}

impl From<SerializedBlocks> for BlockSizes {
    fn from(written: SerializedBlocks) -> Self {
        match written {
            SerializedBlocks::Same(shares) => Self::all(BlockChoice::Shares(shares)),
            SerializedBlocks::Each { all, write, trim } => Self { all, write, trim },
        }
    }
}

impl From<BlockSizes> for SerializedBlocks {
    fn from(sizes: BlockSizes) -> Self {
        match sizes {
            BlockSizes {
                all: BlockChoice::Shares(shares),
                write: None,
                trim: None,
            } => Self::Same(shares),
            BlockSizes { all, write, trim } => Self::Each { all, write, trim },
        }
    }
}

/// How the size of the next I/O is chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockChoice {
    /// One of these by weight (fio: `bs`, `bssplit`).
    Shares(Vec<BlockShare>),
    /// Any multiple of `smallest` up to `largest`, all alike (fio: `bsrange`).
    Range {
        /// The smallest size, and what sizes are multiples of.
        smallest: Bytes,
        /// Largest size; it occurs even where it is no multiple of `smallest`.
        largest: Bytes,
    },
    /// Any number of bytes from `smallest` to `largest`, all alike (fio: `bsrange` with
    /// `bs_unaligned`).
    AnyBytes {
        /// Smallest size of an I/O, in bytes.
        smallest: Bytes,
        /// Largest size of an I/O, in bytes.
        largest: Bytes,
    },
}

/// One block size and how often it is used relative to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockShare {
    /// Size of one I/O.
    pub bytes: Bytes,
    /// Weight relative to the sum of all weights.
    pub weight: u32,
}

impl BlockChoice {
    /// Whether a choice is possible and no size or weight is 0.
    pub fn is_valid(&self) -> bool {
        match self {
            Self::Shares(shares) => {
                !shares.is_empty() && shares.iter().all(|s| s.bytes.0 > 0 && s.weight > 0)
            }
            Self::Range { smallest, largest } | Self::AnyBytes { smallest, largest } => {
                smallest.0 > 0 && smallest <= largest
            }
        }
    }

    /// Smallest size that one I/O may have.
    pub fn smallest(&self) -> Bytes {
        match self {
            Self::Shares(shares) => shares.iter().map(|s| s.bytes).min().unwrap_or_default(),
            Self::Range { smallest, .. } | Self::AnyBytes { smallest, .. } => *smallest,
        }
    }

    /// Largest size that one I/O may have.
    pub fn largest(&self) -> Bytes {
        match self {
            Self::Shares(shares) => shares.iter().map(|s| s.bytes).max().unwrap_or_default(),
            Self::Range { largest, .. } | Self::AnyBytes { largest, .. } => *largest,
        }
    }
}

impl BlockSizes {
    /// One size. A size of 0 is refused when the plan is checked.
    pub fn one(bytes: Bytes) -> Self {
        Self::all(BlockChoice::Shares(vec![BlockShare { bytes, weight: 1 }]))
    }

    /// Several sizes; `None` if there are none, or one is 0 or weighs 0.
    pub fn mix(shares: Vec<BlockShare>) -> Option<Self> {
        let choice = BlockChoice::Shares(shares);
        choice.is_valid().then(|| Self::all(choice))
    }

    /// Sizes of reads, writes and trims; `None` if one of them is not valid.
    pub fn per_direction(read: BlockChoice, write: BlockChoice, trim: BlockChoice) -> Option<Self> {
        let own = |choice: BlockChoice| (choice != read).then_some(choice);
        let valid = read.is_valid() && write.is_valid() && trim.is_valid();
        valid.then(|| Self {
            write: own(write),
            trim: own(trim),
            all: read.clone(),
        })
    }

    fn all(choice: BlockChoice) -> Self {
        Self {
            all: choice,
            write: None,
            trim: None,
        }
    }

    /// Each size with its weight, where that is the same for every operation and no
    /// range.
    pub fn shares(&self) -> Option<&[BlockShare]> {
        match (&self.all, &self.write, &self.trim) {
            (BlockChoice::Shares(shares), None, None) => Some(shares),
            _ => None,
        }
    }

    /// How sizes are chosen for an operation.
    pub fn of(&self, operation: Operation) -> &BlockChoice {
        let own = match operation {
            Operation::Write => self.write.as_ref(),
            Operation::Trim => self.trim.as_ref(),
            _ => None,
        };
        own.unwrap_or(&self.all)
    }

    /// The size, when there is only one.
    pub fn single(&self) -> Option<Bytes> {
        let (smallest, largest) = (self.smallest(), self.largest());
        (smallest == largest).then_some(smallest)
    }

    /// The smallest size: what offsets are aligned to.
    pub fn smallest(&self) -> Bytes {
        self.choices()
            .map(BlockChoice::smallest)
            .min()
            .unwrap_or_default()
    }

    /// The largest size: what a buffer must hold.
    pub fn largest(&self) -> Bytes {
        self.choices()
            .map(BlockChoice::largest)
            .max()
            .unwrap_or_default()
    }

    fn choices(&self) -> impl Iterator<Item = &BlockChoice> {
        std::iter::once(&self.all)
            .chain(&self.write)
            .chain(&self.trim)
    }
}
