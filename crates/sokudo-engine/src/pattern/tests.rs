//! What patterns do, for every kind of workload.

use super::*;
use sokudo_model::{BlockSizes, Bytes, OperationMix};

fn counts(workload: &Workload, draws: u32) -> (f64, f64) {
    let stretch = Stretch {
        start: 0,
        length: 1 << 30,
    };
    let mut pattern = Pattern::new(workload, &[stretch], &Arc::default(), Random::new(5));
    let (mut reads, mut small) = (0, 0);
    for _ in 0..draws {
        let access = pattern.next();
        reads += u32::from(access.operation == Operation::Read);
        small += u32::from(access.length == 4096);
    }
    (f64::from(reads), f64::from(small))
}

/// 99.9 % of a binomial lie within 3.29 standard deviations.
fn within_binomial(found: f64, draws: f64, probability: f64) -> bool {
    let deviation = (draws * probability * (1.0 - probability)).sqrt();
    (found - draws * probability).abs() <= 3.29 * deviation
}

#[test]
fn reads_and_blocks_come_in_their_shares() {
    let mut workload = Workload::new("mix", Bytes(4096));
    workload.operations = OperationMix::read_write(70).unwrap();
    workload.blocks = BlockSizes::mix(vec![
        BlockShare {
            bytes: Bytes(4096),
            weight: 9,
        },
        BlockShare {
            bytes: Bytes(65536),
            weight: 1,
        },
    ])
    .unwrap();
    workload.order = Order::Random { map: false };
    let draws = 200_000;
    let (reads, small) = counts(&workload, draws);
    assert!(
        within_binomial(reads, f64::from(draws), 0.7),
        "{reads} reads"
    );
    assert!(
        within_binomial(small, f64::from(draws), 0.9),
        "{small} small blocks"
    );
}
