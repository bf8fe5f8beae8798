//! A matrix: one method on every combination of RAID level, file system, mount options and
//! whatever else is varied, in randomised blocks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::Text;

use crate::DriveCache;

/// What is varied, and what is measured of every combination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatrixPlan {
    /// What is varied; each combination of their values is a cell.
    pub axes: Vec<MatrixAxis>,
    /// The command that measures a cell, without its target: `mark --row RND4K,Q32`.
    pub method: String,
    /// Where the order within the blocks comes from.
    pub seed: u64,
    /// The combinations, the last axis changing fastest.
    pub cells: Vec<MatrixCell>,
}

/// One thing that is varied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatrixAxis {
    /// `raid`, `fs`, `mount`, …, or a name of the user's.
    pub name: String,
    /// Its values, each once.
    pub values: Vec<String>,
}

/// A combination of one value of each axis, and what is made for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MatrixCell {
    /// Which value of each axis, counted from 0.
    pub values: Vec<usize>,
    /// What is made of the disks; `null` where the combination makes no sense.
    pub volume: Option<VolumePlan>,
    /// What the drives' own write caches are brought to before the volume is made.
    pub drive_cache: DriveCache,
    /// Options that this cell's method has besides.
    pub method: Vec<String>,
    /// Why it is left out, or what is to be known of it.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Vec<String>")]
    pub notes: Vec<Text>,
}

/// What is made of some disks: an array or none, a file system, a mount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VolumePlan {
    /// How the disks are put together.
    pub raid: RaidPlan,
    /// The file system on it.
    pub file_system: FileSystemKind,
    /// What the programs are told besides.
    pub options: VolumeOptions,
    /// The I/O scheduler of every disk; `null` to leave it.
    pub scheduler: Option<String>,
    /// How used the file system is made before it is measured; `null` for fresh.
    pub ageing: Option<Ageing>,
}

/// How disks are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RaidPlan {
    /// Level of the array; each needs a least number of disks.
    pub level: RaidLevel,
    /// How many disks of those that were given, the first ones.
    pub disks: usize,
    /// What puts the disks together: md or the file system.
    pub by: RaidBy,
}

/// RAID levels that an array can be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RaidLevel {
    /// One disk alone, without an array.
    None,
    /// Stripes over all disks, without redundancy.
    Raid0,
    /// Mirrors: every disk holds the same.
    Raid1,
    /// Stripes with one parity; raidz1 of ZFS.
    Raid5,
    /// Stripes with two parities; raidz2 of ZFS.
    Raid6,
    /// Stripes over mirrors; four disks at least.
    Raid10,
}

impl RaidLevel {
    /// Each with its word, as in `--raid none,0,1`.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::None, "none"),
        (Self::Raid0, "0"),
        (Self::Raid1, "1"),
        (Self::Raid5, "5"),
        (Self::Raid6, "6"),
        (Self::Raid10, "10"),
    ];

    /// `none`, `0`, `1`, ….
    pub fn word(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|(level, _)| *level == self);
        found.expect("every level has a word").1
    }

    /// The fewest disks that it can be made of.
    pub const fn disks_min(self) -> usize {
        match self {
            Self::None => 1,
            Self::Raid0 | Self::Raid1 => 2,
            Self::Raid5 => 3,
            Self::Raid6 | Self::Raid10 => 4,
        }
    }
}

/// Who puts disks together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RaidBy {
    /// Linux software RAID, below the file system.
    Md,
    /// The file system itself: Btrfs and ZFS.
    FileSystem,
}

/// File systems that can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileSystemKind {
    /// Linux's second extended file system, without a journal.
    Ext2,
    /// Ext2 with a journal.
    Ext3,
    /// Successor of Ext3 with extents and delayed allocation.
    Ext4,
    /// XFS: extents, a journal of metadata, allocation groups.
    Xfs,
    /// Copy on write, checksums, RAID of its own.
    Btrfs,
    /// IBM's journaling file system (JFS).
    Jfs,
    /// OpenZFS: copy on write, checksums, RAID of its own.
    Zfs,
    /// Log-structured file system for flash.
    F2fs,
}

impl FileSystemKind {
    /// Each with its word, as the kernel has it.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::Ext2, "ext2"),
        (Self::Ext3, "ext3"),
        (Self::Ext4, "ext4"),
        (Self::Xfs, "xfs"),
        (Self::Btrfs, "btrfs"),
        (Self::Jfs, "jfs"),
        (Self::Zfs, "zfs"),
        (Self::F2fs, "f2fs"),
    ];

    /// Name that the kernel has for it, such as `ext4`.
    pub fn word(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|(kind, _)| *kind == self);
        found.expect("every file system has a word").1
    }

    /// Whether it puts disks together itself.
    pub const fn has_raid(self) -> bool {
        matches!(self, Self::Btrfs | Self::Zfs)
    }
}

/// What programs are told besides what the volume needs, each argument by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct VolumeOptions {
    /// Further arguments of `mkfs`.
    pub mkfs: Vec<String>,
    /// Of `mount -o`, joined by commas; of ZFS, properties of the data set.
    pub mount: Vec<String>,
    /// Further arguments of `mdadm --create`.
    pub mdadm: Vec<String>,
    /// Further arguments of `zpool create`.
    pub zpool: Vec<String>,
    /// Wait until a new array has been synchronised, instead of taking it for clean.
    pub initial_sync: bool,
}

/// How a file system is made used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ageing {
    /// How full it is made, in percent of its size.
    pub fill_percent: u8,
    /// Where the sequence of creations, overwrites and deletions comes from.
    pub seed: u64,
}
