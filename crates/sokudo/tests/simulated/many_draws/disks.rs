//! What is concluded about simulated disks. Every disk has parameters drawn from its seed; what
//! is concluded is held against them.

use std::collections::BTreeMap;

use sokudo_methods::explain::plan::StorageMedium;
use sokudo_model::Inference;
use sokudo_stats::Random;

use sokudo_testing::{Rate, seeds};

use super::{FALSE_ALARMS_MAX, RECALL_MIN, of_seeds, rate};
use crate::explained;

/// More small writes than the maps of these disks hold are not made, for the sake of time.
const IOS_MAX: u64 = 30_000;

/// A simulated disk, and what is true of it.
struct Disk {
    spec: String,
    /// Conclusions that must be drawn, each with its figure, the true value and how far
    /// from it the figure may be.
    truths: Vec<Truth>,
    /// Conclusions that would be wrong.
    lies: &'static [&'static str],
}

struct Truth {
    code: &'static str,
    figure: &'static str,
    least: f64,
    most: f64,
}

/// How a kind of disk did.
#[derive(Default)]
struct Score {
    /// By figure: how often it was right of how often it was there to be found.
    truths: BTreeMap<&'static str, Rate>,
    false_alarms: Rate,
}

impl Score {
    fn add(mut self, other: Self) -> Self {
        self.false_alarms += other.false_alarms;
        for (figure, right) in other.truths {
            *self.truths.entry(figure).or_default() += right;
        }
        self
    }
}

fn within(code: &'static str, figure: &'static str, value: f64, share: f64) -> Truth {
    Truth {
        code,
        figure,
        least: value * (1.0 - share),
        most: value * (1.0 + share),
    }
}

/// A whole number from `least` to `most`.
fn draw(random: &mut Random, least: u64, most: u64) -> u64 {
    least + random.below(most - least + 1)
}

fn pick<T: Copy>(random: &mut Random, choices: &[T]) -> T {
    let index = usize::try_from(random.below(choices.len() as u64)).unwrap();
    choices[index]
}

/// A hard disk as there are: 500 GB to 20 TB, 4,200 to 10,000 turns a minute.
fn hard_disk(random: &mut Random) -> Disk {
    let size_gb = draw(random, 500, 20_000);
    let rpm = pick(random, &[4_200, 5_400, 5_700, 5_900, 7_200, 10_000]);
    let outer = draw(random, 100, 280);
    let inner = outer * 10 / draw(random, 16, 24);
    let settle_us = draw(random, 500, 2_500);
    let seek_us = draw(random, 7_000, 14_000);
    let cache_mib = pick(random, &[16, 32, 64, 128, 256]);
    let is_write_back = random.below(4) > 0;
    let spec = format!(
        "sim:hdd?size={size_gb}GB&rpm={rpm}&outer={outer}MB/s&inner={inner}MB/s&settle={settle_us}us&seek={seek_us}us&cache={cache_mib}MiB&interface=550MB/s&write_cache={}",
        if is_write_back { "on" } else { "off" }
    );
    let ratio = float(outer) / float(inner);
    let mut truths = vec![
        within("zoned-recording", "outer_to_inner", ratio, 0.05),
        within("rotation", "rpm", float(rpm), 0.005),
        within("seek-curve", "seek_average_ms", float(seek_us) / 1e3, 0.07),
        within(
            "seek-curve",
            "seek_full_ms",
            full_stroke_ms([settle_us, seek_us].map(float), ratio),
            0.07,
        ),
        // Half the memory is for reads. A sixteenth of it is a stream's, and half of that
        // lies behind it; what a stream has left in older parts may be found again. Spans
        // are tried by factors of two.
        Truth {
            code: "read-cache",
            figure: "kept_bytes_min",
            least: float(cache_mib << 20) / 128.0,
            most: float(cache_mib << 20) / 2.0,
        },
    ];
    let turns = float(rpm) / 60.0;
    let overwrites = |figure, least: f64, most: f64| Truth {
        code: "write-cache",
        figure,
        least: least * turns,
        most: most * turns,
    };
    truths.push(overwrites("durable_overwrites_per_s", 0.2, 1.1));
    truths.push(match is_write_back {
        true => overwrites("overwrites_per_s", 3.0, f64::INFINITY),
        false => overwrites("overwrites_per_s", 0.2, 1.1),
    });
    let mut lies: &[&str] = &["shingled-recording"];
    if is_write_back {
        let half = float(cache_mib << 20) / 2.0;
        // While the arm is on its way to the first block, nothing is written yet.
        let late = float(outer) * 1e3 * (float(seek_us) / 1e3 + 120_000.0 / float(rpm));
        truths.push(Truth {
            code: "write-cache-size",
            figure: "write_cache_bytes",
            least: half * 0.85 - late,
            most: half * 1.15,
        });
    } else {
        lies = &["shingled-recording", "write-cache-size"];
    }
    Disk { spec, truths, lies }
}

/// What such a disk takes over its longest stroke: the mean over all strokes is given, and up to
/// a quarter of the longest they take as their root, then as its tangent.
fn full_stroke_ms([settle_us, average_us]: [f64; 2], ratio: f64) -> f64 {
    const STEPS: u32 = 200;
    let shape = |stroke: f64| match stroke <= 0.25 {
        true => stroke.sqrt(),
        false => 0.25 + stroke,
    };
    let depth = |step: u32| {
        let share = (f64::from(step) + 0.5) / f64::from(STEPS);
        (ratio - (ratio * ratio - share * (ratio * ratio - 1.0)).sqrt()) / (ratio - 1.0)
    };
    let pairs = (0..STEPS).flat_map(|from| (0..STEPS).map(move |to| (from, to)));
    let sum: f64 = pairs
        .map(|(from, to)| shape((depth(from) - depth(to)).abs()))
        .sum();
    let mean = sum / f64::from(STEPS * STEPS);
    (settle_us + (average_us - settle_us) / mean * shape(1.0)) / 1e3
}

/// A shingled disk with a small map, so that it fills soon.
fn shingled_disk(random: &mut Random) -> Disk {
    let size_gb = draw(random, 1_000, 8_000);
    let rpm = pick(random, &[5_400, 5_900, 7_200]);
    let entries = draw(random, 2_000, 20_000);
    let band_mib = draw(random, 32, 256);
    let spec = format!(
        "sim:smr?size={size_gb}GB&rpm={rpm}&entries={entries}&band={band_mib}MiB&outer={}MB/s&cache={}MiB",
        draw(random, 150, 220),
        pick(random, &[32, 64, 128])
    );
    Disk {
        spec,
        truths: vec![within(
            "shingled-recording",
            "absorbed_writes",
            float(entries),
            0.05,
        )],
        lies: &[],
    }
}

/// A conventional disk that collects small writes and brings them to the platters in batches.
fn batching_disk(random: &mut Random) -> Disk {
    let pieces = draw(random, 2_000, 12_000);
    let spec = format!(
        "sim:hdd?size={}GB&rpm={}&cache={}MiB&destage=batch&pieces={pieces}",
        draw(random, 1_000, 8_000),
        pick(random, &[5_400, 5_900, 7_200]),
        pick(random, &[128, 256]),
    );
    Disk {
        spec,
        truths: vec![within(
            "batched-writes",
            "absorbed_writes",
            float(pieces),
            0.05,
        )],
        lies: &["shingled-recording"],
    }
}

/// Devices that do not turn.
fn still_device(random: &mut Random) -> Disk {
    let spec = match random.below(3) {
        0 => format!(
            "sim:const?size={}GB&latency={}us&jitter={}us&rate={}MB/s",
            draw(random, 10, 4_000),
            draw(random, 50, 12_000),
            draw(random, 0, 40),
            draw(random, 80, 4_000)
        ),
        1 => format!(
            "sim:const?size={}GB&latency={}ms&jitter={}ms",
            draw(random, 10, 4_000),
            draw(random, 6, 12),
            draw(random, 1, 5)
        ),
        _ => format!(
            "sim:ssd?size={}GB&channels={}&read={}us&program={}us",
            draw(random, 100, 4_000),
            draw(random, 1, 8),
            draw(random, 30, 120),
            draw(random, 200, 1_500)
        ),
    };
    Disk {
        spec,
        truths: Vec::new(),
        lies: &[
            "zoned-recording",
            "rotation",
            "seek-curve",
            "read-cache",
            "write-cache-size",
            "write-cache",
            "shingled-recording",
        ],
    }
}

fn float(value: u64) -> f64 {
    value as f64
}

/// Holds what is concluded about so many disks of a kind against the truth.
fn hold(kind: &str, disks: u32, only: &[&str], draw_disk: fn(&mut Random) -> Disk) {
    let scores = of_seeds(seeds(disks), |seed| {
        let disk = draw_disk(&mut Random::new(seed + 1));
        let run = explained(
            &disk.spec,
            StorageMedium::Rotating,
            only,
            seed,
            |workload| {
                workload.limits.ios = workload.limits.ios.map(|ios| ios.min(IOS_MAX));
            },
        );
        judged(&disk, &run.inferences, seed)
    });
    let score = scores.into_iter().fold(Score::default(), Score::add);
    for (figure, right) in score.truths {
        right.assert_at_least(RECALL_MIN, format_args!("{kind}: {figure} right"));
    }
    let false_alarms = score.false_alarms;
    false_alarms.assert_at_most(FALSE_ALARMS_MAX, format_args!("{kind}: false alarms"));
}

fn judged(disk: &Disk, inferences: &[Inference], seed: u64) -> Score {
    let mut score = Score::default();
    for truth in &disk.truths {
        let value = inferences
            .iter()
            .filter(|inference| inference.code == truth.code)
            .flat_map(|inference| &inference.figures)
            .find(|figure| figure.name == truth.figure)
            .map(|figure| figure.value);
        let is_right = value.is_some_and(|value| (truth.least..=truth.most).contains(&value));
        score.truths.entry(truth.figure).or_default().add(is_right);
        if !is_right {
            println!(
                "seed {seed}: {} is {value:?}, not {} to {} ({})",
                truth.figure, truth.least, truth.most, disk.spec
            );
        }
    }
    let wrong = inferences
        .iter()
        .find(|inference| disk.lies.contains(&inference.code.as_str()));
    score.false_alarms.add(wrong.is_some());
    if let Some(wrong) = wrong {
        println!("seed {seed}: {wrong:?} ({})", disk.spec);
    }
    score
}

#[test]
fn hard_disks_are_known_for_what_they_are() {
    hold("sim:hdd", 10, &[], hard_disk);
}

#[test]
fn shingled_disks_are_known_by_their_pauses() {
    hold("sim:smr", 15, &["rotation", "shingles"], shingled_disk);
}

#[test]
fn disks_that_write_in_batches_are_not_taken_for_shingled_ones() {
    hold(
        "sim:hdd?destage=batch",
        8,
        &["rotation", "shingles"],
        batching_disk,
    );
}

/// Of disks of which one place in a hundred was slow, for reasons of its own, and one sector.
#[test]
fn slow_places_here_and_there_hide_no_zones() {
    let right = rate(60, |seed| {
        let disk = hard_disk(&mut Random::new(seed + 1));
        let medium = StorageMedium::Rotating;
        let mut run = explained(&disk.spec, medium, &["zones"], seed, |_| ());
        let mut random = Random::new(seed + 7);
        let rows = run.rows.iter_mut().flat_map(|row| &mut row.trials);
        for place in rows.flat_map(|trial| &mut trial.outcome.samples) {
            if random.below(100) == 0 {
                place.elapsed.0 *= 20;
            }
        }
        sokudo_analysis::judge(&mut run);
        let truth = &disk.truths[0];
        let score = judged(
            &Disk {
                truths: vec![within(truth.code, truth.figure, middle(truth), 0.05)],
                spec: disk.spec,
                lies: &[],
            },
            &run.inferences,
            seed,
        );
        score.truths[truth.figure].hits == 1
    });
    right.assert_at_least(RECALL_MIN, "slow places: zones right");
}

fn middle(truth: &Truth) -> f64 {
    f64::midpoint(truth.least, truth.most)
}

#[test]
fn what_does_not_turn_is_taken_for_no_disk() {
    hold("sim:const and sim:ssd", 10, &[], still_device);
}
