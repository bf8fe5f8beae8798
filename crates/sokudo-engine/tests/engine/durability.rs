//! When writes are made durable (invariant 5): as many flushes as the rule says.

use sokudo_engine::{Control, MakeDurable, StageOptions, Target, run_stage};
use sokudo_model::{
    Bytes, DataContent, DirectMode, Durability, Event, Nanos, Operation, Outcome, StopReason,
    Workload,
};

use crate::builders::stage;
use crate::setup::{
    KERNEL_BACKENDS, OwnFile, for_ios, for_ms, random_reads, run_one, simulated, writes,
};

const WRITES: u64 = 105;

/// A rule, and how many flushes it asks for in 105 writes: as with fio, none follows
/// the last one.
fn rules() -> Vec<(Durability, u64)> {
    let none = Durability::default();
    vec![
        (none, 0),
        (with!(none, fsync_every = Some(1)), WRITES - 1),
        (with!(none, fsync_every = Some(10)), 10),
        (with!(none, fdatasync_every = Some(20)), 5),
        (with!(none, fdatasync_every = Some(106)), 0),
        (with!(none, final_flush = true), 1),
        (with!(none, fsync_every = Some(50), final_flush = true), 3),
        (with!(none, write_through = true), 0),
    ]
}

fn flushes(outcome: &Outcome) -> u64 {
    outcome
        .operation(Operation::Flush)
        .map_or(0, |tally| tally.ios)
}

fn assert_rules(run: impl Fn(Workload) -> Outcome) {
    for (durability, expected) in rules() {
        for depth in [1, 8] {
            let workload = with!(
                writes(depth),
                durability = durability,
                limits = for_ios(WRITES)
            );
            let outcome = run(workload);
            let of = format!(
                "{durability:?} at depth {depth} on {:?}",
                outcome.backend.kind
            );
            assert_eq!(outcome.failures, [], "{of}");
            assert_eq!(
                outcome.operation(Operation::Write).unwrap().ios,
                WRITES,
                "{of}"
            );
            assert_eq!(flushes(&outcome), expected, "{of}");
            assert_eq!(outcome.ios(), WRITES, "{of}: a flush moves nothing");
        }
    }
}

#[test]
fn flushes_follow_the_rule_on_every_backend() {
    let own = OwnFile::empty(Bytes::mib(1));
    for backend in KERNEL_BACKENDS {
        assert_rules(|workload| run_one(with!(workload, backend = backend), &mut own.target()));
    }
}

#[test]
fn flushes_follow_the_rule_on_nothing_and_on_simulated_devices() {
    assert_rules(|workload| run_one(workload, &mut Target::Null(Bytes::gib(1))));
    assert_rules(|workload| run_one(workload, &mut simulated("sim:ssd")));
}

#[test]
fn each_clone_follows_the_rule() {
    let durability = with!(
        Durability::default(),
        fsync_every = Some(10),
        final_flush = true
    );
    let workload = with!(
        writes(4),
        threads = 3,
        durability = durability,
        limits = for_ios(100)
    );
    let outcome = run_one(workload, &mut simulated("sim:ssd"));
    assert_eq!(flushes(&outcome), 3 * (9 + 1));
}

#[test]
fn the_final_flush_is_inside_the_measured_time() {
    let written = |final_flush| {
        let durability = with!(Durability::default(), final_flush = final_flush);
        let workload = with!(writes(8), durability = durability, limits = for_ms(500));
        run_one(workload, &mut simulated("sim:hdd?cache=64MiB"))
    };
    let (without, with) = (written(false), written(true));
    assert_eq!((flushes(&without), flushes(&with)), (0, 1));
    assert_eq!(with.stopped, StopReason::Time);
    let flush = with
        .operation(Operation::Flush)
        .unwrap()
        .latency
        .max()
        .unwrap();
    assert!(
        flush > 0 && with.elapsed.0 >= without.elapsed.0 + flush / 2,
        "{:?}",
        with.elapsed
    );
}

#[test]
fn reads_are_not_flushed() {
    let durability = with!(Durability::default(), fsync_every = Some(1));
    let workload = with!(
        crate::setup::random_reads(4),
        durability = durability,
        limits = for_ios(100)
    );
    let outcome = run_one(workload, &mut simulated("sim:const"));
    assert_eq!((outcome.ios(), flushes(&outcome)), (100, 0));
}

/// What is known of when 8 MiB that were written so were durable.
fn durable_after(workload: Workload, make_durable: MakeDurable) -> Option<Nanos> {
    let own = OwnFile::laid_out(Bytes::mib(8), DataContent::Random);
    let options = with!(StageOptions::default(), make_durable = make_durable);
    let stage = stage([workload]);
    let (mut told, mut targets) = (0, [own.target()]);
    let mut listener = |event| told += u32::from(matches!(event, Event::MakingDurable { .. }));
    let outcomes = run_stage(
        &stage,
        options,
        &mut targets,
        &Control::new(),
        &mut listener,
    );
    let outcome = outcomes.unwrap().remove(0);
    assert_eq!(told, u32::from(outcome.durable_after.is_some()));
    assert_eq!(outcome.operation(Operation::Flush), None);
    if let Some(after) = outcome.durable_after {
        assert!(after >= outcome.elapsed, "{after} {}", outcome.elapsed);
        let rate = outcome.durable_bytes_per_second().unwrap();
        assert!(rate <= outcome.bytes_per_second().unwrap());
    }
    outcome.durable_after
}

#[test]
fn what_a_cache_took_is_made_durable_once_where_that_is_asked_for() {
    let buffered = || with!(writes(4), limits = for_ios(2_048), direct = DirectMode::Off);
    assert!(durable_after(buffered(), MakeDurable::Buffered).is_some());
    assert!(durable_after(buffered(), MakeDurable::All).is_some());
    assert_eq!(durable_after(buffered(), MakeDurable::Nothing), None);
    let reads = with!(
        random_reads(1),
        direct = DirectMode::Off,
        limits = for_ios(100)
    );
    assert_eq!(durable_after(reads, MakeDurable::All), None);
    let with_ramp = with!(
        buffered(),
        timing.ramp = Nanos::from_millis(5),
        limits = for_ms(20)
    );
    assert_eq!(durable_after(with_ramp, MakeDurable::All), None);
}

#[test]
fn an_interrupted_row_is_not_made_durable() {
    let own = OwnFile::laid_out(Bytes::mib(8), DataContent::Random);
    let control = Control::new();
    let stage = stage([with!(writes(1), direct = DirectMode::Off)]);
    let options = with!(StageOptions::default(), make_durable = MakeDurable::All);
    let mut listener = |event: Event| {
        assert!(!matches!(event, Event::MakingDurable { .. }));
        control.cancel();
    };
    let outcomes = run_stage(
        &stage,
        options,
        &mut [own.target()],
        &control,
        &mut listener,
    );
    let outcome = outcomes.unwrap().remove(0);
    assert_eq!(
        (outcome.stopped, outcome.durable_after),
        (StopReason::Cancelled, None)
    );
}
