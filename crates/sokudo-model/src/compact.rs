//! Outcomes in as little memory as they take: all of a run are held until it ends.

use sokudo_stats::Histogram;

use crate::trial::{Logs, OperationTally, Outcome};

impl Outcome {
    /// The same without the room that was there to record more.
    #[must_use]
    pub fn compact(mut self) -> Self {
        self.series.shrink_to_fit();
        self.samples.shrink_to_fit();
        let operations = self.operations.into_iter().map(OperationTally::compact);
        Self {
            operations: operations.collect(),
            submission: self.submission.map(Histogram::compact),
            read_beside: self.read_beside.map(Histogram::compact),
            logs: self.logs.compact(),
            ..self
        }
    }
}

impl OperationTally {
    fn compact(mut self) -> Self {
        self.series.shrink_to_fit();
        Self {
            latency: self.latency.compact(),
            latency_from_intended: self.latency_from_intended.map(Histogram::compact),
            submission: self.submission.map(Histogram::compact),
            completion: self.completion.map(Histogram::compact),
            ..self
        }
    }
}

impl Logs {
    fn compact(mut self) -> Self {
        for points in [
            &mut self.submission,
            &mut self.completion,
            &mut self.total,
            &mut self.every_io,
        ] {
            points.shrink_to_fit();
        }
        for point in &mut self.histograms {
            point.latency = std::mem::take(&mut point.latency).compact();
        }
        self
    }
}
