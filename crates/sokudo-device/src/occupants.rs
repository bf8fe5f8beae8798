//! Who uses a block device and what it holds, before anything is written to it.
//!
//! It only looks. What cannot be seen is an occupant of its own: whoever wants to
//! write must take it for the worst.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, SeekFrom};
use sokudo_model::{Occupancy, Occupant};

use crate::block;
use crate::mounts::Mounts;
use crate::signature::{DeviceEnds, HEAD_BYTES, TAIL_BYTES, signatures};
use crate::stack::number_text;
use crate::system::{self, System};

/// Devices that are looked at around one: partitions and what stands on them.
const RELATIVES_MAX: usize = 1024;

/// Why it is not known who uses a device.
#[derive(Debug, thiserror::Error)]
pub enum OccupancyError {
    /// It cannot be looked at.
    #[error("{path} cannot be examined: {source}; nothing is written to a device that cannot be read first", path = path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no block device.
    #[error("{path} is not a block device", path = .0.display())]
    NotBlockDevice(PathBuf),
}

/// Who uses the block device at `path`, and what it holds.
///
/// # Errors
/// If it is no block device or cannot be read.
pub fn occupants(system: &System, path: &Path) -> Result<Occupancy, OccupancyError> {
    let unreadable = |source| OccupancyError::Unreadable {
        path: path.to_owned(),
        source,
    };
    // O_NONBLOCK: a FIFO must not hang us, nor a drive without a medium.
    let device = rustix::fs::open(
        path,
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK,
        rustix::fs::Mode::empty(),
    )
    .map(File::from)
    .map_err(|errno| unreadable(errno.into()))?;
    let metadata = device.metadata().map_err(unreadable)?;
    if !metadata.file_type().is_block_device() {
        return Err(OccupancyError::NotBlockDevice(path.to_owned()));
    }
    let device_number = metadata.rdev();
    let mut occupancy = around(system, device_number);
    occupancy
        .occupants
        .extend(held(&device).map_err(unreadable)?);
    Ok(occupancy)
}

/// What the system says of the device with this number: mounts, swap, holders,
/// partitions.
fn around(system: &System, device_number: u64) -> Occupancy {
    let number = number_text(device_number);
    let Some(directory) = block::directory_of_number(system, &number) else {
        let sentence = format!("who uses the device {number} is not seen: sysfs does not list it");
        return Occupancy {
            device_number,
            name: number,
            serial: None,
            occupants: vec![Occupant::Unseen { sentence }],
        };
    };
    let mut relatives = Relatives::default();
    relatives.add_whole_disk(&directory);
    relatives.add_with_parts(&directory);
    let mut occupants = relatives.mounted(system);
    occupants.extend(relatives.swapped(system));
    occupants.extend(relatives.behind_loop_devices(system));
    occupants.append(&mut relatives.occupants);
    occupants.extend(unwritable(&directory));
    Occupancy {
        device_number,
        name: block::name(&directory),
        serial: block::describe(&directory).serial,
        occupants,
    }
}

/// What the system swaps to, as directories in sysfs.
pub(crate) fn swaps(system: &System) -> Vec<PathBuf> {
    let table = system.text("proc/swaps").unwrap_or_default();
    table
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .filter_map(|source| block::directory_of_source(system, source))
        .collect()
}

/// Why nothing can be written to the device in this directory, if so.
fn unwritable(directory: &Path) -> Option<Occupant> {
    let name = block::name(directory);
    let is_optical = name
        .strip_prefix("sr")
        .is_some_and(|number| number.chars().all(|digit| digit.is_ascii_digit()));
    let sentence = if is_optical {
        format!("{name} is an optical drive")
    } else if system::flag(directory.join("ro")) == Some(true) {
        format!("{name} is write-protected")
    } else {
        return None;
    };
    Some(Occupant::Unwritable { sentence })
}

/// The device, its parts and all that stands on them, by their directories in sysfs.
#[derive(Default)]
struct Relatives {
    directories: Vec<PathBuf>,
    seen: HashSet<PathBuf>,
    occupants: Vec<Occupant>,
}

impl Relatives {
    /// The disk of a partition: whoever uses all of it uses the part. Its other
    /// parts are nobody's concern.
    fn add_whole_disk(&mut self, directory: &Path) {
        if block::is_partition(directory)
            && let Some(disk) = directory.parent()
        {
            self.directories.push(disk.to_owned());
            self.note_holders(disk);
        }
    }

    fn add_with_parts(&mut self, directory: &Path) {
        if self.seen.len() >= RELATIVES_MAX || !self.seen.insert(directory.to_owned()) {
            return;
        }
        self.directories.push(directory.to_owned());
        for name in system::names(directory) {
            let part = directory.join(&name);
            if block::is_partition(&part) {
                self.occupants.push(Occupant::Partition { name });
                self.add_with_parts(&part);
            }
        }
        self.note_holders(directory);
        for holder in system::names(directory.join("holders")) {
            if let Ok(above) = directory.join("holders").join(holder).canonicalize() {
                self.add_with_parts(&above);
            }
        }
    }

    fn note_holders(&mut self, directory: &Path) {
        let device = block::name(directory);
        for holder in system::names(directory.join("holders")) {
            let holder = match system::text(directory.join("holders").join(&holder).join("dm/name"))
            {
                Some(name) => format!("{holder} ({name})"),
                None => holder,
            };
            self.occupants.push(Occupant::Holder {
                device: device.clone(),
                holder,
            });
        }
    }

    /// Mounts of any of them: by device number, and by source, as btrfs has numbers
    /// of its own.
    fn mounted(&self, system: &System) -> Vec<Occupant> {
        let Some(table) = system.text("proc/self/mountinfo") else {
            let sentence = "what is mounted is not seen (/proc/self/mountinfo)".to_owned();
            return vec![Occupant::Unseen { sentence }];
        };
        let mounts = Mounts::parse(&table);
        let mut found = Vec::new();
        for mount in mounts.all() {
            let source = block::directory_of_source(system, &mount.source);
            for directory in &self.directories {
                let by_number =
                    system::text(directory.join("dev")).as_ref() == Some(&mount.device_number);
                if by_number || source.as_ref() == Some(directory) {
                    found.push(Occupant::Mounted {
                        device: block::name(directory),
                        at: mount.mount_point.display().to_string(),
                    });
                }
            }
        }
        found.extend(self.btrfs_members(system));
        found
    }

    /// Members of a mounted btrfs, of which its mount names only one.
    fn btrfs_members(&self, system: &System) -> Vec<Occupant> {
        let mut found = Vec::new();
        for uuid in system.names("sys/fs/btrfs") {
            for member in system.names(format!("sys/fs/btrfs/{uuid}/devices")) {
                let member = member.replace('!', "/");
                if self.names().any(|name| name == member) {
                    found.push(Occupant::Holder {
                        device: member,
                        holder: format!("the mounted btrfs {uuid}"),
                    });
                }
            }
        }
        found
    }

    fn swapped(&self, system: &System) -> Vec<Occupant> {
        swaps(system)
            .into_iter()
            .filter(|directory| self.directories.contains(directory))
            .map(|directory| Occupant::Swap {
                device: block::name(&directory),
            })
            .collect()
    }

    /// A loop device does not claim what it shows.
    fn behind_loop_devices(&self, system: &System) -> Vec<Occupant> {
        let loops = system.names("sys/class/block");
        loops
            .iter()
            .filter(|name| name.starts_with("loop"))
            .filter_map(|name| {
                let file = system.text(format!("sys/class/block/{name}/loop/backing_file"))?;
                let directory = block::directory_of_source(system, &file)?;
                self.directories
                    .contains(&directory)
                    .then(|| Occupant::Holder {
                        device: block::name(&directory),
                        holder: name.clone(),
                    })
            })
            .collect()
    }

    fn names(&self) -> impl Iterator<Item = String> {
        self.directories
            .iter()
            .map(|directory| block::name(directory))
    }
}

/// What the device's own bytes say.
fn held(device: &File) -> io::Result<Vec<Occupant>> {
    let size = rustix::fs::seek(device, SeekFrom::End(0))?;
    let head = read_part(device, 0, size.min(HEAD_BYTES))?;
    let tail_bytes = size.min(TAIL_BYTES);
    let tail = read_part(device, size - tail_bytes, tail_bytes)?;
    let ends = DeviceEnds {
        head: &head,
        tail: &tail,
        size,
    };
    let found = signatures(&ends).into_iter();
    Ok(found
        .map(|signature| Occupant::Signature {
            what: signature.what.to_owned(),
            offset: signature.offset,
        })
        .collect())
}

fn read_part(device: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut bytes = vec![0; length];
    device.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}
