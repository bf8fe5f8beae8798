//! Fixed rates, thinking time, and stalls that a fixed rate must not hide
//! (invariant 9).

use sokudo_model::{
    Bytes, DataContent, Nanos, Operation, OperationMix, Outcome, Rate, RateProcess, Rates, Think,
    Workload,
};

use crate::setup::{
    BLOCK, KERNEL_BACKENDS, OwnFile, for_ios, for_ms, random_reads, run, run_one, simulated,
};

fn assert_rate(outcome: &Outcome, expected: f64, tolerance: f64) {
    let achieved = outcome.ios() as f64 / (outcome.elapsed.0 as f64 / 1e9);
    assert!(
        (achieved / expected - 1.0).abs() < tolerance,
        "{achieved} instead of {expected} I/Os per second"
    );
}

#[test]
fn each_clone_keeps_a_rate_within_one_percent_in_virtual_time() {
    let bytes = Rate::BytesPerSecond(2_000 * BLOCK);
    for spec in ["sim:const?latency=100us&jitter=90us", "sim:ssd"] {
        for (rate, clones, expected) in [
            (Rate::Iops(3_000), 1, 3_000.0),
            (Rate::Iops(500), 3, 1_500.0),
            (bytes, 1, 2_000.0),
        ] {
            let workload = with!(
                random_reads(16),
                threads = clones,
                pacing.rate = Some(rate),
                limits = for_ms(10_000)
            );
            assert_rate(&run_one(workload, &mut simulated(spec)), expected, 0.01);
        }
    }
}

#[test]
fn a_rate_is_kept_in_real_time() {
    let own = OwnFile::laid_out(Bytes::mib(8), DataContent::Random);
    let reads = |backend| {
        with!(
            random_reads(8),
            backend = backend,
            pacing.rate = Some(Rate::Iops(200)),
            limits = for_ios(400)
        )
    };
    for outcome in run(KERNEL_BACKENDS.map(reads).into(), &mut own.target()) {
        let tally = outcome.operation(Operation::Read).unwrap();
        let from_intended = tally.latency_from_intended.as_ref().unwrap();
        // The last may be held up by whatever holds up a disk or a thread.
        let held_up = Nanos(from_intended.max().unwrap()).as_secs_f64();
        let seconds = outcome.elapsed.as_secs_f64();
        let (ios, due) = (outcome.ios() as f64, 200.0 * seconds);
        let least = 0.95 * due - 200.0 * held_up - 8.0;
        assert!((least..1.05 * due).contains(&ios), "{ios} in {seconds} s");
        assert_eq!(from_intended.count(), tally.ios);
        assert!(
            from_intended.mean() >= tally.latency.mean(),
            "the schedule comes first"
        );
    }
}

#[test]
fn a_closed_loop_has_no_intended_start() {
    let workload = with!(random_reads(1), limits = for_ms(10));
    let outcome = run_one(workload, &mut simulated("sim:const"));
    assert_eq!(outcome.operations[0].latency_from_intended, None);
}

/// A stall of 200 ms in 10 s hits 200 of 10,000 I/Os that were meant to start in
/// it: two in a hundred. At depth 1 only one of them is waited for, so a percentile
/// of service times does not show it: that is coordinated omission.
#[test]
fn a_stall_shows_in_the_latency_from_the_intended_start() {
    let workload = with!(
        random_reads(1),
        pacing.rate = Some(Rate::Iops(1_000)),
        limits = for_ms(10_000)
    );
    let mut target = simulated("sim:const?latency=100us&stall=5s:200ms");
    let outcome = run_one(workload, &mut target);
    assert_rate(&outcome, 1_000.0, 0.01);
    let tally = outcome.operation(Operation::Read).unwrap();
    let from_intended = tally.latency_from_intended.as_ref().unwrap();
    let intended_p99 = from_intended.trusted_quantile(0.99).unwrap();
    assert!(
        (80_000_000..=200_200_000).contains(&intended_p99),
        "p99 {intended_p99} ns"
    );
    let service_p99 = tally.latency.trusted_quantile(0.99).unwrap();
    assert!(
        service_p99 < 110_000,
        "one I/O in 10,000 is no p99: {service_p99} ns"
    );
    // But the service latency does not hide the stall either.
    assert!(
        tally.latency.max().unwrap() >= 199_000_000,
        "{:?}",
        tally.latency
    );
    assert_eq!(tally.latency.count(), from_intended.count());
}

#[test]
fn a_device_too_slow_for_the_rate_is_told_by_the_growing_lateness() {
    // 1,000 I/Os per second are asked of a device that does 500.
    let workload = with!(
        random_reads(1),
        pacing.rate = Some(Rate::Iops(1_000)),
        limits = for_ms(2_000)
    );
    let outcome = run_one(workload, &mut simulated("sim:const?latency=2ms"));
    assert_rate(&outcome, 500.0, 0.01);
    let tally = outcome.operation(Operation::Read).unwrap();
    let latest = tally.latency_from_intended.as_ref().unwrap().max().unwrap();
    assert!(
        (990_000_000..=1_010_000_000).contains(&latest),
        "{latest} ns late"
    );
}

#[test]
fn thinking_pauses_between_bursts() {
    // Four I/Os of 1 ms one after the other, then 6 ms of thought: ten
    // milliseconds for four.
    let think = Think::new(Nanos(6_000_000), 4);
    let thinking = |depth, limits| {
        with!(
            random_reads(depth),
            pacing.think = Some(think),
            limits = limits
        )
    };
    let outcome = run_one(
        thinking(1, for_ms(1_000)),
        &mut simulated("sim:const?latency=1ms"),
    );
    assert!(
        (398..=402).contains(&outcome.ios()),
        "{} I/Os",
        outcome.ios()
    );
    // All four at once: seven milliseconds for four.
    let outcome = run_one(
        thinking(4, for_ms(700)),
        &mut simulated("sim:const?latency=1ms"),
    );
    assert!(
        (398..=402).contains(&outcome.ios()),
        "{} I/Os",
        outcome.ios()
    );
    let mean = outcome.operations[0].latency.mean().unwrap();
    assert!(
        (mean - 1e6).abs() < 1e4,
        "thinking is no latency: {mean} ns"
    );
}

fn mixed(each: [Option<Rate>; 3], process: RateProcess) -> Workload {
    with!(
        random_reads(4),
        operations = OperationMix::read_write(50).unwrap(),
        pacing.rates = Rates { each, process },
        limits = for_ms(10_000)
    )
}

#[test]
fn each_operation_keeps_its_own_rate() {
    let rates = [
        Some(Rate::Iops(1_000)),
        Some(Rate::BytesPerSecond(250 * BLOCK)),
        None,
    ];
    let workload = mixed(rates, RateProcess::Linear);
    let outcome = run_one(workload, &mut simulated("sim:const?latency=100us"));
    for (operation, expected) in [(Operation::Read, 10_000), (Operation::Write, 2_500)] {
        let tally = outcome.operation(operation).unwrap();
        assert!(
            tally.ios.abs_diff(expected) <= 2,
            "{} {operation:?}",
            tally.ios
        );
        let from_intended = tally.latency_from_intended.as_ref().unwrap();
        assert_eq!(from_intended.count(), tally.ios);
    }
}

#[test]
fn poisson_arrivals_have_the_mean_rate_and_wait_when_they_come_together() {
    let rates = [Some(Rate::Iops(2_000)), None, None];
    let workload = with!(
        mixed(rates, RateProcess::Poisson),
        operations = OperationMix::only(Operation::Read),
        depth = 1
    );
    let run = || run_one(workload.clone(), &mut simulated("sim:const?latency=100us"));
    let outcome = run();
    // 20,000 arrivals deviate by 141; three times that is 2 %.
    assert_rate(&outcome, 2_000.0, 0.025);
    let tally = outcome.operation(Operation::Read).unwrap();
    let latency = tally.latency_from_intended.as_ref().unwrap();
    // M/D/1 at a load of 0.2: waiting takes rho / (2 (1 - rho)) of a service.
    let mean = latency.mean().unwrap();
    assert!((mean - 112_500.0).abs() < 3_000.0, "{mean} ns");
    assert_eq!(run().ios(), outcome.ios(), "the seed says when they come");
}

#[test]
fn thinking_on_issue_does_not_wait_for_completions() {
    // One I/O of 5 ms is issued every millisecond.
    let think = Think {
        waits_for_completion: false,
        ..Think::new(Nanos(1_000_000), 1)
    };
    let workload = with!(
        random_reads(16),
        pacing.think = Some(think),
        limits = for_ms(1_000)
    );
    let outcome = run_one(workload, &mut simulated("sim:const?latency=5ms"));
    assert!(outcome.ios().abs_diff(1_000) <= 1, "{}", outcome.ios());
    assert!((outcome.depth_achieved - 5.0).abs() < 0.1);
}

#[test]
fn a_spinning_pause_uses_the_processor() {
    let think = Think {
        spin: Nanos(20_000_000),
        ..Think::new(Nanos(20_000_000), 1)
    };
    let workload = with!(
        random_reads(1),
        pacing.think = Some(think),
        limits = for_ms(600)
    );
    let own = OwnFile::laid_out(Bytes::mib(1), DataContent::Random);
    let outcome = run_one(workload, &mut own.target());
    let cpu = outcome.cpu.unwrap();
    // Asleep, it would use far less than a millisecond; a busy machine gives it less than its
    // 580 ms.
    assert!(cpu.user.0 + cpu.system.0 > 5_000_000, "{cpu:?}");
    assert!(outcome.ios() <= 31, "{}", outcome.ios());
}
