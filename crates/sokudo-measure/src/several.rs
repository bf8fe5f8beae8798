//! Several targets of one measurement: refused where two are one, and made ready one after the other.

use std::os::unix::fs::MetadataExt;

use sokudo_engine::Control;
use sokudo_model::{Event, TargetInfo, TargetKind};
use sokudo_words::text;

use crate::error::MeasureError;
use crate::named::Named;
use crate::permission::Permission;
use crate::subject::{PreparedTargets, TargetSetup};

/// A target that is measured with another.
pub struct OtherTarget {
    /// As the user named it.
    pub name: String,
    /// As it was recognised.
    pub named: Named,
}

/// Refuses two names of one thing, and a device beside one that it stands on. Partitions of one
/// disk, and files of one file system, are apart: what they share is told.
pub(crate) fn check(targets: &[(&str, &Named)]) -> Result<(), MeasureError> {
    for (index, (second, named)) in targets.iter().enumerate() {
        for (first, before) in &targets[..index] {
            if is_same(before, named) {
                return Err(MeasureError::usage(text!(
                    "{first} and {second} are the same; name each disk once"
                )));
            }
            let stands_on = |upper: &str, lower: &str| {
                MeasureError::usage(text!(
                    "{upper} stands on {lower}, so that both would be measured at the same places; name one of them"
                ))
            };
            if is_on(before, named) {
                return Err(stands_on(first, second));
            }
            if is_on(named, before) {
                return Err(stands_on(second, first));
            }
        }
    }
    Ok(())
}

/// The number of the device that a target is.
fn device_number(named: &Named) -> Option<&str> {
    let info = named.info()?;
    let is_device = info.kind == TargetKind::BlockDevice;
    let device = info.devices.first().filter(|_| is_device)?;
    Some(&device.number)
}

fn is_same(one: &Named, other: &Named) -> bool {
    let numbers = device_number(one).zip(device_number(other));
    let inode = |named: &Named| {
        let metadata = std::fs::metadata(named.path()?).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    numbers.is_some_and(|(one, other)| one == other)
        || inode(one).is_some_and(|it| inode(other) == Some(it))
}

/// Whether a device is one of those below another: a partition and its disk, an array and a member.
fn is_on(upper: &Named, lower: &Named) -> bool {
    let (Some(info), Some(below)) = (upper.info(), device_number(lower)) else {
        return false;
    };
    device_number(upper).is_some() && info.devices[1..].iter().any(|it| it.number == below)
}

/// Makes each ready. What is there already comes first: what is refused of it is refused before a
/// test file is made.
pub(crate) fn prepare(
    targets: Vec<OtherTarget>,
    preparation: &TargetSetup<'_>,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<PreparedTargets, MeasureError> {
    let (made, existing): (Vec<_>, Vec<_>) =
        (0..)
            .zip(targets)
            .partition(|(_, target): &(usize, OtherTarget)| {
                target.named.kind() == TargetKind::Directory
            });
    let mut ready = Vec::new();
    for (index, target) in existing.into_iter().chain(made) {
        let own = TargetSetup {
            name: &target.name,
            permission: permission_of(target.named.kind(), &preparation.permission),
            data: preparation.data.clone(),
            seed: preparation.seed ^ index as u64,
            ..*preparation
        };
        let prepared = PreparedTargets::prepare(target.named, &own, control, listener)?;
        ready.push((index, prepared));
    }
    ready.sort_by_key(|(index, _)| *index);
    Ok(PreparedTargets::joined(
        ready.into_iter().map(|(_, prepared)| prepared),
    ))
}

/// What is known of each target, where there are several.
pub(crate) fn infos(subject: &PreparedTargets) -> Vec<TargetInfo> {
    match subject.infos().count() {
        1 => Vec::new(),
        _ => subject.infos().cloned().collect(),
    }
}

/// Leave to destroy devices, or to overwrite files, is for those alone.
fn permission_of(kind: TargetKind, given: &Permission) -> Permission {
    match (kind, given) {
        (TargetKind::BlockDevice, Permission::OverwriteFile)
        | (TargetKind::File, Permission::Destroy(_)) => Permission::ReadOnly,
        _ => given.clone(),
    }
}
