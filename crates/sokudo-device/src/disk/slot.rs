//! Where a disk is plugged in, as its enclosure or the machine calls it.

use std::path::Path;

use super::link;
use crate::system::{self, System};

/// Strangers name slots; nobody prints a longer name on one.
const CHARACTERS_MAX: usize = 64;

/// The slot of the disk in this directory of sysfs; `None` where nothing names one.
pub(super) fn slot(system: &System, directory: &Path) -> Option<String> {
    let named = in_enclosure(directory).or_else(|| in_machine(system, directory))?;
    let named: String = named.trim().chars().take(CHARACTERS_MAX).collect();
    (!named.is_empty()).then_some(named)
}

/// What an enclosure of SCSI calls it (`ses`): by its number, which is printed on it, or its words.
fn in_enclosure(directory: &Path) -> Option<String> {
    const LINK: &str = "enclosure_device:";
    let device = directory.join("device");
    let names = system::names(&device);
    let link = names.iter().find(|name| name.starts_with(LINK))?;
    let number = system::text(device.join(link).join("slot"));
    number.or_else(|| link.strip_prefix(LINK).map(str::to_owned))
}

/// What the machine calls the slot of an NVMe disk's PCI function.
fn in_machine(system: &System, directory: &Path) -> Option<String> {
    const SLOTS: &str = "sys/bus/pci/slots";
    let function = link::nvme_function(directory)?;
    let (address, _) = function.file_name()?.to_str()?.rsplit_once('.')?;
    let has_it =
        |slot: &String| system.text(format!("{SLOTS}/{slot}/address")).as_deref() == Some(address);
    system.names(SLOTS).into_iter().find(has_it)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn put(root: &Path, file: &str, text: &str) -> PathBuf {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn an_enclosure_and_the_machine_name_slots() {
        let root = tempfile::tempdir().unwrap();
        let (root, system) = (root.path(), System::at(root.path()));
        let of = |name: &str| slot(&system, &root.join("sys/block").join(name));
        put(root, "sys/block/sda/device/model", "ST16000NM");
        assert_eq!(of("sda"), None);
        let component = "sys/block/sdb/device/enclosure_device:Slot 05";
        put(root, &format!("{component}/status"), "OK");
        assert_eq!(of("sdb").as_deref(), Some("Slot 05"));
        put(root, &format!("{component}/slot"), "5\n");
        assert_eq!(of("sdb").as_deref(), Some("5"));
        let function = "sys/devices/pci0000:00/0000:01:00.0";
        put(
            root,
            &format!("{function}/current_link_speed"),
            "8.0 GT/s PCIe",
        );
        let controller = root.join("sys/block/nvme0n1/device");
        std::fs::create_dir_all(&controller).unwrap();
        std::os::unix::fs::symlink(root.join(function), controller.join("device")).unwrap();
        assert_eq!(of("nvme0n1"), None);
        put(root, "sys/bus/pci/slots/3/address", "0000:02:00");
        put(root, "sys/bus/pci/slots/7-1/address", "0000:01:00");
        assert_eq!(of("nvme0n1").as_deref(), Some("7-1"));
        let long = format!(
            "sys/block/sdc/device/enclosure_device:{}/status",
            "x".repeat(90)
        );
        put(root, &long, "OK");
        assert_eq!(of("sdc").map(|it| it.len()), Some(CHARACTERS_MAX));
    }
}
