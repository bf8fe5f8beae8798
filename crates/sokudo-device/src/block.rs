//! One block device, as its directory in sysfs describes it. What it stands on
//! is found in `stack`, what stays when its name changes in `marks`.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use sokudo_model::disk::Rotation;
use sokudo_model::{BlockDevice, BlockDeviceKind, Bytes, TargetInfo};

use crate::ata;
use crate::queue::queue;
use crate::system::{self, System};

/// sysfs counts sectors of this size, whatever the device's own block size is.
pub(crate) const SECTOR_BYTES: u64 = 512;

/// What virtual machines call their disks: the beginning of the maker's or the
/// model's name, in lower case.
const VIRTUAL_MODELS: [&str; 12] = [
    "amazon elastic",
    "google",
    "microsoft",
    "msft",
    "nvme_card",
    "orcl-vbox",
    "parallels",
    "qemu",
    "vbox",
    "virtual",
    "vmware",
    "xen",
];

/// Opens the device in a directory for reading, by its number: a node with its name may be
/// missing, or be another device's.
///
/// # Errors
/// `ENODEV` where no node of that number is found, and what the system says.
pub(crate) fn open(system: &System, directory: &Path, flags: OFlags) -> Result<File, Errno> {
    let number = system::text(directory.join("dev")).ok_or(Errno::NODEV)?;
    let nodes = [name(directory), format!("block/{number}")];
    let mut nodes = nodes.into_iter().map(|node| system.path("dev").join(node));
    let opened = nodes.find_map(|node| open_node(&node, &number, flags));
    opened.unwrap_or(Err(Errno::NODEV))
}

/// Opens a node for reading; `None` where it is not that of the device with this number.
pub(crate) fn open_node(node: &Path, number: &str, flags: OFlags) -> Option<Result<File, Errno>> {
    // O_PATH opens nothing: a node may be a tape's, which winds back.
    let node = rustix::fs::open(node, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    let node = node.map(File::from).ok()?;
    let is_it = node
        .metadata()
        .is_ok_and(|it| it.file_type().is_block_device() && number_text(it.rdev()) == number);
    is_it.then(|| {
        let path = format!("/proc/self/fd/{}", node.as_raw_fd());
        let flags = flags | OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        rustix::fs::open(path, flags, Mode::empty()).map(File::from)
    })
}

/// The directory in sysfs of the block device at `path`.
pub(crate) fn directory_of_path(system: &System, path: &Path) -> Option<PathBuf> {
    let metadata = path.metadata().ok().filter(|_| system.is_host());
    match metadata.filter(|metadata| metadata.file_type().is_block_device()) {
        Some(metadata) => {
            let number = number_text(metadata.rdev());
            directory_of_number(system, &number)
        }
        None => directory_of_source(system, path.to_str()?),
    }
}

/// The directory of the device with this `major:minor`.
pub(crate) fn directory_of_number(system: &System, number: &str) -> Option<PathBuf> {
    device_directory(system.path("sys/dev/block").join(number))
}

/// The directory of the device that a mount names as its source: below `/dev` by
/// its kernel name, by a device-mapper name, or by a link to one of these.
pub(crate) fn directory_of_source(system: &System, source: &str) -> Option<PathBuf> {
    let below_dev = Path::new(source).strip_prefix("/dev").ok()?;
    directory_of_name(system, below_dev.to_str()?)
        .or_else(|| mapped(system, below_dev.strip_prefix("mapper").ok()?.to_str()?))
        .or_else(|| {
            let node = system.path(source).canonicalize().ok()?;
            let dev = system.path("dev").canonicalize().ok()?;
            directory_of_name(system, node.strip_prefix(dev).ok()?.to_str()?)
        })
}

/// The directory of the device with this kernel name.
pub(crate) fn directory_of_name(system: &System, name: &str) -> Option<PathBuf> {
    device_directory(system.path("sys/class/block").join(name.replace('/', "!")))
}

/// The directory of the device that the device mapper calls so.
pub(crate) fn mapped(system: &System, wanted: &str) -> Option<PathBuf> {
    let class = system.path("sys/class/block");
    let mut devices = system::names(&class).into_iter().map(|it| class.join(it));
    let found = devices.find(|it| system::text(it.join("dm/name")).as_deref() == Some(wanted));
    found.and_then(device_directory)
}

/// The directories of all that the kernel lists, parts and hidden paths among them.
pub(crate) fn all(system: &System) -> impl Iterator<Item = PathBuf> {
    system::links(system.path("sys/class/block")).filter_map(|(_, directory)| directory)
}

/// The directories of what stands on the device in this one.
pub(crate) fn above(directory: &Path) -> impl Iterator<Item = PathBuf> {
    system::links(directory.join("holders")).filter_map(|(_, above)| above)
}

/// The parts of the device in this directory.
pub(crate) fn partitions(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let names = system::names(directory).into_iter();
    names
        .map(|it| directory.join(it))
        .filter(|it| is_partition(it))
}

/// Every mounted btrfs: its UUID, and the kernel names of its devices.
pub(crate) fn btrfs(system: &System) -> impl Iterator<Item = (String, Vec<String>)> {
    system.names("sys/fs/btrfs").into_iter().map(|uuid| {
        let names = system.names(format!("sys/fs/btrfs/{uuid}/devices"));
        let decoded = names.iter().map(|name| name.replace('!', "/"));
        (uuid, decoded.collect())
    })
}

/// The real directory of a device, if it is one: every device has a `dev`.
fn device_directory(link: PathBuf) -> Option<PathBuf> {
    let directory = link.canonicalize().ok()?;
    directory.join("dev").exists().then_some(directory)
}

/// The kernel name of the device in a directory. sysfs writes `!` for the `/`
/// that a few old drivers have in their names (`cciss!c0d0`).
pub(crate) fn name(directory: &Path) -> String {
    directory
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .replace('!', "/")
}

/// Whether it is a part of another device.
pub(crate) fn is_partition(directory: &Path) -> bool {
    directory.join("partition").exists()
}

/// Everything that sysfs says of the device, but not what it stands on: it is
/// taken for a leaf.
pub(crate) fn describe(directory: &Path) -> BlockDevice {
    let disk = disk(directory);
    let queue = queue(&disk);
    let queue_bytes = |file| system::number(disk.join("queue").join(file)).map(Bytes);
    BlockDevice {
        name: name(directory),
        number: system::text(directory.join("dev")).unwrap_or_default(),
        kind: kind(directory),
        is_leaf: true,
        model: system::text(disk.join("device/model"))
            // Memory cards have a name where disks have a model.
            .or_else(|| system::text(disk.join("device/name"))),
        serial: serial(&disk),
        size_bytes: size(directory),
        logical_block_bytes: queue_bytes("logical_block_size"),
        physical_block_bytes: queue_bytes("physical_block_size"),
        rotational: rotational(&disk),
        scheduler: queue.scheduler,
        write_cache: system::text(disk.join("queue/write_cache")),
        max_io_bytes: queue.io_bytes_max,
        read_ahead_bytes: queue.read_ahead_bytes,
        counts_io: queue.counts_io,
        backing_file: system::text(directory.join("loop/backing_file")),
        backing_direct: system::flag(directory.join("loop/dio")),
        ..BlockDevice::default()
    }
}

/// The kernel's flag has no word for "unknown": it takes what names no rate for a rotating disk,
/// which sticks and cards never are.
fn rotational(disk: &Path) -> Option<bool> {
    let is_set = system::flag(disk.join("queue/rotational"))?;
    let may_be_flash = || is_usb(disk) || system::flag(disk.join("removable")) == Some(true);
    let rate = || {
        let page = system::bytes(disk.join("device/vpd_pgb1"))?;
        Some(u16::from_be_bytes([*page.get(4)?, *page.get(5)?]))
    };
    let is_default = is_set
        && may_be_flash()
        && rate().map_or(Rotation::Unknown, ata::rotation) == Rotation::Unknown;
    (!is_default).then_some(is_set)
}

pub(crate) fn is_usb(directory: &Path) -> bool {
    directory.to_string_lossy().contains("/usb")
}

/// Size of the device in this directory.
pub(crate) fn size(directory: &Path) -> Option<Bytes> {
    let sectors = system::number(directory.join("size"))?;
    sectors.checked_mul(SECTOR_BYTES).map(Bytes)
}

/// What the kernel announces of the device in this directory (`uevent`).
pub(crate) fn announced(directory: &Path, name: &str) -> Option<String> {
    let event = system::text(directory.join("uevent"))?;
    let mut lines = event.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
    (!value.is_empty()).then(|| value.to_owned())
}

/// The directory with the queue and the model: of a partition, the whole disk's.
pub(crate) fn disk(directory: &Path) -> PathBuf {
    match directory.parent() {
        Some(parent) if is_partition(directory) => parent.to_owned(),
        _ => directory.to_owned(),
    }
}

fn kind(directory: &Path) -> BlockDeviceKind {
    let name = name(directory);
    let driver = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let has = |part: &str| directory.join(part).is_dir();
    let is_virtual = || ["vd", "xvd"].iter().any(|it| driver.starts_with(it));
    match driver {
        _ if is_partition(directory) => BlockDeviceKind::Partition,
        _ if driver == "loop" || has("loop") => BlockDeviceKind::Loop,
        _ if driver == "dm-" || has("dm") => BlockDeviceKind::DeviceMapper,
        _ if has("md") => BlockDeviceKind::Raid,
        "zram" | "ram" | "nullb" => BlockDeviceKind::Memory,
        _ if is_virtual() || has_virtual_model(directory) => BlockDeviceKind::VirtualDisk,
        _ => BlockDeviceKind::Disk,
    }
}

fn has_virtual_model(directory: &Path) -> bool {
    ["device/vendor", "device/model"]
        .iter()
        .filter_map(|file| system::text(directory.join(file)))
        .map(|text| text.to_ascii_lowercase())
        .any(|text| VIRTUAL_MODELS.iter().any(|model| text.starts_with(model)))
}

/// NVMe and memory cards have `device/serial`, virtio has `serial`, SCSI and ATA
/// have page 80h of the vital product data. Else the world-wide name, which says
/// by its prefix (`naa.`, `eui.`) that it is one.
fn serial(disk: &Path) -> Option<String> {
    system::text(disk.join("device/serial"))
        .or_else(|| system::text(disk.join("serial")))
        .or_else(|| vital_product_serial(&system::bytes(disk.join("device/vpd_pg80"))?))
        .or_else(|| system::text(disk.join("device/wwid")))
        .or_else(|| system::text(disk.join("wwid")))
}

/// The page is its number, a length and the serial number in ASCII.
fn vital_product_serial(page: &[u8]) -> Option<String> {
    let [_, 0x80, high, low, text @ ..] = page else {
        return None;
    };
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    let text = String::from_utf8_lossy(&text[..length.min(text.len())]);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    (!text.is_empty()).then(|| text.to_owned())
}

/// The fewest pieces that a device at the bottom of a target takes in one request; `None` where
/// that is not known of any.
pub fn segments_max(system: &System, target: &TargetInfo) -> Option<u64> {
    let of_device = |device: &BlockDevice| {
        let directory = directory_of_number(system, &device.number)?;
        system::number(disk(&directory).join("queue/max_segments"))
    };
    target.leaves().filter_map(of_device).min()
}

pub(crate) fn number_text(device: u64) -> String {
    format!(
        "{}:{}",
        rustix::fs::major(device),
        rustix::fs::minor(device)
    )
}

/// A target that stands on disks of these names and numbers.
#[cfg(test)]
pub(crate) fn target_on(disks: &[(&str, &str)]) -> TargetInfo {
    let directory = tempfile::tempdir().unwrap();
    let devices = disks.iter().map(|(name, number)| BlockDevice {
        name: (*name).to_owned(),
        number: (*number).to_owned(),
        kind: BlockDeviceKind::Disk,
        ..describe(directory.path())
    });
    TargetInfo {
        devices: devices.collect(),
        ..TargetInfo::new(".", sokudo_model::TargetKind::Directory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serial_number_is_read_from_its_page() {
        let page = |text: &[u8], length: u8| [&[0, 0x80, 0, length], text].concat();
        assert_eq!(
            vital_product_serial(&page(b"  WD-123  ", 10)).as_deref(),
            Some("WD-123")
        );
        assert_eq!(
            vital_product_serial(&page(b"ABC", 200)).as_deref(),
            Some("ABC")
        );
        assert_eq!(vital_product_serial(&page(b"", 0)), None);
        assert_eq!(vital_product_serial(&[0, 0x83, 0, 4, 1, 2, 3, 4]), None);
        assert_eq!(vital_product_serial(&[0, 0x80]), None);
    }

    #[test]
    fn an_empty_directory_describes_a_device_of_which_nothing_is_known() {
        let directory = tempfile::tempdir().unwrap();
        let device = describe(directory.path());
        assert_eq!(device.number, "");
        assert_eq!(device.size_bytes, None);
        assert_eq!(device.rotational, None);
    }

    #[test]
    fn what_names_no_rate_and_can_be_taken_out_is_not_taken_for_a_rotating_disk() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        for made in ["queue", "device"] {
            std::fs::create_dir(path.join(made)).unwrap();
        }
        std::fs::write(path.join("queue/rotational"), "1").unwrap();
        assert_eq!(describe(path).rotational, Some(true));
        std::fs::write(path.join("removable"), "1").unwrap();
        assert_eq!(describe(path).rotational, None);
        let page = |rate: u16| [&[0, 0xb1, 0, 60][..], &rate.to_be_bytes()].concat();
        std::fs::write(path.join("device/vpd_pgb1"), page(0)).unwrap();
        assert_eq!(describe(path).rotational, None);
        std::fs::write(path.join("device/vpd_pgb1"), page(5400)).unwrap();
        assert_eq!(describe(path).rotational, Some(true));
    }

    #[test]
    fn absurd_values_are_not_believed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        std::fs::create_dir(path.join("queue")).unwrap();
        std::fs::write(path.join("size"), "18446744073709551615").unwrap();
        std::fs::write(path.join("queue/max_sectors_kb"), "18446744073709551615").unwrap();
        std::fs::write(path.join("queue/rotational"), "7").unwrap();
        std::fs::write(path.join("queue/scheduler"), [0xff, 0xfe, 0x00]).unwrap();
        let device = describe(path);
        assert_eq!(device.size_bytes, None);
        assert_eq!(device.max_io_bytes, None);
        assert_eq!(device.rotational, None);
    }

    #[test]
    fn device_numbers_are_written_as_the_kernel_does() {
        assert_eq!(number_text(rustix::fs::makedev(259, 3)), "259:3");
        assert_eq!(number_text(rustix::fs::makedev(8, 1_000)), "8:1000");
    }
}
