//! Where in one file the next I/O goes: a position per direction, random places, and
//! the map of what has been visited.

use sokudo_model::{Distribution, Operation, Order, Workload};
use sokudo_stats::Random;

use crate::offsets::{ByteRange, behind};
use crate::pattern::lengths::Lengths;
use crate::pattern::map::BlockMap;
use crate::pattern::sampler::{IndexSampler, Measure};

/// Directions that have positions of their own: reads, writes and trims.
pub(crate) const DIRECTIONS: usize = 3;

/// The index of an operation's direction. What is none is taken for a read.
pub(crate) fn direction_of(operation: Operation) -> usize {
    match operation {
        Operation::Write => 1,
        Operation::Trim => 2,
        _ => 0,
    }
}

/// How the walks of a workload go, the same in every file.
pub(crate) struct Manner {
    lengths: [Lengths; DIRECTIONS],
    /// Bytes that random offsets are multiples of.
    alignment: [u64; DIRECTIONS],
    /// How many of 100 I/Os go to a random place.
    random_percent: [u64; DIRECTIONS],
    /// I/Os from one random place on.
    run_ios: u32,
    stride: i64,
    /// What the map counts, if there is one: the smallest block.
    map_unit: Option<u64>,
    /// Whether a pass ends after as many bytes as the stretch has.
    pub(crate) ends_by_bytes: bool,
}

impl Manner {
    pub(crate) fn new(workload: &Workload) -> Self {
        let operations = [Operation::Read, Operation::Write, Operation::Trim];
        let lengths = operations.map(|operation| Lengths::new(workload.blocks.of(operation)));
        let scatter = &workload.scatter;
        let alignment = |direction: usize| match scatter.alignment {
            Some(alignment) => alignment[direction].0.max(1),
            None => lengths[direction].smallest(),
        };
        let (is_random, wants_map) = match workload.order {
            Order::Random { map } => (true, map),
            Order::Sequential { .. } => (false, false),
        };
        let percent = scatter.random_percent.map_or_else(
            || [if is_random { 100 } else { 0 }; DIRECTIONS],
            |percent| percent.map(u64::from),
        );
        // Favourites cannot be visited once only, and an alignment of its own does
        // not fit the blocks of a map; fio leaves the map out as well.
        let is_mapped = wants_map
            && scatter.alignment.is_none()
            && scatter.distribution == Distribution::Uniform;
        Self {
            alignment: [0, 1, 2].map(alignment),
            lengths,
            random_percent: percent,
            run_ios: scatter.run_ios.max(1),
            stride: scatter.stride,
            map_unit: is_mapped.then(|| workload.blocks.smallest().0),
            ends_by_bytes: false,
        }
    }

    /// Whether no I/O of a direction begins behind the one before: then a walk never leaves its stretch.
    fn is_backward(&self, direction: usize) -> bool {
        let smallest = i64::try_from(self.lengths[direction].smallest());
        smallest.is_ok_and(|smallest| smallest + self.stride <= 0)
    }

    /// The same of all directions.
    pub(crate) fn runs_backward(&self) -> bool {
        (0..DIRECTIONS).all(|direction| self.is_backward(direction))
    }

    /// Whether neither the end of the stretch nor that of a map ends a pass.
    pub(crate) fn is_endless(&self) -> bool {
        self.map_unit.is_none() && self.random_percent.iter().any(|percent| *percent > 0)
    }
}

/// The way through one file.
pub(crate) struct Walk {
    stretch: ByteRange,
    tracks: [Option<Track>; DIRECTIONS],
    map: Option<BlockMap>,
    /// Bytes of this pass.
    walked: u64,
}

/// Position of one direction of I/O in a file.
struct Track {
    /// Where the next sequential I/O begins, from the stretch's start. Below 0 when it
    /// has run out of the stretch backward.
    next: i64,
    /// I/Os left until a random place is due.
    run_left: u32,
    sampler: IndexSampler,
}

/// One I/O, from the target's start.
pub(crate) struct IoRange {
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

impl Walk {
    /// The way through a stretch, which holds at least one block of each direction.
    pub(crate) fn new(
        workload: &Workload,
        manner: &Manner,
        stretch: ByteRange,
        random: &mut Random,
    ) -> Self {
        let operations = [Operation::Read, Operation::Write, Operation::Trim];
        let tracks = operations.map(|operation| {
            let direction = direction_of(operation);
            let occurs = workload.operations.shares().iter();
            let mut occurs = occurs.map(|(operation, _)| direction_of(*operation));
            occurs.any(|other| other == direction).then(|| {
                let smallest = manner.lengths[direction].smallest();
                let alignment = manner.alignment[direction];
                let count = stretch.length.saturating_sub(smallest) / alignment + 1;
                let measure = Measure {
                    zones: &workload.scatter.zones[direction],
                    step_bytes: alignment,
                };
                Track {
                    next: first_position(manner, direction, &stretch),
                    run_left: 0,
                    sampler: IndexSampler::new(
                        workload.scatter.distribution,
                        count,
                        measure,
                        random,
                    ),
                }
            })
        });
        Self {
            stretch,
            tracks,
            map: manner.map_unit.map(|unit| {
                let has_one_size = workload.blocks.single().is_some();
                BlockMap::new(stretch.length / unit, has_one_size, random)
            }),
            walked: 0,
        }
    }

    /// The next I/O, or `None` when the pass of this direction is over.
    pub(crate) fn next(
        &mut self,
        manner: &Manner,
        direction: usize,
        random: &mut Random,
    ) -> Option<IoRange> {
        let smallest = manner.lengths[direction].smallest();
        if manner.ends_by_bytes && self.walked + smallest > self.stretch.length {
            return None;
        }
        let (stretch_offset, length) = match self.sequential(manner, direction, random) {
            Sequential::Step(stretch_offset, length) => (stretch_offset, length),
            Sequential::Over => return None,
            Sequential::Random => self.random(manner, direction, random)?,
        };
        let ends_at = position(stretch_offset + u64::from(length));
        if let Some(track) = &mut self.tracks[direction] {
            track.next = ends_at.saturating_add(manner.stride);
        }
        self.walked += u64::from(length);
        Some(IoRange {
            offset: self.stretch.start + stretch_offset,
            length,
        })
    }

    /// Each direction begins behind so many bytes.
    pub(crate) fn begin_behind(&mut self, manner: &Manner, walked: u64) {
        for (track, lengths) in self.tracks.iter_mut().zip(&manner.lengths) {
            if let Some(track) = track {
                track.next = position(behind(walked, self.stretch.length, lengths.largest()));
            }
        }
    }

    /// Begins another pass of one direction.
    pub(crate) fn renew(&mut self, manner: &Manner, direction: usize, random: &mut Random) {
        if let Some(track) = &mut self.tracks[direction] {
            track.next = first_position(manner, direction, &self.stretch);
            track.run_left = 0;
        }
        if let Some(map) = &mut self.map {
            map.renew(random);
        }
        self.walked = 0;
    }

    /// Begins another pass of all directions.
    pub(crate) fn renew_all(&mut self, manner: &Manner, random: &mut Random) {
        for direction in 0..DIRECTIONS {
            self.renew(manner, direction, random);
        }
    }

    /// The next I/O if it follows the last one.
    fn sequential(&mut self, manner: &Manner, direction: usize, random: &mut Random) -> Sequential {
        let Some(track) = &mut self.tracks[direction] else {
            debug_assert!(false, "a direction that the workload does not have");
            return Sequential::Over;
        };
        let percent = manner.random_percent[direction];
        if percent > 0 {
            if track.run_left > 0 {
                track.run_left -= 1;
            } else {
                track.run_left = manner.run_ios - 1;
                if percent >= 100 || random.below(100) < percent {
                    return Sequential::Random;
                }
            }
        }
        if track.next < 0 && manner.is_backward(direction) {
            track.next = last_position(manner, &self.stretch);
        }
        let room = u64::try_from(track.next).ok().and_then(|next| {
            self.stretch
                .length
                .checked_sub(next)
                .map(|room| (next, room))
        });
        let step = room.and_then(|(next, room)| {
            let length = manner.lengths[direction].draw_within(room, random)?;
            Some(Sequential::Step(next, length))
        });
        step.unwrap_or(if percent > 0 {
            Sequential::Random
        } else {
            Sequential::Over
        })
    }

    /// A random place, or one of those left in the map.
    fn random(
        &mut self,
        manner: &Manner,
        direction: usize,
        random: &mut Random,
    ) -> Option<(u64, u32)> {
        let lengths = &manner.lengths[direction];
        let (Some(map), Some(unit)) = (&mut self.map, manner.map_unit) else {
            let track = self.tracks[direction].as_ref()?;
            let stretch_offset = track.sampler.next(random) * manner.alignment[direction];
            let length = lengths.draw_within(self.stretch.length - stretch_offset, random)?;
            return Some((stretch_offset, length));
        };
        if lengths.smallest() > unit {
            return coarse(map, unit, lengths, self.stretch.length, random);
        }
        let first = map.next()?;
        let room = self.stretch.length - first * unit;
        // Where not even the smallest fits, the end is left out: one block is taken.
        let length = lengths.draw_within(room, random).map_or(unit, u64::from);
        let taken = map.take(first, length.div_ceil(unit));
        // Shortened, so that nothing is visited twice.
        let length = length.min(taken.count * unit);
        u32::try_from(length)
            .ok()
            .map(|length| (first * unit, length))
    }
}

/// A place for a direction whose smallest block is larger than what the map counts,
/// which is the smallest block of another direction. It keeps its own sizes and
/// alignment, though that visits some of the other's blocks twice: shortened to what is
/// free, its I/Os would be of sizes that nobody asked for.
fn coarse(
    map: &mut BlockMap,
    unit: u64,
    lengths: &Lengths,
    stretch_bytes: u64,
    random: &mut Random,
) -> Option<(u64, u32)> {
    let smallest = lengths.smallest();
    loop {
        let first = map.next()?;
        let stretch_offset = first * unit / smallest * smallest;
        let Some(length) = lengths.draw_within(stretch_bytes - stretch_offset, random) else {
            // The end, where not even the smallest fits, is left out.
            map.cover(first, first + 1);
            continue;
        };
        let end = (stretch_offset + u64::from(length)).div_ceil(unit);
        map.cover(stretch_offset / unit, end);
        return Some((stretch_offset, length));
    }
}

enum Sequential {
    /// At this place, of this length.
    Step(u64, u32),
    /// The pass is over.
    Over,
    /// A random place is due instead.
    Random,
}

/// Backward walks begin as fio's do (3.33, `get_next_seq_offset`): a stretch from 0 on at its start, any
/// other as far before the place that its length names, taken as a place of the file.
fn first_position(manner: &Manner, direction: usize, stretch: &ByteRange) -> i64 {
    if stretch.start == 0 || !manner.is_backward(direction) {
        return 0;
    }
    let first = (position(stretch.length) + manner.stride).checked_sub_unsigned(stretch.start);
    let first = first.filter(|first| *first >= 0);
    first.unwrap_or_else(|| last_position(manner, stretch))
}

/// Where backward walks go on that have come to the start.
fn last_position(manner: &Manner, stretch: &ByteRange) -> i64 {
    (position(stretch.length) + manner.stride).max(0)
}

/// A place as a signed number. What is no file may be larger than any offset that Linux
/// knows; beyond that nothing follows.
fn position(stretch_offset: u64) -> i64 {
    const OFFSET_MAX: u64 = i64::MAX.cast_unsigned();
    stretch_offset.min(OFFSET_MAX).cast_signed()
}
