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
    crate::builders::random_reads(1)
}

fn only(bytes: u64) -> BlockChoice {
    let bytes = Bytes(bytes);
    BlockChoice::Shares(vec![BlockShare { bytes, weight: 1 }])
}

/// Blocks of the next I/Os.
fn blocks(pattern: &mut Pattern, count: usize) -> Vec<u64> {
    (0..count).map(|_| pattern.next().offset / BLOCK).collect()
}

fn files_of(pattern: &mut Pattern, count: usize) -> Vec<u32> {
    (0..count).map(|_| pattern.next().file).collect()
}

/// How often each block is used.
fn uses(pattern: &mut Pattern, block_count: usize, draws: u32) -> Vec<f64> {
    let mut counts = vec![0.0; block_count];
    for _ in 0..draws {
        counts[(pattern.next().offset / BLOCK) as usize] += 1.0;
    }
    counts
}

/// Counts that come from these probabilities are less likely than this in no seed that anybody tries.
const CHANCE_MIN: f64 = 1e-10;

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
    let mut workload = random_reads();
    workload.operations = OperationMix::read_write(50).unwrap();
    workload.blocks = BlockSizes::per_direction(only(8192), only(32768), only(8192)).unwrap();
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

/// The same sizes for every direction.
fn of_sizes(workload: Workload, choice: BlockChoice) -> Workload {
    let blocks = BlockSizes::per_direction(choice.clone(), choice.clone(), choice);
    with!(workload, blocks = blocks.unwrap())
}

#[test]
fn sizes_come_as_often_as_with_fio() {
    let range = |smallest, largest| BlockChoice::Range {
        smallest: Bytes(smallest),
        largest: Bytes(largest),
    };
    let any = BlockChoice::AnyBytes {
        smallest: Bytes(1000),
        largest: Bytes(1019),
    };
    for (choice, sizes, shares) in [
        (
            range(4096, 16384),
            vec![4096, 8192, 12288, 16384],
            vec![0.25; 4],
        ),
        // It ends with its largest size: fio 3.33 issued 2,487, 2,383 and 1,195 of these.
        (
            range(4096, 10240),
            vec![4096, 8192, 10240],
            vec![0.4, 0.4, 0.2],
        ),
        // As `fio --bsrange=1000-1019 --bs_unaligned`: any number of bytes.
        (any, (1000..1020).collect(), vec![0.05; 20]),
    ] {
        let workload = of_sizes(random_reads(), choice);
        let mut pattern = pattern(&workload, &[stretch(0, 1 << 40)]);
        let mut counts = vec![0.0; sizes.len()];
        for _ in 0..100_000 {
            let length = pattern.next().length;
            counts[sizes.iter().position(|size| *size == length).unwrap()] += 1.0;
        }
        assert!(
            agreement(&counts, &shares) > CHANCE_MIN,
            "{sizes:?}: {counts:?}"
        );
    }
}

#[test]
fn sequential_ios_of_any_size_follow_one_another_to_the_byte() {
    let any = BlockChoice::AnyBytes {
        smallest: Bytes(1000),
        largest: Bytes(1019),
    };
    let workload = of_sizes(Workload::new("any", Bytes(BLOCK)), any);
    let mut walk = pattern(&workload, &[stretch(0, 1 << 40)]);
    let mut end = 0;
    for _ in 0..1_000 {
        let access = walk.next();
        assert_eq!(access.offset, end);
        end += u64::from(access.length);
    }
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
fn a_stride_leads_where_fios_does() {
    let own = SequentialOffset::Own;
    let interlocked = SequentialOffset::Interlocked;
    // What is walked, and the places of the I/Os in units of 2 KiB.
    for (offset, stride, bytes, expected) in [
        // What fio 3.33 does with rw=read:8k in 64 KiB.
        (own, 8192, 16 * BLOCK, vec![0, 6, 12, 18, 24, 30, 0, 6, 12]),
        (own, -8192, 5 * BLOCK, vec![0, 6, 4, 2, 0, 0, 6]),
        (own, -4096, 4 * BLOCK, vec![0, 0, 0]),
        (own, -2048, 4 * BLOCK, vec![0, 1, 2, 3, 4, 5, 6, 0]),
        (interlocked, 8192, 10 * BLOCK, vec![0, 6, 12, 18, 0, 6]),
        (interlocked, -8192, 4 * BLOCK, vec![6, 4, 2, 0, 6]),
        (interlocked, -4096, 10 * BLOCK, vec![0, 0]),
    ] {
        let workload = with!(
            Workload::new("stride", Bytes(BLOCK)),
            order = Order::Sequential { offset },
            scatter.stride = stride
        );
        let mut pattern = pattern(&workload, &[stretch(0, bytes)]);
        let found: Vec<u64> = expected
            .iter()
            .map(|_| pattern.next().offset / 2048)
            .collect();
        assert_eq!(found, expected, "{offset:?} {stride}");
    }
}

#[test]
fn a_backward_walk_leads_where_fios_does() {
    const KIB: u64 = 1 << 10;
    // What fio 3.33 does with bs=64k and this offset, size, stride and io_size (strace).
    for (start, bytes, stride, in_all, expected) in [
        (0, 512 * KIB, -128, 512, vec![0, 393_216, 327_680]),
        (
            5_000,
            1024 * KIB,
            -128,
            1024,
            vec![917_504, 851_968, 786_432],
        ),
        (102_400, 512 * KIB, -64, 512, vec![458_752, 458_752]),
        (
            10_000,
            1024 * KIB,
            -96,
            1024,
            vec![950_272, 917_504, 884_736],
        ),
        (
            1_000,
            256 * KIB,
            -128,
            512,
            vec![131_072, 65_536, 132_072, 66_536, 1_000, 132_072],
        ),
    ] {
        let workload = with!(
            Workload::new("backward", Bytes(64 * KIB)),
            order = Order::Sequential {
                offset: SequentialOffset::Own
            },
            limits.bytes = Some(Bytes(in_all * KIB)),
            scatter.stride = stride << 10
        );
        let mut pattern = pattern(&workload, &[stretch(start, bytes)]);
        let found: Vec<u64> = expected.iter().map(|_| pattern.next().offset).collect();
        assert_eq!(found, expected, "{start} {bytes} {stride}");
    }
}

#[test]
fn what_begins_behind_others_goes_on_where_they_ended() {
    let own = SequentialOffset::Own;
    let interlocked = SequentialOffset::Interlocked;
    for (offset, reads) in [(own, 100), (own, 60), (interlocked, 100)] {
        let workload = with!(
            Workload::new("walk", Bytes(BLOCK)),
            order = Order::Sequential { offset },
            operations = OperationMix::read_write(reads).unwrap()
        );
        // Ten blocks, and a rest that holds none.
        let stretches = [stretch(7 * BLOCK, 10 * BLOCK + 100)];
        for walked in [
            0,
            1,
            BLOCK,
            7 * BLOCK - 1,
            9 * BLOCK,
            10 * BLOCK,
            33 * BLOCK,
        ] {
            let mut behind = pattern(&workload, &stretches);
            behind.begin_behind(walked);
            let expected = (walked.div_ceil(BLOCK)..).map(|block| 7 + block % 10);
            let reads = std::iter::repeat_with(|| behind.next());
            let reads = reads.filter(|access| access.operation == Operation::Read);
            let found: Vec<u64> = reads.take(15).map(|access| access.offset / BLOCK).collect();
            assert_eq!(
                found,
                expected.take(15).collect::<Vec<_>>(),
                "{offset:?} {walked}"
            );
        }
    }
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
    let sequential = || Workload::new("mixed", Bytes(BLOCK));
    for (workload, percent) in [
        (random_reads(), 0u8),
        (random_reads(), 25),
        (random_reads(), 100),
        (sequential(), 30),
    ] {
        let workload = with!(workload, scatter.random_percent = Some([percent; 3]));
        let found = blocks(&mut pattern(&workload, &[stretch(0, 1 << 40)]), 20_001);
        let jumps = found.windows(2).filter(|pair| pair[1] != pair[0] + 1);
        let (jumps, share) = (jumps.count() as f64, f64::from(percent) / 100.0);
        assert!(
            within_binomial(jumps, 20_000.0, share),
            "{percent}: {jumps}"
        );
    }
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
        let mut offsets = HashSet::new();
        for _ in 0..64 {
            let (trim, write) = (pattern.next(), pattern.next());
            assert_eq!(trim.operation, Operation::Trim);
            assert_eq!(write.operation, Operation::Write);
            assert_eq!((trim.offset, trim.length), (write.offset, write.length));
            offsets.insert(write.offset);
        }
        assert_eq!(offsets.len(), 64);
    }
}

#[test]
fn a_map_of_smaller_blocks_does_not_shorten_a_direction_of_larger_ones() {
    let (read, write) = (only(4 << 10), only(64 << 10));
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
