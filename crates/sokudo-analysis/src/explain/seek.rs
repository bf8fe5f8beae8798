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
    SEEK_CORRELATION_MIN, SEEK_CORRELATION_SURE, SEEK_PLACES_MIN, ZONE_COVERED_MIN,
};
use super::zones;
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[seek_curve];

/// Where the arm stops to speed up, as shares of the full stroke that are tried. Ruemmler
/// and Wilkes found 0.2 to 0.3.
const COAST_FROM: [f64; 5] = [0.15, 0.2, 0.25, 0.3, 0.4];

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
    let full = (fit.at_zero + fit.slope * shape(1.0, coast_from) - half_turn).max(average);
    let next_track = rotation::local_access_seconds(run)
        .map_or(fit.at_zero - half_turn, |local| local - half_turn);
    let next_track = next_track.clamp(0.0, average);
    Some(Inference {
        code: "seek-curve".to_owned(),
        claim: text!(
            "an arm that takes {near_ms:.1} ms to a track near by, {average_ms:.1} ms on average and {full_ms:.1} ms over the whole disk",
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
            "{accesses} random accesses took {mean_ms:.1} ms on average, of which half a turn is {half_turn_ms:.1} ms; they grow with the root of the distance up to {percent:.0} % of the stroke and then in a straight line (correlation {correlation:.2})",
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
        let pairs = outcome.places.windows(2);
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
