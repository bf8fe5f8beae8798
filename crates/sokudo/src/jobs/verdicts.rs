//! Judges rows that stand on different storage: each set of targets by itself, with
//! what is known about it, and the judgements put together.

use std::collections::BTreeSet;

use sokudo_model::{Assessment, Bytes, Row, Run, TargetInfo};

use super::stages::targets_of;
use super::storage::{Piece, Storage, sum_of_states};

/// Judges every row of a run, as [`sokudo_analysis::judge`] does, but by the targets
/// that the row used. What concerns the run as a whole is told once.
pub(crate) fn judge(run: &mut Run, storage: &Storage) {
    let used: Vec<Vec<usize>> = run
        .rows
        .iter()
        .map(|row| distinct(&targets_of(&row.workload)))
        .collect();
    let sets: BTreeSet<&Vec<usize>> = used.iter().collect();
    run.findings.clear();
    let mut assessments: Vec<Option<Assessment>> = vec![None; run.rows.len()];
    for set in sets {
        let members: Vec<usize> = (0..used.len()).filter(|row| used[*row] == *set).collect();
        let mut part = part_of(run, &members, set, storage);
        sokudo_analysis::judge(&mut part);
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
fn part_of(run: &Run, members: &[usize], set: &[usize], storage: &Storage) -> Run {
    let rows: Vec<Row> = members.iter().map(|row| run.rows[*row].clone()).collect();
    Run {
        rows,
        target: together(set.iter().filter_map(|index| storage.pieces.get(*index)))
            .unwrap_or_else(|| run.target.clone()),
        findings: Vec::new(),
        inferences: Vec::new(),
        circumstances: run.circumstances.clone(),
        plan: run.plan.clone(),
        schedule: run.schedule.clone(),
        environment: run.environment.clone(),
        sokudo_version: run.sokudo_version.clone(),
        command: run.command.clone(),
        ..*run
    }
}

/// Everything that a plan's targets stand on, for reports that name one target.
pub(crate) fn whole(storage: &Storage) -> Option<TargetInfo> {
    together(storage.pieces.iter())
}

/// Several targets as one; `None` if there are none.
fn together<'a>(pieces: impl Iterator<Item = &'a Piece> + Clone) -> Option<TargetInfo> {
    let mut infos = pieces.map(|piece| &piece.info);
    let count = infos.clone().count();
    let mut sum = infos.next()?.clone();
    if count == 1 {
        return Some(sum);
    }
    sum.file_state = sum_of_states(
        std::iter::once(&sum.file_state.clone()).chain(infos.clone().map(|info| &info.file_state)),
    );
    for info in infos {
        sum.size_bytes = sum
            .size_bytes
            .zip(info.size_bytes)
            .map(|(left, right)| Bytes(left.0.saturating_add(right.0)));
        for device in &info.devices {
            if !sum.devices.contains(device) {
                sum.devices.push(device.clone());
            }
        }
        for sentence in &info.blind_spots {
            if !sum.blind_spots.contains(sentence) {
                sum.blind_spots.push(sentence.clone());
            }
        }
        if info.file_system != sum.file_system {
            sum.file_system = None;
        }
    }
    sum.name = format!("{} and {} more", sum.name, count - 1);
    Some(sum)
}

fn distinct(targets: &[usize]) -> Vec<usize> {
    let set: BTreeSet<usize> = targets.iter().copied().collect();
    set.into_iter().collect()
}
