//! What was written and is to be read back: the latest completed write of every
//! place. It does no I/O and judges nothing.
//!
//! Memory: 32 bytes per write since the places were last merged, and they are merged
//! whenever the list has doubled; so at most 64 bytes per block written, whatever the
//! number of writes. Blocks are read back in order of place (file, then offset).

use std::collections::{BTreeMap, HashMap};

/// Merging starts when this many writes are recorded: below, it is not worth it.
const MERGED_FROM: usize = 64 << 10;

/// Place and serial of one write that a check has recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) offset: u64,
    pub(crate) serial: u64,
    /// The serial that the next write got when this one had completed: writes from
    /// there on came surely after it.
    pub(crate) completed: u64,
    pub(crate) file: u32,
    pub(crate) length: u32,
}

impl Record {
    fn end(&self) -> u64 {
        self.offset + u64::from(self.length)
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.file == other.file && self.offset < other.end() && other.offset < self.end()
    }

    /// Whether it was still in flight when `later` was issued, so that nobody knows
    /// which of them the device did last.
    fn raced_with(&self, later: &Self) -> bool {
        self.completed > later.serial
    }
}

/// Writes of one place of which nobody knows which came last.
#[derive(Clone, Copy)]
struct Race {
    /// The oldest of them.
    oldest: u64,
    /// The next serial when the last of them had completed.
    completed: u64,
}

/// All writes of one thread that have not been read back.
#[derive(Default)]
pub(crate) struct WriteHistory {
    log: Vec<Record>,
    /// Length of the list after the last merge.
    merged: usize,
    /// Places that several writes raced for.
    raced: HashMap<(u32, u64), Race>,
    /// What is being read back, last first.
    queue: Vec<Record>,
    /// Writes that completed since the queue was made: what they left is read back after
    /// them. No more than were in flight, for nothing is written while a queue waits.
    since_queued: Vec<Record>,
    /// What pieces of a block can be checked by themselves: bytes per header.
    piece_bytes: Option<u32>,
}

impl WriteHistory {
    /// `piece_bytes`: the length of the pieces that carry a header each, where parts
    /// of a block can be checked without the rest of it.
    pub(crate) fn new(piece_bytes: Option<u32>) -> Self {
        Self {
            piece_bytes,
            ..Self::default()
        }
    }

    /// Adds a completed write.
    pub(crate) fn add(&mut self, record: Record) {
        self.log.push(record);
        if self.is_queued() {
            self.since_queued.push(record);
        }
        if self.log.len() >= MERGED_FROM && self.log.len() >= 2 * self.merged {
            self.merge();
        }
    }

    /// Makes the next writes due for reading back, oldest first; all without a number.
    pub(crate) fn queue(&mut self, count: Option<usize>) {
        self.merge();
        let mut due = std::mem::take(&mut self.log);
        if let Some(count) = count.filter(|count| *count < due.len()) {
            due.sort_unstable_by_key(|record| record.serial);
            self.log = due.split_off(count);
        }
        self.merged = self.log.len();
        due.append(&mut self.queue);
        due.sort_unstable_by_key(|record| std::cmp::Reverse((record.file, record.offset)));
        self.queue = due;
        self.since_queued.clear();
    }

    /// The next block to read back that nothing else was written to meanwhile: an older
    /// write may have come last.
    pub(crate) fn next(&mut self) -> Option<Record> {
        let late = &self.since_queued;
        std::iter::from_fn(|| self.queue.pop())
            .find(|due| !late.iter().any(|write| write.overlaps(due)))
    }

    /// Whether blocks wait to be read back.
    pub(crate) fn is_queued(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The oldest write that may be found at a place whose last one was `serial`.
    pub(crate) fn oldest(&self, file: u32, offset: u64, serial: u64) -> u64 {
        let race = self.raced.get(&(file, offset));
        race.map_or(serial, |race| race.oldest.min(serial))
    }

    /// Leaves the latest write of every place.
    fn merge(&mut self) {
        self.log
            .sort_unstable_by_key(|r| (r.file, r.offset, r.length, r.serial));
        let log = std::mem::take(&mut self.log);
        let mut kept: Vec<Record> = Vec::new();
        for writes in log.chunk_by(same_offset) {
            self.note_races(writes);
            kept.extend(writes.last());
        }
        if kept.windows(2).any(|pair| pair[0].overlaps(&pair[1])) {
            kept = self.untangle(kept);
        }
        self.merged = kept.len();
        self.log = kept;
    }

    /// Remembers which writes of one place, in order of serial, may have come last.
    fn note_races(&mut self, writes: &[Record]) {
        let Some(last) = writes.last() else {
            return;
        };
        let address = (last.file, last.offset);
        let earlier = &writes[..writes.len() - 1];
        let known = self.raced.remove(&address);
        let known = known.filter(|race| race.completed > last.serial);
        let new = earlier.iter().filter(|write| write.raced_with(last));
        let races = new.map(|write| Race {
            oldest: write.serial,
            completed: write.completed,
        });
        let merged = races.chain(known).reduce(|a, b| Race {
            oldest: a.oldest.min(b.oldest),
            completed: a.completed.max(b.completed),
        });
        if let Some(race) = merged {
            self.raced.insert(address, race);
        }
    }

    /// Cuts out of earlier writes what later ones of other lengths wrote over.
    fn untangle(&self, mut records: Vec<Record>) -> Vec<Record> {
        records.sort_unstable_by_key(|record| record.serial);
        let mut by_address: BTreeMap<(u32, u64), Record> = BTreeMap::new();
        for record in records {
            // Kept places do not overlap, so that all which overlap this one lie
            // next to each other and end at it.
            let before_end = (record.file, record.end());
            let overlapped: Vec<Record> = by_address
                .range(..before_end)
                .rev()
                .map(|(_, older_record)| *older_record)
                .take_while(|older_record| older_record.overlaps(&record))
                .collect();
            let mut is_known = true;
            for older_record in overlapped {
                by_address.remove(&(older_record.file, older_record.offset));
                // Of a race for parts of a block nothing can be said.
                is_known &= !older_record.raced_with(&record);
                for rest in self.rests(older_record, &record).into_iter().flatten() {
                    by_address.insert((rest.file, rest.offset), rest);
                }
            }
            if is_known {
                by_address.insert((record.file, record.offset), record);
            }
        }
        by_address.into_values().collect()
    }

    /// What is left of `place` before and after `over`, in whole pieces.
    fn rests(&self, older_record: Record, over: &Record) -> [Option<Record>; 2] {
        let Some(piece) = self.piece_bytes else {
            return [None, None];
        };
        let piece = u64::from(piece);
        let before = over.offset.saturating_sub(older_record.offset) / piece * piece;
        let skipped = over
            .end()
            .saturating_sub(older_record.offset)
            .div_ceil(piece)
            * piece;
        let part = |from: u64, to: u64| {
            let length = u32::try_from(to.checked_sub(from)?).ok()?;
            let offset = older_record.offset + from;
            (length > 0).then_some(Record {
                offset,
                length,
                ..older_record
            })
        };
        [
            part(0, before),
            part(skipped, u64::from(older_record.length)),
        ]
    }
}

fn same_offset(a: &Record, b: &Record) -> bool {
    (a.file, a.offset, a.length) == (b.file, b.offset, b.length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(offset: u64, length: u32, serial: u64) -> Record {
        Record {
            offset,
            serial,
            completed: serial + 1,
            file: 0,
            length,
        }
    }

    fn read_back(history: &mut WriteHistory) -> Vec<(u64, u32, u64)> {
        history.queue(None);
        std::iter::from_fn(|| history.next())
            .map(|record| (record.offset, record.length, record.serial))
            .collect()
    }

    #[test]
    fn what_was_written_over_in_part_is_not_read_back_without_pieces() {
        let mut history = WriteHistory::new(None);
        history.add(record(0, 16384, 0));
        history.add(record(4096, 4096, 1));
        assert_eq!(read_back(&mut history), [(4096, 4096, 1)]);
    }

    #[test]
    fn a_write_that_completes_after_a_newer_one_was_queued_is_read_back_instead() {
        let mut history = WriteHistory::new(None);
        history.add(record(0, 4096, 7));
        history.add(record(4096, 4096, 8));
        history.queue(None);
        // Issued before serial 7, and still on its way when that was queued.
        let late = Record {
            completed: 9,
            ..record(0, 4096, 3)
        };
        history.add(late);
        let next = history.next().map(|record| record.serial);
        assert_eq!((next, history.next()), (Some(8), None));
        history.queue(None);
        assert_eq!(history.next(), Some(late));
    }

    #[test]
    fn writes_in_flight_together_may_have_come_in_either_order() {
        let mut history = WriteHistory::new(None);
        // Serial 3 was issued before serial 1 had completed.
        history.add(record(0, 4096, 3));
        history.add(Record {
            completed: 5,
            ..record(0, 4096, 1)
        });
        assert_eq!(read_back(&mut history), [(0, 4096, 3)]);
        assert_eq!(history.oldest(0, 0, 3), 1);
        // A later one that saw both completed ends the doubt.
        history.add(record(0, 4096, 3));
        history.add(record(0, 4096, 8));
        assert_eq!(read_back(&mut history), [(0, 4096, 8)]);
        assert_eq!(history.oldest(0, 0, 8), 8);
    }

    #[test]
    fn memory_follows_the_places_not_the_writes() {
        let mut history = WriteHistory::new(None);
        for serial in 0..1_000_000 {
            history.add(record(serial % 100 * 4096, 4096, serial));
        }
        assert!(history.log.len() <= MERGED_FROM, "{}", history.log.len());
        assert_eq!(read_back(&mut history).len(), 100);
    }

    proptest::proptest! {
        #[test]
        fn every_piece_is_read_back_once_as_its_last_write(
            writes in proptest::collection::vec((0u32..2, 0u64..24, 1u32..8), 0..60),
        ) {
            const PIECE: u32 = 512;
            let mut history = WriteHistory::new(Some(PIECE));
            let mut last = BTreeMap::new();
            for (serial, (file, start, pieces)) in (0u64..).zip(writes) {
                history.add(Record {
                    file,
                    ..record(start * u64::from(PIECE), pieces * PIECE, serial)
                });
                for piece in start..start + u64::from(pieces) {
                    last.insert((file, piece), serial);
                }
            }
            history.queue(None);
            let mut found = BTreeMap::new();
            let mut before = (0, 0);
            while let Some(record) = history.next() {
                let address = (record.file, record.offset);
                proptest::prop_assert!(address >= before, "in order of place");
                before = address;
                let first = record.offset / u64::from(PIECE);
                for piece in first..first + u64::from(record.length / PIECE) {
                    let again = found.insert((record.file, piece), record.serial);
                    proptest::prop_assert_eq!(again, None);
                }
            }
            proptest::prop_assert_eq!(found, last);
            proptest::prop_assert_eq!(read_back(&mut history), []);
        }
    }

    #[test]
    fn a_batch_takes_the_oldest() {
        let mut history = WriteHistory::new(None);
        for serial in 0..4 {
            history.add(record((4 - serial) * 4096, 4096, serial));
        }
        history.queue(Some(2));
        let batch: Vec<u64> = std::iter::from_fn(|| history.next())
            .map(|record| record.serial)
            .collect();
        assert_eq!(batch, [1, 0]);
        assert_eq!(read_back(&mut history).len(), 2);
    }
}
