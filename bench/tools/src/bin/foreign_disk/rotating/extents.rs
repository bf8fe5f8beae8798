//! Which bytes wait in a write cache to be written.

use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges of bytes that neither touch nor overlap.
#[derive(Default)]
pub(crate) struct Extents {
    /// Ends by starts.
    ends: BTreeMap<u64, u64>,
    bytes: u64,
}

impl Extents {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn count(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Range<u64>> {
        self.ends.iter().map(|(start, end)| *start..*end)
    }

    /// The first that ends at or behind `at`.
    pub(crate) fn next_from(&self, at: u64) -> Option<Range<u64>> {
        let before = self.ends.range(..=at).next_back();
        let around = before.filter(|(_, end)| **end >= at);
        let found = around.or_else(|| self.ends.range(at..).next());
        found.map(|(start, end)| *start..*end)
    }

    pub(crate) fn covers(&self, range: &Range<u64>) -> bool {
        let before = self.ends.range(..=range.start).next_back();
        before.is_some_and(|(_, end)| *end >= range.end)
    }

    /// Whether a range would be joined to what is there.
    pub(crate) fn touches(&self, range: &Range<u64>) -> bool {
        self.next_from(range.start)
            .is_some_and(|next| next.start <= range.end)
    }

    pub(crate) fn insert(&mut self, range: Range<u64>) {
        let mut joined = range;
        while let Some(next) = self.next_from(joined.start) {
            if next.start > joined.end {
                break;
            }
            self.ends.remove(&next.start);
            self.bytes -= next.end - next.start;
            joined = joined.start.min(next.start)..joined.end.max(next.end);
        }
        self.bytes += joined.end - joined.start;
        self.ends.insert(joined.start, joined.end);
    }

    /// Takes out the first `most` bytes, or all, of the one that starts at `start`.
    pub(crate) fn take(&mut self, start: u64, most: u64) -> Range<u64> {
        let end = self.ends.remove(&start).expect("there is one");
        let taken = start..end.min(start + most);
        if taken.end < end {
            self.ends.insert(taken.end, end);
        }
        self.bytes -= taken.end - taken.start;
        taken
    }
}
