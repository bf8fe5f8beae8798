//! What is thought of each disk of a run of several: as if it had been measured alone.

use std::collections::BTreeSet;

use sokudo_model::sharing::disk_of;
use sokudo_model::{AssessedDisk, Conditions, MethodTrait, Plan, Row, Run, TargetInfo, narrow};

/// What is thought of each disk, in the order of the targets; empty of a run of one, which
/// [`super::disk`] answers.
pub fn each(run: &Run) -> Vec<AssessedDisk> {
    if !run.plan.method.is(MethodTrait::JudgesDisk) {
        return Vec::new();
    }
    let labels = run.rows.iter().map(|row| disk_of(&row.workload.name));
    let Some(labels) = labels.collect::<Option<BTreeSet<&str>>>() else {
        return Vec::new();
    };
    let disks = labels.into_iter().filter_map(|label| of_disk(run, label));
    let mut disks: Vec<AssessedDisk> = disks.collect();
    disks.sort_by_key(|disk| disk.target);
    disks
}

fn of_disk(run: &Run, label: &str) -> Option<AssessedDisk> {
    let asks = run.plan.method.is(MethodTrait::AsksForDisk);
    let rows = run.rows.iter();
    let rows: Vec<&Row> = rows
        .filter(|row| disk_of(&row.workload.name) == Some(label))
        // What disks that are marked lose to each other is the fault of none.
        .filter(|row| asks || row.workload.name.ends_with(label))
        .collect();
    let used: BTreeSet<usize> = rows.iter().flat_map(|it| it.workload.targets()).collect();
    let used: Vec<usize> = used.into_iter().collect();
    let part = part(run, &rows, &used)?;
    Some(AssessedDisk {
        target: narrow(*used.first()?),
        name: part.target.name.clone(),
        label: label.to_owned(),
        assessment: super::disk(&part)?,
    })
}

/// The run of these rows, which use these targets: the disk first, then what is beside it. The
/// plan, which names the rows of all disks, is left out.
fn part(run: &Run, rows: &[&Row], used: &[usize]) -> Option<Run> {
    let targets = used.iter().map(|index| run.targets.get(*index).cloned());
    let targets: Vec<TargetInfo> = targets.collect::<Option<_>>()?;
    let devices = || targets.iter().flat_map(|target| &target.devices);
    let has = |name: &str| devices().any(|device| device.name == name);
    let drives = run.conditions.drives.iter();
    let drives = drives.filter(|drive| has(&drive.disk.name)).cloned();
    let arrays = run.conditions.arrays.iter();
    let arrays = arrays.filter(|array| has(&array.name)).cloned();
    let own_row = |row: &&Row| {
        let mut row = (*row).clone();
        for part in &mut row.workload.files.uses {
            let own = used.binary_search(&narrow(part.target));
            part.target = own.map_or(0, narrow);
        }
        row
    };
    let Run { plan, schedule, .. } = run;
    let plan = Plan::in_turn(plan.method.clone(), plan.seed, Vec::new());
    let target = targets.first()?.clone();
    Some(Run {
        environment: run.environment.clone(),
        conditions: Conditions {
            drives: drives.collect(),
            arrays: arrays.collect(),
            ..run.conditions.clone()
        },
        rows: rows.iter().map(own_row).collect(),
        targets,
        ..Run::new(plan, schedule.clone(), target)
    })
}
