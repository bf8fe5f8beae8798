//! What holds for every run, whatever it did, as long as nothing failed: Little's
//! law and the sums (invariants 1 to 3).

use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use sokudo_model::{
    BackendKind, Bytes, DataContent, Estimand, Nanos, Operation, OperationMix, Outcome, Workload,
};

use crate::setup::{
    BLOCK, KERNEL_BACKENDS, OwnFile, for_ios, for_ms, random_reads, run_one, simulated, writes,
};
use sokudo_engine::Target;

/// I/Os in flight are counted over time, and latencies are counted one by one: by
/// Little's law both give the same sum, to the nanosecond, with what crossed the edges of a
/// window.
fn assert_little(outcome: &Outcome, of: &str) {
    let latencies: u128 = outcome.operations.iter().map(|t| t.latency.sum()).sum();
    let edges = outcome.window.unwrap_or_default();
    let outside = edges.carried_in.0 + edges.late.0;
    let latencies = latencies as f64 + edges.carried_out.0 as f64 - outside as f64;
    let in_flight = outcome.depth_achieved * outcome.elapsed.0 as f64;
    let ratio = in_flight / latencies;
    assert!(
        (ratio - 1.0).abs() < 1e-9,
        "{of}: in flight / latencies = {ratio}"
    );
}

fn assert_sums(outcome: &Outcome, of: &str) {
    for tally in &outcome.operations {
        let bytes = match tally.operation {
            Operation::Flush => 0,
            _ => tally.ios * BLOCK,
        };
        assert_eq!(
            tally.bytes,
            Bytes(bytes),
            "{of}: bytes are I/Os times block"
        );
        assert_eq!(
            tally.latency.count(),
            tally.ios + tally.late_ios,
            "{of}: every I/O has a latency"
        );
        let in_buckets: u64 = tally.latency.buckets().map(|bucket| bucket.count).sum();
        assert_eq!(
            in_buckets,
            tally.latency.count(),
            "{of}: every latency has a bucket"
        );
    }
    let ios: u64 = outcome.series.iter().map(|point| point.ios).sum();
    let bytes: u64 = outcome.series.iter().map(|point| point.bytes.0).sum();
    assert_eq!(ios, outcome.ios(), "{of}: the series sums up");
    assert_eq!(
        Bytes(bytes),
        outcome.bytes_moved(),
        "{of}: the series sums up"
    );
    let in_order = outcome
        .series
        .windows(2)
        .all(|pair| pair[0].at < pair[1].at);
    assert!(in_order, "{of}: the series is in order");
}

fn assert_latencies(outcome: &Outcome, of: &str) {
    for tally in &outcome.operations {
        let latency = &tally.latency;
        let (min, max) = (latency.min().unwrap(), latency.max().unwrap());
        let mean = latency.mean().unwrap();
        let edges = outcome.window.unwrap_or_default();
        assert!(
            max <= outcome.elapsed.0 + edges.settled.0 + edges.drained.0,
            "{of}: {max} ns of {:?}",
            outcome.elapsed
        );
        assert!(
            min as f64 <= mean && mean <= max as f64,
            "{of}: {min} {mean} {max}"
        );
        // Nothing takes no time, but nothing at all may take less than the clock
        // can tell.
        assert!(
            min > 0 || outcome.backend.kind == BackendKind::Null,
            "{of}: {min} ns"
        );
    }
}

fn assert_honest(outcome: &Outcome, workload: &Workload) {
    let of = format!("{} on {}", workload.name, outcome.backend.kind.name());
    assert_eq!(outcome.failures, [], "{of}");
    assert!(outcome.ios() > 0, "{of}: nothing was done");
    assert_little(outcome, &of);
    assert_sums(outcome, &of);
    assert_latencies(outcome, &of);
    let most = f64::from(workload.threads * workload.depth);
    assert!(
        outcome.depth_achieved <= most * (1.0 + 1e-9),
        "{of}: {}",
        outcome.depth_achieved
    );
}

/// One workload for each part of the engine that could break a sum.
fn workloads(backend: BackendKind) -> Vec<Workload> {
    let named = |name: &str, workload: Workload| {
        // What is in flight as a ramp ends is not counted: a disk that somebody else keeps busy has
        // to answer it and more.
        let milliseconds = if workload.timing.ramp > Nanos(0) {
            300
        } else {
            60
        };
        with!(
            workload,
            name = name.to_owned(),
            backend = backend,
            limits = for_ms(milliseconds)
        )
    };
    vec![
        named("depth 1", random_reads(1)),
        named("depth 16", random_reads(16)),
        named(
            "exact clock",
            with!(random_reads(16), issuing.exact_clock = true),
        ),
        named(
            "after a ramp",
            with!(random_reads(8), timing.ramp = Nanos(30_000_000)),
        ),
        named(
            "three clones",
            with!(
                random_reads(4),
                threads = 3,
                timing.ramp = Nanos(10_000_000)
            ),
        ),
        named(
            "a mix with flushes",
            with!(
                random_reads(8),
                operations = OperationMix::read_write(70).unwrap(),
                durability.fdatasync_every = Some(50),
                durability.final_flush = true
            ),
        ),
        named("writes", writes(8)),
        named(
            "sustained",
            with!(random_reads(16), measures.estimand = Estimand::Sustained),
        ),
        named(
            "sustained by three clones",
            with!(
                random_reads(4),
                threads = 3,
                measures.estimand = Estimand::Sustained
            ),
        ),
        named(
            "sustained alone",
            with!(
                writes(1),
                timing.ramp = Nanos(5_000_000),
                measures.estimand = Estimand::Sustained
            ),
        ),
    ]
}

#[test]
fn every_backend_of_the_kernel_is_honest_about_every_workload() {
    let own = OwnFile::laid_out(Bytes::mib(8), DataContent::Random);
    for backend in KERNEL_BACKENDS {
        for workload in workloads(backend) {
            let outcome = run_one(workload.clone(), &mut own.target());
            assert_eq!(outcome.backend.kind, backend);
            assert_honest(&outcome, &workload);
        }
    }
}

#[test]
fn threads_that_are_refused_a_processor_are_honest_all_the_same() {
    let own = OwnFile::laid_out(Bytes::mib(8), DataContent::Random);
    let workload = with!(
        random_reads(32),
        name = "sustained by many".to_owned(),
        threads = 16,
        limits = for_ms(30),
        measures.estimand = Estimand::Sustained
    );
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            });
        }
        let outcomes: Vec<Outcome> = (0..5)
            .map(|_| run_one(workload.clone(), &mut own.target()))
            .collect();
        is_over.store(true, Ordering::Relaxed);
        for outcome in &outcomes {
            assert_honest(outcome, &workload);
        }
    });
}

#[test]
fn no_device_is_measured_honestly() {
    for workload in workloads(BackendKind::Auto) {
        let outcome = run_one(workload.clone(), &mut Target::Null(Bytes::gib(1)));
        assert_eq!(outcome.backend.kind, BackendKind::Null);
        assert_honest(&outcome, &workload);
    }
}

#[test]
fn simulated_devices_are_measured_honestly() {
    for spec in [
        "sim:const?latency=100us&jitter=50us",
        "sim:const",
        "sim:hdd",
        "sim:ssd",
        // In the ramp, while the queue settles, in the measured part and at its end.
        "sim:const?stall=2ms:20ms",
        "sim:const?parallel=4&stall=20ms:30ms",
        "sim:const?jitter=0s&stall=61ms:2s",
        "sim:ssd?stall=62ms:20ms",
    ] {
        for workload in workloads(BackendKind::Sim) {
            let mut target = simulated(spec);
            let outcome = run_one(workload.clone(), &mut target);
            assert_honest(&outcome, &workload);
            assert_nothing_is_lost(&outcome, &target, &format!("{} on {spec}", workload.name));
        }
    }
}

/// What the device has done is in the rate, or beside it, and once.
fn assert_nothing_is_lost(outcome: &Outcome, target: &Target, of: &str) {
    let Target::Simulated(simulated) = target else {
        unreachable!("it was simulated");
    };
    let counted = simulated.device.counters();
    let writes = counted.written_ios - counted.flushes;
    for (operation, done) in [
        (Operation::Read, counted.read_ios),
        (Operation::Write, writes),
    ] {
        let tally = outcome.operation(operation);
        let (ios, late) = tally.map_or((0, 0), |tally| (tally.ios, tally.late_ios));
        let beside = outcome.in_ramp[operation.index()].ios;
        assert_eq!(done, ios + beside, "{of}: {operation:?}");
        assert!(late <= beside, "{of}: {operation:?}");
    }
}

#[test]
fn the_first_and_the_last_i_o_are_counted() {
    let own = OwnFile::laid_out(Bytes::mib(4), DataContent::Random);
    for backend in KERNEL_BACKENDS {
        for (depth, clones, ios) in [(1, 1, 1), (1, 1, 7), (32, 1, 100), (8, 3, 41)] {
            let workload = with!(
                random_reads(depth),
                backend = backend,
                threads = clones,
                limits = for_ios(ios)
            );
            let outcome = run_one(workload.clone(), &mut own.target());
            assert_eq!(
                outcome.ios(),
                ios * u64::from(clones),
                "{backend:?}, depth {depth}"
            );
            assert_honest(&outcome, &workload);
        }
    }
}

#[test]
fn submission_is_sampled_where_it_is_a_step_of_its_own() {
    let own = OwnFile::laid_out(Bytes::mib(4), DataContent::Random);
    for backend in KERNEL_BACKENDS {
        let workload = with!(random_reads(4), backend = backend, limits = for_ios(1024));
        let outcome = run_one(workload, &mut own.target());
        match outcome.submission {
            Some(submission) => {
                assert_ne!(backend, BackendKind::Psync);
                assert!((1..outcome.operations[0].ios).contains(&submission.count()));
                assert!(submission.max() <= Some(outcome.elapsed.0));
            }
            None => assert_eq!(backend, BackendKind::Psync, "{backend:?} submits"),
        }
    }
}
