//! A volume that is there: made step by step, and dissolved step by step in reverse.

use std::fs;
use std::path::{Path, PathBuf};

use sokudo_model::{Bytes, FileSystemKind, RaidBy, RaidLevel, VolumePlan};
use sokudo_words::{Text, text};

use crate::action::Action;
use crate::arrays;
use crate::carry_out::pool_identifier;
use crate::disk::VolumeDisk;
use crate::error::VolumeError;
use crate::free_of_paths::check_options;
use crate::in_force::in_force;
use crate::journal::{Journal, SchedulerTrace, Trace};
use crate::making::{ActionListener, Making};
use crate::names::VolumeNames;
use crate::steps::{is_array, steps};

/// A volume that is mounted. Dropping it dissolves it; `dissolve` also says what stayed.
#[derive(Debug)]
pub struct Volume {
    making: Making,
    names: VolumeNames,
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
        names: VolumeNames,
        journal: &mut Journal,
        report: ActionListener<'_>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, VolumeError> {
        let (given, needed) = (disks.len(), plan.raid.disks);
        let Some(disks) = disks.get(..needed).filter(|disks| !disks.is_empty()) else {
            return Err(VolumeError::TooFewDisks { given, needed });
        };
        check_options(plan)?;
        disks.iter().try_for_each(VolumeDisk::is_unused)?;
        let held: Result<Vec<_>, _> = disks.iter().map(VolumeDisk::held_again).collect();
        let mut volume = Self {
            making: Making::on(held?),
            names,
            notes: Vec::new(),
            journal: journal.clone(),
        };
        if is_array(plan) {
            volume.hide_from_udev(true);
        }
        match volume.carry_out_all(plan, report, is_cancelled) {
            Ok(()) => {
                volume.notes = volume.notes_of(plan);
                Ok(volume)
            }
            Err(first) => Err(first.after(volume.dissolve(report))),
        }
    }

    pub fn mount_point(&self) -> &Path {
        &self.names.mount_point
    }

    /// What is to be known of how it was made.
    pub fn notes(&self) -> &[Text] {
        &self.notes
    }

    /// Takes everything back, so that the disks are empty again.
    ///
    /// # Errors
    /// What stayed, and why; the rest was taken back all the same.
    pub fn dissolve(mut self, report: ActionListener<'_>) -> Result<(), VolumeError> {
        self.take_back(report)
    }

    fn carry_out_all(
        &mut self,
        plan: &VolumePlan,
        report: ActionListener<'_>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), VolumeError> {
        let paths: Vec<PathBuf> = self
            .making
            .site
            .disks
            .iter()
            .map(|it| it.path().to_owned())
            .collect();
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        for step in steps(plan, &paths, &self.names) {
            if !self.making.site.is_needed(&step.action) {
                continue;
            }
            if let Some(trace) = self.trace(&step.action)? {
                self.journal.keep(&self.names.name, trace)?;
            }
            let is_pool = matches!(step.action, Action::CreatePool { .. });
            self.making.carry_out(step, report, is_cancelled)?;
            if is_pool {
                let name = self.names.name.clone();
                let identifier = pool_identifier(&name)?;
                let trace = Trace::PoolIdentifier { name, identifier };
                self.journal.keep(&self.names.name, trace)?;
            }
        }
        Ok(())
    }

    /// What an action leaves that outlives this process.
    fn trace(&self, action: &Action) -> Result<Option<Trace>, VolumeError> {
        let name = self.names.name.clone();
        Ok(match action {
            Action::CreateArray { .. } => Some(Trace::Array {
                name,
                uuid: self.names.array_uuid,
            }),
            Action::CreatePool { .. } => Some(Trace::Pool { name }),
            Action::Run(_) => Some(Trace::FileSystem {
                uuid: self.names.uuid,
            }),
            Action::Scheduler { disk, name } => {
                let before = self.making.site.scheduler(disk)?;
                self.making.site.disk(disk).map(|held| {
                    Trace::Scheduler(SchedulerTrace {
                        disk: disk.clone(),
                        number: held.number(),
                        sequence: held.sequence().map(ToOwned::to_owned),
                        before,
                        set: name.clone(),
                    })
                })
            }
            Action::MakeDirectory(path) if !path.exists() => {
                Some(Trace::Directory { path: path.clone() })
            }
            _ => None,
        })
    }

    fn take_back(&mut self, report: ActionListener<'_>) -> Result<(), VolumeError> {
        let taken_back = self.making.take_back(report);
        self.hide_from_udev(false);
        // What stays stays known.
        taken_back.and_then(|()| self.journal.forget(&self.names.name))
    }

    fn hide_from_udev(&self, is_hidden: bool) {
        self.making
            .site
            .disks
            .iter()
            .for_each(|disk| disk.hide_from_udev(is_hidden));
    }

    fn notes_of(&self, plan: &VolumePlan) -> Vec<Text> {
        let mut notes = Vec::new();
        if is_array(plan) {
            notes.extend(self.note_of_array());
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
        notes.extend(in_force(plan.file_system, &self.names));
        let undiscarded = self
            .making
            .site
            .disks
            .iter()
            .filter(|disk| !disk.can_discard());
        let undiscarded = undiscarded.map(|disk| Text::name(disk.path().display().to_string()));
        let undiscarded = Text::list(undiscarded, ", ");
        if !undiscarded.is_empty() {
            notes.push(text!(
                "{undiscarded} cannot discard: what was written before is still there below the file system"
            ));
        }
        notes
    }

    /// How the array is cut, which `mkfs` reads from the kernel.
    fn note_of_array(&self) -> Option<Text> {
        let name = self.making.site.array()?;
        let read = |file: &str| {
            let text = fs::read_to_string(arrays::directory(&name).join(file)).ok()?;
            let bytes = text.trim().parse().ok();
            bytes.filter(|bytes| *bytes > 0).map(Bytes)
        };
        let (chunk, stripe) = (read("md/chunk_size")?, read("queue/optimal_io_size")?);
        Some(text!(
            "the chunks of the array are {chunk} and its stripes {stripe}; mkfs reads both from the kernel"
        ))
    }
}

impl Drop for Volume {
    fn drop(&mut self) {
        // Who wants to know what stays calls `dissolve`; the journal keeps it in any case.
        if !self.making.is_over() {
            let _ = self.take_back(&mut |_| ());
        }
    }
}
