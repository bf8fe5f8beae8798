//! When workloads stop by themselves, and what the ramp leaves out.

use sokudo_engine::Target;
use sokudo_model::{Bytes, Limits, Nanos, Operation, StopReason, Workload};

use crate::builders::span;
use crate::setup::{BLOCK, for_ios, for_ms, random_reads, run, run_one, simulated, writes};

#[test]
fn the_ramp_is_run_but_not_counted() {
    // 100 µs each at depth 1: 10,000 I/Os per second, of which half a second is
    // ramp.
    let mut workload = with!(
        random_reads(1),
        timing.ramp = Nanos(500_000_000),
        limits = for_ms(1_000)
    );
    let measured = run_one(workload.clone(), &mut simulated("sim:const?latency=100us"));
    assert!(
        (9_999..=10_001).contains(&measured.ios()),
        "{}",
        measured.ios()
    );
    assert_eq!(measured.stopped, StopReason::Time);
    // Limits of bytes include the ramp: 5,000 I/Os fall into it.
    workload.limits = for_ios(8_000);
    let measured = run_one(workload, &mut simulated("sim:const?latency=100us"));
    assert!(
        (2_999..=3_001).contains(&measured.ios()),
        "{}",
        measured.ios()
    );
    assert_eq!(measured.stopped, StopReason::Bytes);
}

#[test]
fn a_ramp_longer_than_all_work_leaves_nothing_to_report() {
    let workload = with!(
        random_reads(4),
        timing.ramp = Nanos::from_secs(10),
        limits = for_ios(10)
    );
    for mut target in [simulated("sim:const"), Target::Null(Bytes::gib(1))] {
        let outcome = run_one(workload.clone(), &mut target);
        assert!(outcome.stopped == StopReason::Bytes);
    }
}

#[test]
fn whichever_limit_comes_first_ends_the_workload() {
    let both = |ios| {
        with!(
            Limits::default(),
            time = Some(Nanos(100_000_000)),
            bytes = Some(Bytes(ios * BLOCK))
        )
    };
    for (ios, reason) in [(10, StopReason::Bytes), (1_000_000, StopReason::Time)] {
        let workload = with!(random_reads(1), limits = both(ios));
        let outcome = run_one(workload, &mut simulated("sim:const?latency=1ms"));
        assert_eq!(outcome.stopped, reason);
        assert!((10..=101).contains(&outcome.ios()), "{}", outcome.ios());
    }
}

#[test]
fn a_limit_between_two_blocks_is_reached_by_the_block_that_passes_it() {
    let mut workload = random_reads(1);
    workload.limits.bytes = Some(Bytes(3 * BLOCK + 1));
    assert_eq!(run_one(workload, &mut simulated("sim:const")).ios(), 4);
}

#[test]
fn a_limit_of_nothing_does_nothing() {
    for mut target in [simulated("sim:const"), Target::Null(Bytes::gib(1))] {
        let outcome = run_one(with!(random_reads(4), limits = for_ios(0)), &mut target);
        assert_eq!((outcome.ios(), outcome.stopped), (0, StopReason::Bytes));
        assert_eq!(outcome.operations, [], "missing is missing, not zero");
        assert_eq!(outcome.series, []);
    }
}

#[test]
fn a_span_is_not_left() {
    // Everything but the span is bad.
    let mut target = simulated("sim:const?fail_at=0:EIO&fail_at=8MiB:EIO");
    let span = span(BLOCK, (8 << 20) - BLOCK);
    let inside = |workload: Workload| with!(workload, span = Some(span), limits = for_ios(10_000));
    for outcome in run(
        vec![inside(random_reads(8)), inside(writes(8))],
        &mut target,
    ) {
        assert_eq!((outcome.ios(), outcome.failures.len()), (10_000, 0));
    }
}

#[test]
fn workloads_of_different_length_run_together() {
    let workloads = vec![
        with!(random_reads(1), limits = for_ms(100)),
        with!(writes(1), limits = for_ms(300), threads = 2),
    ];
    let outcomes = run(workloads, &mut simulated("sim:const?latency=1ms"));
    assert!(
        (99..=101).contains(&outcomes[0].ios()),
        "{}",
        outcomes[0].ios()
    );
    assert!(
        (598..=602).contains(&outcomes[1].ios()),
        "{}",
        outcomes[1].ios()
    );
    assert!(outcomes[0].operation(Operation::Write).is_none());
}
