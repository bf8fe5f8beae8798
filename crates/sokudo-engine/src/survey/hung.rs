//! What a survey knows of I/Os that do not come back.

use std::collections::VecDeque;

use sokudo_model::Nanos;

use super::io::SurveyIo;

/// What hangs, or hung.
#[derive(Default)]
pub(super) struct Hanging {
    /// What is waited for no longer.
    pub(super) ios: Vec<HungIo>,
    /// Buffers that take the place of theirs.
    pub(super) spare: Vec<u32>,
    /// When something came back, or was given up, last.
    pub(super) heard_at: u64,
    /// When those were issued that came back last, as many as a queue holds.
    pub(super) answered: VecDeque<u64>,
    /// Those that came back after all, and the longest time of them.
    pub(super) late: u64,
    pub(super) latest: Nanos,
}

/// An I/O that is in flight, and waited for no longer.
pub(super) struct HungIo {
    pub(super) io: SurveyIo,
    pub(super) buffer_index: u32,
    pub(super) issued_at: u64,
}

impl Hanging {
    /// With these buffers to spare.
    pub(super) fn new(spare: impl Iterator<Item = u32>) -> Self {
        Self {
            spare: spare.collect(),
            ..Self::default()
        }
    }

    pub(super) fn hear(&mut self, now: u64) {
        self.heard_at = now;
    }

    /// An I/O came back that was issued then.
    pub(super) fn answer(&mut self, issued_at: u64, now: u64, depth: u32) {
        self.hear(now);
        self.answered.push_back(issued_at);
        if self.answered.len() > depth as usize {
            self.answered.pop_front();
        }
    }
}
