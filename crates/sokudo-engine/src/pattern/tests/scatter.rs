//! How often each place is used.

use super::*;

#[test]
fn favourites_of_zipf_are_spread_over_all_places() {
    let mut workload = random_reads();
    workload.scatter.distribution = Distribution::Zipf {
        theta: 1_200_000,
        center: None,
    };
    let block_count = 1_000;
    let mut pattern = pattern(&workload, &[stretch(0, block_count * BLOCK)]);
    let mut counts = uses(&mut pattern, block_count as usize, 300_000);
    let hottest = hottest(&counts, 10);
    let spread = hottest.iter().max().unwrap() - hottest.iter().min().unwrap();
    assert!(spread > 500, "the hottest ten lie at {hottest:?}");
    // By rank they are what the exact probabilities say.
    counts.sort_by(|one, other| other.total_cmp(one));
    let weights: Vec<f64> = (1..=block_count)
        .map(|rank| (rank as f64).powf(-1.2))
        .collect();
    let sum: f64 = weights.iter().sum();
    for rank in 0..5 {
        let share = weights[rank] / sum;
        assert!(
            within_binomial(counts[rank], 300_000.0, share),
            "rank {rank}"
        );
    }
}

fn hottest(counts: &[f64], most: usize) -> Vec<usize> {
    let mut blocks: Vec<usize> = (0..counts.len()).collect();
    blocks.sort_by(|one, other| counts[*other].total_cmp(&counts[*one]));
    blocks.truncate(most);
    blocks
}

#[test]
fn the_favourite_lies_at_the_centre() {
    let center = Some(250_000);
    for distribution in [
        Distribution::Zipf {
            theta: 1_200_000,
            center,
        },
        Distribution::Pareto {
            power: 100_000,
            center,
        },
        Distribution::Normal {
            deviation: 2_000_000,
            center,
        },
    ] {
        let mut workload = random_reads();
        workload.scatter.distribution = distribution;
        let mut pattern = pattern(&workload, &[stretch(0, 1_024 * BLOCK)]);
        let counts = uses(&mut pattern, 1_024, 200_000);
        let found = hottest(&counts, 1)[0];
        // The places of a normal distribution are as good as alike around its middle.
        assert!(found.abs_diff(256) <= 15, "{distribution:?}: {found}");
    }
}

#[test]
fn a_centred_normal_distribution_lies_around_its_centre_and_wraps() {
    let mut workload = random_reads();
    workload.scatter.distribution = Distribution::Normal {
        deviation: 5_000_000,
        center: Some(0),
    };
    let mut pattern = pattern(&workload, &[stretch(0, 1_000 * BLOCK)]);
    let counts = uses(&mut pattern, 1_000, 100_000);
    let near: f64 = counts[..50].iter().chain(&counts[950..]).sum();
    assert!(
        // The mean of twelve numbers, moved by up to 2.5 % of the places: within ± 5 %.
        (near / 100_000.0 - 0.4455).abs() < 0.015,
        "{near} within the deviation"
    );
}

/// `fio --random_distribution=normal --norandommap --size=40m` of 3.33 touches 2,995 of
/// 10,240 blocks in 10,240 reads, and 4,039 with `normal:40`.
#[test]
fn a_normal_distribution_touches_as_many_blocks_as_fios() {
    for (deviation, of_fio) in [(0, 2_995), (10_000_000, 3_103), (40_000_000, 4_039)] {
        let mut workload = random_reads();
        workload.scatter.distribution = Distribution::Normal {
            deviation,
            center: None,
        };
        let mut pattern = pattern(&workload, &[stretch(0, 10_240 * BLOCK)]);
        let counts = uses(&mut pattern, 10_240, 10_240);
        let touched = counts.iter().filter(|count| **count > 0.0).count();
        assert!(touched.abs_diff(of_fio) < 120, "{deviation}: {touched}");
    }
}

fn zone(access: u64, length: ZoneLength) -> Zone {
    let access = access * 1_000_000;
    Zone { access, length }
}

fn share(percent: u64) -> ZoneLength {
    ZoneLength::Share(percent * 1_000_000)
}

#[test]
fn zones_get_their_shares() {
    // The example of fio's manual.
    let accesses = [60, 30, 8, 2];
    let shares = accesses.into_iter().zip([10, 20, 30, 40].map(share));
    assert_zones(
        shares
            .map(|(access, length)| zone(access, length))
            .collect(),
    );
    let sizes = [100, 200, 300, 400].map(|blocks| ZoneLength::Size(Bytes(blocks * BLOCK)));
    let sizes = accesses.into_iter().zip(sizes);
    assert_zones(sizes.map(|(access, length)| zone(access, length)).collect());
}

fn assert_zones(zones: Vec<Zone>) {
    let mut workload = random_reads();
    workload.scatter.distribution = Distribution::Zoned;
    workload.scatter.zones = [zones.clone(), zones.clone(), zones];
    let mut pattern = pattern(&workload, &[stretch(1 << 30, 1_000 * BLOCK)]);
    let mut counts = [0.0; 4];
    for _ in 0..100_000 {
        match (pattern.next().offset - (1 << 30)) / BLOCK {
            0..100 => counts[0] += 1.0,
            100..300 => counts[1] += 1.0,
            300..600 => counts[2] += 1.0,
            _ => counts[3] += 1.0,
        }
    }
    let p = agreement(&counts, &[0.6, 0.3, 0.08, 0.02]);
    assert!(p > CHANCE_MIN, "{counts:?}");
}

#[test]
fn zones_are_per_direction_and_what_has_none_is_uniform() {
    let mut workload = random_reads();
    workload.operations = OperationMix::read_write(50).unwrap();
    workload.scatter.distribution = Distribution::Zoned;
    workload.scatter.zones = [
        vec![zone(0, share(50)), zone(100, share(50))],
        vec![],
        vec![],
    ];
    let mut pattern = pattern(&workload, &[stretch(0, 1_000 * BLOCK)]);
    let mut low_writes = 0;
    for _ in 0..10_000 {
        let access = pattern.next();
        match access.operation {
            Operation::Read => assert!(access.offset >= 500 * BLOCK),
            _ => low_writes += u32::from(access.offset < 500 * BLOCK),
        }
    }
    assert!((2_200..2_800).contains(&low_writes), "{low_writes}");
}
