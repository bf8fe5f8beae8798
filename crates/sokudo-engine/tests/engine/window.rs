//! What is measured of a load that lasts: no edge of a queue is in its figures.

use sokudo_model::{
    Bytes, DataContent, Estimand, Nanos, Operation, OperationMix, Outcome, StopReason, Workload,
};

use crate::setup::{
    BLOCK, KERNEL_BACKENDS, OwnFile, for_ios, for_ms, random_reads, run_one, simulated,
};

fn sustained(depth: u32, clones: u32, milliseconds: u64) -> Workload {
    with!(
        random_reads(depth),
        threads = clones,
        limits = for_ms(milliseconds),
        measures.estimand = Estimand::Sustained
    )
}

fn iops(outcome: &Outcome) -> f64 {
    outcome.ios() as f64 / outcome.elapsed.as_secs_f64()
}

#[test]
fn a_device_of_constant_latency_has_exactly_its_rate_at_any_depth() {
    for (depth, clones) in [(1, 1), (8, 1), (32, 1), (4, 3)] {
        let workload = sustained(depth, clones, 50);
        // 7 ms do not divide 50 ms.
        let outcome = run_one(workload, &mut simulated("sim:const?latency=7ms&jitter=0s"));
        let expected = f64::from(depth * clones) / 7e-3;
        assert!(
            (iops(&outcome) / expected - 1.0).abs() < 1e-9,
            "{depth} × {clones}: {} of {expected}",
            iops(&outcome)
        );
        let full = f64::from(depth * clones);
        assert!((outcome.depth_achieved / full - 1.0).abs() < 1e-9);
        assert_eq!(outcome.stopped, StopReason::Time);
    }
}

#[test]
fn what_is_measured_and_what_is_not_is_all_that_the_device_did() {
    let outcome = run_one(
        sustained(8, 2, 50),
        &mut simulated("sim:const?latency=1ms&jitter=0s"),
    );
    let edges = outcome.window.expect("it was cut out");
    // Three turns of the queue before; at the end all complete at one instant.
    assert_eq!(edges.settled, Nanos::from_millis(3));
    assert_eq!(edges.drained, Nanos(0));
    let beside = outcome.in_ramp[Operation::Read.index()];
    assert_eq!(beside.ios, 3 * 16);
    assert_eq!(beside.bytes, Bytes(beside.ios * BLOCK));
    assert_eq!(outcome.ios(), 50 * 16);
}

#[test]
fn a_cache_that_takes_the_first_writes_is_not_in_the_rate() {
    let rate = |estimand| {
        let workload = with!(
            sustained(32, 1, 1_000),
            operations = OperationMix::only(Operation::Write),
            measures.estimand = estimand
        );
        iops(&run_one(workload, &mut simulated("sim:hdd")))
    };
    // The drive takes 32 writes at once, whoever counts them.
    assert!(rate(Estimand::Work) > 1.05 * rate(Estimand::Sustained));
}

#[test]
fn only_a_closed_loop_that_time_ends_is_cut() {
    let cases = [
        ("bytes", with!(sustained(4, 1, 50), limits = for_ios(100))),
        (
            "a flush",
            with!(sustained(4, 1, 50), durability.final_flush = true),
        ),
        (
            "a rate",
            with!(
                sustained(4, 1, 50),
                pacing.rate = Some(sokudo_model::Rate::Iops(100))
            ),
        ),
        (
            "work",
            with!(sustained(4, 1, 50), measures.estimand = Estimand::Work),
        ),
    ];
    for (name, workload) in cases {
        let outcome = run_one(workload, &mut simulated("sim:const?latency=1ms"));
        assert_eq!(outcome.window, None, "{name}");
        let beside = outcome.in_ramp.iter().map(|moved| moved.ios);
        assert_eq!(beside.sum::<u64>(), 0, "{name}");
    }
}

#[test]
fn a_device_that_is_too_slow_for_its_queue_is_measured_all_the_same() {
    // One at a time, 20 ms each: three turns of 32 take 1.9 s, ten times the time 0.5 s.
    let slow = "sim:const?latency=20ms&jitter=0s&parallel=1";
    let outcome = run_one(sustained(32, 1, 50), &mut simulated(slow));
    let edges = outcome.window.expect("it was cut out");
    assert_eq!(edges.settled, Nanos::from_millis(500));
    assert!(
        (iops(&outcome) / 50.0 - 1.0).abs() < 0.2,
        "{}",
        iops(&outcome)
    );
}

#[test]
fn threads_agree_on_their_window() {
    let own = OwnFile::laid_out(Bytes::mib(8), DataContent::Random);
    for backend in KERNEL_BACKENDS {
        let workload = with!(sustained(4, 3, 100), backend = backend);
        let outcome = run_one(workload, &mut own.target());
        assert!(outcome.window.is_some(), "{backend:?}");
        assert!(outcome.elapsed >= Nanos::from_millis(100));
        assert!(
            outcome.elapsed < Nanos::from_millis(5_000),
            "{:?}",
            outcome.elapsed
        );
        let series: u64 = outcome.series.iter().map(|point| point.ios).sum();
        assert_eq!(series, outcome.ios());
    }
}

/// I/Os that took so long.
fn long_ios(outcome: &Outcome, least: Nanos) -> u64 {
    let tallies = outcome.operations.iter();
    let buckets = tallies.flat_map(|tally| tally.latency.buckets());
    let long = buckets.filter(|bucket| bucket.high >= least.0);
    long.map(|bucket| bucket.count).sum()
}

#[test]
fn a_stall_is_in_the_latencies_with_every_i_o_that_waited_however_late_it_comes() {
    const STALL: Nanos = Nanos::from_secs(5);
    for (model, depth, clones) in [
        ("const?latency=300us&jitter=30us&parallel=32", 32, 1),
        ("const?latency=300us&jitter=30us&parallel=32", 8, 4),
        ("const?latency=300us&jitter=0s", 1, 1),
        ("const?latency=300us", 32, 1),
        ("ssd?", 32, 1),
    ] {
        let workload = || sustained(depth, clones, 100);
        let quiet = run_one(workload(), &mut simulated(&format!("sim:{model}")));
        let begins = quiet.window.expect("it was cut out").settled.0;
        // The last of them stall in the last fiftieth of the measured part.
        for part in 1..50 {
            let at = begins + part * Nanos::from_millis(2).0;
            let spec = format!("sim:{model}&stall={at}ns:{STALL}").replace(" s", "s");
            let outcome = run_one(workload(), &mut simulated(&spec));
            let waited = long_ios(&outcome, Nanos(STALL.0 / 2));
            assert_eq!(waited, u64::from(depth * clones), "{spec}");
            assert!(outcome.elapsed >= STALL, "{spec}: {:?}", outcome.elapsed);
        }
    }
}
