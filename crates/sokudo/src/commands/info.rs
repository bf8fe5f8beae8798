//! `sokudo info`: what disks there are, what each is and what is on it.
//!
//! It only looks, and asks disks only questions that change nothing.

pub(crate) mod arguments;

use std::path::Path;

use sokudo_device::{InspectError, Inspected, System};
use sokudo_measure::MeasureError;
use sokudo_model::disk::{Content, Disk};
use sokudo_model::{BlockDeviceKind, TargetInfo, TargetKind};
use sokudo_report::{DiskDocument, InfoDocument, info};
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{output, print};
use sokudo_words::text;

use crate::commands::info::arguments::InfoArguments;

pub(crate) fn run(arguments: &InfoArguments) -> Result<(), Exit> {
    let document = found(&System::host(), arguments)?;
    let style = output::terminal_style();
    if arguments.format.is_json() {
        return output::print(&document.to_json());
    }
    output::print_coloured(&if arguments.raw {
        info::render_raw(&document, &style)
    } else if document.target.is_none() {
        info::render_overview(&document, &style)
    } else {
        info::render_detail(&document, &style)
    })
}

/// What is shown of a machine's disks, masked if that is wanted.
fn found(system: &System, arguments: &InfoArguments) -> Result<InfoDocument, Exit> {
    let mut document = match arguments.target.as_deref() {
        None => document(sokudo_device::disks(system)),
        Some(word) => named(system, word)?,
    };
    if document.target.is_none() && arguments.format.is_json() && !arguments.raw {
        // Pages of every disk would drown what they say.
        for entry in &mut document.disks {
            entry.disk.raw.clear();
        }
    }
    print::masked(document, &[], arguments.masking)
}

pub(crate) fn document(disks: Vec<Disk>) -> InfoDocument {
    let judged = disks.into_iter().map(|disk| DiskDocument {
        findings: sokudo_analysis::examine(&disk),
        disk,
    });
    InfoDocument::new(env!("CARGO_PKG_VERSION"), judged.collect())
}

/// What was named, and every disk under it.
fn named(system: &System, word: &str) -> Result<InfoDocument, Exit> {
    let (target, device) = looked_at(system, word)?;
    let whole_disk = |kind| {
        matches!(
            kind,
            BlockDeviceKind::Disk | BlockDeviceKind::VirtualDisk | BlockDeviceKind::Memory
        )
    };
    let mut disks = Vec::new();
    let mut blind_spots = Vec::new();
    let leaves = target
        .devices
        .iter()
        .filter(|device| device.is_leaf || device.kind == BlockDeviceKind::Loop);
    for leaf in leaves {
        match sokudo_device::disk(system, &Path::new("/dev").join(&leaf.name)) {
            Ok(disk) => disks.push(disk),
            Err(error) => blind_spots.push(text!("{error}")),
        }
    }
    // A whole disk is its own tree; its line would only be told twice.
    let is_disk = target
        .devices
        .first()
        .is_some_and(|device| whole_disk(device.kind) || device.kind == BlockDeviceKind::Loop);
    let mut document = document(disks);
    document.device = device.filter(|_| !is_disk);
    document.target = Some(target);
    if let Some(target) = &mut document.target {
        target.blind_spots.extend(blind_spots);
    }
    Ok(document)
}

/// A path that exists is that; any other word names a device.
fn looked_at(system: &System, word: &str) -> Result<(TargetInfo, Option<Content>), Exit> {
    let inspected = match sokudo_device::look(system, word) {
        Err(InspectError::Missing { .. }) if is_a_name(word) => {
            // A name that fits nothing, or too much, is a wrong argument.
            let path = sokudo_device::find(system, word).map_err(Exit::usage)?;
            let path = path.to_str().map(str::to_owned).ok_or_else(|| {
                Exit::failed(text!("the name of the device {word:?} is not text"))
            })?;
            sokudo_device::look(system, &path)
        }
        other => other,
    };
    let Inspected { mut info, .. } = inspected.map_err(MeasureError::from)?;
    info.name = word.to_owned();
    let device = match (&info.path, info.kind) {
        (Some(path), TargetKind::BlockDevice) => {
            Some(sokudo_device::content(system, Path::new(path)).map_err(Exit::failed)?)
        }
        _ => None,
    };
    Ok((info, device))
}

/// Whether a word can be another name of a device than its path.
fn is_a_name(word: &str) -> bool {
    !word.is_empty() && !word.contains('/')
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use clap::{Args, Command, FromArgMatches};

    use super::*;

    #[test]
    fn masked_serial_numbers_are_nowhere() {
        const SERIAL: &str = "S1SECRET01";
        let machine = tempfile::tempdir().unwrap();
        let root = machine.path().canonicalize().unwrap();
        let disk = root.join("sys/devices/pci/disk0");
        for (directory, file, text) in [
            (disk.join("device"), "serial", SERIAL),
            (disk.clone(), "dev", "8:0"),
            (disk.clone(), "size", "2048"),
            (root.join("proc/self"), "mountinfo", ""),
        ] {
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join(file), text).unwrap();
        }
        for (directory, link) in [("sys/dev/block", "8:0"), ("sys/class/block", "disk0")] {
            fs::create_dir_all(root.join(directory)).unwrap();
            symlink(&disk, root.join(directory).join(link)).unwrap();
        }
        let shown = |line: &[&str]| {
            let command = InfoArguments::augment_args(Command::new("info").no_binary_name(true));
            let matches = command.try_get_matches_from(line).unwrap();
            let arguments = InfoArguments::from_arg_matches(&matches).unwrap();
            let document = found(&System::at(&root), &arguments).unwrap();
            assert_eq!(document.disks.len(), 1, "{line:?}");
            document.to_json()
        };
        assert!(shown(&[]).contains(SERIAL));
        let masked = shown(&["--mask-serial"]);
        assert!(
            masked.contains("SERIAL-1") && !masked.contains(SERIAL),
            "{masked}"
        );
    }
}
