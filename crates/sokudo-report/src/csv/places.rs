//! A scan as CSV: one line per place, one per range that failed, and for rows that visit no
//! places one per trial.

use sokudo_model::Nanos;

use super::fields::{field, word, written};
use crate::document::{DefectDocument, PlaceDocument, ResultDocument, RunDocument, TrialDocument};

/// The names of the fields.
const NAMES: [&str; 15] = [
    "started_at",
    "target",
    "method",
    "name",
    "direction",
    "write_cache",
    "trial",
    "offset",
    "bytes",
    "ios",
    "elapsed_ns",
    "bytes_per_s",
    "latency_max_ns",
    "distance",
    "failure",
];

/// What is told of one place, range or trial.
struct Line {
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
    let names = NAMES.map(str::to_owned);
    let lines = document.results.iter().flat_map(|result| {
        lines(result)
            .into_iter()
            .map(|line| fields(document, result, line))
    });
    written(std::iter::once(names).chain(lines))
}

fn lines(result: &ResultDocument) -> Vec<Line> {
    if result.workload.survey.is_none() {
        let span = result.workload.span;
        let offset = span.map_or(0, |span| span.offset.0);
        let trials = result.trials.iter();
        return trials.map(|trial| of_trial(trial, offset)).collect();
    }
    let places = result.places.iter().map(of_place);
    places.chain(result.defects.iter().map(of_defect)).collect()
}

fn of_place(place: &PlaceDocument) -> Line {
    Line {
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

fn of_defect(defect: &DefectDocument) -> Line {
    Line {
        trial: defect.trial,
        offset: defect.offset,
        bytes: defect.length,
        ios: None,
        elapsed_ns: None,
        bytes_per_s: None,
        latency_max_ns: None,
        distance: None,
        failure: Some(format!(
            "{} failed: {}",
            defect.operation.name(),
            defect.message
        )),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rate is a float")]
fn of_trial(trial: &TrialDocument, offset: u64) -> Line {
    let seconds = Nanos(trial.elapsed_ns).as_secs_f64();
    Line {
        trial: trial.trial,
        offset,
        bytes: trial.bytes,
        ios: Some(trial.ios),
        elapsed_ns: Some(trial.elapsed_ns),
        bytes_per_s: (trial.ios > 0 && seconds > 0.0).then(|| trial.bytes as f64 / seconds),
        latency_max_ns: None,
        distance: None,
        failure: None,
    }
}

fn fields(run: &RunDocument, result: &ResultDocument, line: Line) -> [String; NAMES.len()] {
    let target = run.target.path.as_ref().unwrap_or(&run.target.name);
    [
        run.started_at.clone(),
        target.clone(),
        run.method.clone(),
        result.name.clone(),
        result.direction.name().to_owned(),
        word(&result.workload.drive_cache),
        line.trial.to_string(),
        line.offset.to_string(),
        line.bytes.to_string(),
        field(line.ios),
        field(line.elapsed_ns),
        field(line.bytes_per_s),
        field(line.latency_max_ns),
        field(line.distance),
        field(line.failure),
    ]
}
