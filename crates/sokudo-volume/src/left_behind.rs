//! What killed runs have left, by their journals: dissolved, and nothing else. Arrays are
//! known by their identifier, pools by name and identifier, schedulers by disk and by what
//! was set, contents of disks by the identifier that stands in them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::action::{Action, CommandLine};
use crate::carry_out::{Site, is_mount_point, is_pool, pool_identifier};
use crate::disk::{VolumeDisk, node, sequence};
use crate::error::VolumeError;
use crate::journal::{DIRECTORY, EXTENSION, Journal, JournalLine, SchedulerTrace, Trace};
use crate::making::ActionListener;
use crate::names::Uuid;
use crate::program::{self, ProgramLimits};
use crate::{arrays, disk};

/// Dissolves what runs have left that are no longer there. Each action is told before it is
/// carried out; what could not be done is given.
pub fn dissolve_left_behind(report: ActionListener<'_>) -> Vec<VolumeError> {
    dissolve_left_behind_in(Path::new(DIRECTORY), report)
}

/// The same for the journals in another directory.
pub fn dissolve_left_behind_in(directory: &Path, report: ActionListener<'_>) -> Vec<VolumeError> {
    let mut errors = Vec::new();
    for path in journals(directory) {
        match Journal::read(&path) {
            Ok(journal) => errors.extend(dissolve_journal(&journal, report)),
            // Its run goes on.
            Err(VolumeError::JournalInUse(_)) => {}
            Err(error) => errors.push(error),
        }
    }
    errors
}

/// The journals of a directory; none where there is no directory.
fn journals(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_journal = |path: &PathBuf| path.extension().is_some_and(|it| it == EXTENSION);
    let mut paths: Vec<PathBuf> = paths.filter(is_journal).collect();
    paths.sort();
    paths
}

fn dissolve_journal(journal: &Journal, report: ActionListener<'_>) -> Vec<VolumeError> {
    let lines = journal.lines();
    let mut volumes: Vec<&str> = lines.iter().map(|line| line.volume.as_str()).collect();
    volumes.dedup();
    let mut errors = Vec::new();
    for volume in volumes {
        let traces = lines.iter().filter(|line| line.volume == volume);
        let failed = dissolve_volume(traces, report);
        if failed.is_empty() {
            errors.extend(journal.forget(volume).err());
        }
        errors.extend(failed);
    }
    errors
}

/// The last one first: a pool may stand on an array.
fn dissolve_volume<'l>(
    traces: impl DoubleEndedIterator<Item = &'l JournalLine> + Clone,
    report: ActionListener<'_>,
) -> Vec<VolumeError> {
    let identifier = traces.clone().find_map(|line| match &line.trace {
        Trace::PoolIdentifier { identifier, .. } => Some(identifier.as_str()),
        _ => None,
    });
    let mut errors = Vec::new();
    for line in traces.rev() {
        let result = match &line.trace {
            Trace::Array { uuid, .. } => stop_array(*uuid, report)
                .and_then(|()| wipe_all_that_bear(&uuid.to_string(), report)),
            Trace::Pool { name } => destroy_pool(name, identifier, report),
            Trace::PoolIdentifier { .. } => Ok(()),
            Trace::FileSystem { uuid } => wipe_all_that_bear(&uuid.to_string(), report),
            Trace::Scheduler(trace) => put_scheduler_back(trace, report),
            Trace::Directory { path } => remove_if_empty(path, report),
        };
        errors.extend(result.err());
    }
    errors
}

/// What somebody has put there since stays.
fn remove_if_empty(directory: &Path, report: ActionListener<'_>) -> Result<(), VolumeError> {
    let is_empty = |mut entries: fs::ReadDir| entries.next().is_none();
    match fs::read_dir(directory).is_ok_and(is_empty) && !is_mount_point(directory) {
        true => do_it(&Action::RemoveDirectory(directory.to_owned()), report),
        false => Ok(()),
    }
}

fn do_it(action: &Action, report: ActionListener<'_>) -> Result<(), VolumeError> {
    report(action);
    Site::new(Vec::new()).carry_out(action, ProgramLimits::undoing())
}

/// Stops the array that bears the identifier, if it runs.
fn stop_array(uuid: Uuid, report: ActionListener<'_>) -> Result<(), VolumeError> {
    let bears = |array: &PathBuf| {
        let detail = CommandLine::new("mdadm", ["--detail", "--export"]).with([array]);
        let printed = program::run(&detail, ProgramLimits::undoing()).unwrap_or_default();
        let mut lines = printed.lines();
        let found = lines.find_map(|line| line.strip_prefix("MD_UUID="));
        found.and_then(|text| text.parse().ok()) == Some(uuid)
    };
    match arrays::all().into_iter().find(bears) {
        Some(array) => do_it(&Action::StopArray(array), report),
        None => Ok(()),
    }
}

/// Destroys the pool, if this machine has imported it, and clears what is left of it.
fn destroy_pool(
    name: &str,
    identifier: Option<&str>,
    report: ActionListener<'_>,
) -> Result<(), VolumeError> {
    if is_pool(name) {
        let found = pool_identifier(name)?;
        if identifier.is_some_and(|identifier| identifier != found) {
            // Somebody has made another one of that name.
            return Err(VolumeError::NotOurs(name.to_owned()));
        }
        do_it(&Action::DestroyPool(name.to_owned()), report)?;
    }
    // `zpool` makes two partitions on each disk; its label is on the first one.
    let Some(identifier) = identifier else {
        return Ok(());
    };
    for partition in bearers(identifier) {
        do_it(&Action::ClearLabel(partition.path().to_owned()), report)?;
        wipe(&partition, report)?;
        if let Some(disk) = whole_disk(&partition) {
            drop(partition);
            wipe(&disk, report)?;
        }
    }
    Ok(())
}

/// The disk of a partition.
fn whole_disk(partition: &VolumeDisk) -> Option<VolumeDisk> {
    let directory = partition.sysfs();
    let is_partition = directory.join("partition").exists();
    let disk = arrays::number(directory.canonicalize().ok()?.parent()?)?;
    let path = is_partition.then(|| node(disk)).flatten()?;
    VolumeDisk::new(File::open(&path).ok()?, path).ok()
}

fn wipe_all_that_bear(identifier: &str, report: ActionListener<'_>) -> Result<(), VolumeError> {
    bearers(identifier)
        .iter()
        .try_for_each(|it| wipe(it, report))
}

fn wipe(device: &VolumeDisk, report: ActionListener<'_>) -> Result<(), VolumeError> {
    device.is_unused()?;
    do_it(&Action::Wipe(device.path().to_owned()), report)
}

/// The block devices in whose contents the identifier of a file system, array or pool stands.
fn bearers(identifier: &str) -> Vec<VolumeDisk> {
    let bears = |device: &VolumeDisk| {
        // The low-level probe, which remembers nothing.
        let probe = CommandLine::new("blkid", ["-p", "-s", "UUID", "-o", "value"]);
        let probe = probe.with([device.path()]);
        program::run(&probe, ProgramLimits::undoing())
            .is_ok_and(|printed| printed.trim() == identifier)
    };
    let entries = fs::read_dir("/sys/class/block").into_iter().flatten();
    let directories = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let nodes = directories.filter_map(|directory| node(arrays::number(&directory)?));
    nodes
        .filter_map(|node| VolumeDisk::new(open(&node)?, node).ok())
        .filter(|device| device.size().0 > 0 && bears(device))
        .collect()
}

/// Opened without waiting for a medium.
fn open(node: &Path) -> Option<File> {
    let flags =
        rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::CLOEXEC | rustix::fs::OFlags::NONBLOCK;
    let opened = rustix::fs::open(node, flags, rustix::fs::Mode::empty());
    opened.ok().map(File::from)
}

/// Only on the very disk, and only if it is set as we have set it.
fn put_scheduler_back(
    trace: &SchedulerTrace,
    report: ActionListener<'_>,
) -> Result<(), VolumeError> {
    let is_there = trace.sequence.is_some()
        && sequence(trace.number) == trace.sequence
        && disk::number_of(&trace.disk) == Some(trace.number);
    let Some(held) = is_there
        .then(|| VolumeDisk::new(open(&trace.disk)?, trace.disk.clone()).ok())
        .flatten()
    else {
        // Another start of the machine, or another disk, has a scheduler of its own.
        return Ok(());
    };
    let mut site = Site::new(vec![held]);
    if site.scheduler(&trace.disk)? != trace.set || trace.set == trace.before {
        return Ok(());
    }
    let back = Action::Scheduler {
        disk: trace.disk.clone(),
        name: trace.before.clone(),
    };
    report(&back);
    site.carry_out(&back, ProgramLimits::undoing())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_no_run_has_left_anything_there_is_nothing_to_do() {
        let directory = tempfile::tempdir().unwrap();
        let nowhere = directory.path().join("nowhere");
        let errors = dissolve_left_behind_in(&nowhere, &mut |action| panic!("{action}"));
        assert!(errors.is_empty(), "{errors:?}");
        assert!(!nowhere.exists());
    }

    #[test]
    fn a_scheduler_of_another_disk_is_left_alone() {
        let trace = SchedulerTrace {
            disk: PathBuf::from("/dev/loop0"),
            number: rustix::fs::makedev(7, 0),
            sequence: Some("no such".to_owned()),
            before: "mq-deadline".to_owned(),
            set: "none".to_owned(),
        };
        put_scheduler_back(&trace, &mut |action| panic!("{action}")).unwrap();
    }
}
