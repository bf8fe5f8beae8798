//! What can go wrong between peers within one process, so that tests can have it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What is wrong with one of the peers.
#[derive(Clone, Debug, Default)]
pub(crate) struct RankFaults {
    /// On the way of every message to it and from it, each.
    pub(crate) delay: Duration,
    /// Its clock is ahead of the true one by so much when it joins.
    pub(crate) clock_offset_ns: i64,
    /// Its clock is fast by so many parts per thousand million.
    pub(crate) clock_drift_ppb: i64,
    /// As another version of sokudo.
    pub(crate) version: Option<String>,
    /// Name of another host that it claims to run on.
    pub(crate) host: Option<String>,
    pub(crate) trouble: Trouble,
}

/// What is wrong with all of them. Rank 0 is the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    ranks: BTreeMap<u32, RankFaults>,
}

impl Faults {
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// The faults of one of them, to be changed.
    pub(crate) fn of(&mut self, rank: u32) -> &mut RankFaults {
        self.ranks.entry(rank).or_default()
    }

    pub(crate) fn get(&self, rank: u32) -> RankFaults {
        self.ranks.get(&rank).cloned().unwrap_or_default()
    }
}

/// When it is cut off from the others; held by a test, which may decide while peers are at work.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    /// Messages that still go to it and come from it.
    left: Arc<AtomicU64>,
    /// Messages of its own that still come through.
    heard_left: Arc<AtomicU64>,
}

impl Default for Trouble {
    fn default() -> Self {
        let never = || Arc::new(AtomicU64::new(u64::MAX));
        Self {
            left: never(),
            heard_left: never(),
        }
    }
}

impl Trouble {
    /// As if it had been killed or stopped after so many more messages of its own: none go or come.
    pub(crate) fn lose_after(&self, messages: u64) {
        self.left.store(messages, Ordering::Relaxed);
    }

    /// After so many more messages it hears, but is not heard.
    pub(crate) fn silence_after(&self, messages: u64) {
        self.heard_left.store(messages, Ordering::Relaxed);
    }

    /// Whether it still sends; counts.
    pub(crate) fn may_send(&self) -> bool {
        [&self.left, &self.heard_left].map(count_down) == [true; 2]
    }

    pub(crate) fn may_receive(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }
}

/// Whether there was any left.
fn count_down(left: &Arc<AtomicU64>) -> bool {
    let down = |left: u64| left.checked_sub(1);
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, down)
        .is_ok()
}
