//! A scan as CSV: one line per place, one per range that failed, and for rows that visit no
//! places one per trial.

use super::line::{ResultRecord as Of, per_second};
use crate::document::{DefectDocument, PlaceDocument, ResultDocument, RunDocument, TrialDocument};
use crate::record::{self, RecordColumn, or_missing, word};

/// What is told of one place, range or trial of a row.
struct DetailRecord<'a> {
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
        let figures = figures(&of.result).into_iter();
        figures.map(move |figures| DetailRecord {
            of: of.clone(),
            figures,
        })
    });
    record::csv(&columns(), lines)
}

fn columns<'a>() -> Vec<RecordColumn<DetailRecord<'a>>> {
    vec![
        RecordColumn::text("started_at", |it| it.of.run.began()),
        RecordColumn::text("target", |it| it.of.target_path()),
        RecordColumn::text("method", |it| it.of.run.plan.method.to_string()),
        RecordColumn::text("name", |it| it.of.result.name.clone()),
        RecordColumn::text("direction", |it| it.of.result.direction.name().to_owned()),
        RecordColumn::text("write_cache", |it| word(&it.of.result.workload.drive_cache)),
        RecordColumn::whole("trial", |it| Some(it.figures.trial.into())),
        RecordColumn::whole("offset", |it| Some(it.figures.offset)),
        RecordColumn::whole("bytes", |it| Some(it.figures.bytes)),
        RecordColumn::whole("ios", |it| it.figures.ios),
        RecordColumn::whole("elapsed_ns", |it| it.figures.elapsed_ns),
        RecordColumn::real("bytes_per_s", |it| it.figures.bytes_per_s),
        RecordColumn::whole("latency_max_ns", |it| it.figures.latency_max_ns),
        RecordColumn::whole("distance", |it| it.figures.distance),
        RecordColumn::text("failure", |it| or_missing(it.figures.failure.as_ref())),
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
