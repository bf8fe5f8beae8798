//! Judges rows that stand on different storage: each set of targets by itself, with
//! what is known about it, and the judgements put together.

use std::collections::{BTreeMap, BTreeSet};

use sokudo_model::{Assessment, Run, TargetInfo};

/// Judges every row by the targets that it used. What concerns the run as a whole is told
/// once.
pub(crate) fn judge(run: &mut Run, judge_alike: fn(&mut Run)) {
    let mut sets: BTreeMap<BTreeSet<usize>, Vec<usize>> = BTreeMap::new();
    for (number, row) in run.rows.iter().enumerate() {
        let used = row.workload.targets().into_iter().collect();
        sets.entry(used).or_default().push(number);
    }
    run.findings.clear();
    run.inferences.clear();
    let mut assessments: Vec<Option<Assessment>> = vec![None; run.rows.len()];
    for (set, members) in &sets {
        let mut part = part_of(run, members, set);
        judge_alike(&mut part);
        for (index, row) in members.iter().zip(part.rows) {
            assessments[*index] = row.assessment;
        }
        for finding in part.findings {
            if !run.findings.contains(&finding) {
                run.findings.push(finding);
            }
        }
    }
    for (row, assessment) in run.rows.iter_mut().zip(assessments) {
        row.assessment = assessment;
    }
}

/// The run as if only these rows had been there.
fn part_of(run: &Run, members: &[usize], set: &BTreeSet<usize>) -> Run {
    let of_set = set.iter().filter_map(|index| run.targets.get(*index));
    let target = TargetInfo::together(of_set).unwrap_or_else(|| run.target.clone());
    Run {
        rows: members.iter().map(|row| run.rows[*row].clone()).collect(),
        started_at: run.started_at,
        environment: run.environment.clone(),
        circumstances: run.circumstances.clone(),
        layout: run.layout,
        left_out: run.left_out.clone(),
        interrupted: run.interrupted,
        ..Run::new(run.plan.clone(), run.schedule.clone(), target)
    }
}
