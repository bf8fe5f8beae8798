//! What a disk says of itself in its own language: ATA, NVMe or SCSI.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// What a disk says of itself. An ATA disk behind a SCSI layer has both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// From ATA IDENTIFY DEVICE.
    pub ata: Option<AtaIdentity>,
    /// From NVMe Identify.
    pub nvme: Option<NvmeIdentity>,
    /// From SCSI INQUIRY, its VPD pages, and mode pages.
    pub scsi: Option<ScsiIdentity>,
}

/// ATA IDENTIFY DEVICE (ACS-4, 512 bytes).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AtaIdentity {
    /// Words 27–46.
    pub model: String,
    /// Words 10–19.
    pub serial: String,
    /// Words 23–26.
    pub firmware: String,
    /// Words 108–111.
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
    /// Commands that it queues (NCQ); `None` without NCQ.
    pub queue_depth: Option<u8>,
    /// Size of its cache, where it says one (word 21, obsolete).
    pub cache_bytes: Option<u64>,
    /// Features: (name as hdparm has it, enabled; `None` where it is supported and has
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
    /// Zoned: `none`, `host-aware` or `device-managed` (word 69).
    pub zoned: Option<String>,
    /// Security: what is supported and set, such as `frozen`.
    pub security: Vec<String>,
}

/// NVMe Identify Controller and Identify Namespace, with what the log pages and
/// features add.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeIdentity {
    /// Identify Controller.
    pub controller: NvmeController,
    /// Identify Namespace of this disk.
    pub namespace: Option<NvmeNamespace>,
}

/// NVMe Identify Controller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeController {
    /// PCI vendor.
    pub vendor_id: u16,
    /// Model number.
    pub model: String,
    /// Serial number.
    pub serial: String,
    /// Firmware revision.
    pub firmware: String,
    /// Version of NVMe, such as `1.4.0`.
    pub version: String,
    /// Largest transfer; `None` is no limit.
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
    /// Its power states.
    pub power_states: Vec<NvmePowerState>,
    /// Optional commands that it has, such as `dataset management`.
    pub commands: Vec<String>,
}

/// One power state.
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

/// NVMe Identify Namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NvmeNamespace {
    /// Its number.
    pub id: u32,
    /// Size in logical blocks.
    pub size_blocks: u64,
    /// Blocks that may be used.
    pub capacity_blocks: u64,
    /// Blocks in use.
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
}

/// A format of an NVMe namespace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LbaFormat {
    /// Bytes of data per block.
    pub data_bytes: u32,
    /// Bytes of metadata per block.
    pub metadata_bytes: u16,
    /// 0 is best, 3 is degraded.
    pub relative_performance: u8,
}

/// SCSI INQUIRY, VPD pages, READ CAPACITY and the caching mode page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScsiIdentity {
    /// Vendor.
    pub vendor: String,
    /// Product.
    pub product: String,
    /// Revision.
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
    /// Logical blocks.
    pub blocks: Option<u64>,
    /// Rotation (VPD B1h): 0 unknown, 1 does not turn, else revolutions per minute.
    pub rotation_rate: Option<u16>,
    /// Form factor code (VPD B1h).
    pub form_factor: Option<u8>,
    /// Zoned (VPD B1h): `none`, `host-aware`, `device-managed`.
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
}
