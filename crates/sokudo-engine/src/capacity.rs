//! Whether a device is as large as it says: blocks that tell where they belong are written
//! all over it and read back in another order.
//!
//! Between both a whole stretch at the start is written, for two reasons. No drive holds so
//! much in its memory, so that what is read back comes from where it is kept. And places lie
//! one such stretch apart, so that on a drive whose addresses begin anew somewhere, be it at
//! whatever size, one of them falls on the stretch and shows by how much (baby steps and
//! giant steps: Shanks 1971).
//!
//! It tells what was found and judges nothing. It destroys what the device holds.

mod medium;

use std::io;

use sokudo_model::{
    BackendKind, Bytes, CapacityCheck, CheckedSample, Event, FailureKind, Held, Nanos, Operation,
    Outcome, Phase, StopReason, Workload, narrow,
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
use medium::{BLOCK_BYTES, FileMedium, Medium, SimulatedMedium, WRITE_BYTES_MAX};

/// More than small drives hold in memory for writes.
const STRETCH_BYTES_MIN: u64 = 256 << 20;

/// Places one stretch apart, at most; on larger devices the stretch is longer.
const GIANT_STEPS_MAX: u64 = 4096;

/// Places beside them, at random.
const RANDOM_PLACES: u64 = 64;

/// Places of a round that narrows down where the device ends.
const ROUND_PLACES: u64 = 62;

/// Each divides what is left by 63: far more rounds than any size needs.
const ROUNDS_MAX: u32 = 16;

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
    match target {
        Target::Simulated(simulated) => {
            let medium = SimulatedMedium::new(simulated);
            let check = CheckInProgress::new(medium, tally, size, seed, control);
            Ok(check.run(BackendKind::Sim, true, listener))
        }
        Target::File(file) => {
            let (opened, direct) = file.open(true, workload.direct)?;
            let medium = FileMedium::new(opened, seed).map_err(|source| TargetError::Open {
                path: file.path().to_owned(),
                source,
            })?;
            let check = CheckInProgress::new(medium, tally, size, seed, control);
            Ok(check.run(BackendKind::Psync, direct, listener))
        }
        Target::Null(_) => Ok(Outcome::new(
            used(BackendKind::Null, Vec::new()),
            StopReason::Ended,
        )),
    }
}

/// A check under way.
struct CheckInProgress<'a, M> {
    medium: M,
    size: u64,
    stretch: u64,
    random: Random,
    control: &'a Control,
    tally: Tally,
    failures: u32,
    places: Vec<CheckedSample>,
}

impl<'a, M: Medium> CheckInProgress<'a, M> {
    fn new(medium: M, tally: Tally, size: u64, seed: u64, control: &'a Control) -> Self {
        let size = size / BLOCK_BYTES * BLOCK_BYTES;
        let longest = (size / 4).max(BLOCK_BYTES);
        let stretch = (size / GIANT_STEPS_MAX).max(STRETCH_BYTES_MIN).min(longest);
        Self {
            medium,
            size,
            stretch: stretch / BLOCK_BYTES * BLOCK_BYTES,
            random: Random::new(seed),
            control,
            tally,
            failures: 0,
            places: Vec::new(),
        }
    }

    fn run(mut self, kind: BackendKind, direct: bool, listener: &mut dyn FnMut(Event)) -> Outcome {
        let started_at = self.medium.now_ns();
        self.tally.start(started_at);
        let places = self.giant_steps();
        self.round(places, listener);
        for _ in 0..ROUNDS_MAX {
            let Some((held, lost)) = self.edge() else {
                break;
            };
            let steps = ((lost - held) / BLOCK_BYTES - 1).min(ROUND_PLACES);
            if steps == 0 || held < self.stretch || self.is_over() {
                break;
            }
            let between = |step| {
                let share = u128::from(lost - held) * u128::from(step) / u128::from(steps + 1);
                let share = u64::try_from(share).unwrap_or(0);
                held + (share / BLOCK_BYTES).max(step) * BLOCK_BYTES
            };
            self.round((1..=steps).map(between).collect(), listener);
        }
        self.places.sort_unstable_by_key(|place| place.offset);
        let finished = FinishedWorker {
            window: None,
            tally: self.tally.finish(),
            recorded: Recorded::default(),
            verified: None,
            surveyed: None,
            stopped: match (self.control.is_cancelled(), self.failures) {
                (true, _) => StopReason::Cancelled,
                (_, 0) => StopReason::Ended,
                _ => StopReason::Failed,
            },
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
                between: Bytes(self.stretch),
                places: self.places,
            }),
            ..outcome(finished, circumstances)
        }
    }

    /// Places behind the stretch: one stretch apart, at powers of two, at the end and at
    /// random.
    fn giant_steps(&mut self) -> Vec<u64> {
        let (size, stretch) = (self.size, self.stretch);
        let mut places: Vec<u64> = (1..size / stretch).map(|step| step * stretch).collect();
        places.extend((0..63).map(|power| 1 << power));
        places.push(size - BLOCK_BYTES);
        let blocks = (size - stretch) / BLOCK_BYTES;
        places.extend(
            (0..RANDOM_PLACES).map(|_| stretch + self.random.below(blocks.max(1)) * BLOCK_BYTES),
        );
        places.retain(|place| (stretch..=size - BLOCK_BYTES).contains(place));
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Writes these places, then the stretch, and reads the places back.
    fn round(&mut self, mut places: Vec<u64>, listener: &mut dyn FnMut(Event)) {
        self.shuffle(&mut places);
        places.retain(|place| !self.is_over() && self.write(*place, BLOCK_BYTES));
        self.settle();
        let mut at = 0;
        while at < self.stretch && !self.is_over() {
            let bytes = WRITE_BYTES_MAX.min(self.stretch - at);
            self.write(at, bytes);
            at += bytes;
            self.tell(listener);
        }
        self.settle();
        self.shuffle(&mut places);
        for place in places {
            if self.is_over() {
                return;
            }
            self.read(place);
            self.tell(listener);
        }
    }

    /// The last place that holds its own and the first one behind it that holds nothing,
    /// if that is all there is to say: nothing is held behind it, nothing is lost before.
    fn edge(&self) -> Option<(u64, u64)> {
        let with = |wanted: Held| {
            let places = self.places.iter().filter(move |place| place.held == wanted);
            places.map(|place| place.offset.0)
        };
        let (held, lost) = (with(Held::Own).max()?, with(Held::Nothing).min()?);
        (held < lost).then_some((held, lost))
    }

    fn is_over(&self) -> bool {
        // A device that fails everywhere would be asked thousands of times.
        const FAILURES_MAX: u32 = 16;
        self.control.is_stopped() || self.failures >= FAILURES_MAX
    }

    fn write(&mut self, offset: u64, bytes: u64) -> bool {
        let write = |medium: &mut M| medium.write(offset, bytes);
        self.perform(Operation::Write, offset, bytes, write)
            .is_some()
    }

    fn read(&mut self, offset: u64) {
        let read = |medium: &mut M| medium.read(offset);
        if let Some(held) = self.perform(Operation::Read, offset, BLOCK_BYTES, read) {
            let offset = Bytes(offset);
            self.places.push(CheckedSample { offset, held });
        }
    }

    fn settle(&mut self) {
        self.perform(Operation::Flush, 0, 0, M::settle);
    }

    /// Does and counts one thing; `None` where it failed.
    fn perform<T>(
        &mut self,
        operation: Operation,
        offset: u64,
        bytes: u64,
        does: impl FnOnce(&mut M) -> io::Result<T>,
    ) -> Option<T> {
        let issued_at = self.medium.now_ns();
        self.tally.hold_depth(issued_at, 0);
        let done = does(&mut self.medium);
        let now = self.medium.now_ns();
        // As the worker's, the depth is that of I/Os that are counted: flushes are not.
        self.tally
            .hold_depth(now, u32::from(operation != Operation::Flush));
        self.tally.end_intervals(now);
        match done {
            Ok(found) => {
                self.tally
                    .complete(operation, narrow(bytes), issued_at, issued_at, now);
                Some(found)
            }
            Err(error) => {
                let errno = error.raw_os_error();
                let kind = errno.map_or(FailureKind::Nothing, FailureKind::Errno);
                self.tally.fail(operation, kind, offset);
                self.failures += 1;
                None
            }
        }
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

    fn shuffle(&mut self, places: &mut [u64]) {
        for last in (1..places.len()).rev() {
            let other = self.random.below(last as u64 + 1);
            places.swap(last, usize::try_from(other).unwrap_or(last));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimulatedDevice;
    use crate::target::SimulatedTarget;
    use sokudo_model::OperationMix;

    fn workload() -> Workload {
        with!(
            Workload::new("capacity", Bytes(BLOCK_BYTES)),
            operations = OperationMix::only(Operation::Write),
            checks_capacity = true
        )
    }

    fn check(spec: &str) -> CapacityCheck {
        let device = SimulatedDevice::parse(spec).unwrap();
        let mut target = Target::Simulated(SimulatedTarget::new(device));
        let outcome = run(&workload(), 7, &mut target, &Control::new(), &mut |_| {}).unwrap();
        assert_eq!(outcome.stopped, StopReason::Ended, "{:?}", outcome.failures);
        outcome.capacity.unwrap()
    }

    #[test]
    fn an_honest_device_holds_what_was_written_everywhere() {
        for spec in ["sim:const?size=8GB", "sim:const?size=1GiB"] {
            let check = check(spec);
            assert!(check.places.len() > 60, "{spec}");
            assert!(check.places.iter().all(|place| place.held == Held::Own));
        }
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
    }

    #[test]
    fn where_writes_are_lost_the_end_is_found_to_the_block() {
        let real = 3_001_999_360;
        let check = check(&format!(
            "sim:fake-capacity?size=64GB&real={real}&beyond=lost"
        ));
        let held = check.places.iter().filter(|place| place.held == Held::Own);
        assert_eq!(
            held.map(|place| place.offset.0).max(),
            Some(real - BLOCK_BYTES)
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
        let outcome = run(&workload(), 7, &mut target, &Control::new(), &mut |_| {}).unwrap();
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
