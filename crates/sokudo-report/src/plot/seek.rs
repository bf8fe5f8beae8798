//! Access time over the distance from the place before: what a seek costs.

use sokudo_model::Bytes;

use super::curve::{
    PositionUnit, access_figures, access_ink, access_ms, access_names, accesses, moved,
};
use super::figure::{Body, Chart, Layer, PlotFigure, Shape, VerticalAxis};
use super::heading;
use super::scale::Axis;
use crate::document::{ResultDocument, RunDocument};

/// `None` when no way from place to place was measured.
pub(super) fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let mut shown = accesses(document);
    shown.retain(|result| moved(result).any(|place| place.distance.is_some()));
    let places = || shown.iter().flat_map(|result| moved(result));
    let farthest = places().filter_map(|place| place.distance).max()?;
    let slowest = places().map(access_ms).fold(0.0, f64::max);
    let unit = PositionUnit::of(Bytes(farthest));
    let layer = |((number, result), name): ((usize, &&ResultDocument), String)| {
        let points =
            moved(result).filter_map(|place| Some([unit.share(place.distance?), access_ms(place)]));
        Layer {
            name,
            figures: access_figures(result),
            ink: access_ink(number, shown.len()),
            side: VerticalAxis::Left,
            shape: Shape::Dots(points.collect()),
        }
    };
    let chart = Chart {
        bottom: Axis::exact(
            format!("Distance from the place before, {}", unit.name),
            0.0,
            unit.share(farthest),
            10,
        ),
        top: None,
        left: Axis::from_zero("Access time, ms", slowest, 8),
        right: None,
        layers: shown
            .iter()
            .enumerate()
            .zip(access_names(&shown))
            .map(layer)
            .collect(),
        parts: Vec::new(),
        signs: None,
    };
    Some(PlotFigure {
        title: heading::title(document, "access time over seek distance"),
        subtitle: heading::subtitle(document, &shown),
        footer: heading::footer(document, &shown),
        body: Body::Chart(Box::new(chart)),
    })
}
