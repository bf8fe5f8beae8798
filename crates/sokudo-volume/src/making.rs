//! Steps that are carried out one after the other, and taken back in reverse.

use std::thread;
use std::time::Duration;

use sokudo_words::{Text, text};

use crate::action::{Action, Step};
use crate::carry_out::Site;
use crate::disk::VolumeDisk;
use crate::error::VolumeError;
use crate::program::ProgramLimits;

/// What is in use for a moment (by udev, or a program that was just killed) is free soon.
const UNDO_ATTEMPTS: u32 = 20;
const UNDO_PAUSE: Duration = Duration::from_millis(250);

/// Who hears of each action before it is carried out.
pub type ActionListener<'a> = &'a mut dyn FnMut(&Action);

#[derive(Debug)]
pub(crate) struct Making {
    pub(crate) site: Site,
    /// What takes back what was begun, the last one first to be done.
    undo: Vec<Action>,
}

impl Making {
    pub(crate) const fn on(disks: Vec<VolumeDisk>) -> Self {
        Self {
            site: Site::new(disks),
            undo: Vec::new(),
        }
    }

    /// Whether there is nothing to take back.
    pub(crate) const fn is_over(&self) -> bool {
        self.undo.is_empty()
    }

    /// Leaves what was made as it is.
    pub(crate) fn stay(&mut self) {
        self.undo.clear();
    }

    /// Carries out a step that is needed.
    pub(crate) fn carry_out(
        &mut self,
        step: Step,
        report: ActionListener<'_>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<(), VolumeError> {
        if is_cancelled() {
            let command = step.action.to_string();
            return Err(VolumeError::Cancelled { command });
        }
        let mut disks = self.site.disks.iter();
        disks.try_for_each(VolumeDisk::is_the_same)?;
        report(&step.action);
        Site::has_room_for(&step.action)?;
        // A command that fails may have done half of its work.
        self.undo.extend(step.undo);
        let limits = ProgramLimits::making(is_cancelled);
        self.site.carry_out(&step.action, limits)
    }

    /// Takes everything back that can be; what cannot is told as an error.
    pub(crate) fn take_back(&mut self, report: ActionListener<'_>) -> Result<(), VolumeError> {
        let mut left = Vec::new();
        while let Some(action) = self.undo.pop() {
            if !self.site.is_needed(&action) {
                continue;
            }
            report(&action);
            if let Err(error) = self.undone(&action) {
                left.push(text!("{error}"));
            }
        }
        match left.is_empty() {
            true => Ok(()),
            false => Err(VolumeError::Left(Text::list(left, "; "))),
        }
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
            match self.site.carry_out(action, ProgramLimits::undoing()) {
                Ok(()) => return Ok(()),
                Err(error @ VolumeError::TooLong { .. }) => return Err(error),
                Err(error) if attempts.next().is_none() => return Err(error),
                Err(_) if !self.site.is_needed(action) => return Ok(()),
                Err(_) => thread::sleep(UNDO_PAUSE),
            }
        }
    }
}

impl VolumeError {
    /// The error that came first, after what was made until then has been `taken_back`.
    pub(crate) fn after(self, taken_back: Result<(), Self>) -> Self {
        match taken_back {
            Err(Self::Left(left)) => Self::LeftBehind {
                first: Box::new(self),
                left,
            },
            _ => self,
        }
    }
}
