//! How fast the connection of a disk is: what was negotiated, what would be possible,
//! and what payload that carries once the coding of the line is subtracted.
//!
//! Coding by generation, from the standards: SATA and SAS to 12 Gbit/s send 8 bits as
//! 10 (Serial ATA 3.x, SPL-3), SAS of 22.5 Gbit/s 128 as 150 (SPL-4); PCI Express 1 and
//! 2 send 8 as 10, from 3 on 128 as 130, and from 6 on 236 bytes of each 256 (PCI Express
//! Base Specification); USB of 5 Gbit/s sends 8 as 10 and from 10 Gbit/s on 128 as 132
//! (USB 3.2), older ones send bits as they are. Frames, commands and acknowledgements
//! cost more on top, so that no disk reaches these figures.

use std::path::{Path, PathBuf};

use sokudo_model::disk::{Bus, Link};

use crate::disk::bus::{numbered, nvme_controllers};
use crate::system::{self, System};

/// The speed of one direction of a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Speed {
    /// Bits that each lane sends per second, coding included, in millions.
    megabits_per_s: f64,
    lanes: u32,
    coding: Coding,
}

/// Payload ÷ what is sent for it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Coding(f64);

impl Coding {
    const NONE: Self = Self(1.0);
    const EIGHT_IN_10: Self = Self(8.0 / 10.0);
    const SAS_4: Self = Self(128.0 / 150.0);
    const PCIE_3: Self = Self(128.0 / 130.0);
    const PCIE_6: Self = Self(236.0 / 256.0);
    const USB_3_1: Self = Self(128.0 / 132.0);
}

impl Speed {
    /// Payload bytes per second.
    #[expect(clippy::cast_possible_truncation, reason = "no link carries 2^64 B/s")]
    fn bytes_per_s(self) -> u64 {
        (self.megabits_per_s * 1e6 * f64::from(self.lanes) * self.coding.0 / 8.0) as u64
    }
}

/// A speed with the words for it.
#[derive(Clone, Debug, PartialEq)]
struct ReportedSpeed {
    text: String,
    speed: Speed,
}

impl ReportedSpeed {
    fn of(text: String, megabits_per_s: f64, lanes: u32, coding: Coding) -> Self {
        let speed = Speed {
            megabits_per_s,
            lanes,
            coding,
        };
        Self { text, speed }
    }
}

/// The link of the disk in this directory; `None` where sysfs tells nothing of it.
pub(crate) fn link(system: &System, directory: &Path, bus: Option<Bus>) -> Option<Link> {
    let bus = bus?;
    let (negotiated, maximum) = match bus {
        Bus::Ata => ata(system, directory)?,
        Bus::Sas => sas(directory)?,
        Bus::Nvme => pci_express(directory)?,
        Bus::Usb => usb(directory)?,
        _ => return None,
    };
    if negotiated.is_none() && maximum.is_none() {
        return None;
    }
    Some(Link {
        negotiated_bytes_per_s: negotiated
            .as_ref()
            .map(|reported| reported.speed.bytes_per_s()),
        maximum_bytes_per_s: maximum
            .as_ref()
            .map(|reported| reported.speed.bytes_per_s()),
        drive_maximum: drive_maximum(directory, bus, maximum.as_ref()),
        protocol: (bus == Bus::Usb).then(|| usb_protocol(directory)).flatten(),
        controller: controller(directory),
        negotiated: negotiated.map(|reported| reported.text),
        maximum: maximum.map(|reported| reported.text),
    })
}

/// What an NVMe drive can do, where that is more than its port can.
fn drive_maximum(directory: &Path, bus: Bus, both: Option<&ReportedSpeed>) -> Option<String> {
    if bus != Bus::Nvme {
        return None;
    }
    let (gigatransfers, width) = lanes(&nvme_function(directory)?, "max")?;
    let own = pci_speed(gigatransfers, width);
    (own.speed.bytes_per_s() > both?.speed.bytes_per_s()).then_some(own.text)
}

/// What a PCI function's own link carries now, with the words for it.
pub(crate) fn pci_function(device: &Path) -> Option<(String, u64)> {
    let (gigatransfers, width) = lanes(device, "current")?;
    Some(labelled_rate(pci_speed(gigatransfers, width)))
}

/// What a USB device, a hub or a bus carries.
pub(crate) fn usb_device(device: &Path) -> Option<(String, u64)> {
    let megabits = positive(&system::text(device.join("speed"))?)?;
    Some(labelled_rate(usb_speed(megabits)))
}

/// What the SATA port of a disk carries.
pub(crate) fn sata_port(system: &System, directory: &Path) -> Option<(String, u64)> {
    ata(system, directory)?.0.map(labelled_rate)
}

fn labelled_rate(speed: ReportedSpeed) -> (String, u64) {
    (speed.text, speed.speed.bytes_per_s())
}

/// The driver of the interface of mass storage: `uas` or `usb-storage`.
fn usb_protocol(directory: &Path) -> Option<String> {
    let interface = directory
        .ancestors()
        .find(|ancestor| ancestor.join("bInterfaceClass").exists())?;
    driver(interface)
}

/// The driver of the nearest PCI function above.
fn controller(directory: &Path) -> Option<String> {
    let function = directory
        .ancestors()
        .find(|ancestor| ancestor.join("class").is_file() && ancestor.join("vendor").is_file())?;
    driver(function)
}

pub(crate) fn driver(device: &Path) -> Option<String> {
    let name = device.join("driver").canonicalize().ok()?;
    Some(name.file_name()?.to_str()?.to_owned())
}

/// What SATA of this generation carries: the maximum of a drive, as it says itself.
pub(crate) fn sata_generation(generation: u8) -> Option<(String, u64)> {
    let gigabits = match generation {
        1 => "1.5 Gbit",
        2 => "3.0 Gbit",
        3 => "6.0 Gbit",
        _ => return None,
    };
    gigabit(gigabits, sas_coding).map(labelled_rate)
}

type Ends = (Option<ReportedSpeed>, Option<ReportedSpeed>);

/// libata keeps a directory per link, with `sata_spd` and what the port could do
/// (`hw_sata_spd_limit`). Behind a port multiplier there are several, numbered by channel.
fn ata(system: &System, directory: &Path) -> Option<Ends> {
    let port = components(directory).find_map(|part| {
        numbered(&part, "ata").then(|| part.trim_start_matches("ata").to_owned())
    })?;
    let channel = components(directory).find_map(|part| {
        part.strip_prefix("target")?
            .split(':')
            .nth(1)
            .map(str::to_owned)
    });
    let class = system.path("sys/class/ata_link");
    let names = [
        channel.map(|channel| format!("link{port}.{channel}")),
        Some(format!("link{port}")),
    ];
    let link_directory = names
        .into_iter()
        .flatten()
        .map(|name| class.join(name))
        .find(|candidate| candidate.is_dir())?;
    let read_speed = |file: &str| gigabit(&system::text(link_directory.join(file))?, sas_coding);
    Some((read_speed("sata_spd"), read_speed("hw_sata_spd_limit")))
}

/// A SAS disk hangs below a port, which is made of one or several phys.
fn sas(directory: &Path) -> Option<Ends> {
    let port = directory.ancestors().find_map(|ancestor| {
        let name = ancestor.file_name()?.to_str()?;
        name.starts_with("end_device-").then(|| ancestor.parent())?
    })?;
    let phys: Vec<PathBuf> = system::names(port)
        .into_iter()
        .filter(|name| name.starts_with("phy-"))
        .map(|name| port.join(&name).join("sas_phy").join(name))
        .collect();
    let read_speed = |file: &str| {
        let mut lanes = phys
            .iter()
            .filter_map(|phy| gigabit(&system::text(phy.join(file))?, sas_coding));
        let first = lanes.next()?;
        let width = lanes
            .filter(|reported| reported.speed == first.speed)
            .count()
            + 1;
        Some(wide(first, u32::try_from(width).unwrap_or(1)))
    };
    Some((
        read_speed("negotiated_linkrate"),
        read_speed("maximum_linkrate"),
    ))
}

fn wide(mut reported: ReportedSpeed, lanes: u32) -> ReportedSpeed {
    if lanes > 1 {
        reported.text = format!("{} x{lanes}", reported.text);
        reported.speed.lanes = lanes;
    }
    reported
}

/// The maximum is what both the drive and the port above it can do.
fn pci_express(directory: &Path) -> Option<Ends> {
    let device = nvme_function(directory)?;
    let negotiated = lanes(&device, "current");
    let own = lanes(&device, "max");
    let above = device.parent().and_then(|port| lanes(port, "max"));
    let maximum = match (own, above) {
        (Some(own), Some(above)) => {
            let speed = own.0.min(above.0);
            Some((speed, own.1.min(above.1)))
        }
        (own, above) => own.or(above),
    };
    let speed_of = |(gigatransfers, lanes)| pci_speed(gigatransfers, lanes);
    Some((negotiated.map(speed_of), maximum.map(speed_of)))
}

/// The PCI function of an NVMe disk: of its controller or, where a namespace has several
/// paths, of the first.
pub(crate) fn nvme_function(directory: &Path) -> Option<PathBuf> {
    nvme_controllers(directory)
        .filter_map(|controller| controller.join("device").canonicalize().ok())
        .find(|function| function.join("current_link_speed").exists())
}

/// Giga-transfers per second and lanes, of `8.0 GT/s PCIe` and `4`.
fn lanes(device: &Path, which: &str) -> Option<(f64, u32)> {
    let speed = system::text(device.join(format!("{which}_link_speed")))?;
    let gigatransfers = positive(speed.split_whitespace().next()?)?;
    let width = system::number(device.join(format!("{which}_link_width")))?;
    let width = u32::try_from(width)
        .ok()
        .filter(|width| (1..=32).contains(width))?;
    Some((gigatransfers, width))
}

fn pci_speed(gigatransfers: f64, lanes: u32) -> ReportedSpeed {
    let coding = match gigatransfers {
        slow if slow < 6.0 => Coding::EIGHT_IN_10,
        middle if middle < 48.0 => Coding::PCIE_3,
        _ => Coding::PCIE_6,
    };
    let text = format!("{gigatransfers:.1} GT/s x{lanes}");
    ReportedSpeed::of(text, gigatransfers * 1e3, lanes, coding)
}

/// The device, not the interface below it, has a `speed` in Mbit/s. What it could do at
/// another port sysfs does not say.
fn usb(directory: &Path) -> Option<Ends> {
    let megabits = directory
        .ancestors()
        .find_map(|ancestor| positive(&system::text(ancestor.join("speed"))?))?;
    Some((Some(usb_speed(megabits)), None))
}

fn usb_speed(megabits: f64) -> ReportedSpeed {
    let coding = match megabits {
        slow if slow < 4_000.0 => Coding::NONE,
        first if first < 8_000.0 => Coding::EIGHT_IN_10,
        _ => Coding::USB_3_1,
    };
    let text = if megabits < 1_000.0 {
        format!("{megabits} Mbit/s")
    } else {
        format!("{:.1} Gbit/s", megabits / 1e3)
    };
    ReportedSpeed::of(text, megabits, 1, coding)
}

/// `6.0 Gbps` as ATA writes it, `12.0 Gbit` as SAS does; `<unknown>` is nothing.
fn gigabit(text: &str, coding: fn(f64) -> Coding) -> Option<ReportedSpeed> {
    let gigabits = positive(text.split_whitespace().next()?)?;
    let text = format!("{gigabits:.1} Gbit/s");
    Some(ReportedSpeed::of(text, gigabits * 1e3, 1, coding(gigabits)))
}

fn sas_coding(gigabits: f64) -> Coding {
    if gigabits < 20.0 {
        Coding::EIGHT_IN_10
    } else {
        Coding::SAS_4
    }
}

/// A number above zero that a link can have.
fn positive(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (number > 0.0 && number < 1e6).then_some(number)
}

fn components(directory: &Path) -> impl Iterator<Item = String> {
    directory
        .components()
        .map(|component| component.as_os_str().to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payload_is_what_coding_leaves() {
        let of = |reported: ReportedSpeed| reported.speed.bytes_per_s();
        assert_eq!(of(gigabit("6.0 Gbps", sas_coding).unwrap()), 600_000_000);
        assert_eq!(of(gigabit("12.0 Gbit", sas_coding).unwrap()), 1_200_000_000);
        assert_eq!(of(gigabit("22.5 Gbit", sas_coding).unwrap()), 2_400_000_000);
        assert_eq!(of(pci_speed(2.5, 1)), 250_000_000);
        assert_eq!(of(pci_speed(5.0, 4)), 2_000_000_000);
        assert_eq!(of(pci_speed(8.0, 4)), 3_938_461_538);
        assert_eq!(of(pci_speed(16.0, 4)), 7_876_923_076);
        assert_eq!(of(pci_speed(64.0, 4)), 29_500_000_000);
        assert_eq!(sata_generation(3), Some(("6.0 Gbit/s".into(), 600_000_000)));
        assert_eq!(sata_generation(9), None);
    }

    #[test]
    fn what_is_no_speed_is_unknown() {
        for text in ["<unknown>", "Unknown", "", "-1", "nan", "inf", "1e99", "0"] {
            assert_eq!(gigabit(text, sas_coding), None, "{text}");
        }
    }

    #[test]
    fn usb_speeds_are_those_of_the_device() {
        let root = tempfile::tempdir().unwrap();
        let disk = root.path().join("2-1/2-1:1.0/host6/block/sdb");
        std::fs::create_dir_all(&disk).unwrap();
        for (speed, text, bytes) in [
            ("480", "480 Mbit/s", 60_000_000),
            ("5000", "5.0 Gbit/s", 500_000_000),
            ("10000", "10.0 Gbit/s", 1_212_121_212),
            ("12", "12 Mbit/s", 1_500_000),
        ] {
            std::fs::write(root.path().join("2-1/speed"), speed).unwrap();
            let link = link(&System::host(), &disk, Some(Bus::Usb)).unwrap();
            assert_eq!(link.negotiated.as_deref(), Some(text));
            assert_eq!(link.negotiated_bytes_per_s, Some(bytes));
            assert_eq!(link.maximum, None);
        }
    }
}
