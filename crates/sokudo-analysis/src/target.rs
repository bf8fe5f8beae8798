//! What the target is: no device at all, memory, a file that is not fully there,
//! a page cache in between.

use sokudo_model::{
    BlockDeviceKind, Bytes, DirectIoSupport, DirectMode, FileState, Operation, Run, TargetKind,
};
use sokudo_words::{Text, text};

use crate::case::RowContext;
use crate::code::{Code, RuleResult};
use crate::remedy;
use crate::rule::{RowRule, RunRule};
use crate::threshold::{CACHED_SHARE_MAX, FILE_STATE_SHARE_MAX};

pub(crate) const RULES: &[RowRule] = &[
    no_device,
    memory_file_system,
    memory_device,
    sparse_file,
    unwritten_extents,
    compressed_file,
    inline_file,
    shared_extents,
    repeated_extents,
    cached_reads,
    direct_unavailable,
];

pub(crate) const RUN_RULES: &[RunRule] = &[simulated, virtual_disk];

const MEASURE_OUR_FILE: &str =
    "measure a directory, in which sokudo lays out a file whose every block is written";

fn no_device(case: &RowContext<'_>) -> Option<RuleResult> {
    (case.target().kind == TargetKind::Null).then(|| {
        RuleResult::new(
            Code::NoDevice,
            "the target is no device",
            "null: completes every I/O at once, so that the figures are the cost of the engine",
            "take it as the fastest that sokudo can measure here; name a directory to measure a disk",
        )
    })
}

fn memory_file_system(case: &RowContext<'_>) -> Option<RuleResult> {
    let system = case.target().file_system.as_ref();
    let system = system.filter(|_| case.in_memory())?;
    Some(RuleResult::new(
        Code::MemoryFileSystem,
        text!(
            "the file is on {file_system}, which keeps files in memory",
            file_system = system.memory_below.as_ref().unwrap_or(&system.kind)
        ),
        "no byte of it reaches a disk",
        "measure a directory on a disk, such as one below /home or /var",
    ))
}

fn memory_device(case: &RowContext<'_>) -> Option<RuleResult> {
    let device = case
        .target()
        .leaves()
        .find(|leaf| leaf.kind == BlockDeviceKind::Memory)?;
    Some(RuleResult::new(
        Code::MemoryDevice,
        text!(
            "{device} is memory that is presented as a disk",
            device = device.name
        ),
        "its figures are those of memory and CPU",
        "measure a disk",
    ))
}

/// What a file is in part that a row reads: the rule, its code, the field that counts the bytes, what they
/// are, the cause and the remedy.
macro_rules! parts {
    ($($rule:ident $code:ident $bytes:ident: $like_this:literal, $cause:literal, $remedy:expr;)*) => {$(
        fn $rule(case: &RowContext<'_>) -> Option<RuleResult> {
            let symptom = reads_part(case, |state| state.$bytes, $like_this)?;
            Some(RuleResult::new(Code::$code, symptom, $cause, $remedy))
        }
    )*};
}

parts! {
    sparse_file SparseFile hole_bytes: "holes",
        "holes are read as zeros without asking the device", MEASURE_OUR_FILE;
    unwritten_extents UnwrittenExtents unwritten_bytes: "allocated but never written",
        "such blocks are read as zeros without asking the device", MEASURE_OUR_FILE;
    compressed_file CompressedFile encoded_bytes: "compressed or encrypted by the file system",
        "the device reads other bytes than the file has, and the CPU converts them",
        "measure with random data, on a file system mounted without compression";
    inline_file InlineFile inline_bytes: "kept in the inode, not in blocks",
        "the file is so small that the file system keeps it with its metadata", MEASURE_OUR_FILE;
    repeated_extents RepeatedExtents repeated_bytes:
        "stored in the same blocks of the device as other parts of the file",
        "the file was copied by reference within itself, or deduplicated: a cache of the device \
         answers what it has just read under another address", MEASURE_OUR_FILE;
}

/// The first write to a shared block finds it another place. A file system that does so with
/// every write is no slower for it.
fn shared_extents(case: &RowContext<'_>) -> Option<RuleResult> {
    let state = case.target().file_state.as_ref()?;
    let is_always_copied = case.copies_on_write() && state.is_exempt_from_copies != Some(true);
    let written = Bytes(case.moved(Operation::Write));
    let elsewhere = state.shared_bytes.min(written);
    if is_always_copied || share(elsewhere, written) <= FILE_STATE_SHARE_MAX {
        return None;
    }
    Some(RuleResult::new(
        Code::SharedExtents,
        text!(
            "{bytes} of the file's {file_bytes} were shared with other files when the run began, and the row wrote {written}",
            bytes = state.shared_bytes,
            file_bytes = state.size_bytes
        ),
        "a copy by reference or a snapshot: the first write to a shared block is given another place, which costs more than writing in place (2.5 to 2.7 times as much on xfs)",
        "write to a file that shares nothing, or write all of it once before",
    ))
}

/// Says which part of the file is like this, if it is too much and the row reads.
fn reads_part(
    case: &RowContext<'_>,
    bytes: fn(&FileState) -> Bytes,
    like_this: &'static str,
) -> Option<Text> {
    let state = case.target().file_state.as_ref()?;
    let share = share(bytes(state), state.size_bytes);
    (case.asks(Operation::Read) && share > FILE_STATE_SHARE_MAX).then(|| {
        text!(
            "{bytes} of the file's {file_bytes} ({percent:.0} %) are {like_this}",
            bytes = bytes(state),
            file_bytes = state.size_bytes,
            percent = share * 100.0,
            like_this = Text::from(like_this)
        )
    })
}

/// Part of the file that no device holds: holes and unwritten blocks.
pub(crate) fn missing_share(case: &RowContext<'_>) -> f64 {
    case.target().file_state.map_or(0.0, |state| {
        share(
            Bytes(state.hole_bytes.0 + state.unwritten_bytes.0),
            state.size_bytes,
        )
    })
}

/// Part of the file that is compressed or encrypted.
pub(crate) fn encoded_share(case: &RowContext<'_>) -> f64 {
    case.target()
        .file_state
        .map_or(0.0, |state| share(state.encoded_bytes, state.size_bytes))
}

fn cached_reads(case: &RowContext<'_>) -> Option<RuleResult> {
    let cached = case.cached_share()?;
    let reads_cache =
        case.asks(Operation::Read) && !case.direct() && !case.in_memory() && !case.is_of_cache();
    (reads_cache && cached > CACHED_SHARE_MAX).then(|| {
        RuleResult::new(
            Code::CachedReads,
            text!(
                "{percent:.0} % of the file were in the page cache before a trial",
                percent = cached * 100.0
            ),
            "reads through the page cache are answered from memory where they can be",
            remedy::direct(),
        )
    })
}

fn direct_unavailable(case: &RowContext<'_>) -> Option<RuleResult> {
    let wants_direct = case.row.workload.direct != DirectMode::Off;
    if wants_direct && buffers_direct_writes(case) {
        return Some(RuleResult::new(
            Code::DirectUnavailable,
            "direct writes were asked for; btrfs takes them and writes them through the page cache",
            "since Linux 6.15, btrfs copies the data before it computes checksums, so that nobody can change it in between; the copy costs CPU time and memory",
            "compare only with btrfs; a directory without checksums (chattr +C) has direct writes, and so have ext4 and xfs",
        ));
    }
    if !wants_direct || case.direct() || case.in_memory() {
        return None;
    }
    let emulated = case.target().direct_io == DirectIoSupport::Unsupported;
    let (symptom, cause) = if emulated {
        (
            "the file system takes O_DIRECT, but says that it does not support it",
            "it falls back to the page cache, as ext4 does with data=journal",
        )
    } else {
        (
            "direct I/O was asked for, but the page cache was used",
            "the file system refuses O_DIRECT",
        )
    };
    Some(RuleResult::new(
        Code::DirectUnavailable,
        symptom,
        cause,
        "measure on a file system with direct I/O, such as ext4 or xfs, or the block device itself",
    ))
}

/// Linux, from which on btrfs writes data with checksums through the page cache whatever
/// the flags say (commit 968f19c5b1b7). Some older stable kernels do so, too, which cannot
/// be told by their version.
const BTRFS_BUFFERS_SINCE: (u32, u32) = (6, 15);

/// Whether this row's direct writes went through the page cache although nothing says so:
/// all bytes reach the device, later.
fn buffers_direct_writes(case: &RowContext<'_>) -> bool {
    let kernel = case.run.environment.kernel.as_deref();
    let state = case.target().file_state.as_ref();
    let options = case
        .target()
        .file_system
        .iter()
        .flat_map(|system| &system.mount_options);
    let mut options = options.map(String::as_str);
    case.asks(Operation::Write)
        && case.file_system() == Some("btrfs")
        && case.outcomes().all(|outcome| outcome.direct)
        && state.is_some_and(|state| state.is_exempt_from_copies == Some(false))
        && !options.any(|option| matches!(option, "nodatasum" | "nodatacow"))
        && kernel
            .and_then(version)
            .is_some_and(|version| version >= BTRFS_BUFFERS_SINCE)
}

/// `6.18.44-name` as 6 and 18.
fn version(kernel: &str) -> Option<(u32, u32)> {
    let mut numbers = kernel.split(['.', '-']).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn simulated(run: &Run) -> Option<RuleResult> {
    (run.target.kind == TargetKind::Simulated).then(|| {
        RuleResult::new(
            Code::Simulated,
            text!(
                "{device} is a simulated device in virtual time",
                device = run.target.name
            ),
            "its figures follow from its parameters and the seed, not from a disk",
            "name a directory to measure the disk under it",
        )
    })
}

fn virtual_disk(run: &Run) -> Option<RuleResult> {
    let leaves = run.target.leaves();
    let devices: Vec<Text> = leaves
        .filter(|leaf| leaf.kind == BlockDeviceKind::VirtualDisk)
        .map(|leaf| Text::name(&leaf.name))
        .collect();
    (!devices.is_empty()).then(|| {
        RuleResult::new(
            Code::VirtualDisk,
            text!(
                "the disk of a virtual machine was measured: {devices}",
                devices = Text::list(devices, ", ")
            ),
            "the host may answer from a cache of its own and share the disk with others; what was counted here is what the virtual machine asked for, not what the disk did",
            "to prove it, have the host open the disk past its cache (QEMU: cache=none) and compare its counters there, or measure on the host",
        )
    })
}

fn share(part: Bytes, whole: Bytes) -> f64 {
    if whole.0 == 0 {
        0.0
    } else {
        part.0 as f64 / whole.0 as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;
    use crate::sample::{
        buffered, check, device, each_count, each_outcome, judged, on_file_system, reads_with,
        says, spoilt, writes, writes_with,
    };
    use sokudo_model::Verdict::{Invalid, Unverified, Verified};

    fn blind(run: &mut Run) {
        for trial in &mut run.rows[0].trials {
            trial.evidence.device = None;
        }
    }

    #[test]
    fn what_is_no_disk_is_invalid_and_needs_no_counters_for_that() {
        check! {
            "null": reads_with(|run| {
                run.target.kind = TargetKind::Null;
                blind(run);
            }) => ["no-device"], Invalid;
            "tmpfs": writes_with(|run| {
                on_file_system(run, "tmpfs");
                buffered(run);
                blind(run);
            }) => ["memory-file-system"], Invalid;
            "an overlay over tmpfs": reads_with(|run| {
                on_file_system(run, "overlay");
                run.target.file_system.as_mut().unwrap().memory_below = Some("tmpfs".into());
                blind(run);
            }) => ["memory-file-system"], Invalid, "the file is on tmpfs";
            "zram": reads_with(|run| {
                run.target.devices = vec![device("zram0", BlockDeviceKind::Memory, true)];
            }) => ["memory-device"], Invalid;
            "memory above a disk": reads_with(|run| {
                run.target
                    .devices
                    .push(device("brd", BlockDeviceKind::Memory, false));
            }) => [], Verified;
        }
    }

    #[test]
    fn a_file_that_is_not_fully_there_is_named_when_it_is_read() {
        let state = |percent: u64, part: fn(&mut FileState) -> &mut Bytes| {
            reads_with(|run| {
                let state = run.target.file_state.as_mut().unwrap();
                *part(state) = Bytes(state.size_bytes.0 / 100 * percent);
            })
        };
        check! {
            "holes": state(3, |s| &mut s.hole_bytes) => ["sparse-file"], Invalid;
            "1 % of holes": state(1, |s| &mut s.hole_bytes) => [], Verified;
            "unwritten": state(100, |s| &mut s.unwritten_bytes) => ["unwritten-extents"], Invalid;
            "encoded": state(50, |s| &mut s.encoded_bytes) => ["compressed-file"], Unverified;
            "inline": state(100, |s| &mut s.inline_bytes) => ["inline-file"], Verified;
            "shared": state(100, |s| &mut s.shared_bytes) => [], Verified;
            "repeated": state(99, |s| &mut s.repeated_bytes) => ["repeated-extents"], Unverified,
                "(99 %) are stored in the same blocks of the device as other parts of the file";
            "1 % repeated": state(1, |s| &mut s.repeated_bytes) => [], Verified;
        }
        let written = writes_with(|run| {
            run.target.file_state.as_mut().unwrap().hole_bytes = Bytes::mib(512);
        });
        check! {
            "holes that are written": written => [], Verified;
        }
        let shared = |change: fn(&mut Run)| {
            writes_with(|run| {
                let state = run.target.file_state.as_mut().unwrap();
                state.shared_bytes = Bytes(state.size_bytes.0 / 2);
                change(run);
            })
        };
        let on_btrfs = |run: &mut Run, is_exempt: bool| {
            on_file_system(run, "btrfs");
            run.target
                .file_state
                .as_mut()
                .unwrap()
                .is_exempt_from_copies = Some(is_exempt);
        };
        check! {
            "shared and overwritten": shared(|_| ()) => ["shared-extents"], Unverified;
            "hardly any of what is written":
                shared(|run| run.target.file_state.as_mut().unwrap().shared_bytes = Bytes::kib(64))
                => [], Verified;
        }
        for is_exempt in [false, true] {
            let run = spoilt(shared(|_| ()), |run| on_btrfs(run, is_exempt));
            let (codes, _) = judged(run);
            assert_eq!(codes.iter().any(|it| it == "shared-extents"), is_exempt);
        }
        let half = state(50, |s| &mut s.hole_bytes);
        says(half, "sparse-file", &["(50 %) are holes"]);
    }

    #[test]
    fn a_file_of_size_zero_divides_nothing() {
        let run = reads_with(|run| {
            run.target.file_state = Some(FileState::default());
            run.target.size_bytes = Some(Bytes(0));
        });
        check! {
            "empty": run => [], Verified;
        }
    }

    #[test]
    fn cached_reads_are_invalid_only_through_the_page_cache() {
        let cached = |percent: u64, through_cache: bool| {
            reads_with(|run| {
                if through_cache {
                    buffered(run);
                }
                run.rows[0].trials[3].evidence.cached_before =
                    Some(Bytes(Bytes::GIB / 100 * percent));
            })
        };
        check! {
            "1 %": cached(1, true) => [], Verified;
            "3 %": cached(3, true) => ["cached-reads"], Invalid;
            "direct": cached(100, false) => [], Verified;
        }
    }

    #[test]
    fn direct_io_that_was_not_had_is_named() {
        let mode = |direct: DirectMode| {
            reads_with(|run| {
                run.rows[0].workload.direct = direct;
                each_outcome(run, |outcome| outcome.direct = false);
            })
        };
        check! {
            "auto": mode(DirectMode::Auto) => ["direct-unavailable"], Verified;
            "off": mode(DirectMode::Off) => [], Verified;
            "taken and ignored": reads_with(|run| run.target.direct_io = DirectIoSupport::Unsupported)
                => ["direct-unavailable"], Verified;
            "the kernel does not say":
                reads_with(|run| run.target.direct_io = DirectIoSupport::Unknown) => [], Verified;
            "writes, taken and ignored": spoilt(writes(), |run| {
                run.target.direct_io = DirectIoSupport::Unsupported;
                each_count(run, |device| device.written_bytes /= 2);
            }) => ["not-on-device", "buffered-writes", "direct-unavailable"], Invalid;
        }
    }

    #[test]
    fn btrfs_that_writes_through_the_page_cache_is_named() {
        let on_btrfs = |kernel: &str, options: &[&str], exempt: Option<bool>| {
            spoilt(writes(), |run| {
                on_file_system(run, "btrfs");
                run.environment.kernel = Some(kernel.to_owned());
                let options = options.iter().map(|option| (*option).to_owned());
                run.target.file_system.as_mut().unwrap().mount_options = options.collect();
                run.target
                    .file_state
                    .as_mut()
                    .unwrap()
                    .is_exempt_from_copies = exempt;
            })
        };
        let codes = &["direct-unavailable"][..];
        let no = Some(false);
        let read = |mut run: Run| {
            run.rows = crate::sample::reads().rows;
            run
        };
        check! {
            "as it is": on_btrfs("6.18.44-a", &["rw"], no) => codes, Verified;
            "older": on_btrfs("6.12.3", &["rw"], no) => [], Verified;
            "unknown": on_btrfs("x", &["rw"], no) => [], Verified;
            "no sums": on_btrfs("6.18", &["nodatasum"], no) => [], Verified;
            "no copies": on_btrfs("7.0", &[], Some(true)) => [], Verified;
            "not told": on_btrfs("7.0", &[], None) => [], Verified;
            "reads": read(on_btrfs("6.18", &[], no)) => [], Verified;
        }
    }

    #[test]
    fn what_concerns_the_whole_run_is_said_of_the_run() {
        let codes = |mut run: Run| -> Vec<String> {
            judge(&mut run);
            run.findings.into_iter().map(|found| found.code).collect()
        };
        let simulated = reads_with(|run| {
            run.target.kind = TargetKind::Simulated;
            run.target.devices.clear();
            run.target.file_system = None;
        });
        assert_eq!(codes(simulated.clone()), ["simulated"]);
        check! {
            "simulated": simulated => [], Verified;
        }
        let virtual_disk = reads_with(|run| {
            run.target.devices = vec![device("vda", BlockDeviceKind::VirtualDisk, true)];
        });
        assert_eq!(codes(virtual_disk.clone()), ["virtual-disk"]);
        check! {
            "virtual": virtual_disk => [], Verified;
        }
    }
}
