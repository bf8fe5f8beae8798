//! What is concluded about flash drives and arrays, against simulated devices whose truth
//! is known: how often it is found, how often something is found that is not there.
//!
//! Devices are small, so that hundreds of each kind take seconds; what matters is
//! their shape. `SOKUDO_TEST_DISKS` says how many, otherwise there are 100.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "it says how often it was right")]
#![expect(clippy::cast_possible_truncation, reason = "seeds are small")]

use sokudo_dialect::explain::{Medium, Request, Theme};
use sokudo_engine::{Control, SimulatedTarget, StageOptions, Target, run_stage, sim};
use sokudo_model::{
    Bytes, Inference, Nanos, Row, Run, Schedule, TargetInfo, TargetKind, Trial, TrialEvidence,
};
use sokudo_stats::Random;

const DISKS: u64 = 100;
const THREADS: u64 = 2;

/// At least so many of the devices that have something are told to have it.
const RECALL_MIN: f64 = 0.95;
/// At most so many of those that do not.
const FALSE_ALARMS_MAX: f64 = 0.02;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Asks a simulated device everything that these themes ask.
fn explained(spec: &str, seed: u64, themes: &[&str]) -> Vec<Inference> {
    let mut device = sim::Device::parse(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
    device.seed(seed);
    let only: Vec<Theme> = themes.iter().map(|it| it.parse().unwrap()).collect();
    let request = Request {
        size: device.size(),
        block_min: Bytes(512),
        medium: Medium::Unknown,
        may_write: true,
        only,
        seed,
    };
    let plan = request.plan().unwrap().plan;
    let target = TargetInfo {
        size_bytes: Some(device.size()),
        devices: device.block_devices(),
        ..TargetInfo::new(spec, TargetKind::Simulated)
    };
    let mut targets = [Target::Simulated(SimulatedTarget::new(device))];
    let rows = plan.stages.iter().zip(0..).map(|(stage, number)| {
        let Target::Simulated(simulated) = &mut targets[0] else {
            unreachable!()
        };
        simulated.settle();
        let before = simulated.device.counters();
        let options = StageOptions {
            seed: seed ^ number << 32,
            ..StageOptions::default()
        };
        let control = Control::new();
        let mut outcomes = run_stage(stage, options, &mut targets, &control, &mut |_| {}).unwrap();
        let Target::Simulated(simulated) = &targets[0] else {
            unreachable!()
        };
        let device = simulated.device.counters().since(&before);
        Row {
            trials: vec![Trial {
                outcome: outcomes.pop().unwrap(),
                evidence: TrialEvidence {
                    device: Some(device),
                    ..TrialEvidence::default()
                },
            }],
            ..Row::new(stage.workloads[0].clone())
        }
    });
    let rows = rows.collect();
    let mut run = Run {
        rows,
        ..Run::new(plan, Schedule::in_turn(1, Nanos(0)), target)
    };
    sokudo_analysis::judge(&mut run);
    run.inferences
}

/// A figure of a conclusion.
fn value(inference: &Inference, name: &str) -> f64 {
    let figure = inference.figures.iter().find(|it| it.name == name);
    figure.unwrap_or_else(|| panic!("no {name}")).value
}

/// For how many seeds something holds.
fn share(holds: impl Fn(u64) -> bool + Sync) -> f64 {
    let told = std::env::var("SOKUDO_TEST_DISKS");
    let disks = told.map_or(DISKS, |number| number.parse().unwrap());
    let count = |thread: u64| {
        let mine = (0..disks).filter(move |seed| seed % THREADS == thread);
        mine.filter(|seed| holds(*seed)).count()
    };
    let total: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| scope.spawn(move || count(thread)))
            .collect();
        threads.into_iter().map(|it| it.join().unwrap()).sum()
    });
    total as f64 / disks as f64
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
    let recall = share(|seed| {
        let slc = random(seed, 0, 4_200, 6_000) * MIB;
        let direct = random(seed, 1, 100, 400);
        let program_ms = random(seed, 2, 4, 9);
        let size = slc * random(seed, 3, 190, 250) / 100;
        let cache = random(seed, 4, 16, 512);
        let spec = format!(
            "sim:ssd?size={size}&slc={slc}&direct={direct}MB/s&fold=500MB/s&page=1MiB&channels=8&dies=1&program={program_ms}ms&bus=2GB/s&cache={cache}MiB"
        );
        let truth = [
            ("fast_cells_bytes", slc as f64, 0.15),
            ("slow_bytes_per_s", direct as f64 * 1e6, 0.1),
        ];
        found(
            &explained(&spec, seed, &["fast-cells"]),
            "fast-cells",
            &truth,
        )
    });
    println!("fast cells: recall {:.1} %", recall * 100.0);
    assert!(recall >= RECALL_MIN, "{recall}");
}

#[test]
fn a_partial_map_is_found_with_its_size() {
    let recall = share(|seed| {
        let map = random(seed, 0, 128, 700) * MIB;
        let read_us = random(seed, 1, 30, 110);
        let size = 4 * GIB;
        let spec = format!("sim:dramless?size={size}&map={map}&read={read_us}us");
        let truth = [
            ("mapped_bytes", map as f64, 0.2),
            ("read_ns", read_us as f64 * 1e3 + 9_500.0, 0.15),
        ];
        found(&explained(&spec, seed, &["map"]), "partial-map", &truth)
    });
    println!("partial map: recall {:.1} %", recall * 100.0);
    assert!(recall >= RECALL_MIN, "{recall}");
}

#[test]
fn stripes_are_found_with_chunk_and_members() {
    let recall = share(|seed| {
        let disks = random(seed, 0, 3, 8);
        let chunk = 4096 << random(seed, 1, 2, 8);
        let latency = random(seed, 2, 50, 9_000);
        let spec = format!(
            "sim:raid5?size=4GiB&disks={disks}&chunk={chunk}&latency={latency}us&rate=300MB/s"
        );
        let truth = [
            ("chunk_bytes", chunk as f64, 1e-9),
            ("data_members", (disks - 1) as f64, 1e-9),
            (
                "small_write_reads",
                2.0,
                if disks == 3 { 0.6 } else { 0.01 },
            ),
        ];
        found(
            &explained(&spec, seed, &["parity"]),
            "parity-stripes",
            &truth,
        )
    });
    println!("parity stripes: recall {:.1} %", recall * 100.0);
    assert!(recall >= RECALL_MIN, "{recall}");
}

#[test]
fn a_false_capacity_is_found_with_the_real_one() {
    let recall = share(|seed| {
        let real = random(seed, 0, 1_050, 4_000) * MIB + random(seed, 1, 0, 255) * 4096;
        let size = real * random(seed, 2, 110, 400) / 100;
        let beyond = ["wrap", "lost"][seed as usize % 2];
        let cache = random(seed, 3, 1, 128);
        let spec = format!(
            "sim:fake-capacity?size={size}&real={real}&beyond={beyond}&cache={cache}MiB&latency=100us"
        );
        let truth = [("real_bytes", real as f64, 1e-9)];
        found(
            &explained(&spec, seed, &["capacity"]),
            "fake-capacity",
            &truth,
        )
    });
    println!("false capacity: recall {:.1} %", recall * 100.0);
    assert!(recall >= RECALL_MIN, "{recall}");
}

#[test]
fn honest_devices_are_as_large_as_they_say() {
    assert_silent("honest devices", &["capacity"], |seed| {
        let size = random(seed, 0, 1_100, 4_000);
        match seed % 3 {
            0 => format!("sim:const?size={size}MiB"),
            1 => format!("sim:ssd?size={size}MiB&page=1MiB"),
            _ => format!("sim:hdd?size={}MiB", size + 1_024),
        }
    });
}

/// Counts devices of which something is told that they have not.
fn assert_silent(kind: &str, themes: &[&str], spec: impl Fn(u64) -> String + Sync) {
    const CODES: [&str; 5] = [
        "fast-cells",
        "partial-map",
        "parity-stripes",
        "fake-capacity",
        "lost-writes",
    ];
    let alarms = share(|seed| {
        let inferences = explained(&spec(seed), seed, themes);
        inferences
            .iter()
            .any(|it| CODES.contains(&it.code.as_str()))
    });
    println!("{kind}: false alarms {:.1} %", alarms * 100.0);
    assert!(alarms <= FALSE_ALARMS_MAX, "{kind}: {alarms}");
}

const ALL: [&str; 3] = ["map", "parity", "fast-cells"];

#[test]
fn an_ordinary_solid_state_drive_has_none_of_it() {
    assert_silent("sim:ssd", &ALL, |seed| {
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
    assert_silent("sim:const", &ALL, |seed| {
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
    assert_silent("sim:hdd", &["map", "fast-cells"], |seed| {
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
    assert_silent("sim:raid5", &["map", "fast-cells"], |seed| {
        let disks = random(seed, 0, 3, 6);
        format!("sim:raid5?size=4200MiB&disks={disks}&latency=80us&jitter=20us&rate=500MB/s")
    });
    assert_silent("sim:ssd?slc", &["map", "parity"], |seed| {
        format!(
            "sim:ssd?size=4GiB&slc={}MiB&page=1MiB",
            random(seed, 0, 100, 900)
        )
    });
}
