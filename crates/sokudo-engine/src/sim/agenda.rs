//! What will happen when, in virtual time.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Things that are due at an instant. What is due at the same instant comes out
/// in the order it was put in, so that a simulation has exactly one course.
#[derive(Clone, Debug)]
pub(super) struct Agenda<T> {
    entries: BinaryHeap<Reverse<AgendaEntry<T>>>,
    entered: u64,
}

#[derive(Clone, Debug)]
struct AgendaEntry<T> {
    at_ns: u64,
    number: u64,
    what: T,
}

impl<T> Agenda<T> {
    pub(super) fn new() -> Self {
        Self {
            entries: BinaryHeap::new(),
            entered: 0,
        }
    }

    /// Enters something that is due at `at_ns`.
    pub(super) fn enter(&mut self, at_ns: u64, what: T) {
        let number = self.entered;
        self.entered += 1;
        self.entries.push(Reverse(AgendaEntry {
            at_ns,
            number,
            what,
        }));
    }

    /// When the first thing is due.
    pub(super) fn next_ns(&self) -> Option<u64> {
        self.entries.peek().map(|Reverse(entry)| entry.at_ns)
    }

    /// Takes the first thing, if it is due by `now_ns`.
    pub(super) fn take_due(&mut self, now_ns: u64) -> Option<T> {
        if self.next_ns()? > now_ns {
            return None;
        }
        self.entries.pop().map(|Reverse(entry)| entry.what)
    }
}

impl<T> AgendaEntry<T> {
    fn key(&self) -> (u64, u64) {
        (self.at_ns, self.number)
    }
}

impl<T> PartialEq for AgendaEntry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for AgendaEntry<T> {}

impl<T> PartialOrd for AgendaEntry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for AgendaEntry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

/// The earlier of two instants, as far as there are any.
pub(super) fn earlier(first: Option<u64>, second: Option<u64>) -> Option<u64> {
    match (first, second) {
        (Some(first), Some(second)) => Some(first.min(second)),
        (first, second) => first.or(second),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_due_first_comes_first_and_equals_keep_their_order() {
        let mut agenda = Agenda::new();
        for (at_ns, what) in [(5, 'c'), (3, 'a'), (5, 'd'), (3, 'b')] {
            agenda.enter(at_ns, what);
        }
        assert_eq!(agenda.take_due(2), None);
        assert_eq!(agenda.next_ns(), Some(3));
        let taken: String = std::iter::from_fn(|| agenda.take_due(5)).collect();
        assert_eq!(taken, "abcd");
        assert_eq!(agenda.next_ns(), None);
    }
}
