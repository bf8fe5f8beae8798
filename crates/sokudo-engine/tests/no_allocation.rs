//! After the ramp the hot loop allocates nothing. A program of its own, because it
//! replaces the allocator.

// A global allocator cannot be written without `unsafe`. This one only passes on to
// the system's and counts.
#![allow(unsafe_code, reason = "GlobalAlloc is an unsafe trait")]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

#[macro_use]
#[path = "../src/builders.rs"]
mod builders;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use sokudo_engine::{Control, StageOptions, Target, TestFile, lay_out, run_stage};
use sokudo_model::{
    BackendKind, Batching, Bytes, DataContent, Event, Nanos, OperationMix, Order, Outcome, Phase,
    Rate, RateProcess, Rates, Recording, Stage, Workload,
};

/// Counts what threads of the engine allocate. The thread that runs the stage and
/// tells its progress may allocate.
struct Counting;

static ALLOCATED_BY_WORKERS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static IS_WORKER: Cell<bool> = const { Cell::new(false) };
}

fn count() {
    if IS_WORKER.get() || has_name_of_worker() {
        IS_WORKER.set(true);
        ALLOCATED_BY_WORKERS.fetch_add(1, Ordering::Relaxed);
    }
}

/// Asks the kernel, since the standard library allocates to answer.
fn has_name_of_worker() -> bool {
    let mut name = [0u8; 16];
    // SAFETY: PR_GET_NAME writes at most 16 bytes, the array's length, and keeps no
    // pointer to them.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    name.starts_with(b"sokudo-")
}

// SAFETY: every call is passed on unchanged to the system's allocator, whose promises
// hold; counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the promises of `alloc`, which are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from the system's allocator by this one.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the pointer came from the system's allocator by this one.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const RAMP: Nanos = Nanos(100_000_000);
/// So long is looked once all are measured. Several intervals of the series end within it.
const LOOKED_AT: Nanos = Nanos(800_000_000);
/// Nobody looks as long.
const LIMIT: Nanos = Nanos(60_000_000_000);

fn workload(backend: BackendKind) -> Workload {
    with!(
        Workload::new(backend.name(), Bytes(4096)),
        backend = backend,
        operations = OperationMix::read_write(70).unwrap(),
        order = Order::Random { map: true },
        depth = 16,
        timing.ramp = RAMP,
        limits.time = Some(LIMIT),
        limits.bytes = None,
        durability.fdatasync_every = Some(100)
    )
}

/// Runs the workloads and says how much the workers had allocated at each look
/// inside the measured part.
fn looks(workloads: Vec<Workload>, target: &mut Target) -> (Vec<u64>, Vec<Outcome>) {
    let mut looks = Vec::new();
    let mut is_measured = vec![false; workloads.len()];
    let (mut since, mut is_over) = (None, false);
    let control = Control::new();
    let mut listener = |event| {
        let Event::Progress {
            workload,
            at,
            phase,
            ..
        } = event
        else {
            return;
        };
        // A worker tells it once it has begun, which allocates.
        is_measured[workload] = phase == Phase::Running;
        if is_over || is_measured.contains(&false) {
            return;
        }
        looks.push(ALLOCATED_BY_WORKERS.load(Ordering::Relaxed));
        is_over = at.0 - since.get_or_insert(at).0 >= LOOKED_AT.0;
        if is_over {
            control.end();
        }
    };
    let options = StageOptions::default();
    let outcomes = run_stage(
        &Stage { workloads },
        options,
        std::slice::from_mut(target),
        &control,
        &mut listener,
    );
    (looks, outcomes.unwrap())
}

fn assert_nothing_allocated(workloads: Vec<Workload>, target: &mut Target) {
    let (looks, outcomes) = looks(workloads, target);
    for outcome in outcomes {
        assert_eq!(outcome.failures, []);
        assert!(outcome.ios() > 0 && outcome.series.len() > 1);
    }
    assert!(looks.len() >= 2, "nobody looked: {looks:?}");
    assert!(
        looks[0] > 0,
        "the allocations of the preparation were not seen"
    );
    let more = looks[looks.len() - 1] - looks[0];
    assert_eq!(
        more, 0,
        "allocations in the hot loop; counted at each look: {looks:?}"
    );
}

// One test for all: others beside it would be counted.
#[test]
fn the_hot_loop_allocates_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let file = TestFile::create(directory.path(), Bytes::mib(8)).unwrap();
    lay_out(&file, DataContent::Random, 1, &Control::new(), &mut |_| {}).unwrap();
    let backends = [
        BackendKind::IoUring,
        BackendKind::Libaio,
        BackendKind::Psync,
    ];
    let mut workloads = backends.map(workload).to_vec();
    workloads.push(with!(
        workload(BackendKind::IoUring),
        pacing.rate = Some(Rate::Iops(500)),
        issuing.exact_clock = true
    ));
    workloads.push(with!(
        workload(BackendKind::IoUring),
        recording = with!(
            Recording::default(),
            split_latency = true,
            series_interval = Some(Nanos(100_000_000))
        ),
        issuing.batching = Batching {
            submit: Some(1),
            complete_min: Some(1),
            complete_max: Some(4),
            low_depth: Some(8),
        },
        pacing.rates = Rates {
            each: [Some(Rate::Iops(1_000)), None, None],
            process: RateProcess::Poisson,
        }
    ));
    assert_nothing_allocated(workloads, &mut file.target().unwrap());
    let null = vec![
        workload(BackendKind::Auto),
        with!(workload(BackendKind::Auto), threads = 2),
    ];
    assert_nothing_allocated(null, &mut Target::Null(Bytes::gib(1)));
}
