//! Reports: one or several runs as a document for people or as lines for programs.
//!
//! A report starts from kept runs and computes nothing that they do not hold. Whatever
//! a device, a file or a person has written is made safe for the format it goes to; what is
//! [`masked`] also tells no serial number.

mod document;
mod html;
mod markdown;
mod mask;
mod method;
mod overview;
mod picture;
mod prometheus;
mod records;
mod runs;
#[cfg(test)]
mod sample;

pub use document::{ReadReportError, is_report};
pub use mask::{MaskError, masked};
pub use runs::{Report, ReportStyle, ReportedRun};

impl Report {
    /// One page that needs nothing else: no network, no script, no file beside it.
    pub fn html(&self, style: ReportStyle) -> String {
        html::render(self, style)
    }

    /// Tables and text to be pasted.
    pub fn markdown(&self, style: ReportStyle) -> String {
        markdown::render(self, style)
    }

    /// One line of names, then one per result of every run.
    pub fn csv(&self) -> String {
        records::csv(self)
    }

    /// One JSON object per line and result of every run.
    pub fn json_lines(&self) -> String {
        records::json_lines(self)
    }

    /// Metrics as the textfile collector of Prometheus' node_exporter reads them.
    pub fn prometheus(&self) -> String {
        prometheus::render(self)
    }
}
