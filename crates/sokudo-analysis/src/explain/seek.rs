//! How long the arm takes, from random accesses over the whole disk: what is left of an
//! access without half a turn.
//!
//! For short distances an arm speeds up and slows down, and the time grows with the
//! square root of the distance; over long ones it travels at its top speed, and the time
//! grows in a straight line (Ruemmler and Wilkes, "An introduction to disk drive
//! modeling", 1994). Distances are of the arm, not of addresses: where zones were found,
//! these are turned into radii.

use sokudo_model::{Inference, Run, Sample, Visit, Workload};
use sokudo_words::text;

use super::evidence::{StraightLine, covered, figure, line, outcomes, read_survey, sure, to_float};
use super::rotation;
use super::threshold::{
    SEEK_CORRELATION_MIN, SEEK_CORRELATION_SURE, SEEK_LONG_MIN, SEEK_PLACES_MIN, ZONE_COVERED_MIN,
};
use super::zones;
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[seek_curve];

/// Where the arm stops to speed up, as shares of the full stroke that are tried. Ruemmler
/// and Wilkes found 0.2 to 0.3.
const COAST_FROM: [f64; 5] = [0.15, 0.2, 0.25, 0.3, 0.4];

/// The longest of these.
const LONG_FROM: f64 = 0.4;

/// A stroke as a share of the longest, and how long the access took, in seconds.
type Stroke = (f64, f64);

fn seek_curve(run: &Run) -> Option<Inference> {
    let turn = rotation::turn(run)?;
    let half_turn = turn.seconds / 2.0;
    let ratio = zones::outer_to_inner(run).unwrap_or(1.0);
    let random = strokes(run, Visit::Random, ratio);
    if random.len() < SEEK_PLACES_MIN {
        return None;
    }
    let mean = random.iter().map(|stroke| stroke.1).sum::<f64>() / to_float(random.len() as u64);
    let all = [random, strokes(run, Visit::Butterfly, ratio)].concat();
    let fits = COAST_FROM.into_iter();
    let fits = fits.filter_map(|from| Some((from, fit(&all, from)?)));
    let (coast_from, fit) = fits.max_by(|a, b| a.1.correlation.total_cmp(&b.1.correlation))?;
    if fit.correlation < SEEK_CORRELATION_MIN || fit.slope <= 0.0 {
        return None;
    }
    let average = (mean - half_turn).max(0.0);
    let full = full_stroke(&all).unwrap_or(fit.at_zero + fit.slope * shape(1.0, coast_from));
    let full = (full - half_turn).max(average);
    let next_track = rotation::local_access_seconds(run)
        .map_or(fit.at_zero - half_turn, |local| local - half_turn);
    let next_track = next_track.clamp(0.0, average);
    Some(Inference {
        code: "seek-curve".to_owned(),
        claim: text!(
            "an arm that takes {near_ms:.1} ms to a nearby track, {average_ms:.1} ms on average and {full_ms:.1} ms over the whole disk",
            near_ms = next_track * 1e3,
            average_ms = average * 1e3,
            full_ms = full * 1e3
        ),
        figures: vec![
            figure("seek_near_ms", next_track * 1e3),
            figure("seek_average_ms", average * 1e3),
            figure("seek_full_ms", full * 1e3),
            figure("half_turn_ms", half_turn * 1e3),
        ],
        confidence: sure(fit.correlation >= SEEK_CORRELATION_SURE),
        evidence: text!(
            "{accesses} random accesses took {mean_ms:.1} ms on average, {half_turn_ms:.1} ms of it half a revolution; seeks grow with the square root of the distance up to {percent:.0} % of the stroke, then linearly (correlation {correlation:.2})",
            accesses = all.len(),
            mean_ms = mean * 1e3,
            half_turn_ms = half_turn * 1e3,
            percent = coast_from * 100.0,
            correlation = fit.correlation
        ),
    })
}

/// How far the arm went to each place, and how long the access took.
fn strokes(run: &Run, visit: Visit, ratio: f64) -> Vec<Stroke> {
    let Some(size) = run.target.size_bytes else {
        return Vec::new();
    };
    let is_wanted = |workload: &Workload| {
        let is_single = read_survey(workload).is_some_and(|survey| {
            survey.visit == visit
                && survey.approach.is_none()
                && survey.sample == Sample::Bytes(workload.blocks.largest())
        });
        is_single && covered(run, workload).is_some_and(|share| share >= ZONE_COVERED_MIN)
    };
    let depth = |offset: u64| depth(to_float(offset) / to_float(size.0), ratio);
    let mut strokes = Vec::new();
    for (_, outcome) in outcomes(run, is_wanted) {
        let pairs = outcome.samples.windows(2);
        strokes.extend(pairs.filter(|pair| pair[1].distance.is_some()).map(|pair| {
            let stroke = (depth(pair[1].offset.0) - depth(pair[0].offset.0)).abs();
            (stroke, pair[1].elapsed.as_secs_f64())
        }));
    }
    strokes
}

/// How far in an address lies, 0 at the outer edge and 1 at the inner one, where the
/// outer track is `ratio` times as long.
fn depth(share: f64, ratio: f64) -> f64 {
    if ratio <= 1.0 {
        return share;
    }
    let radius = (ratio * ratio - share * (ratio * ratio - 1.0))
        .max(1.0)
        .sqrt();
    (ratio - radius) / (ratio - 1.0)
}

/// An access over the whole disk, in seconds, from the strokes over which the arm coasts for
/// most of the way. These lie on a straight line whatever the curve is before; what is fitted to
/// all strokes is ruled by the short ones, and its end by their shape.
fn full_stroke(strokes: &[Stroke]) -> Option<f64> {
    let long = strokes.iter().copied();
    let long: Vec<Stroke> = long.filter(|stroke| stroke.0 >= LONG_FROM).collect();
    if long.len() < SEEK_LONG_MIN {
        return None;
    }
    let line = line(&long)?;
    Some(line.at_zero + line.slope)
}

/// √d, continued by its tangent.
fn shape(stroke: f64, coast_from: f64) -> f64 {
    if stroke <= coast_from {
        return stroke.sqrt();
    }
    let root = coast_from.sqrt();
    root + (stroke - coast_from) / (2.0 * root)
}

/// settle + scale·shape(stroke), seconds.
fn fit(strokes: &[Stroke], coast_from: f64) -> Option<StraightLine> {
    let shaped = strokes.iter();
    let shaped = shaped.map(|(stroke, took)| (shape(*stroke, coast_from), *took));
    line(&shaped.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_stats::Random;

    /// An arm of even acceleration up to a top speed, and platters that are anywhere on their
    /// turn: made of mechanics, not of the curve that is fitted.
    fn accesses(settle: f64, full: f64, top_from: f64, turn: f64, seed: u64) -> Vec<Stroke> {
        let mut random = Random::new(seed);
        let mut share = move || to_float(random.below(1 << 30)) / f64::from(1 << 30);
        // Speeds up over `top_from` / 2 and slows down over as much: v² = a·top_from.
        let moved = full - settle;
        let acceleration = ((1.0 - top_from) / top_from.sqrt() + 2.0 * top_from.sqrt()) / moved;
        let seek = |stroke: f64| match stroke < top_from {
            true => 2.0 * stroke.sqrt() / acceleration,
            false => (2.0 * top_from.sqrt() + (stroke - top_from) / top_from.sqrt()) / acceleration,
        };
        let mut at = 0.0_f64;
        let far = (0..512).map(|step| 1.0 - f64::from(step) / 512.0);
        let mut strokes: Vec<f64> = far.collect();
        strokes.extend((0..1_024).map(|_| {
            let next = share();
            (std::mem::replace(&mut at, next) - next).abs()
        }));
        let mut took = |stroke: f64| settle + seek(stroke) + turn * share();
        strokes.into_iter().map(|it| (it, took(it))).collect()
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, seeds};

        #[test]
        fn the_full_stroke_of_another_arm_is_found_whatever_its_curve() {
            for (full, top_from) in [(0.016, 0.1), (0.016, 0.35), (0.022, 0.2), (0.025, 0.5)] {
                let near = Rate::of(seeds(60), |seed| {
                    let turn = 60.0 / 7_200.0;
                    let all = accesses(1e-3, full, top_from, turn, seed);
                    let found = full_stroke(&all).unwrap() - turn / 2.0;
                    (found / full - 1.0).abs() < 0.04
                });
                near.assert_at_least(0.98, format_args!("{full} s, even from {top_from}"));
            }
        }
    }
}
