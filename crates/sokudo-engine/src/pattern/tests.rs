//! What patterns do, for every kind of workload.

mod any;
mod files;
mod scatter;

use std::collections::HashSet;

use proptest::prelude::*;
use sokudo_model::{
    BlockChoice, BlockSizes, Bytes, FileOrder, FileService, OperationMix, Zone, ZoneLength,
};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::*;
use crate::builders::{BLOCK, sizes};

fn counts(workload: &Workload, draws: u32) -> (f64, f64) {
    let stretch = ByteRange {
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
    workload.blocks = sizes(&[(4096, 9), (65536, 1)]);
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

fn stretch(start: u64, length: u64) -> ByteRange {
    ByteRange { start, length }
}

fn pattern(workload: &Workload, stretches: &[ByteRange]) -> Pattern {
    Pattern::new(workload, stretches, &Arc::default(), Random::new(9))
}

fn random_reads() -> Workload {
    with!(
        Workload::new("random", Bytes(BLOCK)),
        order = Order::Random { map: false }
    )
}

/// Blocks of the next I/Os.
fn blocks(pattern: &mut Pattern, count: usize) -> Vec<u64> {
    (0..count).map(|_| pattern.next().offset / BLOCK).collect()
}

fn files_of(pattern: &mut Pattern, count: usize) -> Vec<u32> {
    (0..count).map(|_| pattern.next().file).collect()
}

/// How often each block is used.
fn uses(pattern: &mut Pattern, places: usize, draws: u32) -> Vec<f64> {
    let mut counts = vec![0.0; places];
    for _ in 0..draws {
        counts[(pattern.next().offset / BLOCK) as usize] += 1.0;
    }
    counts
}

/// The chance that counts as uneven as these come from these probabilities.
fn agreement(counts: &[f64], probabilities: &[f64]) -> f64 {
    let draws: f64 = counts.iter().sum();
    let terms = counts
        .iter()
        .zip(probabilities)
        .map(|(count, probability)| {
            let expected = probability * draws;
            (count - expected).powi(2) / expected
        });
    1.0 - ChiSquared::new(counts.len() as f64 - 1.0)
        .unwrap()
        .cdf(terms.sum())
}

#[test]
fn reads_and_writes_of_a_sequential_mix_walk_by_themselves() {
    let mut workload = Workload::new("mix", Bytes(BLOCK));
    workload.operations = OperationMix::read_write(60).unwrap();
    let mut pattern = pattern(&workload, &[stretch(0, 100 * BLOCK)]);
    let (mut next, mut ios) = ([0, 0], [0, 0]);
    for _ in 0..500 {
        let access = pattern.next();
        let position = &mut next[access.operation.index()];
        assert_eq!(access.offset, *position * BLOCK);
        *position = (*position + 1) % 100;
        ios[access.operation.index()] += 1;
    }
    assert!(ios[0] > 250 && ios[1] > 150, "{ios:?}");
}

#[test]
fn reads_and_writes_have_sizes_and_alignments_of_their_own() {
    let choice = |bytes| {
        BlockChoice::Shares(vec![BlockShare {
            bytes: Bytes(bytes),
            weight: 1,
        }])
    };
    let mut workload = random_reads();
    workload.operations = OperationMix::read_write(50).unwrap();
    workload.blocks = BlockSizes::per_direction(choice(8192), choice(32768), choice(8192)).unwrap();
    let mut pattern = pattern(&workload, &[stretch(0, 1 << 20)]);
    for _ in 0..1_000 {
        let access = pattern.next();
        let size = if access.operation == Operation::Read {
            8192
        } else {
            32768
        };
        assert_eq!(u64::from(access.length), size);
        assert!(access.offset.is_multiple_of(size) && access.offset + size <= 1 << 20);
    }
}

#[test]
fn an_alignment_of_its_own_is_kept() {
    let mut workload = random_reads();
    workload.scatter.alignment = Some([Bytes(512); 3]);
    let mut pattern = pattern(&workload, &[stretch(1024, 64 * BLOCK)]);
    let offsets: Vec<u64> = (0..1_000).map(|_| pattern.next().offset).collect();
    assert!(offsets.iter().all(|offset| offset.is_multiple_of(512)));
    assert!(
        offsets
            .iter()
            .any(|offset| !(offset - 1024).is_multiple_of(BLOCK))
    );
}

#[test]
fn sizes_of_a_range_are_its_multiples_all_alike() {
    let range = BlockChoice::Range {
        smallest: Bytes(BLOCK),
        largest: Bytes(4 * BLOCK),
    };
    let mut workload = random_reads();
    workload.blocks = BlockSizes::per_direction(range.clone(), range.clone(), range).unwrap();
    let mut pattern = pattern(&workload, &[stretch(0, 1 << 40)]);
    let mut counts = [0.0; 4];
    for _ in 0..100_000 {
        let length = u64::from(pattern.next().length);
        assert!(length.is_multiple_of(BLOCK));
        counts[(length / BLOCK - 1) as usize] += 1.0;
    }
    assert!(agreement(&counts, &[0.25; 4]) > 0.001, "{counts:?}");
}

/// As `fio --bsrange=1000-1019 --bs_unaligned`: whole numbers of bytes, all alike, and
/// sequential I/Os that follow one another to the byte.
#[test]
fn sizes_of_any_bytes_are_all_alike() {
    let any = BlockChoice::AnyBytes {
        smallest: Bytes(1000),
        largest: Bytes(1019),
    };
    let mut workload = random_reads();
    workload.blocks = BlockSizes::per_direction(any.clone(), any.clone(), any).unwrap();
    let mut counts = [0.0; 20];
    let mut random = pattern(&workload, &[stretch(0, 1 << 40)]);
    for _ in 0..100_000 {
        counts[random.next().length as usize - 1000] += 1.0;
    }
    assert!(agreement(&counts, &[0.05; 20]) > 0.001, "{counts:?}");
    workload.order = Order::Sequential {
        offset: SequentialOffset::Own,
    };
    let mut walk = pattern(&workload, &[stretch(0, 1 << 40)]);
    let mut end = 0;
    for _ in 0..1_000 {
        let access = walk.next();
        assert_eq!(access.offset, end);
        end += u64::from(access.length);
    }
}

#[test]
fn a_range_ends_with_its_largest_size() {
    let range = BlockChoice::Range {
        smallest: Bytes(4096),
        largest: Bytes(10240),
    };
    let mut workload = random_reads();
    workload.blocks = BlockSizes::per_direction(range.clone(), range.clone(), range).unwrap();
    let mut pattern = pattern(&workload, &[stretch(0, 1 << 40)]);
    let mut counts = [0.0; 3];
    for _ in 0..100_000 {
        let length = u64::from(pattern.next().length);
        counts[(length / 4096 - 1 + u64::from(length == 10240)) as usize] += 1.0;
    }
    // fio 3.33 issued 2,487, 2,383 and 1,195 of these.
    assert!(agreement(&counts, &[0.4, 0.4, 0.2]) > 0.001, "{counts:?}");
}

#[test]
fn mixed_sizes_fill_the_end_of_a_sequential_stretch() {
    let mut workload = Workload::new("mixed", Bytes(BLOCK));
    workload.blocks = sizes(&[(BLOCK, 50), (4 * BLOCK, 50)]);
    // As fio: 66 KiB end with small blocks, and 2 KiB are left out.
    let mut pattern = pattern(&workload, &[stretch(0, 66 << 10)]);
    for _pass in 0..50 {
        let mut position = 0;
        while position < 64 << 10 {
            let access = pattern.next();
            assert_eq!(access.offset, position);
            position += u64::from(access.length);
        }
        assert_eq!(position, 64 << 10);
    }
}

#[test]
fn a_stride_leaves_holes_and_wraps() {
    let mut workload = Workload::new("holes", Bytes(BLOCK));
    workload.scatter.stride = 8192;
    // What fio 3.33 does with rw=read:8k in 64 KiB.
    let mut pattern = pattern(&workload, &[stretch(0, 16 * BLOCK)]);
    assert_eq!(blocks(&mut pattern, 9), [0, 3, 6, 9, 12, 15, 0, 3, 6]);
}

#[test]
fn a_negative_stride_runs_backward_from_the_end() {
    let mut workload = Workload::new("backward", Bytes(BLOCK));
    workload.scatter.stride = -8192;
    let mut pattern = pattern(&workload, &[stretch(0, 5 * BLOCK + 100)]);
    assert_eq!(blocks(&mut pattern, 7), [4, 3, 2, 1, 0, 4, 3]);
}

#[test]
fn a_stride_of_minus_one_block_stays_and_a_shorter_one_overlaps() {
    let mut workload = Workload::new("overlap", Bytes(BLOCK));
    workload.scatter.stride = -4096;
    let stretches = [stretch(0, 4 * BLOCK)];
    assert_eq!(blocks(&mut pattern(&workload, &stretches), 3), [0, 0, 0]);
    workload.scatter.stride = -2048;
    let mut pattern = pattern(&workload, &stretches);
    let offsets: Vec<u64> = (0..8).map(|_| pattern.next().offset / 2048).collect();
    assert_eq!(offsets, [0, 1, 2, 3, 4, 5, 6, 0]);
}

#[test]
fn a_run_goes_on_from_its_random_place() {
    let mut workload = random_reads();
    workload.scatter.run_ios = 8;
    let mut pattern = pattern(&workload, &[stretch(0, 10_000 * BLOCK)]);
    let runs = 500;
    let mut starts = HashSet::new();
    for _ in 0..runs {
        let run = blocks(&mut pattern, 8);
        if run[0] + 8 <= 10_000 {
            assert!(run.windows(2).all(|pair| pair[1] == pair[0] + 1), "{run:?}");
        }
        starts.insert(run[0]);
    }
    assert!(starts.len() > runs * 9 / 10, "{} places", starts.len());
}

#[test]
fn as_many_are_random_as_asked_and_the_others_follow() {
    for percent in [0u8, 25, 100] {
        let mut workload = random_reads();
        workload.scatter.random_percent = Some([percent; 3]);
        let mut pattern = pattern(&workload, &[stretch(0, 1 << 40)]);
        let found = blocks(&mut pattern, 20_001);
        let jumps = found
            .windows(2)
            .filter(|pair| pair[1] != pair[0] + 1)
            .count();
        let expected = f64::from(percent) / 100.0;
        if percent % 100 == 0 {
            assert_eq!(jumps, if percent == 0 { 0 } else { 20_000 });
        } else {
            assert!(within_binomial(jumps as f64, 20_000.0, expected), "{jumps}");
        }
    }
}

#[test]
fn sequential_order_jumps_as_often_as_asked() {
    let mut workload = Workload::new("mixed", Bytes(BLOCK));
    workload.scatter.random_percent = Some([30; 3]);
    let mut pattern = pattern(&workload, &[stretch(0, 1 << 40)]);
    let found = blocks(&mut pattern, 20_001);
    let jumps = found
        .windows(2)
        .filter(|pair| pair[1] != pair[0] + 1)
        .count();
    assert!(within_binomial(jumps as f64, 20_000.0, 0.3), "{jumps}");
}

#[test]
fn one_seed_gives_one_pattern() {
    let mut workload = random_reads();
    workload.scatter.distribution = Distribution::Zipf {
        theta: 800_000,
        center: None,
    };
    workload.operations = OperationMix::read_write(50).unwrap();
    let stretches = [stretch(0, 1 << 30), stretch(0, 1 << 20)];
    let (mut one, mut same) = (
        pattern(&workload, &stretches),
        pattern(&workload, &stretches),
    );
    assert!((0..1_000).all(|_| one.next() == same.next()));
}

#[test]
fn common_patterns_need_no_route() {
    let reads = |order| with!(Workload::new("common", Bytes(BLOCK)), order = order);
    for order in [
        Order::Sequential {
            offset: SequentialOffset::Own,
        },
        Order::Sequential {
            offset: SequentialOffset::Interlocked,
        },
        Order::Random { map: false },
        Order::Random { map: true },
    ] {
        assert!(
            pattern(&reads(order), &[stretch(0, 1 << 20)])
                .route
                .is_none(),
            "{order:?}"
        );
    }
}

#[test]
fn each_place_is_trimmed_and_then_written() {
    let orders = [
        Order::Random { map: true },
        Order::Sequential {
            offset: SequentialOffset::Own,
        },
    ];
    for order in orders {
        let mut workload = Workload::new("trimwrite", Bytes(4096));
        workload.operations = OperationMix::trim_write();
        workload.scatter.trims_first = true;
        workload.order = order;
        let stretch = ByteRange {
            start: 0,
            length: 64 << 12,
        };
        let mut pattern = Pattern::new(&workload, &[stretch], &Arc::default(), Random::new(5));
        let mut places = HashSet::new();
        for _ in 0..64 {
            let (trim, write) = (pattern.next(), pattern.next());
            assert_eq!(trim.operation, Operation::Trim);
            assert_eq!(write.operation, Operation::Write);
            assert_eq!((trim.offset, trim.length), (write.offset, write.length));
            places.insert(write.offset);
        }
        assert_eq!(places.len(), 64);
    }
}

#[test]
fn a_map_of_smaller_blocks_does_not_shorten_a_direction_of_larger_ones() {
    let share = |bytes| BlockChoice::Shares(vec![BlockShare { bytes, weight: 1 }]);
    let (read, write) = (share(Bytes::kib(4)), share(Bytes::kib(64)));
    let workload = with!(
        Workload::new("mixed", Bytes::kib(4)),
        operations = OperationMix::read_write(50).unwrap(),
        order = Order::Random { map: true },
        blocks = BlockSizes::per_direction(read, write.clone(), write).unwrap()
    );
    let mut pattern = pattern(&workload, &[stretch(0, 1 << 20)]);
    for _ in 0..2_000 {
        let access = pattern.next();
        let length = if access.operation == Operation::Write {
            64 << 10
        } else {
            4 << 10
        };
        assert_eq!(access.length, length);
        assert!(access.offset.is_multiple_of(u64::from(length)));
        assert!(access.offset + u64::from(length) <= 1 << 20);
    }
}
