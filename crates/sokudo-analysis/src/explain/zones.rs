//! Zoned recording: on turning platters outer tracks are longer and hold more, so that
//! the rate falls from the first address to the last, zone by zone.
//!
//! With tracks of even density and addresses in proportion to area, rate² falls in a
//! straight line (Ruemmler and Wilkes, "An introduction to disk drive modeling", 1994).
//! It does not say how many platters there are.

use sokudo_model::{Inference, Run, Sample, Visit, Workload};
use sokudo_stats::{levels_of_variance, median, quantile, without_outliers};
use sokudo_words::{Text, text};

use super::evidence::{correlation, covered, figure, measured, read_survey, sure, to_float};
use super::threshold::{
    ZONE_COVERED_MIN, ZONE_FALL_CORRELATION_MAX, ZONE_PLACES_MIN, ZONE_QUARTER_SHARE_MAX,
    ZONE_RATIO_MIN, ZONE_RATIO_SURE,
};
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[zoned_recording];

/// A curve of more places is thinned: the search for steps takes the square of its length.
const CURVE_SAMPLES_MAX: usize = 512;
/// The first and the last such share of the curve are its ends.
const END_SHARE: usize = 16;

/// Rates of places are not known better than this: a sample holds one track more or less.
const NOISE_SHARE_MIN: f64 = 0.005;

/// A place as a share of the target, and its rate in bytes per second.
type Point = (f64, f64);

fn zoned_recording(run: &Run) -> Option<Inference> {
    let curve = curve(run)?;
    let rates: Vec<f64> = curve.iter().map(|point| point.1).collect();
    let end = (rates.len() / END_SHARE).max(1);
    let outer = median(&rates[..end])?;
    let inner = median(&rates[rates.len() - end..])?;
    let fall = correlation(&curve)?;
    let ratio = outer / inner;
    if ratio < ZONE_RATIO_MIN || fall > ZONE_FALL_CORRELATION_MAX || !falls_everywhere(&rates) {
        return None;
    }
    let squares: Vec<Point> = curve.iter().map(|(x, rate)| (*x, rate * rate)).collect();
    let round = correlation(&squares)?;
    let zones = steps(&rates);
    let shape = Text::from(match round.abs() > fall.abs() {
        true => "as on circular tracks of constant density",
        false => "in nearly a straight line",
    });
    Some(Inference {
        code: "zoned-recording".to_owned(),
        claim: text!(
            "a rotating disk with zones, {ratio:.2} times as fast at its outer edge as at its inner one"
        ),
        figures: vec![
            figure("outer_bytes_per_s", outer),
            figure("inner_bytes_per_s", inner),
            figure("outer_to_inner", ratio),
            figure("zones_min", to_float(zones as u64)),
            figure("linear_r_squared", fall * fall),
            figure("round_tracks_r_squared", round * round),
        ],
        confidence: sure(ratio >= ZONE_RATIO_SURE && fall <= -0.95),
        evidence: text!(
            "{outer_mb_per_s:.0} MB/s at the start and {inner_mb_per_s:.0} MB/s at the end of {samples} places, falling in at least {zones} steps, {shape}",
            outer_mb_per_s = outer / 1e6,
            inner_mb_per_s = inner / 1e6,
            samples = curve.len()
        ),
    })
}

/// How much longer the outermost tracks are than the innermost, where that was seen.
pub(super) fn outer_to_inner(run: &Run) -> Option<f64> {
    let figures = zoned_recording(run)?.figures;
    let ratio = figures
        .iter()
        .find(|figure| figure.name == "outer_to_inner");
    ratio.map(|figure| figure.value)
}

/// The curve with the most places, in order of place, thinned to what can be searched.
fn curve(run: &Run) -> Option<Vec<Point>> {
    let size = to_float(run.target.size_bytes?.0);
    let curves = super::evidence::outcomes(run, |workload| is_curve(run, workload));
    let point_lists = curves.map(|(_, outcome)| {
        let points = measured(outcome).map(|sample| {
            let rate = to_float(sample.bytes.0) / sample.elapsed.as_secs_f64();
            (to_float(sample.offset.0) / size, rate)
        });
        points.collect::<Vec<Point>>()
    });
    let mut curve = point_lists.max_by_key(Vec::len)?;
    if curve.len() < ZONE_PLACES_MIN {
        return None;
    }
    curve.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let together = curve.len().div_ceil(CURVE_SAMPLES_MAX);
    let thinned = curve.chunks(together).filter_map(|chunk| {
        let rates: Vec<f64> = chunk.iter().map(|point| point.1).collect();
        Some((chunk[0].0, median(&rates)?))
    });
    // A place that is slow for reasons of its own is none of the curve.
    let (at, rates): (Vec<f64>, Vec<f64>) = thinned.unzip();
    Some(at.into_iter().zip(without_outliers(&rates)).collect())
}

fn is_curve(run: &Run, workload: &Workload) -> bool {
    let is_even = read_survey(workload).is_some_and(|survey| {
        matches!(survey.visit, Visit::Ascending | Visit::Shuffled)
            && survey.sample != Sample::Bytes(workload.blocks.largest())
    });
    is_even && covered(run, workload).is_some_and(|share| share >= ZONE_COVERED_MIN)
}

/// Whether the fall is spread over the curve. One step, of a cache or of a part that was
/// never written, is no zone.
fn falls_everywhere(rates: &[f64]) -> bool {
    let eighth = rates.len() / 8;
    let levels: Vec<f64> = (0..8)
        .filter_map(|part| median(&rates[part * eighth..(part + 1) * eighth]))
        .collect();
    let whole = levels[0] - levels[7];
    whole > 0.0
        && levels
            .windows(3)
            .all(|three| three[0] - three[2] <= whole * ZONE_QUARTER_SHARE_MAX)
}

/// How many levels explain the curve.
fn steps(rates: &[f64]) -> usize {
    let differences: Vec<f64> = rates
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .collect();
    // Three quarters of the magnitudes of a normal variable lie below 1.1503 σ; a
    // difference has twice the variance of a value. Most differences may be exactly
    // nothing, so there is a least.
    let noise = quantile(&differences, 0.75).unwrap_or(0.0) / 1.1503 / 2f64.sqrt();
    let deviation = noise.max(NOISE_SHARE_MIN * median(rates).unwrap_or(0.0));
    levels_of_variance(rates, deviation.powi(2), 1).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates of places whose zones of `width` places fall from 200 to 100.
    fn staircase(width: usize) -> Vec<f64> {
        let step = |index: usize| 200.0 - 100.0 * to_float((index / width * width) as u64) / 128.0;
        let wobble = |index: usize| [0.02, -0.03, 0.01, 0.0][index % 4];
        (0..128).map(|index| step(index) + wobble(index)).collect()
    }

    #[test]
    fn steps_are_counted_and_a_flat_curve_has_one_level() {
        assert_eq!(steps(&staircase(8)), 16);
        assert_eq!(steps(&staircase(32)), 4);
        assert_eq!(steps(&staircase(128)), 1);
    }

    #[test]
    fn a_staircase_falls_everywhere_and_a_cliff_does_not() {
        assert!(falls_everywhere(&staircase(4)));
        let cliff: Vec<f64> = (0..128)
            .map(|i| if i < 64 { 200.0 } else { 100.0 })
            .collect();
        assert!(!falls_everywhere(&cliff));
        let rising: Vec<f64> = staircase(4).into_iter().rev().collect();
        assert!(!falls_everywhere(&rising));
    }
}
