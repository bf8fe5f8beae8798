//! I/Os submitted and reaped together as a workload says
//! ([`sokudo_model::Batching`]), where it does not leave that to the engine.

use std::collections::VecDeque;

use sokudo_model::{Batching, narrow};

/// The rules of one thread.
pub(crate) struct Batched {
    /// Submit as soon as so many are prepared.
    pub(crate) submit: Option<u32>,
    /// Wait for so many completions at once.
    pub(crate) complete_min: Option<u32>,
    /// Take so many completions at once at most.
    complete_max: Option<u32>,
    /// Once full, the queue drains to this depth before it is filled again.
    low_depth: u32,
    draining: bool,
    /// Completions that were reaped from the backend and not yet taken.
    reaped: VecDeque<(u32, i32)>,
}

impl Batched {
    /// `None` where everything is left to the engine.
    pub(crate) fn new(batching: &Batching, depth: u32, buffers: u32) -> Option<Self> {
        let reaps = batching.complete_max.is_some();
        let room = if reaps { buffers as usize } else { 0 };
        (*batching != Batching::default()).then(|| Self {
            submit: batching.submit.map(|ios| ios.clamp(1, depth)),
            complete_min: batching.complete_min.map(|ios| ios.min(depth)),
            // A maximum below the minimum is the minimum, as in fio.
            complete_max: batching
                .complete_max
                .filter(|ios| *ios > 0)
                .map(|ios| ios.max(batching.complete_min.unwrap_or(1)).max(1)),
            low_depth: batching.low_depth.unwrap_or(depth).min(depth),
            draining: false,
            reaped: VecDeque::with_capacity(room),
        })
    }

    /// Whether the queue has been full and has not drained yet.
    pub(crate) fn is_draining(&mut self, in_flight: u32) -> bool {
        self.draining &= in_flight > self.low_depth;
        self.draining
    }

    /// Notes that the queue is full.
    pub(crate) fn is_full(&mut self) {
        self.draining = true;
    }

    /// How many completions are taken at once at most, if there is a bound.
    pub(crate) fn complete_max(&self) -> Option<u32> {
        self.complete_max
    }

    /// Completions to wait for, when `wanted` are wanted together with those that
    /// have been reaped already.
    pub(crate) fn still_wanted(&self, wanted: u32) -> u32 {
        wanted.saturating_sub(narrow(self.reaped.len()))
    }

    /// Keeps a completion for later.
    pub(crate) fn keep(&mut self, buffer_index: u32, result: i32) {
        self.reaped.push_back((buffer_index, result));
    }

    /// The completion that was kept for longest.
    pub(crate) fn take(&mut self) -> Option<(u32, i32)> {
        self.reaped.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_drains_to_its_low_depth_before_it_is_filled() {
        let batching = with!(Batching::default(), low_depth = Some(2));
        let mut batched = Batched::new(&batching, 8, 8).unwrap();
        assert!(!batched.is_draining(7));
        batched.is_full();
        assert!(
            [8, 5, 3]
                .map(|depth| batched.is_draining(depth))
                .iter()
                .all(|is| *is)
        );
        assert!(!batched.is_draining(2));
        assert!(!batched.is_draining(7), "it fills again");
    }

    #[test]
    fn without_a_low_depth_a_full_queue_is_filled_at_once() {
        let batching = with!(Batching::default(), submit = Some(1));
        let mut batched = Batched::new(&batching, 8, 8).unwrap();
        batched.is_full();
        assert!(!batched.is_draining(8));
    }

    #[test]
    fn completions_that_were_kept_need_not_be_waited_for() {
        let batching = with!(Batching::default(), complete_max = Some(1));
        let mut batched = Batched::new(&batching, 8, 8).unwrap();
        assert_eq!(batched.still_wanted(1), 1);
        batched.keep(3, 512);
        batched.keep(4, 512);
        assert_eq!((batched.still_wanted(1), batched.still_wanted(4)), (0, 2));
        assert_eq!(batched.take(), Some((3, 512)));
    }
}
