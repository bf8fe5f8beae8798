//! I/O that fails: named with its offset and error number, bounded, and no harm to
//! the workloads beside it.

use sokudo_engine::{Control, FileTarget, Target};
use sokudo_model::{
    Bytes, DataContent, DirectMode, Event, FailureKind, IoFailure, Nanos, Operation, OperationMix,
    Outcome, StopReason, Think, Workload,
};

use crate::builders::span;
use crate::setup::{
    BLOCK, KERNEL_BACKENDS, OwnFile, for_ios, for_ms, random_reads, run, run_one, run_reported,
    simulated, writes,
};

const EIO: i32 = 5;
const ENOSPC: i32 = 28;
const EINVAL: i32 = 22;

fn sequential_reads(offset: u64, length: u64) -> Workload {
    with!(
        Workload::new("reads", Bytes(BLOCK)),
        span = Some(span(offset, length)),
        limits = for_ios(length / BLOCK)
    )
}

fn failure(operation: Operation, kind: FailureKind, offset: u64) -> IoFailure {
    IoFailure {
        operation,
        kind,
        offset: Bytes(offset),
        count: 1,
    }
}

#[test]
fn a_bad_place_ends_its_workload_and_no_other() {
    for (name, errno) in [("EIO", EIO), ("ENODATA", 61)] {
        let mut target = simulated(&format!("sim:const?fail_at=1MiB:{name}"));
        let workloads = vec![
            sequential_reads(0, 1 << 20),
            sequential_reads(1 << 19, 1 << 20),
            with!(
                writes(4),
                limits = for_ms(100),
                span = Some(span(2 << 20, 1 << 20))
            ),
        ];
        let outcomes = run(workloads, &mut target);
        assert_eq!(
            (outcomes[0].ios(), outcomes[0].stopped),
            (256, StopReason::Bytes)
        );
        assert_eq!(outcomes[0].failures, []);
        // What was read before the bad place counts.
        assert_eq!(
            (outcomes[1].ios(), outcomes[1].stopped),
            (128, StopReason::Failed)
        );
        let expected = failure(Operation::Read, FailureKind::Errno(errno), 1 << 20);
        assert_eq!(outcomes[1].failures, [expected]);
        assert_eq!(
            (outcomes[2].stopped, &outcomes[2].failures[..]),
            (StopReason::Time, &[][..])
        );
    }
}

#[test]
fn one_failed_clone_is_a_failed_workload_with_the_results_of_the_others() {
    let mut target = simulated("sim:const?fail_at=1MiB:EIO");
    let workload = with!(
        random_reads(1),
        threads = 4,
        span = Some(span(0, 2 << 20)),
        limits = for_ios(2_000)
    );
    let outcome = run_one(workload, &mut target);
    assert_eq!(outcome.stopped, StopReason::Failed);
    assert!(outcome.ios() > 0 && outcome.ios() < 8_000);
    assert!((1..=4).contains(&outcome.failures[0].count));
}

/// A file that has lost its second half since it was opened.
fn truncated_file(length: u64) -> (tempfile::NamedTempFile, Target) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), vec![1; 2 << 20]).unwrap();
    let target = Target::File(FileTarget::read_only(file.path()).unwrap());
    file.as_file().set_len(length).unwrap();
    (file, target)
}

#[test]
fn reads_that_move_nothing_are_named_on_every_backend() {
    let (_file, mut target) = truncated_file(1 << 20);
    for backend in KERNEL_BACKENDS {
        let workloads = vec![
            with!(sequential_reads(0, 1 << 20), backend = backend),
            with!(sequential_reads(1 << 19, 1 << 20), backend = backend),
        ];
        let outcomes = run(workloads, &mut target);
        assert_eq!(
            (outcomes[0].ios(), outcomes[0].stopped),
            (256, StopReason::Bytes)
        );
        assert_eq!(
            (outcomes[1].ios(), outcomes[1].stopped),
            (128, StopReason::Failed)
        );
        let nothing = failure(Operation::Read, FailureKind::Nothing, 1 << 20);
        assert_eq!(outcomes[1].failures, [nothing], "{backend:?}");
    }
}

#[test]
fn a_short_read_counts_what_it_moved() {
    let (_file, mut target) = truncated_file(3 * BLOCK + 512);
    for backend in KERNEL_BACKENDS {
        let workload = with!(sequential_reads(0, 4 * BLOCK), backend = backend);
        let outcome = run_one(workload, &mut target);
        assert_eq!(outcome.bytes_moved(), Bytes(3 * BLOCK + 512), "{backend:?}");
        let short = FailureKind::Short {
            requested: 4096,
            moved: 512,
        };
        assert_eq!(
            outcome.failures,
            [failure(Operation::Read, short, 3 * BLOCK)]
        );
        assert_eq!(
            outcome.stopped,
            StopReason::Bytes,
            "a short read is not the end"
        );
    }
}

#[test]
fn unaligned_direct_i_o_is_an_error_with_its_offset() {
    let own = OwnFile::laid_out(Bytes::mib(1), DataContent::Random);
    let mut workload = with!(Workload::new("odd", Bytes(1000)), limits = for_ms(20));
    for backend in KERNEL_BACKENDS {
        workload.backend = backend;
        let outcome = run_one(workload.clone(), &mut own.target());
        if outcome.direct && !outcome.failures.is_empty() {
            let kind = outcome.failures[0].kind;
            assert_eq!(kind, FailureKind::Errno(EINVAL), "{backend:?}");
        }
        let mut buffered = workload.clone();
        buffered.direct = sokudo_model::DirectMode::Off;
        let outcome = run_one(buffered, &mut own.target());
        assert_eq!(
            outcome.failures,
            [],
            "{backend:?}: the page cache takes any length"
        );
        assert!(!outcome.direct);
        assert_eq!(outcome.bytes_moved().0, outcome.ios() * 1000);
    }
}

/// Nothing is in flight when the device vanishes at 10.5 ms.
fn on_a_vanishing_device(operation: Operation) -> Outcome {
    let workload = with!(
        random_reads(1),
        operations = OperationMix::only(operation),
        pacing.think = Some(Think::new(Nanos(900_000), 1))
    );
    run_one(
        workload,
        &mut simulated("sim:const?latency=100us&vanish_after=10500us"),
    )
}

#[test]
fn a_vanished_device_is_named_and_ends_the_run_at_once() {
    let reads = on_a_vanishing_device(Operation::Read);
    let write = on_a_vanishing_device(Operation::Write);
    assert_eq!(reads.failures[0].kind, FailureKind::Nothing);
    assert_eq!(write.failures[0].kind, FailureKind::Errno(ENOSPC));
    for outcome in [reads, write] {
        assert_eq!((outcome.ios(), outcome.stopped), (11, StopReason::Failed));
        assert_eq!(outcome.failures[0].count, 1, "nobody tries for ever");
        assert!(outcome.elapsed < Nanos(12_000_000), "{:?}", outcome.elapsed);
    }
}

#[test]
fn what_is_in_flight_when_a_device_vanishes_fails_with_an_error() {
    let workload = with!(random_reads(32), limits = for_ms(1_000));
    let mut target = simulated("sim:const?latency=100us&vanish_after=10050us");
    let outcome = run_one(workload, &mut target);
    assert_eq!(outcome.stopped, StopReason::Failed);
    let failed: u64 = outcome.failures.iter().map(|failure| failure.count).sum();
    assert_eq!(
        (outcome.failures[0].kind, failed),
        (FailureKind::Errno(EIO), 32)
    );
    assert_eq!(outcome.ios(), 3_200);
}

#[test]
fn a_stall_inside_the_trial_is_waited_for_in_no_real_time_and_is_shown() {
    let workload = with!(random_reads(4), limits = for_ms(2_000));
    for (stall, silence) in [
        ("30s", Nanos::from_secs(30)),
        // Longer, and it is given up.
        ("50s", Nanos::from_secs(50)),
    ] {
        let mut target = simulated(&format!("sim:const?latency=1ms&stall=1s:{stall}"));
        let outcome = run_one(workload.clone(), &mut target);
        assert_eq!(outcome.failures, []);
        assert_eq!(outcome.stopped, StopReason::Time);
        // Time stood still; the deadline passed meanwhile.
        assert!(outcome.elapsed >= silence, "{:?}", outcome.elapsed);
        assert!(outcome.operations[0].latency.max() >= Some(silence.0));
        assert!(outcome.ios().abs_diff(4_000) <= 4, "{}", outcome.ios());
    }
}

/// What is in progress when it happens counts up to there, and the place is named.
#[test]
fn a_file_that_becomes_shorter_ends_its_row_with_the_place() {
    for backend in KERNEL_BACKENDS {
        let own = OwnFile::laid_out(Bytes::mib(8), DataContent::Zero);
        let workload = with!(
            random_reads(4),
            backend = backend,
            direct = DirectMode::Off,
            limits = for_ms(20_000)
        );
        let mut target = own.target();
        let mut cut = |event| {
            if matches!(event, Event::Progress { ios: 11.., .. }) {
                own.file.handle().set_len(4 << 20).unwrap();
            }
        };
        let outcome = run_reported([workload], &mut target, &Control::new(), &mut cut).remove(0);
        assert_eq!(outcome.stopped, StopReason::Failed, "{backend:?}");
        assert!(outcome.elapsed < Nanos::from_secs(10), "{backend:?}");
        assert!(outcome.ios() > 10, "{backend:?}");
        let places = outcome.failures.iter().map(|failure| failure.offset.0);
        assert!(places.clone().count() > 0, "{backend:?}");
        for place in places {
            assert!((4 << 20..8 << 20).contains(&place), "{backend:?}: {place}");
        }
        let tally = &outcome.operations[0];
        assert_eq!(tally.latency.count(), tally.ios, "{backend:?}");
        assert_eq!(tally.bytes.0, tally.ios * BLOCK, "{backend:?}");
    }
}
