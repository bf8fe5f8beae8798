//! What the block devices under the jobs' files counted, as fio reports it: the
//! topmost device with what it is made of, from `/sys/block/NAME/stat`.

use std::path::PathBuf;
use std::time::Instant;

use sokudo_model::{BlockDevice, BlockDeviceKind, TargetInfo, narrow};
use sokudo_tools::fio::output::DiskUse;

/// fields of `stat`, as `Documentation/block/stat.rst` orders them.
const FIELDS: usize = 11;

/// Devices that are watched from when this was made.
pub(crate) struct Disks {
    started_at: Instant,
    disks: Vec<DiskCounts>,
}

struct DiskCounts {
    name: String,
    before: [u64; FIELDS],
    parts: Vec<DiskCounts>,
}

impl Disks {
    /// Starts to watch the devices under targets.
    pub(crate) fn watch<'a>(targets: impl Iterator<Item = &'a TargetInfo>) -> Self {
        let mut disks: Vec<DiskCounts> = Vec::new();
        for target in targets {
            if let Some(disk) = DiskCounts::topmost(&target.devices)
                && disks.iter().all(|known| known.name != disk.name)
            {
                disks.push(disk);
            }
        }
        Self {
            started_at: Instant::now(),
            disks,
        }
    }

    /// What they have counted since.
    pub(crate) fn counted(&self) -> Vec<DiskUse> {
        let elapsed = narrow(self.started_at.elapsed().as_millis());
        let disks = self.disks.iter();
        disks.filter_map(|disk| disk.counted(elapsed)).collect()
    }
}

impl DiskCounts {
    /// The first device of a stack, or the disk that it is a partition of, with the
    /// leaves under it.
    fn topmost(devices: &[BlockDevice]) -> Option<Self> {
        let mut top = devices.first()?;
        if top.kind == BlockDeviceKind::Partition
            && let Some(disk) = top.parents.first()
        {
            top = devices.iter().find(|device| device.name == *disk)?;
        }
        let mut disk = Self::named(&top.name)?;
        let is_part = |device: &&BlockDevice| device.is_leaf && device.name != top.name;
        if matches!(
            top.kind,
            BlockDeviceKind::DeviceMapper | BlockDeviceKind::Raid
        ) {
            disk.parts = devices
                .iter()
                .filter(is_part)
                .filter_map(|device| Self::named(&device.name))
                .collect();
        }
        Some(disk)
    }

    fn named(name: &str) -> Option<Self> {
        Some(Self {
            name: name.to_owned(),
            before: counters(name)?,
            parts: Vec::new(),
        })
    }

    fn counted(&self, elapsed: u64) -> Option<DiskUse> {
        let now = counters(&self.name)?;

        let since = |field: usize| now[field].saturating_sub(self.before[field]);
        Some(DiskUse {
            name: self.name.clone(),
            ios: [since(0), since(4)],
            merges: [since(1), since(5)],
            ticks: [since(3), since(7)],
            in_queue: since(10),
            busy: since(9),
            elapsed,
            parts: self
                .parts
                .iter()
                .filter_map(|part| part.counted(elapsed))
                .collect(),
        })
    }
}

fn counters(name: &str) -> Option<[u64; FIELDS]> {
    let path = PathBuf::from("/sys/class/block")
        .join(name.replace('/', "!"))
        .join("stat");
    parse(&std::fs::read_to_string(path).ok()?)
}

fn parse(line: &str) -> Option<[u64; FIELDS]> {
    let mut fields = line.split_ascii_whitespace().map(str::parse);
    let mut counters = [0; FIELDS];
    for counter in &mut counters {
        *counter = fields.next()?.ok()?;
    }
    Some(counters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eleven_fields_are_read_and_fewer_are_none() {
        assert_eq!(
            parse("1 2 3 4 5 6 7 8 9 10 11 12 13"),
            Some([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
        );
        assert_eq!(parse("1 2 3"), None);
        assert_eq!(parse("1 2 3 x 5 6 7 8 9 10 11"), None);
        assert_eq!(parse(""), None);
    }
}
