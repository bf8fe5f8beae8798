//! All that diskspd's outputs are printed from.

use sokudo_model::{CpuUse, Run};
use sokudo_report::date;

use crate::diskspd::session::DiskspdSession;

/// All that diskspd's outputs are printed from.
#[derive(Clone, Copy, Debug)]
pub struct DiskspdReport<'a> {
    /// What happened; its rows are the workloads of the session's rows, one trial each.
    pub run: &'a Run,
    /// What was asked for.
    pub session: &'a DiskspdSession,
    /// What the processors did, per time span; empty where that could not be seen.
    pub cpu: &'a [Vec<CpuUse>],
    /// What sokudo thinks of the run, one line each.
    pub verdicts: &'a [String],
}

impl<'a> DiskspdReport<'a> {
    /// The processors of a time span.
    pub(super) fn cpu_of(&self, span: usize) -> &'a [CpuUse] {
        self.cpu.get(span).map_or(&[], Vec::as_slice)
    }

    /// Processors that were counted, or else those that may be used.
    pub(super) fn processor_count(&self) -> usize {
        match self.cpu_of(0).len() {
            0 => self.run.environment.cpus as usize,
            counted => counted,
        }
    }

    /// When it began: `2025/06/19 09:05:07 UTC`.
    pub(super) fn started(&self) -> String {
        let started = date::rfc3339(self.run.started_at.unwrap_or_default());
        date::for_people(&started).replace('-', "/")
    }
}
