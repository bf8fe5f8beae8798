//! What the leaf devices have counted. Reading takes one small file per device,
//! so it can be done before and after every trial.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use sokudo_model::{Bytes, DeviceCounters, Nanos};
use sokudo_sys::nvme::{NvmeCommand, NvmeLog, ask_nvme};

use crate::block::SECTOR_BYTES;
use crate::nvme;
use crate::system::System;

/// A line of 17 numbers of up to 20 digits fits.
const LINE_BYTES_MAX: usize = 512;

/// Where flushes stand in the line, counted from 1.
const FLUSHES_FIELD: usize = 16;

/// Where the milliseconds of writes stand in it.
const WRITE_TIME_FIELD: usize = 8;

/// Where the counters of a target's leaf devices are read. The default reads
/// none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterSource {
    stat_files: Vec<PathBuf>,
    /// A drive that is asked what it has counted itself.
    drive: Option<PathBuf>,
}

impl CounterSource {
    /// Counts from these files, each a block device's `stat`.
    pub(crate) fn new(stat_files: Vec<PathBuf>) -> Self {
        let drive = None;
        Self { stat_files, drive }
    }

    /// What the NVMe drive with this node counts itself, in its health log: commands and data
    /// units of all its namespaces. For I/O that goes around the block layer.
    pub fn of_drive(node: &Path) -> Self {
        Self {
            drive: Some(node.to_owned()),
            ..Self::default()
        }
    }

    /// The sum over all leaf devices since the machine started; `None` if there
    /// are none, or one of them does not count or has vanished.
    pub fn read(&self) -> Option<DeviceCounters> {
        if let Some(node) = &self.drive {
            let drive = File::open(node).ok()?;
            let log = ask_nvme(&drive, &NvmeCommand::log(NvmeLog::Smart)).ok()?;
            return nvme::counters(&log.data);
        }
        let files = self.stat_files.iter();
        let mut counts = files.map(|file| parse(&first_line(file)?));
        let first = counts.next()??;
        counts.try_fold(first, |sum, next| Some(sum.plus(&next?)))
    }
}

/// The files that count for a leaf device. With NVMe multipath, kernels before
/// 6.4 count on the hidden devices of the paths only, and later ones on both; so
/// the paths count wherever there are any.
pub(crate) fn stat_files(system: &System, directory: &Path) -> Vec<PathBuf> {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let paths: Vec<PathBuf> = system
        .names("sys/class/block")
        .iter()
        .filter(|entry| is_nvme_path(entry, &name))
        .map(|entry| system.path("sys/class/block").join(entry).join("stat"))
        .collect();
    if paths.is_empty() {
        return vec![directory.join("stat")];
    }
    paths
}

/// Whether the kernel is new enough (5.5) to count flushes; `None` if the file
/// cannot be read.
pub(crate) fn counts_flushes(stat_file: &Path) -> Option<bool> {
    let line = first_line(stat_file)?;
    Some(line.split_ascii_whitespace().count() >= FLUSHES_FIELD)
}

/// Whether `entry`, such as `nvme0c1n2`, is a path to the namespace `nvme0n2`.
fn is_nvme_path(entry: &str, namespace: &str) -> bool {
    let is_number = |text: &str| text.parse::<u32>().is_ok();
    let split = |name: &str| -> Option<(String, String)> {
        let (before, number) = name.strip_prefix("nvme")?.split_once('n')?;
        Some((before.to_owned(), number.to_owned()))
    };
    let (Some((path, path_number)), Some((subsystem, number))) = (split(entry), split(namespace))
    else {
        return false;
    };
    let controller = path
        .strip_prefix(&subsystem)
        .and_then(|rest| rest.strip_prefix('c'));
    is_number(&subsystem) && controller.is_some_and(is_number) && path_number == number
}

fn first_line(path: &Path) -> Option<String> {
    let mut line = [0; LINE_BYTES_MAX];
    let length = File::open(path).ok()?.read(&mut line).ok()?;
    String::from_utf8(line[..length].to_vec()).ok()
}

/// The fields are those of the kernel's `Documentation/block/stat.rst`. Flushes
/// are field 16, since Linux 5.5; before it they cannot be seen apart.
fn parse(line: &str) -> Option<DeviceCounters> {
    let fields: Vec<u64> = line
        .split_ascii_whitespace()
        .map_while(|field| field.parse().ok())
        .collect();
    let [
        read_ios,
        merged_reads,
        read_sectors,
        read_millis,
        written_ios,
        merged_writes,
        written_sectors,
        ..,
    ] = fields[..]
    else {
        return None;
    };
    Some(DeviceCounters {
        read_ios,
        read_bytes: read_sectors.saturating_mul(SECTOR_BYTES),
        written_ios,
        written_bytes: written_sectors.saturating_mul(SECTOR_BYTES),
        flushes: fields.get(FLUSHES_FIELD - 1).copied().unwrap_or(0),
        merged_reads,
        merged_writes,
        request_time: fields
            .get(WRITE_TIME_FIELD - 1)
            .and_then(|written_millis| read_millis.checked_add(*written_millis))
            .and_then(|millis| millis.checked_mul(1_000_000))
            .map(Nanos),
        uncertain_bytes: Bytes(0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "   36371     7772  4073394    24905    10388    24187  2220160     6340        0     9240    31811     4009       16   280552      536     1019       28\n";

    #[test]
    fn the_fields_of_a_line_are_told_apart() {
        let counters = parse(LINE).unwrap();
        assert_eq!(counters.read_ios, 36_371);
        assert_eq!(counters.read_bytes, 4_073_394 * 512);
        assert_eq!(counters.written_ios, 10_388);
        assert_eq!(counters.written_bytes, 2_220_160 * 512);
        assert_eq!(counters.flushes, 1019);
        assert_eq!(
            counters.request_time,
            Some(Nanos::from_millis(24_905 + 6_340))
        );
        assert_eq!(counters.merged_reads, 7_772);
        assert_eq!(counters.merged_writes, 24_187);
    }

    #[test]
    fn truncated_or_hostile_lines_are_none_or_less_but_no_panic() {
        for length in 0..LINE.len() {
            let _ = parse(&LINE[..length]);
        }
        assert_eq!(parse(""), None);
        assert_eq!(parse("1 2 3 4 5 6"), None);
        assert_eq!(parse("1 2 x 4 5 6 7"), None);
        assert_eq!(parse("1 2 3 4 5 6 99999999999999999999"), None);
        let old = parse("1 2 3 4 5 6 7 8 9 10 11").unwrap();
        assert_eq!((old.written_bytes, old.flushes), (7 * 512, 0));
        assert_eq!(old.request_time, Some(Nanos::from_millis(4 + 8)));
    }

    #[test]
    fn leaves_are_summed_and_none_is_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let one = directory.path().join("one");
        let two = directory.path().join("two");
        std::fs::write(&one, LINE).unwrap();
        std::fs::write(&two, "1 0 18446744073709551615 0 2 0 4\n").unwrap();
        let both = CounterSource::new(vec![one.clone(), two.clone()]);
        let counters = both.read().unwrap();
        assert_eq!(counters.read_ios, 36_372);
        assert_eq!(counters.read_bytes, u64::MAX);
        std::fs::remove_file(two).unwrap();
        assert_eq!(both.read(), None);
        assert_eq!(CounterSource::default().read(), None);
    }

    #[test]
    fn only_paths_to_the_same_namespace_are_its_paths() {
        assert!(is_nvme_path("nvme0c1n1", "nvme0n1"));
        assert!(!is_nvme_path("nvme0c1n2", "nvme0n1"));
        assert!(!is_nvme_path("nvme1c1n1", "nvme0n1"));
        assert!(!is_nvme_path("nvme0n1", "nvme0n1"));
        assert!(!is_nvme_path("nvme0c1n1p1", "nvme0n1"));
        assert!(!is_nvme_path("sda", "sda"));
    }
}
