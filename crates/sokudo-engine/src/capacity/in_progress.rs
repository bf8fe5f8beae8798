//! A check under way: what is written and read of it, one thing after the other, and counted.

use std::io;
use std::ops::Range;

use sokudo_model::{
    Bytes, CheckedSample, Event, FailureKind, Held, Nanos, Operation, Phase, narrow,
};
use sokudo_stats::Random;

use super::layout::{Extent, filler_bytes, whole_blocks};
use super::medium::{BLOCK_BYTES, Medium, WRITE_BYTES_MAX};
use crate::collector::progress_event;
use crate::control::Control;
use crate::progress::Glance;
use crate::tally::Tally;

/// Places of a round that narrows down where the device ends.
pub(super) const ROUND_PLACES: u64 = 62;

/// Each divides what is left by 63: far more rounds than any size needs.
pub(super) const ROUNDS_MAX: u32 = 16;

/// A device that fails everywhere would be asked thousands of times.
const FAILURES_MAX: usize = 64;

/// Once so many were refused, and none behind the first of them was taken, no more is tried
/// there: a device may take half a minute to refuse anything.
const REFUSALS_SURE: u32 = 4;

/// Where all of a device is written, before nothing more is tried behind what was refused.
const PROBES: u64 = 16;

/// What is kept of a stretch: one that is all right is one sample, one that overlaps itself
/// has as many as it passes through its window.
const SAMPLES_PER_STRETCH_MAX: usize = 64;
/// Linux's error number of a write that moved nothing at the end of a device.
const NO_SPACE: i32 = rustix::io::Errno::NOSPC.raw_os_error();

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
}

impl<'a, M: Medium> CheckInProgress<'a, M> {
    pub(super) fn new(medium: M, tally: Tally, size: u64, seed: u64, control: &'a Control) -> Self {
        let size = whole_blocks(size);
        Self {
            medium,
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
        }
    }

    /// Writes these places, then those, then a filler from this address on, and reads the
    /// first ones back in the order in which they were written.
    pub(super) fn round(
        &mut self,
        places: Vec<Extent>,
        others: &[u64],
        filler_at: u64,
        listener: &mut dyn FnMut(Event),
    ) -> Vec<CheckedSample> {
        let filler = self.filler_from(filler_at);
        self.round_with(places, others, filler, listener)
    }

    pub(super) fn round_with(
        &mut self,
        places: Vec<Extent>,
        others: &[u64],
        filler: Extent,
        listener: &mut dyn FnMut(Event),
    ) -> Vec<CheckedSample> {
        let known = self.samples.len();
        let mut written = Vec::new();
        for place in places {
            written.extend(self.write_extent(place, false, listener));
        }
        for other in others {
            self.write_extent(Extent::block(*other), false, listener);
        }
        self.settle();
        self.write_extent(filler, false, listener);
        self.settle();
        for extent in written {
            self.read_extent(extent, false, SAMPLES_PER_STRETCH_MAX, listener);
        }
        self.samples[known..].to_vec()
    }

    pub(super) const fn filler_from(&self, offset: u64) -> Extent {
        Extent {
            offset,
            length: self.filler,
        }
    }

    /// The last place that holds its own and the first one behind it that holds nothing,
    /// if that is all there is to say: nothing is held behind it, nothing is lost before.
    pub(super) fn edge(&self) -> Option<(u64, u64)> {
        let last = |it: &CheckedSample| it.offset.0 + it.length.0 - BLOCK_BYTES;
        let (mut held, mut lost) = (None, None);
        for sample in &self.samples {
            match sample.held {
                Held::Own => held = held.max(Some(last(sample))),
                Held::Nothing | Held::Refused(_) => {
                    lost = Some(lost.unwrap_or(u64::MAX).min(sample.offset.0));
                }
                Held::Other(_) => return None,
            }
        }
        held.zip(lost).filter(|(held, lost)| held < lost)
    }

    pub(super) fn is_over(&self) -> bool {
        self.control.is_stopped() || self.failures.len() >= FAILURES_MAX
    }

    /// Writes an extent, chunk by chunk; what could be written of it. Where all of a device
    /// is written, what lies behind something refused is tried before it is given up.
    pub(super) fn write_extent(
        &mut self,
        extent: Extent,
        is_all: bool,
        listener: &mut dyn FnMut(Event),
    ) -> Vec<Extent> {
        let mut written: Vec<Extent> = Vec::new();
        let refused = self.samples.len()..usize::MAX;
        let mut probes = is_all;
        for chunk in chunks(extent) {
            if self.is_over() || self.writes.is_beyond(chunk.offset) && !probes {
                break;
            }
            if self.writes.is_beyond(chunk.offset) {
                probes = false;
                for place in self.probes(chunk.offset) {
                    // What comes of it is in `self.writes`.
                    let _ = self.write(Extent::block(place));
                }
                if self.writes.is_beyond(chunk.offset) {
                    break;
                }
            }
            let done = self.up_to_what_fails(chunk, |check, part| check.write(part));
            let taken = done.map_or_else(|(taken, _)| taken, |()| chunk.length);
            match written.last_mut() {
                _ if taken == 0 => {}
                Some(last) if last.end() == chunk.offset => last.length += taken,
                _ => written.push(chunk.first(taken)),
            }
            if let Err((taken, errno)) = done {
                self.push(chunk.behind(taken), Held::Refused(errno), refused.clone());
            }
            self.tell(listener);
        }
        written
    }

    /// Reads an extent, chunk by chunk, and keeps so many samples of it at most.
    pub(super) fn read_extent(
        &mut self,
        extent: Extent,
        is_all: bool,
        samples_max: usize,
        listener: &mut dyn FnMut(Event),
    ) {
        let known = self.samples.len();
        let room = known..known + samples_max;
        for chunk in chunks(extent) {
            if self.is_over() || self.reads.is_beyond(chunk.offset) {
                return;
            }
            self.held.clear();
            let done = self.up_to_what_fails(chunk, |check, part| check.read(part));
            let held = std::mem::take(&mut self.held);
            for (held, number) in held.iter().zip(0..) {
                let block = Extent::block(chunk.offset + number * BLOCK_BYTES);
                self.push(block, *held, room.clone());
                self.own_bytes += match held {
                    Held::Own if is_all => BLOCK_BYTES,
                    _ => 0,
                };
            }
            self.held = held;
            if let Err((taken, errno)) = done {
                self.push(chunk.behind(taken), Held::Refused(errno), room.clone());
            }
            self.tell(listener);
        }
    }

    /// Does something to a chunk, or, where that fails, to its blocks up to the one at which it
    /// does; so many bytes, and the error number.
    fn up_to_what_fails(
        &mut self,
        chunk: Extent,
        mut does: impl FnMut(&mut Self, Extent) -> Result<(), i32>,
    ) -> Result<(), (u64, i32)> {
        let Err(errno) = does(self, chunk) else {
            return Ok(());
        };
        let blocks = (0..chunk.length).step_by(narrow(BLOCK_BYTES));
        for taken in blocks.filter(|_| chunk.length > BLOCK_BYTES) {
            let block = Extent::block(chunk.offset + taken);
            does(self, block).map_err(|errno| (taken, errno))?;
        }
        // As a whole it fails, and in parts it does not, or it has none.
        match chunk.length > BLOCK_BYTES {
            true => Ok(()),
            false => Err((0, errno)),
        }
    }

    /// Places in even distances from here to the end, the last block among them.
    fn probes(&self, from: u64) -> Vec<u64> {
        let length = self.size - from;
        let mut places: Vec<u64> = (1..PROBES)
            .map(|part| from + whole_blocks(length / PROBES * part))
            .collect();
        places.push(self.size - BLOCK_BYTES);
        places
    }

    /// Takes note of what was found, together with its neighbour if that is alike and one of
    /// these samples.
    fn push(&mut self, extent: Extent, held: Held, samples: Range<usize>) {
        let (offset, length) = (Bytes(extent.offset), Bytes(extent.length));
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

    fn write(&mut self, extent: Extent) -> Result<(), i32> {
        let write = |medium: &mut M| medium.write(extent.offset, extent.length);
        self.perform(Operation::Write, extent, write)
    }

    fn read(&mut self, extent: Extent) -> Result<(), i32> {
        let mut held = std::mem::take(&mut self.held);
        let read = |medium: &mut M| medium.read(extent.offset, extent.length, &mut held);
        let done = self.perform(Operation::Read, extent, read);
        self.held = held;
        done
    }

    pub(super) fn settle(&mut self) {
        let nowhere = Extent {
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
        extent: Extent,
        does: impl FnOnce(&mut M) -> io::Result<()>,
    ) -> Result<(), i32> {
        let issued_at = self.medium.now_ns();
        self.tally.hold_depth(issued_at, 0);
        let done = does(&mut self.medium);
        let now = self.medium.now_ns();
        // As the worker's, the depth is that of I/Os that are counted: flushes are not.
        self.tally
            .hold_depth(now, u32::from(operation != Operation::Flush));
        self.tally.end_intervals(now);
        if done.is_ok() {
            let bytes = narrow(extent.length);
            self.tally
                .complete(operation, bytes, issued_at, issued_at, now);
        }
        self.take_note(operation, extent, done)
    }

    /// Keeps how far the device takes operations of a kind, and which it does not.
    fn take_note(
        &mut self,
        operation: Operation,
        extent: Extent,
        done: io::Result<()>,
    ) -> Result<(), i32> {
        let reach = match operation {
            Operation::Write => Some(&mut self.writes),
            Operation::Read => Some(&mut self.reads),
            _ => None,
        };
        let Err(error) = done else {
            if let Some(reach) = reach {
                reach.taken_to = reach.taken_to.max(extent.end());
            }
            return Ok(());
        };
        let errno = error.raw_os_error();
        if extent.length > BLOCK_BYTES {
            // Its blocks are tried one by one.
            return Err(errno.unwrap_or(NO_SPACE));
        }
        if let Some(reach) = reach {
            let from = reach.refused_from.unwrap_or(u64::MAX);
            reach.refused_from = Some(from.min(extent.offset));
            reach.refusals += 1;
        }
        let kind = errno.map_or(FailureKind::Nothing, FailureKind::Errno);
        self.failures.push((operation, kind, extent.offset));
        Err(errno.unwrap_or(NO_SPACE))
    }

    /// What has been done so far.
    fn tell(&self, listener: &mut dyn FnMut(Event)) {
        let now = self.medium.now_ns();
        let glance = Glance {
            at: now,
            each: self.tally.moved(),
            phase: Phase::Running,
        };
        listener(progress_event(0, Nanos(now), glance));
    }

    pub(super) fn shuffle(&mut self, places: &mut [Extent]) {
        for last in (1..places.len()).rev() {
            let other = self.random.below(last as u64 + 1);
            places.swap(last, usize::try_from(other).unwrap_or(last));
        }
    }
}

/// An extent in parts that can be written in one go.
fn chunks(extent: Extent) -> impl Iterator<Item = Extent> {
    let starts = (extent.offset..extent.end()).step_by(narrow(WRITE_BYTES_MAX));
    starts.map(move |offset| Extent {
        offset,
        length: WRITE_BYTES_MAX.min(extent.end() - offset),
    })
}
