//! What is refused before anything is touched.

use std::os::unix::fs::MetadataExt as _;

use sokudo_engine::{CheckError, FileTarget, StageError, Target, TargetError};
use sokudo_model::{
    BlockShare, BlockSizes, Bytes, Nanos, Operation, OperationMix, Order, Rate, SequentialOffset,
    Think, Users, Workload,
};

use crate::builders::span;
use crate::setup::{BLOCK, LoopDevice, for_ios, random_reads, try_run, writes};

const SIZE: Bytes = Bytes::gib(1);

fn refused(workload: Workload) -> CheckError {
    let workloads = vec![with!(random_reads(1), limits = for_ios(1)), workload];
    match try_run(workloads, &mut Target::Null(SIZE), 1) {
        Err(StageError::Check(error)) => error,
        other => panic!("not refused: {other:?}"),
    }
}

type Slip = fn(&mut Workload);

const SLIPS: [(&str, Slip); 11] = [
    ("the number of threads", |it| it.clones = 0),
    ("the number of threads", |it| it.clones = 4_097),
    ("the depth", |it| it.depth = 0),
    ("the depth", |it| it.depth = 32_768),
    ("the block size", |it| it.blocks = BlockSizes::one(Bytes(0))),
    ("the block size", |it| {
        it.blocks = BlockSizes::one(Bytes((1 << 30) + 1));
    }),
    ("the rate", |it| it.rate = Some(Rate::Iops(0))),
    ("the rate", |it| it.rate = Some(Rate::BytesPerSecond(0))),
    ("the number of I/Os before a pause", |it| {
        let (time, after_ios) = (Nanos(1), 0);
        it.think = Some(Think::new(time, after_ios));
    }),
    ("the number of writes before a flush", |it| {
        it.durability.fsync_every = Some(0);
    }),
    ("the number of writes before a flush", |it| {
        it.durability.fdatasync_every = Some(0);
    }),
];

#[test]
fn numbers_out_of_range_are_named() {
    for (expected, slip) in SLIPS {
        let mut workload = writes(1);
        slip(&mut workload);
        let error = refused(workload);
        let message = error.to_string();
        let CheckError::Range { what, .. } = error else {
            panic!("{message}");
        };
        assert_eq!(what, expected);
        assert!(message.contains("use 1 to "), "{message}");
    }
}

#[test]
fn spans_outside_the_target_are_refused() {
    let span = |offset, length| with!(random_reads(1), span = Some(span(offset, length)));
    for workload in [
        span(SIZE.0, BLOCK),
        span(0, SIZE.0 + 1),
        span(u64::MAX, BLOCK),
        span(0, BLOCK - 1),
        span(0, 0),
    ] {
        let error = refused(workload);
        assert!(matches!(error, CheckError::Span { .. }), "{error}");
    }
}

#[test]
fn a_target_smaller_than_a_block_is_refused() {
    let error = try_run(
        vec![random_reads(1)],
        &mut Target::Null(Bytes(BLOCK - 1)),
        1,
    )
    .unwrap_err();
    assert!(
        matches!(error, StageError::Check(CheckError::Span { .. })),
        "{error}"
    );
}

#[test]
fn a_shared_offset_needs_one_block_size() {
    let share = |bytes| BlockShare {
        bytes: Bytes(bytes),
        weight: 1,
    };
    let blocks = BlockSizes::mix(vec![share(4096), share(8192)]).unwrap();
    let order = Order::Sequential {
        offset: SequentialOffset::Interlocked,
    };
    let error = refused(with!(random_reads(1), order = order, blocks = blocks));
    assert!(matches!(error, CheckError::OneBlock { .. }), "{error}");
}

#[test]
fn buffers_beyond_half_of_the_memory_are_refused() {
    let workload = with!(
        random_reads(1_024),
        clones = 4_096,
        blocks = BlockSizes::one(Bytes::gib(1))
    );
    let error = refused(workload);
    assert!(matches!(error, CheckError::Memory { .. }), "{error}");
}

#[test]
fn a_file_that_is_only_read_is_never_written() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), vec![7; 1 << 20]).unwrap();
    let before = file.as_file().metadata().unwrap();
    for percent in [0, 99] {
        let mut target = Target::File(FileTarget::read_only(file.path()).unwrap());
        let operations = OperationMix::read_write(percent).unwrap();
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
fn trimming_is_writing() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), vec![7; 1 << 20]).unwrap();
    let mut target = Target::File(FileTarget::read_only(file.path()).unwrap());
    let workload = with!(
        random_reads(1),
        operations = OperationMix::only(Operation::Trim)
    );
    let error = try_run(vec![workload], &mut target, 1).unwrap_err();
    assert!(error.to_string().contains("is only read"), "{error}");
}

#[test]
fn a_block_device_is_never_written() {
    let Some(device) = LoopDevice::attach(Bytes::mib(4)) else {
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
fn a_processor_that_does_not_exist_is_named() {
    let workload = |cpu| with!(random_reads(1), cpus = vec![cpu], limits = for_ios(1));
    for cpu in [1_000, u32::MAX] {
        let error = try_run(vec![workload(cpu)], &mut Target::Null(SIZE), 1).unwrap_err();
        assert!(matches!(error, StageError::Cpu { .. }), "{error}");
        assert!(error.to_string().contains(&cpu.to_string()), "{error}");
    }
}

#[test]
fn a_capacity_check_that_is_to_be_something_else_too_is_refused() {
    let check = with!(writes(1), checks_capacity = true);
    let slips: [Slip; 4] = [
        |it| it.clones = 2,
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
