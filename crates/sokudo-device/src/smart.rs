//! Health of an ATA disk: SMART attributes and thresholds, its own verdict, and the
//! device statistics that replaced them. Pure functions over pages.

mod names;

use sokudo_model::disk::{FlashWrites, Health, HealthState, SmartAttribute};
use sokudo_sys::scsi::AtaRegisters;
use sokudo_words::{Text, text};

use crate::health;
use crate::page::{self, PageError};

/// Length of the pages.
const PAGE_BYTES: usize = 512;

/// Attributes in a page.
const ATTRIBUTES: usize = 30;

const ATTRIBUTE_BYTES: usize = 12;

/// The first attribute follows the revision number.
const FIRST_ATTRIBUTE: usize = 2;

/// A disk older than this has not been made: 50 years of hours.
const HOURS_MAX: u64 = 438_000;

/// Reads SMART READ DATA and, if there is one, SMART READ THRESHOLDS.
///
/// # Errors
/// If the page of data is too short, empty or damaged. Thresholds that are damaged are
/// left out.
pub fn attributes(
    data: &[u8],
    thresholds: Option<&[u8]>,
) -> Result<Vec<SmartAttribute>, PageError> {
    check(data, "SMART READ DATA")?;
    let thresholds = thresholds.filter(|page| check(page, "SMART READ THRESHOLDS").is_ok());
    let threshold_of = |id: u8| {
        let entries = thresholds?.get(FIRST_ATTRIBUTE..)?;
        entries
            .chunks_exact(ATTRIBUTE_BYTES)
            .take(ATTRIBUTES)
            .find(|entry| entry[0] == id)
            .map(|entry| entry[1])
    };
    let entries = data[FIRST_ATTRIBUTE..]
        .chunks_exact(ATTRIBUTE_BYTES)
        .take(ATTRIBUTES)
        .filter(|entry| entry[0] != 0);
    Ok(entries
        .map(|entry| SmartAttribute {
            id: entry[0],
            name: names::name(entry[0]).to_owned(),
            value: entry[3],
            worst: entry[4],
            threshold: threshold_of(entry[0]),
            raw: page::le16(entry, 5).map_or(0, u64::from)
                | page::le32(entry, 7).map_or(0, u64::from) << 16,
        })
        .collect())
}

/// What the disk answered to SMART RETURN STATUS: `true` if it expects to fail, `None`
/// if its registers hold neither answer.
pub fn expects_failure(registers: AtaRegisters) -> Option<bool> {
    match (registers.lba_middle, registers.lba_high) {
        (0x4f, 0xc2) => Some(false),
        (0xf4, 0x2c) => Some(true),
        _ => None,
    }
}

/// Makes a health out of attributes and the disk's own verdict.
pub fn health(attributes: Vec<SmartAttribute>, expects_failure: Option<bool>) -> Health {
    let mut health = Health::default();
    for attribute in &attributes {
        take(&mut health, attribute);
    }
    for attribute in attributes.iter().filter(|it| has_failed(it)) {
        health.reasons.push(text!(
            "Attribute {} ({}) has fallen to {}, and {} means failure",
            attribute.id,
            attribute.name,
            attribute.value,
            attribute.threshold.unwrap_or(0)
        ));
    }
    let sees_worn = !health.reasons.is_empty();
    if expects_failure == Some(true) {
        let sentence = "The disk predicts its own failure (SMART status).";
        health.reasons.insert(0, sentence.into());
    }
    let warnings = warnings(&health);
    health.state = match expects_failure {
        Some(true) => HealthState::Failing,
        _ if sees_worn || !warnings.is_empty() => HealthState::Warning,
        Some(false) => HealthState::Good,
        None => HealthState::Unknown,
    };
    health.reasons.extend(warnings);
    health.attributes = attributes;
    health
}

/// What was written to flash, by attributes 247 and 248 of Micron's drives, which Crucial sells,
/// too: pages that were programmed for hosts, and those that the drive programmed for itself
/// (Micron, TN-FD-22). Other makers have other meanings for these numbers.
pub(crate) fn flash_writes(model: &str, health: &Health) -> Option<FlashWrites> {
    let of_micron = ["Micron", "Crucial", "CT"];
    if !of_micron.iter().any(|name| model.starts_with(name)) {
        return None;
    }
    let raw = |id| {
        let mut attributes = health.attributes.iter();
        attributes.find(|it| it.id == id).map(|it| it.raw)
    };
    let given = raw(247)?;
    Some(FlashWrites {
        given,
        written: given.checked_add(raw(248)?)?,
    })
}

/// Adds a page of the device statistics log (04h), which is more exact than attributes.
pub fn add_statistics(health: &mut Health, statistics: &[u8]) {
    let Some(number) = page_number(statistics) else {
        return;
    };
    let count = |at| statistic(statistics, at);
    // Counts of sectors are of 512 bytes here, whatever the disk's sectors are.
    let bytes = |at| count(at).and_then(|sectors| sectors.checked_mul(512));
    match number {
        1 => {
            replace(&mut health.power_cycles, count(8));
            let hours = count(16).filter(|hours| *hours <= HOURS_MAX);
            replace(&mut health.power_on_hours, hours);
            replace(&mut health.written_bytes, bytes(24));
            replace(&mut health.read_bytes, bytes(40));
        }
        3 => replace(&mut health.reallocated_sectors, count(32)),
        4 => {
            let known = health.media_errors.unwrap_or(0);
            replace(&mut health.media_errors, count(8));
            if let Some(errors) = count(8).filter(|errors| *errors > 0 && known == 0) {
                health::warn(health, health::uncorrected(errors));
            }
        }
        5 => {
            replace(&mut health.temperature_celsius, temperature(statistics, 8));
            let warning = temperature(statistics, 88);
            replace(&mut health.temperature_warning_celsius, warning);
        }
        6 => replace(&mut health.link_errors, count(24)),
        7 => {
            let used = count(8).and_then(|used| u32::try_from(used & 0xff).ok());
            replace(&mut health.used_percent, used);
            if let Some(used) = used.filter(|used| *used >= 100) {
                health::warn(health, health::worn(used));
            }
        }
        _ => {}
    }
}

/// The pages that a log of device statistics has, from its page 0.
pub fn statistics_pages(list: &[u8]) -> Vec<u8> {
    let count = match page_number(list) {
        Some(0) => list.get(8).copied().unwrap_or(0),
        _ => 0,
    };
    let pages = list.get(9..).unwrap_or_default();
    pages.iter().take(usize::from(count)).copied().collect()
}

/// How many pages a log has, from the directory of logs (log 00h).
pub fn log_pages(directory: &[u8], log: u8) -> u16 {
    let is_directory = page::le16(directory, 0) == Some(1);
    let pages = page::le16(directory, usize::from(log) * 2).filter(|_| is_directory);
    pages.unwrap_or(0)
}

/// The number in a statistics page's header: revision 1, then the page's number.
fn page_number(statistics: &[u8]) -> Option<u8> {
    let header = page::le64(statistics, 0)?;
    (header & 0xffff == 1).then(|| u8::try_from(header >> 16 & 0xff).unwrap_or(0))
}

/// A statistic is valid where both highest bits of its 8 bytes are set.
fn statistic(statistics: &[u8], at: usize) -> Option<u64> {
    let value = page::le64(statistics, at)?;
    (value >> 62 == 0b11).then_some(value & 0xff_ffff_ffff_ffff)
}

fn temperature(statistics: &[u8], at: usize) -> Option<i32> {
    statistic(statistics, at)?;
    health::celsius(i8::from_le_bytes([statistics[at]]))
}

fn replace<T>(old: &mut Option<T>, new: Option<T>) {
    if new.is_some() {
        *old = new;
    }
}

/// The checksum is the last byte: all bytes add up to 0.
pub(crate) fn check(page: &[u8], name: &'static str) -> Result<(), PageError> {
    page::at_least(page, PAGE_BYTES, name)?;
    let bytes = &page[..PAGE_BYTES];
    let sum = bytes.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    if sum == 0 {
        Ok(())
    } else {
        Err(PageError::Checksum { page: name })
    }
}

/// A threshold of 0 is never reached, and 254 and 255 are not values.
fn has_failed(attribute: &SmartAttribute) -> bool {
    attribute
        .threshold
        .is_some_and(|threshold| threshold > 0 && attribute.value <= threshold)
        && (1..=253).contains(&attribute.value)
}

/// Takes from an attribute what nearly all makers mean alike. Makers pack several
/// numbers into one, so only the part that is known is taken.
fn take(health: &mut Health, attribute: &SmartAttribute) {
    let raw = attribute.raw;
    match attribute.id {
        5 => health.reallocated_sectors = Some(raw & 0xffff_ffff),
        9 => {
            health.power_on_hours = Some(raw & 0xff_ffff).filter(|hours| *hours <= HOURS_MAX);
        }
        12 => health.power_cycles = Some(raw & 0xffff_ffff),
        187 => health.media_errors = Some(raw & 0xffff_ffff),
        190 if health.temperature_celsius.is_none() => {
            health.temperature_celsius = celsius(raw);
        }
        194 => health.temperature_celsius = celsius(raw).or(health.temperature_celsius),
        197 => health.pending_sectors = Some(raw & 0xffff_ffff),
        199 => health.link_errors = Some(raw & 0xffff_ffff),
        _ => {}
    }
}

/// The lowest byte is the temperature, signed; the others are its extremes.
fn celsius(raw: u64) -> Option<i32> {
    let celsius = i8::from_le_bytes([raw.to_le_bytes()[0]]);
    // 0 is what disks without a sensor say.
    health::celsius(celsius).filter(|celsius| *celsius != 0)
}

/// Facts that make a disk worse than it should be, whatever it says of itself.
fn warnings(health: &Health) -> Vec<Text> {
    let count = |value: Option<u64>| value.filter(|count| *count > 0);
    let mut sentences = Vec::new();
    if let Some(sectors) = count(health.pending_sectors) {
        sentences.push(text!(
            "Sectors that cannot be read and wait to be written again: {sectors}"
        ));
    }
    if let Some(errors) = count(health.media_errors) {
        sentences.push(health::uncorrected(errors));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makers count something else above.
    #[test]
    fn of_a_counter_the_lower_half_is_taken() {
        let mut health = Health::default();
        for id in [5, 12, 187, 197, 199] {
            let attribute = SmartAttribute {
                id,
                name: names::name(id).to_owned(),
                value: 100,
                worst: 100,
                threshold: None,
                raw: 0x12_8000_0007,
            };
            take(&mut health, &attribute);
        }
        let counted = [
            health.reallocated_sectors,
            health.power_cycles,
            health.media_errors,
            health.pending_sectors,
            health.link_errors,
        ];
        assert_eq!(counted, [Some(0x8000_0007); 5]);
    }

    #[test]
    fn pages_written_to_flash_are_those_for_hosts_and_those_for_itself() {
        let attribute = |id, raw| SmartAttribute {
            id,
            name: names::name(id).to_owned(),
            value: 100,
            worst: 100,
            threshold: None,
            raw,
        };
        let mut health = Health {
            attributes: vec![attribute(247, 4_000), attribute(248, 6_000)],
            ..Health::default()
        };
        let writes = flash_writes("CT1000MX500SSD1", &health).unwrap();
        assert_eq!((writes.given, writes.written), (4_000, 10_000));
        let later = FlashWrites {
            given: 5_999,
            ..writes
        };
        assert_eq!(writes.amplification(), Some(2.5));
        assert_eq!(later.since(&writes).unwrap().amplification(), Some(0.0));
        assert_eq!(writes.since(&later), None, "a counter went backwards");
        assert_eq!(flash_writes("Samsung SSD 870 EVO 1TB", &health), None);
        health.attributes.truncate(1);
        assert_eq!(flash_writes("CT1000MX500SSD1", &health), None);
        let few = FlashWrites {
            given: 999,
            written: 5_000,
        };
        assert_eq!(few.amplification(), None);
    }
}
