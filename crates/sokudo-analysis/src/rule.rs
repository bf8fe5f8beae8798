//! What a rule is: it sees one row, or the run, and says nothing or one thing.

use sokudo_model::{Inference, Run};

use crate::case::Case;
use crate::code::Ruling;

/// A rule about one row.
pub(crate) type RowRule = fn(&Case<'_>) -> Option<Ruling>;

/// A rule about the run as a whole.
pub(crate) type RunRule = fn(&Run) -> Option<Ruling>;

/// A rule about the run that may conclude one thing of its device.
pub(crate) type InferenceRule = fn(&Run) -> Option<Inference>;
