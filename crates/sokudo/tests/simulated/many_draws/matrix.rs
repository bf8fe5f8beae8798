//! Matrices of simulated devices: every cell and block is a run of its own, measured and judged as
//! `sokudo matrix` does, on a device whose truth is known. How often the one difference of 5 % is
//! found, and how often something is said that is not so.
//!
//! Only file systems, arrays and mounts are missing here; more kinds of noise and of truth are
//! tried without the engine in `sokudo-analysis/src/matrix/many_draws.rs`.

use sokudo_analysis::matrix_effects;
use sokudo_model::{
    DriveCache, EffectRatio, MatrixAxis, MatrixCell, MatrixPlan, Nanos, Plan, RowEffects,
};
use sokudo_report::{MatrixDocument, MatrixRun, MatrixSoFar, RunDocument};
use sokudo_stats::Random;
use sokudo_tools::crystaldiskmark::{self, Profile, RowDirection};

use sokudo_testing::{Rate, seeds};

use super::of_seeds;
use crate::measured;

/// Of each kind; each is 72 runs.
const MATRICES: u32 = 10;
/// Values of the two axes.
const VALUES: [usize; 2] = [6, 4];
const BLOCKS: u32 = 3;
/// The value of the first axis that is faster where one is.
const FASTER: usize = 1;
/// How long its I/Os take, as a share of the others'.
const FASTER_TAKES: f64 = 1.0 / 1.05;
/// An I/O at a time, each 100 µs ± 20 µs, makes the rate of a trial of this length vary by 1 %.
const TIME: Nanos = Nanos::from_millis(13);
const LATENCY_NS: f64 = 100_000.0;
const JITTER_NS: u64 = 20_000;
/// What a block does to all cells: up to so much, as a share.
const DRIFT: f64 = 0.05;

/// What is said of a matrix.
#[derive(Default)]
struct Said {
    truth: bool,
    falsehood: bool,
}

/// A run of one cell in one block.
fn run(latency_ns: f64, seed: u64) -> RunDocument {
    let spec = format!("sim:const?size=1GiB&latency={latency_ns:.0}ns&jitter={JITTER_NS}ns");
    let run = measured(&spec, 1, |_| {
        let rows = Profile::Default.rows();
        let (last, _) = rows.split_last().expect("a profile has rows");
        let mut workloads =
            crystaldiskmark::workloads(std::slice::from_ref(last), &[RowDirection::Read], &[]);
        workloads[0].limits.time = Some(TIME);
        Plan {
            method: "mark/default".into(),
            seed,
            stages: crystaldiskmark::stages(workloads),
        }
    });
    RunDocument::from_run(&run)
}

/// Two axes and their combinations; nothing is made of any disks.
fn plan(seed: u64) -> MatrixPlan {
    let axis = |(name, count): (&str, usize)| MatrixAxis {
        name: name.to_owned(),
        values: (0..count).map(|value| value.to_string()).collect(),
    };
    let cells = (0..VALUES[0]).flat_map(|first| (0..VALUES[1]).map(move |second| [first, second]));
    let cells = cells.map(|values| MatrixCell {
        values: values.to_vec(),
        volume: None,
        drive_cache: DriveCache::Keep,
        method: Vec::new(),
        notes: Vec::new(),
    });
    MatrixPlan {
        axes: ["fs", "mount"].into_iter().zip(VALUES).map(axis).collect(),
        method: "mark".to_owned(),
        seed,
        cells: cells.collect(),
    }
}

/// The document of a matrix all of whose cells were measured in all blocks.
fn document(seed: u64, has_faster: bool) -> MatrixDocument {
    let plan = plan(seed);
    let mut random = Random::stream(seed, 12);
    let mut runs = Vec::new();
    for block in 0..BLOCKS {
        let drift = 1.0 + DRIFT * random.fraction();
        for (cell, of_plan) in plan.cells.iter().enumerate() {
            let is_faster = has_faster && of_plan.values[0] == FASTER;
            let share = if is_faster { FASTER_TAKES } else { 1.0 };
            let seed = random.below(1 << 32);
            let run = run(LATENCY_NS * drift * share, seed);
            runs.push(MatrixRun { cell, block, run });
        }
    }
    let so_far = MatrixSoFar {
        id: "0000000c",
        command: "sokudo matrix",
        is_of_files: false,
        plan: &plan,
        runs: &runs,
        failures: &[],
    };
    MatrixDocument::new(&so_far, matrix_effects(&so_far.figures()))
}

/// What the document says, held against the truth: one value of the first axis is faster than
/// all others of it, or none is.
fn said(document: &MatrixDocument, has_faster: bool) -> Said {
    let mut said = Said::default();
    let mut hear = |ratio: EffectRatio, is_so: bool| match (ratio.is_shown(), is_so) {
        (true, true) => said.truth = true,
        (true, false) => said.falsehood = true,
        (false, _) => {}
    };
    let [row] = &document.effects.rows[..] else {
        panic!("{:?}", document.effects);
    };
    let RowEffects {
        pairs,
        combinations,
        best,
        ..
    } = row;
    for pair in pairs {
        let is_of_it = has_faster && pair.axis == 0;
        let is_so = match pair.ratio.ratio > 1.0 {
            true => pair.value == FASTER,
            false => pair.reference == FASTER,
        };
        hear(pair.ratio, is_of_it && is_so);
    }
    for combination in combinations {
        hear(combination.ratio, false);
    }
    // Four cells are equally fast at least.
    said.falsehood |= best.is_some();
    said
}

/// In how many matrices what is so was said, and in how many what is not.
fn tried(has_faster: bool) -> [Rate; 2] {
    let said = of_seeds(seeds(MATRICES), |seed| {
        said(&document(seed, has_faster), has_faster)
    });
    [
        Rate::of(&said, |it| it.truth),
        Rate::of(&said, |it| it.falsehood),
    ]
}

#[test]
fn one_file_system_that_is_5_percent_faster_is_found_in_nine_of_ten_matrices() {
    let [found, wrong] = tried(true);
    found.assert_at_least(0.9, "5 % faster: found");
    wrong.assert_at_most(0.05, "5 % faster: wrong");
}

#[test]
fn where_nothing_is_faster_something_is_said_to_be_in_one_of_twenty_matrices_at_most() {
    let [_, wrong] = tried(false);
    wrong.assert_at_most(0.05, "nothing differs: wrong");
}
