//! How a disk is connected, by where the kernel hangs it up in sysfs.

use std::path::{Path, PathBuf};

use sokudo_model::disk::Bus;

use crate::system;

/// The bus of the disk in this directory, by the components of its real path.
pub(crate) fn bus(directory: &Path) -> Option<Bus> {
    let parts: Vec<&str> = directory
        .components()
        .filter_map(|component| component.as_os_str().to_str())
        .collect();
    let name = *parts.last()?;
    if name.starts_with("nvme") {
        return Some(nvme(directory));
    }
    if name.starts_with("vd") {
        return Some(Bus::Virtio);
    }
    if name.starts_with("xvd") {
        return Some(Bus::Xen);
    }
    let has = |is_wanted: &fn(&str) -> bool| parts.iter().any(|part| is_wanted(part));
    let found = DIRECTORIES.iter().find(|(is_wanted, _)| has(is_wanted));
    found.map(|(_, bus)| *bus)
}

/// What tells a component of a path of a bus.
type ComponentRule = (fn(&str) -> bool, Bus);

/// The first that one of the components is counts: ATA disks have a `host`, too.
const DIRECTORIES: [ComponentRule; 7] = [
    (|part| part.starts_with("vbd-"), Bus::Xen),
    (|part| numbered(part, "usb"), Bus::Usb),
    (|part| numbered(part, "ata"), Bus::Ata),
    (|part| part.starts_with("end_device-"), Bus::Sas),
    (|part| part == "mmc_host", Bus::Mmc),
    (|part| numbered(part, "host"), Bus::Scsi),
    (|part| part == "virtual", Bus::Kernel),
];

/// Whether a component is a word and a number, such as `ata3`.
pub(crate) fn numbered(part: &str, word: &str) -> bool {
    part.strip_prefix(word)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The controller of an NVMe namespace, or, of one with several paths, its subsystem, below which
/// it hangs, and the controllers of that.
pub(crate) fn nvme_controllers(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let device = directory.join("device");
    let of_paths = system::names(&device).into_iter();
    let of_paths = of_paths.filter(|name| numbered(name, "nvme"));
    let of_paths: Vec<PathBuf> = of_paths.map(|name| device.join(name)).collect();
    [device].into_iter().chain(of_paths)
}

fn nvme(directory: &Path) -> Bus {
    let mut controllers = nvme_controllers(directory);
    let transport = controllers.find_map(|controller| system::text(controller.join("transport")));
    match transport.as_deref() {
        None | Some("pcie") => Bus::Nvme,
        Some(_) => Bus::NvmeFabrics,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_in_sysfs_tells_the_bus() {
        let of = |path: &str| bus(Path::new(path));
        let pci = "/sys/devices/pci0000:00/0000:00:1f.2";
        for (below, bus) in [
            ("ata3/host2/target2:0:0/2:0:0:0/block/sda", Bus::Ata),
            (
                "usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb",
                Bus::Usb,
            ),
            (
                "host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block/sdc",
                Bus::Sas,
            ),
            ("virtio2/host3/target3:0:0/3:0:0:1/block/sdd", Bus::Scsi),
            ("virtio1/block/vda", Bus::Virtio),
            ("mmc_host/mmc0/mmc0:0001/block/mmcblk0", Bus::Mmc),
            ("nvme/nvme0/nvme0n1", Bus::Nvme),
        ] {
            assert_eq!(of(&format!("{pci}/{below}")), Some(bus), "{below}");
        }
        assert_eq!(of("/sys/devices/vbd-51712/block/xvda"), Some(Bus::Xen));
        assert_eq!(of("/sys/devices/virtual/block/loop0"), Some(Bus::Kernel));
        assert_eq!(of("/sys/devices/platform/floppy.0/block/fd0"), None);
        assert_eq!(of("/"), None);
    }

    #[test]
    fn nvme_over_a_network_says_so() {
        let root = tempfile::tempdir().unwrap();
        let disk = root.path().join("nvme1n1");
        std::fs::create_dir_all(disk.join("device/nvme1")).unwrap();
        assert_eq!(bus(&disk), Some(Bus::Nvme));
        std::fs::write(disk.join("device/nvme1/transport"), "tcp\n").unwrap();
        assert_eq!(bus(&disk), Some(Bus::NvmeFabrics));
    }
}
