//! A drive's own write cache: whether it is on, and switching it.
//! A setting is changed and read back. No data is written, and the device is never opened
//! for writing. Who switches it has to put it back: that is not done here.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use sokudo_sys::AskError;
use sokudo_sys::nvme::{NvmeCommand, ask_nvme};
use sokudo_sys::scsi::{CachingPage, PageControl, ScsiCommand, ask_scsi};
use sokudo_words::Text;

use crate::interrogate::{Protocol, disk_directory, has_ata_behind, open_disk, protocol};
use crate::page::PageError;
use crate::system::{self, System};
use crate::{ata, block, nvme};

/// Why a write cache could not be read or switched.
#[derive(Debug, sokudo_words::Error)]
#[fault(usage)]
pub enum WriteCacheError {
    /// There is no drive that could be asked.
    #[error("the write cache of {} cannot be seen: {why}", disk.display())]
    Unreachable { disk: PathBuf, why: Text },
    /// It was asked, and did not do it.
    #[error("the write cache of {disk} does not answer: {source}")]
    Ask { disk: String, source: AskError },
    /// It answered, and the answer is not to be believed.
    #[error("the write cache of {disk} is not known: {source}")]
    Page { disk: String, source: PageError },
    /// It has none, or none that is shown.
    #[error("{disk} has no write cache that could be switched; leave it as it is (keep)")]
    Missing { disk: String },
    /// The drive took the order and did not follow it.
    #[error(
        "{disk} accepted the command to switch its write cache {}, but it is still {}; leave it as it is (keep)",
        word(*wanted),
        word(!*wanted)
    )]
    NotTaken { disk: String, wanted: bool },
    /// The kernel would send no flushes to a cache that is on, so that data could be lost.
    #[error(
        "the kernel does not treat the cache of {disk} as one that needs flushes, so it is not switched on: {source}"
    )]
    #[fault(refused)]
    KernelUnaware { disk: String, source: io::Error },
}

fn word(on: bool) -> Text {
    (if on { "on" } else { "off" }).into()
}

/// How the cache of a drive is switched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SwitchProtocol {
    Ata,
    Scsi { is_long: bool },
    Nvme,
}

/// The write cache of one drive, which is held open.
#[derive(Debug)]
pub struct WriteCacheSwitch {
    disk: String,
    number: String,
    device: File,
    switch: SwitchProtocol,
    /// Where the kernel keeps its own view of a SCSI disk's cache.
    kernel_view: Option<PathBuf>,
}

impl WriteCacheSwitch {
    /// Opens the drive at `path`; of a partition, the whole drive.
    ///
    /// # Errors
    /// If there is no drive with such a cache, or it may not be asked.
    pub fn open(system: &System, path: &Path) -> Result<Self, WriteCacheError> {
        let unreachable = |why: Text| WriteCacheError::Unreachable {
            disk: path.to_owned(),
            why,
        };
        let directory = disk_directory(system, path).map_err(unreachable)?;
        let protocol = protocol(&directory).map_err(unreachable)?;
        let device = open_disk(system, &directory, path).map_err(unreachable)?;
        let disk = block::name(&directory);
        let switch = match protocol {
            Protocol::Nvme => SwitchProtocol::Nvme,
            Protocol::Scsi if has_ata_behind(&directory) => SwitchProtocol::Ata,
            Protocol::Scsi => SwitchProtocol::Scsi { is_long: true },
        };
        let mut this = Self {
            disk,
            number: system::text(directory.join("dev")).unwrap_or_default(),
            device,
            switch,
            kernel_view: kernel_view(&directory),
        };
        // Some bridges know the short form only.
        if this.switch == (SwitchProtocol::Scsi { is_long: true }) && this.state().is_err() {
            this.switch = SwitchProtocol::Scsi { is_long: false };
        }
        Ok(this)
    }

    /// Kernel name of the drive, such as `sda`.
    pub fn disk(&self) -> &str {
        &self.disk
    }

    /// `major:minor` of the drive.
    pub fn number(&self) -> &str {
        &self.number
    }

    /// Whether the cache is on, as the drive itself says.
    ///
    /// # Errors
    /// If it does not say, or has none.
    pub fn state(&self) -> Result<bool, WriteCacheError> {
        match self.switch {
            SwitchProtocol::Ata => self.ata_state(),
            SwitchProtocol::Scsi { is_long } => {
                self.caching_page(is_long).map(|page| page.write_cache())
            }
            SwitchProtocol::Nvme => self.nvme_state(),
        }
    }

    /// Switches it, and reads back that it was done.
    ///
    /// # Errors
    /// If it cannot be switched, or is not as ordered afterwards.
    pub fn set(&self, on: bool) -> Result<(), WriteCacheError> {
        if on {
            self.have_kernel_flush()?;
        }
        match self.switch {
            SwitchProtocol::Ata => {
                let command = ScsiCommand::ata_set_write_cache(on);
                self.heard(ask_scsi(&self.device, &command))?;
            }
            SwitchProtocol::Scsi { is_long } => {
                let page = self.caching_page(is_long)?.with_write_cache(on);
                self.heard(ask_scsi(&self.device, &ScsiCommand::mode_select(&page)))?;
            }
            SwitchProtocol::Nvme => {
                let command = NvmeCommand::set_write_cache(on);
                self.heard(ask_nvme(&self.device, &command))?;
            }
        }
        if self.state()? == on {
            Ok(())
        } else {
            Err(WriteCacheError::NotTaken {
                disk: self.disk.clone(),
                wanted: on,
            })
        }
    }

    /// The command of another tool that switches it.
    pub fn by_hand(&self, on: bool) -> String {
        let disk = &self.disk;
        match (self.switch, on) {
            (SwitchProtocol::Ata, _) => format!("hdparm -W{} /dev/{disk}", u8::from(on)),
            (SwitchProtocol::Scsi { .. }, true) => format!("sdparm --set=WCE /dev/{disk}"),
            (SwitchProtocol::Scsi { .. }, false) => format!("sdparm --clear=WCE /dev/{disk}"),
            (SwitchProtocol::Nvme, _) => {
                format!("nvme set-feature /dev/{disk} -f 6 -V {}", u8::from(on))
            }
        }
    }

    /// What the kernel takes the cache for, where that can be set: `write back`.
    pub fn kernel_view(&self) -> Option<String> {
        system::text(self.kernel_view.as_ref()?)
    }

    /// Sets what the kernel takes the cache for, without a command to the drive.
    ///
    /// # Errors
    /// If the kernel does not take it.
    pub fn set_kernel_view(&self, view: &str) -> io::Result<()> {
        match &self.kernel_view {
            // "temporary" is the kernel's word for: believe me, and tell the drive nothing.
            Some(file) => std::fs::write(file, format!("temporary {view}")),
            None => Ok(()),
        }
    }

    /// A disk whose cache was off when the kernel found it is sent no flushes; with the
    /// cache on, a file system on it would lose what it believes to be durable.
    fn have_kernel_flush(&self) -> Result<(), WriteCacheError> {
        let flushes = |view: &str| view.starts_with("write back");
        match self.kernel_view() {
            Some(view) if !flushes(&view) => self.set_kernel_view("write back").map_err(|source| {
                WriteCacheError::KernelUnaware {
                    disk: self.disk.clone(),
                    source,
                }
            }),
            _ => Ok(()),
        }
    }

    fn ata_state(&self) -> Result<bool, WriteCacheError> {
        let answer = self.heard(ask_scsi(&self.device, &ScsiCommand::ata_identify()))?;
        let identity = ata::identity(&answer.data).map_err(|source| self.unbelievable(source))?;
        identity.write_cache.ok_or_else(|| self.missing())
    }

    fn nvme_state(&self) -> Result<bool, WriteCacheError> {
        let answer = self.heard(ask_nvme(&self.device, &NvmeCommand::identify_controller()))?;
        let controller = nvme::controller(&answer.data).map_err(|it| self.unbelievable(it))?;
        if !controller.volatile_write_cache {
            return Err(self.missing());
        }
        let answer = self.heard(ask_nvme(&self.device, &NvmeCommand::write_cache()))?;
        Ok(answer.result & 1 == 1)
    }

    fn caching_page(&self, is_long: bool) -> Result<CachingPage, WriteCacheError> {
        let command = ScsiCommand::caching_page(PageControl::Current, is_long);
        let answer = self.heard(ask_scsi(&self.device, &command))?;
        CachingPage::from_answer(&answer.data, is_long).ok_or_else(|| self.missing())
    }

    fn heard<T>(&self, answer: Result<T, AskError>) -> Result<T, WriteCacheError> {
        answer.map_err(|source| WriteCacheError::Ask {
            disk: self.disk.clone(),
            source,
        })
    }

    fn unbelievable(&self, source: PageError) -> WriteCacheError {
        WriteCacheError::Page {
            disk: self.disk.clone(),
            source,
        }
    }

    fn missing(&self) -> WriteCacheError {
        WriteCacheError::Missing {
            disk: self.disk.clone(),
        }
    }
}

/// `cache_type` of the SCSI disk.
fn kernel_view(directory: &Path) -> Option<PathBuf> {
    let disks = directory.join("device/scsi_disk");
    let name = system::names(&disks).into_iter().next()?;
    let file = disks.join(name).join("cache_type");
    file.exists().then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_drive_has_no_cache_to_switch() {
        let error = WriteCacheSwitch::open(&System::host(), Path::new("/dev/null")).unwrap_err();
        assert!(matches!(error, WriteCacheError::Unreachable { .. }));
        assert!(error.to_string().contains("/dev/null"), "{error}");
    }
}
