//! The disks of a matrix: those that were named and may be destroyed, or files.

use std::path::{Path, PathBuf};

use sokudo_device::System;
use sokudo_measure::{MeasureError, volume_disks};
use sokudo_model::Bytes;
use sokudo_model::disk::Disk;
use sokudo_terminal::exit::Exit;
use sokudo_volume::{VolumeDisk, loop_disks};
use sokudo_words::{Text, text};

use crate::matrix::arguments::MatrixArguments;
use crate::matrix::request::DiskSource;

/// A disk as the plan shows it.
pub(super) struct PlannedDisk {
    /// Its node; of a file that is yet to be made what stands for it.
    pub path: PathBuf,
    pub size: Option<Bytes>,
    pub serial: Option<String>,
    /// Model and serial number, or what it is made of.
    pub description: Text,
    /// What speaks against writing to it, and whether that is only what it holds.
    pub occupants: Vec<(Text, bool)>,
}

/// What the plan shows, before anything is opened for writing.
pub(super) fn planned(source: &DiskSource) -> Result<Vec<PlannedDisk>, Exit> {
    match source {
        DiskSource::Files { disks, folder } => {
            let files = 1..=disks.count;
            let file = |number| PlannedDisk {
                path: PathBuf::from(format!("/dev/loop-{number}")),
                size: Some(disks.size),
                serial: None,
                description: text!("a file in {}", folder.display()),
                occupants: Vec::new(),
            };
            Ok(files.map(file).collect())
        }
        DiskSource::Named(words) => {
            let system = System::host();
            let listed = sokudo_device::listed(&system);
            let mut planned: Vec<PlannedDisk> = Vec::new();
            for word in words {
                let disk = named(&system, &listed, word)?;
                if planned.iter().any(|it| it.path == disk.path) {
                    return Err(Exit::usage(text!(
                        "--disk {word} is {}, which is named already; name every disk once",
                        disk.path.display()
                    )));
                }
                planned.push(disk);
            }
            Ok(planned)
        }
    }
}

fn named(system: &System, listed: &[Disk], word: &str) -> Result<PlannedDisk, Exit> {
    let path = sokudo_device::find(system, word).map_err(MeasureError::Find)?;
    // Links and names of one's own lead to the kernel's node.
    let path = path.canonicalize().unwrap_or(path);
    let occupancy = sokudo_device::occupants(system, &path).map_err(MeasureError::from)?;
    let occupants = occupancy.occupants.iter();
    let known = listed.iter().find(|disk| Path::new(&disk.path) == path);
    let model = known.and_then(|disk| disk.model.clone());
    let serial = known.and_then(|disk| disk.serial.clone());
    let words = [model, serial.clone()]
        .into_iter()
        .flatten()
        .map(Text::name);
    Ok(PlannedDisk {
        size: known.and_then(|disk| disk.size_bytes),
        serial,
        description: Text::list(words, ", "),
        occupants: occupants
            .map(|it| (Text::from(it), it.is_content()))
            .collect(),
        path,
    })
}

/// The disks, held open, once they may be destroyed.
pub(super) fn opened(
    source: &DiskSource,
    planned: &[PlannedDisk],
    arguments: &MatrixArguments,
) -> Result<Vec<VolumeDisk>, Exit> {
    match source {
        DiskSource::Files { disks, folder } => {
            loop_disks(folder, disks.count, disks.size).map_err(Exit::failed)
        }
        DiskSource::Named(_) => {
            let paths: Vec<PathBuf> = planned.iter().map(|disk| disk.path.clone()).collect();
            Ok(volume_disks(&paths, &arguments.destroying.consent())?)
        }
    }
}
