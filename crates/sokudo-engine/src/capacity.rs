//! Whether a device is as large as it says: blocks that tell where they belong are written
//! all over it and read back late.
//!
//! Stretches at random and the end are written, and single blocks in even distances; then a
//! filler at the start, for two reasons. No drive holds so much in its memory, so that what is
//! read back comes from where it is kept. And the single blocks lie one filler apart, so that
//! on a drive whose addresses begin anew somewhere, be it at whatever size, one of them falls
//! on the filler (baby steps and giant steps: Shanks 1971). Stretches beyond the real size
//! overwrite each other where such a drive has only a window for them. Or everything is
//! written, from the start to the end, and read back.
//!
//! Where a device refuses what lies beyond an end, that is what was to be found out, and no
//! failure. It tells what was found and judges nothing. It destroys what the device holds.

mod folds;
mod layout;
mod medium;

use std::io;
use std::ops::Range;

use sokudo_model::{
    BackendKind, Bytes, CapacityCheck, CheckedSample, Event, FailureKind, Held, Nanos, Operation,
    Order, Outcome, Phase, SharedBlocks, StopReason, Workload, narrow,
};
use sokudo_stats::Random;

use crate::backend::used;
use crate::collector::progress_event;
use crate::control::Control;
use crate::outcome::{ThreadConditions, outcome};
use crate::progress::Glance;
use crate::record::Recorded;
use crate::stage_error::StageError;
use crate::tally::Tally;
use crate::target::{Target, TargetError};
use crate::worker::FinishedWorker;
use layout::{Extent, filler_bytes, sample, whole_blocks};
use medium::{BLOCK_BYTES, FileMedium, Medium, SimulatedMedium, WRITE_BYTES_MAX};

/// Places of a round that narrows down where the device ends.
const ROUND_PLACES: u64 = 62;

/// Each divides what is left by 63: far more rounds than any size needs.
const ROUNDS_MAX: u32 = 16;

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
/// The same of all of a device.
const SAMPLES_MAX: usize = 16_384;

/// Linux's error number of a write that moved nothing at the end of a device.
const NO_SPACE: i32 = rustix::io::Errno::NOSPC.raw_os_error();

/// Writes all over a target and reads back.
pub(crate) fn run(
    workload: &Workload,
    seed: u64,
    target: &mut Target,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Outcome, StageError> {
    let size = target.size().0;
    let tally = Tally::new(workload);
    let is_whole = matches!(workload.order, Order::Sequential { .. });
    match target {
        Target::Simulated(simulated) => {
            let medium = SimulatedMedium::new(simulated);
            let check = CheckInProgress::new(medium, tally, size, seed, control);
            Ok(check.run(is_whole, BackendKind::Sim, true, listener))
        }
        Target::File(file) => {
            let (opened, direct) = file.open(true, workload.direct)?;
            let medium = FileMedium::new(opened, seed).map_err(|source| TargetError::Open {
                path: file.path().to_owned(),
                source,
            })?;
            let check = CheckInProgress::new(medium, tally, size, seed, control);
            Ok(check.run(is_whole, BackendKind::Psync, direct, listener))
        }
        Target::Null(_) => Ok(Outcome::new(
            used(BackendKind::Null, Vec::new()),
            StopReason::Ended,
        )),
    }
}

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
struct CheckInProgress<'a, M> {
    medium: M,
    size: u64,
    /// Length of what is written between writing a place and reading it back.
    filler: u64,
    random: Random,
    control: &'a Control,
    tally: Tally,
    failures: Vec<(Operation, FailureKind, u64)>,
    writes: Reach,
    reads: Reach,
    samples: Vec<CheckedSample>,
    own_bytes: u64,
    /// What the blocks of one read hold.
    held: Vec<Held>,
}

impl<'a, M: Medium> CheckInProgress<'a, M> {
    fn new(medium: M, tally: Tally, size: u64, seed: u64, control: &'a Control) -> Self {
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

    fn run(
        mut self,
        is_whole: bool,
        kind: BackendKind,
        direct: bool,
        listener: &mut dyn FnMut(Event),
    ) -> Outcome {
        let started_at = self.medium.now_ns();
        self.tally.start(started_at);
        let shared = match is_whole {
            true => self.whole(listener),
            false => self.sampled(listener),
        };
        self.samples.sort_by_key(|sample| sample.offset);
        let stopped = self.ending();
        let finished = FinishedWorker {
            tally: self.tally.finish(),
            recorded: Recorded::default(),
            verified: None,
            surveyed: None,
            stopped,
        };
        let circumstances = ThreadConditions {
            stage_started_at: started_at,
            cpu: None,
            usage: None,
            backend: used(kind, Vec::new()),
            direct,
        };
        Outcome {
            capacity: Some(CapacityCheck {
                size: Bytes(self.size),
                between: Bytes(self.filler),
                places: self.samples,
                is_whole: is_whole && stopped == StopReason::Ended,
                own: Bytes(self.own_bytes),
                shared,
            }),
            ..outcome(finished, circumstances)
        }
    }

    /// How it ended. What was refused behind all that holds its own is what a device says that
    /// ends there; anything else that was refused is a failure.
    fn ending(&mut self) -> StopReason {
        let with = |wanted: fn(Held) -> bool| {
            let samples = self.samples.iter().filter(move |it| wanted(it.held));
            samples.map(|sample| sample.offset)
        };
        let own_last = with(|held| held == Held::Own).max();
        let refused_first = with(|held| matches!(held, Held::Refused(_))).min();
        let ends = own_last
            .zip(refused_first)
            .is_some_and(|(own, refused)| own < refused);
        if self.control.is_cancelled() {
            return StopReason::Cancelled;
        }
        if self.failures.is_empty() || ends {
            return StopReason::Ended;
        }
        for (operation, kind, offset) in &self.failures {
            self.tally.fail(*operation, *kind, *offset);
        }
        StopReason::Failed
    }

    /// Looks at places all over the device, and then for what they have shown.
    fn sampled(&mut self, listener: &mut dyn FnMut(Event)) -> Option<SharedBlocks> {
        let mut extents = sample(self.size, self.filler, &mut self.random);
        self.shuffle(&mut extents);
        let found = self.round(extents, &[], 0, listener);
        let own = found.iter().filter(|it| it.held == Held::Own);
        self.own_bytes = own.map(|it| it.length.0).sum();
        if found.iter().any(|it| matches!(it.held, Held::Other(_))) {
            return self.find_shared(listener);
        }
        self.find_end(listener);
        None
    }

    /// Narrows down where the device ends that loses or refuses what lies behind.
    fn find_end(&mut self, listener: &mut dyn FnMut(Event)) {
        for _ in 0..ROUNDS_MAX {
            let Some((held, lost)) = self.edge() else {
                return;
            };
            let places = folds::between(held, lost);
            if places.is_empty() || held < self.filler || self.is_over() {
                return;
            }
            self.round(
                places.into_iter().map(Extent::block).collect(),
                &[],
                0,
                listener,
            );
        }
    }

    /// Writes everything, and reads it back.
    fn whole(&mut self, listener: &mut dyn FnMut(Event)) -> Option<SharedBlocks> {
        let all = Extent {
            offset: 0,
            length: self.size,
        };
        let written = self.write_extent(all, true, listener);
        self.settle();
        let start = self.filler_from(0);
        self.write_extent(start, false, listener);
        self.settle();
        for extent in written {
            self.read_extent(extent, true, SAMPLES_MAX, listener);
        }
        None
    }

    /// Writes these places, then those, then a filler from this address on, and reads the
    /// first ones back in the order in which they were written.
    fn round(
        &mut self,
        places: Vec<Extent>,
        others: &[u64],
        filler_at: u64,
        listener: &mut dyn FnMut(Event),
    ) -> Vec<CheckedSample> {
        let filler = self.filler_from(filler_at);
        self.round_with(places, others, filler, listener)
    }

    fn round_with(
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

    const fn filler_from(&self, offset: u64) -> Extent {
        Extent {
            offset,
            length: self.filler,
        }
    }

    /// The last place that holds its own and the first one behind it that holds nothing,
    /// if that is all there is to say: nothing is held behind it, nothing is lost before.
    fn edge(&self) -> Option<(u64, u64)> {
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

    fn is_over(&self) -> bool {
        self.control.is_stopped() || self.failures.len() >= FAILURES_MAX
    }

    /// Writes an extent, chunk by chunk; what could be written of it. Where all of a device
    /// is written, what lies behind something refused is tried before it is given up.
    fn write_extent(
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
    fn read_extent(
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

    fn settle(&mut self) {
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

    fn shuffle(&mut self, places: &mut [Extent]) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimulatedDevice;
    use crate::target::SimulatedTarget;
    use sokudo_model::OperationMix;

    fn workload(order: Order) -> Workload {
        with!(
            Workload::new("capacity", Bytes(BLOCK_BYTES)),
            operations = OperationMix::only(Operation::Write),
            order = order,
            checks_capacity = true
        )
    }

    const PLACES: Order = Order::Random { map: false };

    fn check_in(order: Order, spec: &str) -> CapacityCheck {
        let device = SimulatedDevice::parse(spec).unwrap();
        let mut target = Target::Simulated(SimulatedTarget::new(device));
        let outcome = run(
            &workload(order),
            7,
            &mut target,
            &Control::new(),
            &mut |_| {},
        )
        .unwrap();
        assert_eq!(outcome.stopped, StopReason::Ended, "{:?}", outcome.failures);
        assert!(outcome.failures.is_empty());
        outcome.capacity.unwrap()
    }

    fn check(spec: &str) -> CapacityCheck {
        check_in(PLACES, spec)
    }

    fn shared(spec: &str) -> SharedBlocks {
        let found = check(&format!("sim:fake-capacity?{spec}")).shared;
        found.unwrap_or_else(|| panic!("{spec}: no rule was found"))
    }

    #[test]
    fn an_honest_device_holds_what_was_written_everywhere() {
        for spec in ["sim:const?size=8GB", "sim:const?size=1GiB"] {
            let check = check(spec);
            assert!(check.places.len() > 256, "{spec}");
            assert!(check.places.iter().all(|place| place.held == Held::Own));
            assert_eq!(check.shared, None);
        }
    }

    #[test]
    fn a_fold_into_the_last_window_is_found_with_its_size_and_where_it_begins() {
        for (size, real, window) in [
            (16_000_000_000_u64, 4_000_002_048, 1_073_745_920_u64),
            (16_000_000_000, 4_000_002_048, 268_500_992),
            (16_000_000_000, 12_000_002_048, 1_052_672),
            (64_000_000_000, 16_000_000_000, 67_117_056),
        ] {
            let real = whole_blocks(real);
            let found = shared(&format!(
                "size={size}&real={real}&beyond=tail&window={window}"
            ));
            assert_eq!(found.distance, Bytes(window), "{found:?}");
            assert_eq!(found.from, Bytes(real - window), "{found:?}");
            assert_ne!(found.reaches_below, Some(true), "{found:?}");
        }
    }

    #[test]
    fn a_fold_into_a_window_below_is_told_from_one_into_the_end() {
        for (window, at) in [
            (67_117_056_u64, 3_u64 << 30),
            (1_052_672, 5 << 20),
            (1_052_672, 1 << 30),
        ] {
            let real = whole_blocks(4_000_002_048);
            let spec = format!("size=16GB&real={real}&beyond=window&window={window}&at={at}");
            let found = shared(&spec);
            assert_eq!(found.distance, Bytes(window), "{spec}: {found:?}");
            assert_eq!(found.from, Bytes(real), "{spec}: {found:?}");
            assert_eq!(found.reaches_below, Some(true), "{spec}: {found:?}");
        }
    }

    #[test]
    fn what_a_device_refuses_behind_its_end_is_no_failure_and_tells_where_that_is() {
        let real = 3_001_999_360_u64;
        let beyond = 8_000_000_000 - real;
        for errno in ["EIO", "ENOSPC"] {
            let check = check(&format!(
                "sim:const?size=8GB&fail_at={real}+{beyond}:{errno}"
            ));
            let refused = check
                .places
                .iter()
                .filter(|it| matches!(it.held, Held::Refused(_)));
            assert_eq!(refused.map(|it| it.offset.0).min(), Some(real));
            let own = check.places.iter().filter(|it| it.held == Held::Own);
            assert_eq!(own.map(|it| it.offset.0 + it.length.0).max(), Some(real));
        }
    }

    #[test]
    fn blocks_that_are_refused_in_the_middle_are_failures() {
        let device = "sim:const?size=8GB&fail_at=1GB+2GB:EIO";
        let device = SimulatedDevice::parse(device).unwrap();
        let mut target = Target::Simulated(SimulatedTarget::new(device));
        let outcome = run(
            &workload(PLACES),
            7,
            &mut target,
            &Control::new(),
            &mut |_| {},
        )
        .unwrap();
        assert_eq!(outcome.stopped, StopReason::Failed);
        assert!(!outcome.failures.is_empty());
    }

    #[test]
    fn of_all_of_a_device_as_much_holds_its_own_as_there_is() {
        let real = 300_003_328_u64;
        for beyond in [
            "wrap",
            "tail&window=1052672",
            "window&window=8192&at=4096",
            "lost",
        ] {
            let spec = format!("sim:fake-capacity?size=1GiB&real={real}&beyond={beyond}");
            let check = check_in(Order::SEQUENTIAL, &spec);
            assert!(check.is_whole);
            assert_eq!(check.own, Bytes(real), "{beyond}");
        }
        let spec = format!("sim:const?size=1GiB&fail_at={real}+1GB:EIO");
        assert_eq!(check_in(Order::SEQUENTIAL, &spec).own, Bytes(real));
        let honest = check_in(Order::SEQUENTIAL, "sim:const?size=1GiB");
        assert_eq!((honest.own, honest.places.len()), (Bytes::gib(1), 1));
    }

    #[test]
    fn where_addresses_wrap_places_hold_what_belongs_elsewhere_by_multiples() {
        let real = 3_001_999_360;
        let check = check(&format!("sim:fake-capacity?size=64GB&real={real}"));
        let distances = check.places.iter().filter_map(|place| match place.held {
            Held::Other(other) => Some(place.offset.0.abs_diff(other.0)),
            _ => None,
        });
        let distances: Vec<u64> = distances.collect();
        assert!(distances.len() > 10);
        assert!(
            distances.iter().all(|it| it.is_multiple_of(real)),
            "{distances:?}"
        );
        let found = check.shared.unwrap();
        assert_eq!((found.distance, found.from), (Bytes(real), Bytes(0)));
    }

    #[test]
    fn where_writes_are_lost_the_end_is_found_to_the_block() {
        let real = 3_001_999_360;
        let check = check(&format!(
            "sim:fake-capacity?size=64GB&real={real}&beyond=lost"
        ));
        let held = check.places.iter().filter(|place| place.held == Held::Own);
        assert_eq!(
            held.map(|place| place.offset.0 + place.length.0).max(),
            Some(real)
        );
        let lost = check.places.iter().filter(|it| it.held == Held::Nothing);
        assert_eq!(lost.map(|place| place.offset.0).min(), Some(real));
    }

    #[test]
    fn a_file_on_a_disk_holds_what_is_written_to_it() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(32 << 20).unwrap();
        let target =
            crate::FileTarget::overwrite(file.path(), |_| sokudo_model::Users::default()).unwrap();
        let mut target = Target::File(target);
        let outcome = run(
            &workload(PLACES),
            7,
            &mut target,
            &Control::new(),
            &mut |_| {},
        )
        .unwrap();
        let check = outcome.capacity.unwrap();
        assert!(check.places.iter().all(|place| place.held == Held::Own));
        assert_eq!(check.between, Bytes::mib(8));
        assert_eq!(outcome.operations.len(), 2);
        // Little's law: what is in flight are the I/Os that are counted, and nothing else.
        let counted = outcome.operations.iter().map(|it| it.latency.sum() as f64);
        let ratio = counted.sum::<f64>() / (outcome.depth_achieved * outcome.elapsed.0 as f64);
        assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    }
}
