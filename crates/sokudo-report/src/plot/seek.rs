//! Access time over the distance from the place before: what a seek costs.

use sokudo_model::Bytes;
use sokudo_words::text;

use super::curve::{PositionUnit, access_layers, access_ms, accesses, moved};
use super::figure::{Body, Chart, PlotFigure, VerticalAxis};
use super::heading;
use super::scale::PlotAxis;
use crate::document::{RunDocument, SampleDocument};

/// `None` when no way from place to place was measured.
pub(super) fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let mut shown = accesses(document);
    shown.retain(|result| moved(result).any(|sample| sample.distance.is_some()));
    let samples = || shown.iter().flat_map(|result| moved(result));
    let farthest = samples().filter_map(|sample| sample.distance).max()?;
    let slowest = samples().map(access_ms).fold(0.0, f64::max);
    let unit = PositionUnit::of(Bytes(farthest));
    let label = text!("Distance from the previous position, {}", unit.name);
    let bottom = PlotAxis::exact(label, 0.0, unit.share(farthest), 10);
    let left = PlotAxis::from_zero(text!("Access time, ms"), slowest, 8);
    let at = |sample: &SampleDocument| Some(unit.share(sample.distance?));
    let chart = Chart::new(bottom, left, access_layers(&shown, VerticalAxis::Left, at));
    let body = Body::Chart(Box::new(chart));
    let what = text!("access time over seek distance");
    Some(heading::picture(document, &what, &shown, body))
}
