//! ZFS: how a pool with its file system is made.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sokudo_model::{RaidBy, RaidLevel, VolumePlan};

use crate::action::{Action, CommandLine, Step};
use crate::names::VolumeNames;

/// Makes a pool of `disks`, mounted on the place's mount point. `zpool` makes a partition on
/// each of them.
pub(crate) fn steps(plan: &VolumePlan, disks: &[&Path], names: &VolumeNames) -> Vec<Step> {
    let labels = disks
        .iter()
        .map(|disk| Action::ClearLabel(first_partition(disk)));
    vec![Step {
        action: Action::CreatePool {
            name: names.name.clone(),
            command: create(plan, disks, names),
        },
        undo: labels
            .chain([Action::DestroyPool(names.name.clone())])
            .collect(),
    }]
}

fn create(plan: &VolumePlan, disks: &[&Path], names: &VolumeNames) -> CommandLine {
    // No cache file: nobody imports the pool at the next start of the machine.
    let fixed = [
        "create",
        "-o",
        "cachefile=none",
        "-O",
        "devices=off",
        "-O",
        "setuid=off",
    ];
    let mut mount_point = OsString::from("mountpoint=");
    mount_point.push(&names.mount_point);
    let properties = plan.options.mount.iter();
    let properties = properties.flat_map(|property| ["-O".to_owned(), property.clone()]);
    CommandLine::new("zpool", fixed)
        .with([OsString::from("-O"), mount_point])
        .with(properties)
        .with(&plan.options.zpool)
        .with([&names.name])
        .with(layout(plan, disks))
}

/// The virtual devices of a pool.
fn layout(plan: &VolumePlan, disks: &[&Path]) -> Vec<OsString> {
    let under = |word: &str, disks: &[&Path]| -> Vec<OsString> {
        let disks = disks.iter().map(|disk| disk.as_os_str().to_owned());
        std::iter::once(OsString::from(word)).chain(disks).collect()
    };
    let level = match plan.raid.by {
        RaidBy::Md => RaidLevel::None,
        RaidBy::FileSystem => plan.raid.level,
    };
    match level {
        RaidLevel::None | RaidLevel::Raid0 => disks.iter().map(OsString::from).collect(),
        RaidLevel::Raid1 => under("mirror", disks),
        RaidLevel::Raid5 => under("raidz1", disks),
        RaidLevel::Raid6 => under("raidz2", disks),
        RaidLevel::Raid10 => pairs(disks)
            .into_iter()
            .flat_map(|pair| under("mirror", pair))
            .collect(),
    }
}

/// Disks two by two; of an odd number the last three stay together.
fn pairs<'a, 'p>(disks: &'a [&'p Path]) -> Vec<&'a [&'p Path]> {
    let odd = disks.len() % 2 == 1 && disks.len() > 2;
    let (even, last) = match odd {
        true => disks.split_at(disks.len() - 3),
        false => (disks, &disks[..0]),
    };
    let last = (!last.is_empty()).then_some(last);
    even.chunks(2).chain(last).collect()
}

/// `/dev/sdb1`, `/dev/nvme0n1p1`: with a `p` where the name ends in a figure.
pub(crate) fn first_partition(disk: &Path) -> PathBuf {
    let mut name = disk.as_os_str().to_owned();
    let ends_in_figure = name
        .to_string_lossy()
        .ends_with(|sign: char| sign.is_ascii_digit());
    name.push(if ends_in_figure { "p1" } else { "1" });
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirrors_are_of_two_disks_and_the_last_one_of_three_if_they_are_odd() {
        let disks = ["a", "b", "c", "d", "e"].map(Path::new);
        let lengths = |count: usize| -> Vec<usize> {
            pairs(&disks[..count])
                .iter()
                .map(|pair| pair.len())
                .collect()
        };
        assert_eq!(lengths(4), [2, 2]);
        assert_eq!(lengths(5), [2, 3]);
        assert_eq!(lengths(3), [3]);
    }
}
