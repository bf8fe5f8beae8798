//! The temperature that the kernel measures by itself (hwmon: the drivers `drivetemp` and
//! `nvme`), for those who may not ask the disk.

use std::path::{Path, PathBuf};

use sokudo_model::{BlockDeviceKind, TargetInfo};

use crate::block;
use crate::system::{self, System};

/// The sensors of the drives under a target, to be read while it is measured.
pub struct Thermometer {
    sensors: Vec<Sensor>,
}

struct Sensor {
    directory: PathBuf,
    /// It is asked beside the queues that I/O goes through. The driver of SATA disks asks with a
    /// command that waits for all others.
    is_aside: bool,
}

/// What goes on when a thermometer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoPhase {
    /// I/O is measured, and may not be disturbed.
    Measuring,
    /// Between measurements, where asking a drive disturbs nothing.
    Between,
}

/// What a thermometer says, in degrees Celsius.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reading {
    /// Of the hottest drive.
    pub celsius: i32,
    /// From where on that drive warns, and many slow down.
    pub warning: Option<i32>,
}

impl Thermometer {
    /// `None` where no drive of the target has a sensor that the kernel reads.
    pub fn find(system: &System, target: &TargetInfo) -> Option<Self> {
        let drives = drives(system, target);
        let sensors: Vec<Sensor> = drives.filter_map(|it| Sensor::of(&it)).collect();
        (!sensors.is_empty()).then_some(Self { sensors })
    }

    /// The hottest of those that may be read at that moment. It waits for the drives.
    pub fn read(&self, moment: IoPhase) -> Option<Reading> {
        let sensors = self.sensors.iter();
        let sensors = sensors.filter(|sensor| moment == IoPhase::Between || sensor.is_aside);
        sensors.filter_map(Sensor::read).max()
    }
}

impl Sensor {
    fn of(disk: &Path) -> Option<Self> {
        let name = disk.file_name()?.to_string_lossy();
        Some(Self {
            is_aside: name.starts_with("nvme"),
            directory: sensor(disk)?,
        })
    }

    fn read(&self) -> Option<Reading> {
        Some(Reading {
            celsius: degrees(&self.directory, "temp1_input")?,
            warning: degrees(&self.directory, "temp1_max"),
        })
    }
}

/// The directories of the drives under a target: what the kernel makes has no heat and no link.
pub(crate) fn drives(system: &System, target: &TargetInfo) -> impl Iterator<Item = PathBuf> {
    use BlockDeviceKind::{Disk, VirtualDisk};
    let leaves = target.leaves();
    let drives = leaves.filter(|leaf| matches!(leaf.kind, Disk | VirtualDisk));
    drives.filter_map(|leaf| block::directory_of_number(system, &leaf.number))
}

/// Degrees Celsius, and above which the disk warns.
pub(crate) fn temperature(directory: &Path) -> (Option<i32>, Option<i32>) {
    let sensor = sensor(directory);
    let degrees = |file| degrees(sensor.as_ref()?, file);
    (degrees("temp1_input"), degrees("temp1_max"))
}

fn degrees(sensor: &Path, file: &str) -> Option<i32> {
    thousandths(&system::text(sensor.join(file))?)
}

/// SCSI disks and newer NVMe drivers have it below `hwmon`, older NVMe drivers directly.
fn sensor(directory: &Path) -> Option<PathBuf> {
    let device = directory.join("device");
    let parents = [device.join("hwmon"), device];
    let mut sensors = parents.iter().flat_map(|parent| {
        let names = system::names(parent).into_iter();
        let names = names.filter(|name| name.starts_with("hwmon"));
        names.map(|name| parent.join(name))
    });
    sensors.find(|sensor| sensor.join("temp1_input").exists())
}

/// Thousandths of a degree, rounded; what no disk survives is not believed.
fn thousandths(text: &str) -> Option<i32> {
    let thousandths: i32 = text.parse().ok()?;
    let degrees = thousandths.checked_add(500)?.div_euclid(1000);
    (-60..=200).contains(&degrees).then_some(degrees)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::target_on;
    use crate::invented::Machine;

    #[test]
    fn a_thermometer_reads_the_hottest_and_disturbs_no_measurement() {
        let machine = Machine::new();
        let sata = "pci0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
        let nvme = "pci0/nvme/nvme0/nvme0n1";
        machine.device(
            sata,
            "8:0",
            1 << 30,
            &[("device/hwmon/hwmon1/temp1_input", "41000")],
        );
        let files = [
            ("device/hwmon2/temp1_input", "38850"),
            ("device/hwmon2/temp1_max", "81850"),
        ];
        machine.device(nvme, "259:0", 1 << 30, &files);
        let target = target_on(&[("sda", "8:0"), ("nvme0n1", "259:0")]);
        let thermometer = Thermometer::find(&machine.system(), &target).unwrap();
        let reading = |celsius, warning| Some(Reading { celsius, warning });
        assert_eq!(thermometer.read(IoPhase::Between), reading(41, None));
        assert_eq!(thermometer.read(IoPhase::Measuring), reading(39, Some(82)));
    }

    #[test]
    fn without_a_sensor_there_is_no_thermometer() {
        let machine = Machine::new();
        machine.device("pci0/block/sda", "8:0", 1 << 30, &[]);
        assert!(Thermometer::find(&machine.system(), &target_on(&[("sda", "8:0")])).is_none());
        assert!(Thermometer::find(&machine.system(), &target_on(&[])).is_none());
    }

    #[test]
    fn degrees_are_rounded_and_the_absurd_is_not_believed() {
        assert_eq!(thousandths("34850"), Some(35));
        assert_eq!(thousandths("-10000"), Some(-10));
        assert_eq!(thousandths("65261850"), None);
        assert_eq!(thousandths("2147483647"), None);
        assert_eq!(thousandths(""), None);
    }
}
