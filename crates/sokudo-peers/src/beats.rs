//! Who has been heard when, and who has not for too long.

use std::time::{Duration, Instant};

use crate::limits::Timeouts;

pub(crate) struct Beats {
    timeouts: Timeouts,
    /// The ranks that are listened to, and when each was heard last.
    heard: Vec<(u32, Instant)>,
    next_beat: Instant,
    last_pass: Instant,
}

impl Beats {
    /// The first listens to all others, who listen to it alone.
    pub(crate) fn new(rank: u32, count: u32, timeouts: Timeouts, now: Instant) -> Self {
        let ranks = if rank == 0 { 1..count } else { 0..1 };
        Self {
            timeouts,
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

    /// Whether it is time for the next beat.
    pub(crate) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now >= self.next_beat;
        if is_due {
            self.next_beat = now + self.timeouts.beat;
        }
        is_due
    }

    /// Notes that this thread runs. A time in which it did not, because somebody has stopped the
    /// whole job (Ctrl-Z) or the processors were taken, is held against nobody.
    pub(crate) fn pass(&mut self, now: Instant) {
        let gap = now.saturating_duration_since(self.last_pass);
        if gap > self.timeouts.beat {
            self.heard.iter_mut().for_each(|(_, at)| *at += gap);
        }
        self.last_pass = now;
    }

    /// Who is lost, and for how long it has been silent.
    pub(crate) fn silent_for_too_long(&self, now: Instant) -> Option<(u32, Duration)> {
        let silence = |at: &Instant| now.saturating_duration_since(*at);
        (self.heard.iter())
            .map(|(rank, at)| (*rank, silence(at)))
            .find(|(_, silent)| *silent > self.timeouts.lost_after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn who_is_silent_for_longer_than_the_limit_is_lost() {
        let start = Instant::now();
        let mut beats = Beats::new(0, 3, Timeouts::default(), start);
        for second in 1..=5 {
            let now = start + SECOND * second;
            beats.pass(now);
            beats.heard(1, now);
            assert_eq!(beats.silent_for_too_long(now), None);
        }
        let now = start + SECOND * 6;
        beats.pass(now);
        assert_eq!(beats.silent_for_too_long(now), Some((2, SECOND * 6)));
    }

    #[test]
    fn the_others_listen_to_the_first_alone() {
        let start = Instant::now();
        let mut beats = Beats::new(2, 3, Timeouts::default(), start);
        let now = start + SECOND;
        beats.pass(now);
        beats.heard(0, now);
        beats.heard(1, now);
        assert_eq!(beats.heard, [(0, now)]);
    }

    #[test]
    fn a_time_in_which_this_process_was_stopped_is_held_against_nobody() {
        let start = Instant::now();
        let mut beats = Beats::new(0, 2, Timeouts::default(), start);
        let after = start + SECOND * 100;
        beats.pass(after);
        assert_eq!(beats.silent_for_too_long(after), None);
        for second in 1..=6 {
            beats.pass(after + SECOND * second);
        }
        assert!(beats.silent_for_too_long(after + SECOND * 6).is_some());
    }

    #[test]
    fn beats_come_once_a_second() {
        let start = Instant::now();
        let mut beats = Beats::new(1, 2, Timeouts::default(), start);
        let due = (0..100).filter(|tenth| beats.is_due(start + SECOND / 10 * *tenth));
        assert_eq!(due.count(), 10);
    }
}
