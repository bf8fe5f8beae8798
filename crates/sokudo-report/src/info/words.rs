//! The words for what is known of a disk. What is not known is said to be unknown.

use sokudo_model::disk::{Bus, Content, Disk, HealthState, Rotation, WriteCache};
use sokudo_model::{BlockDeviceKind, Bytes};

use crate::number::{decimal_size, grouped};

pub(super) const UNKNOWN: &str = "unknown";

/// As drives are sold.
pub(super) fn size(size: Option<Bytes>) -> String {
    size.map_or_else(|| "size ?".to_owned(), |size| decimal_size(size, 2))
}

/// All digits, and the same in units of either kind.
pub(super) fn exact_size(bytes: Bytes) -> String {
    format!(
        "{} ({bytes}, {} bytes)",
        size(Some(bytes)),
        grouped(&bytes.0.to_string())
    )
}

pub(super) const fn bus(bus: Bus) -> &'static str {
    match bus {
        Bus::Ata => "ATA",
        Bus::Sas => "SAS",
        Bus::Scsi => "SCSI",
        Bus::Nvme => "NVMe",
        Bus::NvmeFabrics => "NVMe over a network",
        Bus::Usb => "USB",
        Bus::Mmc => "memory card",
        Bus::Virtio => "virtio",
        Bus::Xen => "Xen",
        Bus::Kernel => "made by the kernel",
    }
}

pub(crate) const fn kind(kind: BlockDeviceKind) -> &'static str {
    match kind {
        BlockDeviceKind::Disk => "disk",
        BlockDeviceKind::VirtualDisk => "virtual disk",
        BlockDeviceKind::Partition => "partition",
        BlockDeviceKind::Loop => "loop device",
        BlockDeviceKind::DeviceMapper => "device-mapper volume",
        BlockDeviceKind::Raid => "RAID",
        BlockDeviceKind::Memory => "memory disk",
    }
}

/// Bus and link: `SATA 6.0 of 6.0 Gbit/s`.
pub(super) fn connection(disk: &Disk) -> String {
    let Some(bus_found) = disk.bus else {
        return "bus unknown".to_owned();
    };
    let Some(link) = &disk.link else {
        return match bus_found {
            Bus::Ata | Bus::Sas | Bus::Nvme | Bus::Usb => {
                format!("{}, link speed unknown", bus(bus_found))
            }
            _ => bus(bus_found).to_owned(),
        };
    };
    let name = match bus_found {
        Bus::Ata => "SATA",
        other => bus(other),
    };
    format!(
        "{name} {}",
        link_speeds(link.negotiated.as_deref(), link.maximum.as_deref())
    )
}

/// `6.0 of 6.0 Gbit/s`: a unit that both share is told once.
pub(super) fn link_speeds(negotiated: Option<&str>, maximum: Option<&str>) -> String {
    match (negotiated, maximum) {
        (Some(now), Some(most)) => {
            let unit = " Gbit/s";
            match (now.strip_suffix(unit), most.strip_suffix(unit)) {
                (Some(now), Some(most)) => format!("{now} of {most}{unit}"),
                _ => format!("{now} of {most}"),
            }
        }
        (Some(now), None) => now.to_owned(),
        (None, Some(most)) => format!("speed unknown, at most {most}"),
        (None, None) => "speed unknown".to_owned(),
    }
}

pub(super) fn rotation(rotation: Rotation) -> String {
    match rotation {
        Rotation::Unknown => "rotation unknown".to_owned(),
        Rotation::None => "not rotating".to_owned(),
        Rotation::Turns => "rotating".to_owned(),
        Rotation::PerMinute(rate) => format!("{rate} rpm"),
    }
}

/// `512/4096`, logical and physical.
pub(super) fn blocks(disk: &Disk) -> String {
    let one =
        |bytes: Option<Bytes>| bytes.map_or_else(|| "?".to_owned(), |size| size.0.to_string());
    format!(
        "blocks {}/{}",
        one(disk.logical_block_bytes),
        one(disk.physical_block_bytes)
    )
}

/// What the drive itself says; where it says nothing, how the kernel takes it.
pub(crate) fn write_cache(cache: &WriteCache) -> String {
    match (cache.enabled, cache.present, cache.kernel_view.as_deref()) {
        (_, Some(false), _) => "no write cache".to_owned(),
        (Some(true), _, _) => "write cache on".to_owned(),
        (Some(false), _, _) => "write cache off".to_owned(),
        (None, _, Some(view)) => format!("write cache unknown (the kernel says {view})"),
        (None, _, None) => "write cache unknown".to_owned(),
    }
}

pub(super) const fn health(state: HealthState) -> &'static str {
    match state {
        HealthState::Unknown => "health unknown",
        HealthState::Good => "health good",
        HealthState::Warning => "health WARNING",
        HealthState::Failing => "health FAILING",
    }
}

pub(super) fn temperature(celsius: Option<i32>) -> String {
    celsius.map_or_else(
        || "temperature unknown".to_owned(),
        |degrees| format!("{degrees} °C"),
    )
}

/// The kinds of tables of partitions on a disk.
pub(super) fn tables(contents: &[Content]) -> impl Iterator<Item = &str> {
    contents
        .iter()
        .filter_map(|content| content.what.strip_suffix(" partition table"))
}

/// Maker and model, the maker told once.
pub(crate) fn model(disk: &Disk) -> String {
    match (&disk.vendor, &disk.model) {
        (Some(vendor), Some(model)) if !model.starts_with(vendor.as_str()) => {
            format!("{vendor} {model}")
        }
        (_, Some(model)) => match disk.bus {
            // What the kernel makes has no maker; a loop device has a file.
            Some(Bus::Kernel) => format!("{} of {model}", kind(disk.kind)),
            _ => model.clone(),
        },
        (Some(vendor), None) => vendor.clone(),
        (None, None) => match disk.kind {
            BlockDeviceKind::Disk => "model unknown".to_owned(),
            other => kind(other).to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_both_speeds() {
        let gigabit = |text: &'static str| Some(text);
        assert_eq!(
            link_speeds(gigabit("3.0 Gbit/s"), gigabit("6.0 Gbit/s")),
            "3.0 of 6.0 Gbit/s"
        );
        assert_eq!(
            link_speeds(gigabit("8.0 GT/s x2"), gigabit("8.0 GT/s x4")),
            "8.0 GT/s x2 of 8.0 GT/s x4"
        );
        assert_eq!(link_speeds(None, None), "speed unknown");
    }

    #[test]
    fn the_kernels_view_of_a_cache_is_not_taken_for_the_drives() {
        let mut cache = WriteCache {
            kernel_view: Some("write back".into()),
            ..WriteCache::default()
        };
        assert_eq!(
            write_cache(&cache),
            "write cache unknown (the kernel says write back)"
        );
        cache.enabled = Some(false);
        assert_eq!(write_cache(&cache), "write cache off");
    }
}
