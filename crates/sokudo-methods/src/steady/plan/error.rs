//! Why a procedure cannot be.

use sokudo_model::Bytes;

/// Rounds beyond this are a mistake: a round each minute for a week.
pub(super) const ROUNDS_LIMIT: u32 = 10_080;

/// Why a procedure cannot be.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum SteadyError {
    /// A mix that is none.
    #[error("\"{mix}\" is no mix; write percent of reads and writes, such as 65/35")]
    Mix { mix: String },
    /// The same mix twice.
    #[error("{mix} is there twice; leave one out")]
    Twice { mix: String },
    /// The test has no matrix.
    #[error("--test wsat writes 4 KiB at random and nothing else; leave --sizes and --mixes out")]
    FixedMatrix,
    /// A block that does not fit the target or the active range.
    #[error("blocks of {size} cannot be measured here; use powers of two from {unit} to 1 MiB")]
    Unaligned {
        size: Bytes,
        /// What the target takes.
        unit: Bytes,
    },
    /// No block size is left.
    #[error(
        "the target takes blocks of {unit}, and the test has none that fit; name some (--sizes)"
    )]
    NoCell {
        /// What the target takes.
        unit: Bytes,
    },
    /// No time to measure.
    #[error("--round-time is 0; a cell needs some time, such as 1s")]
    NoTime,
    /// A time for a test that ends by rounds.
    #[error("--max-time is how long --test wsat goes on; bound the rounds instead (--rounds-max)")]
    TimeOfSaturation,
    /// Fewer rounds than can be steady.
    #[error(
        "so few rounds can never be steady, because two windows of five must pass; allow at least \
         {least} (--rounds-max, or --max-time in --test wsat)"
    )]
    FewRounds { least: u32 },
    /// More rounds than anybody waits for.
    #[error(
        "{rounds} rounds are too many; use longer ones (--round-time), or at most {ROUNDS_LIMIT} (--rounds-max)"
    )]
    ManyRounds { rounds: u64 },
    /// The active range holds no block.
    #[error("{percent} % of {capacity} are less than 1 MiB, the largest block; use more (--size)")]
    TooSmall {
        capacity: Bytes,
        /// The part of it.
        percent: u32,
    },
    /// What is purged and not written cannot be read.
    #[error("after a purge there is nothing to read; leave --precondition at 1 or more")]
    NothingToRead,
}
