//! Plans printed as job files: read back, and given to fio itself.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a failed test may panic, and a skipped one must say so"
)]

use std::path::Path;
use std::process::{Command, Output};

use proptest::prelude::*;
use sokudo_dialect::crystal::{self, Direction, Mix, Profile, job_file};
use sokudo_dialect::fio::{Place, TEST_FILE_NAME, parse, render};
use sokudo_model::{
    BackendKind, BlockShare, BlockSizes, Bytes, DataContent, DirectMode, Durability, Limits, Nanos,
    Operation, OperationMix, Order, Plan, Rate, SequentialOffset, Span, Stage, Think, Workload,
};

/// Enough for the largest block at the greatest depth of the methods.
const SIZE: Bytes = Bytes::mib(16);
const TRIAL: Nanos = Nanos::from_millis(40);

#[test]
fn every_method_is_read_back_as_it_was() {
    let place = Place::directory("/mnt/data", Bytes::gib(1)).unwrap();
    for profile in Profile::ALL {
        let plan = crystal::plan(profile);
        let text = render(&plan, &place);
        assert_eq!(parse(&text, "x"), Ok(plan), "{text}");
    }
}

#[test]
fn a_printed_method_reads_like_a_job_file() {
    let place = Place::directory("/mnt/data", Bytes::gib(1)).unwrap();
    assert_eq!(
        render(&crystal::plan(Profile::Demo), &place),
        "; What sokudo measures as mark/demo, for fio: fio THIS-FILE
; sokudo repeats every job in several short trials, the jobs in turn, and
; reports their median; fio runs each job once.
; sokudo falls back to libaio where io_uring is not allowed; fio does not.
; sokudo reads through the cache, and says so, where direct=1 is not possible.
; sokudo: method=mark/demo

[global]
directory=/mnt/data
filename=sokudo-fio-test-file
fallocate=none
overwrite=1
size=1g
randseed=1
randrepeat=0
invalidate=1
thread=1
group_reporting=1
; sokudo: name=SEQ1M Q8T1
bs=1m
iodepth=8
numjobs=1
time_based=1
runtime=1s
ioengine=io_uring
; sokudo: engine=auto
direct=1
; sokudo: direct=auto
refill_buffers=1

[SEQ1M_Q8T1_READ]
rw=read

[SEQ1M_Q8T1_WRITE]
stonewall
rw=write
unlink=1
"
    );
}

#[test]
fn a_read_only_target_gets_no_job_that_writes() {
    let place = Place::read_only_file("/dev/sdx", None).unwrap();
    let text = render(&crystal::plan(Profile::Demo), &place);
    assert!(
        text.contains("filename=/dev/sdx\nallow_file_create=0\n"),
        "{text}"
    );
    assert!(
        text.contains("; SEQ1M_Q8T1_WRITE is left out: it would write."),
        "{text}"
    );
    assert!(
        !text.contains("rw=write") && !text.contains("unlink"),
        "{text}"
    );
    let plan = parse(&text, "x").unwrap();
    assert_eq!(plan.stages.len(), 1);
}

#[test]
fn what_fio_does_otherwise_is_said() {
    let rows = [crystal::row("SEQ128K,Q32,T4").unwrap()];
    let plan = Plan {
        method: "mark/own".to_owned(),
        seed: u64::MAX,
        stages: crystal::stages(crystal::workloads(&rows, &[Direction::Read], &[])),
    };
    let text = render(&plan, &Place::file("/dev/sdx", Some(SIZE)).unwrap());
    assert!(
        text.contains("; fio has no position that clones share"),
        "{text}"
    );
    assert!(
        text.contains("\n; sokudo: seed=18446744073709551615\n"),
        "{text}"
    );
    assert_eq!(parse(&text, "x"), Ok(plan));
}

#[test]
fn the_only_clone_of_the_last_stage_removes_the_file_and_several_have_it_removed() {
    let place = Place::directory(".", SIZE).unwrap();
    let text = |threads: u32| {
        let rows = [crystal::row(&format!("RND4K,Q1,T{threads}")).unwrap()];
        let plan = Plan {
            method: "mark/own".to_owned(),
            seed: 1,
            stages: crystal::stages(crystal::workloads(&rows, &[Direction::Read], &[])),
        };
        let text = render(&plan, &place);
        assert_eq!(parse(&text, "x"), Ok(plan), "{text}");
        text
    };
    assert!(text(1).ends_with("unlink=1\n") && !text(1).contains("REMOVE_TEST_FILE"));
    assert!(text(2).ends_with(
        "[REMOVE_TEST_FILE]\nstonewall\n; sokudo: job=remove-file\nrw=read\nbs=512\nsize=512\nioengine=null\nunlink=1\n"
    ));
}

fn operations() -> impl Strategy<Value = OperationMix> {
    prop_oneof![
        proptest::sample::select(&Operation::ALL[..]).prop_map(OperationMix::only),
        (1u32..100).prop_map(|percent| OperationMix::read_write(percent).unwrap()),
    ]
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![
        any::<bool>().prop_map(|map| Order::Random { map }),
        any::<bool>().prop_map(|shared| Order::Sequential {
            offset: if shared {
                SequentialOffset::Interlocked
            } else {
                SequentialOffset::Own
            }
        }),
    ]
}

fn blocks() -> impl Strategy<Value = BlockSizes> {
    let share = (1u64..4096, 1u32..60).prop_map(|(sectors, weight)| BlockShare {
        bytes: Bytes(sectors * 512),
        weight,
    });
    proptest::collection::vec(share, 1..5).prop_map(|shares| BlockSizes::mix(shares).unwrap())
}

fn backend() -> impl Strategy<Value = BackendKind> {
    proptest::sample::select(vec![
        BackendKind::Auto,
        BackendKind::IoUring,
        BackendKind::Libaio,
        BackendKind::Psync,
        BackendKind::Null,
        BackendKind::Sim,
    ])
}

fn limits() -> impl Strategy<Value = Limits> {
    let time = proptest::option::of((1u64..10_000_000_000).prop_map(Nanos::from_micros));
    let bytes = proptest::option::of((1u64..1 << 50).prop_map(Bytes));
    (time, bytes).prop_map(|(time, bytes)| Limits {
        time,
        bytes,
        ..Limits::default()
    })
}

fn rate() -> impl Strategy<Value = Option<Rate>> {
    let bytes = (1_000_000u64..1 << 40).prop_map(Rate::BytesPerSecond);
    let iops = (1_000u64..1 << 30).prop_map(Rate::Iops);
    proptest::option::of(prop_oneof![bytes, iops])
}

fn span() -> impl Strategy<Value = Option<Span>> {
    let span = (0u64..1 << 30, 1u64..1 << 30).prop_map(|(offset, length)| Span {
        offset: Bytes(offset * 512),
        length: Bytes(length * 512),
    });
    proptest::option::of(span)
}

fn durability() -> impl Strategy<Value = Durability> {
    let every = || proptest::option::of(1u32..1000);
    (every(), every(), any::<[bool; 2]>()).prop_map(|(fsync_every, fdatasync_every, [a, b])| {
        Durability {
            fsync_every,
            fdatasync_every,
            write_through: a,
            final_flush: b,
            ..Durability::default()
        }
    })
}

fn think() -> impl Strategy<Value = Option<Think>> {
    let think = (1u64..4_000_000_000, 1u32..1000)
        .prop_map(|(micros, after_ios)| Think::new(Nanos::from_micros(micros), after_ios));
    proptest::option::of(think)
}

fn workload() -> impl Strategy<Value = Workload> {
    let shape = (
        operations(),
        order(),
        blocks(),
        span(),
        limits(),
        rate(),
        think(),
    );
    let direct = [DirectMode::On, DirectMode::Off, DirectMode::Auto];
    let way = (
        backend(),
        proptest::sample::select(direct.to_vec()),
        durability(),
        0u64..100_000_000,
        any::<[bool; 3]>(),
    );
    (
        "[A-Z0-9]([ A-Za-z0-9;#=_]{0,10}[A-Z])?",
        1u32..4096,
        1u32..65_536,
        shape,
        way,
    )
        .prop_map(
            |(
                name,
                clones,
                depth,
                shape,
                (backend, direct, durability, ramp_us, [zero, bound, exact_clock]),
            )| {
                let (operations, order, blocks, span, limits, rate, think) = shape;
                Workload {
                    name,
                    clones,
                    backend,
                    direct,
                    operations,
                    order,
                    blocks,
                    span,
                    depth,
                    limits,
                    ramp: Nanos::from_micros(ramp_us),
                    rate,
                    think,
                    durability,
                    data: if zero {
                        DataContent::Zero
                    } else {
                        DataContent::Random
                    },
                    cpus: if bound { vec![0] } else { vec![] },
                    exact_clock,
                    ..Workload::new("", Bytes(1))
                }
            },
        )
}

fn plan() -> impl Strategy<Value = Plan> {
    let stage =
        proptest::collection::vec(workload(), 1..4).prop_map(|workloads| Stage { workloads });
    let stages = proptest::collection::vec(stage, 1..4);
    ("[a-z]{1,8}(/[a-z]{1,8})?", any::<u64>(), stages).prop_map(|(method, seed, stages)| Plan {
        method,
        seed,
        stages,
    })
}

fn place() -> impl Strategy<Value = Place> {
    let size = || (1u64..1 << 40).prop_map(Bytes);
    prop_oneof![
        size().prop_map(|size| Place::directory("/mnt/a:b", size).unwrap()),
        proptest::option::of(size()).prop_map(|size| Place::file("/dev/sdx", size).unwrap()),
    ]
}

proptest! {
    #[test]
    fn every_plan_is_read_back_as_it_was(plan in plan(), place in place()) {
        let text = render(&plan, &place);
        prop_assert_eq!(parse(&text, "x"), Ok(plan), "{}", text);
    }
}

/// Whether fio is here; says loudly when it is not.
fn fio_is_installed() -> bool {
    let found = Command::new("fio").arg("--version").output().is_ok();
    if !found {
        eprintln!("SKIPPED: fio is not installed, so it cannot say what it makes of our job files");
    }
    found
}

fn fio(directory: &Path, arguments: &[&str]) -> Output {
    Command::new("fio")
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("fio starts, for it said its version")
}

fn assert_accepted(output: &Output, text: &str) {
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}\n{text}");
    assert!(complaints.trim().is_empty(), "{complaints}\n{text}");
}

/// What works in this directory: sandboxes deny io_uring, and some file systems
/// direct I/O.
fn usable(directory: &Path) -> (&'static str, &'static str) {
    let ways = [("io_uring", "1"), ("libaio", "1"), ("psync", "0")];
    let works = |(engine, direct): &(&str, &str)| {
        let engine = format!("--ioengine={engine}");
        let direct = format!("--direct={direct}");
        let fixed = [
            "--name=probe",
            "--size=4k",
            "--bs=4k",
            "--unlink=1",
            "--thread=1",
        ];
        let arguments = [&fixed[..], &[&engine, &direct]].concat();
        fio(directory, &arguments).status.success()
    };
    let way = ways
        .into_iter()
        .find(works)
        .expect("psync works wherever there are files");
    if way != ways[0] {
        eprintln!("SKIPPED: io_uring with direct I/O does not work here; {way:?} stands in for it");
    }
    way
}

fn in_usable_way(text: &str, directory: &Path) -> String {
    let (engine, direct) = usable(directory);
    text.replace("ioengine=io_uring", &format!("ioengine={engine}"))
        .replace("direct=1", &format!("direct={direct}"))
}

fn is_empty(directory: &Path) -> bool {
    std::fs::read_dir(directory).unwrap().next().is_none()
}

/// Runs a job file for `directory` and checks that it worked and left nothing.
fn run_and_check(text: &str, directory: &Path, jobs: usize) {
    let files = tempfile::tempdir().unwrap();
    let file = files.path().join("job.fio");
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    assert_accepted(&fio(directory, &["--parse-only", file]), text);
    let output = fio(directory, &["--eta=never", file]);
    assert_accepted(&output, text);
    let report = String::from_utf8_lossy(&output.stdout);
    assert_eq!(report.matches("err= 0").count(), jobs, "{report}");
    assert!(
        is_empty(directory),
        "left behind in {}",
        directory.display()
    );
}

fn brief(profile: Profile) -> Plan {
    let rows = crystal::rows(profile);
    let both = [Direction::Read, Direction::Write];
    let mut plan = crystal::plan(profile);
    plan.stages = crystal::stages(crystal::workloads(&rows, &both, &[Mix::R70_W30]));
    for workload in plan
        .stages
        .iter_mut()
        .flat_map(|stage| &mut stage.workloads)
    {
        workload.limits.time = Some(TRIAL);
    }
    plan
}

#[test]
fn fio_runs_every_printed_method_and_leaves_nothing_behind() {
    if !fio_is_installed() {
        return;
    }
    for profile in Profile::ALL {
        let directory = tempfile::tempdir().unwrap();
        let place = Place::directory(directory.path().to_str().unwrap(), SIZE).unwrap();
        let plan = brief(profile);
        let text = in_usable_way(&render(&plan, &place), directory.path());
        run_and_check(&text, directory.path(), plan.stages.len());
    }
}

#[test]
fn fio_runs_every_method_file_and_leaves_nothing_behind() {
    if !fio_is_installed() {
        return;
    }
    for profile in Profile::ALL {
        let directory = tempfile::tempdir().unwrap();
        let text = job_file(profile)
            .replace("size=1g", "size=16m")
            .replace("runtime=1s", "runtime=40ms");
        let text = in_usable_way(&text, directory.path());
        run_and_check(&text, directory.path(), crystal::plan(profile).stages.len());
    }
}

#[test]
fn jobs_that_run_together_leave_nothing_behind_either() {
    if !fio_is_installed() {
        return;
    }
    let mut plan = brief(Profile::Nvme);
    let mut workloads: Vec<_> = plan.stages.into_iter().flat_map(|s| s.workloads).collect();
    // Were the first to end to remove the file, the others would miss it.
    workloads[0].limits.time = Some(Nanos::from_millis(10));
    plan.stages = vec![Stage { workloads }];
    let directory = tempfile::tempdir().unwrap();
    let name = directory.path().join("a:b c");
    std::fs::create_dir(&name).unwrap();
    let place = Place::directory(name.to_str().unwrap(), SIZE).unwrap();
    let text = in_usable_way(&render(&plan, &place), directory.path());
    assert!(text.contains("[REMOVE_TEST_FILE]"), "{text}");
    // One group, and the job that removes the file.
    run_and_check(&text, &name, 2);
}

#[test]
fn the_file_that_fio_reads_was_written() {
    use std::os::unix::fs::MetadataExt as _;
    if !fio_is_installed() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let place = Place::directory(path.to_str().unwrap(), SIZE).unwrap();
    let text = in_usable_way(&render(&brief(Profile::Default), &place), path);
    // fio removes the file even if it does no more than lay it out.
    let text = text.replace("unlink=1\n", "");
    let job = path.join("job.fio");
    std::fs::write(&job, &text).unwrap();
    assert_accepted(&fio(path, &["--create_only=1", "job.fio"]), &text);
    let written = std::fs::read(path.join(TEST_FILE_NAME)).unwrap();
    let blocks = std::fs::metadata(path.join(TEST_FILE_NAME))
        .unwrap()
        .blocks();
    assert_eq!(written.len() as u64, SIZE.0);
    assert!(
        blocks * 512 >= SIZE.0,
        "only {blocks} sectors are allocated"
    );
    let zero = written
        .chunks(4096)
        .filter(|block| block.iter().all(|byte| *byte == 0));
    assert_eq!(zero.count(), 0);
}

#[test]
fn fio_accepts_every_printed_plan() {
    if !fio_is_installed() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let place = Place::directory(directory.path().to_str().unwrap(), SIZE).unwrap();
    proptest!(ProptestConfig::with_cases(32), |(mut plan in plan())| {
        for workload in plan.stages.iter_mut().flat_map(|stage| &mut stage.workloads) {
            // fio allows 4096 jobs in one file, all clones counted.
            workload.clones = workload.clones.min(64);
        }
        let text = render(&plan, &place);
        std::fs::write(directory.path().join("job.fio"), &text).unwrap();
        let output = fio(directory.path(), &["--parse-only", "job.fio"]);
        let complaints = String::from_utf8_lossy(&output.stderr);
        prop_assert!(output.status.success(), "{complaints}\n{text}");
    });
}
