//! What a thread tells while it runs, so that others can look without a lock.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};

use sokudo_model::{Bytes, Moved, Phase};

/// What a thread has moved and is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProgressSnapshot {
    /// Nanoseconds since the measured part began, or the ramp before that.
    pub(crate) at: u64,
    /// Of reads, writes and trims.
    pub(crate) each: [Moved; 3],
    pub(crate) phase: Phase,
}

impl ProgressSnapshot {
    /// Bytes and I/Os of reads, writes and trims together.
    pub(crate) fn all(&self) -> Moved {
        let mut all = Moved::default();
        for moved in self.each {
            all.bytes.0 += moved.bytes.0;
            all.ios += moved.ios;
        }
        all
    }

    /// Both threads together. They do what the busier one does.
    pub(crate) fn with(self, other: Self) -> Self {
        let mut each = self.each;
        for (sum, more) in each.iter_mut().zip(other.each) {
            sum.bytes.0 += more.bytes.0;
            sum.ios += more.ios;
        }
        Self {
            at: self.at.max(other.at),
            each,
            phase: if busyness(other.phase) > busyness(self.phase) {
                other.phase
            } else {
                self.phase
            },
        }
    }
}

fn busyness(phase: Phase) -> u8 {
    match phase {
        Phase::Ended => 0,
        Phase::Waiting => 1,
        Phase::Finishing => 2,
        Phase::Flushing => 3,
        Phase::Verifying => 4,
        Phase::Ramp => 5,
        Phase::Running => 6,
    }
}

/// A [`ProgressSnapshot`] that one thread writes and others read, always whole: readers try
/// again when the version was odd or has changed. On a cache line of its own.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Progress {
    version: AtomicU64,
    at: AtomicU64,
    each: [[AtomicU64; 2]; 3],
    phase: AtomicU8,
}

impl Progress {
    /// Tells; by one thread only.
    pub(crate) fn tell(&self, glance: &ProgressSnapshot) {
        let version = self.version.load(Ordering::Relaxed);
        self.version
            .store(version.wrapping_add(1), Ordering::Relaxed);
        fence(Ordering::Release);
        self.at.store(glance.at, Ordering::Relaxed);
        for ([bytes, ios], moved) in self.each.iter().zip(glance.each) {
            bytes.store(moved.bytes.0, Ordering::Relaxed);
            ios.store(moved.ios, Ordering::Relaxed);
        }
        self.phase.store(number(glance.phase), Ordering::Relaxed);
        self.version
            .store(version.wrapping_add(2), Ordering::Release);
    }

    /// What was told last.
    pub(crate) fn look(&self) -> ProgressSnapshot {
        loop {
            let version = self.version.load(Ordering::Acquire);
            let each = self.each.each_ref().map(|[bytes, ios]| Moved {
                bytes: Bytes(bytes.load(Ordering::Relaxed)),
                ios: ios.load(Ordering::Relaxed),
            });
            let glance = ProgressSnapshot {
                at: self.at.load(Ordering::Relaxed),
                each,
                phase: phase(self.phase.load(Ordering::Relaxed)),
            };
            fence(Ordering::Acquire);
            if version.is_multiple_of(2) && self.version.load(Ordering::Relaxed) == version {
                return glance;
            }
            std::hint::spin_loop();
        }
    }
}

const PHASES: [Phase; 7] = [
    Phase::Waiting,
    Phase::Ramp,
    Phase::Running,
    Phase::Verifying,
    Phase::Flushing,
    Phase::Finishing,
    Phase::Ended,
];

fn number(phase: Phase) -> u8 {
    let position = PHASES.iter().position(|known| *known == phase);
    u8::try_from(position.unwrap_or_default()).unwrap_or_default()
}

fn phase(number: u8) -> Phase {
    PHASES.get(usize::from(number)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glance(number: u64) -> ProgressSnapshot {
        let moved = Moved {
            bytes: Bytes(number),
            ios: number,
        };
        ProgressSnapshot {
            at: number,
            each: [moved; 3],
            phase: Phase::Running,
        }
    }

    #[test]
    fn every_phase_is_told_as_it_is() {
        let progress = Progress::default();
        assert_eq!(progress.look(), ProgressSnapshot::default());
        for phase in PHASES {
            let expected = ProgressSnapshot { phase, ..glance(7) };
            progress.tell(&expected);
            assert_eq!(progress.look(), expected);
        }
    }

    #[test]
    fn a_look_never_sees_half_of_what_is_told() {
        let progress = Progress::default();
        std::thread::scope(|scope| {
            scope.spawn(|| (1..200_000).for_each(|number| progress.tell(&glance(number))));
            let mut last = 0;
            while last < 199_999 {
                let seen = progress.look();
                assert!(seen.each.iter().all(|moved| moved.ios == seen.at));
                assert!(seen.at >= last);
                last = seen.at;
            }
        });
    }

    #[test]
    fn clones_together_do_what_the_busiest_does() {
        let ended = ProgressSnapshot {
            phase: Phase::Ended,
            ..glance(3)
        };
        let both = ended.with(glance(4));
        assert_eq!((both.phase, both.all().ios), (Phase::Running, 21));
    }
}
