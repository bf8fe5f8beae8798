//! What stays the same of a device or a file system when its name changes: numbers and
//! UUIDs, from sysfs, from udev's records, from udev's links, and from the file system
//! itself. Anybody may read all of them.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use sokudo_model::{BlockDevice, BlockDeviceKind, DeviceMarks};

use crate::block;
use crate::disk::udev::{self, UdevRecord};
use crate::file_system::Backing;
use crate::mounts::Mount;
use crate::page;
use crate::system::{self, System};

/// Namespaces are numbered from here on; a drive with one only has this.
const FIRST_NAMESPACE: u64 = 1;

/// The marks of a device that has been described.
pub(crate) fn of_device(system: &System, directory: &Path, device: &BlockDevice) -> DeviceMarks {
    let record = UdevRecord::of(system, &device.number);
    let is_partition = device.kind == BlockDeviceKind::Partition;
    let numbered = system::number(directory.join("partition"));
    DeviceMarks {
        partition: numbered.and_then(|number| u32::try_from(number).ok()),
        partition_uuid: is_partition
            .then(|| partition_uuid(system, directory, device, &record))
            .flatten(),
        area: area(directory, device),
        volume: volume(directory, device.kind, &record),
        backing_inode: backing_inode(device),
        attached_at: match device.serial {
            None => attached_at(system, directory),
            Some(_) => None,
        },
    }
}

/// The UUID of a mounted file system that stands on block devices. That of others, such
/// as tmpfs, is new with every mount.
pub(crate) fn of_file_system(system: &System, mount: &Mount) -> Option<String> {
    let sources = match Backing::of(mount) {
        Backing::Numbered { .. } => vec![mount.device_number.clone()],
        Backing::Btrfs { source } => {
            let directory = block::directory_of_source(system, &source);
            if let Some(uuid) = directory.as_deref().and_then(|it| btrfs(system, it)) {
                return Some(uuid);
            }
            Vec::from_iter(directory.and_then(|it| system::text(it.join("dev"))))
        }
        Backing::Sources(sources) => sources
            .iter()
            .filter_map(|source| block::directory_of_source(system, source))
            .filter_map(|directory| system::text(directory.join("dev")))
            .collect(),
        Backing::Overlay(_) | Backing::Zfs { .. } | Backing::Unseen(_) => return None,
    };
    sources
        .iter()
        .find_map(|number| udevs(system, number))
        .or_else(|| kernels(system, &mount.mount_point))
}

fn udevs(system: &System, number: &str) -> Option<String> {
    let record = UdevRecord::of(system, number);
    let uuid = record.property("ID_FS_UUID").map(str::to_owned);
    uuid.or_else(|| {
        let directory = block::directory_of_number(system, number)?;
        linked(system, "by-uuid", &block::name(&directory))
    })
}

/// What the file system that is mounted at a place says itself (Linux 6.9).
fn kernels(system: &System, mount_point: &Path) -> Option<String> {
    if !system.is_host() {
        return None;
    }
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let file: File = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(mount_point)
        .ok()?;
    let uuid = sokudo_sys::file_system_uuid(&file).ok()?;
    // One that was never given is all zeros, and tells nothing apart.
    uuid.iter()
        .any(|byte| *byte != 0)
        .then(|| page::dashed(uuid))
}

/// sysfs lists the devices of each btrfs below its UUID.
fn btrfs(system: &System, directory: &Path) -> Option<String> {
    let name = block::name(directory);
    let mut all = block::btrfs(system);
    all.find_map(|(uuid, names)| names.contains(&name).then_some(uuid))
}

fn partition_uuid(
    system: &System,
    directory: &Path,
    device: &BlockDevice,
    record: &UdevRecord,
) -> Option<String> {
    let uuid = record.property("ID_PART_ENTRY_UUID").map(str::to_owned);
    uuid.or_else(|| linked(system, "by-partuuid", &device.name))
        // The kernel tells it since Linux 6.14.
        .or_else(|| block::announced(directory, "PARTUUID"))
}

/// The name of udev's link below `/dev/disk` that leads to a device.
fn linked(system: &System, kind: &str, device: &str) -> Option<String> {
    let directory = system.path(format!("dev/disk/{kind}"));
    let names = system::names(&directory);
    let leads_there = |name: &String| {
        let to = directory.join(name).read_link();
        to.is_ok_and(|to| to.file_name().is_some_and(|it| it == device))
    };
    let found = names.into_iter().find(leads_there)?;
    Some(udev::decode(&found))
}

/// Namespaces of NVMe and boot areas of memory cards look like disks, with the model and
/// the serial number of the drive.
fn area(directory: &Path, device: &BlockDevice) -> Option<String> {
    if device.kind == BlockDeviceKind::Partition {
        return None;
    }
    let namespace = system::number(directory.join("nsid"));
    let boot = device
        .name
        .starts_with("mmcblk")
        .then(|| device.name.find("boot"))
        .flatten()
        .map(|at| device.name[at..].to_owned());
    namespace
        .filter(|number| *number != FIRST_NAMESPACE)
        .map(|number| number.to_string())
        .or(boot)
}

fn volume(directory: &Path, kind: BlockDeviceKind, record: &UdevRecord) -> Option<String> {
    match kind {
        BlockDeviceKind::DeviceMapper => {
            system::text(directory.join("dm/uuid")).map(|text| without_mapping(&text))
        }
        BlockDeviceKind::Raid => {
            let uuid = record.property("MD_UUID").map(str::to_owned);
            let text = uuid.or_else(|| system::text(directory.join("md/uuid")))?;
            // `mdadm` writes colons where the kernel writes dashes.
            let digits = text.chars().filter(char::is_ascii_hexdigit);
            Some(digits.collect::<String>().to_ascii_lowercase())
        }
        _ => None,
    }
    .filter(|text| !text.is_empty())
}

/// cryptsetup puts the name of the mapping behind what it is: `CRYPT-LUKS2-…-name`.
fn without_mapping(uuid: &str) -> String {
    let mut parts = uuid.splitn(4, '-');
    match (parts.next(), parts.next(), parts.next()) {
        (Some("CRYPT"), Some("PLAIN"), _) => "CRYPT-PLAIN".to_owned(),
        (Some("CRYPT"), Some(kind), Some(uuid)) => format!("CRYPT-{kind}-{uuid}"),
        _ => uuid.to_owned(),
    }
}

fn backing_inode(device: &BlockDevice) -> Option<u64> {
    let file = Path::new(device.backing_file.as_deref()?);
    file.symlink_metadata().ok().map(|it| it.ino())
}

fn attached_at(system: &System, directory: &Path) -> Option<String> {
    let devices = system.path("sys/devices").canonicalize().ok()?;
    let disk = block::disk(directory);
    let device_path = disk.strip_prefix(devices).ok()?.to_str()?;
    let (bus, _name) = device_path.split_once("/block/")?;
    (bus != "virtual").then(|| bus.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_may_be_called_anything() {
        let luks = "CRYPT-LUKS2-0123456789abcdef0123456789abcdef";
        assert_eq!(without_mapping(&format!("{luks}-my-data")), luks);
        assert_eq!(without_mapping("CRYPT-PLAIN-x-y"), "CRYPT-PLAIN");
        assert_eq!(without_mapping("LVM-abc-tpool-x"), "LVM-abc-tpool-x");
    }
}
