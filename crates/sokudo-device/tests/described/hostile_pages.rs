//! Pages that no honest disk sends: any bytes of any length, and valid pages with bytes
//! changed. Nothing panics, and what is read is possible.

use proptest::collection::vec;
use proptest::prelude::*;
use sokudo_device::{ata, nvme, scsi, smart};
use sokudo_model::disk::{AtaIdentity, Health, NvmeNamespace, ScsiIdentity};

/// Valid pages to be changed, by kind.
const IDENTIFY: &[u8] = include_bytes!("../pages/qemu-ide.identify");
const SMART: &[u8] = include_bytes!("../pages/qemu-ide.smart-data");
const CONTROLLER: &[u8] = include_bytes!("../pages/qemu-nvme.controller");
const NAMESPACE: &[u8] = include_bytes!("../pages/qemu-nvme.namespace");
const HEALTH: &[u8] = include_bytes!("../pages/qemu-nvme.health");
const CAPACITY: &[u8] = include_bytes!("../pages/qemu-scsi.capacity");
const CACHING: &[u8] = include_bytes!("../pages/qemu-scsi.caching");
const LIMITS: &[u8] = include_bytes!("../pages/qemu-scsi.vpdb0");
const DESIGNATORS: &[u8] = include_bytes!("../pages/qemu-scsi.vpd83");

/// A page with some bytes changed, and perhaps cut off.
fn mutated(page: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    let changes = vec((0..page.len(), any::<u8>()), 0..24);
    let length = prop_oneof![4 => Just(page.len()), 1 => 0..=page.len()];
    (changes, length).prop_map(move |(changes, length)| {
        let mut page = page.to_vec();
        for (at, byte) in changes {
            page[at] = byte;
        }
        page.truncate(length);
        page
    })
}

fn any_page() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..700),
        vec(any::<u8>(), 4090..4100),
        mutated(IDENTIFY),
        mutated(CONTROLLER),
        mutated(NAMESPACE),
        mutated(HEALTH),
        mutated(CAPACITY),
        mutated(CACHING),
        mutated(LIMITS),
        mutated(DESIGNATORS),
    ]
}

fn is_printable(text: &str) -> bool {
    text.chars().all(|c| (' '..='~').contains(&c))
}

fn check_ata(disk: &AtaIdentity) {
    assert!(is_printable(&disk.model) && is_printable(&disk.serial));
    assert!((512..=1 << 20).contains(&disk.logical_sector_bytes));
    assert!(disk.physical_sector_bytes >= disk.logical_sector_bytes);
    assert_eq!(disk.physical_sector_bytes % disk.logical_sector_bytes, 0);
    assert!(disk.alignment_offset_bytes < disk.physical_sector_bytes);
    assert!(disk.sectors < 1 << 48);
    assert!(disk.rotation_rate == 0 || disk.rotation_rate == 1 || disk.rotation_rate > 0x400);
    assert!(
        disk.queue_depth
            .is_none_or(|depth| (1..=32).contains(&depth))
    );
    assert!(disk.sata_generation.is_none_or(|it| (1..=3).contains(&it)));
    assert!(disk.ultra_dma.is_none_or(|mode| mode <= 6));
}

fn check_namespace(namespace: &NvmeNamespace) {
    assert!((1..=64).contains(&namespace.formats.len()));
    for format in &namespace.formats {
        assert!(format.data_bytes == 0 || format.data_bytes.is_power_of_two());
        assert!(format.data_bytes <= 65_536 && format.relative_performance <= 3);
    }
}

fn check_health(health: &Health) {
    for celsius in [
        health.temperature_celsius,
        health.temperature_warning_celsius,
    ] {
        assert!(celsius.is_none_or(|celsius| (-60..=150).contains(&celsius)));
    }
    assert!(health.spare_percent.is_none_or(|percent| percent <= 100));
    assert!(
        health
            .reasons
            .iter()
            .all(|reason| !reason.english().ends_with('.'))
    );
}

fn check_scsi(disk: &ScsiIdentity) {
    assert!(is_printable(&disk.vendor) && is_printable(&disk.product));
    assert!(disk.designators.iter().all(|name| is_printable(name)));
    if let (Some(logical), Some(physical)) = (disk.logical_block_bytes, disk.physical_block_bytes) {
        assert_eq!(physical % logical, 0);
        assert!(
            disk.alignment_offset_bytes
                .is_none_or(|offset| offset < physical)
        );
    }
    assert!(disk.blocks != Some(0));
}

/// Every parser on the same bytes.
fn read_all(page: &[u8]) {
    if let Ok(disk) = ata::identity(page) {
        check_ata(&disk);
    }
    if let Ok(attributes) = smart::attributes(page, Some(page)) {
        assert!(attributes.len() <= 30);
        check_health(&smart::health(attributes, None));
    }
    let mut health = Health::default();
    smart::add_statistics(&mut health, page);
    check_health(&health);
    smart::statistics_pages(page);
    smart::log_pages(page, 0xff);
    let controller = nvme::controller(page).ok();
    if let Ok(namespace) = nvme::namespace(page, 1) {
        check_namespace(&namespace);
    }
    if let Ok(health) = nvme::health(page, controller.as_ref()) {
        check_health(&health);
    }
    nvme::firmware_slots(page);
    nvme::newest_error(page);
    let mut disk = scsi::identity(page).unwrap_or_default();
    let _ = scsi::add_capacity(&mut disk, page);
    for number in scsi::pages(page)
        .into_iter()
        .chain([0x80, 0x83, 0x89, 0xb0, 0xb1, 0xb2])
    {
        let _ = scsi::add_vital_product_data(&mut disk, number, page);
    }
    for is_long in [false, true] {
        let _ = scsi::add_caching_page(&mut disk, page, Some(page), is_long);
    }
    check_scsi(&disk);
    let mut health = Health::default();
    let _ = scsi::add_log(&mut health, page);
    scsi::judge(&mut health);
    check_health(&health);
}

proptest! {
    #[test]
    fn any_page_is_read_or_refused(page in any_page()) {
        read_all(&page);
    }

    #[test]
    fn a_damaged_smart_page_is_refused(at in 0..512_usize, change in 1..=255_u8) {
        let mut page = SMART.to_vec();
        page[at] = page[at].wrapping_add(change);
        prop_assert!(smart::attributes(&page, None).is_err());
    }

    #[test]
    fn a_cut_page_is_refused(length in 0..512_usize) {
        prop_assert!(ata::identity(&IDENTIFY[..length]).is_err());
        prop_assert!(smart::attributes(&SMART[..length], None).is_err());
        prop_assert!(nvme::controller(&CONTROLLER[..length]).is_err());
        prop_assert!(nvme::namespace(&NAMESPACE[..length], 1).is_err());
        prop_assert!(nvme::health(&HEALTH[..length], None).is_err());
    }
}

#[test]
fn pages_of_zeros_and_ones_say_nothing() {
    for byte in [0x00, 0xff] {
        let page = [byte; 4096];
        assert!(ata::identity(&page[..512]).is_err());
        assert!(nvme::controller(&page).is_err());
        assert!(nvme::namespace(&page, 1).is_err());
        assert!(nvme::health(&page[..512], None).is_err());
        assert!(scsi::identity(&page[..36]).is_err());
    }
}
