//! What the control group of this process has had its devices do: `io.stat` of version 2
//! (`Documentation/admin-guide/cgroup-v2.rst`), `blkio.throttle.io_service_bytes` and `io_serviced`
//! of version 1 (`Documentation/admin-guide/cgroup-v1/blkio-controller.rst`). Inside a container it
//! is there where the devices themselves cannot be seen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sokudo_model::{DeviceCounters, GroupCount};

use crate::control_groups;
use crate::system::System;

const BYTES_V1: &str = "blkio.throttle.io_service_bytes";
const IOS_V1: &str = "blkio.throttle.io_serviced";

/// What a group had counted of each device, by its number as `major:minor`.
#[derive(Clone, Debug)]
pub struct GroupCounters {
    directory: PathBuf,
    counted: BTreeMap<String, DeviceCounters>,
}

impl GroupCounters {
    /// Looks at our own group; `None` where it counts no I/O, or is the group of the whole machine,
    /// which counts what everybody does.
    pub fn look(system: &System) -> Option<Self> {
        let groups = control_groups::directories(system, "blkio");
        // Our own stands before those above it.
        let own = [true, false].map(|version| groups.iter().find(|(it, _)| *it == version));
        own.into_iter()
            .flatten()
            .find_map(|(is_version_2, directory)| {
                let is_machine = match is_version_2 {
                    true => !system.path(directory.join("cgroup.type")).exists(),
                    false => system.path(directory.join("release_agent")).exists(),
                };
                let counted = match is_version_2 {
                    true => of_version_2(system, directory),
                    false => of_version_1(system, directory),
                };
                let directory = directory.clone();
                counted
                    .filter(|_| !is_machine)
                    .map(|counted| Self { directory, counted })
            })
    }

    /// Numbers of the devices that it has used.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = &str> {
        self.counted.keys().map(String::as_str)
    }

    /// What it has counted since `earlier`, of the one device of which it counted most: a volume and
    /// the disk below it count the same bytes. `None` of another group, and of nothing.
    pub fn since(&self, earlier: &Self) -> Option<GroupCount> {
        let grown = self.counted.iter().map(|(number, now)| {
            let then = earlier.counted.get(number).copied().unwrap_or_default();
            GroupCount {
                number: number.clone(),
                counters: now.since(&then),
            }
        });
        let bytes = |it: &GroupCount| {
            it.counters
                .read_bytes
                .saturating_add(it.counters.written_bytes)
        };
        let most = grown.max_by_key(bytes);
        most.filter(|_| self.directory == earlier.directory)
    }
}

/// Lines such as `8:16 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0`.
fn of_version_2(system: &System, directory: &Path) -> Option<BTreeMap<String, DeviceCounters>> {
    let text = system.text(directory.join("io.stat"))?;
    let device = |line: &str| {
        let mut words = line.split_whitespace();
        let number = words.next()?.to_owned();
        let mut counted = DeviceCounters::default();
        for (key, value) in words.filter_map(|word| word.split_once('=')) {
            let field = match key {
                "rbytes" => &mut counted.read_bytes,
                "wbytes" => &mut counted.written_bytes,
                "rios" => &mut counted.read_ios,
                "wios" => &mut counted.written_ios,
                _ => continue,
            };
            *field = value.parse().ok()?;
        }
        Some((number, counted))
    };
    Some(text.lines().filter_map(device).collect())
}

/// A file per quantity, with lines such as `8:16 Read 1459200`.
fn of_version_1(system: &System, directory: &Path) -> Option<BTreeMap<String, DeviceCounters>> {
    let mut found = BTreeMap::<String, DeviceCounters>::new();
    for name in [BYTES_V1, IOS_V1] {
        for line in system
            .text(directory.join(name))
            .unwrap_or_default()
            .lines()
        {
            let mut words = line.split_whitespace();
            let (Some(number), Some(kind), Some(value)) =
                (words.next(), words.next(), words.next())
            else {
                continue;
            };
            let counted = found.entry(number.to_owned()).or_default();
            let field = match (name, kind) {
                (BYTES_V1, "Read") => &mut counted.read_bytes,
                (BYTES_V1, "Write") => &mut counted.written_bytes,
                (_, "Read") => &mut counted.read_ios,
                (_, "Write") => &mut counted.written_ios,
                _ => continue,
            };
            *field = value.parse().unwrap_or(0);
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invented::Machine;

    const VERSION_2: &str = "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
    const STAT: &str = "253:0 rbytes=8192 wbytes=0 rios=2 wios=0 dbytes=0 dios=0\n8:16 rbytes=8192 wbytes=4096 rios=2 wios=1 cost.usage=3\nnonsense\n8:32 rbytes=x\n";

    #[test]
    fn a_group_counts_its_devices_each_alone() {
        let pod = Machine::with(&[
            ("proc/self/mountinfo", VERSION_2),
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/cgroup.type", "domain\n"),
            ("sys/fs/cgroup/io.stat", STAT),
        ]);
        let now = GroupCounters::look(&pod.system()).unwrap();
        let numbers: Vec<&str> = now.numbers().collect();
        assert_eq!(numbers, ["253:0", "8:16", "nonsense"]);
        let mut earlier = now.clone();
        let disk = earlier.counted.get_mut("8:16").unwrap();
        (disk.read_bytes, disk.read_ios) = (4096, 1);
        // Not the sum of a volume and the disk below it.
        let grown = now.since(&earlier).unwrap();
        assert_eq!(grown.number, "8:16");
        let GroupCount {
            counters: grown, ..
        } = grown;
        assert_eq!((grown.read_bytes, grown.read_ios), (4096, 1));
        earlier.directory = "/elsewhere".into();
        assert_eq!(now.since(&earlier), None);
    }

    #[test]
    fn the_group_of_the_machine_is_everybodys() {
        let machine = Machine::with(&[
            ("proc/self/mountinfo", VERSION_2),
            ("proc/self/cgroup", "0::/\n"),
            ("sys/fs/cgroup/io.stat", STAT),
        ]);
        assert!(GroupCounters::look(&machine.system()).is_none());
    }

    #[test]
    fn version_1_has_a_file_per_quantity() {
        let mut files = vec![
            (
                "proc/self/mountinfo",
                "31 1 0:27 / /cg rw - cgroup cgroup rw,blkio\n",
            ),
            ("proc/self/cgroup", "7:blkio:/job\n"),
            (
                "cg/job/blkio.throttle.io_service_bytes",
                "8:16 Read 8192\n8:16 Write 4096\n8:16 Total 12288\nTotal 12288\n",
            ),
            (
                "cg/job/blkio.throttle.io_serviced",
                "8:16 Read 2\n8:16 Write 1\n",
            ),
        ];
        let seen = GroupCounters::look(&Machine::with(&files).system()).unwrap();
        let disk = seen.counted["8:16"];
        assert_eq!((disk.read_bytes, disk.read_ios), (8192, 2));
        assert_eq!((disk.written_bytes, disk.written_ios), (4096, 1));
        files.push(("cg/job/release_agent", ""));
        assert!(GroupCounters::look(&Machine::with(&files).system()).is_none());
    }
}
