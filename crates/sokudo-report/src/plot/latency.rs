//! How long I/Os took: which share was done within which time, and how many took how
//! long.

use sokudo_words::{Text, spoken, text};

use super::figure::{Body, Chart, Ink, Layer, PlotFigure, Shape, heights};
use super::heading;
use super::scale::{PlotAxis, float, short_time};
use crate::document::{ResultDocument, RunDocument};
use crate::number::integer;

/// Classes of a histogram per decade: fine enough to see two peaks, coarse enough to
/// be smooth.
const CLASSES_PER_DECADE: f64 = 20.0;
/// More rows in one picture hide each other.
const ROWS_MAX: usize = 4;
/// The percentiles that are marked.
const MARKED: [f64; 4] = [0.5, 0.95, 0.99, 0.999];

/// Which share of I/Os was done within which time; `None` without latencies.
pub fn cumulative(document: &RunDocument) -> Option<PlotFigure> {
    of_few(document, text!("latency, cumulative"), shares_within)
}

/// The same of these results.
pub fn shares_within(
    document: &RunDocument,
    what: &Text,
    shown: &[&ResultDocument],
) -> Option<PlotFigure> {
    let shape = |result: &ResultDocument| {
        let longest = result.latency_ns.as_ref().and_then(|figures| figures.max);
        Shape::Lines(vec![shares(&result.histogram, longest)])
    };
    let mut layers = heading::layers(shown, percentiles, shape);
    let signs = shown.iter().enumerate();
    layers.extend(signs.map(|(number, result)| {
        Layer::new(
            Ink::of_number(number),
            Shape::Signs(percentile_signs(result)),
        )
    }));
    let left = PlotAxis::from_zero(text!("I/Os done within this time, %"), 100.0, 10);
    let chart = Chart {
        signs: Some(spoken().word("on a line: p50, p95, p99, p99.9")),
        ..Chart::new(time_axis(shown)?, left, layers)
    };
    let body = Body::Chart(Box::new(chart));
    Some(heading::picture(document, what, shown, body))
}

/// How many I/Os took how long; `None` without latencies.
pub fn histogram(document: &RunDocument) -> Option<PlotFigure> {
    of_few(document, text!("latency, 20 classes per decade"), outlines)
}

fn outlines(document: &RunDocument, what: &Text, shown: &[&ResultDocument]) -> Option<PlotFigure> {
    let shape = |result: &ResultDocument| Shape::Lines(outline(result));
    let layers = heading::layers(shown, percentiles, shape);
    let left = PlotAxis::from_zero(
        text!("Share of I/Os, %"),
        heights(&layers).reduce(f64::max)?,
        8,
    );
    let chart = Chart::new(time_axis(shown)?, left, layers);
    let body = Body::Chart(Box::new(chart));
    Some(heading::picture(document, what, shown, body))
}

/// A picture of the rows with latencies, as far as there is room.
fn of_few(
    document: &RunDocument,
    what: Text,
    picture: fn(&RunDocument, &Text, &[&ResultDocument]) -> Option<PlotFigure>,
) -> Option<PlotFigure> {
    let mut shown = document.results_by_direction();
    shown.retain(|result| !result.histogram.is_empty());
    let (shown, what) = least_in_flight(shown, what);
    picture(document, &what, &shown)
}

/// Of more rows than there is room for, those with the least in flight, which say most of the disk;
/// and what is shown, which says so.
pub(super) fn least_in_flight(
    mut shown: Vec<&ResultDocument>,
    what: Text,
) -> (Vec<&ResultDocument>, Text) {
    let all = shown.len();
    if all <= ROWS_MAX {
        return (shown, what);
    }
    let in_flight = |result: &ResultDocument| {
        u64::from(result.workload.threads) * u64::from(result.workload.depth)
    };
    let mut numbered: Vec<(usize, &ResultDocument)> = shown.drain(..).enumerate().collect();
    numbered.sort_by_key(|(_, result)| in_flight(result));
    numbered.truncate(ROWS_MAX);
    numbered.sort_by_key(|(number, _)| *number);
    let shown = numbered.into_iter().map(|(_, result)| result).collect();
    (shown, text!("{what}, {ROWS_MAX} of {all} rows"))
}

/// The percentiles behind a name.
fn percentiles(result: &ResultDocument) -> Text {
    let Some(figures) = &result.latency_ns else {
        return Text::default();
    };
    let named = [
        ("p50", figures.p50),
        ("p95", figures.p95),
        ("p99", figures.p99),
        ("p99.9", figures.p99_9),
    ];
    let known = named.into_iter().filter_map(|(name, nanos)| {
        let nanos = sokudo_model::Nanos(nanos?);
        Some(Text::name(format!("{name} {nanos}")))
    });
    Text::list(known, ", ")
}

fn time_axis(shown: &[&ResultDocument]) -> Option<PlotAxis> {
    let figures = || shown.iter().filter_map(|result| result.latency_ns.as_ref());
    // Another tool may tell how many I/Os took how long, but not the ends.
    let ends = || shown.iter().flat_map(|result| &result.histogram);
    let lowest = figures().filter_map(|figures| figures.min).min();
    let lowest = lowest.or_else(|| ends().map(|[low, _, _]| *low).min())?;
    let highest = figures().filter_map(|figures| figures.max).max();
    let highest = highest.or_else(|| ends().map(|[_, high, _]| *high).max())?;
    Some(PlotAxis::decades(
        text!("Latency, logarithmic"),
        float(lowest.max(1)),
        float(highest.max(1)),
        short_time,
    ))
}

/// `[time, percent]` at both ends of every bucket `[low, high, count]`: what lies between two
/// buckets took nobody's time, so the share stays.
pub fn shares(histogram: &[[u64; 3]], longest: Option<u64>) -> Vec<[f64; 2]> {
    let count = float(histogram.iter().map(|[_, _, count]| count).sum());
    let mut points = Vec::new();
    let mut done = 0.0;
    for [low, high, inside] in histogram {
        points.push([float(*low), done / count * 100.0]);
        done += float(*inside);
        // Another tool may not tell the longest: classes end where they end.
        let high = longest.map_or(*high, |longest| longest.min(*high));
        points.push([float(high), done / count * 100.0]);
    }
    points
}

/// The marked percentiles that there are enough I/Os for.
fn percentile_signs(result: &ResultDocument) -> Vec<[f64; 2]> {
    let Some(figures) = &result.latency_ns else {
        return Vec::new();
    };
    let values = [figures.p50, figures.p95, figures.p99, figures.p99_9];
    MARKED
        .into_iter()
        .zip(values)
        .filter_map(|(share, value)| Some([float(value?), share * 100.0]))
        .collect()
}

/// Lines around classes beside each other, `[time, percent]`.
type Outline = Vec<Vec<[f64; 2]>>;

/// The outline of a histogram in classes of equal ratio.
fn outline(result: &ResultDocument) -> Outline {
    let count = float(result.histogram.iter().map(|[_, _, count]| count).sum());
    let edge = |class: i32| 10f64.powf(f64::from(class) / CLASSES_PER_DECADE);
    let class_of = |[low, high, _]: &[u64; 3]| class(f64::midpoint(float(*low), float(*high)));
    let mut lines: Outline = Vec::new();
    let mut next = None;
    for class in result
        .histogram
        .chunk_by(|left, right| class_of(left) == class_of(right))
    {
        let number = class_of(&class[0]);
        let inside: u64 = class.iter().map(|[_, _, count]| count).sum();
        let percent = float(inside) / count * 100.0;
        let top = [[edge(number), percent], [edge(number + 1), percent]];
        match lines.last_mut() {
            Some(line) if next == Some(number) => line.extend(top),
            _ => lines.push([[edge(number), 0.0]].into_iter().chain(top).collect()),
        }
        next = Some(number + 1);
    }
    for line in &mut lines {
        line.extend(line.last().map(|[time, _]| [*time, 0.0]));
    }
    lines
}

fn class(nanos: f64) -> i32 {
    integer((nanos.max(1.0).log10() * CLASSES_PER_DECADE).floor())
}
