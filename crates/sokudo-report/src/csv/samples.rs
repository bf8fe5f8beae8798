//! A scan as CSV: one line per place, one per range that failed, and for rows that visit no
//! places one per trial.

use super::line::ResultRecord as Of;
use crate::document::{DefectDocument, ResultDocument, RunDocument, SampleDocument, TrialDocument};
use crate::record::{Columns, word};

/// What is told of one place, range or trial of a row.
struct DetailRecord<'a> {
    of: Of<'a>,
    sample: SampleDocument,
    /// How the range failed.
    failure: Option<String>,
}

/// All lines, rows in the run's order.
pub(super) fn render(document: &RunDocument) -> String {
    let lines = super::lines(document).flat_map(|of| {
        let samples = samples_of(&of.result).into_iter();
        samples.map(move |(sample, failure)| DetailRecord {
            of: of.clone(),
            sample,
            failure,
        })
    });
    columns().csv(lines)
}

fn columns<'a>() -> Columns<'a, DetailRecord<'a>> {
    Columns::<DetailRecord<'_>>::none()
        .column("started_at", |it| it.of.run.began())
        .column("target", |it| it.of.target_path())
        .column("method", |it| it.of.run.plan.method.to_string())
        .column("name", |it| it.of.result.name.clone())
        .column("direction", |it| it.of.result.direction.name())
        .column("write_cache", |it| word(&it.of.result.workload.drive_cache))
        .column("trial", |it| it.sample.trial)
        .column("offset", |it| it.sample.offset)
        .column("bytes", |it| it.sample.bytes)
        .column("ios", |it| it.sample.ios)
        .column("elapsed_ns", |it| {
            it.failure.is_none().then_some(it.sample.elapsed_ns)
        })
        .column("bytes_per_s", |it| it.sample.bytes_per_s())
        .column("latency_max_ns", |it| it.sample.latency_max_ns)
        .column("distance", |it| it.sample.distance)
        .column("failure", |it| it.failure.clone())
}

/// Places, ranges that failed and how, or trials as places.
fn samples_of(result: &ResultDocument) -> Vec<(SampleDocument, Option<String>)> {
    if result.workload.survey().is_none() {
        let span = result.workload.span;
        let offset = span.map_or(0, |span| span.offset.0);
        let of_trial = |trial: &TrialDocument| SampleDocument {
            trial: trial.trial,
            offset,
            bytes: trial.bytes,
            ios: Some(trial.ios),
            elapsed_ns: trial.elapsed_ns,
            ..SampleDocument::default()
        };
        let trials = result.trials.iter();
        return trials.map(|trial| (of_trial(trial), None)).collect();
    }
    let of_defect = |defect: &DefectDocument| {
        let failure = format!("{} failed: {}", defect.operation.name(), defect.message);
        let sample = SampleDocument {
            trial: defect.trial,
            offset: defect.offset,
            bytes: defect.length,
            ..SampleDocument::default()
        };
        (sample, Some(failure))
    };
    let samples = result.samples.iter().map(|sample| (*sample, None));
    samples
        .chain(result.defects.iter().map(of_defect))
        .collect()
}
