//! How long workloads work: limits, passes, delays, and ends that end others.

use std::time::Duration;

use sokudo_engine::{Control, StageOptions, Target, ends_plan, run_stage};
use sokudo_model::{
    Bytes, DataContent, EndsOthers, Event, FileOrder, FileService, FileUse, Files, Limits, Moved,
    Nanos, Operation, OperationMix, Outcome, Phase, SteadyFigure, SteadyLimit, SteadyRule,
    StopReason, Workload,
};

use crate::builders::{span, stage, use_of};
use crate::setup::{
    BLOCK, OwnFile, for_ios, for_ms, random_reads, run, run_on, run_one, simulated, writes,
};

const MS: u64 = 1_000_000;

fn sequential(limits: Limits) -> Workload {
    with!(Workload::new("reads", Bytes(BLOCK)), limits = limits)
}

#[test]
fn a_limit_of_ios_is_exact() {
    for target in [&mut simulated("sim:ssd"), &mut Target::Null(Bytes::gib(1))] {
        let limits = with!(Limits::default(), ios = Some(1_234));
        let workload = with!(random_reads(16), limits = limits);
        let outcome = run_one(workload, target);
        assert_eq!((outcome.ios(), outcome.stopped), (1_234, StopReason::Bytes));
    }
}

#[test]
fn a_pass_is_repeated_from_its_start() {
    // A pass of eight blocks of a file of sixteen: the later ones are never written.
    let own = OwnFile::empty(Bytes(16 * BLOCK));
    let limits = with!(for_ios(8), repeats = 2);
    let workload = with!(
        writes(4),
        limits = limits,
        data = DataContent::Pattern(vec![7]),
        durability.final_flush = true
    );
    let outcome = run_one(workload, &mut own.target());
    assert_eq!((outcome.ios(), outcome.stopped), (24, StopReason::Bytes));
    let flushes = outcome.operation(Operation::Flush).unwrap().ios;
    assert_eq!(flushes, 3, "one at the end of each pass");
    let contents = own.contents();
    let half = contents.len() / 2;
    assert!(contents[..half].iter().all(|byte| *byte == 7));
    assert!(contents[half..].iter().all(|byte| *byte == 0));
}

#[test]
fn the_time_of_passes_is_counted_once() {
    let limits = with!(for_ios(64), repeats = 3);
    let workload = with!(
        random_reads(8),
        operations = OperationMix::only(Operation::Write),
        limits = limits,
        durability.final_flush = true
    );
    let own = OwnFile::empty(Bytes(16 * BLOCK));
    for target in [&mut simulated("sim:ssd"), &mut own.target()] {
        let outcome = run_one(workload.clone(), target);
        let wrote = outcome.operation(Operation::Write).unwrap();
        assert_eq!(wrote.ios, 256);
        assert!(wrote.elapsed <= outcome.elapsed, "{outcome:?}");
    }
}

#[test]
fn time_ends_all_passes() {
    let limits = with!(for_ios(8), time = Some(Nanos(10 * MS)), repeats = u32::MAX);
    let outcome = run_one(
        sequential(limits),
        &mut simulated("sim:const?latency=100us&jitter=0s"),
    );
    assert_eq!((outcome.ios(), outcome.stopped), (100, StopReason::Time));
}

#[test]
fn a_workload_starts_after_its_delay() {
    let delayed = with!(sequential(for_ms(20)), timing.starts_after = Nanos(30 * MS));
    let workloads = vec![sequential(for_ms(40)), delayed.clone()];
    let outcomes = run(
        workloads,
        &mut simulated("sim:const?latency=100us&jitter=0s"),
    );
    let starts = outcomes.iter().map(|outcome| outcome.started_after.0);
    assert_eq!(starts.collect::<Vec<_>>(), [0, 30 * MS]);
    assert_eq!(outcomes[1].elapsed, Nanos(20 * MS));
    let real = run(
        vec![sequential(for_ms(1)), delayed],
        &mut Target::Null(Bytes::gib(1)),
    );
    assert!(
        real[1].started_after.0 >= 30 * MS,
        "{:?}",
        real[1].started_after
    );
}

fn ending(ends_others: EndsOthers, limits: Limits) -> Workload {
    with!(sequential(limits), timing.ends_others = ends_others)
}

#[test]
fn the_end_of_one_ends_all() {
    let waiting = with!(
        sequential(for_ms(1)),
        timing.starts_after = Nanos(3_600_000 * MS)
    );
    for target in [&mut simulated("sim:ssd"), &mut Target::Null(Bytes::gib(1))] {
        let workloads = vec![
            ending(EndsOthers::Always, for_ios(100)),
            sequential(Limits::default()),
            waiting.clone(),
        ];
        let outcomes = run(workloads.clone(), target);
        let stopped: Vec<StopReason> = outcomes.iter().map(|outcome| outcome.stopped).collect();
        assert_eq!(
            stopped,
            [StopReason::Bytes, StopReason::Ended, StopReason::Ended]
        );
        assert_eq!(outcomes[2].ios(), 0);
        assert!(ends_plan(&workloads[0], stopped[0]));
    }
}

#[test]
fn a_failure_ends_all_only_where_that_is_asked_for() {
    let run = |others: EndsOthers| {
        let bad = with!(
            ending(others, for_ios(10)),
            span = Some(span(1 << 20, 1 << 20))
        );
        let mut target = simulated("sim:const?fail_at=1MiB:EIO");
        run(vec![bad, sequential(for_ios(200))], &mut target)
    };
    let ended = run(EndsOthers::OnError);
    assert_eq!(ended[0].stopped, StopReason::Failed);
    assert_eq!(ended[1].stopped, StopReason::Ended);
    assert_eq!(run(EndsOthers::Never)[1].ios(), 200);
    // A good end ends nobody.
    let workloads = vec![
        ending(EndsOthers::OnError, for_ios(10)),
        sequential(for_ios(200)),
    ];
    let outcomes = crate::setup::run(workloads, &mut simulated("sim:const"));
    assert_eq!(outcomes[1].ios(), 200);
}

fn steady_rule(slope: bool, percent: u64) -> SteadyRule {
    SteadyRule {
        figure: SteadyFigure::Iops,
        slope,
        limit: SteadyLimit::Percent(percent * 1_000_000),
        duration: Nanos(500 * MS),
        ramp: Nanos(200 * MS),
        interval: Nanos(100 * MS),
    }
}

#[test]
fn a_steady_workload_stops() {
    for slope in [false, true] {
        let workload = with!(
            sequential(for_ms(60_000)),
            timing.steady = Some(steady_rule(slope, 5))
        );
        let outcome = run_one(
            workload,
            &mut simulated("sim:const?latency=100us&jitter=0s"),
        );
        assert_eq!(outcome.stopped, StopReason::Ended);
        let steady = outcome.steady.unwrap();
        assert!(steady.attained, "{steady:?}");
        assert_eq!(outcome.elapsed, Nanos(700 * MS), "the ramp and the window");
        assert_eq!(steady.iops.len(), 5);
        assert!(
            steady
                .iops
                .iter()
                .all(|iops| (iops - 10_000.0).abs() < 20.0)
        );
    }
}

#[test]
fn an_unsteady_workload_runs_to_its_end_and_says_how_unsteady() {
    let workload = with!(
        sequential(for_ms(2_000)),
        timing.steady = Some(steady_rule(false, 1))
    );
    let mut target = simulated("sim:const?latency=1ms&jitter=900us");
    let outcome = run_one(workload, &mut target);
    assert_eq!(outcome.stopped, StopReason::Time);
    let steady = outcome.steady.unwrap();
    assert!(!steady.attained && steady.criterion > 1.0, "{steady:?}");
}

#[test]
fn a_steady_workload_stops_in_real_time() {
    let workload = with!(
        sequential(for_ms(60_000)),
        pacing.rate = Some(sokudo_model::Rate::Iops(1_000)),
        timing.steady = Some(steady_rule(false, 60))
    );
    let outcome = run_one(workload, &mut Target::Null(Bytes::gib(1)));
    assert_eq!(outcome.stopped, StopReason::Ended);
    assert!(outcome.steady.unwrap().attained);
}

/// What is told until it is enough or over.
fn tell(
    workload: Workload,
    target: &mut Target,
    is_enough: impl Fn(&[Event]) -> bool,
) -> (Vec<Event>, Vec<Outcome>) {
    let stage = stage([workload]);
    let options = with!(
        StageOptions::default(),
        snapshot_every = Some(Duration::from_millis(200))
    );
    let (mut events, control) = (Vec::new(), Control::new());
    let outcomes = run_stage(
        &stage,
        options,
        std::slice::from_mut(target),
        &control,
        &mut |event| {
            events.push(event);
            if is_enough(&events) {
                control.end();
            }
        },
    );
    (events, outcomes.unwrap())
}

/// How many I/Os each snapshot had.
fn snapshots(events: &[Event]) -> Vec<u64> {
    let snapshots = events.iter().filter_map(|event| match event {
        Event::Snapshot { outcome, .. } => Some(outcome.ios()),
        _ => None,
    });
    snapshots.collect()
}

/// What was moved of each kind and of all, as it was told last.
fn progress(events: &[Event]) -> Option<([Moved; 3], u64)> {
    events.iter().rev().find_map(|event| match event {
        Event::Progress { each, ios, .. } => Some((*each, *ios)),
        _ => None,
    })
}

#[test]
fn snapshots_grow_up_to_the_outcome() {
    let workload = with!(
        sequential(for_ms(60_000)),
        threads = 2,
        operations = OperationMix::read_write(50).unwrap()
    );
    for target in [&mut simulated("sim:ssd"), &mut Target::Null(Bytes::gib(1))] {
        let (events, outcomes) = tell(workload.clone(), target, |events| {
            let has_both = |(each, _): ([Moved; 3], u64)| each[0].ios > 0 && each[1].ios > 0;
            snapshots(events).len() >= 3 && progress(events).is_some_and(has_both)
        });
        let snapshots = snapshots(&events);
        assert!(snapshots.len() >= 3, "{snapshots:?}");
        assert!(snapshots[0] > 0 && snapshots.is_sorted());
        assert!(snapshots[snapshots.len() - 1] <= outcomes[0].ios());
        let (each, ios) = progress(&events).unwrap();
        assert_eq!(each.iter().map(|moved| moved.ios).sum::<u64>(), ios);
        assert!(each[0].ios > 0 && each[1].ios > 0 && each[2].ios == 0);
    }
}

#[test]
fn progress_tells_what_a_workload_is_doing() {
    let workload = with!(sequential(for_ms(500)), timing.ramp = Nanos(500 * MS));
    let (events, _) = tell(workload, &mut simulated("sim:ssd"), |_| false);
    let phases: Vec<Phase> = events
        .iter()
        .filter_map(|event| match event {
            Event::Progress { phase, .. } => Some(*phase),
            _ => None,
        })
        .collect();
    assert_eq!(phases[0], Phase::Ramp);
    assert!(phases.contains(&Phase::Running), "{phases:?}");
    assert_eq!(phases[phases.len() - 1], Phase::Ended);
}

fn files(count: u32, blocks: u64, order: FileOrder) -> Files {
    let span = |number: u64| span(number * BLOCK, blocks * BLOCK);
    let file_use = |target: u32| FileUse {
        target,
        span: Some(span(u64::from(target))),
    };
    Files {
        uses: (0..count).map(file_use).collect(),
        service: FileService { order, ios: 1 },
        open_max: Some(1),
        from_empty: false,
    }
}

#[test]
fn each_file_is_written_in_its_own_part() {
    for order in [FileOrder::RoundRobin, FileOrder::Sequential] {
        let own: Vec<OwnFile> = (0..3).map(|_| OwnFile::empty(Bytes(8 * BLOCK))).collect();
        let mut targets: Vec<Target> = own.iter().map(OwnFile::target).collect();
        let workload = with!(
            writes(4),
            files = files(3, 4, order),
            limits = for_ios(12),
            data = DataContent::Pattern(vec![9]),
            durability.flush_on_close = true
        );
        let stage = stage([workload]);
        let outcome = run_on(&stage, StageOptions::default(), &mut targets)
            .unwrap()
            .remove(0);
        assert_eq!(outcome.ios(), 12);
        assert_eq!(outcome.operation(Operation::Flush).unwrap().ios, 3);
        assert!(
            outcome
                .backend
                .notes
                .iter()
                .any(|note| note.english().contains("3 files"))
        );
        for (number, own) in own.iter().enumerate() {
            let contents = own.contents();
            let written = |block: usize| contents[block * 4096] == 9;
            let expected = |block: usize| (number..number + 4).contains(&block);
            assert!(
                (0..8).all(|block| written(block) == expected(block)),
                "{number}"
            );
        }
    }
}

/// Some reads of this target.
fn on(target: u32) -> Workload {
    with!(sequential(for_ios(50)), files.uses = vec![use_of(target)])
}

#[test]
fn files_and_nothing_run_side_by_side() {
    let own = OwnFile::laid_out(Bytes::mib(1), DataContent::Random);
    let mut targets = [own.target(), Target::Null(Bytes::gib(1))];
    let outcomes = run_on(
        &stage([on(1), on(0)]),
        StageOptions::default(),
        &mut targets,
    )
    .unwrap();
    let kinds: Vec<&str> = outcomes
        .iter()
        .map(|outcome| outcome.backend.kind.name())
        .collect();
    assert_eq!(kinds, ["null", "psync"]);
}

#[test]
fn what_has_other_clocks_or_keeps_no_data_is_not_mixed() {
    let own = OwnFile::empty(Bytes::mib(1));
    let nothing = || Target::Null(Bytes::gib(1));
    let mut mixed = on(0);
    mixed.files.uses.push(use_of(1));
    for (stage, mut targets, word) in [
        (
            stage([mixed]),
            [nothing(), own.target()],
            "cannot use files and null",
        ),
        (
            stage([on(0), on(1)]),
            [simulated("sim:ssd"), nothing()],
            "their own time",
        ),
    ] {
        let error = run_on(&stage, StageOptions::default(), &mut targets).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
}
