//! What the next I/O is: operation, file, length and offset.
//!
//! The common patterns (one file; sequential, uniform or mapped; one size) are done
//! here and in [`crate::offsets`]. All others are a [`FileRoute`], behind one branch that
//! always goes the same way.

mod access;
mod interlocked;
pub(crate) mod lengths;
mod map;
mod route;
mod sampler;
#[cfg(test)]
mod tests;
mod turns;
mod walk;

use std::sync::Arc;

use sokudo_model::{
    BlockShare, Distribution, Operation, Order, Scatter, SequentialOffset, Workload,
};
use sokudo_stats::Random;

use crate::offsets::{ByteRange, Offsets, SharedPosition};
use crate::pattern::route::FileRoute;

pub(crate) use access::Access;

/// An I/O that is neither short nor failed may still be a lie about its length;
/// the kernel moves at most this much per call.
pub(crate) const BLOCK_BYTES_MAX: u64 = 1 << 30;

/// Draws I/Os as a workload wants them. One per thread.
pub(crate) struct Pattern {
    operations: Box<[(Operation, u64)]>,
    blocks: Box<[(u32, u64)]>,
    offsets: Offsets,
    /// Instead of `blocks` and `offsets`, where these are not enough.
    route: Option<FileRoute>,
    trims_first: bool,
    /// What has been trimmed and is to be written next.
    trimmed: Option<Access>,
    random: Random,
}

impl Pattern {
    /// The pattern of one thread on `stretches`, one per file use and at least one.
    /// `workload` has been checked against them: each holds one block of each
    /// operation.
    pub(crate) fn new(
        workload: &Workload,
        stretches: &[ByteRange],
        shared: &Arc<SharedPosition>,
        mut random: Random,
    ) -> Self {
        let route = (stretches.len() != 1 || !is_common(workload))
            .then(|| FileRoute::new(workload, stretches, shared, &mut random));
        let offsets = offsets(workload, stretches[0], shared, &mut random);
        // Where blocks are written back, each write follows from a read.
        let operations = match workload.rewritten_percent() {
            0 => workload.operations.shares(),
            _ => &[(Operation::Read, 1)],
        };
        Self {
            operations: cumulative(operations.iter().copied()),
            blocks: cumulative(
                workload
                    .blocks
                    .shares()
                    .unwrap_or_default()
                    .iter()
                    .map(block_weight),
            ),
            offsets,
            route,
            trims_first: workload.scatter.trims_first,
            trimmed: None,
            random,
        }
    }

    /// Sequential I/Os begin behind so many bytes.
    pub(crate) fn begin_behind(&mut self, walked: u64) {
        match &mut self.route {
            Some(route) => route.begin_behind(walked),
            None => {
                let (largest, _) = self.blocks[self.blocks.len() - 1];
                self.offsets.begin_behind(walked, u64::from(largest));
            }
        }
    }

    /// Draws the operation of the next I/O, and its file, offset and length.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Access {
        let operation = self.draw_operation();
        self.access(operation)
    }

    /// Operation and length of every I/O, where all have the same and go to one stretch.
    pub(crate) fn alike(&self) -> Option<(Operation, u32)> {
        match (&self.route, &self.operations[..], &self.blocks[..]) {
            (None, [(operation, _)], [(length, _)]) => Some((*operation, *length)),
            _ => None,
        }
    }

    /// Where I/Os that are alike go.
    pub(crate) fn offsets(&mut self) -> (&mut Offsets, &mut Random) {
        (&mut self.offsets, &mut self.random)
    }

    /// What the next I/O does.
    #[inline(always)]
    pub(crate) fn draw_operation(&mut self) -> Operation {
        if let [(only, _)] = self.operations[..] {
            return only;
        }
        self.draw_of_several_operations()
    }

    #[inline(never)]
    fn draw_of_several_operations(&mut self) -> Operation {
        match self.trimmed {
            Some(_) => Operation::Write,
            None if self.trims_first => Operation::Trim,
            None => draw(&self.operations, &mut self.random),
        }
    }

    /// The next I/O of an operation, one of the workload's.
    #[inline(always)]
    pub(crate) fn access(&mut self, operation: Operation) -> Access {
        if self.route.is_some() {
            // Field by field: the common case then needs no place in memory for it.
            let Access {
                operation,
                file,
                offset,
                length,
            } = self.routed(operation);
            return Access {
                operation,
                file,
                offset,
                length,
            };
        }
        let length = draw(&self.blocks, &mut self.random);
        let offset = self.offsets.next(u64::from(length), &mut self.random);
        Access {
            operation,
            file: 0,
            offset,
            length,
        }
    }

    #[inline(never)]
    fn routed(&mut self, operation: Operation) -> Access {
        if operation == Operation::Write
            && let Some(trimmed) = self.trimmed.take()
        {
            return Access {
                operation,
                ..trimmed
            };
        }
        let route = self.route.as_mut().expect("a routed pattern has a route");
        let access = route.access(operation, &mut self.random);
        self.trimmed = self.trims_first.then_some(access);
        access
    }

    /// Begins another pass: sequential positions at the start, maps empty.
    pub(crate) fn restart(&mut self) {
        self.trimmed = None;
        match &mut self.route {
            Some(route) => route.restart(&mut self.random),
            None => self.offsets.restart(&mut self.random),
        }
    }
}

/// Whether one position and one choice of sizes are enough for a workload on one
/// stretch.
fn is_common(workload: &Workload) -> bool {
    let one_size = workload.blocks.shares().is_some() && workload.blocks.single().is_some();
    let order_is_common = match workload.order {
        // Each direction has a position of its own, as in fio.
        Order::Sequential {
            offset: SequentialOffset::Own,
        } => one_size && workload.operations.single().is_some(),
        Order::Sequential {
            offset: SequentialOffset::Interlocked,
        }
        | Order::Random { map: true } => one_size,
        Order::Random { map: false } => workload.blocks.shares().is_some(),
    };
    order_is_common && is_plain(&workload.scatter)
}

fn is_plain(scatter: &Scatter) -> bool {
    scatter.distribution == Distribution::Uniform
        && scatter.random_percent.is_none()
        && !scatter.trims_first
        && scatter.run_ios <= 1
        && scatter.stride == 0
        && scatter.alignment.is_none()
}

fn offsets(
    workload: &Workload,
    stretch: ByteRange,
    shared: &Arc<SharedPosition>,
    random: &mut Random,
) -> Offsets {
    let smallest = workload.blocks.smallest().0;
    match workload.order {
        Order::Sequential {
            offset: SequentialOffset::Own,
        } => Offsets::Sequential { stretch, next: 0 },
        Order::Sequential {
            offset: SequentialOffset::Interlocked,
        } => Offsets::interlocked(stretch, smallest, Arc::clone(shared)),
        Order::Random { map: false } => Offsets::uniform(stretch, smallest),
        Order::Random { map: true } => Offsets::mapped(stretch, smallest, random),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "at most BLOCK_BYTES_MAX")]
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
