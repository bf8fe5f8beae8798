//! Why a sweep cannot be.

use sokudo_model::Bytes;
use sokudo_tools::crystaldiskmark::{BLOCK_MAX, BLOCK_MIN};

/// More cells than anybody waits for: at a second each, and six trials, these take three
/// and a half hours.
pub const CELLS_MAX: usize = 2_048;

/// Why a sweep cannot be.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum SweepError {
    /// A size that no block can have.
    #[error("{size} is no block size; use a multiple of 512 B from {BLOCK_MIN} to {BLOCK_MAX}")]
    Size { size: String },
    /// An end of a range that doubling does not lead to.
    #[error(
        "{size} is not a power of two, and a range doubles from start to end; list them instead (--sizes 4K,12K, --depths 3,6)"
    )]
    NoPower { size: String },
    /// A range that goes backwards.
    #[error("the range from {from} to {to} goes backwards; swap them")]
    Backwards { from: String, to: String },
    /// A count out of its range.
    #[error("\"{count}\" is no number from 1 to {max}; use a list (1,2,8) or a range (1..256)")]
    Count {
        count: String,
        /// The most there can be.
        max: u32,
    },
    /// An axis without anything on it.
    #[error("the list is empty; name at least one, such as 4K or 1..32")]
    Empty,
    /// A list with the same thing twice.
    #[error("{value} is there twice; leave one out")]
    Twice { value: String },
    /// More than anybody waits for.
    #[error(
        "these are {cells} cells, and a sweep has at most {CELLS_MAX}; use fewer sizes, depths or threads"
    )]
    TooManyCells {
        /// How many were asked for.
        cells: usize,
    },
    /// Less data than one block.
    #[error(
        "a cell of {length} has no room for a block of {block}; use a larger --length, or end at a smaller --to"
    )]
    LengthBelowBlock {
        /// How much there is.
        length: Bytes,
        block: Bytes,
    },
    #[error("--time is 0; a trial needs some time, such as 500ms")]
    NoTime,
    #[error("no cell is left to measure; use larger sizes, or less depth and threads")]
    NothingLeft,
}
