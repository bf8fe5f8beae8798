//! The I/Os of a survey that took longest.

use std::cmp::Reverse;

use sokudo_model::{Bytes, Nanos, SLOW_IOS_MAX, SlowIo};

use super::io::SurveyIo;

/// Those that took longest so far. A new one costs a comparison, and where it is among them a
/// walk through all; that becomes rare soon.
#[derive(Clone, Default)]
pub(super) struct SlowestIos {
    ios: Vec<SlowIo>,
    /// The shortest of a full list.
    least: Nanos,
}

impl SlowestIos {
    pub(super) fn note(&mut self, io: SurveyIo, latency: Nanos) {
        if latency <= self.least {
            return;
        }
        if self.ios.len() == SLOW_IOS_MAX
            && let Some(shortest) = self.ios.iter().position(|io| io.latency == self.least)
        {
            self.ios.swap_remove(shortest);
        }
        self.ios.push(SlowIo {
            offset: Bytes(io.offset),
            length: Bytes(io.length.into()),
            latency,
        });
        if self.ios.len() == SLOW_IOS_MAX {
            let shortest = self.ios.iter().map(|io| io.latency).min();
            self.least = shortest.unwrap_or_default();
        }
    }

    /// Slowest I/Os, by falling latency.
    pub(super) fn finish(mut self) -> Vec<SlowIo> {
        self.ios.sort_by_key(|io| (Reverse(io.latency), io.offset));
        self.ios
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_are_kept_whatever_their_order() {
        let count = 10 * SLOW_IOS_MAX as u64;
        let mut slowest = SlowestIos::default();
        for number in 0..count {
            // A permutation of all numbers below the count.
            let latency = number * 7_919 % count;
            slowest.note(SurveyIo::aside(number, 512), Nanos(latency));
        }
        let kept: Vec<u64> = slowest.finish().iter().map(|io| io.latency.0).collect();
        let longest: Vec<u64> = (count - SLOW_IOS_MAX as u64..count).rev().collect();
        assert_eq!(kept, longest);
    }
}
