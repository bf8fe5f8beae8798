//! What disks are attached by: what lies between a disk and the root of the machine, by where the
//! kernel hangs it up in sysfs. Anybody may read it.

use std::path::Path;

use sokudo_model::{Attachment, AttachmentKind};

use crate::disk::bus::numbered;
use crate::disk::link;
use crate::system::{self, System};

/// How the class of a bridge of PCI begins.
const PCI_BRIDGE: &str = "0x0604";

/// The way to the disk in this directory, from the disk up.
pub(crate) fn of_disk(system: &System, directory: &Path) -> Vec<Attachment> {
    // A namespace with several paths hangs below its subsystem, beside its controller.
    let function = link::nvme_function(directory);
    let begin = function.as_deref().unwrap_or(directory);
    let way = begin.ancestors();
    let way = way.take_while(|node| node.file_name().is_some_and(|name| name != "devices"));
    way.filter_map(|node| of_node(system, directory, node))
        .collect()
}

fn of_node(system: &System, disk: &Path, node: &Path) -> Option<Attachment> {
    let name = node.file_name()?.to_str()?;
    let (kind, speed) = if numbered(name, "ata") {
        (AttachmentKind::SataPort, link::sata_port(system, disk))
    } else if name.starts_with("expander-") {
        (AttachmentKind::SasExpander, None)
    } else if node.join("bDeviceClass").is_file() {
        (AttachmentKind::Usb, link::usb_device(node))
    } else {
        let class = system::text(node.join("class"))?;
        // Others have classes, too; PCI functions have makers.
        node.join("vendor").is_file().then_some(())?;
        let kind = match class.starts_with(PCI_BRIDGE) {
            true => AttachmentKind::PciBridge,
            false => AttachmentKind::Controller,
        };
        (kind, link::pci_function(node))
    };
    let driver = link::driver(node).filter(|_| kind == AttachmentKind::Controller);
    let (speed, bytes_per_s) = speed.unzip();
    Some(Attachment {
        kind,
        name: match driver {
            Some(driver) => format!("{name} {driver}"),
            None => name.to_owned(),
        },
        speed,
        bytes_per_s,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn attachments(
        system: &System,
        root: &Path,
        below: &str,
    ) -> Vec<(AttachmentKind, String, Option<u64>)> {
        let all = of_disk(system, &root.join("sys/devices").join(below));
        let all = all.into_iter();
        all.map(|it| (it.kind, it.name, it.bytes_per_s)).collect()
    }

    #[test]
    fn the_way_to_a_disk_behind_a_hub_is_its_bus_and_its_controller() {
        use AttachmentKind::{Controller, Usb};
        let root = tempfile::tempdir().unwrap();
        let system = System::at(root.path());
        let pci = "sys/devices/pci0000:00/0000:00:14.0";
        put(root.path(), &format!("{pci}/class"), "0x0c0330");
        put(root.path(), &format!("{pci}/vendor"), "0x8086");
        for hub in ["usb2", "usb2/2-1", "usb2/2-1/2-1.2"] {
            put(root.path(), &format!("{pci}/{hub}/bDeviceClass"), "09");
            put(root.path(), &format!("{pci}/{hub}/speed"), "5000");
        }
        let disk = "pci0000:00/0000:00:14.0/usb2/2-1/2-1.2/2-1.2:1.0/host6/block/sdb";
        put(root.path(), &format!("sys/devices/{disk}/dev"), "8:16");
        let speed = Some(500_000_000);
        let name = str::to_owned;
        assert_eq!(
            attachments(&system, root.path(), disk),
            [
                (Usb, name("2-1.2"), speed),
                (Usb, name("2-1"), speed),
                (Usb, name("usb2"), speed),
                (Controller, name("0000:00:14.0"), None),
            ]
        );
    }

    #[test]
    fn bridges_tell_their_width_and_speed() {
        use AttachmentKind::{Controller, PciBridge};
        let root = tempfile::tempdir().unwrap();
        let system = System::at(root.path());
        let bridge = "sys/devices/pci0000:00/0000:00:1c.0";
        let function = format!("{bridge}/0000:03:00.0");
        for (node, class, width) in [(bridge, "0x060400", "2"), (&function, "0x010601", "4")] {
            put(root.path(), &format!("{node}/class"), class);
            put(root.path(), &format!("{node}/vendor"), "0x1b21");
            put(
                root.path(),
                &format!("{node}/current_link_speed"),
                "8.0 GT/s PCIe",
            );
            put(root.path(), &format!("{node}/current_link_width"), width);
        }
        let disk = "pci0000:00/0000:00:1c.0/0000:03:00.0/host1/block/sda";
        put(root.path(), &format!("sys/devices/{disk}/dev"), "8:0");
        assert_eq!(
            attachments(&system, root.path(), disk),
            [
                (Controller, "0000:03:00.0".to_owned(), Some(3_938_461_538)),
                (PciBridge, "0000:00:1c.0".to_owned(), Some(1_969_230_769)),
            ]
        );
    }
}
