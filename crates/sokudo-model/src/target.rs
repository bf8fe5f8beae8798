//! What was measured and where: targets, devices, file systems, and what the
//! system counts about them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::Text;

use crate::attachment::Attachment;
use crate::json::is_default;
use crate::units::{Bytes, Nanos};

/// What the user named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A directory, in which a test file of our own is laid out.
    Directory,
    /// An existing file that the user named.
    File,
    /// A block device: a disk, a partition, or what stands on them.
    BlockDevice,
    /// A simulated device, in virtual time.
    Simulated,
    /// No device: every I/O completes at once.
    #[default]
    Null,
    /// What another tool has measured, as it names it.
    Imported,
}

/// What is being measured, down to the devices. `null` and empty mean "could not
/// be seen", never "no"; why is in `blind_spots`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TargetInfo {
    /// As the user wrote it.
    pub name: String,
    /// Sort of target that the user named.
    pub kind: TargetKind,
    /// Absolute path; `null` for simulated and null targets.
    pub path: Option<String>,
    /// Size of what is accessed: test file, existing file or device.
    pub size_bytes: Option<Bytes>,
    /// The file system that holds it; `null` for devices.
    pub file_system: Option<FileSystem>,
    /// Whether direct I/O works on it, as far as the kernel says.
    pub direct_io: DirectIoSupport,
    /// Every block device under it, from the top down.
    pub devices: Vec<BlockDevice>,
    /// What the file is made of; `null` for devices.
    pub file_state: Option<FileState>,
    /// What could not be seen and why, in whole sentences.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Vec<String>")]
    pub blind_spots: Vec<Text>,
    /// Name of the machine, which tells apart what has neither serial number nor UUID;
    /// absent for simulated and null targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

impl TargetInfo {
    /// A target of which nothing has been seen yet.
    pub fn new(name: &str, kind: TargetKind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            ..Self::default()
        }
    }

    /// The devices at the bottom, on which every byte must arrive.
    pub fn leaves(&self) -> impl Iterator<Item = &BlockDevice> {
        self.devices.iter().filter(|device| device.is_leaf)
    }

    /// A loop device in the stack that does not bypass the page cache of what is below it.
    pub fn cached_loop(&self) -> Option<&BlockDevice> {
        self.devices.iter().find(|device| {
            device.kind == BlockDeviceKind::Loop && device.backing_direct != Some(true)
        })
    }
}

/// A mounted file system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileSystem {
    /// Type as the kernel names it, such as `ext4`.
    pub kind: String,
    /// Where it is mounted; empty where another tool did not tell, as below.
    pub mount_point: String,
    /// Mount options, of the mount and of the file system.
    pub mount_options: Vec<String>,
    /// What is mounted, such as `/dev/sda1`.
    pub source: String,
    /// Size; `null` where another tool did not tell.
    pub total_bytes: Option<Bytes>,
    /// What this user may still write; `null` as above.
    pub available_bytes: Option<Bytes>,
    /// Its UUID, or what it has in the place of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// How it spreads its data over devices by itself, such as `raid1` of Btrfs; missing where
    /// that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Type of the file system in memory that an overlay has the target in; missing where it has
    /// it elsewhere, or that is not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_below: Option<String>,
}

/// Whether direct I/O works, as `statx` says it (Linux 6.1 and later).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DirectIoSupport {
    /// It does, with these alignments.
    Supported {
        /// Of buffers in memory.
        memory_alignment: Bytes,
        /// Of offsets and lengths.
        offset_alignment: Bytes,
    },
    /// The kernel says that it takes none.
    Unsupported,
    /// The kernel or the file system does not say.
    #[default]
    Unknown,
}

/// One block device of the stack under a target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockDevice {
    /// Kernel name, such as `nvme0n1p2`.
    pub name: String,
    /// Device number as `major:minor`.
    pub number: String,
    /// Sort of block device, as the kernel presents it.
    pub kind: BlockDeviceKind,
    /// Whether it stands on no other block device, so that its counters are the
    /// ones that count.
    pub is_leaf: bool,
    /// Names of the devices it stands on.
    pub parents: Vec<String>,
    /// Maker's name of the model.
    pub model: Option<String>,
    /// Serial number that the maker gave the device.
    pub serial: Option<String>,
    /// Capacity that the kernel reports; `null` where it reports none.
    pub size_bytes: Option<Bytes>,
    /// Smallest block that can be addressed, bytes.
    pub logical_block_bytes: Option<Bytes>,
    /// Smallest block that is written without read-modify-write.
    pub physical_block_bytes: Option<Bytes>,
    /// Whether the kernel takes it for a rotating disk.
    pub rotational: Option<bool>,
    /// Revolutions per minute of a rotating disk.
    #[serde(default)]
    pub rotation_rpm: Option<u32>,
    /// Size of the disk's own cache for what is read and written.
    #[serde(default)]
    pub cache_bytes: Option<Bytes>,
    /// I/O scheduler in use.
    pub scheduler: Option<String>,
    /// `write back` or `write through`, as the kernel sees it.
    pub write_cache: Option<String>,
    /// Largest I/O that is not split.
    pub max_io_bytes: Option<Bytes>,
    /// Read-ahead of buffered reads.
    pub read_ahead_bytes: Option<Bytes>,
    /// Whether the kernel keeps I/O counters for it.
    pub counts_io: Option<bool>,
    /// For loop devices: the file behind it.
    pub backing_file: Option<String>,
    /// For loop devices: whether they bypass the page cache of what is below.
    pub backing_direct: Option<bool>,
    /// What stays the same when its name changes, besides model and serial number.
    #[serde(default, skip_serializing_if = "is_default")]
    pub marks: DeviceMarks,
    /// What it is attached by, from the disk up; only of leaves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached_by: Vec<Attachment>,
}

/// What tells a block device from others of the same model and serial number, and stays
/// when its name changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceMarks {
    /// Number of the partition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<u32>,
    /// UUID of the partition, as its table has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_uuid: Option<String>,
    /// Which part of a drive that shows several as disks: the number of a namespace of
    /// NVMe, the boot area of a memory card (`boot0`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<String>,
    /// Of an array or a mapped volume: what its superblock or device-mapper calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// Of a loop device: the inode of the file behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backing_inode: Option<u64>,
    /// The way on which a disk is reached, below `/sys/devices`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached_at: Option<String>,
}

/// What kind of block device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockDeviceKind {
    /// A whole disk, or what the kernel presents as one.
    #[default]
    Disk,
    /// A virtual disk of a virtual machine.
    VirtualDisk,
    /// A partition of a disk.
    Partition,
    /// A file presented as a disk.
    Loop,
    /// Device-mapper: LVM, LUKS, multipath.
    DeviceMapper,
    /// An array of Linux software RAID (md).
    Raid,
    /// Memory presented as a disk: zram, brd, null_blk.
    Memory,
}

/// I/O that block devices have counted: bytes and requests as the device driver
/// saw them, summed over the leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceCounters {
    /// Read requests; merged reads are not among them.
    pub read_ios: u64,
    /// Bytes that the requests read.
    pub read_bytes: u64,
    /// Write requests, flushes among them.
    pub written_ios: u64,
    /// Bytes that the requests wrote.
    pub written_bytes: u64,
    /// Flush requests; 0 from kernels before 5.5, which count none.
    pub flushes: u64,
    /// Reads that became part of a request that was waiting, and are not among the requests.
    #[serde(default, skip_serializing_if = "is_default")]
    pub merged_reads: u64,
    /// The same of writes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub merged_writes: u64,
    /// How long requests were on their way, from their start in the kernel to their end, summed
    /// over requests; missing where that is not counted, and in runs of versions that did not
    /// look.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        rename = "request_time_ns"
    )]
    pub request_time: Option<Nanos>,
    /// By how much the bytes of each direction may be off. The kernel counts sectors; a drive's own
    /// count, which is taken where I/O goes around the block layer, has units of 512,000 bytes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub uncertain_bytes: Bytes,
}

impl DeviceCounters {
    /// What has been counted since `earlier`; counters only grow.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let times = self.request_time.zip(earlier.request_time);
        Self {
            // The kernel shows 32 bits of its milliseconds.
            request_time: times.and_then(|(now, then)| now.0.checked_sub(then.0).map(Nanos)),
            // Both are rounded up to a unit.
            uncertain_bytes: self.uncertain_bytes.max(earlier.uncertain_bytes),
            ..self.each(earlier, u64::saturating_sub)
        }
    }

    /// The sum of two counts, without a panic, whatever a broken driver may have counted.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let times = self.request_time.zip(other.request_time);
        let plus = u64::saturating_add;
        Self {
            request_time: times.map(|(one, other)| Nanos(plus(one.0, other.0))),
            uncertain_bytes: Bytes(plus(self.uncertain_bytes.0, other.uncertain_bytes.0)),
            ..self.each(other, plus)
        }
    }

    fn each(&self, other: &Self, count: fn(u64, u64) -> u64) -> Self {
        Self {
            read_ios: count(self.read_ios, other.read_ios),
            read_bytes: count(self.read_bytes, other.read_bytes),
            written_ios: count(self.written_ios, other.written_ios),
            written_bytes: count(self.written_bytes, other.written_bytes),
            flushes: count(self.flushes, other.flushes),
            merged_reads: count(self.merged_reads, other.merged_reads),
            merged_writes: count(self.merged_writes, other.merged_writes),
            ..*self
        }
    }
}

/// What a file is made of, as FIEMAP says it. Bytes, within the file's size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileState {
    /// Length of the file, holes included.
    pub size_bytes: Bytes,
    /// Number of extents that FIEMAP lists.
    pub extents: u64,
    /// In no extent at all: reads return zeros and touch no device.
    pub hole_bytes: Bytes,
    /// Allocated but never written: reads return zeros and touch no device.
    pub unwritten_bytes: Bytes,
    /// Compressed or encrypted by the file system.
    pub encoded_bytes: Bytes,
    /// Held in the inode, not in blocks of its own.
    pub inline_bytes: Bytes,
    /// Shared with other files (reflink, snapshot).
    pub shared_bytes: Bytes,
    /// In the same places as other bytes of the file (reflink, deduplication): so many less of the
    /// device hold all of it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub repeated_bytes: Bytes,
    /// Whether the file is exempt from copying on write, and with it from checksums
    /// (`chattr +C`); missing where the file system does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_exempt_from_copies: Option<bool>,
    /// Whether every write to it returns only when durable (`chattr +S`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_synchronous: bool,
}

impl FileState {
    /// What is known after a run of a file that was so `before` it: a write to a block that
    /// is shared, or in several places of the file, goes elsewhere, after which it is so no longer.
    #[must_use]
    pub fn after(self, before: Option<Self>) -> Self {
        let before = before.unwrap_or_default();
        Self {
            shared_bytes: self.shared_bytes.max(before.shared_bytes),
            repeated_bytes: self.repeated_bytes.max(before.repeated_bytes),
            ..self
        }
    }
}

/// The machine and its kernel. `null` means "could not be seen".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostEnvironment {
    /// Name of the machine.
    pub host: Option<String>,
    /// Kernel release, as `uname -r` prints it.
    pub kernel: Option<String>,
    /// Distribution, as it names itself.
    pub distribution: Option<String>,
    /// Processor model, or the board's where the kernel names no processor.
    pub cpu_model: Option<String>,
    /// Processors this process may use.
    pub cpus: u32,
    /// Frequency governors of the processors, such as `performance`.
    pub governor: Option<String>,
    /// Memory that the kernel manages (`MemTotal`).
    pub memory_bytes: Option<Bytes>,
    /// Whether the kernel runs in a virtual machine.
    pub virtual_machine: Option<bool>,
    /// The kernel's clock source, such as `tsc`.
    pub clock_source: Option<String>,
    /// Processes ready to run, averaged over one minute, before the run.
    pub load_average: Option<f64>,
    /// Whether the user is root.
    pub root: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_shared_before_a_run_is_known_after_its_writes() {
        let state = |shared: u64, holes: u64| FileState {
            size_bytes: Bytes(100),
            shared_bytes: Bytes(shared),
            hole_bytes: Bytes(holes),
            ..FileState::default()
        };
        assert_eq!(state(0, 5).after(Some(state(80, 9))), state(80, 5));
        assert_eq!(state(80, 5).after(Some(state(0, 9))), state(80, 5));
        assert_eq!(state(7, 5).after(None), state(7, 5));
    }
}
