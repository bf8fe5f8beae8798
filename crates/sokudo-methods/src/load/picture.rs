//! Latency against load: percentiles of both latencies over the rate that was asked for,
//! with the knee and the limit.

use sokudo_report::document::{LatencyFigures, ResultDocument, RunDocument};
use sokudo_report::number::rate;
use sokudo_report::plot::figure::{Body, Chart, Ink, Layer, PlotFigure, Shape, heights};
use sokudo_report::plot::scale::{PlotAxis, float, short_time};
use sokudo_report::plot::{PlotKind, heading};
use sokudo_words::text;

use crate::load::view::LoadDocument;

type Latency = fn(&ResultDocument) -> Option<&LatencyFigures>;
type Pick = fn(&LatencyFigures) -> Option<u64>;

/// The ink of the knee: none of a latency's.
const KNEE_INK: usize = 3;

/// The latencies that are drawn, and whether they are those of service, which are dashed.
const LATENCIES: [(bool, Latency); 2] = [
    (false, |result| result.latency_from_intended_ns.as_ref()),
    (true, |result| result.latency_ns.as_ref()),
];

/// What is drawn of each latency.
const PERCENTILES: [(&str, Pick); 3] = [
    ("p50", |latency| latency.p50),
    ("p99", |latency| latency.p99),
    ("p99.9", |latency| latency.p99_9),
];

/// It, as a kind of picture.
pub(crate) const LATENCY_BY_LOAD: PlotKind = PlotKind {
    name: "load",
    needs: "fixed rates, as sokudo load measures them",
    caption: "Latency against load",
    further: &["cdf"],
    figure,
};

/// `None` unless latency against load was measured.
fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let load = document.views.get::<LoadDocument>()?;
    let steps = load.steps.iter();
    let steps = steps.filter_map(|step| Some((step, document.results.get(step.result)?)));
    let steps: Vec<_> = steps.collect();
    let mut layers = Vec::new();
    for (is_of_service, latency) in LATENCIES {
        for (number, (name, pick)) in PERCENTILES.into_iter().enumerate() {
            let points = steps.iter().filter_map(|(step, result)| {
                Some([step.intended_ios_per_s, float(pick(latency(result)?)?)])
            });
            let points: Vec<[f64; 2]> = points.collect();
            if !points.is_empty() {
                let ink = Ink::of_number(number).dashed(is_of_service);
                let layer = Layer::new(ink, Shape::Lines(vec![points]));
                let name = match is_of_service {
                    true => text!("{name}, service"),
                    false => text!("{name}, from the intended start"),
                };
                layers.push(layer.named(name, ""));
            }
        }
    }
    let most = load.steps.last()?.intended_ios_per_s;
    let bottom = PlotAxis::from_zero(text!("Requested I/Os per second"), most, 10);
    layers.extend(limit_layer(load, bottom.scale.high));
    let lowest = heights(&layers).reduce(f64::min)?;
    let highest = heights(&layers).reduce(f64::max)?;
    let left = PlotAxis::decades(text!("Latency, logarithmic"), lowest, highest, short_time);
    layers.extend(load.knee.map(|knee| {
        let line = [left.scale.low, left.scale.high].map(|end| [knee.ios_per_s, end]);
        let ink = Ink::of_number(KNEE_INK).dashed(true);
        let layer = Layer::new(ink, Shape::Lines(vec![line.to_vec()]));
        layer.named(text!("knee"), format!("{} IOPS", rate(knee.ios_per_s)))
    }));
    let shown: Vec<&ResultDocument> = steps.iter().map(|(_, result)| *result).collect();
    let body = Body::Chart(Box::new(Chart::new(bottom, left, layers)));
    Some(heading::picture(
        document,
        &text!("latency against load"),
        &shown,
        body,
    ))
}

fn limit_layer(load: &LoadDocument, high: f64) -> Option<Layer> {
    let limit = load.limit.as_ref()?;
    let latency = float(limit.limit.latency.0);
    let kept = limit
        .ios_per_s
        .map(|kept| text!("up to {} IOPS", rate(kept)));
    let line = vec![[0.0, latency], [high, latency]];
    let layer = Layer::new(Ink::FAULT.dashed(true), Shape::Lines(vec![line]));
    Some(layer.named(limit.name(), kept.unwrap_or_default()))
}
