//! Fast cells, shingles, a map that is not all in memory, an array with parity, false capacity.

use super::*;

const GB: u64 = 1_000_000_000;

/// Sequential writes of 1 MiB at depth 8 from `from`: MB/s of each of `parts`.
fn fill(host: &mut Host, from: u64, part_bytes: u64, parts: u64) -> Vec<f64> {
    let count = part_bytes / MIB;
    (0..parts)
        .map(|part| {
            let start = from + part * count * MIB;
            host.sequential(Operation::Write, 8, start, MIB, count)
                .megabytes_per_s()
        })
        .collect()
}

const PSLC: &str =
    "sim:ssd?slc=4GB&direct=300MB/s&fold=200MB/s&page=256KiB&program=8ms&cache=16MiB";

#[test]
fn writes_are_fast_until_the_fast_cells_are_full_and_then_run_directly() {
    let mut host = Host::new(PSLC);
    let rates = fill(&mut host, 0, GB / 2, 16);
    let fast = 32.0 * 262_144.0 / (8e6 + 262_144e3 / 1_200.0) * 1e3;
    for rate in &rates[1..7] {
        assert_near(*rate, fast, 0.03);
    }
    for rate in &rates[9..] {
        assert_near(*rate, 300.0, 0.03);
    }
}

#[test]
fn idle_time_empties_the_fast_cells_at_the_rate_of_folding() {
    let mut host = Host::new(PSLC);
    fill(&mut host, 0, GB, 6);
    host.rest();
    host.now = Nanos(host.now.0 + 5 * GB);
    // 5 s × 200 MB/s is room for 1 GB.
    let rates = fill(&mut host, 8 * GB, GB / 4, 8);
    assert!(rates[1] > 800.0 && rates[2] > 800.0, "{rates:?}");
    assert_near(rates[6], 300.0, 0.05);
}

#[test]
fn writes_fold_once_slow_cells_have_no_room_either() {
    let mut host = Host::new(&format!("{PSLC}&room=2GB&folding=100MB/s"));
    let rates = fill(&mut host, 0, GB / 2, 18);
    assert!(rates[1..7].iter().all(|rate| *rate > 800.0), "{rates:?}");
    assert_near(rates[10], 300.0, 0.05);
    for rate in &rates[13..] {
        assert_near(*rate, 100.0, 0.03);
    }
    let lonely = SimulatedDevice::parse("sim:ssd?slc=1GB&folding=50MB/s").unwrap_err();
    assert_eq!(
        lonely.to_string(),
        "folding means nothing without room; add room, or leave folding out"
    );
}

#[test]
fn without_fast_cells_their_rates_mean_nothing() {
    let error = SimulatedDevice::parse("sim:ssd?direct=400MB/s").unwrap_err();
    assert_eq!(
        error.to_string(),
        "direct means nothing without slc; add slc, or leave direct out"
    );
    let above = SimulatedDevice::parse("sim:ssd?slc=1GB&direct=5GB/s").unwrap_err();
    assert!(
        above.to_string().contains("the rate of the flash"),
        "{above}"
    );
}

const SHINGLED: &str = "sim:smr?size=8GB&persistent=64MiB&entries=100&band=16MiB&idle=1s";

#[test]
fn a_shingled_disk_pauses_for_bands_once_its_map_is_full_and_recovers_when_left_alone() {
    let mut host = Host::new(SHINGLED);
    let scattered = |i: u64| (Operation::Write, i * 7_919 % 1_900_000 * 4096, 4096);
    let took = host.run(1, 150, scattered).latencies_ns;
    assert!(took[..100].iter().all(|ns| *ns < 50_000_000), "{took:?}");
    assert!(took[100] > 100_000_000, "{}", took[100]);
    // All of it is cleaned, and then there is nothing left to do.
    host.rest();
    let took = host.run(1, 90, scattered).latencies_ns;
    assert!(took.iter().all(|ns| *ns < 50_000_000), "{took:?}");
}

#[test]
fn streams_do_not_go_through_the_cache_of_a_shingled_disk() {
    let took = Host::new(SHINGLED).sequential(Operation::Write, 1, 0, MIB, 256);
    assert!(took.latencies_ns.iter().all(|ns| *ns < 100_000_000));
}

#[test]
fn reads_beyond_the_mapped_part_take_about_twice_as_long() {
    let mean = |blocks: u64| {
        let mut host = Host::new("sim:dramless?map=1GiB");
        // Each segment is touched once before.
        host.run(1, blocks / 1024, |i| (Operation::Read, i * 4 * MIB, 4096));
        host.random_within(Operation::Read, 1, 4_000, blocks)
            .mean_ms()
    };
    let within = mean((1 << 30) / 4096);
    assert_near(mean((1 << 28) / 4096), within, 0.01);
    // A block within 8 GiB is mapped in one of 8 cases.
    let beyond = mean((8 << 30) / 4096);
    let sense_ms = 0.060 + 0.0034;
    assert_near(beyond - within, sense_ms * 7.0 / 8.0, 0.05);
    let plain = Host::new("sim:ssd")
        .random(Operation::Read, 1, 4_000)
        .mean_ms();
    assert_near(plain, within, 0.01);
}

#[test]
fn an_array_counts_what_its_members_move() {
    let mut host = Host::new("sim:raid5?disks=4&chunk=64KiB");
    host.random(Operation::Write, 1, 1_000);
    let counters = host.device.counters();
    assert_eq!((counters.read_ios, counters.written_ios), (2_000, 2_000));
    assert_eq!(counters.written_bytes, 2 * 1_000 * 4096);
    let before = host.device.counters();
    host.sequential(Operation::Write, 1, 0, 3 * 64 * KIB, 100);
    let full = host.device.counters().since(&before);
    assert_eq!((full.read_ios, full.written_ios), (0, 400));
    let before = host.device.counters();
    host.random(Operation::Read, 4, 1_000);
    assert_eq!(host.device.counters().since(&before).read_bytes, 4_096_000);
}

#[test]
fn an_array_is_as_fast_as_its_members_together() {
    let mut host = Host::new("sim:raid5");
    let read = host.sequential(Operation::Read, 8, 0, MIB, 2_000);
    assert_near(read.megabytes_per_s(), 4.0 * 550.0, 0.02);
    let written = host.sequential(Operation::Write, 16, 0, 3 * 64 * KIB, 4_000);
    assert_near(written.megabytes_per_s(), 3.0 * 550.0, 0.02);
    let mut slow = Host::new("sim:raid5?disks=3&rate=200MB/s");
    let read = slow.sequential(Operation::Read, 8, 0, MIB, 1_000);
    assert_near(read.megabytes_per_s(), 3.0 * 200.0, 0.05);
}

#[test]
fn an_array_presents_its_members_as_leaves() {
    let devices = SimulatedDevice::parse("sim:raid5?disks=5")
        .unwrap()
        .block_devices();
    assert_eq!(devices.len(), 6);
    assert_eq!(devices[0].kind, BlockDeviceKind::Raid);
    assert_eq!(devices[0].parents.len(), 5);
    assert_eq!(devices.iter().filter(|device| device.is_leaf).count(), 5);
    assert_eq!(
        SimulatedDevice::parse("sim:ssd")
            .unwrap()
            .block_devices()
            .len(),
        1
    );
    let error = SimulatedDevice::parse("sim:raid5?chunk=5KiB").unwrap_err();
    assert_eq!(
        error.to_string(),
        "chunk=5 KiB is no multiple of 4 KiB; use one"
    );
}

#[test]
fn a_fake_keeps_blocks_elsewhere_or_nowhere() {
    let wraps = SimulatedDevice::parse("sim:fake-capacity?size=1TB&real=32GB").unwrap();
    assert_eq!(wraps.size(), Bytes(1_000_000_000_000 / 4096 * 4096));
    assert_eq!(wraps.cell_of(4096), Some(4096));
    assert_eq!(wraps.cell_of(32 * GB + 8192), Some(8192));
    let loses = SimulatedDevice::parse("sim:fake-capacity?size=1TB&real=32GB&beyond=lost").unwrap();
    assert_eq!(loses.cell_of(32 * GB - 4096), Some(32 * GB - 4096));
    assert_eq!(loses.cell_of(32 * GB), None);
    assert!(SimulatedDevice::parse("sim:fake-capacity?size=1GiB&real=2GiB").is_err());
    assert!(SimulatedDevice::parse("sim:fake-capacity?beyond=somewhere").is_err());
}
