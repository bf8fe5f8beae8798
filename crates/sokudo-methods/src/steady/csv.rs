//! A steady procedure as CSV: one line per row and round.

use sokudo_model::{Operation, SteadyPhaseKind};
use sokudo_report::csv::{ResultRecord as Of, per_second};
use sokudo_report::document::{RunDocument, TrialDocument};
use sokudo_report::record::{Columns, word};

use crate::steady::view::{PhaseDocument, SteadyDocument};

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
            let index = usize::try_from(figures.result).ok()?;
            Some((figures.result, run.results.get(index)?, records.get(index)?))
        });
        results.flat_map(move |(number, result, of)| {
            let is_tracked = phase.tracked.iter().any(|tracked| tracked.result == number);
            result.trials.iter().map(move |trial| RoundRecord {
                of: of.clone(),
                label: &steady.label,
                phase,
                trial,
                is_tracked,
            })
        })
    });
    columns().csv(lines)
}

fn columns<'a>() -> Columns<'a, RoundRecord<'a>> {
    Columns::<RoundRecord<'_>>::none()
        .column("started_at", |it| it.of.run.began())
        .column("target", |it| it.of.target_path())
        .column("method", |it| it.of.run.plan.method.to_string())
        .column("label", |it| it.label.to_owned())
        .column("phase", |it| word(&it.phase.kind))
        .column("name", |it| it.of.result.name.clone())
        .column("direction", |it| it.of.result.direction.name())
        .column("read_percent", |it| {
            let operations = &it.of.result.workload.operations;
            operations.percent(Operation::Read)
        })
        .column("block_bytes", |it| it.of.result.workload.blocks.largest().0)
        .column("depth", |it| it.of.result.workload.depth)
        .column("threads", |it| it.of.result.workload.threads)
        .column("round", |it| it.trial.trial)
        .column("in_window", |it| {
            let window = it.phase.window;
            it.of_round(window.is_some_and(|[from, to]| (from..=to).contains(&it.trial.trial)))
        })
        .column("tracked", |it| it.of_round(it.is_tracked))
        .column("iops", |it| per_second(it.trial.ios, it.trial))
        .column("bytes_per_s", |it| per_second(it.trial.bytes, it.trial))
        .column("bytes", |it| it.trial.bytes)
        .column("verdict", |it| it.of.result.verdict)
}
