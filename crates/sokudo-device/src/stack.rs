//! The block devices under a path, from the top down: partitions to their disks,
//! loop devices to what holds their file, RAID and device-mapper to their members.

use std::collections::HashSet;
use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sokudo_model::{Attachment, AttachmentKind, BlockDevice, BlockDeviceKind};
use sokudo_sys::LoopStatus;
use sokudo_words::{Text, text};

use crate::attachment;
use crate::block::{self, number_text};
use crate::counters::{self, CounterSource};
use crate::disk::udev::UdevRecord;
use crate::file_system::{self, Backing, Layers};
use crate::marks;
use crate::mounts::{Mount, Mounts};
use crate::system::{self, System};

/// Levels that are followed downward: far more than anyone stacks, and few enough
/// that a description that leads in circles ends.
const LEVELS_MAX: u32 = 16;

/// Devices in one stack; the largest disk shelves hold a few hundred.
const DEVICES_MAX: usize = 1024;

/// A stack while it is being explored.
pub(crate) struct Stack<'a> {
    system: &'a System,
    mounts: &'a Mounts,
    devices: Vec<BlockDevice>,
    stat_files: Vec<PathBuf>,
    seen: HashSet<PathBuf>,
    blind_spots: Vec<Text>,
    /// Whether every byte must pass a leaf that was found, so that their counters
    /// prove something.
    is_complete: bool,
}

pub(crate) struct StackedDevices {
    pub(crate) devices: Vec<BlockDevice>,
    pub(crate) counters: CounterSource,
    pub(crate) blind_spots: Vec<Text>,
}

impl StackedDevices {
    /// Nothing, for the reason of the sentence.
    pub(crate) fn nothing(sentence: Text) -> Self {
        Self {
            devices: Vec::new(),
            counters: CounterSource::default(),
            blind_spots: vec![sentence],
        }
    }
}

/// What udev has asked an ATA disk: 0 and 1 are no rates, as in the disk's own answer.
fn rotation_rpm(record: &UdevRecord) -> Option<u32> {
    let rate = record.property("ID_ATA_ROTATION_RATE_RPM")?.parse().ok()?;
    (rate > 1).then_some(rate)
}

impl<'a> Stack<'a> {
    /// An empty stack on a system with these mounts.
    pub(crate) fn new(system: &'a System, mounts: &'a Mounts) -> Self {
        Self {
            system,
            mounts,
            devices: Vec::new(),
            stat_files: Vec::new(),
            seen: HashSet::new(),
            blind_spots: Vec::new(),
            is_complete: true,
        }
    }

    /// Explores what is under a file or directory of a mounted file system.
    pub(crate) fn explore_mount(mut self, mount: &Mount, path: &Path) -> StackedDevices {
        self.add_mount(mount, path, 0);
        self.found()
    }

    /// Explores a block device and what is under it.
    pub(crate) fn explore_device(mut self, number: &str) -> StackedDevices {
        self.add_number(number, 0);
        self.found()
    }

    fn found(mut self) -> StackedDevices {
        self.check_counters();
        self.check_kinds();
        if !self.is_complete {
            self.stat_files.clear();
        }
        StackedDevices {
            devices: self.devices,
            counters: CounterSource::new(self.stat_files),
            blind_spots: self.blind_spots,
        }
    }

    fn check_counters(&mut self) {
        let silent: Vec<String> = self
            .devices
            .iter()
            .filter(|device| device.is_leaf && device.counts_io == Some(false))
            .map(|device| device.name.clone())
            .collect();
        for name in silent {
            self.miss(text!(
                "the kernel keeps no I/O counters for {name} (queue/iostats is 0)"
            ));
        }
        for file in self.stat_files.clone() {
            match counters::counts_flushes(&file) {
                Some(true) => {}
                Some(false) => self.note(
                    "the kernel counts no flushes (it does since Linux 5.5): they are shown as 0"
                        .into(),
                ),
                None => self.miss(text!("the counters {} are not seen", file.display())),
            }
        }
    }

    /// A figure of disks of two kinds is of neither, unless it is known which of them moved
    /// the bytes; their counters are added up. So it is where a fast disk caches for a slow one.
    fn check_kinds(&mut self) {
        let leaves = || self.devices.iter().filter(|device| device.is_leaf);
        let of_kind = |rotational| {
            let names = leaves().filter(|leaf| leaf.rotational == Some(rotational));
            let names: Vec<&str> = names.map(|leaf| leaf.name.as_str()).collect();
            names.join(", ")
        };
        let (rotating, still) = (of_kind(true), of_kind(false));
        if !rotating.is_empty() && !still.is_empty() {
            self.note(text!(
                "the figures are those of {rotating}, which rotates, and {still}, which does not, \
                 together: what each of them moved is not reported"
            ));
        }
    }

    /// Notes that something below is not seen, so that the leaves that are seen
    /// prove nothing.
    fn miss(&mut self, sentence: Text) {
        self.is_complete = false;
        self.note(sentence);
    }

    /// Notes, once, what is not seen.
    fn note(&mut self, sentence: Text) {
        if !self.blind_spots.contains(&sentence) {
            self.blind_spots.push(sentence);
        }
    }

    /// The names of the devices directly under a file system.
    fn add_mount(&mut self, mount: &Mount, path: &Path, level: u32) -> Vec<String> {
        if let Some(sentence) = file_system::caveat(mount) {
            self.note(sentence);
        }
        match Backing::of(mount) {
            Backing::Numbered { more_sources } => {
                let mut names = Vec::from_iter(self.add_number(&mount.device_number, level));
                names.extend(self.add_sources(&more_sources, level));
                names
            }
            Backing::Btrfs { source } => self.add_btrfs(&source, mount, level),
            Backing::Zfs { pool } => self.add_zfs(&pool, mount, level),
            Backing::Sources(sources) => self.add_sources(&sources, level),
            Backing::Overlay(layers) => self.add_overlay(&layers, mount, path, level),
            Backing::Unseen(sentence) => {
                self.miss(sentence);
                Vec::new()
            }
        }
    }

    fn add_sources(&mut self, sources: &[String], level: u32) -> Vec<String> {
        let sources = sources.iter();
        sources
            .filter_map(|source| {
                let directory = block::directory_of_source(self.system, source);
                let unseen = text!("the block device {source} is not seen in sysfs");
                self.add_seen(directory, unseen, level)
            })
            .collect()
    }

    /// A btrfs lists its devices under its UUID. Its mount names one of them.
    fn add_btrfs(&mut self, source: &str, mount: &Mount, level: u32) -> Vec<String> {
        let member = block::directory_of_source(self.system, source);
        let all = member.and_then(|member| {
            let name = block::name(&member);
            block::btrfs(self.system).find(|(_, names)| names.contains(&name))
        });
        let Some((_, names)) = all else {
            self.miss(text!(
                "the devices of the btrfs on {} are not seen: sysfs lists none that belongs to \
                 {source}",
                mount.mount_point.display()
            ));
            return Vec::new();
        };
        let names = names.iter();
        names
            .filter_map(|name| {
                let directory = block::directory_of_name(self.system, name);
                let unseen = text!("the btrfs device {name} is not seen in sysfs");
                self.add_seen(directory, unseen, level)
            })
            .collect()
    }

    /// A ZFS names its devices only in what it has written onto them.
    fn add_zfs(&mut self, pool: &str, mount: &Mount, level: u32) -> Vec<String> {
        let mount_point = mount.mount_point.display();
        let Some(members) = crate::zfs::members(self.system, pool) else {
            self.miss(text!(
                "{mount_point} is on the ZFS pool {pool}, which has a cache of its own, and not all of its devices are seen: root can read their labels"
            ));
            return Vec::new();
        };
        self.note(text!(
            "{mount_point} is on the ZFS pool {pool}, which has a cache of its own (ARC) that other data sets share: what it holds of this one is not seen"
        ));
        let names = members.into_iter();
        names
            .filter_map(|it| self.add_directory(it, level))
            .collect()
    }

    /// Follows an overlay to the layer that holds the path; what will be new goes
    /// to the upper one.
    fn add_overlay(
        &mut self,
        layers: &Layers,
        mount: &Mount,
        path: &Path,
        level: u32,
    ) -> Vec<String> {
        let Some(holder) = holder_of(layers, path) else {
            self.miss(match layers.relative() {
                Some(layer) => text!(
                    "{} is an overlay of {}, a path relative to the directory in which it was mounted. The kernel does not report that directory, so the devices are unknown",
                    mount.mount_point.display(),
                    layer.display()
                ),
                None => text!(
                    "{} is an overlay, as in a container, and the directory that holds its data is \
                     not seen from here: neither are its devices",
                    mount.mount_point.display()
                ),
            });
            return Vec::new();
        };
        self.add_path(&holder, level + 1)
    }

    /// The type of the file system in memory that holds an existing path, below overlays, too;
    /// `None` where another holds it, or that is not seen.
    pub(crate) fn memory_below(&self, path: &Path) -> Option<String> {
        let mut path = path.canonicalize().ok()?;
        for _ in 0..LEVELS_MAX {
            let mount = self.mounts.holding(&path, mount_id(self.system, &path))?;
            match Backing::of(mount) {
                Backing::Overlay(layers) => {
                    path = holder_of(&layers, &path)?.canonicalize().ok()?
                }
                _ => return file_system::is_memory(&mount.kind).then(|| mount.kind.clone()),
            }
        }
        None
    }

    /// The names of the devices directly under an existing path: the file behind
    /// a loop device, or a layer of an overlay.
    fn add_path(&mut self, path: &Path, level: u32) -> Vec<String> {
        if level >= LEVELS_MAX {
            self.miss(text!(
                "what is below {} was not followed deeper than {LEVELS_MAX} levels",
                path.display()
            ));
            return Vec::new();
        }
        let seen = path.canonicalize().and_then(|path| {
            let metadata = path.metadata()?;
            Ok((path, metadata))
        });
        let Ok((path, metadata)) = seen else {
            self.miss(text!("{} is not seen from here", path.display()));
            return Vec::new();
        };
        if metadata.file_type().is_block_device() {
            let number = number_text(metadata.rdev());
            return Vec::from_iter(self.add_number(&number, level));
        }
        let mounts = self.mounts;
        match mounts.holding(&path, mount_id(self.system, &path)) {
            Some(mount) => self.add_mount(mount, &path, level),
            None => {
                self.miss(text!("the mount that holds {} is not seen", path.display()));
                Vec::new()
            }
        }
    }

    fn add_number(&mut self, number: &str, level: u32) -> Option<String> {
        let directory = block::directory_of_number(self.system, number);
        let unseen = text!("the block device {number} is not seen in sysfs");
        self.add_seen(directory, unseen, level)
    }

    /// Adds the device of a directory, or notes why there is none.
    fn add_seen(&mut self, directory: Option<PathBuf>, unseen: Text, level: u32) -> Option<String> {
        if directory.is_none() {
            self.miss(unseen);
        }
        self.add_directory(directory?, level)
    }

    /// Adds the device of a directory in sysfs and everything below it, once.
    fn add_directory(&mut self, directory: PathBuf, level: u32) -> Option<String> {
        let name = block::name(&directory);
        if self.seen.contains(&directory) {
            return Some(name);
        }
        if level >= LEVELS_MAX || self.devices.len() >= DEVICES_MAX {
            self.miss(text!(
                "{name} was not looked at: more than {LEVELS_MAX} levels or {DEVICES_MAX} devices"
            ));
            return None;
        }
        self.seen.insert(directory.clone());
        let index = self.devices.len();
        let mut device = block::describe(&directory);
        device.marks = marks::of_device(self.system, &directory, &device);
        self.devices.push(device);
        let below = self.add_below(&directory, index, level + 1);
        let file_system = self.file_system_below(index);
        let device = &mut self.devices[index];
        device.attached_by.extend(file_system);
        device.parents = below.names;
        device.is_leaf = below.is_leaf;
        if below.is_leaf {
            let record = UdevRecord::of(self.system, &device.number);
            device.rotation_rpm = rotation_rpm(&record);
            if device.rotation_rpm.is_some() {
                device.rotational = Some(true);
            }
            let way = attachment::of_disk(self.system, &directory);
            device.attached_by.extend(way);
            self.stat_files
                .extend(counters::stat_files(self.system, &directory));
        }
        Some(name)
    }

    fn add_below(&mut self, directory: &Path, index: usize, level: u32) -> DevicesBelow {
        let device = &self.devices[index];
        let (name, device_kind) = (device.name.clone(), device.kind);
        match (device_kind, device.backing_file.clone()) {
            (BlockDeviceKind::Partition, _) => {
                let disk = directory.parent().map(Path::to_owned);
                DevicesBelow::on(disk.and_then(|disk| self.add_directory(disk, level)))
            }
            (BlockDeviceKind::Loop, Some(file)) if self.is_in_memory(directory, &file) => {
                self.devices[index].kind = BlockDeviceKind::Memory;
                DevicesBelow {
                    is_leaf: true,
                    names: Vec::new(),
                }
            }
            (BlockDeviceKind::Loop, Some(file)) => {
                DevicesBelow::on(self.add_backing(directory, &file, level))
            }
            (BlockDeviceKind::Loop, None) => {
                self.miss(text!("{name} has no file behind it, or hides it"));
                DevicesBelow::on(None)
            }
            _ if name.starts_with("zd") => {
                self.miss(text!(
                    "{name} is a ZFS volume: its pool caches, and the pool's devices are not seen"
                ));
                DevicesBelow::on(None)
            }
            _ => {
                if name.starts_with("nbd") || name.starts_with("rbd") {
                    self.note(text!(
                        "{name} is served by another program or machine, whose caches are not seen"
                    ));
                }
                let is_mapped = device_kind == BlockDeviceKind::DeviceMapper;
                let below = self.add_members(directory, level);
                if below.is_leaf && is_mapped {
                    // A table without a disk, as of the target `zero`.
                    self.devices[index].kind = BlockDeviceKind::Memory;
                }
                below
            }
        }
    }

    /// The file system that holds the file behind a loop device.
    fn file_system_below(&self, index: usize) -> Option<Attachment> {
        let file = self.devices[index].backing_file.as_deref()?;
        let path = Path::new(file).canonicalize().ok()?;
        let mount = self.mounts.holding(&path, mount_id(self.system, &path))?;
        Some(Attachment {
            kind: AttachmentKind::FileSystem,
            name: mount.mount_point.to_string_lossy().into_owned(),
            speed: None,
            bytes_per_s: None,
        })
    }

    /// Whether the file behind a loop device is kept in memory, which makes a disk of it that is
    /// memory, too: by what the device says, since its file's name may be another file's here.
    fn is_in_memory(&self, directory: &Path, file: &str) -> bool {
        let shown = self.shown_by(directory);
        let Some(shown) = shown.filter(|shown| shown.block_device.is_none()) else {
            return false;
        };
        // What a memfd is on is mounted nowhere.
        if file.starts_with("/memfd:") && file.ends_with(" (deleted)") {
            let number = number_text(shown.file_system);
            return self.mounts.of_number(&number).is_none();
        }
        let path = Path::new(file);
        let is_shown = |it: &Metadata| {
            it.is_file() && (it.dev(), it.ino()) == (shown.file_system, shown.inode)
        };
        self.memory_below(path).is_some() && path.metadata().is_ok_and(|it| is_shown(&it))
    }

    fn add_backing(&mut self, directory: &Path, file: &str, level: u32) -> Vec<String> {
        let Some(deleted) = file.strip_suffix(" (deleted)") else {
            return self.add_path(Path::new(file), level);
        };
        // A file without a name still is where the device says.
        let mounts = self.mounts;
        let shown = self
            .shown_by(directory)
            .filter(|it| it.block_device.is_none());
        let holder = shown.and_then(|it| mounts.of_number(&number_text(it.file_system)));
        let holder = holder.filter(|mount| !matches!(Backing::of(mount), Backing::Overlay(_)));
        match holder {
            Some(mount) => self.add_mount(mount, &mount.mount_point, level),
            None => {
                let name = block::name(directory);
                self.miss(text!(
                    "the file behind {name}, {deleted}, has been deleted: what holds it is not seen"
                ));
                Vec::new()
            }
        }
    }

    /// What a loop device itself says that it shows.
    fn shown_by(&self, directory: &Path) -> Option<LoopStatus> {
        let device = block::open(self.system, directory, OFlags::empty());
        sokudo_sys::loop_status(device.ok()?).ok()
    }

    /// Members of RAID, device-mapper, bcache: whatever has slaves. What has none
    /// is a leaf.
    fn add_members(&mut self, directory: &Path, level: u32) -> DevicesBelow {
        let members: Vec<_> = system::links(directory.join("slaves")).collect();
        let is_leaf = members.is_empty();
        self.check_bcache(directory, &members);
        let members = members.into_iter();
        let names = members.filter_map(|(member, below)| {
            let unseen = text!("the member {member} is not seen in sysfs");
            self.add_seen(below, unseen, level)
        });
        DevicesBelow {
            is_leaf,
            names: names.collect(),
        }
    }

    /// Notes which disk of a bcache answers for which. Both have a directory of that name; only
    /// that of the disk that is cached has a mode (Documentation/admin-guide/bcache.rst).
    fn check_bcache(&mut self, directory: &Path, members: &[(String, Option<PathBuf>)]) {
        if !directory.join("bcache").exists() {
            return;
        }
        let is_cached = |(_, below): &&(String, Option<PathBuf>)| {
            let mode = below.as_ref().map(|it| it.join("bcache/cache_mode"));
            mode.is_some_and(|mode| mode.exists())
        };
        let (cached, caches): (Vec<_>, Vec<_>) = members.iter().partition(is_cached);
        if let ([(cached, _)], [(cache, _)]) = (&cached[..], &caches[..]) {
            self.note(text!(
                "{bcache} is a bcache: {cache} answers for {cached} where it can, and their \
                 counters are added up",
                bcache = block::name(directory)
            ));
        }
    }
}

/// Where an overlay has a path, or what will be new below it: in its upper layer.
fn holder_of(layers: &Layers, path: &Path) -> Option<PathBuf> {
    let is_visible = |layer: &Path| layer.is_absolute() && layer.is_dir();
    if path.is_dir() {
        let upper = layers.upper().filter(|upper| is_visible(upper));
        return upper.map(Path::to_owned);
    }
    // A layer that is not seen may hold the file, so the search ends there.
    layers
        .layer_paths(path)
        .take_while(|(layer, _)| is_visible(layer))
        .find_map(|(_, layer_path)| layer_path.exists().then_some(layer_path))
}

/// What a device stands on.
struct DevicesBelow {
    is_leaf: bool,
    names: Vec<String>,
}

impl DevicesBelow {
    /// Stands on these, or on something that was not seen, but is no leaf.
    fn on(names: impl IntoIterator<Item = String>) -> Self {
        Self {
            is_leaf: false,
            names: names.into_iter().collect(),
        }
    }
}

/// The kernel's number of the mount that holds a path (Linux 5.8).
pub(crate) fn mount_id(system: &System, path: &Path) -> Option<u64> {
    use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
    if !system.is_host() {
        return None;
    }
    let answer = statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok()?;
    let is_reported = answer.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    is_reported.then_some(answer.stx_mnt_id)
}
