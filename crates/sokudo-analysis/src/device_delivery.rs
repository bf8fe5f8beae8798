//! Did the bytes reach the devices: what is missing there, and what keeps it
//! from being seen.

use sokudo_model::{BlockDeviceKind, Bytes, Nanos, Operation, TargetKind};
use sokudo_words::{Text, text};

use crate::case::{RowContext, counted, counts};
use crate::code::{Code, RuleResult};
use crate::remedy;
use crate::rule::RowRule;
use crate::target::{encoded_share, missing_share};
use crate::threshold::{ARRIVED_RATIO_MIN, CACHED_SHARE_MAX, GROUP_RATIO_MAX};

pub(crate) const RULES: &[RowRule] = &[
    cached_on_purpose,
    not_from_device,
    not_on_device,
    cannot_see_device,
    shown_by_group,
    ramp_in_counters,
];

/// File systems whose devices are elsewhere.
const REMOTE: [&str; 11] = [
    "9p",
    "afs",
    "ceph",
    "cifs",
    "fuse.sshfs",
    "nfs",
    "nfs4",
    "smb3",
    "smbfs",
    "virtiofs",
    "vboxsf",
];

/// Bytes that the devices counted per byte that the engine moved; of a mix the
/// smaller one of both directions, since each must hold.
pub(crate) fn device_ratio(case: &RowContext<'_>) -> Option<f64> {
    let ratios = [Operation::Read, Operation::Write].map(|operation| case.ratio(operation));
    ratios.into_iter().flatten().min_by(f64::total_cmp)
}

/// What `hdparm -T` shows is no figure of a disk and is not meant to be one: nothing went
/// wrong, and there is nothing to be done about it.
fn cached_on_purpose(case: &RowContext<'_>) -> Option<RuleResult> {
    let did_io = case.outcomes().any(|outcome| outcome.ios() > 0);
    (case.is_of_cache() && did_io && !case.in_memory()).then(|| {
        RuleResult::new(
            Code::CachedOnPurpose,
            "the row reads the same few bytes again and again through the page cache, as hdparm -T does",
            "this row measures the CPU and its memory on purpose",
            "read it as the upper limit of the system; the other rows measure the disk",
        )
    })
}

fn not_from_device(case: &RowContext<'_>) -> Option<RuleResult> {
    if case.is_of_cache() {
        return None;
    }
    let symptom = missing(case, Operation::Read)?;
    let (cause, remedy) = if case.cached_share().unwrap_or(0.0) > CACHED_SHARE_MAX {
        (
            "the file was in the page cache",
            remedy::direct_where_possible(),
        )
    } else if missing_share(case) > 0.0 {
        (
            "the file has holes or blocks that were never written, which are read as zeros \
             without asking the device",
            Text::from(
                "measure a file whose every block was written, such as the one sokudo lays out in a \
             directory",
            ),
        )
    } else if !case.direct() && case.target().cached_loop().is_none() {
        (
            "the page cache answered what had been read before or was read ahead",
            remedy::direct_where_possible(),
        )
    } else if encoded_share(case) > 0.0 || case.compresses() {
        (
            "the file system stores the file compressed, so that the device reads less",
            Text::from("measure with random data, or on a file system mounted without compression"),
        )
    } else if case.target().cached_loop().is_some() {
        (
            "a loop device reads its file through the page cache",
            Text::from(remedy::DIRECT_LOOP),
        )
    } else if has_loop(case) {
        (
            "parts of the file behind a loop device were never written, which are read as zeros \
             without asking the disk below",
            Text::from(
                "attach a file whose every block was written, or measure a directory of a file system \
             on the disk below",
            ),
        )
    } else if case.target().kind == TargetKind::BlockDevice {
        (
            "a layer between sokudo and the disk answered: a cache, or a volume of which parts were \
             never written",
            Text::from("measure the disk below it, or a directory of a file system on it"),
        )
    } else {
        (
            "a cache between sokudo and the device answered, or the file system ignores direct I/O",
            Text::from("measure the block device itself, or a file much larger than memory"),
        )
    };
    Some(RuleResult::new(Code::NotFromDevice, symptom, cause, remedy))
}

fn has_loop(case: &RowContext<'_>) -> bool {
    let mut devices = case.target().devices.iter();
    devices.any(|device| device.kind == BlockDeviceKind::Loop)
}

fn not_on_device(case: &RowContext<'_>) -> Option<RuleResult> {
    let symptom = missing(case, Operation::Write)?;
    let (cause, remedy) = if !case.direct() {
        (
            "the writes went into the page cache and were not written out in the measured time",
            remedy::direct_where_possible(),
        )
    } else if case.compresses() {
        (
            "the file system compresses what it writes",
            Text::from("measure with random data, on a file system mounted without compression"),
        )
    } else if case.target().cached_loop().is_some() {
        (
            "a loop device writes its file through the page cache",
            Text::from(remedy::DIRECT_LOOP),
        )
    } else {
        (
            "a layer between sokudo and the device kept, merged or compressed the writes",
            Text::from("measure on a file system that stands directly on the device"),
        )
    };
    Some(RuleResult::new(Code::NotOnDevice, symptom, cause, remedy))
}

/// Says how much is missing at the devices, if it is too much of what was measured.
fn missing(case: &RowContext<'_>, operation: Operation) -> Option<Text> {
    if case.is_passed_through() {
        // What a drive counts itself, it may count later.
        return None;
    }
    let percent = case.ratio(operation)? * 100.0;
    let device_bytes = Bytes(counted(&case.device()?, operation)?);
    let engine_bytes = Bytes(case.moved(operation));
    let of_measured = Shortfall::of(case, operation)?.of_measured;
    (of_measured < ARRIVED_RATIO_MIN).then(|| match operation {
        Operation::Read => text!(
            "only {percent:.1} % of the bytes came from the devices: sokudo read {engine_bytes}, \
             the devices {device_bytes}"
        ),
        _ => text!(
            "only {percent:.1} % of the bytes reached the devices: sokudo wrote {engine_bytes}, \
             the devices {device_bytes}"
        ),
    })
}

/// There is I/O, but nothing that shows where it went.
fn cannot_see_device(case: &RowContext<'_>) -> Option<RuleResult> {
    // Of these it is known where the bytes went; no counter is needed.
    let known = case.target().kind == TargetKind::Null || case.in_memory() || case.is_of_cache();
    let did_io = case.outcomes().any(|outcome| outcome.ios() > 0);
    if known || !did_io {
        return None;
    }
    let moved = case.moved(Operation::Read) + case.moved(Operation::Write);
    let leaf_loop = case
        .target()
        .leaves()
        .find(|leaf| leaf.kind == BlockDeviceKind::Loop);
    let symptom = "nothing shows whether the bytes reached a device";
    let (cause, remedy) = if moved == 0 {
        (
            Text::from("devices count reads and writes, and the row did neither"),
            Text::from("this figure shows how fast the kernel answers, not how fast the disk is"),
        )
    } else if case.is_passed_through() {
        unseen_commands(case)?
    } else if case.device().is_none() {
        if group_share(case).is_some() {
            return None;
        }
        unseen(case)
    } else if let Some(device) = leaf_loop {
        (
            text!(
                "{device} presents a file as a disk, and the device under that file could not be \
                 seen",
                device = device.name
            ),
            Text::from("put the file of the loop device on a local disk, and measure again"),
        )
    } else if let Some(device) = case.target().cached_loop()
        && case.moved(Operation::Read) > 0
        && missing(case, Operation::Read).is_none()
    {
        (
            text!(
                "{device} reads its file through the page cache of the disk below: what the cache \
                 answered and what others read meanwhile look alike in the counters",
                device = device.name
            ),
            Text::from(remedy::DIRECT_LOOP),
        )
    } else {
        return None;
    };
    Some(RuleResult::new(
        Code::CannotSeeDevice,
        symptom,
        cause,
        remedy,
    ))
}

/// The part of what the row moved that its control group counted on one device, of a mix the smaller
/// one, where that proves it: all of it is there, and so little more that nothing which others in
/// the group had from the device hides what a cache answered. What a group does not count proves
/// nothing: it may be counted for another one.
fn group_share(case: &RowContext<'_>) -> Option<f64> {
    let is_elsewhere = case
        .file_system()
        .is_some_and(|kind| kind.starts_with("fuse") || REMOTE.contains(&kind));
    let group = case
        .group()
        .filter(|_| case.device().is_none() && !is_elsewhere)?;
    let share = |operation: Operation| {
        let moved = case.moved(operation);
        let counted = counted(&group.counters, operation)?;
        (moved > 0).then(|| counted as f64 / moved as f64)
    };
    let shares = [Operation::Read, Operation::Write].map(share);
    let shares = shares.into_iter().flatten();
    let proves = |share: &f64| (ARRIVED_RATIO_MIN..=GROUP_RATIO_MAX).contains(share);
    let least = shares.clone().min_by(f64::total_cmp)?;
    shares.clone().all(|share| proves(&share)).then_some(least)
}

/// The devices are not seen, but the control group counted what reached them.
fn shown_by_group(case: &RowContext<'_>) -> Option<RuleResult> {
    let percent = group_share(case)? * 100.0;
    Some(RuleResult::new(
        Code::ShownByGroup,
        text!(
            "the devices cannot be seen from here; the control group of sokudo counted {percent:.1} % of the bytes on one of them"
        ),
        "a control group counts the I/O that its processes send to devices, below the page cache; what lies below that device is not seen",
        "to know more about the disk, measure on the host",
    ))
}

/// Why the drive's own counters do not show what commands moved. They must hold what was moved, as
/// far as their unit lets that be seen; where that is not far enough, as many commands.
fn unseen_commands(case: &RowContext<'_>) -> Option<(Text, Text)> {
    let Some(device) = case.device() else {
        return Some((
            Text::from(
                "commands bypass the block layer, so the kernel does not count them, and the drive did not report its health log",
            ),
            remedy::block_layer(),
        ));
    };
    let unseen = |operation: &Operation| {
        let (moved, requested) = (case.moved(*operation), case.requested(*operation));
        let least = moved as f64 * ARRIVED_RATIO_MIN;
        let uncertain = device.uncertain_bytes.0 as f64;
        let bytes = counted(&device, *operation)?;
        let commands = match operation {
            Operation::Read => device.read_ios,
            _ => device.written_ios,
        };
        let is_fine = uncertain <= moved as f64 - least;
        let is_there = match is_fine {
            true => bytes as f64 + uncertain >= least,
            false => {
                bytes as f64 + uncertain >= moved as f64
                    && commands as f64 >= requested as f64 * ARRIVED_RATIO_MIN
            }
        };
        (moved > 0 && !is_there).then_some((Bytes(moved), Bytes(bytes)))
    };
    let (engine_bytes, device_bytes) = [Operation::Read, Operation::Write]
        .iter()
        .find_map(unseen)?;
    Some((
        text!(
            "commands bypass the block layer, so the kernel does not count them. The drive's own counter, in units of 512,000 bytes, shows {device_bytes} of {engine_bytes}; some drives update it only now and then"
        ),
        remedy::block_layer(),
    ))
}

/// Why there are no counters, and what would give them.
fn unseen(case: &RowContext<'_>) -> (Text, Text) {
    let target = case.target();
    if let Some(leaf) = target.leaves().find(|leaf| !counts(leaf)) {
        return (
            text!(
                "the kernel does not count the I/O of {device}",
                device = leaf.name
            ),
            text!(
                "as root: echo 1 > /sys/block/{device}/queue/iostats",
                device = leaf.name
            ),
        );
    }
    let local = Text::from(match target.kind {
        TargetKind::BlockDevice => "measure the disk below it, or a directory on a local disk",
        _ => "measure a directory on a local disk, or the block device itself",
    });
    match case.file_system() {
        Some(kind) if kind.starts_with("fuse") && !REMOTE.contains(&kind) && kind != "fuseblk" => (
            text!(
                "{file_system} is served by a program, which may cache and keep its files anywhere",
                file_system = kind
            ),
            Text::from("measure a directory on the file system in which that program keeps them"),
        ),
        Some(kind) if REMOTE.contains(&kind) => (
            text!(
                "{file_system} keeps its files on another machine, which may cache them",
                file_system = kind
            ),
            Text::from("measure on that machine, or a directory on a local disk"),
        ),
        _ if !target.blind_spots.is_empty() => {
            let blind_spots = target.blind_spots.iter().map(|it| text!("{}", it));
            (Text::list(blind_spots, " "), local)
        }
        Some(kind) => (
            text!(
                "the devices under {file_system} could not be found",
                file_system = kind
            ),
            local,
        ),
        None => (
            Text::from("the counters of the devices could not be read"),
            local,
        ),
    }
}

/// How far the bytes of a direction can have reached the devices.
///
/// The devices count a ramp as well, and nothing says which of its bytes are missing: all
/// of them, or none. What runs before and after a measured part that was cut out of one load
/// is no other load: what is missing is missing there as well.
struct Shortfall {
    /// Bytes at the devices per byte measured, if none of them was the ramp's.
    of_measured: f64,
    /// The same, if all of the ramp reached them.
    without_ramp: f64,
}

impl Shortfall {
    fn of(case: &RowContext<'_>, operation: Operation) -> Option<Self> {
        let counted = counted(&case.device()?, operation)?;
        let is_one_load = case.outcomes().all(|outcome| outcome.window.is_some());
        let ramp = match is_one_load && case.row.workload.timing.ramp == Nanos(0) {
            true => 0,
            false => case.in_ramp(operation).bytes.0,
        };
        let measured = case.moved(operation) - ramp;
        (measured > 0).then(|| Self {
            of_measured: counted as f64 / measured as f64,
            without_ramp: counted.saturating_sub(ramp) as f64 / measured as f64,
        })
    }
}

/// Bytes are missing that may be the ramp's, or those of the measured part.
fn ramp_in_counters(case: &RowContext<'_>) -> Option<RuleResult> {
    if case.is_of_cache() || case.is_passed_through() {
        return None;
    }
    let unclear = |operation: &Operation| {
        Shortfall::of(case, *operation).is_some_and(|shortfall| {
            shortfall.without_ramp < ARRIVED_RATIO_MIN && shortfall.of_measured >= ARRIVED_RATIO_MIN
        })
    };
    let operation = [Operation::Read, Operation::Write]
        .into_iter()
        .find(unclear)?;
    let device_bytes = Bytes(counted(&case.device()?, operation)?);
    let engine_bytes = Bytes(case.moved(operation));
    let ramp_bytes = case.in_ramp(operation).bytes;
    Some(RuleResult::new(
        Code::RampInCounters,
        match operation {
            Operation::Read => text!(
                "sokudo read {engine_bytes}, {ramp_bytes} of it in the ramp, the devices \
                 {device_bytes}"
            ),
            _ => text!(
                "sokudo wrote {engine_bytes}, {ramp_bytes} of it in the ramp, the devices \
                 {device_bytes}"
            ),
        },
        "the devices' counters include the ramp, so the missing bytes may belong to the ramp or to the measured part",
        "measure without a ramp; alternating trials show a warm-up by themselves",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{
        buffered, check, device, each_count, looped, method, mix, on_file_system, reads_with, says,
        spoilt, text_of, writes_with,
    };
    use sokudo_model::MethodTrait;
    use sokudo_model::Verdict::{Invalid, Unverified, Verified};
    use sokudo_model::{BackendKind, BlockDevice, DeviceCounters, GroupCount, Run};

    fn read_ratio(percent: u64) -> impl Fn(&mut Run) {
        move |run| {
            each_count(run, |device| {
                device.read_bytes = device.read_bytes * percent / 100
            })
        }
    }

    fn write_ratio(percent: u64) -> impl Fn(&mut Run) {
        move |run| {
            each_count(run, |device| {
                device.written_bytes = device.written_bytes * percent / 100
            });
        }
    }

    #[test]
    fn what_commands_moved_is_proven_by_the_drives_own_count() {
        /// The drive counts in so many parts of what a trial moved, of which it is off by some, and so
        /// many percent of the commands.
        fn passed(parts: i64, off: i64, commands: u64) -> Run {
            reads_with(|run| {
                for trial in &mut run.rows[0].trials {
                    trial.outcome.backend.kind = BackendKind::IoUringCmd;
                    let moved = trial.outcome.operations[0].clone();
                    let unit = moved.bytes.0.cast_signed() / parts;
                    trial.evidence.device = Some(DeviceCounters {
                        read_bytes: (moved.bytes.0.cast_signed() + off * unit).cast_unsigned(),
                        read_ios: moved.ios * commands / 100,
                        uncertain_bytes: Bytes(unit.cast_unsigned()),
                        ..DeviceCounters::default()
                    });
                }
            })
        }
        check! {
            "exact": passed(1_000, 0, 100) => [], Verified;
            "a unit less": passed(1_000, -1, 100) => [], Verified;
            "a unit more": passed(1_000, 1, 100) => [], Verified;
            "not counted": passed(1_000, -1_000, 0) => ["cannot-see-device"], Unverified;
            "a part": passed(1_000, -30, 97) => ["cannot-see-device"], Unverified;
            "somebody else's": passed(1_000, 30, 103) => ["foreign-io"], Unverified;
            // Of so few bytes the unit shows little, and the number of commands shows the rest.
            "few": passed(3, -1, 100) => [], Verified;
            "few, and commands are missing": passed(3, 0, 97) => ["cannot-see-device"], Unverified;
            "few, and more than a unit is missing":
                passed(3, -2, 100) => ["cannot-see-device"], Unverified;
        }
        let unread = reads_with(|run| {
            for trial in &mut run.rows[0].trials {
                trial.outcome.backend.kind = BackendKind::IoUringCmd;
                trial.evidence.device = None;
            }
        });
        says(
            unread,
            "cannot-see-device",
            &["health log", "--engine io_uring"],
        );
    }

    #[test]
    fn missing_bytes_are_proof_against_the_figure() {
        check! {
            "reads at 98 %": reads_with(read_ratio(98)) => [], Verified;
            "reads at 97 %": reads_with(read_ratio(97)) => ["not-from-device"], Invalid;
            "writes at 98 %": writes_with(write_ratio(98)) => [], Verified;
            "writes at 97 %": writes_with(write_ratio(97)) => ["not-on-device"], Invalid;
            "no reads at all": reads_with(read_ratio(0)) => ["not-from-device"], Invalid;
        }
    }

    #[test]
    fn all_trials_count_together() {
        let run = reads_with(|run| {
            let trials = &mut run.rows[0].trials;
            // 12 % are missing in one of six trials: 2 % of all.
            let device = trials[0].evidence.device.as_mut().unwrap();
            device.read_bytes = device.read_bytes * 88 / 100;
        });
        check! {
            "2 % of all": run => [], Verified;
        }
    }

    #[test]
    fn each_direction_of_a_mix_must_hold() {
        check! {
            "both": mix() => [], Verified;
            "reads": spoilt(mix(), read_ratio(50)) => ["not-from-device"], Invalid;
            "writes": spoilt(mix(), write_ratio(50)) => ["not-on-device"], Invalid;
        }
        let mut run = spoilt(mix(), write_ratio(50));
        crate::judge(&mut run);
        let ratio = run.rows[0].assessment.as_ref().unwrap().device_ratio;
        assert_eq!(ratio, Some(0.5));
    }

    #[test]
    fn the_likely_cause_of_missing_reads_comes_from_the_evidence() {
        let half = |change: fn(&mut Run)| spoilt(reads_with(read_ratio(50)), change);
        let says = |change, words: &[&str]| says(half(change), "not-from-device", words);
        says(
            |run| run.rows[0].trials[0].evidence.cached_before = Some(Bytes::mib(512)),
            &["was in the page cache"],
        );
        says(
            |run| run.target.file_state.as_mut().unwrap().unwritten_bytes = Bytes::mib(512),
            &["never written"],
        );
        says(
            |run| run.rows[0].trials[0].outcome.direct = false,
            &["the page cache answered"],
        );
        says(
            |run| {
                let system = run.target.file_system.as_mut().unwrap();
                system.mount_options.push("compress=zstd:3".to_owned());
            },
            &["stores the file compressed"],
        );
        says(
            |run| run.target.devices.insert(0, looped(false, Some(false))),
            &["a loop device reads"],
        );
        says(
            |run| {
                run.rows[0].trials[0].outcome.direct = false;
                run.target.devices.insert(0, looped(false, Some(false)));
            },
            &["a loop device reads", "losetup --direct-io=on"],
        );
        says(|_| (), &["only 50.0 % of the bytes", "a cache between"]);
        let volume = |run: &mut Run| {
            run.target.kind = TargetKind::BlockDevice;
            run.target.file_state = None;
        };
        let on_loop = |run: &mut Run| {
            run.target.kind = TargetKind::BlockDevice;
            run.target.file_state = None;
            run.target.devices.insert(0, looped(false, Some(true)));
        };
        says(on_loop, &["were never written"]);
        for change in [volume, on_loop] {
            let text = text_of(half(change), "not-from-device");
            assert!(!text.contains("block device itself"), "{text}");
        }
    }

    #[test]
    fn what_a_quick_look_reads_from_the_cache_on_purpose_is_no_error() {
        let cached = |traits: &'static [MethodTrait], limit: Option<Bytes>| {
            reads_with(|run| {
                run.plan.method = method(traits);
                // As the rows of a scan that time a drive's own cache.
                run.rows[0].workload.measures = sokudo_model::Measures::CACHE;
                buffered(run);
                run.rows[0].workload.direct = sokudo_model::DirectMode::Off;
                run.rows[0].workload.limits.bytes = limit;
                run.target.size_bytes = Some(Bytes::mib(2));
                for trial in &mut run.rows[0].trials {
                    trial.evidence.cached_before = Some(Bytes::mib(2));
                }
                each_count(run, |device| device.read_bytes = 0);
            })
        };
        let errors = &["cached-reads", "not-from-device"];
        let times = &[MethodTrait::TimesPageCache];
        let all = Some(Bytes::mib(2));
        check! {
            "hdparm -T": cached(times, None) => ["cached-on-purpose"], Invalid;
            "hdparm -t": cached(times, all) => errors, Invalid;
            "mark": cached(&[], None) => errors, Invalid;
        }
    }

    #[test]
    fn the_likely_cause_of_missing_writes_comes_from_the_evidence() {
        let says = |change: fn(&mut Run), words: &[&str]| {
            let half = writes_with(write_ratio(50));
            says(spoilt(half, change), "not-on-device", words);
        };
        says(buffered, &["went into the page cache"]);
        says(
            |run| on_file_system(run, "zfs"),
            &["compresses what it writes"],
        );
        says(
            |run| run.target.devices.insert(0, looped(false, None)),
            &["a loop device writes"],
        );
        says(|_| (), &["kept, merged or compressed"]);
    }

    #[test]
    fn without_counters_nothing_is_proven() {
        fn unseen(run: &mut Run) {
            run.rows[0].trials[5].evidence.device = None;
        }
        let why = |change: fn(&mut Run), words: &str| {
            let run = spoilt(reads_with(unseen), change);
            check! { "unseen": run.clone() => ["cannot-see-device"], Unverified, words; }
        };
        why(
            |run| on_file_system(run, "nfs4"),
            "nfs4 keeps its files on another machine",
        );
        why(
            |run| {
                run.target
                    .blind_spots
                    .push("The pool hides its disks.".into())
            },
            "The pool hides its disks.",
        );
        why(|_| (), "the devices under ext4 could not be found");
        why(|run| run.target.file_system = None, "could not be read");
    }

    #[test]
    fn where_devices_are_not_seen_their_control_group_may_prove_it() {
        let by_group = |percent: u64| {
            reads_with(move |run| {
                for trial in &mut run.rows[0].trials {
                    let device = trial.evidence.device.take().unwrap();
                    trial.evidence.group = Some(GroupCount {
                        number: "8:16".to_owned(),
                        counters: DeviceCounters {
                            read_bytes: device.read_bytes * percent / 100,
                            ..device
                        },
                    });
                }
            })
        };
        let partly = spoilt(by_group(100), |run| {
            run.rows[0].trials[2].evidence.group = None;
        });
        let remote = spoilt(by_group(100), |run| on_file_system(run, "nfs4"));
        check! {
            "all of it": by_group(100) => ["shown-by-group"], Verified;
            "half": by_group(50) => ["cannot-see-device"], Unverified;
            "more than it moved": by_group(130) => ["cannot-see-device"], Unverified;
            "not in one trial": partly => ["cannot-see-device"], Unverified;
            "another machine": remote => ["cannot-see-device"], Unverified;
        }
    }

    #[test]
    fn a_device_that_does_not_count_is_not_one_that_read_nothing() {
        let run = reads_with(|run| {
            run.target.devices[1].counts_io = Some(false);
            each_count(run, |device| device.read_bytes = 0);
        });
        check! {
            "iostats off": run => ["cannot-see-device"], Unverified,
                "echo 1 > /sys/block/nvme0n1/queue/iostats";
        }
    }

    #[test]
    fn a_loop_device_at_the_bottom_proves_nothing() {
        let on = |devices: Vec<BlockDevice>| reads_with(|run| run.target.devices = devices);
        let disk = || device("sda", BlockDeviceKind::Disk, true);
        check! {
            "leaf": on(vec![looped(true, Some(true))]) => ["cannot-see-device"], Unverified;
            "above a disk":
                on(vec![looped(false, Some(false)), disk()]) => ["cannot-see-device"], Unverified;
            "above a disk, past the cache":
                on(vec![looped(false, Some(true)), disk()]) => [], Verified;
        }
    }

    /// A clean read run whose ramps moved as much as its measured parts.
    fn ramped() -> Run {
        reads_with(|run| {
            run.rows[0].workload.timing.ramp = Nanos::from_secs(1);
            for trial in &mut run.rows[0].trials {
                let tally = &trial.outcome.operations[0];
                trial.outcome.in_ramp[Operation::Read.index()] = sokudo_model::Moved {
                    bytes: tally.bytes,
                    ios: tally.ios,
                };
            }
            each_count(run, |device| {
                device.read_bytes *= 2;
                device.read_ios *= 2;
            });
        })
    }

    #[test]
    fn a_row_whose_ramp_and_measured_part_reached_the_devices_is_verified() {
        let at = |percent| spoilt(ramped(), read_ratio(percent));
        check! {
            "all of both": ramped() => [], Verified;
            "2 % of the measured part": at(99) => [], Verified;
            // As much as is missing may be all of the measured part.
            "half of both": at(50) => ["ramp-in-counters"], Unverified, "of it in the ramp";
            "3 % of the measured part": at(98) => ["ramp-in-counters"], Unverified;
            "less than the measured part": at(48) => ["not-from-device"], Invalid;
            "somebody else reads": at(150) => ["foreign-io"], Unverified;
        }
    }

    #[test]
    fn what_devices_do_not_count_by_bytes_is_not_proven() {
        let run = reads_with(|run| {
            run.rows[0].workload.operations = sokudo_model::OperationMix::only(Operation::Trim);
            for trial in &mut run.rows[0].trials {
                trial.outcome.operations[0].operation = Operation::Trim;
                trial.evidence.device.as_mut().unwrap().read_bytes = 0;
            }
        });
        check! {
            "trim": run => ["cannot-see-device"], Unverified;
        }
    }
}
