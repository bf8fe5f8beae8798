//! Requests that do not come back: they are named while they hang, the others go on, and a
//! workload that waits for nothing else is given up.

use sokudo_engine::Control;
use sokudo_model::{
    Bytes, Event, FailureKind, Nanos, Operation, Outcome, StopReason, StuckIo, Workload,
};

use crate::setup::{run_reported, simulated};

const MIB: u64 = 1 << 20;

/// Reads of 1 MiB from the start on.
fn reads(count: u64, depth: u32) -> Workload {
    with!(
        Workload::new("reads", Bytes(MIB)),
        depth = depth,
        limits.bytes = Some(Bytes(count * MIB))
    )
}

/// What came of it, and what was told to be stuck.
fn run(workload: Workload, spec: &str, timeout: Option<Nanos>) -> (Outcome, Vec<Vec<StuckIo>>) {
    let control = Control::new();
    control.set_timeout(timeout);
    let mut seen = Vec::new();
    let mut listener = |event| {
        if let Event::Stuck { workload: 0, ios } = event {
            seen.push(ios);
        }
    };
    let mut target = simulated(spec);
    let outcome = run_reported([workload], &mut target, &control, &mut listener).remove(0);
    (outcome, seen)
}

fn seconds(from: u64, to: u64) -> std::ops::Range<Nanos> {
    Nanos::from_secs(from)..Nanos::from_secs(to)
}

#[test]
fn hung_io_is_named() {
    let spec = "sim:const?size=1GiB&latency=200ms&hang_at=100MiB+4KiB";
    let (outcome, seen) = run(reads(1024, 4), spec, None);
    let [first] = seen[0][..] else {
        panic!("{seen:?}")
    };
    assert!(seconds(30, 33).contains(&first.age), "{first:?}");
    let place = (first.operation, first.offset, first.length);
    assert_eq!(place, (Operation::Read, Bytes(100 * MIB), Bytes(MIB)));
    let (last, before) = seen.split_last().unwrap();
    assert!(last.is_empty(), "{last:?}");
    let ages: Vec<Nanos> = before.iter().map(|ios| ios[0].age).collect();
    assert!(ages.len() > 20 && ages.is_sorted(), "{ages:?}");
    assert!(seconds(58, 64).contains(ages.last().unwrap()), "{ages:?}");
    assert_eq!(outcome.ios(), 1023);
    let [failure] = &outcome.failures[..] else {
        panic!("{:?}", outcome.failures)
    };
    assert_eq!(failure.kind, FailureKind::Unanswered);
    assert_eq!(failure.offset, Bytes(100 * MIB));
}

#[test]
fn a_hung_workload_has_twice_the_time() {
    let spec = "sim:const?size=1GiB&latency=1ms&hang_at=100MiB+4KiB";
    for (timeout, given_up) in [(None, seconds(60, 63)), (Some(5), seconds(10, 13))] {
        let timeout = timeout.map(Nanos::from_secs);
        let (outcome, seen) = run(reads(200, 1), spec, timeout);
        assert_eq!(outcome.stopped, StopReason::Failed);
        assert_eq!(outcome.ios(), 100);
        let failures = outcome.failures.iter().map(|it| (it.kind, it.offset));
        let expected = (FailureKind::Unanswered, Bytes(100 * MIB));
        assert!(failures.eq([expected]), "{:?}", outcome.failures);
        let waited = Nanos(outcome.operations[0].latency.max().unwrap());
        assert!(given_up.contains(&waited), "{waited}");
        assert!(seen.last().unwrap().is_empty());
    }
}

#[test]
fn late_io_counts() {
    let spec = "sim:const?size=1GiB&latency=1ms&slow_at=100MiB+4KiB:40s";
    let (outcome, seen) = run(reads(200, 1), spec, None);
    assert_eq!((outcome.ios(), outcome.failures.len()), (200, 0));
    let (last, before) = seen.split_last().unwrap();
    assert!(last.is_empty() && !before.is_empty(), "{seen:?}");
    assert!(before.iter().all(|ios| ios.len() == 1));
    let (_, seen) = run(reads(200, 1), spec, Some(Nanos::from_secs(60)));
    assert_eq!(seen, Vec::<Vec<StuckIo>>::new());
}

#[test]
fn an_idle_row_is_not_stuck() {
    let rate = Some(sokudo_model::Rate::BytesPerSecond(MIB / 100));
    let workload = with!(reads(4, 1), pacing.rate = rate);
    let (outcome, seen) = run(workload, "sim:const?size=1GiB", None);
    assert_eq!((outcome.ios(), outcome.failures.len()), (4, 0));
    assert!(
        outcome.elapsed > Nanos::from_secs(200),
        "{}",
        outcome.elapsed
    );
    assert_eq!(seen, Vec::<Vec<StuckIo>>::new());
}
