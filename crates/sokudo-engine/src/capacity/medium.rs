//! Where stamped blocks are written and read: a real target, or a simulated one, which
//! holds no data but knows where each block would be kept.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::Advice;
use sokudo_model::{Bytes, CapacityCheck, Held, Operation};
use sokudo_stats::mix64;
use sokudo_sys::Region;

use crate::clock::{Clock as _, RealClock};
use crate::simulated_contents::{CellState, SimulatedContents};
use crate::target::SimulatedTarget;

/// Takes blocks that tell where they belong, and tells what is found at a place.
pub(super) trait Medium {
    /// Stamps all blocks of a range of at most [`WRITE_BYTES_MAX`].
    fn write(&mut self, offset: u64, bytes: u64) -> io::Result<()>;
    /// What the blocks of such a range hold, one after the other.
    fn read(&mut self, offset: u64, bytes: u64, held: &mut Vec<Held>) -> io::Result<()>;
    /// How many bytes from the beginning of a block on hold their own.
    fn own_from(&mut self, offset: u64) -> io::Result<u64>;
    /// Makes all that was written durable, and forgets it outside of the device.
    fn settle(&mut self) -> io::Result<()>;
    /// Time, in nanoseconds.
    fn now_ns(&self) -> u64;
}

/// A file or device. Each sector of a block holds this check's number, its place, and what follows
/// from both, so that nothing else looks like it.
pub(super) struct FileMedium {
    file: File,
    region: Region,
    check: u64,
    clock: RealClock,
}

/// Where in a sector its place is told, in words of 8 bytes.
const PLACE_WORD: usize = 1;

impl FileMedium {
    pub(super) fn new(file: File, seed: u64) -> io::Result<Self> {
        let chunk_bytes = usize::try_from(WRITE_BYTES_MAX).map_err(io::Error::other)?;
        // A second check with the same seed must not find the first one's blocks right.
        let mut check = mix64(seed);
        let since_epoch = std::time::SystemTime::UNIX_EPOCH
            .elapsed()
            .unwrap_or_default();
        for part in [since_epoch.as_secs(), since_epoch.subsec_nanos().into()] {
            check = mix64(check ^ part);
        }
        Ok(Self {
            file,
            region: Region::new(1, chunk_bytes)?,
            check,
            clock: RealClock::new(),
        })
    }
}

fn stamp(check: u64, offset: u64, block: &mut [u8]) {
    for (sector, at) in block
        .chunks_exact_mut(length(SECTOR_BYTES))
        .zip(sectors(offset))
    {
        for (number, word) in sector.chunks_exact_mut(8).enumerate() {
            word.copy_from_slice(&word_of(check, at, number).to_le_bytes());
        }
    }
}

/// The sectors of a block.
fn sectors(offset: u64) -> impl Iterator<Item = u64> {
    (0..BLOCK_BYTES / SECTOR_BYTES).map(move |number| offset + number * SECTOR_BYTES)
}

/// The bytes of sectors that hold their own, before the first that does not.
fn own_bytes(sectors: impl Iterator<Item = Held>) -> u64 {
    sectors.take_while(|held| *held == Held::Own).count() as u64 * SECTOR_BYTES
}

/// What a block holds whose sectors hold this. Where a drive ends within a block two halves of it
/// are of two addresses: it is the block of the first one that is not its own.
fn of_sectors(offset: u64, sectors: impl Iterator<Item = (u64, Held)>) -> Held {
    let mut of_block = Held::Own;
    for (at, held) in sectors {
        match held {
            Held::Own => {}
            Held::Other(other) => return Held::Other(Bytes(other.0.saturating_sub(at - offset))),
            Held::Nothing | Held::Refused(_) => of_block = held,
        }
    }
    of_block
}

fn word_of(check: u64, offset: u64, number: usize) -> u64 {
    match number {
        PLACE_WORD => offset ^ check,
        // Mixed once more, so that the place and the check are not interchangeable.
        _ => mix64(mix64(check) ^ offset ^ (number as u64) << 52),
    }
}

fn held_by(check: u64, offset: u64, block: &[u8]) -> Held {
    of_sectors(offset, held_by_sectors(check, offset, block))
}

fn held_by_sectors(check: u64, offset: u64, block: &[u8]) -> impl Iterator<Item = (u64, Held)> {
    let parts = block.chunks_exact(length(SECTOR_BYTES));
    let parts = sectors(offset).zip(parts);
    parts.map(move |(at, part)| (at, held_by_sector(check, at, part)))
}

fn held_by_sector(check: u64, offset: u64, sector: &[u8]) -> Held {
    let word = |number: usize| {
        let bytes = sector.get(number * 8..number * 8 + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    let Some(told) = word(PLACE_WORD).map(|word| word ^ check) else {
        return Held::Nothing;
    };
    let is_whole = (0..sector.len() / 8).all(|it| word(it) == Some(word_of(check, told, it)));
    match is_whole {
        true if told == offset => Held::Own,
        true => Held::Other(Bytes(told)),
        false => Held::Nothing,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "at most WRITE_BYTES_MAX")]
const fn length(bytes: u64) -> usize {
    bytes as usize
}

impl Medium for FileMedium {
    fn write(&mut self, offset: u64, bytes: u64) -> io::Result<()> {
        let buffer = &mut self.region.chunk_mut(0)[..length(bytes)];
        let blocks = buffer.chunks_exact_mut(length(BLOCK_BYTES));
        for (block, number) in blocks.zip(0..) {
            stamp(self.check, offset + number * BLOCK_BYTES, block);
        }
        self.file.write_all_at(buffer, offset)
    }

    fn read(&mut self, offset: u64, bytes: u64, held: &mut Vec<Held>) -> io::Result<()> {
        let buffer = &mut self.region.chunk_mut(0)[..length(bytes)];
        buffer.fill(0);
        self.file.read_exact_at(buffer, offset)?;
        let blocks = buffer.chunks_exact(length(BLOCK_BYTES)).zip(0..);
        let check = self.check;
        held.extend(
            blocks.map(|(block, number)| held_by(check, offset + number * BLOCK_BYTES, block)),
        );
        Ok(())
    }

    fn own_from(&mut self, offset: u64) -> io::Result<u64> {
        let block = &mut self.region.chunk_mut(0)[..length(BLOCK_BYTES)];
        self.file.read_exact_at(block, offset)?;
        let held = held_by_sectors(self.check, offset, block);
        Ok(own_bytes(held.map(|(_, held)| held)))
    }

    fn settle(&mut self) -> io::Result<()> {
        self.file.sync_all()?;
        // Direct I/O leaves nothing behind; where there is none, what can be is forgotten.
        let _ = sokudo_sys::flush_block_cache(&self.file);
        rustix::fs::fadvise(&self.file, 0, None, Advice::DontNeed)?;
        Ok(())
    }

    fn now_ns(&self) -> u64 {
        self.clock.now()
    }
}

/// A simulated device, with what its cells would hold.
pub(super) struct SimulatedMedium<'a>(&'a mut SimulatedTarget);

impl<'a> SimulatedMedium<'a> {
    /// Nothing is there that an earlier check has written.
    pub(super) fn new(target: &'a mut SimulatedTarget) -> Self {
        target.contents = SimulatedContents::default();
        Self(target)
    }

    /// What a block holds, or is answered to hold.
    fn held(&self, offset: u64) -> Held {
        of_sectors(
            offset,
            sectors(offset).map(|at| (at, self.held_by_sector(at))),
        )
    }

    fn held_by_sector(&self, offset: u64) -> Held {
        let target = &self.0;
        match target.contents.kept(&target.device, offset, None).0 {
            CellState::Own => Held::Own,
            CellState::Other(address) => Held::Other(Bytes(address)),
            CellState::Stale | CellState::Nothing | CellState::Corrupt => Held::Nothing,
        }
    }

    fn request(&mut self, operation: Operation, offset: u64, bytes: u64) -> io::Result<()> {
        let answer = self.0.perform(operation, offset, bytes);
        match answer.ok_or(io::ErrorKind::TimedOut)? {
            Ok(moved) if moved == bytes || operation == Operation::Flush => Ok(()),
            Ok(_) => Err(io::ErrorKind::UnexpectedEof.into()),
            Err(errno) => Err(io::Error::from_raw_os_error(errno)),
        }
    }
}

impl Medium for SimulatedMedium<'_> {
    fn write(&mut self, offset: u64, bytes: u64) -> io::Result<()> {
        self.request(Operation::Write, offset, bytes)?;
        let SimulatedTarget {
            device, contents, ..
        } = &mut *self.0;
        contents.write(device, offset..offset + bytes, None);
        Ok(())
    }

    fn read(&mut self, offset: u64, bytes: u64, held: &mut Vec<Held>) -> io::Result<()> {
        self.request(Operation::Read, offset, bytes)?;
        let blocks = 0..bytes / BLOCK_BYTES;
        held.extend(blocks.map(|number| self.held(offset + number * BLOCK_BYTES)));
        Ok(())
    }

    fn own_from(&mut self, offset: u64) -> io::Result<u64> {
        self.request(Operation::Read, offset, BLOCK_BYTES)?;
        Ok(own_bytes(sectors(offset).map(|at| self.held_by_sector(at))))
    }

    fn settle(&mut self) -> io::Result<()> {
        self.request(Operation::Flush, 0, 0)
    }

    fn now_ns(&self) -> u64 {
        self.0.now
    }
}

/// What is stamped: the unit of flash and platters.
pub(crate) const BLOCK_BYTES: u64 = CapacityCheck::BLOCK.0;

/// The least that a drive keeps by itself: where its size ends, a block may be torn.
pub(super) const SECTOR_BYTES: u64 = 512;

/// The most that is written or read in one go.
pub(crate) const WRITE_BYTES_MAX: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_tells_where_it_belongs_and_nothing_else_looks_like_it() {
        let mut block = vec![0; 4096];
        assert_eq!(held_by(9, 8192, &block), Held::Nothing);
        stamp(9, 8192, &mut block);
        assert_eq!(held_by(9, 8192, &block), Held::Own);
        assert_eq!(held_by(9, 4096, &block), Held::Other(Bytes(8192)));
        assert_eq!(held_by(8, 8192, &block), Held::Nothing, "of another check");
        block[4095] ^= 1;
        assert_eq!(held_by(9, 8192, &block), Held::Nothing, "a flipped bit");
        // Its first sectors were written to it, the others to a place 1 MiB and 512 bytes further.
        stamp(9, 8192, &mut block);
        let mut torn = vec![0; 8192];
        let (first, second) = torn.split_at_mut(4096);
        stamp(9, 8192 + (1 << 20), first);
        stamp(9, 12_288 + (1 << 20), second);
        block[512..].copy_from_slice(&torn[1024..1024 + 3584]);
        let other = Bytes(8192 + (1 << 20) + 512);
        assert_eq!(held_by(9, 8192, &block), Held::Other(other));
        let held = held_by_sectors(9, 8192, &block).map(|(_, held)| held);
        assert_eq!(own_bytes(held), 512);
    }
}
