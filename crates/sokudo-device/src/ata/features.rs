//! The features of an ATA disk, named as hdparm names them, so that the two lists can be
//! compared.

use super::AtaWords;

/// A word and a bit in it.
type FeatureBit = (usize, u32);

/// A feature: where it is said to be supported, and where to be enabled, if it can be
/// switched. Words 82 to 84 are valid by word 83, 85 to 87 by word 87.
type Feature = (&'static str, FeatureBit, Option<FeatureBit>);

const fn switched(name: &'static str, word: usize, bit: u32) -> Feature {
    (name, (word, bit), Some((word + 3, bit)))
}

const fn fixed(name: &'static str, word: usize, bit: u32) -> Feature {
    (name, (word, bit), None)
}

const fn sata(name: &'static str, bit: u32) -> Feature {
    (name, (78, bit), Some((79, bit)))
}

const fn general(name: &'static str, bit: u32) -> Feature {
    (name, (119, bit), Some((120, bit)))
}

/// Features of the IDENTIFY page, in the order in which hdparm prints them.
const FEATURES: [Feature; 60] = [
    switched("SMART feature set", 82, 0),
    switched("Security Mode feature set", 82, 1),
    switched("Removable Media feature set", 82, 2),
    switched("Power Management feature set", 82, 3),
    switched("PACKET command feature set", 82, 4),
    switched("Write cache", 82, 5),
    switched("Look-ahead", 82, 6),
    switched("Release interrupt", 82, 7),
    switched("SERVICE interrupt", 82, 8),
    switched("DEVICE_RESET command", 82, 9),
    switched("Host Protected Area feature set", 82, 10),
    switched("WRITE_BUFFER command", 82, 12),
    switched("READ_BUFFER command", 82, 13),
    switched("NOP cmd", 82, 14),
    switched("DOWNLOAD_MICROCODE", 83, 0),
    switched("READ/WRITE_DMA_QUEUED", 83, 1),
    switched("CFA feature set", 83, 2),
    switched("Advanced Power Management feature set", 83, 3),
    switched("Power-Up In Standby feature set", 83, 5),
    switched("SET_FEATURES required to spinup after power up", 83, 6),
    switched("SET_MAX security extension", 83, 8),
    switched("Automatic Acoustic Management feature set", 83, 9),
    switched("48-bit Address feature set", 83, 10),
    switched("Device Configuration Overlay feature set", 83, 11),
    switched("Mandatory FLUSH_CACHE", 83, 12),
    switched("FLUSH_CACHE_EXT", 83, 13),
    switched("SMART error logging", 84, 0),
    switched("SMART self-test", 84, 1),
    switched("Media Card Pass-Through", 84, 3),
    switched("General Purpose Logging feature set", 84, 5),
    switched("WRITE_{DMA|MULTIPLE}_FUA_EXT", 84, 6),
    switched("64-bit World wide name", 84, 8),
    switched("IDLE_IMMEDIATE with UNLOAD", 84, 13),
    general("Write-Read-Verify feature set", 1),
    general("WRITE_UNCORRECTABLE_EXT command", 2),
    general("{READ,WRITE}_DMA_EXT_GPL commands", 3),
    general("Segmented DOWNLOAD_MICROCODE", 4),
    general("Free-fall control feature set", 5),
    general("Extended Power Conditions feature set", 7),
    fixed("Native Command Queueing (NCQ)", 76, 8),
    fixed("Host-initiated interface power management", 76, 9),
    fixed("Phy event counters", 76, 10),
    fixed("NCQ priority information", 76, 12),
    fixed("READ_LOG_DMA_EXT equivalent to READ_LOG_EXT", 76, 15),
    sata("Non-Zero buffer offsets in DMA Setup FIS", 1),
    sata("DMA Setup Auto-Activate optimization", 2),
    sata("Device-initiated interface power management", 3),
    sata("In-order data delivery", 4),
    sata("Asynchronous notification (eg. media change)", 5),
    sata("Software settings preservation", 6),
    sata("Device Sleep (DEVSLP)", 8),
    fixed("SMART Command Transport (SCT) feature set", 206, 0),
    fixed("SCT Write Same (AC2)", 206, 2),
    fixed("SCT Error Recovery Control (AC3)", 206, 3),
    fixed("SCT Features Control (AC4)", 206, 4),
    fixed("SCT Data Tables (AC5)", 206, 5),
    fixed("SANITIZE feature set", 59, 12),
    fixed("Data Set Management TRIM supported", 169, 0),
    fixed("Deterministic read data after TRIM", 69, 14),
    fixed("Device encrypts all user data", 69, 4),
];

/// Every feature that the disk has, with whether it is on, where it can be switched.
pub(super) fn all(words: AtaWords<'_>) -> Vec<(String, Option<bool>)> {
    let there = FEATURES.into_iter();
    let there = there.filter(|(_, (word, bit), _)| is_supported(words, *word, *bit));
    there
        .map(|(name, _, enabled)| {
            let enabled = enabled.and_then(|(word, bit)| is_enabled(words, word, bit));
            (name.to_owned(), enabled)
        })
        .collect()
}

/// Whether a feature of word 82 that the disk has is on.
pub(super) fn switch(words: AtaWords<'_>, bit: u32) -> Option<bool> {
    is_supported(words, 82, bit)
        .then(|| is_enabled(words, 85, bit))
        .flatten()
}

/// Whether a bit of a word of enabled features is set; `None` where the word says
/// nothing.
pub(super) fn is_enabled(words: AtaWords<'_>, word: usize, bit: u32) -> Option<bool> {
    let is_valid = match word {
        85..=87 => words.marked(87).is_some(),
        120 => words.marked(120).is_some(),
        _ => words.at(word) != 0xffff,
    };
    is_valid.then(|| words.bit(word, bit))
}

/// Security: what is supported and set.
pub(super) fn security(words: AtaWords<'_>) -> Vec<String> {
    if words.at(128) == 0xffff || !words.bit(128, 0) {
        return Vec::new();
    }
    let states = [
        (0, "supported"),
        (1, "enabled"),
        (2, "locked"),
        (3, "frozen"),
        (4, "password attempts exceeded"),
        (5, "enhanced erase"),
    ];
    states
        .iter()
        .filter(|(bit, _)| words.bit(128, *bit))
        .map(|(_, state)| (*state).to_owned())
        .collect()
}

fn is_supported(words: AtaWords<'_>, word: usize, bit: u32) -> bool {
    let is_valid = match word {
        82..=84 => words.marked(83).is_some(),
        119 => words.marked(119).is_some(),
        _ => words.stated(word).is_some(),
    };
    is_valid && words.bit(word, bit)
}
