//! What fio's plans come to here: a place for each of its targets, and one row per section.

use std::path::PathBuf;

use sokudo_device::storage_node;
use sokudo_measure::JobTarget;
use sokudo_model::{Allocation, Plan, Row, Run, Stage};
use sokudo_tools::fio::{FioPlan, FioTargetSpec};

/// The targets of fio's jobs, as storage is prepared from them.
pub fn job_targets(planned: &FioPlan) -> Vec<JobTarget> {
    let targets = planned.targets.iter().enumerate();
    targets
        .map(|(index, spec)| job_target(index, spec, planned))
        .collect()
}

fn job_target(index: usize, spec: &FioTargetSpec, planned: &FioPlan) -> JobTarget {
    JobTarget {
        path: storage_node(PathBuf::from(&spec.path)),
        kind: spec.kind,
        bytes: spec.bytes,
        written: spec.written,
        // A file that is made only when its job opens it holds nothing before.
        needs_data: spec.overwrite && !spec.create_on_open,
        overwrite: spec.overwrite_requested,
        create: spec.create,
        made_below: Some(PathBuf::from(&spec.base)),
        allocation: match spec.create_on_open {
            true => Allocation::None,
            false => spec.allocation,
        },
        unlink: spec.unlink,
        pre_read: spec.pre_read,
        invalidate: spec.invalidate,
        allow_occupied: spec.allow_mounted_write,
        jobs: jobs_of(index, &spec.job, planned),
    }
}

/// The names of all jobs that use a target, the first one's first.
fn jobs_of(target: usize, first: &str, planned: &FioPlan) -> Vec<String> {
    let workloads = planned
        .plan
        .stages
        .iter()
        .flat_map(|stage| &stage.workloads);
    let mut names = vec![first.to_owned()];
    for (workload, job) in workloads.zip(&planned.session.jobs) {
        if workload.targets().contains(&target) && !names.contains(&job.name) {
            names.push(job.name.clone());
        }
    }
    names
}

/// One row per section: what its threads did together, judged by the worst of them.
pub fn by_section(run: Run, planned: &FioPlan) -> Run {
    let mut rows: Vec<(u32, Row)> = Vec::new();
    for (row, job) in run.rows.iter().zip(&planned.session.jobs) {
        match rows.iter_mut().find(|(section, _)| *section == job.section) {
            Some((_, merged)) => merge(merged, row),
            None => rows.push((job.section, row.clone())),
        }
    }
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    let plan = Plan {
        stages: stages_of(&run.plan, planned, &rows),
        ..run.plan
    };
    Run { plan, rows, ..run }
}

fn merge(merged: &mut Row, row: &Row) {
    merged.workload.threads += row.workload.threads;
    for (ours, theirs) in merged.trials.iter_mut().zip(&row.trials) {
        ours.outcome.merge(&theirs.outcome);
        ours.evidence.device = ours
            .evidence
            .device
            .zip(theirs.evidence.device)
            .map(|(ours, theirs)| ours.plus(&theirs));
        ours.evidence.cached_before = ours
            .evidence
            .cached_before
            .max(theirs.evidence.cached_before);
        if let (Some(ours), Some(theirs)) = (&mut ours.together, &theirs.together) {
            ours.merge(theirs);
        }
    }
    let worse = |left: &Row, right: &Row| {
        let verdict = |row: &Row| row.assessment.as_ref().map(|assessment| assessment.verdict);
        verdict(right) > verdict(left)
    };
    if worse(merged, row) {
        merged.assessment.clone_from(&row.assessment);
    }
}

/// The plan's stages with one workload per section, in the order of `rows`.
fn stages_of(plan: &Plan, planned: &FioPlan, rows: &[Row]) -> Vec<Stage> {
    let mut jobs = planned.session.jobs.iter();
    let mut rows = rows.iter();
    let mut last = None;
    plan.stages
        .iter()
        .map(|stage| {
            let mut workloads = Vec::new();
            for job in jobs.by_ref().take(stage.workloads.len()) {
                if last != Some(job.section) {
                    workloads.extend(rows.next().map(|row| row.workload.clone()));
                    last = Some(job.section);
                }
            }
            Stage { workloads }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{
        BackendKind, Bytes, DeviceCounters, Operation, OperationTally, Outcome, StopReason, Trial,
        TrialEvidence, Workload,
    };

    fn row(mebibytes: u64) -> Row {
        let mut outcome = Outcome::new(BackendKind::Psync, StopReason::Time);
        outcome.operations.push(OperationTally {
            bytes: Bytes::mib(mebibytes),
            ..OperationTally::new(Operation::Read)
        });
        let evidence = TrialEvidence {
            device: Some(DeviceCounters {
                read_bytes: mebibytes << 20,
                ..DeviceCounters::default()
            }),
            ..TrialEvidence::default()
        };
        Row {
            trials: vec![Trial {
                outcome,
                evidence,
                together: None,
            }],
            ..Row::new(Workload::new("x", Bytes(4096)))
        }
    }

    #[test]
    fn clones_of_a_section_are_one_row() {
        let mut merged = row(1);
        merge(&mut merged, &row(2));
        assert_eq!(merged.workload.threads, 2);
        assert_eq!(merged.trials[0].outcome.bytes_moved(), Bytes::mib(3));
        let device = merged.trials[0].evidence.device.unwrap();
        assert_eq!(device.read_bytes, 3 << 20);
    }
}
