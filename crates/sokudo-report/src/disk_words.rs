//! The words for what is known of a disk. What is not known is said to be unknown.

use sokudo_model::disk::{Bus, Content, Disk, HealthState, Rotation, WriteCache};
use sokudo_model::{BlockDeviceKind, Bytes};
use sokudo_words::{Text, text};

use crate::number::{decimal_size, grouped};
use crate::wording::phrase;

pub const UNKNOWN: &str = "unknown";

/// As drives are sold.
pub fn size(size: Option<Bytes>) -> Text {
    size.map_or_else(|| "size ?".into(), |size| Text::name(decimal_size(size, 2)))
}

/// All digits, and the same in units of either kind.
pub(crate) fn exact_size(bytes: Bytes) -> Text {
    text!(
        "{} ({bytes}, {} bytes)",
        size(Some(bytes)),
        grouped(&bytes.0.to_string())
    )
}

pub const fn bus(bus: Bus) -> &'static str {
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
        Bus::Kernel => "virtual (kernel)",
    }
}

pub const fn kind(kind: BlockDeviceKind) -> &'static str {
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
pub fn connection(disk: &Disk) -> Text {
    let Some(bus_found) = disk.bus else {
        return "bus unknown".into();
    };
    let Some(link) = &disk.link else {
        return match bus_found {
            Bus::Ata | Bus::Sas | Bus::Nvme | Bus::Usb => {
                text!("{}, link speed unknown", Text::from(bus(bus_found)))
            }
            _ => bus(bus_found).into(),
        };
    };
    let name = match bus_found {
        Bus::Ata => "SATA",
        other => bus(other),
    };
    text!(
        "{} {}",
        Text::from(name),
        link_speeds(link.negotiated.as_deref(), link.maximum.as_deref())
    )
}

/// `6.0 of 6.0 Gbit/s`: a unit that both share is told once.
pub(crate) fn link_speeds(negotiated: Option<&str>, maximum: Option<&str>) -> Text {
    match (negotiated, maximum) {
        (Some(now), Some(most)) => {
            let unit = " Gbit/s";
            match (now.strip_suffix(unit), most.strip_suffix(unit)) {
                (Some(now), Some(most)) => text!("{now} of {}", format!("{most}{unit}")),
                _ => text!("{now} of {most}"),
            }
        }
        (Some(now), None) => Text::name(now),
        (None, Some(most)) => text!("speed unknown, at most {most}"),
        (None, None) => "speed unknown".into(),
    }
}

/// `None` where it is not known.
pub fn rotation(rotation: Rotation) -> Option<Text> {
    match rotation {
        Rotation::Unknown => None,
        Rotation::None => Some("not rotating".into()),
        Rotation::Turns => Some("rotating".into()),
        Rotation::PerMinute(rate) => Some(text!("{rate} rpm")),
    }
}

/// `512/4096`, logical and physical.
pub fn blocks(disk: &Disk) -> Text {
    let one =
        |bytes: Option<Bytes>| bytes.map_or_else(|| "?".to_owned(), |size| size.0.to_string());
    text!(
        "blocks {}/{}",
        one(disk.logical_block_bytes),
        one(disk.physical_block_bytes)
    )
}

/// What the drive itself says; where it says nothing, how the kernel takes it.
pub fn write_cache(cache: &WriteCache) -> Text {
    match cache.present {
        Some(false) => cache_state(cache),
        _ => text!("write cache {}", cache_state(cache)),
    }
}

/// The same where it is said already of what.
pub(crate) fn cache_state(cache: &WriteCache) -> Text {
    match (cache.enabled, cache.present, cache.kernel_view.as_deref()) {
        (_, Some(false), _) => "no write cache".into(),
        (Some(true), _, _) => "on".into(),
        (Some(false), _, _) => "off".into(),
        (None, _, Some(view)) => text!("unknown (the kernel says {})", phrase(view)),
        (None, _, None) => UNKNOWN.into(),
    }
}

pub const fn health(state: HealthState) -> &'static str {
    match state {
        HealthState::Unknown => "health unknown",
        HealthState::Good => "health good",
        HealthState::Warning => "health WARNING",
        HealthState::Failing => "health FAILING",
    }
}

pub fn temperature(celsius: Option<i32>) -> Option<Text> {
    celsius.map(|degrees| text!("{degrees} °C"))
}

/// The kinds of tables of partitions on a disk.
pub fn tables(contents: &[Content]) -> impl Iterator<Item = String> {
    contents.iter().filter_map(partition_table)
}

/// The kind of a table of partitions, such as `GPT`.
pub fn partition_table(content: &Content) -> Option<String> {
    let what = content.what.english();
    what.strip_suffix(" partition table").map(str::to_owned)
}

/// Maker and model, the maker told once.
pub fn model(disk: &Disk) -> Text {
    match (&disk.vendor, &disk.model) {
        (Some(vendor), Some(model)) if !model.starts_with(vendor.as_str()) => {
            Text::name(format!("{vendor} {model}").trim())
        }
        (_, Some(model)) => match disk.bus {
            // What the kernel makes has no maker; a loop device has a file.
            Some(Bus::Kernel) => text!("{} of {model}", Text::from(kind(disk.kind))),
            _ => Text::name(model.trim()),
        },
        (Some(vendor), None) => Text::name(vendor.trim()),
        (None, None) => match disk.kind {
            BlockDeviceKind::Disk => "model unknown".into(),
            other => kind(other).into(),
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
