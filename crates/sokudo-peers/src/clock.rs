//! This process's clock, and how it stands to the first one's.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// How this clock stands to the first process's: first = own + `offset_ns`, ± `uncertainty_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    pub offset_ns: i64,
    /// Half of the shortest round trip: wherever in it the first one looked at its clock, the
    /// offset is off by no more (Cristian 1989, "Probabilistic clock synchronization").
    pub uncertainty_ns: u64,
}

impl ClockReading {
    /// That of the first one itself.
    pub(crate) const SAME: Self = Self {
        offset_ns: 0,
        uncertainty_ns: 0,
    };
}

/// The instant at which all start.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// On this clock. It may have passed where the message took longer than the lead.
    pub at: Instant,
    /// `CLOCK_MONOTONIC` of the first process.
    pub at_first_ns: u64,
    /// What `at` was computed with.
    pub clock: ClockReading,
}

/// A question for the time, and its answer: asked and heard on this clock, received and answered
/// on the first one's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ping {
    pub(crate) sent_ns: u64,
    pub(crate) received_ns: u64,
    pub(crate) answered_ns: u64,
    pub(crate) heard_ns: u64,
}

impl Ping {
    /// `None` if a clock went backwards, or an answer was made up.
    fn reading(self) -> Option<ClockReading> {
        let took = self.heard_ns.checked_sub(self.sent_ns)?;
        let there = self.answered_ns.checked_sub(self.received_ns)?;
        let on_the_way = took.checked_sub(there)?;
        let out = i128::from(self.received_ns) - i128::from(self.sent_ns);
        let back = i128::from(self.answered_ns) - i128::from(self.heard_ns);
        Some(ClockReading {
            offset_ns: i64::try_from((out + back) / 2).ok()?,
            // Of an odd sum half a nanosecond is lost.
            uncertainty_ns: on_the_way.div_ceil(2) + 1,
        })
    }
}

/// What the ping with the shortest way says.
pub(crate) fn best_reading(pings: &[Ping]) -> Option<ClockReading> {
    let readings = pings.iter().filter_map(|ping| ping.reading());
    readings.min_by_key(|reading| reading.uncertainty_ns)
}

/// Looks at two clocks that took no longer than this were not taken apart.
const TRY_TIME: Duration = Duration::from_micros(20);

/// As often as this nobody is interrupted between two looks.
const TRIES_MAX: u32 = 20;

/// `CLOCK_MONOTONIC`, or a clock that is off by what a test has told.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OwnClock {
    pub(crate) offset_ns: i64,
    /// Parts per thousand million by which it is fast.
    pub(crate) drift_ppb: i64,
    /// The true time at which it was off by the offset alone.
    pub(crate) since_ns: u64,
}

impl OwnClock {
    pub(crate) fn now_ns(&self) -> u64 {
        let true_ns = monotonic_ns();
        if self.offset_ns == 0 && self.drift_ppb == 0 {
            return true_ns;
        }
        let run = i128::from(true_ns) - i128::from(self.since_ns);
        let shown = i128::from(true_ns)
            + i128::from(self.offset_ns)
            + run * i128::from(self.drift_ppb) / 1_000_000_000;
        u64::try_from(shown.max(0)).expect("a clock shows less than 500 years")
    }

    /// What both clocks show at one instant. A busy machine may take any two looks apart: of several
    /// tries the one counts that took the least time.
    fn both(&self) -> (Instant, u64) {
        let look = || {
            let (now, now_ns) = (Instant::now(), self.now_ns());
            (now.elapsed(), now, now_ns)
        };
        let mut closest = look();
        for _ in 1..TRIES_MAX {
            if closest.0 <= TRY_TIME {
                break;
            }
            closest = closest.min(look());
        }
        (closest.1, closest.2)
    }

    /// When this clock shows that, for those who sleep by the true one.
    pub(crate) fn instant(&self, own_ns: u64) -> Instant {
        let (now, now_ns) = self.both();
        match own_ns.checked_sub(now_ns) {
            Some(ahead) => now + Duration::from_nanos(ahead),
            None => now
                .checked_sub(Duration::from_nanos(now_ns - own_ns))
                .unwrap_or(now),
        }
    }
}

/// What `Instant` reads, too.
pub(crate) fn monotonic_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).expect("the kernel counts up from 0");
    let rest = u64::try_from(time.tv_nsec).expect("the kernel counts up from 0");
    seconds * 1_000_000_000 + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ping(out: u64, there: u64, back: u64, offset: i64) -> Ping {
        let on_first = |own: u64| own.checked_add_signed(offset).unwrap();
        let sent_ns = 5_000_000;
        Ping {
            sent_ns,
            received_ns: on_first(sent_ns + out),
            answered_ns: on_first(sent_ns + out + there),
            heard_ns: sent_ns + out + there + back,
        }
    }

    #[test]
    fn the_true_offset_lies_within_the_uncertainty_however_lopsided_the_way() {
        for offset in [-3_000_000, -1, 0, 1, 7_000_001, 900_000_000_000] {
            for (out, there, back) in [(10, 0, 10), (0, 5, 1_001), (1_001, 900, 0), (1, 1, 2)] {
                let reading = best_reading(&[ping(out, there, back, offset)]).unwrap();
                assert!(
                    reading.offset_ns.abs_diff(offset) <= reading.uncertainty_ns,
                    "{offset}: {reading:?}"
                );
                assert!(reading.uncertainty_ns <= (out + back) / 2 + 2);
            }
        }
    }

    #[test]
    fn the_shortest_way_counts_and_nonsense_does_not() {
        let long = ping(50, 0, 90_000, 1_000);
        let short = ping(40, 0, 60, 1_000);
        let best = best_reading(&[long, short, long]).unwrap();
        assert_eq!(best, best_reading(&[short]).unwrap());
        let made_up = Ping {
            answered_ns: 0,
            ..short
        };
        assert_eq!(best_reading(&[made_up]), None);
        let longer_there_than_away = Ping {
            answered_ns: u64::MAX,
            ..short
        };
        assert_eq!(best_reading(&[longer_there_than_away]), None);
        assert_eq!(best_reading(&[]), None);
    }
}
