//! Linux software RAID: how an array is made, and which of the kernel's arrays is ours.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sokudo_model::{RaidLevel, VolumePlan};

use crate::action::{Action, CommandLine, Step};
use crate::names::VolumeNames;

/// Makes an array of `disks`, and waits until it is in sync if that is wanted.
pub(crate) fn steps(plan: &VolumePlan, disks: &[&Path], names: &VolumeNames) -> Vec<Step> {
    let array = names.array();
    let create = Step {
        action: Action::CreateArray {
            array: array.clone(),
            command: create(plan, disks, names),
        },
        undo: vec![Action::StopArray(array.clone())],
    };
    // Where discarding is not possible, an array shows what an earlier one held.
    let wipe = Step {
        action: Action::Wipe(array.clone()),
        undo: vec![Action::Wipe(array.clone())],
    };
    let wait = is_synchronised(plan).then(|| Step {
        action: Action::AwaitArray(array),
        undo: Vec::new(),
    });
    [create, wipe].into_iter().chain(wait).collect()
}

/// Whether it is waited for; a stripe has nothing to bring into sync.
fn is_synchronised(plan: &VolumePlan) -> bool {
    plan.options.initial_sync && plan.raid.level != RaidLevel::Raid0
}

fn create(plan: &VolumePlan, disks: &[&Path], names: &VolumeNames) -> CommandLine {
    let mut options = vec![
        "--run".to_owned(),
        "--metadata=1.2".to_owned(),
        format!("--level={}", plan.raid.level.word()),
        format!("--raid-devices={}", disks.len()),
        format!("--uuid={}", names.array_uuid.for_mdadm()),
        format!("--name={}", names.name),
        "--homehost=any".to_owned(),
    ];
    if plan.raid.level != RaidLevel::Raid0 && !plan.options.initial_sync {
        options.push("--assume-clean".to_owned());
    }
    CommandLine::new("mdadm", ["--create"])
        .with([names.array()])
        .with(options)
        .with(&plan.options.mdadm)
        .with(disks)
}

/// The kernel's array that stands on these devices and no others: its name, `md127`. Some of them
/// may be gone.
pub(crate) fn standing_on(numbers: &BTreeSet<u64>) -> Option<String> {
    let is_ours = |name: &String| {
        let members = members(name);
        !members.is_empty() && members.is_subset(numbers)
    };
    names().into_iter().find(is_ours)
}

/// The nodes of all arrays of this machine.
pub(crate) fn all() -> Vec<PathBuf> {
    let names = names().into_iter();
    names.map(|name| Path::new("/dev").join(name)).collect()
}

fn names() -> Vec<String> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.starts_with("md")).collect()
}

/// Removes the links below `/dev/md` to an array that has been stopped.
pub(crate) fn remove_links(node: &Path) {
    let entries = fs::read_dir("/dev/md").into_iter().flatten();
    for link in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let led_to = fs::read_link(&link);
        if led_to.is_ok_and(|led_to| led_to.file_name() == node.file_name()) {
            // udev may have been faster.
            let _ = fs::remove_file(&link);
        }
    }
}

/// The numbers of the devices that an array stands on, as far as they are still there.
fn members(name: &str) -> BTreeSet<u64> {
    let slaves = fs::read_dir(directory(name).join("slaves"));
    let slaves = slaves.into_iter().flatten().flatten();
    slaves.filter_map(|slave| number(&slave.path())).collect()
}

/// The device number that a directory of sysfs names.
pub(crate) fn number(directory: &Path) -> Option<u64> {
    let text = fs::read_to_string(directory.join("dev")).ok()?;
    let (major, minor) = text.trim().split_once(':')?;
    Some(rustix::fs::makedev(
        major.parse().ok()?,
        minor.parse().ok()?,
    ))
}

pub(crate) fn directory(name: &str) -> PathBuf {
    Path::new("/sys/block").join(name)
}

/// Where a sync stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Synchronisation {
    Done,
    Going,
    /// It begins with the first write (`start_ro=1`, as Debian sets it).
    Waiting,
}

pub(crate) fn synchronisation(name: &str) -> Option<Synchronisation> {
    let read = |file: &str| fs::read_to_string(directory(name).join("md").join(file)).ok();
    let state = read("array_state")?;
    if state.trim() == "read-auto" {
        return Some(Synchronisation::Waiting);
    }
    let is_idle = read("sync_action")?.trim() == "idle";
    let is_complete = read("resync_start").is_none_or(|start| start.trim() == "none");
    let is_whole = read("degraded").is_none_or(|count| count.trim() == "0");
    match is_idle && is_complete && is_whole {
        true => Some(Synchronisation::Done),
        false => Some(Synchronisation::Going),
    }
}

/// Has an array begin its sync that waits for the first write.
pub(crate) fn begin_synchronisation(name: &str) -> std::io::Result<()> {
    fs::write(directory(name).join("md/array_state"), "active")
}
