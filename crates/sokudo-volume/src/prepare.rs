//! One disk for one file system, as people do it by hand: a partition table, one aligned
//! partition, a file system, a mount that stays, an owner. And the way back, for a disk that
//! was made so.

use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use serde::Deserialize;
use sokudo_model::{FileSystemKind, RaidLevel};
use sokudo_words::{Text, text};

use crate::action::{Action, CommandLine, Step};
use crate::disk::VolumeDisk;
use crate::error::VolumeError;
use crate::file_systems::{self, NewFileSystem};
use crate::free_of_paths;
use crate::making::{ActionListener, Making};
use crate::mount_point;
use crate::names::Uuid;
use crate::pools::first_partition;
use crate::program::{self, ProgramLimits};

/// What the partition is called in the table, by which it is known again.
pub const PARTITION_NAME: &str = "sokudo-prepare";

/// What is made of a disk.
#[derive(Clone, Debug)]
pub struct Preparation {
    /// Kind to make; any but ZFS, which needs a pool.
    pub file_system: FileSystemKind,
    pub mount_point: PathBuf,
    pub label: String,
    pub uuid: Uuid,
    /// What `mkfs` is told besides, each argument by itself.
    pub mkfs: Vec<String>,
    /// Whose the mounted directory is: user and group.
    pub owner: Option<(u32, u32)>,
}

impl Preparation {
    /// Every step, before anything is touched.
    pub fn steps(&self, disk: &Path) -> Vec<Step> {
        let partition = first_partition(disk);
        let devices = [partition.as_path()];
        let new = NewFileSystem {
            kind: self.file_system,
            devices: &devices,
            level: RaidLevel::None,
            uuid: self.uuid,
            label: &self.label,
            options: &self.mkfs,
        };
        let step = |action, undo: &[Action]| Step {
            action,
            undo: undo.to_vec(),
        };
        let on_disk = |path: &Path| Action::Wipe(path.to_owned());
        let table = CommandLine::new("sfdisk", ["--quiet"]).with([disk]);
        // By that it is known later whether the partition still holds what is made here.
        let entry = format!("start=1MiB, name={PARTITION_NAME}, uuid={}", self.uuid);
        let table = table.reading(format!("label: gpt\n{entry}\n"));
        let update = CommandLine::new("partx", ["--update"]).with([disk]);
        let at = self.mount_point.clone();
        let mut steps = vec![
            step(on_disk(disk), &[on_disk(disk)]),
            step(
                Action::Run(table),
                &[Action::ForgetPartitions(disk.to_owned())],
            ),
            // udev may not be there, and some kernels know no GPT.
            step(Action::Run(update), &[]),
            step(on_disk(&partition), &[on_disk(&partition)]),
        ];
        steps.extend(
            file_systems::make(&new)
                .into_iter()
                .map(|command| step(Action::Run(command), &[])),
        );
        steps.push(step(
            Action::MakeDirectory(at.clone()),
            &[Action::RemoveDirectory(at.clone())],
        ));
        let command = file_systems::mount(self.file_system, &devices, &[], &at);
        let mount = Action::Mount {
            kind: self.file_system,
            at: at.clone(),
            command,
        };
        steps.push(step(mount, &[Action::Unmount(at.clone())]));
        steps.extend(self.owner.map(|(user, group)| {
            let path = at;
            step(Action::Owner { path, user, group }, &[])
        }));
        steps
    }

    /// Refuses options that could reach another disk or file, and a mount point that somebody
    /// else could exchange.
    ///
    /// # Errors
    /// Which.
    pub fn check(&self) -> Result<(), VolumeError> {
        mount_point::is_roots_alone(&self.mount_point)?;
        free_of_paths::check_mkfs(&self.mkfs)
    }

    /// Makes it. Each action is told before it is carried out.
    ///
    /// # Errors
    /// What failed; what was made until then has been taken back, or the error says what
    /// could not be.
    pub fn make(
        &self,
        disk: &VolumeDisk,
        report: ActionListener<'_>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), VolumeError> {
        self.check()?;
        disk.is_unused()?;
        let mut making = Making::on(vec![disk.held_again()?]);
        for step in self.steps(disk.path()) {
            if let Err(first) = making.carry_out(step, report, is_cancelled) {
                return Err(first.after(making.take_back(report)));
            }
        }
        making.stay();
        Ok(())
    }
}

/// Refuses unless the disk holds what `Preparation` makes: one partition of that name, and in it,
/// unless `is_emptied_anyway`, the very file system that was made.
///
/// # Errors
/// What it holds instead, or that it cannot be read.
pub fn is_prepared(disk: &Path, is_emptied_anyway: bool) -> Result<(), VolumeError> {
    let not_prepared = |found: Text| VolumeError::NotPrepared {
        path: disk.to_owned(),
        found,
    };
    let dump = CommandLine::new("sfdisk", ["--json"]).with([disk]);
    let printed = match program::run(&dump, ProgramLimits::undoing()) {
        Ok(printed) => printed,
        Err(VolumeError::Failed { .. }) => {
            return Err(not_prepared("it has no partition table".into()));
        }
        Err(error) => return Err(error),
    };
    let table: Dump = serde_json::from_str(&printed)
        .map_err(|error| not_prepared(text!("its partition table cannot be read ({error})")))?;
    match &table.partitiontable.partitions[..] {
        [only] if only.name.as_deref() == Some(PARTITION_NAME) => {
            let made = only.uuid.as_deref().and_then(|text| text.parse().ok());
            match is_emptied_anyway || holds_only(&first_partition(disk), made) {
                true => Ok(()),
                false => Err(VolumeError::NotAsMade(first_partition(disk))),
            }
        }
        [_] => Err(not_prepared("its partition has another name".into())),
        several => Err(not_prepared(text!("it has {} partitions", several.len()))),
    }
}

/// Whether all that is found on a partition is the file system of this identifier. One of several
/// signatures is not told, and that none is found proves nothing.
fn holds_only(partition: &Path, made: Option<Uuid>) -> bool {
    let probe = CommandLine::new("blkid", ["-p", "-s", "UUID", "-o", "value"]).with([partition]);
    let found = program::run(&probe, ProgramLimits::undoing());
    let found = found.ok().and_then(|printed| printed.trim().parse().ok());
    made.is_some() && found == made
}

/// What `sfdisk --json` prints, as far as it matters here.
#[derive(Deserialize)]
struct Dump {
    partitiontable: PartitionTable,
}

#[derive(Deserialize)]
struct PartitionTable {
    #[serde(default)]
    partitions: Vec<Partition>,
}

#[derive(Deserialize)]
struct Partition {
    name: Option<String>,
    uuid: Option<String>,
}

/// What unmounts the partition of a prepared disk, wherever it is mounted; `None` where
/// nobody uses it.
pub fn unmounting(disk: &Path) -> Option<Action> {
    let partition = first_partition(disk);
    let flags = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC;
    match rustix::fs::open(&partition, flags, Mode::empty()) {
        Ok(_) | Err(Errno::NOENT) => None,
        Err(_) => {
            let unmount = CommandLine::new("umount", ["--all-targets"]);
            Some(Action::Run(unmount.with([partition])))
        }
    }
}

/// What empties a prepared disk that is unmounted.
pub fn emptying(disk: &Path) -> Vec<Action> {
    vec![
        Action::Wipe(first_partition(disk)),
        Action::ForgetPartitions(disk.to_owned()),
        Action::Wipe(disk.to_owned()),
    ]
}

/// Carries these out on the disk, one after the other.
///
/// # Errors
/// The first that fails.
pub fn carry_out_on(
    disk: &VolumeDisk,
    actions: Vec<Action>,
    report: ActionListener<'_>,
) -> Result<(), VolumeError> {
    let mut making = Making::on(vec![disk.held_again()?]);
    for action in actions {
        if making.site.is_needed(&action) {
            let undo = Vec::new();
            making.carry_out(Step { action, undo }, report, &|| false)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_prepared_as_by_hand() {
        let preparation = Preparation {
            file_system: FileSystemKind::Ext4,
            mount_point: PathBuf::from("/mnt/new disk"),
            label: "data".to_owned(),
            uuid: Uuid::from_bytes([0x11; 16]),
            mkfs: Vec::new(),
            owner: Some((1000, 100)),
        };
        let steps = preparation.steps(Path::new("/dev/nvme0n1"));
        let lines: Vec<String> = steps.iter().map(|step| step.action.to_string()).collect();
        assert_eq!(
            lines,
            [
                "wipefs --all /dev/nvme0n1",
                "printf %s $'label: gpt\\012start=1MiB, name=sokudo-prepare, uuid=11111111-1111-1111-1111-111111111111\\012' | sfdisk --quiet /dev/nvme0n1",
                "partx --update /dev/nvme0n1",
                "wipefs --all /dev/nvme0n1p1",
                "mkfs.ext4 -q -L data -U 11111111-1111-1111-1111-111111111111 \
                 -E lazy_itable_init=0,lazy_journal_init=0 /dev/nvme0n1p1",
                "mkdir -p '/mnt/new disk'",
                "mount -t ext4 -o nodev,nosuid /dev/nvme0n1p1 '/mnt/new disk'",
                "chown 1000:100 '/mnt/new disk'",
            ]
        );
    }
}
