//! Rate over time: whether it was steady, when a cache was full, when it grew hot.
//!
//! Trials lie one after the other on the axis, as they are one after the other in
//! truth; the pauses and the other rows between them are left out.

use sokudo_model::{SeriesPoint, narrow};
use sokudo_words::{Text, text};

use super::figure::{
    Body, Chart, ChartSection, Ink, Layer, PlotFigure, Shape, VerticalAxis, heights,
};
use super::heading;
use super::latency::least_in_flight;
use super::scale::{PlotAxis, float};
use crate::document::{ResultDocument, RunDocument};
use crate::number::{BYTES_PER_MB, rate};

const NANOS_PER_SECOND: f64 = 1e9;
/// With more trials their borders would be all that is seen.
const PARTS_MAX: u32 = 24;

/// `None` without figures over time.
pub fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let mut shown = document.results_by_direction();
    shown.retain(|result| result.series.iter().flatten().any(|it| it.bytes.0 > 0));
    let (shown, what) = least_in_flight(shown, text!("rate over time"));
    let with_points =
        |result: &&ResultDocument| result.series.iter().rposition(|it| !it.is_empty());
    let trials = 1 + narrow::<usize, u32>(shown.iter().filter_map(with_points).max()?);
    let points = shown.iter().flat_map(|it| it.series.iter().flatten());
    let longest = seconds(points.map(|point| point.at.0).max()?);
    let shape = |result: &ResultDocument| Shape::Lines(steps(result, longest));
    let mut layers = heading::layers(&shown, figures, shape);
    let rates = || heights(&layers);
    let lowest = rates().filter(|rate| *rate > 0.0).reduce(f64::min)?;
    let left = PlotAxis::of_rates(&text!("Rate, MB/s"), lowest, rates().reduce(f64::max)?, 8);
    let heat = heat(document, shown[0], longest);
    let right = heat
        .as_ref()
        .map(|(hottest, _)| PlotAxis::beside(text!("Temperature, °C"), *hottest, &left));
    layers.extend(heat.map(|(_, layer)| layer));
    let part = |trial: u32| ChartSection {
        at: f64::from(trial - 1) * longest,
        name: text!("trial {trial}").into(),
    };
    let is_parted = (2..=PARTS_MAX).contains(&trials);
    let label = match trials {
        1 => text!("Measured time, s"),
        _ => text!("Measured time, s (trials one after the other)"),
    };
    let bottom = PlotAxis::exact(label, 0.0, f64::from(trials) * longest, 10);
    let chart = Chart {
        parts: (1..=trials).filter(|_| is_parted).map(part).collect(),
        right,
        ..Chart::new(bottom, left, layers)
    };
    let body = Body::Chart(Box::new(chart));
    Some(heading::picture(document, &what, &shown, body))
}

fn figures(result: &ResultDocument) -> Text {
    let bandwidth = result.bandwidth_bytes_per_s.as_ref();
    let median = bandwidth.map(|figures| rate(figures.median_mb_per_s));
    median.map_or_else(Text::default, |median| text!("median {median} MB/s"))
}

/// Per trial, the rate of each interval from its begin to its end.
fn steps(result: &ResultDocument, longest: f64) -> Vec<Vec<[f64; 2]>> {
    let trials = (0..).zip(&result.series);
    let of_trial = |(trial, series): (u32, &Vec<SeriesPoint>)| {
        let begin = f64::from(trial) * longest;
        let step = |it: TrialInterval| {
            let (from, to) = (seconds(it.from), seconds(it.to));
            let rate = float(it.bytes) / (to - from) / BYTES_PER_MB;
            [[begin + from, rate], [begin + to, rate]]
        };
        intervals(0, series).into_iter().flat_map(step).collect()
    };
    trials.map(of_trial).collect()
}

/// How hot the hottest drive was meanwhile, over the trials of a result: the highest, and the line.
/// Other results have trials of their own on the same axis, a pause away.
fn heat(document: &RunDocument, result: &ResultDocument, longest: f64) -> Option<(f64, Layer)> {
    let moments = &document.conditions.course.as_ref()?.moments;
    let readings = moments
        .iter()
        .filter_map(|moment| Some((moment.at.0, f64::from(moment.celsius?))));
    let readings: Vec<(u64, f64)> = readings.collect();
    let lines = result.trials.iter().filter_map(|trial| {
        let (from, length) = (trial.began_ns?, trial.elapsed_ns);
        let to = from.saturating_add(length);
        let axis_seconds =
            |at: u64| f64::from(trial.trial.saturating_sub(1)) * longest + seconds(at - from);
        // What was read last before holds until the next reading.
        let before = readings.iter().take_while(|(at, _)| *at <= from).last();
        let within = readings.iter().filter(|(at, _)| (from..to).contains(at));
        let mut line: Vec<[f64; 2]> = before
            .map(|(_, celsius)| [axis_seconds(from), *celsius])
            .into_iter()
            .collect();
        line.extend(within.map(|(at, celsius)| [axis_seconds(*at), *celsius]));
        let last = line.last().map(|[_, celsius]| *celsius)?;
        line.push([axis_seconds(to), last]);
        Some(line)
    });
    let lines: Vec<Vec<[f64; 2]>> = lines.collect();
    let seen = || lines.iter().flatten().map(|[_, celsius]| *celsius);
    let (coolest, hottest) = (seen().reduce(f64::min)?, seen().reduce(f64::max)?);
    let layer = Layer {
        side: VerticalAxis::Right,
        ..Layer::new(Ink::FAULT, Shape::Lines(lines))
    };
    let figures = text!("{coolest} to {hottest} °C");
    Some((hottest, layer.named(text!("temperature"), figures)))
}

/// What was moved between two instants, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialInterval {
    pub from: u64,
    pub to: u64,
    pub bytes: u64,
    pub ios: u64,
}

impl TrialInterval {
    /// Those of what began at an instant, as they were counted.
    pub(super) fn all(began: u64, series: &[SeriesPoint]) -> impl Iterator<Item = Self> + use<'_> {
        let ends = series
            .iter()
            .map(move |point| began.saturating_add(point.at.0));
        let begins = std::iter::once(began).chain(ends.clone());
        let all = begins.zip(ends).zip(series);
        all.filter(|((from, to), _)| to > from)
            .map(|((from, to), point)| Self {
                from,
                to,
                bytes: point.bytes.0,
                ios: point.ios,
            })
    }

    pub(super) const fn nanos(&self) -> u64 {
        self.to - self.from
    }

    pub fn iops(&self) -> f64 {
        float(self.ios) * NANOS_PER_SECOND / float(self.nanos())
    }

    /// Takes in what was moved right behind it.
    pub(super) const fn join(&mut self, next: &Self) {
        self.to = next.to;
        self.bytes += next.bytes;
        self.ios += next.ios;
    }
}

/// The intervals of what began at an instant, none much shorter than the others: in a splinter,
/// such as the rest at the end of a trial, one I/O would be a peak.
pub fn intervals(began: u64, series: &[SeriesPoint]) -> Vec<TrialInterval> {
    let all: Vec<TrialInterval> = TrialInterval::all(began, series).collect();
    let usual = all.iter().map(TrialInterval::nanos).max().unwrap_or(0);
    let is_short = |it: &TrialInterval| it.nanos() < usual / 2;
    let mut whole: Vec<TrialInterval> = Vec::new();
    for interval in all {
        match whole.last_mut() {
            Some(last) if is_short(last) || is_short(&interval) => last.join(&interval),
            _ => whole.push(interval),
        }
    }
    whole
}

pub fn seconds(nanos: u64) -> f64 {
    float(nanos) / NANOS_PER_SECOND
}
