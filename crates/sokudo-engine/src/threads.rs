//! Real time: one thread per clone, all starting at the same instant.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};
use sokudo_model::{
    BackendKind, BackendUse, Bytes, CpuTime, Event, Moved, Nanos, Outcome, Phase, Stage,
    StopReason, Workload,
};
use sokudo_stats::Random;
use sokudo_sys::{ThreadTime, thread_time};

use crate::backend::{AnyBackend, Backend, TICK, Wanted, open};
use crate::clock::{Clock, RealClock};
use crate::control::Control;
use crate::data::Data;
use crate::offsets::{SharedPosition, Stretch};
use crate::pattern::Pattern;
use crate::stage::{StageError, StageOptions, graver, stretch_of};
use crate::tally::FinishedTally;
use crate::target::Target;
use crate::worker::{Next, Worker, chunks_for};

/// One batch in this many is submitted by a system call of its own, to measure how
/// long submitting takes without doubling the system calls.
const BATCHES_PER_SUBMISSION_SAMPLE: u32 = 16;

/// Sleeping overshoots by about 0.1 ms (nanosleep of 100 µs took 191 µs on Linux
/// 6.18), so the rest of a wait is spent looking at the clock.
const SPIN_NS: u64 = 200_000;

/// After a stop, I/Os still in flight are waited for this long, twice what the
/// SCSI layer takes to give up on a command; then they are abandoned.
const DRAIN_TIME_MAX_NS: u64 = 60_000_000_000;

/// After Ctrl-C a person waits less.
const CANCEL_TIME_MAX_NS: u64 = 3_000_000_000;

/// What a clone tells while it runs. On a cache line of its own.
#[derive(Default)]
#[repr(align(128))]
struct Progress {
    bytes: AtomicU64,
    ios: AtomicU64,
}

/// One clone of one workload.
struct CloneId {
    workload: usize,
    index: u64,
}

/// What a clone ends with.
struct CloneResult {
    workload: usize,
    tally: FinishedTally,
    stopped: StopReason,
    cpu: CpuTime,
    backend: BackendUse,
    direct: bool,
}

/// Holds every thread back until all are ready.
#[derive(Default)]
struct StartLine {
    start_at: Mutex<Option<Start>>,
    opened: Condvar,
}

#[derive(Clone, Copy)]
enum Start {
    At(Instant),
    Never,
}

impl StartLine {
    fn open(&self, start: Start) {
        *self.start_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(start);
        self.opened.notify_all();
    }

    /// Waits for the common start; false when there is none.
    fn wait(&self) -> bool {
        let mut guard = self.start_at.lock().unwrap_or_else(PoisonError::into_inner);
        let start = loop {
            match *guard {
                Some(start) => break start,
                None => {
                    guard = self
                        .opened
                        .wait(guard)
                        .unwrap_or_else(PoisonError::into_inner)
                }
            }
        };
        drop(guard);
        let Start::At(instant) = start else {
            return false;
        };
        thread::sleep(instant.saturating_duration_since(Instant::now()));
        true
    }
}

/// What all clones of a stage share.
struct Shared<'a> {
    stage: &'a Stage,
    target: &'a Target,
    seed: u64,
    control: &'a Control,
    clock: RealClock,
    start: StartLine,
    positions: Vec<Arc<SharedPosition>>,
    progress: Vec<Progress>,
}

/// Runs a stage on a file, a block device or nothing.
pub(crate) fn run(
    stage: &Stage,
    options: StageOptions,
    target: &Target,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Vec<Outcome>, StageError> {
    let clones = clones_of(stage);
    let shared = Shared {
        stage,
        target,
        seed: options.seed,
        control,
        clock: RealClock::new(),
        start: StartLine::default(),
        positions: stage.workloads.iter().map(|_| Arc::default()).collect(),
        progress: clones.iter().map(|_| Progress::default()).collect(),
    };
    thread::scope(|scope| {
        let (ready, readiness) = mpsc::channel();
        let (finished, results) = mpsc::channel();
        for (number, clone) in clones.iter().enumerate() {
            let (shared, ready, finished) = (&shared, ready.clone(), finished.clone());
            thread::Builder::new()
                .name(format!("sokudo-{number}"))
                .spawn_scoped(scope, move || {
                    if let Some(result) = run_clone(shared, clone, number, &ready) {
                        // The receiver lives until every clone has ended.
                        let _ = finished.send(result);
                    }
                })
                .map_err(|source| {
                    shared.start.open(Start::Never);
                    StageError::Thread { source }
                })?;
        }
        drop((ready, finished));
        // One word from every clone; the first failure is enough.
        let prepared: Result<(), StageError> = readiness.iter().take(clones.len()).collect();
        if let Err(error) = prepared {
            shared.start.open(Start::Never);
            return Err(error);
        }
        let start_at = options.start_at.unwrap_or_else(Instant::now);
        shared.start.open(Start::At(start_at));
        let results = collect(&shared, &clones, &results, start_at, listener);
        Ok(merge(stage, results))
    })
}

fn clones_of(stage: &Stage) -> Vec<CloneId> {
    let of_workload = |(workload, spec): (usize, &Workload)| {
        (0..u64::from(spec.clones)).map(move |index| CloneId { workload, index })
    };
    stage
        .workloads
        .iter()
        .enumerate()
        .flat_map(of_workload)
        .collect()
}

/// Receives results until every clone has ended, and tells progress meanwhile.
fn collect(
    shared: &Shared<'_>,
    clones: &[CloneId],
    results: &mpsc::Receiver<CloneResult>,
    start_at: Instant,
    listener: &mut dyn FnMut(Event),
) -> Vec<CloneResult> {
    let mut finished = Vec::with_capacity(clones.len());
    loop {
        match results.recv_timeout(TICK) {
            Ok(result) => finished.push(result),
            Err(RecvTimeoutError::Disconnected) => return finished,
            Err(RecvTimeoutError::Timeout) => tell_progress(shared, clones, start_at, listener),
        }
    }
}

fn tell_progress(
    shared: &Shared<'_>,
    clones: &[CloneId],
    start_at: Instant,
    listener: &mut dyn FnMut(Event),
) {
    let elapsed = Instant::now().saturating_duration_since(start_at);
    let at = Nanos(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
    for workload in 0..shared.stage.workloads.len() {
        let mine = clones
            .iter()
            .zip(&shared.progress)
            .filter(|(c, _)| c.workload == workload);
        let (bytes, ios) = mine.fold((0, 0), |(bytes, ios), (_, progress)| {
            let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
            (bytes + load(&progress.bytes), ios + load(&progress.ios))
        });
        listener(Event::Progress {
            workload,
            at,
            bytes: Bytes(bytes),
            ios,
            each: [Moved::default(); 3],
            phase: Phase::Running,
        });
    }
}

/// The life of one thread: prepare, wait for the others, run.
fn run_clone(
    shared: &Shared<'_>,
    clone: &CloneId,
    number: usize,
    ready: &mpsc::Sender<Result<(), StageError>>,
) -> Option<CloneResult> {
    let workload = &shared.stage.workloads[clone.workload];
    let prepared = prepare(shared, workload, clone, number);
    // The receiver waits for every clone's word.
    let (mut worker, mut backend, used, direct) = match prepared {
        Ok(prepared) => {
            let _ = ready.send(Ok(()));
            prepared
        }
        Err(error) => {
            let _ = ready.send(Err(error));
            return None;
        }
    };
    if !shared.start.wait() {
        return None;
    }
    let progress = &shared.progress[number];
    let cpu = match &mut backend {
        AnyBackend::IoUring(b) => drive(&mut worker, b, shared, progress),
        AnyBackend::Libaio(b) => drive(&mut worker, b, shared, progress),
        AnyBackend::Psync(b) => drive(&mut worker, b, shared, progress),
        AnyBackend::Null(b) => drive(&mut worker, b, shared, progress),
    };
    if worker.in_flight() > 0 {
        // Given up: dropping would wait once more, and the kernel may still write
        // to the buffers.
        std::mem::forget(backend);
    }
    let (tally, stopped) = worker.finish();
    Some(CloneResult {
        workload: clone.workload,
        tally,
        stopped,
        cpu,
        backend: used,
        direct,
    })
}

type Prepared = (Worker, AnyBackend, BackendUse, bool);

fn prepare(
    shared: &Shared<'_>,
    workload: &Workload,
    clone: &CloneId,
    number: usize,
) -> Result<Prepared, StageError> {
    bind_to_cpu(workload, clone.index)?;
    let (files, direct) = match shared.target {
        Target::File(file) => {
            let (file, direct) = file.open(workload.operations.changes_data(), workload.direct)?;
            (vec![file.into()], direct)
        }
        _ => (Vec::new(), false),
    };
    let chunks = chunks_for(workload, workload.depth);
    let chunk_bytes = u32::try_from(workload.blocks.largest().0).unwrap_or(u32::MAX);
    let wanted = Wanted {
        kind: workload.backend,
        depth: workload.depth,
        chunks,
        chunk_bytes,
        memory: workload.memory,
    };
    let (mut backend, used) = open(wanted, files)?;
    let depth = if used.kind == BackendKind::Psync {
        1
    } else {
        workload.depth
    };
    let mut random = Random::stream(shared.seed, number as u64);
    let data = Data::new(&workload.data, random.next_u64());
    let stretch: Stretch = stretch_of(workload, shared.target.size());
    let pattern = Pattern::new(workload, &[stretch], &shared.positions[clone.workload], random);
    let mut worker = Worker::new(workload, pattern, data, depth, chunks);
    if workload.operations.changes_data() {
        match &mut backend {
            AnyBackend::IoUring(b) => worker.fill_buffers(b),
            AnyBackend::Libaio(b) => worker.fill_buffers(b),
            AnyBackend::Psync(b) => worker.fill_buffers(b),
            AnyBackend::Null(b) => worker.fill_buffers(b),
        }
    }
    Ok((worker, backend, used, direct))
}

/// Clones take the processors of the list in turn.
fn bind_to_cpu(workload: &Workload, index: u64) -> Result<(), StageError> {
    let count = workload.cpus.len() as u64;
    if count == 0 {
        return Ok(());
    }
    #[expect(clippy::cast_possible_truncation, reason = "below the list's length")]
    let cpu = workload.cpus[(index % count) as usize];
    let failed = |source: std::io::Error| StageError::Cpu { cpu, source };
    if cpu as usize >= CpuSet::MAX_CPU {
        return Err(failed(std::io::ErrorKind::InvalidInput.into()));
    }
    let mut set = CpuSet::new();
    set.set(cpu as usize);
    sched_setaffinity(None, &set).map_err(|errno| failed(errno.into()))
}

/// The hot loop: fill, submit and wait, reap, count.
fn drive<B: Backend>(
    worker: &mut Worker,
    backend: &mut B,
    shared: &Shared<'_>,
    progress: &Progress,
) -> CpuTime {
    let clock = &shared.clock;
    let mut cpu_start = thread_time();
    let mut now = clock.now();
    worker.begin(now);
    let mut batch = 0u32;
    let mut stopped_at = None;
    loop {
        match worker.fill(backend, clock, &mut now) {
            Next::Finished => break,
            Next::Completion => {
                batch = batch.wrapping_add(1);
                if B::SUBMITS && batch.is_multiple_of(BATCHES_PER_SUBMISSION_SAMPLE) {
                    worker.submit_counted(backend, clock);
                }
                worker.submit_and_wait(backend, None);
            }
            Next::CompletionOr(at) => {
                worker.submit_and_wait(backend, Some(patience(at, clock.now())));
            }
            Next::Until(at) => sleep_until(clock, at),
        }
        now = clock.now();
        worker.hold_depth(now);
        if now >= worker.next_boundary() {
            if worker.at_boundary(now) {
                cpu_start = thread_time();
            }
            let (bytes, ios) = worker.moved();
            progress.bytes.store(bytes, Ordering::Relaxed);
            progress.ios.store(ios, Ordering::Relaxed);
        }
        backend.reap(|chunk, result| worker.complete(chunk, result, now));
        if shared.control.is_stopped() || worker.stopped().is_some() {
            let since = *stopped_at.get_or_insert(now);
            if stop(worker, shared.control, now - since) {
                worker.abandon();
                break;
            }
        }
    }
    since(cpu_start)
}

/// Passes a stop on to the worker; true when it has waited long enough for I/Os in
/// flight.
#[cold]
fn stop(worker: &mut Worker, control: &Control, waited_ns: u64) -> bool {
    if control.is_cancelled() {
        worker.stop(StopReason::Cancelled);
    } else if control.is_stopped() {
        worker.stop(StopReason::Ended);
    }
    let patience = if control.is_cancelled() {
        CANCEL_TIME_MAX_NS
    } else {
        DRAIN_TIME_MAX_NS
    };
    worker.in_flight() > 0 && waited_ns > patience
}

/// How long to wait in the kernel for an instant; the rest is spent polling.
fn patience(at: u64, now: u64) -> Duration {
    let nanos = at.saturating_sub(now).saturating_sub(SPIN_NS);
    Duration::from_nanos(nanos).min(TICK)
}

fn sleep_until(clock: &RealClock, at: u64) {
    let remaining = patience(at, clock.now());
    if !remaining.is_zero() {
        thread::sleep(remaining);
    } else {
        while clock.now() < at {
            std::hint::spin_loop();
        }
    }
}

fn since(start: ThreadTime) -> CpuTime {
    let end = thread_time();
    CpuTime {
        user: Nanos(end.user_ns.saturating_sub(start.user_ns)),
        system: Nanos(end.system_ns.saturating_sub(start.system_ns)),
    }
}

/// All clones of each workload together.
fn merge(stage: &Stage, mut results: Vec<CloneResult>) -> Vec<Outcome> {
    let of_workload = |workload: usize| {
        let mine: Vec<CloneResult> = results
            .extract_if(.., |result| result.workload == workload)
            .collect();
        mine.into_iter().reduce(merge_clones).map(outcome)
    };
    (0..stage.workloads.len()).filter_map(of_workload).collect()
}

fn merge_clones(mut all: CloneResult, one: CloneResult) -> CloneResult {
    all.tally.merge(one.tally);
    all.cpu.user.0 += one.cpu.user.0;
    all.cpu.system.0 += one.cpu.system.0;
    all.stopped = graver(all.stopped, one.stopped);
    all
}

fn outcome(all: CloneResult) -> Outcome {
    let CloneResult {
        tally,
        stopped,
        cpu,
        backend,
        direct,
        ..
    } = all;
    crate::stage::outcome(tally, stopped, Some(cpu), backend, direct)
}
