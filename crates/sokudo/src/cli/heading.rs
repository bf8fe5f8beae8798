//! Headings under which help tells the options that most commands have.

pub(super) const MEASURED: &str = "What is measured";
pub(super) const HOW: &str = "How it is measured";
pub(super) const WRITTEN: &str = "What may be written";
pub(super) const KEPT: &str = "What is kept";
pub(super) const PRINTED: &str = "What is printed";
