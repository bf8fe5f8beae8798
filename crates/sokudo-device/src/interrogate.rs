//! What a disk says of itself when it is asked: identity, health, cache.
//! It asks only questions. Which ones follows from how the kernel drives the disk;
//! what could not be asked, and why, is a sentence.

mod asker;
mod interrogation;
mod nvme_disk;
mod scsi_disk;

use std::fs::File;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;
use sokudo_words::{Text, text};

use crate::block;
use crate::system::{self, System};

pub(crate) use asker::Asker;
pub use interrogation::Interrogation;
pub(crate) use scsi_disk::{has_ata_behind, is_ata};

/// The language in which a disk is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// SCSI, and perhaps ATA behind it.
    Scsi,
    Nvme,
}

/// Asks the disk at `path`, a block device or a part of one, everything that matters to
/// speed and health. It is opened for reading only, and whoever uses it is not disturbed.
/// On a system that is not the running one, only what sysfs keeps of it is read.
pub fn interrogate(system: &System, path: &Path) -> Interrogation {
    let mut found = Interrogation::default();
    if let Err(sentence) = ask(system, path, &mut found) {
        found.blind_spots.push(sentence);
    }
    found
}

/// Asks as far as it can; what ends it is told.
fn ask(system: &System, path: &Path, found: &mut Interrogation) -> Result<(), Text> {
    let directory = disk_directory(system, path)?;
    found.write_cache.kernel_view = system::text(directory.join("queue/write_cache"));
    let protocol = protocol(&directory)?;
    let device = open_disk(system, &directory, path)
        .map_err(|sentence| found.blind_spots.push(sentence))
        .ok();
    let mut asker = Asker::new(&block::name(&directory), device.as_ref());
    match protocol {
        Protocol::Scsi => scsi_disk::ask(&mut asker, &directory, found),
        Protocol::Nvme => nvme_disk::ask(&mut asker, found),
    }
    asker.finish(found);
    Ok(())
}

/// Opens the disk in a directory of sysfs so that it can be asked: for reading, without
/// waiting for a medium, and without claiming it.
pub(crate) fn open_disk(system: &System, directory: &Path, named: &Path) -> Result<File, Text> {
    let name = block::name(directory);
    if !system.is_host() {
        return Err(text!(
            "{name} is on another machine: only what sysfs keeps of it is read"
        ));
    }
    let number = system::text(directory.join("dev")).unwrap_or_default();
    let mut why = text!("{name} cannot be asked: no node of it is below /dev");
    for node in [named.to_owned(), system.path("dev").join(&name)] {
        let Some(opened) = block::open_node(&node, &number, OFlags::empty()) else {
            continue;
        };
        match opened {
            Ok(file) => return Ok(file),
            Err(Errno::ACCESS | Errno::PERM) => {
                why = text!(
                    "{name} cannot be asked for identity, health and cache: no permission to read \
                     {}; run as root",
                    node.display()
                );
            }
            Err(errno) => {
                why = text!(
                    "{name} cannot be asked: {} does not open: {errno}",
                    node.display()
                );
            }
        }
    }
    Err(why)
}

/// The directory in sysfs of the whole disk.
pub(crate) fn disk_directory(system: &System, path: &Path) -> Result<PathBuf, Text> {
    let directory = block::directory_of_path(system, path).ok_or_else(|| {
        text!(
            "{} cannot be asked what it is: sysfs lists no such block device",
            path.display()
        )
    })?;
    Ok(block::disk(&directory))
}

/// The language of the disk in a directory of sysfs, or why it has none.
pub(crate) fn protocol(directory: &Path) -> Result<Protocol, Text> {
    let name = block::name(directory);
    let subsystem = directory.join("device/subsystem").canonicalize().ok();
    let subsystem = subsystem
        .as_deref()
        .and_then(Path::file_name)
        .and_then(|name| name.to_str());
    let why = match subsystem {
        Some("scsi") => return Ok(Protocol::Scsi),
        Some("nvme" | "nvme-subsystem") => return Ok(Protocol::Nvme),
        Some("virtio") => "virtio disks have no commands for it",
        Some("mmc") => "memory cards answer through sysfs only",
        Some(_) => "its driver does not pass commands on",
        None => "it is a virtual device of the kernel, with no drive behind it",
    };
    Err(text!(
        "{name} reports no identity, health or cache state: {}",
        Text::from(why)
    ))
}
