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
mod report;
mod windows;
mod xml;

use crate::diskspd::session::{DiskspdLayout, DiskspdSession};

pub use linux::linux_text;
pub use profile::{profile_text, profile_xml};
pub use report::DiskspdReport;
pub use windows::windows_text;
pub use xml::xml;

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

#[cfg(test)]
mod tests;
