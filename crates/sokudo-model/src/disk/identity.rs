//! What a disk says of itself in its own language: ATA, NVMe or SCSI.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// What a disk says of itself. An ATA disk behind a SCSI layer has both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// From ATA IDENTIFY DEVICE.
    pub ata: Option<AtaIdentity>,
    /// From NVMe Identify, log pages and features.
    pub nvme: Option<NvmeIdentity>,
    /// From SCSI INQUIRY, its VPD pages, and mode pages.
    pub scsi: Option<ScsiIdentity>,
}

/// ATA IDENTIFY DEVICE (ACS-4, 512 bytes).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AtaIdentity {
    /// Model number (words 27–46).
    pub model: String,
    /// Serial number (words 10–19).
    pub serial: String,
    /// Firmware revision (words 23–26).
    pub firmware: String,
    /// World-wide name of 64 bits (words 108–111).
    pub world_wide_name: Option<u64>,
    /// The newest standard that it follows, such as `ACS-4`.
    pub standard: Option<String>,
    /// Its transport, such as `SATA 3.3`.
    pub transport: Option<String>,
    /// Sectors that can be addressed with 48 bits, else 28.
    pub sectors: u64,
    /// Bytes per logical sector.
    pub logical_sector_bytes: u32,
    /// Bytes per physical sector.
    pub physical_sector_bytes: u32,
    /// Offset of logical sector 0 in the first physical one, bytes.
    pub alignment_offset_bytes: u32,
    /// Nominal rotation rate: 0 unknown, 1 does not turn, else revolutions per minute.
    pub rotation_rate: u16,
    /// Form factor code (word 168).
    pub form_factor: u8,
    /// SATA speeds that it can do: generations 1, 2, 3.
    pub sata_generation_max: Option<u8>,
    /// The generation that was negotiated (word 77).
    pub sata_generation: Option<u8>,
    /// Commands that it queues (NCQ); `null` without NCQ.
    pub queue_depth: Option<u8>,
    /// Size of its cache, where it says one (word 21, obsolete).
    pub cache_bytes: Option<u64>,
    /// Features: (name as hdparm has it, enabled; `null` where it is supported and has
    /// no switch).
    pub features: Vec<(String, Option<bool>)>,
    /// Whether there is a volatile write cache and whether it is on.
    pub write_cache: Option<bool>,
    /// Whether it reads ahead.
    pub read_look_ahead: Option<bool>,
    /// Advanced power management level, where that is on.
    pub power_management_level: Option<u8>,
    /// Whether it takes TRIM, and what it then reads: `undefined`, `deterministic`, `zeros`.
    pub trim: Option<String>,
    /// Zoned: `host-aware` or `device-managed` (word 69); `null` where it reports nothing.
    pub zoned: Option<String>,
    /// Security: what is supported and set, such as `frozen`.
    pub security: Vec<String>,
    /// The fastest Ultra DMA mode that it can do.
    pub ultra_dma_max: Option<u8>,
    /// The Ultra DMA mode that was selected. SATA disks keep one for old software.
    pub ultra_dma: Option<u8>,
    /// Sectors per interrupt of READ MULTIPLE that it takes at most.
    pub multiple_sectors_max: Option<u8>,
    /// Blocks of 512 bytes of ranges that one TRIM takes (word 105).
    pub trim_blocks_max: Option<u16>,
}

/// NVMe Identify Controller and Identify Namespace, with what the log pages and
/// features add.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeIdentity {
    /// What Identify Controller tells, the same for all namespaces.
    pub controller: NvmeController,
    /// Identify Namespace of this disk.
    pub namespace: Option<NvmeNamespace>,
    /// Revisions of firmware that it holds: (slot, revision, in use).
    pub firmware_revisions: Vec<(u8, String, bool)>,
    /// Errors that it has counted in its log, harmless ones such as unknown commands
    /// included.
    pub errors: Option<u64>,
}

/// NVMe Identify Controller data structure, decoded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeController {
    /// PCI vendor ID of the controller (VID).
    pub vendor_id: u16,
    /// Model number (MN) of the controller.
    pub model: String,
    /// Serial number (SN) of the controller.
    pub serial: String,
    /// Revision of the firmware in use (FR).
    pub firmware: String,
    /// Version of NVMe, such as `1.4.0`.
    pub version: String,
    /// Largest transfer; `null` is no limit.
    pub transfer_bytes_max: Option<Bytes>,
    /// Capacity of all namespaces together.
    pub total_bytes: Option<u128>,
    /// Whether it has a volatile write cache.
    pub volatile_write_cache: bool,
    /// Whether that is on (feature 06h).
    pub write_cache: Option<bool>,
    /// Temperature at which it warns, Kelvin; 0 is none.
    pub warning_temperature_kelvin: u16,
    /// Temperature at which it stops working, Kelvin; 0 is none.
    pub critical_temperature_kelvin: u16,
    /// Host memory buffer that it would like.
    pub host_memory_preferred_bytes: Bytes,
    /// Whether it changes its power state by itself.
    pub autonomous_power_states: bool,
    /// Power states in order of their numbers, from 0.
    pub power_states: Vec<NvmePowerState>,
    /// Optional commands that it has, such as `dataset management`.
    pub commands: Vec<String>,
    /// Optional commands of administration that it has, such as `format`.
    pub admin_commands: Vec<String>,
    /// Its number in the subsystem (CNTLID).
    pub controller_id: u16,
    /// Maker's IEEE identifier, 6 hexadecimal digits.
    pub ieee_identifier: String,
    /// Namespaces that it can have.
    pub namespaces_max: u32,
    /// Capacity that no namespace uses.
    pub unallocated_bytes: Option<u128>,
    /// The least host memory buffer that it takes.
    pub host_memory_minimum_bytes: Bytes,
    /// Logical blocks that are written as a whole or not at all (AWUN).
    pub atomic_write_blocks: Option<u32>,
    /// The same when power fails (AWUPF).
    pub atomic_power_fail_blocks: Option<u32>,
    /// Number of firmware slots that the controller has; `null` where it tells none.
    pub firmware_slots: Option<u8>,
    /// Whether the host can set temperatures at which it slows down.
    pub host_thermal_management: bool,
    /// Its subsystem's qualified name.
    pub subsystem_name: Option<String>,
}

/// A power state: what it takes, and how long changes into and out of it last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NvmePowerState {
    /// Most power that it takes, Watt.
    pub power_watt_max: Option<f64>,
    /// Whether it does I/O in it.
    pub operational: bool,
    /// Time to enter it, µs; 0 is unknown.
    pub entry_latency_us: u32,
    /// Time to leave it, µs; 0 is unknown.
    pub exit_latency_us: u32,
}

/// NVMe Identify Namespace data structure, decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeNamespace {
    /// Namespace identifier (NSID), from 1.
    pub id: u32,
    /// Size in logical blocks.
    pub size_blocks: u64,
    /// Blocks that may be used.
    pub capacity_blocks: u64,
    /// Logical blocks that are allocated now (NUSE).
    pub used_blocks: u64,
    /// Formats that it could have.
    pub formats: Vec<LbaFormat>,
    /// The one that it has, by index.
    pub format_in_use: u8,
    /// Whether it may hold less than its size says.
    pub thin: bool,
    /// Best granularity of writes, bytes.
    pub preferred_write_bytes: Option<Bytes>,
    /// Optimal I/O boundary, bytes.
    pub optimal_boundary_bytes: Option<Bytes>,
    /// EUI-64, 16 hexadecimal digits.
    pub eui64: Option<String>,
    /// NGUID, 32 hexadecimal digits.
    pub nguid: Option<String>,
    /// Best alignment of writes, bytes.
    pub preferred_write_alignment_bytes: Option<Bytes>,
    /// What deallocated blocks read as: `zeros` or `ones`; `null` where it does not say.
    pub deallocated_reads: Option<String>,
    /// Whether several controllers may use it.
    pub shared: bool,
    /// Type of end-to-end protection that is on: 1, 2 or 3.
    pub protection_type: Option<u8>,
}

/// A format of an NVMe namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LbaFormat {
    /// Bytes of data per block; 0 for a format that cannot be used.
    pub data_bytes: u32,
    /// Bytes of metadata per block.
    pub metadata_bytes: u16,
    /// 0 is best, 3 is degraded.
    pub relative_performance: u8,
}

/// SCSI INQUIRY, VPD pages, READ CAPACITY and the caching mode page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScsiIdentity {
    /// Vendor as INQUIRY tells it, 8 characters at most.
    pub vendor: String,
    /// Product as INQUIRY tells it, 16 characters at most.
    pub product: String,
    /// Product revision as INQUIRY tells it, 4 characters at most.
    pub revision: String,
    /// Peripheral device type; 0 is a disk.
    pub device_type: u8,
    /// Version of the standard (SPC), as INQUIRY codes it.
    pub version: u8,
    /// Unit serial number (VPD 80h).
    pub serial: Option<String>,
    /// Designators (VPD 83h), such as `naa.5000c500…`.
    pub designators: Vec<String>,
    /// Bytes per logical block (READ CAPACITY 16).
    pub logical_block_bytes: Option<u32>,
    /// Bytes per physical block.
    pub physical_block_bytes: Option<u32>,
    /// Number of logical blocks (READ CAPACITY 16).
    pub blocks: Option<u64>,
    /// Rotation (VPD B1h): 0 unknown, 1 does not turn, else revolutions per minute.
    pub rotation_rate: Option<u16>,
    /// Form factor code (VPD B1h).
    pub form_factor: Option<u8>,
    /// Zoned: `host-managed` (device type), `host-aware` or `device-managed` (VPD B1h);
    /// `null` where it reports nothing.
    pub zoned: Option<String>,
    /// Optimal transfer length (VPD B0h).
    pub optimal_transfer_bytes: Option<Bytes>,
    /// Largest transfer (VPD B0h).
    pub transfer_bytes_max: Option<Bytes>,
    /// Whether it takes UNMAP (VPD B2h).
    pub unmap: Option<bool>,
    /// Whether it is thinly provisioned (VPD B2h).
    pub thin: Option<bool>,
    /// Whether its write cache is on (mode page 08h, WCE).
    pub write_cache: Option<bool>,
    /// Whether it reads from its cache (mode page 08h, RCD is clear).
    pub read_cache: Option<bool>,
    /// Whether an ATA disk answers behind a translation (VPD 89h).
    pub ata_behind: bool,
    /// Offset of logical block 0 in the first physical one, bytes.
    pub alignment_offset_bytes: Option<u32>,
    /// Granularity of transfers that is best (VPD B0h).
    pub optimal_granularity_bytes: Option<Bytes>,
    /// Blocks that one UNMAP takes (VPD B0h).
    pub unmap_blocks_max: Option<u32>,
    /// Whether unmapped blocks read as zeros (READ CAPACITY 16, LBPRZ).
    pub unmapped_reads_zeros: Option<bool>,
    /// Type of end-to-end protection that is on: 1, 2 or 3.
    pub protection_type: Option<u8>,
    /// Whether it takes queued commands.
    pub command_queueing: Option<bool>,
    /// Whether its write cache can be switched (mode page 08h, changeable values).
    pub write_cache_changeable: Option<bool>,
    /// Whether it is protected against writing.
    pub write_protected: Option<bool>,
    /// Whether a write can bypass the cache (DPOFUA).
    pub forced_unit_access: Option<bool>,
    /// Whether it reads ahead (mode page 08h, DRA is clear).
    pub read_look_ahead: Option<bool>,
}
