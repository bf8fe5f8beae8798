//! File systems: how each is made and mounted.

use std::ffi::OsString;
use std::path::Path;

use sokudo_model::{FileSystemKind, RaidBy, RaidLevel, VolumePlan};

use crate::action::{Action, CommandLine, Step};
use crate::names::{Uuid, VolumeNames};

/// A file system that is to be made, on what, and what it is called by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewFileSystem<'a> {
    pub(crate) kind: FileSystemKind,
    pub(crate) devices: &'a [&'a Path],
    /// How Btrfs puts its devices together.
    pub(crate) level: RaidLevel,
    pub(crate) uuid: Uuid,
    pub(crate) label: &'a str,
    pub(crate) options: &'a [String],
}

/// Labels of XFS have twelve signs at most.
pub(crate) const LABEL: &str = "sokudo";

/// Makes the file system of a plan, but ZFS, and mounts it.
pub(crate) fn steps(plan: &VolumePlan, devices: &[&Path], names: &VolumeNames) -> Vec<Step> {
    let level = match plan.raid.by {
        RaidBy::Md => RaidLevel::None,
        RaidBy::FileSystem => plan.raid.level,
    };
    let new = NewFileSystem {
        kind: plan.file_system,
        devices,
        level,
        uuid: names.uuid,
        label: LABEL,
        options: &plan.options.mkfs,
    };
    let plain = |action| Step {
        action,
        undo: Vec::new(),
    };
    let made = make(&new)
        .into_iter()
        .map(|command| plain(Action::Run(command)));
    let at = names.mount_point.clone();
    let mount = Step {
        action: Action::Mount {
            kind: plan.file_system,
            command: mount(plan.file_system, devices, &plan.options.mount, &at),
            at: at.clone(),
        },
        undo: vec![Action::Unmount(at)],
    };
    made.chain([mount]).collect()
}

/// The commands that make it. None is told to go on whatever is there: what is there has
/// been wiped off, and more would not be ours.
pub(crate) fn make(new: &NewFileSystem<'_>) -> Vec<CommandLine> {
    let uuid = new.uuid.to_string();
    let label = new.label;
    let quiet = |program, options: &[&str]| CommandLine::new(program, ["-q"]).with(options);
    let program = maker(new.kind);
    let command = match new.kind {
        FileSystemKind::Ext2 | FileSystemKind::Ext3 | FileSystemKind::Ext4 => {
            let extended = "lazy_itable_init=0,lazy_journal_init=0";
            let options = with_extended(extended, new.options);
            let fixed = quiet(program, &["-L", label, "-U", &uuid]);
            return vec![fixed.with(options).with(new.devices)];
        }
        FileSystemKind::Xfs => quiet(program, &["-L", label, "-m", &format!("uuid={uuid}")]),
        FileSystemKind::Btrfs => {
            quiet(program, &["-L", label, "-U", &uuid]).with(btrfs_profiles(new))
        }
        FileSystemKind::F2fs => quiet(program, &["-l", label, "-U", &uuid]),
        FileSystemKind::Jfs => quiet(program, &["-L", label]),
        FileSystemKind::Zfs => unreachable!("pools are made by zpool"),
    };
    let command = command.with(new.options).with(new.devices);
    if new.kind == FileSystemKind::Jfs {
        // mkfs.jfs 1.1.15 takes no identifier.
        let identify = CommandLine::new("jfs_tune", ["-U", &uuid]).with(new.devices);
        return vec![command, identify];
    }
    vec![command]
}

/// The program that makes a file system.
fn maker(kind: FileSystemKind) -> &'static str {
    match kind {
        FileSystemKind::Ext2 => "mkfs.ext2",
        FileSystemKind::Ext3 => "mkfs.ext3",
        FileSystemKind::Ext4 => "mkfs.ext4",
        FileSystemKind::Xfs => "mkfs.xfs",
        FileSystemKind::Btrfs => "mkfs.btrfs",
        FileSystemKind::Jfs => "mkfs.jfs",
        FileSystemKind::F2fs => "mkfs.f2fs",
        FileSystemKind::Zfs => "zpool",
    }
}

/// The options with ours among the extended ones: mke2fs takes the last `-E` alone.
fn with_extended(ours: &str, options: &[String]) -> Vec<String> {
    let mut extended = vec![ours.to_owned()];
    let mut others = Vec::new();
    let mut words = options.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix("-E") {
            Some("") => extended.extend(words.next().cloned()),
            Some(value) => extended.push(value.to_owned()),
            None => others.push(word.clone()),
        }
    }
    let extended = vec!["-E".to_owned(), extended.join(",")];
    extended.into_iter().chain(others).collect()
}

/// Data and metadata by the same level, unless the options say otherwise; a disk alone
/// keeps two copies of its metadata, as `mkfs.btrfs` has it.
fn btrfs_profiles(new: &NewFileSystem<'_>) -> Vec<String> {
    let profile = match new.level {
        RaidLevel::None => "single",
        RaidLevel::Raid0 => "raid0",
        RaidLevel::Raid1 => "raid1",
        RaidLevel::Raid5 => "raid5",
        RaidLevel::Raid6 => "raid6",
        RaidLevel::Raid10 => "raid10",
    };
    let is_given = |short: &str, long: &str| {
        let mut options = new.options.iter();
        options.any(|it| it.starts_with(long) || (it.starts_with(short) && !it.starts_with("--")))
    };
    let mut profiles = Vec::new();
    if !is_given("-d", "--data") {
        profiles.extend(["-d".to_owned(), profile.to_owned()]);
    }
    if new.level != RaidLevel::None && !is_given("-m", "--metadata") {
        profiles.extend(["-m".to_owned(), profile.to_owned()]);
    }
    profiles
}

/// The command that mounts it. All devices of a Btrfs are named, so that nobody has to have
/// scanned for them.
pub(crate) fn mount(
    kind: FileSystemKind,
    devices: &[&Path],
    options: &[String],
    at: &Path,
) -> CommandLine {
    let mut all = OsString::from("nodev,nosuid");
    for device in devices.iter().skip(1) {
        all.push(",device=");
        all.push(device);
    }
    for option in options {
        all.push(",");
        all.push(option);
    }
    CommandLine::new("mount", ["-t", kind.word(), "-o"])
        .with([all])
        .with(devices.iter().take(1))
        .with([at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(kind: FileSystemKind, level: RaidLevel, options: &[&str]) -> Vec<String> {
        let options: Vec<String> = options.iter().map(|&it| it.to_owned()).collect();
        let devices = match level {
            RaidLevel::None => &[Path::new("/dev/sdb")][..],
            _ => &[Path::new("/dev/sdb"), Path::new("/dev/sdc")],
        };
        let new = NewFileSystem {
            kind,
            devices,
            level,
            uuid: Uuid::from_bytes([0x11; 16]),
            label: LABEL,
            options: &options,
        };
        make(&new).iter().map(ToString::to_string).collect()
    }

    const UUID: &str = "11111111-1111-1111-1111-111111111111";

    #[test]
    fn extended_options_of_the_user_are_put_to_ours() {
        let commands = made(
            FileSystemKind::Ext4,
            RaidLevel::None,
            &["-E", "stride=16", "-b", "4096", "-Estripe_width=32"],
        );
        assert_eq!(
            commands,
            [format!(
                "mkfs.ext4 -q -L sokudo -U {UUID} -E lazy_itable_init=0,lazy_journal_init=0,stride=16,stripe_width=32 -b 4096 /dev/sdb"
            )]
        );
    }

    #[test]
    fn each_file_system_is_made_under_our_name_and_identifier() {
        let alone = |kind| made(kind, RaidLevel::None, &[]);
        assert_eq!(
            alone(FileSystemKind::Xfs),
            [format!("mkfs.xfs -q -L sokudo -m uuid={UUID} /dev/sdb")]
        );
        assert_eq!(
            alone(FileSystemKind::Jfs),
            [
                "mkfs.jfs -q -L sokudo /dev/sdb".to_owned(),
                format!("jfs_tune -U {UUID} /dev/sdb"),
            ]
        );
        assert_eq!(
            alone(FileSystemKind::F2fs),
            [format!("mkfs.f2fs -q -l sokudo -U {UUID} /dev/sdb")]
        );
        assert_eq!(
            alone(FileSystemKind::Btrfs),
            [format!(
                "mkfs.btrfs -q -L sokudo -U {UUID} -d single /dev/sdb"
            )]
        );
    }

    #[test]
    fn btrfs_keeps_data_and_metadata_by_one_level_unless_told() {
        assert_eq!(
            made(FileSystemKind::Btrfs, RaidLevel::Raid1, &[]),
            [format!(
                "mkfs.btrfs -q -L sokudo -U {UUID} -d raid1 -m raid1 /dev/sdb /dev/sdc"
            )]
        );
        assert_eq!(
            made(
                FileSystemKind::Btrfs,
                RaidLevel::Raid5,
                &["--metadata=raid1"]
            ),
            [format!(
                "mkfs.btrfs -q -L sokudo -U {UUID} -d raid5 --metadata=raid1 /dev/sdb /dev/sdc"
            )]
        );
    }
}
