//! Curves of several scans of one disk, laid over each other, with what has become slower marked.

use sokudo_model::Bytes;
use sokudo_words::{Language, Text, speaking, spoken, text};

use super::curve::{Curve, PositionUnit, first_transfer};
use super::figure::{Body, Chart, Ink, Layer, PlotFigure, Shape, heights};
use super::scale::PlotAxis;
use crate::comparison::{SlowerStretch, slower_samples};
use crate::document::{ResultDocument, RunDocument};
use crate::number::{self, BYTES_PER_MB};

/// More curves than this hide each other.
const CURVES_MAX: usize = 7;
/// Steps of the vertical axis, about.
const STEPS: usize = 8;

/// The first curve of each run over position; `None` where one of them has none, or there are
/// more than can be told apart. What is slower than the first run is marked.
pub fn overlaid(
    title: &str,
    runs: &[(String, &RunDocument)],
    language: Language,
) -> Option<PlotFigure> {
    speaking(language, || drawn(title, runs))
}

fn drawn(title: &str, runs: &[(String, &RunDocument)]) -> Option<PlotFigure> {
    if !(2..=CURVES_MAX).contains(&runs.len()) {
        return None;
    }
    let curves: Option<Vec<(&str, &ResultDocument)>> = runs
        .iter()
        .map(|(name, run)| Some((&**name, first_transfer(run)?)))
        .collect();
    let curves = curves?;
    let (_, reference) = *curves.first()?;
    let end = |(_, result): &(&str, &ResultDocument)| {
        let samples = result.samples.iter();
        samples.map(|it| it.offset.saturating_add(it.bytes)).max()
    };
    let start = |(_, result): &(&str, &ResultDocument)| {
        result.samples.iter().map(|sample| sample.offset).min()
    };
    let low = curves.iter().filter_map(start).min()?;
    let high = curves.iter().filter_map(end).max()?;
    let unit = PositionUnit::of(Bytes(high));
    let mut layers = Vec::new();
    let mut slower = Vec::new();
    for (number, (name, result)) in curves.iter().enumerate() {
        let curve = Curve::of(result);
        let layer = Layer::new(Ink::of_number(number), curve.lines(unit));
        layers.push(layer.named(*name, curve.rate_spread()));
        if number > 0 {
            slower.extend(marked(name, &slower_samples(reference, result), unit));
        }
    }
    let highest = heights(&layers).fold(0.0, f64::max);
    layers.extend(slower);
    let bottom = PlotAxis::exact(
        text!("Position, {}", unit.name),
        unit.share(low),
        unit.share(high),
        10,
    );
    let left = PlotAxis::from_zero(text!("Transfer rate, MB/s"), highest, STEPS);
    let footer = text!(
        "Marked below: slower than the first by more than {} and by more than the noise · 1 MB is {} bytes",
        "10 %",
        number::grouped(&BYTES_PER_MB.to_string())
    );
    Some(PlotFigure {
        language: spoken(),
        title: title.to_owned(),
        subtitle: text!("{} scans, transfer rate over position", runs.len()).into(),
        footer: footer.into(),
        body: Body::Chart(Box::new(Chart::new(bottom, left, layers))),
    })
}

fn marked(name: &str, stretches: &[SlowerStretch], unit: PositionUnit) -> Option<Layer> {
    let ranges: Vec<[f64; 2]> = stretches
        .iter()
        .map(|stretch| [stretch.from, stretch.to].map(|end| unit.share(end)))
        .collect();
    let lowest = stretches
        .iter()
        .map(|stretch| stretch.ratio)
        .reduce(f64::min)?;
    let lost = (1.0 - lowest) * 100.0;
    let figures: Text = match ranges.len() {
        1 => text!("{lost:.0} % slower"),
        count => text!("{count} ranges, up to {lost:.0} % slower"),
    };
    let name = text!("{name}: slower");
    Some(Layer::new(Ink::FAULT, Shape::Ranges(ranges)).named(name, figures))
}
