//! What is refused before anything is touched.

use std::os::unix::fs::MetadataExt as _;

use sokudo_engine::{CheckError, FileTarget, StageError, Target, TargetError, WorkloadError};
use sokudo_model::{
    BackendKind, BlockSizes, Bytes, DirectMode, Nanos, Operation, OperationMix, Order, Rate,
    SequentialOffset, Think, Verify, Workload,
};

use crate::builders::{sizes, span, use_of};
use crate::setup::{BLOCK, for_ios, random_reads, try_run, writes};

const SIZE: Bytes = Bytes::gib(1);

type Slip = fn(&mut Workload);

fn within(it: &mut Workload, offset: u64, length: u64) {
    it.span = Some(span(offset, length));
}

/// What makes a workload impossible, and words of the refusal.
const SLIPS: [(&str, Slip); 23] = [
    ("the number of threads is 0; use 1 to 4096", |it| {
        it.threads = 0
    }),
    ("the number of threads is 4097; use 1 to", |it| {
        it.threads = 4_097
    }),
    ("the depth is 0; use 1 to 32767", |it| it.depth = 0),
    ("the depth is 32768; use 1 to", |it| it.depth = 32_768),
    ("the block size is 0; use 1 to", |it| {
        it.blocks = BlockSizes::one(Bytes(0))
    }),
    ("the block size is 1073741825; use 1 to", |it| {
        it.blocks = BlockSizes::one(Bytes((1 << 30) + 1));
    }),
    ("the rate is 0; use 1 to", |it| {
        it.pacing.rate = Some(Rate::Iops(0))
    }),
    ("the rate is 0; use 1 to", |it| {
        it.pacing.rate = Some(Rate::BytesPerSecond(0))
    }),
    ("the number of I/Os before a pause is 0; use 1 to", |it| {
        it.pacing.think = Some(Think::new(Nanos(1), 0));
    }),
    ("the number of writes before a flush is 0; use 1 to", |it| {
        it.durability.fsync_every = Some(0);
    }),
    ("the number of writes before a flush is 0; use 1 to", |it| {
        it.durability.fdatasync_every = Some(0);
    }),
    ("do not fit the target's 1 GiB", |it| {
        within(it, SIZE.0, BLOCK)
    }),
    ("do not fit the target's 1 GiB", |it| {
        within(it, 0, SIZE.0 + 1)
    }),
    ("do not fit the target's 1 GiB", |it| {
        within(it, u64::MAX, BLOCK)
    }),
    ("do not fit the target's 1 GiB", |it| {
        within(it, 0, BLOCK - 1)
    }),
    ("do not fit the target's 1 GiB", |it| within(it, 0, 0)),
    ("a shared offset needs one block size", |it| {
        let offset = SequentialOffset::Interlocked;
        it.order = Order::Sequential { offset };
        it.blocks = sizes(&[(4096, 1), (8192, 1)]);
    }),
    ("libaio does not poll for completions", |it| {
        (it.backend, it.issuing.polled) = (BackendKind::Libaio, true)
    }),
    ("only direct I/O can be polled", |it| {
        (it.direct, it.issuing.polled) = (DirectMode::Off, true)
    }),
    ("io_uring_cmd reads, writes and flushes", |it| {
        it.backend = BackendKind::IoUringCmd;
        it.operations = OperationMix::only(Operation::Trim);
    }),
    ("io_uring_cmd reads, writes and flushes", |it| {
        (it.backend, it.direct) = (BackendKind::IoUringCmd, DirectMode::Off)
    }),
    ("target 3 does not exist; there are 1", |it| {
        it.files.uses = vec![use_of(3)]
    }),
    ("more than half of the memory", |it| {
        (it.depth, it.threads) = (1_024, 4_096);
        it.blocks = BlockSizes::one(Bytes::gib(1));
    }),
];

#[test]
fn what_is_impossible_is_named() {
    for (words, slip) in SLIPS {
        let mut workload = writes(1);
        slip(&mut workload);
        let workloads = vec![with!(random_reads(1), limits = for_ios(1)), workload];
        let error = try_run(workloads, &mut Target::Null(SIZE), 1).unwrap_err();
        let is_check = matches!(error, StageError::Check(_));
        assert!(
            is_check && error.to_string().contains(words),
            "{words}: {error}"
        );
    }
    let small = &mut Target::Null(Bytes(BLOCK - 1));
    let error = try_run(vec![random_reads(1)], small, 1).unwrap_err();
    let is_span = matches!(
        error,
        StageError::Check(CheckError::Workload {
            why: WorkloadError::Span { .. },
            ..
        })
    );
    assert!(is_span, "{error}");
}

#[test]
fn a_file_takes_no_commands_and_is_told_so_before_anything_runs() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(1 << 20).unwrap();
    let mut target = Target::File(FileTarget::read_only(file.path()).unwrap());
    let read = with!(
        random_reads(1),
        backend = BackendKind::IoUringCmd,
        limits = for_ios(1)
    );
    let error = try_run(vec![read], &mut target, 1).unwrap_err();
    let told = error.to_string();
    assert!(
        matches!(error, StageError::Target(TargetError::NoCommands(..))),
        "{told}"
    );
    assert!(told.contains("no namespace of an NVMe drive"), "{told}");
}

#[test]
fn a_file_that_is_only_read_is_never_written() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), vec![7; 1 << 20]).unwrap();
    let before = file.as_file().metadata().unwrap();
    let mixes = [0, 99].map(|percent| OperationMix::read_write(percent).unwrap());
    for operations in mixes
        .into_iter()
        .chain([OperationMix::only(Operation::Trim)])
    {
        let mut target = Target::File(FileTarget::read_only(file.path()).unwrap());
        let write = with!(
            random_reads(1),
            operations = operations,
            limits = for_ios(1)
        );
        // A workload that may run does not run either.
        let read = with!(random_reads(1), limits = for_ios(1));
        let error = try_run(vec![read, write], &mut target, 1).unwrap_err();
        let read_only = CheckError::Target(TargetError::ReadOnly(file.path().to_owned()));
        assert_eq!(error.to_string(), read_only.to_string());
    }
    let after = file.as_file().metadata().unwrap();
    let changed_at = |metadata: &std::fs::Metadata| (metadata.mtime(), metadata.mtime_nsec());
    assert_eq!(changed_at(&before), changed_at(&after));
    assert_eq!(std::fs::read(file.path()).unwrap(), vec![7; 1 << 20]);
}

#[test]
fn a_processor_that_does_not_exist_is_named() {
    let workload = |cpu| {
        with!(
            random_reads(1),
            issuing.cpus = vec![cpu],
            limits = for_ios(1)
        )
    };
    for cpu in [1_000, u32::MAX] {
        let error = try_run(vec![workload(cpu)], &mut Target::Null(SIZE), 1).unwrap_err();
        assert!(matches!(error, StageError::Cpu { .. }), "{error}");
        assert!(error.to_string().contains(&cpu.to_string()), "{error}");
    }
}

#[test]
fn a_capacity_check_that_is_to_be_something_else_too_is_refused() {
    let check = with!(writes(1), verify = Some(Verify::Capacity));
    let slips: [Slip; 4] = [
        |it| it.threads = 2,
        |it| it.depth = 2,
        |it| it.operations = OperationMix::only(Operation::Read),
        |it| {
            it.span = Some(span(0, Bytes::mib(1).0));
        },
    ];
    let run = |workloads| try_run(workloads, &mut Target::Null(SIZE), 1);
    for slip in slips {
        let mut workload = check.clone();
        slip(&mut workload);
        let error = run(vec![workload]).unwrap_err().to_string();
        assert!(error.contains("one I/O after the other"), "{error}");
    }
    assert!(run(vec![check.clone(), check.clone()]).is_err());
    assert!(run(vec![check]).is_ok());
}
