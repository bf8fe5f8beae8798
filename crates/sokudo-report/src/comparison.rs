//! The document of a comparison, `sokudo.compare/1`: every row of a reference beside the
//! same row of other measurements, with the raw trials, and what it comes to.
//!
//! It is what all formats of a comparison are written from. It does not test anything:
//! conclusions come to it as they are.

mod condition;
mod csv;
mod differing;
mod sentence;
mod stretches;
pub(crate) mod table;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Compared, Conclusion, PartDifference, Verdict};
use sokudo_words::Text;

use crate::document::{RateFigures, ResultDocument, RunDocument};
use crate::grouping::have_one_name;
use crate::pivot::PivotDocument;

pub use crate::figure::{Figure, rates};
pub use crate::grouping::row_name;
pub use crate::letter::letter;
pub use stretches::SlowerStretch;
pub(crate) use stretches::slower as slower_samples;
pub(crate) use words::{answer, interval_text, runs_differ, sides_of};

const SCHEMA: &str = "sokudo.compare/1";

/// A comparison as JSON: `sokudo.compare/1`. Missing figures are null, never 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.compare/1")]
pub struct ComparisonDocument {
    /// Name and version of this format: `sokudo.compare/1`.
    #[schemars(extend("const" = "sokudo.compare/1"))]
    pub schema: String,
    /// Version of the program that compared.
    pub sokudo_version: String,
    /// The command line that repeats it.
    pub command: String,
    /// How the trials were made.
    pub way: Way,
    /// Figure of each row that is compared.
    pub figure: Figure,
    /// A smaller difference does not matter, as a share: 0.02 for 2 %.
    pub difference_min: f64,
    /// Where all chance of a live comparison started from; null for results that were
    /// kept.
    pub seed: Option<u64>,
    /// What the others are compared with; called A.
    pub reference: SideDocument,
    /// The others, called B, C and so on.
    pub others: Vec<OtherDocument>,
    /// All sides of each row beside each other, with the best of them; missing for two
    /// sides that sokudo has measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix: Option<PivotDocument>,
}

/// How the trials of a comparison were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// In runs of their own, which were kept.
    Kept,
    /// In pairs, now, the order within each pair drawn by lot.
    Live,
}

/// A measurement that is compared, and where it is from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideDocument {
    /// `A` for the reference, `B` and so on for the others.
    pub letter: String,
    /// The file that holds it, or the plan that was carried out.
    pub source: String,
    /// What somebody calls the run; absent where nobody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What was measured, as the user named it.
    pub target: String,
    /// The method, such as `mark/default`.
    pub method: String,
    /// Start, RFC 3339 in UTC.
    pub started_at: String,
    /// The command line that repeats the measurement.
    pub command: String,
    /// Hash of all that makes two runs comparable.
    pub fingerprint: String,
    /// It was stopped before its end.
    pub interrupted: bool,
}

impl SideDocument {
    /// The side of this number (0 is the reference) that holds this run.
    pub fn new(number: usize, source: impl Into<String>, run: &RunDocument) -> Self {
        Self {
            letter: letter(number),
            source: source.into(),
            label: run.label.clone(),
            target: run.target.name.clone(),
            method: run.plan.method.to_string(),
            started_at: run.began(),
            command: run.command.clone(),
            fingerprint: run.fingerprint.clone(),
            interrupted: run.interrupted,
        }
    }
}

/// A measurement beside the reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OtherDocument {
    /// Measurement that is compared with the reference.
    pub side: SideDocument,
    /// What it comes to, against the reference.
    #[serde(with = "sokudo_model::sentences")]
    #[schemars(with = "String")]
    pub sentence: Text,
    /// What of target, machine and program differs, where that could be seen.
    pub differs: Vec<PartDifference>,
    /// Rows that both have.
    pub rows: Vec<RowDocument>,
    /// Rows that only the reference has.
    pub only_in_reference: Vec<String>,
    /// Rows that only this one has.
    pub only_in_other: Vec<String>,
}

impl OtherDocument {
    /// What of target, machine and program differs between two runs, and of the state that
    /// the devices were in.
    pub fn differences(reference: &RunDocument, other: &RunDocument) -> Vec<PartDifference> {
        let mut differences = differing::environments(reference, other);
        differences.extend(condition::conditions(reference, other));
        differences
    }
}

/// One row of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RowDocument {
    /// The row's name and direction in the reference.
    pub row: String,
    /// The same of the other, where it is not the same; they stand at the same place.
    pub other_row: Option<String>,
    /// Figures of the row in the reference.
    pub reference: RowSideDocument,
    /// Figures of the row in the other measurement.
    pub other: RowSideDocument,
    /// What it comes to, about the other against the reference.
    pub compared: Compared,
    /// Whether either figure is of a cache, the page cache among them, and not of the disk.
    pub is_of_cache: bool,
    /// Where the other is slower, of a curve over the places of a disk; missing for rows that
    /// are none, and where nothing is.
    #[serde(
        rename = "slower_places",
        default,
        skip_serializing_if = "Vec::is_empty"
    )]
    pub slower_samples: Vec<SlowerStretch>,
}

impl RowDocument {
    /// Two results and what came of comparing them, in which the parts that differ get words.
    pub fn new(
        reference: &ResultDocument,
        other: &ResultDocument,
        figure: Figure,
        compared: Compared,
    ) -> Self {
        let name = row_name(reference);
        let other_name = (!have_one_name(reference, other)).then(|| row_name(other));
        Self {
            other_row: other_name.filter(|other| *other != name),
            row: name,
            reference: RowSideDocument::new(reference, figure),
            other: RowSideDocument::new(other, figure),
            compared: Compared {
                differs: differing::plans(&reference.plan, &other.plan),
                ..compared
            },
            is_of_cache: reference.is_of_cache() || other.is_of_cache(),
            slower_samples: stretches::slower(reference, other),
        }
    }
}

/// The figures of one side of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RowSideDocument {
    /// What is compared, in bytes, reads and writes, or files per second; null where
    /// nothing was measured.
    pub per_second: Option<RateFigures>,
    /// The mean time of an access, nanoseconds; missing for rows that do not measure it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_ns: Option<f64>,
    /// Whether the figures can be trusted.
    pub verdict: Option<Verdict>,
    /// Codes of the findings about it.
    pub findings: Vec<String>,
}

impl RowSideDocument {
    fn new(result: &ResultDocument, figure: Figure) -> Self {
        Self {
            per_second: rates(result, figure).cloned(),
            access_ns: result.access_ns_mean(),
            verdict: result.verdict,
            findings: result.findings.iter().map(|it| it.code.clone()).collect(),
        }
    }
}

impl ComparisonDocument {
    /// A document of this version's format, with no others yet.
    pub fn new(reference: SideDocument, way: Way, figure: Figure, difference_min: f64) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
            command: String::new(),
            way,
            figure,
            difference_min,
            seed: None,
            reference,
            others: Vec::new(),
            matrix: None,
        }
    }

    /// The least difference that matters, as people read it: `2 %`, `0.5 %`.
    pub(crate) fn difference_min_text(&self) -> String {
        format!("{} %", (self.difference_min * 1e4).round() / 100.0)
    }

    /// What each side of a row is against the first, as it was compared; `None` where it was not.
    pub fn ratios(&self, row: &[Option<&ResultDocument>]) -> Vec<Option<f64>> {
        let Some(Some(first)) = row.first() else {
            return vec![None; row.len()];
        };
        let (name, ours) = (row_name(first), rates(first, self.figure));
        let ratio = |(other, theirs): (&OtherDocument, &Option<&ResultDocument>)| {
            let theirs = rates((*theirs)?, self.figure);
            let is_it = |it: &&RowDocument| {
                let sides = [&it.reference, &it.other].map(|side| side.per_second.as_ref());
                it.row == name && sides == [ours, theirs]
            };
            Some(other.rows.iter().find(is_it)?.compared.change?.ratio)
        };
        let others = self.others.iter().zip(&row[1..]);
        std::iter::once(None).chain(others.map(ratio)).collect()
    }

    /// Every row of every other.
    pub fn rows(&self) -> impl Iterator<Item = &RowDocument> {
        self.others.iter().flat_map(|other| &other.rows)
    }

    /// Whether this row decides what the whole comes to: those of a cache do only where there
    /// are no others.
    pub(crate) fn decides(&self, row: &RowDocument) -> bool {
        !row.is_of_cache || self.rows().all(|row| row.is_of_cache)
    }

    /// Whether a row that decides came to this.
    pub fn has(&self, conclusion: Conclusion) -> bool {
        let mut deciding = self.rows().filter(|row| self.decides(row));
        deciding.any(|row| row.compared.conclusion == conclusion)
    }

    /// Whether a difference could have been shown of any row that decides.
    pub fn has_judgement(&self) -> bool {
        let judged = [
            Conclusion::Faster,
            Conclusion::Slower,
            Conclusion::Same,
            Conclusion::NoDifferenceShown,
        ];
        judged.into_iter().any(|conclusion| self.has(conclusion))
    }
}

#[cfg(test)]
mod tests;
