//! Turns of those that answer: each is a process beside what is measured, so that only a few run
//! at a time.

use std::sync::{Arc, Condvar, Mutex};

/// Commands that answer at once.
const AT_ONCE_MAX: usize = 4;
/// Those that wait for their turn, too: a page that is opened asks a dozen things.
const WAITING_MAX: usize = 64;

#[derive(Clone, Default)]
pub(crate) struct Turns(Arc<Counted>);

#[derive(Default)]
struct Counted {
    counts: Mutex<TurnCounts>,
    freed: Condvar,
}

#[derive(Default)]
struct TurnCounts {
    taken: usize,
    running: usize,
}

/// Somebody who waits for a turn, or has it.
pub(crate) struct Ticket(Arc<Counted>);

/// A turn, over when dropped.
pub(crate) struct Turn<'a>(&'a Counted);

impl Turns {
    /// `None` where too many wait already.
    pub(crate) fn permit(&self) -> Option<Ticket> {
        let mut counts = self.0.counts.lock().expect("nobody panics with it");
        if counts.taken == WAITING_MAX {
            return None;
        }
        counts.taken += 1;
        Some(Ticket(Arc::clone(&self.0)))
    }
}

impl Ticket {
    /// Waits until it is this one's turn.
    pub(crate) fn turn(&self) -> Turn<'_> {
        let counts = self.0.counts.lock().expect("nobody panics with it");
        let is_full = |counts: &mut TurnCounts| counts.running == AT_ONCE_MAX;
        let waited = self.0.freed.wait_while(counts, is_full);
        waited.expect("nobody panics with it").running += 1;
        Turn(&self.0)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.counts.lock().expect("nobody panics with it").running -= 1;
        self.0.freed.notify_one();
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.counts.lock().expect("nobody panics with it").taken -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn all_have_their_turn_and_never_more_than_a_few_at_once() {
        let turns = Turns::default();
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..WAITING_MAX {
                let permit = turns.permit().unwrap();
                let (now, most) = (&now, &most);
                scope.spawn(move || {
                    let _turn = permit.turn();
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::yield_now();
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert!((1..=AT_ONCE_MAX).contains(&most.into_inner()));
        assert!(turns.permit().is_some(), "all places are free again");
    }

    #[test]
    fn there_are_not_endless_places() {
        let turns = Turns::default();
        let permits: Vec<Ticket> = (0..WAITING_MAX).map_while(|_| turns.permit()).collect();
        assert_eq!(permits.len(), WAITING_MAX);
        assert!(turns.permit().is_none());
    }
}
