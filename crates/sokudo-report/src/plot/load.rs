//! Latency against load: percentiles of both latencies over the rate that was asked for,
//! with the knee and the limit.

use super::figure::{Body, Chart, Ink, Layer, PlotFigure, Shape, VerticalAxis};
use super::heading;
use super::scale::{Axis, short_time};
use crate::document::{LatencyFigures, LoadDocument, ResultDocument, RunDocument};
use crate::number::rate;

type Pick = fn(&LatencyFigures) -> Option<u64>;

/// The ink of the knee: none of a latency's.
const KNEE_INK: usize = 3;

/// What is drawn of each latency.
const PERCENTILES: [(&str, Pick); 3] = [
    ("p50", |latency| latency.p50),
    ("p99", |latency| latency.p99),
    ("p99.9", |latency| latency.p99_9),
];

/// `None` unless latency against load was measured.
pub(super) fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let load = document.load.as_ref()?;
    let shown: Vec<&ResultDocument> = load
        .steps
        .iter()
        .filter_map(|step| document.results.get(step.result))
        .collect();
    let mut layers = Vec::new();
    for (number, (name, pick)) in PERCENTILES.into_iter().enumerate() {
        let intended = |result: &ResultDocument| pick(result.latency_from_intended_ns.as_ref()?);
        layers.push(layer(
            document,
            load,
            format!("{name} from intended start"),
            number,
            &intended,
        ));
    }
    for (number, (name, pick)) in PERCENTILES.into_iter().enumerate() {
        let service = |result: &ResultDocument| pick(result.latency_ns.as_ref()?);
        let layer = layer(
            document,
            load,
            format!("{name} of service"),
            number,
            &service,
        );
        layers.push(Layer {
            ink: layer.ink.dashed(true),
            ..layer
        });
    }
    layers.retain(|layer| matches!(&layer.shape, Shape::Lines(lines) if !lines[0].is_empty()));
    let most = load.steps.last()?.asked_ios_per_s;
    let bottom = Axis::from_zero("I/Os asked for per second", most, 10);
    layers.extend(limit_layer(load, bottom.scale.high));
    let values = || {
        layers.iter().flat_map(|layer| match &layer.shape {
            Shape::Lines(lines) => lines.concat(),
            _ => Vec::new(),
        })
    };
    let lowest = values().map(|point| point[1]).reduce(f64::min)?;
    let highest = values().map(|point| point[1]).reduce(f64::max)?;
    let left = Axis::decades("Latency, logarithmic", lowest, highest, short_time);
    let knee = load.knee.map(|knee| Layer {
        name: "knee".to_owned(),
        figures: format!("{} IOPS", rate(knee.ios_per_s)),
        ink: Ink::of_number(KNEE_INK).dashed(true),
        side: VerticalAxis::Left,
        shape: Shape::Lines(vec![vec![
            [knee.ios_per_s, left.scale.low],
            [knee.ios_per_s, left.scale.high],
        ]]),
    });
    layers.extend(knee);
    let chart = Chart {
        bottom,
        top: None,
        left,
        right: None,
        layers,
        parts: Vec::new(),
        signs: None,
    };
    Some(PlotFigure {
        title: heading::title(document, "latency against load"),
        subtitle: heading::subtitle(document, &shown),
        footer: heading::footer(document, &shown),
        body: Body::Chart(Box::new(chart)),
    })
}

fn layer(
    document: &RunDocument,
    load: &LoadDocument,
    name: String,
    number: usize,
    latency: &dyn Fn(&ResultDocument) -> Option<u64>,
) -> Layer {
    let points = load.steps.iter().filter_map(|step| {
        let nanos = latency(document.results.get(step.result)?)?;
        Some([step.asked_ios_per_s, float(nanos)])
    });
    Layer {
        name,
        figures: String::new(),
        ink: Ink::of_number(number),
        side: VerticalAxis::Left,
        shape: Shape::Lines(vec![points.collect()]),
    }
}

fn limit_layer(load: &LoadDocument, high: f64) -> Option<Layer> {
    let limit = load.limit.as_ref()?;
    let latency = float(limit.limit.latency.0);
    Some(Layer {
        name: limit.name(),
        figures: limit
            .ios_per_s
            .map_or_else(String::new, |kept| format!("up to {} IOPS", rate(kept))),
        ink: Ink::FAULT.dashed(true),
        side: VerticalAxis::Left,
        shape: Shape::Lines(vec![vec![[0.0, latency], [high, latency]]]),
    })
}

#[expect(clippy::cast_precision_loss, reason = "a value in a picture")]
fn float(value: u64) -> f64 {
    value as f64
}
