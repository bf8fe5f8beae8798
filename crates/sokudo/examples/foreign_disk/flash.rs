//! A stub until its models are written.

use crate::model::Kind;

pub(crate) const KINDS: &[Kind] = &[];
