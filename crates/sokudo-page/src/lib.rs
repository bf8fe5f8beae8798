//! The local page.
mod event;
pub use event::{PlaceUnit, PlannedRow, RunEvent, RunPhase};
