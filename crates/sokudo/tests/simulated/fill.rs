//! What is found of simulated drives that are written from one end to the other.

use sokudo_methods::rows::sequential_writes::{SAMPLES_MAX, SequentialWrites};
use sokudo_model::{Bytes, Fill, Method, Nanos, Plan, Run};

const GIB: u64 = 1 << 30;
const MB: f64 = 1e6;

/// Large pages and few dies, so that a drive is written in a moment.
const CELLS: &str = "page=1MiB&channels=8&dies=1&program=4ms&bus=2GB/s&interface=3GB/s&cache=64MiB";

fn filled(parameters: &str) -> Run {
    crate::measured(&format!("sim:ssd?{CELLS}&{parameters}"), 1, |size| {
        let request = SequentialWrites {
            name: "fill",
            size,
            block_min: Bytes(512),
            samples_max: SAMPLES_MAX,
            time_max: None,
            reads: true,
            rests: vec![Nanos::from_secs(10), Nanos::from_secs(60)],
        };
        Plan::in_turn(Method::from("fill"), 1, request.workloads())
    })
}

fn is_near(value: f64, truth: f64, tolerance: f64) -> bool {
    (value / truth - 1.0).abs() <= tolerance
}

/// Sizes and rates of the levels behind the drive's memory.
fn levels(run: &Run) -> Vec<(f64, f64)> {
    let fill = Fill::of(run).unwrap();
    let levels = fill.levels[fill.first..].iter();
    let level = |it: &sokudo_model::FillStretch| (it.bytes().0 as f64, it.bytes_per_s);
    levels.map(level).collect()
}

fn assert_levels(run: &Run, truth: &[(f64, f64)]) {
    let found = levels(run);
    assert_eq!(found.len(), truth.len(), "{found:?}");
    for ((bytes, rate), (size, truth)) in found.iter().zip(truth) {
        assert!(is_near(*bytes, *size, 0.2), "{found:?}");
        assert!(is_near(*rate, *truth, 0.15), "{found:?}");
    }
}

fn codes(run: &Run) -> Vec<&str> {
    run.findings.iter().map(|it| it.code.as_str()).collect()
}

/// What eight dies program a second.
const FAST: f64 = 1_850.0 * MB;

#[test]
fn three_levels_are_found_with_sizes_and_rates_and_what_to_do() {
    let run = filled("size=28GiB&slc=6GiB&direct=500MB/s&fold=300MB/s&room=10GiB&folding=150MB/s");
    let gib = |count: f64| count * GIB as f64;
    let truth = [
        (gib(6.0), FAST),
        (gib(10.0), 500.0 * MB),
        (gib(12.0), 150.0 * MB),
    ];
    assert_levels(&run, &truth);
    assert!(codes(&run).contains(&"fast-cells-end"));
    assert!(codes(&run).contains(&"folding"));
    assert!(!codes(&run).contains(&"burst-credits"));
}

#[test]
fn the_first_of_three_levels_is_the_fast_cells_however_steep_the_second_fall_is() {
    let run = filled("size=37GiB&slc=4GB&direct=900MB/s&fold=800MB/s&room=24GiB&folding=60MB/s");
    let fill = Fill::of(&run).unwrap();
    let collapse = fill.collapse.unwrap().level;
    assert_eq!(collapse, fill.first + 1, "{:?}", fill.levels);
    assert!(
        is_near(fill.fast_bytes(collapse), 4e9, 0.2),
        "{:?}",
        fill.levels
    );
}

#[test]
fn two_levels_come_back_as_far_as_the_rest_was_long() {
    let run = filled("size=20GiB&slc=8GiB&direct=400MB/s&fold=300MB/s");
    let gib = GIB as f64;
    assert_levels(&run, &[(8.0 * gib, FAST), (12.0 * gib, 400.0 * MB)]);
    assert!(!codes(&run).contains(&"folding"));
    let fill = Fill::of(&run).unwrap();
    let rests: Vec<u64> = fill
        .rests
        .iter()
        .map(|it| it.rest.0 / 1_000_000_000)
        .collect();
    assert_eq!(rests, [10, 60]);
    assert!(fill.rests.iter().all(|it| it.bytes_per_s > 1_500.0 * MB));
    let reads = fill.reads.unwrap();
    // One at each sample but the first.
    assert!(reads.count > 1_000, "{}", reads.count);
}

#[test]
fn a_drive_of_one_kind_of_cells_has_one_level() {
    let run = filled("size=20GiB");
    assert_eq!(levels(&run).len(), 1);
    assert_eq!(Fill::of(&run).unwrap().collapse, None);
    assert!(!codes(&run).contains(&"fast-cells-end"));
}
