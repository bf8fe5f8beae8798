//! Who else uses a file or a block device: loop devices that show it, swap, mounts, what
//! stands on it, and processes that have it open for writing. The one place that knows.
//!
//! Files and devices are compared by identity (inode, device number), never by name: names
//! are those of another mount namespace, of a file that is deleted, or of a node that
//! somebody made. It only looks. Of a device, what cannot be seen is an occupant: whoever
//! wants to write must take it for the worst. Of a regular file it is a blind spot.

mod file_identity;
mod loops;
mod processes;
mod relatives;
mod swaps;

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;
use std::thread;

use sokudo_model::{Occupant, Users};
use sokudo_words::{Text, text};

use crate::file_system::Backing;
use crate::held;
use crate::mounts::Mounts;
use crate::system::System;
use file_identity::FileIdentity;
use loops::Shows;
use processes::{UnseenProcesses, WatchedTargets, Writers, closing_pauses};

pub use processes::tell_long_looks;
pub(crate) use relatives::of_device;
use relatives::unseen;
pub(crate) use swaps::devices as swaps;

/// What the message calls what was named.
const IT: &str = "it";

const OVERLAYFS: u64 = 0x794c_7630;

/// Who else uses this open file or block device, which must be open for reading only, and what the
/// device holds.
pub fn users(file: &File) -> Users {
    let system = System::host();
    match file.metadata() {
        Ok(metadata) if metadata.file_type().is_block_device() => {
            let mut users = of_device(&system, metadata.rdev()).1;
            let held = held::held(file).unwrap_or_else(|error| {
                vec![unread(text!("its contents cannot be determined: {error}"))]
            });
            users.occupants.extend(held);
            users
        }
        Ok(metadata) => of_file(&system, file, &metadata),
        Err(error) => Users {
            occupants: vec![unread(text!("sokudo cannot see who uses it: {error}"))],
            blind_spots: Vec::new(),
        },
    }
}

fn unread(sentence: Text) -> Occupant {
    unseen(sentence, "name a device that can be read")
}

fn of_file(system: &System, file: &File, metadata: &Metadata) -> Users {
    let identity = FileIdentity::of(metadata);
    let mut users = Users::default();
    let mut unknown = Vec::new();
    let devices = loops::loops(system);
    let beneath = match file_system(file) == Some(OVERLAYFS) {
        true => overlaid(system, file),
        false => Overlaid::No,
    };
    let has_loops = !devices.is_empty();
    for device in devices {
        match device.shows_file(identity) {
            Shows::Yes => users.occupants.push(Occupant::Shown {
                what: IT.into(),
                by: device.name,
            }),
            Shows::Unknown => unknown.push(device.name),
            Shows::No => {}
        }
    }
    if swaps::files(system).contains(&identity) {
        let device = IT.into();
        users.occupants.push(Occupant::Swap { device });
    }
    if !users.occupants.is_empty() {
        return users;
    }
    if !unknown.is_empty() {
        users.blind_spots.push(text!(
            "Whether a loop device shows the file is not seen: {} could not be asked",
            unknown.join(", ")
        ));
    }
    if let Overlaid::By(upper, metadata) = beneath {
        // A layer's file has another identity than the overlay gives it.
        let of_upper = of_file(system, &upper, &metadata);
        users.blind_spots.extend(of_upper.blind_spots);
        users.occupants.extend(of_upper.occupants);
        if !users.occupants.is_empty() {
            return users;
        }
    } else if matches!(beneath, Overlaid::Unknown) && has_loops {
        users.blind_spots.push(
            "Whether a loop device shows the file is not seen: it lies on overlayfs, whose \
             layers have files of their own"
                .into(),
        );
    }
    add_writers(system, file, identity, &mut users);
    users
}

/// Whether another file holds what this one shows.
enum Overlaid {
    /// It is where it is, or in layers that nobody writes: it is copied when it is written.
    No,
    /// The upper layer holds it: its file there, open, and the metadata of that.
    By(File, Metadata),
    /// The layer is not seen from here, as in a container.
    Unknown,
}

/// What the upper layer of an overlay holds under the name of this file.
fn overlaid(system: &System, file: &File) -> Overlaid {
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd())).read_link();
    let (Ok(path), Some(mounts)) = (path, Mounts::of(system)) else {
        return Overlaid::Unknown;
    };
    let Some(Backing::Overlay(layers)) = mounts.holding(&path, None).map(Backing::of) else {
        return Overlaid::Unknown;
    };
    let Some(upper) = layers.upper() else {
        return Overlaid::No;
    };
    if upper.is_relative() || !upper.is_dir() {
        return Overlaid::Unknown;
    }
    let layer_path = layers
        .layer_paths(&path)
        .map(|(_, layer_path)| layer_path)
        .next();
    let opened =
        layer_path.map(|layer_path| File::open(layer_path).and_then(|it| Ok((it.metadata()?, it))));
    match opened {
        Some(Ok((metadata, upper))) => Overlaid::By(upper, metadata),
        Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => Overlaid::No,
        _ => Overlaid::Unknown,
    }
}

/// Whether anybody has the file open for writing is known to the kernel, whoever it is and
/// in whatever namespace; who it is, show the processes.
fn add_writers(system: &System, file: &File, identity: FileIdentity, users: &mut Users) {
    let counts_writers = counts_writers(file);
    let mut seen_open = Vec::new();
    for pause in closing_pauses() {
        thread::sleep(pause);
        let is_open = sokudo_sys::is_open_for_writing(file);
        if counts_writers && matches!(is_open, Ok(false)) {
            return;
        }
        let mut wanted = WatchedTargets::default();
        wanted.add_file(identity, IT.into());
        let Writers {
            opened,
            unseen,
            is_ours,
            ..
        } = processes::writers(system, wanted, &[]);
        seen_open = opened;
        let is_all = is_ours || !counts_writers || is_open.is_err();
        if seen_open.is_empty() && is_all {
            users
                .blind_spots
                .extend(unseen.map(|UnseenProcesses { sentence, .. }| {
                text!(
                    "Whether another program has the file open for writing is not seen: {sentence}"
                )
            }));
            return;
        }
    }
    if seen_open.is_empty() {
        seen_open.push(Occupant::OpenedUnseen);
    }
    users.occupants.extend(seen_open);
}

/// Whether the kernel's own count of writers is asked where this file is. File systems of
/// a network answer for leases that their server gives.
fn counts_writers(file: &File) -> bool {
    /// ext, XFS, btrfs, bcachefs, F2FS, tmpfs, overlayfs, FAT, exFAT.
    const LOCAL: [u64; 9] = [
        0xef53,
        0x5846_5342,
        0x9123_683e,
        0xca45_1a4e,
        0xf2f5_2010,
        0x0102_1994,
        OVERLAYFS,
        0x4d44,
        0x2011_bab0,
    ];
    file_system(file).is_some_and(|number| LOCAL.contains(&number))
}

/// The kind of file system that a file is on, by the number that statfs gives
/// (linux/magic.h).
fn file_system(file: &File) -> Option<u64> {
    let statistics = rustix::fs::fstatfs(file).ok()?;
    u64::try_from(statistics.f_type).ok()
}
