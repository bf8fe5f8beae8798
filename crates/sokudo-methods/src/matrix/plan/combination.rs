//! What one combination of values comes to, and whether it makes sense.

use sokudo_model::{
    Ageing, DriveCache, FileSystemKind, MatrixCell, RaidBy, RaidLevel, RaidPlan, VolumeOptions,
    VolumePlan,
};
use sokudo_words::{Text, text};

use crate::matrix::plan::axis::{AxisKind, MatrixError};
use crate::matrix::plan::value::{Axis, AxisValue};

/// What a matrix decides itself, or what would let the measured files do harm.
const MOUNT_OPTIONS_REFUSED: [&str; 6] = ["ro", "loop", "bind", "rbind", "remount", "move"];

/// A level as it was written.
#[derive(Clone, Copy)]
struct RequestedRaid {
    level: RaidLevel,
    /// All that fit, where it was not said.
    disks: Option<usize>,
    by: Option<RaidBy>,
}

/// What the values of a combination ask for together.
struct VolumeRequest {
    raid: RequestedRaid,
    file_system: FileSystemKind,
    options: VolumeOptions,
    scheduler: Option<String>,
    ageing: Option<Ageing>,
    drive_cache: DriveCache,
    method: Vec<String>,
}

/// What combinations are made of.
pub(super) struct Combining<'a> {
    pub(super) axes: &'a [Axis],
    pub(super) disks: usize,
    pub(super) seed: u64,
    pub(super) initial_sync: bool,
}

impl Combining<'_> {
    /// The cell of these values.
    pub(super) fn cell(&self, values: Vec<usize>) -> Result<MatrixCell, MatrixError> {
        let mut request = VolumeRequest {
            raid: RequestedRaid {
                level: RaidLevel::None,
                disks: None,
                by: None,
            },
            file_system: FileSystemKind::Ext4,
            options: VolumeOptions {
                initial_sync: self.initial_sync,
                ..VolumeOptions::default()
            },
            scheduler: None,
            ageing: None,
            drive_cache: DriveCache::Keep,
            method: Vec::new(),
        };
        for (axis, value) in self.axes.iter().zip(&values) {
            request.add(&axis.kind, &axis.values[*value], self.seed)?;
        }
        let raid = request.array(self.disks);
        let notes = match &raid {
            Ok(raid) => request.remarks(*raid),
            Err(why) => vec![why.clone()],
        };
        Ok(MatrixCell {
            values,
            volume: raid.ok().map(|raid| VolumePlan {
                raid,
                file_system: request.file_system,
                options: request.options,
                scheduler: request.scheduler,
                ageing: request.ageing,
            }),
            drive_cache: request.drive_cache,
            method: request.method,
            notes,
        })
    }
}

impl VolumeRequest {
    fn add(&mut self, kind: &AxisKind, value: &AxisValue, seed: u64) -> Result<(), MatrixError> {
        let word = || value.word.clone();
        match kind {
            AxisKind::Raid => {
                let raid = raid(&value.word);
                self.raid = raid.ok_or_else(|| MatrixError::Raid { word: word() })?;
            }
            AxisKind::FileSystem => {
                let mut all = FileSystemKind::ALL.into_iter();
                let found = all.find(|(_, known)| *known == value.word);
                let known = || FileSystemKind::ALL.map(|(_, word)| word).join(", ");
                let found = found.ok_or_else(|| MatrixError::FileSystem {
                    word: word(),
                    known: known(),
                })?;
                self.file_system = found.0;
            }
            AxisKind::Mount => self.mount(&value.word)?,
            AxisKind::Scheduler => {
                let is_sign = |sign: char| sign.is_ascii_alphanumeric() || "-_".contains(sign);
                if value.word.is_empty() || !value.word.chars().all(is_sign) {
                    return Err(MatrixError::Scheduler { word: word() });
                }
                self.scheduler = Some(word());
            }
            AxisKind::WriteCache => {
                self.drive_cache = match value.word.as_str() {
                    "on" => DriveCache::On,
                    "off" => DriveCache::Off,
                    _ => return Err(MatrixError::WriteCache { word: word() }),
                };
            }
            AxisKind::Ageing => self.ageing = ageing(&value.word, seed)?,
            AxisKind::Own(_) => {}
        }
        let VolumeOptions {
            mkfs,
            mount,
            mdadm,
            zpool,
            ..
        } = &value.options;
        self.options.mkfs.extend_from_slice(mkfs);
        self.options.mdadm.extend_from_slice(mdadm);
        self.options.zpool.extend_from_slice(zpool);
        mount.iter().try_for_each(|option| self.mount(option))?;
        self.method.extend_from_slice(&value.method);
        Ok(())
    }

    fn mount(&mut self, options: &str) -> Result<(), MatrixError> {
        for option in options.split(',').map(str::trim) {
            if option.is_empty() || option == "defaults" {
                continue;
            }
            let key = option.split('=').next().unwrap_or(option);
            let is_refused = MOUNT_OPTIONS_REFUSED.contains(&key);
            if is_refused
                || option
                    .chars()
                    .any(|it| it.is_whitespace() || it.is_control())
            {
                return Err(MatrixError::MountOption {
                    word: option.to_owned(),
                });
            }
            self.options.mount.push(option.to_owned());
        }
        Ok(())
    }

    /// Which array it is with so many disks; why it is none.
    fn array(&self, disks: usize) -> Result<RaidPlan, Text> {
        let RequestedRaid { level, by, .. } = self.raid;
        let name = self.file_system.word();
        let own = self.file_system.has_raid();
        let by = by.unwrap_or(match own {
            true => RaidBy::FileSystem,
            false => RaidBy::Md,
        });
        if by == RaidBy::FileSystem && !own {
            return Err(text!("{name} cannot combine disks itself; leave own: out"));
        }
        let count = match level {
            RaidLevel::None => 1,
            _ => self.raid.disks.unwrap_or(disks),
        };
        let word = level.word();
        if count > disks {
            return Err(text!(
                "RAID {word} of {count} disks needs more than the {disks} that are given"
            ));
        }
        let least = level.disks_min();
        if count < least {
            return Err(text!("RAID {word} needs {least} disks and has {count}"));
        }
        let is_of_pairs = level == RaidLevel::Raid10 && by == RaidBy::FileSystem;
        if is_of_pairs && self.file_system == FileSystemKind::Zfs && count % 2 != 0 {
            return Err(text!(
                "striped mirrors of ZFS need an even number of disks, and {count} are given"
            ));
        }
        Ok(RaidPlan {
            level,
            disks: count,
            by,
        })
    }

    /// What is to be known of a combination that makes sense.
    fn remarks(&self, raid: RaidPlan) -> Vec<Text> {
        let mut remarks = Vec::new();
        let is_array = raid.level != RaidLevel::None;
        if is_array && raid.by == RaidBy::Md && self.file_system.has_raid() {
            remarks.push(text!(
                "{} stands on Linux software RAID and cannot repair the errors that its checksums find; its own RAID can",
                self.file_system.word()
            ));
        }
        let has_parity = matches!(raid.level, RaidLevel::Raid5 | RaidLevel::Raid6);
        if has_parity && raid.by == RaidBy::FileSystem && self.file_system == FileSystemKind::Btrfs
        {
            remarks.push("the developers of Btrfs call its RAID 5 and 6 not safe for data".into());
        }
        if is_array && raid.by == RaidBy::Md && raid.level != RaidLevel::Raid0 {
            remarks.push(match self.options.initial_sync {
                true => "the array is synchronised before it is measured".into(),
                false => "the array is taken for clean and not synchronised (mdadm --assume-clean)"
                    .into(),
            });
        }
        match self.drive_cache {
            DriveCache::Keep => {}
            DriveCache::On => remarks
                .push("the drives' write caches are switched on, and restored at the end".into()),
            DriveCache::Off => remarks
                .push("the drives' write caches are switched off, and restored at the end".into()),
        }
        remarks
    }
}

/// `5`, `0@2`, `md:1`, `own:0`.
fn raid(word: &str) -> Option<RequestedRaid> {
    let (by, rest) = match word.split_once(':') {
        Some(("md", rest)) => (Some(RaidBy::Md), rest),
        Some(("own", rest)) => (Some(RaidBy::FileSystem), rest),
        Some(_) => return None,
        None => (None, word),
    };
    let (level, disks) = match rest.split_once('@') {
        Some((level, disks)) => (level, Some(disks.parse().ok().filter(|it| *it > 0)?)),
        None => (rest, None),
    };
    let level = level.strip_prefix("raid").unwrap_or(level);
    let (level, _) = RaidLevel::ALL.into_iter().find(|(_, it)| *it == level)?;
    Some(RequestedRaid { level, disks, by })
}

/// Reads `fresh` or how full the file system is made: `1%` to `90%`.
fn ageing(word: &str, seed: u64) -> Result<Option<Ageing>, MatrixError> {
    if word == "fresh" {
        return Ok(None);
    }
    let percent = word.strip_suffix('%').and_then(|it| it.parse::<u8>().ok());
    // Beyond, file systems keep their last blocks for root.
    let percent = percent.filter(|it| (1..=90).contains(it));
    let fill_percent = percent.ok_or_else(|| MatrixError::Ageing {
        word: word.to_owned(),
    })?;
    Ok(Some(Ageing { fill_percent, seed }))
}
