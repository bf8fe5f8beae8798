//! Judges rows that stand on different storage: each set of targets by itself, with
//! what is known about it, and the judgements put together.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use sokudo_model::{Row, Run, TargetInfo};

/// Judges every row by the targets that it used, as if only the rows with the same had been
/// there. What concerns the run as a whole is told once.
///
/// It is the run itself that is judged again and again: a plan names all jobs of all sets.
pub(crate) fn judge(run: &mut Run, judge_alike: fn(&mut Run)) {
    let mut sets: BTreeMap<BTreeSet<usize>, Vec<(usize, Row)>> = BTreeMap::new();
    for (number, row) in mem::take(&mut run.rows).into_iter().enumerate() {
        let used = row.workload.targets().into_iter().collect();
        sets.entry(used).or_default().push((number, row));
    }
    let (whole, targets) = (run.target.clone(), mem::take(&mut run.targets));
    let (mut rows, mut findings) = (BTreeMap::new(), Vec::new());
    for (set, members) in sets {
        let of_set = set.iter().filter_map(|index| targets.get(*index));
        run.target = TargetInfo::together(of_set).unwrap_or_else(|| whole.clone());
        let (numbers, of_set): (Vec<usize>, _) = members.into_iter().unzip();
        run.rows = of_set;
        judge_alike(run);
        rows.extend(numbers.into_iter().zip(mem::take(&mut run.rows)));
        for finding in mem::take(&mut run.findings) {
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
    }
    run.rows = rows.into_values().collect();
    (run.target, run.targets, run.findings) = (whole, targets, findings);
    run.inferences.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::reads;
    use std::cell::Cell;

    thread_local! {
        static JUDGED: Cell<u32> = const { Cell::new(0) };
        static PLAN: Cell<usize> = const { Cell::new(0) };
    }

    /// Thousands of jobs may each stand on a disk of their own, and one plan names them all.
    #[test]
    fn the_plan_is_not_copied_for_each_set_of_targets() {
        let mut run = reads();
        let (row, target) = (run.rows[0].clone(), run.target.clone());
        run.targets = vec![target; 3];
        run.rows = (0..3).map(|_| row.clone()).collect();
        for (index, row) in (0..).zip(&mut run.rows) {
            row.workload.files.uses = vec![sokudo_model::FileUse {
                target: index,
                span: None,
            }];
        }
        let before = run.clone();
        PLAN.set(run.plan.stages.as_ptr().addr());
        judge(&mut run, |run| {
            assert_eq!(run.plan.stages.as_ptr().addr(), PLAN.get());
            JUDGED.set(JUDGED.get() + 1);
        });
        assert_eq!((run, JUDGED.get()), (before, 3));
    }
}
