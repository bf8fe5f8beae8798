//! A report as JSON, `sokudo.report/1`: all runs with all their figures, to be read by
//! programs and again by sokudo.

use serde::Deserialize;

use super::Report;
use super::runs::SCHEMA;
use crate::json_layout;

/// What every report begins its `schema` field with.
const SCHEMA_FAMILY: &str = "sokudo.report/";
/// The version that is written, and the newest that is read.
const SCHEMA_VERSION: u32 = 1;

impl Report {
    /// The report as text that ends with a line feed.
    pub fn to_json(&self) -> String {
        json_layout::written(self)
    }

    /// Reads a report.
    ///
    /// # Errors
    /// When the text is no report, is of a newer version than this program knows, or does
    /// not follow its schema.
    pub fn from_json(text: &str) -> Result<Self, ReadReportError> {
        if !crate::document::is_readable(text) {
            return Err(ReadReportError::TooLarge);
        }
        let found = schema_of(text).unwrap_or_default();
        match version_of(&found) {
            Some(SCHEMA_VERSION) => serde_json::from_str(text).map_err(ReadReportError::Malformed),
            Some(version) if version > SCHEMA_VERSION => Err(ReadReportError::Newer { found }),
            _ => Err(ReadReportError::Other),
        }
    }
}

/// Whether a text says that it is a report, of whatever version.
pub fn is_report(text: &str) -> bool {
    schema_of(text).is_some_and(|found| found.starts_with(SCHEMA_FAMILY))
}

fn schema_of(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct ReportHeader {
        schema: String,
    }
    let header: ReportHeader = serde_json::from_str(text).ok()?;
    Some(header.schema)
}

fn version_of(schema: &str) -> Option<u32> {
    schema.strip_prefix(SCHEMA_FAMILY)?.parse().ok()
}

/// Why a report cannot be read, to be read after its name.
#[derive(Debug, sokudo_words::Error)]
pub enum ReadReportError {
    /// It was written by a later version.
    #[error(
        "is {found}, which comes from a newer sokudo; this one reads up to {SCHEMA}, so update it"
    )]
    Newer {
        /// The schema that it names.
        found: String,
    },
    /// It holds more than is read at once.
    #[error("holds more than sokudo reads at once; make a report of fewer runs")]
    TooLarge,
    /// It is something else.
    #[error(
        "is not a report of sokudo; give a file that `sokudo show RUN… --format json` has written"
    )]
    Other,
    /// It names the right schema but does not follow it.
    #[error(
        "says {SCHEMA} but does not follow it: {0}; it was changed or cut off, so use the original"
    )]
    Malformed(serde_json::Error),
}

#[cfg(test)]
mod tests {
    use super::super::{ReportedRun, sample};
    use super::*;

    #[test]
    fn a_report_follows_the_schema_in_the_docs_and_is_read_as_it_is_written() {
        let mut report = sample::report();
        let together = crate::RunDocument::from_run(&crate::sample::together_run());
        report.runs.push(ReportedRun::new("hosts", together));
        // Its sentences are read as names.
        report.runs[1].run.disk_assessment = None;
        let text = report.to_json();
        assert!(is_report(&text));
        crate::kept_schema::assert_kept::<Report>("sokudo.report-1", std::slice::from_ref(&text));
        assert_eq!(Report::from_json(&text).unwrap(), report);
    }

    #[test]
    fn a_report_of_a_newer_version_is_refused_with_its_version() {
        let newer = sample::report()
            .to_json()
            .replacen(SCHEMA, "sokudo.report/7", 1);
        assert!(is_report(&newer));
        let error = Report::from_json(&newer).unwrap_err().to_string();
        assert!(
            error.contains("sokudo.report/7") && error.contains("newer"),
            "{error}"
        );
    }

    #[test]
    fn what_is_no_report_says_so() {
        for text in [
            "",
            "{}",
            "[1]",
            "{\"schema\":\"sokudo.run/1\"}",
            "{\"schema\":7}",
        ] {
            assert!(!is_report(text), "{text}");
            assert!(
                matches!(Report::from_json(text), Err(ReadReportError::Other)),
                "{text}"
            );
        }
        let cut = "{\"schema\":\"sokudo.report/1\",\"runs\":7}";
        assert!(matches!(
            Report::from_json(cut),
            Err(ReadReportError::Malformed(_))
        ));
    }
}
