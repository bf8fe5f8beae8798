//! Pages recorded from the disks of a QEMU machine, and what hdparm, nvme-cli, sg3-utils
//! and smartctl said of the same disks in the same minute.

use sokudo_device::{ata, nvme, scsi, smart};
use sokudo_model::Bytes;
use sokudo_model::disk::{HealthState, ScsiIdentity};

use crate::page;

fn text(name: &str) -> String {
    String::from_utf8(page(name)).unwrap()
}

/// What a tool printed after `label` in its first line that begins so.
fn said(text: &str, label: &str) -> String {
    let line = text
        .lines()
        .find_map(|line| line.trim().strip_prefix(label));
    let value = line.unwrap().trim_start_matches([' ', '\t', ':', '=']);
    value.trim().to_owned()
}

/// The number that begins it, without separators.
fn number(text: &str) -> u64 {
    let digits: String = text
        .chars()
        .filter(|c| *c != ',')
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap()
}

#[test]
fn an_ata_disk_is_as_hdparm_shows_it() {
    let disk = ata::identity(&page("qemu-ide.identify")).unwrap();
    let hdparm = text("qemu-ide.hdparm.txt");
    assert_eq!(disk.model, said(&hdparm, "Model Number:"));
    assert_eq!(disk.serial, said(&hdparm, "Serial Number:"));
    assert_eq!(disk.firmware, said(&hdparm, "Firmware Revision:"));
    assert_eq!(
        disk.sectors,
        number(&said(&hdparm, "LBA48  user addressable sectors:"))
    );
    let logical = number(&said(&hdparm, "Logical  Sector size:"));
    assert_eq!(u64::from(disk.logical_sector_bytes), logical);
    let physical = number(&said(&hdparm, "Physical Sector size:"));
    assert_eq!(u64::from(disk.physical_sector_bytes), physical);
    let rate = number(&said(&hdparm, "Nominal Media Rotation Rate:"));
    assert_eq!(u64::from(disk.rotation_rate), rate);
    let depth = number(&said(&hdparm, "Queue depth:"));
    assert_eq!(disk.queue_depth.map(u64::from), Some(depth));
    let cache_kib = number(&said(&hdparm, "cache/buffer size  ="));
    assert_eq!(disk.cache_bytes, Some(cache_kib * 1024));
    assert!(hdparm.contains("*udma5"));
    assert_eq!((disk.ultra_dma, disk.ultra_dma_max), (Some(5), Some(5)));
    assert_eq!(disk.write_cache, Some(true));
    // hdparm lists no look-ahead, so nothing is known of one.
    assert_eq!(disk.read_look_ahead, None);
}

#[test]
fn the_features_of_an_ata_disk_are_those_that_hdparm_lists() {
    let disk = ata::identity(&page("qemu-ide.identify")).unwrap();
    let hdparm = text("qemu-ide.hdparm.txt");
    let listed: Vec<(String, bool)> = hdparm
        .lines()
        .skip_while(|line| !line.starts_with("Commands/features:"))
        .skip(2)
        .take_while(|line| line.starts_with('\t'))
        .map(|line| {
            let name = line.trim().trim_start_matches(['*', '\t']).trim();
            (name.to_owned(), line.contains('*'))
        })
        .collect();
    assert_eq!(listed.len(), 7);
    for (name, is_on) in listed {
        let found = disk.features.iter().find(|(feature, _)| *feature == name);
        let (_, enabled) = found.unwrap();
        assert!(enabled.unwrap_or(true) == is_on, "{name}");
    }
}

#[test]
fn the_attributes_of_an_ata_disk_are_those_that_smartctl_prints() {
    let data = page("qemu-ide.smart-data");
    let thresholds = page("qemu-ide.smart-thresholds");
    let attributes = smart::attributes(&data, Some(&thresholds)).unwrap();
    let smartctl = text("qemu-ide.smartctl.txt");
    let lines: Vec<Vec<&str>> = smartctl
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.first().is_some_and(|word| word.parse::<u8>().is_ok()))
        .collect();
    assert_eq!(lines.len(), attributes.len());
    for (words, attribute) in lines.iter().zip(&attributes) {
        assert_eq!(words[0].parse(), Ok(attribute.id));
        assert_eq!(words[1], attribute.name);
        assert_eq!(words[3].parse(), Ok(attribute.value));
        assert_eq!(words[4].parse(), Ok(attribute.worst));
        assert_eq!(words[5].parse().ok(), attribute.threshold);
        if words.len() == 8 {
            assert_eq!(words[7].parse(), Ok(attribute.raw));
        }
    }
    let health = smart::health(attributes, Some(false));
    assert_eq!(health.state, HealthState::Good);
    assert_eq!(health.temperature_celsius, Some(31));
    assert_eq!(health.power_on_hours, Some(1));
}

#[test]
fn page_89h_holds_the_ata_disk() {
    let page = page("qemu-ide.vpd89");
    let disk = ata::identity(scsi::ata_identify(&page).unwrap()).unwrap();
    assert_eq!(disk.model, "QEMU HARDDISK");
    let inquiry = scsi::identity(&self::page("qemu-ide.inquiry")).unwrap();
    assert_eq!(inquiry.vendor, "ATA");
}

#[test]
fn an_nvme_namespace_is_as_nvme_cli_shows_it() {
    let namespace = nvme::namespace(&page("qemu-nvme.namespace"), 1).unwrap();
    let nvme_cli = text("qemu-nvme.id-ns.txt");
    let hexadecimal = |label| {
        let value = said(&nvme_cli, label);
        u64::from_str_radix(value.trim_start_matches("0x"), 16).unwrap()
    };
    assert_eq!(namespace.size_blocks, hexadecimal("nsze"));
    assert_eq!(namespace.capacity_blocks, hexadecimal("ncap"));
    assert_eq!(namespace.used_blocks, hexadecimal("nuse"));
    let formats: Vec<(u32, u16, bool)> = nvme_cli
        .lines()
        .filter(|line| line.starts_with("LBA Format"))
        .map(|line| {
            let after = |label: &str| number(line.split(label).nth(1).unwrap().trim());
            let data = u32::try_from(after("Data Size:")).unwrap();
            let metadata = u16::try_from(after("Metadata Size:")).unwrap();
            (data, metadata, line.contains("(in use)"))
        })
        .collect();
    let found: Vec<(u32, u16, bool)> = namespace
        .formats
        .iter()
        .enumerate()
        .map(|(index, format)| {
            let in_use = index == usize::from(namespace.format_in_use);
            (format.data_bytes, format.metadata_bytes, in_use)
        })
        .collect();
    assert_eq!(found, formats);
    // nguid and eui64 are all zeros, so there are none.
    assert_eq!((namespace.eui64, namespace.nguid), (None, None));
    assert_eq!(namespace.deallocated_reads.as_deref(), Some("zeros"));
}

#[test]
fn an_nvme_controller_is_as_nvme_cli_and_smartctl_show_it() {
    let controller = nvme::controller(&page("qemu-nvme.controller")).unwrap();
    assert_eq!(controller.vendor_id, 0x1b36);
    assert_eq!(controller.model, "QEMU NVMe Ctrl");
    assert_eq!(
        (&*controller.serial, &*controller.firmware),
        ("N1", "7.2.22")
    );
    assert_eq!(controller.version, "1.4.0");
    assert_eq!(controller.ieee_identifier, "525400");
    // mdts is 7: 128 pages.
    assert_eq!(controller.transfer_bytes_max, Some(Bytes::kib(512)));
    assert!(controller.volatile_write_cache);
    // smartctl: 70 and 100 Celsius, one state of 25.00W, 16 and 4 µs.
    assert_eq!(controller.warning_temperature_kelvin, 343);
    assert_eq!(controller.critical_temperature_kelvin, 373);
    let [state] = &controller.power_states[..] else {
        panic!("one power state");
    };
    assert_eq!(state.power_watt_max, Some(25.0));
    assert_eq!((state.entry_latency_us, state.exit_latency_us), (16, 4));
    let slots = nvme::firmware_slots(&page("qemu-nvme.firmware"));
    assert_eq!(slots, [(1, "1.0".to_owned(), true)]);
    assert_eq!(nvme::newest_error(&page("qemu-nvme.errors")), None);
}

#[test]
fn the_health_of_an_nvme_disk_is_as_nvme_cli_shows_it() {
    let controller = nvme::controller(&page("qemu-nvme.controller")).unwrap();
    let health = nvme::health(&page("qemu-nvme.health"), Some(&controller)).unwrap();
    let nvme_cli = text("qemu-nvme.smart-log.txt");
    let count = |label| Some(number(&said(&nvme_cli, label)));
    assert_eq!(health.state, HealthState::Good);
    assert_eq!(health.temperature_celsius, Some(50));
    assert_eq!(health.temperature_warning_celsius, Some(70));
    assert_eq!(health.used_percent.map(u64::from), count("percentage_used"));
    assert_eq!(health.power_on_hours, count("power_on_hours"));
    assert_eq!(health.unsafe_shutdowns, count("unsafe_shutdowns"));
    let units = count("Data Units Read").unwrap();
    assert_eq!(health.read_bytes, Some(units * 512_000));
}

fn scsi_disk(name: &str) -> ScsiIdentity {
    let part = |suffix: &str| page(&format!("{name}.{suffix}"));
    let mut disk = scsi::identity(&part("inquiry")).unwrap();
    scsi::add_capacity(&mut disk, &part("capacity")).unwrap();
    for number in scsi::pages(&part("vpd00")) {
        let page = part(&format!("vpd{number:02x}"));
        scsi::add_vital_product_data(&mut disk, number, &page).unwrap();
    }
    let changeable = part("caching-changeable");
    scsi::add_caching_page(&mut disk, &part("caching"), Some(&changeable), true).unwrap();
    disk
}

#[test]
fn a_scsi_disk_is_as_sg3_utils_show_it() {
    let disk = scsi_disk("qemu-scsi");
    let readcap = text("qemu-scsi.readcap.txt");
    let bytes = number(&said(&readcap, "Device size:"));
    let block = u64::from(disk.logical_block_bytes.unwrap());
    assert_eq!(disk.blocks.unwrap() * block, bytes);
    assert!(readcap.contains("physical block length=4096"));
    assert_eq!(disk.physical_block_bytes, Some(4096));
    // sg_inq, sg_vpd and sdparm.
    assert_eq!((&*disk.vendor, &*disk.product), ("LABVEND", "LABDISK-SCSI"));
    assert_eq!(disk.serial.as_deref(), Some("H1"));
    assert_eq!(disk.designators, ["H1", "naa.5000c50028a7d7c8"]);
    assert_eq!(disk.rotation_rate, Some(7200));
    assert_eq!(disk.transfer_bytes_max, Some(Bytes(4_194_303 * 512)));
    assert_eq!(disk.unmap_blocks_max, Some(2_097_152));
    assert_eq!((disk.unmap, disk.thin), (Some(true), Some(true)));
    assert_eq!(disk.unmapped_reads_zeros, Some(false));
    assert_eq!(
        (disk.write_cache, disk.write_cache_changeable),
        (Some(true), Some(true))
    );
    assert_eq!(
        (disk.read_cache, disk.read_look_ahead),
        (Some(true), Some(true))
    );
    assert!(!disk.ata_behind);
}

#[test]
fn a_disk_behind_a_raid_controller_is_read_too() {
    let disk = scsi_disk("qemu-megasas");
    assert_eq!(disk.product, "LABDISK-MEGASAS");
    assert_eq!(disk.designators, ["M1", "naa.5000c50055d0238d"]);
    assert_eq!(disk.rotation_rate, Some(1));
    assert_eq!(disk.write_cache, Some(true));
}
