//! What the next I/O is: operation, length and offset.

use std::sync::Arc;

use sokudo_model::{BlockShare, Operation, Order, SequentialOffset, Workload};
use sokudo_stats::Random;

use crate::offsets::{Offsets, SharedPosition, Stretch};

/// One I/O to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) operation: Operation,
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

/// Draws I/Os as a workload wants them. One per clone.
pub(crate) struct Pattern {
    operations: Box<[(Operation, u64)]>,
    blocks: Box<[(u32, u64)]>,
    offsets: Offsets,
    random: Random,
}

impl Pattern {
    /// The pattern of one clone. `workload` has been checked against the stretch.
    pub(crate) fn new(
        workload: &Workload,
        stretch: Stretch,
        shared: &Arc<SharedPosition>,
        mut random: Random,
    ) -> Self {
        let smallest = workload.blocks.smallest().0;
        let offsets = match workload.order {
            Order::Sequential {
                offset: SequentialOffset::Own,
            } => Offsets::Sequential { stretch, next: 0 },
            Order::Sequential {
                offset: SequentialOffset::Interlocked,
            } => Offsets::interlocked(stretch, smallest, Arc::clone(shared)),
            Order::Random { map: false } => Offsets::uniform(stretch, smallest),
            Order::Random { map: true } => Offsets::mapped(stretch, smallest, &mut random),
        };
        Self {
            operations: cumulative(workload.operations.shares().iter().copied()),
            blocks: cumulative(
                workload
                    .blocks
                    .shares()
                    .unwrap_or_default()
                    .iter()
                    .map(block_weight),
            ),
            offsets,
            random,
        }
    }

    /// The next I/O.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Access {
        let operation = draw(&self.operations, &mut self.random);
        let length = draw(&self.blocks, &mut self.random);
        let offset = self.offsets.next(u64::from(length), &mut self.random);
        Access {
            operation,
            offset,
            length,
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "checked against BLOCK_BYTES_MAX"
)]
fn block_weight(share: &BlockShare) -> (u32, u32) {
    (share.bytes.0 as u32, share.weight)
}

/// Weights summed up from the left, so that one number below the total picks.
fn cumulative<T>(shares: impl Iterator<Item = (T, u32)>) -> Box<[(T, u64)]> {
    let mut sum = 0;
    shares
        .map(|(item, weight)| {
            sum += u64::from(weight);
            (item, sum)
        })
        .collect()
}

/// Picks by weight. With one choice no random number is used.
#[inline(always)]
fn draw<T: Copy>(choices: &[(T, u64)], random: &mut Random) -> T {
    if let [(only, _)] = choices {
        return *only;
    }
    draw_of_several(choices, random)
}

#[inline(never)]
fn draw_of_several<T: Copy>(choices: &[(T, u64)], random: &mut Random) -> T {
    let (last, total) = choices[choices.len() - 1];
    let number = random.below(total);
    choices
        .iter()
        .find(|(_, sum)| number < *sum)
        .map_or(last, |(item, _)| *item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{BlockSizes, Bytes, OperationMix};

    fn counts(workload: &Workload, draws: u32) -> (f64, f64) {
        let stretch = Stretch {
            start: 0,
            length: 1 << 30,
        };
        let mut pattern = Pattern::new(workload, stretch, &Arc::default(), Random::new(5));
        let (mut reads, mut small) = (0, 0);
        for _ in 0..draws {
            let access = pattern.next();
            reads += u32::from(access.operation == Operation::Read);
            small += u32::from(access.length == 4096);
        }
        (f64::from(reads), f64::from(small))
    }

    /// 99.9 % of a binomial lie within 3.29 standard deviations.
    fn within_binomial(found: f64, draws: f64, probability: f64) -> bool {
        let deviation = (draws * probability * (1.0 - probability)).sqrt();
        (found - draws * probability).abs() <= 3.29 * deviation
    }

    #[test]
    fn reads_and_blocks_come_in_their_shares() {
        let mut workload = Workload::new("mix", Bytes(4096));
        workload.operations = OperationMix::read_write(70).unwrap();
        workload.blocks = BlockSizes::mix(vec![
            BlockShare {
                bytes: Bytes(4096),
                weight: 9,
            },
            BlockShare {
                bytes: Bytes(65536),
                weight: 1,
            },
        ])
        .unwrap();
        workload.order = Order::Random { map: false };
        let draws = 200_000;
        let (reads, small) = counts(&workload, draws);
        assert!(
            within_binomial(reads, f64::from(draws), 0.7),
            "{reads} reads"
        );
        assert!(
            within_binomial(small, f64::from(draws), 0.9),
            "{small} small blocks"
        );
    }
}
