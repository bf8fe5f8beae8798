//! The drives under a target: what they are, how they are connected, how hot they are.
//! Each is asked in a thread of its own, and none is waited for longer than a bound.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sokudo_model::disk::{Disk, FlashWrites, Health, Identity};
use sokudo_model::{BlockDeviceKind, Bytes, DriveConditions, Heat, TargetInfo};
use sokudo_words::{Text, text};

use crate::block;
use crate::disk::{self, bus::numbered};
use crate::in_time;
use crate::system::{self, System};

/// Drives that are asked; the largest shelves hold about a hundred.
const DRIVES_MAX: usize = 128;

/// The drives at one time, by kernel name.
pub(super) struct Drives {
    seen: BTreeMap<String, Drive>,
    blind_spots: Vec<Text>,
}

struct Drive {
    disk: Disk,
    directory: PathBuf,
    moved: Option<Bytes>,
}

impl Drives {
    /// Looks at every drive at the bottom of the target.
    pub(super) fn look(system: &System, target: &TargetInfo, time_max: Duration) -> Self {
        let mut directories: Vec<PathBuf> = disk::drives(system, target).collect();
        let mut blind_spots = Vec::new();
        if directories.len() > DRIVES_MAX {
            blind_spots.push(text!(
                "of {} drives, only the first {DRIVES_MAX} were asked for their health",
                directories.len()
            ));
            directories.truncate(DRIVES_MAX);
        }
        let mut disks = ask_all(system, &directories, time_max, &mut blind_spots);
        let mut seen = BTreeMap::new();
        for (disk, directory) in disks.drain(..).zip(directories) {
            let moved = moved(&directory);
            let name = disk.name.clone();
            let drive = Drive {
                disk,
                directory,
                moved,
            };
            seen.insert(name, drive);
        }
        for device in &target.devices {
            let Some(directory) = (device.kind == BlockDeviceKind::Partition)
                .then(|| block::directory_of_number(system, &device.number))
                .flatten()
            else {
                continue;
            };
            if let Some(drive) = seen.get_mut(&block::name(&block::disk(&directory))) {
                drive.disk.contents.push(disk::bare_partition(&directory));
            }
        }
        Self { seen, blind_spots }
    }

    /// Descriptions of the drives, without identity, raw pages and SMART attributes.
    pub(super) fn into_disks(self) -> Vec<Disk> {
        self.seen
            .into_values()
            .map(|drive| bare(drive.disk))
            .collect()
    }

    /// The drives now, with their heat before; and what could not be seen.
    pub(super) fn since(mut self, before: &Self) -> (Vec<DriveConditions>, Vec<Text>) {
        for sentence in &before.blind_spots {
            if !self.blind_spots.contains(sentence) {
                self.blind_spots.push(sentence.clone());
            }
        }
        let drives = self
            .seen
            .into_iter()
            .map(|(name, drive)| (before.seen.get(&name), drive))
            .map(|(earlier, drive)| DriveConditions {
                before: earlier
                    .map(|drive| heat(&drive.disk.health))
                    .unwrap_or_default(),
                after: heat(&drive.disk.health),
                segments_max: system::number(drive.directory.join("queue/max_segments")),
                link_power: link_power(&drive.directory),
                runtime_power: system::text(drive.directory.join("device/power/control")),
                moved_before: earlier.and_then(|drive| drive.moved),
                flash_writes: flash_writes(earlier, &drive),
                disk: bare(drive.disk),
            })
            .collect();
        (drives, self.blind_spots)
    }
}

/// What a device has read and written (`Documentation/block/stat.rst`).
fn moved(directory: &Path) -> Option<Bytes> {
    let stat = system::text(directory.join("stat"))?;
    let field = |number| stat.split_whitespace().nth(number)?.parse::<u64>().ok();
    let sectors = field(2)?.saturating_add(field(6)?);
    Some(Bytes(sectors.saturating_mul(block::SECTOR_BYTES)))
}

/// Those that do not answer in time are told by what the kernel knows of them.
fn ask_all(
    system: &System,
    directories: &[PathBuf],
    time_max: Duration,
    blind_spots: &mut Vec<Text>,
) -> Vec<Disk> {
    let system_copy = system.clone();
    let found = in_time::all(directories, time_max, move |directory: &PathBuf| {
        disk::alone(&system_copy, directory, true)
    });
    let answered = |(disk, directory): (Option<Disk>, &PathBuf)| {
        disk.unwrap_or_else(|| {
            blind_spots.push(text!(
                "{} did not answer within {} s; it may be asleep",
                block::name(directory),
                time_max.as_secs()
            ));
            unanswered(system, directory, time_max)
        })
    };
    found.into_iter().zip(directories).map(answered).collect()
}

fn unanswered(system: &System, directory: &Path, time_max: Duration) -> Disk {
    let mut disk = disk::alone(system, directory, false);
    disk.health.unanswered_seconds = Some(time_max.as_secs());
    disk
}

fn flash_writes(before: Option<&Drive>, after: &Drive) -> Option<FlashWrites> {
    let before = before?.disk.health.flash_writes?;
    after.disk.health.flash_writes?.since(&before)
}

fn heat(health: &Health) -> Heat {
    Heat {
        temperature_celsius: health.temperature_celsius,
        warning_celsius: health.temperature_warning_celsius,
        warning_minutes: health.throttled_minutes,
        throttle_events: health.throttle_events,
        throttled_seconds: health.throttled_seconds,
    }
}

/// Without what fills pages and says nothing about a run.
fn bare(mut disk: Disk) -> Disk {
    disk.identity = Identity::default();
    disk.raw.clear();
    disk.health.attributes.clear();
    disk
}

/// The policy of the SATA port, which belongs to its host.
fn link_power(directory: &Path) -> Option<String> {
    let host = directory.ancestors().find(|ancestor| {
        let name = ancestor.file_name().unwrap_or_default().to_string_lossy();
        numbered(&name, "host")
    })?;
    let name = host.file_name()?;
    let class = host.join("scsi_host").join(name);
    system::text(class.join("link_power_management_policy"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::target_on;
    use crate::invented::Machine;

    const HOST: &str = "pci0/ata1/host0";
    const DISK: &str = "pci0/ata1/host0/target0:0:0/0:0:0:0/block/sda";

    /// A machine with a SATA disk `sda`, one partition and a sensor.
    fn machine(start: &str) -> Machine {
        let machine = Machine::new();
        let files = [
            ("queue/physical_block_size", "4096"),
            ("queue/max_segments", "168"),
            ("device/hwmon/hwmon1/temp1_input", "41000"),
            ("device/hwmon/hwmon1/temp1_max", "60000"),
            ("device/power/control", "auto"),
        ];
        machine.device(DISK, "8:0", 1 << 30, &files);
        let part = [("partition", "1"), ("start", start)];
        machine.device(&format!("{DISK}/sda1"), "8:1", 1 << 29, &part);
        let policy = "scsi_host/host0/link_power_management_policy";
        machine.write(&format!("sys/devices/{HOST}/{policy}"), "min_power\n");
        machine
    }

    /// The partition and its disk.
    fn partitioned() -> TargetInfo {
        let mut target = target_on(&[("sda1", "8:1"), ("sda", "8:0")]);
        target.devices[0].kind = BlockDeviceKind::Partition;
        target.devices[0].is_leaf = false;
        target
    }

    fn look(machine: &Machine, target: &TargetInfo) -> Drives {
        Drives::look(&machine.system(), target, Duration::from_secs(60))
    }

    #[test]
    fn a_drive_is_seen_before_and_after() {
        let (machine, target) = (machine("63"), partitioned());
        let before = look(&machine, &target);
        let sensor = format!("sys/devices/{DISK}/device/hwmon/hwmon1/temp1_input");
        machine.write(&sensor, "61000");
        let after = look(&machine, &target);
        let (drives, blind_spots) = after.since(&before);
        assert_eq!(blind_spots, [""; 0]);
        let [drive] = &drives[..] else {
            panic!("{drives:?}")
        };
        assert_eq!(drive.before.temperature_celsius, Some(41));
        assert_eq!(drive.after.temperature_celsius, Some(61));
        assert_eq!(drive.after.warning_celsius, Some(60));
        assert_eq!(drive.segments_max, Some(168));
        assert_eq!(drive.link_power.as_deref(), Some("min_power"));
        assert_eq!(drive.runtime_power.as_deref(), Some("auto"));
        assert_eq!(drive.disk.contents[0].remarks, ["not aligned to 4 KiB"]);
    }

    #[test]
    fn only_partitions_that_are_used_are_spoken_of() {
        let seen = look(&machine("63"), &target_on(&[("sda", "8:0")]));
        assert!(seen.seen["sda"].disk.contents.is_empty());
        let seen = look(&machine("2048"), &partitioned());
        assert!(seen.seen["sda"].disk.contents[0].remarks.is_empty());
    }

    #[test]
    fn a_drive_that_does_not_answer_in_time_is_told_by_the_kernel() {
        let target = target_on(&[("sda", "8:0")]);
        let seen = Drives::look(&machine("63").system(), &target, Duration::ZERO);
        assert_eq!(seen.seen.len(), 1);
        assert!(seen.blind_spots.len() <= 1, "{:?}", seen.blind_spots);
        let machine = machine("63");
        let directory = machine.path(&format!("sys/devices/{DISK}"));
        let silent = unanswered(&machine.system(), &directory, crate::DRIVE_TIME_MAX);
        assert_eq!(silent.health.unanswered_seconds, Some(4));
    }
}
