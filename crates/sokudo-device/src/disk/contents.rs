//! What is on a disk, as a tree: partitions, file systems, members of arrays and groups,
//! what stands on those, and where it all is mounted.
//!
//! Three witnesses tell of it: the kernel (partitions, holders, mounts, swap), the bytes
//! of the device, and udev, which has read those bytes earlier. Where the device may not
//! be read, the other two remain, and a sentence says so.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rustix::fs::OFlags;
use sokudo_model::Bytes;
use sokudo_model::disk::Content;
use sokudo_words::{Text, text};

use crate::block::{self, SECTOR_BYTES};
use crate::disk::stacked;
use crate::disk::system_snapshot::MachineEnvironment;
use crate::disk::udev::{self, UdevRecord};
use crate::held::read_part;
use crate::signature::{DeviceEnds, HEAD_BYTES, Signature, TAIL_BYTES, signatures, title};
use crate::system;

/// Levels that are followed upward; nobody stacks so many, and a description that leads
/// in circles ends.
const LEVELS_MAX: u32 = 16;
/// Entries of one disk's tree.
const ENTRIES_MAX: usize = 4096;
/// What partitions should begin at a multiple of: the physical block of nearly every disk
/// of today, whatever it says itself.
const ALIGNMENT_BYTES: u64 = 4096;

/// Whether devices themselves are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadPolicy {
    Always,
    /// Only those of which udev does not know what they hold: reading wakes a disk that
    /// sleeps.
    WhereUdevIsSilent,
    /// None: they have not answered.
    Never,
}

/// What was recognised on devices, for several disks stand under one array.
pub(crate) type Recognised = Arc<Mutex<HashMap<PathBuf, Vec<Content>>>>;

/// A tree while it grows.
pub(crate) struct Tree<'a> {
    surroundings: &'a MachineEnvironment,
    recognised: Recognised,
    reading: ReadPolicy,
    alignment_bytes: u64,
    entries: usize,
    pub(crate) blind_spots: Vec<Text>,
}

/// A partition by itself: where it begins, and whether that is well aligned.
pub(crate) fn bare_partition(directory: &Path) -> Content {
    partition_of(directory, alignment_bytes(&block::disk(directory)))
}

fn partition_of(directory: &Path, alignment_bytes: u64) -> Content {
    let mut content = Content::new("partition");
    content.device = Some(block::name(directory));
    content.size_bytes = block::size(directory);
    content.offset_bytes = offset(directory);
    let remark = alignment_remark(directory, content.offset_bytes, alignment_bytes);
    content.remarks.extend(remark);
    content
}

/// What partitions of the disk in this directory should begin at a multiple of.
fn alignment_bytes(disk: &Path) -> u64 {
    let physical = system::number(disk.join("queue/physical_block_size"));
    physical.unwrap_or(0).max(ALIGNMENT_BYTES)
}

/// Where the partition in this directory begins.
fn offset(partition: &Path) -> Option<Bytes> {
    system::number(partition.join("start"))
        .and_then(|sectors| sectors.checked_mul(SECTOR_BYTES))
        .map(Bytes)
}

/// Says that a partition begins where it should not.
fn alignment_remark(partition: &Path, offset: Option<Bytes>, alignment: u64) -> Option<Text> {
    let first_aligned = partition
        .parent()
        .and_then(|disk| system::number(disk.join("alignment_offset")))
        .unwrap_or(0);
    let is_aligned = offset?
        .0
        .wrapping_sub(first_aligned)
        .is_multiple_of(alignment);
    (!is_aligned).then(|| text!("not aligned to {}", Bytes(alignment)))
}

impl<'a> Tree<'a> {
    pub(crate) fn new(
        surroundings: &'a MachineEnvironment,
        recognised: Recognised,
        reading: ReadPolicy,
    ) -> Self {
        Self {
            surroundings,
            recognised,
            reading,
            alignment_bytes: ALIGNMENT_BYTES,
            entries: 0,
            blind_spots: Vec::new(),
        }
    }

    /// Everything on the whole disk in this directory.
    pub(crate) fn of_disk(&mut self, directory: &Path) -> Vec<Content> {
        self.alignment_bytes = alignment_bytes(directory);
        if !self.surroundings.sees_mounts {
            self.note("what is mounted is not seen (/proc/self/mountinfo)".into());
        }
        self.on(directory, 0)
    }

    /// Everything on the device in this directory.
    pub(crate) fn on(&mut self, directory: &Path, level: u32) -> Vec<Content> {
        if level >= LEVELS_MAX || self.entries >= ENTRIES_MAX {
            self.note(text!(
                "what is on {} was not followed further: more than {LEVELS_MAX} levels or {ENTRIES_MAX} entries",
                block::name(directory)
            ));
            return Vec::new();
        }
        let partitions = self.partitions(directory, level);
        let mut contents = self.signed(directory);
        tidy(&mut contents, !partitions.is_empty());
        self.add_btrfs(directory, &mut contents);
        self.add_mounts(directory, &mut contents);
        self.add_swap(directory, &mut contents);
        contents.extend(partitions);
        self.add_holders(directory, level, &mut contents);
        self.entries += contents.len();
        contents
    }

    /// A device that stands on others, with all that is on it.
    pub(crate) fn stacked(&mut self, directory: &Path, level: u32) -> Content {
        let mut content = stacked::describe(directory);
        content.contents = self.on(directory, level + 1);
        content
    }

    fn note(&mut self, sentence: Text) {
        if !self.blind_spots.contains(&sentence) {
            self.blind_spots.push(sentence);
        }
    }

    fn partitions(&mut self, directory: &Path, level: u32) -> Vec<Content> {
        let mut parts: Vec<(u64, PathBuf)> = block::partitions(directory)
            .map(|part| (system::number(part.join("start")).unwrap_or(0), part))
            .collect();
        parts.sort();
        parts
            .into_iter()
            .take(ENTRIES_MAX)
            .map(|(_, part)| self.partition(&part, level))
            .collect()
    }

    /// Its name and identifier are in its `uevent` (Linux 6.x), else with udev.
    pub(crate) fn partition(&mut self, directory: &Path, level: u32) -> Content {
        let record = self.record(directory);
        let mut content = partition_of(directory, self.alignment_bytes);
        content.label = block::announced(directory, "PARTNAME")
            .or_else(|| record.decoded("ID_PART_ENTRY_NAME"));
        content.uuid = block::announced(directory, "PARTUUID")
            .or_else(|| record.property("ID_PART_ENTRY_UUID").map(str::to_owned));
        if system::flag(directory.join("ro")) == Some(true) {
            content.remarks.push("read-only".into());
        }
        content.contents = self.on(directory, level + 1);
        content
    }

    fn record(&self, directory: &Path) -> UdevRecord {
        let number = system::text(directory.join("dev")).unwrap_or_default();
        UdevRecord::of(&self.surroundings.system, &number)
    }

    /// What the device's bytes, or udev in their stead, say.
    fn signed(&mut self, directory: &Path) -> Vec<Content> {
        if block::size(directory).is_none_or(|size| size.0 == 0) {
            return Vec::new();
        }
        let known = self.recognised.lock().ok();
        if let Some(contents) = known.and_then(|known| known.get(directory).cloned()) {
            return contents;
        }
        let record = self.record(directory);
        let is_read = match self.reading {
            ReadPolicy::Always => true,
            ReadPolicy::WhereUdevIsSilent => !record.is_known(),
            ReadPolicy::Never => false,
        };
        if !is_read {
            return from_udev(&record);
        }
        match self.read(directory) {
            Ok(contents) => {
                if let Ok(mut known) = self.recognised.lock() {
                    known.insert(directory.to_owned(), contents.clone());
                }
                contents
            }
            Err(error) => {
                self.note_unread(directory, &error);
                from_udev(&record)
            }
        }
    }

    fn note_unread(&mut self, directory: &Path, error: &io::Error) {
        if !self.surroundings.system.is_host() {
            return;
        }
        let name = block::name(directory);
        let remedy = match error.kind() {
            io::ErrorKind::PermissionDenied if !rustix::process::geteuid().is_root() => {
                "; root sees more".into()
            }
            _ => Text::default(),
        };
        self.note(text!(
            "the contents of {name} could not be read ({error}): details come from the kernel and udev only{remedy}"
        ));
    }

    fn read(&self, directory: &Path) -> io::Result<Vec<Content>> {
        let system = &self.surroundings.system;
        let node = system.path("dev").join(block::name(directory));
        // O_NONBLOCK: a drive without a medium must not hold us up.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let device = rustix::fs::open(node, flags, rustix::fs::Mode::empty()).map(File::from)?;
        let is_device = device.metadata()?.file_type().is_block_device();
        if system.is_host() && !is_device {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let size = rustix::fs::seek(&device, rustix::fs::SeekFrom::End(0))?;
        let head = read_part(&device, 0, size.min(HEAD_BYTES))?;
        let tail_bytes = size.min(TAIL_BYTES);
        let tail = read_part(&device, size - tail_bytes, tail_bytes)?;
        let ends = DeviceEnds {
            head: &head,
            tail: &tail,
            size,
        };
        let found = signatures(&ends);
        Ok(found.iter().map(|sign| signed(&ends, sign)).collect())
    }

    /// A btrfs of several devices is told on each of them.
    fn add_btrfs(&mut self, directory: &Path, contents: &mut Vec<Content>) {
        let name = block::name(directory);
        let Some(btrfs) = self.surroundings.btrfs(&name) else {
            return;
        };
        let content = entry(contents, &Text::name("btrfs"), |content| {
            content.what == "btrfs"
        });
        content.uuid = Some(btrfs.uuid.clone());
        content.label = btrfs.label.clone().or_else(|| content.label.take());
        if btrfs.members.len() > 1 {
            let others: Vec<&str> = btrfs
                .members
                .iter()
                .filter(|member| **member != name)
                .map(String::as_str)
                .collect();
            content
                .remarks
                .push(text!("together with {}", others.join(", ")));
        }
    }

    fn add_mounts(&mut self, directory: &Path, contents: &mut Vec<Content>) {
        let mounts = self.surroundings.mounts(directory);
        let Some(first) = mounts.first() else { return };
        let content = entry(contents, &Text::name(&first.kind), is_file_system);
        for mount in mounts {
            let at = mount.at.to_string_lossy().into_owned();
            if !content.mounted_on.contains(&at) {
                content.mounted_on.push(at);
            }
        }
        if self.surroundings.system.is_host() {
            let space = mounts
                .iter()
                .find_map(|mount| rustix::fs::statvfs(&mount.at).ok());
            content.free_bytes =
                space.map(|space| Bytes(space.f_bavail.saturating_mul(space.f_frsize)));
        }
    }

    fn add_swap(&mut self, directory: &Path, contents: &mut Vec<Content>) {
        if self.surroundings.is_swap(directory) {
            let content = entry(contents, &"swap space".into(), |content| {
                content.what == "swap space"
            });
            content.remarks.push("in use".into());
        }
    }

    /// What stands on a device is shown below the sign that it is a member of it.
    fn add_holders(&mut self, directory: &Path, level: u32, contents: &mut Vec<Content>) {
        let shown = self.surroundings.loops(directory).iter().cloned();
        for holder in block::above(directory).chain(shown).take(ENTRIES_MAX) {
            let above = self.stacked(&holder, level);
            let remark = stacked::member_remark(&holder, &block::name(directory));
            let member = member_what(&above.what.english());
            let home = match member {
                Some(what) => {
                    let home = entry(contents, &what.into(), |content| content.what == what);
                    home.remarks.extend(remark);
                    &mut home.contents
                }
                None => contents,
            };
            home.push(above);
        }
    }
}

/// The entry that is wanted, made if there is none.
fn entry<'a>(
    contents: &'a mut Vec<Content>,
    what: &Text,
    is_wanted: impl Fn(&Content) -> bool,
) -> &'a mut Content {
    let index = contents.iter().position(is_wanted).unwrap_or_else(|| {
        contents.insert(0, Content::new(what.clone()));
        0
    });
    &mut contents[index]
}

/// What a device must be a member of, for this to stand on it.
fn member_what(above: &str) -> Option<&'static str> {
    if above.starts_with("RAID") {
        Some(RAID_MEMBER)
    } else if above.starts_with("LVM") {
        Some(LVM_MEMBER)
    } else if above.starts_with("opened LUKS") {
        Some("LUKS")
    } else {
        None
    }
}

const RAID_MEMBER: &str = "RAID member";
const LVM_MEMBER: &str = "LVM member";

/// Whether this is something that is mounted, rather than a table or a member.
fn is_file_system(content: &Content) -> bool {
    const OTHERS: [&str; 10] = [
        RAID_MEMBER,
        LVM_MEMBER,
        "LUKS",
        "BitLocker",
        "swap space",
        "GPT partition table",
        "MBR partition table",
        "boot sector",
        "bcache",
        "partition",
    ];
    content.device.is_none() && !OTHERS.into_iter().any(|other| content.what == other)
}

fn signed(ends: &DeviceEnds<'_>, sign: &Signature) -> Content {
    let what = sign.what;
    let mut content = match what {
        "an LVM physical volume" => Content::new(LVM_MEMBER),
        _ if what.starts_with("an md RAID superblock") => Content::new(RAID_MEMBER),
        _ => {
            let plain = what.strip_prefix("a ").or_else(|| what.strip_prefix("an "));
            Content::new(plain.unwrap_or(what))
        }
    };
    let title = title(ends, sign);
    content.label = title.label;
    content.uuid = title.uuid;
    content
}

/// What udev calls things, and what they are called here.
const UDEV_NAMES: [(&str, &str); 12] = [
    ("LVM2_member", LVM_MEMBER),
    ("linux_raid_member", RAID_MEMBER),
    ("crypto_LUKS", "LUKS"),
    ("swap", "swap space"),
    ("xfs", "XFS"),
    ("vfat", "FAT"),
    ("exfat", "exFAT"),
    ("ntfs", "NTFS"),
    ("f2fs", "F2FS"),
    ("iso9660", "ISO 9660"),
    ("zfs_member", "ZFS label"),
    ("udf", "UDF"),
];

fn from_udev(record: &UdevRecord) -> Vec<Content> {
    let mut contents = Vec::new();
    if let Some(kind) = record.property("ID_FS_TYPE") {
        let known = UDEV_NAMES.iter().find(|(name, _)| *name == kind);
        let mut content =
            Content::new(known.map_or_else(|| Text::name(kind), |(_, what)| (*what).into()));
        content.label = record.property("ID_FS_LABEL_ENC").map(udev::decode);
        content.uuid = record.property("ID_FS_UUID").map(str::to_owned);
        contents.push(content);
    }
    let table = match record.property("ID_PART_TABLE_TYPE") {
        // A partition's record repeats the table of its disk.
        _ if record.property("DEVTYPE") == Some("partition") => None,
        Some("gpt") => Some("GPT partition table".into()),
        Some("dos") => Some("MBR partition table".into()),
        other => other.map(|kind| text!("{kind} partition table")),
    };
    if let Some(table) = table {
        let mut content = Content::new(table);
        content.uuid = record.property("ID_PART_TABLE_UUID").map(str::to_owned);
        contents.push(content);
    }
    contents
}

/// Leaves out signs that say nothing more: the boot sector that a GPT and Windows' file
/// systems have as well, and bytes in it that only look like entries.
fn tidy(contents: &mut Vec<Content>, has_partitions: bool) {
    let has = |whats: &[&str]| {
        contents
            .iter()
            .any(|content| whats.iter().any(|what| content.what == *what))
    };
    let has_gpt = has(&["GPT partition table"]);
    let has_boot_sector = has(&["FAT", "exFAT", "NTFS", "BitLocker"]);
    contents.retain(|content| match &*content.what.english() {
        "boot sector" => !has_boot_sector,
        "MBR partition table" => !has_gpt && (has_partitions || !has_boot_sector),
        _ => true,
    });
}
