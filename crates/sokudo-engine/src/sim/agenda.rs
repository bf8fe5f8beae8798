//! What will happen when, in virtual time.

use std::collections::BTreeMap;

/// Things that are due at an instant. What is due at the same instant comes out
/// in the order it was put in, so that a simulation has exactly one course.
#[derive(Clone, Debug)]
pub(super) struct Agenda<T> {
    /// By instant, and by number at the same instant.
    entries: BTreeMap<(u64, u64), T>,
    entered: u64,
}

impl<T> Agenda<T> {
    pub(super) fn new() -> Self {
        Self {
            entries: BTreeMap::new(),
            entered: 0,
        }
    }

    /// Enters something that is due at `at_ns`.
    pub(super) fn enter(&mut self, at_ns: u64, what: T) {
        self.entries.insert((at_ns, self.entered), what);
        self.entered += 1;
    }

    /// When the first thing is due.
    pub(super) fn next_ns(&self) -> Option<u64> {
        self.entries.first_key_value().map(|((at_ns, _), _)| *at_ns)
    }

    /// Takes the first thing, if it is due by `now_ns`.
    pub(super) fn take_due(&mut self, now_ns: u64) -> Option<T> {
        let first = self.entries.first_entry()?;
        (first.key().0 <= now_ns).then(|| first.remove())
    }
}

/// The earlier of two instants, as far as there are any.
pub(super) fn earlier(first: Option<u64>, second: Option<u64>) -> Option<u64> {
    first.into_iter().chain(second).min()
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
