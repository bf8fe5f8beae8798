//! Latencies of a workload alone and beside another one.

use crate::load::picture::LATENCY_BY_LOAD;
use sokudo_report::document::RunDocument;
use sokudo_report::plot::latency::shares_within;
use sokudo_report::plot::{PlotFigure, PlotKind};
use sokudo_words::text;

use super::view::BesideDocument;

/// It, as a kind of picture.
pub(crate) const LATENCIES: PlotKind = PlotKind {
    figure,
    ..LATENCY_BY_LOAD
};

/// At a fixed rate from the intended start; `None` of anything else.
fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let row = &document.views.get::<BesideDocument>()?.row;
    let of = |index: usize, histogram: &[[u64; 3]]| {
        let mut result = document.results.get(index)?.clone();
        result.latency_ns = result.latency_from_intended_ns.take().or(result.latency_ns);
        result.histogram = histogram.to_vec();
        (!result.histogram.is_empty()).then_some(result)
    };
    let shown = [
        &of(row.alone, &row.histogram_alone)?,
        &of(row.beside, &row.histogram_beside)?,
    ];
    let what = text!("latency beside another workload");
    shares_within(document, &what, &shown)
}
