//! ATA IDENTIFY DEVICE: 256 words in which a disk describes itself (ACS-4, 7.13).
//! It only reads the words; the disk is asked elsewhere.

mod features;
mod words;

use sokudo_model::disk::{AtaIdentity, Rotation};

use crate::page::{self, PageError};

pub(crate) use words::AtaWords;

/// Length of every ATA page.
pub const PAGE_BYTES: usize = 512;

/// The low byte of word 255 if its high byte is a checksum.
const CHECKSUM_SIGNATURE: u8 = 0xa5;

/// What a sector has unless the disk says otherwise.
const SECTOR_BYTES: u32 = 512;

/// The largest sector that any disk has had is 4224 bytes; a page that says more than
/// this is not believed.
const SECTOR_BYTES_MAX: u32 = 1 << 20;

/// Reads IDENTIFY DEVICE.
///
/// # Errors
/// If the page is too short, empty, or its checksum does not fit.
pub fn identity(page: &[u8]) -> Result<AtaIdentity, PageError> {
    const NAME: &str = "IDENTIFY DEVICE";
    page::at_least(page, PAGE_BYTES, NAME)?;
    let page = &page[..PAGE_BYTES];
    let sum = page.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    if page[510] == CHECKSUM_SIGNATURE && sum != 0 {
        return Err(PageError::Checksum { page: NAME });
    }
    let words = AtaWords(page);
    let logical_sector_bytes = logical_sector_bytes(words);
    let sata = words.stated(76).filter(|_| words.at(76) & 1 == 0);
    Ok(AtaIdentity {
        model: words.text(27, 46),
        serial: words.text(10, 19),
        firmware: words.text(23, 26),
        world_wide_name: world_wide_name(words),
        standard: standard(words),
        transport: transport(words),
        sectors: sectors(words),
        logical_sector_bytes,
        physical_sector_bytes: physical_sector_bytes(words, logical_sector_bytes),
        alignment_offset_bytes: alignment_offset_bytes(words, logical_sector_bytes),
        rotation_rate: rotation_rate(words.at(217)),
        form_factor: u8::try_from(words.stated(168).unwrap_or(0) & 0xf).unwrap_or(0),
        sata_generation_max: sata.and_then(|word| {
            (1..=3_u8)
                .rev()
                .find(|generation| word >> generation & 1 == 1)
        }),
        sata_generation: sata
            .map(|_| u8::try_from(words.at(77) >> 1 & 7).unwrap_or(0))
            .filter(|generation| (1..=3).contains(generation)),
        queue_depth: sata
            .filter(|word| word >> 8 & 1 == 1)
            .and_then(|_| u8::try_from((words.at(75) & 0x1f) + 1).ok()),
        cache_bytes: words
            .stated(21)
            .map(|sectors| u64::from(sectors) * u64::from(SECTOR_BYTES)),
        features: features::all(words),
        write_cache: features::switch(words, 5),
        read_look_ahead: features::switch(words, 6),
        power_management_level: features::is_enabled(words, 86, 3)
            .unwrap_or(false)
            .then(|| words.at(91).to_le_bytes()[0]),
        trim: trim(words),
        zoned: match words.at(69) & 3 {
            _ if words.stated(69).is_none() => None,
            1 => Some("host-aware"),
            2 => Some("device-managed"),
            _ => None,
        }
        .map(str::to_owned),
        security: features::security(words),
        ultra_dma_max: ultra_dma(words).and_then(|word| highest_bit(word & 0x7f)),
        ultra_dma: ultra_dma(words).and_then(|word| highest_bit(word >> 8 & 0x7f)),
        multiple_sectors_max: u8::try_from(words.at(47) & 0xff)
            .ok()
            .filter(|&count| count > 0),
        trim_blocks_max: words.stated(105).filter(|_| words.bit(169, 0)),
    })
}

/// Whether a disk has a feature of this name (ACS), and it is switched on.
pub(crate) fn is_enabled(identity: &AtaIdentity, feature: &str) -> bool {
    let mut features = identity.features.iter();
    features.any(|(name, enabled)| name == feature && *enabled == Some(true))
}

/// What a rotation rate means.
pub fn rotation(rate: u16) -> Rotation {
    match rate {
        1 => Rotation::None,
        0x401..=0xfffe => Rotation::PerMinute(u32::from(rate)),
        _ => Rotation::Unknown,
    }
}

/// Rates from 2 to 400h and FFFFh are reserved: a disk that gives one says nothing.
pub(crate) fn rotation_rate(word: u16) -> u16 {
    match word {
        1 | 0x401..=0xfffe => word,
        _ => 0,
    }
}

/// A form factor's code in words (ACS-4 word 168, SBC-4 VPD page B1h).
pub fn form_factor(code: u8) -> Option<&'static str> {
    Some(match code {
        1 => "5.25 inch",
        2 => "3.5 inch",
        3 => "2.5 inch",
        4 => "1.8 inch",
        5 => "less than 1.8 inch",
        6 => "mSATA",
        7 => "M.2",
        8 => "MicroSSD",
        9 => "CFast",
        _ => return None,
    })
}

fn sectors(words: AtaWords<'_>) -> u64 {
    let short = words.number(60, 2);
    let long = words.number(100, 4);
    // 48 bits; and words 230 to 233 where more than 28 bits are in use otherwise.
    if words.marked(83).is_some() && words.bit(83, 10) && long > 0 && long < 1 << 48 {
        long
    } else {
        short
    }
}

fn logical_sector_bytes(words: AtaWords<'_>) -> u32 {
    if words.marked(106).is_none() || !words.bit(106, 12) {
        return SECTOR_BYTES;
    }
    u32::try_from(words.number(117, 2))
        .ok()
        .and_then(|words| words.checked_mul(2))
        .filter(|bytes| (SECTOR_BYTES..=SECTOR_BYTES_MAX).contains(bytes))
        .unwrap_or(SECTOR_BYTES)
}

fn physical_sector_bytes(words: AtaWords<'_>, logical: u32) -> u32 {
    let exponent = match words.marked(106) {
        Some(word) if word >> 13 & 1 == 1 => u32::from(word & 0xf),
        _ => 0,
    };
    logical
        .checked_mul(1 << exponent)
        .filter(|bytes| *bytes <= SECTOR_BYTES_MAX)
        .unwrap_or(logical)
}

/// Word 209 counts the logical sectors by which the first one lies after the begin of
/// its physical sector.
fn alignment_offset_bytes(words: AtaWords<'_>, logical: u32) -> u32 {
    words
        .marked(209)
        .and_then(|word| u32::from(word & 0x3fff).checked_mul(logical))
        .filter(|offset| *offset < physical_sector_bytes(words, logical))
        .unwrap_or(0)
}

fn world_wide_name(words: AtaWords<'_>) -> Option<u64> {
    let name = (108..112).fold(0, |name, index| name << 16 | u64::from(words.at(index)));
    // The first digit is the kind of name; 5 is the one that ATA allows.
    (words.marked(84).is_some() && words.bit(84, 8) && name >> 60 == 5).then_some(name)
}

fn standard(words: AtaWords<'_>) -> Option<String> {
    let versions = words.stated(80)?;
    let name = match highest_bit(versions)? {
        number @ 1..=3 => format!("ATA-{number}"),
        number @ 4..=7 => format!("ATA/ATAPI-{number}"),
        8 => "ATA8-ACS".to_owned(),
        number @ 9..=13 => format!("ACS-{}", number - 7),
        _ => return None,
    };
    Some(name)
}

fn transport(words: AtaWords<'_>) -> Option<String> {
    let word = words.stated(222)?;
    let newest = highest_bit(word & 0xfff);
    let name = match (word >> 12, newest) {
        (0, Some(0)) => "ATA8-APT",
        (0, Some(1)) => "ATA/ATAPI-7",
        (0, _) => "Parallel",
        (1, Some(0)) => "ATA8-AST",
        (1, Some(1)) => "SATA 1.0a",
        (1, Some(2)) => "SATA II Extensions",
        (1, Some(3)) => "SATA 2.5",
        (1, Some(4)) => "SATA 2.6",
        (1, Some(5)) => "SATA 3.0",
        (1, Some(6)) => "SATA 3.1",
        (1, Some(7)) => "SATA 3.2",
        (1, Some(8)) => "SATA 3.3",
        (1, Some(9)) => "SATA 3.4",
        (1, Some(10)) => "SATA 3.5",
        (1, _) => "SATA",
        (0xe, _) => "PCIe",
        _ => return None,
    };
    Some(name.to_owned())
}

fn trim(words: AtaWords<'_>) -> Option<String> {
    if words.stated(169).is_none() || !words.bit(169, 0) {
        return None;
    }
    let deterministic = words.stated(69).is_some() && words.bit(69, 14);
    let reads = match (deterministic, words.bit(69, 5)) {
        (true, true) => "zeros",
        (true, false) => "deterministic",
        (false, _) => "undefined",
    };
    Some(reads.to_owned())
}

/// Word 88, where word 53 says that it means something.
fn ultra_dma(words: AtaWords<'_>) -> Option<u16> {
    words
        .bit(53, 2)
        .then(|| words.at(88))
        .filter(|word| *word != 0xffff)
}

fn highest_bit(word: u16) -> Option<u8> {
    u8::try_from(word.checked_ilog2()?).ok()
}
