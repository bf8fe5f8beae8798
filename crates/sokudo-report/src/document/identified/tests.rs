use super::*;
use crate::sample;
use proptest::prelude::*;
use sokudo_model::{
    BackendKind, BlockChoice, BlockShare, BlockSizes, BufferMemory, Bytes, Check, CpuPolicy,
    DataContent, Distribution, DriveCache, EndsOthers, FileTree, FileUse, LatencyLog, Limits,
    Nanos, OperationMix, Order, Rate, RateProcess, Run, Sample, SequentialOffset, Span,
    SteadyFigure, SteadyLimit, SteadyRule, Survey, SurveyedSamples, Think, TreeContents, TreeNames,
    TreeOrder, Verify, Visit, Work, Workload, WriteCheck,
};

type Change = fn(&mut Workload);

/// Each makes another measurement of a plain workload.
const CHANGES: &[Change] = &[
    |w| w.blocks = BlockSizes::one(Bytes::kib(128)),
    |w| w.blocks = BlockSizes::mix(vec![share(4, 1), share(8, 1)]).unwrap(),
    |w| w.blocks = range(4, 64, 4, 64),
    |w| w.blocks = range(4, 64, 4, 128),
    |w| w.depth += 1,
    |w| w.threads = 4,
    |w| {
        w.threads = 4;
        w.order = INTERLOCKED;
    },
    |w| w.order = Order::Random { map: true },
    |w| w.order = Order::Random { map: false },
    |w| w.operations = OperationMix::read_write(70).unwrap(),
    |w| w.span = Some(SPAN),
    |w| w.files.uses = uses(2),
    |w| w.data = DataContent::Zero,
    |w| w.data = DataContent::Repeated,
    |w| w.data = DataContent::Pattern(vec![1]),
    |w| w.data = DataContent::Pattern(vec![2]),
    |w| w.limits.time = Some(Nanos(7)),
    |w| w.limits.bytes = Some(Bytes(7)),
    |w| w.limits.ios = Some(7),
    |w| w.limits.repeats = 1,
    |w| w.timing.ramp = Nanos(7),
    |w| w.pacing.rate = Some(Rate::Iops(7)),
    |w| w.pacing.rate = Some(Rate::BytesPerSecond(7)),
    |w| w.pacing.rates.each[1] = Some(Rate::Iops(100)),
    |w| w.pacing.rates.process = RateProcess::Poisson,
    |w| w.pacing.think = Some(Think::new(Nanos(7), 1)),
    |w| {
        w.pacing.think = Some(Think {
            waits_for_completion: false,
            ..Think::new(Nanos(7), 1)
        });
    },
    |w| {
        w.pacing.think = Some(Think {
            spin: Nanos(1),
            ..Think::new(Nanos(7), 1)
        });
    },
    |w| w.durability.write_through = true,
    |w| w.durability.with_metadata = true,
    |w| w.durability.flush_on_close = true,
    |w| w.durability.final_flush = true,
    |w| w.durability.fsync_every = Some(1),
    |w| w.durability.fdatasync_every = Some(1),
    |w| w.scatter.distribution = ZIPF,
    |w| w.scatter.run_ios = 4,
    |w| w.issuing.batching.submit = Some(16),
    |w| w.issuing.memory = BufferMemory::HugePages,
    |w| w.recording.latency_log = Some(LatencyLog { interval: None }),
    |w| w.timing.starts_after = Nanos(5),
    |w| w.timing.ends_others = EndsOthers::Stage,
    |w| w.issuing.cpus = vec![0, 2],
    |w| {
        w.issuing.cpus = vec![0, 2];
        w.issuing.cpu_policy = CpuPolicy::Shared;
    },
    |w| w.files.from_empty = true,
    |w| w.work = Work::Rewriting { percent: 10 },
    |w| w.drive_cache = DriveCache::Off,
    |w| w.verify = Some(Verify::Writes(WriteCheck::of(Check::Crc32c))),
    |w| w.timing.steady = Some(STEADY),
    |w| w.work = Work::Survey(SURVEY),
    |w| w.work = Work::Tree(TREE),
    |w| w.limits.time_min = Some(Nanos(250)),
];

/// Each means the same to a workload of one thread.
const NO_CHANGES: &[Change] = &[
    |w| w.name = "mine".into(),
    |w| w.order = INTERLOCKED,
    |w| w.issuing.exact_clock = true,
    |w| w.recording.series_interval = Some(Nanos(1)),
    |w| w.files.uses = uses(1),
    |w| w.scatter.run_ios = 1,
];

const INTERLOCKED: Order = Order::Sequential {
    offset: SequentialOffset::Interlocked,
};
const SPAN: Span = Span {
    offset: Bytes(0),
    length: Bytes::mib(1),
};
const ZIPF: Distribution = Distribution::Zipf {
    theta: 1_200_000,
    center: None,
};
const STEADY: SteadyRule = SteadyRule {
    figure: SteadyFigure::Iops,
    slope: true,
    limit: SteadyLimit::Percent(300_000),
    duration: Nanos(10),
    ramp: Nanos(0),
    interval: Nanos(1),
};
const SURVEY: Survey = Survey::new(100, Visit::Ascending, Sample::Whole);
const TREE: FileTree = FileTree {
    files: 16,
    contents: TreeContents::HardLinks,
    directories: 0,
    names: TreeNames::NumberFirst,
    order: TreeOrder::Numbered,
    sync_each: false,
};

fn share(kib: u64, weight: u32) -> BlockShare {
    let bytes = Bytes::kib(kib);
    BlockShare { bytes, weight }
}

/// From so many to so many KiB, of reads and of all else.
fn range(smallest: u64, largest: u64, smallest_else: u64, largest_else: u64) -> BlockSizes {
    let range = |smallest, largest| BlockChoice::Range {
        smallest: Bytes::kib(smallest),
        largest: Bytes::kib(largest),
    };
    let other = || range(smallest_else, largest_else);
    BlockSizes::per_direction(range(smallest, largest), other(), other()).unwrap()
}

fn uses(count: u32) -> Vec<FileUse> {
    (0..count)
        .map(|target| FileUse { target, span: None })
        .collect()
}

/// The first row of a run of one workload after `change`.
fn after(change: impl FnOnce(&mut Run)) -> ResultDocument {
    let mut run = sample::run();
    change(&mut run);
    RunDocument::from_run(&run).results.swap_remove(0)
}

fn id_after(change: impl FnOnce(&mut Run)) -> String {
    after(change).fingerprint
}

fn workload_after(changes: impl IntoIterator<Item = Change>) -> ResultDocument {
    after(|run| {
        let workload = &mut run.rows[0].workload;
        changes.into_iter().for_each(|change| change(workload));
    })
}

/// Ids that are kept somewhere: whatever is reworded, renamed or reordered, these stay. Who
/// must change them needs another version, and all that was kept is read again.
#[test]
fn ids_stay_as_they_are() {
    let packed = include_bytes!("../../../tests/kept/run.bin");
    let run = RunDocument::new(crate::document::unpack(packed).unwrap());
    // No workload does all of it, and a part has the same name and form with every other.
    let mut all = workload_after(CHANGES[..50].iter().copied()).plan;
    all.set(PlanData::Rewritten(10));
    all.set(PlanData::Survey(SurveyedSamples {
        survey: SURVEY,
        sealed: None,
    }));
    assert_eq!(
        [
            &run.fingerprint,
            &run.results[0].fingerprint,
            &run.results[1].fingerprint,
            &fingerprint::id(&all),
        ],
        [
            "275ae184779b0fd6",
            "ee3145da06a82af0",
            "d503fa167c0b5dea",
            "693f3356661ee4f2"
        ]
    );
}

#[test]
fn names_seeds_dates_and_the_number_of_trials_do_not_matter() {
    let plain = id_after(|_| {});
    assert_eq!(plain.len(), 16);
    for (index, change) in NO_CHANGES.iter().enumerate() {
        assert_eq!(workload_after([*change]).fingerprint, plain, "{index}");
    }
    let as_needed = |time| {
        let limits = Limits {
            time: Some(time),
            time_min: Some(Nanos(250)),
            ..Limits::default()
        };
        id_after(|run| run.rows[0].workload.limits = limits)
    };
    assert_eq!(as_needed(Nanos(250)), as_needed(Nanos(1_000)));
    let other = id_after(|run| {
        run.plan.seed += 1;
        run.plan.method = "other".into();
        run.started_at = None;
        run.schedule.trials = 99;
        run.rows[0].trials.truncate(1);
        run.target.name = "elsewhere".into();
    });
    assert_eq!(other, plain);
}

#[test]
fn everything_that_changes_the_measurement_changes_the_fingerprint() {
    let of_runs = [
        id_after(|_| {}),
        id_after(|run| run.schedule.pause = Nanos(7)),
        id_after(|run| run.schedule.warm_up = true),
        id_after(|run| run.schedule.spread_over = Some(Nanos(7))),
        id_after(|run| run.target.size_bytes = Some(Bytes::gib(8))),
        id_after(|run| {
            for trial in &mut run.rows[0].trials {
                trial.outcome.direct = false;
            }
        }),
        id_after(|run| run.rows[0].trials[0].outcome.direct = false),
        id_after(|run| run.rows[0].trials[0].outcome.backend.kind = BackendKind::Psync),
    ];
    let of_workloads = CHANGES.iter().map(|it| workload_after([*it]).fingerprint);
    let mut ids: Vec<String> = of_runs.into_iter().chain(of_workloads).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

mod many_draws {
    use super::*;
    use sokudo_testing::draws;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(draws(64)))]

        /// What a comparison names, the ids tell, too, and words tell it apart.
        #[test]
        fn ids_and_words_differ_where_parts_differ(
            one in prop::collection::vec(prop::sample::select(CHANGES), 0..4),
            other in prop::collection::vec(prop::sample::select(CHANGES), 0..4),
        ) {
            let [one, other] = [one, other].map(workload_after);
            let differs = !one.plan.differing(&other.plan).is_empty();
            prop_assert_eq!(one.fingerprint != other.fingerprint, differs);
            prop_assert_eq!(one.fingerprint_parts != other.fingerprint_parts, differs);
        }
    }
}

#[test]
fn backends_of_one_class_are_comparable() {
    let libaio = id_after(|run| run.rows[0].trials[0].outcome.backend.kind = BackendKind::Libaio);
    assert_eq!(libaio, id_after(|_| {}));
}

#[test]
fn the_same_row_beside_another_is_another_measurement() {
    let mut run = sample::run();
    let alone = RunDocument::from_run(&run);
    let moved = run.plan.stages.remove(1).workloads;
    run.plan.stages[0].workloads.extend(moved);
    let together = RunDocument::from_run(&run);
    let [first, second] = [&alone, &together].map(|it| &it.results[0]);
    assert_ne!(first.fingerprint, second.fingerprint);
    let beside = &alone.results[1].fingerprint;
    assert_eq!(second.fingerprint_parts["beside"], format!("1 ({beside})"));
    assert_eq!(together.results[2..], alone.results[2..]);
    assert_ne!(together.fingerprint, alone.fingerprint);
    let read = RunDocument::from_json(&together.to_json()).unwrap();
    assert_eq!(read, together);
}
