//! What is known of the machine as a whole and concerns every disk: mounts, swap, members
//! of btrfs, loop devices, links below `/dev/disk`. Read once, for a machine may have
//! hundreds of disks.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::block;
use crate::mounts::Mounts;
use crate::system::{self, System};
use crate::users;

/// A file system that is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mounted {
    /// Type as the kernel names it.
    pub(crate) kind: String,
    pub(crate) at: PathBuf,
}

/// The btrfs to which a device belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Btrfs {
    pub(crate) uuid: String,
    pub(crate) label: Option<String>,
    /// Kernel names of all its devices.
    pub(crate) members: Vec<String>,
}

/// The machine around its disks.
#[derive(Debug)]
pub(crate) struct MachineEnvironment {
    pub(crate) system: System,
    /// By the directory of the device.
    mounts: HashMap<PathBuf, Vec<Mounted>>,
    swaps: HashSet<PathBuf>,
    loops: HashMap<PathBuf, Vec<PathBuf>>,
    /// Btrfs file systems, by the kernel name of each member device.
    btrfs: HashMap<String, Btrfs>,
    links: HashMap<String, Vec<String>>,
    /// Whether it could be seen what is mounted.
    pub(crate) sees_mounts: bool,
}

impl MachineEnvironment {
    /// Looks at everything once.
    pub(crate) fn of(system: &System) -> Self {
        let mounts = Mounts::of(system);
        let btrfs = btrfs(system);
        Self {
            system: system.clone(),
            sees_mounts: mounts.is_some(),
            mounts: mounted(system, &mounts.unwrap_or_default(), &btrfs),
            swaps: users::swaps(system).into_iter().collect(),
            loops: loops(system),
            btrfs,
            links: links(system),
        }
    }

    /// Where the device is mounted; a file system of several devices is mounted from
    /// each of them.
    pub(crate) fn mounts(&self, directory: &Path) -> &[Mounted] {
        self.mounts.get(directory).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn is_swap(&self, directory: &Path) -> bool {
        self.swaps.contains(directory)
    }

    /// Loop devices that show the device.
    pub(crate) fn loops(&self, directory: &Path) -> &[PathBuf] {
        self.loops.get(directory).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn btrfs(&self, name: &str) -> Option<&Btrfs> {
        self.btrfs.get(name)
    }

    /// Links below `/dev/disk` to the device of this kernel name, sorted.
    pub(crate) fn links(&self, name: &str) -> &[String] {
        self.links.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every link with the kernel name that it leads to.
    pub(crate) fn all_links(&self) -> impl Iterator<Item = (&str, &str)> {
        self.links
            .iter()
            .flat_map(|(name, links)| links.iter().map(move |link| (link.as_str(), name.as_str())))
    }
}

fn btrfs(system: &System) -> HashMap<String, Btrfs> {
    let mut found = HashMap::new();
    for (uuid, members) in block::btrfs(system) {
        let label = system.text(format!("sys/fs/btrfs/{uuid}/label"));
        let btrfs = Btrfs {
            uuid,
            label,
            members,
        };
        found.extend(btrfs.members.iter().map(|it| (it.clone(), btrfs.clone())));
    }
    found
}

/// By number where the mount has that of a device, else by source. Mount points of
/// directories within the file system come after those of the whole.
fn mounted(
    system: &System,
    mounts: &Mounts,
    btrfs: &HashMap<String, Btrfs>,
) -> HashMap<PathBuf, Vec<Mounted>> {
    let mut found: HashMap<PathBuf, Vec<Mounted>> = HashMap::new();
    let mut directories: HashMap<String, Option<PathBuf>> = HashMap::new();
    let (whole, parts): (Vec<_>, Vec<_>) = mounts
        .all()
        .iter()
        .partition(|mount| mount.root == Path::new("/"));
    for mount in whole.into_iter().chain(parts) {
        let key = if mount.is_anonymous() {
            mount.source.clone()
        } else {
            mount.device_number.clone()
        };
        let directory =
            directories
                .entry(key)
                .or_insert_with_key(|key| match mount.is_anonymous() {
                    true => block::directory_of_source(system, key),
                    false => block::directory_of_number(system, key),
                });
        let Some(directory) = directory else { continue };
        let others = btrfs.get(&block::name(directory)).into_iter();
        let others = others.flat_map(|btrfs| &btrfs.members);
        let others = others.filter_map(|name| block::directory_of_name(system, name));
        let all: HashSet<PathBuf> = others.chain([directory.clone()]).collect();
        for directory in all {
            let mounted = Mounted {
                kind: mount.kind.clone(),
                at: mount.mount_point.clone(),
            };
            let known = found.entry(directory).or_default();
            if !known.contains(&mounted) {
                known.push(mounted);
            }
        }
    }
    found
}

fn loops(system: &System) -> HashMap<PathBuf, Vec<PathBuf>> {
    let mut found: HashMap<PathBuf, Vec<PathBuf>> = HashMap::new();
    let names = system.names("sys/class/block").into_iter();
    let names = names.filter(|name| name.starts_with("loop"));
    for above in names.filter_map(|name| block::directory_of_name(system, &name)) {
        let below = system::text(above.join("loop/backing_file"))
            .filter(|file| file.starts_with("/dev/"))
            .and_then(|file| block::directory_of_source(system, &file));
        if let Some(below) = below {
            found.entry(below).or_default().push(above);
        }
    }
    found
}

/// What links below `/dev/disk` lead to, by the last part of their target: the links
/// are relative (`../../sda1`).
fn links(system: &System) -> HashMap<String, Vec<String>> {
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    for kind in system.names("dev/disk") {
        let directory = system.path("dev/disk").join(&kind);
        for link in system::names(&directory) {
            let target = directory.join(&link).read_link().ok();
            let name = target.as_deref().and_then(Path::file_name);
            if let Some(name) = name.and_then(|name| name.to_str()) {
                found
                    .entry(name.to_owned())
                    .or_default()
                    .push(format!("/dev/disk/{kind}/{link}"));
            }
        }
    }
    found
}
