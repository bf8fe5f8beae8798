//! What holds for every workload.

use super::*;

fn any_distribution() -> impl Strategy<Value = Distribution> {
    let center = proptest::option::of(0u64..=1_000_000);
    prop_oneof![
        Just(Distribution::Uniform),
        Just(Distribution::Zoned),
        (1u64..3_000_000, center.clone())
            .prop_map(|(theta, center)| Distribution::Zipf { theta, center }),
        (1u64..1_000_000, center.clone())
            .prop_map(|(power, center)| Distribution::Pareto { power, center }),
        (0u64..=100_000_000, center)
            .prop_map(|(deviation, center)| Distribution::Normal { deviation, center }),
    ]
}

fn any_order() -> impl Strategy<Value = Order> {
    prop_oneof![
        Just(Order::Sequential {
            offset: SequentialOffset::Own
        }),
        any::<bool>().prop_map(|map| Order::Random { map }),
    ]
}

fn any_file_order() -> impl Strategy<Value = FileOrder> {
    prop_oneof![
        Just(FileOrder::RoundRobin),
        Just(FileOrder::Sequential),
        any_distribution().prop_map(FileOrder::Random),
    ]
}

fn any_blocks() -> impl Strategy<Value = BlockSizes> {
    let shares = prop::collection::vec((1u64..8, 1u32..10), 1..4).prop_map(|shares| {
        let share = |(sectors, weight)| BlockShare {
            bytes: Bytes(sectors * 512),
            weight,
        };
        BlockChoice::Shares(shares.into_iter().map(share).collect())
    });
    let range = (1u64..4, 1u64..5).prop_map(|(smallest, more)| BlockChoice::Range {
        smallest: Bytes(smallest * 512),
        largest: Bytes((smallest * more) * 512 + 1),
    });
    let choice = prop_oneof![shares, range];
    prop::collection::vec(choice, 3).prop_map(|choices| {
        BlockSizes::per_direction(choices[0].clone(), choices[1].clone(), choices[2].clone())
            .unwrap()
    })
}

fn any_scatter() -> impl Strategy<Value = Scatter> {
    let zone = (0u64..100, 1u64..60, any::<bool>()).prop_map(|(access, length, in_bytes)| Zone {
        access: access * 1_000_000,
        length: if in_bytes {
            ZoneLength::Size(Bytes(length * 700))
        } else {
            ZoneLength::Share(length * 1_000_000)
        },
    });
    (
        any_distribution(),
        prop::collection::vec(zone, 0..5),
        proptest::option::of(0u8..=100),
        0u32..10,
        prop_oneof![Just(0i64), -20_000i64..20_000],
        proptest::option::of(1u64..5_000),
    )
        .prop_map(
            |(distribution, zones, percent, run_ios, stride, alignment)| Scatter {
                distribution,
                zones: [zones.clone(), zones.clone(), zones],
                random_percent: percent.map(|percent| [percent; 3]),
                run_ios,
                stride,
                alignment: alignment.map(|alignment| [Bytes(alignment); 3]),
                trims_first: false,
            },
        )
}

mod many_draws {
    use super::*;
    use sokudo_testing::draws;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(draws(1000)))]

        #[test]
        fn no_io_leaves_its_stretch(
            order in any_order(), blocks in any_blocks(), scatter in any_scatter(),
            file_order in any_file_order(), ios in 1u32..4, reads in 0u32..=100,
            lengths in prop::collection::vec((0u64..1 << 40, 16u64 * 512..100_000), 1..5),
            walked in 0u64..1 << 50, seed in any::<u64>(),
        ) {
            let mut workload = Workload::new("any", Bytes(512));
            workload.order = order;
            workload.blocks = blocks;
            workload.scatter = scatter;
            workload.operations = OperationMix::read_write(reads).unwrap();
            workload.files.service = FileService { order: file_order, ios };
            let stretches: Vec<ByteRange> =
                lengths.iter().map(|(start, length)| stretch(*start, *length)).collect();
            let mut pattern =
                Pattern::new(&workload, &stretches, &Arc::default(), Random::new(seed));
            pattern.begin_behind(walked);
            for io in 0..300 {
                let access = pattern.next();
                let used = stretches[access.file as usize];
                prop_assert!(access.length > 0);
                prop_assert!(access.offset >= used.start);
                prop_assert!(access.offset + u64::from(access.length) <= used.start + used.length);
                prop_assert!(u64::from(access.length) <= workload.blocks.largest().0);
                if io == 200 {
                    pattern.restart();
                }
            }
        }

        #[test]
        fn a_map_of_mixed_sizes_covers_all_blocks_once_per_pass(
            shares in prop::collection::vec((1u64..20, 1u32..10), 1..4),
            blocks in 20u64..2_000, rest in 0u64..512, seed in any::<u64>(),
        ) {
            let mut workload = random_reads();
            workload.operations = OperationMix::read_write(50).unwrap();
            let smallest = shares.iter().map(|(size, _)| size).min().copied().unwrap();
            // Multiples of the smallest, as fio wants them for a map.
            let shares: Vec<(u64, u32)> = shares
                .iter()
                .map(|(size, weight)| (size.div_ceil(smallest) * 512, *weight))
                .collect();
            workload.blocks = sizes(&shares);
            workload.order = Order::Random { map: true };
            let stretches = [stretch(512, blocks * 512 + rest)];
            let mut pattern =
                Pattern::new(&workload, &stretches, &Arc::default(), Random::new(seed));
            for _pass in 0..3 {
                let mut visited = vec![false; blocks as usize];
                let mut left = blocks;
                while left > 0 {
                    let access = pattern.next();
                    let first = access.offset / 512 - 1;
                    for block in first..first + u64::from(access.length) / 512 {
                        prop_assert!(!std::mem::replace(&mut visited[block as usize], true));
                        left -= 1;
                    }
                }
            }
        }
    }
}
