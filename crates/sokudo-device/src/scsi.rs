//! SCSI INQUIRY, vital product data, READ CAPACITY, the caching mode page and log pages
//! (SPC-5, SBC-4). Pure functions over pages.

use sokudo_model::Bytes;
use sokudo_model::disk::{Health, HealthState, ScsiIdentity};
use sokudo_sys::scsi::CachingPage;
use sokudo_words::{Text, text};

use crate::page::{self, PageError};
use crate::{ata, health};

/// What every INQUIRY answer has.
const INQUIRY_BYTES: usize = 36;

/// Header of a page of vital product data.
const VPD_HEADER_BYTES: usize = 4;

/// Where an ATA disk's IDENTIFY DEVICE lies in VPD page 89h.
const ATA_IDENTIFY_AT: usize = 60;

/// Blocks of disks have 256 bytes (old ones) to 64 KiB; another number is not believed.
const BLOCK_BYTES: std::ops::RangeInclusive<u32> = 256..=65_536;

/// Host-managed zoned disks are devices of their own kind.
const TYPE_ZONED: u8 = 0x14;

/// Designators that are kept; disks have up to a dozen.
const DESIGNATORS_MAX: usize = 32;

/// Parameters of a log page that are looked at.
const PARAMETERS_MAX: usize = 512;

/// Additional sense codes that informational exceptions come with.
const CODE_WARNING: u8 = 0x0b;
const CODE_FAILURE_PREDICTED: u8 = 0x5d;

/// Log pages that are asked for: write, read and verify errors, temperature, start and
/// stop, wear of solid-state media, background scan, informational exceptions.
pub(crate) const LOG_PAGES: [u8; 8] = [0x02, 0x03, 0x05, 0x0d, 0x0e, 0x11, 0x15, 0x2f];

/// Reads INQUIRY.
///
/// # Errors
/// If the answer is too short or empty.
pub fn identity(inquiry: &[u8]) -> Result<ScsiIdentity, PageError> {
    page::at_least(inquiry, INQUIRY_BYTES, "INQUIRY")?;
    let device_type = inquiry[0] & 0x1f;
    Ok(ScsiIdentity {
        vendor: page::text(&inquiry[8..16]),
        product: page::text(&inquiry[16..32]),
        revision: page::text(&inquiry[32..36]),
        device_type,
        version: inquiry[2],
        command_queueing: Some(inquiry[7] >> 1 & 1 == 1),
        zoned: (device_type == TYPE_ZONED).then(|| "host-managed".to_owned()),
        ..ScsiIdentity::default()
    })
}

/// Adds READ CAPACITY (16), which must come before the pages that count in blocks.
///
/// # Errors
/// If the answer is too short or empty.
pub fn add_capacity(identity: &mut ScsiIdentity, answer: &[u8]) -> Result<(), PageError> {
    page::at_least(answer, 16, "READ CAPACITY (16)")?;
    let block_bytes = page::be32(answer, 8).filter(|bytes| BLOCK_BYTES.contains(bytes));
    // All ones is a disk that does not know.
    identity.blocks = page::be64(answer, 0).and_then(|last| last.checked_add(1));
    identity.logical_block_bytes = block_bytes;
    let physical = block_bytes
        .and_then(|bytes| bytes.checked_mul(1 << (answer[13] & 0xf)))
        .filter(|bytes| *bytes <= 1 << 20);
    identity.physical_block_bytes = physical;
    identity.alignment_offset_bytes = physical.zip(block_bytes).and_then(|(physical, block)| {
        let lowest_aligned = u32::from(page::be16(answer, 14)? & 0x3fff);
        let aligned_bytes = lowest_aligned.checked_mul(block)?;
        (aligned_bytes < physical).then(|| (physical - aligned_bytes) % physical)
    });
    // Without management of provisioning everything is provisioned.
    identity.thin = (answer[14] >> 7 == 0).then_some(false);
    identity.unmapped_reads_zeros = Some(answer[14] >> 6 & 1 == 1).filter(|_| answer[14] >> 7 == 1);
    identity.protection_type = (answer[12] & 1 == 1)
        .then(|| (answer[12] >> 1 & 7) + 1)
        .filter(|kind| (1..=3).contains(kind));
    Ok(())
}

/// The pages of vital product data that a disk has (page 00h).
pub fn pages(list: &[u8]) -> Vec<u8> {
    content(list, 0x00).map(<[u8]>::to_vec).unwrap_or_default()
}

/// Adds a page of vital product data; one that is not known changes nothing.
///
/// # Errors
/// If the page is too short or says that it is another one.
pub fn add_vital_product_data(
    identity: &mut ScsiIdentity,
    number: u8,
    page: &[u8],
) -> Result<(), PageError> {
    let body = content(page, number)?;
    match number {
        0x80 => identity.serial = Some(page::text(body)).filter(|serial| !serial.is_empty()),
        0x83 => identity.designators = designators(body),
        0x89 => identity.ata_behind = ata_identify(page).is_some(),
        0xb0 => add_limits(identity, page),
        0xb1 => add_characteristics(identity, page),
        0xb2 => {
            identity.unmap = page.get(5).map(|flags| flags >> 7 & 1 == 1);
            identity.thin = match page.get(6).map(|kind| kind & 7) {
                Some(1) => Some(false),
                Some(2) => Some(true),
                _ => identity.thin,
            };
        }
        _ => {}
    }
    Ok(())
}

/// IDENTIFY DEVICE of an ATA disk behind a translation, in VPD page 89h.
pub fn ata_identify(page: &[u8]) -> Option<&[u8]> {
    content(page, 0x89).ok()?;
    let identify = page.get(ATA_IDENTIFY_AT..ATA_IDENTIFY_AT + ata::PAGE_BYTES)?;
    page::is_set(identify).then_some(identify)
}

/// Adds the caching page: of the current values, and of the mask of those that can be
/// changed. What they are answers to is MODE SENSE (10), or (6) where `is_long` is false.
///
/// # Errors
/// If the answer holds no whole caching page.
pub fn add_caching_page(
    identity: &mut ScsiIdentity,
    current: &[u8],
    changeable: Option<&[u8]>,
    is_long: bool,
) -> Result<(), PageError> {
    let page = CachingPage::from_answer(current, is_long).ok_or(PageError::Short {
        page: "the caching page",
        bytes: current.len(),
        needed: if is_long { 20 } else { 16 },
    })?;
    // Write protection and the cache's bypass are in the header.
    if let Some(specific) = current.get(if is_long { 3 } else { 2 }) {
        identity.write_protected = Some(specific >> 7 & 1 == 1);
        identity.forced_unit_access = Some(specific >> 4 & 1 == 1);
    }
    identity.write_cache = Some(page.write_cache());
    identity.read_cache = Some(page.bytes()[2] & 1 == 0);
    identity.read_look_ahead = page.bytes().get(12).map(|flags| flags >> 5 & 1 == 0);
    identity.write_cache_changeable = changeable
        .and_then(|answer| CachingPage::from_answer(answer, is_long))
        .map(|mask| mask.write_cache());
    Ok(())
}

/// Adds a log page to the health; one that is not known changes nothing.
///
/// # Errors
/// If the page is too short.
pub fn add_log(health: &mut Health, log: &[u8]) -> Result<(), PageError> {
    page::at_least(log, 4, "LOG SENSE")?;
    let number = log[0] & 0x3f;
    for (code, value) in parameters(log) {
        match (number, code) {
            (0x02 | 0x03 | 0x05, 6) => {
                let errors = number_of(value);
                health.media_errors = health
                    .media_errors
                    .unwrap_or(0)
                    .checked_add(errors.unwrap_or(0))
                    .filter(|_| errors.is_some());
            }
            // 255 is a temperature that is not known.
            (0x0d, 0) => {
                health.temperature_celsius = value.get(1).copied().and_then(health::celsius)
            }
            (0x0d, 1) => {
                health.temperature_warning_celsius =
                    value.get(1).copied().and_then(health::celsius);
            }
            (0x0e, 4) => health.power_cycles = page::be32(value, 0).map(u64::from),
            (0x11, 1) => health.used_percent = value.get(3).map(|used| u32::from(*used)),
            (0x15, 0) => {
                health.power_on_hours = page::be32(value, 0).map(|minutes| u64::from(minutes / 60));
            }
            (0x2f, 0) => take_exception(health, value),
            _ => {}
        }
    }
    Ok(())
}

/// Puts the sentences of facts that speak against a disk, once all logs are read.
pub fn judge(health: &mut Health) {
    if let Some(errors) = health.media_errors.filter(|errors| *errors > 0) {
        health::warn(health, health::uncorrected(errors));
    }
    if let Some(used) = health.used_percent.filter(|used| *used >= 100) {
        health::warn(health, health::worn(used));
    }
}

/// What follows the header of a page that says itself that it is this one.
fn content(page: &[u8], number: u8) -> Result<&[u8], PageError> {
    const NAME: &str = "a page of vital product data";
    page::at_least(page, VPD_HEADER_BYTES, NAME).or_else(|error| match error {
        // Page 00h of a disk without a serial number may be all zeros.
        PageError::Empty { .. } if number == 0 => Ok(()),
        error => Err(error),
    })?;
    if page[1] != number {
        return Err(PageError::Other { page: NAME });
    }
    let bytes = usize::from(u16::from_be_bytes([page[2], page[3]]));
    let body = &page[VPD_HEADER_BYTES..];
    Ok(&body[..bytes.min(body.len())])
}

/// Designators of the disk itself; those of its ports are left out.
fn designators(mut rest: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    while let [codes, kind, _, length, body @ ..] = rest
        && found.len() < DESIGNATORS_MAX
    {
        let end = usize::from(*length).min(body.len());
        let (value, next) = body.split_at(end);
        let text = match (kind & 0xf, codes & 0xf) {
            _ if kind >> 4 & 3 != 0 || !page::is_set(value) => None,
            (3, _) => Some(format!("naa.{}", page::hexadecimal(value))),
            (2, _) => Some(format!("eui.{}", page::hexadecimal(value))),
            (1, 2 | 3) => Some(format!("t10.{}", page::text(value))),
            (0 | 8, 2 | 3) => Some(page::text(value)),
            _ => None,
        };
        found.extend(text);
        rest = next;
    }
    found
}

fn add_limits(identity: &mut ScsiIdentity, page: &[u8]) {
    let block_bytes = identity.logical_block_bytes.map(u64::from);
    let bytes = |blocks: Option<u64>| {
        let blocks = blocks.filter(|blocks| *blocks > 0)?;
        blocks.checked_mul(block_bytes?).map(Bytes)
    };
    identity.optimal_granularity_bytes = bytes(page::be16(page, 6).map(u64::from));
    identity.transfer_bytes_max = bytes(page::be32(page, 8).map(u64::from));
    identity.optimal_transfer_bytes = bytes(page::be32(page, 12).map(u64::from));
    // All ones is no limit.
    let unmap = page::be32(page, 20).filter(|blocks| (1..u32::MAX).contains(blocks));
    identity.unmap_blocks_max = unmap;
}

fn add_characteristics(identity: &mut ScsiIdentity, page: &[u8]) {
    identity.rotation_rate = page::be16(page, 4).map(ata::rotation_rate);
    identity.form_factor = page.get(7).map(|code| code & 0xf);
    if identity.zoned.is_none() {
        identity.zoned = match page.get(8).map(|flags| flags >> 4 & 3) {
            Some(1) => Some("host-aware".to_owned()),
            Some(2) => Some("device-managed".to_owned()),
            _ => None,
        };
    }
}

/// The parameters of a log page: code and value.
pub(crate) fn parameters(log: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let bytes = page::be16(log, 2).map_or(0, usize::from);
    let body = log.get(4..).unwrap_or_default();
    let mut rest = &body[..bytes.min(body.len())];
    std::iter::from_fn(move || {
        let code = page::be16(rest, 0)?;
        let length = usize::from(*rest.get(3)?);
        let value = rest.get(4..4 + length)?;
        rest = &rest[4 + length..];
        Some((code, value))
    })
    .take(PARAMETERS_MAX)
}

/// A counter of up to 8 bytes, the highest first.
fn number_of(value: &[u8]) -> Option<u64> {
    let is_number = (1..=8).contains(&value.len());
    is_number.then(|| {
        value
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    })
}

fn take_exception(health: &mut Health, value: &[u8]) {
    let [code, qualifier, rest @ ..] = value else {
        return;
    };
    let (state, sentence) = match code {
        0 => (HealthState::Good, None),
        &CODE_FAILURE_PREDICTED => (
            HealthState::Failing,
            Some("The disk predicts its own failure"),
        ),
        &CODE_WARNING => (HealthState::Warning, Some("The disk reports a warning")),
        _ => (HealthState::Warning, Some("The disk reports an exception")),
    };
    health.state = state;
    if let Some(sentence) = sentence.map(Text::from) {
        health
            .reasons
            .push(text!("{sentence} (code {code:02x}h/{qualifier:02x}h)"));
    }
    if health.temperature_celsius.is_none() {
        health.temperature_celsius = rest
            .first()
            .copied()
            .filter(|it| *it > 0)
            .and_then(health::celsius);
    }
}
