//! How many threads and how deep a device must be driven until it gives no more: the loads
//! that were tried, and which of them counts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Peak, PeakLimit, PeakLoad, PeakStep, Row, Run};

/// The most that a device gives, and what it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PeakDocument {
    /// Loads in the order in which they were tried.
    pub steps: Vec<PeakStepDocument>,
    /// The place in `steps` of the highest rate, of those measured again where any were.
    pub best: usize,
    /// The place in `steps` of the least load whose rate is within 5 % of it, of the same.
    pub knee: usize,
    /// Whether the search came to its end and both were measured again. Their rates are of
    /// those trials alone; others have one trial.
    pub confirmed: bool,
    /// What gave no more, as the inference `limit-…` says with its evidence; null where
    /// nothing was concluded.
    pub limit: Option<PeakLimit>,
}

/// One load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PeakStepDocument {
    /// Its place in `results`, from 0.
    pub result: usize,
    /// What was driven.
    #[serde(flatten)]
    pub load: PeakLoad,
    /// Median of its trials.
    pub ios_per_s: f64,
    /// The same ÷ the best.
    pub share: f64,
    /// Processors that the row's threads used in user mode, on average; null in virtual time.
    pub processors_user: Option<f64>,
    /// The same in the kernel.
    pub processors_system: Option<f64>,
    /// I/Os per second of processor time.
    pub ios_per_processor_s: Option<f64>,
}

impl PeakDocument {
    /// What a run of this method has come to; `None` for any other, and where nothing was
    /// measured.
    pub fn of(run: &Run) -> Option<Self> {
        let peak = Peak::of(run)?;
        let best = peak.best().ios_per_s;
        let steps = peak.steps.iter();
        let mut limits = run.inferences.iter();
        Some(Self {
            steps: steps
                .map(|(result, it)| PeakStepDocument::of(*result, it, &run.rows[*result], best))
                .collect(),
            best: peak.best,
            knee: peak.knee,
            confirmed: peak.is_confirmed,
            limit: limits.find_map(|inference| PeakLimit::of_code(&inference.code)),
        })
    }
}

impl PeakStepDocument {
    fn of(result: usize, step: &PeakStep, row: &Row, best: f64) -> Self {
        let processors = processors(row);
        let busy = processors.map(|[user, system]| user + system);
        Self {
            result,
            load: step.load,
            ios_per_s: step.ios_per_s,
            share: step.ios_per_s / best,
            processors_user: processors.map(|[user, _]| user),
            processors_system: processors.map(|[_, system]| system),
            ios_per_processor_s: busy
                .filter(|busy| *busy > 0.0)
                .map(|busy| step.ios_per_s / busy),
        }
    }
}

/// Processors in user mode and in the kernel, over all trials; `None` where one tells none.
fn processors(row: &Row) -> Option<[f64; 2]> {
    let (mut used, mut elapsed) = ([0.0; 2], 0.0);
    for trial in &row.trials {
        let cpu = trial.outcome.cpu?;
        used[0] += cpu.user.as_secs_f64();
        used[1] += cpu.system.as_secs_f64();
        elapsed += trial.outcome.elapsed.as_secs_f64();
    }
    (elapsed > 0.0).then(|| used.map(|used| used / elapsed))
}
