//! From a word to a block device: its kernel name, a name below `/dev/disk` or
//! `/dev/mapper`, or a part of its serial number or model. Names such as `sdb` change
//! between boots; serial numbers do not.
//!
//! It never guesses: a word that fits several devices is refused, with all of them named.

use std::path::{Path, PathBuf};

use sokudo_model::disk::Disk;
use sokudo_words::{Text, text};

use crate::block;
use crate::disk::{Listed, decimal_size};
use crate::inspect::storage_node;
use crate::system::{self, System};

/// Candidates that one message names; of more, only the number is told.
const CANDIDATES_NAMED: usize = 8;
/// A part of a name must be so long: a single letter would fit by chance, and a slip of
/// the finger would be taken for a disk.
const PART_CHARACTERS_MIN: usize = 3;
/// Words whose first letters agree so far are taken for misspellings of each other.
const LIKENESS_MIN: usize = 3;

/// Why a word leads to no device.
#[derive(Debug, sokudo_words::Error)]
#[fault(usage)]
pub enum FindError {
    /// Nothing is called so.
    #[error("no disk has the name, model or serial number {word:?}; {}", nearest_text(.nearest))]
    Nothing {
        word: String,
        /// Disks with a similar name; all disks where none has.
        nearest: Vec<Text>,
    },
    #[error("{word:?} fits {} disks: {}; use more of the serial number, or the path", .candidates.len(), list(.candidates))]
    Ambiguous {
        word: String,
        /// Each with model, serial number and size.
        candidates: Vec<Text>,
    },
}

fn nearest_text(nearest: &[Text]) -> Text {
    match nearest {
        [] => "`sokudo info` lists what there is".into(),
        some => text!("there is {}", list(some)),
    }
}

fn list(candidates: &[Text]) -> Text {
    let named = candidates.iter().take(CANDIDATES_NAMED).cloned();
    let more = candidates.len().saturating_sub(CANDIDATES_NAMED);
    let more = (more > 0).then(|| text!("and {more} more"));
    Text::list(named.chain(more), "; ")
}

/// The node of the block device that `word` names. A path that exists is that device; a
/// whole name comes before a part of one.
///
/// # Errors
/// If nothing or several things are called so.
pub fn find(system: &System, word: &str) -> Result<PathBuf, FindError> {
    let path = Path::new(word);
    if word.contains('/') && path.exists() {
        return Ok(storage_node(path.to_owned()));
    }
    let listed = Listed::of(system);
    if let Some(name) = exact(system, &listed, word) {
        return Ok(Path::new("/dev").join(name));
    }
    let wanted = word.to_lowercase();
    let is_long_enough = wanted.trim().chars().count() >= PART_CHARACTERS_MIN;
    let passes: [fn(&Disk, &str) -> bool; 2] = [is_serial, is_part];
    for is_meant in passes {
        let fitting: Vec<&Disk> = listed
            .disks
            .iter()
            .filter(|disk| is_long_enough && is_meant(disk, &wanted))
            .collect();
        match fitting[..] {
            [] => {}
            [only] => return Ok(PathBuf::from(&only.path)),
            _ => return only_multipath(system, word, &fitting),
        }
    }
    Err(FindError::Nothing {
        word: word.to_owned(),
        nearest: nearest(&listed.disks, &wanted),
    })
}

/// The kernel name of what is called exactly so.
fn exact(system: &System, listed: &Listed, word: &str) -> Option<String> {
    let bare = word.strip_prefix("/dev/").unwrap_or(word);
    let is_name = !bare.is_empty() && bare != "." && bare != "..";
    if is_name && block::directory_of_name(system, bare).is_some() {
        return Some(bare.to_owned());
    }
    let mut links = listed.surroundings.all_links();
    let linked = links.find(|(link, _)| *link == word || link.rsplit('/').next() == Some(word));
    if let Some((_, name)) = linked {
        return Some(name.to_owned());
    }
    let mapped = bare.strip_prefix("mapper/").unwrap_or(bare);
    block::mapped(system, mapped).map(|directory| block::name(&directory))
}

fn is_serial(disk: &Disk, wanted: &str) -> bool {
    let names = [&disk.serial, &disk.world_wide_name];
    names
        .into_iter()
        .flatten()
        .any(|name| name.trim().to_lowercase() == wanted)
}

/// A part of any name: a word that is in the serial number of one disk and in the model of
/// another fits both.
fn is_part(disk: &Disk, wanted: &str) -> bool {
    let maker = [&disk.vendor, &disk.model].into_iter().flatten().cloned();
    let model = maker.collect::<Vec<_>>().join(" ");
    let names = [&disk.serial, &disk.world_wide_name].into_iter().flatten();
    let links = disk
        .links
        .iter()
        .filter_map(|link| link.strip_prefix("/dev/disk/by-id/"));
    let mut names = names.map(String::as_str).chain(links).chain([&*model]);
    names.any(|name| holds(name, wanted))
}

fn holds(text: &str, wanted: &str) -> bool {
    text.to_lowercase().contains(wanted)
}

/// All paths to one disk are one disk: the device that the multipath driver makes of them.
fn only_multipath(system: &System, word: &str, fitting: &[&Disk]) -> Result<PathBuf, FindError> {
    let mut maps: Vec<Option<PathBuf>> = fitting
        .iter()
        .map(|disk| multipath(system, &disk.name))
        .collect();
    maps.dedup();
    match &maps[..] {
        [Some(map)] => Ok(Path::new("/dev").join(block::name(map))),
        _ => Err(FindError::Ambiguous {
            word: word.to_owned(),
            candidates: fitting.iter().map(|disk| description(disk)).collect(),
        }),
    }
}

fn multipath(system: &System, name: &str) -> Option<PathBuf> {
    let is_multipath = |id: String| id.starts_with("mpath-");
    block::above(&block::directory_of_name(system, name)?)
        .find(|above| system::text(above.join("dm/uuid")).is_some_and(is_multipath))
}

/// A disk in a message: `sdb (WDC WD40, serial WD-1, 4.0 TB)`.
fn description(disk: &Disk) -> Text {
    let serial = disk.serial.as_ref();
    let parts = [
        disk.model.as_ref().map(|model| Text::name(plain(model))),
        serial.map(|serial| text!("serial {}", plain(serial))),
        disk.size_bytes.map(|size| Text::name(decimal_size(size))),
    ];
    let parts: Vec<Text> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return Text::name(plain(&disk.name));
    }
    text!("{} ({})", plain(&disk.name), Text::list(parts, ", "))
}

/// Devices write their own names; a terminal must not obey them.
fn plain(text: &str) -> String {
    text.chars()
        .map(|sign| match sign {
            sign if sign.is_control() => char::REPLACEMENT_CHARACTER,
            sign => sign,
        })
        .collect()
}

/// What begins like the word; where nothing does, everything.
fn nearest(disks: &[Disk], wanted: &str) -> Vec<Text> {
    let likeness = |disk: &Disk| {
        let names = [Some(&disk.name), disk.serial.as_ref(), disk.model.as_ref()];
        names
            .into_iter()
            .flatten()
            .map(|name| shared_start(&name.to_lowercase(), wanted))
            .max()
            .unwrap_or(0)
    };
    let mut alike: Vec<(usize, &Disk)> = disks
        .iter()
        .map(|disk| (likeness(disk), disk))
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .collect();
    alike.sort_by_key(|(likeness, _)| std::cmp::Reverse(*likeness));
    if alike.is_empty() {
        return disks.iter().map(description).collect();
    }
    alike
        .into_iter()
        .map(|(_, disk)| description(disk))
        .collect()
}

fn shared_start(left: &str, right: &str) -> usize {
    let pairs = left.chars().zip(right.chars());
    pairs.take_while(|(left, right)| left == right).count()
}
