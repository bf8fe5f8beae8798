//! A volume that is there: made step by step, and dissolved step by step in reverse.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use sokudo_model::{Bytes, FileSystemKind, RaidBy, RaidLevel, VolumePlan};
use sokudo_words::{Text, text};

use crate::action::Action;
use crate::carry_out::{Site, pool_identifier};
use crate::disk::VolumeDisk;
use crate::error::VolumeError;
use crate::journal::{Journal, SchedulerTrace, Trace};
use crate::place::VolumePlace;
use crate::program::Limits;
use crate::steps::{is_array, steps};
use crate::{arrays, free_of_paths};

/// What is in use for a moment (by udev, or a program that was just killed) is free soon.
const UNDO_ATTEMPTS: u32 = 20;
const UNDO_PAUSE: Duration = Duration::from_millis(250);

/// A volume that is mounted. Dropping it dissolves it; `dissolve` also says what stayed.
#[derive(Debug)]
pub struct Volume {
    site: Site,
    place: VolumePlace,
    /// What takes back what was begun, the last one first to be done.
    undo: Vec<Action>,
    notes: Vec<Text>,
    journal: Journal,
}

impl Volume {
    /// Makes what is planned of the first of these disks and mounts it. Each action is told
    /// before it is carried out.
    ///
    /// # Errors
    /// What failed; what was made until then has been taken back, or the error says what
    /// could not be.
    pub fn make(
        plan: &VolumePlan,
        disks: &[VolumeDisk],
        place: VolumePlace,
        journal: &mut Journal,
        told: &mut dyn FnMut(&Action),
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, VolumeError> {
        let (wanted, needed) = (disks.len(), plan.raid.disks);
        let Some(disks) = disks.get(..needed).filter(|disks| !disks.is_empty()) else {
            return Err(VolumeError::TooFewDisks { wanted, needed });
        };
        free_of_paths::check(plan)?;
        disks.iter().try_for_each(VolumeDisk::is_unused)?;
        let held: Result<Vec<_>, _> = disks.iter().map(VolumeDisk::held_again).collect();
        let mut volume = Self {
            site: Site::new(held?),
            place,
            undo: Vec::new(),
            notes: Vec::new(),
            journal: journal.clone(),
        };
        if is_array(plan) {
            volume.hide_from_udev(true);
        }
        match volume.carry_out_all(plan, told, is_cancelled) {
            Ok(()) => {
                volume.notes = volume.notes_of(plan);
                Ok(volume)
            }
            Err(first) => match volume.dissolve(told) {
                Ok(()) => Err(first),
                Err(VolumeError::Left(left)) => {
                    let first = Box::new(first);
                    Err(VolumeError::LeftBehind { first, left })
                }
                Err(_) => Err(first),
            },
        }
    }

    pub fn mount_point(&self) -> &Path {
        &self.place.mount_point
    }

    /// What is to be known of how it was made.
    pub fn notes(&self) -> &[Text] {
        &self.notes
    }

    /// Takes everything back, so that the disks are empty again.
    ///
    /// # Errors
    /// What stayed, and why; the rest was taken back all the same.
    pub fn dissolve(mut self, told: &mut dyn FnMut(&Action)) -> Result<(), VolumeError> {
        self.take_back(told)
    }

    fn carry_out_all(
        &mut self,
        plan: &VolumePlan,
        told: &mut dyn FnMut(&Action),
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), VolumeError> {
        let paths: Vec<PathBuf> = self
            .site
            .disks
            .iter()
            .map(|it| it.path().to_owned())
            .collect();
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        for step in steps(plan, &paths, &self.place) {
            if is_cancelled() {
                let command = step.action.to_string();
                return Err(VolumeError::Cancelled { command });
            }
            if !self.site.is_needed(&step.action) {
                continue;
            }
            self.site
                .disks
                .iter()
                .try_for_each(VolumeDisk::is_the_same)?;
            if let Some(trace) = self.trace(&step.action)? {
                self.journal.keep(&self.place.name, trace)?;
            }
            told(&step.action);
            // A command that fails may have done half of its work.
            self.undo.extend(step.undo);
            self.site
                .carry_out(&step.action, Limits::making(is_cancelled))?;
            if let Action::CreatePool { name, .. } = &step.action {
                let trace = Trace::PoolIdentifier {
                    identifier: pool_identifier(name)?,
                    name: name.clone(),
                };
                self.journal.keep(&self.place.name, trace)?;
            }
        }
        Ok(())
    }

    /// What an action leaves that outlives this process.
    fn trace(&self, action: &Action) -> Result<Option<Trace>, VolumeError> {
        let name = self.place.name.clone();
        Ok(match action {
            Action::CreateArray { .. } => Some(Trace::Array {
                name,
                uuid: self.place.array_uuid,
            }),
            Action::CreatePool { .. } => Some(Trace::Pool { name }),
            Action::Run(_) => Some(Trace::FileSystem {
                uuid: self.place.uuid,
            }),
            Action::Scheduler { disk, name } => {
                let before = self.site.scheduler(disk)?;
                self.site.disk(disk).map(|held| {
                    Trace::Scheduler(SchedulerTrace {
                        disk: disk.clone(),
                        number: held.number(),
                        sequence: held.sequence().map(ToOwned::to_owned),
                        before,
                        set: name.clone(),
                    })
                })
            }
            _ => None,
        })
    }

    fn take_back(&mut self, told: &mut dyn FnMut(&Action)) -> Result<(), VolumeError> {
        let mut left = Vec::new();
        while let Some(action) = self.undo.pop() {
            if !self.site.is_needed(&action) {
                continue;
            }
            told(&action);
            if let Err(error) = self.undone(&action) {
                left.push(text!("{error}"));
            }
        }
        self.hide_from_udev(false);
        if left.is_empty() {
            return self.journal.forget(&self.place.name);
        }
        Err(VolumeError::Left(Text::list(left, "; ")))
    }

    fn undone(&mut self, action: &Action) -> Result<(), VolumeError> {
        let mut attempts = 1..UNDO_ATTEMPTS;
        loop {
            if let Action::Wipe(path) | Action::SchedulerBack(path) = action
                && let Some(disk) = self.site.disk(path)
            {
                // Nothing helps a disk that is gone, and another is none of our business.
                disk.is_the_same()?;
            }
            match self.site.carry_out(action, Limits::undoing()) {
                Ok(()) => return Ok(()),
                Err(error @ VolumeError::TooLong { .. }) => return Err(error),
                Err(error) if attempts.next().is_none() => return Err(error),
                Err(_) if !self.site.is_needed(action) => return Ok(()),
                Err(_) => thread::sleep(UNDO_PAUSE),
            }
        }
    }

    fn hide_from_udev(&self, is_hidden: bool) {
        self.site
            .disks
            .iter()
            .for_each(|disk| disk.hide_from_udev(is_hidden));
    }

    fn notes_of(&self, plan: &VolumePlan) -> Vec<Text> {
        let mut notes = Vec::new();
        if is_array(plan) {
            notes.extend(self.notes_of_array(plan));
        }
        let is_btrfs_mirror = plan.file_system == FileSystemKind::Btrfs
            && plan.raid.by == RaidBy::FileSystem
            && plan.raid.level == RaidLevel::Raid1
            && plan.raid.disks > 2;
        if is_btrfs_mirror {
            notes.push(text!(
                "RAID 1 of Btrfs keeps two copies, also on {} disks",
                plan.raid.disks
            ));
        }
        let undiscarded = self.site.disks.iter().filter(|disk| !disk.can_discard());
        let undiscarded = undiscarded.map(|disk| Text::name(disk.path().display().to_string()));
        let undiscarded = Text::list(undiscarded, ", ");
        if !undiscarded.is_empty() {
            notes.push(text!(
                "{undiscarded} cannot discard: what was written before is still there below the file system"
            ));
        }
        notes
    }

    fn notes_of_array(&self, plan: &VolumePlan) -> Vec<Text> {
        let mut notes = Vec::new();
        match (plan.raid.level, plan.options.initial_sync) {
            (RaidLevel::Raid0, _) => {}
            (_, true) => notes.push("the array was synchronised before it was used".into()),
            (_, false) => notes
                .push("the array was taken for clean (--assume-clean) and not synchronised".into()),
        }
        if plan.file_system == FileSystemKind::Zfs {
            notes.push(
                "ZFS stands on an md array: it can find damage there, but not repair it".into(),
            );
        }
        let Some(name) = self.site.array() else {
            return notes;
        };
        let read = |file: &str| {
            let text = fs::read_to_string(arrays::directory(&name).join(file)).ok()?;
            text.trim()
                .parse()
                .ok()
                .filter(|bytes| *bytes > 0)
                .map(Bytes)
        };
        if let (Some(chunk), Some(stripe)) = (read("md/chunk_size"), read("queue/optimal_io_size"))
        {
            notes.push(text!(
                "the chunks of the array are {chunk} and its stripes {stripe}; mkfs reads both from the kernel"
            ));
        }
        notes
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        // Who wants to know what stays calls `dissolve`; the journal keeps it in any case.
        if !self.undo.is_empty() {
            let _ = self.take_back(&mut |_| ());
        }
    }
}
