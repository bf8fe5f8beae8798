//! Where the sequential I/Os of a stage begin: where those of the stage before have ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sokudo_model::{Order, SequentialOffset, Workload};

use crate::pattern::Pattern;

/// How far sequential I/Os have walked, in bytes: the stages that share it go on where the last one
/// has ended, from the start again at the end of their stretch. If each began at the start, they
/// would read what the drive has in its memory from the one before.
#[derive(Clone, Debug, Default)]
pub struct Walked(Arc<AtomicU64>);

impl Walked {
    fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Threads that have a position each come as far as the one that came furthest.
    fn come_to(&self, bytes: u64) {
        self.0.fetch_max(bytes, Ordering::Relaxed);
    }

    /// Threads that share a position come as far as all of them together.
    fn go(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Sequential I/Os of a stage that goes on where another has ended.
pub(crate) struct SequentialWalk {
    begun_at: u64,
    is_shared: bool,
    walked: Walked,
}

impl SequentialWalk {
    /// Lets the pattern of a workload, whose I/Os follow each other forward through one file, once,
    /// begin where others have ended.
    pub(crate) fn begin(
        workload: &Workload,
        walked: Walked,
        pattern: &mut Pattern,
    ) -> Option<Self> {
        let Order::Sequential { offset } = workload.order else {
            return None;
        };
        if !workload.can_go_on() {
            return None;
        }
        let begun_at = walked.bytes();
        pattern.begin_behind(begun_at);
        Some(Self {
            begun_at,
            is_shared: offset == SequentialOffset::Interlocked,
            walked,
        })
    }

    /// So many bytes were issued. Where reads and writes have a position each, neither has come further.
    pub(crate) fn end(&self, issued: u64) {
        match self.is_shared {
            true => self.walked.go(issued),
            false => self.walked.come_to(self.begun_at.saturating_add(issued)),
        }
    }
}
