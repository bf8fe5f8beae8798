//! The part of the drive's memory that holds what was acknowledged and is not yet
//! on the platters.

use super::geometry::{Geometry, MediaPosition};
use super::read_cache::Range;

/// Drives track a limited number of separate pieces, however small they are: that
/// many 4 KiB writes are sorted at a time. 32 gives the 350 to 500 random writes
/// per second that are seen on 1 GiB of a 4 TB disk.
pub(super) const PIECES_DEFAULT: u64 = 32;

/// When what is held goes to the platters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destaging {
    /// Whenever the arm is free.
    Steady,
    /// When no more fits, in order of address, and nothing is taken until a quarter is free.
    Batch,
}

/// How much is written before the drive thinks again what is best.
const DRAIN_BYTES: u64 = 1 << 20;

/// Dirty extents in order of address, merged where they touch.
#[derive(Debug)]
pub(super) struct SimulatedWriteCache {
    extents: Vec<DirtyExtent>,
    extents_max: usize,
    destaging: Destaging,
    /// Whether a batch is on its way.
    in_batch: bool,
    /// Where the last part of it ended.
    batch_at: u64,
    capacity: u64,
    dirty_bytes: u64,
    /// On its way to the platters, and still held.
    draining: Option<Range>,
}

#[derive(Clone, Copy, Debug)]
struct DirtyExtent {
    range: Range,
    position: MediaPosition,
}

impl SimulatedWriteCache {
    pub(super) fn new(capacity: u64, extents_max: usize, destaging: Destaging) -> Self {
        Self {
            extents: Vec::new(),
            extents_max,
            destaging,
            in_batch: false,
            batch_at: 0,
            capacity,
            dirty_bytes: 0,
            draining: None,
        }
    }

    /// Whether so much could ever be held at once.
    pub(super) fn could_hold(&self, bytes: u64) -> bool {
        bytes <= self.capacity
    }

    pub(super) fn has_room(&self, bytes: u64) -> bool {
        !self.in_batch
            && self.held_bytes() + bytes <= self.capacity
            && self.extents.len() < self.extents_max
    }

    /// Something waits for room, or for all to be on the platters.
    pub(super) fn press(&mut self) {
        self.in_batch = self.destaging == Destaging::Batch && !self.extents.is_empty();
    }

    pub(super) fn may_drain(&self) -> bool {
        self.destaging == Destaging::Steady || self.in_batch
    }

    /// A drive that collects writes brings them to the platters when it is left alone.
    pub(super) fn rest(&mut self) {
        if self.destaging == Destaging::Batch {
            self.extents.clear();
            self.dirty_bytes = 0;
            self.in_batch = false;
        }
    }

    /// Whether draining must no longer wait for an idle moment.
    pub(super) fn is_nearly_full(&self) -> bool {
        self.in_batch
            || self.held_bytes() >= self.capacity / 4 * 3
            || self.extents.len() >= self.extents_max / 4 * 3
    }

    /// Whether all of this is held.
    pub(super) fn holds(&self, range: Range) -> bool {
        let after = self
            .extents
            .partition_point(|extent| extent.range.start <= range.start);
        let before = after.checked_sub(1).map(|index| self.extents[index].range);
        [before, self.draining]
            .into_iter()
            .flatten()
            .any(|held| held.start <= range.start && range.end <= held.end)
    }

    /// Takes a range, for which there must be room.
    pub(super) fn insert(&mut self, geometry: &Geometry, range: Range) {
        let first = self
            .extents
            .partition_point(|extent| extent.range.end < range.start);
        let last = self
            .extents
            .partition_point(|extent| extent.range.start <= range.end);
        let mut merged = DirtyExtent {
            range,
            position: geometry.position(range.start),
        };
        for extent in self.extents.drain(first..last) {
            self.dirty_bytes -= extent.range.end - extent.range.start;
            merged.range.end = merged.range.end.max(extent.range.end);
            if extent.range.start < merged.range.start {
                merged.range.start = extent.range.start;
                merged.position = extent.position;
            }
        }
        self.dirty_bytes += merged.range.end - merged.range.start;
        self.extents.insert(first, merged);
    }

    /// Takes the start of the extent that costs least to the platters.
    pub(super) fn drain(
        &mut self,
        geometry: &Geometry,
        cost: impl Fn(MediaPosition) -> u64,
    ) -> Option<(Range, MediaPosition)> {
        let best = match self.in_batch {
            true => self.next_of_batch(),
            false => {
                (0..self.extents.len()).min_by_key(|index| cost(self.extents[*index].position))
            }
        };
        let best = best?;
        let DirtyExtent { range, position } = self.extents[best];
        let end = range.end.min(range.start + DRAIN_BYTES);
        let drained = Range { end, ..range };
        match end == range.end {
            true => {
                self.extents.remove(best);
            }
            false => {
                self.extents[best] = DirtyExtent {
                    range: Range {
                        start: end,
                        ..range
                    },
                    position: geometry.position(end),
                };
            }
        }
        self.dirty_bytes -= end - range.start;
        self.batch_at = end;
        self.draining = Some(drained);
        Some((drained, position))
    }

    /// The next one upwards, from the lowest on again.
    fn next_of_batch(&self) -> Option<usize> {
        let behind = |extent: &DirtyExtent| extent.range.start < self.batch_at;
        let next = self.extents.partition_point(behind);
        match self.extents.len() {
            0 => None,
            count => Some(if next < count { next } else { 0 }),
        }
    }

    /// What was being drained is on the platters.
    pub(super) fn drained(&mut self, is_flushing: bool) {
        self.draining = None;
        let most = match is_flushing {
            true => 0,
            false => self.extents_max / 4 * 3,
        };
        self.in_batch &= self.extents.len() > most;
    }

    fn held_bytes(&self) -> u64 {
        let draining = self.draining.map_or(0, |range| range.end - range.start);
        self.dirty_bytes + draining
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::rate::TransferRate;
    use super::super::geometry::DriveLabel;
    use super::*;
    use proptest::prelude::*;

    fn geometry() -> Geometry {
        Geometry::new(DriveLabel {
            size: 1 << 40,
            turn_ns: 10_000_000,
            switch_ns: 1_000_000,
            outer: TransferRate::megabytes(200),
            inner: TransferRate::megabytes(100),
        })
    }

    #[test]
    fn neighbours_merge_and_strangers_do_not() {
        let (geometry, mut cache) = (
            geometry(),
            SimulatedWriteCache::new(1 << 20, 32, Destaging::Steady),
        );
        for (start, end) in [(4096, 8192), (16384, 20480), (8192, 12288), (0, 4096)] {
            cache.insert(&geometry, Range { start, end });
        }
        assert_eq!(cache.extents.len(), 2);
        assert_eq!(cache.dirty_bytes, 16384);
        assert!(cache.holds(Range {
            start: 512,
            end: 12288
        }));
        assert!(!cache.holds(Range {
            start: 8192,
            end: 20480
        }));
    }

    proptest! {
        #[test]
        fn dirty_bytes_are_the_union_of_what_came_in(
            writes in prop::collection::vec((0u64..200, 1u64..20), 1..50)
        ) {
            let (geometry, mut cache) = (geometry(), SimulatedWriteCache::new(1 << 30, 32, Destaging::Steady));
            let mut sectors = std::collections::BTreeSet::new();
            for (start, count) in writes {
                sectors.extend(start..start + count);
                let range = Range { start: start * 512, end: (start + count) * 512 };
                cache.insert(&geometry, range);
            }
            prop_assert_eq!(cache.dirty_bytes, sectors.len() as u64 * 512);
            let mut drained = 0;
            while let Some((range, _)) = cache.drain(&geometry, |position| position.media_ns) {
                prop_assert!((range.start..range.end).step_by(512).all(|o| sectors.remove(&(o / 512))));
                drained += 1;
                cache.drained(false);
            }
            prop_assert!(sectors.is_empty() && drained > 0);
            prop_assert_eq!(cache.held_bytes(), 0);
        }
    }
}
