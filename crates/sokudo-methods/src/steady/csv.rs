//! A steady procedure as CSV: one line per row and round.

use sokudo_model::{Operation, SteadyPhaseKind};

use crate::steady::view::{PhaseDocument, SteadyDocument};
use sokudo_report::csv::{ResultRecord as Of, per_second};
use sokudo_report::document::{RunDocument, TrialDocument};
use sokudo_report::record;
use sokudo_report::record::{RecordColumn, or_missing, word};

/// A round of a row.
struct RoundRecord<'a> {
    of: Of<'a>,
    label: &'a str,
    phase: &'a PhaseDocument,
    trial: &'a TrialDocument,
    is_tracked: bool,
}

impl RoundRecord<'_> {
    /// What only rounds have.
    fn of_round<T>(&self, value: T) -> Option<T> {
        (self.phase.kind == SteadyPhaseKind::Rounds).then_some(value)
    }
}

/// All lines, phases and their rows in the run's order.
pub(super) fn render(run: &RunDocument, steady: &SteadyDocument) -> String {
    let records: Vec<Of<'_>> = sokudo_report::csv::lines(run).collect();
    let lines = steady.phases.iter().flat_map(|phase| {
        let records = &records;
        let results = phase.figures.iter().filter_map(move |figures| {
            let place = usize::try_from(figures.result).ok()?;
            Some((figures.result, run.results.get(place)?, records.get(place)?))
        });
        results.flat_map(move |(place, result, of)| {
            let is_tracked = phase.tracked.iter().any(|tracked| tracked.result == place);
            result.trials.iter().map(move |trial| RoundRecord {
                of: of.clone(),
                label: &steady.label,
                phase,
                trial,
                is_tracked,
            })
        })
    });
    record::csv(&columns(), lines)
}

fn columns<'a>() -> Vec<RecordColumn<RoundRecord<'a>>> {
    vec![
        RecordColumn::text("started_at", |it| it.of.run.began()),
        RecordColumn::text("target", |it| it.of.target_path()),
        RecordColumn::text("method", |it| it.of.run.plan.method.to_string()),
        RecordColumn::text("label", |it| it.label.to_owned()),
        RecordColumn::text("phase", |it| word(&it.phase.kind)),
        RecordColumn::text("name", |it| it.of.result.name.clone()),
        RecordColumn::text("direction", |it| it.of.result.direction.name().to_owned()),
        RecordColumn::whole("read_percent", |it| {
            let operations = &it.of.result.workload.operations;
            Some(operations.percent(Operation::Read).into())
        }),
        RecordColumn::whole("block_bytes", |it| {
            Some(it.of.result.workload.blocks.largest().0)
        }),
        RecordColumn::whole("depth", |it| Some(it.of.result.workload.depth.into())),
        RecordColumn::whole("threads", |it| Some(it.of.result.workload.clones.into())),
        RecordColumn::whole("round", |it| Some(it.trial.trial.into())),
        RecordColumn::truth("in_window", |it| {
            let window = it.phase.window;
            it.of_round(window.is_some_and(|[from, to]| (from..=to).contains(&it.trial.trial)))
        }),
        RecordColumn::truth("tracked", |it| it.of_round(it.is_tracked)),
        RecordColumn::real("iops", |it| per_second(it.trial.ios, it.trial)),
        RecordColumn::real("bytes_per_s", |it| per_second(it.trial.bytes, it.trial)),
        RecordColumn::whole("bytes", |it| Some(it.trial.bytes)),
        RecordColumn::text("verdict", |it| {
            or_missing(it.of.result.verdict.map(|verdict| verdict.name()))
        }),
    ]
}
