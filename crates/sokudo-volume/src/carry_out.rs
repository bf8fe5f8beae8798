//! How each action is carried out on the disks of one volume.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags};
use sokudo_words::{Text, text};

use crate::action::{Action, CommandLine};
use crate::arrays::{self, Synchronisation};
use crate::disk::VolumeDisk;
use crate::error::{VolumeError, unusable};
use crate::mount_point;
use crate::pools::first_partition;
use crate::program::{self, ProgramLimits};

/// How often it is looked whether an array is in sync.
const LOOK: Duration = Duration::from_millis(100);

/// The disks of a volume, and what was found on the way.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) disks: Vec<VolumeDisk>,
    /// What was set before we did.
    pub(crate) schedulers: BTreeMap<PathBuf, String>,
    /// Directories that we have made.
    directories: BTreeSet<PathBuf>,
}

impl Site {
    pub(crate) const fn new(disks: Vec<VolumeDisk>) -> Self {
        Self {
            disks,
            schedulers: BTreeMap::new(),
            directories: BTreeSet::new(),
        }
    }

    pub(crate) fn disk(&self, path: &Path) -> Option<&VolumeDisk> {
        self.disks.iter().find(|disk| disk.path() == path)
    }

    /// Whether there is anything for the action to do: what was not made needs no undoing.
    pub(crate) fn is_needed(&self, action: &Action) -> bool {
        match action {
            Action::Discard(disk) => self.disk(disk).is_none_or(VolumeDisk::can_discard),
            Action::Wipe(path) => self.disk(path).is_some() || path.exists(),
            Action::ForgetPartitions(disk) => first_partition(disk).exists(),
            Action::StopArray(_) => self.array().is_some(),
            Action::DestroyPool(name) => is_pool(name),
            Action::ClearLabel(partition) => partition.exists(),
            Action::Unmount(at) => is_mount_point(at),
            Action::RemoveDirectory(directory) => self.directories.contains(directory),
            Action::SchedulerBack(disk) => self.schedulers.contains_key(disk),
            _ => true,
        }
    }

    /// The kernel's name of the array that stands on the disks.
    pub(crate) fn array(&self) -> Option<String> {
        let numbers = self.disks.iter().map(VolumeDisk::number).collect();
        arrays::standing_on(&numbers)
    }

    /// Before anything is done that would have to be taken back: what stands where an action is
    /// to make something is somebody else's.
    pub(crate) fn has_room_for(action: &Action) -> Result<(), VolumeError> {
        let taken = |name: String| Err(VolumeError::Taken { name });
        match action {
            Action::CreateArray { array, .. } if array.symlink_metadata().is_ok() => {
                taken(array.display().to_string())
            }
            Action::CreatePool { name, .. } if is_pool(name) => taken(name.clone()),
            Action::Mount { at, .. } if is_mount_point(at) => {
                Err(VolumeError::Mounted(at.to_owned()))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn carry_out(
        &mut self,
        action: &Action,
        limits: ProgramLimits<'_>,
    ) -> Result<(), VolumeError> {
        match action {
            Action::Scheduler { disk, name } => self.set_scheduler(disk, name),
            Action::SchedulerBack(disk) => match self.schedulers.get(disk).cloned() {
                Some(before) => self.write_scheduler(disk, &before),
                None => Ok(()),
            },
            Action::CreateArray { array, command } => self.create_array(array, command, limits),
            Action::AwaitArray(_) => self.await_array(action, limits),
            Action::StopArray(array) => {
                let node = array.canonicalize();
                run(action, limits)?;
                // Without udev its links stay.
                arrays::remove_links(node.ok().as_deref().unwrap_or(array));
                Ok(())
            }
            // What has no label has none to clear.
            Action::ClearLabel(_) => run(action, limits).or(Ok(())),
            Action::MakeDirectory(directory) => self.make_directory(directory),
            Action::RemoveDirectory(directory) => remove_directory(directory),
            Action::Mount { at, .. } => mount(action, at, limits),
            Action::Owner { path, user, group } => mount_point::give(path, *user, *group),
            Action::Run(_)
            | Action::Wipe(_)
            | Action::Discard(_)
            | Action::CreatePool { .. }
            | Action::DestroyPool(_)
            | Action::ForgetPartitions(_)
            | Action::Unmount(_) => run(action, limits),
        }
    }

    fn create_array(
        &self,
        array: &Path,
        command: &CommandLine,
        limits: ProgramLimits<'_>,
    ) -> Result<(), VolumeError> {
        program::run(command, limits)?;
        let not_as_wanted = |why: Text| VolumeError::NotAsWanted {
            command: command.to_string(),
            why,
        };
        let name = self.array();
        let name =
            name.ok_or_else(|| not_as_wanted("no array stands on exactly its disks".into()))?;
        let node = Path::new("/dev").join(&name);
        if array.symlink_metadata().is_err() {
            // Nobody makes the link where there is no udev.
            let made = array.parent().map_or(Ok(()), fs::create_dir_all);
            made.and_then(|()| std::os::unix::fs::symlink(&node, array))
                .map_err(|source| unusable(array, source))?;
        }
        let found = array
            .metadata()
            .ok()
            .filter(|it| it.file_type().is_block_device());
        match found.is_some_and(|it| Some(it.rdev()) == arrays::number(&arrays::directory(&name))) {
            true => Ok(()),
            false => Err(not_as_wanted(text!("{} is not {name}", array.display()))),
        }
    }

    fn await_array(&self, action: &Action, limits: ProgramLimits<'_>) -> Result<(), VolumeError> {
        let command = action.to_string();
        loop {
            let Some(name) = self.array() else {
                let why = text!("the array is gone");
                return Err(VolumeError::NotAsWanted { command, why });
            };
            match arrays::synchronisation(&name) {
                Some(Synchronisation::Done) => return Ok(()),
                Some(Synchronisation::Waiting) => arrays::begin_synchronisation(&name)
                    .map_err(|source| unusable(Path::new(&name), source))?,
                Some(Synchronisation::Going) | None => {}
            }
            if (limits.is_cancelled)() {
                return Err(VolumeError::Cancelled { command });
            }
            thread::sleep(LOOK);
        }
    }

    fn set_scheduler(&mut self, disk: &Path, name: &str) -> Result<(), VolumeError> {
        let before = self.scheduler(disk)?;
        if before == name {
            return Ok(());
        }
        self.schedulers.insert(disk.to_owned(), before);
        self.write_scheduler(disk, name)
    }

    /// What is set for a disk now.
    pub(crate) fn scheduler(&self, disk: &Path) -> Result<String, VolumeError> {
        let path = self.scheduler_file(disk)?;
        let read = fs::read_to_string(&path);
        let all = read.map_err(|source| VolumeError::Scheduler { path, source })?;
        Ok(chosen_scheduler(&all))
    }

    fn write_scheduler(&self, disk: &Path, name: &str) -> Result<(), VolumeError> {
        let path = self.scheduler_file(disk)?;
        let written = fs::write(&path, name);
        written.map_err(|source| VolumeError::Scheduler { path, source })
    }

    fn scheduler_file(&self, disk: &Path) -> Result<PathBuf, VolumeError> {
        let held = self.disk(disk);
        let held = held.ok_or_else(|| VolumeError::NoDevice(disk.to_owned()))?;
        held.is_the_same()?;
        Ok(held.sysfs().join("queue/scheduler"))
    }

    fn make_directory(&mut self, directory: &Path) -> Result<(), VolumeError> {
        mount_point::is_roots_alone(directory)?;
        if is_mount_point(directory) {
            return Err(VolumeError::Mounted(directory.to_owned()));
        }
        match fs::read_dir(directory).map(|mut entries| entries.next().is_some()) {
            Ok(true) => return Err(VolumeError::NotEmpty(directory.to_owned())),
            Ok(false) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(unusable(directory, source)),
        }
        mount_point::make_folder(directory).map_err(|source| unusable(directory, source))?;
        self.directories.insert(directory.to_owned());
        Ok(())
    }
}

fn run(action: &Action, limits: ProgramLimits<'_>) -> Result<(), VolumeError> {
    match action.command() {
        Some(command) => program::run(&command, limits).map(drop),
        None => Ok(()),
    }
}

fn mount(action: &Action, at: &Path, limits: ProgramLimits<'_>) -> Result<(), VolumeError> {
    run(action, limits)?;
    match is_mount_point(at) {
        true => Ok(()),
        false => Err(VolumeError::NotAsWanted {
            command: action.to_string(),
            why: "nothing is mounted there".into(),
        }),
    }
}

fn remove_directory(directory: &Path) -> Result<(), VolumeError> {
    match fs::remove_dir(directory) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(unusable(directory, source)),
        _ => Ok(()),
    }
}

/// Whether something is mounted on a directory, as the kernel says it (since Linux 5.8).
pub(crate) fn is_mount_point(directory: &Path) -> bool {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    let found = rustix::fs::statx(CWD, directory, flags, StatxFlags::BASIC_STATS);
    found.is_ok_and(|it| it.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// Whether this machine has a pool of that name.
pub(crate) fn is_pool(name: &str) -> bool {
    let list = CommandLine::new("zpool", ["list", "-H", "-o", "name", name]);
    program::run(&list, ProgramLimits::undoing()).is_ok()
}

/// The number by which a pool's labels are known.
pub(crate) fn pool_identifier(name: &str) -> Result<String, VolumeError> {
    let get = CommandLine::new("zpool", ["get", "-H", "-o", "value", "guid", name]);
    program::run(&get, ProgramLimits::undoing()).map(|printed| printed.trim().to_owned())
}

/// Of `none [mq-deadline] kyber` the one in brackets; a disk without a choice names one.
fn chosen_scheduler(all: &str) -> String {
    let mut words = all.split_whitespace();
    let chosen = words.find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    chosen.unwrap_or(all.trim()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_brackets_is_set() {
        assert_eq!(
            chosen_scheduler("none [mq-deadline] kyber\n"),
            "mq-deadline"
        );
        assert_eq!(chosen_scheduler("none\n"), "none");
    }

    #[test]
    fn the_root_is_a_mount_point_and_a_directory_in_it_is_none() {
        assert!(is_mount_point(Path::new("/")));
        assert!(is_mount_point(Path::new("/proc")));
        let directory = tempfile::tempdir().unwrap();
        assert!(!is_mount_point(directory.path()));
        assert!(!is_mount_point(Path::new("/nowhere")));
    }
}
