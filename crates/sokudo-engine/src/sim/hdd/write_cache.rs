//! The part of the drive's memory that holds what was acknowledged and is not yet
//! on the platters.

use super::geometry::{Geometry, MediaPosition};
use super::read_cache::Range;

/// Drives track a limited number of separate pieces, however small they are: that
/// many 4 KiB writes are sorted at a time. 32 gives the 350 to 500 random writes
/// per second that are seen on 1 GiB of a 4 TB disk.
const EXTENTS_MAX: usize = 32;

/// How much is written before the drive thinks again what is best.
const DRAIN_BYTES: u64 = 1 << 20;

/// Dirty extents in order of address, merged where they touch.
#[derive(Debug)]
pub(super) struct SimulatedWriteCache {
    extents: Vec<DirtyExtent>,
    capacity: u64,
    dirty_bytes: u64,
    /// On its way to the platters, and still held.
    draining: Option<Range>,
}

#[derive(Clone, Copy, Debug)]
struct DirtyExtent {
    range: Range,
    place: MediaPosition,
}

impl SimulatedWriteCache {
    pub(super) fn new(capacity: u64) -> Self {
        Self {
            extents: Vec::with_capacity(EXTENTS_MAX),
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
        self.held_bytes() + bytes <= self.capacity && self.extents.len() < EXTENTS_MAX
    }

    /// Whether draining must no longer wait for an idle moment.
    pub(super) fn is_nearly_full(&self) -> bool {
        self.held_bytes() >= self.capacity / 4 * 3 || self.extents.len() >= EXTENTS_MAX / 4 * 3
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
            place: geometry.place(range.start),
        };
        for extent in self.extents.drain(first..last) {
            self.dirty_bytes -= extent.range.end - extent.range.start;
            merged.range.end = merged.range.end.max(extent.range.end);
            if extent.range.start < merged.range.start {
                merged.range.start = extent.range.start;
                merged.place = extent.place;
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
        let best = (0..self.extents.len()).min_by_key(|index| cost(self.extents[*index].place))?;
        let DirtyExtent { range, place } = self.extents[best];
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
                    place: geometry.place(end),
                };
            }
        }
        self.dirty_bytes -= end - range.start;
        self.draining = Some(drained);
        Some((drained, place))
    }

    /// What was being drained is on the platters.
    pub(super) fn drained(&mut self) {
        self.draining = None;
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
        let (geometry, mut cache) = (geometry(), SimulatedWriteCache::new(1 << 20));
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
            let (geometry, mut cache) = (geometry(), SimulatedWriteCache::new(1 << 30));
            let mut sectors = std::collections::BTreeSet::new();
            for (start, count) in writes {
                sectors.extend(start..start + count);
                let range = Range { start: start * 512, end: (start + count) * 512 };
                cache.insert(&geometry, range);
            }
            prop_assert_eq!(cache.dirty_bytes, sectors.len() as u64 * 512);
            let mut drained = 0;
            while let Some((range, _)) = cache.drain(&geometry, |place| place.media_ns) {
                prop_assert!((range.start..range.end).step_by(512).all(|o| sectors.remove(&(o / 512))));
                drained += 1;
                cache.drained();
            }
            prop_assert!(sectors.is_empty() && drained > 0);
            prop_assert_eq!(cache.held_bytes(), 0);
        }
    }
}
