//! Plans printed as job files: read back, and given to fio itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use sokudo_model::{
    BackendKind, BlockShare, BlockSizes, Bytes, DataContent, DirectMode, Durability, IssueOptions,
    Limits, Nanos, Operation, OperationMix, Order, Pacing, Plan, Rate, SequentialOffset, Span,
    Stage, Think, Workload, WorkloadTiming,
};
use sokudo_tools::crystaldiskmark::{self, Profile, RowDirection};
use sokudo_tools::fio::{FioPlan, HostPathKind, JobFileTarget, command_lines, invocation, render};

use crate::host::Made;

/// Enough for the largest block at the greatest depth of the methods.
const SIZE: Bytes = Bytes::mib(16);
/// Of the only device that is known.
const DEVICE_BYTES: Bytes = Bytes::gib(1 << 20);

/// What `sokudo fio` makes of a job file.
fn read(text: &str) -> FioPlan {
    let host =
        Made::with(HostPathKind::BlockDevice, "/dev/sdx", DEVICE_BYTES).file("job.fio", text);
    let read = invocation(&["job.fio".to_owned()], &host);
    let planned = read.and_then(|invocation| invocation.plan(&host));
    planned.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What a job file can say of a workload's thread; `used` is the part of the target.
#[derive(Debug, PartialEq)]
struct Said {
    name: String,
    backend: BackendKind,
    direct: DirectMode,
    operations: OperationMix,
    order: Order,
    blocks: BlockSizes,
    used: Span,
    depth: u32,
    limits: Limits,
    ramp: Nanos,
    rates: [Option<Rate>; 3],
    think: Option<Think>,
    durability: Durability,
    data: DataContent,
    cpus: Vec<u32>,
}

/// What the job file of a workload should say, with the nearest to what fio cannot.
fn expected(workload: &Workload, size: Bytes) -> Said {
    let direction = workload.operations.direction().to_uppercase();
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name = workload.name.chars().filter(|c| *c != '=');
    let name: String = name.map(letter).collect();
    let backend = match workload.backend {
        BackendKind::Auto => BackendKind::IoUring,
        BackendKind::Sim => BackendKind::Null,
        backend => backend,
    };
    let operations = match workload.operations.single() {
        Some(Operation::Flush) => OperationMix::only(Operation::Read),
        _ => workload.operations.clone(),
    };
    let limits = match workload.limits {
        Limits {
            time: None,
            bytes: None,
            ..
        } => Limits::of_time(Nanos::from_secs(86_400)),
        limits => limits,
    };
    Said {
        name: format!("{name}_{direction}"),
        backend,
        direct: match workload.direct {
            DirectMode::Auto => DirectMode::On,
            direct => direct,
        },
        order: match workload.order {
            Order::Sequential { .. } => Order::SEQUENTIAL,
            order => order,
        },
        blocks: whole_percentages(&workload.blocks),
        used: workload.span.unwrap_or(Span::from_start(size)),
        depth: match backend {
            BackendKind::Psync => 1,
            _ => workload.depth,
        },
        limits,
        ramp: workload.timing.ramp,
        rates: rates(workload.pacing.rate, &operations),
        think: workload.pacing.think,
        durability: workload.durability,
        data: workload.data.clone(),
        cpus: workload.issuing.cpus.clone(),
        operations,
    }
}

/// The same for each direction that is used; a mix has its shares of it.
fn rates(rate: Option<Rate>, operations: &OperationMix) -> [Option<Rate>; 3] {
    let of = |operation: Operation| {
        let percent = u64::from(operations.percent(operation));
        let reads = u64::from(operations.percent(Operation::Read));
        let share = |total: u64| match operation {
            Operation::Write => total - total * reads / 100,
            _ => total * percent / 100,
        };
        let rate = rate.filter(|_| percent > 0)?;
        Some(match rate {
            Rate::BytesPerSecond(bytes) => Rate::BytesPerSecond(share(bytes)),
            Rate::Iops(ios) => Rate::Iops(share(ios)),
        })
    };
    [Operation::Read, Operation::Write, Operation::Trim].map(of)
}

/// As fio takes it: whole percentages, the heaviest with what is left.
fn whole_percentages(blocks: &BlockSizes) -> BlockSizes {
    if let Some(block) = blocks.single() {
        return BlockSizes::one(block);
    }
    let mut shares = blocks.shares().unwrap().to_vec();
    let sum: u32 = shares.iter().map(|share| share.weight).sum();
    for share in &mut shares {
        share.weight = share.weight * 100 / sum;
    }
    let rest = 100 - shares.iter().map(|share| share.weight).sum::<u32>();
    let heaviest = shares.iter_mut().max_by_key(|share| share.weight).unwrap();
    heaviest.weight += rest;
    shares.retain(|share| share.weight > 0);
    BlockSizes::mix(shares).unwrap()
}

fn said(workload: &Workload) -> Said {
    let [used] = &workload.files.uses[..] else {
        panic!("one file: {:?}", workload.files);
    };
    Said {
        name: workload.name.clone(),
        backend: workload.backend,
        direct: workload.direct,
        operations: workload.operations.clone(),
        order: workload.order,
        blocks: workload.blocks.clone(),
        used: used.span.unwrap(),
        depth: workload.depth,
        limits: workload.limits,
        ramp: workload.timing.ramp,
        rates: workload.pacing.rates.each,
        think: workload.pacing.think,
        durability: workload.durability,
        data: workload.data.clone(),
        cpus: workload.issuing.cpus.clone(),
    }
}

/// Checks that a job file says what the plan does, thread by thread, for a target of this
/// size. The job that only removes the test file is no part of that.
fn assert_says(text: &str, plan: &Plan, size: Bytes) {
    let found = read(text);
    let seed = plan.seed.min(i64::MAX as u64);
    assert_eq!(found.plan.seed, seed, "{text}");
    let is_remover = |workload: &&Workload| workload.name == "REMOVE_TEST_FILE";
    let stages = found.plan.stages.iter();
    let found = stages.map(|stage| {
        let own = stage.workloads.iter().filter(|w| !is_remover(w));
        own.map(said).collect::<Vec<_>>()
    });
    let found: Vec<_> = found.filter(|stage| !stage.is_empty()).collect();
    let threads = |w: &Workload| {
        (0..w.threads)
            .map(|_| expected(w, size))
            .collect::<Vec<_>>()
    };
    let stages = plan.stages.iter();
    let expected: Vec<_> = stages
        .map(|stage| stage.workloads.iter().flat_map(threads).collect::<Vec<_>>())
        .collect();
    assert_eq!(found, expected, "{text}");
}

/// The first lines of a method's file in `methods/`.
fn title(profile: Profile) -> &'static str {
    match profile {
        Profile::Default => "; CrystalDiskMark's default rows.",
        Profile::Nvme => "; The rows of CrystalDiskMark's preset \"NVMe SSD\".",
        Profile::Flash => {
            "; CrystalDiskMark's default rows with the timing of its preset \"Flash Memory\":
; 1 s of measuring, 30 s of pause, in which a slow drive can tidy up. fio makes
; no such pause."
        }
        Profile::Peak => {
            "; The rows of CrystalDiskMark's profile \"Peak Performance\". (With its preset
; \"NVMe SSD\" the random row is RND4K Q32T16.)"
        }
        Profile::Real => {
            "; The rows of CrystalDiskMark's profile \"Real World Performance\": one request at
; a time, as most programs do."
        }
        Profile::Demo => {
            "; The row of CrystalDiskMark's profile \"Demo\": one number for each direction."
        }
        Profile::Classic => "; The rows of CrystalDiskMark 3, for comparison with older figures.",
        Profile::Durable => {
            "; Writes that count once they are durable, as logs are written: Ceph's journals and
; ZFS' log devices (4 KiB, O_DSYNC), etcd (2,300 B, fdatasync), PostgreSQL (8 KiB,
; fdatasync; a new segment of 16 MiB, fsync)."
        }
    }
}

/// A method's file in `methods/`.
fn method_file(profile: Profile) -> PathBuf {
    let methods = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../methods");
    methods.join(format!("{profile}.fio"))
}

/// `SOKUDO_BLESS=1 cargo test -p sokudo-tools` writes the files anew.
#[test]
fn the_files_of_methods_are_the_profiles() {
    let size = Bytes::gib(1);
    let place = JobFileTarget::directory(".", size).unwrap();
    for profile in Profile::ALL {
        let plan = profile.plan();
        let expected = format!("{}\n;\n{}", title(profile), render(&plan, &place));
        let path = method_file(profile);
        if std::env::var_os("SOKUDO_BLESS").is_some() {
            std::fs::write(&path, &expected).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            text == expected,
            "{} is old; write it anew with SOKUDO_BLESS=1",
            path.display()
        );
        assert_says(&text, &plan, size);
    }
}

#[test]
fn a_printed_method_reads_like_a_job_file() {
    let place = JobFileTarget::directory("/mnt/data", Bytes::gib(1)).unwrap();
    assert_eq!(
        render(&Profile::Demo.plan(), &place),
        "; What sokudo measures as mark/demo, for fio: fio THIS-FILE
; sokudo repeats every job in several short trials, the jobs in turn, and
; reports their median; fio runs each job once.
; sokudo falls back to libaio where io_uring is not allowed; fio does not.
; sokudo reads through the cache, and says so, where direct=1 is not possible.

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
bs=1m
iodepth=8
numjobs=1
time_based=1
runtime=1s
ioengine=io_uring
direct=1
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
fn a_plan_is_command_lines() {
    let place = JobFileTarget::directory("/tmp/a b", Bytes::gib(1)).unwrap();
    let common = "fio '--directory=/tmp/a b' --filename=sokudo-fio-test-file --fallocate=none \
                  --overwrite=1 --size=1g --randseed=1 --randrepeat=0 --invalidate=1 --thread=1 \
                  --group_reporting=1 --bs=1m --iodepth=8 --numjobs=1 --time_based=1 --runtime=1s \
                  --ioengine=io_uring --direct=1 --refill_buffers=1";
    assert_eq!(
        command_lines(&Profile::Demo.plan(), &place),
        [
            format!("{common} --name=SEQ1M_Q8T1_READ --rw=read"),
            format!("{common} --name=SEQ1M_Q8T1_WRITE --rw=write --unlink=1"),
        ]
    );
    let place = JobFileTarget::read_only_file("/dev/sdx", None).unwrap();
    let lines = command_lines(&Profile::Demo.plan(), &place);
    assert_eq!(lines.len(), 1);
    assert!(
        lines[0].starts_with("fio --readonly --filename=/dev/sdx --allow_file_create=0 "),
        "{lines:?}"
    );
}

#[test]
fn a_read_only_target_gets_no_job_that_writes() {
    let place = JobFileTarget::read_only_file("/dev/sdx", None).unwrap();
    let mut plan = Profile::Demo.plan();
    let text = render(&plan, &place);
    assert!(
        text.contains("filename=/dev/sdx\nallow_file_create=0\n"),
        "{text}"
    );
    assert!(
        text.contains("; SEQ1M_Q8T1_WRITE is left out: it would write.\n"),
        "{text}"
    );
    assert!(
        !text.contains("rw=write") && !text.contains("unlink"),
        "{text}"
    );
    plan.stages.truncate(1);
    assert_says(&text, &plan, DEVICE_BYTES);
}

fn own_rows(rows: &str, seed: u64) -> Plan {
    let rows = [crystaldiskmark::row(rows).unwrap()];
    Plan {
        method: "mark/own".into(),
        seed,
        stages: crystaldiskmark::stages(crystaldiskmark::workloads(
            &rows,
            &[RowDirection::Read],
            &[],
        )),
    }
}

#[test]
fn what_fio_does_otherwise_is_said() {
    let mut plan = own_rows("SEQ128K,Q32,T4", u64::MAX);
    let workload = &mut plan.stages[0].workloads[0];
    let share = |sectors: u64, weight| BlockShare {
        bytes: Bytes(512 * sectors),
        weight,
    };
    workload.blocks = BlockSizes::mix(vec![share(1, 1), share(8, 2)]).unwrap();
    workload.limits = Limits::default();
    let text = render(&plan, &JobFileTarget::file("/dev/sdx", Some(SIZE)).unwrap());
    for sentence in [
        "fio has no position that threads share: each of them walks the file by itself.",
        "sokudo's seed is 18446744073709551615, too large for fio's randseed.",
        "fio mixes block sizes by whole percentages: they are rounded.",
        "fio stops after a day where sokudo runs until it is stopped.",
    ] {
        assert!(text.contains(&format!("\n; {sentence}\n")), "{text}");
    }
    assert_says(&text, &plan, SIZE);
}

#[test]
fn the_only_clone_of_the_last_stage_removes_the_file_and_several_have_it_removed() {
    let place = JobFileTarget::directory(".", SIZE).unwrap();
    let text = |threads: u32| {
        let plan = own_rows(&format!("RND4K,Q1,T{threads}"), 1);
        let text = render(&plan, &place);
        assert_says(&text, &plan, SIZE);
        text
    };
    assert!(text(1).ends_with("unlink=1\n") && !text(1).contains("REMOVE_TEST_FILE"));
    assert!(text(2).ends_with(
        "[REMOVE_TEST_FILE]\nstonewall\nrw=read\nbs=512\nsize=512\nioengine=null\nunlink=1\n"
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

/// Of the blocks below.
const BLOCK_MAX: u64 = 4096 * 512;

fn blocks() -> impl Strategy<Value = BlockSizes> {
    let share = (1u64..=BLOCK_MAX / 512, 1u32..60).prop_map(|(sectors, weight)| BlockShare {
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
    let span = (0u64..1 << 30, 0u64..1 << 30).prop_map(|(offset, length)| Span {
        offset: Bytes(offset * 512),
        length: Bytes(BLOCK_MAX + length * 512),
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
        1u32..9,
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
                    threads: clones,
                    backend,
                    direct,
                    operations,
                    order,
                    blocks,
                    span,
                    depth,
                    limits,
                    timing: WorkloadTiming {
                        ramp: Nanos::from_micros(ramp_us),
                        ..WorkloadTiming::default()
                    },
                    pacing: Pacing {
                        rate,
                        think,
                        ..Pacing::default()
                    },
                    durability,
                    data: if zero {
                        DataContent::Zero
                    } else {
                        DataContent::Random
                    },
                    issuing: IssueOptions {
                        cpus: if bound { vec![0] } else { vec![] },
                        exact_clock,
                        ..IssueOptions::default()
                    },
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
        method: method.into(),
        seed,
        stages,
    })
}

/// A place, and how large it is.
fn place() -> impl Strategy<Value = (JobFileTarget, Bytes)> {
    let size = || (BLOCK_MAX..1 << 40).prop_map(Bytes);
    let directory =
        size().prop_map(|size| (JobFileTarget::directory("/mnt/a:b", size).unwrap(), size));
    let device =
        size().prop_map(|size| (JobFileTarget::file("/dev/sdx", Some(size)).unwrap(), size));
    prop_oneof![directory, device]
}

proptest! {
    #[test]
    fn every_plan_is_read_back_as_far_as_fio_can_say_it(plan in plan(), (place, size) in place()) {
        assert_says(&render(&plan, &place), &plan, size);
    }
}

#[test]
fn fio_accepts_every_printed_plan() {
    let directory = tempfile::tempdir().unwrap();
    let place = JobFileTarget::directory(directory.path().to_str().unwrap(), SIZE).unwrap();
    let plans = proptest::collection::vec(plan(), 16);
    proptest!(ProptestConfig::with_cases(1), |(plans in plans)| {
        let files = plans.iter().enumerate().map(|(number, plan)| {
            let file = directory.path().join(format!("{number}.fio"));
            std::fs::write(&file, render(plan, &place)).unwrap();
            file
        });
        let mut fio = Command::new("fio");
        let Ok(output) = fio.arg("--parse-only").args(files).output() else {
            eprintln!("SKIPPED: without fio nobody says what it makes of our job files");
            return Ok(());
        };
        let complaints = String::from_utf8_lossy(&output.stderr);
        prop_assert!(output.status.success(), "{complaints}\n{plans:?}");
    });
}
