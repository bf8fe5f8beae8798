//! The runs of a report, and what they are called.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::TargetKind;
use sokudo_words::Language;

use crate::plot::PictureTheme;
use crate::unique::unique;
use crate::wording::phrase;
use crate::{MatrixDocument, RunDocument};

/// Family and version of the schema of a report.
pub(super) const SCHEMA: &str = "sokudo.report/1";

/// Several runs, or one, that are told together: `sokudo.report/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.report/1")]
pub struct Report {
    /// Name and version of this format: `sokudo.report/1`.
    #[schemars(extend("const" = "sokudo.report/1"))]
    pub schema: String,
    /// Version of the program that wrote it.
    pub sokudo_version: String,
    /// What somebody called it; missing where nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The matrices whose runs are among them; missing where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrices: Vec<MatrixDocument>,
    /// The runs, in the order in which they were named.
    pub runs: Vec<ReportedRun>,
}

/// A run of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedRun {
    /// By what name it was called: `run 42`, or a file.
    pub source: String,
    /// What somebody wrote about it; empty for nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Tags of the run; missing where it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The whole of it, `sokudo.run/1`.
    pub run: RunDocument,
}

impl ReportedRun {
    /// A run without note and tags.
    pub fn new(source: impl Into<String>, run: RunDocument) -> Self {
        Self {
            source: source.into(),
            note: String::new(),
            tags: Vec::new(),
            run,
        }
    }
}

/// How a report is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReportStyle {
    /// The language of what sokudo says; names stay as they are.
    pub language: Language,
    /// Which surroundings its colours are for.
    pub theme: PictureTheme,
}

impl Report {
    /// A report of these runs.
    pub fn new(title: Option<String>, runs: Vec<ReportedRun>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
            title,
            matrices: Vec::new(),
            runs,
        }
    }

    /// The same with what its runs come to as cells of matrices.
    #[must_use]
    pub fn with_matrices(mut self, matrices: Vec<MatrixDocument>) -> Self {
        self.matrices = matrices;
        self
    }

    /// What it is called: what somebody called it, or what its runs are called.
    pub(crate) fn heading(&self, language: Language) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        let names = self
            .runs
            .iter()
            .map(|reported| reported.run.called(language));
        let mut names = unique(names);
        const NAMED: usize = 3;
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let mut text = names.join(", ");
        if more > 0 {
            text += &format!(" + {more}");
        }
        text
    }
}

impl RunDocument {
    /// The label of the run, or what people call the device.
    pub(super) fn called(&self, language: Language) -> String {
        let label = self.label.clone();
        label.unwrap_or_else(|| self.device(language))
    }

    /// What people call the device: its model; without one the path, which says more than
    /// a name such as `.`.
    ///
    /// Only what sokudo itself has named has a name in other languages.
    pub(super) fn device(&self, language: Language) -> String {
        let target = &self.target;
        let name = target.device_name();
        match &target.path {
            _ if target.kind == TargetKind::Simulated => phrase(&name).in_language(language),
            Some(path) if name == target.name => path.clone(),
            _ => name,
        }
    }

    /// The method, with the tool where it was not sokudo that measured.
    pub(super) fn method_of_tool(&self) -> String {
        let method = self.plan.method.to_string();
        match self.origin() {
            Some(origin) if !method.contains(&origin.tool) => {
                format!("{}: {method}", self.measurer())
            }
            _ => method,
        }
    }
}
