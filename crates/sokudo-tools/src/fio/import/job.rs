//! A job as fio tells of it, in whatever form, and its rows.

use sokudo_model::{
    ImportedFigure, ImportedLatency, ImportedRate, ImportedRow, Operation, PlanPart, narrow,
};

use crate::results::number::whole;
use crate::results::row::{figure, processors, rate};

use super::options::Options;

/// A job, or a group of jobs that were reported together.
#[derive(Clone, Debug, Default)]
pub(super) struct ReportedJob {
    pub(super) name: String,
    /// Number of its group, as text.
    pub(super) group: String,
    pub(super) host: Option<String>,
    /// The number of the error that ended it.
    pub(super) error: Option<i32>,
    pub(super) options: Options,
    /// What it did in each direction in which it did anything.
    pub(super) sides: Vec<JobDirection>,
    /// Percent of one processor, in user mode and in the kernel.
    pub(super) cpu: Option<(f64, f64)>,
}

/// What a job did in one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct JobDirection {
    /// `None` of all together.
    pub(super) operation: Option<Operation>,
    pub(super) bytes_per_s: f64,
    pub(super) ios_per_s: f64,
    /// From submission to completion.
    pub(super) completion: Option<ImportedLatency>,
    /// From preparation to completion.
    pub(super) total: Option<ImportedLatency>,
    /// From preparation to submission.
    pub(super) submission: Option<ImportedLatency>,
    pub(super) histogram: Vec<[u64; 3]>,
}

impl JobDirection {
    pub(super) fn new(operation: Option<Operation>) -> Self {
        Self {
            operation,
            ..Self::default()
        }
    }

    /// Whether percentiles are of the total latency alone (`lat_percentiles=1`).
    pub(super) fn is_of_total(&self) -> bool {
        let has_any = |latency: &Option<ImportedLatency>| {
            latency
                .as_ref()
                .is_some_and(|it| !it.percentiles.is_empty())
        };
        has_any(&self.total) && !has_any(&self.completion)
    }
}

/// The number of an error; 0 is none.
pub(super) fn error_number(value: Option<f64>) -> Option<i32> {
    /// The kernel has no larger ones (`MAX_ERRNO`).
    const ERRNO_MAX: f64 = 4095.0;
    let value = value.filter(|value| (1.0..=ERRNO_MAX).contains(value));
    value.map(|value| narrow(whole(value)))
}

impl ReportedJob {
    /// With the host on which it ran, where several did.
    pub(super) fn full_name(&self) -> String {
        match &self.host {
            Some(host) => format!("{host} {}", self.name),
            None => self.name.clone(),
        }
    }

    /// A row per direction.
    pub(super) fn rows(&self) -> Vec<ImportedRow> {
        self.sides.iter().map(|side| self.row(side)).collect()
    }

    fn row(&self, side: &JobDirection) -> ImportedRow {
        let description = self.options.workload(&self.full_name(), side.operation);
        let mut row = description.row();
        if side.operation.is_some() {
            row.reported.mix = self.options.mix();
            if row.reported.mix.is_none() && self.sides.len() > 1 {
                row.reported.unknown.push(PlanPart::Mix);
            }
        }
        // A direction without bytes, such as trims of nothing, has I/Os only.
        row.reported.bandwidth = known(side.bytes_per_s);
        row.reported.iops = known(side.ios_per_s);
        row.reported.latency = match (&side.completion, side.is_of_total()) {
            (Some(completion), false) => Some(completion.clone()),
            _ => side.total.clone(),
        };
        row.reported.error = self.error;
        row.reported.histogram = side.histogram.clone();
        row.reported.others = self.others(side);
        row
    }

    /// Figures beside those that every row has.
    fn others(&self, side: &JobDirection) -> Vec<ImportedFigure> {
        let mut others = Vec::new();
        let other = match side.is_of_total() {
            true => ("completion latency, mean", side.completion.as_ref()),
            false => {
                let total = side.total.as_ref();
                (
                    "total latency, mean",
                    total.filter(|_| side.completion.is_some()),
                )
            }
        };
        let latencies = [
            other,
            ("submission latency, mean", side.submission.as_ref()),
        ];
        for (name, latency) in latencies {
            others.extend(latency.map(|latency| figure(name, "ns", latency.mean)));
        }
        others.extend(processors(self.cpu));
        others
    }
}

fn known(value: f64) -> Option<ImportedRate> {
    (value > 0.0).then(|| rate(value, ""))
}
