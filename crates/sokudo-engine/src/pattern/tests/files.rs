//! Turns of several files, and new passes.

use super::*;

fn three_files(order: FileOrder, ios: u32) -> (Workload, [ByteRange; 3]) {
    let mut workload = Workload::new("files", Bytes(BLOCK));
    workload.files.service = FileService { order, ios };
    let stretches = [
        stretch(0, 2 * BLOCK),
        stretch(BLOCK, 4 * BLOCK),
        stretch(0, 3 * BLOCK + 5),
    ];
    (workload, stretches)
}

/// Each block of the three files.
const ALL_BLOCKS: [(u32, u64); 9] = [
    (0, 0),
    (0, 1),
    (1, 1),
    (1, 2),
    (1, 3),
    (1, 4),
    (2, 0),
    (2, 1),
    (2, 2),
];

#[test]
fn files_take_turns_and_those_that_are_done_are_passed_over() {
    let sequential = Order::Sequential {
        offset: SequentialOffset::Own,
    };
    let random = |map| Order::Random { map };
    let in_sequence = [0, 0, 1, 1, 1, 1, 2, 2, 2];
    for (files, ios, order, expected) in [
        (
            FileOrder::RoundRobin,
            1,
            sequential,
            [0, 1, 2, 0, 1, 2, 1, 2, 1],
        ),
        (
            FileOrder::RoundRobin,
            2,
            sequential,
            [0, 0, 1, 1, 2, 2, 1, 1, 2],
        ),
        (FileOrder::Sequential, 1, sequential, in_sequence),
        // Random I/Os move on after the size of each file.
        (FileOrder::Sequential, 1, random(false), in_sequence),
        (FileOrder::Sequential, 1, random(true), in_sequence),
        // Without a map no file is ever done.
        (
            FileOrder::RoundRobin,
            1,
            random(false),
            [0, 1, 2, 0, 1, 2, 0, 1, 2],
        ),
    ] {
        let (workload, stretches) = three_files(files, ios);
        let workload = with!(workload, order = order);
        let mut pattern = pattern(&workload, &stretches);
        for _pass in 0..3 {
            assert_eq!(
                files_of(&mut pattern, 9),
                expected,
                "{files:?} {ios} {order:?}"
            );
        }
    }
}

#[test]
fn files_follow_one_another_when_each_is_done() {
    let (workload, stretches) = three_files(FileOrder::Sequential, 1);
    let mut pattern = pattern(&workload, &stretches);
    for _pass in 0..2 {
        let found: Vec<(u32, u64)> = (0..9)
            .map(|_| pattern.next())
            .map(|access| (access.file, access.offset / BLOCK))
            .collect();
        assert_eq!(found, ALL_BLOCKS);
    }
}

#[test]
fn a_sequential_mix_leaves_a_file_when_one_direction_is_at_its_end() {
    let (mut workload, stretches) = three_files(FileOrder::Sequential, 1);
    workload.operations = OperationMix::read_write(50).unwrap();
    let mut pattern = pattern(&workload, &stretches);
    let mut reached = [[0u64; 3]; 2];
    while reached[0][1] + reached[1][1] == 0 {
        let access = pattern.next();
        reached[access.operation.index()][access.file as usize] += 1;
    }
    // The first file has two blocks.
    assert_eq!(reached[0][0].max(reached[1][0]), 2);
}

/// How often each of eight files is used, hottest first.
fn uses_of_files(order: FileOrder) -> Vec<f64> {
    let mut workload = random_reads();
    workload.files.service = FileService { order, ios: 1 };
    let mut pattern = pattern(&workload, &[stretch(0, 1 << 30); 8]);
    let mut counts = vec![0.0; 8];
    for file in files_of(&mut pattern, 100_000) {
        counts[file as usize] += 1.0;
    }
    counts.sort_by(|one: &f64, other| other.total_cmp(one));
    counts
}

#[test]
fn files_at_random_are_used_alike() {
    let counts = uses_of_files(FileOrder::Random(Distribution::Uniform));
    assert!(agreement(&counts, &[0.125; 8]) > CHANCE_MIN, "{counts:?}");
}

#[test]
fn the_favourites_of_zipf_share_a_file() {
    // 1,024 places per file.
    let weights: Vec<f64> = (1..=8 * 1_024)
        .map(|rank| f64::from(rank).powf(-1.2))
        .collect();
    let sum: f64 = weights.iter().sum();
    let shares: Vec<f64> = weights
        .chunks(1_024)
        .map(|file| file.iter().sum::<f64>() / sum)
        .collect();
    let distribution = Distribution::Zipf {
        theta: 1_200_000,
        center: None,
    };
    let counts = uses_of_files(FileOrder::Random(distribution));
    assert!(agreement(&counts, &shares) > CHANCE_MIN, "{counts:?}");
    assert!(
        counts[0] > 85_000.0,
        "fio 3.33 gives it about nine tenths: {counts:?}"
    );
}

#[test]
fn a_quarter_of_the_files_gets_three_quarters_of_pareto() {
    let distribution = Distribution::Pareto {
        power: 250_000,
        center: Some(0),
    };
    let counts = uses_of_files(FileOrder::Random(distribution));
    let two = (counts[0] + counts[1]) / 100_000.0;
    assert!((two - 0.75).abs() < 0.01, "{two}");
}

#[test]
fn every_distribution_over_files_uses_files_that_exist() {
    for distribution in [
        Distribution::Pareto {
            power: 200_000,
            center: None,
        },
        Distribution::Normal {
            deviation: 20_000_000,
            center: Some(500_000),
        },
        Distribution::Zipf {
            theta: 900_000,
            center: Some(1_000_000),
        },
    ] {
        let (mut workload, stretches) = three_files(FileOrder::Random(distribution), 2);
        workload.order = Order::Sequential {
            offset: SequentialOffset::Own,
        };
        let mut pattern = pattern(&workload, &stretches);
        assert!(files_of(&mut pattern, 1_000).iter().all(|file| *file < 3));
    }
}

#[test]
fn interlocked_clones_take_each_block_of_all_files_once() {
    let (mut workload, stretches) = three_files(FileOrder::RoundRobin, 1);
    workload.order = Order::Sequential {
        offset: SequentialOffset::Interlocked,
    };
    let shared = Arc::default();
    let mut patterns: Vec<Pattern> = (0..3)
        .map(|seed| Pattern::new(&workload, &stretches, &shared, Random::new(seed)))
        .collect();
    let mut found: Vec<(u32, u64)> = (0..9)
        .map(|io| patterns[io % 3].next())
        .map(|access| (access.file, access.offset / BLOCK))
        .collect();
    found.sort_unstable();
    assert_eq!(found, ALL_BLOCKS);
}

#[test]
fn a_restart_begins_at_the_start_with_an_empty_map() {
    let mut sequential = pattern(
        &Workload::new("walk", Bytes(BLOCK)),
        &[stretch(0, 9 * BLOCK)],
    );
    blocks(&mut sequential, 4);
    sequential.restart();
    assert_eq!(blocks(&mut sequential, 2), [0, 1]);

    let mut workload = random_reads();
    workload.order = Order::Random { map: true };
    for shares in [&[(BLOCK, 1)][..], &[(BLOCK, 1), (2 * BLOCK, 1)]] {
        workload.blocks = sizes(shares);
        let mut mapped = pattern(&workload, &[stretch(0, 64 * BLOCK)]);
        mapped.next();
        mapped.restart();
        let (mut moved, mut seen) = (0, HashSet::new());
        while moved < 64 * BLOCK {
            let access = mapped.next();
            moved += u64::from(access.length);
            assert!(seen.insert(access.offset));
        }
    }

    let (workload, stretches) = three_files(FileOrder::RoundRobin, 1);
    let mut files = pattern(&workload, &stretches);
    files_of(&mut files, 4);
    files.restart();
    assert_eq!(files_of(&mut files, 3), [0, 1, 2]);
}

#[test]
fn a_map_of_one_size_visits_each_block_of_all_files_once() {
    let (mut workload, stretches) = three_files(FileOrder::RoundRobin, 1);
    workload.order = Order::Random { map: true };
    workload.operations = OperationMix::read_write(50).unwrap();
    let mut pattern = pattern(&workload, &stretches);
    for _pass in 0..5 {
        let mut found: Vec<(u32, u64)> = (0..9)
            .map(|_| pattern.next())
            .map(|access| (access.file, access.offset / BLOCK))
            .collect();
        found.sort_unstable();
        assert_eq!(found, ALL_BLOCKS);
    }
}
