//! Surveys: what is measured where, on simulated devices, files and nothing.

use std::os::unix::fs::FileExt as _;

use proptest::prelude::*;
use sokudo_engine::{Control, FileTarget, Target};
use sokudo_model::{
    BackendKind, Bytes, DataContent, DirectMode, Event, Limits, Nanos, Operation, OperationMix,
    Outcome, Sample, StopReason, SurveySample, Visit, Workload,
};

use crate::builders::span;
use crate::setup::{KERNEL_BACKENDS, OwnFile, run_one, run_reported, simulated, try_run};
use crate::surveys::{MIB, assert_is_sum_of_samples, first, survey, surveying, whole};

fn at_random(places: u32, block: u64) -> Workload {
    let one = Sample::Bytes(Bytes(block));
    surveying(survey(places, Visit::Random, one), block, 1)
}

/// Samples that run into one another: their times add up to that of the trial, and none is
/// faster than what can be in flight at the shortest latency.
fn assert_samples_are_possible(outcome: &Outcome, block: u64, depth: u32) {
    assert_is_sum_of_samples(outcome);
    let elapsed: u64 = outcome.samples.iter().map(|place| place.elapsed.0).sum();
    assert_eq!(elapsed, outcome.elapsed.0);
    let shortest = outcome.operations[0].latency.min().unwrap();
    let in_flight = u128::from(block) * u128::from(depth);
    for place in &outcome.samples {
        // Times are whole nanoseconds.
        let possible = u128::from(place.elapsed.0 + 1) * in_flight;
        let needed = u128::from(place.bytes.0) * u128::from(shortest);
        assert!(
            possible >= needed,
            "{place:?}, {shortest} ns at the shortest"
        );
    }
}

#[test]
fn a_curve_over_a_simulated_disk_falls_from_outside_to_inside() {
    let mut gnome = survey(100, Visit::Ascending, Sample::Bytes(Bytes::mib(10)));
    gnome.approach = Some(Bytes(4096));
    let workload = surveying(gnome, 10 * MIB, 1);
    let outcome = run_one(workload, &mut simulated("sim:hdd?size=6TB"));
    assert_eq!(outcome.samples.len(), 100);
    assert_eq!(outcome.stopped, StopReason::Bytes);
    assert_is_sum_of_samples(&outcome);
    let all: u64 = outcome.samples.iter().map(|place| place.elapsed.0).sum();
    assert_eq!(all, outcome.elapsed.0, "the way to the places is nobody's");
    assert_eq!(outcome.read_aside, Bytes(100 * 4096));
    let (first, last) = (&outcome.samples[0], &outcome.samples[99]);
    assert!(
        first.elapsed.0 * 3 < last.elapsed.0 * 2,
        "{first:?} {last:?}"
    );
    assert!(outcome.samples.iter().all(|place| place.distance.is_none()));
}

#[test]
fn the_whole_of_a_simulated_disk_is_as_fast_as_without_places() {
    let spec = "sim:hdd?size=64GiB";
    let one = run_one(whole(1, MIB, 8), &mut simulated(spec));
    let many = run_one(whole(500, MIB, 8), &mut simulated(spec));
    assert_eq!(one.elapsed, many.elapsed);
    assert_is_sum_of_samples(&many);
    assert_eq!(many.bytes_moved(), Bytes::gib(64));
    let all: u64 = many.samples.iter().map(|place| place.elapsed.0).sum();
    assert_eq!(all, many.elapsed.0);
    let is_next = |place: &SurveySample| place.distance == Some(Bytes(0));
    assert!(many.samples[1..].iter().all(is_next));
}

#[test]
fn access_times_are_those_of_single_ios_with_their_way() {
    let outcome = run_one(at_random(300, 4096), &mut simulated("sim:hdd?size=1TB"));
    assert_eq!((outcome.samples.len(), outcome.ios()), (300, 300));
    let places = &outcome.samples;
    assert_eq!(places[0].distance, None);
    for pair in places.windows(2) {
        let way = pair[1].offset.0.abs_diff(pair[0].offset.0 + 4096);
        assert_eq!(pair[1].distance, Some(Bytes(way)));
    }
    assert!(
        places
            .iter()
            .all(|place| place.elapsed == place.latency_max)
    );
    let sum: u64 = places.iter().map(|place| place.elapsed.0).sum();
    assert_eq!(u128::from(sum), outcome.operations[0].latency.sum());
    let again = |seed| {
        let mut target = simulated("sim:hdd?size=1TB");
        try_run(vec![at_random(300, 4096)], &mut target, seed).unwrap()
    };
    assert_eq!(again(1)[0], outcome);
    let offsets = |places: &[SurveySample]| places.iter().map(|it| it.offset).collect::<Vec<_>>();
    assert_ne!(offsets(&again(2)[0].samples), offsets(places));
}

#[test]
fn a_sample_of_some_time_has_as_many_blocks_as_it_allows() {
    let timed = survey(10, Visit::Ascending, Sample::Time(Nanos::from_millis(1)));
    let mut target = simulated("sim:const?size=1GiB&latency=100us&jitter=0s");
    let outcome = run_one(surveying(timed, 4096, 1), &mut target);
    assert!(
        outcome.samples.iter().all(|place| place.ios == 10),
        "{:?}",
        outcome.samples
    );
    let short = survey(10, Visit::Ascending, Sample::Time(Nanos(1)));
    let outcome = run_one(surveying(short, 4096, 1), &mut target);
    assert!(outcome.samples.iter().all(|place| place.ios == 1));
}

#[test]
fn a_limit_of_time_ends_it_with_the_places_so_far() {
    let workload = with!(
        at_random(100_000, 4096),
        limits = with!(Limits::default(), time = Some(Nanos::from_secs(10)))
    );
    let outcome = run_one(workload, &mut simulated("sim:hdd?size=1TB"));
    assert_eq!(outcome.stopped, StopReason::Time);
    assert!(
        (100..10_000).contains(&outcome.samples.len()),
        "{}",
        outcome.samples.len()
    );
    assert_is_sum_of_samples(&outcome);
}

#[test]
fn a_file_is_read_whole_by_every_backend() {
    let size = Bytes(5 * MIB + 3 * 4096);
    let file = OwnFile::laid_out(size, DataContent::Random);
    for backend in KERNEL_BACKENDS {
        for direct in [DirectMode::Auto, DirectMode::Off] {
            for (places, block, depth) in [(7, 64 << 10, 4), (5, MIB, 16), (100, 4096, 64)] {
                let whole = whole(places, block, depth);
                let workload = with!(whole, backend = backend, direct = direct);
                let outcome = run_one(workload, &mut file.target());
                assert_eq!(outcome.bytes_moved(), size, "{backend:?}");
                assert_eq!(outcome.samples.len(), places as usize);
                assert_eq!(
                    (outcome.defects.len(), outcome.stopped),
                    (0, StopReason::Bytes)
                );
                assert!(outcome.cpu.is_some());
                assert_samples_are_possible(&outcome, block, depth);
            }
        }
    }
}

#[test]
fn writes_reach_every_place_and_nothing_else() {
    let file = OwnFile::empty(Bytes(64 * 4096));
    let sample = Sample::Bytes(Bytes(4096));
    let mut workload = surveying(survey(8, Visit::Shuffled, sample), 4096, 1);
    workload.operations = OperationMix::only(Operation::Write);
    workload.durability.final_flush = true;
    let outcome = run_one(workload, &mut file.target());
    let contents = file.contents();
    for (number, block) in contents.chunks(4096).enumerate() {
        let is_written = block.iter().any(|byte| *byte != 0);
        assert_eq!(is_written, number % 8 == 0, "block {number}");
    }
    assert_eq!(outcome.operation(Operation::Flush).unwrap().ios, 8);
    let sum: u64 = outcome.samples.iter().map(|place| place.elapsed.0).sum();
    assert_eq!(sum, outcome.elapsed.0, "the flush is part of its place");
}

#[test]
fn progress_is_told_and_a_cancel_keeps_the_places_so_far() {
    let file = OwnFile::laid_out(Bytes::mib(4), DataContent::Random);
    for (workload, mut target, enough) in [
        (
            whole(1_000, MIB, 8),
            simulated("sim:hdd?size=6TB"),
            Bytes::gib(100),
        ),
        (at_random(1_000_000, 4096), file.target(), Bytes(1)),
    ] {
        let control = Control::new();
        let places = workload.survey().unwrap().sample_count as usize;
        let mut cancel = |event| {
            if matches!(event, Event::Progress { bytes, .. } if bytes > enough) {
                control.cancel();
            }
        };
        let outcome = run_reported([workload], &mut target, &control, &mut cancel).remove(0);
        assert_eq!(outcome.stopped, StopReason::Cancelled);
        assert!((1..places).contains(&outcome.samples.len()));
        assert!((enough..Bytes::gib(200)).contains(&outcome.bytes_moved()));
        assert_eq!((outcome.defects.len(), outcome.failures.len()), (0, 0));
        assert_is_sum_of_samples(&outcome);
    }
}

#[test]
fn a_file_that_was_cut_meanwhile_has_a_part_that_cannot_be_read() {
    let file = OwnFile::laid_out(Bytes::mib(8), DataContent::Random);
    let mut target = file.target();
    file.file.handle().set_len(3 * MIB).unwrap();
    let outcome = run_one(whole(8, 64 << 10, 4), &mut target);
    assert_eq!(outcome.bytes_moved(), Bytes(3 * MIB));
    let ranges: Vec<(u64, u64)> = outcome
        .defects
        .iter()
        .map(|defect| (defect.offset.0, defect.length.0))
        .collect();
    assert_eq!(ranges, [(3 * MIB, 5 * MIB)]);
}

/// A change that makes a survey impossible, and words of the refusal.
type Refusal = (fn(&mut Workload), &'static str);

const REFUSALS: [Refusal; 12] = [
    (|w| w.threads = 2, "no threads beside its own; leave it out"),
    (|w| w.timing.ramp = Nanos(1), "no ramp"),
    (|w| w.limits.ios = Some(1), "its places are its limit"),
    (
        |w| w.operations = OperationMix::read_write(50).unwrap(),
        "make it two",
    ),
    (
        |w| w.survey_mut().unwrap().sample_count = 0,
        "0 places; use 1 to 1000000",
    ),
    (
        |w| w.survey_mut().unwrap().sample_count = 2_000_000,
        "use 1 to 1000000",
    ),
    (
        |w| w.survey_mut().unwrap().write_back = true,
        "ask for writes",
    ),
    (
        |w| w.survey_mut().unwrap().sample = Sample::Bytes(Bytes(0)),
        "at least one block",
    ),
    (
        |w| *w.survey_mut().unwrap() = survey(300, Visit::Ascending, Sample::Whole),
        "use fewer places or a smaller block",
    ),
    (
        |w| *w.survey_mut().unwrap() = survey(3, Visit::Random, Sample::Whole),
        "random visits take one block each; use a sample of 4 KiB",
    ),
    (
        |w| {
            w.survey_mut().unwrap().visit = Visit::Butterfly;
            w.depth = 2;
        },
        "butterfly visits go from one place to the next; use a depth of 1",
    ),
    (
        |w| *w = surveying(w.survey().unwrap(), 1000, 1),
        "no multiple of the target's 512 B; use one",
    ),
];

#[test]
fn what_a_survey_cannot_do_is_refused_with_the_way_out() {
    let sample = Sample::Bytes(Bytes(4096));
    let even = first(MIB, surveying(survey(8, Visit::Ascending, sample), 4096, 1));
    let with = |change: fn(&mut Workload)| {
        let mut workload = even.clone();
        change(&mut workload);
        let refused = try_run(vec![workload], &mut simulated("sim:const?size=1GiB"), 1);
        refused.unwrap_err().to_string()
    };
    for (change, words) in REFUSALS {
        let told = with(change);
        assert!(
            told.starts_with("survey: ") && told.contains(words),
            "{told}"
        );
    }
    let two = vec![even.clone(), even];
    let refused = try_run(two, &mut simulated("sim:const?size=1GiB"), 1);
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("stages of their own")
    );
}

#[test]
fn a_survey_of_a_part_stays_inside_it() {
    let mut workload = whole(5, 4096, 3);
    workload.span = Some(span(8 * MIB, MIB));
    let outcome = run_one(
        workload,
        &mut simulated("sim:const?size=1GiB&fail_at=1MiB:EIO"),
    );
    assert_eq!(
        (outcome.bytes_moved(), outcome.defects.len()),
        (Bytes(MIB), 0)
    );
    assert_eq!(outcome.samples[0].offset, Bytes(8 * MIB));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_byte_is_read_once_at_any_depth(
        sectors in 64_u64..4_000, places in 1_u32..40, block_sectors in 1_u64..40, depth in 1_u32..9,
    ) {
        let block = block_sectors * 512;
        prop_assume!(u64::from(places) * block <= sectors * 512);
        let mut target = Target::Null(Bytes(sectors * 512));
        let workload = with!(whole(places, block, depth), backend = BackendKind::Null);
        let outcome = run_one(workload, &mut target);
        prop_assert_eq!(outcome.bytes_moved(), Bytes(sectors * 512));
        let mut at = 0;
        for place in &outcome.samples {
            prop_assert_eq!(place.offset.0, at);
            at += place.bytes.0;
        }
        prop_assert_eq!(at, sectors * 512);
        assert_samples_are_possible(&outcome, block, depth);
    }

    #[test]
    fn no_sample_is_faster_than_the_device_whatever_is_in_flight(
        mib in 16_u64..600, places in 2_u32..201, block_kib in 4_u64..2_049, depth in 1_u32..65,
        channels in 1_u32..65,
    ) {
        let block = block_kib << 10;
        prop_assume!(u64::from(places) * block <= mib * MIB);
        let spec = format!("sim:const?size=1GiB&latency=200us&jitter=0s&parallel={channels}");
        let workload = first(mib * MIB, whole(places, block, depth));
        let outcome = run_one(workload, &mut simulated(&spec));
        prop_assert_eq!(outcome.bytes_moved(), Bytes(mib * MIB));
        assert_samples_are_possible(&outcome, block, depth);
        let at_once = block * u64::from(depth.min(channels));
        for place in &outcome.samples {
            let moved = u128::from(place.elapsed.0 + 1) * u128::from(at_once);
            prop_assert!(moved >= u128::from(place.bytes.0) * 200_000, "{place:?}");
        }
    }
}

#[test]
fn a_file_that_is_only_read_is_not_written() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().write_all_at(&[7; 1 << 16], 0).unwrap();
    let mut target = Target::File(FileTarget::read_only(file.path()).unwrap());
    let mut workload = surveying(survey(4, Visit::Ascending, Sample::Whole), 4096, 1);
    workload.operations = OperationMix::only(Operation::Write);
    for write_back in [false, true] {
        if let Some(survey) = workload.survey_mut() {
            survey.write_back = write_back;
        }
        let refused = try_run(vec![workload.clone()], &mut target, 1).unwrap_err();
        assert!(refused.to_string().contains("is only read"), "{refused}");
    }
}
