//! Virtual time: the same seed gives the same outcome to the byte, and hours pass
//! in a moment.

use std::time::Instant;

use sokudo_engine::{SimulatedTarget, Target, sim};
use sokudo_model::{Nanos, Operation, OperationMix, Outcome, StopReason};

use crate::setup::{for_ms, random_reads, run, run_one, simulated, try_run, writes};

const SPECS: [&str; 3] = [
    "sim:const?latency=100us&jitter=99us&parallel=4",
    "sim:hdd?size=4TB&rpm=5900",
    "sim:ssd",
];

fn everything_at_once(spec: &str, device_seed: u64, seed: u64) -> Vec<Outcome> {
    let mut device = sim::SimulatedDevice::parse(spec).unwrap();
    device.seed(device_seed);
    let mixed = with!(
        random_reads(8),
        threads = 2,
        operations = OperationMix::read_write(60).unwrap(),
        timing.ramp = Nanos(20_000_000),
        durability.fsync_every = Some(10),
        limits = for_ms(500)
    );
    let workloads = vec![mixed, with!(writes(2), limits = for_ms(300))];
    let mut target = Target::Simulated(SimulatedTarget::new(device));
    try_run(workloads, &mut target, seed).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_outcome_to_the_byte() {
    for spec in SPECS {
        let first = everything_at_once(spec, 3, 4);
        assert!(
            first == everything_at_once(spec, 3, 4),
            "{spec} is not repeatable"
        );
        assert!(
            first != everything_at_once(spec, 3, 5),
            "{spec} ignores the stage's seed"
        );
        assert!(first.iter().all(|outcome| outcome.ios() > 0));
        let another = everything_at_once(spec, 4, 4);
        assert!(first != another, "{spec} ignores the device's seed");
    }
}

#[test]
fn a_load_that_is_too_slow_fails_and_the_one_beside_it_goes_on() {
    let too_slow = with!(
        random_reads(1),
        limits = for_ms(10_000),
        pacing.least.ios = [Some(1_000_000), None, None],
        pacing.least.cycle = Nanos::from_millis(100)
    );
    let workloads = vec![too_slow, with!(random_reads(1), limits = for_ms(5_000))];
    let outcomes = run(
        workloads,
        &mut simulated("sim:const?latency=100us&parallel=4"),
    );
    let stopped: Vec<_> = outcomes.iter().map(|it| it.stopped).collect();
    assert_eq!(stopped, [StopReason::Failed, StopReason::Time]);
    assert!(outcomes[0].elapsed < Nanos::from_secs(5));
}

/// The ramp ends while I/Os are in flight: they are its own, and end after it.
#[test]
fn what_a_device_has_counted_is_the_ramp_and_the_measured_part() {
    for spec in SPECS {
        let mut target = simulated(spec);
        let workload = |clones, ramp_ms| {
            with!(
                random_reads(8),
                threads = clones,
                operations = OperationMix::read_write(60).unwrap(),
                timing.ramp = Nanos::from_millis(ramp_ms),
                limits = for_ms(300)
            )
        };
        let outcomes = run(vec![workload(2, 20), workload(1, 70)], &mut target);
        let Target::Simulated(simulated) = &target else {
            unreachable!("it was simulated");
        };
        let counted = simulated.device.counters();
        for (operation, bytes) in [
            (Operation::Read, counted.read_bytes),
            (Operation::Write, counted.written_bytes),
        ] {
            let measured = |outcome: &Outcome| outcome.operation(operation).unwrap().bytes.0;
            let ramp = |outcome: &Outcome| outcome.in_ramp[operation.index()].bytes.0;
            assert!(outcomes.iter().all(|outcome| ramp(outcome) > 0), "{spec}");
            let all: u64 = outcomes.iter().map(|it| measured(it) + ramp(it)).sum();
            assert_eq!(bytes, all, "{spec}");
        }
    }
}

#[test]
fn an_hour_of_a_hard_disk_passes_in_a_moment() {
    let started = Instant::now();
    let workload = with!(random_reads(1), limits = for_ms(3_600_000));
    let outcome = run_one(workload, &mut simulated("sim:hdd?size=4TB&rpm=5900"));
    println!("an hour of a hard disk took {:?}", started.elapsed());
    assert_eq!(outcome.stopped, StopReason::Time);
    let hour = Nanos::from_secs(3_600);
    assert!(
        outcome.elapsed >= Nanos(hour.0 - 100_000_000),
        "{:?}",
        outcome.elapsed
    );
    // Seek and half a turn: between 50 and 200 a second.
    assert!(
        (180_000..=720_000).contains(&outcome.ios()),
        "{}",
        outcome.ios()
    );
    let ios: u64 = outcome.series.iter().map(|point| point.ios).sum();
    assert_eq!(ios, outcome.ios());
}

#[test]
fn time_goes_on_from_stage_to_stage() {
    // The stall comes in the second stage, one second after the first began.
    let mut target = simulated("sim:const?latency=1ms&jitter=0s&stall=1500ms:200ms");
    let reads = || with!(random_reads(1), limits = for_ms(1_000));
    let slowest = |outcome: Outcome| {
        let tally = outcome.operation(Operation::Read).unwrap();
        tally.latency.max().unwrap()
    };
    assert_eq!(slowest(run_one(reads(), &mut target)), 1_000_000);
    assert!(slowest(run_one(reads(), &mut target)) >= 200_000_000);
    assert_eq!(slowest(run_one(reads(), &mut target)), 1_000_000);
}
