//! Known devices are measured as they are (invariants 1, 10 and 11), and measuring
//! costs little (19).

use sokudo_engine::Target;
use sokudo_model::{BlockShare, BlockSizes, Bytes, Operation, OperationMix};

use crate::setup::{BLOCK, for_ios, for_ms, random_reads, run_one, simulated};

#[test]
fn a_known_latency_is_measured_within_one_percent() {
    for (latency_us, depth) in [(1, 1), (10, 64), (100, 1), (100, 32), (8_000, 4)] {
        let mut target = simulated(&format!("sim:const?latency={latency_us}us"));
        let workload = with!(random_reads(depth), limits = for_ms(1_000));
        let outcome = run_one(workload, &mut target);
        let latency = &outcome.operation(Operation::Read).unwrap().latency;
        let expected = f64::from(latency_us) * 1e3;
        let mean = latency.mean().unwrap();
        assert!(
            (mean / expected - 1.0).abs() < 0.01,
            "{mean} ns instead of {expected}"
        );
        let p99 = latency.quantile(0.99).unwrap() as f64;
        assert!((p99 / expected - 1.0).abs() < 0.01, "p99 is {p99} ns");
        let depth_ratio = outcome.depth_achieved / f64::from(depth);
        assert!(
            (depth_ratio - 1.0).abs() < 0.02,
            "depth {}",
            outcome.depth_achieved
        );
    }
}

#[test]
fn a_step_of_ten_percent_is_seen() {
    let mean = |spec: &str| {
        let workload = with!(random_reads(8), limits = for_ms(1_000));
        let outcome = run_one(workload, &mut simulated(spec));
        outcome
            .operation(Operation::Read)
            .unwrap()
            .latency
            .mean()
            .unwrap()
    };
    let before = mean("sim:const?latency=100us&jitter=40us");
    let after = mean("sim:const?latency=110us&jitter=40us");
    assert!(
        (after / before - 1.1).abs() < 0.01,
        "{before} ns, then {after}"
    );
}

#[test]
fn a_mix_has_the_shares_that_were_asked_for() {
    let mut workload = with!(random_reads(16), limits = for_ios(200_000));
    for percent in [1, 50, 70, 95] {
        workload.operations = OperationMix::read_write(percent).unwrap();
        let outcome = run_one(workload.clone(), &mut Target::Null(Bytes::gib(1)));
        let reads = outcome.operation(Operation::Read).unwrap().ios as f64;
        assert_binomial(reads, outcome.ios() as f64, f64::from(percent) / 100.0);
    }
}

#[test]
fn block_sizes_come_in_their_shares() {
    let share = |bytes, weight| BlockShare {
        bytes: Bytes(bytes),
        weight,
    };
    let mut workload = with!(random_reads(16), limits = for_ios(400_000));
    workload.blocks = BlockSizes::mix(vec![share(BLOCK, 3), share(4 * BLOCK, 1)]).unwrap();
    let outcome = run_one(workload, &mut Target::Null(Bytes::gib(1)));
    // n blocks, of which x are large: bytes = (n + 3 x) × 4096.
    let ios = outcome.ios();
    let large = (outcome.bytes_moved().0 / BLOCK - ios) / 3;
    assert_binomial(large as f64, ios as f64, 0.25);
}

/// 99.9 % of a binomial lie within 3.29 standard deviations.
fn assert_binomial(found: f64, draws: f64, probability: f64) {
    let deviation = (draws * probability * (1.0 - probability)).sqrt();
    let off = (found - draws * probability) / deviation;
    assert!(
        off.abs() <= 3.29,
        "{found} of {draws}: {off} deviations from {probability}"
    );
}

#[test]
fn an_i_o_costs_less_than_a_microsecond_of_processor_time() {
    let workload = with!(random_reads(32), limits = for_ios(2_000_000));
    let outcome = run_one(workload, &mut Target::Null(Bytes::gib(1)));
    let cpu = outcome.cpu.unwrap();
    let per_io = (cpu.user.0 + cpu.system.0) as f64 / outcome.ios() as f64;
    println!("{per_io:.1} ns of processor time per I/O on no device");
    assert!(
        per_io < 1_000.0,
        "{per_io} ns are below a million I/Os per second and processor"
    );
}
