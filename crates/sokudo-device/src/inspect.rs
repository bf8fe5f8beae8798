//! From the name that a user typed to everything that can be seen about it.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, FileType};
use rustix::io::Errno;
use sokudo_model::{Bytes, FileState, FileSystem, TargetInfo, TargetKind};
use sokudo_words::{Text, text};

use crate::block;
use crate::counters::CounterSource;
use crate::environment;
use crate::file;
use crate::marks;
use crate::mounts::{Mount, Mounts};
use crate::stack::{self, Stack, StackedDevices};
use crate::system::System;

/// What was found out about a target.
#[derive(Clone, Debug)]
pub struct Inspected {
    /// What it is, down to the devices, and what could not be seen.
    pub info: TargetInfo,
    /// Where its leaf devices count.
    pub counters: CounterSource,
}

/// Why a target cannot be measured at all.
#[derive(Debug, sokudo_words::Error)]
#[fault(usage)]
pub enum InspectError {
    /// There is nothing of that name.
    #[error("{name} does not exist; the nearest directory that does is {}", nearest.display())]
    Missing {
        name: String,
        /// The closest existing directory above it.
        nearest: PathBuf,
    },
    /// It is a symbolic link to nothing.
    #[error("{name} is a symbolic link to {}, which does not exist; create that, or name another place", to.display())]
    Dangling {
        name: String,
        /// Where the link leads.
        to: PathBuf,
    },
    /// Something above it is a file.
    #[error("{name} does not exist, for {} is not a directory; name a path below a directory", file.display())]
    NotBelowDirectory {
        name: String,
        /// What is not a directory.
        file: PathBuf,
    },
    /// Its symbolic links lead in a circle.
    #[error("{name} is a symbolic link that leads back to itself; name what it should lead to")]
    LinkLoop { name: String },
    /// This user may not look at it.
    #[error("Permission denied: no right to {access} {name}; run as root, or for a disk as a member of the group disk", access = Text::from(*access))]
    NoPermission {
        name: String,
        /// What was tried: `read`, `enter` or `reach`.
        access: &'static str,
    },
    /// It is neither a directory, nor a regular file, nor a block device.
    #[error("{name} is a {what}; name a directory, a regular file or a block device", what = Text::from(*what))]
    WrongKind { name: String, what: &'static str },
    /// The system failed to say.
    #[error("{name} could not be examined: {source}")]
    #[fault(system)]
    Failed { name: String, source: io::Error },
}

/// Finds out what `name`, a directory, a regular file or a block device, is and
/// stands on. Opens nothing but a regular file, and that for reading.
///
/// # Errors
/// If there is no such thing, it is something else, or this user may not read
/// it. What merely cannot be seen is no error but a blind spot.
pub fn inspect(system: &System, name: &str) -> Result<Inspected, InspectError> {
    examine(system, name, true)
}

/// The same for somebody who only wants to know: a block device need not be readable.
///
/// # Errors
/// As [`inspect`].
pub fn look(system: &System, name: &str) -> Result<Inspected, InspectError> {
    examine(system, name, false)
}

fn examine(system: &System, name: &str, will_read: bool) -> Result<Inspected, InspectError> {
    let path = resolve(name)?;
    let failed = |source| failure(name, &path, source);
    let metadata = path.metadata().map_err(failed)?;
    let kind = target_kind(name, &metadata)?;
    if will_read || kind != TargetKind::BlockDevice {
        require_access(name, &path, kind)?;
    }
    let mut info = TargetInfo {
        // Results are text: a path that is none is called by the name that leads to it here.
        path: Some(path.to_str().unwrap_or(name).to_owned()),
        host: environment::host(system),
        ..TargetInfo::new(name, kind)
    };
    if kind == TargetKind::File {
        let file = open_to_read(&path).map_err(failed)?;
        info.size_bytes = Some(Bytes(metadata.len()));
        info.direct_io = file::direct_io_support(&file);
        info.file_state = known_state(&file, &mut info.blind_spots);
    }
    let counters = explore(system, &path, &metadata, &mut info);
    Ok(Inspected { info, counters })
}

/// Fills in the file system and the devices.
fn explore(
    system: &System,
    path: &Path,
    metadata: &Metadata,
    info: &mut TargetInfo,
) -> CounterSource {
    let mounts = Mounts::of(system).unwrap_or_default();
    let stack = Stack::new(system, &mounts);
    let found = if info.kind == TargetKind::BlockDevice {
        let number = block::number_text(metadata.rdev());
        info.direct_io = file::direct_io_support_at(path);
        let found = stack.explore_device(&number);
        info.size_bytes = found.devices.first().and_then(|device| device.size_bytes);
        found
    } else if let Some(mount) = mounts.holding(path, stack::mount_id(system, path)) {
        info.file_system = describe_mount(system, mount, path);
        if let Some(described) = info.file_system.as_mut().filter(|it| it.kind == "overlay") {
            described.memory_below = stack.memory_below(path);
        }
        if info.file_system.is_none() {
            info.blind_spots.push(text!(
                "how large {} is and how much is free is not seen: the file system does not answer",
                mount.mount_point.display()
            ));
        }
        stack.explore_mount(mount, path)
    } else {
        StackedDevices::nothing(text!(
            "the mount that holds {} is not seen (in /proc/self/mountinfo): neither are its devices",
            path.display()
        ))
    };
    info.devices = found.devices;
    info.blind_spots.extend(found.blind_spots);
    found.counters
}

fn describe_mount(system: &System, mount: &Mount, path: &Path) -> Option<FileSystem> {
    let space = rustix::fs::statvfs(path).ok()?;
    let uuid = marks::of_file_system(system, mount);
    Some(FileSystem {
        level: uuid.as_ref().and_then(|uuid| btrfs_level(system, uuid)),
        kind: mount.kind.clone(),
        mount_point: mount.mount_point.to_string_lossy().into_owned(),
        mount_options: mount.options.clone(),
        source: mount.source.clone(),
        total_bytes: Some(Bytes(space.f_blocks.saturating_mul(space.f_frsize))),
        available_bytes: Some(Bytes(space.f_bavail.saturating_mul(space.f_frsize))),
        uuid,
        memory_below: None,
    })
}

/// How the data of a Btrfs lies on its devices; several ways while it is converted.
fn btrfs_level(system: &System, uuid: &str) -> Option<String> {
    let data = format!("sys/fs/btrfs/{uuid}/allocation/data");
    let holds_data = |level: &String| {
        let bytes = system.text(format!("{data}/{level}/total_bytes"));
        bytes.is_some_and(|it| it.parse::<u64>().is_ok_and(|bytes| bytes > 0))
    };
    let levels: Vec<String> = system.names(&data).into_iter().filter(holds_data).collect();
    (!levels.is_empty()).then(|| levels.join("+"))
}

fn known_state(file: &File, blind_spots: &mut Vec<Text>) -> Option<FileState> {
    match file::file_state(file) {
        Ok(state) => Some(state),
        Err(error) => {
            blind_spots.push(text!(
                "whether the file is fully written is not seen: {error}"
            ));
            None
        }
    }
}

fn resolve(name: &str) -> Result<PathBuf, InspectError> {
    let path = Path::new(name);
    path.canonicalize()
        .map(storage_node)
        .map_err(|source| failure(name, path, source))
}

/// The node of the storage that a path means: for that of an NVMe namespace which takes commands
/// (`ng0n1`) the block device of the namespace, by which it is guarded and known; for any other
/// the path itself.
pub fn storage_node(path: PathBuf) -> PathBuf {
    let is_character = |it: Metadata| it.file_type().is_char_device();
    match path.metadata().is_ok_and(is_character) {
        true => sokudo_sys::nvme_block_device(&path).unwrap_or(path),
        false => path,
    }
}

fn failure(name: &str, path: &Path, source: io::Error) -> InspectError {
    let name = name.to_owned();
    match (Errno::from_io_error(&source), path.read_link()) {
        (Some(Errno::NOENT), Ok(to)) => InspectError::Dangling { name, to },
        (Some(Errno::NOENT), _) => InspectError::Missing {
            name,
            nearest: nearest(path, Path::is_dir),
        },
        (Some(Errno::NOTDIR), _) => InspectError::NotBelowDirectory {
            name,
            file: nearest(path, Path::exists),
        },
        (Some(Errno::LOOP), _) => InspectError::LinkLoop { name },
        (Some(Errno::ACCESS | Errno::PERM), _) => InspectError::NoPermission {
            name,
            access: "reach",
        },
        _ => InspectError::Failed { name, source },
    }
}

/// The closest path above `path` that is as wished; `.` above a bare name.
fn nearest(path: &Path, is_wished: impl Fn(&Path) -> bool) -> PathBuf {
    let above = path.ancestors().skip(1).find(|above| is_wished(above));
    above.unwrap_or(Path::new(".")).to_owned()
}

fn target_kind(name: &str, metadata: &Metadata) -> Result<TargetKind, InspectError> {
    let what = match FileType::from_raw_mode(metadata.mode()) {
        FileType::Directory => return Ok(TargetKind::Directory),
        FileType::RegularFile => return Ok(TargetKind::File),
        FileType::BlockDevice => return Ok(TargetKind::BlockDevice),
        FileType::CharacterDevice => "character device",
        FileType::Fifo => "pipe (FIFO)",
        FileType::Socket => "socket",
        _ => "special file",
    };
    Err(InspectError::WrongKind {
        name: name.to_owned(),
        what,
    })
}

fn require_access(name: &str, path: &Path, kind: TargetKind) -> Result<(), InspectError> {
    let (mode, access) = match kind {
        TargetKind::Directory => (Access::EXEC_OK, "enter"),
        _ => (Access::READ_OK, "read"),
    };
    rustix::fs::access(path, mode).map_err(|errno| match errno {
        Errno::ACCESS | Errno::PERM => InspectError::NoPermission {
            name: name.to_owned(),
            access,
        },
        other => failure(name, path, other.into()),
    })
}

/// Opens a regular file; without blocking, in case it has just become a pipe.
fn open_to_read(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::Machine;

    #[test]
    fn the_level_of_a_btrfs_is_that_which_holds_data() {
        let data = "sys/fs/btrfs/u/allocation/data";
        let machine = Machine::with(&[
            (&*format!("{data}/bytes_used"), "4096\n"),
            (&*format!("{data}/raid1/total_bytes"), "1073741824\n"),
            (&*format!("{data}/single/total_bytes"), "0\n"),
        ]);
        let system = machine.system();
        assert_eq!(btrfs_level(&system, "u").as_deref(), Some("raid1"));
        assert_eq!(btrfs_level(&system, "ext4"), None);
    }

    fn error_of(name: &str) -> String {
        inspect(&System::host(), name).unwrap_err().to_string()
    }

    #[test]
    fn what_is_missing_is_named_with_the_nearest_directory() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().display();
        assert_eq!(
            error_of(&format!("{path}/a/b")),
            format!("{path}/a/b does not exist; the nearest directory that does is {path}")
        );
        assert_eq!(
            error_of("no-such-thing-here"),
            "no-such-thing-here does not exist; the nearest directory that does is ."
        );
    }

    #[test]
    fn a_path_through_a_file_names_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert!(
            error_of(&format!("{}/below", file.display()))
                .contains(&format!("for {} is not a directory", file.display()))
        );
    }

    #[test]
    fn links_are_followed_and_circles_refused() {
        let directory = tempfile::tempdir().unwrap();
        let [one, two, good] = ["one", "two", "good"].map(|name| directory.path().join(name));
        std::os::unix::fs::symlink(&one, &two).unwrap();
        std::os::unix::fs::symlink(&two, &one).unwrap();
        assert!(error_of(one.to_str().unwrap()).contains("leads back to itself"));
        let nowhere = directory.path().join("nowhere");
        std::os::unix::fs::symlink("gone", &nowhere).unwrap();
        assert!(error_of(nowhere.to_str().unwrap()).contains("a symbolic link to gone, which"));
        std::os::unix::fs::symlink(directory.path(), &good).unwrap();
        let found = inspect(&System::host(), good.to_str().unwrap()).unwrap();
        assert_eq!(found.info.name, good.to_str().unwrap());
        assert_eq!(
            found.info.path.as_deref(),
            directory.path().canonicalize().unwrap().to_str()
        );
    }

    #[test]
    fn what_holds_no_blocks_is_refused_by_its_kind() {
        assert_eq!(
            error_of("/dev/null"),
            "/dev/null is a character device; name a directory, a regular file or a block device"
        );
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(error_of(socket.to_str().unwrap()).contains("is a socket"));
        let fifo = directory.path().join("fifo");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        assert!(error_of(fifo.to_str().unwrap()).contains("is a pipe"));
    }

    #[test]
    fn names_that_are_no_path_are_errors() {
        assert!(error_of("").contains("does not exist"));
        assert!(error_of("a\0b").contains("could not be examined"));
        assert!(error_of(&"x".repeat(300)).contains("could not be examined"));
    }
}
