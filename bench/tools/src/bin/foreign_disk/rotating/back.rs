//! What is behind the front of a hard disk. All times are seconds since the drive began.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::model::Outcome;

use super::extents::Extents;

/// Platters, arm, and what keeps order on them.
pub(crate) trait BackEnd: Send {
    fn bytes(&self) -> u64;

    /// How long it takes, as the drive expects, until a transfer at `offset` begins.
    fn expected_s(&self, at: f64, offset: u64, write: bool) -> f64;

    /// When a read is done, and how it ends.
    fn read(&mut self, at: f64, range: Range<u64>) -> (f64, Outcome);

    /// When a write is on the platters.
    fn write(&mut self, at: f64, range: Range<u64>) -> f64;

    /// How far behind `range.start`, at most to its end, can be read in one go.
    fn in_one_go(&self, range: Range<u64>) -> u64;

    /// Reads on where the arm is until a time; how many bytes, and when the last was read.
    fn go_on(&mut self, at: f64, range: Range<u64>, until: f64) -> (u64, f64);

    /// Writes some of what waits; when that is done.
    fn destage(&mut self, at: f64, waiting: &mut Extents) -> f64;

    /// A write has come, wherever it is kept for now.
    fn accepted(&mut self, _range: Range<u64>) {}

    /// Work of its own, begun from `at` until `now`, where the host has been silent since
    /// `silent`; when it was done.
    fn chores(&mut self, at: f64, _silent: f64, _now: f64) -> f64 {
        at
    }

    fn park(&mut self);

    fn tell(&self, truth: &mut Map<String, Value>);
}
