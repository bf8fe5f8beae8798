//! The questions to a SCSI disk, and to the ATA disk that may be behind it.

use std::fs::File;
use std::path::Path;

use sokudo_model::disk::{AtaIdentity, Health, ScsiIdentity};
use sokudo_sys::scsi::{PageControl, ScsiCommand, ask_scsi};
use sokudo_words::text;

use super::{Asker, Interrogation};
use crate::block::is_usb;
use crate::{ata, scsi, smart, system};

/// The page of vital product data that has an ATA disk's IDENTIFY DEVICE.
const ATA_PAGE: u8 = 0x89;

/// Pages of vital product data that are read.
const VITAL_PAGES: [u8; 6] = [0x80, 0x83, ATA_PAGE, 0xb0, 0xb1, 0xb2];

/// The log of device statistics.
const STATISTICS_LOG: u8 = 0x04;

/// Statistics that are read: general, rotating, errors, temperature, transport, wear.
const STATISTICS: [u8; 6] = [1, 3, 4, 5, 6, 7];

pub(super) fn ask(asker: &mut Asker<'_>, directory: &Path, found: &mut Interrogation) {
    let Some(inquiry) = asker
        .scsi("INQUIRY", &ScsiCommand::inquiry())
        .map(|answer| answer.data)
        .or_else(|| kept(asker, directory, "inquiry", "INQUIRY"))
    else {
        return;
    };
    let Some(mut identity) = asker.parsed(scsi::identity(&inquiry)) else {
        return;
    };
    if let Some(answer) = asker.scsi("READ CAPACITY 16", &ScsiCommand::read_capacity_16()) {
        let added = scsi::add_capacity(&mut identity, &answer.data);
        asker.parsed(added);
    }
    if identity.logical_block_bytes.is_none() {
        identity.logical_block_bytes = system::number(directory.join("queue/logical_block_size"))
            .and_then(|bytes| u32::try_from(bytes).ok());
    }
    let identify = vital_product_data(asker, directory, &mut identity);
    if identity.ata_behind {
        ata_disk(asker, identify, found);
    } else {
        caching_page(asker, &mut identity, found);
        if !is_usb(directory) {
            logs(asker, found);
        } else if asker.device().is_some() {
            asker.note(text!(
                "The health of {} cannot be seen: its USB bridge does not pass health queries on",
                identity.product
            ));
        }
    }
    found.identity.scsi = Some(identity);
}

/// What the kernel keeps of a page, which needs no rights.
fn kept(asker: &mut Asker<'_>, directory: &Path, file: &str, page: &str) -> Option<Vec<u8>> {
    let data = system::bytes(directory.join("device").join(file)).filter(|it| !it.is_empty())?;
    asker.keep(page, &data);
    Some(data)
}

/// Reads the pages of vital product data; gives IDENTIFY DEVICE, if it is in one.
fn vital_product_data(
    asker: &mut Asker<'_>,
    directory: &Path,
    identity: &mut ScsiIdentity,
) -> Option<Vec<u8>> {
    let list = kept(asker, directory, "vpd_pg0", "VPD 00h")
        .or_else(|| asker.scsi_if_there("VPD 00h", &ScsiCommand::vital_product_data(0)));
    let listed = list.map_or_else(Vec::new, |list| scsi::pages(&list));
    let mut identify = None;
    for number in VITAL_PAGES {
        let name = format!("VPD {number:02X}h");
        let file = format!("vpd_pg{number:02x}");
        let page = kept(asker, directory, &file, &name).or_else(|| {
            let command = ScsiCommand::vital_product_data(number);
            listed
                .contains(&number)
                .then(|| asker.scsi_if_there(&name, &command))
                .flatten()
        });
        let Some(page) = page else { continue };
        let added = scsi::add_vital_product_data(identity, number, &page);
        asker.parsed(added);
        if number == ATA_PAGE {
            identify = scsi::ata_identify(&page).map(<[u8]>::to_vec);
        }
    }
    identify
}

/// The kernel keeps page 89h of a disk that is ATA behind a translation; its own
/// translation also names the vendor.
pub(crate) fn has_ata_behind(directory: &Path) -> bool {
    let kept = system::bytes(directory.join("device/vpd_pg89"));
    kept.is_some_and(|page| scsi::ata_identify(&page).is_some())
        || system::text(directory.join("device/vendor")).as_deref() == Some("ATA")
}

/// Whether there is an ATA disk behind it, as the kernel knows or the disk itself says: of
/// bridges the kernel does not ask.
pub(crate) fn is_ata(device: &File, directory: &Path) -> bool {
    let page_data = |page| {
        let answer = ask_scsi(device, &ScsiCommand::vital_product_data(page)).ok()?;
        Some(answer.data)
    };
    has_ata_behind(directory)
        || page_data(0).is_some_and(|list| scsi::pages(&list).contains(&ATA_PAGE))
            && page_data(ATA_PAGE).is_some_and(|page| scsi::ata_identify(&page).is_some())
}

fn caching_page(asker: &mut Asker<'_>, identity: &mut ScsiIdentity, found: &mut Interrogation) {
    let mut read_page = |is_long: bool| {
        let command = ScsiCommand::caching_page(PageControl::Current, is_long);
        let current = asker.scsi_if_there("mode page 08h", &command)?;
        let command = ScsiCommand::caching_page(PageControl::Changeable, is_long);
        let changeable = asker.scsi_if_there("mode page 08h changeable", &command);
        scsi::add_caching_page(identity, &current, changeable.as_deref(), is_long).ok()
    };
    let is_reported = read_page(true).or_else(|| read_page(false)).is_some();
    if !is_reported && asker.device().is_some() {
        asker.note(text!(
            "Whether {} has a write cache is not known: it does not show its caching page",
            identity.product
        ));
    }
    found.write_cache.enabled = identity.write_cache;
    found.write_cache.switchable = identity.write_cache_changeable;
    found.write_cache.present = match (identity.write_cache, identity.write_cache_changeable) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    };
    found.read_look_ahead = identity.read_look_ahead;
}

fn logs(asker: &mut Asker<'_>, found: &mut Interrogation) {
    let Some(list) = asker.scsi_if_there("log page 00h", &ScsiCommand::log_sense(0, 0)) else {
        if asker.device().is_some() {
            asker.note("The disk keeps no log of its health (LOG SENSE)".into());
        }
        return;
    };
    let listed = list.get(4..).unwrap_or_default();
    let mut health = Health::default();
    for number in scsi::LOG_PAGES {
        if !listed.contains(&number) {
            continue;
        }
        let name = format!("log page {number:02X}h");
        if let Some(log) = asker.scsi_if_there(&name, &ScsiCommand::log_sense(number, 0)) {
            let added = scsi::add_log(&mut health, &log);
            asker.parsed(added);
        }
    }
    scsi::judge(&mut health);
    found.health = health;
}

/// Asks the ATA disk; what the kernel kept of it when it found it stands in where it may
/// not be asked, but for settings that may have changed since.
fn ata_disk(asker: &mut Asker<'_>, kept: Option<Vec<u8>>, found: &mut Interrogation) {
    let fresh = asker
        .scsi("IDENTIFY DEVICE", &ScsiCommand::ata_identify())
        .and_then(|answer| asker.parsed(ata::identity(&answer.data)));
    let Some(identity) = fresh else {
        let kept = kept.and_then(|page| asker.parsed(ata::identity(&page)));
        found.identity.ata = kept.map(|identity| AtaIdentity {
            write_cache: None,
            read_look_ahead: None,
            ..identity
        });
        return;
    };
    // Only what the disk says that it has is asked for: after a command that it aborts,
    // some disks fail the next one as well.
    if ata::is_enabled(&identity, "SMART feature set") {
        smart_pages(asker, found);
        found.health.flash_writes = smart::flash_writes(&identity.model, &found.health);
    } else {
        asker.note("The disk's SMART is missing or off, so its health is not known".into());
    }
    if ata::is_enabled(&identity, "General Purpose Logging feature set") {
        statistics(asker, found);
    }
    let has_cache = identity
        .features
        .iter()
        .any(|(name, _)| name == "Write cache");
    found.write_cache.present = (!identity.features.is_empty()).then_some(has_cache);
    found.write_cache.switchable = found.write_cache.present;
    found.write_cache.enabled = identity.write_cache;
    found.read_look_ahead = identity.read_look_ahead;
    found.identity.ata = Some(identity);
}

fn smart_pages(asker: &mut Asker<'_>, found: &mut Interrogation) {
    let data = asker.scsi("SMART data", &ScsiCommand::ata_smart_data());
    let thresholds = asker.scsi("SMART thresholds", &ScsiCommand::ata_smart_thresholds());
    let status = asker
        .scsi("SMART status", &ScsiCommand::ata_smart_status())
        .and_then(|answer| answer.registers)
        .and_then(smart::expects_failure);
    let attributes = data.and_then(|data| {
        let thresholds = thresholds.as_ref().map(|answer| &answer.data[..]);
        asker.parsed(smart::attributes(&data.data, thresholds))
    });
    found.health = smart::health(attributes.unwrap_or_default(), status);
}

fn statistics(asker: &mut Asker<'_>, found: &mut Interrogation) {
    let Some(directory) = asker.scsi("GP log 00h", &ScsiCommand::ata_log(0, 0)) else {
        return;
    };
    if smart::log_pages(&directory.data, STATISTICS_LOG) == 0 {
        return;
    }
    let command = ScsiCommand::ata_log(STATISTICS_LOG, 0);
    let Some(list) = asker.scsi("GP log 04h page 0", &command) else {
        return;
    };
    let listed = smart::statistics_pages(&list.data);
    for page in STATISTICS.into_iter().filter(|page| listed.contains(page)) {
        let name = format!("GP log 04h page {page}");
        let command = ScsiCommand::ata_log(STATISTICS_LOG, u16::from(page));
        if let Some(statistics) = asker.scsi(&name, &command) {
            smart::add_statistics(&mut found.health, &statistics.data);
        }
    }
}
