//! What the engine says it moved is what the device below has counted
//! (invariants 4 and 5). Needs root and loop devices.

#[macro_use]
#[path = "../../../crates/sokudo-engine/src/builders.rs"]
mod builders;
#[path = "../../../crates/sokudo-engine/tests/engine/setup.rs"]
mod setup;
#[path = "../../../crates/sokudo-engine/tests/engine/surveys.rs"]
mod surveys;

use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use sokudo_engine::{Control, FileTarget, Target, TestFile, lay_out};
use sokudo_model::{
    BackendKind, Bytes, DataContent, DirectMode, Durability, FailureKind, Nanos, Operation,
    Outcome, Sample, StopReason, Workload,
};

use self::setup::try_run;
use self::setup::{
    KERNEL_BACKENDS, for_ios, for_ms, random_reads, run_one, run_reported, succeeds, writes,
};
use crate::loop_device::{FileSystem, LoopDevice, Mounted};
use crate::sokudo::skip;
use crate::written::write;

use self::surveys::{MIB, assert_wrote, writing_back};
use sokudo_engine::{CheckError, ConsentError, RewritePermit, StageError, TargetError};
use sokudo_model::{Occupancy, Occupant, Users};
use sokudo_stats::mix64;
use std::fs::File;
use std::os::unix::fs::MetadataExt as _;

/// 32 MiB in blocks of 4 KiB.
const IOS: u64 = 8_192;

/// So much of a device others read who look for signatures on all disks, as tests beside these do.
/// Nobody writes.
const LOOK_BYTES_MAX: u64 = 16 << 20;

fn assert_read(counted: u64, moved: Bytes, of: &str) {
    let most = moved.0 + LOOK_BYTES_MAX;
    assert!(
        (moved.0..=most).contains(&counted),
        "{of}: the device counted {counted} of {moved}"
    );
}

#[test]
fn a_raw_device_counts_the_bytes_that_were_read() {
    let Some(device) = LoopDevice::new(64 << 20, true) else {
        return;
    };
    for backend in KERNEL_BACKENDS {
        let mut target = Target::File(FileTarget::read_only(&device.path).unwrap());
        let direct = DirectMode::On;
        let before = device.counters();
        let workload = with!(
            random_reads(8),
            backend = backend,
            direct = direct,
            limits = for_ios(IOS)
        );
        let outcome = run_one(workload, &mut target);
        let after = device.counters();
        assert_eq!((outcome.ios(), outcome.direct), (IOS, true));
        let counted = after.read_bytes - before.read_bytes;
        assert_read(counted, outcome.bytes_moved(), backend.name());
        assert_eq!(
            after.written_bytes, before.written_bytes,
            "nothing is written"
        );
    }
}

#[test]
fn a_raw_device_counts_the_ramp_and_the_measured_part() {
    let Some(device) = LoopDevice::new(64 << 20, true) else {
        return;
    };
    for backend in KERNEL_BACKENDS {
        let mut target = Target::File(FileTarget::read_only(&device.path).unwrap());
        let before = device.counters();
        let outcome = run_one(
            with!(
                random_reads(32),
                backend = backend,
                direct = DirectMode::On,
                threads = 2,
                timing.ramp = Nanos::from_millis(50),
                limits = for_ms(50)
            ),
            &mut target,
        );
        let counted = device.counters().read_bytes - before.read_bytes;
        let ramp = outcome.in_ramp[Operation::Read.index()].bytes;
        assert!(ramp > Bytes(0), "{}", backend.name());
        let all = Bytes(outcome.bytes_moved().0 + ramp.0);
        assert_read(counted, all, backend.name());
    }
}

/// An ext4 on a loop device, and a test file on it.
struct OnExt4 {
    file: TestFile,
    system: FileSystem,
}

impl OnExt4 {
    fn new() -> Option<Self> {
        let system = FileSystem::new("ext4", 128 << 20, true)?;
        Some(Self {
            file: laid_out_on(system.path()),
            system,
        })
    }

    fn run(&self, workload: Workload) -> (Outcome, u64, u64, u64) {
        let before = self.system.device.counters();
        let outcome = run_one(workload, &mut self.file.target().unwrap());
        let after = self.system.device.counters();
        (
            outcome,
            after.read_bytes - before.read_bytes,
            after.written_bytes - before.written_bytes,
            after.flushes - before.flushes,
        )
    }
}

fn laid_out_on(directory: &Path) -> TestFile {
    let file = TestFile::create(directory, Bytes::mib(32)).unwrap();
    lay_out(&file, DataContent::Random, 1, &Control::new(), &mut |_| {}).unwrap();
    file
}

#[test]
fn a_file_system_passes_direct_i_o_on_as_it_is() {
    let Some(on) = OnExt4::new() else {
        return;
    };
    for backend in KERNEL_BACKENDS {
        let reads = with!(random_reads(8), backend = backend, limits = for_ios(IOS));
        let (outcome, read_bytes, ..) = on.run(reads);
        assert!(outcome.direct);
        assert_read(read_bytes, outcome.bytes_moved(), "reads");
        let (outcome, _, written_bytes, _) =
            on.run(with!(writes(8), backend = backend, limits = for_ios(IOS)));
        let moved = outcome.bytes_moved().0 as f64;
        let ratio = written_bytes as f64 / moved;
        assert!(
            (ratio - 1.0).abs() <= 0.005,
            "{ratio} of {moved} were written"
        );
    }
}

const JOURNAL_COMMITS_EVERY: Nanos = Nanos::from_secs(5);

/// Fewer than half of those that are asked for where there are many, so that none is made twice.
const SYNC_FLUSHES_MAX: u64 = 20;

#[test]
fn the_device_counts_the_flushes_that_were_asked_for() {
    let Some(on) = OnExt4::new() else {
        return;
    };
    for (durability, expected) in [
        (with!(Durability::default(), fdatasync_every = Some(10)), 49),
        (with!(Durability::default(), write_through = true), 500),
        (with!(Durability::default(), final_flush = true), 1),
    ] {
        let workload = with!(
            writes(1),
            backend = BackendKind::Psync,
            durability = durability,
            limits = for_ios(500)
        );
        let (outcome, _, _, flushes) = on.run(workload);
        assert_eq!(outcome.operation(Operation::Write).unwrap().ios, 500);
        // The journal may commit meanwhile, every five seconds, with two flushes of its own, and
        // whenever somebody calls sync(2).
        let own_of_journal = 2 * (outcome.elapsed.0 / JOURNAL_COMMITS_EVERY.0 + 2);
        assert!(
            (expected..=expected + own_of_journal + SYNC_FLUSHES_MAX).contains(&flushes),
            "{durability:?}: {flushes} flushes instead of {expected}"
        );
    }
}

/// What became of it nobody knows, and so it must be told, also of what was to be written back.
#[test]
fn a_device_that_stays_silent_is_given_up_when_the_user_interrupts() {
    // Little is read before it is written back, or a busy disk would still be reading.
    let little = Sample::Bytes(Bytes::mib(1));
    for (workload, read) in [
        (writes(4), 0),
        (writing_back(1, little, 64 << 10, 4), 1 << 20),
    ] {
        let Some(outcome) = interrupted_while_frozen(workload, read) else {
            return;
        };
        let failure = &outcome.failures[0];
        assert_eq!((failure.kind, failure.count), (FailureKind::Unanswered, 4));
        assert_eq!((outcome.ios(), outcome.stopped), (0, StopReason::Cancelled));
    }
}

/// A frozen file system answers no write until it is thawed, as a device that has
/// hung. Interrupted once so many bytes were read before.
fn interrupted_while_frozen(workload: Workload, read: u64) -> Option<Outcome> {
    let on = OnExt4::new()?;
    let at = on.system.path().to_str().unwrap();
    let mut target = on.file.target().unwrap();
    if !succeeds("fsfreeze", &["--freeze", at]) {
        skip("fsfreeze is not installed");
        return None;
    }
    let (finished, in_time) = mpsc::channel::<()>();
    let thaw_after = Duration::from_secs(120);
    let (outcome, gave_up) = thread::scope(|scope| {
        let watchdog = scope.spawn(move || {
            let gave_up = in_time.recv_timeout(thaw_after).is_ok();
            succeeds("fsfreeze", &["--unfreeze", at]);
            gave_up
        });
        let outcome = run_until_interrupted(workload, &mut target, &on.system.device, read);
        // The watchdog may have lost its patience.
        let _ = finished.send(());
        (outcome, watchdog.join().unwrap())
    });
    assert!(gave_up, "it waited for the device");
    Some(outcome)
}

/// So many times progress is told after the last read and before the interruption.
const TOLD_BEFORE_INTERRUPTION: u32 = 5;

fn run_until_interrupted(
    workload: Workload,
    target: &mut Target,
    device: &LoopDevice,
    read: u64,
) -> Outcome {
    let control = Control::new();
    let workload = with!(workload, backend = BackendKind::IoUring);
    // What is to be written back is read before: by then it is being written.
    let before = device.counters().read_bytes;
    let mut told = 0;
    let mut interrupt = |_| {
        told += u32::from(device.counters().read_bytes - before >= read);
        if told == TOLD_BEFORE_INTERRUPTION {
            control.cancel();
        }
    };
    run_reported([workload], target, &control, &mut interrupt).remove(0)
}

#[test]
fn a_block_device_is_never_written() {
    let Some(device) = LoopDevice::new(4 << 20, true) else {
        return;
    };
    let refused = FileTarget::overwrite(&device.path, |_| Users::default())
        .err()
        .unwrap();
    assert!(matches!(refused, TargetError::NotRegular(_)), "{refused}");
    let mut target = Target::File(FileTarget::read_only(&device.path).unwrap());
    let before = device.counters();
    let error = try_run(vec![writes(1)], &mut target, 1).unwrap_err();
    assert!(matches!(
        error,
        StageError::Check(CheckError::Target(TargetError::ReadOnly(_)))
    ));
    assert_eq!(device.counters().written_bytes, before.written_bytes);
}

#[test]
fn a_full_file_system_is_named() {
    let Some(mount) = Mounted::of(&["-t", "tmpfs", "-o", "size=1m", "tmpfs"]) else {
        return;
    };
    let path = mount.path().join("sparse");
    File::create(&path).unwrap().set_len(4 << 20).unwrap();
    for backend in KERNEL_BACKENDS {
        let mut target = Target::File(FileTarget::overwrite(&path, |_| Users::default()).unwrap());
        let outcome = run_one(
            with!(writes(4), backend = backend, limits = for_ios(1024)),
            &mut target,
        );
        assert_eq!(outcome.stopped, StopReason::Failed, "{backend:?}");
        assert_eq!(
            outcome.failures[0].kind,
            FailureKind::Errno(libc::ENOSPC),
            "{backend:?}"
        );
        assert!(outcome.ios() <= 256);
    }
}
/// A loop device full of data that is known.
fn filled_device() -> Option<(LoopDevice, Vec<u8>)> {
    let device = LoopDevice::new(16 << 20, true)?;
    let content: Vec<u8> = (0..2 * MIB)
        .flat_map(|number| mix64(number).to_le_bytes())
        .collect();
    write(&device.path, &content);
    Some((device, content))
}

fn occupancy(path: &Path, occupants: Vec<Occupant>) -> Occupancy {
    Occupancy {
        device_number: path.metadata().unwrap().rdev(),
        sequence: None,
        name: "loop".to_owned(),
        serial: None,
        occupants,
    }
}

#[test]
fn a_device_that_nobody_uses_is_written_back_and_not_otherwise() {
    let Some((device, content)) = filled_device() else {
        return;
    };
    // That it holds something is no hindrance.
    let signature = Occupant::Signature {
        what: "ext4".into(),
        offset: 1080,
    };
    let occupancy = occupancy(&device.path, vec![signature]);
    let permit = RewritePermit::obtain(&device.path, &occupancy, |_| Users::default()).unwrap();
    let mut target = Target::File(FileTarget::for_write_back(permit));
    let before = device.counters();
    let workload = writing_back(4, Sample::Bytes(Bytes::mib(2)), 256 << 10, 4);
    assert_wrote(&run_one(workload.clone(), &mut target), 8 * MIB, 4);
    let counted = device.counters();
    assert_eq!(counted.written_bytes - before.written_bytes, 8 * MIB);
    assert!(counted.flushes - before.flushes >= 4);
    let mut plain = workload;
    plain.survey_mut().unwrap().write_back = false;
    let refused = try_run(vec![plain], &mut target, 1).unwrap_err();
    assert!(refused.to_string().contains("is only read"), "{refused}");
    // Nobody else gets it meanwhile.
    let second = RewritePermit::obtain(&device.path, &occupancy, |_| Users::default());
    assert!(matches!(second, Err(ConsentError::Never { .. })));
    drop(target);
    assert!(
        std::fs::read(&device.path).unwrap() == content,
        "it holds something else"
    );
}

#[test]
fn a_mounted_device_is_not_written_back_whatever_was_seen() {
    let Some((device, _)) = filled_device() else {
        return;
    };
    if !device.made_by(&["mkfs.ext4", "-q"]) {
        return;
    }
    let _mounted = Mounted::new(&device, &[]);
    let refused = RewritePermit::obtain(&device.path, &occupancy(&device.path, Vec::new()), |_| {
        Users::default()
    });
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("is not written"), "{told}");
    assert!(told.contains("unmount or stop what uses it"), "{told}");
}
