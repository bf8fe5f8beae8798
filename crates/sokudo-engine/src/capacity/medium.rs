//! Where sealed sectors are written and read: a real target, or a simulated one, which
//! holds no data but knows where each sector would be kept.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use rustix::fs::Advice;
use sokudo_model::{CapacityCheck, Held, Operation, narrow};
use sokudo_stats::mix64;
use sokudo_sys::Region;

use crate::clock::{Clock as _, RealClock};
use crate::simulated_contents::SimulatedContents;
use crate::target::SimulatedTarget;
use crate::verify::Seal;

/// Takes sectors that tell where they belong, and tells what is found at a place.
pub(super) trait Medium {
    /// Seals all sectors of a range of at most [`WRITE_BYTES_MAX`].
    fn write(&mut self, offset: u64, bytes: u64) -> io::Result<()>;
    /// What the sectors of such a range hold, one after the other.
    fn read(&mut self, offset: u64, bytes: u64, held: &mut Vec<Held>) -> io::Result<()>;
    /// Makes all that was written durable, and forgets it outside of the device.
    fn settle(&mut self) -> io::Result<()>;
    /// Nanoseconds since an instant of the medium's own.
    fn now_ns(&self) -> u64;
}

/// A file or device.
pub(super) struct FileMedium {
    file: File,
    region: Region,
    seal: Seal<SECTOR>,
    clock: RealClock,
}

impl FileMedium {
    pub(super) fn new(file: File, seed: u64) -> io::Result<Self> {
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
            region: Region::new(1, narrow(WRITE_BYTES_MAX))?,
            seal: Seal::new(check),
            clock: RealClock::new(),
        })
    }
}

/// Where the sectors of a range begin.
pub(super) fn sectors(range: Range<u64>) -> impl Iterator<Item = u64> {
    range.step_by(SECTOR)
}

impl Medium for FileMedium {
    fn write(&mut self, offset: u64, bytes: u64) -> io::Result<()> {
        let buffer = &mut self.region.buffer_mut(0)[..narrow(bytes)];
        self.seal.seal(buffer, offset);
        self.file.write_all_at(buffer, offset)
    }

    fn read(&mut self, offset: u64, bytes: u64, held: &mut Vec<Held>) -> io::Result<()> {
        let buffer = &mut self.region.buffer_mut(0)[..narrow(bytes)];
        buffer.fill(0);
        self.file.read_exact_at(buffer, offset)?;
        let parts = sectors(offset..offset + bytes).zip(buffer.as_chunks().0);
        held.extend(parts.map(|(at, sector)| Held::from(self.seal.look(sector, at))));
        Ok(())
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
        let SimulatedTarget {
            device, contents, ..
        } = &*self.0;
        let found = |at| contents.kept(device, at, None).0;
        held.extend(sectors(offset..offset + bytes).map(|at| Held::from(found(at))));
        Ok(())
    }

    fn settle(&mut self) -> io::Result<()> {
        self.request(Operation::Flush, 0, 0)
    }

    fn now_ns(&self) -> u64 {
        self.0.now
    }
}

/// What is checked by itself: the unit of flash and platters.
pub(crate) const BLOCK_BYTES: u64 = CapacityCheck::BLOCK.0;

/// The least that a drive keeps by itself: where its size ends, a block may be torn.
pub(super) const SECTOR: usize = 512;
pub(super) const SECTOR_BYTES: u64 = SECTOR as u64;

/// The most that is written or read in one go.
pub(crate) const WRITE_BYTES_MAX: u64 = 1 << 20;
