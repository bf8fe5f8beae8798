//! NVMe Identify pages and logs (NVM Express Base Specification 1.4, chapter 5; fields of
//! later versions that mean the same in all). Pure functions over pages.

use sokudo_model::disk::{
    FlashWrites, Health, HealthState, LbaFormat, NvmeController, NvmeNamespace, NvmePowerState,
};
use sokudo_model::{Bytes, DeviceCounters};
use sokudo_words::text;

use crate::health;
use crate::page::{self, PageError};

/// Length of an Identify page.
const IDENTIFY_BYTES: usize = 4096;

/// Length of the health log.
const SMART_BYTES: usize = 512;

/// The unit of the largest transfer is the controller's smallest memory page, which its
/// registers tell and no command; 4 KiB on all that Linux drives.
const MEMORY_PAGE_BYTES: u64 = 4096;

/// Power states that there can be.
const POWER_STATES_MAX: usize = 32;

/// Formats that there can be.
const FORMATS_MAX: usize = 64;

/// Sizes of blocks that are believed, as powers of two: 512 bytes to 64 KiB.
const BLOCK_BITS: std::ops::RangeInclusive<u8> = 9..=16;

/// A data unit of the health log: 1000 × 512 bytes.
const DATA_UNIT_BYTES: u64 = 512_000;

/// 0 °C in the log's Kelvin.
const ZERO_CELSIUS_KELVIN: i32 = 273;

/// The identifier at the end of log C0h where it has the form of the Open Compute Project:
/// AFD514C9-7C6F-4F9C-A4F2-BFEA2810AFC5, its last byte first.
const OCP_HEALTH: [u8; 16] = [
    0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4, 0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf,
];

/// Optional commands by bit of ONCS.
const COMMANDS: [&str; 9] = [
    "compare",
    "write uncorrectable",
    "dataset management",
    "write zeroes",
    "save and select of features",
    "reservations",
    "timestamp",
    "verify",
    "copy",
];

/// Optional commands of administration by bit of OACS.
const ADMIN_COMMANDS: [&str; 10] = [
    "security send and receive",
    "format",
    "firmware download",
    "namespace management",
    "device self-test",
    "directives",
    "management interface",
    "virtualisation management",
    "doorbell buffer",
    "LBA status",
];

/// What is critical, by bit of the health log's warning byte.
const CRITICAL: [&str; 6] = [
    "Its spare blocks have run out (below the maker's threshold)",
    "Its temperature is outside of what the maker allows",
    "It has become unreliable by errors of its medium or its electronics",
    "Its medium has become read-only",
    "What protects its volatile memory from power failure has failed",
    "Its persistent memory region has become unreliable or read-only",
];

/// Those of them by which a disk does not count as failing: temperature and persistent memory.
const CRITICAL_WARNINGS: [usize; 2] = [1, 5];

/// Reads Identify Controller.
///
/// # Errors
/// If the page is too short or empty.
pub fn controller(page: &[u8]) -> Result<NvmeController, PageError> {
    page::at_least(page, IDENTIFY_BYTES, "Identify Controller")?;
    let word = |at| page::le16(page, at).unwrap_or(0);
    let long = |at| page::le32(page, at).unwrap_or(0);
    let size = |at| page::le128(page, at).filter(|bytes| *bytes > 0);
    let atomic_blocks = |at| Some(u32::from(word(at)) + 1);
    Ok(NvmeController {
        vendor_id: word(0),
        model: page::text(&page[24..64]),
        serial: page::text(&page[4..24]),
        firmware: page::text(&page[64..72]),
        version: version(long(80)),
        transfer_bytes_max: transfer_bytes_max(page[77]),
        total_bytes: size(280),
        volatile_write_cache: page[525] & 1 == 1,
        write_cache: None,
        warning_temperature_kelvin: word(266),
        critical_temperature_kelvin: word(268),
        host_memory_preferred_bytes: Bytes(u64::from(long(272)) * MEMORY_PAGE_BYTES),
        autonomous_power_states: page[265] & 1 == 1,
        power_states: power_states(page),
        commands: names(&COMMANDS, word(520)),
        admin_commands: names(&ADMIN_COMMANDS, word(256)),
        controller_id: word(78),
        ieee_identifier: page::hexadecimal(&[page[75], page[74], page[73]]),
        namespaces_max: long(516),
        // Only where the capacity of all is told as well does a 0 mean none.
        unallocated_bytes: size(280).and(page::le128(page, 296)),
        host_memory_minimum_bytes: Bytes(u64::from(long(276)) * MEMORY_PAGE_BYTES),
        atomic_write_blocks: atomic_blocks(526),
        atomic_power_fail_blocks: atomic_blocks(528),
        firmware_slots: Some(page[260] >> 1 & 7).filter(|slots| *slots > 0),
        host_thermal_management: word(322) & 1 == 1,
        subsystem_name: Some(page::text(&page[768..1024])).filter(|name| !name.is_empty()),
    })
}

/// Reads Identify Namespace.
///
/// # Errors
/// If the page is too short or empty (as for a namespace that is not active).
pub fn namespace(page: &[u8], id: u32) -> Result<NvmeNamespace, PageError> {
    page::at_least(page, IDENTIFY_BYTES, "Identify Namespace")?;
    let formats = formats(page);
    let format_in_use = format_in_use(page, formats.len());
    let block_bytes = formats
        .get(usize::from(format_in_use))
        .map(|format| u64::from(format.data_bytes))
        .filter(|bytes| *bytes > 0);
    let blocks = |count: u64| block_bytes?.checked_mul(count).map(Bytes);
    let has_preferences = page[24] >> 4 & 1 == 1;
    let preference = |at| {
        let count = page::le16(page, at).filter(|_| has_preferences)?;
        blocks(u64::from(count) + 1)
    };
    Ok(NvmeNamespace {
        id,
        size_blocks: page::le64(page, 0).unwrap_or(0),
        capacity_blocks: page::le64(page, 8).unwrap_or(0),
        used_blocks: page::le64(page, 16).unwrap_or(0),
        format_in_use,
        thin: page[24] & 1 == 1,
        preferred_write_bytes: preference(64),
        preferred_write_alignment_bytes: preference(66),
        optimal_boundary_bytes: page::le16(page, 46)
            .filter(|count| *count > 0)
            .and_then(|count| blocks(u64::from(count))),
        eui64: identifier(&page[120..128]),
        nguid: identifier(&page[104..120]),
        deallocated_reads: match page[33] & 7 {
            1 => Some("zeros".to_owned()),
            2 => Some("ones".to_owned()),
            _ => None,
        },
        shared: page[30] & 1 == 1,
        protection_type: Some(page[29] & 7).filter(|kind| (1..=3).contains(kind)),
        formats,
    })
}

/// Reads the health log (02h). The warning temperature is the controller's.
///
/// # Errors
/// If the page is too short or empty.
pub fn health(page: &[u8], controller: Option<&NvmeController>) -> Result<Health, PageError> {
    page::at_least(page, SMART_BYTES, "the health log")?;
    let count = |at| count(page, at);
    let bytes = |at| moved_bytes(page, at);
    let minutes = |at| page::le32(page, at).map(u64::from);
    // Light and heavy throttling. A controller that does not count them leaves zeros, and
    // says in its Identify page whether it manages its heat so.
    let counts_throttling = controller.is_some_and(|controller| controller.host_thermal_management);
    let throttled = |light, heavy| {
        let (light, heavy) = (page::le32(page, light)?, page::le32(page, heavy)?);
        let sum = u64::from(light) + u64::from(heavy);
        (counts_throttling || sum > 0).then_some(sum)
    };
    let mut health = Health {
        state: HealthState::Good,
        temperature_celsius: page::le16(page, 1).and_then(celsius),
        temperature_warning_celsius: controller
            .and_then(|controller| celsius(controller.warning_temperature_kelvin)),
        power_on_hours: count(128),
        power_cycles: count(112),
        used_percent: Some(u32::from(page[5])),
        spare_percent: Some(u32::from(page[3])).filter(|percent| *percent <= 100),
        read_bytes: bytes(32),
        written_bytes: bytes(48),
        media_errors: count(160),
        unsafe_shutdowns: count(144),
        throttled_minutes: minutes(192).zip(minutes(196)).map(|(warm, hot)| warm + hot),
        throttle_events: throttled(216, 220),
        throttled_seconds: throttled(224, 228),
        ..Health::default()
    };
    judge(&mut health, page[0]);
    Ok(health)
}

/// What the controller has moved so far, of the health log (02h); `None` where the page is too
/// short. It counts thousands of 512 bytes, and rounds up.
pub(crate) fn counters(page: &[u8]) -> Option<DeviceCounters> {
    page::at_least(page, SMART_BYTES, "the health log").ok()?;
    Some(DeviceCounters {
        read_bytes: moved_bytes(page, 32)?,
        written_bytes: moved_bytes(page, 48)?,
        read_ios: count(page, 64)?,
        written_ios: count(page, 80)?,
        uncertain_bytes: Bytes(DATA_UNIT_BYTES),
        ..DeviceCounters::default()
    })
}

/// A count of the health log.
fn count(page: &[u8], at: usize) -> Option<u64> {
    page::le128(page, at)?.try_into().ok()
}

fn moved_bytes(page: &[u8], at: usize) -> Option<u64> {
    count(page, at)?.checked_mul(DATA_UNIT_BYTES)
}

/// Whether a controller tells which logs it has (bit 5 of LPA in its Identify page: NVM Express Base
/// Specification 2.0, figure 275). Who is asked for one that it has not counts that as an error.
pub(crate) fn lists_logs(identify: &[u8]) -> bool {
    identify.get(261).is_some_and(|byte| byte >> 5 & 1 == 1)
}

/// Whether a log is in the list of supported ones (log 00h, 4 bytes each).
pub(crate) fn has_log(list: &[u8], log: u8) -> bool {
    let entry = list.get(usize::from(log) * 4);
    entry.is_some_and(|byte| byte & 1 == 1)
}

/// What was written to flash, from log C0h in the form of the Open Compute Project (Datacenter NVMe
/// SSD Specification 2.0, SMART-1: bytes written to the media), against what the health log says
/// was given. Both in units of that log.
pub(crate) fn flash_writes(extended: &[u8], health: &Health) -> Option<FlashWrites> {
    if extended.get(496..512)? != OCP_HEALTH {
        return None;
    }
    let written = page::le128(extended, 0)? / u128::from(DATA_UNIT_BYTES);
    Some(FlashWrites {
        given: health.written_bytes? / DATA_UNIT_BYTES,
        written: u64::try_from(written).ok()?,
    })
}

/// Errors that the controller has counted so far, from the newest entry of its error log
/// (01h); `None` where it has none.
pub fn newest_error(page: &[u8]) -> Option<u64> {
    page::le64(page, 0).filter(|count| *count > 0 && *count != u64::MAX)
}

/// Firmware revisions by slot, and the slot in use, from the firmware log (03h).
pub fn firmware_slots(page: &[u8]) -> Vec<(u8, String, bool)> {
    let active = page.first().copied().unwrap_or(0) & 7;
    (1..=7_u8)
        .filter_map(|slot| {
            let at = usize::from(slot) * 8;
            let revision = page::text(page.get(at..at + 8)?);
            (!revision.is_empty()).then_some((slot, revision, slot == active))
        })
        .collect()
}

fn judge(health: &mut Health, critical: u8) {
    for (bit, sentence) in CRITICAL.into_iter().enumerate() {
        if critical >> bit & 1 == 1 {
            health::warn(health, sentence.into());
            if !CRITICAL_WARNINGS.contains(&bit) {
                health.state = HealthState::Failing;
            }
        }
    }
    if let Some(used) = health.used_percent.filter(|used| *used >= 100) {
        let sentence = match used {
            255 => health::worn("more than 254"),
            used => health::worn(used),
        };
        health::warn(health, sentence);
    }
    if let Some(errors) = health.media_errors.filter(|errors| *errors > 0) {
        health::warn(health, text!("Errors that lost data: {errors}"));
    }
}

fn version(raw: u32) -> String {
    match raw {
        // Before 1.2 the field did not exist.
        0 => "1.0 or 1.1".to_owned(),
        _ => format!("{}.{}.{}", raw >> 16, raw >> 8 & 0xff, raw & 0xff),
    }
}

fn transfer_bytes_max(exponent: u8) -> Option<Bytes> {
    // 0 is no limit; what would not fit 32 bits of length is none either.
    (1..=20)
        .contains(&exponent)
        .then(|| Bytes(MEMORY_PAGE_BYTES << exponent))
}

fn power_states(page: &[u8]) -> Vec<NvmePowerState> {
    let count = (usize::from(page[263]) + 1).min(POWER_STATES_MAX);
    page[2048..]
        .chunks_exact(32)
        .take(count)
        .map(|state| {
            let power = page::le16(state, 0).unwrap_or(0);
            let watt = if state[3] & 1 == 1 { 0.0001 } else { 0.01 };
            NvmePowerState {
                power_watt_max: (power > 0).then(|| f64::from(power) * watt),
                operational: state[3] >> 1 & 1 == 0,
                entry_latency_us: page::le32(state, 4).unwrap_or(0),
                exit_latency_us: page::le32(state, 8).unwrap_or(0),
            }
        })
        .collect()
}

fn formats(page: &[u8]) -> Vec<LbaFormat> {
    let count = (usize::from(page[25]) + 1).min(FORMATS_MAX);
    page[128..]
        .chunks_exact(4)
        .take(count)
        .map(|format| LbaFormat {
            data_bytes: if BLOCK_BITS.contains(&format[2]) {
                1 << format[2]
            } else {
                0
            },
            metadata_bytes: page::le16(format, 0).unwrap_or(0),
            relative_performance: format[3] & 3,
        })
        .collect()
}

/// Two more bits of the number are higher up where there are more than 16 formats.
fn format_in_use(page: &[u8], formats: usize) -> u8 {
    let low = page[26] & 0xf;
    if formats > 16 {
        low | (page[26] >> 5 & 3) << 4
    } else {
        low
    }
}

fn celsius(kelvin: u16) -> Option<i32> {
    health::celsius(i32::from(kelvin) - ZERO_CELSIUS_KELVIN)
}

fn identifier(bytes: &[u8]) -> Option<String> {
    page::is_set(bytes).then(|| page::hexadecimal(bytes))
}

fn names(all: &[&str], bits: u16) -> Vec<String> {
    let set = all
        .iter()
        .enumerate()
        .filter(|(bit, _)| bits >> bit & 1 == 1);
    set.map(|(_, name)| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_counts_commands_and_thousands_of_sectors() {
        let mut page = vec![0; SMART_BYTES];
        for (at, count) in [(32, 3_u64), (48, 5), (64, 70), (80, 90)] {
            page[at..at + 8].copy_from_slice(&count.to_le_bytes());
        }
        let counted = counters(&page).unwrap();
        let bytes = (counted.read_bytes, counted.written_bytes);
        assert_eq!(bytes, (1_536_000, 2_560_000));
        assert_eq!((counted.read_ios, counted.written_ios), (70, 90));
        assert_eq!(counted.uncertain_bytes, Bytes(512_000));
        page[47] = 1;
        assert_eq!(counters(&page), None, "more than any drive has moved");
        assert_eq!(counters(&page[..100]), None);
    }

    /// Counted from 0 in the page.
    #[test]
    fn blocks_that_are_written_at_once_are_counted_from_one() {
        let mut page = vec![0; IDENTIFY_BYTES];
        page[526] = 7;
        let controller = controller(&page).unwrap();
        let blocks = [
            controller.atomic_write_blocks,
            controller.atomic_power_fail_blocks,
        ];
        assert_eq!(blocks, [Some(8), Some(1)]);
    }

    #[test]
    fn a_log_is_asked_for_only_where_it_is_listed() {
        let mut identify = vec![0; IDENTIFY_BYTES];
        assert!(!lists_logs(&identify));
        identify[261] = 0x2e;
        assert!(lists_logs(&identify));
        assert!(!lists_logs(&identify[..200]));
        let mut list = vec![0; 1024];
        list[0xc0 * 4] = 1;
        assert!(has_log(&list, 0xc0) && !has_log(&list, 0xc1) && !has_log(&list[..4], 0xc0));
    }

    #[test]
    fn what_was_written_to_flash_is_told_against_what_was_given() {
        let health = Health {
            written_bytes: Some(2_000 * DATA_UNIT_BYTES),
            ..Health::default()
        };
        let mut log = vec![0; 512];
        log[..8].copy_from_slice(&(4_620 * DATA_UNIT_BYTES + 7).to_le_bytes());
        assert_eq!(flash_writes(&log, &health), None, "another maker's log");
        log[496..].copy_from_slice(&OCP_HEALTH);
        let writes = flash_writes(&log, &health).unwrap();
        assert_eq!((writes.given, writes.written), (2_000, 4_620));
        assert_eq!(writes.amplification(), Some(2.31));
        assert_eq!(flash_writes(&log, &Health::default()), None);
        assert_eq!(flash_writes(&log[..500], &health), None);
        log[15] = 0x80;
        assert_eq!(flash_writes(&log, &health), None, "more than any drive has");
    }
}
