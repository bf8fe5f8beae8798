//! How long what is asked about took, against what it must not exceed.

use sokudo_model::{FitCriterion, FitMetric, Operation, Percentile};
use sokudo_report::document::{ResultDocument, RunDocument, sparse};
use sokudo_report::number::float;
use sokudo_report::plot::figure::{Body, Chart, Ink, Layer, PlotFigure, Shape};
use sokudo_report::plot::latency::shares;
use sokudo_report::plot::scale::{PlotAxis, short_time};
use sokudo_report::plot::{PlotKind, heading};
use sokudo_report::wording::row;
use sokudo_stats::Histogram;
use sokudo_words::text;

use crate::fit::table::{shown, signed, what};
use crate::fit::view::FitDocument;

/// All I/Os together, in percent.
const ALL: f64 = 100.0;

/// It, as a kind of picture.
pub(crate) const LATENCY_AND_LIMIT: PlotKind = PlotKind {
    name: "fit",
    needs: "latencies, as sokudo fit measures them",
    caption: "Latency: the share of I/Os completed within a given time",
    further: &["bars"],
    figure,
};

/// `None` where no time is asked about.
fn figure(document: &RunDocument) -> Option<PlotFigure> {
    let fit = document.views.get::<FitDocument>()?;
    let timed = fit.each().filter_map(|(criterion, figure)| {
        let percentile = match criterion.metric {
            FitMetric::SyncLatency(percentile) | FitMetric::Latency(percentile) => percentile,
            _ => return None,
        };
        let result = document.result_at(criterion.row)?;
        Some((criterion, figure.measured, percentile, result))
    });
    let timed: Vec<(&FitCriterion, Option<f64>, Percentile, &ResultDocument)> = timed.collect();
    let mut layers: Vec<Layer> = Vec::new();
    let mut ends: Vec<f64> = Vec::new();
    let mut drawn: Vec<(u32, bool)> = Vec::new();
    for (criterion, measured, percentile, result) in &timed {
        let metric = criterion.metric;
        let is_sync = matches!(metric, FitMetric::SyncLatency(_));
        if !drawn.contains(&(criterion.row, is_sync)) {
            let points = points(document, criterion.row, is_sync)?;
            ends.extend(points.iter().map(|[time, _]| *time));
            let line = Layer::new(Ink::of_number(drawn.len()), Shape::Lines(vec![points]));
            let name = match is_sync {
                true => text!("flushes of {}", row(&result.name)),
                false => row(&result.name),
            };
            layers.push(line.named(name, ""));
            drawn.push((criterion.row, is_sync));
        }
        let named = what(metric, &result.workload.durability);
        if let Some(time) = measured {
            let sign = Shape::Signs(vec![[*time, percentile.fraction() * ALL]]);
            let sign = Layer::new(Ink::of_number(drawn.len() - 1), sign);
            layers.push(sign.named(named.clone(), shown(metric, *time)));
        }
        if let Some(limit) = criterion.limit {
            let at = float(limit.value);
            ends.push(at);
            let line = Shape::Lines(vec![vec![[at, 0.0], [at, ALL]]]);
            let line = Layer::new(Ink::FAULT.dashed(true), line);
            layers.push(line.named(text!("limit of {named}"), signed(metric, limit)));
        }
    }
    let lowest = ends.iter().copied().reduce(f64::min)?;
    let highest = ends.iter().copied().reduce(f64::max)?;
    let label = text!("Latency, logarithmic");
    // With room beside the outermost, which would lie on the frame.
    let bottom = PlotAxis::decades(label, lowest / 2.0, highest * 1.5, short_time);
    let left = PlotAxis::from_zero(text!("I/Os done within this time, %"), ALL, 10);
    let body = Body::Chart(Box::new(Chart::new(bottom, left, layers)));
    let results: Vec<&ResultDocument> = timed.iter().map(|(.., result)| *result).collect();
    let what = text!("latency for {}", &*fit.question.name);
    Some(heading::picture(document, &what, &results, body))
}

/// Which share of a row's flushes, or of its I/Os, was done within which time.
fn points(document: &RunDocument, row: u32, is_sync: bool) -> Option<Vec<[f64; 2]>> {
    let row = document.rows.get(usize::try_from(row).ok()?)?;
    let tallies = row
        .trials
        .iter()
        .flat_map(|trial| &trial.outcome.operations);
    let timed = tallies.filter(|it| (it.operation == Operation::Flush) == is_sync);
    let all = Histogram::of_all(timed.map(|tally| &tally.latency))?;
    Some(shares(&sparse(&all), all.max()))
}
