//! What is concluded about flash drives and arrays. The devices are small, so that hundreds of
//! each kind take seconds; what matters is their shape.

use sokudo_methods::explain::plan::StorageMedium;
use sokudo_model::{Confidence, Inference};
use sokudo_stats::Random;

use sokudo_testing::seeds;

use super::{FALSE_ALARMS_MAX, RECALL_MIN, rate};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// What is concluded about a device by these themes.
fn explained(spec: &str, seed: u64, themes: &[&str]) -> Vec<Inference> {
    crate::explained(spec, StorageMedium::Unknown, themes, seed, |_| ()).inferences
}

/// A figure of a conclusion.
fn value(inference: &Inference, name: &str) -> f64 {
    let figure = inference.figures.iter().find(|it| it.name == name);
    figure.unwrap_or_else(|| panic!("no {name}")).value
}

fn is_near(value: f64, truth: f64, tolerance: f64) -> bool {
    (value / truth - 1.0).abs() <= tolerance
}

/// Whether the figures are near the truth, told on the terminal where they are not.
fn found(inferences: &[Inference], code: &str, truth: &[(&str, f64, f64)]) -> bool {
    let Some(inference) = inferences.iter().find(|it| it.code == code) else {
        return false;
    };
    truth
        .iter()
        .all(|(name, truth, tolerance)| is_near(value(inference, name), *truth, *tolerance))
}

fn random(seed: u64, number: u64, from: u64, to: u64) -> u64 {
    from + Random::stream(seed, 1_000 + number).below(to - from + 1)
}

#[test]
fn fast_cells_are_found_with_their_size_and_both_rates() {
    assert_found(60, "fast-cells", "fast-cells", |seed| {
        let slc = random(seed, 0, 4_200, 6_000) * MIB;
        let direct = random(seed, 1, 100, 400);
        let program_ms = random(seed, 2, 4, 9);
        let size = slc * random(seed, 3, 190, 250) / 100;
        let cache = random(seed, 4, 16, 512);
        let spec = format!(
            "sim:ssd?size={size}&slc={slc}&direct={direct}MB/s&fold=500MB/s&page=1MiB&channels=8&dies=1&program={program_ms}ms&bus=2GB/s&cache={cache}MiB"
        );
        let truth = vec![
            ("fast_cells_bytes", slc as f64, 0.15),
            ("slow_bytes_per_s", direct as f64 * 1e6, 0.1),
        ];
        (spec, truth)
    });
}

#[test]
fn a_partial_map_is_found_with_its_size() {
    assert_found(40, "partial-map", "map", |seed| {
        let map = random(seed, 0, 128, 700) * MIB;
        let read_us = random(seed, 1, 30, 110);
        let size = 4 * GIB;
        let spec = format!("sim:dramless?size={size}&map={map}&read={read_us}us");
        let truth = vec![
            ("mapped_bytes", map as f64, 0.2),
            ("read_ns", read_us as f64 * 1e3 + 9_500.0, 0.15),
        ];
        (spec, truth)
    });
}

#[test]
fn stripes_are_found_with_chunk_and_members() {
    assert_found(60, "parity-stripes", "parity", |seed| {
        let disks = random(seed, 0, 3, 8);
        let chunk = 4096 << random(seed, 1, 2, 8);
        let latency = random(seed, 2, 50, 9_000);
        let spec = format!(
            "sim:raid5?size=4GiB&disks={disks}&chunk={chunk}&latency={latency}us&rate=300MB/s"
        );
        let truth = vec![
            ("chunk_bytes", chunk as f64, 1e-9),
            ("data_members", (disks - 1) as f64, 1e-9),
            (
                "small_write_reads",
                2.0,
                if disks == 3 { 0.6 } else { 0.01 },
            ),
        ];
        (spec, truth)
    });
}

#[test]
fn a_false_capacity_is_found_with_the_real_one() {
    assert_found(40, "fake-capacity", "capacity", |seed| {
        let real = random(seed, 0, 1_050, 4_000) * MIB + random(seed, 1, 0, 255) * 4096;
        let size = real * random(seed, 2, 110, 400) / 100;
        let beyond = ["wrap", "lost"][seed as usize % 2];
        let cache = random(seed, 3, 1, 128);
        let spec = format!(
            "sim:fake-capacity?size={size}&real={real}&beyond={beyond}&cache={cache}MiB&latency=100us"
        );
        let truth = vec![("real_bytes", real as f64, 1e-9)];
        (spec, truth)
    });
}

/// The window lies in the end of what is real, or anywhere before.
#[test]
fn a_fold_into_a_window_is_found_with_the_real_size() {
    assert_found(25, "fake-capacity", "capacity", |seed| {
        let real = random(seed, 0, 2_000, 6_000) * MIB + random(seed, 1, 0, 255) * 4096;
        let size = real * random(seed, 2, 115, 400) / 100;
        let window = (MIB << random(seed, 3, 0, 10)) + random(seed, 4, 0, 200) * 4096;
        let beyond = match seed % 3 {
            0 => {
                let at = random(seed, 5, 0, (real - window) / 4096 - 1) * 4096;
                format!("window&at={at}")
            }
            _ => "tail".to_owned(),
        };
        let spec = format!(
            "sim:fake-capacity?size={size}&real={real}&beyond={beyond}&window={window}&latency=100us"
        );
        (spec, vec![("real_bytes", real as f64, 1e-3)])
    });
}

#[test]
fn what_is_refused_behind_an_end_tells_the_real_size() {
    assert_found(60, "fake-capacity", "capacity", |seed| {
        let real = random(seed, 0, 1_050, 4_000) * MIB + random(seed, 1, 0, 255) * 4096;
        let size = real * random(seed, 2, 110, 400) / 100;
        let errno = ["EIO", "ENOSPC"][seed as usize % 2];
        let spec = format!("sim:const?size={size}&fail_at={real}+{size}:{errno}");
        (spec, vec![("real_bytes", real as f64, 1e-9)])
    });
}

/// A volume with credit for bursts is not told from fast cells, and that is said.
#[test]
fn of_a_volume_with_credits_nothing_is_certain() {
    for seed in seeds(4) {
        let credit = random(seed, 0, 3_000, 6_000);
        let spec = format!("sim:const?size=16GiB&rate=1GB/s&refill=100MB/s&credit={credit}MiB");
        let found = explained(&spec, seed, &["fast-cells"]);
        assert!(
            found
                .iter()
                .all(|it| it.confidence <= Confidence::Medium
                    && it.claim.english().contains("credit")),
            "{found:?}"
        );
    }
}

#[test]
fn honest_devices_are_as_large_as_they_say() {
    assert_silent(40, "honest devices", &["capacity"], |seed| {
        let size = random(seed, 0, 1_100, 4_000);
        match seed % 3 {
            0 => format!("sim:const?size={size}MiB"),
            1 => format!("sim:ssd?size={size}MiB&page=1MiB"),
            _ => format!("sim:hdd?size={}MiB", size + 1_024),
        }
    });
}

/// Counts of how many devices what is true is found: `device` gives each one's description and the
/// figures, with how far from the truth they may be.
fn assert_found(
    devices: u32,
    code: &str,
    theme: &str,
    device: impl Fn(u64) -> (String, Vec<(&'static str, f64, f64)>) + Sync,
) {
    let recall = rate(devices, |seed| {
        let (spec, truth) = device(seed);
        found(&explained(&spec, seed, &[theme]), code, &truth)
    });
    recall.assert_at_least(RECALL_MIN, format_args!("{code}: recall"));
}

/// Counts of how many devices something is told that they have not.
fn assert_silent(devices: u32, kind: &str, themes: &[&str], spec: impl Fn(u64) -> String + Sync) {
    const CODES: [&str; 5] = [
        "fast-cells",
        "partial-map",
        "parity-stripes",
        "fake-capacity",
        "lost-writes",
    ];
    let alarms = rate(devices, |seed| {
        let inferences = explained(&spec(seed), seed, themes);
        inferences
            .iter()
            .any(|it| CODES.contains(&it.code.as_str()))
    });
    alarms.assert_at_most(FALSE_ALARMS_MAX, format_args!("{kind}: false alarms"));
}

const ALL: [&str; 3] = ["map", "parity", "fast-cells"];

#[test]
fn an_ordinary_solid_state_drive_has_none_of_it() {
    assert_silent(40, "sim:ssd", &ALL, |seed| {
        format!(
            "sim:ssd?size={}MiB&page=1MiB&channels={}&dies=1&read={}us&program={}ms&bus=2GB/s&cache={}MiB",
            random(seed, 0, 4_200, 5_000),
            random(seed, 1, 2, 8),
            random(seed, 2, 20, 110),
            random(seed, 3, 1, 9),
            random(seed, 4, 16, 1_024),
        )
    });
}

#[test]
fn a_device_of_constant_latency_has_none_of_it() {
    assert_silent(60, "sim:const", &ALL, |seed| {
        let latency = random(seed, 0, 20, 5_000);
        format!(
            "sim:const?size={}MiB&latency={latency}us&jitter={}us&rate=500MB/s",
            random(seed, 1, 4_200, 5_000),
            random(seed, 2, 0, latency / 2),
        )
    });
}

#[test]
fn a_hard_disk_has_none_of_it() {
    assert_silent(60, "sim:hdd", &["map", "fast-cells"], |seed| {
        format!(
            "sim:hdd?size={}MiB&rpm={}&cache={}MiB",
            random(seed, 0, 4_200, 5_000),
            [5_400, 5_900, 7_200][seed as usize % 3],
            random(seed, 1, 16, 256),
        )
    });
}

#[test]
fn an_array_has_no_fast_cells_and_no_map_and_a_drive_with_them_no_stripes() {
    assert_silent(10, "sim:raid5", &["map", "fast-cells"], |seed| {
        let disks = random(seed, 0, 3, 6);
        format!("sim:raid5?size=4200MiB&disks={disks}&latency=80us&jitter=20us&rate=500MB/s")
    });
    assert_silent(10, "sim:ssd?slc", &["map", "parity"], |seed| {
        format!(
            "sim:ssd?size=4GiB&slc={}MiB&page=1MiB",
            random(seed, 0, 100, 900)
        )
    });
}
