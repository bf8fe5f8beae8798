//! Surveys of devices that cannot be read everywhere, or that vanish.

use proptest::prelude::*;
use sokudo_model::{
    Bytes, FailureKind, Operation, OperationMix, Outcome, Sample, StopReason, SurveySample, Visit,
};

use crate::setup::{run_one, simulated};
use crate::surveys::{MIB, assert_is_sum_of_samples, first, survey, surveying, whole};

fn ranges(outcome: &Outcome) -> Vec<(u64, u64)> {
    let range = |defect: &sokudo_model::Defect| (defect.offset.0, defect.length.0);
    outcome.defects.iter().map(range).collect()
}

#[test]
fn what_cannot_be_read_or_written_is_found_exactly_and_the_survey_goes_on() {
    let sample = Sample::Bytes(Bytes(8 * MIB));
    let sampled = surveying(survey(10, Visit::Shuffled, sample), MIB, 4);
    let writes = with!(
        whole(8, MIB, 4),
        operations = OperationMix::only(Operation::Write)
    );
    let two = "size=1GiB&fail_at=100MiB:EIO&fail_at=7MiB:ENODATA";
    let found = vec![(7 * MIB, 512), (100 * MIB, 512)];
    for (faults, workload, expected) in [
        (two, first(256 * MIB, whole(16, MIB, 1)), found.clone()),
        (two, first(256 * MIB, whole(16, MIB, 8)), found),
        // Samples find what lies in them and only that.
        (
            "size=1GiB&fail_at=103MiB+4KiB:EIO&fail_at=150MiB:EIO&fail_at=500MiB+50MiB:EIO",
            first(1_000 * MIB, sampled),
            vec![(103 * MIB, 4096), (500 * MIB, 8 * MIB)],
        ),
        // A long range is one defect, found in no time.
        (
            "size=6TB&fail_at=1000000000000+2000000001024:EIO",
            whole(100, 16 * MIB, 8),
            vec![(1_000_000_000_000, 2_000_000_001_024)],
        ),
        (
            "size=1GiB&fail_at=0+100MiB:EIO",
            whole(32, MIB, 8),
            vec![(0, 100 * MIB)],
        ),
        (
            "size=1GiB&fail_at=20MiB+8KiB:EIO",
            first(64 * MIB, writes),
            vec![(20 * MIB, 8192)],
        ),
    ] {
        let places = workload.survey().unwrap().sample_count as usize;
        let operation = workload.operations.single().unwrap();
        let outcome = run_one(workload, &mut simulated(&format!("sim:const?{faults}")));
        assert_eq!(ranges(&outcome), expected, "{faults}");
        assert_eq!(outcome.stopped, StopReason::Bytes);
        assert_eq!(outcome.samples.len(), places);
        assert!(outcome.defects.iter().all(|it| it.operation == operation));
        assert_is_sum_of_samples(&outcome);
        if faults.contains("fail_at=500MiB") {
            let mut samples = outcome.samples.iter();
            let dead = samples.find(|it| it.offset.0 == 500 * MIB);
            assert_eq!(dead.unwrap().bytes, Bytes(0));
        }
        if faults == two {
            let kinds = outcome.defects.iter().map(|it| it.kind);
            assert!(kinds.eq([FailureKind::Errno(61), FailureKind::Errno(5)]));
            // Blocks that failed are in no figure, and each is told once.
            assert_eq!(outcome.bytes_moved(), Bytes(254 * MIB));
            assert!(outcome.failures.iter().all(|failure| failure.count == 1));
            assert!(outcome.failures.len() == 2 && outcome.read_aside > Bytes(0));
        }
    }
}

#[test]
fn a_random_access_that_fails_is_a_place_without_bytes() {
    let one = Sample::Bytes(Bytes(4096));
    let mut target = simulated("sim:const?size=1GiB&fail_at=64KiB+64KiB:EIO");
    let outcome = run_one(
        first(MIB, surveying(survey(400, Visit::Random, one), 4096, 1)),
        &mut target,
    );
    assert_eq!(outcome.samples.len(), 400);
    let (good, bad): (Vec<&SurveySample>, Vec<&SurveySample>) =
        outcome.samples.iter().partition(|place| place.ios == 1);
    assert!(
        bad.iter()
            .all(|place| (65_536..131_072).contains(&place.offset.0))
    );
    assert!(!bad.is_empty() && good.len() > 300);
    let found: u64 = outcome.defects.iter().map(|defect| defect.length.0).sum();
    assert!(found <= 64 << 10 && found.is_multiple_of(4096));
}

#[test]
fn a_device_that_vanishes_ends_the_survey_and_leaves_no_list_of_defects() {
    let one = Sample::Bytes(Bytes(4096));
    for workload in [
        whole(100, MIB, 8),
        whole(100, MIB, 1),
        surveying(
            survey(1_000, Visit::Ascending, Sample::Bytes(Bytes(4 * MIB))),
            MIB,
            2,
        ),
        surveying(survey(100_000, Visit::Random, one), 4096, 1),
        surveying(survey(100_000, Visit::Butterfly, one), 4096, 1),
    ] {
        let mut target = simulated("sim:hdd?size=1TB&vanish_after=2s&fail_at=10MiB:EIO");
        let outcome = run_one(workload.clone(), &mut target);
        assert_eq!(outcome.stopped, StopReason::Failed, "{workload:?}");
        assert!(!outcome.samples.is_empty() && outcome.ios() > 0);
        assert!(
            ranges(&outcome)
                .iter()
                .all(|range| *range == (10 * MIB, 512))
        );
        let nothing = |it: &sokudo_model::IoFailure| it.kind == FailureKind::Nothing;
        assert!(
            outcome.failures.iter().any(nothing),
            "{:?}",
            outcome.failures
        );
        assert_is_sum_of_samples(&outcome);
    }
}

#[test]
fn a_device_that_reads_nothing_from_the_start_is_gone() {
    let mut target = simulated("sim:const?size=1TiB&vanish_after=0s");
    let outcome = run_one(whole(100, MIB, 8), &mut target);
    assert_eq!((outcome.stopped, outcome.ios()), (StopReason::Failed, 0));
    assert_eq!((outcome.samples.len(), outcome.defects.len()), (0, 0));
    // Errors alone may be a bad start of a good disk; not for ever, though.
    let mut target = simulated("sim:const?size=1TiB&fail_at=0+1TiB:EIO");
    let sample = Sample::Bytes(Bytes::mib(1));
    let outcome = run_one(
        surveying(survey(1_000, Visit::Ascending, sample), MIB, 8),
        &mut target,
    );
    assert_eq!((outcome.stopped, outcome.ios()), (StopReason::Failed, 0));
    assert_eq!(outcome.defects.len(), 0);
}

#[test]
fn a_refusal_of_the_system_is_no_defect() {
    let mut target = simulated("sim:const?size=1GiB&fail_at=100MiB:22");
    let outcome = run_one(whole(32, MIB, 8), &mut target);
    assert_eq!(
        (outcome.stopped, outcome.defects.len()),
        (StopReason::Failed, 0)
    );
    assert_eq!(outcome.failures[0].kind, FailureKind::Errno(22));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_defects_that_are_found_are_those_that_are_there(
        bad in proptest::collection::btree_set(0_u64..8_192, 1..16),
        places in 1_u32..30, block_sectors in 1_u64..65, depth in 1_u32..9, shuffled: bool,
    ) {
        let faults: Vec<String> = bad.iter().map(|at| format!("fail_at={}:EIO", at * 512)).collect();
        let mut target = simulated(&format!("sim:const?size=1GiB&{}", faults.join("&")));
        let block = block_sectors * 512;
        prop_assume!(u64::from(places) * block <= 4 * MIB);
        let visit = if shuffled { Visit::Shuffled } else { Visit::Ascending };
        let outcome = run_one(first(4 * MIB, surveying(survey(places, visit, Sample::Whole), block, depth)), &mut target);
        prop_assert_eq!(outcome.stopped, StopReason::Bytes);
        let found: Vec<u64> = outcome.defects.iter()
            .flat_map(|it| it.offset.0 / 512..(it.offset.0 + it.length.0) / 512)
            .collect();
        prop_assert_eq!(found, bad.into_iter().collect::<Vec<u64>>());
        let apart = outcome.defects.windows(2).all(|pair| {
            pair[0].offset.0 + pair[0].length.0 < pair[1].offset.0
        });
        prop_assert!(apart, "neighbours are one");
    }
}
