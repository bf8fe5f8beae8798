//! Which device a target is, whatever its name is today.
//!
//! A disk is its model and serial number, a partition its number on the disk, an array or
//! a mapped volume what its superblock or device-mapper calls it, a file system its UUID.
//! Kernel names and mount points are in no identity, for they change.

use std::collections::BTreeSet;

use crate::target::{BlockDevice, BlockDeviceKind, FileSystem, TargetInfo, TargetKind};

/// Levels that are followed downward; a description that leads in circles ends here.
const LEVELS_MAX: usize = 16;

impl TargetInfo {
    /// Which device this is: the same text is the same device.
    ///
    /// What neither a serial number nor a UUID tells apart from others is known by its
    /// size, its machine and the way on which it is reached there. Where nothing is
    /// known, the name that it was given is all there is.
    pub fn identity(&self) -> String {
        match self.kind {
            TargetKind::Null => "null:".to_owned(),
            TargetKind::Simulated => simulated(&self.name),
            _ if self.devices.is_empty() => self.without_devices(),
            _ => self.on_devices(),
        }
    }

    /// What people call it: the models of its disks; without one the kernel's names of what
    /// it is on, and the file system. It says which device this is, not what was measured on
    /// it, so that it fits every run of the device.
    pub fn device_name(&self) -> String {
        let mut models: Vec<&str> = Vec::new();
        for model in self.leaves().filter_map(|leaf| leaf.model.as_deref()) {
            if !models.contains(&model.trim()) {
                models.push(model.trim());
            }
        }
        match models.is_empty() {
            true => self.name_without_model(),
            false => models.join(" + "),
        }
    }

    fn name_without_model(&self) -> String {
        let is_named = matches!(
            self.kind,
            TargetKind::Imported | TargetKind::Simulated | TargetKind::Null
        );
        if is_named {
            return self.name.clone();
        }
        let mut tops: Vec<&str> = self.tops().iter().map(|top| top.name.as_str()).collect();
        tops.sort_unstable();
        match (tops.is_empty(), &self.file_system) {
            (false, Some(file_system)) => format!("{} ({})", tops.join(" + "), file_system.kind),
            (false, None) => tops.join(" + "),
            (true, Some(FileSystem { kind, source, .. })) if kind == source => kind.clone(),
            (true, Some(FileSystem { kind, source, .. })) => format!("{kind} {source}"),
            (true, None) => self.name.clone(),
        }
    }

    /// A file system on another machine, in memory, or one that does not tell what it
    /// stands on; for what somebody else has measured, the name.
    fn without_devices(&self) -> String {
        let Some(file_system) = &self.file_system else {
            return with(self.name.clone(), self.host.as_deref());
        };
        let source = &file_system.source;
        if self.kind == TargetKind::Imported {
            return format!("{} · {}", self.name, file_system.kind);
        }
        // `host:/export` and `//host/share` are the same wherever they are mounted.
        let is_elsewhere = source.contains(':') || source.starts_with("//");
        let text = format!("{} {source}", file_system.kind);
        match (&file_system.uuid, is_elsewhere) {
            (Some(uuid), _) => format!("{} {uuid}", file_system.kind),
            (None, true) => text,
            (None, false) => with(text, self.host.as_deref()),
        }
    }

    fn on_devices(&self) -> String {
        let file_system = self.file_system.as_ref();
        let uuid = file_system.and_then(|it| it.uuid.as_deref());
        let reader = IdentityBuilder {
            target: self,
            is_distinguished: uuid.is_some(),
        };
        let tops = || reader.all(&self.tops(), 0);
        let text = match (file_system.map(|it| it.kind.as_str()), uuid) {
            (None, _) => tops(),
            (Some(kind), None) => format!("{} · {kind}", tops()),
            // Their members come and go; the file system on them stays the same.
            (Some(kind @ ("btrfs" | "bcachefs")), Some(uuid)) => format!("{kind} {uuid}"),
            (Some(kind), Some(uuid)) => format!("{} · {kind} {uuid}", tops()),
        };
        let mut leaves = self.leaves().peekable();
        match leaves.peek().is_some() && leaves.all(is_numbered) {
            true => text,
            false => with(text, self.host.as_deref()),
        }
    }

    /// The devices on which no other of them stands.
    fn tops(&self) -> Vec<&BlockDevice> {
        let below: BTreeSet<&str> = self
            .devices
            .iter()
            .flat_map(|device| device.parents.iter().map(String::as_str))
            .collect();
        let is_top = |device: &&BlockDevice| !below.contains(device.name.as_str());
        self.devices.iter().filter(is_top).collect()
    }
}

/// Puts together what a stack is known by.
struct IdentityBuilder<'a> {
    target: &'a TargetInfo,
    /// Whether a UUID above tells it apart from others of the same kind.
    is_distinguished: bool,
}

impl IdentityBuilder<'_> {
    /// Several devices, in an order that does not depend on their names. Two ways to one
    /// disk are one disk.
    fn all(&self, devices: &[&BlockDevice], level: usize) -> String {
        let texts: BTreeSet<String> = devices
            .iter()
            .map(|device| self.one(device, level))
            .collect();
        Vec::from_iter(texts).join(" + ")
    }

    fn one(&self, device: &BlockDevice, level: usize) -> String {
        let marks = &device.marks;
        let below = || self.below(device, level + 1);
        match (device.kind, &marks.volume) {
            (BlockDeviceKind::Partition, _) => self.partition(device, &below()),
            // A member that failed or was replaced makes no other array.
            (BlockDeviceKind::Raid, Some(volume)) => format!("RAID {volume}"),
            (BlockDeviceKind::DeviceMapper, Some(volume)) if is_pooled(volume) => volume.clone(),
            (BlockDeviceKind::DeviceMapper, Some(volume)) => format!("{} · {volume}", below()),
            (BlockDeviceKind::Loop, _) => self.looped(device, &below()),
            _ if device.is_leaf => self.disk(device),
            (kind, _) => format!("{} of {}", word(kind), below()),
        }
    }

    fn below(&self, device: &BlockDevice, level: usize) -> String {
        let names = device.parents.iter().take_while(|_| level < LEVELS_MAX);
        let parents: Vec<&BlockDevice> = names
            .filter_map(|name| self.target.devices.iter().find(|it| it.name == *name))
            .collect();
        self.all(&parents, level)
    }

    fn partition(&self, device: &BlockDevice, disk: &str) -> String {
        let marks = &device.marks;
        let number = marks.partition.map(|number| format!("partition {number}"));
        let uuid = marks.partition_uuid.as_ref();
        // A number is always seen, a UUID is not in every container: it is needed only
        // where the disk has no serial number.
        match (number, uuid) {
            (Some(number), Some(uuid)) if device.serial.is_none() => {
                format!("{disk} · {number} {uuid}")
            }
            (Some(number), _) => format!("{disk} · {number}"),
            (None, Some(uuid)) => format!("{disk} · partition {uuid}"),
            (None, None) => format!("{disk} · partition"),
        }
    }

    fn looped(&self, device: &BlockDevice, below: &str) -> String {
        match (device.marks.backing_inode, &device.backing_file) {
            (Some(inode), _) if !below.is_empty() => format!("{below} · file {inode}"),
            (_, file) => format!("file {}", file.as_deref().unwrap_or("unseen")),
        }
    }

    fn disk(&self, device: &BlockDevice) -> String {
        let text = |text: &Option<String>| text.as_deref().map(str::trim).map(str::to_owned);
        let mut parts: Vec<String> = Vec::new();
        parts.push(text(&device.model).unwrap_or_else(|| word(device.kind).to_owned()));
        match text(&device.serial) {
            Some(serial) => parts.push(serial),
            None => parts.extend(device.size_bytes.map(|size| format!("{} bytes", size.0))),
        }
        parts.extend(
            device
                .marks
                .area
                .as_ref()
                .map(|area| format!("area {area}")),
        );
        if device.serial.is_none() && !self.is_distinguished {
            parts.extend(device.marks.attached_at.clone());
        }
        parts.join(" ")
    }
}

/// Whether no other disk of any machine has its model and serial number. The disks of
/// copied virtual machines do, and the UUIDs of what they hold are the same too.
fn is_numbered(disk: &BlockDevice) -> bool {
    disk.serial.is_some() && disk.kind != BlockDeviceKind::VirtualDisk
}

/// Whether a volume is known by its own name alone: those of LVM move between disks, and
/// that of a multipath device holds the disk's world-wide name.
fn is_pooled(volume: &str) -> bool {
    volume.starts_with("LVM-") || volume.starts_with("mpath-")
}

const fn word(kind: BlockDeviceKind) -> &'static str {
    match kind {
        BlockDeviceKind::Disk => "disk",
        BlockDeviceKind::VirtualDisk => "virtual disk",
        BlockDeviceKind::Partition => "partition",
        BlockDeviceKind::Loop => "loop device",
        BlockDeviceKind::DeviceMapper => "volume",
        BlockDeviceKind::Raid => "RAID",
        BlockDeviceKind::Memory => "memory",
    }
}

fn with(text: String, host: Option<&str>) -> String {
    match host {
        Some(host) => format!("{text} of {host}"),
        None => text,
    }
}

/// A simulated device is what it was asked to be; the order of its keys means nothing. One
/// that has a serial number may age: whatever its other keys are, it is the same.
fn simulated(name: &str) -> String {
    let Some((model, keys)) = name.split_once('?') else {
        return name.to_owned();
    };
    let keys: BTreeSet<&str> = keys.split('&').filter(|key| !key.is_empty()).collect();
    if let Some(serial) = keys.iter().find(|key| key.starts_with("serial=")) {
        return format!("{model}?{serial}");
    }
    match keys.is_empty() {
        true => model.to_owned(),
        false => format!("{model}?{}", Vec::from_iter(keys).join("&")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulated_device_is_what_it_was_asked_to_be() {
        let identity = |name| TargetInfo::new(name, TargetKind::Simulated).identity();
        assert_eq!(
            identity("sim:hdd?rpm=5900&size=4TB"),
            identity("sim:hdd?size=4TB&rpm=5900")
        );
        assert_eq!(identity("sim:hdd?"), "sim:hdd");
        assert_ne!(identity("sim:hdd"), identity("sim:hdd?rpm=5400"));
        let aged = identity("sim:hdd?outer=90MB/s&serial=A1");
        assert_eq!(identity("sim:hdd?serial=A1"), aged);
        assert_ne!(identity("sim:hdd?serial=A2"), aged);
        assert_ne!(identity("sim:ssd?serial=A1"), aged);
        assert_eq!(
            TargetInfo::new("null:", TargetKind::Null).identity(),
            "null:"
        );
    }

    #[test]
    fn a_disk_without_a_model_has_no_name_of_a_run() {
        let disk = |name: &str| {
            serde_json::from_value(serde_json::json!({
                "name": name, "number": "254:1", "kind": "partition", "is_leaf": true,
                "parents": []
            }))
            .unwrap()
        };
        let file_system: FileSystem = serde_json::from_value(serde_json::json!({
            "kind": "ext4", "mount_point": "/mnt", "mount_options": [], "source": "/dev/vda1"
        }))
        .unwrap();
        let named = |target: &str| {
            let mut target = TargetInfo::new(target, TargetKind::Directory);
            target.devices = vec![disk("vda1")];
            target.file_system = Some(file_system.clone());
            target
        };
        let (one, other) = (named("/mnt/data"), named("."));
        assert_eq!(one.identity(), other.identity());
        assert_eq!(one.device_name(), "vda1 (ext4)");
        assert_eq!(other.device_name(), "vda1 (ext4)");
        let mut tmpfs = TargetInfo::new("/tmp/x", TargetKind::Directory);
        tmpfs.file_system = Some(FileSystem {
            kind: "tmpfs".to_owned(),
            source: "tmpfs".to_owned(),
            ..file_system
        });
        assert_eq!(tmpfs.device_name(), "tmpfs");
    }

    #[test]
    fn a_description_that_leads_in_circles_ends() {
        let mut target = TargetInfo::new("/dev/md0", TargetKind::BlockDevice);
        let json = |name: &str, parent: &str| {
            serde_json::from_value(serde_json::json!({
                "name": name, "number": "9:0", "kind": "raid", "is_leaf": false,
                "parents": [parent]
            }))
        };
        target.devices = vec![json("md0", "md1").unwrap(), json("md1", "md0").unwrap()];
        target.devices.push(json("md2", "md0").unwrap());
        assert!(target.identity().len() < 1000);
    }
}
