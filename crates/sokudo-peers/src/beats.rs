//! Who has been heard when, and who has not for too long.

use std::time::{Duration, Instant};

use crate::limits::Limits;

/// How much longer one may be silent for each further process on its processor. 64 that computed
/// on two processors, beside a compiler, kept one of them from running for 3.8 s.
const PATIENCE: Duration = Duration::from_millis(100);

/// Whoever is lost is still named within ten seconds.
const PATIENCE_MAX: Duration = Duration::from_secs(3);

pub(crate) struct Beats {
    limits: Limits,
    /// Who is not heard for so long is lost.
    lost_after: Duration,
    /// The ranks that are listened to, and when each was heard last.
    heard: Vec<(u32, Instant)>,
    next_beat: Instant,
    last_pass: Instant,
}

impl Beats {
    /// The first listens to all others, who listen to it alone.
    pub(crate) fn new(rank: u32, count: u32, limits: Limits, now: Instant) -> Self {
        let ranks = if rank == 0 { 1..count } else { 0..1 };
        Self {
            limits,
            lost_after: limits.lost_after,
            heard: ranks.map(|rank| (rank, now)).collect(),
            next_beat: now,
            last_pass: now,
        }
    }

    pub(crate) fn heard(&mut self, rank: u32, now: Instant) {
        let first = self.heard.first().map_or(0, |(rank, _)| *rank);
        let index = rank.checked_sub(first).map(|index| index as usize);
        if let Some(entry) = index.and_then(|index| self.heard.get_mut(index)) {
            entry.1 = now;
        }
    }

    /// Everybody counts as heard.
    pub(crate) fn heard_all(&mut self, now: Instant) {
        self.heard.iter_mut().for_each(|(_, at)| *at = now);
    }

    /// Takes into account that so many processes share a processor: each may wait for its turn
    /// while all others compute.
    pub(crate) fn crowd(&mut self, processes: u32) {
        let patience = (PATIENCE * processes.saturating_sub(1)).min(PATIENCE_MAX);
        self.lost_after = self.limits.lost_after + patience;
    }

    /// Whether it is time for the next beat.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now >= self.next_beat;
        if is_due {
            self.next_beat = now + self.limits.beat;
        }
        is_due
    }

    /// Notes that this thread runs. A time in which it did not, because somebody has stopped the
    /// whole job (Ctrl-Z) or the processors were taken, is held against nobody.
    pub(crate) fn pass(&mut self, now: Instant) {
        let gap = now.saturating_duration_since(self.last_pass);
        if gap > self.limits.beat {
            self.heard.iter_mut().for_each(|(_, at)| *at += gap);
        }
        self.last_pass = now;
    }

    /// Who is lost, and for how long it has been silent.
    pub(crate) fn lost(&self, now: Instant) -> Option<(u32, Duration)> {
        let silence = |at: &Instant| now.saturating_duration_since(*at);
        (self.heard.iter())
            .map(|(rank, at)| (*rank, silence(at)))
            .find(|(_, silent)| *silent > self.lost_after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn who_is_silent_for_longer_than_the_limit_is_lost() {
        let start = Instant::now();
        let mut beats = Beats::new(0, 3, Limits::default(), start);
        for second in 1..=5 {
            let now = start + SECOND * second;
            beats.pass(now);
            beats.heard(1, now);
            assert_eq!(beats.lost(now), None);
        }
        let now = start + SECOND * 6;
        beats.pass(now);
        assert_eq!(beats.lost(now), Some((2, SECOND * 6)));
    }

    #[test]
    fn the_others_listen_to_the_first_alone() {
        let start = Instant::now();
        let mut beats = Beats::new(2, 3, Limits::default(), start);
        let now = start + SECOND;
        beats.pass(now);
        beats.heard(0, now);
        beats.heard(1, now);
        assert_eq!(beats.heard, [(0, now)]);
    }

    #[test]
    fn a_time_in_which_this_process_was_stopped_is_held_against_nobody() {
        let start = Instant::now();
        let mut beats = Beats::new(0, 2, Limits::default(), start);
        let after = start + SECOND * 100;
        beats.pass(after);
        assert_eq!(beats.lost(after), None);
        for second in 1..=6 {
            beats.pass(after + SECOND * second);
        }
        assert!(beats.lost(after + SECOND * 6).is_some());
    }

    #[test]
    fn on_a_crowded_processor_one_may_be_silent_for_longer() {
        let start = Instant::now();
        for (processes, seconds) in [(0, 5), (1, 5), (11, 6), (32, 8), (u32::MAX, 8)] {
            let mut beats = Beats::new(0, 2, Limits::default(), start);
            beats.crowd(processes);
            let last = start + SECOND * seconds;
            assert_eq!(beats.lost(last), None, "{processes}");
            let lost = beats.lost(last + SECOND / 2);
            assert!(lost.is_some(), "{processes}");
        }
    }

    #[test]
    fn beats_come_once_a_second() {
        let start = Instant::now();
        let mut beats = Beats::new(1, 2, Limits::default(), start);
        let due = (0..100).filter(|tenth| beats.is_due(start + SECOND / 10 * *tenth));
        assert_eq!(due.count(), 10);
    }
}
