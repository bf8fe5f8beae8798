//! The disks of a machine and all that is known of each: what `sokudo info` shows.
//!
//! sysfs, udev and the mount table are read at once; a disk itself is asked in a thread of
//! its own, and no longer than a few seconds, so that one that sleeps or hangs does not
//! hide the others.

pub(crate) mod bus;
mod contents;
pub(crate) mod link;
mod slot;
mod stacked;
mod system_snapshot;
mod temperature;
pub(crate) mod udev;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sokudo_model::disk::{Bus, Content, Disk, Identity, Link, Rotation};
use sokudo_model::{BlockDevice, BlockDeviceKind, Bytes};
use sokudo_words::text;

use crate::interrogate::{Interrogation, interrogate};
use crate::system::{self, System};
use crate::{ata, block, in_time, queue};

pub(crate) use contents::bare_partition;
use contents::{ReadPolicy, Recognised, Tree};
use system_snapshot::MachineEnvironment;
pub(crate) use temperature::drives;
pub use temperature::{IoPhase, Reading, Thermometer};
use udev::UdevRecord;

/// How long all disks together may take to answer. One that sleeps needs up to some ten
/// seconds to spin up; whoever wants to wait for it names it.
const OVERVIEW_TIME_MAX: Duration = Duration::from_secs(4);
/// How long a disk that was named may take: the kernel itself gives a command up after
/// 30 s.
const NAMED_TIME_MAX: Duration = Duration::from_secs(40);
/// Hexadecimal digits of a page on one line would be endless; this many bytes make one.
const RAW_LINE_BYTES: usize = 16;

/// Why a disk cannot be described.
#[derive(Debug, sokudo_words::Error)]
pub enum DiskError {
    /// sysfs does not list it.
    #[error("{path} is not a block device that the kernel lists; `sokudo info` shows those that it does", path = .0.display())]
    Unlisted(PathBuf),
}

/// Every whole disk that the kernel lists, in the order of their names. Left out is what
/// stands on other disks, which is shown there, and what is empty: loop devices without a
/// file, network and memory disks without a size.
pub fn disks(system: &System) -> Vec<Disk> {
    let surroundings = Arc::new(MachineEnvironment::of(system));
    let directories = disk_directories(system);
    ask_all(
        &surroundings,
        &directories,
        ReadPolicy::WhereUdevIsSilent,
        OVERVIEW_TIME_MAX,
    )
}

/// The same disks by what the kernel and udev know of them: none is asked.
pub fn listed(system: &System) -> Vec<Disk> {
    Listed::of(system).disks
}

/// The disk at `path`, or the disk of which it is a part, or the device made of disks.
///
/// # Errors
/// If sysfs lists no such block device.
pub fn disk(system: &System, path: &Path) -> Result<Disk, DiskError> {
    let unlisted = || DiskError::Unlisted(path.to_owned());
    let directory = block::directory_of_path(system, path).ok_or_else(unlisted)?;
    let surroundings = Arc::new(MachineEnvironment::of(system));
    let found = ask_all(
        &surroundings,
        &[block::disk(&directory)],
        ReadPolicy::Always,
        NAMED_TIME_MAX,
    );
    found.into_iter().next().ok_or_else(unlisted)
}

/// What is on the device at `path`, which may be a partition or stand on others: the
/// device itself with its contents.
///
/// # Errors
/// If sysfs lists no such block device.
pub fn content(system: &System, path: &Path) -> Result<Content, DiskError> {
    let directory = block::directory_of_path(system, path)
        .ok_or_else(|| DiskError::Unlisted(path.to_owned()))?;
    let surroundings = MachineEnvironment::of(system);
    let mut tree = Tree::new(&surroundings, Recognised::default(), ReadPolicy::Always);
    Ok(if block::is_partition(&directory) {
        tree.partition(&directory, 0)
    } else {
        tree.stacked(&directory, 0)
    })
}

/// What is told of every disk without asking it, for looking one up.
pub(crate) struct Listed {
    pub(crate) disks: Vec<Disk>,
    pub(crate) surroundings: MachineEnvironment,
}

impl Listed {
    pub(crate) fn of(system: &System) -> Self {
        let surroundings = MachineEnvironment::of(system);
        let disks = disk_directories(system)
            .iter()
            .map(|directory| facts(system, Some(&surroundings), directory))
            .collect();
        Self {
            disks,
            surroundings,
        }
    }
}

fn disk_directories(system: &System) -> Vec<PathBuf> {
    let is_whole = |it: &PathBuf| it.join("dev").exists() && !block::is_partition(it);
    let found = block::all(system).filter(is_whole);
    let mut found: Vec<PathBuf> = found.filter(|it| !is_empty(it)).collect();
    // sda … sdz come before sdaa.
    found.sort_by_cached_key(|it| it.file_name().map(|name| (name.len(), name.to_owned())));
    found
}

/// Whether a device is left out of the list. A drive without a medium is a disk, and one
/// that stands on others is shown on them.
fn is_empty(directory: &Path) -> bool {
    let name = block::name(directory);
    let has_size = block::size(directory).is_some_and(|size| size.0 > 0);
    let stands_on_others = !system::names(directory.join("slaves")).is_empty();
    let is_used = || !system::names(directory.join("holders")).is_empty();
    if name.starts_with("ram") {
        return !is_used();
    }
    let is_made = ["loop", "zram", "nbd", "dm-", "md"]
        .iter()
        .any(|driver| bus::numbered(&name, driver));
    stands_on_others || (is_made && !has_size)
}

/// Those that do not answer in time are told by what the kernel knows of them.
fn ask_all(
    surroundings: &Arc<MachineEnvironment>,
    directories: &[PathBuf],
    reading: ReadPolicy,
    time_max: Duration,
) -> Vec<Disk> {
    let recognised = Recognised::default();
    let environment = surroundings.clone();
    let found = in_time::all(directories, time_max, move |directory: &PathBuf| {
        whole(&environment, directory, recognised.clone(), reading)
    });
    found
        .into_iter()
        .zip(directories)
        .map(|(disk, directory)| {
            disk.unwrap_or_else(|| unanswered(surroundings, directory, time_max))
        })
        .collect()
}

fn unanswered(surroundings: &MachineEnvironment, directory: &Path, time_max: Duration) -> Disk {
    let recognised = Recognised::default();
    let mut disk = whole(surroundings, directory, recognised, ReadPolicy::Never);
    let sentence = text!(
        "{} did not answer within {} s; it may sleep or hang: name it to wait longer",
        disk.name,
        time_max.as_secs()
    );
    disk.blind_spots.insert(0, sentence);
    disk
}

/// What is known of the disk in this directory of sysfs, without what is on it; itself
/// asked only if `asked`.
pub(crate) fn alone(system: &System, directory: &Path, is_interrogated: bool) -> Disk {
    described(system, None, directory, is_interrogated)
}

fn described(
    system: &System,
    surroundings: Option<&MachineEnvironment>,
    directory: &Path,
    is_interrogated: bool,
) -> Disk {
    let mut disk = facts(system, surroundings, directory);
    if is_interrogated && disk.bus != Some(Bus::Kernel) {
        let answers = interrogate(system, Path::new(&disk.path));
        add_answers(&mut disk, answers);
    }
    disk
}

/// Everything about one disk, itself asked unless nothing is to be read.
fn whole(
    surroundings: &MachineEnvironment,
    directory: &Path,
    recognised: Recognised,
    reading: ReadPolicy,
) -> Disk {
    let is_interrogated = reading != ReadPolicy::Never;
    let mut disk = described(
        &surroundings.system,
        Some(surroundings),
        directory,
        is_interrogated,
    );
    let mut tree = Tree::new(surroundings, recognised, reading);
    disk.contents = tree.of_disk(directory);
    disk.blind_spots.append(&mut tree.blind_spots);
    disk
}

/// What the kernel and udev know, without asking the disk.
fn facts(system: &System, surroundings: Option<&MachineEnvironment>, directory: &Path) -> Disk {
    let device = block::describe(directory);
    let record = UdevRecord::of(system, &device.number);
    let text = |file: &str| system::text(directory.join(file));
    let bus = bus::bus(directory);
    let serial = serial(directory, &device, &record);
    let name_in_serial = device.serial.filter(|it| is_world_wide_name(it));
    let links = match surroundings.map_or(&[][..], |it| it.links(&device.name)) {
        [] => &record.links[..],
        links => links,
    };
    let (temperature, temperature_warning) = temperature::temperature(directory);
    let mut disk = Disk {
        path: format!("/dev/{}", device.name),
        links: links
            .iter()
            .filter(|link| link.starts_with("/dev/disk/"))
            .cloned()
            .collect(),
        kind: device.kind,
        vendor: vendor(directory, &record),
        model: record.decoded("ID_MODEL_ENC").or(device.model),
        serial,
        slot: slot::slot(system, directory),
        firmware: text("device/firmware_rev")
            .or_else(|| text("device/rev"))
            .or_else(|| text("device/fwrev")),
        world_wide_name: text("device/wwid")
            .or_else(|| text("wwid"))
            .or(name_in_serial)
            .or_else(|| record.property("ID_WWN").map(str::to_owned)),
        size_bytes: device.size_bytes,
        logical_block_bytes: device.logical_block_bytes,
        physical_block_bytes: device.physical_block_bytes,
        bus,
        link: link::link(system, directory, bus),
        rotation: rotation(device.rotational, device.kind),
        form_factor: None,
        zoned: text("queue/zoned"),
        removable: system::flag(directory.join("removable")),
        read_only: system::flag(directory.join("ro")),
        write_cache: sokudo_model::disk::WriteCache {
            kernel_view: device.write_cache,
            ..Default::default()
        },
        read_look_ahead: None,
        queue: queue::queue(directory),
        health: sokudo_model::disk::Health {
            temperature_celsius: temperature,
            temperature_warning_celsius: temperature_warning,
            ..Default::default()
        },
        identity: Identity::default(),
        contents: Vec::new(),
        raw: Default::default(),
        blind_spots: Vec::new(),
        name: device.name,
        number: device.number,
    };
    if let Some(file) = device.backing_file {
        disk.model.get_or_insert(file);
    }
    disk
}

/// SCSI's vendor of ATA disks is the word ATA, and virtio's a number.
fn vendor(directory: &Path, record: &UdevRecord) -> Option<String> {
    system::text(directory.join("device/vendor"))
        .or_else(|| record.decoded("ID_VENDOR_ENC"))
        .filter(|vendor| vendor != "ATA" && !vendor.starts_with("0x"))
}

fn is_world_wide_name(text: &str) -> bool {
    ["naa.", "eui.", "t10.", "uuid.", "nvme."]
        .iter()
        .any(|prefix| text.starts_with(prefix))
}

/// The serial number of the disk in this directory of sysfs.
pub(crate) fn serial(
    directory: &Path,
    device: &BlockDevice,
    record: &UdevRecord,
) -> Option<String> {
    let kernel_serial = device.serial.clone();
    kernel_serial
        .filter(|serial| !is_world_wide_name(serial))
        .or_else(|| record.property("ID_SERIAL_SHORT").map(str::to_owned))
        .or_else(|| usb_serial(directory, bus::bus(directory)))
}

/// Where a stick's SCSI side tells no serial number, its USB side does.
fn usb_serial(directory: &Path, bus: Option<Bus>) -> Option<String> {
    if bus != Some(Bus::Usb) {
        return None;
    }
    let device = directory
        .ancestors()
        .find(|ancestor| ancestor.join("idVendor").exists())?;
    system::text(device.join("serial"))
}

/// The kernel's flag has no word for "unknown": it takes what does not say otherwise for
/// a rotating disk, and disks of virtual machines seldom do.
fn rotation(rotational: Option<bool>, kind: BlockDeviceKind) -> Rotation {
    match rotational {
        Some(false) => Rotation::None,
        Some(true) if kind == BlockDeviceKind::Disk => Rotation::Turns,
        _ => Rotation::Unknown,
    }
}

/// What the disk itself says is better than what the kernel has cut short.
fn add_answers(disk: &mut Disk, answers: Interrogation) {
    let sensor = (
        disk.health.temperature_celsius,
        disk.health.temperature_warning_celsius,
    );
    disk.health = answers.health;
    disk.health.temperature_celsius = disk.health.temperature_celsius.or(sensor.0);
    disk.health.temperature_warning_celsius = disk.health.temperature_warning_celsius.or(sensor.1);
    let kernel_view = disk.write_cache.kernel_view.take();
    disk.write_cache = answers.write_cache;
    if disk.write_cache.kernel_view.is_none() {
        disk.write_cache.kernel_view = kernel_view;
    }
    disk.read_look_ahead = answers.read_look_ahead;
    disk.identity = answers.identity;
    disk.raw = answers
        .raw
        .into_iter()
        .map(|(name, bytes)| (name, hexadecimal(&bytes)))
        .collect();
    disk.blind_spots.extend(answers.blind_spots);
    add_identity(disk);
}

fn hexadecimal(bytes: &[u8]) -> String {
    let lines = bytes.chunks(RAW_LINE_BYTES).map(|line| {
        let digits: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        digits.join(" ")
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn add_identity(disk: &mut Disk) {
    let Identity {
        scsi, nvme, ata, ..
    } = disk.identity.clone();
    if let Some(scsi) = scsi {
        add_physics(disk, scsi.rotation_rate, scsi.form_factor, scsi.zoned);
        disk.serial = scsi.serial.and_then(non_empty).or(disk.serial.take());
    }
    if let Some(nvme) = nvme {
        let controller = nvme.controller;
        add_names(
            disk,
            [controller.model, controller.serial, controller.firmware],
        );
        disk.rotation = Rotation::None;
    }
    if let Some(ata) = ata {
        add_names(disk, [ata.model, ata.serial, ata.firmware]);
        if disk.world_wide_name.is_none() {
            disk.world_wide_name = ata.world_wide_name.map(|name| format!("naa.{name:016x}"));
        }
        add_physics(
            disk,
            Some(ata.rotation_rate),
            Some(ata.form_factor),
            ata.zoned,
        );
        if disk.bus == Some(Bus::Ata) {
            limit_link(disk, ata.sata_generation_max);
        }
    }
}

/// Model, serial number and firmware.
fn add_names(disk: &mut Disk, names: [String; 3]) {
    let fields = [&mut disk.model, &mut disk.serial, &mut disk.firmware];
    for (field, name) in fields.into_iter().zip(names) {
        *field = non_empty(name).or(field.take());
    }
}

fn non_empty(text: String) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Codes of ACS-4 (words 217 and 168) and SBC-4 (VPD page B1h), which are the same.
fn add_physics(disk: &mut Disk, rate: Option<u16>, factor: Option<u8>, zoned: Option<String>) {
    match rate.map_or(Rotation::Unknown, ata::rotation) {
        Rotation::Unknown => {}
        known => disk.rotation = known,
    }
    let factor = factor.and_then(ata::form_factor).map(str::to_owned);
    disk.form_factor = factor.or(disk.form_factor.take());
    disk.zoned = disk.zoned.take().or(zoned);
}

/// The port's maximum is the connection's only if the drive can do as much.
fn limit_link(disk: &mut Disk, generation: Option<u8>) {
    let Some((text, bytes_per_s)) = generation.and_then(link::sata_generation) else {
        return;
    };
    let link = disk.link.get_or_insert_with(Link::default);
    if link
        .maximum_bytes_per_s
        .is_none_or(|most| bytes_per_s < most)
    {
        link.maximum = Some(text);
        link.maximum_bytes_per_s = Some(bytes_per_s);
    }
}

/// A size for people, in powers of 1000, as disks are sold.
pub(crate) fn decimal_size(Bytes(bytes): Bytes) -> String {
    const UNITS: [(f64, &str); 4] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let bytes = bytes as f64;
    let (scale, unit) = UNITS
        .into_iter()
        .find(|(scale, _)| bytes >= *scale)
        .unwrap_or((1.0, "B"));
    let decimals = usize::from(scale > 1.0 && bytes / scale < 9.95);
    format!("{:.decimals$} {unit}", bytes / scale)
}
