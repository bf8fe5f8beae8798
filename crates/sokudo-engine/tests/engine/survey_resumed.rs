//! Surveys that are stopped and gone on with, and reads that do not come back.

use proptest::prelude::*;
use sokudo_engine::Control;
use sokudo_model::{
    Bytes, Event, FailureKind, Nanos, Operation, OperationMix, Outcome, Sample, StopReason,
    SurveyPosition, Trial, Visit, Workload,
};

use crate::setup::{run_one, run_reported, simulated};
use crate::surveys::{MIB, assert_is_sum_of_samples, first, survey, surveying, whole};

/// Carries a survey out until so many bytes were moved; the rest is for another.
fn stopped_after(bytes: u64, workload: &Workload, spec: &str) -> Outcome {
    let control = Control::new();
    let mut stop = |event: Event| {
        if let Event::Progress { bytes: moved, .. } = event
            && moved.0 >= bytes
        {
            control.cancel();
        }
    };
    let workload = [workload.clone()];
    run_reported(workload, &mut simulated(spec), &control, &mut stop).remove(0)
}

/// What a survey ends with, and its checkpoints when they are asked for each time so many bytes were
/// moved.
fn with_checkpoints(every: u64, workload: &Workload, spec: &str) -> (Outcome, Vec<Outcome>) {
    let control = Control::new();
    let (mut next, mut checkpoints) = (every, Vec::new());
    let mut listen = |event: Event| match event {
        Event::Progress { bytes, .. } if bytes.0 >= next => {
            control.ask_for_checkpoint();
            next = bytes.0 + every;
        }
        Event::Checkpoint { outcome, .. } => checkpoints.push(*outcome),
        _ => {}
    };
    let workload = [workload.clone()];
    let outcome = run_reported(workload, &mut simulated(spec), &control, &mut listen).remove(0);
    (outcome, checkpoints)
}

/// A checkpoint and what was left at it are all of a survey, and nothing twice.
fn assert_goes_on(checkpoint: &Outcome, workload: &Workload, spec: &str, all: &Outcome) {
    assert_is_sum_of_samples(checkpoint);
    let left = checkpoint.left_at.expect("a checkpoint has a position");
    let rest = stopped_after(u64::MAX, &resumed(left, workload), spec);
    let trial = |outcome: &Outcome| Trial::new(outcome.clone());
    let both = trial(checkpoint).followed_by(&trial(&rest)).outcome;
    assert_eq!(both.stopped, all.stopped);
    assert_eq!(both.bytes_moved(), all.bytes_moved(), "{left:?}");
    if all.defects.is_empty() {
        // Where something failed, places do not tell which bytes were read.
        assert_eq!(read(&[checkpoint, &rest]), read(&[all]), "{left:?}");
    }
    let ends = |outcome: &Outcome| -> Vec<(u64, u64)> {
        let places = outcome.samples.iter();
        places.map(|it| (it.offset.0, it.bytes.0)).collect()
    };
    // The place in progress is the only one that is in two parts.
    let split = both.samples.len() - all.samples.len();
    assert!(split <= 1, "{split}");
    if split == 0 {
        assert_eq!(ends(&both), ends(all));
    }
    let latencies = |outcome: &Outcome| {
        let tallies = outcome.operations.iter();
        tallies.map(|it| it.latency.count()).collect::<Vec<_>>()
    };
    if split == 0 && all.defects.is_empty() {
        assert_eq!((both.ios(), latencies(&both)), (all.ios(), latencies(all)));
    }
    let series = both.series.iter().map(|point| point.bytes.0).sum::<u64>();
    assert_eq!(series, both.bytes_moved().0);
    let mut defects = both.defects.clone();
    defects.sort_by_key(|it| it.offset);
    assert_eq!(defects, all.defects);
}

fn resumed(at: SurveyPosition, workload: &Workload) -> Workload {
    let mut rest = workload.clone();
    rest.survey_mut().unwrap().resumed_at = Some(at);
    rest
}

/// Every byte that was read, in order, without those that were read twice.
fn read(outcomes: &[&Outcome]) -> Vec<(u64, u64)> {
    let places = outcomes.iter().flat_map(|outcome| &outcome.samples);
    let mut ranges: Vec<(u64, u64)> = places
        .filter(|place| place.bytes.0 > 0)
        .map(|place| (place.offset.0, place.offset.0 + place.bytes.0))
        .collect();
    ranges.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (start, end) in ranges {
        match joined.last_mut() {
            Some(last) if last.1 >= start => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_is_left_and_what_was_done_are_all_of_it_once(
        share in 1..100u64, depth in 1..9u32, places in 1..40u32, visit in 0..2u8,
    ) {
        let spec = "sim:const?size=16GiB&latency=100us&parallel=4";
        let size = 8 << 30;
        let workload = match visit {
            0 => first(size, whole(places, 256 << 10, depth)),
            _ => {
                let sample = Sample::Bytes(Bytes(64 * MIB));
                first(size, surveying(survey(places, Visit::Shuffled, sample), 256 << 10, depth))
            }
        };
        let all = stopped_after(u64::MAX, &workload, spec);
        let total = all.bytes_moved().0;
        let part = stopped_after(total * share / 100, &workload, spec);
        assert_is_sum_of_samples(&part);
        let Some(left) = part.left_at else {
            prop_assert_eq!(part.bytes_moved().0, total);
            return Ok(());
        };
        let rest = stopped_after(u64::MAX, &resumed(left, &workload), spec);
        prop_assert_eq!(rest.stopped, StopReason::Bytes);
        prop_assert_eq!(part.bytes_moved().0 + rest.bytes_moved().0, total);
        prop_assert_eq!(read(&[&part, &rest]), read(&[&all]));
    }
}

/// Surveys of every kind that can be gone on with.
fn some_survey(kind: u8, places: u32, depth: u32) -> Workload {
    let size = 8 << 30;
    let (shuffled, one) = (Bytes(64 * MIB), Sample::Bytes(Bytes(4096)));
    let mut workload = match kind {
        0 | 1 => first(size, whole(places, 256 << 10, depth)),
        2 => {
            let sample = Sample::Bytes(shuffled);
            surveying(survey(places, Visit::Shuffled, sample), 256 << 10, depth)
        }
        3 => surveying(survey(2_000 + places, Visit::Random, one), 4096, 1),
        4 => surveying(survey(2_000 + places, Visit::Butterfly, one), 4096, 1),
        _ => {
            let timed = Sample::Time(Nanos::from_millis(40));
            let mut timed = survey(places + 20, Visit::Ascending, timed);
            timed.approach = Some(Bytes(4096));
            surveying(timed, 64 << 10, depth)
        }
    };
    if kind == 1 {
        workload.operations = OperationMix::only(Operation::Write);
    }
    workload
}

mod many_draws {
    use super::*;
    use sokudo_testing::draws;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(draws(12)))]
        #[test]
        fn a_checkpoint_and_what_is_left_at_it_are_all_of_it_once(
            parts in 2..30u64, depth in 1..9u32, places in 1..40u32, kind in 0..6u8, jitter: bool,
        ) {
            let latency = if jitter { "hdd?size=16GiB" } else { "const?size=16GiB&latency=100us&parallel=4" };
            let spec = format!("sim:{latency}");
            let workload = some_survey(kind, places, depth);
            let all = stopped_after(u64::MAX, &workload, &spec);
            let (same, checkpoints) =
                with_checkpoints(all.bytes_moved().0 / parts, &workload, &spec);
            prop_assert_eq!(&same, &all, "who asks changes nothing");
            prop_assert!(parts < 4 || all.elapsed < Nanos::from_secs(2) || !checkpoints.is_empty());
            for checkpoint in checkpoints {
                if kind == 5 {
                    // How much fits into a time depends on where the head has been.
                    assert_is_sum_of_samples(&checkpoint);
                    let rest = stopped_after(u64::MAX, &resumed(checkpoint.left_at.unwrap(), &workload), &spec);
                    prop_assert_eq!(checkpoint.samples.len() + rest.samples.len(), all.samples.len());
                } else {
                    assert_goes_on(&checkpoint, &workload, &spec, &all);
                }
            }
        }

        #[test]
        fn a_checkpoint_holds_the_defects_before_it_and_no_other(
            parts in 4..40u64, depth in 1..9u32, places in 1..40u32, at in 0..8000u64, bad in 1..300u64,
        ) {
            let spec = format!("sim:const?size=16GiB&latency=100us&parallel=4&fail_at={at}MiB+{bad}KiB:EIO&fail_at=7000MiB+8KiB:EIO");
            let workload = first(8 << 30, whole(places, 256 << 10, depth));
            let (all, checkpoints) = with_checkpoints((8 << 30) / parts, &workload, &spec);
            prop_assert!(!all.defects.is_empty());
            for checkpoint in checkpoints {
                assert_goes_on(&checkpoint, &workload, &spec, &all);
            }
        }
    }
}

#[test]
fn a_checkpoint_tells_what_hangs_before_it() {
    let spec = "sim:const?size=16GiB&hang_at=100MiB+4KiB&latency=2ms";
    let workload = with_timeout(whole(16, MIB, 4), Nanos::from_millis(100));
    let (all, checkpoints) = with_checkpoints(64 * MIB, &workload, spec);
    let behind = |it: &&Outcome| it.left_at.unwrap().offset.0 > 101 * MIB;
    let behind: Vec<_> = checkpoints.iter().filter(behind).collect();
    assert!(!behind.is_empty());
    for checkpoint in behind {
        assert_eq!(checkpoint.defects, all.defects);
        assert_goes_on(checkpoint, &workload, spec, &all);
    }
}

#[test]
fn what_was_read_before_a_hang_counts() {
    let disk = "sim:const?size=1GiB&latency=1ms";
    // One at a time, or nothing answers any more.
    for (depth, hangs) in [(1, "100MiB+4KiB"), (4, "100MiB+924MiB")] {
        let workload = whole(16, MIB, depth);
        let spec = format!("{disk}&hang_at={hangs}");
        let outcome = run_one(workload.clone(), &mut simulated(&spec));
        assert_eq!(outcome.stopped, StopReason::Failed);
        assert_eq!(outcome.bytes_moved().0, 100 * MIB);
        assert_is_sum_of_samples(&outcome);
        assert!(outcome.elapsed < Nanos::from_secs(1), "{}", outcome.elapsed);
        let left = outcome.left_at.unwrap();
        assert_eq!((left.index, left.offset), (1, Bytes(100 * MIB)));
        let rest = run_one(resumed(left, &workload), &mut simulated(disk));
        assert_eq!(read(&[&outcome, &rest]), [(0, 1 << 30)]);
        assert_eq!(rest.bytes_moved().0, 924 * MIB);
    }
}

#[test]
fn overtaken_it_ends_with_its_checkpoint() {
    // 16 ms a block: 1 GiB a second, and a checkpoint a minute.
    let spec = "sim:const?size=480GiB&latency=16ms&parallel=1&hang_at=400GiB+4KiB";
    let workload = whole(48, 16 * MIB, 4);
    let outcome = run_one(workload, &mut simulated(spec));
    assert_eq!(outcome.stopped, StopReason::Failed);
    assert_is_sum_of_samples(&outcome);
    let left = outcome.left_at.unwrap().offset.0;
    assert_eq!(outcome.bytes_moved().0, left);
    assert!((330 << 30..=400 << 30).contains(&left), "{left}");
}

#[test]
fn a_survey_that_came_to_its_end_leaves_nothing() {
    let outcome = run_one(whole(10, MIB, 4), &mut simulated("sim:const?size=1GiB"));
    assert_eq!(outcome.left_at, None);
}

fn with_timeout(mut workload: Workload, timeout: Nanos) -> Workload {
    workload.survey_mut().unwrap().timeout = Some(timeout);
    workload
}

#[test]
fn what_does_not_come_back_is_left_behind_with_its_place() {
    let timeout = Nanos::from_secs(5);
    let spec = "sim:const?size=1GiB&hang_at=100MiB+4KiB&slow_at=500MiB:9s";
    for depth in [1, 8] {
        let workload = with_timeout(whole(16, MIB, depth), timeout);
        let outcome = run_one(workload, &mut simulated(spec));
        assert_eq!(outcome.stopped, StopReason::Bytes);
        let [defect] = &outcome.defects[..] else {
            panic!("{:?}", outcome.defects);
        };
        assert_eq!((defect.offset.0, defect.length.0), (100 * MIB, MIB));
        assert_eq!(defect.kind, FailureKind::Unanswered);
        assert_is_sum_of_samples(&outcome);
        // What hangs is no part of the figure, nor is what was given up and came late.
        assert_eq!(outcome.bytes_moved().0, (1 << 30) - 2 * MIB);
        assert_eq!(outcome.read_aside, Bytes(MIB));
        let slowest = outcome.slowest[0];
        assert_eq!(
            (slowest.offset.0, slowest.latency),
            (500 * MIB, Nanos::from_secs(9))
        );
        assert!(
            outcome.elapsed < Nanos::from_secs(20),
            "{:?}",
            outcome.elapsed
        );
    }
}

#[test]
fn what_hangs_while_others_are_answered_holds_no_place_open() {
    // 4 GiB at 100 MB/s; the time-out passes long before its end.
    let spec = "sim:const?size=8GiB&latency=10ms&parallel=1&hang_at=100MiB+4KiB";
    let workload = with_timeout(first(4 << 30, whole(64, MIB, 4)), Nanos::from_secs(5));
    let outcome = run_one(workload, &mut simulated(spec));
    assert_eq!(outcome.defects.len(), 1);
    assert_eq!(outcome.bytes_moved().0, (4 << 30) - MIB);
    let of_node = outcome.elapsed.0 / 64;
    let after = &outcome.samples[32..];
    assert!(
        after
            .iter()
            .all(|it| it.elapsed.0.abs_diff(of_node) < of_node / 4),
        "{after:?}"
    );
}

#[test]
fn a_slow_device_that_answers_is_not_taken_for_one_that_hangs() {
    // Eight in flight, each of which takes 2 s of its own: the last of a queue waits for 16 s.
    let spec = "sim:const?size=1GiB&latency=2s&parallel=1";
    let workload = with_timeout(first(64 * MIB, whole(4, MIB, 8)), Nanos::from_secs(5));
    let outcome = run_one(workload, &mut simulated(spec));
    assert!(outcome.defects.is_empty(), "{:?}", outcome.defects);
    assert_eq!(outcome.bytes_moved().0, 64 * MIB);
}

#[test]
fn samples_and_single_reads_go_on_behind_what_hangs_as_well() {
    let timeout = Nanos::from_secs(5);
    let sample = Sample::Bytes(Bytes(16 * MIB));
    let sampled = surveying(survey(8, Visit::Ascending, sample), MIB, 4);
    let timed = Sample::Time(Nanos::from_millis(50));
    let timed = surveying(survey(8, Visit::Ascending, timed), MIB, 1);
    let single = surveying(
        survey(400, Visit::Random, Sample::Bytes(Bytes(4096))),
        4096,
        1,
    );
    for workload in [sampled, timed, single] {
        let places = workload.survey().unwrap().sample_count as usize;
        let spec = "sim:const?size=1GiB&hang_at=256MiB+2MiB";
        let outcome = run_one(with_timeout(workload, timeout), &mut simulated(spec));
        assert_eq!(outcome.stopped, StopReason::Bytes);
        assert_eq!(outcome.samples.len(), places);
        assert!(!outcome.defects.is_empty());
        assert_is_sum_of_samples(&outcome);
    }
}
