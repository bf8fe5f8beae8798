//! Judges rows that stand on different storage: each set of targets by itself, with
//! what is known about it, and the judgements put together.

use std::collections::BTreeSet;

use sokudo_model::{Assessment, Bytes, FileState, Run, TargetInfo};

use crate::evidence::targets_of;
use crate::subject::Subject;

/// Judges every row of a run, as [`sokudo_analysis::judge`] does, but by the targets
/// that the row used. What concerns the run as a whole is told once.
pub(crate) fn judge(run: &mut Run, subject: &Subject) {
    let used: Vec<Vec<usize>> = run
        .rows
        .iter()
        .map(|row| distinct(&targets_of(&row.workload)))
        .collect();
    let sets: BTreeSet<&Vec<usize>> = used.iter().collect();
    if subject.infos().count() == 1 || sets.is_empty() {
        sokudo_analysis::judge(run);
        return;
    }
    run.findings.clear();
    let mut assessments: Vec<Option<Assessment>> = vec![None; run.rows.len()];
    for set in sets {
        let members: Vec<usize> = (0..used.len()).filter(|row| used[*row] == *set).collect();
        let mut part = part_of(run, &members, set, subject);
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
fn part_of(run: &Run, members: &[usize], set: &[usize], subject: &Subject) -> Run {
    let infos = subject.infos().enumerate();
    let of_set = infos.filter(|(index, _)| set.contains(index));
    Run {
        rows: members.iter().map(|row| run.rows[*row].clone()).collect(),
        target: together(of_set.map(|(_, info)| info)).unwrap_or_else(|| run.target.clone()),
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

/// Several targets as one; `None` if there are none.
pub(crate) fn together<'a>(
    mut infos: impl Iterator<Item = &'a TargetInfo> + Clone,
) -> Option<TargetInfo> {
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

/// The sum of what files are made of; `None` if it is unknown of one of them.
fn sum_of_states<'a>(mut states: impl Iterator<Item = &'a Option<FileState>>) -> Option<FileState> {
    states.try_fold(FileState::default(), |sum, state| {
        let state = state.as_ref()?;
        let plus = |left: Bytes, right: Bytes| Bytes(left.0.saturating_add(right.0));
        Some(FileState {
            size_bytes: plus(sum.size_bytes, state.size_bytes),
            extents: sum.extents.saturating_add(state.extents),
            hole_bytes: plus(sum.hole_bytes, state.hole_bytes),
            unwritten_bytes: plus(sum.unwritten_bytes, state.unwritten_bytes),
            encoded_bytes: plus(sum.encoded_bytes, state.encoded_bytes),
            inline_bytes: plus(sum.inline_bytes, state.inline_bytes),
            shared_bytes: plus(sum.shared_bytes, state.shared_bytes),
            is_exempt_from_copies: if sum == FileState::default() {
                state.is_exempt_from_copies
            } else {
                let alike = sum.is_exempt_from_copies == state.is_exempt_from_copies;
                sum.is_exempt_from_copies.filter(|_| alike)
            },
        })
    })
}
