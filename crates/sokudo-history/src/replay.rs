//! A kept run, told as it would be while it is measured, so that a page shows both alike.

use sokudo_model::SeriesPoint;
use sokudo_page::{PlannedRow, RunEvent, RunPhase};
use sokudo_report::RunDocument;
use sokudo_report::document::{ResultDocument, TrialDocument};
use sokudo_terminal::event_stream::{self, latency_counts, samples_events, tell};
use sokudo_terminal::exit::Exit;

/// A part of an interval that is smaller than this has no rate of its own.
const SHORT_PARTS: u64 = 10;

/// Tells all of it.
pub fn retell(document: &RunDocument, kept: Option<u64>) -> Result<(), Exit> {
    let results = &document.results;
    tell(&RunEvent::Planned {
        method: document.plan.method.to_string(),
        command: document.command.clone(),
        rows: results.iter().map(planned).collect(),
        trials: document.schedule.trials,
        adaptive: document.schedule.enough.is_some(),
        seconds: results.iter().map(|result| seconds(elapsed(result))).sum(),
        writes_bytes: None,
        writes_seconds: 0.0,
        asks: false,
    });
    let mut before = 0;
    for (row, result) in results.iter().enumerate() {
        retell_row(document, row, result, before);
        before += elapsed(result);
    }
    event_stream::done(document, kept);
    Ok(())
}

fn retell_row(document: &RunDocument, row: usize, result: &ResultDocument, before: u64) {
    let mut started = before;
    for (trial, points) in result.trials.iter().zip(&result.series) {
        let mut last = 0;
        let every = points.first().map_or(0, |point| point.at.0);
        for point in points {
            // The rest of a trial after its last whole interval may be of any shortness.
            if point.at.0.saturating_sub(last) >= every / SHORT_PARTS {
                tell(&rate(row, started, last, point));
            }
            last = point.at.0;
        }
        retell_heat(document, trial, started);
        started += trial.elapsed_ns;
        let samples = result.samples.iter().filter(|it| it.trial == trial.trial);
        let defects = result.defects.iter().filter(|it| it.trial == trial.trial);
        let events = samples_events(
            row,
            trial.trial,
            true,
            // What another tool has measured tells no I/Os: it was a rate.
            samples.map(|it| [it.offset, it.bytes, it.elapsed_ns, it.ios.unwrap_or(2)]),
            defects.map(|it| (it.offset, it.length)),
        );
        events.iter().for_each(tell);
    }
    let counts = latency_counts(
        result
            .histogram
            .iter()
            .map(|[low, _, count]| (*low, *count)),
    );
    let counts: Vec<(u8, u64)> = (0..).zip(counts).filter(|(_, count)| *count > 0).collect();
    if !counts.is_empty() {
        tell(&RunEvent::Latency {
            row,
            at: seconds(started),
            counts,
        });
    }
}

/// What was read of the hottest drive during a trial.
fn retell_heat(document: &RunDocument, trial: &TrialDocument, started: u64) {
    let conditions = &document.conditions;
    let moments = conditions.course.iter().flat_map(|it| &it.moments);
    let drives = conditions.drives.iter();
    let warning = drives.filter_map(|drive| drive.after.warning_celsius).min();
    let Some(began) = trial.began_ns else { return };
    for moment in moments {
        let within = moment.at.0.checked_sub(began);
        let within = within.filter(|within| *within < trial.elapsed_ns);
        if let Some((within, celsius)) = within.zip(moment.celsius) {
            tell(&RunEvent::Temperature {
                at: seconds(started + within),
                celsius: celsius.into(),
                warning: warning.map(f64::from),
            });
        }
    }
}

fn rate(row: usize, started: u64, last: u64, point: &SeriesPoint) -> RunEvent {
    let time = seconds(point.at.0.saturating_sub(last));
    let rate = |moved: u64| (time > 0.0 && moved > 0).then(|| moved as f64 / time);
    RunEvent::Progress {
        row,
        at: seconds(started + point.at.0),
        mb_per_second: rate(point.bytes.0).map(|rate| rate / 1e6),
        iops: rate(point.ios),
        phase: RunPhase::Running,
        done: 1.0,
        seconds_left: 0.0,
        moved_bytes: 0,
    }
}

fn planned(result: &ResultDocument) -> PlannedRow {
    PlannedRow {
        name: result.name.clone(),
        direction: result.direction.name().to_owned(),
    }
}

/// Nanoseconds of all its trials.
fn elapsed(result: &ResultDocument) -> u64 {
    result.trials.iter().map(|trial| trial.elapsed_ns).sum()
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}
