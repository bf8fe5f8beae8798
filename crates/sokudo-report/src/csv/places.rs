//! A scan as CSV: one line per place, one per range that failed, and for rows that visit no
//! places one per trial.

use super::line::ResultRecord as Of;
use crate::document::{DefectDocument, PlaceDocument, ResultDocument, RunDocument, TrialDocument};
use crate::record::{self, RecordColumn, or_missing, word};

/// What is told of one place, range or trial of a row.
struct DetailRecord<'a> {
    of: Of<'a>,
    place: PlaceDocument,
    /// How the range failed.
    failure: Option<String>,
}

/// All lines, rows in the run's order.
pub(super) fn render(document: &RunDocument) -> String {
    let lines = super::lines(document).flat_map(|of| {
        let places = places(&of.result).into_iter();
        places.map(move |(place, failure)| DetailRecord {
            of: of.clone(),
            place,
            failure,
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
        RecordColumn::whole("trial", |it| Some(it.place.trial.into())),
        RecordColumn::whole("offset", |it| Some(it.place.offset)),
        RecordColumn::whole("bytes", |it| Some(it.place.bytes)),
        RecordColumn::whole("ios", |it| it.place.ios),
        RecordColumn::whole("elapsed_ns", |it| {
            it.failure.is_none().then_some(it.place.elapsed_ns)
        }),
        RecordColumn::real("bytes_per_s", |it| it.place.bytes_per_s()),
        RecordColumn::whole("latency_max_ns", |it| it.place.latency_max_ns),
        RecordColumn::whole("distance", |it| it.place.distance),
        RecordColumn::text("failure", |it| or_missing(it.failure.as_ref())),
    ]
}

/// Places, ranges that failed and how, or trials as places.
fn places(result: &ResultDocument) -> Vec<(PlaceDocument, Option<String>)> {
    if result.workload.survey.is_none() {
        let span = result.workload.span;
        let offset = span.map_or(0, |span| span.offset.0);
        let of_trial = |trial: &TrialDocument| PlaceDocument {
            trial: trial.trial,
            offset,
            bytes: trial.bytes,
            ios: Some(trial.ios),
            elapsed_ns: trial.elapsed_ns,
            ..PlaceDocument::default()
        };
        let trials = result.trials.iter();
        return trials.map(|trial| (of_trial(trial), None)).collect();
    }
    let of_defect = |defect: &DefectDocument| {
        let failure = format!("{} failed: {}", defect.operation.name(), defect.message);
        let place = PlaceDocument {
            trial: defect.trial,
            offset: defect.offset,
            bytes: defect.length,
            ..PlaceDocument::default()
        };
        (place, Some(failure))
    };
    let places = result.places.iter().map(|place| (*place, None));
    places.chain(result.defects.iter().map(of_defect)).collect()
}
