//! The view that all browsers share: what the measurer tells becomes operations on one value.
//! A reload, a second browser and a lost connection show the same, because there is one truth.

mod metrics;
mod samples;
mod series;
mod shared;

use serde_json::{Value, json};

use crate::event::{RunEvent, SampleUnit};
use crate::message::{Hello, MeasurerMessage, QueueEntry};
use crate::wish::Wish;

use samples::SampleSeries;
use series::{LatencySample, RateSample, Sample, Series, TemperatureSample};
use shared::PathStep::{Index, Key};
use shared::{PathStep, SharedValue};

pub(crate) use shared::Batch;

/// What a run says on its way; later notes are in its result.
const NOTES_MAX: usize = 100;
/// Rows and trials of a surface that are drawn; later ones are in the result.
const CURVES_MAX: usize = 64;
/// Rows whose names are kept; a sweep has a few hundred.
const ROWS_MAX: usize = 10_000;
/// An interruption by the user, as every command exits.
const INTERRUPTED: i32 = 130;

const RUN: PathStep = Key("run");

/// The view, and what it is made from.
#[derive(Debug)]
pub(crate) struct SharedView {
    shared: SharedValue,
    run: Option<CurrentRun>,
}

/// What of the run that goes on is known beside the view.
#[derive(Debug, Default)]
struct CurrentRun {
    number: u64,
    names: Vec<String>,
    trial: u32,
    notes: usize,
    is_done: bool,
    rate: Series<RateSample>,
    heat: Series<LatencySample>,
    temperature: Series<TemperatureSample>,
    sample_series: Vec<SampleSeries>,
}

/// A kept run as it looked while it was measured: the `run` of a view, made of what is told of it.
pub fn replayed(run: u64, events: impl Iterator<Item = RunEvent>) -> Value {
    let mut view = SharedView {
        shared: SharedValue::new(json!({ "run": blank_run(run, &Wish::default(), "") })),
        run: Some(CurrentRun {
            number: run,
            ..CurrentRun::default()
        }),
    };
    for event in events {
        view.event(event);
    }
    view.set("state", json!("ended"));
    view.shared.value()["run"].clone()
}

impl SharedView {
    pub(crate) fn new(hello: &Hello) -> Self {
        Self {
            shared: SharedValue::new(json!({
                "version": hello.version,
                "lang": hello.lang,
                "as_root": hello.as_root,
                "allow_destroy": hello.allow_destroy,
                "queue": [],
                "run": null,
            })),
            run: None,
        }
    }

    /// Takes in what was told; true where the view has changed.
    pub(crate) fn tell(&mut self, report: MeasurerMessage) -> bool {
        match report {
            MeasurerMessage::Queue { entries } => self.queue(&entries),
            MeasurerMessage::Began { run, wish, command } => self.begin(run, &wish, &command),
            MeasurerMessage::Event { run, event } if self.is_current(run) => self.event(event),
            MeasurerMessage::Ended {
                run,
                code,
                message,
                page_share,
            } if self.is_current(run) => {
                self.end(code, &message);
                self.set("page_share", json!(page_share));
            }
            _ => return false,
        }
        true
    }

    /// A run was asked to stop, and has not ended yet.
    pub(crate) fn stopping(&mut self, run: u64) {
        if self.is_current(run) && self.run.as_ref().is_some_and(|run| !run.is_done) {
            self.set("state", json!("stopping"));
        }
    }

    /// What goes on, as Prometheus reads it.
    pub(crate) fn metrics(&self) -> String {
        metrics::text(self.shared.value())
    }

    /// Ends a batch; false where nothing has changed since the last one.
    pub(crate) fn seal(&mut self) -> bool {
        self.shared.seal()
    }

    /// The next batch for who has seen this one; the whole view for who has seen none.
    pub(crate) fn after(&mut self, seen: Option<u64>) -> Option<Batch> {
        self.shared.after(seen)
    }

    fn is_current(&self, number: u64) -> bool {
        self.run.as_ref().is_some_and(|run| run.number == number)
    }

    fn queue(&mut self, entries: &[QueueEntry]) {
        self.shared.set(&[Key("queue")], json!(entries));
    }

    fn begin(&mut self, number: u64, wish: &Wish, command: &str) {
        self.run = Some(CurrentRun {
            number,
            ..CurrentRun::default()
        });
        let run = blank_run(number, wish, command);
        self.shared.set(&[RUN], run);
    }

    fn end(&mut self, code: i32, message: &str) {
        let is_done = self.run.as_ref().is_some_and(|run| run.is_done);
        let state = match code {
            INTERRUPTED => "interrupted",
            _ if is_done => "ended",
            _ => "failed",
        };
        if let Some(run) = &mut self.run {
            run.is_done = true;
        }
        self.set("state", json!(state));
        self.set("message", json!(message));
        self.set("seconds_left", Value::Null);
    }

    fn event(&mut self, event: RunEvent) {
        match event {
            RunEvent::Planned { .. } => self.planned(&event),
            RunEvent::Note { text } => self.note(&text),
            RunEvent::Layout { written, total } => self.set(
                "now",
                json!({ "phase": "layout", "written": written, "total": total }),
            ),
            RunEvent::Waiting { seconds } => {
                self.set("now", json!({ "phase": "pause", "seconds": seconds }))
            }
            RunEvent::Checking { text } => self.set("now", json!({ "text": text })),
            RunEvent::SelfTest {
                kind,
                drives,
                percent,
            } => self.set(
                "now",
                json!({ "phase": "self_test", "kind": kind, "drives": drives, "percent": percent }),
            ),
            // The tables have it.
            RunEvent::SelfTestEnded { .. } => {}
            RunEvent::RowNamed { row, name } => self.name_row(row, name),
            RunEvent::Trial { row, trial } => self.trial(row, trial),
            RunEvent::Progress { .. } => self.progress(&event),
            RunEvent::Stuck { text, .. } => self.set("stuck", json!(text)),
            RunEvent::Latency { row, at, counts } => {
                let sample = (at, row, LatencySample::new(&counts));
                self.add_to("heat", |run| &mut run.heat, sample);
            }
            RunEvent::Temperature {
                at,
                celsius,
                warning,
            } => {
                let sample = (at, 0, TemperatureSample(celsius));
                self.add_to("temperature", |run| &mut run.temperature, sample);
                self.set("temperature_warning", json!(warning));
            }
            RunEvent::Samples {
                row,
                trial,
                anew,
                unit,
                points,
                bytes,
                defects,
            } => {
                if anew {
                    self.forget_samples(row, trial);
                }
                self.samples((row, trial, unit), &points, bytes, &defects);
            }
            RunEvent::Table { live } => self.live(&live),
            RunEvent::Done { kept, live } => self.done(kept, &live),
        }
    }

    fn planned(&mut self, event: &RunEvent) {
        let RunEvent::Planned {
            method,
            command,
            rows,
            seconds,
            ..
        } = event
        else {
            return;
        };
        if let Some(run) = &mut self.run {
            let names = rows.iter().take(ROWS_MAX).map(|row| row.name.clone());
            run.names = names.collect();
        }
        self.set("method", json!(method));
        self.set("command", json!(command));
        self.set("planned", json!(event));
        self.set("seconds_left", json!(seconds));
    }

    fn note(&mut self, text: &str) {
        let Some(run) = &mut self.run else { return };
        if run.notes < NOTES_MAX {
            run.notes += 1;
            self.shared.push(&[RUN, Key("notes")], json!(text));
        }
    }

    fn name_row(&mut self, row: usize, name: String) {
        let Some(run) = &mut self.run else { return };
        if row >= ROWS_MAX {
            return;
        }
        if run.names.len() <= row {
            run.names.resize(row + 1, String::new());
        }
        run.names[row] = name;
        let names = json!(run.names);
        self.set("names", names);
    }

    fn trial(&mut self, row: usize, trial: u32) {
        if let Some(run) = &mut self.run {
            run.trial = trial;
        }
        let name = self.row_name(row);
        let now = json!({ "row": row, "name": name, "trial": trial, "phase": "ramp" });
        self.set("now", now);
        self.set("state", json!("running"));
    }

    fn progress(&mut self, event: &RunEvent) {
        let &RunEvent::Progress {
            row,
            at,
            mb_per_second,
            iops,
            phase,
            done,
            seconds_left,
            moved_bytes,
        } = event
        else {
            return;
        };
        let now = json!({
            "row": row,
            "name": self.row_name(row),
            "trial": self.run.as_ref().map(|run| run.trial),
            "phase": phase,
            "mb_per_second": mb_per_second,
            "iops": iops,
        });
        self.set("now", now);
        self.set("done", json!(done.clamp(0.0, 1.0)));
        self.set("seconds_left", json!(seconds_left));
        self.set("moved_bytes", json!(moved_bytes));
        let sample = (at, row, RateSample::new(mb_per_second));
        self.add_to("rate", |run| &mut run.rate, sample);
    }

    /// What it has come to, with what stands below its tables.
    fn live(&mut self, live: &Value) {
        for (key, source) in [
            ("tables", "tables"),
            ("facts", "facts"),
            ("legend", "notes"),
            ("findings", "findings"),
            ("answer", "answer"),
            ("trials", "trials"),
            ("hosts", "hosts"),
            ("pictures", "pictures"),
        ] {
            self.set(key, live[source].clone());
        }
    }

    fn done(&mut self, kept: Option<u64>, live: &Value) {
        if let Some(run) = &mut self.run {
            run.is_done = true;
        }
        self.live(live);
        self.set("kept", json!(kept));
        self.set("done", json!(1));
        self.set("now", Value::Null);
    }

    /// Places are told anew: what was told while they were read was less exact.
    fn forget_samples(&mut self, row: usize, trial: u32) {
        let Some(run) = &mut self.run else { return };
        let is_it = |series: &SampleSeries| (series.row, series.trial) == (row, trial);
        if let Some(index) = run.sample_series.iter().position(is_it) {
            run.sample_series[index] = run.sample_series[index].emptied();
            let value = run.sample_series[index].value();
            self.shared.set(&[RUN, Key("places"), Index(index)], value);
        }
    }

    fn samples(
        &mut self,
        (row, trial, unit): (usize, u32, SampleUnit),
        points: &[(u64, f64)],
        bytes: u64,
        defects: &[(u64, u64)],
    ) {
        let Some(run) = &mut self.run else { return };
        let known = run
            .sample_series
            .iter()
            .position(|series| (series.row, series.trial) == (row, trial));
        let index = known.unwrap_or(run.sample_series.len());
        if index >= CURVES_MAX {
            return;
        }
        let base = [RUN, Key("places"), Index(index)];
        if known.is_none() {
            let series = SampleSeries::new(row, trial, unit);
            self.shared.push(&base[..2], series.value());
            run.sample_series.push(series);
        }
        let series = &mut run.sample_series[index];
        series.bytes += bytes;
        let at_bytes = [base.as_slice(), &[Key("bytes")]].concat();
        self.shared.set(&at_bytes, json!(series.bytes));
        let at_points = [base.as_slice(), &[Key("points")]].concat();
        for (offset, value) in points {
            if let Some(change) = series.add(*offset, *value) {
                self.shared.change(&at_points, change);
            }
        }
        let at_defects = [base.as_slice(), &[Key("defects")]].concat();
        for extent in defects {
            if let Some(value) = series.add_defect(*extent) {
                self.shared.push(&at_defects, value);
            }
        }
    }

    fn row_name(&self, row: usize) -> Option<&str> {
        let name = self.run.as_ref()?.names.get(row)?;
        Some(name)
    }

    fn set(&mut self, key: &'static str, value: Value) {
        if self.run.is_some() {
            self.shared.set(&[RUN, Key(key)], value);
        }
    }

    fn add_to<S: Sample>(
        &mut self,
        key: &'static str,
        series: impl FnOnce(&mut CurrentRun) -> &mut Series<S>,
        (at, row, sample): (f64, usize, S),
    ) {
        let Some(run) = &mut self.run else { return };
        let change = series(run).add(at, row, sample);
        self.shared.change(&[RUN, Key(key)], change);
    }
}

/// A run of which nothing is known but what was asked for.
fn blank_run(number: u64, wish: &Wish, command: &str) -> Value {
    json!({
        "run": number,
        "command": command,
        "wish": wish,
        "method": wish.method,
        "target": wish.target,
        "state": "preparing",
        "message": "",
        "planned": null,
        "notes": [],
        "names": [],
        "now": null,
        "stuck": "",
        "done": 0,
        "seconds_left": null,
        "moved_bytes": 0,
        "rate": [],
        "heat": [],
        "places": [],
        "temperature": [],
        "temperature_warning": null,
        "tables": [],
        "facts": [],
        "legend": [],
        "findings": [],
        "answer": null,
        "trials": [],
        "hosts": 0,
        "kept": null,
        "page_share": null,
    })
}

#[cfg(test)]
mod tests;
