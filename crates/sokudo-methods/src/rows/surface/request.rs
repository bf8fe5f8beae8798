//! What is asked of a surface, and why it cannot be.

use sokudo_model::{Bytes, DriveCache, Nanos};

use crate::rows::surface::level::Level;
use crate::rows::surface::position::Position;

/// Blocks that devices and buffers can be asked for.
pub const BLOCK_MAX: Bytes = sokudo_tools::crystaldiskmark::BLOCK_MAX;

/// What is asked of a surface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurfaceRequest {
    /// Whose way it is measured in.
    pub preset: SurfacePreset,
    /// Size of the target.
    pub size: Bytes,
    /// The smallest block that the target takes.
    pub block_min: Bytes,
    /// Only so much from the start.
    pub short_stroke: Option<Bytes>,
    /// Only what lies behind it; results tell the places of the whole target.
    pub from: Option<Position>,
    /// Only what lies before it.
    pub to: Option<Position>,
    /// Places of the curve.
    pub points: Option<u32>,
    /// How much is moved at each.
    pub sample: Option<Bytes>,
    /// Size of one I/O of the curve.
    pub block: Option<Bytes>,
    /// I/Os in flight on the curve.
    pub depth: Option<u32>,
    /// Whether places are visited in random order.
    pub shuffle: bool,
    /// I/Os of each row that measures access times; 0 leaves the row beside the curve out.
    pub access_count: Option<u32>,
    /// Size of the I/Os of that row.
    pub access_size: Option<Bytes>,
    /// Whether random access is measured by size.
    pub random: bool,
    /// Whether HD Tune's extra tests are made.
    pub extra: bool,
    /// How long a read is waited for.
    pub timeout: Option<Nanos>,
    /// Whether and how it is written, too.
    pub writes: Writes,
    /// States of the drive's write cache, each of which gets rows of its own.
    pub caches: Vec<DriveCache>,
}

impl SurfaceRequest {
    /// All of a target of this size, only read, as the preset has it.
    pub fn reading(preset: SurfacePreset, size: Bytes, block_min: Bytes) -> Self {
        Self {
            preset,
            size,
            block_min,
            caches: vec![DriveCache::Keep],
            ..Self::default()
        }
    }
}

/// Whose way a surface is measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SurfacePreset {
    /// 200 places of 10 MiB, by blocks of 1 MiB at depth 8, so that the rate is the drive's.
    #[default]
    Surface,
    /// GNOME Disks: 100 places, at each one page unmeasured and then one I/O of 10 MiB;
    /// 1000 access times.
    Gnome,
    /// HD Tune: 200 places, at each blocks of 64 KiB one by one for a time.
    HdTune(Level),
    /// Everything, in 200 parts.
    Full,
}

impl SurfacePreset {
    pub fn name(self) -> String {
        match self {
            Self::Surface => "surface".to_owned(),
            Self::Gnome => "gnome".to_owned(),
            Self::HdTune(level) => format!("hdtune-{level}"),
            Self::Full => "full".to_owned(),
        }
    }

    /// I/Os of a row that measures access times.
    pub(super) const fn access_count(self) -> u32 {
        match self {
            Self::Gnome => 1000,
            _ => 200,
        }
    }
}

/// Whether and how a surface is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writes {
    /// It is only read.
    #[default]
    None,
    /// What was just read is written again.
    Back,
    /// New data is written.
    New,
}

/// Why a surface cannot be measured so.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum SurfaceError {
    /// The part that is asked for is not there.
    #[error("{option} is {requested}, but the target has only {size}; use less, or leave it out")]
    Beyond {
        option: &'static str,
        requested: Bytes,
        size: Bytes,
    },
    /// The part that is asked for holds nothing.
    #[error("from {from} to {to} of {size} there is no block to measure; set --to after --from")]
    Empty {
        from: Position,
        to: Position,
        size: Bytes,
    },
    /// A size that is no number of whole blocks of the target.
    #[error("{option} is {requested}; use a multiple of {block_min}, which is the target's block, up to {block_max}", block_max = BLOCK_MAX)]
    Block {
        option: &'static str,
        requested: Bytes,
        /// Logical block of the target, in bytes.
        block_min: Bytes,
    },
    /// A sample that holds no block of the target.
    #[error("--sample is {requested}, and one block has {block}; use at least that")]
    Sample { requested: Bytes, block: Bytes },
    /// The target is smaller than one block.
    #[error(
        "there are {size} to measure, which is less than one block of {block}; use a smaller --block, or a larger target"
    )]
    Small { size: Bytes, block: Bytes },
    #[error(
        "nothing is left to measure; use --points or --access-count above 0, --random or --extra"
    )]
    Nothing,
}
