//! All that diskspd's outputs are printed from.

use sokudo_model::Run;
use sokudo_model::diskspd::{CpuUse, DiskspdSession};

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

/// The processors of a time span.
pub(super) fn cpu_of<'a>(report: &DiskspdReport<'a>, span: usize) -> &'a [CpuUse] {
    report.cpu.get(span).map_or(&[], Vec::as_slice)
}
