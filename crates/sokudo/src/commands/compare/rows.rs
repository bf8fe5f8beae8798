//! Which row of one measurement belongs to which of another. Pure.

use sokudo_analysis::load_differences;
use sokudo_model::{PlanPart, PlanParts, Workload};
use sokudo_report::RunDocument;
use sokudo_report::document::ResultDocument;

/// What a row is recognised by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RowKey<'a> {
    name: &'a str,
    direction: &'static str,
    /// Parts of its fingerprint; empty before it is measured.
    plan: PlanParts,
}

impl<'a> RowKey<'a> {
    /// Of what is to be done.
    pub(super) fn planned(workload: &'a Workload) -> Self {
        Self {
            name: &workload.name,
            direction: workload.operations.direction(),
            plan: PlanParts::default(),
        }
    }

    /// Of what was measured.
    pub(super) fn measured(result: &'a ResultDocument) -> Self {
        Self {
            plan: result.plan.clone(),
            ..Self::planned(&result.workload)
        }
    }

    fn has_name_of(&self, other: &Self) -> bool {
        self.name == other.name && self.direction == other.direction
    }

    /// The parts of the load in which they differ.
    pub(super) fn load_differences(&self, other: &Self) -> Vec<PlanPart> {
        load_differences(&self.plan, &other.plan)
    }

    /// Whether all of its load is known.
    fn is_whole(&self) -> bool {
        !self.plan.is_empty() && !self.plan.is_foreign()
    }
}

/// What rows must have in common to belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Common {
    Load,
    /// The load, or at least the name: what differs in the load can be reported.
    LoadOrName,
    /// Nothing: what is left over belongs together by its order. Only for who asks for it.
    Nothing,
}

/// Rows of a reference and of another measurement, by their numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Matched {
    /// Rows that belong together: the reference's, and the other's.
    pub(super) pairs: Vec<[usize; 2]>,
    pub(super) only_in_reference: Vec<usize>,
    pub(super) only_in_other: Vec<usize>,
}

/// Rows of one name and load belong together, then those of one load, then as far as
/// `common` goes. Among several alike, the first belongs to the first.
pub(super) fn matched(reference: &[RowKey<'_>], other: &[RowKey<'_>], common: Common) -> Matched {
    let mut partner: Vec<Option<usize>> = vec![None; reference.len()];
    let mut is_taken = vec![false; other.len()];
    let rules: [fn(&RowKey<'_>, &RowKey<'_>) -> bool; 5] = [
        |a, b| a.has_name_of(b) && a.load_differences(b).is_empty(),
        |a, b| a.is_whole() && b.is_whole() && a.load_differences(b).is_empty(),
        |a, b| a.has_name_of(b),
        |a, b| a.direction == b.direction,
        |_, _| true,
    ];
    let rules = match common {
        Common::Load => &rules[..2],
        Common::LoadOrName => &rules[..3],
        Common::Nothing => &rules[..],
    };
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

/// The lines of a table with a column for each side: the number of each side's row, where it
/// has one that belongs there. Those of the first side come first.
pub(super) fn lines(sides: &[Vec<RowKey<'_>>], common: Common) -> Vec<Vec<Option<usize>>> {
    let mut lines: Vec<Vec<Option<usize>>> = Vec::new();
    let mut firsts: Vec<RowKey<'_>> = Vec::new();
    for (side, keys) in sides.iter().enumerate() {
        let matched = matched(&firsts, keys, common);
        for [line, row] in matched.pairs {
            lines[line][side] = Some(row);
        }
        for row in matched.only_in_other {
            let mut line = vec![None; sides.len()];
            line[side] = Some(row);
            lines.push(line);
            firsts.push(keys[row].clone());
        }
    }
    lines
}

/// Of each line in what its load differs from the first line of the same name and direction;
/// nothing for that one.
pub(super) fn differing(
    lines: &[Vec<Option<usize>>],
    sides: &[Vec<RowKey<'_>>],
) -> Vec<Vec<PlanPart>> {
    let heads = lines.iter().filter_map(|line| {
        let mut keys = line.iter().zip(sides);
        keys.find_map(|(row, keys)| keys.get((*row)?))
    });
    let heads: Vec<&RowKey<'_>> = heads.collect();
    heads
        .iter()
        .map(|head| {
            let of_name = heads.iter().find(|other| other.has_name_of(head));
            of_name.map_or_else(Vec::new, |other| other.load_differences(head))
        })
        .collect()
}

/// What the rows of a run are recognised by. What took turns was matched before anything was
/// known of it but its plan, and stays matched so.
pub(super) fn keys(run: &RunDocument, took_turns: bool) -> Vec<RowKey<'_>> {
    let results = run.results.iter();
    match took_turns {
        true => results
            .map(|result| RowKey::planned(&result.workload))
            .collect(),
        false => results.map(RowKey::measured).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{BlockSizes, Operation, OperationMix, PlanData};

    /// Rows with a name, a direction and a block size.
    fn keys(rows: &[(&'static str, &'static str, &'static str)]) -> Vec<RowKey<'static>> {
        let key = |(name, direction, blocks): &(&'static str, &'static str, &str)| RowKey {
            name,
            direction,
            plan: PlanParts::from_iter([
                PlanData::Blocks(BlockSizes::one(blocks.parse().unwrap())),
                PlanData::Operations(match *direction {
                    "write" => OperationMix::only(Operation::Write),
                    "trim" => OperationMix::only(Operation::Trim),
                    _ => OperationMix::only(Operation::Read),
                }),
            ]),
        };
        rows.iter().map(key).collect()
    }

    #[test]
    fn rows_of_one_name_and_load_belong_together_in_any_order() {
        let a = keys(&[
            ("SEQ", "read", "1M"),
            ("SEQ", "write", "1M"),
            ("RND", "read", "4K"),
        ]);
        let b = keys(&[
            ("RND", "read", "4K"),
            ("SEQ", "read", "1M"),
            ("SEQ", "write", "1M"),
        ]);
        assert_eq!(
            matched(&a, &b, Common::Load).pairs,
            [[0, 1], [1, 2], [2, 0]]
        );
        // Of two alike, the first belongs to the first.
        let twice = keys(&[("x", "read", "4K"), ("x", "read", "4K")]);
        assert_eq!(
            matched(&twice, &twice, Common::Load).pairs,
            [[0, 0], [1, 1]]
        );
    }

    #[test]
    fn one_load_belongs_together_under_any_name_but_a_load_before_a_name() {
        let a = keys(&[("x", "read", "4K"), ("y", "read", "1M")]);
        let b = keys(&[("x", "read", "1M"), ("z", "read", "4K")]);
        assert_eq!(matched(&a, &b, Common::LoadOrName).pairs, [[0, 1], [1, 0]]);
    }

    #[test]
    fn other_loads_belong_together_by_name_or_where_it_is_asked_for_by_order() {
        let a = keys(&[
            ("Q1", "read", "4K"),
            ("SEQ", "read", "1M"),
            ("Q1", "write", "4K"),
        ]);
        let b = keys(&[
            ("SEQ", "read", "2M"),
            ("Q32", "read", "8K"),
            ("x", "trim", "1M"),
        ]);
        let by_load = matched(&a, &b, Common::Load);
        assert_eq!(by_load.pairs, [[0usize; 2]; 0]);
        let apart = matched(&a, &b, Common::LoadOrName);
        assert_eq!(apart.pairs, [[1, 0]]);
        assert_eq!(
            (apart.only_in_reference, apart.only_in_other),
            (vec![0, 2], vec![1, 2])
        );
        let any = matched(&a, &b, Common::Nothing);
        assert_eq!(any.pairs, [[0, 1], [1, 0], [2, 2]]);
        assert_eq!(any.only_in_other, [0usize; 0]);
    }

    #[test]
    fn no_line_of_several_sides_holds_two_loads() {
        let mark = keys(&[("SEQ1M", "write", "1M"), ("RND4K", "write", "4K")]);
        let bonnie = keys(&[("Per-char", "write", "1"), ("Block", "write", "8K")]);
        let longer = keys(&[
            ("RND4K", "write", "4K"),
            ("Per-char", "write", "1"),
            ("SEQ1M", "write", "2M"),
        ]);
        assert_eq!(
            lines(&[bonnie, mark, longer], Common::Load),
            [
                [Some(0), None, Some(1)],
                [Some(1), None, None],
                [None, Some(0), None],
                [None, Some(1), Some(0)],
                [None, None, Some(2)],
            ]
        );
    }

    #[test]
    fn a_line_of_a_known_name_says_in_what_its_load_differs() {
        let one = keys(&[("SEQ1M", "write", "1M"), ("RND4K", "write", "4K")]);
        let other = keys(&[("SEQ1M", "write", "2M")]);
        let sides = [one, other];
        let lines = lines(&sides, Common::Load);
        assert_eq!(
            differing(&lines, &sides),
            [vec![], vec![], vec![PlanPart::Blocks]]
        );
    }

    #[test]
    fn rows_without_a_partner_are_told() {
        let a = keys(&[("x", "read", "4K")]);
        let none = matched(&a, &[], Common::Nothing);
        assert_eq!((none.pairs.len(), none.only_in_reference), (0, vec![0]));
    }
}
