//! Commands that measure nothing by themselves, or let others measure.

pub(crate) mod baseline;
pub(crate) mod busy;
pub(crate) mod check;
pub(crate) mod choose;
pub(crate) mod clean;
pub(crate) mod compare;
pub(crate) mod idle;
pub(crate) mod info;
pub(crate) mod prepare;
pub(crate) mod show;
pub(crate) mod slow;
pub(crate) mod together;
