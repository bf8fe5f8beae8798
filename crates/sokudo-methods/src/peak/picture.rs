//! IOPS over how much is in flight, with the knee and the most.

use sokudo_report::document::{ResultDocument, RunDocument};
use sokudo_report::number::{float, rate};
use sokudo_report::plot::figure::{Body, Chart, Ink, Layer, PlotFigure, Shape};
use sokudo_report::plot::scale::{PlotAxis, whole_rate};
use sokudo_report::plot::{PlotKind, heading};
use sokudo_words::{Text, text};

use crate::peak::view::{Peak, PeakRow};

/// Inks of the most and of the knee: none of the line's.
const MOST_INK: usize = 1;
const KNEE_INK: usize = 3;
/// How far the axis of depths reaches beyond the last.
const AXIS_BEYOND: f64 = 1.5;
/// Steps of the axis of IOPS, about.
const STEPS: usize = 8;

/// It, as a kind of picture.
pub(crate) const RATE_BY_DEPTH: PlotKind = PlotKind {
    name: "peak",
    needs: "growing loads, as sokudo peak measures them",
    caption: "IOPS by I/Os in flight",
    further: &["cdf"],
    figure,
};

/// `None` unless a peak was looked for.
fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let peak = document.views.get::<Peak>()?;
    let point = |row: &PeakRow| [float(row.step.load.in_flight()), row.step.ios_per_s];
    let mut line: Vec<[f64; 2]> = peak.steps.iter().map(point).collect();
    line.sort_by(|one, other| one[0].total_cmp(&other[0]));
    let ([least, _], [deepest, _]) = (*line.first()?, *line.last()?);
    let mut layers = vec![Layer::new(Ink::of_number(0), Shape::Lines(vec![line]))];
    let marked: &[(usize, Text, usize)] = match peak.knee == peak.best {
        true => &[(peak.best, text!("knee and maximum"), MOST_INK)],
        false => &[
            (peak.knee, text!("knee"), KNEE_INK),
            (peak.best, text!("maximum"), MOST_INK),
        ],
    };
    for (index, name, ink) in marked {
        let row = peak.steps.get(*index)?;
        let iops = rate(row.step.ios_per_s);
        let figures = text!("{iops} IOPS, {}", row.step.load.description());
        let sign = Layer::new(Ink::of_number(*ink), Shape::Signs(vec![point(row)]));
        layers.push(sign.named(name.clone(), figures));
    }
    let most = peak.best().ios_per_s;
    let bottom = text!("I/Os in flight, logarithmic");
    let mut bottom = PlotAxis::decades(bottom, least, deepest, whole_rate);
    bottom.scale.high = bottom.scale.high.min(deepest * AXIS_BEYOND);
    bottom.ticks.retain(|tick| tick.at <= bottom.scale.high);
    let left = PlotAxis::from_zero("IOPS", most, STEPS);
    let results = peak.steps.iter();
    let results = results.filter_map(|row| document.results.get(row.result));
    let shown: Vec<&ResultDocument> = results.collect();
    let body = Body::Chart(Box::new(Chart::new(bottom, left, layers)));
    let what = text!("IOPS by I/Os in flight");
    Some(heading::picture(document, &what, &shown, body))
}
