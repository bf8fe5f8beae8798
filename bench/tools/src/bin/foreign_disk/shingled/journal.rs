//! What of a shingled disk is in its persistent cache.

use std::collections::BTreeMap;
use std::ops::Range;

/// A write that was kept in the journal: where it ends, and where it lies on the platters.
#[derive(Clone, Copy)]
struct Kept {
    end: u64,
    at: u64,
}

/// The map of the journal: one entry for each write.
#[derive(Default)]
pub(crate) struct Journal {
    /// By where it belongs.
    writes: BTreeMap<u64, Kept>,
    bytes: u64,
}

impl Journal {
    pub(crate) fn writes(&self) -> usize {
        self.writes.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What of a range is in the journal, in order, and where that lies on the platters.
    pub(crate) fn kept_in(&self, range: &Range<u64>) -> Vec<(Range<u64>, u64)> {
        let before = self.writes.range(..range.start).next_back();
        let within = self.writes.range(range.start..range.end);
        let all = before.into_iter().chain(within);
        all.filter(|(_, kept)| kept.end > range.start)
            .map(|(start, kept)| {
                let from = range.start.max(*start);
                let at = kept.at + (from - start);
                (from..range.end.min(kept.end), at)
            })
            .collect()
    }

    /// It has nothing of a range any more.
    pub(crate) fn forget(&mut self, range: &Range<u64>) {
        for (gone, at) in self.kept_in(range) {
            let last = self.writes.range(..=gone.start).next_back();
            let (start, kept) = last
                .map(|(start, kept)| (*start, *kept))
                .expect("it is kept");
            self.writes.remove(&start);
            if start < gone.start {
                let end = gone.start;
                self.writes.insert(start, Kept { end, at: kept.at });
            }
            if gone.end < kept.end {
                let at = at + (gone.end - gone.start);
                self.writes.insert(gone.end, Kept { end: kept.end, at });
            }
            self.bytes -= gone.end - gone.start;
        }
    }

    /// A write is kept at `at`.
    pub(crate) fn keep(&mut self, range: &Range<u64>, at: u64) {
        self.forget(range);
        let end = range.end;
        self.writes.insert(range.start, Kept { end, at });
        self.bytes += range.end - range.start;
    }
}
