//! Switches the write caches of the drives under a target as each trial wants them.
//! Before the first switch it starts the process that puts them back on every way out
//! ([`crate::cache_keeper`]); it does not switch without.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use sokudo_device::System;
use sokudo_device::write_cache::{WriteCacheError, WriteCacheSwitch};
use sokudo_model::plan::DriveCache;
use sokudo_model::{TargetInfo, TargetKind};
use sokudo_words::{Fault, PlainError, Text, text};

use crate::cache_keeper::{ARGUMENT, FOUND, can_be_started};
use crate::error::MeasureError;

/// Drives under one target whose caches are switched together; a shelf has a few dozen.
const DRIVES_MAX: usize = 256;

/// The caches of the drives under one target.
pub struct CacheGuard {
    target: String,
    kind: TargetKind,
    drives: Vec<PathBuf>,
    /// Open as soon as a trial wants a state.
    switches: Vec<WriteCacheSwitch>,
    keeper: Option<Keeper>,
}

impl CacheGuard {
    /// For these drives, `/dev/sda`. Touches nothing.
    pub fn of_drives(drives: Vec<PathBuf>) -> Self {
        let names: Vec<String> = (drives.iter())
            .map(|drive| drive.display().to_string())
            .collect();
        Self::new(names.join(", "), TargetKind::BlockDevice, drives)
    }

    /// For what is under a target. Touches nothing.
    pub(crate) fn of(target: &TargetInfo) -> Self {
        let mut drives: Vec<PathBuf> = target
            .leaves()
            .map(|leaf| PathBuf::from(format!("/dev/{}", leaf.name)))
            .collect();
        drives.dedup();
        Self::new(target.name.clone(), target.kind, drives)
    }

    fn new(target: String, kind: TargetKind, drives: Vec<PathBuf>) -> Self {
        Self {
            target,
            kind,
            drives,
            switches: Vec::new(),
            keeper: None,
        }
    }

    /// Brings every cache into the state that a trial wants, verified by the drive's own
    /// word. `Keep` is the state in which it was found.
    ///
    /// # Errors
    /// If a cache is not in that state and cannot be brought into it.
    pub fn ensure(&mut self, wish: DriveCache) -> Result<(), MeasureError> {
        let wish = match wish {
            DriveCache::Keep if self.keeper.is_none() => return Ok(()),
            DriveCache::Keep => None,
            DriveCache::On => Some(true),
            DriveCache::Off => Some(false),
        };
        if self.switches.is_empty() {
            self.open()?;
        }
        if self.keeper.is_none() && !self.is_everywhere(wish)? {
            self.keeper = Some(Keeper::start(&self.drives)?);
        }
        let Some(keeper) = &self.keeper else {
            return Ok(());
        };
        for (switch, was_on) in self.switches.iter().zip(&keeper.found_on) {
            let wanted = wish.unwrap_or(*was_on);
            if switch.state()? != wanted {
                switch.set(wanted)?;
            }
        }
        Ok(())
    }

    fn open(&mut self) -> Result<(), MeasureError> {
        match self.kind {
            TargetKind::Simulated => {
                return Err(MeasureError::usage(text!(
                    "the write cache of a simulated disk is part of its name; write sim:hdd?write_cache=off instead"
                )));
            }
            TargetKind::Null => {
                return Err(MeasureError::usage(text!(
                    "{} has no write cache; leave --write-cache out",
                    self.target
                )));
            }
            _ => {}
        }
        if self.drives.is_empty() || self.drives.len() > DRIVES_MAX {
            return Err(MeasureError::usage(text!(
                "the drives below {} are unknown, so their write cache cannot be switched; name the drive itself",
                self.target
            )));
        }
        self.switches = self
            .drives
            .iter()
            .map(|path| WriteCacheSwitch::open(&System::host(), path))
            .collect::<Result<_, WriteCacheError>>()?;
        Ok(())
    }

    fn is_everywhere(&self, wish: Option<bool>) -> Result<bool, MeasureError> {
        for switch in &self.switches {
            if Some(switch.state()?) != wish {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Drop for CacheGuard {
    fn drop(&mut self) {
        let put_back = self.keeper.take().is_none_or(Keeper::end);
        if !put_back {
            // The keeper has told. What was measured is still worth printing.
            SOMETHING_IS_LEFT.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether a cache could not be put back.
static SOMETHING_IS_LEFT: AtomicBool = AtomicBool::new(false);

/// Whether every cache that was switched is as it was found, so that the program may end
/// with success.
pub fn everything_is_put_back() -> bool {
    !SOMETHING_IS_LEFT.load(Ordering::Relaxed)
}

/// The process that puts caches back.
struct Keeper {
    process: Child,
    /// While it is open, the run goes on. Nobody else has it: it is closed on exec.
    run_goes_on: ChildStdin,
    /// For each drive, whether its cache was found on.
    found_on: Vec<bool>,
}

impl Keeper {
    /// Starts it; it has found every drive when this returns.
    fn start(drives: &[PathBuf]) -> Result<Self, MeasureError> {
        let refused = |text| MeasureError::NoKeeper(PlainError::new(Fault::Refused, text));
        if !can_be_started() {
            return Err(refused(text!(
                "this program does not ask at its beginning whether it is to put caches back"
            )));
        }
        let mut process = Command::new("/proc/self/exe")
            .arg0("sokudo")
            .arg(ARGUMENT)
            .args(drives)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                let text = text!("no second process can be started");
                MeasureError::NoKeeper(PlainError::new(Fault::Refused, text).because(error))
            })?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (run_goes_on, answers) = pipes.ok_or_else(|| refused(text!("it has no pipes")))?;
        let mut found_on = Vec::with_capacity(drives.len());
        let mut answers = BufReader::new(answers);
        while found_on.len() < drives.len() {
            let mut line = String::new();
            let read = answers.read_line(&mut line);
            match (read, found_state(&line)) {
                (Ok(_), Some(on)) => found_on.push(on),
                _ => {
                    drop(run_goes_on);
                    let _ = process.wait();
                    return Err(refused(Text::name(line.trim())));
                }
            }
        }
        Ok(Self {
            process,
            run_goes_on,
            found_on,
        })
    }

    /// Says that the run is over; whether everything was put back.
    fn end(self) -> bool {
        let Self {
            mut process,
            run_goes_on,
            ..
        } = self;
        drop(run_goes_on);
        process.wait().is_ok_and(|status| status.success())
    }
}

/// The state in a keeper's line.
fn found_state(line: &str) -> Option<bool> {
    line.trim().strip_prefix(FOUND)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_words::HasFault;

    fn info(kind: TargetKind) -> TargetInfo {
        TargetInfo::new("x", kind)
    }

    #[test]
    fn a_cache_that_is_to_be_kept_is_not_looked_at() {
        let mut guard = CacheGuard::of(&info(TargetKind::Null));
        assert!(guard.ensure(DriveCache::Keep).is_ok());
        drop(guard);
        assert!(everything_is_put_back());
    }

    #[test]
    fn what_has_no_drive_cannot_have_its_cache_switched() {
        for kind in [TargetKind::Null, TargetKind::Simulated, TargetKind::File] {
            for wish in [DriveCache::On, DriveCache::Off] {
                let mut guard = CacheGuard::of(&info(kind));
                let refused = guard.ensure(wish).map_err(|error| error.fault());
                assert_eq!(refused, Err(Fault::Usage));
            }
        }
    }

    #[test]
    fn a_keepers_line_is_read() {
        assert_eq!(found_state("found true\n"), Some(true));
        assert_eq!(found_state("found false"), Some(false));
        assert_eq!(found_state("sda does not answer"), None);
        assert_eq!(found_state(""), None);
    }
}
