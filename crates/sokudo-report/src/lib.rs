//! From a run to bytes: the JSON document, the terminal table, CSV, Markdown.
//!
//! [`RunDocument`] computes every figure once from a [`sokudo_model::Run`]; all
//! other formats are written from it, so that they cannot disagree, and a saved
//! document can be printed again. Nothing here does I/O, reads a clock or asks
//! the terminal: width, colour and unit are arguments.

#![cfg_attr(test, allow(clippy::cast_possible_truncation))]

pub mod check;
pub mod comparison;
pub mod csv;
pub mod document;
mod fingerprint;
pub mod info;
pub mod judgement;
pub mod list;
pub mod markdown;
pub mod matrix;
pub mod phrases;
pub mod pivot;
pub mod plot;
pub mod report;
pub mod text;
pub mod trend;
pub mod view;

mod answer;
pub mod article;
pub mod assessment_table;
mod card;
pub mod date;
pub mod disk_words;
mod explain;
mod facts;
pub mod figure;
mod forms;
pub mod grouping;
mod headline;
mod hosts;
pub mod json_layout;
#[cfg(any(test, feature = "testing"))]
pub mod kept_schema;
mod layout;
mod letter;
mod live;
pub mod number;
pub mod record;
pub mod run;
mod run_table;
#[cfg(any(test, feature = "testing"))]
pub mod sample;
pub mod shortfall;
pub mod style;
mod surface;
pub mod table;
pub mod unique;
pub mod wording;

pub use answer::{AnswerDocument, AnsweredDisk};
pub use check::{BaselineCheck, CheckDocument, ChecksDocument, gravest_code};
pub use comparison::ComparisonDocument;
pub use date::{from_rfc3339, rfc3339};
pub use document::{ReadDocumentError, RunDocument};
pub use forms::{CsvForm, Forms};
pub use info::{DiskDocument, InfoDocument};
pub use judgement::JudgementDocument;
pub use list::{ListDocument, ListedRun};
pub use live::LiveRun;
pub use matrix::{CellFailure, MatrixDocument, MatrixRun, MatrixSoFar};
pub use number::{decimal_size, rate};
pub use pivot::PivotDocument;
pub use report::Report;
pub use run_table::{Belongs, RunTable};
pub use style::{BandwidthUnit, TableStyle};
pub use trend::TrendDocument;
pub use unique::grouped;
pub use wording::duration;
