//! Kept runs: one per method and one per unusual circumstance, each as the [`Run`] that a store
//! keeps, in `tests/kept/NAME.json`. Whatever prints, compares, judges or draws starts from them.
//!
//! They are measured on simulated devices in virtual time. What the machine would tell of itself is
//! held still in one place ([`hold_still`]); what no simulated device has is put in by the fixture's
//! own change, and then the run is judged.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::{fs, thread};

use sokudo::{Environment as Around, Streams};
use sokudo_model::*;
use sokudo_report::document::unpack;
use sokudo_store::{Filter, Page, Sqlite, Store as _};

use crate::sokudo::split;

pub(crate) const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kept");

/// The name of a run, the words that measure it, and what is changed of it then.
type Fixture = (&'static str, &'static str, fn(&mut Run));

#[rustfmt::skip]
pub(crate) const FIXTURES: &[Fixture] = &[
    // Methods.
    ("mark", "mark sim:ssd --runs 6 --time 10ms --precision 0", on_a_disk),
    ("mark-slower", "mark sim:ssd?read=75us&bus=300MB/s --runs 6 --time 10ms --precision 0 --seed 2", on_a_newer_kernel),
    ("crystal", "mark sim:const?latency=100us --schedule crystal --pause 0s --runs 3 --time 10ms --mix 70", nothing),
    ("several", "mark sim:ssd?serial=A1&link=lane:3GB/s sim:ssd?serial=B2&link=lane:3GB/s --row SEQ1M,Q8,read --row RND4K,Q1 --runs 6 --time 10ms --precision 0", nothing),
    ("several-free", "mark sim:ssd?serial=A1 sim:hdd?serial=B2 --row RND4K,Q1,read --runs 6 --time 20ms --precision 0", nothing),
    ("rate", "mark sim:const?latency=100us&jitter=50us --row RND4K,Q4,mix70 --rate 5000iops --poisson --runs 6 --time 50ms", nothing),
    ("sweep", "sweep sim:ssd --sizes 4KiB,64KiB --depths 1..4 --time 10ms --runs 6", nothing),
    ("scan", "scan sim:hdd?size=64GiB --points 12 --access-count 20 --random --extra", nothing),
    ("scan-twice", "scan sim:hdd?size=64GiB --points 8 --access-count 8 --runs 2", nothing),
    ("load", "load sim:const?latency=100us&parallel=1 --time 20ms --runs 2 --limit p90=500us", nothing),
    ("beside", "load sim:const?latency=100us&parallel=1 --beside RND4K,Q8,write --time 50ms", nothing),
    ("peak", "peak sim:const?latency=100us&parallel=8", nothing),
    ("explain", "explain sim:hdd --only zones --only rotation", nothing),
    ("fill", "fill sim:ssd?size=4GiB&slc=1GiB&direct=400MB/s&room=1536MiB&folding=100MB/s&fold=300MB/s&page=1MiB&channels=8&dies=1&program=4ms&bus=2GB/s&cache=64MiB", nothing),
    ("fill-flat", "fill sim:const?size=1GiB", nothing),
    ("burn-in", "burn-in sim:const?size=1GiB&serial=2 sim:const?size=1GiB&rot_at=33MiB+2MiB", nothing),
    ("burn-in-well", "burn-in sim:ssd?size=1GiB sim:const?size=1GiB&serial=2", nothing),
    ("quick", "quick sim:hdd?size=64GiB --time 50ms", nothing),
    ("steady", "steady sim:ssd?size=1GiB --sizes 4K,64K --mixes 100/0,0/100 --round-time 20ms", nothing),
    ("wsat", "steady sim:ssd?size=1GiB --test wsat --round-time 20ms", nothing),
    ("not-steady", "steady sim:ssd?size=1GiB --sizes 4K --mixes 0/100 --precondition 0 --rounds-max 6 --round-time 20ms", nothing),
    ("fit", "fit etcd sim:const?latency=1ms --time 200ms", nothing),
    ("fit-too-slow", "fit proxmox sim:const?latency=3ms --time 200ms", nothing),
    ("fit-crossed", "fit sd-a1 sim:const?latency=665us&jitter=100us&parallel=1&rate=4GB/s --time 200ms", nothing),
    ("fit-unknown", "fit postgres sim:const?latency=1ms --time 50ms", nothing),
    ("checkup", "checkup sim:hdd", nothing),
    ("together", "mark sim:ssd --row SEQ1M,Q8,read --row RND4K,Q32,write --runs 4 --time 20ms --precision 0", together),
    // Circumstances.
    ("unreadable", "scan sim:hdd?size=64GiB&fail_at=20GiB:EIO&slow_at=40GiB+512:900ms --full --access-count 0", nothing),
    ("hung", "scan sim:hdd?size=64GB&hang_at=20GB+512 --full --access-count 0 --timeout 5s", nothing),
    ("false-capacity", "explain sim:fake-capacity?size=2GiB&real=1GiB --only capacity", nothing),
    ("stopped", "mark sim:const?latency=1ms --row RND4K,Q1 --time 20ms --runs 4 --precision 0 --stop-when rate<100MB/s", nothing),
    ("cut-short", "mark sim:const?latency=100us --row RND4K,Q1 --runs 6 --time 10ms --precision 0", cut_short),
    ("stalls", "mark sim:const?latency=100us&size=1GiB&slow_at=100MiB+4MiB:50ms --row RND4K,Q1,read --runs 6 --time 1s --precision 0", on_a_disk),
    ("cache-answers", "mark sim:const?latency=10us --row RND4K,Q1 --runs 6 --time 10ms --precision 0", cache_answers),
    ("throttled", "mark sim:const?latency=100us --row RND4K,Q1,write --runs 6 --time 50ms --precision 0", throttled),
    ("in-memory", "mark sim:const?latency=10us --row SEQ1M,Q8,read --runs 6 --time 10ms --precision 0", in_memory),
    ("troubled", "mark sim:ssd --schedule crystal --pause 0s --runs 5 --time 10ms", troubled),
    // Of other tools.
    ("fio", "import {corpus}/fio/json.json", nothing),
    ("diskspd", "import {corpus}/diskspd/windows-two.txt", nothing),
    ("crystaldiskmark", "import {corpus}/crystaldiskmark/9-mix.txt", nothing),
    ("bonnie", "import {corpus}/bonnie/2.00.csv", nothing),
    ("hdtune", "import {corpus}/hdtune/pro.txt", nothing),
];

/// `SOKUDO_BLESS=1 cargo test --package sokudo --test base kept` makes them anew.
#[test]
fn the_folder_is_what_its_fixtures_make() {
    let is_blessed = std::env::var_os("SOKUDO_BLESS").is_some_and(|value| value == "1");
    let stale = of_each(|(name, words, change)| {
        let made = made(words, *change);
        let file = format!("{FOLDER}/{name}.json");
        if fs::read_to_string(&file).is_ok_and(|kept| kept == made) {
            return None;
        }
        if is_blessed {
            fs::write(&file, made).unwrap();
            return None;
        }
        Some(*name)
    });
    let none: [&str; 0] = [];
    assert_eq!(
        stale, none,
        "are not what their commands make; see `git diff` after SOKUDO_BLESS=1"
    );
    let mut names: Vec<_> = FIXTURES
        .iter()
        .map(|(name, ..)| format!("{name}.json"))
        .collect();
    names.sort();
    let mut files: Vec<_> = fs::read_dir(FOLDER).unwrap().collect();
    files.retain(|file| file.as_ref().unwrap().path().is_file());
    let mut files: Vec<_> = files
        .iter()
        .map(|file| file.as_ref().unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, names, "no other file lies there");
}

/// What each fixture comes to, two at a time: none takes more than a second or so.
pub(crate) fn of_each<T: Send>(work: impl Fn(&Fixture) -> Option<T> + Sync) -> Vec<T> {
    let half = |from| {
        FIXTURES
            .iter()
            .skip(from)
            .step_by(2)
            .filter_map(&work)
            .collect::<Vec<T>>()
    };
    thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        let mut all = half(0);
        all.extend(
            other
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        );
        all
    })
}

/// The run of a fixture.
pub(crate) fn kept(name: &str) -> Run {
    let text = fs::read_to_string(format!("{FOLDER}/{name}.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// sokudo's exit code, output and messages, with this store and a terminal of so many columns.
/// Variables may stand before the words, as at a shell.
pub(crate) fn told(words: &str, store: &Path, columns: Option<usize>) -> (u8, String, String) {
    let mut words = split(words);
    let first = words
        .iter()
        .position(|word| !word.starts_with(char::is_uppercase));
    let usual = ["LC_ALL=C.UTF-8", "SOKUDO_LANG=en", "NO_COLOR=1"].map(str::to_owned);
    let variables = usual.into_iter().chain(words.drain(..first.unwrap_or(0)));
    let variables = variables.map(|word| {
        word.split_once('=')
            .map(|(name, value)| (name.into(), value.into()))
            .unwrap()
    });
    let mut variables: BTreeMap<OsString, OsString> = variables.collect();
    variables.insert("SOKUDO_STORE".into(), store.into());
    let around = Around {
        variables: Some(variables),
        terminal: columns.map(|columns| (columns, 40)),
        now: Some(STARTED_AT),
    };
    words.insert(0, "sokudo".to_owned());
    let mut streams = Streams::kept("");
    let code = ::sokudo::run(
        words.into_iter().map(OsString::from).collect(),
        &mut streams,
        &around,
    );
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (code, text(streams.output()), text(streams.error()))
}

/// A fixture measured now, as its file is to hold it.
fn made(words: &str, change: fn(&mut Run)) -> String {
    let mut run = measured(words);
    change(&mut run);
    sokudo_analysis::judge(&mut run);
    with_texts_as_data(|| serde_json::to_string(&run)).unwrap() + "\n"
}

/// The run that these words measure, held still.
fn measured(words: &str) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../sokudo-tools/corpus");
    let mut words = format!("{words} -q").replace("{corpus}", corpus);
    if !words.starts_with("import") && !words.contains("--seed") {
        words += " --seed 1";
    }
    let (code, _, said) = told(&words, &store, None);
    let mut store = Sqlite::open(&store).unwrap();
    let newest = store
        .list(&Filter::default(), Page { skip: 0, count: 1 })
        .unwrap();
    let newest = newest
        .first()
        .unwrap_or_else(|| panic!("{words}: {code} {said}"));
    let packed = store.document(newest.id).unwrap();
    let mut run = unpack(&packed).unwrap();
    hold_still(&mut run);
    run
}

/// 2026-11-21, 01:58:08.250 UTC.
const STARTED_AT: Nanos = Nanos(1_795_226_288_250_000_000);

/// Puts what differs from machine to machine and from day to day in words that do not.
fn hold_still(run: &mut Run) {
    run.sokudo_version = "0.1.0".to_owned();
    for part in &mut run.parts {
        (part.started_at, part.ended_at) = (STARTED_AT, STARTED_AT);
    }
    if run.provenance == Provenance::Measured {
        run.started_at = Some(STARTED_AT);
        run.environment = HostEnvironment {
            host: Some("bench".into()),
            kernel: Some("6.18.2".into()),
            distribution: Some("Debian GNU/Linux 12 (bookworm)".into()),
            cpu_model: Some("AMD EPYC 7763".into()),
            cpus: 2,
            memory_bytes: Some(Bytes::gib(4)),
            load_average: Some(0.07),
            clock_source: Some("tsc".into()),
            ..HostEnvironment::default()
        };
        run.conditions = Conditions::default();
    }
    for trial in run.rows.iter_mut().flat_map(|row| &mut row.trials) {
        trial.evidence.processors = None;
        trial.outcome.cpu = None;
        trial.outcome.usage = None;
    }
}

fn nothing(_: &mut Run) {}

/// As if it had been measured on a file system of an NVMe drive.
fn on_a_disk(run: &mut Run) {
    run.target = target();
    run.command = format!("sokudo mark /mnt/data --seed {}", run.plan.seed);
    let outcomes = |trial: &mut Trial| {
        trial.outcome.backend.kind = BackendKind::IoUring;
        trial.outcome.direct = true;
        trial.outcome.cpu = Some(CpuTime {
            user: Nanos(trial.outcome.elapsed.0 / 50),
            system: Nanos(trial.outcome.elapsed.0 / 8),
            ..CpuTime::default()
        });
        let bytes = |operation: Operation| {
            let of = trial
                .outcome
                .operations
                .iter()
                .filter(|it| it.operation == operation);
            let in_ramp = trial.outcome.in_ramp[operation.index()].bytes.0;
            of.map(|it| it.bytes.0).sum::<u64>() + in_ramp
        };
        trial.evidence.cached_before = Some(Bytes(0));
        trial.evidence.device = Some(DeviceCounters {
            read_bytes: bytes(Operation::Read),
            written_bytes: bytes(Operation::Write),
            ..DeviceCounters::default()
        });
    };
    run.rows
        .iter_mut()
        .flat_map(|row| &mut row.trials)
        .for_each(outcomes);
}

fn on_a_newer_kernel(run: &mut Run) {
    on_a_disk(run);
    run.environment.kernel = Some("6.19.0".into());
}

fn target() -> TargetInfo {
    TargetInfo {
        path: Some("/mnt/data".into()),
        size_bytes: Some(Bytes::gib(1)),
        file_system: Some(FileSystem {
            kind: "ext4".into(),
            mount_point: "/mnt/data".into(),
            mount_options: vec!["rw".into(), "noatime".into()],
            source: "/dev/nvme0n1p2".into(),
            total_bytes: Some(Bytes::gib(900)),
            available_bytes: Some(Bytes::gib(500)),
            uuid: None,
            level: None,
            memory_below: None,
        }),
        direct_io: DirectIoSupport::Supported {
            memory_alignment: Bytes(4),
            offset_alignment: Bytes(512),
        },
        devices: vec![
            device("nvme0n1p2", BlockDeviceKind::Partition, None),
            device(
                "nvme0n1",
                BlockDeviceKind::Disk,
                Some("Samsung SSD 980 PRO 1TB"),
            ),
        ],
        file_state: Some(FileState {
            size_bytes: Bytes::gib(1),
            extents: 3,
            ..FileState::default()
        }),
        ..TargetInfo::new("/mnt/data", TargetKind::Directory)
    }
}

fn device(name: &str, kind: BlockDeviceKind, model: Option<&str>) -> BlockDevice {
    BlockDevice {
        name: name.into(),
        number: "259:0".into(),
        kind,
        is_leaf: kind != BlockDeviceKind::Partition,
        parents: vec![],
        model: model.map(str::to_owned),
        serial: model.map(|_| "S5P2NG0R123456".to_owned()),
        size_bytes: Some(Bytes(1_000_204_886_016)),
        logical_block_bytes: Some(Bytes(512)),
        physical_block_bytes: Some(Bytes(512)),
        rotational: Some(false),
        rotation_rpm: None,
        cache_bytes: None,
        scheduler: Some("none".into()),
        write_cache: Some("write back".into()),
        max_io_bytes: None,
        read_ahead_bytes: None,
        counts_io: Some(true),
        backing_file: None,
        backing_direct: None,
        marks: DeviceMarks::default(),
        attached_by: Vec::new(),
    }
}

/// The drive has moved a tenth of what was read.
fn cache_answers(run: &mut Run) {
    on_a_disk(run);
    for trial in run.rows.iter_mut().flat_map(|row| &mut row.trials) {
        trial.evidence.cached_before = Some(Bytes::mib(900));
        let device = trial.evidence.device.as_mut().unwrap();
        device.read_bytes /= 10;
    }
}

/// A control group held the program back, and another program wrote to the disk.
fn throttled(run: &mut Run) {
    on_a_disk(run);
    for trial in run.rows.iter_mut().flat_map(|row| &mut row.trials) {
        trial.evidence.processors = Some(ProcessorEvidence {
            elapsed: trial.outcome.elapsed,
            own: Some(Nanos(trial.outcome.elapsed.0 / 5)),
            programs: Some(Nanos(0)),
            kernel: Some(Nanos(0)),
            stolen: Some(Nanos(0)),
            throttled: Some(Throttling {
                file: "/sys/fs/cgroup/small/cpu.max".into(),
                periods: 4,
                time: Nanos(trial.outcome.elapsed.0 / 3),
            }),
        });
        trial.outcome.usage = Some(ThreadUsage {
            context_switches: 40,
            waited: Some(Nanos(trial.outcome.elapsed.0 / 2)),
            ..ThreadUsage::default()
        });
        trial.evidence.foreign = Some(ForeignUse {
            users: vec![ForeignUser {
                pid: 4711,
                name: "updatedb".into(),
                kernel: false,
                read_bytes: 0,
                written_bytes: 9 << 20,
            }],
            hidden: 0,
        });
        trial.evidence.device.as_mut().unwrap().written_bytes += 9 << 20;
    }
}

fn in_memory(run: &mut Run) {
    on_a_disk(run);
    let file_system = run.target.file_system.as_mut().unwrap();
    (file_system.kind, file_system.source) = ("tmpfs".into(), "tmpfs".into());
    run.target.devices.clear();
    for trial in run.rows.iter_mut().flat_map(|row| &mut row.trials) {
        trial.evidence = TrialEvidence::default();
    }
}

/// It was interrupted in its first trials, on two disks of which much is unknown.
fn cut_short(run: &mut Run) {
    on_a_disk(run);
    run.interrupted = true;
    run.target.devices = vec![
        device("sda", BlockDeviceKind::Disk, Some("WD Red")),
        device("sdb", BlockDeviceKind::Disk, None),
    ];
    run.target.blind_spots = vec!["it hides".into(), "It lies.".into()];
    run.target.file_state.as_mut().unwrap().hole_bytes = Bytes::mib(3);
    for row in &mut run.rows {
        row.trials.truncate(1);
        row.trials[0].outcome.stopped = StopReason::Cancelled;
        row.trials[0].outcome.backend.notes = vec!["io_uring is denied".into()];
    }
}

/// It was interrupted, after a row had failed and while another was measured.
fn troubled(run: &mut Run) {
    on_a_disk(run);
    run.interrupted = true;
    let failure = |kind, count| IoFailure {
        operation: Operation::Read,
        kind,
        offset: Bytes(8_192),
        count,
    };
    let failed = &mut run.rows[2];
    failed.trials.truncate(1);
    let outcome = &mut failed.trials[0].outcome;
    outcome.operations.clear();
    outcome.series.clear();
    outcome.depth_achieved = 0.0;
    outcome.in_ramp = Default::default();
    outcome.stopped = StopReason::Failed;
    let short = FailureKind::Short {
        requested: 4096,
        moved: 512,
    };
    outcome.failures = vec![
        failure(FailureKind::Errno(5), 17),
        failure(short, 1),
        failure(FailureKind::Nothing, 2),
    ];
    failed.trials[0].evidence = TrialEvidence::default();
    let partial = &mut run.rows[3];
    partial.trials.truncate(2);
    partial.trials[1].outcome.stopped = StopReason::Cancelled;
    for row in &mut run.rows[4..] {
        row.trials.clear();
    }
}

/// The same on three hosts, of which the second is slow and the third is lost on the way.
fn together(run: &mut Run) {
    on_a_disk(run);
    let mut slow = measured(
        "mark sim:ssd?bus=300MB/s&read=90us --row SEQ1M,Q8,read --row RND4K,Q32,write --runs 4 --time 20ms --precision 0",
    );
    on_a_disk(&mut slow);
    let hosts = [run.clone(), slow, run.clone()];
    for (number, row) in run.rows.iter_mut().enumerate() {
        row.workload.threads = 3;
        row.trials.clear();
        for trial in 0..4 {
            let rank = |(host, of): (u32, &Run)| {
                let rank = RankTrial {
                    has_own_device: true,
                    late: Nanos(20_000 + 70_000 * u64::from(host)),
                    clock_uncertainty: Nanos(80_000),
                    trials: vec![of.rows[number].trials[trial].clone()],
                };
                (trial < 2 || host < 2).then_some((host, rank))
            };
            row.trials
                .extend(Trial::together((0..).zip(&hosts).map(rank).collect()));
        }
    }
    let host = |number: u32| {
        let name = format!("n0{number}");
        Host {
            ranks: 1,
            environment: HostEnvironment {
                host: Some(name.clone()),
                ..run.environment.clone()
            },
            target: TargetInfo {
                host: Some(name.clone()),
                ..run.target.clone()
            },
            name,
            conditions: Conditions::default(),
            layout: Some(Layout {
                bytes: Bytes::gib(1),
                elapsed: Nanos::from_secs(2),
            }),
            assessments: Vec::new(),
            findings: Vec::new(),
            lost: (number == 3).then_some(HostLost::Ended),
        }
    };
    run.hosts = (1..4).map(host).collect();
    run.command = "mpirun -n 3 sokudo together -- mark /mnt/data --seed 1".into();
}
