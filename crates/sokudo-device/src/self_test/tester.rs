//! One drive that can test itself, held open, and the drives of a run's targets.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sokudo_model::{Nanos, SelfTestKind};
use sokudo_sys::SelfTestOrder;
use sokudo_words::{Text, text};

use super::ata_drive::AtaDrive;
use super::drive::{SelfTestDrive, SelfTestError, SelfTestProgress, SelfTestState};
use super::nvme_drive::NvmeDrive;
use super::scsi_drive::ScsiDrive;
use crate::block::is_usb;
use crate::interrogate::{Protocol, disk_directory, is_ata, open_disk, protocol};
use crate::system::{self, System};
use crate::{block, in_time};

/// Four commands, each of which may take its 10 s, and a little more.
pub(super) const ANSWER_TIME_MAX: Duration = Duration::from_secs(45);

/// A drive that can test itself. It is held open, so that its name leads nowhere else.
#[derive(Clone)]
pub struct SelfTester {
    disk: String,
    number: String,
    drive: Arc<dyn SelfTestDrive>,
}

impl SelfTester {
    /// Opens the drive at `path`, for reading only; of a partition, the whole drive.
    ///
    /// # Errors
    /// Why it cannot be asked for a self-test, or has none, in words.
    pub fn open(system: &System, path: &Path) -> Result<Self, Text> {
        let directory = disk_directory(system, path)?;
        let protocol = protocol(&directory)?;
        let device = open_disk(system, &directory, path)?;
        let disk = block::name(&directory);
        let block_bytes = system::number(directory.join("queue/logical_block_size"));
        let drive: Arc<dyn SelfTestDrive> = match protocol {
            Protocol::Nvme => Arc::new(NvmeDrive::open(&disk, device, block_bytes)?),
            Protocol::Scsi if is_ata(&device, &directory) => {
                Arc::new(AtaDrive::open(&disk, device, block_bytes)?)
            }
            Protocol::Scsi if is_usb(&directory) => {
                return Err(text!(
                    "{disk} has no self-test that can be seen: its USB bridge does not pass such commands on"
                ));
            }
            Protocol::Scsi => Arc::new(ScsiDrive::open(&disk, device, block_bytes)?),
        };
        Ok(Self {
            disk,
            number: system::text(directory.join("dev")).unwrap_or_default(),
            drive,
        })
    }

    /// Kernel name of the drive, such as `sda`.
    pub fn disk(&self) -> &str {
        &self.disk
    }

    /// `major:minor` of the drive.
    pub fn number(&self) -> &str {
        &self.number
    }

    /// How long the drive expects a test to take while it does nothing else; `None` where it does
    /// not say.
    pub fn expected(&self, kind: SelfTestKind) -> Option<Nanos> {
        self.drive.expected(kind)
    }

    /// Begins a test, unless one is under way. What is returned is what the drive said before.
    ///
    /// # Errors
    /// If a test is under way, or the drive does not begin one.
    pub fn begin(&self, kind: SelfTestKind) -> Result<SelfTestProgress, SelfTestError> {
        let before = self.drive.look()?;
        if matches!(before.state, SelfTestState::Running { .. }) {
            return Err(SelfTestError::Underway);
        }
        self.drive.order(match kind {
            SelfTestKind::Short => SelfTestOrder::Short,
            SelfTestKind::Extended => SelfTestOrder::Extended,
        })?;
        Ok(before)
    }

    /// What the drive says of its self-tests now.
    ///
    /// # Errors
    /// If it does not answer, or not what can be believed.
    pub fn progress(&self) -> Result<SelfTestProgress, SelfTestError> {
        self.drive.look()
    }

    /// Ends the test that is under way, whoever began it: that is for the caller to know.
    ///
    /// # Errors
    /// If the drive does not do it.
    pub fn stop(&self) -> Result<(), SelfTestError> {
        self.drive.order(SelfTestOrder::Stop)
    }

    #[cfg(test)]
    pub(super) fn imitated(disk: &str, drive: Arc<dyn SelfTestDrive>) -> Self {
        Self {
            disk: disk.to_owned(),
            number: disk.to_owned(),
            drive,
        }
    }
}

impl fmt::Debug for SelfTester {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SelfTester({} {})", self.disk, self.number)
    }
}

/// A target of a run whose drive is to test itself.
#[derive(Clone, Debug)]
pub struct SelfTestTarget {
    /// Index of the target.
    pub target: u32,
    /// Kernel name of its drive, or that of its path where sysfs knows no drive.
    pub disk: String,
    /// The drive, or why it has no self-test.
    pub tester: Result<SelfTester, Text>,
}

impl SelfTestTarget {
    /// Opens the drives of targets, all at once. One that does not answer keeps none waiting for
    /// longer than a bound.
    pub fn open_all(system: &System, targets: &[(u32, PathBuf)]) -> Vec<Self> {
        let host = system.clone();
        let opened = in_time::all(targets, ANSWER_TIME_MAX, move |(_, path)| {
            SelfTester::open(&host, path)
        });
        let opened = targets.iter().zip(opened);
        opened
            .map(|((target, path), tester)| {
                let disk = name(system, path);
                Self {
                    target: *target,
                    tester: tester.unwrap_or_else(|| Err(unanswered(&disk))),
                    disk,
                }
            })
            .collect()
    }
}

pub(super) fn unanswered(disk: &str) -> Text {
    text!(
        "{disk} did not answer within {} s when it was asked for a self-test",
        ANSWER_TIME_MAX.as_secs()
    )
}

fn name(system: &System, path: &Path) -> String {
    let directory = disk_directory(system, path).ok();
    directory.as_deref().map_or_else(
        || {
            let name = path.file_name().unwrap_or(path.as_os_str());
            name.to_string_lossy().into_owned()
        },
        block::name,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::Machine;

    #[test]
    fn what_is_no_drive_says_why_it_has_no_self_test() {
        let machine = Machine::new();
        machine.device("vda", "254:0", 1 << 30, &[]);
        machine.link(
            "sys/devices/vda/device/subsystem",
            machine.path("sys/bus/virtio"),
        );
        machine.write("sys/bus/virtio/x", "");
        machine.write("dev/vda", "");
        let paths = [
            (3, PathBuf::from("/dev/null")),
            (4, machine.path("dev/vda")),
        ];
        let opened = SelfTestTarget::open_all(&machine.system(), &paths);
        assert_eq!((opened[0].target, &opened[0].disk[..]), (3, "null"));
        for target in &opened {
            let why = target.tester.as_ref().unwrap_err().english();
            assert!(why.contains(&target.disk), "{why}");
        }
    }
}
