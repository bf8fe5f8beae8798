//! A check under way: what is written and read of it, one thing after the other, and counted.

use std::io;
use std::ops::Range;

use sokudo_model::{
    Bytes, CheckedSample, Event, FailureKind, Held, Nanos, Operation, Phase, narrow,
};
use sokudo_stats::Random;

use super::layout::{AddressRange, filler_bytes, whole_blocks};
use super::medium::{BLOCK_BYTES, Medium, SECTOR_BYTES, WRITE_BYTES_MAX, sectors};
use crate::collector::progress_event;
use crate::control::Control;
use crate::progress::ProgressSnapshot;
use crate::stuck::begin_call;
use crate::tally::Tally;

/// Places of a round that narrows down where the device ends.
pub(super) const ROUND_OFFSETS: u64 = 62;

/// Each divides what is left by 63: far more rounds than any size needs.
pub(super) const ROUNDS_MAX: u32 = 16;

/// A device that fails everywhere would be asked thousands of times.
const FAILURES_MAX: usize = 128;

/// Once so many were refused, and none behind the first of them was taken, no more is tried
/// there: a device may take half a minute to refuse anything.
const REFUSALS_SURE: u32 = 4;

/// Blocks at the end of what is written or read in one go that are tried even where those
/// before them were refused.
const LAST_BLOCKS: u64 = 3;

/// Where all of a device is written or read, before nothing more is tried behind what was refused.
const PROBES: u64 = 16;

/// What is kept of a stretch: one that is all right is one sample, one that overlaps itself
/// has as many as it passes through its window.
const SAMPLES_PER_STRETCH_MAX: usize = 64;
/// Linux's error numbers of a device that is not there any more.
const GONE: [i32; 2] = [
    rustix::io::Errno::NODEV.raw_os_error(),
    rustix::io::Errno::NXIO.raw_os_error(),
];

/// Where nothing was moved, and no error given.
const NO_ERROR: i32 = 0;

/// Up to where a device takes one kind of operation.
#[derive(Default)]
struct Reach {
    /// The first byte behind all that it took.
    taken_to: u64,
    /// The lowest address that it refused, and how often it refused any.
    refused_from: Option<u64>,
    refusals: u32,
}

impl Reach {
    /// Whether an address lies behind an end of the device, as far as it was tried.
    fn is_beyond(&self, offset: u64) -> bool {
        let beyond = |from: u64| from >= self.taken_to && offset >= from;
        self.refusals >= REFUSALS_SURE && self.refused_from.is_some_and(beyond)
    }
}

/// A check under way.
pub(super) struct CheckInProgress<'a, M> {
    pub(super) medium: M,
    listener: &'a mut dyn FnMut(Event),
    pub(super) size: u64,
    /// Length of what is written between writing a place and reading it back.
    pub(super) filler: u64,
    pub(super) random: Random,
    pub(super) control: &'a Control,
    pub(super) tally: Tally,
    pub(super) failures: Vec<(Operation, FailureKind, u64)>,
    writes: Reach,
    reads: Reach,
    pub(super) samples: Vec<CheckedSample>,
    pub(super) own_bytes: u64,
    /// What the blocks of one read hold.
    held: Vec<Held>,
    /// What their sectors hold.
    sectors: Vec<Held>,
    /// The block that was written last, and the one before it.
    written: [Option<u64>; 2],
    /// The block that was read last, and which one was found there.
    read: [Option<u64>; 2],
}

impl<'a, M: Medium> CheckInProgress<'a, M> {
    pub(super) fn new(
        medium: M,
        tally: Tally,
        size: u64,
        seed: u64,
        control: &'a Control,
        listener: &'a mut dyn FnMut(Event),
    ) -> Self {
        let size = whole_blocks(size);
        Self {
            medium,
            listener,
            size,
            filler: filler_bytes(size),
            random: Random::new(seed),
            control,
            tally,
            failures: Vec::new(),
            writes: Reach::default(),
            reads: Reach::default(),
            samples: Vec::new(),
            own_bytes: 0,
            held: Vec::new(),
            sectors: Vec::new(),
            written: [None; 2],
            read: [None; 2],
        }
    }

    /// Writes these places, then those, then a filler from this address on, and reads the
    /// first ones back in the order in which they were written.
    pub(super) fn round(
        &mut self,
        ranges: Vec<AddressRange>,
        others: &[u64],
        filler_at: u64,
    ) -> Vec<CheckedSample> {
        let filler = self.filler_from(filler_at);
        self.round_with(ranges, others, filler)
    }

    pub(super) fn round_with(
        &mut self,
        ranges: Vec<AddressRange>,
        others: &[u64],
        filler: AddressRange,
    ) -> Vec<CheckedSample> {
        let known = self.samples.len();
        let mut written = Vec::new();
        for sample_range in ranges {
            written.extend(self.write_range(sample_range, false));
        }
        for other in others {
            self.write_range(AddressRange::block(*other), false);
        }
        self.settle();
        self.write_range(filler, false);
        self.settle();
        for range in written {
            self.read_range(range, false, SAMPLES_PER_STRETCH_MAX);
        }
        self.samples[known..].to_vec()
    }

    pub(super) const fn filler_from(&self, offset: u64) -> AddressRange {
        AddressRange {
            offset,
            length: self.filler,
        }
    }

    /// The last block with its own contents and the first block behind it that is lost, as byte
    /// offsets; `None` where blocks are held behind that one or lost before it.
    pub(super) fn edge(&self) -> Option<(u64, u64)> {
        let last = |it: &CheckedSample| it.offset.0 + it.length.0 - BLOCK_BYTES;
        let (mut held, mut lost) = (None, None);
        for sample in &self.samples {
            match sample.held {
                Held::Own => held = held.max(Some(last(sample))),
                Held::Nothing | Held::Refused(_) => {
                    let at = sample.offset.0;
                    lost = Some(lost.map_or(at, |first: u64| first.min(at)));
                }
                Held::Other(_) => return None,
            }
        }
        held.zip(lost).filter(|(held, lost)| held < lost)
    }

    pub(super) fn is_over(&self) -> bool {
        self.control.is_stopped() || self.is_given_up()
    }

    /// Whether the device fails too often or is not there any more.
    fn is_given_up(&self) -> bool {
        let is_gone = |kind: FailureKind| GONE.map(FailureKind::Errno).contains(&kind);
        self.failures.len() >= FAILURES_MAX || self.failures.iter().any(|it| is_gone(it.1))
    }

    /// Writes a range, chunk by chunk; what could be written of it.
    pub(super) fn write_range(&mut self, range: AddressRange, is_all: bool) -> Vec<AddressRange> {
        let mut written: Vec<AddressRange> = Vec::new();
        let refused = self.samples.len()..usize::MAX;
        for extent in extents(range) {
            if self.is_over() || self.has_ended(Operation::Write, extent.offset, is_all) {
                break;
            }
            for (part, refusal) in self.in_parts(extent, Self::write) {
                match (refusal, written.last_mut()) {
                    (Some(errno), _) => self.push(part, Held::Refused(errno), refused.clone()),
                    (None, Some(last)) if last.end() == part.offset => last.length += part.length,
                    (None, _) => written.push(part),
                }
            }
            self.tell();
        }
        written
    }

    /// Reads a range, chunk by chunk, and keeps so many samples of it at most.
    pub(super) fn read_range(&mut self, range: AddressRange, is_all: bool, samples_max: usize) {
        let known = self.samples.len();
        let room = known..known + samples_max;
        for extent in extents(range) {
            if self.is_over() || self.has_ended(Operation::Read, extent.offset, is_all) {
                return;
            }
            self.held.clear();
            let moved = (self.written[0], self.read);
            let parts = self.in_parts(extent, Self::read);
            let mut all_held = std::mem::take(&mut self.held);
            self.find_echoes(&parts, moved, &mut all_held);
            let mut next_held = all_held.iter();
            for (part, refusal) in parts {
                if let Some(errno) = refusal {
                    self.push(part, Held::Refused(errno), room.clone());
                    continue;
                }
                for (offset, held) in offsets(part).zip(next_held.by_ref()) {
                    self.push(AddressRange::block(offset), *held, room.clone());
                    self.own_bytes += match held {
                        Held::Own if is_all => BLOCK_BYTES,
                        _ => 0,
                    };
                }
            }
            self.held = all_held;
            self.tell();
        }
    }

    /// A drive may answer from its buffer where it keeps nothing: what was moved last then looks like
    /// what shares the block. `moved` is what was written and what was read before these parts.
    fn find_echoes(
        &mut self,
        parts: &[(AddressRange, Option<i32>)],
        (written, mut read): (Option<u64>, [Option<u64>; 2]),
        all_held: &mut [Held],
    ) {
        let taken = parts.iter().filter(|(_, refusal)| refusal.is_none());
        let offsets = taken.flat_map(|(part, _)| offsets(*part));
        let mut before: Option<(Held, bool)> = None;
        for (offset, held) in offsets.zip(all_held) {
            let found = written_for(*held, offset);
            let may_be_echo = found.is_some() && (found == written || read.contains(&found));
            read = [Some(offset), found];
            let of_run = before.filter(|(answer, _)| answer == held);
            before = may_be_echo.then(|| {
                let is_echo = of_run.map_or_else(|| self.is_echo(offset, *held), |(_, it)| it);
                (*held, is_echo)
            });
            if before.is_some_and(|(_, is_echo)| is_echo) {
                *held = Held::Nothing;
            }
        }
    }

    /// Whether a block answers otherwise once another was moved: one that was written last and is
    /// written again, so that nothing changes that is kept.
    fn is_echo(&mut self, offset: u64, answer: Held) -> bool {
        let differs = |it: &u64| written_for(answer, offset) != Some(*it);
        let Some(another) = self.written.into_iter().flatten().rev().find(differs) else {
            return false;
        };
        self.held.clear();
        let is_read_again = self.write(AddressRange::block(another)).is_ok()
            && self.read(AddressRange::block(offset)).is_ok();
        // What cannot be read again has told nothing else.
        is_read_again && self.held.first() != Some(&answer)
    }

    /// Does something to a chunk, or, where that fails, to its blocks one by one: its parts,
    /// and the error number of those for which that failed. Once as many blocks in a row were
    /// refused as make an end, of the rest only the last ones are tried.
    fn in_parts(
        &mut self,
        extent: AddressRange,
        mut does: impl FnMut(&mut Self, AddressRange) -> Result<(), i32>,
    ) -> Vec<(AddressRange, Option<i32>)> {
        let Err(mut errno) = does(self, extent) else {
            return vec![(extent, None)];
        };
        if extent.length == BLOCK_BYTES {
            return vec![(extent, Some(errno))];
        }
        let last = extent.end().saturating_sub(LAST_BLOCKS * BLOCK_BYTES);
        let mut in_a_row = 0;
        let mut parts = Vec::new();
        for offset in offsets(extent) {
            let block = AddressRange::block(offset);
            if in_a_row >= REFUSALS_SURE && offset < last {
                parts.push((block, Some(errno)));
                continue;
            }
            let refusal = does(self, block).err();
            in_a_row = refusal.map_or(0, |_| in_a_row + 1);
            errno = refusal.unwrap_or(errno);
            parts.push((block, refusal));
            if self.is_over() {
                break;
            }
        }
        parts
    }

    /// Whether a place lies behind an end. Where all of a device is looked at, places from
    /// there on to its end are tried before that is believed.
    fn has_ended(&mut self, operation: Operation, offset: u64, is_all: bool) -> bool {
        if is_all && self.reach(operation).is_beyond(offset) {
            for probe in self.probes(offset) {
                // What comes of it is in the reach.
                let _ = self.try_block(operation, probe);
            }
        }
        self.reach(operation).is_beyond(offset)
    }

    const fn reach(&self, operation: Operation) -> &Reach {
        match operation {
            Operation::Read => &self.reads,
            _ => &self.writes,
        }
    }

    fn try_block(&mut self, operation: Operation, offset: u64) -> Result<(), i32> {
        match operation {
            Operation::Read => self.read(AddressRange::block(offset)),
            _ => self.write(AddressRange::block(offset)),
        }
    }

    /// Whether what was refused is an end, and not a device that fails: nothing but blocks
    /// behind all that hold their own was refused, several of them; the first one is refused
    /// again, and one that holds its own can still be read.
    pub(super) fn is_end_confirmed(&mut self) -> bool {
        let with = |wanted: fn(Held) -> bool| {
            let samples = self.samples.iter().filter(move |it| wanted(it.held));
            samples.map(|sample| sample.offset.0)
        };
        let (own_first, own_last) = {
            let is_own = |held| held == Held::Own;
            (with(is_own).min(), with(is_own).max())
        };
        let refused_first = with(|held| matches!(held, Held::Refused(_))).min();
        let is_behind = own_last
            .zip(refused_first)
            .is_some_and(|(own, refused)| own < refused);
        let is_flush = |it: &(Operation, _, _)| it.0 == Operation::Flush;
        let is_sure = self.failures.len() >= REFUSALS_SURE as usize && !self.is_given_up();
        if !is_behind || !is_sure || self.failures.iter().any(is_flush) {
            return false;
        }
        let first = self.failures.iter().min_by_key(|it| it.2);
        let Some((operation, offset)) = first.map(|it| (it.0, it.2)) else {
            return false;
        };
        let is_refused = self.try_block(operation, offset).is_err();
        is_refused && own_first.is_some_and(|own| self.try_block(Operation::Read, own).is_ok())
    }

    /// Places in even distances from here to the end, the last block among them.
    fn probes(&self, from: u64) -> Vec<u64> {
        let length = self.size - from;
        let mut addresses: Vec<u64> = (1..PROBES)
            .map(|part| from + whole_blocks(length / PROBES * part))
            .collect();
        addresses.push(self.size - BLOCK_BYTES);
        addresses
    }

    /// Takes note of what was found, together with its neighbour if that is alike and one of
    /// these samples.
    fn push(&mut self, range: AddressRange, held: Held, samples: Range<usize>) {
        let (offset, length) = (Bytes(range.offset), Bytes(range.length));
        let count = self.samples.len();
        let last = self
            .samples
            .get_mut(samples.start..)
            .and_then(<[_]>::last_mut);
        let goes_on = last.filter(|last| {
            let alike = match (last.held, held) {
                (Held::Other(first), Held::Other(other)) => other.0 == first.0 + last.length.0,
                (one, other) => one == other,
            };
            alike && last.offset.0 + last.length.0 == offset.0
        });
        match goes_on {
            Some(last) => last.length.0 += length.0,
            None if count < samples.end => self.samples.push(CheckedSample {
                offset,
                length,
                held,
            }),
            None => {}
        }
    }

    fn write(&mut self, range: AddressRange) -> Result<(), i32> {
        let write = |medium: &mut M| medium.write(range.offset, range.length);
        self.perform(Operation::Write, range, write)?;
        let last = range.end() - BLOCK_BYTES;
        let before = last.checked_sub(BLOCK_BYTES);
        self.written = match range.length > BLOCK_BYTES {
            true => [Some(last), before],
            false if self.written[0] == Some(last) => self.written,
            false => [Some(last), self.written[0]],
        };
        Ok(())
    }

    fn read(&mut self, range: AddressRange) -> Result<(), i32> {
        let mut sectors = std::mem::take(&mut self.sectors);
        sectors.clear();
        let read = |medium: &mut M| medium.read(range.offset, range.length, &mut sectors);
        let done = self.perform(Operation::Read, range, read);
        if done.is_ok() {
            let blocks = offsets(range).zip(sectors.chunks(narrow(BLOCK_BYTES / SECTOR_BYTES)));
            self.held
                .extend(blocks.map(|(offset, held)| of_sectors(offset, held)));
            let last = range.end() - BLOCK_BYTES;
            let found = self.held.last().and_then(|held| written_for(*held, last));
            self.read = [Some(last), found];
        }
        self.sectors = sectors;
        done
    }

    pub(super) fn settle(&mut self) {
        let nowhere = AddressRange {
            offset: 0,
            length: 0,
        };
        // That it failed is kept with the other failures.
        let _ = self.perform(Operation::Flush, nowhere, M::settle);
    }

    /// Does and counts one thing; Linux's error number where it failed.
    fn perform(
        &mut self,
        operation: Operation,
        range: AddressRange,
        does: impl FnOnce(&mut M) -> io::Result<()>,
    ) -> Result<(), i32> {
        let issued_at = self.medium.now_ns();
        self.tally.hold_depth(issued_at, 0);
        let bytes = narrow(range.length);
        begin_call(operation, range.offset, bytes);
        let done = does(&mut self.medium);
        let now = self.medium.now_ns();
        // As the worker's, the depth is that of I/Os that are counted: flushes are not.
        self.tally
            .hold_depth(now, u32::from(operation != Operation::Flush));
        self.tally.end_intervals(now);
        if done.is_ok() {
            self.tally
                .complete(operation, bytes, issued_at, issued_at, now);
        }
        self.take_note(operation, range, done)
    }

    /// Keeps how far the device takes operations of a kind, and which it does not.
    fn take_note(
        &mut self,
        operation: Operation,
        range: AddressRange,
        done: io::Result<()>,
    ) -> Result<(), i32> {
        let reach = match operation {
            Operation::Write => Some(&mut self.writes),
            Operation::Read => Some(&mut self.reads),
            _ => None,
        };
        let Err(error) = done else {
            if let Some(reach) = reach {
                reach.taken_to = reach.taken_to.max(range.end());
            }
            return Ok(());
        };
        let kind = match (error.raw_os_error(), error.kind()) {
            (Some(errno), _) => FailureKind::Errno(errno),
            (None, io::ErrorKind::TimedOut) => FailureKind::Unanswered,
            (None, _) => FailureKind::Nothing,
        };
        let errno = match kind {
            FailureKind::Errno(errno) => errno,
            FailureKind::Unanswered => rustix::io::Errno::TIMEDOUT.raw_os_error(),
            _ => NO_ERROR,
        };
        if range.length > BLOCK_BYTES {
            // Its blocks are tried one by one.
            return Err(errno);
        }
        if let Some(reach) = reach {
            let from = reach.refused_from.unwrap_or(range.offset);
            reach.refused_from = Some(from.min(range.offset));
            reach.refusals += 1;
        }
        self.failures.push((operation, kind, range.offset));
        Err(errno)
    }

    /// What has been done so far.
    fn tell(&mut self) {
        let now = self.medium.now_ns();
        let glance = ProgressSnapshot {
            at: now,
            each: self.tally.moved(),
            phase: Phase::Running,
        };
        (self.listener)(progress_event(0, Nanos(now), glance));
    }

    pub(super) fn shuffle(&mut self, ranges: &mut [AddressRange]) {
        for last in (1..ranges.len()).rev() {
            let other = self.random.below(last as u64 + 1);
            ranges.swap(last, usize::try_from(other).unwrap_or(last));
        }
    }
}

/// A range in parts that can be written in one go.
fn extents(range: AddressRange) -> impl Iterator<Item = AddressRange> {
    let starts = (range.offset..range.end()).step_by(narrow(WRITE_BYTES_MAX));
    starts.map(move |offset| AddressRange {
        offset,
        length: WRITE_BYTES_MAX.min(range.end() - offset),
    })
}

/// Where its blocks begin.
fn offsets(range: AddressRange) -> impl Iterator<Item = u64> {
    (range.offset..range.end()).step_by(narrow(BLOCK_BYTES))
}

/// What a block holds whose sectors hold this. Where a drive ends within a block two halves of it
/// are of two addresses: it is the block of the first one that is not its own.
fn of_sectors(offset: u64, held: &[Held]) -> Held {
    let mut of_block = Held::Own;
    for (at, held) in sectors(offset..offset + BLOCK_BYTES).zip(held) {
        match held {
            Held::Own => {}
            Held::Other(other) => return Held::Other(Bytes(other.0.saturating_sub(at - offset))),
            Held::Nothing | Held::Refused(_) => of_block = *held,
        }
    }
    of_block
}

/// Which block is found at an offset that holds this.
const fn written_for(held: Held, offset: u64) -> Option<u64> {
    match held {
        Held::Own => Some(offset),
        Held::Other(other) => Some(other.0),
        Held::Nothing | Held::Refused(_) => None,
    }
}
