//! The labels that ZFS writes onto its devices: which pool they belong to. The kernel tells it
//! nowhere else.
//!
//! The format is that of "ZFS On-Disk Specification" (Sun Microsystems 2006), 1.3: a list of
//! names and values in XDR (RFC 4506).

use std::collections::HashSet;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use rustix::fs::OFlags;

use crate::block;
use crate::system::System;

/// Where the list begins in a label: behind what is left to others.
const LIST_AT: u64 = 16 << 10;
/// How long it may be.
const LIST_BYTES: usize = 112 << 10;
/// Lists hold lists as deep as devices are stacked in a pool: disk, mirror, replacing, spare.
const DEPTH_MAX: u32 = 8;
/// Members of one list; far more than any pool has.
const MEMBERS_MAX: u32 = 1_024;

/// `DATA_TYPE_UINT64`, `…_STRING`, `…_NVLIST`, `…_NVLIST_ARRAY` of `sys/nvpair.h`.
const UINT64: u32 = 8;
const STRING: u32 = 9;
const LIST: u32 = 19;
const LISTS: u32 = 20;

/// Pool state `POOL_STATE_ACTIVE` of `sys/fs/zfs.h`: imported and in use.
const ACTIVE: u64 = 0;

/// How many lookups of data the cache of ZFS, the ARC, has had since the machine started, and how
/// many it answered: of all pools together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArcCounts {
    /// Lookups of data, whether the cache answered or a disk.
    pub lookups: u64,
    /// Those that needed no disk.
    pub answered: u64,
}

impl ArcCounts {
    /// As they are now; `None` where there is no ZFS.
    pub fn now(system: &System) -> Option<Self> {
        Self::parse(&system.text("proc/spl/kstat/zfs/arcstats")?)
    }

    /// What came between `before` and these.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            lookups: self.lookups.saturating_sub(before.lookups),
            answered: self.answered.saturating_sub(before.answered),
        }
    }

    /// Lines of name, type and value. Since ZFS 2.2 `iohits` are those that waited for a read
    /// under way.
    fn parse(stats: &str) -> Option<Self> {
        let value = |name: &str| {
            let mut lines = stats.lines().map(str::split_whitespace);
            lines.find_map(|mut words| {
                (words.next()? == name).then(|| words.nth(1)?.parse::<u64>().ok())?
            })
        };
        let answered = value("demand_data_hits")? + value("demand_data_iohits").unwrap_or(0);
        Some(Self {
            lookups: answered + value("demand_data_misses")?,
            answered,
        })
    }
}

/// What a device's label says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Label {
    pool: String,
    pool_guid: u64,
    is_active: bool,
    /// This device's own number.
    guid: u64,
    /// How many parts the pool is striped over.
    parts: u64,
    /// The part that this device belongs to.
    part: u64,
    /// The numbers of all devices of that part.
    leaves: Vec<u64>,
}

/// The devices of a pool, as directories in sysfs; `None` unless every one of them was found.
pub(crate) fn members(system: &System, pool: &str) -> Option<Vec<PathBuf>> {
    let mut found: Vec<(PathBuf, Label)> = Vec::new();
    for directory in block::all(system) {
        let label = read(system, &directory).ok().flatten();
        let label = label.filter(|it| it.pool == pool && it.is_active);
        found.extend(label.map(|label| (directory, label)));
    }
    let labels: Vec<&Label> = found.iter().map(|(_, label)| label).collect();
    is_whole(&labels).then(|| found.into_iter().map(|(directory, _)| directory).collect())
}

/// Whether these are all devices of one pool, each once.
fn is_whole(labels: &[&Label]) -> bool {
    let Some(first) = labels.first() else {
        return false;
    };
    let is_one_pool = labels.iter().all(|it| it.pool_guid == first.pool_guid);
    let parts: HashSet<u64> = labels.iter().map(|it| it.part).collect();
    let here: HashSet<u64> = labels.iter().map(|it| it.guid).collect();
    let mut leaves = labels.iter().flat_map(|it| &it.leaves);
    is_one_pool
        && here.len() == labels.len()
        && parts.len() as u64 == first.parts
        && leaves.all(|leaf| here.contains(leaf))
}

fn read(system: &System, directory: &std::path::Path) -> io::Result<Option<Label>> {
    let device = block::open(system, directory, OFlags::empty())?;
    let mut list = vec![0; LIST_BYTES];
    device.read_exact_at(&mut list, LIST_AT)?;
    Ok(label(&list))
}

/// Reads the list of a label; `None` where it is none.
fn label(list: &[u8]) -> Option<Label> {
    let mut label = Label::default();
    let mut has_leaves = false;
    // The first byte says how it is written: 1 for XDR.
    let mut xdr = Xdr(list.strip_prefix(&[1])?.get(3..)?);
    xdr.list(&mut Vec::new(), 0, &mut |path, value| match (path, value) {
        (["name"], Value::Text(name)) => name.clone_into(&mut label.pool),
        (["pool_guid"], Value::Number(number)) => label.pool_guid = number,
        (["state"], Value::Number(number)) => label.is_active = number == ACTIVE,
        (["guid"], Value::Number(number)) => label.guid = number,
        (["vdev_children"], Value::Number(number)) => label.parts = number,
        (["top_guid"], Value::Number(number)) => label.part = number,
        (["vdev_tree", .., "path"], Value::Text(_)) => has_leaves = true,
        (["vdev_tree", .., "guid"], Value::Number(number)) => label.leaves.push(number),
        _ => {}
    })?;
    // A mirror has a number, and is no device.
    if label.leaves.len() > 1 {
        label.leaves.retain(|guid| *guid != label.part);
    }
    (has_leaves && !label.pool.is_empty() && label.pool_guid != 0).then_some(label)
}

/// A value of a list, as far as we read them.
enum Value<'a> {
    Number(u64),
    Text(&'a str),
}

/// What is left of a text in XDR: numbers have the first byte first, all is of whole words.
struct Xdr<'a>(&'a [u8]);

impl<'a> Xdr<'a> {
    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn word(&mut self) -> Option<u32> {
        self.bytes(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    fn number(&mut self) -> Option<u64> {
        self.bytes(8)?.try_into().ok().map(u64::from_be_bytes)
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.word()?).ok()?;
        let bytes = self.bytes(length.checked_next_multiple_of(4)?)?;
        std::str::from_utf8(&bytes[..length]).ok()
    }

    /// Tells each number and text of a list and of those in it, with the names that lead there.
    fn list<F: FnMut(&[&str], Value<'_>)>(
        &mut self,
        path: &mut Vec<&'a str>,
        depth: u32,
        tell: &mut F,
    ) -> Option<()> {
        if depth > DEPTH_MAX {
            return None;
        }
        let _version_and_flags = self.bytes(8)?;
        loop {
            let length = self.word()?;
            let _length_in_memory = self.word()?;
            // A pair of no length is the end.
            let Some(length) = length.checked_sub(8) else {
                return Some(());
            };
            let mut pair = Self(self.bytes(usize::try_from(length).ok()?)?);
            path.push(pair.text()?);
            pair.value(path, depth, tell)?;
            path.pop();
        }
    }

    fn value<F: FnMut(&[&str], Value<'_>)>(
        &mut self,
        path: &mut Vec<&'a str>,
        depth: u32,
        tell: &mut F,
    ) -> Option<()> {
        let (kind, count) = (self.word()?, self.word()?);
        match kind {
            UINT64 => tell(path, Value::Number(self.number()?)),
            STRING => tell(path, Value::Text(self.text()?)),
            LIST => self.list(path, depth + 1, tell)?,
            LISTS => {
                for _ in 0..count.min(MEMBERS_MAX) {
                    self.list(path, depth + 1, tell)?;
                }
            }
            _ => {}
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by ZFS onto one of two disks of a mirror.
    const MIRROR: &[u8] = include_bytes!("../tests/pages/zfs-mirror.label");

    #[test]
    fn what_the_cache_answered_is_counted() {
        let stats = |hits: u64, misses: u64| {
            format!(
                "13 1 0x01 147 39984 5 6\nname type data\nhits 4 99\ndemand_data_hits 4 {hits}\n\
                 demand_data_iohits 4 2\ndemand_data_misses 4 {misses}\n"
            )
        };
        let before = ArcCounts::parse(&stats(10, 5)).unwrap();
        let after = ArcCounts::parse(&stats(16, 9)).unwrap();
        let between = ArcCounts {
            lookups: 10,
            answered: 6,
        };
        assert_eq!(after.since(before), between);
        assert_eq!(ArcCounts::parse("name type data\n"), None);
    }

    #[test]
    fn a_label_names_its_pool_and_all_devices_of_its_mirror() {
        let label = label(MIRROR).unwrap();
        assert_eq!(label.pool, "sokudotest");
        assert_eq!(label.pool_guid, 0x23fd_e6f6_b0a6_2e84);
        assert_eq!(label.parts, 1);
        assert_eq!(label.leaves.len(), 2);
        assert!(label.leaves.contains(&label.guid));
        assert!(!label.leaves.contains(&label.part));
        // Its pool was exported before this was kept.
        assert!(!label.is_active);
    }

    #[test]
    fn a_pool_is_whole_only_with_every_device_of_every_part() {
        let one = label(MIRROR).unwrap();
        let other = Label {
            guid: *one.leaves.iter().find(|it| **it != one.guid).unwrap(),
            ..one.clone()
        };
        assert!(is_whole(&[&one, &other]));
        assert!(!is_whole(&[&one]));
        assert!(!is_whole(&[&one, &one]));
        let striped = Label {
            parts: 2,
            ..one.clone()
        };
        assert!(!is_whole(&[&striped, &other]));
        let another = Label {
            pool_guid: 1,
            ..other.clone()
        };
        assert!(!is_whole(&[&one, &another]));
        assert!(!is_whole(&[]));
    }

    #[test]
    fn hostile_labels_give_nothing_and_no_panic() {
        assert_eq!(label(&[]), None);
        assert_eq!(label(&[0; 4096]), None);
        for length in 0..MIRROR.len() {
            assert_eq!(label(&MIRROR[..length]), None);
        }
        for index in 0..MIRROR.len() {
            for byte in [0, 0x7f, 0xff] {
                let mut damaged = MIRROR.to_vec();
                damaged[index] = byte;
                let _ = label(&damaged);
            }
        }
    }
}
