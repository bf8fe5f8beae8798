//! A scan as CSV: one line per place, one per range that failed, and for rows that visit no
//! places one per trial.

use super::line::{Line as Of, per_second};
use crate::document::{DefectDocument, PlaceDocument, ResultDocument, RunDocument, TrialDocument};
use crate::record::{self, Column, or_missing, word};

/// What is told of one place, range or trial of a row.
struct Line<'a> {
    of: Of<'a>,
    figures: Figures,
}

#[derive(Default)]
struct Figures {
    trial: u32,
    offset: u64,
    bytes: u64,
    ios: Option<u64>,
    elapsed_ns: Option<u64>,
    bytes_per_s: Option<f64>,
    latency_max_ns: Option<u64>,
    distance: Option<u64>,
    failure: Option<String>,
}

/// All lines, rows in the run's order.
pub(super) fn render(document: &RunDocument) -> String {
    let lines = super::lines(document).flat_map(|of| {
        let figures = figures(of.result).into_iter();
        figures.map(move |figures| Line { of, figures })
    });
    record::csv(&columns(), lines)
}

fn columns<'a>() -> Vec<Column<Line<'a>>> {
    vec![
        Column::text("started_at", |it| it.of.run.started_at.clone()),
        Column::text("target", |it| it.of.target()),
        Column::text("method", |it| it.of.run.method.to_string()),
        Column::text("name", |it| it.of.result.name.clone()),
        Column::text("direction", |it| it.of.result.direction.name().to_owned()),
        Column::text("write_cache", |it| word(&it.of.result.workload.drive_cache)),
        Column::whole("trial", |it| Some(it.figures.trial.into())),
        Column::whole("offset", |it| Some(it.figures.offset)),
        Column::whole("bytes", |it| Some(it.figures.bytes)),
        Column::whole("ios", |it| it.figures.ios),
        Column::whole("elapsed_ns", |it| it.figures.elapsed_ns),
        Column::real("bytes_per_s", |it| it.figures.bytes_per_s),
        Column::whole("latency_max_ns", |it| it.figures.latency_max_ns),
        Column::whole("distance", |it| it.figures.distance),
        Column::text("failure", |it| or_missing(it.figures.failure.as_ref())),
    ]
}

fn figures(result: &ResultDocument) -> Vec<Figures> {
    if result.workload.survey.is_none() {
        let span = result.workload.span;
        let offset = span.map_or(0, |span| span.offset.0);
        let trials = result.trials.iter();
        return trials.map(|trial| of_trial(trial, offset)).collect();
    }
    let places = result.places.iter().map(of_place);
    places.chain(result.defects.iter().map(of_defect)).collect()
}

fn of_place(place: &PlaceDocument) -> Figures {
    Figures {
        trial: place.trial,
        offset: place.offset,
        bytes: place.bytes,
        ios: place.ios,
        elapsed_ns: Some(place.elapsed_ns),
        bytes_per_s: place.bytes_per_s(),
        latency_max_ns: place.latency_max_ns,
        distance: place.distance,
        failure: None,
    }
}

fn of_defect(defect: &DefectDocument) -> Figures {
    let operation = defect.operation.name();
    Figures {
        trial: defect.trial,
        offset: defect.offset,
        bytes: defect.length,
        failure: Some(format!("{operation} failed: {}", defect.message)),
        ..Figures::default()
    }
}

fn of_trial(trial: &TrialDocument, offset: u64) -> Figures {
    Figures {
        trial: trial.trial,
        offset,
        bytes: trial.bytes,
        ios: Some(trial.ios),
        elapsed_ns: Some(trial.elapsed_ns),
        bytes_per_s: per_second(trial.bytes, trial),
        ..Figures::default()
    }
}
