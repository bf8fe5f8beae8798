//! Rate over time: whether it was steady, when a cache was full, when it grew hot.
//!
//! Trials lie one after the other on the axis, as they are one after the other in
//! truth; the pauses and the other rows between them are left out.

use super::figure::{Body, Chart, ChartSection, Ink, Layer, PlotFigure, Shape, VerticalAxis};
use super::heading;
use super::heat::whole_rate;
use super::scale::Axis;
use crate::document::{PointDocument, ResultDocument, RunDocument};
use crate::number::rate;

const BYTES_PER_MB: f64 = 1e6;
const NANOS_PER_SECOND: f64 = 1e9;
/// Rows whose rates differ by more than this are shown by ratios, or the slow ones
/// would lie on the axis.
const RATIO_OF_LOGARITHMS: f64 = 20.0;
/// With more trials their borders would be all that is seen.
const PARTS_MAX: u32 = 24;

/// `None` without figures over time.
pub(super) fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let mut shown = document.results_by_direction();
    shown.retain(|result| result.series.iter().any(|point| point.bytes > 0));
    let points = || shown.iter().flat_map(|result| &result.series);
    let trials = points().map(|point| point.trial).max()?;
    let longest = seconds(points().map(|point| point.at_ns).max()?);
    let steps: Vec<Vec<Vec<[f64; 2]>>> =
        shown.iter().map(|result| steps(result, longest)).collect();
    let rates = || steps.iter().flatten().flatten().map(|point| point[1]);
    let lowest = rates().filter(|rate| *rate > 0.0).reduce(f64::min)?;
    let highest = rates().reduce(f64::max)?;
    let left = if highest / lowest > RATIO_OF_LOGARITHMS {
        Axis::decades("Rate, MB/s, logarithmic", lowest, highest, whole_rate)
    } else {
        Axis::from_zero("Rate, MB/s", highest, 8)
    };
    let layer = |(((number, result), steps), name): (((usize, &&ResultDocument), _), _)| Layer {
        name,
        figures: figures(result),
        ink: Ink::of_number(number),
        side: VerticalAxis::Left,
        shape: Shape::Lines(steps),
    };
    let part = |trial: u32| ChartSection {
        at: f64::from(trial - 1) * longest,
        name: format!("trial {trial}"),
    };
    let is_parted = (2..=PARTS_MAX).contains(&trials);
    let label = if trials > 1 {
        "Measured time, s (trials one after the other)"
    } else {
        "Measured time, s"
    };
    let chart = Chart {
        bottom: Axis::exact(label, 0.0, f64::from(trials) * longest, 10),
        top: None,
        left,
        right: None,
        parts: (1..=trials).filter(|_| is_parted).map(part).collect(),
        layers: shown
            .iter()
            .enumerate()
            .zip(steps)
            .zip(heading::names(&shown))
            .map(layer)
            .collect(),
        signs: None,
    };
    Some(PlotFigure {
        title: heading::title(document, "rate over time"),
        subtitle: heading::subtitle(document, &shown),
        footer: heading::footer(document, &shown),
        body: Body::Chart(Box::new(chart)),
    })
}

fn figures(result: &ResultDocument) -> String {
    let bandwidth = result.bandwidth_bytes_per_s.as_ref();
    let median = bandwidth.map(|figures| rate(figures.median_mb_per_s));
    median.map_or_else(String::new, |median| format!("median {median} MB/s"))
}

/// Per trial, the rate of each interval from its begin to its end.
fn steps(result: &ResultDocument, longest: f64) -> Vec<Vec<[f64; 2]>> {
    let trials = result
        .series
        .chunk_by(|left, right| left.trial == right.trial);
    trials.map(|trial| of_trial(trial, longest)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a rate in a picture")]
fn of_trial(points: &[PointDocument], longest: f64) -> Vec<[f64; 2]> {
    let begin = f64::from(points[0].trial.saturating_sub(1)) * longest;
    let ends = [0]
        .into_iter()
        .chain(points.iter().map(|point| point.at_ns));
    let mut intervals: Vec<(u64, u64, u64)> = ends
        .zip(points)
        .map(|(from, point)| (from, point.at_ns, point.bytes))
        .filter(|(from, to, _)| to > from)
        .collect();
    let usual = intervals.iter().map(|(from, to, _)| to - from).max();
    // The rest of a trial is told with the interval before it: in a moment of it, one
    // I/O would be a peak.
    if let [.., before, (from, to, bytes)] = &mut intervals[..]
        && usual.is_some_and(|usual| *to - *from < usual / 2)
    {
        (before.1, before.2) = (*to, before.2 + *bytes);
        intervals.pop();
    }
    let step = |(from, to, bytes): &(u64, u64, u64)| {
        let (from, to) = (seconds(*from), seconds(*to));
        let rate = *bytes as f64 / (to - from) / BYTES_PER_MB;
        [[begin + from, rate], [begin + to, rate]]
    };
    intervals.iter().flat_map(step).collect()
}

#[expect(clippy::cast_precision_loss, reason = "a time in a picture")]
fn seconds(nanos: u64) -> f64 {
    nanos as f64 / NANOS_PER_SECOND
}
