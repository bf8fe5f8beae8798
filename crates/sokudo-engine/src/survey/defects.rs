//! The list of ranges that failed.

use sokudo_model::{Bytes, Defect, FailureKind, Operation};
use sokudo_words::{Text, text};

/// Ranges that are kept. A disk with more of them is beyond what a list can tell, and
/// each takes 40 bytes.
const DEFECTS_MAX: usize = 65_536;

/// Defects in the order in which they were found.
#[derive(Clone, Default)]
pub(crate) struct Defects {
    list: Vec<Defect>,
    /// Ranges found after [`DEFECTS_MAX`], which are only counted.
    left_out: u64,
}

/// How far the list had come.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DefectsMark {
    count: usize,
    last_length: u64,
    left_out: u64,
}

impl Defects {
    /// Notes that every block from `offset` to `end` failed. What lies next to the range
    /// before it becomes one with it.
    pub(crate) fn note(&mut self, operation: Operation, offset: u64, end: u64, kind: FailureKind) {
        if let Some(last) = self.list.last_mut()
            && last.operation == operation
            && last.offset.0 + last.length.0 == offset
        {
            last.length = Bytes(end - last.offset.0);
        } else if self.list.len() < DEFECTS_MAX {
            self.list.push(Defect {
                operation,
                offset: Bytes(offset),
                length: Bytes(end - offset),
                kind,
            });
        } else {
            self.left_out += 1;
        }
    }

    /// Where the list ends now.
    pub(crate) fn mark(&self) -> DefectsMark {
        DefectsMark {
            count: self.list.len(),
            last_length: self.list.last().map_or(0, |last| last.length.0),
            left_out: self.left_out,
        }
    }

    /// Those that were noted until then.
    pub(crate) fn until(&self, mark: DefectsMark) -> Vec<Defect> {
        let mut list = self.list[..mark.count.min(self.list.len())].to_vec();
        if let Some(last) = list.last_mut() {
            last.length = Bytes(mark.last_length);
        }
        list
    }

    /// Forgets what was noted since.
    pub(crate) fn return_to(&mut self, mark: DefectsMark) {
        self.list.truncate(mark.count);
        if let Some(last) = self.list.last_mut() {
            last.length = Bytes(mark.last_length);
        }
        self.left_out = mark.left_out;
    }

    /// All of them in order of place, and what is to be said about their number.
    pub(crate) fn finish(mut self) -> (Vec<Defect>, Option<Text>) {
        self.list
            .sort_by_key(|defect| (defect.offset, defect.operation));
        let mut joined: Vec<Defect> = Vec::with_capacity(self.list.len());
        for defect in self.list {
            let end = defect.offset.0 + defect.length.0;
            match joined.last_mut() {
                Some(last)
                    if last.operation == defect.operation
                        && last.offset.0 + last.length.0 >= defect.offset.0 =>
                {
                    last.length.0 = last.length.0.max(end - last.offset.0);
                }
                _ => joined.push(defect),
            }
        }
        let left_out = self.left_out;
        let note = (left_out > 0).then(|| {
            text!(
                "{left_out} more ranges failed than the {} that are listed",
                DEFECTS_MAX
            )
        });
        (joined, note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(defects: Defects) -> Vec<(u64, u64)> {
        let (list, _) = defects.finish();
        list.iter().map(|it| (it.offset.0, it.length.0)).collect()
    }

    fn noted(ranges: &[(u64, u64)]) -> Defects {
        let mut defects = Defects::default();
        for (offset, end) in ranges {
            defects.note(Operation::Read, *offset, *end, FailureKind::Errno(5));
        }
        defects
    }

    #[test]
    fn neighbours_become_one_in_whatever_order_they_are_found() {
        assert_eq!(
            ranges(noted(&[(0, 5), (5, 9), (20, 30)])),
            [(0, 9), (20, 10)]
        );
        assert_eq!(
            ranges(noted(&[(20, 30), (5, 9), (0, 5)])),
            [(0, 9), (20, 10)]
        );
        assert_eq!(ranges(noted(&[(0, 9), (0, 4), (3, 12)])), [(0, 12)]);
    }

    #[test]
    fn what_was_noted_since_a_mark_can_be_forgotten() {
        let mut defects = noted(&[(0, 5)]);
        let mark = defects.mark();
        for (offset, end) in [(5, 8), (10, 20)] {
            defects.note(Operation::Read, offset, end, FailureKind::Errno(5));
        }
        defects.return_to(mark);
        assert_eq!(ranges(defects), [(0, 5)]);
    }

    #[test]
    fn a_list_that_is_full_says_so() {
        let mut defects = Defects::default();
        for number in 0..=DEFECTS_MAX as u64 {
            let offset = number * 10;
            defects.note(Operation::Read, offset, offset + 1, FailureKind::Errno(5));
        }
        let (list, note) = defects.finish();
        assert_eq!(list.len(), DEFECTS_MAX);
        assert!(note.unwrap().english().starts_with("1 more"));
    }
}
