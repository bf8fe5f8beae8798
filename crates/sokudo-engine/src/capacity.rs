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

#[cfg(test)]
mod echo_tests;
mod folds;
mod in_progress;
mod layout;
mod medium;

use sokudo_model::{
    BackendKind, Bytes, CapacityCheck, Event, Held, Operation, Order, Outcome, SharedBlocks,
    StopReason, Workload, narrow,
};

use crate::backend::used;
use crate::blocking_work::run_watched;
use crate::control::Control;
use crate::outcome::{ThreadConditions, outcome};
use crate::record::Recorded;
use crate::stage_error::StageError;
use crate::stuck::begin_call;
use crate::tally::Tally;
use crate::target::{Target, TargetError};
use crate::worker::FinishedWorker;
use in_progress::{CheckInProgress, ROUNDS_MAX};
use layout::{AddressRange, sample};
use medium::{BLOCK_BYTES, FileMedium, Medium, SECTOR_BYTES, SimulatedMedium};

/// The same of all of a device.
const SAMPLES_MAX: usize = 16_384;

/// Writes all over a target and reads back.
pub(crate) fn run(
    workload: &Workload,
    seed: u64,
    target: &mut Target,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Outcome, StageError> {
    let size = target.size().0;
    let is_whole = matches!(workload.order, Order::Sequential { .. });
    match target {
        Target::Simulated(simulated) => {
            let (medium, tally) = (SimulatedMedium::new(simulated), Tally::new(workload));
            let check = CheckInProgress::new(medium, tally, size, seed, control, listener);
            Ok(check.run(is_whole, BackendKind::Sim, true))
        }
        Target::File(file) => {
            let (opened, direct) = file.open(true, workload.direct)?;
            let path = file.path().to_owned();
            let work = |listener: &mut dyn FnMut(Event)| -> Result<Outcome, StageError> {
                let medium = FileMedium::new(opened, seed)
                    .map_err(|source| TargetError::Open { path, source })?;
                let tally = Tally::new(workload);
                let check = CheckInProgress::new(medium, tally, size, seed, control, listener);
                Ok(check.run(is_whole, BackendKind::Psync, direct))
            };
            run_watched(control, listener, work).map_err(|source| StageError::Thread { source })?
        }
        Target::Null(_) => Ok(Outcome::new(
            used(BackendKind::Null, Vec::new()),
            StopReason::Ended,
        )),
    }
}

impl<M: Medium> CheckInProgress<'_, M> {
    fn run(mut self, is_whole: bool, kind: BackendKind, direct: bool) -> Outcome {
        let started_at = self.medium.now_ns();
        self.tally.start(started_at);
        let shared = match is_whole {
            true => self.whole(),
            false => self.sampled(),
        };
        self.find_sector();
        self.samples.sort_by_key(|sample| sample.offset);
        let stopped = self.ending();
        let finished = FinishedWorker {
            window: None,
            tally: self.tally.finish(),
            recorded: Recorded::default(),
            verified: None,
            surveyed: None,
            stopped,
        };
        let conditions = ThreadConditions {
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
                samples: self.samples,
                is_whole: is_whole && stopped == StopReason::Ended,
                own: Bytes(self.own_bytes),
                shared,
            }),
            ..outcome(finished, conditions)
        }
    }

    /// How it ended. What was refused behind all that holds its own is what a device says that
    /// ends there; anything else that was refused is a failure.
    fn ending(&mut self) -> StopReason {
        // Ended early or cancelled: a part of it says nothing for a device.
        if self.control.is_stopped() {
            return StopReason::Cancelled;
        }
        if self.failures.is_empty() || self.is_end_confirmed() {
            return StopReason::Ended;
        }
        for (operation, kind, offset) in &self.failures {
            self.tally.fail(*operation, *kind, *offset);
        }
        StopReason::Failed
    }

    /// Looks at places all over the device, and then for what they have shown.
    fn sampled(&mut self) -> Option<SharedBlocks> {
        let mut ranges = sample(self.size, self.filler, &mut self.random);
        self.shuffle(&mut ranges);
        let found = self.round(ranges, &[], 0);
        let own = found.iter().filter(|it| it.held == Held::Own);
        self.own_bytes = own.map(|it| it.length.0).sum();
        if found.iter().any(|it| matches!(it.held, Held::Other(_))) {
            return self.find_shared();
        }
        self.find_end();
        None
    }

    /// Narrows down where the device ends that loses or refuses what lies behind.
    fn find_end(&mut self) {
        for _ in 0..ROUNDS_MAX {
            let Some((held, lost)) = self.edge() else {
                return;
            };
            let offsets = folds::between(held, lost);
            if offsets.is_empty() || held < self.filler || self.is_over() {
                return;
            }
            self.round(
                offsets.into_iter().map(AddressRange::block).collect(),
                &[],
                0,
            );
        }
    }

    /// The end that was found in whole blocks may lie within the first that is lost.
    fn find_sector(&mut self) {
        let Some((held, lost)) = self.edge() else {
            return;
        };
        let end = held + BLOCK_BYTES;
        let mut held = Vec::new();
        begin_call(Operation::Read, lost, narrow(BLOCK_BYTES));
        // What a device refuses, it may refuse block by block.
        let is_read = self.medium.read(lost, BLOCK_BYTES, &mut held).is_ok();
        let own = held.iter().take_while(|it| is_read && **it == Held::Own);
        let own = own.count() as u64 * SECTOR_BYTES;
        if end != lost || own == 0 || self.is_over() {
            return;
        }
        for sample in &mut self.samples {
            if sample.offset.0 == lost {
                sample.offset.0 += own;
                sample.length.0 -= own;
            } else if sample.offset.0 + sample.length.0 == lost {
                sample.length.0 += own;
            }
        }
        self.own_bytes += own;
    }

    /// Writes everything, and reads it back.
    fn whole(&mut self) -> Option<SharedBlocks> {
        let all = AddressRange {
            offset: 0,
            length: self.size,
        };
        let written = self.write_range(all, true);
        self.settle();
        let start = self.filler_from(0);
        self.write_range(start, false);
        self.settle();
        for range in written {
            self.read_range(range, true, SAMPLES_MAX);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::layout::whole_blocks;
    use super::*;
    use crate::sim::SimulatedDevice;
    use crate::target::SimulatedTarget;
    use sokudo_model::{FileUse, OperationMix, Verify};

    fn workload(order: Order) -> Workload {
        with!(
            Workload::new("capacity", Bytes(BLOCK_BYTES)),
            operations = OperationMix::only(Operation::Write),
            order = order,
            verify = Some(Verify::Capacity)
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
            assert!(check.samples.len() > 256, "{spec}");
            assert!(check.samples.iter().all(|sample| sample.held == Held::Own));
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

    /// The real size that is told of a fake whose real size is no number of blocks, to a block.
    fn assert_real_size(spec: &str, real: u64) {
        let found = shared(spec);
        let found_size = match found.reaches_below {
            Some(true) => found.from.0,
            _ => found.from.0 + found.distance.0,
        };
        assert!(
            real - found_size < BLOCK_BYTES,
            "{spec}: {found_size} {found:?}"
        );
    }

    #[test]
    fn a_real_size_within_a_block_is_found_like_any_other() {
        for real in [
            5_000_000_000_u64,
            7_999_999_488,
            4_000_000_512,
            1_000_000_512,
        ] {
            let real = real / 512 * 512;
            for size in [real * 3 / 2 / 4096 * 4096, 16_000_000_000] {
                for beyond in ["wrap", "tail&window=48MiB", "tail&window=64MiB", "window"] {
                    assert_real_size(&format!("size={size}&real={real}&beyond={beyond}"), real);
                }
                let whole = format!("sim:fake-capacity?size={size}&real={real}");
                let whole = check_in(Order::SEQUENTIAL, &whole);
                assert!(real - whole.own.0 < 2 * BLOCK_BYTES, "{size} {whole:?}");
                let torn = whole.samples.iter().filter(|it| it.held == Held::Nothing);
                assert_eq!(torn.count(), 0, "{size} {real}");
            }
        }
    }

    #[test]
    fn an_end_within_a_block_is_found_to_the_sector() {
        for real in [400_000_000_u64, 1_000_000_512, 2_000_003_072] {
            let spec = format!("sim:fake-capacity?size=4GiB&real={real}&beyond=lost");
            for order in [PLACES, Order::SEQUENTIAL] {
                let check = check_in(order, &spec);
                let of = |wanted: Held| check.samples.iter().filter(move |it| it.held == wanted);
                let kept = of(Held::Own).map(|it| it.offset.0 + it.length.0).max();
                let lost = of(Held::Nothing).map(|it| it.offset.0).min();
                assert_eq!((kept, lost), (Some(real), Some(real)), "{order:?}");
                assert!(!check.is_whole || check.own.0 == real, "{check:?}");
            }
        }
    }

    #[test]
    fn a_round_part_of_the_size_is_found_like_any_other() {
        for (size, real) in [
            ("1GiB", 512_u64 << 20),
            ("1GiB", 256 << 20),
            ("1536MiB", 1 << 30),
            ("64GiB", 32 << 30),
            ("256GiB", 8 << 30),
        ] {
            let found = shared(&format!("size={size}&real={real}"));
            let real_size = match found.reaches_below {
                Some(true) => found.from.0,
                _ => found.from.0 + found.distance.0,
            };
            assert_eq!(real_size, real, "{size}: {found:?}");
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
                .samples
                .iter()
                .filter(|it| matches!(it.held, Held::Refused(_)));
            assert_eq!(refused.map(|it| it.offset.0).min(), Some(real));
            let own = check.samples.iter().filter(|it| it.held == Held::Own);
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

    /// How a check of a device that fails so ended.
    fn ended(order: Order, fault: &str) -> Outcome {
        let device = format!("sim:const?size=1GiB&fail_at={fault}");
        let device = SimulatedDevice::parse(&device).unwrap();
        let mut target = Target::Simulated(SimulatedTarget::new(device));
        run(
            &workload(order),
            7,
            &mut target,
            &Control::new(),
            &mut |_| {},
        )
        .unwrap()
    }

    #[test]
    fn a_part_that_fails_is_no_end_and_what_is_not_there_any_more_has_none() {
        const MIB: u64 = 1 << 20;
        for (fault, name) in [
            (format!("{}+{}:EIO", 100 * MIB, 3 * MIB), "3 MiB damaged"),
            (format!("{}+4096:EIO", 1024 * MIB - 40 * 4096), "one block"),
            (format!("{}+4096:EIO", 1024 * MIB - 4096), "the last block"),
            (format!("{}+{}:6", 100 * MIB, 924 * MIB), "gone"),
        ] {
            for order in [PLACES, Order::SEQUENTIAL] {
                let is_seen = order == Order::SEQUENTIAL || !name.starts_with('3');
                let outcome = ended(order, &fault);
                if is_seen {
                    assert_eq!(outcome.stopped, StopReason::Failed, "{name}");
                    assert!(!outcome.failures.is_empty(), "{name}");
                    assert!(!outcome.capacity.unwrap().is_whole, "{name}");
                }
            }
        }
    }

    #[test]
    fn the_target_that_is_named_is_written_and_no_other() {
        let specs = [
            "sim:const?size=64GiB",
            "sim:fake-capacity?size=64GiB&real=8GiB",
        ];
        let mut targets = specs.map(|spec| {
            Target::Simulated(SimulatedTarget::new(SimulatedDevice::parse(spec).unwrap()))
        });
        for (target, is_good) in [(0, true), (1, false)] {
            let mut workload = workload(PLACES);
            workload.files.uses = vec![FileUse { target, span: None }];
            let stage = sokudo_model::Stage::alone(workload);
            let outcomes = crate::run_stage(
                &stage,
                crate::StageOptions::default(),
                &mut targets,
                &Control::new(),
                &mut |_| {},
            );
            let check = outcomes.unwrap().remove(0).capacity.unwrap();
            let mut samples = check.samples.iter();
            assert_eq!(samples.all(|it| it.held == Held::Own), is_good, "{target}");
        }
    }

    #[test]
    fn what_is_too_small_to_be_stamped_and_too_large_to_be_kept_in_mind_is_refused() {
        let refused = |order: Order, target: Target| {
            let stage = sokudo_model::Stage::alone(workload(order));
            crate::check::check(&stage, &[target]).map_err(|error| error.to_string())
        };
        let simulated = |spec: &str| {
            Target::Simulated(SimulatedTarget::new(SimulatedDevice::parse(spec).unwrap()))
        };
        let large = "sim:const?size=1TB";
        assert_eq!(refused(PLACES, simulated(large)), Ok(()));
        let whole = refused(Order::SEQUENTIAL, simulated(large)).unwrap_err();
        assert!(whole.contains("64 GiB at most"), "{whole}");
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(2048).unwrap();
        let target =
            crate::FileTarget::overwrite(file.path(), |_| sokudo_model::Users::default()).unwrap();
        let small = refused(PLACES, Target::File(target)).unwrap_err();
        assert!(small.contains("the target has 2 KiB"), "{small}");
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
        assert_eq!((honest.own, honest.samples.len()), (Bytes::gib(1), 1));
    }

    #[test]
    fn where_addresses_wrap_places_hold_what_belongs_elsewhere_by_multiples() {
        let real = 3_001_999_360;
        let check = check(&format!("sim:fake-capacity?size=64GB&real={real}"));
        let distances = check.samples.iter().filter_map(|sample| match sample.held {
            Held::Other(other) => Some(sample.offset.0.abs_diff(other.0)),
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
        let held = check
            .samples
            .iter()
            .filter(|sample| sample.held == Held::Own);
        assert_eq!(
            held.map(|sample| sample.offset.0 + sample.length.0).max(),
            Some(real)
        );
        let lost = check.samples.iter().filter(|it| it.held == Held::Nothing);
        assert_eq!(lost.map(|sample| sample.offset.0).min(), Some(real));
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
        assert!(check.samples.iter().all(|sample| sample.held == Held::Own));
        assert_eq!(check.between, Bytes::mib(8));
        assert_eq!(outcome.operations.len(), 2);
        // Little's law: what is in flight are the I/Os that are counted, and nothing else.
        let counted = outcome.operations.iter().map(|it| it.latency.sum() as f64);
        let ratio = counted.sum::<f64>() / (outcome.depth_achieved * outcome.elapsed.0 as f64);
        assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    }
}
