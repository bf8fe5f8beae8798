//! The devices whose use is a use of one device, and who uses them: its partitions and its
//! whole disk, what stands on them, what it stands on itself (the file or device behind a
//! loop device, members of the device mapper and of RAID), and the same disk by another
//! path.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::thread;

use rustix::fs::OFlags;
use rustix::io::Errno;
use sokudo_model::{Occupant, Users};
use sokudo_words::{Text, text};

use super::loops::{Loop, LoopSource, Shows, loops};
use super::processes::{self, WatchedTargets, closing_pauses};
use super::{FileIdentity, swaps};
use crate::block::{self, SECTOR_BYTES, number_text};
use crate::mounts::Mounts;
use crate::system::{self, System};

/// Devices that are looked at around one: partitions and what stands on them.
const RELATIVES_MAX: usize = 1024;

/// Who uses the device with this number, and its directory in sysfs.
pub(crate) fn of_device(system: &System, number: u64) -> (Option<PathBuf>, Users) {
    let number = number_text(number);
    let Some(directory) = block::directory_of_number(system, &number) else {
        let users = Users {
            occupants: vec![unlisted(&number)],
            blind_spots: Vec::new(),
        };
        return (None, users);
    };
    let mut relatives = Relatives::new(system);
    relatives.add(&directory);
    let mut users = Users {
        occupants: relatives.mounted(),
        blind_spots: Vec::new(),
    };
    users.occupants.extend(relatives.swapped());
    users.occupants.extend(relatives.shown());
    relatives.add_writers(&mut users);
    users.occupants.append(&mut relatives.occupants);
    (Some(directory), users)
}

fn unlisted(number: &str) -> Occupant {
    let sentence = text!("who uses the device {number} is not seen: sysfs does not list it");
    unseen(
        sentence,
        "name the disk that it stands on, or run where /sys shows it",
    )
}

/// What makes seen what a loop device shows: another one of the same is no concern of its user's.
fn without(device: &str) -> Text {
    text!("detach it (losetup -d /dev/{device}), or run as root where it can be asked")
}

/// The file behind a loop device through which would be written.
struct LoopBackingFile {
    file: FileIdentity,
    /// Which of the loop devices.
    by: usize,
}

/// A device and all whose use is a use of it, by their directories in sysfs.
struct Relatives<'system> {
    system: &'system System,
    loops: Vec<Loop>,
    directories: Vec<PathBuf>,
    seen: HashSet<PathBuf>,
    /// Loop devices through which would be written: that they show something is no use of
    /// it by others.
    ways: HashSet<String>,
    files: Vec<LoopBackingFile>,
    occupants: Vec<Occupant>,
}

impl<'system> Relatives<'system> {
    fn new(system: &'system System) -> Self {
        Self {
            system,
            loops: loops(system),
            directories: Vec::new(),
            seen: HashSet::new(),
            ways: HashSet::new(),
            files: Vec::new(),
            occupants: Vec::new(),
        }
    }

    fn add(&mut self, directory: &Path) {
        self.add_whole_disk(directory);
        self.add_with_parts(directory);
        self.add_same_disks(directory);
        self.add_below(directory);
    }

    /// The disk of a partition: whoever uses all of it uses the part. Its other
    /// parts are nobody's concern.
    fn add_whole_disk(&mut self, directory: &Path) {
        if block::is_partition(directory)
            && let Some(disk) = directory.parent()
        {
            self.directories.push(disk.to_owned());
            self.note_holders(disk);
        }
    }

    fn add_with_parts(&mut self, directory: &Path) {
        if self.seen.len() >= RELATIVES_MAX || !self.seen.insert(directory.to_owned()) {
            return;
        }
        self.directories.push(directory.to_owned());
        for part in block::partitions(directory) {
            let name = part.file_name().unwrap_or_default().to_string_lossy();
            let name = name.into_owned();
            self.occupants.push(Occupant::Partition { name });
            self.add_with_parts(&part);
        }
        self.note_holders(directory);
        block::above(directory).for_each(|above| self.add_with_parts(&above));
    }

    fn note_holders(&mut self, directory: &Path) {
        let device = block::name(directory);
        for holder in system::names(directory.join("holders")) {
            let holder = match system::text(directory.join("holders").join(&holder).join("dm/name"))
            {
                Some(name) => Text::name(format!("{holder} ({name})")),
                None => Text::name(holder),
            };
            self.occupants.push(Occupant::Holder {
                device: device.clone(),
                holder,
            });
        }
    }

    /// Other paths to the same disk: those of a disk with two controllers, where nothing
    /// joins them, and two network block devices of one server's export.
    fn add_same_disks(&mut self, directory: &Path) {
        let disk = block::disk(directory);
        let Some(known_by) = identifier(&disk) else {
            return;
        };
        let size = system::number(disk.join("size"));
        for other in block::all(self.system) {
            let is_same = other != disk
                && !block::is_partition(&other)
                && identifier(&other).as_ref() == Some(&known_by)
                && system::number(other.join("size")) == size;
            if is_same && !self.seen.contains(&other) {
                self.note_claim(&other);
                self.add_with_parts(&other);
            }
        }
    }

    /// What a device stands on, which is written when it is.
    fn add_below(&mut self, directory: &Path) {
        let disk = block::disk(directory);
        let name = block::name(&disk);
        if !self.ways.contains(&name)
            && let Some(by) = self.loops.iter().position(|device| device.name == name)
        {
            self.ways.insert(name);
            self.add_behind(by);
        }
        for member in system::links(disk.join("slaves")).filter_map(|(_, below)| below) {
            // Whoever made the stack holds its members, so that their holders say nothing.
            if self.seen.len() < RELATIVES_MAX && self.seen.insert(member.clone()) {
                if block::is_partition(&member) {
                    self.directories.push(block::disk(&member));
                }
                self.directories.push(member.clone());
                self.add_below(&member);
            }
        }
    }

    /// What a loop device shows.
    fn add_behind(&mut self, by: usize) {
        let device = &self.loops[by];
        let LoopSource::Known(status) = device.shown else {
            let sentence = text!(
                "sokudo cannot see what backs the loop device {}",
                device.name
            );
            self.occupants.push(unseen(sentence, without(&device.name)));
            return;
        };
        let Some(number) = status.block_device else {
            let file = FileIdentity {
                file_system: status.file_system,
                inode: status.inode,
            };
            self.files.push(LoopBackingFile { file, by });
            return;
        };
        match block::directory_of_number(self.system, &number_text(number)) {
            Some(below) => {
                self.note_claim(&below);
                self.add(&below);
            }
            None => self.occupants.push(unlisted(&number_text(number))),
        }
    }

    /// Whether the kernel has given a device to somebody, who may be in another mount
    /// namespace.
    fn note_claim(&mut self, directory: &Path) {
        match block::open(self.system, directory, OFlags::EXCL) {
            Ok(_) => {}
            Err(Errno::BUSY) => self.occupants.push(Occupant::Holder {
                device: block::name(directory),
                holder: "a file system or a program that has claimed it".into(),
            }),
            Err(_) => {
                let device = block::name(directory);
                let sentence = text!("sokudo cannot see whether anybody has claimed {device}");
                let way_out = "run as root where /dev has the device";
                self.occupants.push(unseen(sentence, way_out));
            }
        }
    }

    /// Mounts of any of them: by device number, and by source, as btrfs has numbers
    /// of its own.
    fn mounted(&self) -> Vec<Occupant> {
        let Some(mounts) = Mounts::of(self.system) else {
            let sentence = "what is mounted is not seen (/proc/self/mountinfo)";
            return vec![unseen(sentence, "mount /proc (mount -t proc proc /proc)")];
        };
        let mut found = Vec::new();
        for mount in mounts.all() {
            let source = block::directory_of_source(self.system, &mount.source);
            for directory in &self.directories {
                let by_number =
                    system::text(directory.join("dev")).as_ref() == Some(&mount.device_number);
                if by_number || source.as_ref() == Some(directory) {
                    found.push(Occupant::Mounted {
                        device: block::name(directory),
                        at: mount.mount_point.display().to_string(),
                    });
                }
            }
        }
        found.extend(self.btrfs_members());
        found
    }

    /// Members of a mounted btrfs, of which its mount names only one.
    fn btrfs_members(&self) -> Vec<Occupant> {
        let mut found = Vec::new();
        for (uuid, members) in block::btrfs(self.system) {
            for member in members {
                let mut directories = self.directories.iter();
                if directories.any(|directory| block::name(directory) == member) {
                    found.push(Occupant::Holder {
                        device: member,
                        holder: text!("the mounted btrfs {uuid}"),
                    });
                }
            }
        }
        found
    }

    fn swapped(&self) -> Vec<Occupant> {
        let devices = swaps::devices(self.system)
            .into_iter()
            .filter(|directory| self.directories.contains(directory))
            .map(|directory| Text::name(block::name(&directory)));
        let files = swaps::files(self.system);
        let behind = self
            .files
            .iter()
            .filter(|backing| files.contains(&backing.file))
            .map(|backing| self.name_of(backing));
        devices
            .chain(behind)
            .map(|device| Occupant::Swap { device })
            .collect()
    }

    /// Loop devices that show the same: they claim nothing.
    fn shown(&self) -> Vec<Occupant> {
        let mut found = Vec::new();
        let others = self.loops.iter();
        for other in others.filter(|device| !self.ways.contains(&device.name)) {
            let by_device = self.directories.iter().map(|directory| {
                (
                    Text::name(block::name(directory)),
                    self.shows(other, directory),
                )
            });
            let by_file = self.files.iter().map(|backing| {
                let shows = match other.overlaps(&self.loops[backing.by]) {
                    true => other.shows_file(backing.file),
                    false => Shows::No,
                };
                (self.name_of(backing), shows)
            });
            for (what, shows) in by_device.chain(by_file) {
                let by = other.name.clone();
                match shows {
                    Shows::Yes => found.push(Occupant::Shown { what, by }),
                    Shows::Unknown => found.push(unseen(
                        text!("sokudo cannot see whether the loop device {by} is backed by {what}"),
                        without(&by),
                    )),
                    Shows::No => {}
                }
            }
        }
        found
    }

    fn shows(&self, device: &Loop, directory: &Path) -> Shows {
        let number = system::text(directory.join("dev")).unwrap_or_default();
        let sectors = system::number(directory.join("size")).unwrap_or_default();
        device.shows_device(&number, sectors.saturating_mul(SECTOR_BYTES))
    }

    /// What nobody else must have open for writing.
    fn wanted(&self) -> WatchedTargets {
        let mut wanted = WatchedTargets::default();
        for directory in &self.directories {
            if let Some(number) = system::text(directory.join("dev")) {
                wanted.add_device(&number, Text::name(block::name(directory)));
            }
        }
        for backing in &self.files {
            wanted.add_file(backing.file, self.name_of(backing));
        }
        wanted
    }

    /// Processes that have any of them open for writing, and not only for a moment: losetup
    /// opens every device that may be free.
    fn add_writers(&self, users: &mut Users) {
        let servers: Vec<u32> = self
            .directories
            .iter()
            .filter_map(|directory| server(self.system, directory))
            .collect();
        let look = || processes::writers(self.system, self.wanted(), &servers);
        let mut seen = look();
        for pause in closing_pauses().skip(1) {
            if seen.opened.is_empty() {
                break;
            }
            thread::sleep(pause);
            seen = look();
        }
        users.occupants.extend(seen.opened);
        users.occupants.extend(seen.unseen.map(|it| {
            let sentence = text!(
                "sokudo cannot see whether a program has it open for writing: {}",
                it.sentence
            );
            unseen(sentence, it.way_out)
        }));
        if seen.is_init_hidden {
            let sentence = "Whether the machine's first process (init) has the device open for writing is not seen: it may not be looked at";
            users.blind_spots.push(sentence.into());
        }
    }

    fn name_of(&self, backing: &LoopBackingFile) -> Text {
        text!("the file behind {}", self.loops[backing.by].name)
    }
}

/// What a disk is known by whatever path leads to it.
fn identifier(disk: &Path) -> Option<String> {
    ["device/wwid", "wwid", "backend"]
        .iter()
        .find_map(|file| system::text(disk.join(file)))
}

/// The process that serves a network block device (`pid` is that of one of its threads):
/// it has the device open, and is no other user.
fn server(system: &System, directory: &Path) -> Option<u32> {
    if !block::name(directory).starts_with("nbd") {
        return None;
    }
    let thread = system::number(block::disk(directory).join("pid"))?;
    let status = system.text(format!("proc/{thread}/status"))?;
    system::field(&status, "Tgid")?.parse().ok()
}

/// Somebody who may be there and cannot be seen.
pub(super) fn unseen(sentence: impl Into<Text>, way_out: impl Into<Text>) -> Occupant {
    Occupant::Unseen {
        sentence: sentence.into(),
        way_out: way_out.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::Machine;

    /// A machine with these disks of one MiB, whose numbers are of major 8, and no processes.
    fn machine(disks: &[(&str, u32)]) -> Machine {
        let machine =
            Machine::with(&[("proc/self/mountinfo", "1 0 0:1 / / rw - rootfs none rw\n")]);
        machine.in_namespace("pid:[4026531836]").process(1, "init");
        for (name, minor) in disks {
            machine.device(name, &format!("8:{minor}"), 1 << 20, &[]);
        }
        machine
    }

    impl Machine {
        fn users_of(&self, minor: u32) -> Vec<String> {
            let (_, users) = of_device(&self.system(), rustix::fs::makedev(8, minor));
            users.occupants.iter().map(ToString::to_string).collect()
        }
    }

    #[test]
    fn a_disk_that_nobody_uses_has_no_users() {
        assert_eq!(machine(&[("sda", 0)]).users_of(0), [""; 0]);
    }

    #[test]
    fn a_disk_that_is_mounted_by_another_path_is_in_use() {
        let machine = machine(&[("sda", 0), ("sdb", 16)]);
        machine.mount_at("/data", "8:16", "ext4 /dev/sdb rw");
        assert_eq!(machine.users_of(0), [""; 0]);
        for file in ["device/wwid", "backend"] {
            machine.write(&format!("sys/devices/sda/{file}"), "naa.5000\n");
            machine.write(&format!("sys/devices/sdb/{file}"), "naa.5000\n");
            let users = machine.users_of(0);
            let mounted = "sdb is mounted on /data".to_owned();
            assert!(users.contains(&mounted), "{users:?}");
        }
        machine.write("sys/devices/sdb/size", "4096\n");
        assert_eq!(machine.users_of(0), [""; 0], "another disk of a poor maker");
    }

    #[test]
    fn who_uses_a_member_of_an_array_uses_the_array() {
        let machine = machine(&[("sda", 0), ("md0", 5)]);
        machine.stands_on("md0", "sda");
        assert_eq!(machine.users_of(5), [""; 0]);
        machine.write("sys/class/block/loop3/loop/backing_file", "/dev/sda\n");
        machine.write("sys/class/block/loop3/loop/sizelimit", "0\n");
        machine.write("sys/class/block/loop3/size", "2048\n");
        let users = machine.users_of(5);
        let unknown = "sokudo cannot see whether the loop device loop3 is backed by sda".to_owned();
        assert!(users.contains(&unknown), "{users:?}");
        let used = "sda is used by md0".to_owned();
        assert!(machine.users_of(0).contains(&used));
    }

    #[test]
    fn the_server_of_a_network_block_device_is_none_of_its_users() {
        let machine = machine(&[("nbd0", 0), ("sda", 16)]);
        machine.write("proc/71/status", "Name:\tqemu-nbd\nTgid:\t70\n");
        for (name, expected) in [("nbd0", Some(70)), ("sda", None)] {
            let directory = format!("sys/devices/{name}");
            machine.write(&format!("{directory}/pid"), "71\n");
            let found = server(&machine.system(), &machine.path(&directory));
            assert_eq!(found, expected);
        }
    }
}
