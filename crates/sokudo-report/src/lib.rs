//! From a run to bytes: the JSON document, the terminal table, CSV, Markdown.
//!
//! [`RunDocument`] computes every figure once from a [`sokudo_model::Run`]; all
//! other formats are written from it, so that they cannot disagree, and a saved
//! document can be printed again. Nothing here does I/O, reads a clock or asks
//! the terminal: width, colour and unit are arguments.

#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, reason = "test values are small")
)]

mod beside_table;
pub mod bonnie;
pub mod burn_in;
pub mod check;
pub mod comparison;
pub mod csv;
pub mod diskspd;
pub mod document;
pub mod fill;
mod fingerprint;
pub mod fio;
pub mod fit;
pub mod info;
pub mod judgement;
pub mod list;
pub mod markdown;
pub mod matrix;
pub mod pivot;
pub mod plot;
pub mod report;
pub mod steady;
pub mod text;
pub mod trend;

mod article;
mod assessment_table;
mod card;
mod date;
mod disk_words;
mod explain;
mod facts;
mod figure;
mod fit_table;
mod grouping;
mod headline;
mod hosts;
mod json_layout;
#[cfg(test)]
mod kept_schema;
mod layout;
mod letter;
mod live;
mod load_table;
mod number;
mod peak_table;
mod phase;
mod phase_table;
mod record;
mod run;
#[cfg(test)]
mod sample;
mod sharing;
mod shortfall;
mod style;
mod surface;
mod table;
mod unique;
mod wording;

pub use check::{BaselineCheck, CheckDocument, ChecksDocument, gravest_code};
pub use comparison::ComparisonDocument;
pub use date::{from_rfc3339, rfc3339};
pub use document::{ReadDocumentError, RunDocument};
pub use info::{DiskDocument, InfoDocument};
pub use judgement::JudgementDocument;
pub use list::{ListDocument, ListedRun};
pub use live::{LiveAnswer, LiveCell, LiveColumn, LiveFinding, LiveRun, LiveTable};
pub use matrix::{CellFailure, MatrixDocument, MatrixRun, MatrixSoFar};
pub use number::{decimal_size, rate};
pub use pivot::PivotDocument;
pub use report::Report;
pub use style::{BandwidthUnit, TableStyle};
pub use trend::TrendDocument;
pub use wording::duration;
