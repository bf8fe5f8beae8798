//! What simulated devices would hold, if they held data: for each of their bytes who wrote it,
//! and for which place. It grows with the number of ranges that were written, not with their
//! length.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::sim::SimulatedDevice;
use crate::verify::Found;

/// Whose stamps or seals a write carried: a check of capacity has no number, a survey its own.
type SealNumber = Option<u64>;

/// Written ranges of bytes, each with a value that is the same all over it; what is next to its
/// like is joined with it.
#[derive(Clone, Debug, Default)]
struct ExtentMap<V>(BTreeMap<u64, (u64, V)>);

impl<V: Copy + PartialEq> ExtentMap<V> {
    fn remove(&mut self, range: &Range<u64>) {
        let before = self.0.range(..range.start).next_back();
        let first = before.filter(|(_, (end, _))| *end > range.start);
        let first = first.map_or(range.start, |(start, _)| *start);
        let touched: Vec<u64> = self.0.range(first..range.end).map(|it| *it.0).collect();
        for start in touched {
            let Some((end, value)) = self.0.remove(&start) else {
                continue;
            };
            if start < range.start {
                self.0.insert(start, (range.start, value));
            }
            if end > range.end {
                self.0.insert(range.end, (end, value));
            }
        }
    }

    fn insert(&mut self, range: Range<u64>, value: V) {
        self.remove(&range);
        let Range { mut start, mut end } = range;
        let before = self.0.range(..start).next_back();
        if let Some((at, (until, it))) = before.map(|(at, extent)| (*at, *extent))
            && until == start
            && it == value
        {
            start = at;
        }
        if let Some((until, it)) = self.0.get(&end).copied()
            && it == value
        {
            self.0.remove(&end);
            end = until;
        }
        self.0.insert(start, (end, value));
    }

    /// What is at an offset, and up to where that is so.
    fn at(&self, offset: u64) -> (Option<V>, u64) {
        let before = self.0.range(..=offset).next_back();
        match before.filter(|(_, (end, _))| *end > offset) {
            Some((_, (end, value))) => (Some(*value), *end),
            None => {
                let next = self.0.range(offset..).next();
                (None, next.map_or(u64::MAX, |(start, _)| *start))
            }
        }
    }
}

/// A write, of which every byte is as far from the place that it was for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct NumberedWrite {
    number: SealNumber,
    /// From a cell to the address that was written, or from an address to how much had been
    /// written before; modulo 2^64.
    distance: u64,
}

/// What the cells of a device hold, and what it remembers besides.
#[derive(Clone, Debug, Default)]
pub(crate) struct SimulatedContents {
    cells: ExtentMap<NumberedWrite>,
    /// By address, for devices that answer what was written last from memory.
    last: ExtentMap<NumberedWrite>,
    /// All that was written.
    bytes: u64,
}

impl SimulatedContents {
    /// Whether nothing is known to have been written.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Notes that a range was written, each byte with what belongs there.
    pub(crate) fn write(
        &mut self,
        device: &SimulatedDevice,
        range: Range<u64>,
        number: SealNumber,
    ) {
        for (part, cell) in cells(device, range.clone()) {
            let Some(cell) = cell else {
                continue;
            };
            let distance = part.start.wrapping_sub(cell);
            let cells = cell..cell + (part.end - part.start);
            self.cells.insert(cells, NumberedWrite { number, distance });
        }
        let length = range.end - range.start;
        if device.remembered_bytes() > 0 {
            let distance = self.bytes.wrapping_sub(range.start);
            self.last.insert(range, NumberedWrite { number, distance });
        }
        self.bytes += length;
    }

    /// Notes that a range was written, or trimmed, with what nobody can check.
    pub(crate) fn forget(&mut self, device: &SimulatedDevice, range: Range<u64>) {
        for (part, cell) in cells(device, range.clone()) {
            if let Some(cell) = cell {
                self.cells.remove(&(cell..cell + (part.end - part.start)));
            }
        }
        self.last.remove(&range);
    }

    /// What is read at an offset that was written with this number, and up to where that is so.
    pub(crate) fn kept(
        &self,
        device: &SimulatedDevice,
        offset: u64,
        number: SealNumber,
    ) -> (Found, u64) {
        let (rots, until) = device.rot_at(offset);
        if rots {
            return (Found::Corrupt, until);
        }
        let (last, last_until) = self.last.at(offset);
        let until = until.min(last_until);
        if let Some(last) = last {
            let written_at = offset.wrapping_add(last.distance);
            let forgotten = self.bytes.saturating_sub(device.remembered_bytes());
            if written_at >= forgotten {
                return (own_or_stale(last.number == number), until);
            }
            // Behind it there may be what is remembered.
            let until = until.min(offset.saturating_add(forgotten - written_at));
            return self.in_cell(device, offset, number, until);
        }
        self.in_cell(device, offset, number, until)
    }

    fn in_cell(
        &self,
        device: &SimulatedDevice,
        offset: u64,
        number: SealNumber,
        until: u64,
    ) -> (Found, u64) {
        let until = until.min(device.cells_until(offset));
        let Some(cell) = device.cell_of(offset) else {
            return (Found::Nothing, until);
        };
        let (written, cells_until) = self.cells.at(cell);
        let until = until.min(offset.saturating_add(cells_until - cell));
        let kept = match written {
            None => Found::Nothing,
            Some(written) => match cell.wrapping_add(written.distance) {
                address if address == offset => own_or_stale(written.number == number),
                address => Found::Other(address),
            },
        };
        (kept, until)
    }
}

fn own_or_stale(is_own: bool) -> Found {
    match is_own {
        true => Found::Own,
        false => Found::Stale,
    }
}

/// The parts of a range whose cells follow each other, with the first cell of each.
fn cells(
    device: &SimulatedDevice,
    range: Range<u64>,
) -> impl Iterator<Item = (Range<u64>, Option<u64>)> + '_ {
    let mut at = range.start;
    std::iter::from_fn(move || {
        let start = at;
        at = device.cells_until(start).min(range.end);
        (start < range.end).then(|| (start..at, device.cell_of(start)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn extents_are_what_was_written_last(
            writes in prop::collection::vec((0..60u64, 1..20u64, 0..4u8), 0..30),
        ) {
            let mut extents = ExtentMap::default();
            let mut bytes = [None; 80];
            for (start, length, value) in writes {
                let range = start..start + length;
                let value = (value > 0).then_some(value);
                match value {
                    Some(value) => extents.insert(range.clone(), value),
                    None => extents.remove(&range),
                }
                (start..start + length).for_each(|at| bytes[at as usize] = value);
            }
            let mut at = 0;
            while at < 80 {
                let (value, until) = extents.at(at);
                prop_assert!(until > at);
                let until = until.min(80);
                prop_assert!(bytes[at as usize..until as usize].iter().all(|it| *it == value));
                at = until;
            }
            let runs = bytes.chunk_by(|a, b| a == b).filter(|run| run[0].is_some());
            prop_assert_eq!(extents.0.len(), runs.count(), "joined");
        }
    }

    fn device(spec: &str) -> SimulatedDevice {
        SimulatedDevice::parse(spec).unwrap()
    }

    #[test]
    fn what_wraps_is_found_at_another_place() {
        const GIB: u64 = 1 << 30;
        let device = device("sim:fake-capacity?size=4GiB&real=1GiB&beyond=wrap&cache=4KiB");
        let mut contents = SimulatedContents::default();
        contents.write(&device, 0..4 * GIB, Some(1));
        assert_eq!(
            contents.kept(&device, 0, Some(1)),
            (Found::Other(3 * GIB), GIB)
        );
        let own = (Found::Own, 4 * GIB - 4096);
        assert_eq!(contents.kept(&device, 3 * GIB, Some(1)), own);
        // The last block is still remembered.
        contents.forget(&device, GIB - 4096..GIB);
        let own = (Found::Own, 4 * GIB);
        assert_eq!(contents.kept(&device, 4 * GIB - 4096, Some(1)), own);
        assert_eq!(contents.kept(&device, 3 * GIB, Some(2)).0, Found::Stale);
        contents.forget(&device, 3 * GIB..3 * GIB + 4096);
        assert_eq!(contents.kept(&device, 0, Some(1)), (Found::Nothing, 4096));
    }

    #[test]
    fn what_rots_is_not_what_was_written() {
        let device = device("sim:const?size=1GiB&rot_at=1MiB+8KiB");
        let mut contents = SimulatedContents::default();
        contents.write(&device, 0..1 << 30, None);
        let rots = 1 << 20;
        assert_eq!(contents.kept(&device, 0, None), (Found::Own, rots));
        assert_eq!(
            contents.kept(&device, rots, None),
            (Found::Corrupt, rots + 8192)
        );
        assert_eq!(
            contents.kept(&device, rots + 8192, None),
            (Found::Own, 1 << 30)
        );
    }
}
