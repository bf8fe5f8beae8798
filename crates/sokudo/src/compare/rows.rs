//! Which row of one measurement belongs to which of another. Pure.

use sokudo_model::Workload;

/// What a row is recognised by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    name: String,
    direction: String,
}

impl Key {
    /// Of the row that does this.
    pub(super) fn of(workload: &Workload) -> Self {
        Self {
            name: workload.name.clone(),
            direction: workload.operations.direction().to_owned(),
        }
    }
}

/// Rows of a reference and of another measurement, by their numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Matched {
    /// Rows that belong together: the reference's, and the other's.
    pub(super) pairs: Vec<[usize; 2]>,
    pub(super) only_in_reference: Vec<usize>,
    pub(super) only_in_other: Vec<usize>,
}

/// Rows of one name and direction belong together. Of what is left over, those of one
/// direction do by their order, so that what differs in them can be named; with
/// `any_direction` those of different ones too.
pub(super) fn matched(reference: &[Key], other: &[Key], any_direction: bool) -> Matched {
    let mut partner: Vec<Option<usize>> = vec![None; reference.len()];
    let mut is_taken = vec![false; other.len()];
    let rules: [fn(&Key, &Key) -> bool; 3] = [
        |a, b| a == b,
        |a, b| a.direction == b.direction,
        |_, _| true,
    ];
    let rules = &rules[..if any_direction { 3 } else { 2 }];
    for belongs in rules {
        for (row, partner) in partner.iter_mut().enumerate() {
            if partner.is_some() {
                continue;
            }
            let fits =
                |index: &usize| !is_taken[*index] && belongs(&reference[row], &other[*index]);
            *partner = (0..other.len()).find(fits);
            if let Some(index) = partner {
                is_taken[*index] = true;
            }
        }
    }
    let mut matched = Matched {
        only_in_other: (0..other.len()).filter(|index| !is_taken[*index]).collect(),
        ..Matched::default()
    };
    for (row, partner) in partner.into_iter().enumerate() {
        match partner {
            Some(index) => matched.pairs.push([row, index]),
            None => matched.only_in_reference.push(row),
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(rows: &[(&str, &str)]) -> Vec<Key> {
        let key = |(name, direction): &(&str, &str)| Key {
            name: (*name).to_owned(),
            direction: (*direction).to_owned(),
        };
        rows.iter().map(key).collect()
    }

    #[test]
    fn rows_of_one_name_and_direction_belong_together_in_any_order() {
        let a = keys(&[("SEQ", "read"), ("SEQ", "write"), ("RND", "read")]);
        let b = keys(&[("RND", "read"), ("SEQ", "read"), ("SEQ", "write")]);
        assert_eq!(matched(&a, &b, false).pairs, [[0, 1], [1, 2], [2, 0]]);
        // Of two alike, the first belongs to the first.
        let twice = keys(&[("x", "read"), ("x", "read")]);
        assert_eq!(matched(&twice, &twice, false).pairs, [[0, 0], [1, 1]]);
    }

    #[test]
    fn what_is_left_over_belongs_together_by_its_order() {
        let a = keys(&[("Q1", "read"), ("SEQ", "read"), ("Q1", "write")]);
        let b = keys(&[("SEQ", "read"), ("Q32", "read"), ("x", "trim")]);
        let apart = matched(&a, &b, false);
        assert_eq!(apart.pairs, [[0, 1], [1, 0]]);
        assert_eq!(
            (apart.only_in_reference, apart.only_in_other),
            (vec![2], vec![2])
        );
        let any = matched(&a, &b, true);
        assert_eq!(any.pairs, [[0, 1], [1, 0], [2, 2]]);
        assert_eq!(any.only_in_other, [0usize; 0]);
    }

    #[test]
    fn rows_without_a_partner_are_told() {
        let a = keys(&[("x", "read")]);
        let none = matched(&a, &[], true);
        assert_eq!((none.pairs.len(), none.only_in_reference), (0, vec![0]));
    }
}
