//! Limits that control groups put on the I/O of this process: `io.max` of version 2
//! (`Documentation/admin-guide/cgroup-v2.rst`) and `blkio.throttle.*` of version 1
//! (`Documentation/admin-guide/cgroup-v1/blkio-controller.rst`), of our own group and of
//! every group above it that can be seen.

use std::collections::BTreeMap;
use std::path::Path;

use sokudo_model::{IoLimit, Nanos, TargetInfo};

use crate::control_groups;
use crate::group_counters::GroupCounters;
use crate::system::System;

/// A word of version 2, the file of version 1, and the limit that both hold.
type Throttle = (
    &'static str,
    &'static str,
    fn(&mut IoLimit) -> &mut Option<u64>,
);

const THROTTLES: [Throttle; 4] = [
    ("rbps", "blkio.throttle.read_bps_device", |it| {
        &mut it.read_bytes_per_s
    }),
    ("wbps", "blkio.throttle.write_bps_device", |it| {
        &mut it.write_bytes_per_s
    }),
    ("riops", "blkio.throttle.read_iops_device", |it| {
        &mut it.read_ios_per_s
    }),
    ("wiops", "blkio.throttle.write_iops_device", |it| {
        &mut it.write_ios_per_s
    }),
];

/// The limits that were seen while a run went on, and when.
#[derive(Debug, Default)]
pub(super) struct LimitsSeen {
    each: Vec<LimitSeen>,
    first_look: Option<Nanos>,
    last_look: Nanos,
}

#[derive(Debug)]
struct LimitSeen {
    limit: IoLimit,
    first: Nanos,
    last: Nanos,
}

impl LimitsSeen {
    /// What limits there are at an instant that is later than all before.
    pub(super) fn note(&mut self, at: Nanos, limits: Vec<IoLimit>) {
        for limit in limits {
            let mut open = self.each.iter_mut().rev();
            let still = open.find(|seen| seen.last == self.last_look && seen.limit == limit);
            match still {
                Some(seen) if self.first_look.is_some() => seen.last = at,
                _ => self.each.push(LimitSeen {
                    limit,
                    first: at,
                    last: at,
                }),
            }
        }
        self.first_look.get_or_insert(at);
        self.last_look = at;
    }

    /// Each limit with the part of the run in which it was seen.
    pub(super) fn into_limits(self) -> Vec<IoLimit> {
        let (first_look, last_look) = (self.first_look, self.last_look);
        let each = self.each.into_iter();
        each.map(|seen| IoLimit {
            from: (Some(seen.first) != first_look).then_some(seen.first),
            to: (seen.last != last_look).then_some(seen.last),
            ..seen.limit
        })
        .collect()
    }
}

/// Every limit for a device under the target.
pub(super) fn limits(system: &System, target: &TargetInfo) -> Vec<IoLimit> {
    let group = target
        .devices
        .is_empty()
        .then(|| GroupCounters::look(system));
    let group = group.flatten();
    // Of devices that cannot be seen a group knows the numbers alone.
    let numbers = group.iter().flat_map(GroupCounters::numbers);
    let devices = target.devices.iter();
    let names: BTreeMap<&str, &str> = devices
        .map(|device| (device.number.as_str(), device.name.as_str()))
        .chain(numbers.map(|number| (number, number)))
        .collect();
    let mut found = Vec::new();
    for (is_version_2, directory) in control_groups::directories(system, "blkio") {
        found.extend(match is_version_2 {
            true => of_version_2(system, &directory),
            false => of_version_1(system, &directory),
        });
    }
    found.retain_mut(|limit| {
        let name = names.get(limit.number.as_str());
        limit.device = name.map(|name| (*name).to_owned()).unwrap_or_default();
        name.is_some()
    });
    found
}

/// Lines such as `8:16 rbps=2097152 wbps=max riops=max wiops=120`.
fn of_version_2(system: &System, directory: &Path) -> Vec<IoLimit> {
    let file = directory.join("io.max");
    let text = system.text(&file).unwrap_or_default();
    let limit = |line: &str| {
        let mut words = line.split_whitespace();
        let mut limit = IoLimit {
            file: file.to_string_lossy().into_owned(),
            number: words.next()?.to_owned(),
            ..IoLimit::default()
        };
        for (key, value) in words.filter_map(|word| word.split_once('=')) {
            let mut known = THROTTLES.iter();
            if let Some((.., field)) = known.find(|(word, ..)| *word == key) {
                *field(&mut limit) = value.parse().ok();
            }
        }
        is_some_limit(&mut limit).then_some(limit)
    };
    text.lines().filter_map(limit).collect()
}

/// A file per limit, with lines such as `8:16 2097152`.
fn of_version_1(system: &System, directory: &Path) -> Vec<IoLimit> {
    let mut found = Vec::new();
    for (_, name, field) in THROTTLES {
        let file = directory.join(name);
        for line in system.text(&file).unwrap_or_default().lines() {
            let Some((number, value)) = line.split_once(' ') else {
                continue;
            };
            let mut limit = IoLimit {
                file: file.to_string_lossy().into_owned(),
                number: number.to_owned(),
                ..IoLimit::default()
            };
            *field(&mut limit) = value.trim().parse().ok();
            if is_some_limit(&mut limit) {
                found.push(limit);
            }
        }
    }
    found
}

/// Whether it limits anything: a 0 would let nothing through, and version 1 writes it for
/// none.
fn is_some_limit(limit: &mut IoLimit) -> bool {
    let mut fields = THROTTLES.iter().map(|(.., field)| field);
    fields.any(|field| field(limit).is_some_and(|value| value > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::target_on;
    use crate::invented::Machine;

    const VERSION_2: &str = "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

    #[test]
    fn limits_of_our_group_and_of_those_above_it_are_found() {
        let machine = Machine::with(&[
            ("proc/self/mountinfo", VERSION_2),
            ("proc/self/cgroup", "0::/user.slice/job\n"),
            (
                "sys/fs/cgroup/user.slice/io.max",
                "8:16 rbps=2097152 wbps=max riops=max wiops=120\n9:9 rbps=1 wbps=1\n",
            ),
            (
                "sys/fs/cgroup/user.slice/job/io.max",
                "8:16 rbps=max wbps=max riops=max wiops=max\n8:0 rbps=max wbps=7\n",
            ),
            ("sys/fs/cgroup/other/io.max", "8:16 rbps=1\n"),
        ]);
        let found = limits(
            &machine.system(),
            &target_on(&[("sdb", "8:16"), ("sda", "8:0")]),
        );
        let [own, above] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(above.file, "/sys/fs/cgroup/user.slice/io.max");
        assert_eq!(above.device, "sdb");
        assert_eq!(above.read_bytes_per_s, Some(2 << 20));
        assert_eq!(above.write_bytes_per_s, None);
        assert_eq!(above.write_ios_per_s, Some(120));
        assert_eq!(own.device, "sda");
        assert_eq!(own.write_bytes_per_s, Some(7));
    }

    #[test]
    fn a_container_shows_its_own_group_as_the_root() {
        let machine = Machine::with(&[
            (
                "proc/self/mountinfo",
                "30 1 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            ),
            ("proc/self/cgroup", "0::/docker/1/job\n"),
            ("sys/fs/cgroup/io.max", "8:16 rbps=5\n"),
            ("sys/fs/cgroup/job/io.max", "8:16 rbps=4\n"),
        ]);
        let found = limits(&machine.system(), &target_on(&[("sdb", "8:16")]));
        let rates: Vec<_> = found.iter().map(|limit| limit.read_bytes_per_s).collect();
        assert_eq!(rates, [Some(4), Some(5)]);
    }

    #[test]
    fn version_1_has_a_file_per_limit() {
        let machine = Machine::with(&[
            (
                "proc/self/mountinfo",
                "30 1 0:26 / /cg/cpu rw - cgroup cgroup rw,cpu\n31 1 0:27 / /cg/io rw - cgroup cgroup rw,blkio\n",
            ),
            ("proc/self/cgroup", "3:cpu:/a\n2:blkio:/a\n"),
            ("cg/io/a/blkio.throttle.read_bps_device", "8:16 1000\n"),
            ("cg/io/blkio.throttle.write_iops_device", "8:16 10\n"),
            ("cg/cpu/a/blkio.throttle.read_bps_device", "8:16 1\n"),
        ]);
        let found = limits(&machine.system(), &target_on(&[("sdb", "8:16")]));
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].read_bytes_per_s, Some(1000));
        assert_eq!(found[1].write_ios_per_s, Some(10));
        assert_eq!(found[1].file, "/cg/io/blkio.throttle.write_iops_device");
    }

    #[test]
    fn a_limit_of_a_part_of_a_run_has_its_times() {
        let limit = |rate: u64| IoLimit {
            read_bytes_per_s: Some(rate),
            ..IoLimit::default()
        };
        let mut seen = LimitsSeen::default();
        // The first all the time, the second twice for a while, the third from then on.
        let looks: [&[u64]; 6] = [&[1], &[1, 2], &[2, 1], &[1], &[1, 2, 3], &[1, 3]];
        for (number, rates) in (0..).zip(looks) {
            let limits = rates.iter().map(|rate| limit(*rate)).collect();
            seen.note(Nanos::from_secs(number), limits);
        }
        let times = |it: IoLimit| (it.read_bytes_per_s.unwrap(), it.from, it.to);
        let at = |second| Some(Nanos::from_secs(second));
        let found: Vec<_> = seen.into_limits().into_iter().map(times).collect();
        assert_eq!(
            found,
            [
                (1, None, None),
                (2, at(1), at(2)),
                (2, at(4), at(4)),
                (3, at(4), None)
            ]
        );
        assert_eq!(LimitsSeen::default().into_limits(), []);
    }

    #[test]
    fn nonsense_and_groups_out_of_sight_are_no_limits() {
        let machine = Machine::with(&[
            ("proc/self/mountinfo", VERSION_2),
            ("proc/self/cgroup", "0::/../job\nx\n:\n"),
            ("sys/fs/cgroup/io.max", "8:16 rbps=-1 wbps=1e9 =\n\n8:16\n"),
        ]);
        assert_eq!(
            limits(&machine.system(), &target_on(&[("sdb", "8:16")])),
            []
        );
        assert_eq!(limits(&machine.system(), &target_on(&[])), []);
    }
}
