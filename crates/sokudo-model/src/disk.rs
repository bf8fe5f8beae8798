//! A disk and all that is known of it: what `sokudo info` shows.
//!
//! `None`, empty and `Unknown` mean "could not be seen", never "no"; why is in
//! `blind_spots`.

mod identity;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::Text;

use crate::target::BlockDeviceKind;
use crate::units::Bytes;

pub use identity::{
    AtaIdentity, Identity, LbaFormat, NvmeController, NvmeIdentity, NvmeNamespace, NvmePowerState,
    ScsiIdentity,
};

/// A disk, with what the kernel and the disk itself say of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Disk {
    /// Kernel name, such as `sdb`. It may change between boots.
    pub name: String,
    /// Its node, such as `/dev/sdb`.
    pub path: String,
    /// Names that stay: links below `/dev/disk`.
    pub links: Vec<String>,
    /// Device number as `major:minor`.
    pub number: String,
    /// Sort of block device, as the kernel presents it.
    pub kind: BlockDeviceKind,
    /// Maker's name, where it is told apart from the model.
    pub vendor: Option<String>,
    /// Maker's name of the model.
    pub model: Option<String>,
    /// Serial number that the maker gave the disk.
    pub serial: Option<String>,
    /// Slot of its enclosure or of the machine, as the system calls it; missing where it calls it
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Version of its firmware.
    pub firmware: Option<String>,
    /// World-wide name: `naa.…`, `eui.…` or `uuid.…`.
    pub world_wide_name: Option<String>,
    /// Capacity that the kernel reports; `null` where it reports none.
    pub size_bytes: Option<Bytes>,
    /// Smallest block that can be addressed, bytes.
    pub logical_block_bytes: Option<Bytes>,
    /// Smallest block that is written without read-modify-write.
    pub physical_block_bytes: Option<Bytes>,
    /// How it is connected.
    pub bus: Option<Bus>,
    /// How fast that connection is.
    pub link: Option<Link>,
    /// Whether and how fast it turns.
    pub rotation: Rotation,
    /// Such as `3.5 inch`.
    pub form_factor: Option<String>,
    /// `none`, `host-aware` or `host-managed`.
    pub zoned: Option<String>,
    /// Whether its medium can be taken out.
    pub removable: Option<bool>,
    /// Whether it can only be read.
    pub read_only: Option<bool>,
    /// Its own write cache.
    pub write_cache: WriteCache,
    /// Whether it reads ahead by itself.
    pub read_look_ahead: Option<bool>,
    /// How the kernel queues I/O for it.
    pub queue: QueueSettings,
    /// Health, wear and errors, as the disk reports them.
    pub health: Health,
    /// What it says of itself, in its own language.
    pub identity: Identity,
    /// What is on it: partitions and what stands on the whole disk.
    pub contents: Vec<Content>,
    /// The pages that the above was read from, by name, in hexadecimal; only where they
    /// were asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub raw: BTreeMap<String, String>,
    /// What could not be seen and why, in whole sentences.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Vec<String>")]
    pub blind_spots: Vec<Text>,
}

impl Disk {
    /// A disk of which nothing but its kernel name is known.
    pub fn unknown(name: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            path: format!("/dev/{name}"),
            name,
            ..Self::default()
        }
    }
}

/// How a disk is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bus {
    /// SATA or parallel ATA.
    Ata,
    /// SAS: SCSI over serial links.
    Sas,
    /// SCSI of another or an unknown kind.
    Scsi,
    /// NVMe over PCI Express.
    Nvme,
    /// NVMe over a network.
    NvmeFabrics,
    /// USB, whatever the disk behind the bridge is.
    Usb,
    /// MMC: SD cards and eMMC.
    Mmc,
    /// Virtio: a disk of a virtual machine.
    Virtio,
    /// Xen: a disk of a virtual machine.
    Xen,
    /// No bus: the kernel makes it (loop, zram, RAID).
    Kernel,
}

/// How fast a connection is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Link {
    /// What was negotiated, such as `6.0 Gbit/s` or `8.0 GT/s x4`.
    pub negotiated: Option<String>,
    /// The most that both ends can do.
    pub maximum: Option<String>,
    /// Payload bytes per second that the negotiated link carries at most, coding
    /// subtracted.
    pub negotiated_bytes_per_s: Option<u64>,
    /// The same of the maximum.
    pub maximum_bytes_per_s: Option<u64>,
    /// The most that the drive itself can do, where the other end cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive_maximum: Option<String>,
    /// Of USB: `uas`, or `usb-storage` for Bulk-Only Transport, which has one command at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Driver of the controller that it hangs on, such as `ahci` or `xhci_hcd`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
}

/// Whether and how fast a disk turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rotation {
    /// It does not say.
    #[default]
    Unknown,
    /// It does not turn.
    None,
    /// It turns, at a speed that it does not say.
    Turns,
    /// It turns so many times per minute.
    PerMinute(u32),
}

/// A drive's own write cache.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WriteCache {
    /// Whether there is one that could lose data without power.
    pub present: Option<bool>,
    /// Whether it is on, as the drive itself says.
    pub enabled: Option<bool>,
    /// Whether sokudo can switch it.
    pub switchable: Option<bool>,
    /// `write back` or `write through`: whether the kernel sends flushes.
    pub kernel_view: Option<String>,
}

/// How the kernel queues I/O for a disk (`/sys/block/*/queue`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QueueSettings {
    /// I/O scheduler in use.
    pub scheduler: Option<String>,
    /// Schedulers that could be used.
    pub schedulers: Vec<String>,
    /// Requests that may wait (`nr_requests`).
    pub requests: Option<u64>,
    /// Hardware queues that the driver has; `null` where the kernel shows none.
    pub hardware_queues: Option<u64>,
    /// Commands that the device takes at once (`device/queue_depth`).
    pub device_depth: Option<u64>,
    /// Largest I/O that is not split (`max_sectors_kb`).
    pub io_bytes_max: Option<Bytes>,
    /// Largest I/O that the hardware takes (`max_hw_sectors_kb`).
    pub hardware_io_bytes_max: Option<Bytes>,
    /// Read-ahead of buffered reads.
    pub read_ahead_bytes: Option<Bytes>,
    /// Smallest I/O that is efficient (`minimum_io_size`): a RAID's chunk.
    pub io_bytes_minimum: Option<Bytes>,
    /// Best size of an I/O (`optimal_io_size`): a RAID's stripe; `null` also where the
    /// device names none.
    pub io_bytes_optimal: Option<Bytes>,
    /// Largest discard; 0 where there is none.
    pub discard_bytes_max: Option<Bytes>,
    /// Whether a write can be made durable by itself (forced unit access).
    pub forced_unit_access: Option<bool>,
    /// Whether completions can be polled for.
    pub polls: Option<bool>,
    /// Whether the kernel counts its I/O.
    pub counts_io: Option<bool>,
}

/// How a disk feels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// The disk's own word.
    pub state: HealthState,
    /// Why the state is what it is, in whole sentences; empty if it is well.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Vec<String>")]
    pub reasons: Vec<Text>,
    /// Seconds in which it did not answer; missing where it did, or was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanswered_seconds: Option<u64>,
    /// Temperature of the disk, degrees Celsius.
    pub temperature_celsius: Option<i32>,
    /// Degrees Celsius above which the disk warns.
    pub temperature_warning_celsius: Option<i32>,
    /// Hours of its life for which it was switched on.
    pub power_on_hours: Option<u64>,
    /// Times in its life that it was switched on.
    pub power_cycles: Option<u64>,
    /// How much of its life is used, as the maker counts; may be above 100.
    pub used_percent: Option<u32>,
    /// Share of its spare blocks that is left, percent.
    pub spare_percent: Option<u32>,
    /// Bytes read in its life.
    pub read_bytes: Option<u64>,
    /// Bytes written in its life.
    pub written_bytes: Option<u64>,
    /// Errors that lost data.
    pub media_errors: Option<u64>,
    /// Sectors that were moved because they were bad.
    pub reallocated_sectors: Option<u64>,
    /// Sectors that could not be read and wait for a write.
    pub pending_sectors: Option<u64>,
    /// Transfers that failed on the cable.
    pub link_errors: Option<u64>,
    /// Times switched off without warning.
    pub unsafe_shutdowns: Option<u64>,
    /// Minutes at or above the temperature from which it warns.
    pub throttled_minutes: Option<u64>,
    /// Times that it slowed itself down because it was hot.
    #[serde(default)]
    pub throttle_events: Option<u64>,
    /// Seconds for which it was slowed down so.
    #[serde(default)]
    pub throttled_seconds: Option<u64>,
    /// What it wrote to its flash in its life.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash_writes: Option<FlashWrites>,
    /// ATA's SMART attributes, by number.
    pub attributes: Vec<SmartAttribute>,
}

/// What a drive was given to write, and what it wrote to its flash for that: its own moving and
/// erasing included. Both are in the unit in which it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FlashWrites {
    /// What hosts gave it.
    pub given: u64,
    /// What it wrote to its flash.
    pub written: u64,
}

impl FlashWrites {
    /// Drives count what they are given in pages, or in units of 512,000 bytes: with fewer of
    /// them, rounding is part of the figure.
    const GIVEN_MIN: u64 = 1_000;

    /// What was added since an earlier look; `None` where a counter went backwards.
    pub fn since(&self, before: &Self) -> Option<Self> {
        Some(Self {
            given: self.given.checked_sub(before.given)?,
            written: self.written.checked_sub(before.written)?,
        })
    }

    /// Write amplification; `None` where too little was written to say.
    pub fn amplification(&self) -> Option<f64> {
        (self.given >= Self::GIVEN_MIN).then(|| self.written as f64 / self.given as f64)
    }
}

/// What a disk says of its health.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// It does not say, or cannot be asked.
    #[default]
    Unknown,
    /// It expects no failure.
    Good,
    /// It works, and something is worse than it should be.
    Warning,
    /// It expects to fail, or has.
    Failing,
}

/// One SMART attribute of an ATA disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SmartAttribute {
    /// Number of the attribute, such as 5 for reallocated sectors.
    pub id: u8,
    /// What most makers mean by it.
    pub name: String,
    /// Normalised value; smaller is worse.
    pub value: u8,
    /// The worst value so far.
    pub worst: u8,
    /// At or below which it has failed; `null` where the disk tells none.
    pub threshold: Option<u8>,
    /// The maker's raw number (48 bits).
    pub raw: u64,
}

/// Something on a disk: a partition, a file system, a member of a RAID or a volume
/// group, a device that stands on it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Content {
    /// Kernel name of the device; `null` for what has no device of its own, such as a
    /// file system on its device.
    pub device: Option<String>,
    /// What it is, such as `partition`, `ext4`, `RAID 1`, `LVM volume data/home`, `swap`.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "String")]
    pub what: Text,
    /// Label of a file system, or name of a partition or volume group.
    pub label: Option<String>,
    /// Universally unique identifier (UUID) of a file system or partition.
    pub uuid: Option<String>,
    /// Where it begins on what it lies on.
    pub offset_bytes: Option<Bytes>,
    /// Size of its block device; absent for what has no device of its own.
    pub size_bytes: Option<Bytes>,
    /// Where it is mounted; empty if it is not, or holds nothing to mount.
    pub mounted_on: Vec<String>,
    /// Free space, where it is mounted.
    pub free_bytes: Option<Bytes>,
    /// Worth knowing: `not aligned to 4 KiB`, `degraded`, `in use as swap`.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Vec<String>")]
    pub remarks: Vec<Text>,
    /// What stands on it in turn.
    pub contents: Vec<Content>,
}

impl Content {
    /// Something of which only the kind is known.
    pub fn new(what: impl Into<Text>) -> Self {
        Self {
            what: what.into(),
            ..Self::default()
        }
    }
}
