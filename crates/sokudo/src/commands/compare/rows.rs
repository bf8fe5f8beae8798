//! Which row of one measurement belongs to which of another. Pure.

use sokudo_analysis::load_differences;
use sokudo_model::{PlanPart, PlanParts, Workload};
use sokudo_report::document::ResultDocument;
use sokudo_report::{Belongs, RunDocument, RunTable};

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

/// Rows of one name and load belong together, then those of one load, then as far as
/// `common` goes.
pub(super) fn joined<'a>(runs: &[&[RowKey<'a>]], common: Common) -> RunTable {
    let rules: [Belongs<RowKey<'a>>; 5] = [
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
    RunTable::joined(runs, rules)
}

/// Of each line in what its load differs from the first line of the same name and direction;
/// nothing for that one.
pub(super) fn differing(table: &RunTable, runs: &[&[RowKey<'_>]]) -> Vec<Vec<PlanPart>> {
    let heads = table.lines.iter().filter_map(|line| {
        let mut keys = line.iter().zip(runs);
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

    fn pairs(a: &[RowKey<'_>], b: &[RowKey<'_>], common: Common) -> Vec<[usize; 2]> {
        joined(&[a, b], common).pairs(1).collect()
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
        assert_eq!(pairs(&a, &b, Common::Load), [[0, 1], [1, 2], [2, 0]]);
        // Of two alike, the first belongs to the first.
        let twice = keys(&[("x", "read", "4K"), ("x", "read", "4K")]);
        assert_eq!(pairs(&twice, &twice, Common::Load), [[0, 0], [1, 1]]);
    }

    #[test]
    fn one_load_belongs_together_under_any_name_but_a_load_before_a_name() {
        let a = keys(&[("x", "read", "4K"), ("y", "read", "1M")]);
        let b = keys(&[("x", "read", "1M"), ("z", "read", "4K")]);
        assert_eq!(pairs(&a, &b, Common::LoadOrName), [[0, 1], [1, 0]]);
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
        assert!(pairs(&a, &b, Common::Load).is_empty());
        let apart = joined(&[&a, &b], Common::LoadOrName);
        let only = |run, other| apart.only_in(run, other).collect::<Vec<_>>();
        assert_eq!((only(0, 1), only(1, 0)), (vec![0, 2], vec![1, 2]));
        assert!(apart.pairs(1).eq([[1, 0]]));
        let any = joined(&[&a, &b], Common::Nothing);
        assert!(any.pairs(1).eq([[0, 1], [1, 0], [2, 2]]));
        assert!(any.only_in(1, 0).next().is_none());
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
            joined(&[&bonnie, &mark, &longer], Common::Load).lines,
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
        let sides = [&*one, &*other];
        let table = joined(&sides, Common::Load);
        assert_eq!(
            differing(&table, &sides),
            [vec![], vec![], vec![PlanPart::Blocks]]
        );
    }

    #[test]
    fn rows_without_a_partner_are_told() {
        let a = keys(&[("x", "read", "4K")]);
        let none = joined(&[&a, &[]], Common::Nothing);
        assert!(none.pairs(1).next().is_none() && none.only_in(0, 1).eq([0]));
    }
}
