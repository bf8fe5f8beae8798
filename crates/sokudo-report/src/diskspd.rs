//! A run as diskspd prints it: the text of diskspd-for-linux, the text and the XML of
//! diskspd 2.2 on Windows.
//!
//! Columns stand where diskspd has them, so that what reads its output reads this. What
//! differs, on purpose: MiB are called MiB, rates divide by the time that was measured,
//! percentiles are of all threads together, and what was not measured is `N/A`, not 0.
//! Nothing here does I/O; processors and devices come with the report.

mod figures;
mod linux;
mod percentiles;
mod profile;
mod windows;
mod xml;

use sokudo_model::Run;
use sokudo_model::diskspd::{CpuUse, DiskspdLayout, DiskspdSession};

pub use linux::linux_text;
pub use profile::{profile_text, profile_xml};
pub use windows::windows_text;
pub use xml::xml;

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

/// The report in the layout that was asked for.
pub fn text(report: &DiskspdReport<'_>) -> String {
    match report.session.layout {
        DiskspdLayout::Linux => linux_text(report),
        DiskspdLayout::Windows => windows_text(report),
        DiskspdLayout::Xml => xml(report),
    }
}

/// What `-Rp` prints instead of running.
pub fn profile_only(session: &DiskspdSession) -> String {
    match session.layout {
        DiskspdLayout::Xml => profile_xml(session, 0),
        DiskspdLayout::Linux | DiskspdLayout::Windows => profile_text(session),
    }
}

/// The processors of a time span.
fn cpu_of<'a>(report: &DiskspdReport<'a>, span: usize) -> &'a [CpuUse] {
    report.cpu.get(span).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests;
