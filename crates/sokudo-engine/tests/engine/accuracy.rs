//! Known devices are measured as they are (invariants 1, 10 and 11), and measuring
//! costs little (19).

use sokudo_engine::Target;
use sokudo_model::{Bytes, Operation};

use crate::setup::{for_ios, for_ms, random_reads, run_one, simulated};

#[test]
fn a_known_latency_is_measured_within_one_percent() {
    for (latency_us, depth) in [(1, 1), (10, 64), (100, 1), (100, 32), (8_000, 4)] {
        let mut target = simulated(&format!("sim:const?latency={latency_us}us&jitter=0s"));
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
