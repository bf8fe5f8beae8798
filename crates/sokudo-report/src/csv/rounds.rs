//! A steady procedure as CSV: one line per row and round.

use sokudo_model::{Nanos, Operation, SteadyPhaseKind};

use super::fields::{field, word, written};
use crate::document::{PhaseDocument, ResultDocument, RunDocument, SteadyDocument, TrialDocument};

/// The names of the fields.
const NAMES: [&str; 18] = [
    "started_at",
    "target",
    "method",
    "label",
    "phase",
    "name",
    "direction",
    "read_percent",
    "block_bytes",
    "depth",
    "threads",
    "round",
    "in_window",
    "tracked",
    "iops",
    "bytes_per_s",
    "bytes",
    "verdict",
];

/// All lines, phases and their rows in the run's order.
pub(super) fn render(document: &RunDocument, steady: &SteadyDocument) -> String {
    let names = NAMES.map(str::to_owned);
    let lines = steady.phases.iter().flat_map(|phase| {
        let results = phase
            .figures
            .iter()
            .filter_map(|figures| Some((figures.result, document.result_at(figures.result)?)));
        results.flat_map(move |(place, result)| {
            let tracked = phase.tracked.iter().any(|tracked| tracked.result == place);
            result
                .trials
                .iter()
                .map(move |trial| fields(document, steady, phase, result, trial, tracked))
        })
    });
    written(std::iter::once(names).chain(lines))
}

#[expect(clippy::cast_precision_loss, reason = "a rate is a float")]
fn fields(
    run: &RunDocument,
    steady: &SteadyDocument,
    phase: &PhaseDocument,
    result: &ResultDocument,
    trial: &TrialDocument,
    tracked: bool,
) -> [String; NAMES.len()] {
    let target = run.target.path.as_ref().unwrap_or(&run.target.name);
    let seconds = Nanos(trial.elapsed_ns).as_secs_f64();
    let per_second = |count: u64| (count > 0 && seconds > 0.0).then(|| count as f64 / seconds);
    let in_window = phase
        .window
        .is_some_and(|[from, to]| (from..=to).contains(&trial.trial));
    let reads = result.workload.operations.percent(Operation::Read);
    let is_test = phase.kind == SteadyPhaseKind::Rounds;
    [
        run.started_at.clone(),
        target.clone(),
        run.method.clone(),
        steady.label.clone(),
        word(&phase.kind),
        result.name.clone(),
        result.direction.name().to_owned(),
        reads.to_string(),
        result.workload.blocks.largest().0.to_string(),
        result.workload.depth.to_string(),
        result.workload.clones.to_string(),
        trial.trial.to_string(),
        field(is_test.then_some(in_window)),
        field(is_test.then_some(tracked)),
        field(per_second(trial.ios)),
        field(per_second(trial.bytes)),
        trial.bytes.to_string(),
        field(result.verdict.map(|verdict| verdict.name())),
    ]
}
