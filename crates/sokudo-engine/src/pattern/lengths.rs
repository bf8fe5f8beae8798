//! How long the next I/O of one operation is.

use sokudo_model::{BlockChoice, BlockShare};
use sokudo_stats::Random;

/// The sizes of one operation.
pub(crate) enum Lengths {
    /// One length for every I/O, in bytes.
    One(u32),
    /// By weight; smallest first.
    Shares(Box<[WeightedLength]>),
    /// Any multiple of `smallest` up to `largest`, all alike, and `largest` itself: where
    /// that is no multiple, it gets what is left, as in fio.
    Range { smallest: u32, largest: u32 },
    /// Any number of bytes between the two, all alike.
    AnyBytes { smallest: u32, largest: u32 },
}

/// A size, with the weights of all up to and including it.
pub(crate) struct WeightedLength {
    bytes: u32,
    sum: u64,
}

impl Lengths {
    /// The sizes of a choice, which has been checked.
    pub(crate) fn new(choice: &BlockChoice) -> Self {
        match choice {
            BlockChoice::Shares(shares) => match shares[..] {
                [BlockShare { bytes, .. }] => Self::One(bytes_of_block(bytes.0)),
                _ => Self::Shares(cumulative(shares)),
            },
            BlockChoice::Range { smallest, largest }
            | BlockChoice::AnyBytes { smallest, largest }
                if smallest == largest =>
            {
                Self::One(bytes_of_block(smallest.0))
            }
            BlockChoice::AnyBytes { smallest, largest } => Self::AnyBytes {
                smallest: bytes_of_block(smallest.0),
                largest: bytes_of_block(largest.0),
            },
            BlockChoice::Range { smallest, largest } => Self::Range {
                smallest: bytes_of_block(smallest.0),
                largest: bytes_of_block(largest.0),
            },
        }
    }

    /// The smallest of them.
    pub(crate) fn smallest(&self) -> u64 {
        match self {
            Self::One(bytes) => u64::from(*bytes),
            Self::Shares(shares) => u64::from(shares[0].bytes),
            Self::Range { smallest, .. } | Self::AnyBytes { smallest, .. } => u64::from(*smallest),
        }
    }

    /// The largest of them.
    pub(crate) fn largest(&self) -> u64 {
        match self {
            Self::One(bytes) => u64::from(*bytes),
            Self::Shares(shares) => u64::from(shares[shares.len() - 1].bytes),
            Self::Range { largest, .. } | Self::AnyBytes { largest, .. } => u64::from(*largest),
        }
    }

    /// Draws one of those that fit into `room` bytes, in the shares they have among
    /// themselves; `None` when none does.
    pub(crate) fn draw_within(&self, room: u64, random: &mut Random) -> Option<u32> {
        match self {
            Self::One(bytes) => (u64::from(*bytes) <= room).then_some(*bytes),
            Self::Shares(shares) => {
                let fitting = shares.partition_point(|share| u64::from(share.bytes) <= room);
                let total = shares[..fitting].last()?.sum;
                let number = random.below(total);
                let drawn = shares.partition_point(|share| share.sum <= number);
                Some(shares[drawn].bytes)
            }
            Self::AnyBytes { smallest, largest } => {
                let most = room.min(u64::from(*largest));
                let sizes = most.checked_sub(u64::from(*smallest))? + 1;
                Some(smallest + bytes_of_block(random.below(sizes)))
            }
            Self::Range { smallest, largest } => {
                // Each size stands for the bytes below it down to the next one.
                let bytes = match u32::try_from(room) {
                    Ok(room) if room < *largest => room / smallest * smallest,
                    _ => *largest,
                };
                let number = bytes_of_block(random.below(u64::from(bytes)));
                (bytes > 0).then(|| bytes.min((number / smallest + 1) * smallest))
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "at most BLOCK_BYTES_MAX")]
fn bytes_of_block(bytes: u64) -> u32 {
    bytes as u32
}

fn cumulative(shares: &[BlockShare]) -> Box<[WeightedLength]> {
    let mut sorted = shares.to_vec();
    sorted.sort_by_key(|share| share.bytes);
    let mut sum = 0;
    let add = |share: BlockShare| {
        sum += u64::from(share.weight);
        WeightedLength {
            bytes: bytes_of_block(share.bytes.0),
            sum,
        }
    };
    sorted.into_iter().map(add).collect()
}
